//! `write_fix` from edits to verdict, its variants, and `goal_accomplished`.

use patchwright_protocol::Verdict;
use patchwright_tools::Observation;
use serde_json::{Value, json};

use crate::bench::{Bench, content};

fn line(path: &str, number: u32, text: &str) -> Value {
    json!({"edits": [{"file_path": path, "modifications": [{"line_number": number, "modified_line": text}]}]})
}

fn right() -> Value {
    line("shop/cart.py", 20, "            total += cents * count")
}

/// Runs a fix; the verdict of the last candidate, and what the model reads.
async fn verdict(bench: &mut Bench, fix: Value) -> (Verdict, String) {
    let pristine = content(bench.harness.project().root());
    let seen = bench.run("write_fix", fix).await;
    assert_eq!(content(bench.harness.project().root()), pristine, "nothing is left in the pristine copy");
    assert!(seen.outcome.advances(), "whatever the verdict");
    (bench.candidates.all().last().unwrap().verdict().unwrap(), seen.text)
}

#[tokio::test]
async fn every_verdict_is_told() {
    let mut bench = Bench::open().await;
    bench.settings.variants = 0;
    let source = content(&bench.root);
    let check = async |bench: &mut Bench, fix: Value, expect: Verdict, parts: &[&str]| {
        let (verdict, text) = verdict(bench, fix).await;
        assert_eq!(verdict, expect, "{text}");
        for part in parts {
            assert!(text.contains(part), "`{part}` is missing in:\n{text}");
        }
    };
    let untested = bench.run("goal_accomplished", json!({"reason": "sure"})).await;

    check(
        &mut bench,
        line("shop/cart.py", 20, "            total += count"),
        Verdict::Failing,
        &[
            "Candidate 1: failing (2 tests that show the bug still fail, the other tests were not run).\n",
            "-            total += cents\n+            total += count\n",
            "Still failing: tests.test_cart.CartTest.test_tax_of_several, tests.test_cart.CartTest.test_total_counts_items\n",
            "AssertionError: 3 != 600",
        ],
    )
    .await;
    let failing = bench.run("goal_accomplished", json!({"reason": "sure"})).await;
    assert!(!untested.outcome.advances() && !failing.outcome.advances());
    insta::assert_snapshot!("too_early", [untested.text, failing.text].join("\n"));

    check(
        &mut bench,
        line("shop/cart.py", 20, "            total += count  # the count"),
        Verdict::Duplicate,
        &[
            "Candidate 2: duplicate of candidate 1.\n",
            "The same change was tried as candidate 1, with this verdict: failing (2 tests",
        ],
    )
    .await;
    check(
        &mut bench,
        line("shop/cart.py", 20, "            total += (cents * count"),
        Verdict::DoesNotApply,
        &[
            "Candidate 3: does not apply.\n",
            "The fix would break the syntax of `shop/cart.py`",
            "Nothing was tested.",
        ],
    )
    .await;
    check(
        &mut bench,
        line("shop/cart.py", 99, "x = 1"),
        Verdict::DoesNotApply,
        &["`shop/cart.py` has 36 lines"],
    )
    .await;
    check(
        &mut bench,
        line("tests/test_cart.py", 12, "        pass"),
        Verdict::DoesNotApply,
        &["`tests/test_cart.py` may not be changed"],
    )
    .await;
    check(&mut bench, line("../secret.py", 1, "x = 1"), Verdict::DoesNotApply, &["outside of the project"])
        .await;
    check(
        &mut bench,
        line("shop/cart.py", 20, "            total += cents"),
        Verdict::NoChange,
        &["changes nothing"],
    )
    .await;
    check(
        &mut bench,
        line("shop/cart.py", 20, "            total += cents  # sum"),
        Verdict::Failing,
        &["Note: only comments, docstrings or formatting change"],
    )
    .await;
    check(&mut bench, json!({"edits": []}), Verdict::NoChange, &["changes nothing"]).await;
    check(
        &mut bench,
        line("shop/pricing.py", 3, "RATE = 21"),
        Verdict::Failing,
        &["-RATE = 20\n+RATE = 21\n"],
    )
    .await;
    check(
        &mut bench,
        right(),
        Verdict::Plausible,
        &[
            "Candidate 11: plausible (both tests that failed pass, and all ",
            "+            total += cents * count\n",
            "finish with goal_accomplished",
        ],
    )
    .await;
    check(
        &mut bench,
        line("shop/cart.py", 20, "            total += cents*count  # of this line"),
        Verdict::Duplicate,
        &[
            "Candidate 12: duplicate of candidate 11.\n",
            "nothing speaks against it: candidate 11 is plausible (both tests that failed pass, and all ",
        ],
    )
    .await;
    let done = bench.run("goal_accomplished", json!({"reason": "every item is counted"})).await;
    assert!(done.outcome.advances());
    assert_eq!(done.data, json!({"candidate": 11, "reason": "every item is counted"}));
    assert_eq!(content(&bench.root), source, "the user's checkout is untouched");
    let expect: Vec<String> = bench
        .candidates
        .all()
        .iter()
        .flat_map(|one| {
            let verdict = serde_json::to_value(one.verdict()).unwrap();
            [format!("candidate {}", one.id()), format!("verdict {} {}", one.id(), verdict.as_str().unwrap())]
        })
        .collect();
    assert_eq!(bench.script.events, expect);
}

