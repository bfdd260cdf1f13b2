//! Java projects: javac and JUnit 4 alone, in Ant, in Maven.

use patchwright_detection::AdapterKind;
use patchwright_protocol::{Confirmation, Overrides, TestId, Unconfirmable, Verdict};
use patchwright_test_results::{Build, TestStatus};
use patchwright_validation::{TestHarnessError, ValidationDepth};

use crate::support::{Fixture, assert_clean, fixture, names, there, timeout};

const BASKET: &str = "package shop;

import java.util.ArrayList;
import java.util.List;

public class Basket {
    private final List<Integer> prices = new ArrayList<>();

    public void add(int price) {
        if (price < 0) {
            throw new IllegalArgumentException(\"negative price: \" + price);
        }
        prices.add(price);
    }

    public int total() {
        int sum = 0;
        for (int i = 1; i < prices.size(); i++) {
            sum += prices.get(i);
        }
        return sum;
    }

    public int first() {
        return prices.get(0);
    }
}
";
const BASKET_TEST: &str = "package shop;

import static org.junit.Assert.assertEquals;

import org.junit.Ignore;
import org.junit.Test;

public class BasketTest {
    private final Basket basket = new Basket();

    @Test
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
    public void firstOfNone() {
        assertEquals(3, basket.first());
    }

    @Ignore(\"not decided yet\")
    @Test
    public void later() {
    }
}
";
const ROUNDING_TEST: &str = "package shop;

import static org.junit.Assert.assertEquals;

import java.util.Arrays;
import java.util.Collection;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;

@RunWith(Parameterized.class)
public class RoundingTest {
    @Parameterized.Parameters(name = \"{index}: {0} (as int) = {1}\")
    public static Collection<Object[]> cases() {
        return Arrays.asList(new Object[][] {{1.4, 1}, {2.5, 2}});
    }

    @Parameterized.Parameter(0)
    public double value;

    @Parameterized.Parameter(1)
    public int rounded;

    @Test
    public void rounds() {
        assertEquals(rounded, Math.round(value));
    }
}
";
const OLD_TEST: &str = "package shop;

import junit.framework.TestCase;

public class OldTest extends TestCase {
    public void testTotal() {
        Basket basket = new Basket();
        basket.add(5);
        assertEquals(5, basket.total());
    }

