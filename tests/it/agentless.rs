//! The fixed pipeline with a scripted model: what each stage does with what a model says.

use std::path::Path;

use crate::scripted::Step;
use crate::writing_tests::reason;
use serde_json::{Value, json};

use crate::kit::{
    FIX, Model, changed, events, folder, named, notices, program, project, prompt_text, replayed, run,
    snapshot,
};

/// The numbers of a small pipeline: two samples of lines, three repairs each, no reproduction tests.
const SMALL: [&str; 8] =
    ["--mode", "agentless", "--location-samples", "2", "--repairs", "3", "--reproduction-tests", "0"];

fn block(text: &str) -> String {
    format!("Let me think.\n```\n{text}\n```\n")
}

fn answer(text: &str) -> Step {
    Step::Answer { text: block(text) }
}

fn answers(texts: &[String]) -> Step {
    Step::Answers { texts: texts.to_vec() }
}

/// A repair of the one buggy line of [`project`].
fn repair(old: &str, new: &str) -> String {
    format!(
        "The bound is off by one.\n\n```\n### bank/account.py\n<<<<<<< SEARCH\n        if amount {old} self.balance:\n=======\n        \
         if amount {new} self.balance:\n>>>>>>> REPLACE\n```\n"
    )
}

/// The answers that find the place of the bug of [`project`], whose only file nobody has to choose.
fn places() -> Vec<Step> {
    vec![
        answer("bank/account.py\nfunction: Account.withdraw"),
        answers(&[block("bank/account.py\nline: 6"), block("account.py\nline: 6")]),
    ]
}

/// Adds files to a project, so that those to look into have to be chosen.
fn add_rates(project: &Path) {
    for number in 1..=6 {
        let text = format!("def rate_{number}(year):\n    return {number}\n");
        crate::kit::write(&project.join(format!("bank/rates_{number}.py")), text.as_bytes());
    }
}

/// What the stages found, by their names.
fn found<'a>(events: &'a [Value], stage: &str) -> &'a Value {
    let observation = named(events, "observation").into_iter().find(|event| event["tool"] == stage);
    &observation.unwrap_or_else(|| panic!("no stage {stage}"))["data"]
}

