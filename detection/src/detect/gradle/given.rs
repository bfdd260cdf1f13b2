//! A command of the user's that is Gradle: its tasks and options kept, but for those that contradict ours.

use super::super::wrapper::Wrapper;
use super::super::{DetectError, DetectedProject};
use super::{HOME, OFFLINE, OPTIONS, environment, reports, version};
use crate::ecosystems::{GIVEN, GivenTests, Understood};
use crate::given_command::enter;
use crate::spec::{AdapterKind, ProjectSpec};

/// Options whose value is the next word (docs.gradle.org/current/userguide/command_line_interface.html).
const WITH_VALUE: &[&str] = &[
    "-p",
    "--project-dir",
    "-b",
    "--build-file",
    "-c",
    "--settings-file",
    "-I",
    "--init-script",
    "-g",
    "--gradle-user-home",
    "-x",
    "--exclude-task",
    "-P",
    "-D",
    "--max-workers",
    "--console",
    "--warning-mode",
    "--tests",
    "--project-cache-dir",
    "--include-build",
    "--priority",
];
/// Options that change only what is told, and those that are ours: ours stand in their place.
const TOLD: &[&str] = &[
    "-q",
    "--quiet",
    "-w",
    "--warn",
    "-i",
    "--info",
    "-d",
    "--debug",
    "-s",
    "--stacktrace",
    "-S",
    "--full-stacktrace",
    "--console",
    "--warning-mode",
    "--offline",
    "--continue",
    "--no-daemon",
];
/// Options that contradict ours, with the reason for which ours stand.
const CONTRADICTING: &[(&str, &str)] = &[
    ("--daemon", "nothing may go on running when a command has ended"),
    ("-t", "a command has to end"),
    ("--continuous", "a command has to end"),
    ("--fail-fast", "all tests are run"),
    ("--no-continue", "the projects behind one whose tests fail are tested, too"),
];
/// Options that need the network.
const ONLINE: &[&str] = &["--refresh-dependencies", "--scan"];
/// Tasks that run those called `test` among others, which take no names of tests themselves.
const AROUND: &[&str] = &["check", "build"];

/// The arguments of a command.
#[derive(Default)]
struct Arguments {
    /// The options that stay, each with a blank before it.
    options: String,
    /// The tasks with the tests that they name, and the same for tests that are named by us.
    tasks: String,
    tasks_for_some: String,
    /// Whether it names the folder that Gradle keeps its files in.
    has_home: bool,
    reasons: Vec<String>,
}

impl Arguments {
    /// Reads them, or says why they are not understood.
    fn read(arguments: &[&str], network: bool) -> Result<Self, String> {
        let mut read = Self::default();
        let mut words = arguments.iter().copied();
        while let Some(word) = words.next() {
            let option = word.split_once('=').map_or(word, |(option, _)| option);
            let value = if WITH_VALUE.contains(&word) { words.next() } else { None };
            let why = match CONTRADICTING.iter().find(|(name, _)| *name == word) {
                _ if !network && ONLINE.contains(&word) => Some("tests run offline (--network)"),
                found => found.map(|(_, why)| *why),
            };
            let joined: String = [word].into_iter().chain(value).flat_map(|word| [" ", word]).collect();
            if let Some(why) = why {
                read.reasons.push(format!("`{word}` gives way: {why}"));
            } else if matches!(word, "-m" | "--dry-run") {
                return Err(format!("`{word}` runs nothing"));
            } else if matches!(option, "-x" | "--exclude-task") && is_of_tests(value.unwrap_or(word)) {
                return Err(format!("`{}` leaves out the tests", joined.trim_start()));
            } else if TOLD.contains(&option) {
            } else if option == "--tests" {
                read.tasks.push_str(&joined);
            } else if word.starts_with('-') {
                read.has_home |= matches!(option, "-g" | "--gradle-user-home");
                read.options.push_str(&joined);
            } else {
                read.tasks.push_str(&joined);
                if is_of_tests(word) {
                    read.tasks_for_some.push_str(&format!("{joined} {{tests}}"));
                } else if let Some(path) = AROUND.iter().find_map(|task| word.strip_suffix(task)) {
                    // In the same project, or in all.
                    read.tasks_for_some.push_str(&format!(" {path}test {{tests}}"));
                } else {
                    read.tasks_for_some.push_str(&joined);
                }
            }
        }
        if read.tasks_for_some.contains("{tests}") {
            Ok(read)
        } else {
            Err("it names no task of Gradle's that is known to run tests".to_owned())
        }
    }
}

