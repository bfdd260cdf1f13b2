//! Layouts as they are found, and what is made of them.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod given;

use std::fs;
use std::path::Path;
use std::time::Duration;

use async_trait::async_trait;
use patchwright_protocol::{Actionable, Actor, Overrides, ResultsFormat};
use patchwright_sandbox::SandboxError;

use super::detect;
use crate::detect::{DetectError, DetectedProject, HostEnvironments, Toolchain};
use crate::spec::AdapterKind;

/// Tools that are there: the beginning of a question, and its answer.
struct Tools(Vec<(&'static str, &'static str)>);

#[async_trait]
impl Toolchain for Tools {
    async fn ask(&self, line: &str) -> Result<Option<String>, SandboxError> {
        Ok(self.0.iter().find(|(start, _)| line.starts_with(start)).map(|(_, answer)| (*answer).to_owned()))
    }

    fn maven_repository(&self) -> Option<&Path> {
        Some(Path::new("/home/ann/.m2/repository"))
    }
}

fn all_tools() -> Tools {
    Tools(vec![
        ("python3 -c", "3.11.7\n9.2.0"),
        ("javac", "javac 17.0.15"),
        ("mvn", "Apache Maven 3.8.7"),
        ("ant", "Apache Ant(TM) version 1.10.13"),
        ("for jar in /usr/share/java/junit4.jar", "/usr/share/java/junit4.jar"),
        ("for jar in /usr/share/java/hamcrest", "/usr/share/java/hamcrest-core.jar"),
        ("test -d /usr/share/maven-repo", ""),
    ])
}

async fn run(
    files: &[(&str, &str)],
    overrides: &Overrides,
    tools: &Tools,
) -> Result<DetectedProject, DetectError> {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let host = HostEnvironments::find(folder.path(), overrides.test_line()).await.unwrap();
    detect(folder.path(), overrides, &host, tools).await
}

/// The expectations: kind, command (its beginning), folders of sources, of tests, a part of the reasons.
type Expect<'a> = (AdapterKind, &'a str, &'a [&'a str], &'a [&'a str], &'a str);

async fn check(files: &[(&str, &str)], expect: Expect<'_>) {
    let DetectedProject { spec, reasons } = run(files, &Overrides::default(), &all_tools()).await.unwrap();
    let (kind, test, source, tests, reason) = expect;
    assert_eq!(spec.kind, kind, "{reasons:?}");
    assert!(spec.test.line().starts_with(test), "{}", spec.test.line());
    assert_eq!(spec.source, source, "{reasons:?}");
    assert_eq!(spec.tests, tests);
    assert!(reasons.join("; ").contains(reason), "{reasons:?}");
    assert_eq!(spec.timeout, Duration::from_mins(10));
}

fn told(error: &DetectError) -> String {
    format!("{error}\nhint: {}", error.hint().unwrap_or_default())
}

async fn refused(files: &[(&str, &str)], tools: &Tools, expect: &[&str]) {
    let error = run(files, &Overrides::default(), tools).await.unwrap_err();
    // Trying again would not help.
    assert_eq!(error.actor(), Actor::Case, "{error}");
    let error = told(&error);
    for part in expect {
        assert!(error.contains(part), "{error}");
    }
}

const PYTEST: &str = "import pytest\n\ndef test_a():\n    assert 1\n";
const PLAIN: &str = "def test_a():\n    assert 1\n";
const UNITTEST: &str =
    "import unittest\n\nclass TestA(unittest.TestCase):\n    def test_a(self):\n        pass\n";
const JUNIT: &str =
    "package shop;\nimport org.junit.Test;\npublic class BasketTest { @Test public void a() {} }\n";
/// A project with an environment of its own.
const WITH_ENVIRONMENT: [(&str, &str); 5] = [
    ("tests/test_a.py", PLAIN),
    ("shop/__init__.py", ""),
    (".venv/pyvenv.cfg", ""),
    (".venv/bin/python", ""),
    (".venv/bin/pytest", ""),
];
const JAVA: &str = "package shop;\npublic class Basket {}\n";

