//! Projects with pytest.

use patchwright_detection::AdapterKind;
use patchwright_edits::{Applied, FileChange};
use patchwright_protocol::{Overrides, TestId, Verdict};
use patchwright_syntax::ProjectPath;
use patchwright_test_results::{Build, TestStatus};
use patchwright_validation::{TestHarnessError, ValidationDepth};

use crate::support::{Fixture, assert_clean, fixture, names, there, timeout};

const BASKET: &str = "import json


class Basket:
    def __init__(self):
        self.prices = []

    def load(self, text):
        self.prices = json.loads(text)

    def total(self):
        return sum(self.prices[1:])
";
const TESTS: &str = "import pytest

from shop.basket import Basket


@pytest.fixture
def basket():
    return Basket()


@pytest.fixture
def leaky():
    yield
    raise RuntimeError('tear-down')


@pytest.mark.parametrize('text', ['[1, 2]', '[0, 3 ]', '[x - y]', \"it's\"])
def test_load(basket, text):
    print('loading', text)
    basket.load(text)
    assert basket.total() == 3


def test_total(basket):
    basket.prices = [3, 4]
    assert basket.total() == 7


def test_empty(basket):
    assert basket.total() == 0


@pytest.mark.xfail(reason='known')
def test_known():
    assert 0


@pytest.mark.xfail(strict=True)
def test_surprise():
    pass


def test_leaky(leaky):
    pass


class TestGroup:
    @pytest.mark.skip('later')
    def test_skipped(self):
        pass
";

fn pytest() -> bool {
    there("python3 -c 'import pytest'", true)
}

async fn shop() -> Fixture {
    fixture(&[
        // Options that would stop at the first failure, or hide the rest.
        ("pyproject.toml", "[tool.pytest.ini_options]\naddopts = \"-x -q --tb=no\"\n"),
        ("src/shop/__init__.py", ""),
        ("src/shop/basket.py", BASKET),
        ("tests/test_basket.py", TESTS),
        ("tests/test_import.py", "import nothing_here\n\ndef test_a():\n    pass\n"),
    ])
    .await
}

/// The names that its examples use come from tests that run before it, where all tests run.
#[tokio::test]
async fn a_doctest_that_fails_in_another_way_alone_is_run_among_all_others() {
    if !pytest() {
        return;
    }
    let fills = "import pytest\nimport shop\n\n\n@pytest.fixture(autouse=True)\ndef names(doctest_namespace):\n    \
                 doctest_namespace['half'] = shop.half\n";
    let project = fixture(&[
        ("pytest.ini", "[pytest]\ntestpaths = tests docs\naddopts = --doctest-glob=*.rst\n"),
        ("shop.py", "def half(x):\n    return x // 3\n"),
        ("tests/conftest.py", fills),
        ("tests/test_shop.py", "from shop import half\n\n\ndef test_half():\n    assert half(4) == 2\n"),
        ("docs/usage.rst", "Usage\n=====\n\n>>> half(4)\n2\n"),
    ])
    .await;
    let harness = project.harness(&timeout(60)).await;
    let baseline = harness.baseline(&[]).await.unwrap();
    assert_eq!(names(&baseline.failing), ["docs/usage.rst::usage.rst", "tests/test_shop.py::test_half"]);
    let outcome = baseline.report.outcome(&baseline.failing[0]).unwrap();
    assert_eq!(outcome.message.as_deref(), Some("Expected:\n    2\nGot:\n    1"));
    assert!(baseline.order_matters, "{:?}", baseline.notes);
    let fix = project.change("shop.py", "// 3", "// 2");
    for depth in [ValidationDepth::FirstFailure, ValidationDepth::Thorough] {
        let found = harness.validate(&baseline, &fix, depth).await.unwrap();
        assert_eq!((found.verdict, names(&found.still_failing)), (Verdict::Plausible, vec![]));
    }
}

#[tokio::test]
#[ignore = "long: run by --include-ignored, as CI does"]
async fn a_test_that_is_named_by_the_time_is_found_by_another_name() {
    let tests = "import time\nimport pytest\nfrom shop import half, zero\n\n\n@pytest.mark.parametrize('number', [4, time.time_ns()])\n\
                 def test_half(number):\n    assert half(number) == number / 2\n\n\ndef test_zero():\n    assert zero() == 0\n";
    let shop = "def half(x):\n    return x // 3\n\n\ndef zero():\n    return 0\n";
    let project = fixture(&[("shop.py", shop), ("tests/test_shop.py", tests)]).await;
    let harness = project.harness(&timeout(60)).await;
    let baseline = harness.baseline(&[]).await.unwrap();
    assert_eq!((baseline.failing.len(), baseline.unrepeatable.len()), (2, 1), "{:?}", baseline.notes);
    insta::assert_snapshot!(baseline.notes[0].split(':').next().unwrap());
    let judge = async |to: &str, depth| {
        let change = project.change("shop.py", "x // 3", to);
        let found = harness.validate(&baseline, &change, depth).await.unwrap();
        (found.verdict, found.still_failing.len())
    };
    for depth in [ValidationDepth::FirstFailure, ValidationDepth::Thorough] {
        assert_eq!(judge("x / 2", depth).await, (Verdict::Plausible, 0));
        assert_eq!(judge("2", depth).await, (Verdict::Failing, 1));
    }
    // What code of the project makes, a change may make otherwise: then other tests pass.
    let tests = "import pytest\nfrom shop import cases, half\n\n\n@pytest.mark.parametrize('number', cases())\n\
                 def test_half(number):\n    assert half(number) == number / 2\n";
    let shop =
        "import time\n\n\ndef half(x):\n    return x // 3\n\n\ndef cases():\n    return [time.time_ns()]\n";
    let project = fixture(&[("shop.py", shop), ("tests/test_shop.py", tests)]).await;
    let harness = project.harness(&timeout(60)).await;
    let baseline = harness.baseline(&[]).await.unwrap();
    let change = project.change("shop.py", "time.time_ns()", "0");
    let found = harness.validate(&baseline, &change, ValidationDepth::Thorough).await.unwrap();
    assert_eq!((found.verdict, &found.still_failing), (Verdict::Failing, &baseline.failing));
}

#[tokio::test]
async fn a_project_that_measures_its_coverage_is_tested_where_nothing_measures_it() {
    if !pytest() {
        return;
    }
    let options = "--cov=shop --cov-branch --cov-report term-missing --cov-fail-under 99";
    let settings = format!("[pytest]\naddopts = {options}\ntestpaths = tests\n");
    let shop = fixture(&[
        ("tox.ini", settings.as_str()),
        ("shop/__init__.py", ""),
        ("tests/test_shop.py", "import shop\n\ndef test_a():\n    assert shop\n"),
    ])
    .await;
    let harness = shop.harness(&timeout(60)).await;
    let report = harness.run_tests(None, None).await.unwrap();
    assert_eq!(report.passed(), 1, "{report:?}");
}

#[tokio::test]
async fn outcomes_are_exact() {
    if !pytest() {
        return;
    }
    let shop = shop().await;
    let harness = shop.harness(&timeout(60)).await;
    assert_eq!(harness.spec().kind, AdapterKind::Pytest);
    let report = harness.run_tests(None, None).await.unwrap();
    let short: Vec<_> = report
        .outcomes
        .iter()
        .map(|test| (test.id.as_str().trim_start_matches("tests/test_basket.py::"), test.status))
        .collect();
    assert_eq!(
        short,
        [
            ("TestGroup::test_skipped", TestStatus::Skipped),
            ("test_empty", TestStatus::Passed),
            ("test_known", TestStatus::Skipped),
            ("test_leaky", TestStatus::Error),
            ("test_load[[0, 3 ]]", TestStatus::Passed),
            ("test_load[[1, 2]]", TestStatus::Failed),
            ("test_load[[x - y]]", TestStatus::Failed),
            ("test_load[it's]", TestStatus::Failed),
            ("test_surprise", TestStatus::Failed),
            ("test_total", TestStatus::Failed),
            ("tests/test_import.py", TestStatus::Error),
        ]
    );
    assert!(report.complete);
    assert_eq!(report.build, Build::NotNeeded);
    let trace = |id: &str| {
        let id = TestId::new(format!("tests/test_basket.py::{id}"));
        report.outcome(&id).unwrap().trace.clone().unwrap_or_default()
    };
    let load = trace("test_load[[x - y]]");
    assert!(load.contains("src/shop/basket.py:9: in load\n    self.prices = json.loads(text)"), "{load}");
    assert!(load.contains("Captured stdout call:\nloading [x - y]"), "{load}");
    assert!(!load.contains("decoder.py"), "{load}");
    let import = report.outcome(&TestId::new("tests/test_import.py")).unwrap();
    assert_eq!(import.message.as_deref(), Some("ModuleNotFoundError: No module named 'nothing_here'"));
    assert_clean(&report, &shop);
}

#[tokio::test]
async fn verdicts() {
    if !pytest() {
        return;
    }
    let shop = shop().await;
    let harness = shop.harness(&timeout(60)).await;
    let given = ["test_total".to_owned(), "tests/test_basket.py::test_load[[1, 2]]".to_owned()];
    let baseline = harness.baseline(&given).await.unwrap();
    assert_eq!(
        names(&baseline.failing),
        ["tests/test_basket.py::test_load[[1, 2]]", "tests/test_basket.py::test_total"]
    );
    let fix = shop.change("src/shop/basket.py", "self.prices[1:]", "self.prices");
    assert_eq!(
        harness.validate(&baseline, &fix, ValidationDepth::Thorough).await.unwrap().verdict,
        Verdict::Plausible
    );
    let damaged = shop.change("src/shop/basket.py", "return sum(self.prices[1:])", "return sum(self.prices");
    let found = harness.validate(&baseline, &damaged, ValidationDepth::Thorough).await.unwrap();
    assert_eq!(found.verdict, Verdict::DoesNotCompile);
    let Build::Failed { errors, .. } = &found.report.build else { panic!("{:?}", found.report.build) };
    assert_eq!((errors[0].file.as_str(), errors[0].line), ("src/shop/basket.py", 12));
    // A program that ends itself before the tests have run must not look like a success.
    let exit = shop.change("src/shop/basket.py", "import json", "import json, os; os._exit(0)");
    let found = harness.validate(&baseline, &exit, ValidationDepth::Thorough).await.unwrap();
    assert_eq!((found.verdict, found.report.complete), (Verdict::Failing, false));
    assert!(found.report.outcomes.is_empty(), "{:?}", found.report.outcomes);
    insta::assert_snapshot!(found.report.render(2000).lines().next().unwrap());
}

#[tokio::test]
async fn the_lane_is_tested_and_not_what_is_installed() {
    if !pytest() {
        return;
    }
    // An environment in which the original checkout is installed, as `pip install -e .` does it.
    let project = fixture(&[
        ("src/shop/__init__.py", "RATE = 3\n"),
        ("tests/test_rate.py", "import shop\n\ndef test_rate():\n    assert shop.RATE == 4\n"),
    ])
    .await;
    let root = project.source.path();
    let made = std::process::Command::new("python3")
        .args(["-m", "venv", "--system-site-packages", "--without-pip"])
        .arg(root.join(".venv"))
        .status();
    assert!(made.unwrap().success());
    let site = std::process::Command::new(root.join(".venv/bin/python"))
        .args(["-c", "import sysconfig; print(sysconfig.get_path('purelib'))"])
        .output()
        .unwrap();
    let site = String::from_utf8(site.stdout).unwrap();
    std::fs::write(format!("{}/shop.pth", site.trim()), root.join("src").to_str().unwrap()).unwrap();
    let harness = project.harness(&timeout(60)).await;
    assert!(harness.spec().test.line().starts_with("\"$PYTHON\""), "{}", harness.spec().test.line());
    let baseline = harness.baseline(&[]).await.unwrap();
    let fix = project.change("src/shop/__init__.py", "3", "4");
    assert_eq!(
        harness.validate(&baseline, &fix, ValidationDepth::Thorough).await.unwrap().verdict,
        Verdict::Plausible
    );
    assert!(!harness.project().root().join(".venv").exists());
}

/// Where only some tests had ended before any change, nobody knows yet what all of them do to the files that they are judged by.
#[tokio::test]
#[ignore = "long: run by --include-ignored, as CI does"]
async fn what_tests_do_to_their_files_without_the_change_too_accuses_no_change() {
    if !pytest() {
        return;
    }
    let tests = "import py_compile\n\nimport shop\n\n\ndef test_rate():\n    assert shop.RATE == 4\n\n\ndef test_tool():\n    py_compile.compile('tests/tool.py')\n";
    let project =
        fixture(&[("shop.py", "RATE = 3\n"), ("tests/test_rate.py", tests), ("tests/tool.py", "")]).await;
    let harness = project.harness(&timeout(60)).await;
    let all = harness.baseline(&[]).await.unwrap();
    assert_eq!(all.report.bent.len(), 1, "{:?}", all.report.bent);
    let mut part = all.of_files(vec![TestId::new("tests/test_rate.py")]);
    part.report.bent.clear();
    let check = async |to: &str, expect: Verdict| {
        let change = project.change("shop.py", "3", to);
        let found = harness.validate(&part, &change, ValidationDepth::Thorough).await.unwrap();
        assert_eq!(found.verdict, expect, "{to}: {:?}", found.report.render(4000));
    };
    check("4", Verdict::Plausible).await;
    let forging = "4\nimport os\nos.makedirs('tests/__pycache__', exist_ok=True)\nopen('tests/__pycache__/test_rate.cpython-311.pyc', 'w').close()";
    check(forging, Verdict::Failing).await;
}

/// Tests that put an installed copy in the place of the project would judge that copy.
#[tokio::test]
async fn a_project_that_is_imported_from_elsewhere_is_not_tested() {
    if !pytest() {
        return;
    }
    let test = "import pathlib, sys, tempfile\n\nplace = tempfile.mkdtemp()\npathlib.Path(place, 'shop.py').write_text('RATE = 4')\n\
                sys.path.insert(0, place)\nimport shop\n\n\ndef test_rate():\n    assert shop.RATE == 4\n";
    let project = fixture(&[("shop.py", "RATE = 3\n"), ("test_rate.py", test)]).await;
    let harness = project.harness(&Overrides { test: Some("python3 -m pytest".into()), ..timeout(60) }).await;
    let error = harness.baseline(&[]).await.unwrap_err();
    assert!(matches!(error, TestHarnessError::Elsewhere { ref module, .. } if module == "shop"), "{error}");
}

#[tokio::test]
async fn a_command_of_the_user_s_is_read_from_its_text() {
    if !pytest() {
        return;
    }
    let shop = shop().await;
    let test = "true && python3 -m pytest -o addopts=".to_owned();
    let overrides = Overrides {
        test: Some(test.clone().into()),
        test_one: Some("python3 -m pytest -o addopts= {tests}".to_owned()),
        ..timeout(60)
    };
    let harness = shop.harness(&overrides).await;
    assert_eq!(harness.spec().kind, AdapterKind::Custom);
    let baseline = harness.baseline(&["test_total".to_owned()]).await.unwrap();
    assert_eq!(names(&baseline.failing), ["tests/test_basket.py::test_total"]);
    let id = TestId::new("tests/test_basket.py::test_total");
    assert_eq!(baseline.report.outcome(&id).unwrap().message.as_deref(), Some("assert 4 == 7"));
    assert_eq!(
        names(&baseline.passing),
        ["tests/test_basket.py::test_empty", "tests/test_basket.py::test_load[[0, 3 ]]"]
    );
    let fix = shop.change("src/shop/basket.py", "self.prices[1:]", "self.prices");
    assert_eq!(
        harness.validate(&baseline, &fix, ValidationDepth::Thorough).await.unwrap().verdict,
        Verdict::Plausible
    );
    let wrong = shop.change("src/shop/basket.py", "self.prices[1:]", "self.prices or [1]");
    let found = harness.validate(&baseline, &wrong, ValidationDepth::Thorough).await.unwrap();
    assert_eq!(names(&found.newly_failing), ["tests/test_basket.py::test_empty"]);
}

#[tokio::test]
async fn subtests_count_for_their_test() {
    if !there("python3 -c 'import pytest; assert pytest.version_tuple >= (9,)'", false) {
        return;
    }
    let project = fixture(&[(
        "test_sub.py",
        "def test_numbers(subtests):\n    for number in range(3):\n        with subtests.test(number=number):\n            assert number != 1\n",
    )])
    .await;
    let harness = project.harness(&timeout(60)).await;
    let report = harness.run_tests(None, None).await.unwrap();
    assert_eq!(names(&report.failing()), ["test_sub.py::test_numbers"]);
    assert!(report.render(4000).contains("assert 1 != 1"), "{}", report.render(4000));
}

/// Modules that a candidate adds are not those of whoever runs the tests; those that the project has are.
#[tokio::test]
async fn a_candidate_adds_no_module_of_the_test_tool() {
    if !there("python3 -c 'import pytest'", true) {
        return;
    }
    let own = "import hashlib

OURS = True


def new(key, message, digest):
    key = key.ljust(64, b'\\0')
    inner = digest(bytes(byte ^ 0x36 for byte in key) + message).digest()
    return digest(bytes(byte ^ 0x5c for byte in key) + inner)
";
    let tests = "import hmac

from rate import RATE


def test_rate():
    assert RATE == 4


def test_own():
    assert hmac.OURS
";
    let project = fixture(&[("rate.py", "RATE = 3\n"), ("hmac.py", own), ("test_rate.py", tests)]).await;
    let harness = project.harness(&timeout(60)).await;
    let report = harness.run_tests(None, None).await.unwrap();
    assert_eq!(names(&report.failing()), ["test_rate.py::test_rate"], "{report:?}");
    for name in
        ["json.py", "pytest.py", "_pytest/__init__.py", "sitecustomize.py", "hashlib.py", "iniconfig.py"]
    {
        let file = FileChange {
            path: ProjectPath::new(name).unwrap(),
            before: None,
            after: Some(b"import os\nos._exit(0)\n".to_vec()),
        };
        let change = Applied { files: vec![file], notes: Vec::new(), comment_only: false };
        let report = harness.run_tests(None, Some(&change)).await.unwrap();
        assert_eq!(names(&report.failing()), ["test_rate.py::test_rate"], "{name}: {report:?}");
    }
}

/// pytest puts such folders first before it loads a plugin.
#[tokio::test]
async fn the_folders_that_the_settings_of_pytest_name_are_searched() {
    if !pytest() {
        return;
    }
    let project = fixture(&[
        ("pytest.ini", "[pytest]\npythonpath = app\n"),
        ("app/till/__init__.py", ""),
        ("app/till/sums.py", "def add(one, other):\n    return one - other\n"),
        (
            "tests/test_sums.py",
            "from till.sums import add\n\n\ndef test_adds():\n    assert add(2, 3) == 5\n\n\n\
             def test_nothing():\n    assert add(2, 0) == 2\n",
        ),
    ])
    .await;
    let harness = project.harness(&timeout(60)).await;
    let baseline = harness.baseline(&[]).await.unwrap();
    assert_eq!(names(&baseline.failing), ["tests/test_sums.py::test_adds"]);
    assert_eq!(names(&baseline.passing), ["tests/test_sums.py::test_nothing"]);
    let fix = project.change("app/till/sums.py", "-", "+");
    for depth in [ValidationDepth::FirstFailure, ValidationDepth::Thorough] {
        let found = harness.validate(&baseline, &fix, depth).await.unwrap();
        assert_eq!((found.verdict, names(&found.still_failing)), (Verdict::Plausible, vec![]));
    }
}