/// Whether the name of a task says that it runs tests: `test`, `:core:test`, `integrationTest`.
fn is_of_tests(task: &str) -> bool {
    let name = task.rsplit([':', '=']).next().unwrap_or(task);
    name == "test" || name.ends_with("Test")
}

/// The project as if Gradle had been detected, with the command's own tasks and options.
pub(crate) async fn as_detected(given: &GivenTests<'_>) -> Result<Understood, DetectError> {
    let command = given.command;
    let is_wrapper = command.program() == "gradlew";
    if !is_wrapper && command.program() != "gradle" {
        return Ok(Understood::No);
    }
    let arguments = match Arguments::read(&command.words[1..], given.network) {
        Ok(arguments) => arguments,
        Err(why) => return Ok(Understood::Kept(why)),
    };
    if command.place().is_none() {
        return Ok(Understood::Kept("it changes into a folder that is none of the project's".to_owned()));
    }
    let mut reasons = vec![GIVEN.to_owned()];
    let mut program = command.words[0].to_owned();
    if is_wrapper && !given.network {
        let (called, why) = Wrapper::Gradle.program(given.survey.root(), given.toolchain).await?;
        reasons.push(why);
        program = called;
    }
    let version = version(&program, given.toolchain).await?;
    let (how, offline) = if given.network { ("", "") } else { (", offline", OFFLINE) };
    let version = version.as_deref().unwrap_or(&program);
    reasons.push(format!("tests are run by {version}{how}, with options by which single tests are told"));
    reasons.extend(arguments.reasons);
    let before = format!("{}{}", enter(command.folder), command.exports(|_| ""));
    let home = if arguments.has_home { "" } else { HOME };
    let start = format!("{before}{program}{offline}{home} {OPTIONS}{}", arguments.options);
    let mut spec = ProjectSpec {
        kind: AdapterKind::Gradle,
        test: format!("{start}{}", arguments.tasks).into(),
        test_one: Some(format!("{start}{}", arguments.tasks_for_some)),
        results: reports(),
        ..given.spec.clone()
    };
    spec.env.extend(environment());
    Ok(Understood::As(Box::new(DetectedProject { spec, reasons })))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn tasks_that_run_tests_take_their_names() {
        let check = |arguments: &str, expect: Option<(&str, &str, &str)>| {
            let words: Vec<&str> = arguments.split(' ').collect();
            let found = Arguments::read(&words, false).ok();
            let found = found
                .as_ref()
                .map(|found| (found.options.as_str(), found.tasks.as_str(), found.tasks_for_some.as_str()));
            assert_eq!(found, expect, "{arguments}");
        };
        check("test", Some(("", " test", " test {tests}")));
        check("-q :core:test -Pa=b --info", Some((" -Pa=b", " :core:test", " :core:test {tests}")));
        check("clean :core:check", Some(("", " clean :core:check", " clean :core:test {tests}")));
        check("test --tests a.B* -p sub", Some((" -p sub", " test --tests a.B*", " test {tests}")));
        check(
            "test integrationTest",
            Some(("", " test integrationTest", " test {tests} integrationTest {tests}")),
        );
        check("test --daemon --scan", Some(("", " test", " test {tests}")));
        for arguments in ["assemble", "build -x test", "test --dry-run"] {
            check(arguments, None);
        }
        assert_eq!(Arguments::read(&["test", "--daemon", "--scan"], false).unwrap().reasons.len(), 2);
        assert_eq!(Arguments::read(&["test", "--scan"], true).unwrap().options, " --scan");
    }
}
