//! A command of the user's that is Maven: its options kept, but for those that contradict ours.

use patchwright_protocol::ResultsFormat;

use super::super::wrapper::Wrapper;
use super::super::{DetectError, DetectedProject};
use super::reactor::Reactor;
use super::{LOCAL, OFFLINE, OPTIONS, REPORTS, REPOSITORY, refuse_installed, repository, version};
use crate::ecosystems::{GIVEN, GivenTests, Understood};
use crate::given_command::enter;
use crate::shell::{QUOTES, shell_word};
use crate::spec::{AdapterKind, ProjectSpec};

/// Options whose value is the next word (maven.apache.org/ref/current/maven-embedder/cli.html).
const WITH_VALUE: &[&str] = &[
    "-P",
    "--activate-profiles",
    "-pl",
    "--projects",
    "-f",
    "--file",
    "-s",
    "--settings",
    "-gs",
    "--global-settings",
    "-t",
    "--toolchains",
    "-gt",
    "--global-toolchains",
    "-T",
    "--threads",
    "-rf",
    "--resume-from",
    "-l",
    "--log-file",
    "-b",
    "--builder",
    "-D",
    "--define",
    "--color",
];
/// Options that change only the output, or that we add ourselves: they are left out.
const TOLD: &[&str] = &[
    "-q",
    "--quiet",
    "-X",
    "--debug",
    "-e",
    "--errors",
    "-B",
    "--batch-mode",
    "-V",
    "--show-version",
    "-ntp",
    "--no-transfer-progress",
    "-o",
    "--offline",
    "-fae",
    "--fail-at-end",
    "-l",
    "--log-file",
    "--color",
];
/// Options that contradict ours, with the reason for which ours stand.
const CONTRADICTING: &[(&str, &str)] = &[
    ("-ff", "the modules behind one whose tests fail are tested, too"),
    ("--fail-fast", "the modules behind one whose tests fail are tested, too"),
    ("-fn", "a build that fails has to be told"),
    ("--fail-never", "a build that fails has to be told"),
];
/// Options that need the network.
const ONLINE: &[&str] = &["-U", "--update-snapshots"];
/// Properties that contradict ours.
const PROPERTIES: &[&str] = &[
    "style.color",
    "maven.test.failure.ignore",
    "trimStackTrace",
    "failIfNoTests",
    "surefire.failIfNoSpecifiedTests",
    "surefire.failIfNoTests",
];
/// The phases in which tests run, and the goal that runs them.
const TESTING: &[&str] = &[
    "test",
    "prepare-package",
    "package",
    "pre-integration-test",
    "integration-test",
    "post-integration-test",
    "verify",
    "install",
    "surefire:test",
];

/// The arguments of a command.
#[derive(Default)]
struct Arguments<'c> {
    /// Goals and options that stay, each with a blank before it.
    kept: String,
    /// The choice of tests, with a blank before it.
    chosen: String,
    /// Whether it names the local repository.
    has_repository: bool,
    /// The build file or its folder.
    file: Option<&'c str>,
    /// Some modules are named, and those that they are made of are built, too.
    names_modules: bool,
    makes_others: bool,
    reasons: Vec<String>,
}

impl<'c> Arguments<'c> {
    /// Reads them, or says why they are not understood.
    fn read(arguments: &[&'c str], network: bool) -> Result<Self, String> {
        let mut read = Self::default();
        let mut tests = false;
        let mut words = arguments.iter().copied();
        while let Some(word) = words.next() {
            let option = word.split_once('=').map_or(word, |(option, _)| option);
            let value = if WITH_VALUE.contains(&word) { words.next() } else { None };
            let property = property(word, value);
            let contradicts = CONTRADICTING.iter().find(|(name, _)| *name == word).map(|(_, why)| *why);
            let why = match property {
                Some((name, _)) if PROPERTIES.contains(&name) => {
                    Some("all outcomes of all modules have to be told, in full")
                }
                _ if !network && ONLINE.contains(&word) => Some("tests run offline (--network)"),
                _ => contradicts,
            };
            if let Some(why) = why {
                read.reasons.push(format!("`{word}` gives way: {why}"));
                continue;
            }
            if TOLD.contains(&option) {
                continue;
            }
            match property {
                Some(("skipTests" | "maven.test.skip", value)) if value != "false" => {
                    return Err(format!("`{word}` leaves out the tests"));
                }
                Some(("test", _)) => {
                    read.chosen = joined(word, value);
                    continue;
                }
                Some(("maven.repo.local", _)) => read.has_repository = true,
                Some(_) | None => {}
            }
            match option {
                "-f" | "--file" => {
                    read.file = value.or(word.split_once('=').map(|(_, file)| file));
                    continue;
                }
                "-pl" | "--projects" => read.names_modules = true,
                "-am" | "--also-make" => read.makes_others = true,
                _ => tests |= TESTING.contains(&word) || word.ends_with(":test"),
            }
            read.kept.push_str(&joined(word, value));
        }
        if tests { Ok(read) } else { Err("it names no phase of Maven's in which tests run".to_owned()) }
    }
}

/// The name and value of a property that is set.
fn property<'c>(word: &'c str, value: Option<&'c str>) -> Option<(&'c str, &'c str)> {
    let set = match (word, value) {
        ("-D" | "--define", Some(set)) => set,
        _ => word.trim_start_matches(QUOTES).strip_prefix("-D")?,
    };
    let set = set.trim_matches(QUOTES);
    Some(set.split_once('=').unwrap_or((set, "true")))
}

