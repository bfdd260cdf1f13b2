//! Commands of the user's, which are run as if their tools had been detected.

use patchwright_protocol::{Overrides, ResultsFormat};

use super::{Tools, WITH_ENVIRONMENT, run, told};
use crate::detect::{DetectedProject, PYTEST_OPTIONS};
use crate::spec::AdapterKind;

#[tokio::test]
async fn a_given_command_that_is_a_known_tool_is_run_as_one_that_was_detected() {
    let answer = "3.11.7\n9.2.0\ncov\n\n/made/.venv/bin/python";
    let tools =
        Tools(vec![("command -v", ""), ("python3 -c", answer), ("$(sed", answer), ("export A=b", answer)]);
    let given = async |overrides: &Overrides| run(&WITH_ENVIRONMENT, overrides, &tools).await.unwrap();
    let check = async |test: &str, kind: AdapterKind, expect: &str| {
        let overrides = Overrides { test: Some(test.into()), ..Overrides::default() };
        let DetectedProject { spec, reasons } = given(&overrides).await;
        let ours = format!("{PYTEST_OPTIONS} -p no:randomly --no-cov");
        assert_eq!(spec.test.line().replace(&ours, "OURS"), expect, "{reasons:?}");
        assert_eq!((spec.kind, spec.results), (kind, ResultsFormat::Lines));
        assert!(spec.test_one.unwrap().ends_with(" {tests}"));
        spec.env
    };
    let pytest = AdapterKind::Pytest;
    let env = check("python3 -m pytest -q --cov=shop", pytest, "python3 -m pytest OURS").await;
    assert!(env.is_empty(), "{env:?}");
    let env = check(
        ".venv/bin/pytest -k 'not slow' tests",
        pytest,
        "\"$PYTHON\" -m pytest OURS -k 'not slow' -o 'testpaths=tests'",
    )
    .await;
    assert_eq!(env["PYTHON"], "/made/.venv/bin/python");
    check("A=b python3 -m pytest", pytest, "export A=b && python3 -m pytest OURS").await;
    check("cd tests && A=b python3 -m pytest", pytest, "cd tests && export A=b && python3 -m pytest OURS")
        .await;
    check("python3 -m unittest discover -v", AdapterKind::Unittest, "python3 -m patchwright_unittest .:.")
        .await;
    // Who says how outcomes are read gets his own command.
    let results = Some(ResultsFormat::PytestText);
    let overrides = Overrides { test: Some("python3 -m pytest".into()), results, ..Overrides::default() };
    assert_eq!(given(&overrides).await.spec.kind, AdapterKind::Custom);
}

/// How a command is run: its kind, the commands for all and for some tests without options of ours, and the reasons.
async fn understood(
    files: &[(&str, &str)],
    test: &str,
    network: bool,
) -> (AdapterKind, String, String, String) {
    let tools = Tools(vec![
        ("command -v", ""),
        ("mvn -v", "Apache Maven 3.8.7"),
        ("gradle --version", "Gradle 8.5"),
        ("node --version", "v20.1.0"),
        ("test -d /usr/share/maven-repo", ""),
    ]);
    let overrides = Overrides { test: Some(test.into()), network: Some(network), ..Overrides::default() };
    let DetectedProject { spec, reasons } = run(files, &overrides, &tools).await.unwrap();
    let short = |line: &str| {
        let ours = [
            (
                " -o -B -Dstyle.color=never -fae -Dmaven.test.failure.ignore=true -DtrimStackTrace=false",
                " OURS",
            ),
            (
                " -B -Dstyle.color=never -fae -Dmaven.test.failure.ignore=true -DtrimStackTrace=false",
                " ONLINE",
            ),
            (" -DfailIfNoTests=false -Dsurefire.failIfNoSpecifiedTests=false", ""),
            (" -Dmaven.repo.local=\"$MAVEN_REPOSITORY\"", ""),
            (" --offline -g \"$PATCHWRIGHT_OUT/gradle\"", ""),
            (" --no-daemon --continue --console=plain -I \"$PATCHWRIGHT_TOOLS/patchwright.gradle\"", " OURS"),
            (" \"$PATCHWRIGHT_TOOLS/patchwright_node.cjs\"", " OURS"),
            ("PATH=\"$PWD/node_modules/.bin:$PATH\" ", ""),
            ("PATH=\"$PWD/node_modules/.bin:$PWD/../node_modules/.bin:$PATH\" ", ""),
        ];
        ours.iter().fold(line.to_owned(), |line, (ours, short)| line.replace(ours, short))
    };
    let some = spec.test_one.as_deref().unwrap_or_default();
    (spec.kind, short(spec.test.line()), short(some), reasons.join("\n"))
}

const POM: &str = "<project><groupId>shop</groupId><artifactId>all</artifactId><version>1</version><modules><module>core</module></modules></project>";
const CORE: &str =
    "<project><groupId>shop</groupId><artifactId>core</artifactId><version>1</version></project>";

