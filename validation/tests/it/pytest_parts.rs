//! Runs of some of the tests that stand for all.

use std::sync::Arc;
use std::time::Duration;

use patchwright_lanes::{Activity, Tests};
use patchwright_protocol::{TestId, Verdict};
use patchwright_validation::{TestHarness, ValidationDepth};

use crate::support::{Fixture, fixture, names, there, timeout};

fn pytest() -> bool {
    there("python3 -c 'import pytest'", true)
}

/// Its second file of tests passes among all others only; the third does not end.
async fn registry(third: &str) -> Fixture {
    fixture(&[
        ("registry.py", "NAMES = []\n\n\ndef double(number):\n    return number * 2\n"),
        (
            "test_first.py",
            "import registry\n\nregistry.NAMES.append('first')\n\n\ndef test_double():\n    assert registry.double(2) == 4\n",
        ),
        (
            "test_second.py",
            "import registry\n\n\ndef test_names():\n    assert registry.NAMES == ['first']\n\n\n\
             def test_zero():\n    assert registry.double(0) == 0\n",
        ),
        ("test_third.py", third),
    ])
    .await
}

#[tokio::test]
async fn a_run_that_is_cut_tells_of_the_files_that_had_ended() {
    if !pytest() {
        return;
    }
    let third =
        "import time\n\n\ndef test_quick():\n    pass\n\n\ndef test_endless():\n    time.sleep(600)\n";
    let registry = registry(third).await;
    let spec = registry.detected(&timeout(300)).await.spec;
    let activity = Activity::default();
    let harness = TestHarness::open(
        spec,
        registry.source.path(),
        &[],
        Arc::clone(&registry.sandbox),
        registry.work.path(),
        2,
        activity.clone(),
    )
    .await
    .unwrap();
    assert!(harness.tells_when_cut());
    let cutting = async {
        let most = Tests { done: 4, all: Some(5), turn: None }.to_string();
        while !activity.step().is_some_and(|step| step.to_string().contains(&most)) {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        harness.cut_baseline();
    };
    let (baseline, ()) = tokio::join!(harness.baseline(&[]), cutting);
    let baseline = baseline.unwrap();
    assert_eq!(names(&baseline.nearest), ["test_first.py", "test_second.py"]);
    assert_eq!(baseline.passing.len(), 3);
    assert!(baseline.failing.is_empty() && harness.baseline_was_cut());
    // What stands for all is what candidates are tried with.
    let change = registry.change("registry.py", "number * 2", "2 * number");
    let found = harness.validate(&baseline, &change, ValidationDepth::Thorough).await.unwrap();
    assert_eq!((found.verdict, found.report.passed()), (Verdict::Unverified, 3));
}

#[tokio::test]
async fn what_fails_without_the_others_as_it_is_says_nothing_of_a_change() {
    if !pytest() {
        return;
    }
    let registry = registry("def test_third():\n    pass\n").await;
    let harness = registry.harness(&timeout(60)).await;
    let all = harness.baseline(&[]).await.unwrap();
    assert_eq!(all.passing.len(), 4);
    let second = all.of_files(vec![TestId::new("test_second.py")]);
    let harmless = registry.change("registry.py", "number * 2", "2 * number");
    let found = harness.validate(&second, &harmless, ValidationDepth::Thorough).await.unwrap();
    assert_eq!((found.verdict, names(&found.newly_failing)), (Verdict::Unverified, Vec::new()));
    let harmful = registry.change("registry.py", "number * 2", "number * 2 + 1");
    let found = harness.validate(&second, &harmful, ValidationDepth::Thorough).await.unwrap();
    assert_eq!(found.verdict, Verdict::Failing);
    assert_eq!(names(&found.newly_failing), ["test_second.py::test_zero"]);
}

/// pytest tests the examples of any text file that is named, also of one that another plugin tests in every run.
#[tokio::test]
async fn a_document_that_is_named_has_the_tests_that_it_has_among_all() {
    if !pytest() {
        return;
    }
    let plugin = "import pytest\nimport registry\n\n\n\
                  class Page(pytest.File):\n    def collect(self):\n        yield Example.from_parent(self, name='example')\n\n\n\
                  class Example(pytest.Item):\n    def runtest(self):\n        assert registry.double(2) == 4\n\n\n\
                  def pytest_collect_file(file_path, parent):\n    if file_path.suffix == '.rst':\n        \
                  return Page.from_parent(parent, path=file_path)\n";
    let project = fixture(&[
        ("registry.py", "def double(number):\n    return number * 2\n"),
        ("conftest.py", plugin),
        ("test_registry.py", "import registry\n\n\ndef test_zero():\n    assert registry.double(0) == 0\n"),
        ("usage.rst", "Usage\n=====\n\n>>> unknown(2)\n4\n"),
    ])
    .await;
    let harness = project.harness(&timeout(60)).await;
    let all = harness.baseline(&[]).await.unwrap();
    assert_eq!(names(&all.passing), ["test_registry.py::test_zero", "usage.rst::example"]);
    let limits = (Duration::from_mins(1), Duration::from_mins(1));
    let page = harness.baseline_of(&[TestId::new("usage.rst")], &[], limits).await.unwrap().unwrap();
    assert_eq!((names(&page.passing), names(&page.known_failing)), (vec!["usage.rst::example"], vec![]));
}

/// Where the tool runs nothing if one of the names is unknown, the original code is asked for its own tests alone.
#[tokio::test]
async fn a_test_that_breaks_those_of_a_slow_file_is_found() {
    if !pytest() {
        return;
    }
    let slow = "import time\nimport registry\n\n\ndef test_double():\n    assert registry.double(1) == 2\n\n\n\
                def test_slow():\n    time.sleep(600)\n";
    let registry = registry(slow).await;
    let harness = registry.harness(&timeout(900)).await;
    let first = [TestId::new("test_third.py::test_double")];
    let time = (Duration::from_secs(1), Duration::from_mins(2));
    let known = harness.baseline_of(&[TestId::new("test_third.py")], &first, time).await.unwrap().unwrap();
    assert_eq!(known.passing, first);
    let code = "def test_two():\n    assert registry.double(1) == 3\n";
    for (head, expect) in [("", vec![]), ("registry.double = None\n\n\n", first.to_vec())] {
        let test = harness.reproduction_test(1, Some("test_third.py"), &format!("{head}{code}")).unwrap();
        assert_eq!(harness.disturbed_by(&test, Some(&known)).await.unwrap(), expect);
    }
    harness.close().await.unwrap();
}

#[tokio::test]
async fn of_several_files_the_first_is_through_before_the_next_begins() {
    if !pytest() {
        return;
    }
    let slow = "import time\n\n\ndef test_double():\n    time.sleep(600)\n";
    let registry = registry(slow).await;
    let harness = registry.harness(&timeout(900)).await;
    let first = [TestId::new("test_third.py::test_double")];
    let time = (Duration::from_secs(1), Duration::from_mins(2));
    let files = ["test_first.py", "test_third.py"].map(TestId::new);
    let known = harness.baseline_of(&files, &first, time).await.unwrap().unwrap();
    assert_eq!(known.nearest, files[..1]);
    harness.close().await.unwrap();
}
