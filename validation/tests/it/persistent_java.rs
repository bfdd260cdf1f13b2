//! Candidates of Java projects that are judged by a warm worker.

use patchwright_edits::Applied;
use patchwright_protocol::Verdict;
use patchwright_validation::{Baseline, Optimizations, TestHarness, Validation, ValidationDepth};

use crate::support::{
    Fixture, assert_clean, assert_judged_by_workers, fixture, names, processes_in, there, timeout,
};

const BASKET: &str = "package shop;

import java.util.ArrayList;
import java.util.List;

public class Basket {
    public static final int FIRST = 1;
    private final List<Integer> prices = new ArrayList<>();

    public void add(int price) {
        prices.add(price);
    }

    public int total() {
        int sum = 0;
        for (int i = FIRST; i < prices.size(); i++) {
            sum += prices.get(i);
        }
        return sum;
    }
}
";
const TILL: &str = "package shop;

public class Till {
    private static int opened;

    public int first() {
        return Basket.FIRST;
    }

    public int open() {
        return ++opened;
    }
}
";
const TEST: &str = "package shop;

import static org.junit.Assert.assertEquals;

import java.io.File;
import org.junit.Test;

public class BasketTest {
    private final Basket basket = new Basket();

    @Test(timeout = 60000)
    public void total() {
        basket.add(3);
        basket.add(4);
        System.out.println(\"total is \" + basket.total());
        assertEquals(\"of 3 and 4\", 7, basket.total());
    }

    @Test
    public void empty() {
        assertEquals(0, basket.total());
    }

    @Test
    public void till() {
        assertEquals(\"a fresh class\", 1, new Till().open());
        assertEquals(System.getProperty(\"first\", \"unset\"), \"unset\");
    }

    @Test
    public void places() {
        assertEquals(1, new File(\".\").list().length);
        assertEquals(false, new File(System.getenv(\"TMPDIR\"), \"left\").exists());
    }
}
";
const TOTAL: &str = "shop.BasketTest::total";
const LOOP: &str = "int i = FIRST;";

fn junit() -> bool {
    there("javac -version && ls /usr/share/java/junit4.jar", true)
}

async fn shop() -> Fixture {
    fixture(&[
        ("src/main/java/shop/Basket.java", BASKET),
        ("src/main/java/shop/Till.java", TILL),
        ("src/test/java/shop/BasketTest.java", TEST),
    ])
    .await
}

async fn harness(shop: &Fixture, optimizations: Optimizations) -> TestHarness {
    shop.harness_with(
        &timeout(60),
        optimizations,
        if optimizations.persistent_workers { "warm" } else { "cold" },
    )
    .await
}

async fn judge(harness: &TestHarness, baseline: &Baseline, applied: &Applied) -> Validation {
    harness.validate(baseline, applied, ValidationDepth::Thorough).await.unwrap()
}

fn change(shop: &Fixture, from: &str, to: &str) -> Applied {
    shop.change("src/main/java/shop/Basket.java", from, to)
}

#[tokio::test]
#[ignore = "long: run by --include-ignored, as CI does"]
async fn verdicts_and_reports_are_those_of_a_cold_run() {
    if !junit() {
        return;
    }
    let shop = shop().await;
    let warm = harness(&shop, Optimizations { share_verdicts: false, ..Optimizations::default() }).await;
    let cold = harness(
        &shop,
        Optimizations { persistent_workers: false, share_verdicts: false, ..Optimizations::default() },
    )
    .await;
    let baseline = cold.baseline(&[]).await.unwrap();
    assert_eq!(names(&baseline.failing), [TOTAL]);
    for (from, to, verdict) in [
        (LOOP, "int i = 0;", Verdict::Plausible),
        (LOOP, "int i = 2;", Verdict::Failing),
        (LOOP, "int i = -1;", Verdict::Failing),
        ("int sum = 0", "int sum = prices.isEmpty() ? 1 : prices.get(0)", Verdict::Failing),
        ("int FIRST = 1", "int FIRST = 0", Verdict::Plausible),
        (LOOP, "int i = nowhere;", Verdict::DoesNotCompile),
        ("public int total()", "private int total()", Verdict::DoesNotCompile),
    ] {
        let change = change(&shop, from, to);
        let (one, other) = (judge(&warm, &baseline, &change).await, judge(&cold, &baseline, &change).await);
        assert_eq!((one.verdict, other.verdict), (verdict, verdict), "{to}: {}", one.report.render(4000));
        assert_eq!(one.report.render(10_000), other.report.render(10_000), "{to}");
        assert_eq!(one.report.outcomes, other.report.outcomes, "{to}");
        assert_eq!(one.newly_failing, other.newly_failing, "{to}");
        assert_clean(&one.report, &shop);
    }
    assert_judged_by_workers(&warm, 7);
}

#[tokio::test]
#[ignore = "long: run by --include-ignored, as CI does"]
async fn bad_candidates() {
    if !junit() {
        return;
    }
    let shop = shop().await;
    let harness = harness(&shop, Optimizations { share_verdicts: false, ..Optimizations::default() }).await;
    let baseline = harness.baseline(&[]).await.unwrap();
    let wrong = change(&shop, LOOP, "int i = 2;");
    let expected = judge(&harness, &baseline, &wrong).await.report.render(4000);
    for (code, verdict) in [
        ("while (i() == 1) { }", Verdict::TimedOut),
        ("System.exit(0);", Verdict::Failing),
        (
            "System.setProperty(\"first\", \"set\"); System.setOut(null); java.util.Locale.setDefault(java.util.Locale.FRANCE);",
            Verdict::Failing,
        ),
        ("System.out.close(); System.err.close();", Verdict::Failing),
        (
            "for (int k = 0; k < 200000; k++) System.out.println(\"0123456789012345678901234567890123456789\");",
            Verdict::Failing,
        ),
        ("new Thread(() -> { while (true) { } }).start();", Verdict::Failing),
        (
            "try { new ProcessBuilder(\"sleep\", \"600\").start(); } catch (java.io.IOException e) { }",
            Verdict::Failing,
        ),
        (
            "try { new java.io.File(System.getenv(\"TMPDIR\"), \"left\").createNewFile(); new java.io.File(\"left\").createNewFile(); new java.io.File(\"src/main/java/shop/Till.java\").delete(); } catch (java.io.IOException e) { }",
            Verdict::Failing,
        ),
    ] {
        let from = "        int sum = 0;";
        let mut change =
            change(&shop, from, &format!("        {code}\n        if (i() == 1) return -1;\n{from}"));
        let text = String::from_utf8(change.files[0].after.take().unwrap()).unwrap();
        let text = text
            .replace("    public int total()", "    private int i() { return 1; }\n\n    public int total()");
        change.files[0].after = Some(text.into_bytes());
        let found = harness.validate(&baseline, &change, ValidationDepth::FirstFailure).await.unwrap();
        assert_eq!(found.verdict, verdict, "{code}: {}", found.report.render(4000));
        let next = judge(&harness, &baseline, &wrong).await;
        assert_eq!(next.report.render(4000), expected, "after {code}");
    }
    assert_eq!(
        judge(&harness, &baseline, &change(&shop, LOOP, "int i = 0;")).await.verdict,
        Verdict::Plausible
    );
    let report = harness.worker_report();
    assert!(report.on && report.disagreements.is_empty(), "{report:?}");
    harness.close().await.unwrap();
    assert_eq!(processes_in(shop.work.path()), Vec::<String>::new());
    assert_eq!(std::fs::read_dir(shop.work.path()).unwrap().count(), 0);
}

#[tokio::test]
#[ignore = "long: run by --include-ignored, as CI does"]
async fn equal_classes_share_a_verdict() {
    if !junit() {
        return;
    }
    let shop = shop().await;
    let harness = harness(&shop, Optimizations::default()).await;
    let baseline = harness.baseline(&[]).await.unwrap();
    for (one, other, verdict) in [
        ("int i = 0;", "int i = (0);", Verdict::Plausible),
        ("int i = 2;", "int i = 1 + 1;", Verdict::Failing),
    ] {
        let found = judge(&harness, &baseline, &change(&shop, LOOP, one)).await;
        assert_eq!((found.verdict, found.shared), (verdict, false), "{one}");
        let found = judge(&harness, &baseline, &change(&shop, LOOP, other)).await;
        assert_eq!((found.verdict, found.shared), (verdict, true), "{other}");
    }
}

#[tokio::test]
#[ignore = "long: run by --include-ignored, as CI does"]
async fn a_hang_that_is_the_bug_is_judged_warm() {
    if !junit() {
        return;
    }
    let endless = BASKET.replace("i++", "i += 0");
    let shop = fixture(&[
        ("src/main/java/shop/Basket.java", &endless),
        ("src/main/java/shop/Till.java", TILL),
        ("src/test/java/shop/BasketTest.java", &TEST.replace("@Test(timeout = 60000)", "@Test")),
    ])
    .await;
    let harness = shop.harness_with(&timeout(20), Optimizations::default(), "warm").await;
    let baseline = harness.baseline(&[TOTAL.to_owned()]).await.unwrap();
    assert_eq!(names(&baseline.failing), [TOTAL]);
    for (from, to, verdict) in [
        ("i += 0", "i -= 0", Verdict::TimedOut),
        ("int i = FIRST; i < prices.size(); i += 0", "int i = 0; i < prices.size(); i++", Verdict::Plausible),
    ] {
        assert_eq!(judge(&harness, &baseline, &change(&shop, from, to)).await.verdict, verdict, "{to}");
    }
    assert_judged_by_workers(&harness, 2);
}

/// Tests of two classes share a static, as in many projects: the second class needs the first before it.
#[tokio::test]
#[ignore = "long: run by --include-ignored, as CI does"]
async fn a_test_that_needs_a_static_of_another_does_not_cost_a_fix_its_verdict() {
    if !junit() {
        return;
    }
    let marks =
        TEST.replace("public class BasketTest {", "public class BasketTest {\n    static boolean ran;\n");
    let marks = marks.replace("public void empty() {", "public void empty() {\n        ran = true;");
    let needy = "package shop;\n\nimport static org.junit.Assert.assertTrue;\n\nimport org.junit.Test;\n\n\
                 public class NeedyTest {\n    @Test\n    public void marked() {\n        assertTrue(BasketTest.ran);\n    }\n}\n";
    let shop = fixture(&[
        ("src/main/java/shop/Basket.java", BASKET),
        ("src/main/java/shop/Till.java", TILL),
        ("src/test/java/shop/BasketTest.java", &marks),
        ("src/test/java/shop/NeedyTest.java", needy),
    ])
    .await;
    let harness = harness(&shop, Optimizations { share_verdicts: false, ..Optimizations::default() }).await;
    let baseline = harness.baseline(&[]).await.unwrap();
    for fix in ["int i = 0;", "int i = 1 - 1;"] {
        let found = harness
            .validate(&baseline, &change(&shop, LOOP, fix), ValidationDepth::FirstFailure)
            .await
            .unwrap();
        assert_eq!(found.verdict, Verdict::Plausible, "{found:?}");
    }
    let report = harness.worker_report();
    assert_eq!((report.on, report.judged), (true, 2), "{report:?}");
}
