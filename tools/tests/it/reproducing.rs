//! `write_test`: from code to what it says of the original code and of candidates, and what `goal_accomplished` makes of it.

use patchwright_protocol::{ToolOutcome, Verdict};
use patchwright_tools::Observation;
use serde_json::{Value, json};

use crate::bench::{Bench, content};

/// Whether a call asks for the end of the session, with the reason of these tests.
fn finishes(seen: &Observation) -> bool {
    matches!(&seen.outcome, ToolOutcome::Finish { reason, .. } if reason == "every piece counts")
}

/// The verdict on a candidate, without its diff and the test output.
fn verdict_of(seen: &Observation) -> String {
    seen.text.split("The change to").next().unwrap().to_owned()
}

/// A project whose bug an issue alone tells of: its failing tests are not known to show it.
async fn told_by_issue() -> Bench {
    let mut bench = Bench::open().await;
    bench.settings.variants = 0;
    bench.script.issue.push_str("Two cups cost as much as one.");
    let failing: Vec<String> = bench.baseline.failing.iter().map(ToString::to_string).collect();
    bench.baseline.ignore(&failing);
    bench
}

fn test(body: &str) -> Value {
    let code = format!(
        "import unittest\n\nfrom shop.cart import Cart\n\n\nclass ManyTest(unittest.TestCase):\n    def test_many(self):\n        cart = \
         Cart()\n        cart.add(\"cup\", 100, 2)\n        {body}\n"
    );
    json!({"code": code, "file_path": "tests/test_many.py"})
}

fn shows() -> Value {
    test("self.assertEqual(cart.total(), 200)")
}

fn fix(text: &str) -> Value {
    json!({"edits": [{"file_path": "shop/cart.py", "modifications": [{"line_number": 20, "modified_line": text}]}]})
}

fn right() -> Value {
    fix("            total += cents * count")
}

fn verdicts(bench: &Bench) -> Vec<Option<Verdict>> {
    bench.candidates.all().iter().map(|candidate| candidate.verdict()).collect()
}

#[tokio::test]
async fn a_test_says_what_it_does_on_the_original_code() {
    let mut bench = told_by_issue().await;
    let (source, pristine) = (content(&bench.root), content(bench.harness.project().root()));
    let check = async |bench: &mut Bench, arguments: Value, advance: bool, parts: &[&str]| {
        let seen = bench.run("write_test", arguments).await;
        assert_eq!(seen.outcome.advances(), advance, "{}", seen.text);
        for part in parts {
            assert!(seen.text.contains(part), "`{part}` is missing in:\n{}", seen.text);
        }
    };
    let fails =
        ["Test 1 (tests/test_many.py) fails on the original code", "100 != 200", "pass it from now on"];
    check(&mut bench, shows(), true, &fails).await;
    let passes = ["Test 2 (tests/test_many.py) passes on the original code", "does not show the bug"];
    check(&mut bench, test("self.assertEqual(cart.total(), 100)"), false, &passes).await;
    let unrun = [
        "Test 3 (tests/test_many.py) says nothing of the bug",
        "NameError",
        "Tests are written for unittest here.",
    ];
    check(&mut bench, test("self.assertEqual(total(cart), 200)"), false, &unrun).await;
    let added = json!({"code": "class More(unittest.TestCase):\n    def test_more(self):\n        self.assertEqual(Cart().total(), 1)\n",
        "file_path": "tests/test_cart.py"});
    check(&mut bench, added, true, &["Test 4 (tests/test_cart.py) fails on the original code", "0 != 1"])
        .await;
    let disturbing = json!({"code": "Cart = None\n\n\nclass LastTest(unittest.TestCase):\n    def test_last(self):\n        self.fail()\n",
        "file_path": "tests/test_cart.py"});
    let told = [
        "Test 5 (tests/test_cart.py) says nothing of the bug",
        "with it other tests of the file no longer pass",
    ];
    check(&mut bench, disturbing, false, &told).await;
    let script = json!({"code": "from shop.cart import Cart\ncart = Cart()\ncart.add('cup', 100, 2)\nassert cart.total() == 200, cart.total()\n"});
    check(
        &mut bench,
        script,
        true,
        &["Test 6 (reproduce.py) fails on the original code", "AssertionError: 100"],
    )
    .await;
    let standing: Vec<u32> = bench.reproductions.standing().map(|test| test.id).collect();
    assert_eq!(standing, [1, 4, 6]);
    let events = ["1 fails", "2 passes", "3 does not run", "4 fails", "5 does not run", "6 fails"];
    assert_eq!(bench.script.events, events.map(|event| format!("test {event}")));
    assert_eq!(content(&bench.root), source, "the user's project is never written to");
    assert_eq!(content(bench.harness.project().root()), pristine, "nor the pristine copy");
}

