//! Ant.

use patchwright_protocol::ResultsFormat;
use patchwright_syntax::Language;
use patchwright_syntax::pattern::{Pattern, pattern};

use super::plain_java::{self, JavaFolders};
use super::survey::Survey;
use super::{DetectError, DetectedProject, Toolchain};
use crate::shell::shell_word;
use crate::spec::{AdapterKind, ProjectSpec};

static TARGET: Pattern = pattern!(r#"<target\b[^>]*?\bname\s*=\s*["']([^"']+)["']"#);
static XML_FORMATTER: Pattern = pattern!(r#"<formatter\b[^>]*\btype\s*=\s*["']xml["']"#);

/// Names of targets that run tests, most usual first.
const TARGETS: &[&str] =
    &["test", "tests", "junit", "run-tests", "runtests", "unittest", "unit-test", "check", "run.tests"];

/// Reports of the junit task, wherever the build puts them.
const REPORTS: &str = "**/TEST-*.xml";

pub(super) async fn detect(
    survey: &Survey,
    toolchain: &dyn Toolchain,
) -> Result<DetectedProject, DetectError> {
    let build = survey.text("build.xml");
    let targets: Vec<&str> =
        TARGET.captures_iter(&build).filter_map(|found| found.get(1)).map(|name| name.as_str()).collect();
    let Some(target) = TARGETS.iter().find(|name| targets.contains(name)) else {
        let targets = targets.join(", ");
        return Err(DetectError::not_supported(
            format!("build.xml names Ant, but none of its targets is known to run tests: {targets}"),
            "--test 'ant TARGET' --results 'junit-xml:**/TEST-*.xml'",
        ));
    };
    let Some(version) = toolchain.ask("ant -version").await? else {
        return Err(DetectError::missing(
            "ant",
            "there is a build.xml",
            "install Ant and a JDK (Debian: apt install ant ant-optional junit4), or give --test CMD",
        ));
    };
    let results = results(&build);
    let writes = if matches!(results, ResultsFormat::JunitXml { .. }) {
        "build.xml writes JUnit XML"
    } else {
        "build.xml writes no JUnit XML, so outcomes are read from the console"
    };
    let reasons = vec![
        format!("there is a build.xml with the target `{target}`"),
        format!("tests are run by {version}"),
        writes.to_owned(),
        "single tests cannot be chosen: Ant has no common way to name them (--test-one CMD)".to_owned(),
    ];
    let places = plain_java::tests(survey).map_or_else(JavaFolders::default, |tests| tests.places());
    let test = format!("ant -noinput {}", shell_word(target));
    let spec = ProjectSpec {
        source: places.source,
        tests: places.tests,
        ..ProjectSpec::new(AdapterKind::Ant, Language::by_name("java"), test, results)
    };
    Ok(DetectedProject { spec, reasons })
}

/// A question that is answered where Ant lacks the task that runs the tests.
pub(super) fn lack(survey: &Survey, _spec: &ProjectSpec) -> Option<String> {
    let needed = survey.text("build.xml").contains("<junit");
    needed.then(|| {
        let probe = "<project><condition property=\"there\"><typefound name=\"junit\"/></condition><fail unless=\"there\"/></project>";
        format!(
            "cd \"$(mktemp -d)\" && echo {} > build.xml && ! ant -q > log 2>&1 && echo 'Ant has no junit task here'",
            shell_word(probe)
        )
    })
}

/// The format of the outcomes, by what the build file writes.
pub(crate) fn results(build: &str) -> ResultsFormat {
    if XML_FORMATTER.is_match(build) {
        ResultsFormat::JunitXml { glob: REPORTS.to_owned() }
    } else {
        ResultsFormat::JunitText
    }
}
