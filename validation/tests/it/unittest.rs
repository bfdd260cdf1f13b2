//! A project with unittest, which every Python has.

use std::time::Duration;

use patchwright_detection::AdapterKind;
use patchwright_protocol::{
    Actionable, Overrides, ReproductionOutcome, ReproductionVerdict, TestId, Verdict,
};
use patchwright_test_results::{Build, TestStatus};
use patchwright_validation::{Optimizations, TestHarnessError, ValidationDepth};

use crate::support::{Fixture, assert_clean, fixture, names, timeout};

const BASKET: &str = "class Basket:
    def __init__(self):
        self.prices = []

    def add(self, price):
        if price < 0:
            raise ValueError('negative price')
        self.prices.append(price)

    def total(self):
        return sum(self.prices[1:])
";
const TESTS: &str = "import unittest

from shop.basket import Basket


class BasketTest(unittest.TestCase):
    def test_total(self):
        basket = Basket()
        basket.add(3)
        basket.add(4)
        self.assertEqual(basket.total(), 7)

    def test_empty(self):
        self.assertEqual(Basket().total(), 0)

    def test_negative(self):
        with self.assertRaises(ValueError):
            Basket().add(-1)

    def test_old_problem(self):
        for number in range(2):
            with self.subTest(number=number):
                self.assertEqual(Basket(), number)

    @unittest.skip('not yet')
    def test_later(self):
        pass
";

async fn shop() -> Fixture {
    fixture(&[
        ("shop/__init__.py", ""),
        ("shop/basket.py", BASKET),
        ("tests/__init__.py", ""),
        ("tests/test_basket.py", TESTS),
        ("tests/other_test.py", "import unittest\n\nclass OtherTest(unittest.TestCase):\n    def test_fine(self):\n        pass\n"),
    ])
    .await
}

/// Of a file that takes long only those tests run with a test that is added to it which ran before.
#[tokio::test]
async fn a_test_in_a_slow_file_is_tried_with_those_tests_that_are_known() {
    let tests = "import time\nimport unittest\nimport shop\n\nclass RateTest(unittest.TestCase):\n    def test_rate(self):\n        \
                 self.assertEqual(shop.RATE, 3)\n    def test_slow(self):\n        time.sleep(600)\n";
    let project = fixture(&[("shop.py", "RATE = 3\n"), ("test_rate.py", tests)]).await;
    let harness = project.harness(&timeout(900)).await;
    let first = [TestId::new("test_rate.RateTest.test_rate")];
    let time = (Duration::from_secs(1), Duration::from_mins(2));
    let known = harness.baseline_of(&[TestId::new("test_rate")], &first, time).await.unwrap().unwrap();
    assert_eq!(known.passing, first);
    let code = "class FourTest(unittest.TestCase):\n    def test_four(self):\n        self.assertEqual(shop.RATE, 4)\n";
    for (code, expect) in
        [(code.to_owned(), vec![]), (format!("shop = None\n\n\n{code}"), vec![first[0].clone()])]
    {
        let test = harness.reproduction_test(1, Some("test_rate.py"), &code).unwrap();
        assert_eq!(harness.disturbed_by(&test, Some(&known)).await.unwrap(), expect);
    }
    harness.close().await.unwrap();
}