#[tokio::test]
async fn what_cannot_be_a_test_is_refused_with_the_cure() {
    let mut bench = told_by_issue().await;
    let check = async |bench: &mut Bench, arguments: Value, part: &str| {
        let seen = bench.run("write_test", arguments).await;
        assert!(
            !seen.outcome.advances() && seen.text.contains(part),
            "`{part}` is missing in:\n{}",
            seen.text
        );
    };
    let at = |path: &str| json!({"code": "def test_a():\n    assert 0\n", "file_path": path});
    let twice = json!({"code": "class CartTest(unittest.TestCase):\n    def test_a(self):\n        self.fail()\n",
        "file_path": "tests/test_cart.py"});
    check(&mut bench, twice, "tests/test_cart.py declares CartTest already").await;
    check(&mut bench, json!({"code": "  "}), "`code` is empty").await;
    check(&mut bench, json!({"code": "x\0"}), "has to be text").await;
    check(
        &mut bench,
        at("shop/cart.py"),
        "shop/cart.py is no file of tests: name one such as tests/test_reproduction_1.py",
    )
    .await;
    check(&mut bench, at("tests/__init__.py"), "is no file of tests").await;
    check(&mut bench, at("../test_a.py"), "../test_a.py").await;
    check(&mut bench, at("tests/../shop/cart.py"), "shop/cart.py is no file of tests").await;
    check(&mut bench, at(&format!("tests/test_{}.py", "a".repeat(300))), "at most 255").await;
    let replaces = json!({"code": "def test_a():\n    assert 0\n", "replaces": 7});
    check(&mut bench, replaces, "No test 7 shows the bug").await;
    assert!(bench.script.events.is_empty(), "{:?}", bench.script.events);
}

#[tokio::test]
async fn a_candidate_is_unverified_until_a_test_speaks_for_it() {
    let mut bench = told_by_issue().await;
    let fix_alone = bench.run("write_fix", right()).await;
    assert_eq!(verdicts(&bench), [Some(Verdict::Unverified)], "{}", fix_alone.text);
    bench.run("write_fix", fix("            total += cents + 0")).await;
    let early = bench.run("goal_accomplished", json!({"reason": "sure"})).await;
    let lazy =
        bench.run("goal_accomplished", json!({"reason": "sure", "no_test_because": "it is hard"})).await;
    assert!(!early.outcome.advances() && !lazy.outcome.advances());
    insta::assert_snapshot!([fix_alone.text, early.text, lazy.text].join("\n<<< >>>\n"));

    let mut finishing = shows();
    finishing["finish_because"] = json!("every piece counts");
    let seen = bench.run("write_test", finishing).await;
    assert!(
        seen.text.contains(
            "Passing with it: candidate 1, now plausible (the test that reproduces the bug passes, and all "
        ),
        "{}",
        seen.text
    );
    assert!(finishes(&seen), "a candidate passes it");
    assert_eq!(verdicts(&bench), [Some(Verdict::Plausible), Some(Verdict::Failing)]);
    let kept = bench.run("goal_accomplished", json!({"reason": "sure"})).await;
    assert!(kept.outcome.advances() && kept.text.contains("Candidate 1"), "{}", kept.text);
}

