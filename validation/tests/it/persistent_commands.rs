//! Commands of the user's own, and build tools, whose candidates are judged by warm workers and whose coverage is recorded.

use patchwright_fault_localization::{Basis, Formula};
use patchwright_protocol::{Overrides, Verdict};
use patchwright_test_results::read_results_format;
use patchwright_validation::{CoverageScope, Optimizations, TestHarness, ValidationDepth};

use crate::support::{Fixture, assert_clean, assert_judged_by_workers, fixture, names, there, timeout};

const BASKET: &str = "package shop;

public class Basket {
    private int[] prices = new int[0];

    public void add(int price) {
        prices = java.util.Arrays.copyOf(prices, prices.length + 1);
        prices[prices.length - 1] = price;
    }

    public int total() {
        int sum = 0;
        for (int i = 1; i < prices.length; i++) {
            sum += prices[i];
        }
        return sum;
    }

    public String label() throws java.io.IOException {
        try (java.io.InputStream in = Basket.class.getResourceAsStream(\"/label.txt\")) {
            return new java.util.Scanner(in).next();
        }
    }
}
";
const TEST: &str = "package shop;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class BasketTest {
    private final Basket basket = new Basket();

    @Test
    public void total() {
        basket.add(3);
        basket.add(4);
        assertEquals(7, basket.total());
    }

    @Test
    public void empty() {
        assertEquals(0, basket.total());
    }