    public void testFine() {
    }
}
";
const BROKEN_TEST: &str = "package shop;

import org.junit.BeforeClass;
import org.junit.Test;

public class BrokenTest {
    @BeforeClass
    public static void connect() {
        throw new IllegalStateException(\"no database\");
    }

    @Test
    public void query() {
    }
}
";

fn junit() -> bool {
    there("javac -version && test -r /usr/share/java/junit4.jar", true)
}

fn shop_files(main: &str, test: &str) -> Vec<(String, &'static str)> {
    vec![
        (format!("{main}/shop/Basket.java"), BASKET),
        (format!("{test}/shop/BasketTest.java"), BASKET_TEST),
        (format!("{test}/shop/RoundingTest.java"), ROUNDING_TEST),
        (format!("{test}/shop/OldTest.java"), OLD_TEST),
        (format!("{test}/shop/BrokenTest.java"), BROKEN_TEST),
    ]
}

async fn shop(main: &str, test: &str, more: &[(&str, &str)]) -> Fixture {
    let files = shop_files(main, test);
    let mut files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    files.extend(more);
    fixture(&files).await
}

const FAILING: [&str; 5] = [
    "shop.BasketTest::firstOfNone",
    "shop.BasketTest::total",
    "shop.BrokenTest",
    "shop.OldTest::testTotal",
    "shop.RoundingTest::rounds[1: 2.5 (as int) = 2]",
];

#[tokio::test]
async fn plain_java() {
    if !junit() {
        return;
    }
    let shop = shop("src", "test", &[("src/shop/rates.txt", "3")]).await;
    let harness = shop.harness(&timeout(120)).await;
    assert_eq!(harness.spec().kind, AdapterKind::PlainJava);
    let all = harness.baseline(&[]).await.unwrap();
    assert_eq!(names(&all.failing), FAILING);
    assert_eq!(all.report.build, Build::Ok);
    assert_eq!(
        names(&all.passing),
        [
            "shop.BasketTest::empty",
            "shop.OldTest::testFine",
            "shop.RoundingTest::rounds[0: 1.4 (as int) = 1]"
        ]
    );
    let first = all.report.outcome(&TestId::new(FAILING[0])).unwrap();
    assert_eq!(first.status, TestStatus::Error);
    assert_eq!(
        first.trace.as_deref().unwrap(),
        "java.lang.IndexOutOfBoundsException: Index 0 out of bounds for length 0\n\
         \tat shop.Basket.first(src/shop/Basket.java:25)\n\
         \tat shop.BasketTest.firstOfNone(test/shop/BasketTest.java:26)"
    );
    assert_eq!(
        all.report.outcome(&TestId::new("shop.BasketTest::later")).unwrap().message.as_deref(),
        Some("not decided yet")
    );
    assert_clean(&all.report, &shop);

    let baseline =
        harness.baseline(&["BasketTest#total".to_owned(), "OldTest.testTotal".to_owned()]).await.unwrap();
    assert_eq!(names(&baseline.failing), ["shop.BasketTest::total", "shop.OldTest::testTotal"]);
    let fix = shop.change("src/shop/Basket.java", "int i = 1", "int i = 0");
    let found = harness.validate(&baseline, &fix, ValidationDepth::Thorough).await.unwrap();
    assert_eq!((found.verdict, found.newly_failing), (Verdict::Plausible, vec![]));

    let damaged = shop.change("src/shop/Basket.java", "prices.get(0)", "prices.get(zero)");
    let found = harness.validate(&baseline, &damaged, ValidationDepth::Thorough).await.unwrap();
    assert_eq!(found.verdict, Verdict::DoesNotCompile);
    assert_eq!(
        found.report.render(2000),
        "The build failed with 1 error.\n\nsrc/shop/Basket.java:25: cannot find symbol\n        return prices.get(zero);\n\
         \x20                         ^\n  symbol:   variable zero\n  location: class Basket\n"
    );
    let exit = shop.change("src/shop/Basket.java", "int sum = 0;", "int sum = 0; System.exit(0);");
    let found = harness.validate(&baseline, &exit, ValidationDepth::Thorough).await.unwrap();
    assert_eq!(found.verdict, Verdict::Failing);
    assert!(found.report.render(2000).contains("broke off"), "{}", found.report.render(2000));
}

#[tokio::test]
async fn single_tests_are_run_alone() {
    if !junit() {
        return;
    }
    let shop = shop("src/main/java", "src/test/java", &[]).await;
    let harness = shop.harness(&timeout(120)).await;
    let check = async |tests: &[&str], expect: &[&str]| {
        let tests: Vec<TestId> = tests.iter().map(|test| TestId::new(*test)).collect();
        let report = harness.run_tests(Some(&tests), None).await.unwrap();
        let found: Vec<_> = report.outcomes.iter().map(|test| test.id.as_str()).collect();
        assert_eq!(found, expect, "{tests:?}");
        assert!(report.complete);
    };
    check(&["shop.BasketTest::total"], &["shop.BasketTest::total"]).await;
    check(
        &["shop.OldTest::testFine", "shop.BasketTest::empty"],
        &["shop.BasketTest::empty", "shop.OldTest::testFine"],
    )
    .await;
    check(&["shop.RoundingTest::rounds"], &["shop.RoundingTest::rounds[0: 1.4 (as int) = 1]", FAILING[4]])
        .await;
    check(&[FAILING[4]], &[FAILING[4]]).await;
    check(&["shop.BrokenTest"], &["shop.BrokenTest"]).await;
    check(&["shop.BasketTest::gone"], &[]).await;
}

#[tokio::test]
#[ignore = "long: run by --include-ignored, as CI does"]
async fn the_console_of_junit() {
    if !junit() {
        return;
    }
    let jars = "/usr/share/java/junit4.jar:/usr/share/java/hamcrest-core.jar";
    let run = format!("java -cp build:{jars} org.junit.runner.JUnitCore");
    let overrides = Overrides {
        build: Some(format!("mkdir -p build && javac -d build -cp {jars} $(find src -name '*.java')")),
        test: Some(format!("{run} shop.BasketTest shop.BrokenTest shop.OldTest shop.RoundingTest").into()),
        test_one: Some(format!("{run} $(for test in {{tests}}; do echo ${{test%%::*}}; done | sort -u)")),
        ..timeout(120)
    };
    let shop = shop("src/main/java", "src/test/java", &[]).await;
    let harness = shop.harness(&overrides).await;
    assert_eq!(
        (harness.spec().kind, harness.spec().results.to_string().as_str()),
        (AdapterKind::Custom, "junit-text")
    );
    let given = ["shop.BasketTest::total".to_owned(), "shop.OldTest::testTotal".to_owned()];
    let baseline = harness.baseline(&given).await.unwrap();
    assert_eq!(names(&baseline.failing), [FAILING[1], FAILING[3]]);
    // Passing tests have no names here, but a number.
    assert_eq!((baseline.passing.len(), baseline.report.passed()), (0, 3));
    let error = harness.baseline(&["shop.BasketTest::empty".to_owned()]).await.unwrap_err();
    assert!(matches!(error, TestHarnessError::GivenTestPasses { .. }), "{error}");
    let fix = shop.change("src/main/java/shop/Basket.java", "int i = 1", "int i = 0");
    assert_eq!(
        harness.validate(&baseline, &fix, ValidationDepth::Thorough).await.unwrap().verdict,
        Verdict::Plausible
    );
    let worse =
        shop.change("src/main/java/shop/Basket.java", "int sum = 0", "int sum = 3 * (2 - prices.size())");
    let found = harness.validate(&baseline, &worse, ValidationDepth::Thorough).await.unwrap();
    assert_eq!(found.verdict, Verdict::Failing);
}

#[tokio::test]
async fn a_project_that_does_not_build() {
    if !junit() {
        return;
    }
    let shop = shop(
        "src",
        "test",
        &[("src/shop/Rate.java", "package shop;\n\nclass Rate {\n    int rate = \"3\";\n}\n")],
    )
    .await;
    let harness = shop.harness(&timeout(120)).await;
    let error = harness.baseline(&[]).await.unwrap_err();
    let TestHarnessError::BuildFailsBeforeAnyChange { errors, .. } = &error else { panic!("{error}") };
    assert_eq!((errors.len(), errors[0].file.as_str(), errors[0].line), (1, "src/shop/Rate.java", 4));
    assert!(error.to_string().contains("int rate = \"3\";"), "{error}");
}

#[tokio::test]
#[ignore = "long: run by --include-ignored, as CI does"]
async fn ant() {
    if !junit() || !there("ant -version && test -r /usr/share/java/ant-junit4.jar", false) {
        return;
    }
    let build = |formatter: &str| {
        format!(
            "<project name=\"shop\" default=\"test\"><path id=\"cp\"><pathelement location=\"/usr/share/java/junit4.jar\"/>\
             <pathelement location=\"/usr/share/java/hamcrest-core.jar\"/></path><target name=\"test\">\
             <mkdir dir=\"build/classes\"/><mkdir dir=\"build/reports\"/>\
             <javac srcdir=\"src:test\" destdir=\"build/classes\" classpathref=\"cp\" includeantruntime=\"false\" debug=\"true\"/>\
             <junit fork=\"yes\"><classpath><pathelement location=\"build/classes\"/><path refid=\"cp\"/></classpath>{formatter}\
             <batchtest todir=\"build/reports\"><fileset dir=\"test\" includes=\"**/*Test.java\"/></batchtest></junit></target></project>"
        )
    };
    let text = build("<formatter type=\"xml\"/>");
    let by_xml = shop("src", "test", &[("build.xml", &text)]).await;
    let harness = by_xml.harness(&timeout(120)).await;
    assert_eq!(harness.spec().kind, AdapterKind::Ant);
    let baseline = harness.baseline(&["BasketTest::total".to_owned(), "OldTest".to_owned()]).await.unwrap();
    assert_eq!(names(&baseline.failing), ["shop.BasketTest::total", "shop.OldTest::testTotal"]);
    assert_eq!(names(&baseline.report.failing()), FAILING);
    assert_clean(&baseline.report, &by_xml);
    let fix = by_xml.change("src/shop/Basket.java", "int i = 1", "int i = 0");
    assert_eq!(
        harness.validate(&baseline, &fix, ValidationDepth::Thorough).await.unwrap().verdict,
        Verdict::Plausible
    );
    let damaged = by_xml.change("src/shop/Basket.java", "prices.get(0)", "prices.get(zero)");
    let found = harness.validate(&baseline, &damaged, ValidationDepth::Thorough).await.unwrap();
    assert_eq!(found.verdict, Verdict::DoesNotCompile);
    let text = found.report.render(2000);
    assert!(
        text.contains("src/shop/Basket.java:25: cannot find symbol\n        return prices.get(zero);"),
        "{text}"
    );

    let text = build("<formatter type=\"plain\" usefile=\"false\"/>");
    let by_text = shop("src", "test", &[("build.xml", &text)]).await;
    let report = by_text.harness(&timeout(120)).await.run_tests(None, None).await.unwrap();
    assert_eq!(names(&report.failing()), FAILING);
    assert_eq!(report.passing(), baseline.report.passing());
    assert_clean(&report, &by_text);
}

/// Tests that compute for ever, wait for ever, and end the whole run, among many quick ones, which tell what a test may take.
const ENDLESS_TEST: &str = "import java.util.Collections;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;

@RunWith(Parameterized.class)
public class EndlessTest {
    @Parameterized.Parameters
    public static Object[] numbers() {
        return Collections.nCopies(70, 1).toArray();
    }