#[tokio::test]
async fn candidates_have_to_pass_the_tests_that_stand() {
    let mut bench = told_by_issue().await;
    bench.run("write_test", shows()).await;
    let seen = bench.run("write_fix", fix("            total += cents + 0")).await;
    let parts = ["Still failing: tests.test_many.ManyTest.test_many", "100 != 200"];
    assert!(parts.iter().all(|part| seen.text.contains(part)), "{}", seen.text);
    let seen = bench.run("write_fix", right()).await;
    insta::assert_snapshot!(seen.text);
    assert_eq!(verdicts(&bench), [Some(Verdict::Failing), Some(Verdict::Plausible)]);

    // A test that asks for too much condemns what was plausible, until another takes its place.
    let mut wrong = test("self.assertEqual(cart.total(), 300)");
    wrong["file_path"] = json!("tests/test_more.py");
    let seen = bench.run("write_test", wrong).await;
    for part in ["No candidate passes test 2 (tried: 2)", "+            total += cents * count", "200 != 300"]
    {
        assert!(seen.text.contains(part), "both sides are shown; `{part}` is missing in:\n{}", seen.text);
    }
    assert_eq!(verdicts(&bench)[1], Some(Verdict::Failing));
    let mut better = test("self.assertNotEqual(cart.total(), 100)");
    better["file_path"] = json!("tests/test_more.py");
    better["replaces"] = json!(2);
    let seen = bench.run("write_test", better).await;
    assert_eq!(verdicts(&bench), [Some(Verdict::Failing), Some(Verdict::Plausible)], "{}", seen.text);
    let standing: Vec<u32> = bench.reproductions.standing().map(|test| test.id).collect();
    assert_eq!(standing, [1, 3]);
}

#[tokio::test]
async fn a_test_that_asks_for_the_wrong_does_not_hide_what_the_others_say() {
    let mut bench = told_by_issue().await;
    bench.run("write_test", test("self.fail(\"in any case\")")).await;
    let mut right_test = shows();
    right_test["file_path"] = json!("tests/test_more.py");
    bench.run("write_test", right_test).await;
    let seen = bench.run("write_fix", right()).await;
    assert!(seen.text.contains("AssertionError: in"), "{}", seen.text);
    let mut told = vec![verdict_of(&seen)];
    let outcomes = bench.candidates.all()[0].validation.as_ref().map(|found| found.reproductions.clone());
    let passed: Vec<(u32, bool)> =
        outcomes.into_iter().flatten().map(|outcome| (outcome.test, outcome.passes)).collect();
    assert_eq!(passed, [(1, false), (2, true)]);
    let breaks = fix("            total += cents * count + (count == 1)");
    told.push(verdict_of(&bench.run("write_fix", breaks).await));
    // A fix that repairs nothing fails both.
    told.push(verdict_of(&bench.run("write_fix", fix("            total += cents + count - count")).await));
    insta::assert_snapshot!(told.join("\n<<< >>>\n"));
}

#[tokio::test]
async fn reproduction_is_given_up_after_it_was_tried() {
    let mut bench = told_by_issue().await;
    let early = bench.run("collect_more_information", json!({"reason": "no idea"})).await;
    bench.run("write_test", test("self.assertEqual(cart.total(), 100)")).await;
    let given_up = bench.run("collect_more_information", json!({"reason": "no test can show it"})).await;
    assert_eq!(bench.reproductions.given_up(), Some("no test can show it"));
    bench.run("write_fix", right()).await;
    let kept = bench.run("goal_accomplished", json!({"reason": "it is right"})).await;
    let steps = [early, given_up, kept];
    assert_eq!(steps.each_ref().map(|seen| seen.outcome.advances()), [false, true, true]);
    insta::assert_snapshot!(steps.map(|seen| seen.text).join("\n<<< >>>\n"));
}

#[tokio::test]
async fn where_nobody_can_write_tests_an_unverified_candidate_ends_a_session() {
    let mut bench = told_by_issue().await;
    bench.script.offers_no_tests = true;
    bench.run("write_fix", right()).await;
    let kept = bench.run("goal_accomplished", json!({"reason": "it is right"})).await;
    assert!(kept.outcome.advances(), "{}", kept.text);
}

