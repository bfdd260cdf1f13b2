//! Commands of the user's that are run as if their tools had been detected, also from a folder of the project.

use patchwright_detection::AdapterKind;
use patchwright_protocol::{Confirmation, Overrides, TestId, Verdict};
use patchwright_syntax::has_extension;
use patchwright_validation::ValidationDepth;

use crate::support::{Fixture, fixture, names, there, timeout};

const RATE: &str = "def larger(one, other):\n    return other\n";
const BASKET: &str = "exports.larger = (one, other) => other\n";
const BASKET_TEST: &str = "const assert = require('assert')\nconst { larger } = require('../lib/basket')\n\n\
                           describe('larger', () => {\n  it('is the first', () => { assert.strictEqual(larger(5, 4), 5) })\n  \
                           it('is the second', () => { assert.strictEqual(larger(4, 5), 5) })\n})\n";

fn given(test: &str) -> Overrides {
    Overrides { test: Some(test.into()), ..timeout(120) }
}

/// Checks that a right change of the file is told from a wrong one, that a test is run by its name, and that the tool alone confirms it.
async fn judged(project: &Fixture, test: &str, file: &str, [failing, passing]: [&str; 2]) -> AdapterKind {
    let detected = project.detected(&given(test)).await;
    let kind = detected.spec.kind;
    assert_ne!(kind, AdapterKind::Custom, "{test}: {:?}", detected.reasons);
    let harness = project.open(detected.spec).await;
    let baseline = harness.baseline(&[]).await.unwrap();
    assert_eq!(
        (names(&baseline.failing), names(&baseline.passing)),
        (vec![failing], vec![passing]),
        "{test}"
    );
    let one = harness.run_tests(Some(&[TestId::new(passing)]), None).await.unwrap();
    assert_eq!(one.outcomes.iter().map(|found| found.id.as_str()).collect::<Vec<_>>(), [passing], "{test}");
    let judge = async |to: &str| {
        let change = project.change(file, "return other", to);
        harness.validate(&baseline, &change, ValidationDepth::Thorough).await.unwrap()
    };
    let class = if has_extension(file, "java") { "Math." } else { "" };
    let right = judge(&format!("return {class}max(one, other)")).await;
    assert_eq!((right.verdict, right.confirmation), (Verdict::Plausible, Some(Confirmation::Yes)), "{test}");
    let wrong = judge("return one").await;
    assert_eq!((wrong.verdict, names(&wrong.newly_failing)), (Verdict::Failing, vec![passing]), "{test}");
    harness.close().await.unwrap();
    kind
}

#[tokio::test]
#[ignore = "long: run by --include-ignored, as CI does"]
async fn python_in_a_folder_of_the_project() {
    if !there("python3 -c 'import pytest'", true) {
        return;
    }
    let tests = "import unittest\n\nfrom shop import larger\n\n\nclass LargerTest(unittest.TestCase):\n    def test_first(self):\n        \
                 self.assertEqual(larger(5, 4), 5)\n\n    def test_second(self):\n        self.assertEqual(larger(4, 5), 5)\n";
    let project = fixture(&[
        ("python/shop/__init__.py", RATE),
        ("python/tests/__init__.py", ""),
        ("python/tests/test_larger.py", tests),
    ])
    .await;
    let ids = ["first", "second"].map(|name| format!("python/tests/test_larger.py::LargerTest::test_{name}"));
    let found = judged(
        &project,
        "cd python && A=b python3 -m pytest -q tests",
        "python/shop/__init__.py",
        [&ids[0], &ids[1]],
    );
    assert_eq!(found.await, AdapterKind::Pytest);
    let ids = ["first", "second"].map(|name| format!("tests.test_larger.LargerTest.test_{name}"));
    let found = judged(
        &project,
        "cd python && python3 -m unittest discover -s tests -t .",
        "python/shop/__init__.py",
        [&ids[0], &ids[1]],
    );
    assert_eq!(found.await, AdapterKind::Unittest);
}

#[tokio::test]
#[ignore = "long: run by --include-ignored, as CI does"]
async fn node_in_a_folder_of_the_project() {
    const NODE: &str = "node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)'";
    if !there(NODE, false) {
        return;
    }
    let basket = BASKET.replace("=> other", "=> { const { max } = Math; return other }");
    let project = |script: &str, tests: &str| {
        let package = format!("{{\"name\": \"basket\", \"scripts\": {{\"test\": \"{script}\"}}}}");
        let (basket, tests) = (basket.clone(), tests.to_owned());
        async move {
            fixture(&[
                ("package.json", "{\"private\": true}"),
                ("packages/basket/package.json", &package),
                ("packages/basket/lib/basket.js", &basket),
                ("packages/basket/test/basket.test.js", &tests),
            ])
            .await
        }
    };
    let ids =
        ["first", "second"].map(|name| format!("packages/basket/test/basket.test.js::larger::is the {name}"));
    let own = format!("const {{ describe, it }} = require('node:test')\n{BASKET_TEST}");
    let file = "packages/basket/lib/basket.js";
    let of_node = project("node --test", &own).await;
    for test in [
        "cd packages/basket && npm test",
        "npm --prefix packages/basket run test",
        "cd packages/basket && node --test",
    ] {
        judged(&of_node, test, file, [&ids[0], &ids[1]]).await;
    }
    if there("mocha --version", false) {
        let of_mocha = project("mocha --bail test", BASKET_TEST).await;
        judged(&of_mocha, "cd packages/basket && npm t", file, [&ids[0], &ids[1]]).await;
    }
}

