//! Candidates that are judged by a warm worker.

use std::process::Command;
use std::time::Duration;

use patchwright_edits::Applied;
use patchwright_fault_localization::Formula;
use patchwright_protocol::{Overrides, Verdict};
use patchwright_sandbox::RequestedSandbox;
use patchwright_validation::{
    Baseline, CoverageScope, Optimizations, TestHarness, Validation, ValidationDepth,
};

use crate::support::{
    Fixture, assert_clean, assert_judged_by_workers, fixture, fixture_in, names, processes_in, there,
    timeout, write,
};

const BASKET: &str = "import math


class Basket:
    def __init__(self):
        self.prices = []

    def total(self):
        return sum(self.prices[1:])

    def rounded(self):
        return math.ceil(self.total())
";
const UNITTEST: &str = "import os
import sys
import unittest

from shop.basket import Basket


class BasketTest(unittest.TestCase):
    def test_total(self):
        basket = Basket()
        basket.prices = [3, 4]
        print('the total is', basket.total())
        self.assertEqual(basket.total(), 7)

    def test_empty(self):
        self.assertEqual(Basket().total(), 0)

    def test_rounded(self):
        self.assertEqual(Basket().rounded(), 0)

    def test_files(self):
        self.assertEqual(sorted(os.listdir('.')), ['shop', 'tests'])

    def test_places(self):
        home, temporary = os.environ['HOME'], os.environ['TMPDIR']
        left = [name for folder in (home, temporary) for name in os.listdir(folder) if 'left' in name]
        self.assertEqual(left, [])
";
const TOTAL: &str = "tests.test_basket.BasketTest.test_total";
const SUM: &str = "return sum(self.prices[1:])";

async fn shop(wanted: RequestedSandbox) -> Fixture {
    let tests = ("tests/test_basket.py", UNITTEST);
    let files = [("shop/__init__.py", ""), ("shop/basket.py", BASKET), ("tests/__init__.py", ""), tests];
    fixture_in(wanted, &files).await
}

async fn judge(harness: &TestHarness, baseline: &Baseline, applied: &Applied) -> Validation {
    harness.validate(baseline, applied, ValidationDepth::Thorough).await.unwrap()
}

/// A harness in which nothing is shared, so that every candidate is run.
async fn harness(project: &Fixture, warm: bool) -> TestHarness {
    let optimizations =
        Optimizations { persistent_workers: warm, share_verdicts: false, ..Optimizations::default() };
    project.harness_with(&timeout(20), optimizations, if warm { "warm" } else { "cold" }).await
}

#[tokio::test]
async fn verdicts_and_reports_are_those_of_a_cold_run() {
    let shop = shop(RequestedSandbox::Host).await;
    let (warm, cold) = (harness(&shop, true).await, harness(&shop, false).await);
    let baseline = cold.baseline(&[]).await.unwrap();
    assert_eq!(names(&baseline.failing), [TOTAL]);
    let candidates = [
        (SUM, "return sum(self.prices)", Verdict::Plausible),
        (SUM, "return sum(self.prices[2:])", Verdict::Failing),
        (SUM, "return sum(self.prices) or 1", Verdict::Failing),
        (SUM, "return sum(self.price)", Verdict::Failing),
        (SUM, "return self.total()", Verdict::Failing),
        (SUM, "return sum(self.prices", Verdict::DoesNotCompile),
        ("import math", "import maths", Verdict::Failing),
        ("import math", "import math\nprint('loaded')", Verdict::Failing),
        ("import math", "import math\nraise SystemExit(3)", Verdict::Failing),
    ];
    for (from, to, verdict) in candidates {
        let change = shop.change("shop/basket.py", from, to);
        let (one, other) = (judge(&warm, &baseline, &change).await, judge(&cold, &baseline, &change).await);
        assert_eq!((one.verdict, other.verdict), (verdict, verdict), "{to}: {}", one.report.render(4000));
        assert_eq!(one.report.render(10_000), other.report.render(10_000), "{to}");
        assert_eq!(one.still_failing, other.still_failing, "{to}");
        assert_eq!(one.newly_failing, other.newly_failing, "{to}");
        assert_eq!(one.report.outcomes, other.report.outcomes, "{to}");
        assert_clean(&one.report, &shop);
    }
    let report = warm.worker_report();
    assert!(report.on && report.judged >= candidates.len() - 1, "{report:?}");
    assert_eq!((report.left_out.len(), report.disagreements.len()), (0, 0));
    assert!(!cold.worker_report().on);
}