#[tokio::test]
async fn maven_keeps_what_the_command_says() {
    let files = [("pom.xml", POM), ("core/pom.xml", CORE), ("mvnw", ""), ("A.java", "class A {}")];
    let check = async |test: &str, expect: &str, reason: &str| {
        let (kind, all, some, reasons) = understood(&files, test, false).await;
        assert_eq!((kind, all.as_str()), (AdapterKind::Maven, expect), "{reasons}");
        assert!(some.ends_with(" -Dtest={tests}") && !some.contains("-Dtest=A"), "{some}");
        assert!(reasons.contains(reason), "{reasons}");
    };
    check("mvn -q test", "mvn OURS test", "Apache Maven 3.8.7, offline").await;
    check("A=b mvn -Pslow -Da=b -ff verify", "export A=b && mvn OURS -Pslow -Da=b verify", "`-ff` gives way")
        .await;
    check("mvn -pl core test", "mvn OURS -am -pl core test", "`-am` is added").await;
    check("mvn -pl core -am -Dtest=A test", "mvn OURS -pl core -am test -Dtest=A", "offline").await;
    check("cd core && mvn test", "cd core && mvn OURS -f .. -pl core -am test", "the module core").await;
    check("mvn -f core/pom.xml test", "mvn OURS -f . -pl core -am test", "the module core").await;
    check("./mvnw -B verify", "mvn OURS verify", "mvnw would have to download").await;
    let (_, online, ..) = understood(&files, "./mvnw -U test", true).await;
    assert_eq!(online, "./mvnw ONLINE -U test");
    let (kind, all, _, reasons) = understood(&files, "mvn -q compile", false).await;
    assert_eq!((kind, all.as_str()), (AdapterKind::Custom, "mvn -q compile"));
    insta::assert_snapshot!(reasons);
}

#[tokio::test]
async fn gradle_keeps_what_the_command_says() {
    let files = [("build.gradle", ""), ("A.java", "class A {}"), ("gradlew", "")];
    let (kind, all, some, reasons) = understood(&files, "gradle -q :core:check -Pa=b", false).await;
    assert_eq!((kind, all.as_str()), (AdapterKind::Gradle, "gradle OURS -Pa=b :core:check"), "{reasons}");
    assert_eq!(some, "gradle OURS -Pa=b :core:test {tests}");
    let tools = Tools(vec![("command -v", "")]);
    let overrides = Overrides { test: Some("./gradlew test".into()), ..Overrides::default() };
    let error = told(&run(&files, &overrides, &tools).await.unwrap_err());
    insta::assert_snapshot!(error.replace(&std::env::var("HOME").unwrap_or_default(), "<home>"));
}

#[tokio::test]
async fn packages_are_tested_as_the_command_says() {
    let package = "{\"scripts\": {\"test\": \"mocha --bail spec\", \"unit\": \"node --test\"}}";
    let files = [
        ("package.json", package),
        ("node_modules/.bin/mocha", ""),
        ("spec/a.js", ""),
        ("test/a.js", ""),
        ("sub/package.json", package),
        ("sub/spec/b.js", ""),
    ];
    let check = async |test: &str, expect: &str, some: &str| {
        let (kind, all, found, reasons) = understood(&files, test, false).await;
        assert!(matches!(kind, AdapterKind::Tool(_)), "{reasons}");
        assert_eq!((all.as_str(), found.as_str()), (expect, some), "{reasons}");
        reasons
    };
    let mocha = ("mocha --reporter OURS", "mocha --reporter OURS {tests}");
    let of_mocha = |rest: &str| (format!("mocha --reporter OURS{rest}"), mocha.1);
    for test in ["npm test", "npm t", "yarn test", "pnpm run test"] {
        let reasons = check(test, &of_mocha(" spec").0, mocha.1).await;
        assert!(reasons.contains("`--bail` gives way"), "{reasons}");
    }
    check("npx mocha", mocha.0, mocha.1).await;
    check("node_modules/.bin/mocha spec", &of_mocha(" spec").0, mocha.1).await;
    let set = ["A='b c' mocha --reporter OURS", "A='b c' mocha --reporter OURS {tests}"];
    check("A='b c' npx mocha", set[0], set[1]).await;
    check("npm run unit", "node OURS test/a.js", "node OURS -- {tests}").await;
    let sub = ["cd sub && mocha --reporter OURS spec", "cd sub && mocha --reporter OURS {tests}"];
    check("cd sub && npm test", sub[0], sub[1]).await;
    check("npm --prefix sub test", sub[0], sub[1]).await;
    for (test, why) in [
        ("npm test -w sub", "several packages"),
        ("node --test --test-name-pattern=a", "by patterns"),
        ("node build.js", "no test tool"),
        ("npm test | cat", "more than one program"),
        ("cd .. && npm test", "none of the project's"),
    ] {
        let (kind, all, _, reasons) = understood(&files, test, false).await;
        assert_eq!((kind, all.as_str()), (AdapterKind::Custom, test));
        assert!(reasons.contains(why), "{test}: {reasons}");
    }
}

#[tokio::test]
async fn the_files_that_pytest_takes_for_tests_are_known_where_its_settings_are() {
    let answer = "3.11.7\n9.2.0\n\n\n/usr/bin/python3";
    let tools = Tools(vec![("command -v", ""), ("python3 -c", answer)]);
    let check = async |settings: &str, test: Option<&str>, expect: &[&str]| {
        let files =
            [("pytest.ini", settings), ("checks/check_a.py", "def test_a(): pass\n"), ("test_b.py", "")];
        let overrides = Overrides { test: test.map(Into::into), ..Overrides::default() };
        let DetectedProject { spec, reasons } = run(&files, &overrides, &tools).await.unwrap();
        assert_eq!(
            (spec.kind, spec.test_files),
            (AdapterKind::Pytest, expect.iter().map(|name| (*name).to_owned()).collect()),
            "{reasons:?}"
        );
    };
    let checks = "[pytest]\npython_files = check_*.py\n";
    let usual = ["test_*.py", "*_test.py"];
    check("[pytest]\n", None, &usual).await;
    check(checks, None, &["check_*.py"]).await;
    check(checks, Some("python3 -m pytest -q"), &["check_*.py"]).await;
    check("[pytest]\n", Some("python3 -m pytest"), &usual).await;
    // Other settings may name others.
    check(checks, Some("python3 -m pytest -c other.ini"), &[]).await;
    check(checks, Some("python3 -m pytest -o python_files=x.py"), &[]).await;
    check(checks, Some("cd checks && python3 -m pytest"), &[]).await;
}