#[tokio::test]
async fn line_ends_survive_a_fix() {
    let mut bench = Bench::open().await;
    bench.settings.variants = 0;
    verdict(&mut bench, line("shop/pricing.py", 3, "RATE = 25")).await;
    let edits = bench.candidates.all()[0].edits.clone();
    let applied = patchwright_edits::apply(bench.harness.project(), &edits, &bench.harness.rules()).unwrap();
    let after = applied.files[0].after.clone().unwrap();
    let original = std::fs::read(bench.root.join("shop/pricing.py")).unwrap();
    assert_eq!(
        String::from_utf8(after).unwrap(),
        String::from_utf8(original).unwrap().replace("RATE = 20", "RATE = 25")
    );
}

fn edits_of(fixes: &[Value]) -> String {
    let list: Vec<&Value> = fixes.iter().map(|fix| &fix["edits"]).collect();
    serde_json::to_string_pretty(&list).unwrap()
}

#[tokio::test]
async fn variants_are_tried_up_to_the_first_plausible_one() {
    let mut bench = Bench::open().await;
    let wrong = line("shop/cart.py", 20, "            total += cents + count");
    bench.script.variants.push_back(edits_of(&[
        line("shop/cart.py", 20, "            total += count"),
        wrong.clone(),
        line("tests/test_cart.py", 1, "import sys"),
        right(),
        line("shop/cart.py", 20, "            total += 0"),
    ]));
    let seen = bench.run("write_fix", wrong).await;
    let verdicts: Vec<Verdict> = bench.candidates.all().iter().map(|one| one.verdict().unwrap()).collect();
    assert_eq!(
        verdicts,
        [Verdict::Failing, Verdict::Failing, Verdict::Duplicate, Verdict::DoesNotApply, Verdict::Plausible],
        "{}",
        seen.text
    );
    let (basis, count) = &bench.script.bases[0];
    assert_eq!(*count, 30);
    assert!(basis.diff.lines().any(|line| line == "+            total += cents + count"), "{}", basis.diff);
    assert_eq!(basis.original[0].path, "shop/cart.py");
    assert_eq!(basis.original[0].lines.first().unwrap().0, 10);
    assert_eq!(basis.original[0].lines.last().unwrap().0, 30);
    for part in [
        "\nVariants of candidate 1: 4 tried, 1 left untried.\n",
        "The best is candidate 5: plausible (both tests that failed pass, and all ",
        "+            total += cents * count\n",
        "The other variants: candidate 2: failing (2 tests that show the bug still fail, the other tests were not run); \
         candidate 4: does not apply; candidate 3: duplicate.\n",
    ] {
        assert!(seen.text.contains(part), "`{part}` is missing in:\n{}", seen.text);
    }
    assert_eq!((&seen.data["best"], &seen.data["plausible"]), (&json!(5), &json!(5)));
    assert_eq!(bench.candidates.plausible().unwrap().id(), 5);
}

