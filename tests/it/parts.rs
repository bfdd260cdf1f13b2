//! A run in parts: each by itself, all of them read as one.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::bench::{suite, words};
use crate::kit::{
    Model, Run, folder, goal, good_fix, hypothesis, pause, program, prompt_text, run, without_place,
};
use crate::scripted::Step;

fn part(suite: &Path, out: &Path, more: &[&str]) -> Run {
    program().args(words(suite, out, more)).output().unwrap().into()
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn parts_are_runs_of_their_own_and_are_read_as_one() {
    let (suite, out) = (suite(), folder(&[]));
    let whole = out.path().join("whole");
    let root = whole.to_str().unwrap();
    let first = part(suite.path(), &whole, &["--part", "1/2", "--max-usd", "1"]);
    assert_eq!(
        (first.code, &first.json()["statuses"]),
        (0, &json!({"plausible": 1, "no_fix": 1})),
        "{first:?}"
    );
    assert!(whole.join("part-1-of-2/run.toml").is_file() && !whole.join("run.toml").exists());
    let report = || run(&["bench", "report", root, "--json"]);
    let half = report();
    assert_eq!((half.code, &half.json()["total"]["plausible"]), (0, &json!(1)), "{half:?}");
    assert_eq!(
        (&half.json()["parts"], &half.json()["ended"]),
        (&json!({"of": 2, "missing": [2]}), &Value::Null)
    );
    let told = run(&["bench", "report", root]).stdout;
    assert!(told.contains("1 of 2; not there: 2"), "{told}");

    let share = ["--part", "2/2", "--run-usd", "10", "--max-usd", "1"];
    let second = part(suite.path(), &whole, &share);
    assert_eq!((second.code, &second.json()["statuses"]), (0, &json!({"plausible": 1})), "{second:?}");
    assert!(
        second.stderr.contains("part 2/2 has its share of what the whole run may use: $5.00"),
        "{second:?}"
    );
    let all = report().json();
    assert_eq!((&all["total"]["plausible"], &all["total"]["correct"]), (&json!(2), &json!(2)), "{all}");
    let predictions = std::fs::read_to_string(whole.join("predictions.jsonl")).unwrap();
    let ids: Vec<Value> = predictions
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["instance_id"].take())
        .collect();
    assert_eq!(ids, ["first", "second", "sound"]);
    let page = whole.join("report.html");
    let html = run(&["bench", "report", root, "--html", page.to_str().unwrap()]);
    assert_eq!(html.code, 0, "{html:?}");
    let page = std::fs::read_to_string(page).unwrap().replace("&#x2f;", "/");
    assert!(page.contains("part-2-of-2/cases/second/attempt-1/trajectory.jsonl"), "{page}");

    let resumed = run(&["bench", "resume", root, "--redo", "--json"]);
    assert_eq!(resumed.code, 0, "{resumed:?}");
    let statuses = json!({"plausible": 2, "no_fix": 1});
    assert_eq!((&resumed.json()["statuses"], &resumed.json()["reason"]), (&statuses, &json!("complete")));
    assert_eq!(report().json()["spent"]["attempts"], 6, "each part tried its cases again");
    let judged = run(&["bench", "review", root, "--case", "second", "--wrong"]);
    assert_eq!(judged.code, 0, "{judged:?}");
    let log = std::fs::read_to_string(whole.join("part-2-of-2/events.jsonl")).unwrap();
    assert!(log.trim_end().ends_with("\"by\":\"a person\",\"note\":\"\"}}"), "{log}");
    let status = run(&["bench", "status", root, "--json"]).json();
    assert_eq!(
        (&status["progress"]["done"], &status["progress"]["solved"]),
        (&json!(3), &json!(2)),
        "{status}"
    );

    let copy = out.path().join("copy");
    let merged = run(&["bench", "merge", root, "--out", copy.to_str().unwrap(), "--json"]);
    assert_eq!(
        (merged.code, &merged.json()["unanswered"], &merged.json()["missing"]),
        (0, &json!(0), &json!([]))
    );
    let same = |name: &str| [&whole, &copy].map(|it| std::fs::read_to_string(it.join(name)).unwrap());
    let [of_parts, of_copy] = same("predictions.jsonl");
    assert_eq!(of_parts, of_copy);
    assert_eq!(
        run(&["bench", "report", copy.to_str().unwrap(), "--json"]).json()["total"],
        report().json()["total"]
    );

    let planned = |more: &[&str]| {
        let mut plan =
            words(suite.path(), &out.path().join("planned"), &["--workers", "2", "--max-usd", "1"]);
        "plan".clone_into(&mut plan[1]);
        let planned: Run = program()
            .args(plan.iter().map(String::as_str).chain(more.iter().copied()))
            .output()
            .unwrap()
            .into();
        assert_eq!(planned.code, 0, "{planned:?}");
        planned.json()["plan"].clone()
    };
    let known = planned(&["--from", root, "--nodes", "4"]);
    assert_eq!(
        (&known["sessions"], &known["known"], &known["same"]),
        (&json!(3), &json!(6), &json!(3)),
        "{known}"
    );
    assert!(known["seconds"]["expected"].as_f64() < known["session_seconds"]["expected"].as_f64(), "{known}");
    assert!(known["bytes"]["expected"].as_f64() > Some(1_000.0), "{known}");
    assert!(known["memory"]["node"].as_u64() > Some(10_000_000), "{known}");
    let unknown = planned(&[]);
    assert_eq!(
        (&unknown["usd"]["at_most"], &unknown["usd"]["expected"]),
        (&json!(3.0), &Value::Null),
        "{unknown}"
    );

    let clash = part(suite.path(), &whole, &["--part", "3/3", "--cycles", "7"]);
    assert!(
        clash.code == 2 && !whole.join("part-3-of-3").exists(),
        "refused before anything is paid for: {clash:?}"
    );
    let elsewhere = out.path().join("elsewhere");
    let other = part(suite.path(), &elsewhere, &["--part", "3/3", "--cycles", "7"]);
    assert_eq!(other.code, 0, "{other:?}");
    std::fs::rename(elsewhere.join("part-3-of-3"), whole.join("part-3-of-3")).unwrap();
    let refused = report();
    assert_eq!(refused.code, 2, "{refused:?}");
    insta::assert_snapshot!("no_parts_of_one_run", without_place(&refused.stderr, out.path()));
    std::fs::rename(whole.join("part-3-of-3"), whole.join("part-2-of-3")).unwrap();
    let renamed = report();
    let expect = "it is of part 3/3, and the folder that of part 2/3; rename the folder";
    assert!(renamed.code == 2 && renamed.stderr.contains(expect), "{renamed:?}");
}