fn small(words: &[&'static str]) -> Vec<&'static str> {
    SMALL.iter().chain(words).copied().collect()
}

#[test]
fn the_repair_that_most_samples_agree_on_is_the_answer() {
    let project = project();
    let before = snapshot(project.path());
    let mut steps = places();
    steps.push(Step::Answer { text: repair(">=", "==") });
    let comment = repair(">=", ">").replace("> self.balance:", "> self.balance:  # all of it may be taken");
    let others = [repair(">=", ">"), comment, repair(">=", "<"), repair(">=", ">"), repair(">=", "==")];
    steps.push(answers(&others));
    let model = Model::of(steps);
    let run = model.repair(project.path(), &small(&[]));
    assert_eq!(run.code, 0, "{run:?}");
    let result = run.json();
    assert_eq!((&result["status"], &result["mode"]), (&json!("plausible"), &json!("agentless")));
    assert_eq!(result["candidates"], json!({"tried": 3, "duplicates": 3, "plausible": 1}));
    assert_eq!(result["hypothesis"], "The bound is off by one.");
    assert_eq!(changed(result["patch"].as_str().unwrap()), FIX, "{result}");
    insta::assert_snapshot!("most_samples_agree", reason(&run));
    assert_eq!(snapshot(project.path()), before);

    let requests = model.requests();
    let asked: Vec<_> = requests.iter().map(|request| request["n"].as_u64().unwrap_or(1)).collect();
    assert_eq!(asked, [1, 2, 1, 5], "several answers are asked for at once");
    let temperatures: Vec<_> =
        requests.iter().map(|request| request["temperature"].as_f64().unwrap()).collect();
    assert_eq!(temperatures, [0.0, 0.8, 0.0, 0.8]);
    for request in &requests {
        assert_eq!(request["messages"][1], requests[0]["messages"][1], "all questions begin alike");
    }
    let text = prompt_text(&requests[0]);
    assert!(text.contains("5|    def withdraw(self, amount):"), "a skeleton with line numbers: {text}");
    assert!(!text.contains("self.balance -= amount"), "without bodies: {text}");
    assert!(prompt_text(&requests[1]).contains("6|        if amount >= self.balance:"));

    let events = events(project.path());
    assert_eq!(found(&events, "locate_files")["decided"], true, "the model is not asked for files");
    assert_eq!(found(&events, "locate_lines")["sets"][0]["votes"], 2);
    assert_eq!(found(&events, "select")[0]["votes"], 3);
    replays(project.path());
}

/// The recording of a project's only session, replayed, is the same, and can be viewed.
fn replays(project: &Path) {
    let file = replayed(project);
    let view = run(&["replay", "view", file.to_str().unwrap(), "--full"]);
    assert!(view.code == 0 && view.stdout.contains("select("), "{view:?}");
}

#[test]
fn a_prompt_that_is_too_long_for_the_model_is_cut() {
    let project = project();
    let file = project.path().join("bank/account.py");
    let long: Vec<String> = (0..300)
        .map(|number| {
            format!(
                "

def rate_{number}(account):
    return {number}
"
            )
        })
        .collect();
    let text = std::fs::read_to_string(&file).unwrap();
    crate::kit::write(&file, format!("{text}{}", long.concat()).as_bytes());
    let too_long = || Step::error(400, "error", "prompt is too long: 9000 tokens > 8192 maximum");
    let repaired = vec![repair(">=", ">"); 5];
    let mut steps = places();
    steps.insert(0, too_long());
    steps.extend([too_long(), Step::answer(repair(">=", ">")), answers(&repaired)]);
    let model = Model::of(steps);
    let run = model.repair(project.path(), &SMALL);
    assert_eq!(run.code, 0, "{run:?}");
    let events = events(project.path());
    let told: Vec<_> =
        named(&events, "asked_again").iter().map(|event| event["change"]["by"].clone()).collect();
    assert_eq!(told, ["shortening", "shortening"]);
    replays(project.path());
}

#[test]
fn a_repair_that_does_not_fit_is_asked_for_once_more() {
    let project = project();
    let mut steps = places();
    steps.extend([
        Step::Answer { text: repair("<=>", ">") },
        Step::Answer { text: repair(">=", ">") },
        answers(&[vec![repair("<=>", ">")], vec!["I do not know.".to_owned(); 4]].concat()),
        Step::Answer { text: "Really not.".to_owned() },
    ]);
    let model = Model::of(steps);
    let run = model.repair(project.path(), &small(&[]));
    assert_eq!(run.code, 0, "{run:?}");
    let requests = model.requests();
    let again = requests[3]["messages"].as_array().unwrap().last().unwrap()["content"].as_str().unwrap();
    insta::assert_snapshot!("does_not_fit", again);
    assert_eq!(requests.len(), 6, "equal answers are corrected once, also those of another request");
    let events = events(project.path());
    let samples = found(&events, "repair").as_array().unwrap();
    assert_eq!(samples.len(), 6);
    assert_eq!(samples.iter().filter(|sample| sample["problem"].is_null()).count(), 2);
    replays(project.path());
}

#[test]
fn answers_of_no_use_are_asked_for_again_and_then_the_tests_tell() {
    let project = project();
    add_rates(project.path());
    let useless = || answer("src/nowhere/Imaginary.java");
    let mut steps = vec![useless(), useless(), useless(), useless()];
    steps.extend([
        answers(&vec![block("function: nothing_like_it"); 2]),
        answers(&vec![block("bank/vault.py\nline: 3"); 2]),
    ]);
    steps.push(Step::Answer { text: repair(">=", ">") });
    steps.push(answers(&vec![repair(">=", ">"); 5]));
    let model = Model::of(steps);
    let run = model.repair(project.path(), &small(&[]));
    assert_eq!(run.code, 0, "{run:?}");
    let temperatures: Vec<_> =
        model.requests().iter().map(|request| request["temperature"].as_f64().unwrap()).collect();
    assert_eq!(temperatures[..6], [0.0, 1.0, 0.0, 1.0, 0.8, 1.0], "the second time is warmer");
    let events = events(project.path());
    assert_eq!(found(&events, "locate_files")["invented"], json!(["src/nowhere/Imaginary.java"]));
    assert_eq!(found(&events, "locate_files")["ranked"][0], "bank/account.py");
    assert_eq!(found(&events, "locate_elements")["widened"], true);
    replays(project.path());
}

#[test]
fn without_a_repair_that_fits_there_is_no_fix_and_the_reason_says_so() {
    let project = project();
    let mut steps = places();
    steps.extend((0..2).map(|_| Step::Answer { text: "no idea".to_owned() }));
    steps.push(answers(&vec!["no idea either".to_owned(); 5]));
    steps.push(Step::Answer { text: "none".to_owned() });
    let model = Model::of(steps);
    let run = model.repair(project.path(), &small(&[]));
    assert_eq!(run.code, 1, "{run:?}");
    assert_eq!(run.json()["status"], "no_fix");
    insta::assert_snapshot!("no_repair_fits", reason(&run));
}

/// [`project`] with tests that all pass, of which one checks the behaviour that the issue complains of.
fn told() -> tempfile::TempDir {
    let account = "class Account:\n    def __init__(self, balance=0):\n        self.balance = balance\n\n    \
                   def withdraw(self, amount):\n        if amount >= self.balance:\n            \
                   raise ValueError(\"not enough\")\n        self.balance -= amount\n        return self.balance\n";
    let tests = "import unittest\n\nfrom bank.account import Account\n\n\nclass AccountTest(unittest.TestCase):\n    \
                 def test_withdraws_a_part(self):\n        self.assertEqual(Account(100).withdraw(30), 70)\n\n    \
                 def test_keeps_something(self):\n        with self.assertRaises(ValueError):\n            \
                 Account(100).withdraw(100)\n";
    folder(&[
        ("bank/account.py", account),
        ("bank/__init__.py", ""),
        ("tests/test_account.py", tests),
        ("tests/__init__.py", ""),
        ("issue.md", "One cannot withdraw all of the balance: `withdraw(100)` of 100 raises `ValueError`.\n"),
    ])
}

/// A script that calls `expression` and says what comes of it.
fn script(expression: &str) -> String {
    format!(
        "```python\nfrom bank.account import Account\n\ntry:\n    {expression}\n    print('Issue resolved')\nexcept ValueError:\n    \
         print('Issue reproduced')\n```\n"
    )
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn an_issue_without_a_failing_test_is_repaired_by_tests_that_reproduce_it() {
    let project = told();
    let issue = project.path().join("issue.md");
    let mut steps = places();
    // Three repairs that all keep the other tests: one of them does what the issue asks for.
    let refund = repair(">=", "> 2 *");
    steps.push(Step::Answer { text: refund.clone() });
    steps.push(answers(&[refund.clone(), refund.clone(), repair(">=", ">"), refund.clone(), refund]));
    steps.push(answer("tests.test_account.AccountTest.test_keeps_something\nno.such.test"));
    steps.push(Step::Answer { text: script("Account(100).withdraw(100)") });
    let commented = script("Account(100).withdraw(100)  # all of it");
    let hangs = "```python\nwhile True:\n    pass\n```".to_owned();
    let passes = script("Account(100).withdraw(1)");
    let over = "```python\nfrom bank.account import Account\n\ntry:\n    assert Account(100).withdraw(100) == 0\nexcept ValueError:\n    \
                print('Issue reproduced')\nelse:\n    try:\n        Account(100).withdraw(150)\n    except ValueError:\n        \
                print('Issue resolved')\n    else:\n        print('Other issues')\n```\n";
    steps.push(answers(&[commented, passes, over.to_owned(), hangs]));
    let model = Model::of(steps);
    let words =
        ["--mode", "agentless", "--location-samples", "2", "--repairs", "3", "--reproduction-tests", "5"];
    let issue = issue.to_str().unwrap().to_owned();
    let run: crate::kit::Run = program()
        .args(model.words(project.path(), &words))
        .args(["--issue", &issue])
        .output()
        .unwrap()
        .into();
    assert_eq!(run.code, 0, "{run:?}");
    let result = run.json();
    assert_eq!(changed(result["patch"].as_str().unwrap()), FIX, "{result}");
    insta::assert_snapshot!("repaired_by_reproduction_tests", reason(&run));
    // The other two resolve no reproduction test, so that nothing the project's own tests say makes one of them the answer.
    assert_eq!(result["candidates"], json!({"tried": 1, "duplicates": 0, "plausible": 1}));
    let requests = model.requests();
    let (repair, regressions, reproduce) =
        (prompt_text(&requests[2]), prompt_text(&requests[4]), prompt_text(&requests[5]));
    for text in [&repair, &regressions, &reproduce] {
        assert!(
            text.contains("        self.assertEqual(Account(100).withdraw(30), 70)"),
            "a test near by: {text}"
        );
        assert!(!text.contains("Test report"), "{text}");
    }
    assert!(reproduce.contains("        if amount >= self.balance:\n"), "the located code: {reproduce}");
    let events = events(project.path());
    let stages: Vec<&str> =
        named(&events, "observation").iter().map(|event| event["tool"].as_str().unwrap()).collect();
    assert_eq!(stages[3..], ["repair", "regressions", "reproduce", "validate", "select"]);
    assert_eq!(found(&events, "regressions")["invented"], json!(["no.such.test"]));
    let reproduction = found(&events, "reproduce");
    let counts = [&reproduction["drawn"], &reproduction["distinct"], &reproduction["reproducing"]];
    assert_eq!(counts, [5, 4, 2]);
    assert_eq!(reproduction["tests"][0]["votes"], 2);
    replays(project.path());
}

#[test]
fn a_project_without_tests_is_repaired_from_an_issue() {
    let other = told();
    let account = std::fs::read_to_string(other.path().join("bank/account.py")).unwrap();
    let project =
        folder(&[("bank/account.py", &account), ("issue.md", "One cannot withdraw all of the balance.\n")]);
    let mut steps = places();
    steps.extend([Step::Answer { text: repair(">=", "==") }, answers(&vec![repair(">=", ">"); 5])]);
    steps.push(Step::Answer { text: script("Account(100).withdraw(100)") });
    let model = Model::of(steps);
    let issue = project.path().join("issue.md").to_str().unwrap().to_owned();
    let words =
        ["--mode", "agentless", "--location-samples", "2", "--repairs", "3", "--reproduction-tests", "1"];
    let words = model.words(project.path(), &words);
    let run: crate::kit::Run = program().args(words).args(["--issue", &issue]).output().unwrap().into();
    assert_eq!(run.code, 0, "{run:?}");
    insta::assert_snapshot!("without_tests", named(&events(project.path()), "detected")[0]["reasons"]);
    assert_eq!(changed(run.json()["patch"].as_str().unwrap()), FIX, "{run:?}");
}

#[test]
fn a_candidate_that_resolves_nothing_is_no_answer() {
    let project = told();
    let mut steps = places();
    // Keeps the tests, and mends nothing.
    steps.extend([Step::Answer { text: repair(">=", ">= 1 *") }, answers(&vec![repair(">=", ">= 1 *"); 5])]);
    // Both tests are named: that is too many.
    let all = "tests.test_account.AccountTest.test_keeps_something\ntests.test_account.AccountTest.test_withdraws_a_part";
    steps.push(answer(all));
    steps.push(Step::Answer { text: script("Account(100).withdraw(100)") });
    let model = Model::of(steps);
    let words =
        model.words(project.path(), &["--mode", "agentless", "--location-samples", "2", "--repairs", "3"]);
    let issue = project.path().join("issue.md").to_str().unwrap().to_owned();
    let more = ["--reproduction-tests", "1", "--issue", &issue];
    let run: crate::kit::Run = program().args(words).args(more).output().unwrap().into();
    assert_eq!(run.code, 1, "{run:?}");
    assert_eq!(run.json()["status"], "no_fix");
    insta::assert_snapshot!("nothing_resolved", reason(&run));
    assert_eq!(found(&events(project.path()), "regressions")["refused"], 2);
}

#[test]
fn tests_that_are_not_the_bug_are_counted_in_one_line() {
    let project = project();
    let other = "import unittest\n\n\nclass NetworkTest(unittest.TestCase):\n    def test_reaches(self):\n        self.assertEqual(\"up\", \"down\")\n";
    crate::kit::write(&project.path().join("tests/test_network.py"), other.as_bytes());
    let model = Model::of(places());
    let failing = ["--failing", "tests.test_account.AccountTest.test_withdraws_all", "--cycles", "2"];
    let run = model.repair(project.path(), &small(&failing));
    assert_eq!(run.json()["status"], "budget", "{run:?}");
    let text = prompt_text(&model.requests()[0]);
    assert!(text.contains("test_withdraws_all") && !text.contains("NetworkTest"), "{text}");
    insta::assert_snapshot!("tests_that_are_not_the_bug", crate::kit::lines_with(&text, "fail too"));
}

#[test]
fn outlines_are_shown_of_the_files_that_the_model_chose() {
    let project = project();
    add_rates(project.path());
    let model = Model::of([vec![answer("bank/rates_2.py")], places()].into_iter().flatten().collect());
    let run = model.repair(project.path(), &small(&["--cycles", "2"]));
    assert_eq!(run.json()["status"], "budget", "{run:?}");
    let text = prompt_text(&model.requests()[1]);
    assert!(text.contains("1|def rate_2(year):"), "{text}");
    assert!(!text.contains("def withdraw(self, amount):"), "{text}");
    let others =
        text.split("# Other files that tests or words of the bug point to, not shown").nth(1).unwrap();
    assert!(others.trim_start().starts_with("bank/account.py\n"), "{text}");
}

#[test]
fn folders_are_asked_about_only_where_the_model_names_no_file() {
    let check = |named: &[&str], asked: bool| {
        let project = project();
        let write = |path: &str, text: &str| crate::kit::write(&project.path().join(path), text.as_bytes());
        for number in 1..=24 {
            write(
                &format!("vaults/vault_{number}.py"),
                &format!("def vault_{number}():\n    return {number}\n"),
            );
        }
        write("notes/withdrawing.py", "def withdraws(account):\n    raise ValueError(\"not enough\")\n");
        let mut steps = vec![answer(&named.join("\n"))];
        if asked {
            steps.extend([answer(&named.join("\n")), answer("notes/")]);
        }
        let model = Model::of(steps);
        let run = model.repair(project.path(), &small(&["--cycles", "1"]));
        assert_eq!(run.json()["status"], "budget", "{run:?}");
        let requests = model.requests();
        assert_eq!(requests.len(), if asked { 3 } else { 1 }, "{named:?}");
        let events = events(project.path());
        let ranked = found(&events, "locate_files")["ranked"].to_string();
        assert!(ranked.contains("bank/account.py"), "{ranked}");
        if asked {
            let text = prompt_text(&requests[2]);
            assert!(text.contains("withdrawing.py") && !text.contains("vault_1.py"), "{text}");
            assert!(!ranked.contains("notes/"), "{ranked}");
        }
    };
    check(&["bank/account.py"], false);
    check(&["bank/nothing_like_it.java"], true);
}

#[test]
fn reproduction_tests_that_do_not_run_are_told_from_those_that_show_nothing() {
    let told = |scripts: [&str; 2]| {
        let project = told();
        let mut steps = places();
        steps.extend([Step::Answer { text: repair(">=", ">") }, answers(&vec![repair(">=", ">"); 5])]);
        steps.push(answer("tests.test_account.AccountTest.test_keeps_something"));
        steps.extend(scripts.map(|script| Step::Answer { text: format!("```python\n{script}\n```") }));
        let model = Model::of(steps);
        let words =
            ["--mode", "agentless", "--location-samples", "2", "--repairs", "3", "--reproduction-tests", "2"];
        let issue = project.path().join("issue.md").to_str().unwrap().to_owned();
        let words = model.words(project.path(), &words);
        let run: crate::kit::Run = program().args(words).args(["--issue", &issue]).output().unwrap().into();
        // Nothing has shown that it repairs the bug, for want of a test that runs.
        assert_eq!((run.code, &run.json()["status"]), (1, &json!("unverified")), "{run:?}");
        let events = events(project.path());
        let broken = found(&events, "reproduce")["broken"].as_array().unwrap().clone();
        assert!(broken[0]["output"].as_str().unwrap().contains("No module named 'bankrupt'"), "{broken:?}");
        format!("{}\nwarning: {}\n", reason(&run), notices(&events, "warning"))
    };
    let (first, second) =
        ("import bankrupt\nprint('Issue resolved')", "import bankrupt\nprint('Issue reproduced')");
    let both = told([first, second]) + &told([first, "print('Issue resolved')"]);
    insta::assert_snapshot!("reproduction_tests_that_do_not_run", both);
}

#[test]
fn a_session_is_taken_up_after_the_stage_that_it_reached() {
    let project = project();
    let first = folder(&[]);
    let out = first.path().join("first");
    let model = Model::of(places());
    let out = out.to_str().unwrap().to_owned();
    let cut: crate::kit::Run = program()
        .args(model.words(project.path(), &SMALL))
        .args(["--cycles", "3", "--out", &out])
        .output()
        .unwrap()
        .into();
    assert_eq!(cut.json()["status"], "budget", "{cut:?}");
    let model =
        Model::of(vec![Step::Answer { text: repair(">=", ">") }, answers(&vec![repair(">=", ">"); 5])]);
    let file = format!("{out}/trajectory.jsonl");
    let run: crate::kit::Run = program()
        .args(model.words(project.path(), &SMALL))
        .args(["--resume", &file])
        .output()
        .unwrap()
        .into();
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(model.requests().len(), 2, "only the repairs are asked for");
    insta::assert_snapshot!("stages_taken_up", notices(&events(project.path()), "info"));
}

#[test]
fn what_the_pipeline_cannot_do_is_told_before_anything_is_written() {
    let project = project();
    let check = |words: &[&str], expect: &[&str]| {
        let words: Vec<&str> =
            ["repair", project.path().to_str().unwrap()].iter().chain(words).copied().collect();
        let run = run(&words);
        assert_eq!(run.code, 2, "{run:?}");
        assert!(expect.iter().all(|part| run.stderr.contains(part)), "{run:?}");
        assert!(!project.path().join(".patchwright").exists());
    };
    check(&["--mode", "agentless"], &["--mode agentless", "--model"]);
    check(&["--mode", "agentless", "--model", "human"], &["--model openai/NAME"]);
    let service = ["--mode", "agentless", "--model", "compatible/x", "--base-url", "http://127.0.0.1:9/v1"];
    let with = |more: &[&'static str]| service.iter().chain(more).copied().collect::<Vec<_>>();
    check(&with(&["-i"]), &["-i", "--mode agent"]);
    check(&with(&["--repairs", "0"]), &["--repairs", "from 1 to 1000"]);
    check(&with(&["--repairs", "99999999999"]), &["--repairs"]);
    check(&with(&["--sample-temperature", "NaN"]), &["--sample-temperature"]);
    check(&with(&["--resume", "/nowhere.jsonl"]), &["/nowhere.jsonl"]);
    check(&with(&["--file-weights", "words=-1"]), &["--file-weights", "words=-1", "from zero on"]);
    check(&with(&["--file-weights", "luck=1"]), &["luck=1", "model=2"]);
    check(&with(&["--embeddings", "anthropic/x"]), &["--embeddings anthropic/x", "no embeddings"]);
    check(&["--embeddings", "openai/x", "--model", "compatible/x"], &["--embeddings", "--mode agentless"]);
    check(&["--resume", "x.jsonl", "--model", "compatible/x"], &["x.jsonl"]);
}

#[test]
fn files_are_ranked_by_meaning_where_an_embedding_model_is_given() {
    let project = project();
    for number in 1..=3 {
        let (path, text) = (format!("bank/x{number}.py"), format!("def x{number}():\n    return 0\n"));
        crate::kit::write(&project.path().join(path), text.as_bytes());
    }
    crate::kit::write(&project.path().join("bank/ledger.py"), b"def book(entry):\n    return entry\n");
    crate::kit::write(&project.path().join("bank/rates.py"), b"def rate(year):\n    return 0.02\n");
    let cache = folder(&[]);
    let (here, there, far) = (vec![1.0, 0.0], vec![0.9, 0.1], vec![0.0, 1.0]);
    let farthest = vec![-1.0, 0.0];
    let vectors = vec![far, vec![0.5, 0.5], there, farthest.clone(), farthest.clone(), farthest, here];
    let steps = |vectors: Option<Vec<Vec<f32>>>| {
        let mut steps = vec![answer("bank/account.py")];
        steps.extend(places());
        steps.splice(1..1, vectors.map(|vectors| Step::Vectors { vectors }));
        steps.extend([Step::Answer { text: repair(">=", ">") }, answers(&vec![repair(">=", ">"); 5])]);
        steps
    };
    let model = Model::of(steps(Some(vectors)).into_iter().chain(steps(None)).collect());
    let session = |out: &str| {
        let before = model.requests().len();
        let more = ["--embeddings", "compatible/near", "--file-weights", "words=0,spectrum=0", "--out", out];
        let run: crate::kit::Run = program()
            .args(model.words(project.path(), &SMALL))
            .args(more)
            .env("PATCHWRIGHT_CACHE", cache.path())
            .output()
            .unwrap()
            .into();
        assert_eq!(run.code, 0, "{run:?}");
        (model.requests().split_off(before), run.json())
    };
    let outs = folder(&[]);
    let out = outs.path().join("first").to_str().unwrap().to_owned();
    let (requests, result) = session(&out);
    let pieces = requests[1]["input"].as_array().unwrap();
    assert!(pieces[0].as_str().unwrap().starts_with("bank/account.py\nclass Account:\n"), "{pieces:?}");
    assert!(pieces[6].as_str().unwrap().contains("test_withdraws_all"), "the bug itself: {pieces:?}");
    assert_eq!(result["cost_usd"], Value::Null, "the price of such a model is unknown, which is not zero");
    let file = outs.path().join("first/trajectory.jsonl");
    let text = std::fs::read_to_string(&file).unwrap();
    let events: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let nearest = ["bank/rates.py", "bank/ledger.py", "bank/account.py"];
    assert_eq!(found(&events, "locate_files")["by_meaning"].as_array().unwrap()[..3], nearest);
    let ranked = found(&events, "locate_files")["ranked"].as_array().unwrap();
    assert_eq!(ranked[..3], ["bank/account.py", "bank/rates.py", "bank/ledger.py"]);

    let dir = project.path().to_str().unwrap();
    let replay = run(&["replay", "check", file.to_str().unwrap(), "--dir", dir, "--json"]);
    assert_eq!((replay.code, &replay.json()["same"]), (0, &json!(true)), "{replay:?}");
    let (requests, _) = session(outs.path().join("second").to_str().unwrap());
    assert!(requests.iter().all(|request| request["input"].is_null()), "vectors are paid for once");
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn where_all_tests_take_long_candidates_are_tried_with_some_and_the_answer_with_all() {
    let project = project();
    // It executes nothing of the project, so that no coverage can choose it.
    let style = "import pathlib, time, unittest\n\n\nclass StyleTest(unittest.TestCase):\n    def test_nothing_is_added_for_nothing(self):\n        \
                 time.sleep(1.5)\n        text = pathlib.Path(\"bank/account.py\").read_text()\n        self.assertNotIn(\"+ 0\", text)\n";
    crate::kit::write(&project.path().join("tests/test_style.py"), style.as_bytes());
    let foolish = repair(">=", ">").replace("> self.balance:", "> self.balance + 0:");
    let mut steps = places();
    steps.push(Step::Answer { text: foolish.clone() });
    steps.push(answers(&[foolish.clone(), foolish.clone(), repair(">=", ">"), foolish, repair(">=", "<")]));
    let model = Model::of(steps);
    let run = model.repair(project.path(), &small(&["--regression-time", "1s"]));
    assert_eq!(run.code, 0, "{run:?}");
    let events = events(project.path());
    let chosen = found(&events, "choose_tests");
    assert_eq!(chosen["left_out"], json!(3 - chosen["tests"].as_array().unwrap().len()), "{chosen}");
    assert!(chosen["tests"][0].as_str().unwrap().contains("AccountTest"), "{chosen}");
    let verdicts = named(&events, "verdict");
    let of = |id: u32| -> Vec<&str> {
        let own = verdicts.iter().filter(|verdict| verdict["candidate"] == id);
        own.map(|verdict| verdict["verdict"].as_str().unwrap()).collect()
    };
    assert_eq!(of(1), ["plausible", "failing"], "most samples agree on it, but not all tests");
    assert_eq!(of(2), ["plausible", "plausible"]);
    let result = run.json();
    assert_eq!(result["candidates"], json!({"tried": 3, "duplicates": 3, "plausible": 1}));
    assert!(!result["patch"].as_str().unwrap().contains("+ 0"), "{result}");
    replays(project.path());
}
