//! Gradle.

mod given;

use std::collections::BTreeMap;

use patchwright_protocol::ResultsFormat;
use patchwright_syntax::Language;

use super::survey::Survey;
use super::wrapper::Wrapper;
use super::{DetectError, DetectedProject, Toolchain, plain_java};
use crate::shell::shell_word;
use crate::spec::{AdapterKind, ProjectSpec};
pub(crate) use given::as_detected;

/// The reports of all test tasks of all projects.
pub(crate) const REPORTS: &str = "**/build/test-results/**/*.xml";

/// The files by which a build is known.
pub(super) const BUILDS: [&str; 4] =
    ["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"];

/// Nothing is downloaded.
const OFFLINE: &str = " --offline";

/// Gradle keeps what it makes for itself in a folder of ours: the user's is only read.
const HOME: &str = " -g \"$PATCHWRIGHT_OUT/gradle\"";

/// Without talk and without a process that stays, all projects also when tests fail, and what our script says of tests.
const OPTIONS: &str = "--no-daemon --continue --console=plain -I \"$PATCHWRIGHT_TOOLS/patchwright.gradle\"";

/// The words by which Gradle says that it would have to download something.
const UNRESOLVED: &str = "(No cached version of|Plugin .* was not found|Could not resolve)";

pub(super) async fn detect(
    survey: &Survey,
    file: &str,
    toolchain: &dyn Toolchain,
) -> Result<DetectedProject, DetectError> {
    let mut reasons = vec![format!("there is a {file}")];
    let mut program = "gradle".to_owned();
    if survey.has("gradlew") {
        let (called, why) = Wrapper::Gradle.program(survey.root(), toolchain).await?;
        reasons.push(why);
        program = called;
    }
    let Some(version) = version(&program, toolchain).await? else {
        let cure = "install Gradle and a JDK (Debian: apt install gradle), or give --test CMD";
        return Err(DetectError::missing("gradle", format!("there is a {file}"), cure));
    };
    reasons.push(format!("tests are run by {version}, offline"));
    let places = plain_java::tests(survey).map(|tests| tests.places()).unwrap_or_default();
    let test = format!("{program}{OFFLINE}{HOME} {OPTIONS} test");
    let spec = ProjectSpec {
        test_one: Some(format!("{test} {{tests}}")),
        source: places.source,
        tests: places.tests,
        env: environment(),
        ..ProjectSpec::new(AdapterKind::Gradle, Language::by_name("java"), test, reports())
    };
    Ok(DetectedProject { spec, reasons })
}

/// How outcomes are read.
fn reports() -> ResultsFormat {
    ResultsFormat::JunitXml { glob: REPORTS.to_owned() }
}

/// The variable by which Gradle finds the user's cache of libraries and only reads it, since 6.1
/// (docs.gradle.org/current/userguide/dependency_caching.html).
fn environment() -> BTreeMap<String, String> {
    let cache = Wrapper::Gradle.home().map(|home| home.join("caches"));
    let cache = cache.filter(|cache| cache.join("modules-2").is_dir());
    cache
        .map(|cache| ("GRADLE_RO_DEP_CACHE".to_owned(), cache.to_string_lossy().into_owned()))
        .into_iter()
        .collect()
}

/// The version of Gradle that a program is, where it answers.
async fn version(program: &str, toolchain: &dyn Toolchain) -> Result<Option<String>, DetectError> {
    let answer = toolchain.ask(&format!("{program} --version")).await?;
    let named = |answer: String| answer.lines().find(|line| line.starts_with("Gradle ")).map(str::to_owned);
    Ok(answer.and_then(named))
}

/// Bytes of build files that can be part of a question.
const BUILD_BYTES: usize = 96 << 10;

/// A question that is answered with what Gradle lacks to test a project with these build files, offline: it is asked to test one that holds
/// nothing but a class.
pub(super) fn lack(survey: &Survey, spec: &ProjectSpec) -> Option<String> {
    let program = spec.test.line().split_once(OFFLINE)?.0;
    let files = BUILDS.into_iter().chain(["gradle.properties"]).filter(|file| survey.has(file));
    let copied = |file| format!("printf %s {} > {file} && ", shell_word(&survey.text(file)));
    let files = files.map(copied).collect::<Vec<_>>().concat();
    (files.len() < BUILD_BYTES).then(|| {
        format!(
            "cd \"$(mktemp -d)\" && mkdir -p src/main/java src/test/java && {files}\
             echo 'class Patchwright {{}}' > src/main/java/Patchwright.java && \
             echo 'public class PatchwrightTest {{}}' > src/test/java/PatchwrightTest.java && \
             ! {program}{OFFLINE} -g \"$PWD/home\" --no-daemon --console=plain testClasses > log 2>&1 && grep -m 1 -o -E '{UNRESOLVED}.*' log"
        )
    })
}