#[tokio::test]
#[ignore = "long: run by --include-ignored, as CI does"]
async fn pytest_reports_are_those_of_a_cold_run() {
    if !there("python3 -c 'import pytest'", true) {
        return;
    }
    let tests = "import pytest\nfrom shop.basket import Basket\n\n@pytest.fixture\ndef basket():\n    return Basket()\n\n@pytest.mark.parametrize('price', [3, 'x y'])\ndef test_total(basket, price):\n    print('price', price)\n    basket.prices = [price]\n    assert basket.total() == price\n\ndef test_empty(basket):\n    assert basket.total() == 0, 'nothing'\n\n@pytest.mark.skip('later')\ndef test_later():\n    pass\n";
    let files = [("shop/__init__.py", ""), ("shop/basket.py", BASKET), ("tests/test_basket.py", tests)];
    let shop = fixture(&files).await;
    let (warm, cold) = (harness(&shop, true).await, harness(&shop, false).await);
    let baseline = cold.baseline(&["tests/test_basket.py::test_total[3]".to_owned()]).await.unwrap();
    for (to, verdict) in [
        ("return sum(self.prices)", Verdict::Plausible),
        ("return sum(self.prices[2:])", Verdict::Failing),
        ("return sum(self.prices) or None", Verdict::Failing),
        ("return self.total()", Verdict::Failing),
        ("return sum(self.prices", Verdict::DoesNotCompile),
    ] {
        let change = shop.change("shop/basket.py", SUM, to);
        let (one, other) = (judge(&warm, &baseline, &change).await, judge(&cold, &baseline, &change).await);
        assert_eq!((one.verdict, other.verdict), (verdict, verdict), "{to}: {}", one.report.render(4000));
        assert_eq!(one.report.render(10_000), other.report.render(10_000), "{to}");
        assert_eq!(one.report.outcomes, other.report.outcomes, "{to}");
        let hasty = warm.validate(&baseline, &change, ValidationDepth::FirstFailure).await.unwrap();
        assert_eq!(hasty.verdict, verdict, "{to}");
    }
    assert_judged_by_workers(&warm, 10);
}

/// A plug-in that wraps parts of the test tools for each session, as those for mocks do.
const PLUGIN: &str = "import unittest
import unittest.mock


def wrapped(method):
    return lambda *arguments: method(*arguments)


def pytest_sessionstart(session):
    unittest.mock.NonCallableMock.assert_called = wrapped(unittest.mock.NonCallableMock.assert_called)
";

#[tokio::test]
async fn what_a_plug_in_bends_without_any_change_is_no_candidates_doing_where_no_test_fails() {
    if !there("python3 -c 'import pytest'", true) {
        return;
    }
    let test = "from shop.basket import Basket\n\ndef test_empty():\n    assert Basket().total() == 0\n";
    let files = [
        ("shop/__init__.py", ""),
        ("shop/basket.py", BASKET),
        ("conftest.py", PLUGIN),
        ("tests/test_basket.py", test),
    ];
    let shop = fixture_in(RequestedSandbox::Host, &files).await;
    let harness = harness(&shop, true).await;
    let baseline = harness.baseline(&[]).await.unwrap();
    assert!(baseline.failing.is_empty(), "{baseline:?}");
    let applied = shop.change("shop/basket.py", SUM, "return sum(self.prices)");
    // One that somebody thought about is judged by all tests at once, in a process of their own.
    let found = harness.validate(&baseline, &applied, ValidationDepth::FirstFailure).await.unwrap();
    assert_eq!(found.verdict, Verdict::Unverified, "{:?}", found.newly_failing);
    assert_judged_by_workers(&harness, 1);
}