#[tokio::test]
async fn pytest_layouts() {
    let pytest = AdapterKind::Pytest;
    let command = "python3 -m pytest -vv -p patchwright_pytest";
    check(
        &[
            ("pyproject.toml", "[tool.pytest.ini_options]\n"),
            ("shop/__init__.py", ""),
            ("tests/test_a.py", UNITTEST),
        ],
        (pytest, command, &["shop"], &["tests"], "pyproject.toml configures pytest"),
    )
    .await;
    check(
        &[("setup.cfg", "[tool:pytest]\n"), ("src/shop/__init__.py", ""), ("tests/unit/test_a.py", UNITTEST)],
        (pytest, command, &["src"], &["tests"], "setup.cfg configures pytest"),
    )
    .await;
    check(
        &[
            ("pytest.ini", "[pytest]\npython_files = check_*.py\n"),
            ("basket.py", ""),
            ("check_basket.py", PLAIN),
        ],
        (pytest, command, &["."], &["check_basket.py"], "pytest.ini configures pytest"),
    )
    .await;
    check(
        &[("conftest.py", ""), ("basket.py", ""), ("test_basket.py", UNITTEST)],
        (pytest, command, &["."], &["test_basket.py"], "there is a conftest.py"),
    )
    .await;
    check(
        &[("basket.py", ""), ("tests/test_a.py", PLAIN)],
        (pytest, command, &["."], &["tests"], "tests/test_a.py is written for pytest"),
    )
    .await;
    check(
        &[
            ("pyproject.toml", "[tool.setuptools.packages.find]\nwhere = [\"lib\"]\n[project]\ndependencies = [\"pytest\"]\n"),
            ("lib/shop/__init__.py", ""),
            ("lib/shop/tests/test_a.py", PYTEST),
        ],
        (pytest, command, &["lib"], &["lib/shop/tests"], "pyproject.toml names pytest"),
    )
    .await;
}

#[tokio::test]
async fn unittest_layouts() {
    let unittest = AdapterKind::Unittest;
    check(
        &[("shop/__init__.py", ""), ("tests/__init__.py", ""), ("tests/test_a.py", UNITTEST)],
        (unittest, "python3 -m patchwright_unittest tests:.", &["shop"], &["tests"], "import only unittest"),
    )
    .await;
    check(
        &[("basket.py", ""), ("tests/test_a.py", UNITTEST), ("test_b.py", UNITTEST)],
        (unittest, "python3 -m patchwright_unittest .:. tests:tests", &["."], &["test_b.py", "tests"], ""),
    )
    .await;
    check(
        &[
            ("src/shop/__init__.py", ""),
            ("src/shop/tests/__init__.py", ""),
            ("src/shop/tests/test_a.py", UNITTEST),
            ("src/shop/more/__init__.py", ""),
            ("src/shop/more/tests/__init__.py", ""),
            ("src/shop/more/tests/test_b.py", UNITTEST),
        ],
        (
            unittest,
            "python3 -m patchwright_unittest src/shop:src",
            &["src"],
            &["src/shop/more/tests", "src/shop/tests"],
            "",
        ),
    )
    .await;
}

#[tokio::test]
async fn pytest_is_not_there() {
    let without = Tools(vec![("python3 -c", "3.9.2")]);
    let named = [("pytest.ini", "[pytest]\n"), ("tests/test_a.py", UNITTEST)];
    let detected = run(&named, &Overrides::default(), &without).await.unwrap();
    assert_eq!(detected.spec.kind, AdapterKind::Unittest);
    insta::assert_snapshot!(detected.reasons.join("\n"));
    refused(
        &[("tests/test_a.py", PLAIN)],
        &without,
        &["pytest of python3 is not there", "pip install pytest"],
    )
    .await;
    refused(
        &[("tests/test_a.py", UNITTEST)],
        &Tools(Vec::new()),
        &["python3 is not there", "apt install python3"],
    )
    .await;
}