/// A test that passes on the original code, taken for one that has failed there once, says nothing of a change.
#[tokio::test]
#[ignore = "long: run by --include-ignored, as CI does"]
async fn a_test_that_failed_by_chance_makes_no_change_plausible() {
    let shop = shop().await;
    let harness = shop.harness(&timeout(20)).await;
    let mut baseline = harness.baseline(&[]).await.unwrap();
    baseline.ignore(&names(&baseline.failing).into_iter().map(str::to_owned).collect::<Vec<_>>());
    let code = |sum: u8| {
        format!(
            "import unittest\n\nfrom shop.basket import Basket\n\n\nclass ByChanceTest(unittest.TestCase):\n    def test_two(self):\n        \
             basket = Basket()\n        basket.add(1)\n        basket.add(2)\n        self.assertIn(basket.total(), (3, {sum}))\n"
        )
    };
    let change = shop.change("shop/basket.py", "self.prices[1:]", "self.prices");
    let (mut both, mut told) = (Vec::new(), Vec::new());
    for (id, sum, expect) in [(1, 3, Verdict::Plausible), (2, 2, Verdict::Unverified)] {
        let mut test = harness.reproduction_test(id, None, &code(sum)).unwrap();
        let run = harness.reproduce(&test, Some(&change), None).await.unwrap();
        test.failing = run.report.outcomes.iter().map(|outcome| outcome.id.clone()).collect();
        both.push(test.clone());
        baseline.reproductions = vec![test];
        let found = harness.validate(&baseline, &change, ValidationDepth::Thorough).await.unwrap();
        assert_eq!(found.verdict, expect, "{found:?}");
        told.push(format!("{expect}: {}", found.message.unwrap_or_default()));
        // The same where the test comes after the change.
        let (run, doubt) =
            harness.reproduce_again(&baseline.reproductions[0], &change, &baseline).await.unwrap();
        assert!(run.passes(&baseline.reproductions[0].failing));
        assert_eq!(doubt.is_some(), expect == Verdict::Unverified, "{doubt:?}");
    }
    // Of both the one that says something counts.
    baseline.reproductions = both;
    let found = harness.validate(&baseline, &change, ValidationDepth::Thorough).await.unwrap();
    assert_eq!(found.verdict, Verdict::Plausible);
    assert_eq!(found.reproductions, [ReproductionOutcome { test: 1, passes: true }]);
    told.push(format!("both: {}", found.message.unwrap_or_default()));
    insta::assert_snapshot!(told.join("\n"));
    harness.close().await.unwrap();
}

/// A test that draws its examples passes now and then without any change, too.
#[tokio::test]
async fn a_test_that_fails_now_and_then_without_the_change_and_never_with_it_says_something() {
    let shop = shop().await;
    let counter = tempfile::tempdir().unwrap();
    let env = [("COUNTER".to_owned(), counter.path().to_str().unwrap().to_owned())].into();
    let harness = shop.harness(&Overrides { env: Some(env), ..timeout(20) }).await;
    let mut baseline = harness.baseline(&[]).await.unwrap();
    baseline.ignore(&names(&baseline.failing).into_iter().map(str::to_owned).collect::<Vec<_>>());
    // Every other run without the change passes, the first among them.
    let code = "import os\nimport unittest\n\nfrom shop.basket import Basket\n\n\nclass DrawnTest(unittest.TestCase):\n    def test_two(self):\n        \
                basket = Basket()\n        basket.add(1)\n        basket.add(2)\n        if basket.total() != 3:\n            \
                with open(os.environ['COUNTER'] + '/runs', 'a+') as runs:\n                runs.write('x')\n                runs.seek(0)\n                \
                self.assertEqual(len(runs.read()) % 2, 1)\n";
    let change = shop.change("shop/basket.py", "self.prices[1:]", "self.prices");
    let mut test = harness.reproduction_test(1, None, code).unwrap();
    let run = harness.reproduce(&test, Some(&change), None).await.unwrap();
    test.failing = run.report.outcomes.iter().map(|outcome| outcome.id.clone()).collect();
    baseline.reproductions = vec![test];
    let found = harness.validate(&baseline, &change, ValidationDepth::Thorough).await.unwrap();
    assert_eq!(found.verdict, Verdict::Plausible, "{found:?}");
    assert_eq!(std::fs::read_to_string(counter.path().join("runs")).unwrap().len(), 8);
}

