//! A bug through the command `defects4j`.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read as _, Seek as _};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use patchwright_detection::adapters::shell_word;
use patchwright_protocol::{Failure, Overrides, ResultsFormat};
use patchwright_sandbox::{CommandLimits, Exit, Sandbox};
use tokio::process::Command;

use super::metadata::Row;
use super::{TIME_ZONE, ZONE};
use crate::container::unprepared;
use crate::suite::disk;

/// The time that a checkout may take: it clones the project's whole history.
const CHECKOUT: Duration = Duration::from_mins(10);
/// The time that a question may take.
const QUESTION: Duration = Duration::from_mins(2);
/// The time that its tests may take.
const TESTS: Duration = Duration::from_mins(30);
/// Its fastest subcommand: it lists the projects.
const CHEAPEST: &str = "pids";
/// The pause between two looks whether that has ended.
const PAUSE: Duration = Duration::from_millis(10);
/// The name of the command.
const NAME: &str = "defects4j";
/// The folder in which a container makes a bug before it is copied to where we see it.
const ASIDE: &str = "/tmp/patchwright-bug";
/// Lines of what it says that are shown when it fails.
const SHOWN: usize = 5;
/// The property that tells where the bug is, in the file that it writes for its build.
const TELLING: &str = "d4j.classes.modified";

/// The result of preparing a bug.
pub(super) struct Prepared {
    pub(super) overrides: Overrides,
    /// The jars of the class path, and Defects4J itself.
    pub(super) readable: Vec<PathBuf>,
}

/// The place of the command.
#[derive(Clone, Copy)]
pub(super) enum Home<'a> {
    /// On this machine.
    Machine(&'a Path),
    /// On the PATH of an image, in a container of which it is run.
    Image(&'a dyn Sandbox),
}

impl Home<'_> {
    /// Makes the buggy version of a bug in a folder.
    async fn checkout(self, row: &Row, folder: &Path) -> Result<(), Failure> {
        let version = format!("{}b", row.number);
        let arguments =
            |place| ["checkout", "-p", &row.project, "-v", &version, "-w", place].map(str::to_owned);
        match self {
            Self::Machine(program) => {
                run(program, &arguments(&folder.display().to_string()), CHECKOUT).await.map(drop)
            }
            // Git takes no repository in a folder of somebody else's, as the lane is one.
            Self::Image(sandbox) => {
                let line = format!("{} && cp -a {ASIDE}/. .", shell_line(NAME, &arguments(ASIDE)));
                in_image(sandbox, folder, &line, CHECKOUT).await.map(drop)
            }
        }
    }

    /// The value of a property of the bug in a folder.
    async fn export(self, property: &str, folder: &Path) -> Result<String, Failure> {
        let place = match self {
            Self::Machine(_) => folder.to_owned(),
            Self::Image(sandbox) => sandbox.path_inside(folder),
        };
        let place = place.display().to_string();
        let arguments = ["export", "-p", property, "-w", &place].map(str::to_owned);
        match self {
            Self::Machine(program) => run(program, &arguments, QUESTION).await,
            Self::Image(sandbox) => in_image(sandbox, folder, &shell_line(NAME, &arguments), QUESTION).await,
        }
    }

    /// The command as a word of a shell.
    fn word(self) -> String {
        match self {
            Self::Machine(program) => shell_word(&program.display().to_string()),
            Self::Image(_) => NAME.to_owned(),
        }
    }
}

/// Makes the buggy version of a bug in `folder`, without its history.
///
/// # Errors
/// The command fails, or takes too long.
pub(super) async fn prepare(
    home: Home<'_>,
    row: &Row,
    relevant: bool,
    folder: &Path,
) -> Result<Prepared, Failure> {
    home.checkout(row, folder).await?;
    let copy = folder.to_owned();
    crate::blocking(move |_| scrub(&copy)).await?;
    let source = home.export("dir.src.classes", folder).await?;
    let tests = home.export("dir.src.tests", folder).await?;
    let word = home.word();
    let overrides = Overrides {
        test: Some(format!("{word} test{}", if relevant { " -r" } else { "" }).into()),
        test_one: Some(format!("{word} test -t {{test}}")),
        results: Some(ResultsFormat::Defects4j),
        source: Some(vec![source.trim().to_owned()]),
        tests: Some(vec![tests.trim().to_owned()]),
        env: Some(BTreeMap::from([(ZONE.to_owned(), TIME_ZONE.to_owned())])),
        timeout: Some(TESTS),
        ..Overrides::default()
    };
    let readable = match home {
        Home::Machine(program) => {
            readable(program, &row.project, &home.export("cp.test", folder).await?, folder)
        }
        Home::Image(_) => Vec::new(),
    };
    Ok(Prepared { overrides, readable })
}

/// The jars of a class path, and what of Defects4J itself its tests need.
fn readable(program: &Path, project: &str, class_path: &str, folder: &Path) -> Vec<PathBuf> {
    let jars = class_path.trim().split(':').map(PathBuf::from);
    let home = program.canonicalize().ok().and_then(|real| real.ancestors().nth(3).map(Path::to_owned));
    let home = home.map(|home| without_truth(&home, project)).unwrap_or_default();
    let mut readable: Vec<PathBuf> = jars
        .filter(|path| path.is_absolute() && !path.starts_with(folder) && path.exists())
        .chain(home)
        .collect();
    readable.sort();
    readable.dedup();
    readable
}