/// pytest rewrites the modules of a plugin, but not one that is installed without its source: importing that imports the plugin's package.
#[tokio::test]
async fn a_worker_does_not_import_plugins_before_pytest_rewrites_them() {
    if !there("python3 -c 'import pytest'", true) {
        return;
    }
    let installed = tempfile::tempdir().unwrap();
    write(installed.path(), "a_plugin/__init__.py", "import a_plugin.native\n");
    write(installed.path(), "native.py", "");
    let compile = "import py_compile; py_compile.compile('native.py', cfile='a_plugin/native.pyc')";
    let status = Command::new("python3").args(["-c", compile]).current_dir(installed.path()).status();
    assert!(status.unwrap().success());
    let test = "from shop.basket import Basket\n\ndef test_total():\n    basket = Basket()\n    basket.prices = [3, 4]\n    assert basket.total() == 7\n";
    let files = [
        ("shop/__init__.py", ""),
        ("shop/basket.py", BASKET),
        ("pytest.ini", "[pytest]\nfilterwarnings = error\n"),
        ("conftest.py", "pytest_plugins = ['a_plugin']\n"),
        ("tests/test_basket.py", test),
    ];
    let shop = fixture_in(RequestedSandbox::Host, &files).await;
    let path = ("PYTHONPATH".to_owned(), installed.path().to_str().unwrap().to_owned());
    let harness = shop.harness(&Overrides { env: Some([path].into()), ..Overrides::default() }).await;
    let baseline = harness.baseline(&[]).await.unwrap();
    let fixed = shop.change("shop/basket.py", SUM, "return sum(self.prices)");
    let found = harness.validate(&baseline, &fixed, ValidationDepth::FirstFailure).await.unwrap();
    assert_eq!(found.verdict, Verdict::Plausible, "{:?}", found.newly_failing);
    assert_judged_by_workers(&harness, 1);
}

/// After each of these the next candidate is judged right, and nothing is left.
async fn bad_candidates(wanted: RequestedSandbox) {
    let shop = shop(wanted).await;
    let harness = harness(&shop, true).await;
    let baseline = harness.baseline(&[]).await.unwrap();
    let outside = shop.work.path().join("outside");
    let bad = [
        ("while True: pass", Verdict::TimedOut),
        ("import os; os._exit(0)", Verdict::Failing),
        ("import os; os.kill(os.getpid(), 9)", Verdict::Failing),
        ("import os; os.kill(os.getppid(), 9)", Verdict::Failing),
        ("import os; os.closerange(0, 256)", Verdict::Failing),
        ("import sys, io; sys.stdout = sys.stderr = io.StringIO()", Verdict::Failing),
        ("print('x' * 50_000_000)", Verdict::Failing),
        (
            "import threading, time; threading.Thread(target=time.sleep, args=(0.5,)).start()",
            Verdict::Failing,
        ),
        ("import subprocess; subprocess.Popen(['sleep', '600'], start_new_session=True)", Verdict::Failing),
        (
            "import os, time\n        if os.fork() == 0:\n            os.setsid()\n            if os.fork() == 0: time.sleep(600)\n            os._exit(0)",
            Verdict::Failing,
        ),
        ("import shutil; shutil.rmtree('shop'); shutil.rmtree('tests')", Verdict::Failing),
        (
            "open('left.txt', 'w').write('x'); open('tests/test_more.py', 'w').write('assert 0')",
            Verdict::Failing,
        ),
        (
            "import os; open(os.environ['HOME'] + '/left', 'w'); os.makedirs(os.environ['TMPDIR'] + '/left/a')",
            Verdict::Failing,
        ),
        (
            "import os, signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); os.environ.clear(); os.chdir('/')",
            Verdict::Failing,
        ),
        ("import builtins; builtins.sum = None", Verdict::Failing),
        ("import sys; sys.setrecursionlimit(60); self.total()", Verdict::Failing),
        ("import os; os.system('rm -f ../out/re*')", Verdict::Failing),
    ];
    let wrong = shop.change("shop/basket.py", SUM, "return sum(self.prices[3:])");
    let expected = judge(&harness, &baseline, &wrong).await.report.render(4000);
    for (code, verdict) in bad {
        let change = shop.change("shop/basket.py", SUM, &format!("{code}\n        return 1"));
        let found = harness.validate(&baseline, &change, ValidationDepth::FirstFailure).await.unwrap();
        assert_eq!(found.verdict, verdict, "{code}: {}", found.report.render(4000));
        let next = judge(&harness, &baseline, &wrong).await;
        assert_eq!(next.report.render(4000), expected, "after {code}");
    }
    let fix = shop.change("shop/basket.py", SUM, "return sum(self.prices)");
    assert_eq!(judge(&harness, &baseline, &fix).await.verdict, Verdict::Plausible);
    let report = harness.worker_report();
    assert!(report.on && report.disagreements.is_empty(), "{report:?}");
    assert!(report.judged > bad.len() + bad.len() / 2, "{report:?}");
    assert!(!outside.exists());
    assert_eq!(std::fs::read_to_string(shop.source.path().join("shop/basket.py")).unwrap(), BASKET);
    harness.close().await.unwrap();
    assert_eq!(processes_in(shop.work.path()), Vec::<String>::new());
    assert_eq!(std::fs::read_dir(shop.work.path()).unwrap().count(), 0);
}

