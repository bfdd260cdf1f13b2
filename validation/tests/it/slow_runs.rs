//! Runs of a candidate that reach their limit.

use std::fs;
use std::time::Duration;

use patchwright_protocol::{TestId, TestsRun, Verdict};
use patchwright_validation::{Baseline, TestHarness, ValidationDepth};
use tempfile::NamedTempFile;

use crate::support::{Fixture, fixture, names, timeout};

const LIMIT: Duration = Duration::from_secs(8);

/// A shop whose tests take as long as a file outside of it says, the more so the more has to be paid.
struct SlowShop {
    project: Fixture,
    pace: NamedTempFile,
}

impl SlowShop {
    async fn open() -> Self {
        let pace = NamedTempFile::new().unwrap();
        fs::write(&pace, "0").unwrap();
        let code = "RATE = 3\n\n\ndef pay(amount):\n    return amount * RATE\n";
        let tests = |module: &str, count: usize, bug: &str| {
            let head = format!(
                "import time\nimport unittest\nimport shop\n\n\ndef wait():\n    time.sleep(float(open('{}').read()))\n\n\n\
                 class {module}Test(unittest.TestCase):\n{bug}",
                pace.path().display()
            );
            let test = |number| {
                format!(
                    "    def test_{number:02}(self):\n        wait()\n        self.assertEqual(shop.pay(0), 0)\n"
                )
            };
            (0..count).map(test).fold(head, |text, test| text + &test)
        };
        let bug = "    def test_bug(self):\n        self.assertEqual(shop.pay(1), 4)\n";
        let files = [
            ("shop.py", code.to_owned()),
            ("test_a.py", tests("A", 3, bug)),
            ("test_b.py", tests("B", 3, "")),
            ("test_zebra.py", tests("Zebra", 20, "")),
        ];
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
        Self { project: fixture(&files).await, pace }
    }

    /// The tests before any change, with a limit that a slow machine does not keep.
    async fn measured(&self) -> (TestHarness, Baseline) {
        let harness = self.project.harness(&timeout(60)).await;
        let baseline = harness.baseline(&[]).await.unwrap();
        assert_eq!((names(&baseline.failing), baseline.passing.len()), (vec!["test_a.ATest.test_bug"], 26));
        (harness, Baseline { limit: LIMIT, ..baseline })
    }
}

#[tokio::test]
#[ignore = "long: run by --include-ignored, as CI does"]
async fn on_a_machine_that_became_slow_those_tests_count_that_ended() {
    let shop = SlowShop::open().await;
    let (harness, baseline) = shop.measured().await;
    fs::write(&shop.pace, "0.5").unwrap();
    let fix = shop.project.change("shop.py", "RATE = 3", "RATE = 4");
    let found = harness.validate(&baseline, &fix, ValidationDepth::Thorough).await.unwrap();
    assert_eq!(found.verdict, Verdict::Plausible, "{:?} {}", found.message, found.report.log);
    let result = found.result(&baseline);
    let Some(TestsRun::Counted(ran)) = &result.tests_run else { panic!("{result:?}") };
    assert_eq!((result.tests_run.as_ref().unwrap().is_partial(), ran.all_tests), (true, Some(27)));
    assert!(
        found.measured.contains(&TestId::new("test_a"))
            && !found.measured.contains(&TestId::new("test_zebra"))
    );
    // What fails by then has failed.
    let wrong = shop.project.change("shop.py", "amount * RATE", "amount * 4 or 1");
    let found = harness.validate(&baseline, &wrong, ValidationDepth::Thorough).await.unwrap();
    assert_eq!(found.verdict, Verdict::Failing);
    assert!(found.newly_failing.contains(&TestId::new("test_a.ATest.test_00")), "{:?}", found.newly_failing);
}

#[tokio::test]
#[ignore = "long: run by --include-ignored, as CI does"]
async fn a_change_that_makes_tests_slow_or_hang_does_not_pass() {
    let shop = SlowShop::open().await;
    let (harness, baseline) = shop.measured().await;
    let slow = "RATE = 4\n\n\ndef pay(amount):\n    import time; time.sleep(0 if amount else 0.5)\n";
    let slow = shop.project.change("shop.py", "RATE = 3\n\n\ndef pay(amount):\n", slow);
    let found = harness.validate(&baseline, &slow, ValidationDepth::Thorough).await.unwrap();
    assert_eq!(found.verdict, Verdict::TimedOut, "{:?}", found.message);
    assert!(found.message.is_some());
    // On a slow machine as well: the test in which the run ends has to come to its end.
    fs::write(&shop.pace, "0.5").unwrap();
    let hangs = "RATE = 4\nCALLS = []\n\n\ndef pay(amount):\n    import sys, time\n    \
                 time.sleep(60 if 'test_zebra' in sys._getframe(1).f_globals['__name__'] else 0)\n";
    let hangs = shop.project.change("shop.py", "RATE = 3\n\n\ndef pay(amount):\n", hangs);
    let found = harness.validate(&baseline, &hangs, ValidationDepth::Thorough).await.unwrap();
    assert_eq!(found.verdict, Verdict::TimedOut, "{:?}", found.message);
}