/// A word with its value, each with a blank before it.
fn joined(word: &str, value: Option<&str>) -> String {
    [word].into_iter().chain(value).flat_map(|word| [" ", word]).collect()
}

/// The way from one folder of the project to another.
fn from(folder: &str, to: &str) -> String {
    let up = folder.split('/').filter(|part| *part != ".").map(|_| "..");
    let way: Vec<&str> = up.chain(Some(to).filter(|to| *to != ".")).collect();
    if way.is_empty() { ".".to_owned() } else { way.join("/") }
}

/// The project as if Maven had been detected, with the command's own goals, profiles, properties and modules.
pub(crate) async fn as_detected(given: &GivenTests<'_>) -> Result<Understood, DetectError> {
    let command = given.command;
    if !matches!(command.program(), "mvn" | "mvnw") {
        return Ok(Understood::No);
    }
    let arguments = match Arguments::read(&command.words[1..], given.network) {
        Ok(arguments) => arguments,
        Err(why) => return Ok(Understood::Kept(why)),
    };
    let Some(folder) = command.place() else {
        return Ok(Understood::Kept("it changes into a folder that is none of the project's".to_owned()));
    };
    let mut reasons = vec![GIVEN.to_owned()];
    let (mut program, mut wrapped) = (command.words[0].to_owned(), false);
    if command.program() == "mvnw" && !given.network {
        let (called, why) = Wrapper::Maven.program(given.survey.root(), given.toolchain).await?;
        reasons.push(why);
        program = called;
    } else {
        wrapped = command.program() == "mvnw";
    }
    // A script of the project is not where tools are asked.
    let version = if wrapped { None } else { version(&program, given.toolchain).await? };
    let how = if given.network { "" } else { ", offline" };
    let version = version.as_deref().unwrap_or(command.words[0]);
    reasons.push(format!("tests are run by {version}{how}, with options by which single tests are told"));
    let local = if arguments.has_repository { None } else { repository(given.toolchain).await? };
    let (path, why) = local.unzip();
    reasons.extend(why);
    reasons.extend(arguments.reasons);
    let mut file = arguments.file.map_or_else(String::new, |file| format!(" -f {file}"));
    let mut selected = "";
    let reactor = Reactor::around(given.survey, &folder, arguments.file);
    refuse_installed(given.survey, reactor.as_ref(), path.as_deref())?;
    match reactor {
        // What the module is made of would come from the local repository, as it was when it was installed there.
        Some(Reactor { root, module }) if module != "." && !arguments.names_modules => {
            reasons.push(format!(
                "the module {module} is tested with the modules that it is made of, which would come from the local repository"
            ));
            file = format!(" -f {} -pl {} -am", shell_word(&from(&folder, &root)), shell_word(&module));
        }
        Some(_) | None if arguments.names_modules && !arguments.makes_others => {
            reasons.push(
                "`-am` is added: what the modules are made of would come from the local repository"
                    .to_owned(),
            );
            selected = " -am";
        }
        Some(_) | None => {}
    }
    let offline = if given.network { "" } else { OFFLINE };
    let local = path.as_ref().map_or("", |_| LOCAL);
    let start = format!(
        "{}{}{program} {offline}{OPTIONS}{local}{file}{selected}{}",
        enter(&folder),
        command.exports(|_| ""),
        arguments.kept
    );
    let mut spec = ProjectSpec {
        kind: AdapterKind::Maven,
        test: format!("{start}{}", arguments.chosen).into(),
        test_one: Some(format!("{start} -Dtest={{tests}}")),
        results: ResultsFormat::JunitXml { glob: REPORTS.to_owned() },
        ..given.spec.clone()
    };
    spec.env.extend(path.map(|path| (REPOSITORY.to_owned(), path)));
    Ok(Understood::As(Box::new(DetectedProject { spec, reasons })))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn arguments_that_do_not_contradict_ours_stay() {
        let check = |line: &'static str, kept: &str, reasons: usize| {
            let words: Vec<&str> = line.split(' ').collect();
            let found = Arguments::read(&words, false).unwrap();
            assert_eq!((found.kept.as_str(), found.reasons.len()), (kept, reasons), "{line}");
            found
        };
        check("-q test", " test", 0);
        check("-B -P slow -Da=b clean verify", " -P slow -Da=b clean verify", 0);
        check("-D a=b -T 1C -l log.txt test", " -D a=b -T 1C test", 0);
        check("test -ff -U -DtrimStackTrace=true", " test", 3);
        assert_eq!(check("test -Dtest=ATest", " test", 0).chosen, " -Dtest=ATest");
        assert_eq!(check("-f core/pom.xml test", " test", 0).file, Some("core/pom.xml"));
        assert!(check("-Dmaven.repo.local=/x test", " -Dmaven.repo.local=/x test", 0).has_repository);
        let modules = check("-pl core -am test", " -pl core -am test", 0);
        assert!(modules.names_modules && modules.makes_others);
        for line in ["-q compile", "-DskipTests verify", "-Dmaven.test.skip=true test", "-v"] {
            assert!(Arguments::read(&line.split(' ').collect::<Vec<_>>(), false).is_err(), "{line}");
        }
        assert_eq!(Arguments::read(&["-U", "test"], true).unwrap().kept, " -U test");
    }

    #[test]
    fn ways_lead_from_one_folder_to_another() {
        let check = |folder: &str, to: &str, expect: &str| assert_eq!(from(folder, to), expect);
        check(".", ".", ".");
        check("core", ".", "..");
        check("a/b", "a", "../../a");
        check(".", "a/b", "a/b");
    }
}