#[tokio::test]
#[ignore = "long: run by --include-ignored, as CI does"]
async fn bad_candidates_on_the_host_and_in_namespaces() {
    bad_candidates(RequestedSandbox::Host).await;
    if there("unshare --user --map-root-user --pid --fork true", false) {
        bad_candidates(RequestedSandbox::Namespaces).await;
    }
}

#[tokio::test]
#[ignore = "long: run by --include-ignored, as CI does"]
async fn candidates_that_take_all_there_is() {
    let shop = shop(RequestedSandbox::Host).await;
    let optimizations = Optimizations { share_verdicts: false, ..Optimizations::default() };
    let harness = shop.harness(&timeout(8)).await.with_optimizations(optimizations);
    let baseline = harness.baseline(&[]).await.unwrap();
    let fix = shop.change("shop/basket.py", SUM, "return sum(self.prices)");
    // Whichever limit is reached first; the second stops the worker.
    for code in
        ["x = []\n        while True: x.append(bytearray(1 << 28))", "import os; os.kill(os.getppid(), 19)"]
    {
        let change = shop.change("shop/basket.py", SUM, code);
        let found = judge(&harness, &baseline, &change).await;
        assert!(matches!(found.verdict, Verdict::Failing | Verdict::TimedOut), "{code}: {:?}", found.verdict);
        assert_eq!(judge(&harness, &baseline, &fix).await.verdict, Verdict::Plausible, "after {code}");
    }
}

#[tokio::test]
async fn a_worker_that_is_wrong_is_not_asked_again() {
    let shop = shop(RequestedSandbox::Host).await;
    let harness = harness(&shop, true).await;
    let baseline = harness.baseline(&[]).await.unwrap();
    let two_faced = "import sys\n        return sum(self.prices[0 if any('patchwright_warm' in word for word in sys.orig_argv) else 1:])";
    let change = shop.change("shop/basket.py", SUM, two_faced);
    let found = judge(&harness, &baseline, &change).await;
    assert_eq!((found.verdict, names(&found.still_failing)), (Verdict::Failing, vec![TOTAL]));
    let report = harness.worker_report();
    assert_eq!((report.on, report.judged, report.disagreements.len()), (false, 1, 1));
    assert_eq!(names(&report.disagreements[0].failing), [TOTAL]);
    assert_eq!(report.disagreements[0].fingerprint, change.fingerprint());
    let fix = shop.change("shop/basket.py", SUM, "return sum(self.prices)");
    assert_eq!(judge(&harness, &baseline, &fix).await.verdict, Verdict::Plausible);
    assert_eq!(harness.worker_report().judged, 1);
    assert_eq!(processes_in(shop.work.path()), Vec::<String>::new());
}

