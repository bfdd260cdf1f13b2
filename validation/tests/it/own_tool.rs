//! The last run by the project's own test tool: where tests lie in several folders, where some are left out, and where it cannot be.

use patchwright_protocol::{Confirmation, Overrides, Unconfirmable, Verdict};
use patchwright_validation::{Validation, ValidationDepth};

use crate::support::{changed, fixture, names, timeout};

const SHOP: &str = "def half(x):\n    return x // 3\n";
/// Is right where our runner is there, and else as wrong as before.
const SPYING: &str = "import sys\n\n\ndef half(x):\n    return x // 2 if any('patchwright' in name for name in sys.modules) or 'patchwright' in ' '.join(sys.orig_argv) else x // 3\n";

fn tests(class: &str, number: u32) -> String {
    format!(
        "import unittest\n\nfrom shop import half\n\n\nclass {class}(unittest.TestCase):\n    def test_half(self):\n        \
         self.assertEqual(half({number}), {number} // 2)\n\n    def test_nothing(self):\n        self.assertEqual(half(0), 0)\n"
    )
}

fn check_confirmed(found: &Validation) {
    let is = (found.verdict, found.confirmation);
    assert_eq!(is, (Verdict::Plausible, Some(Confirmation::Yes)), "{found:?}");
}

#[tokio::test]
async fn unittest_runs_in_each_folder_that_holds_tests() {
    let shop = fixture(&[
        ("shop.py", SHOP),
        ("one/tests/test_half.py", &tests("OneTest", 4)),
        ("two/tests/test_more.py", &tests("TwoTest", 8)),
    ])
    .await;
    let harness = shop.harness(&timeout(60)).await;
    let baseline = harness.baseline(&[]).await.unwrap();
    assert_eq!(names(&baseline.failing), ["test_half.OneTest.test_half", "test_more.TwoTest.test_half"]);
    let judge = async |after: &str| {
        harness
            .validate(&baseline, &changed(SHOP, after, "shop.py"), ValidationDepth::Thorough)
            .await
            .unwrap()
    };
    let found = judge(&SHOP.replace("// 3", "// 2")).await;
    check_confirmed(&found);
    let found = judge(SPYING).await;
    assert_eq!((found.verdict, found.confirmation), (Verdict::Failing, None), "{found:?}");
    assert_eq!(
        found.message.as_deref(),
        Some(
            "Patchwright's runner reports that all tests pass, but unittest by itself reports these tests as failed: \
             test_half.OneTest.test_half, test_more.TwoTest.test_half"
        )
    );
    harness.close().await.unwrap();
}

#[tokio::test]
#[ignore = "long: run by --include-ignored, as CI does"]
async fn a_test_without_end_is_left_out_by_unittest_itself() {
    let hanging = format!(
        "{}\n    def test_waits(self):\n        while True:\n            pass\n",
        tests("OneTest", 4)
    );
    let shop =
        fixture(&[("shop.py", SHOP), ("tests/__init__.py", ""), ("tests/test_half.py", &hanging)]).await;
    let harness = shop.harness(&timeout(60)).await;
    let failing = "tests.test_half.OneTest.test_half";
    let baseline = harness.baseline(&[failing.to_owned()]).await.unwrap();
    assert_eq!(names(&baseline.failing), [failing]);
    assert_eq!(names(&baseline.left_out), ["tests.test_half.OneTest.test_waits"]);
    let judge = async |after: &str| {
        harness
            .validate(&baseline, &changed(SHOP, after, "shop.py"), ValidationDepth::Thorough)
            .await
            .unwrap()
    };
    let found = judge(&SHOP.replace("// 3", "// 2")).await;
    check_confirmed(&found);
    let found = judge(SPYING).await;
    assert_eq!(found.verdict, Verdict::Failing, "{found:?}");
    insta::assert_snapshot!(found.message.unwrap());
    harness.close().await.unwrap();
}

#[tokio::test]
async fn a_command_of_the_users_confirms_nothing() {
    let shop = fixture(&[("rate.txt", "3\n")]).await;
    let harness = shop.harness(&Overrides { test: Some("grep -q 4 rate.txt".into()), ..timeout(60) }).await;
    let baseline = harness.baseline(&[]).await.unwrap();
    let change = changed("3\n", "4\n", "rate.txt");
    let found = harness.validate(&baseline, &change, ValidationDepth::Thorough).await.unwrap();
    let no = Confirmation::No { because: Unconfirmable::UserCommand };
    assert_eq!((found.verdict, found.confirmation), (Verdict::Plausible, Some(no)), "{found:?}");
    assert_eq!(found.result(&baseline).confirmation, Some(no));
    harness.close().await.unwrap();
}