#[tokio::test]
async fn an_environment_of_the_project_comes_first() {
    let environment = [(".venv/pyvenv.cfg", "home = /usr/bin\n"), (".venv/bin/python", "")];
    let files = [environment.as_slice(), &[("tests/test_a.py", PLAIN)]].concat();
    // The place of the temporary folder is not known beforehand: whatever is no plain name is the environment.
    let inside = Tools(vec![("/", "3.12.1\n8.0.0"), ("python3 -c", "3.11.7")]);
    let DetectedProject { spec, reasons: of_inside } =
        run(&files, &Overrides::default(), &inside).await.unwrap();
    assert!(spec.test.line().starts_with("\"$PYTHON\" -m pytest"), "{}", spec.test.line());
    assert!(spec.env["PYTHON"].ends_with("/.venv/bin/python"), "{:?}", spec.env);
    let DetectedProject { spec, reasons } = run(&files, &Overrides::default(), &all_tools()).await.unwrap();
    assert!(spec.test.line().starts_with("python3 -m pytest"), "{}", spec.test.line());
    insta::assert_snapshot!([of_inside, reasons].concat().join("\n"));
}

#[tokio::test]
async fn a_shim_is_not_asked_again_for_each_command() {
    let check = async |command: &str, more: &[(&str, &str)], expect: Option<&str>| {
        let answer = format!("3.11.7\n9.2.0\n\n\n/home/ann/.pyenv/versions/3.11.7/bin/python3\n{command}\n");
        let tools = Tools(vec![("python3 -c", answer.leak())]);
        let files = [&[("tests/test_a.py", PLAIN)], more].concat();
        let DetectedProject { spec, .. } = run(&files, &Overrides::default(), &tools).await.unwrap();
        assert!(spec.test.line().starts_with("python3 -m pytest"), "{}", spec.test.line());
        assert_eq!(spec.env.get("PYTHON").map(String::as_str), expect, "{command}");
    };
    let shim = "/home/ann/.pyenv/shims/python3";
    check(shim, &[], Some("/home/ann/.pyenv/versions/3.11.7/bin/python3")).await;
    check(shim, &[(".python-version", "3.12.1\n")], None).await;
    check("/usr/bin/python3", &[], None).await;
}

#[tokio::test]
async fn java_layouts() {
    let plain = AdapterKind::PlainJava;
    let command = "java -Xmx\"$PATCHWRIGHT_HEAP\"m -ea -Djava.awt.headless=true PatchwrightRunner";
    check(
        &[("src/main/java/shop/Basket.java", JAVA), ("src/test/java/shop/BasketTest.java", JUNIT)],
        (
            plain,
            command,
            &["src/main/java"],
            &["src/test/java"],
            "JUnit is installed: /usr/share/java/junit4.jar",
        ),
    )
    .await;
    check(
        &[("src/shop/Basket.java", JAVA), ("test/shop/BasketTest.java", JUNIT), ("lib/junit-4.12.jar", "")],
        (plain, command, &["src"], &["test"], "JUnit is in the project: lib/junit-4.12.jar"),
    )
    .await;
    check(
        &[("src/shop/Basket.java", JAVA), ("src/shop/BasketTest.java", JUNIT)],
        (plain, command, &["src"], &["src/shop/BasketTest.java"], ""),
    )
    .await;
    check(
        &[
            ("pom.xml", "<project/>"),
            ("src/main/java/shop/Basket.java", JAVA),
            ("src/test/java/shop/BasketTest.java", JUNIT),
        ],
        (AdapterKind::Maven, "mvn -o -B", &["src/main/java"], &["src/test"], "Debian's repository"),
    )
    .await;
    check(
        &[
            (
                "build.xml",
                "<project><target name=\"compile\"/><target depends=\"compile\" name=\"test\"/></project>",
            ),
            ("src/shop/Basket.java", JAVA),
            ("test/shop/BasketTest.java", JUNIT),
        ],
        (AdapterKind::Ant, "ant -noinput test", &["src"], &["test"], "read from the console"),
    )
    .await;
}