#[tokio::test]
async fn tests_that_know_a_worker_are_left_to_commands_of_their_own() {
    let knowing = "import sys\nimport unittest\n\nclass T(unittest.TestCase):\n    def test_alone(self):\n        self.assertFalse(any('patchwright_warm' in word for word in sys.orig_argv))\n    def test_bug(self):\n        from code_of import RATE\n        self.assertEqual(RATE, 4)\n    def test_other(self): pass\n";
    let project = fixture(&[("code_of.py", "RATE = 3\n"), ("test_rate.py", knowing)]).await;
    let harness = harness(&project, true).await;
    let baseline = harness.baseline(&[]).await.unwrap();
    assert_eq!(names(&baseline.failing), ["test_rate.T.test_bug"]);
    let fix = project.change("code_of.py", "RATE = 3", "RATE = 4");
    assert_eq!(judge(&harness, &baseline, &fix).await.verdict, Verdict::Plausible);
    let report = harness.worker_report();
    assert_eq!((report.on, report.disagreements), (true, vec![]));

    // Where such a test is what shows the bug no worker is used.
    let mut special = baseline.clone();
    special.failing = vec!["test_rate.T.test_alone".into()];
    judge(&harness, &special, &project.change("code_of.py", "RATE = 3", "RATE = 5")).await;
    let report = harness.worker_report();
    insta::assert_snapshot!(report.why_off.unwrap());
}

#[tokio::test]
async fn equal_candidates_share_a_verdict() {
    let shop = shop(RequestedSandbox::Host).await;
    let harness = shop.harness(&timeout(20)).await;
    let baseline = harness.baseline(&[]).await.unwrap();
    let first = shop.change("shop/basket.py", SUM, "return sum(self.prices[2:])");
    let same = shop.change("shop/basket.py", SUM, "return sum( self.prices[2:] )  # all");
    let found = harness.validate(&baseline, &first, ValidationDepth::FirstFailure).await.unwrap();
    assert!(!found.shared);
    // What a quick validation found does not tell all.
    let thorough = judge(&harness, &baseline, &same).await;
    assert!(!thorough.shared);
    let shared = judge(&harness, &baseline, &first).await;
    assert!(shared.shared);
    assert_eq!((shared.verdict, &shared.report), (thorough.verdict, &thorough.report));
    let mut stale = first.clone();
    stale.files[0].before = Some(b"something else".to_vec());
    assert_eq!(judge(&harness, &baseline, &stale).await.verdict, Verdict::DoesNotApply);
}