    @Test
    public void around() throws Exception {
        assertEquals(\"fine\", basket.label());
        assertEquals(\"3\", System.getProperty(\"shop.rate\"));
        assert basket == null : \"assertions are off\";
    }
}
";
const OLD: &str = "package shop;

public class OldTest extends junit.framework.TestCase {
    public void testAdd() {
        new Basket().add(2);
    }
}
";
/// Not part of what the commands test, and not even compiled by them.
const OTHER: &str = "package shop;

public class OtherTest extends junit.framework.TestCase {
    public void testFails() {
        fail(\"this has never worked\");
    }
}
";
const BROKEN: &str = "package shop;\n\npublic class Draft {\n    Missing missing;\n}\n";
const LOOP: &str = "int i = 1;";
const JARS: &str = "/usr/share/java/junit4.jar:/usr/share/java/hamcrest-core.jar";

fn junit() -> bool {
    there("javac -version && ls /usr/share/java/junit4.jar", true)
}

async fn shop(more: &[(&str, &str)]) -> Fixture {
    let files = [
        ("src/shop/Basket.java", BASKET),
        ("src/shop/Draft.java", BROKEN),
        ("conf/label.txt", "fine\n"),
        ("test/shop/BasketTest.java", TEST),
        ("test/shop/OldTest.java", OLD),
        ("test/shop/OtherTest.java", OTHER),
    ];
    fixture(&[&files, more].concat()).await
}

/// The first `count` verdicts of a worker, which are to be those of the command, and the ranking by coverage.
async fn check(shop: &Fixture, overrides: &Overrides, count: usize) {
    let overrides = Overrides {
        source: Some(vec!["src".to_owned()]),
        tests: Some(vec!["test".to_owned()]),
        ..overrides.clone()
    };
    let optimizations = Optimizations { share_verdicts: false, ..Optimizations::default() };
    let warm = shop.harness_with(&overrides, optimizations, "warm").await;
    let cold = shop
        .harness_with(&overrides, Optimizations { persistent_workers: false, ..optimizations }, "cold")
        .await;
    let baseline = cold.baseline(&[]).await.unwrap();
    assert_eq!(names(&baseline.failing), ["shop.BasketTest::total"]);
    let candidates = [
        (LOOP, "int i = 0;", Verdict::Plausible),
        (LOOP, "int i = 2;", Verdict::Failing),
        (LOOP, "int i = nowhere;", Verdict::DoesNotCompile),
        ("new int[0]", "null", Verdict::Failing),
        ("public int total()", "int total()", Verdict::Failing),
        ("public void add(int price)", "private void add(int price)", Verdict::DoesNotCompile),
        ("public void add(int price)", "public void add(long price, int... more)", Verdict::DoesNotCompile),
    ];
    for (from, to, verdict) in candidates.into_iter().take(count) {
        let change = shop.change("src/shop/Basket.java", from, to);
        let judged = warm.validate(&baseline, &change, ValidationDepth::Thorough).await.unwrap();
        let expected = cold.validate(&baseline, &change, ValidationDepth::Thorough).await.unwrap();
        assert_eq!(
            (judged.verdict, expected.verdict),
            (verdict, verdict),
            "{to}: {}",
            judged.report.render(4000)
        );
        assert_eq!(judged.still_failing, expected.still_failing, "{to}");
        assert_clean(&judged.report, shop);
    }
    assert_judged_by_workers(&warm, count);
    // As where all tests take long: they are recorded in two goes.
    let mut long = baseline.clone();
    long.report.test_seconds.values_mut().for_each(|seconds| *seconds += 1.0);
    let part =
        patchwright_fault_localization::spectrum(&warm, &long, Formula::default(), CoverageScope::Nearest)
            .await
            .unwrap();
    let ranking =
        patchwright_fault_localization::spectrum(&warm, &baseline, Formula::default(), CoverageScope::All)
            .await
            .unwrap();
    if there("ls /usr/share/java/org.jacoco.core.jar", false) {
        for basis in [&part.basis, &ranking.basis] {
            assert!(matches!(basis, Basis::Coverage { tool } if tool.starts_with("JaCoCo")), "{basis:?}");
        }
        assert_eq!(ranking.lines[0].path, "src/shop/Basket.java");
        let coverage = ranking.coverage.as_ref().unwrap();
        assert!(coverage.lines("src/shop/Basket.java").any(|(line, tests)| line == 14 && tests.count() == 1));
    }
}

#[tokio::test]
#[ignore = "long: run by --include-ignored, as CI does"]
async fn junit_in_a_script() {
    if !junit() {
        return;
    }
    let script = format!(
        "mkdir -p made/main made/test && cp conf/label.txt made/main &&
javac -nowarn -d made/main src/shop/Basket.java &&
javac -d made/test -cp made/main:{JARS} test/shop/BasketTest.java test/shop/OldTest.java || exit 1
exec java -Dshop.rate=3 -cp made/main:made/test:{JARS} org.junit.runner.JUnitCore shop.BasketTest shop.OldTest\n"
    );
    let suite = "package shop;\n\n@org.junit.runner.RunWith(org.junit.runners.Suite.class)\n\
                 @org.junit.runners.Suite.SuiteClasses({BasketTest.class, OldTest.class})\npublic class Everything {\n}\n";
    let by_suite =
        script.replace("test/shop/OldTest.java |", "test/shop/OldTest.java test/shop/Everything.java |");
    let by_suite = by_suite.replace("JUnitCore shop.BasketTest shop.OldTest", "JUnitCore shop.Everything");
    let files = [
        ("run_tests.sh", script.as_str()),
        ("run_suite.sh", &by_suite),
        ("test/shop/Everything.java", suite),
    ];
    let shop = shop(&files).await;
    let given = |test: &str, results: &str| Overrides {
        test: Some(test.into()),
        results: Some(read_results_format(results).unwrap()),
        ..timeout(120)
    };
    check(&shop, &given("sh run_tests.sh", "junit-text"), 7).await;
    check(&shop, &given("sh run_suite.sh", "junit-text"), 1).await;
}

fn build(junit: &str) -> String {
    format!(
        "<project default=\"test\"><path id=\"jars\"><pathelement path=\"{JARS}\"/></path>
<target name=\"test\"><mkdir dir=\"made\"/>
<javac srcdir=\"src\" destdir=\"made\" includes=\"**/Basket.java\" includeantruntime=\"false\" source=\"8\" target=\"8\" debug=\"on\"/>
<javac srcdir=\"test\" destdir=\"made\" excludes=\"**/OtherTest.java\" includeantruntime=\"false\" source=\"8\" target=\"8\" debug=\"on\">
<classpath refid=\"jars\"/><classpath path=\"made\"/></javac>
<junit {junit}><sysproperty key=\"shop.rate\" value=\"3\"/>
<classpath><pathelement path=\"made\"/><pathelement path=\"conf\"/><path refid=\"jars\"/></classpath>
<formatter type=\"xml\"/><batchtest todir=\"made\"><fileset dir=\"test\" includes=\"**/*Test.java\" excludes=\"**/OtherTest.java\"/></batchtest></junit>
</target></project>"
    )
}

#[tokio::test]
#[ignore = "long: run by --include-ignored, as CI does"]
async fn ant_in_processes_of_its_own_and_in_its_own() {
    if !junit() || !there("ant -version && ls /usr/share/java/ant-junit.jar", true) {
        return;
    }
    for junit in ["fork=\"yes\" forkmode=\"once\"", "fork=\"no\""] {
        let shop = shop(&[("build.xml", &build(junit))]).await;
        check(&shop, &timeout(120), 3).await;
    }
}

#[tokio::test]
async fn maven_with_surefire() {
    let plugins = "/usr/share/maven-repo/org/apache/maven/plugins";
    let question = format!("mvn -v && ls {plugins}/maven-surefire-plugin {plugins}/maven-compiler-plugin");
    if !junit() || !there(&question, false) {
        return;
    }
    let pom = "<project xmlns=\"http://maven.apache.org/POM/4.0.0\"><modelVersion>4.0.0</modelVersion><groupId>shop</groupId>
<artifactId>shop</artifactId><version>1.0</version><properties><maven.compiler.source>8</maven.compiler.source>
<maven.compiler.target>8</maven.compiler.target></properties><dependencies><dependency><groupId>junit</groupId>
<artifactId>junit</artifactId><version>4.13.2</version><scope>test</scope></dependency></dependencies>
<build><sourceDirectory>src</sourceDirectory><testSourceDirectory>test</testSourceDirectory>
<resources><resource><directory>conf</directory></resource></resources><plugins>
<plugin><artifactId>maven-compiler-plugin</artifactId><configuration><excludes><exclude>**/Draft.java</exclude></excludes>
<testExcludes><testExclude>**/OtherTest.java</testExclude></testExcludes></configuration></plugin>
<plugin><artifactId>maven-surefire-plugin</artifactId><configuration><enableAssertions>false</enableAssertions>
<systemPropertyVariables><shop.rate>3</shop.rate></systemPropertyVariables></configuration></plugin></plugins></build></project>";
    let shop = shop(&[("pom.xml", pom)]).await;
    check(&shop, &timeout(240), 3).await;
}

#[tokio::test]
#[ignore = "long: run by --include-ignored, as CI does"]
async fn what_cannot_be_warm_says_why() {
    if !junit() {
        return;
    }
    let class = "package shop;\n\npublic class Basket {\n    public static void main(String[] arguments) {\n        System.exit(arguments.length);\n    }\n}\n";
    let shop = fixture(&[("src/shop/Basket.java", class)]).await;
    let harness: TestHarness = shop
        .harness(&Overrides {
            test: Some("javac -d made src/shop/Basket.java && java -cp made shop.Basket 1".into()),
            ..timeout(60)
        })
        .await;
    let baseline = harness.baseline(&[]).await.unwrap();
    let change = shop.change("src/shop/Basket.java", "arguments.length", "0");
    let found = harness.validate(&baseline, &change, ValidationDepth::Thorough).await.unwrap();
    assert_eq!(found.verdict, Verdict::Plausible);
    let report = harness.worker_report();
    insta::assert_snapshot!(report.why_off.unwrap());
}

const RATE: &str = "def rate(prices):\n    total = 0\n    for price in prices[1:]:\n        total += price\n    return total\n";
const RATE_TEST: &str = "import os
import unittest

from shop.rate import rate


class RateTest(unittest.TestCase):
    def test_sum(self):
        self.assertEqual(rate([3, 4]), 7)

    def test_none(self):
        self.assertEqual(rate([]), 0)

    def test_place(self):
        self.assertEqual(os.environ['SHOP'], 'a b')
        self.assertTrue(os.path.isfile('shop/rate.py'))
";

#[tokio::test]
#[ignore = "long: run by --include-ignored, as CI does"]
async fn python_commands_of_the_user() {
    if !there("python3 -c 'import pytest'", true) {
        return;
    }
    let files = [
        ("core/shop/__init__.py", ""),
        ("core/shop/rate.py", RATE),
        ("core/tests/test_rate.py", RATE_TEST),
        ("core/other/test_other.py", "def test_fails():\n    assert False\n"),
    ];
    let shop = fixture(&files).await;
    for command in ["python3 -m pytest -q tests", "python3 -m unittest discover -s tests"] {
        let test = Some(format!("cd core && PYTHONPATH=. SHOP='a b' {command}"));
        let overrides = Overrides { test: test.map(Into::into), ..timeout(60) };
        let optimizations = Optimizations { share_verdicts: false, ..Optimizations::default() };
        let harness = shop.harness_with(&overrides, optimizations, "warm").await;
        let baseline = harness.baseline(&[]).await.unwrap();
        assert_eq!(baseline.failing.len(), 1, "{command}: {:?}", baseline.failing);
        for (to, verdict) in [
            ("prices:", Verdict::Plausible),
            ("prices[2:]:", Verdict::Failing),
            ("prices +:", Verdict::DoesNotCompile),
        ] {
            let change = shop.change("core/shop/rate.py", "prices[1:]:", to);
            let found = harness.validate(&baseline, &change, ValidationDepth::Thorough).await.unwrap();
            assert_eq!(found.verdict, verdict, "{command}: {}", found.report.render(2000));
        }
        assert_judged_by_workers(&harness, 3);
        let ranking = patchwright_fault_localization::spectrum(
            &harness,
            &baseline,
            Formula::default(),
            CoverageScope::All,
        )
        .await
        .unwrap();
        assert!(matches!(ranking.basis, Basis::Coverage { .. }), "{command}: {:?}", ranking.basis);
        assert_eq!(ranking.lines[0].path, "core/shop/rate.py", "{command}");
        harness.close().await.unwrap();
    }
}