/// The part of the command's home that its tests need and a session may see: no patches, and no repositories with later revisions.
fn without_truth(home: &Path, project: &str) -> Vec<PathBuf> {
    let entries = |folder: &Path| -> Vec<PathBuf> {
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
    };
    let named = |path: &PathBuf, names: &[&str]| {
        path.file_name().and_then(|name| name.to_str()).is_some_and(|name| names.contains(&name))
    };
    let (framework, projects) = (home.join("framework"), home.join("framework/projects"));
    let mut seen = entries(home);
    seen.retain(|path| !named(path, &["framework", "project_repos", ".git"]));
    seen.extend(entries(&framework).into_iter().filter(|path| !named(path, &["projects"])));
    seen.push(projects.join("lib"));
    let own = entries(&projects.join(project));
    seen.extend(
        own.into_iter().filter(|path| !named(path, &["patches", "modified_classes", "trigger_tests"])),
    );
    seen.retain(|path| path.exists());
    seen
}

/// Takes away what tells of the fix: the history with its tags, and the names of the classes that it changes.
fn scrub(folder: &Path) -> Result<(), Failure> {
    for history in [".git", ".svn"].map(|name| folder.join(name)) {
        if history.exists() {
            fs::remove_dir_all(&history).map_err(|error| disk(&history, &error))?;
        }
    }
    let properties = folder.join("defects4j.build.properties");
    if let Ok(text) = fs::read_to_string(&properties) {
        let kept: Vec<&str> = text.lines().filter(|line| !line.starts_with(TELLING)).collect();
        fs::write(&properties, kept.join("\n") + "\n").map_err(|error| disk(&properties, &error))?;
    }
    Ok(())
}

/// Checks that the command works: it looks at its Java itself, before it does anything.
///
/// # Errors
/// Its message, or that it cannot be started or does not end.
pub(super) fn check(program: &Path) -> Result<(), String> {
    let failed = |message: String| format!("`{} {CHEAPEST}` {message}", program.display());
    let started = |error: std::io::Error| failed(format!("cannot be started: {error}"));
    // A file takes all that is said while nobody reads.
    let mut said = tempfile::tempfile().map_err(started)?;
    let stderr = said.try_clone().map_err(started)?;
    let mut command = std::process::Command::new(program);
    command.arg(CHEAPEST).env(ZONE, TIME_ZONE).stdin(Stdio::null()).stdout(Stdio::null()).stderr(stderr);
    let mut child = command.spawn().map_err(started)?;
    let begun = Instant::now();
    let status = loop {
        match child.try_wait().map_err(started)? {
            Some(status) => break status,
            None if begun.elapsed() > QUESTION => {
                // It may have ended in this moment; either way it is over.
                let _ = child.kill();
                let _ = child.wait();
                return Err(failed(format!("did not end within {} s", QUESTION.as_secs())));
            }
            None => std::thread::sleep(PAUSE),
        }
    };
    if status.success() {
        return Ok(());
    }
    let mut text = Vec::new();
    said.rewind().and_then(|()| said.read_to_end(&mut text)).map_err(started)?;
    Err(failed(format!("failed ({status}):\n{}", end(&text))))
}

/// The last lines of what the command said.
fn end(said: &[u8]) -> String {
    let said = String::from_utf8_lossy(said);
    let lines: Vec<&str> = said.trim_end().lines().collect();
    lines[lines.len().saturating_sub(SHOWN)..].join("\n")
}

/// Runs the command and tells what it prints.
pub(super) async fn run(program: &Path, arguments: &[String], limit: Duration) -> Result<String, Failure> {
    let line = format!("{} {}", program.display(), arguments.join(" "));
    let failed = |message: String| Failure::environment(format!("`{line}` {message}"));
    let mut command = Command::new(program);
    command.args(arguments).env(ZONE, TIME_ZONE).stdin(Stdio::null()).kill_on_drop(true);
    let outcome = match tokio::time::timeout(limit, command.output()).await {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(error)) => return Err(failed(format!("cannot be started: {error}"))),
        Err(_) => return Err(failed(format!("did not end within {} s", limit.as_secs()))),
    };
    if outcome.status.success() {
        return Ok(String::from_utf8_lossy(&outcome.stdout).into_owned());
    }
    Err(failed(format!("failed ({}):\n{}", outcome.status, end(&outcome.stderr))))
}

/// Runs a line in a container that sees the folder, and tells what it prints.
async fn in_image(
    sandbox: &dyn Sandbox,
    folder: &Path,
    line: &str,
    limit: Duration,
) -> Result<String, Failure> {
    let command = patchwright_sandbox::Command {
        env: BTreeMap::from([(ZONE.to_owned(), TIME_ZONE.to_owned())]),
        limits: CommandLimits { time: limit, ..CommandLimits::default() },
        ..patchwright_sandbox::Command::new(line)
    };
    let outcome = sandbox.run(folder, &command).await.map_err(|error| unprepared(&error))?;
    let failed = |message: String| Failure::environment(format!("`{line}` in the image {message}"));
    match outcome.exit {
        Exit::Code(0) => Ok(outcome.stdout.text()),
        Exit::TimedOut => Err(failed(format!("did not end within {} s", limit.as_secs()))),
        Exit::Code(status) => {
            Err(failed(format!("failed ({status}):\n{}", end(outcome.stderr.text().as_bytes()))))
        }
        Exit::Signal(signal) => Err(failed(format!("was ended by signal {signal}"))),
    }
}

fn shell_line(program: &str, arguments: &[String]) -> String {
    let words: Vec<String> = arguments.iter().map(|word| shell_word(word)).collect();
    format!("{program} {}", words.join(" "))
}