#[tokio::test]
async fn a_validation_that_is_given_up_leaves_nothing() {
    let shop = shop(RequestedSandbox::Host).await;
    let harness = harness(&shop, true).await;
    let baseline = harness.baseline(&[]).await.unwrap();
    let wrong = shop.change("shop/basket.py", SUM, "return 2");
    judge(&harness, &baseline, &wrong).await;
    assert!(!processes_in(shop.work.path()).is_empty(), "a worker waits");
    let endless = shop.change("shop/basket.py", SUM, "while True: pass");
    let given_up = tokio::time::timeout(
        Duration::from_millis(700),
        harness.validate(&baseline, &endless, ValidationDepth::Thorough),
    );
    assert!(given_up.await.is_err());
    assert_eq!(processes_in(shop.work.path()), Vec::<String>::new());
    assert_eq!(judge(&harness, &baseline, &wrong).await.verdict, Verdict::Failing);
    drop(harness);
    assert_eq!(processes_in(shop.work.path()), Vec::<String>::new());
    assert_eq!(std::fs::read_dir(shop.work.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn several_workers_judge_side_by_side() {
    let shop = shop(RequestedSandbox::Host).await;
    let harness = harness(&shop, true).await;
    let baseline = harness.baseline(&[]).await.unwrap();
    let changes: Vec<Applied> = (0..4)
        .map(|number| shop.change("shop/basket.py", SUM, &format!("return sum(self.prices) + {number}")))
        .collect();
    let judged = |number: usize| judge(&harness, &baseline, &changes[number]);
    let (first, second, third, fourth) = tokio::join!(judged(0), judged(1), judged(2), judged(3));
    assert_eq!(first.verdict, Verdict::Plausible);
    for found in [second, third, fourth] {
        assert_eq!(found.verdict, Verdict::Failing);
    }
    assert_judged_by_workers(&harness, 4);
}

/// A test that passes only after another one: run first because it is about the changed file, it would fail with any candidate.
#[tokio::test]
async fn a_test_that_needs_another_before_it_does_not_cost_a_fix_its_verdict() {
    let needy = "import unittest

from shop.basket import Basket


class NeedyTest(unittest.TestCase):
    def test_rounded_after_others(self):
        import tests
        self.assertEqual(tests.ran, ['first'])
        self.assertEqual(Basket().rounded(), 0)
";
    let first = "import unittest

import tests


class FirstTest(unittest.TestCase):
    def test_first(self):
        tests.ran.append('first')
";
    let files = [
        ("shop/__init__.py", ""),
        ("shop/basket.py", BASKET),
        ("tests/__init__.py", "ran = []\n"),
        ("tests/test_a_first.py", first),
        ("tests/test_basket.py", UNITTEST),
        ("tests/test_basket_tests.py", needy),
    ];
    let shop = fixture_in(RequestedSandbox::Host, &files).await;
    let harness = harness(&shop, true).await;
    let baseline = harness.baseline(&[]).await.unwrap();
    assert!(!baseline.order_matters);
    let judged = |baseline: Baseline, to: &'static str| {
        let (harness, change) = (&harness, shop.change("shop/basket.py", SUM, to));
        async move { harness.validate(&baseline, &change, ValidationDepth::FirstFailure).await.unwrap() }
    };
    let found = judged(baseline.clone(), "return sum(self.prices)").await;
    assert_eq!(found.verdict, Verdict::Plausible, "{found:?}");
    // Where all tests take long, those about the file are run before.
    let mut long = baseline;
    long.report.seconds = 20.0;
    for fix in ["return sum(self.prices[:])", "return sum(self.prices[0:])"] {
        let found = judged(long.clone(), fix).await;
        assert_eq!(found.verdict, Verdict::Plausible, "{found:?}");
    }
    for breaking in ["return sum(self.prices) or None", "return sum(self.prices[:]) or None"] {
        let found = judged(long.clone(), breaking).await;
        assert_eq!((found.verdict, found.newly_failing.is_empty()), (Verdict::Failing, false), "{found:?}");
    }
    let report = harness.worker_report();
    assert_eq!((report.on, report.judged), (true, 5), "{report:?}");
    assert_eq!(names(&report.left_out), ["tests.test_basket_tests.NeedyTest.test_rounded_after_others"]);
    assert_eq!(report.disagreements, []);
}

/// The test of the bug fails at the bug without the others as well, and a fix shows there what it needs of them.
#[tokio::test]
async fn a_test_of_the_bug_that_needs_another_does_not_cost_a_fix_its_verdict() {
    let first = "import unittest

import tests


class FirstTest(unittest.TestCase):
    def test_first(self):
        tests.ran.append('first')
";
    let needy = "import unittest

import tests
from shop.basket import Basket


class NeedyTest(unittest.TestCase):
    def test_total(self):
        self.assertEqual(Basket().total(), 0)
        self.assertEqual(tests.ran, ['first'])
";
    let files = [
        ("shop/__init__.py", ""),
        ("shop/basket.py", "class Basket:\n    def total(self):\n        return 1\n"),
        ("tests/__init__.py", "ran = []\n"),
        ("tests/test_a_first.py", first),
        ("tests/test_basket.py", needy),
    ];
    let shop = fixture_in(RequestedSandbox::Host, &files).await;
    for warm in [true, false] {
        let harness = harness(&shop, warm).await;
        let baseline = harness.baseline(&[]).await.unwrap();
        assert!(!baseline.order_matters, "both fail at the bug");
        for (to, expect) in [
            ("return 2", Verdict::Failing),
            ("return None()", Verdict::Failing),
            ("return 0", Verdict::Plausible),
            ("return 0 + 0", Verdict::Plausible),
            ("return 3", Verdict::Failing),
        ] {
            let change = shop.change("shop/basket.py", "return 1", to);
            let found = judge(&harness, &baseline, &change).await;
            assert_eq!(found.verdict, expect, "{to}: {found:?}");
        }
        let report = harness.worker_report();
        assert_eq!((report.on, report.disagreements.len()), (warm, 0), "{report:?}");
        harness.close().await.unwrap();
    }
}

/// Without the first test the others fail at the same place, with another value.
#[tokio::test]
async fn another_message_tells_that_tests_need_each_other() {
    let tests = "import unittest

from shop import basket


class AccountTest(unittest.TestCase):
    def test_a(self):
        basket.add(5)

    def test_b(self):
        self.assertEqual(basket.total, 5)

    def test_c(self):
        self.assertEqual(basket.total, 5)
";
    let account = "total = 0\n\n\ndef add(price):\n    global total\n    total = total - price\n";
    let files = [
        ("shop/__init__.py", ""),
        ("shop/basket.py", account),
        ("tests/__init__.py", ""),
        ("tests/test_basket.py", tests),
    ];
    let shop = fixture_in(RequestedSandbox::Host, &files).await;
    for warm in [true, false] {
        let harness = harness(&shop, warm).await;
        let mut baseline = harness.baseline(&[]).await.unwrap();
        assert!(baseline.order_matters && !baseline.order_uncertain);
        let fix = shop.change("shop/basket.py", "total - price", "total + price");
        assert_eq!(judge(&harness, &baseline, &fix).await.verdict, Verdict::Plausible);
        // Where all tests take long that is only a doubt.
        (baseline.order_matters, baseline.order_uncertain) = (false, true);
        assert_eq!(judge(&harness, &baseline, &fix).await.verdict, Verdict::Plausible);
        let wrong = shop.change("shop/basket.py", "total - price", "price - total - 1");
        assert_eq!(judge(&harness, &baseline, &wrong).await.verdict, Verdict::Failing);
        // The failing tests execute nothing of the project: what those beside them execute is suspicious.
        let ranking = patchwright_fault_localization::spectrum(
            &harness,
            &baseline,
            Formula::default(),
            CoverageScope::Nearest,
        )
        .await
        .unwrap();
        let lines: Vec<u32> = ranking.lines.iter().map(|line| line.line).collect();
        assert!(lines.contains(&6), "{lines:?}");
        assert_eq!(harness.worker_report().disagreements, []);
        harness.close().await.unwrap();
    }
}

/// A test that needs one that is about the changed file, which a worker runs apart from the others.
#[tokio::test]
async fn tests_condemn_a_candidate_in_their_natural_order_only() {
    let shared = format!(
        "{UNITTEST}\n    def test_a_marks(self):\n        import tests\n        tests.ran.append('marked')\n"
    );
    let needy = "import unittest

import tests
from shop.basket import Basket


class NeedyTest(unittest.TestCase):
    def test_marked(self):
        self.assertEqual(tests.ran, ['marked'])

    def test_none(self):
        self.assertIsNotNone(Basket().total())
";
    let files = [
        ("shop/__init__.py", ""),
        ("shop/basket.py", BASKET),
        ("tests/__init__.py", "ran = []\n"),
        ("tests/test_basket.py", shared.as_str()),
        ("tests/test_other.py", needy),
    ];
    let shop = fixture_in(RequestedSandbox::Host, &files).await;
    let harness = harness(&shop, true).await;
    let baseline = harness.baseline(&[]).await.unwrap();
    // It passes the tests that show the bug and those about the file, and breaks another.
    let breaking = shop.change("shop/basket.py", SUM, "return sum(self.prices) or None");
    let found = harness.validate(&baseline, &breaking, ValidationDepth::FirstFailure).await.unwrap();
    assert_eq!(found.verdict, Verdict::Failing, "{found:?}");
    for fix in ["return sum(self.prices)", "return sum(self.prices[:])"] {
        let fix = shop.change("shop/basket.py", SUM, fix);
        let found = harness.validate(&baseline, &fix, ValidationDepth::FirstFailure).await.unwrap();
        assert_eq!(found.verdict, Verdict::Plausible, "{found:?}");
    }
    let report = harness.worker_report();
    assert_eq!((report.on, report.judged), (true, 3), "{report:?}");
    assert_eq!(report.disagreements, []);
}