#[tokio::test]
async fn what_is_not_run_without_help() {
    let tools = all_tools();
    refused(&[("readme.md", "")], &tools, &["no tests were found", "--test CMD"]).await;
    refused(&[("basket.py", "")], &tools, &["no tests were found"]).await;
    refused(
        &[("build.gradle", ""), ("src/test/java/shop/BasketTest.java", JUNIT)],
        &tools,
        &[
            "there is a build.gradle, but gradle is not there",
            "apt install gradle",
            "javac alone does not do",
        ],
    )
    .await;
    let jupiter = "package shop;\nimport org.junit.jupiter.api.Test;\nclass ATest { @Test void a() {} }\n";
    refused(&[("test/shop/ATest.java", jupiter)], &tools, &["JUnit 5", "only run through Maven"]).await;
    let side_by_side =
        [("a/pyproject.toml", ""), ("a/tests/test_a.py", PLAIN), ("b/setup.py", ""), ("b/test_b.py", PLAIN)];
    refused(&side_by_side, &tools, &["side by side", "a, b", "give the folder of one of them", "/a"]).await;
    refused(
        &[("build.xml", "<target name='dist'/>"), ("A.java", JAVA)],
        &tools,
        &["dist", "--test 'ant TARGET'"],
    )
    .await;
    let nothing = Tools(Vec::new());
    refused(&[("pom.xml", "")], &nothing, &["mvn is not there", "apt install maven"]).await;
    refused(&[("A.java", JUNIT)], &nothing, &["javac is not there", "jdk"]).await;
    refused(
        &[("A.java", JUNIT)],
        &Tools(vec![("javac", "javac 17")]),
        &["JUnit 4 is not there", "apt install junit4"],
    )
    .await;
}

#[tokio::test]
async fn commands_of_the_user() {
    let tools = Tools(vec![("command -v", "")]);
    let check = async |test: &str, results: &str, single: Option<&str>| {
        let overrides = Overrides { test: Some(test.into()), ..Overrides::default() };
        let DetectedProject { spec, reasons } = run(&WITH_ENVIRONMENT, &overrides, &tools).await.unwrap();
        assert_eq!(spec.kind, AdapterKind::Custom);
        assert_eq!(spec.results.to_string(), results, "{test}: {reasons:?}");
        assert_eq!(spec.test_one.as_deref(), single, "{test}");
        assert_eq!((spec.source, spec.tests), (vec!["shop".to_owned()], vec!["tests".to_owned()]));
        spec.test.line().to_owned()
    };
    // The interpreter does not answer.
    check("pytest -q tests", "pytest", Some("pytest -q {tests}")).await;
    check("python3 -m pytest tests/test_a.py -x", "pytest", Some("python3 -m pytest -x {tests}")).await;
    check("cd sub && pytest", "pytest", None).await;
    check("python3 -m unittest discover -v", "unittest", Some("python3 -m unittest -v {tests}")).await;
    check("mvn -q test; true", "junit-xml:**/target/surefire-reports/TEST-*.xml", None).await;
    check("make check", "exit-status", None).await;
    let nowhere = Overrides { test: Some("no-such-program -q".into()), ..Overrides::default() };
    let error = run(&WITH_ENVIRONMENT, &nowhere, &Tools(Vec::new())).await.unwrap_err();
    insta::assert_snapshot!(told(&error));
    // The environment stays where it is; copies of the project do not hold it.
    let overrides = Overrides { test: Some(".venv/bin/pytest tests".into()), ..Overrides::default() };
    let DetectedProject { spec, .. } = run(&WITH_ENVIRONMENT, &overrides, &tools).await.unwrap();
    assert!(
        spec.test.line().starts_with('/') && spec.test.line().ends_with("/.venv/bin/pytest tests"),
        "{}",
        spec.test.line().to_owned()
    );
    assert!(spec.test_one.is_some_and(|line| line.ends_with("/.venv/bin/pytest {tests}")));
}