const TAX: &str = "package shop;\n\npublic class Tax {\n    public static int larger(int one, int other) {\n        return other;\n    }\n}\n";
const APP: &str = "package shop;\n\npublic class App {\n    public static int larger(int one, int other) {\n        \
                   return Tax.larger(one, other);\n    }\n}\n";
const APP_TEST: &str = "package shop;\n\nimport static org.junit.Assert.assertEquals;\n\nimport org.junit.Test;\n\npublic class AppTest {\n    \
                        @Test public void first() { assertEquals(5, App.larger(5, 4)); }\n\n    \
                        @Test public void second() { assertEquals(5, App.larger(4, 5)); }\n}\n";
const IDS: [&str; 2] = ["shop.AppTest::first", "shop.AppTest::second"];
const CORE: &str = "core/src/main/java/shop/Tax.java";

async fn modules(builds: &[(&str, &str)]) -> Fixture {
    let sources = [
        (CORE, TAX),
        ("app/src/main/java/shop/App.java", APP),
        ("app/src/test/java/shop/AppTest.java", APP_TEST),
    ];
    fixture(&[&sources, builds].concat()).await
}

/// A module that is tested alone is tested with the modules that it is made of: those of the copy.
#[tokio::test]
#[ignore = "long: run by --include-ignored, as CI does"]
async fn a_module_of_maven() {
    let plugins = "/usr/share/maven-repo/org/apache/maven/plugins";
    if !there(
        &format!(
            "mvn -v && test -d {plugins}/maven-surefire-plugin && test -d {plugins}/maven-compiler-plugin"
        ),
        false,
    ) {
        return;
    }
    let pom = |inner: &str| {
        format!(
            "<project xmlns=\"http://maven.apache.org/POM/4.0.0\"><modelVersion>4.0.0</modelVersion>{inner}</project>"
        )
    };
    let parent = "<parent><groupId>shop</groupId><artifactId>all</artifactId><version>1.0</version></parent>";
    let root = pom(
        "<groupId>shop</groupId><artifactId>all</artifactId><version>1.0</version><packaging>pom</packaging><properties>\
         <maven.compiler.source>8</maven.compiler.source><maven.compiler.target>8</maven.compiler.target></properties>\
         <modules><module>core</module><module>app</module></modules>",
    );
    let core = pom(&format!("{parent}<artifactId>core</artifactId>"));
    let app = pom(&format!(
        "{parent}<artifactId>app</artifactId><dependencies><dependency><groupId>shop</groupId><artifactId>core</artifactId>\
         <version>${{project.version}}</version></dependency><dependency><groupId>junit</groupId><artifactId>junit</artifactId>\
         <version>4.13.2</version><scope>test</scope></dependency></dependencies>"
    ));
    let project = modules(&[("pom.xml", &root), ("core/pom.xml", &core), ("app/pom.xml", &app)]).await;
    for test in ["mvn -q -pl app test", "cd app && mvn verify -Dx=y -B"] {
        let detected = project.detected(&given(test)).await;
        assert!(detected.spec.test.line().contains("-pl app") && detected.spec.test.line().contains("-am"));
    }
    assert_eq!(judged(&project, "cd app && mvn verify -Dx=y -B", CORE, IDS).await, AdapterKind::Maven);
}

#[tokio::test]
#[ignore = "long: run by --include-ignored, as CI does"]
async fn gradle() {
    if !there("gradle --version && test -r /usr/share/java/junit4.jar", false) {
        return;
    }
    let jars = "files('/usr/share/java/junit4.jar', '/usr/share/java/hamcrest-core.jar')";
    let build = format!(
        "allprojects {{\n    apply plugin: 'java'\n    dependencies {{ testImplementation {jars} }}\n}}\n\
         project(':app') {{\n    dependencies {{ implementation project(':core') }}\n}}\n"
    );
    let project = modules(&[("build.gradle", &build), ("settings.gradle", "include 'core', 'app'\n")]).await;
    assert_eq!(judged(&project, "gradle -q :app:check", CORE, IDS).await, AdapterKind::Gradle);
    let detected = project.detected(&timeout(120)).await;
    assert_eq!(detected.spec.kind, AdapterKind::Gradle, "{:?}", detected.reasons);
}