/// The words of a run of one case by a model that is asked for no variants.
fn asking(model: &Model, more: &[&str]) -> Vec<String> {
    let more = more.iter().map(|word| (*word).to_owned());
    model.of_runs().into_iter().chain(["--variants".to_owned(), "0".to_owned()]).chain(more).collect()
}

/// A run whose program is killed, even twice, goes on with what the model has answered; parts that are not here are told.
#[test]
fn a_killed_part_asks_no_question_twice() {
    let (suite, out) = (suite(), folder(&[]));
    let whole = out.path().join("whole");
    let model = Model::of(vec![
        Step::Answer { text: hypothesis() },
        Step::Stall,
        Step::Stall,
        Step::Answer { text: good_fix() },
        Step::Answer { text: goal() },
    ]);
    let killed = |words: Vec<String>, asked: usize| {
        let mut child = program().args(words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let started = Instant::now();
        while model.requests().len() < asked {
            assert!(started.elapsed() < Duration::from_mins(2), "question {asked} never came");
            pause();
        }
        child.kill().unwrap();
        child.wait().unwrap();
    };
    let of_case = asking(&model, &["--part", "1/2", "--case", "first,second"]);
    let of_case: Vec<&str> = of_case.iter().map(String::as_str).collect();
    killed(words(suite.path(), &whole, &of_case), 2);
    let root = whole.to_str().unwrap();
    let status = run(&["bench", "status", root, "--json"]).json();
    let states: Vec<&Value> =
        status["parts"].as_array().unwrap().iter().map(|part| &part["state"]["is"]).collect();
    // It was killed a moment ago.
    assert_eq!(states, [&json!("running"), &json!("not_begun")], "{status}");
    assert_eq!(status["parts"][0]["running"][0]["stage"]["cycle"], 2, "{status}");
    let shown = run(&["bench", "status", root]).stdout;
    let shown = regex::Regex::new(r"\d+:\d\d").unwrap().replace_all(&shown, "<time>").into_owned();
    let shown = regex::Regex::new(r"\d+\.\dk").unwrap().replace_all(&shown, "<tokens>").into_owned();
    insta::assert_snapshot!("status_of_a_killed_part", shown);

    let again =
        || ["bench", "resume", root].map(str::to_owned).into_iter().chain(asking(&model, &[])).collect();
    killed(again(), 3);
    let ended: Run = program().args(again()).output().unwrap().into();
    assert_eq!(ended.code, 1, "a part is missing: {ended:?}");
    assert!(
        ended
            .stderr
            .contains("parts 1 of 2; not there: 2: `patchwright bench run … --part I/2` begins another"),
        "{ended:?}"
    );
    let prompts: Vec<String> = model.requests().iter().map(prompt_text).collect();
    assert_eq!(prompts.len(), 5, "{ended:?}");
    assert!(prompts[1] == prompts[2] && prompts[2] == prompts[3], "what had no answer is asked again");
    assert!(!prompts[1..].contains(&prompts[0]) && prompts[3] != prompts[4], "and nothing else");
    let trajectory = whole.join("part-1-of-2/cases/first/attempt-3/trajectory.jsonl");
    let text = std::fs::read_to_string(trajectory).unwrap();
    assert_eq!(text.matches("\"event\":\"reply\"").count(), 3, "its trajectory is whole");
}

#[test]
fn what_is_no_part_is_refused() {
    let (suite, out) = (suite(), folder(&[]));
    let list = out.path().join("ids.txt");
    let place = list.to_str().unwrap();
    let check = |ids: &str, more: &[&str], expect: &str| {
        std::fs::write(&list, ids).unwrap();
        let refused = part(suite.path(), &out.path().join("run"), more);
        assert_eq!(refused.code, 2, "{refused:?}");
        assert!(refused.stderr.contains(expect), "{refused:?}");
        assert!(!out.path().join("run").exists());
    };
    check("", &["--part", "4/3"], "`4/3` is no part: give I/N, the I-th of N, such as 2/8");
    check("", &["--part", "1/9"], "--part 1/9: there are more parts than cases; give at most 3 parts");
    check("# none\n", &["--cases-from", place], "it names no case: write one id to a line");
    check("first\nthird # the last\n", &["--cases-from", place], "the suite has no case `third`");
}