#[tokio::test]
async fn django_is_run_by_the_project_s_script() {
    let files = [
        ("manage.py", ""),
        ("shop/tests.py", "from django.test import TestCase\n"),
        ("shop/__init__.py", ""),
    ];
    let there = Tools(vec![("python3 -c", "3.11.7\n\n\n\n/usr/bin/python3")]);
    let DetectedProject { spec, reasons } = run(&files, &Overrides::default(), &there).await.unwrap();
    assert_eq!((spec.kind, spec.results), (AdapterKind::Django, ResultsFormat::UnittestText), "{reasons:?}");
    assert_eq!(spec.test.line(), "python3 manage.py test -v 2 --noinput");
    assert_eq!(spec.test_one.as_deref(), Some("python3 manage.py test -v 2 --noinput {tests}"));
    let lacking = Tools(vec![("python3 -c", "3.11.7\n\n\ndjango\n/usr/bin/python3")]);
    let error = run(&files, &Overrides::default(), &lacking).await.unwrap_err();
    insta::assert_snapshot!(told(&error));
}

#[tokio::test]
async fn what_is_given_stands() {
    let overrides = Overrides {
        test_one: Some("make test T={tests}".to_owned()),
        build: Some("make".to_owned()),
        results: Some(ResultsFormat::ExitStatus),
        source: Some(vec!["lib".to_owned()]),
        tests: Some(vec!["spec".to_owned()]),
        env: Some([("A".to_owned(), "b".to_owned())].into()),
        timeout: Some(Duration::from_secs(9)),
        network: Some(true),
        ..Overrides::default()
    };
    let DetectedProject { spec, reasons } =
        run(&[("tests/test_a.py", PLAIN)], &overrides, &all_tools()).await.unwrap();
    assert_eq!(spec.kind, AdapterKind::Pytest);
    assert_eq!(
        (spec.build.as_deref(), spec.test_one.as_deref()),
        (Some("make"), Some("make test T={tests}"))
    );
    assert_eq!((spec.source, spec.tests), (vec!["lib".to_owned()], vec!["spec".to_owned()]));
    assert_eq!((spec.env["A"].as_str(), spec.timeout, spec.network), ("b", Duration::from_secs(9), true));
    assert!(reasons.contains(&"the build command is given".to_owned()), "{reasons:?}");

    let bad = Overrides { test_one: Some("make test".to_owned()), ..Overrides::default() };
    let error = run(&[("tests/test_a.py", PLAIN)], &bad, &all_tools()).await.unwrap_err();
    let bad = Overrides { test: Some("  ".into()), ..Overrides::default() };
    let empty = run(&[], &bad, &all_tools()).await.unwrap_err();
    insta::assert_snapshot!(format!("{}\n{}", told(&error), told(&empty)));
}