#[tokio::test]
async fn the_best_of_failing_variants_is_shown_and_the_budget_holds() {
    let mut bench = Bench::open().await;
    bench.script.variants.push_back(edits_of(&[
        line("shop/cart.py", 20, "            total += cents if count == 1 else 500"),
        line("shop/cart.py", 20, "            total += count"),
        right(),
    ]));
    bench.script.allowance = Some(3);
    let seen = bench.run("write_fix", line("shop/cart.py", 20, "            total += cents + count")).await;
    for part in [
        "\nVariants of candidate 1: 2 tried, 1 left untried for want of budget.\n",
        "The best is candidate 2: failing (1 test that shows the bug still fails, no other test newly fails, ",
        "+            total += cents if count == 1 else 500\n",
        "The other variants: candidate 3: failing (2 tests that show the bug still fail, the other tests were not run).\n",
    ] {
        assert!(seen.text.contains(part), "`{part}` is missing in:\n{}", seen.text);
    }
    assert_eq!(bench.candidates.best().unwrap().id(), 2);
    assert_eq!(bench.candidates.plausible(), None);
}

#[tokio::test]
async fn variants_that_were_cut_off_are_never_tried() {
    let mut bench = Bench::open().await;
    let whole = edits_of(&[line("shop/cart.py", 20, "            total += count"), right()]);
    bench.script.variants.push_back(whole[..whole.find("* count").unwrap()].to_owned());
    let told =
        |seen: &Observation| seen.text.lines().find(|line| line.starts_with("Variants")).unwrap().to_owned();
    let seen = bench.run("write_fix", line("shop/cart.py", 20, "            total += cents + count")).await;
    let damaged = told(&seen);
    assert_eq!(bench.candidates.all().len(), 2);

    bench.script.variants.push_back("I have no further idea.".to_owned());
    let seen = bench.run("write_fix", line("shop/cart.py", 20, "            total += cents + 7")).await;
    insta::assert_snapshot!([damaged, told(&seen)].join("\n"));
}

#[tokio::test]
async fn variants_are_asked_for_only_when_a_fix_failed_by_little() {
    let mut bench = Bench::open().await;
    let table = [
        // No test of the project can be imported any more.
        (line("shop/cart.py", 1, "raise SystemError('no')"), false),
        // Another message than before.
        (line("shop/cart.py", 20, "            total += cents + 1"), true),
        // No effect on the failing tests, and nothing else broken.
        (line("shop/cart.py", 36, "    return Cart() or None"), true),
        (right(), false),
    ];
    for (fix, asked) in table {
        let before = bench.script.bases.len();
        let seen = bench.run("write_fix", fix).await;
        assert_eq!(bench.script.bases.len() - before, usize::from(asked), "{}", seen.text);
    }
    bench.settings.variants = 0;
    bench.run("write_fix", line("shop/cart.py", 20, "            total += cents + 2")).await;
    assert_eq!(bench.script.bases.len(), 2, "0 turns variants off");
}

#[tokio::test]
async fn where_all_tests_take_long_their_last_run_is_left_to_the_loop() {
    let mut bench = Bench::open().await;
    bench.settings.variants = 0;
    bench.baseline.report.seconds = 60.0;
    let seen = bench.run("write_fix", right()).await;
    insta::assert_snapshot!(seen.text);
    assert_eq!(bench.candidates.get(1).unwrap().verdict(), None);
    bench.confirm().await;
    assert_eq!(bench.candidates.get(1).unwrap().verdict(), Some(Verdict::Plausible));
}
