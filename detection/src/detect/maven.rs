//! Maven.

mod coordinates;
mod given;
mod reactor;

use std::collections::BTreeSet;
use std::path::Path;

use patchwright_protocol::ResultsFormat;
use patchwright_syntax::Language;

use super::survey::Survey;
use super::{DetectError, DetectedProject, Toolchain};
use crate::shell::shell_word;
use crate::spec::{AdapterKind, ProjectSpec};
pub(crate) use given::as_detected;
use reactor::Reactor;

/// Reports of all modules.
pub(crate) const REPORTS: &str = "**/target/surefire-reports/TEST-*.xml";

/// Nothing is downloaded.
const OFFLINE: &str = "-o ";

/// Without talk, all modules also when tests fail, traces in full, no error where a module has none of the wanted tests.
const OPTIONS: &str = "-B -Dstyle.color=never -fae -Dmaven.test.failure.ignore=true -DtrimStackTrace=false \
                       -DfailIfNoTests=false -Dsurefire.failIfNoSpecifiedTests=false";

/// The words by which Maven says that it would have to download something.
const UNRESOLVED: &str = "(Non-resolvable|Could not resolve|Plugin [^ ]* or one of its dependencies could not be resolved|Cannot access)";

/// The variable that names the local repository.
const REPOSITORY: &str = "MAVEN_REPOSITORY";

/// The option that has Maven use it.
const LOCAL: &str = " -Dmaven.repo.local=\"$MAVEN_REPOSITORY\"";

/// Where Debian keeps what its packages of Maven plugins and libraries hold.
const DEBIAN_REPOSITORY: &str = "/usr/share/maven-repo";

/// Where a repository keeps what no build does without.
const PLUGINS: &str = "/org/apache/maven/plugins";

pub(super) async fn detect(
    survey: &Survey,
    toolchain: &dyn Toolchain,
) -> Result<DetectedProject, DetectError> {
    let mut reasons = vec!["there is a pom.xml".to_owned()];
    let Some(version) = version("mvn", toolchain).await? else {
        let cure = "install Maven and a JDK (Debian: apt install maven), or give --test CMD";
        return Err(DetectError::missing("mvn", "there is a pom.xml", cure));
    };
    reasons.push(format!("tests are run by {version}, offline"));
    let (path, why) = repository(toolchain).await?.unzip();
    reasons.extend(why);
    refuse_installed(survey, Reactor::around(survey, ".", None).as_ref(), path.as_deref())?;
    let local = path.as_ref().map_or("", |_| LOCAL);
    let test = format!("mvn {OFFLINE}{OPTIONS}{local} test");
    let results = ResultsFormat::JunitXml { glob: REPORTS.to_owned() };
    let spec = ProjectSpec {
        test_one: Some(format!("{test} -Dtest={{tests}}")),
        source: folders(survey, "src/main/java"),
        tests: folders(survey, "src/test"),
        env: path.map(|path| (REPOSITORY.to_owned(), path)).into_iter().collect(),
        ..ProjectSpec::new(AdapterKind::Maven, Language::by_name("java"), test, results)
    };
    Ok(DetectedProject { spec, reasons })
}

/// Refuses modules that are made of another one of the project's which is not built with them, but taken from the local repository: the tests
/// would judge what was installed there.
fn refuse_installed(
    survey: &Survey,
    reactor: Option<&Reactor>,
    repository: Option<&str>,
) -> Result<(), DetectError> {
    let Some((installed, repository)) = reactor.and_then(|reactor| reactor.installed(survey)).zip(repository)
    else {
        return Ok(());
    };
    let place = Path::new(repository).join(installed.folder());
    if !place.is_dir() {
        return Ok(());
    }
    Err(DetectError::Elsewhere {
        module: format!("{}:{}", installed.group, installed.artifact),
        path: place.display().to_string(),
        cure: "give a --test CMD that builds both, by a pom.xml that names both as modules: mvn -f POM -pl MODULE -am test",
    })
}

/// Bytes of a build file that can be part of a question.
const POM_BYTES: usize = 96 << 10;

/// A question that is answered with what Maven lacks to test a project with this build file, offline: it is asked to test
/// one that holds nothing but a class.
pub(super) fn lack(survey: &Survey, spec: &ProjectSpec) -> Option<String> {
    let pom = survey.text("pom.xml");
    let repository = spec.env.get(REPOSITORY).map(|path| format!(" -Dmaven.repo.local={}", shell_word(path)));
    (pom.len() < POM_BYTES).then(|| {
        format!(
            "cd \"$(mktemp -d)\" && mkdir -p src/main/java src/test/java && printf %s {} > pom.xml && \
             echo 'class Patchwright {{}}' > src/main/java/Patchwright.java && \
             echo 'public class PatchwrightTest {{}}' > src/test/java/PatchwrightTest.java && \
             ! mvn {OFFLINE}{OPTIONS}{} test > log 2>&1 && grep -m 1 -o -E '{UNRESOLVED}.*' log",
            shell_word(&pom),
            repository.unwrap_or_default()
        )
    })
}

/// The version of Maven that a program is, where it answers.
async fn version(program: &str, toolchain: &dyn Toolchain) -> Result<Option<String>, DetectError> {
    let answer = toolchain.ask(&format!("{program} -v")).await?;
    let first = |answer: String| answer.lines().next().unwrap_or_default().to_owned();
    Ok(answer.map(first).map(|line| line.replace("\u{1b}[1m", "").replace("\u{1b}[m", "")))
}

/// The local repository: the user's, as far as it is shown in the sandbox and was ever filled, or Debian's.
async fn repository(toolchain: &dyn Toolchain) -> Result<Option<(String, String)>, DetectError> {
    if let Some(path) = toolchain.maven_repository().map(Path::to_string_lossy)
        && toolchain.ask(&format!("test -d {}{PLUGINS}", shell_word(&path))).await?.is_some()
    {
        let why = format!("libraries come from the user's repository {path}");
        return Ok(Some((path.into_owned(), why)));
    }
    let debian = toolchain.ask(&format!("test -d {DEBIAN_REPOSITORY}{PLUGINS}")).await?;
    Ok(debian.map(|_| (DEBIAN_REPOSITORY.to_owned(), "libraries come from Debian's repository".to_owned())))
}

/// The folders of that name in the root and in all modules.
pub(crate) fn folders(survey: &Survey, name: &str) -> Vec<String> {
    let inside = format!("{name}/");
    let folder = |path: &str| {
        if path.starts_with(&inside) {
            return Some(name.to_owned());
        }
        let start = path.find(&format!("/{inside}"))?;
        Some(format!("{}/{name}", &path[..start]))
    };
    let found: BTreeSet<String> = survey.files().filter_map(folder).collect();
    found.into_iter().collect()
}
