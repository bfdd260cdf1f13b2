//! Commands of the user's own, and what a test harness says when they do not fit.

use patchwright_protocol::{Actionable, Overrides, Verdict};
use patchwright_test_results::{TEST_COMMAND, read_results_format};
use patchwright_validation::{TestHarnessError, ValidationDepth};

use crate::support::{fixture, names, timeout};

#[tokio::test]
async fn an_exit_status_alone() {
    let project =
        fixture(&[("rate.txt", "3\n"), ("check.sh", "grep -q 4 rate.txt || { echo no 4; exit 1; }\n")]).await;
    let harness = project.harness(&Overrides { test: Some("sh check.sh".into()), ..timeout(30) }).await;
    let baseline = harness.baseline(&[]).await.unwrap();
    assert_eq!(names(&baseline.failing), [TEST_COMMAND]);
    assert!(baseline.report.render(1000).contains("no 4"), "{}", baseline.report.render(1000));
    let fix = project.change("rate.txt", "3", "4");
    assert_eq!(
        harness.validate(&baseline, &fix, ValidationDepth::Thorough).await.unwrap().verdict,
        Verdict::Plausible
    );
    let wrong = project.change("rate.txt", "3", "5");
    assert_eq!(
        harness.validate(&baseline, &wrong, ValidationDepth::Thorough).await.unwrap().verdict,
        Verdict::Failing
    );
}

#[tokio::test]
async fn single_commands_have_outcomes_of_their_own() {
    let project = fixture(&[("a.txt", "3\n"), ("b.txt", "3\n")]).await;
    let overrides = Overrides {
        test: Some("grep -q 4 a.txt && grep -q 4 b.txt".into()),
        test_one: Some("grep -q 4 {test}.txt".to_owned()),
        ..timeout(30)
    };
    let harness = project.harness(&overrides).await;
    let baseline = harness.baseline(&["a".to_owned(), "b".to_owned()]).await.unwrap();
    assert_eq!(
        (names(&baseline.failing), names(&baseline.known_failing)),
        (vec!["a", "b"], vec![TEST_COMMAND])
    );
    let half = project.change("a.txt", "3", "4");
    let found = harness.validate(&baseline, &half, ValidationDepth::Thorough).await.unwrap();
    assert_eq!((found.verdict, names(&found.still_failing)), (Verdict::Failing, vec!["b"]));
}

#[tokio::test]
async fn a_project_where_all_is_well() {
    let project = fixture(&[("a.txt", "")]).await;
    let harness = project.harness(&Overrides { test: Some("test -e a.txt".into()), ..timeout(30) }).await;
    let baseline = harness.baseline(&[]).await.unwrap();
    assert!(baseline.failing.is_empty());
    assert_eq!(names(&baseline.passing), [TEST_COMMAND]);
}

#[tokio::test]
async fn commands_that_do_not_fit() {
    let project = fixture(&[("tests/test_a.py", "x = 1\n")]).await;
    let check =
        async |overrides: Overrides| project.harness(&overrides).await.baseline(&[]).await.unwrap_err();
    let given = |test: &str, results: &str| Overrides {
        test: Some(test.into()),
        results: Some(read_results_format(results).unwrap()),
        ..timeout(5)
    };
    let error = check(given("echo hello there", "pytest")).await;
    let TestHarnessError::NoTests { command, exit, log } = &error else { panic!("{error}") };
    assert_eq!((command.as_str(), exit.as_str()), ("echo hello there", "status 0"));
    assert_eq!(log.trim_end(), "hello there");
    assert!(error.hint().unwrap().contains("--test CMD"));
    let error = check(given("sh -c no-such-program-anywhere", "exit-status")).await;
    assert!(matches!(&error, TestHarnessError::NoTests { exit, .. } if exit == "status 127"), "{error}");
    insta::assert_snapshot!(error.hint().unwrap());
    let error = check(given("sleep 60", "junit-xml:**/*.xml")).await;
    assert!(matches!(error, TestHarnessError::TimedOut { .. }), "{error}");
    let error =
        check(Overrides { build: Some("echo broken; exit 3".to_owned()), ..given("true", "exit-status") })
            .await;
    assert!(matches!(error, TestHarnessError::BuildFailsBeforeAnyChange { .. }), "{error}");
    assert!(error.to_string().contains("broken"), "{error}");
}

#[tokio::test]
async fn results_of_the_run_before_do_not_count() {
    let xml = "<testsuite><testcase classname=\"a.B\" name=\"c\"/></testsuite>";
    let script = "if test -e bug; then exit 1; fi; mkdir -p out && cp good.xml out/r.xml";
    let project = fixture(&[("good.xml", xml), ("out/r.xml", xml), ("bug", ""), ("check.sh", script)]).await;
    let overrides = Overrides {
        test: Some("sh check.sh".into()),
        results: Some(read_results_format("junit-xml:out/*.xml").unwrap()),
        ..timeout(30)
    };
    let error = project.harness(&overrides).await.baseline(&[]).await.unwrap_err();
    assert!(matches!(error, TestHarnessError::NoTests { .. }), "{error}");
}

#[tokio::test]
async fn results_above_the_bound_are_named() {
    let test = "mkdir -p out && truncate -s 2560M out/r.xml";
    let project = fixture(&[("a.py", "")]).await;
    let overrides = Overrides {
        test: Some(test.into()),
        results: Some(read_results_format("junit-xml:out/*.xml").unwrap()),
        ..timeout(30)
    };
    let error = project.harness(&overrides).await.baseline(&[]).await.unwrap_err();
    let TestHarnessError::ResultsNotRead { reason, .. } = &error else { panic!("{error}") };
    assert!(["out/r.xml`", "2684354560", "268435456"].iter().all(|part| reason.contains(part)), "{error}");
}

#[tokio::test]
async fn variables_of_the_user_win() {
    let project = fixture(&[("a.py", ""), ("test_a.py", "import os, unittest\n\nclass T(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(os.environ['PYTHONHASHSEED'], '7')\n        self.assertTrue(os.environ['PYTHONPATH'].endswith(':/somewhere'))\n        self.assertIn('lane-', os.environ['PYTHONPATH'])\n")]).await;
    let env = [("PYTHONHASHSEED", "7"), ("PYTHONPATH", "/somewhere")];
    let env = env.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    let harness = project.harness(&Overrides { env: Some(env), ..timeout(30) }).await;
    let report = harness.run_tests(None, None).await.unwrap();
    assert_eq!(names(&report.failing()), Vec::<&str>::new(), "{}", report.render(2000));
}