    @Parameterized.Parameter(0)
    public int number;

    @Test
    public void quick() {
    }
}
";
const LAST_TEST: &str = "import static org.junit.Assert.*;

import org.junit.Test;

public class LastTest {
    @Test
    public void computing() {
        while (true) {
        }
    }

    @Test
    public void exit() {
        System.exit(3);
    }

    @Test
    public void heap() {
        assertEquals(Long.parseLong(System.getenv(\"PATCHWRIGHT_HEAP\")) << 20, Runtime.getRuntime().maxMemory(), 64 << 20);
    }

    @Test
    public void total() {
        assertEquals(3, Shop.total(1, 2));
    }

    @Test
    public synchronized void waiting() throws InterruptedException {
        wait();
    }
}
";

#[tokio::test]
#[ignore = "long: run by --include-ignored, as CI does"]
async fn tests_that_do_not_end_or_end_the_run_cost_little() {
    if !junit() {
        return;
    }
    let project = fixture(&[
        (
            "src/Shop.java",
            "class Shop {\n    static int total(int one, int other) { return one - other; }\n}\n",
        ),
        ("test/EndlessTest.java", ENDLESS_TEST),
        ("test/LastTest.java", LAST_TEST),
    ])
    .await;
    let env = [("PATCHWRIGHT_TEST_SECONDS".to_owned(), "1".to_owned())].into();
    let harness = project.harness(&Overrides { env: Some(env), ..timeout(120) }).await;
    assert_eq!(harness.spec().kind, AdapterKind::PlainJava);
    let baseline = harness.baseline(&["LastTest::total".to_owned()]).await.unwrap();
    assert_eq!(names(&baseline.failing), ["LastTest::total"]);
    let endless = ["LastTest::computing", "LastTest::exit", "LastTest::waiting"];
    assert_eq!(
        (names(&baseline.known_failing), names(&baseline.left_out)),
        (endless.to_vec(), endless.to_vec())
    );
    assert_eq!(baseline.passing.len(), 71);
    insta::assert_snapshot!("endless_java", baseline.notes.join("\n"));
    let waiting = baseline.report.outcome(&TestId::new("LastTest::waiting")).unwrap();
    assert_eq!(waiting.message.as_deref(), Some("PatchwrightLimit$Overdue: the test does not end"));
    assert!(
        waiting.trace.as_deref().unwrap().contains("at LastTest.waiting(test/LastTest.java:"),
        "{waiting:?}"
    );
    let fix = project.change("src/Shop.java", "-", "+");
    let found = harness.validate(&baseline, &fix, ValidationDepth::Thorough).await.unwrap();
    assert_eq!((found.verdict, names(&found.newly_failing)), (Verdict::Plausible, vec![]));
    // JUnit's own program runs a class as a whole.
    let no = Confirmation::No { because: Unconfirmable::TestsLeftOut };
    assert_eq!(found.confirmation, Some(no));
}

#[tokio::test]
async fn maven() {
    let plugins = "/usr/share/maven-repo/org/apache/maven/plugins";
    let question = format!(
        "mvn -v && test -d {plugins}/maven-surefire-plugin && test -d {plugins}/maven-compiler-plugin"
    );
    if !junit() || !there(&question, false) {
        return;
    }
    let pom = "<project xmlns=\"http://maven.apache.org/POM/4.0.0\"><modelVersion>4.0.0</modelVersion><groupId>shop</groupId>\
               <artifactId>shop</artifactId><version>1.0</version><properties><maven.compiler.source>8</maven.compiler.source>\
               <maven.compiler.target>8</maven.compiler.target></properties><dependencies><dependency><groupId>junit</groupId>\
               <artifactId>junit</artifactId><version>4.13.2</version><scope>test</scope></dependency></dependencies></project>";
    let shop = shop("src/main/java", "src/test/java", &[("pom.xml", pom)]).await;
    let harness = shop.harness(&timeout(240)).await;
    assert_eq!(harness.spec().kind, AdapterKind::Maven);
    let baseline =
        harness.baseline(&["BasketTest#total".to_owned(), "shop.RoundingTest".to_owned()]).await.unwrap();
    assert_eq!(names(&baseline.failing), ["shop.BasketTest::total", FAILING[4]]);
    assert_eq!(names(&baseline.report.failing()), FAILING);
    assert_clean(&baseline.report, &shop);
    let fix = shop.change("src/main/java/shop/Basket.java", "int i = 1", "int i = 0");
    let found = harness.validate(&baseline, &fix, ValidationDepth::Thorough).await.unwrap();
    assert_eq!((found.verdict, names(&found.still_failing)), (Verdict::Failing, vec![FAILING[4]]));
    let damaged = shop.change("src/main/java/shop/Basket.java", "prices.get(0)", "prices.get(zero)");
    let found = harness.validate(&baseline, &damaged, ValidationDepth::Thorough).await.unwrap();
    assert_eq!(found.verdict, Verdict::DoesNotCompile);
    let text = found.report.render(2000);
    assert!(
        text.contains(
            "src/main/java/shop/Basket.java:25: cannot find symbol\n        return prices.get(zero);"
        ),
        "{text}"
    );
}

#[tokio::test]
#[ignore = "long: run by --include-ignored, as CI does"]
async fn a_build_file_whose_tool_does_not_work_here() {
    if !junit() || !there("mvn -v && ant -version && test -r /usr/share/java/ant-junit4.jar", false) {
        return;
    }
    let pom = "<project xmlns=\"http://maven.apache.org/POM/4.0.0\"><modelVersion>4.0.0</modelVersion><parent><groupId>shop</groupId>\
               <artifactId>nowhere</artifactId><version>7</version></parent><artifactId>shop</artifactId></project>";
    let plain = shop("src/main/java", "src/test/java", &[("pom.xml", pom)]).await;
    let detected = plain.detected(&timeout(120)).await;
    assert_eq!(detected.spec.kind, AdapterKind::PlainJava, "{:?}", detected.reasons);
    insta::assert_snapshot!(detected.reasons[0].split(':').next().unwrap());
    let baseline = plain.open(detected.spec).await.baseline(&["BasketTest::total".to_owned()]).await.unwrap();
    assert_eq!(names(&baseline.failing), ["shop.BasketTest::total"]);
    let build = "<project default=\"test\"><target name=\"test\"><junit/></target></project>";
    let works = shop("src", "test", &[("build.xml", build)]).await;
    assert_eq!(works.detected(&timeout(120)).await.spec.kind, AdapterKind::Ant);
}