/// A test that tells a comment from none reads the text of the code.
#[tokio::test]
async fn a_change_of_comments_is_never_plausible_by_a_written_test() {
    let shop = shop().await;
    let harness = shop.harness(&timeout(20)).await;
    let mut baseline = harness.baseline(&[]).await.unwrap();
    baseline.ignore(&names(&baseline.failing).into_iter().map(str::to_owned).collect::<Vec<_>>());
    let code = "import inspect\nimport unittest\n\nfrom shop.basket import Basket\n\n\nclass TextTest(unittest.TestCase):\n    \
                def test_text(self):\n        self.assertIn('all prices', inspect.getsource(Basket))\n";
    let mut test = harness.reproduction_test(1, None, code).unwrap();
    let run = harness.reproduce(&test, None, None).await.unwrap();
    test.failing = run.report.outcomes.iter().map(|outcome| outcome.id.clone()).collect();
    baseline.reproductions = vec![test];
    for (new, expect) in [
        ("self.prices[1:])  # all prices", Verdict::Unverified),
        ("self.prices)  # all prices", Verdict::Plausible),
    ] {
        let change = shop.change("shop/basket.py", "self.prices[1:])", new);
        let found = harness.validate(&baseline, &change, ValidationDepth::Thorough).await.unwrap();
        assert_eq!(found.verdict, expect, "{found:?}");
        let told = found.message.is_some_and(|text| text.starts_with("only comments"));
        assert_eq!(told, expect == Verdict::Unverified);
    }
    harness.close().await.unwrap();
}

/// What ends the run, and what is not there, is no test that fails.
#[tokio::test]
async fn a_test_that_interrupts_the_run_or_is_not_there_shows_nothing() {
    let shop = shop().await;
    let harness = shop.harness(&timeout(20)).await;
    for (id, marked, body, why) in [
        (1, "", "raise KeyboardInterrupt", "the run ended while this test was running"),
        (2, "", "raise SystemExit(3)", "SystemExit: 3"),
        (3, "@unittest.expectedFailure", "pass", "it was expected to fail and passed"),
    ] {
        let code = format!(
            "import unittest\n\n\nclass EndTest(unittest.TestCase):\n    {marked}\n    def test_end(self):\n        {body}\n"
        );
        let test = harness.reproduction_test(id, None, &code).unwrap();
        let run = harness.reproduce(&test, None, None).await.unwrap();
        assert_eq!(run.verdict("The total is wrong."), ReproductionVerdict::DoesNotRun, "{body}");
        assert_eq!(run.failure().as_deref(), Some(why));
    }
    for name in ["tests.test_basket.BasketTest.test_nowhere", "nowhere.BasketTest"] {
        assert!(harness.named_alone(&[name.to_owned()], None).await.unwrap().is_none(), "{name}");
    }
    assert!(harness.named_alone(&[TOTAL.to_owned()], None).await.unwrap().is_some());
    harness.close().await.unwrap();
}

/// Of a candidate that repairs a part it matters whether it breaks something else.
#[tokio::test]
async fn what_repairs_a_part_meets_the_other_tests() {
    let shop = shop().await;
    let harness = shop.harness(&timeout(20)).await;
    let baseline = harness.baseline(&[]).await.unwrap();
    let change = shop.change("shop/basket.py", "self.prices[1:]", "self.prices or [1]");
    let found = harness.validate(&baseline, &change, ValidationDepth::Thorough).await.unwrap();
    assert_eq!(found.verdict, Verdict::Failing);
    assert_eq!(names(&found.still_failing), ["tests.test_basket.BasketTest.test_old_problem"]);
    assert_eq!(names(&found.newly_failing), ["tests.test_basket.BasketTest.test_empty"]);
    assert!(found.others_ran(&baseline));
    harness.close().await.unwrap();
}

const TOTAL: &str = "tests.test_basket.BasketTest.test_total";