#[tokio::test]
async fn build_files_whose_tool_does_not_work_here() {
    let uses = format!("import static com.acme.lines.Text.join;\nimport java.util.List;\n{JUNIT}");
    let shop = |build: &'static str, text: &'static str, source: &'static str| {
        vec![
            (build, text),
            (source, JAVA),
            ("src/test/java/shop/BasketTest.java", uses.as_str()),
            ("src/site/Page.java", "import com.acme.Missing;\nclass Page {}\n"),
        ]
    };
    let tools = |more: &[(&'static str, &'static str)]| {
        let without = ["mvn", "ant"];
        let known = all_tools().0.into_iter().filter(|(start, _)| !without.contains(start));
        Tools(known.chain(more.iter().copied()).collect())
    };
    let check = async |files: &[(&str, &str)], tools: &Tools, kind: AdapterKind, part: &str| {
        let DetectedProject { spec, reasons } = run(files, &Overrides::default(), tools).await.unwrap();
        assert_eq!(spec.kind, kind, "{reasons:?}");
        assert!(reasons.join("; ").contains(part), "{reasons:?}");
        spec
    };
    let layout = "src/main/java/shop/Basket.java";
    let found = ("jars=''; for entry in com/acme/lines/Text.class;", "+ /usr/share/java/acme.jar");
    let missing = ("jars=''; for entry in com/acme/lines/Text.class;", "- com/acme/lines/Text.class");
    let why = "there is a pom.xml, but it is not used: mvn is not there";
    let spec =
        check(&shop("pom.xml", "<project/>", layout), &tools(&[found]), AdapterKind::PlainJava, why).await;
    assert_eq!(
        (spec.source, spec.tests),
        (vec!["src/main/java".to_owned()], vec!["src/test/java".to_owned()])
    );
    assert!(spec.env.values().any(|jars| jars.ends_with(":/usr/share/java/acme.jar")), "{:?}", spec.env);
    refused(&shop("pom.xml", "<project/>", layout), &tools(&[missing]), &["mvn is not there"]).await;
    // No plain layout.
    refused(&shop("pom.xml", "<project/>", "core/Basket.java"), &tools(&[found]), &["mvn is not there"])
        .await;
    // Maven is there and was asked.
    let mvn = ("mvn -v", "Apache Maven 3.8.7");
    let asked = ("cd \"$(mktemp -d)\" && mkdir -p src/main/java", "Non-resolvable parent POM");
    let lacking = tools(&[found, mvn, asked]);
    check(
        &shop("pom.xml", "<project/>", layout),
        &lacking,
        AdapterKind::PlainJava,
        "not used: Non-resolvable",
    )
    .await;
    let working = tools(&[found, mvn]);
    check(&shop("pom.xml", "<project/>", layout), &working, AdapterKind::Maven, "Apache Maven").await;
    let lacking = tools(&[missing, mvn, asked]);
    let pom = shop("pom.xml", "<project/>", layout);
    refused(&pom, &lacking, &["Non-resolvable parent POM", "run the build once by hand"]).await;
    let why = "gradle is not there";
    check(&shop("build.gradle", "", layout), &tools(&[found]), AdapterKind::PlainJava, why).await;
    refused(
        &shop("build.gradle", "", layout),
        &tools(&[missing]),
        &["gradle is not there", "apt install gradle"],
    )
    .await;
    let build = "<project><target name=\"test\"><junit/></target></project>";
    let why = "there is a build.xml, but it is not used: ant is not there";
    check(&shop("build.xml", build, layout), &tools(&[found]), AdapterKind::PlainJava, why).await;
}

#[tokio::test]
async fn what_a_package_says_of_its_tests_and_is_not_followed_is_told() {
    let tools = Tools(vec![("node --version", "v20.19.0"), ("command -v mocha", "/usr/bin/mocha")]);
    let mut told = Vec::new();
    for package in [
        r#"{"scripts": {"test": "mocha"}}"#,
        r#"{"scripts": {"test": "cd test && mocha"}}"#,
        r#"{"scripts": {"test": "sh -c 'x'"}, "devDependencies": {"mocha": "*"}}"#,
    ] {
        let files = [("package.json", package), ("test/basket.js", "describe('basket', () => {})\n")];
        let DetectedProject { reasons, .. } = run(&files, &Overrides::default(), &tools).await.unwrap();
        told.push(format!("{package}\n{}\n", reasons.join("\n")));
    }
    insta::assert_snapshot!(told.join("\n"));
    let files = [("package.json", "{\"scripts\": {,}}"), ("test/basket.js", "describe()\n")];
    refused(&files, &tools, &["package.json is not what it has to be", "line 1 column 14", "--test CMD"])
        .await;
    let files = [("package.json", "[]"), ("test/basket.js", "describe()\n")];
    refused(&files, &tools, &["package.json is not what it has to be", "expected a map"]).await;
    // Without the tool they would fail for want of it.
    let files = [("package.json", "{}"), ("test/basket.js", "describe('basket', () => {})\n")];
    refused(&files, &tools, &["`describe` or `it`", "--test CMD"]).await;
}