#[tokio::test]
async fn a_fix_brings_its_test_along() {
    let mut bench = told_by_issue().await;
    let with = |fix: Value, test: &Value| {
        let mut call = fix;
        call["test"] = test["code"].clone();
        call["test_file"] = test["file_path"].clone();
        call["finish_because"] = "every piece counts".into();
        call
    };
    // The test shows nothing: the fix is tried all the same, and the session goes on.
    let seen = bench.run("write_fix", with(right(), &test("self.assertEqual(cart.total(), 100)"))).await;
    for part in ["Test 1 (tests/test_many.py) passes on the original code", "Candidate 1: ", "write_test"] {
        assert!(seen.text.contains(part), "`{part}` is missing in:\n{}", seen.text);
    }
    assert_eq!((&seen.data["test"], finishes(&seen)), (&json!(1), false));
    assert_eq!(verdicts(&bench), [Some(Verdict::Unverified)]);
    // Now it does; the fix before passes it, and this one is the same.
    let seen = bench.run("write_fix", with(fix("            total += cents + count"), &shows())).await;
    for part in [
        "Test 2 (tests/test_many.py) fails on the original code",
        "candidate 1, now plausible (the test that reproduces the bug passes, ",
    ] {
        assert!(seen.text.contains(part), "`{part}` is missing in:\n{}", seen.text);
    }
    assert_eq!(verdicts(&bench), [Some(Verdict::Plausible), Some(Verdict::Failing)]);
    assert!(!finishes(&seen), "it fails");
    // The same test is not written twice.
    let other = json!({"edits": [{"file_path": "shop/cart.py", "modifications": [
        {"line_number": 20, "modified_line": "            total = total + cents * count"}]}]});
    let seen = bench.run("write_fix", with(other, &shows())).await;
    insta::assert_snapshot!("test_again", seen.text);
    assert_eq!((&seen.data["verdict"], finishes(&seen)), (&json!("plausible"), true));
    let tests = bench.script.events.iter().filter(|event| event.starts_with("test "));
    assert!(tests.eq(["test 1 passes", "test 2 fails"]));
    // A fix that repeats a plausible one may end the session as well.
    let seen = bench.run("write_fix", with(right(), &shows())).await;
    assert_eq!((&seen.data["verdict"], finishes(&seen)), (&json!("duplicate"), true));
    // What cannot be a test hinders no fix.
    let bad = json!({"code": "def test_a():\n    assert 0\n", "file_path": "shop/cart.py"});
    let seen = bench.run("write_fix", with(fix("            total += 0"), &bad)).await;
    insta::assert_snapshot!("no_test", verdict_of(&seen));
    assert_eq!(bench.candidates.all().len(), 5);
    // A new file that is written again holds the last text alone.
    let again = test("self.assertEqual(cart.total(), 200, 'two cups')");
    let seen = bench.run("write_fix", with(fix("            total += 1"), &again)).await;
    assert_eq!(seen.data["test"], 3, "{}", seen.text);
    assert_eq!(bench.reproductions.standing().map(|test| test.id).collect::<Vec<_>>(), [3]);
}

#[tokio::test]
async fn failing_tests_that_are_only_supposed_to_show_the_bug_give_way_to_a_written_one() {
    for (supposed, text) in [(true, "The project's own failing tests count no longer"), (false, "Test 1")] {
        let mut bench = Bench::open().await;
        bench.baseline.supposed = supposed;
        assert!(!bench.baseline.failing.is_empty());
        // It repairs what the issue tells of, and not what the failing tests ask for.
        let of_cheap_items = fix("            total += cents * min(count, 2) if cents < 200 else cents");
        bench.run("write_fix", of_cheap_items).await;
        assert_eq!(verdicts(&bench), [Some(Verdict::Failing)]);
        let seen = bench.run("write_test", shows()).await;
        let judged = if supposed { Verdict::Plausible } else { Verdict::Failing };
        assert_eq!(verdicts(&bench), [Some(judged)], "{}", seen.text);
        assert!(seen.text.contains(text), "{}", seen.text);
        let measure = bench.reproductions.measure(&bench.baseline);
        assert_eq!(measure.failing.is_empty(), supposed);
        assert_eq!(measure.known_failing.len() > bench.baseline.known_failing.len(), supposed);
    }
}

#[tokio::test]
async fn a_test_that_none_of_several_candidates_passes_is_shown_beside_the_latest() {
    let mut bench = told_by_issue().await;
    bench.run("write_test", test("self.assertEqual(cart.total(), 300)")).await;
    for text in ["            total += cents + 0", "            total += cents * 4"] {
        let seen = bench.run("write_fix", fix(text)).await;
        assert!(!seen.text.contains("None of"), "{}", seen.text);
    }
    let seen = bench.run("write_fix", right()).await;
    for part in ["None of 3 candidates passes test 1", "`replaces`: 1", "self.assertEqual(cart.total(), 300)"]
    {
        assert!(seen.text.contains(part), "`{part}` is missing in:\n{}", seen.text);
    }
}