#[tokio::test]
async fn every_verdict() {
    let shop = shop().await;
    let harness = shop.harness(&timeout(20)).await;
    assert_eq!(harness.spec().kind, AdapterKind::Unittest);
    let baseline = harness.baseline(&["BasketTest.test_total".to_owned()]).await.unwrap();
    assert_eq!(names(&baseline.failing), [TOTAL]);
    assert_eq!(names(&baseline.known_failing), ["tests.test_basket.BasketTest.test_old_problem"]);
    assert_eq!(
        names(&baseline.passing),
        [
            "tests.other_test.OtherTest.test_fine",
            "tests.test_basket.BasketTest.test_empty",
            "tests.test_basket.BasketTest.test_negative"
        ]
    );
    assert_eq!((baseline.report.build.clone(), baseline.report.skipped()), (Build::NotNeeded, 1));
    assert!(baseline.flaky.is_empty());
    assert_eq!(baseline.limit.as_secs(), 20, "never more than the limit of the project");
    let total = baseline.report.outcome(&TestId::new(TOTAL)).unwrap();
    assert_eq!(
        (total.status, total.message.as_deref()),
        (TestStatus::Failed, Some("AssertionError: 4 != 7"))
    );
    assert_eq!(
        total.trace.as_deref().unwrap().replace("    ~~~~~~~~~~~~~~~~^^^^^^^^^^^^^^^^^^^\n", ""),
        "Traceback (most recent call last):\n  File \"tests/test_basket.py\", line 11, in test_total\n    \
         self.assertEqual(basket.total(), 7)\nAssertionError: 4 != 7"
    );
    assert_clean(&baseline.report, &shop);

    let fix = shop.change("shop/basket.py", "self.prices[1:]", "self.prices");
    let found = harness.validate(&baseline, &fix, ValidationDepth::Thorough).await.unwrap();
    assert_eq!(
        (found.verdict, found.still_failing, found.newly_failing),
        (Verdict::Plausible, vec![], vec![])
    );
    assert_eq!(found.report.passed(), 4);

    let nothing = shop.change("shop/basket.py", "'negative price'", "'a negative price'");
    let found = harness.validate(&baseline, &nothing, ValidationDepth::Thorough).await.unwrap();
    assert_eq!((found.verdict, names(&found.still_failing)), (Verdict::Failing, vec![TOTAL]));
    assert_eq!(found.report.outcomes.len(), 1, "only the failing test was run");

    let breaks = shop.change("shop/basket.py", "self.prices[1:]", "self.prices or [1]");
    let found = harness.validate(&baseline, &breaks, ValidationDepth::Thorough).await.unwrap();
    assert_eq!(found.verdict, Verdict::Failing);
    assert!(found.still_failing.is_empty());
    assert_eq!(names(&found.newly_failing), ["tests.test_basket.BasketTest.test_empty"]);

    let damaged = shop.change("shop/basket.py", "def total(self):", "def total(self:");
    let found = harness.validate(&baseline, &damaged, ValidationDepth::Thorough).await.unwrap();
    assert_eq!(found.verdict, Verdict::DoesNotCompile);
    let text = found.report.render(4000);
    assert!(text.starts_with("The build failed with 1 error.\n\nshop/basket.py:10: SyntaxError: "), "{text}");
    assert!(text.contains("    def total(self:\n"), "{text}");

    let stale = shop.change("shop/basket.py", "self.prices[1:]", "self.prices");
    let mut stale = stale.clone();
    stale.files[0].before = Some(b"something else".to_vec());
    assert_eq!(
        harness.validate(&baseline, &stale, ValidationDepth::Thorough).await.unwrap().verdict,
        Verdict::DoesNotApply
    );
    assert_eq!(std::fs::read_to_string(shop.source.path().join("shop/basket.py")).unwrap(), BASKET);
    harness.close().await.unwrap();
    assert_eq!(std::fs::read_dir(shop.work.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn a_candidate_that_hangs() {
    let shop = shop().await;
    let harness = shop.harness(&timeout(8)).await;
    let baseline = harness.baseline(&[TOTAL.to_owned()]).await.unwrap();
    let endless = shop.change("shop/basket.py", "return sum", "while True: pass\n        return sum");
    let found = harness.validate(&baseline, &endless, ValidationDepth::Thorough).await.unwrap();
    assert_eq!((found.verdict, names(&found.still_failing)), (Verdict::TimedOut, vec![TOTAL]));
    assert_eq!(found.report.interrupted_in, Some(TestId::new(TOTAL)));
    let text = found.report.render(4000);
    assert!(
        text.contains(&format!("The run was ended at its time limit while `{TOTAL}` was running.")),
        "{text}"
    );
}

#[tokio::test]
async fn what_is_wrong_with_the_names_given() {
    let shop = shop().await;
    let harness = shop.harness(&timeout(60)).await;
    let error = harness.baseline(&["test_totall".to_owned()]).await.unwrap_err();
    assert!(
        matches!(&error, TestHarnessError::GivenTestUnknown { nearest, known: 6, .. } if names(nearest) == [TOTAL]),
        "{error}"
    );
    let error = harness.baseline(&["test_empty".to_owned(), TOTAL.to_owned()]).await.unwrap_err();
    assert!(matches!(error, TestHarnessError::GivenTestPasses { .. }), "{error}");
    assert!(error.hint().unwrap().contains("--failing"));
    let all = harness.baseline(&[]).await.unwrap();
    assert_eq!((all.failing.len(), all.known_failing.len()), (2, 0));
}

/// A doctest has the name of the code that it stands in, which unittest would call instead of running it.
#[tokio::test]
async fn doctests_are_run_by_their_names() {
    let code = "def half(x):\n    \"\"\"\n    >>> half(4)\n    2\n    \"\"\"\n    return x // 3\n";
    let tests = "import doctest\nimport unittest\n\nimport shop\n\n\nclass HalfTest(unittest.TestCase):\n    def test_half(self):\n        \
                 self.assertEqual(shop.half(6), 3)\n\n\ndef load_tests(loader, tests, ignore):\n    tests.addTests(doctest.DocTestSuite(shop))\n    return tests\n";
    let project = fixture(&[("shop.py", code), ("test_shop.py", tests)]).await;
    let harness = project.harness(&timeout(60)).await;
    let baseline = harness.baseline(&[]).await.unwrap();
    assert_eq!(names(&baseline.failing), ["shop.half", "test_shop.HalfTest.test_half"]);
    assert!(!baseline.order_matters, "each fails alike without the other: {:?}", baseline.notes);
    let fix = project.change("shop.py", "// 3", "// 2");
    let found = harness.validate(&baseline, &fix, ValidationDepth::Thorough).await.unwrap();
    assert_eq!(found.verdict, Verdict::Plausible);
    let one = harness.baseline(&["shop.half".to_owned()]).await.unwrap();
    assert_eq!(names(&one.failing), ["shop.half"]);
}

#[tokio::test]
async fn modules_and_classes_that_fail_as_a_whole() {
    let project = fixture(&[
        ("shop.py", "RATE = 3\n"),
        ("tests/test_rate.py", "import unittest\nfrom shop import TAX\n\nclass RateTest(unittest.TestCase):\n    def test_tax(self):\n        self.assertEqual(TAX, 3)\n"),
        ("tests/test_class.py", "import unittest\nimport shop\n\nclass ClassTest(unittest.TestCase):\n    @classmethod\n    def setUpClass(cls):\n        if shop.RATE != 4: raise RuntimeError('no rate')\n    def test_it(self):\n        pass\n"),
    ])
    .await;
    let harness = project.harness(&timeout(60)).await;
    let baseline = harness.baseline(&["tests/test_rate.py".to_owned()]).await.unwrap();
    assert_eq!(names(&baseline.failing), ["test_rate"]);
    assert_eq!(names(&baseline.known_failing), ["test_class.ClassTest"]);
    let trace = baseline.report.outcomes[1].trace.as_deref().unwrap();
    assert!(
        trace.contains("File \"tests/test_rate.py\", line 2") && !trace.contains("unittest/loader"),
        "{trace}"
    );
    let half = project.change("shop.py", "RATE = 3", "RATE = 3\nTAX = 2");
    let found = harness.validate(&baseline, &half, ValidationDepth::Thorough).await.unwrap();
    assert_eq!((found.verdict, names(&found.still_failing)), (Verdict::Failing, vec!["test_rate"]));
    let fix = project.change("shop.py", "RATE = 3", "RATE = TAX = 3");
    assert_eq!(
        harness.validate(&baseline, &fix, ValidationDepth::Thorough).await.unwrap().verdict,
        Verdict::Plausible
    );
}

#[tokio::test]
#[ignore = "long: run by --include-ignored, as CI does"]
async fn of_a_suite_that_reaches_its_limit_those_tests_count_that_had_ended() {
    let tests = "import unittest\nimport shop\n\nclass RateTest(unittest.TestCase):\n    def test_rate(self):\n        self.assertEqual(shop.RATE, 4)\n    \
                 def test_sign(self):\n        self.assertGreater(shop.RATE, 0)\n";
    // No single test takes so long that it is ended for that.
    let slow = (0..10).fold(String::new(), |tests, number| {
        tests + &format!("    def test_{number}(self):\n        time.sleep(5)\n")
    });
    let slow = format!("import time, unittest\n\nclass SlowTest(unittest.TestCase):\n{slow}");
    let files = [("shop.py", "RATE = 3\n"), ("test_rate.py", tests), ("test_slow.py", &slow)];
    let project = fixture(&files).await;
    let env = [("PATCHWRIGHT_TEST_SECONDS".to_owned(), "600".to_owned())].into();
    let harness = project.harness(&Overrides { env: Some(env), ..timeout(15) }).await;
    let baseline = harness.baseline(&[]).await.unwrap();
    assert_eq!(names(&baseline.failing), ["test_rate.RateTest.test_rate"]);
    assert_eq!((names(&baseline.nearest), baseline.all_tests), (vec!["test_rate"], Some(12)));
    let fix = project.change("shop.py", "3", "4");
    let found = harness.validate(&baseline, &fix, ValidationDepth::Thorough).await.unwrap();
    assert_eq!(found.verdict, Verdict::Plausible);
    insta::assert_snapshot!(found.result(&baseline).summary(0));
    let wrong = project.change("shop.py", "3", "-4");
    let found = harness.validate(&baseline, &wrong, ValidationDepth::Thorough).await.unwrap();
    assert_eq!(found.verdict, Verdict::Failing);
    // A test that is named and had not ended is run by itself.
    let given = harness.baseline(&["test_rate.RateTest.test_rate".to_owned()]).await.unwrap();
    assert_eq!((names(&given.failing), given.passing.len()), (vec!["test_rate.RateTest.test_rate"], 1));
}

#[tokio::test]
async fn a_hang_can_be_the_bug() {
    // Python hears no signal within a call of C.
    let count = "def up_to(number):\n    found = []\n    while number != 0:\n        any(iter(int, 1))\n    return found\n";
    let project = fixture(&[
        ("count.py", count),
        ("test_count.py", "import unittest\nfrom count import up_to\n\nclass CountTest(unittest.TestCase):\n    def test_a_three(self):\n        self.assertEqual(up_to(3), [3, 2, 1])\n    def test_b_none(self):\n        self.assertEqual(up_to(0), [])\n"),
    ])
    .await;
    let harness = project.harness(&timeout(4)).await;
    let error = harness.baseline(&[]).await.unwrap_err();
    let running = TestId::new("test_count.CountTest.test_a_three");
    assert!(
        matches!(&error, TestHarnessError::TimedOut { running: Some(test), limit, .. } if *test == running && limit.as_secs() == 4),
        "{error}"
    );
    assert!(error.hint().unwrap().contains("--timeout"));

    let baseline = harness.baseline(&["test_a_three".to_owned()]).await.unwrap();
    assert_eq!(names(&baseline.failing), ["test_count.CountTest.test_a_three"]);
    assert_eq!(names(&baseline.passing), ["test_count.CountTest.test_b_none"]);
    insta::assert_snapshot!(baseline.notes.join("\n"));
    let fix = project.change("count.py", "any(iter(int, 1))", "found.append(number); number -= 1");
    assert_eq!(
        harness.validate(&baseline, &fix, ValidationDepth::Thorough).await.unwrap().verdict,
        Verdict::Plausible
    );
}

/// Tests that compute for ever, wait for ever, and end the whole run, among many quick ones, which tell what a test may take.
const ENDLESS: &str = "import os, threading, unittest
from shop import total

class EndlessTest(unittest.TestCase):
    def test_computing(self):
        while True: pass
    def test_exit(self):
        os._exit(3)
    def test_total(self):
        self.assertEqual(total([1, 2]), 3)
    def test_waiting(self):
        lock = threading.Lock()
        with lock, lock: pass

for number in range(70):
    setattr(EndlessTest, 'test_a_%02d' % number, lambda self: None)
";

#[tokio::test]
#[ignore = "long: run by --include-ignored, as CI does"]
async fn tests_that_do_not_end_or_end_the_run_cost_little() {
    let project = fixture(&[
        ("shop.py", "def total(prices):\n    return sum(prices[1:])\n"),
        ("test_endless.py", ENDLESS),
    ])
    .await;
    let env = [("PATCHWRIGHT_TEST_SECONDS".to_owned(), "1".to_owned())].into();
    let harness = project.harness(&Overrides { env: Some(env), ..timeout(60) }).await;
    let baseline = harness.baseline(&["test_total".to_owned()]).await.unwrap();
    let [computing, exit, total, waiting] =
        ["computing", "exit", "total", "waiting"].map(|name| format!("test_endless.EndlessTest.test_{name}"));
    assert_eq!(names(&baseline.failing), [total.as_str()]);
    let endless = [computing.as_str(), exit.as_str(), waiting.as_str()];
    assert_eq!(
        (names(&baseline.known_failing), names(&baseline.left_out)),
        (endless.to_vec(), endless.to_vec())
    );
    assert_eq!(baseline.passing.len(), 70);
    assert!(!baseline.order_matters && baseline.runs_all());
    insta::assert_snapshot!("endless", baseline.notes.join("\n"));
    let message = |test: &str| baseline.report.outcome(&TestId::new(test)).unwrap().message.clone().unwrap();
    assert_eq!(message(&waiting), "patchwright_limit.Overdue: the test does not end");
    // The whole run broke off once; nothing that does not end was run to its limit but in the two whole runs.
    let fix = project.change("shop.py", "prices[1:]", "prices");
    let found = harness.validate(&baseline, &fix, ValidationDepth::Thorough).await.unwrap();
    assert_eq!((found.verdict, names(&found.newly_failing)), (Verdict::Plausible, vec![]));

    // What ends the run can be the bug.
    let baseline = harness.baseline(std::slice::from_ref(&exit)).await.unwrap();
    assert_eq!(names(&baseline.failing), [exit.as_str()]);
    // Where nothing is given neither that nor what does not end is it, as long as others fail.
    let baseline = harness.baseline(&[]).await.unwrap();
    assert_eq!(
        (names(&baseline.failing), names(&baseline.left_out)),
        (vec![total.as_str()], endless.to_vec())
    );
}

/// A test that hears no alarm, and a thread that outlives all tests.
const DEAF: &str = "import signal, threading, time, unittest
from shop import total

threading.Thread(target=time.sleep, args=(1000,)).start()

class DeafTest(unittest.TestCase):
    def test_deaf(self):
        for alarm in (signal.SIGALRM, signal.SIGVTALRM):
            signal.signal(alarm, signal.SIG_IGN)
        while True: pass
    def test_total(self):
        self.assertEqual(total([1, 2]), 3)

for number in range(70):
    setattr(DeafTest, 'test_a_%02d' % number, lambda self: None)
";

#[tokio::test]
#[ignore = "long: run by --include-ignored, as CI does"]
async fn what_hears_of_no_limit_ends_all_the_same() {
    let shop = ("shop.py", "def total(prices):\n    return sum(prices[1:])\n");
    let project = fixture(&[shop, ("test_deaf.py", DEAF)]).await;
    let env = [("PATCHWRIGHT_TEST_SECONDS".to_owned(), "1".to_owned())].into();
    let harness = project.harness(&Overrides { env: Some(env), ..timeout(15) }).await;
    let baseline = harness.baseline(&[]).await.unwrap();
    assert_eq!(names(&baseline.failing), ["test_deaf.DeafTest.test_total"]);
    assert_eq!(names(&baseline.left_out), ["test_deaf.DeafTest.test_deaf"]);
    insta::assert_snapshot!(baseline.notes.join("\n"));
    assert_eq!(baseline.passing.len(), 70);
    let fix = project.change("shop.py", "prices[1:]", "prices");
    assert_eq!(
        harness.validate(&baseline, &fix, ValidationDepth::Thorough).await.unwrap().verdict,
        Verdict::Plausible
    );
}

#[tokio::test]
async fn tests_that_are_not_sure_of_themselves() {
    tests_that_fail_once(false).await;
    tests_that_fail_once(true).await;
}

/// One test fails in its first run, the other in its second, after the baseline.
async fn tests_that_fail_once(warm: bool) {
    let counter = "import os\n\ndef again(name):\n    path = os.path.join(os.environ['COUNTERS'], name)\n    count = len(open(path).read()) if os.path.exists(path) else 0\n    open(path, 'a').write('x')\n    return count\n";
    let tests = "import unittest\nfrom counter import again\nfrom shop import RATE\n\nclass FlakyTest(unittest.TestCase):\n    def test_fails_first(self):\n        self.assertGreater(again('first'), 0)\n    def test_fails_later(self):\n        self.assertNotEqual(again('third'), 1)\n    def test_bug(self):\n        self.assertEqual(RATE, 4)\n";
    let project =
        fixture(&[("counter.py", counter), ("shop.py", "RATE = 3\n"), ("test_flaky.py", tests)]).await;
    let counters = tempfile::tempdir().unwrap();
    let env = [("COUNTERS".to_owned(), counters.path().to_str().unwrap().to_owned())].into();
    let optimizations = Optimizations { persistent_workers: warm, ..Optimizations::default() };
    let harness =
        project.harness(&Overrides { env: Some(env), ..timeout(60) }).await.with_optimizations(optimizations);
    let baseline = harness.baseline(&[]).await.unwrap();
    assert_eq!(names(&baseline.flaky), ["test_flaky.FlakyTest.test_fails_first"]);
    assert_eq!(names(&baseline.failing), ["test_flaky.FlakyTest.test_bug"]);
    insta::assert_snapshot!("fails_once", baseline.notes.join("\n"));
    let fix = project.change("shop.py", "3", "4");
    let found = harness.validate(&baseline, &fix, ValidationDepth::Thorough).await.unwrap();
    assert_eq!(
        (found.verdict, names(&found.flaky)),
        (Verdict::Plausible, vec!["test_flaky.FlakyTest.test_fails_later"])
    );
}

#[tokio::test]
async fn the_same_result_gives_the_same_bytes() {
    let project = fixture(&[(
        "test_noise.py",
        "import os, tempfile, time, unittest\n\nclass Thing: pass\n\nclass NoiseTest(unittest.TestCase):\n    def test_noise(self):\n        print(object(), time.time() and '', tempfile.mkdtemp(), os.getcwd())\n        self.fail([Thing(), tempfile.mkdtemp(), 0.5, time.strftime('%Y-%m-%d %H:%M:%S')])\n",
    )])
    .await;
    let harness = project.harness(&timeout(60)).await;
    let first = harness.run_tests(None, None).await.unwrap();
    let second = harness.run_tests(Some(&first.failing()), None).await.unwrap();
    assert_eq!(first.render(8000), second.render(8000));
    assert_eq!(first.log, second.log);
    assert!(first.render(8000).contains("object at 0x…>, '<tmp>', 0.5, '<date>']"), "{}", first.render(8000));
    assert_clean(&first, &project);
}
