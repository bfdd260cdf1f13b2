//! Running a project's commands in one lane, and making a report of what they leave.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use globset::Glob;
use patchwright_code::Applied;
use patchwright_sandbox::{Command, Exit, Limits, Outcome, Sandbox};

use crate::adapters::{self, Adapter};
use crate::clean::{Cleaner, ProjectFiles, head_and_tail};
use crate::error::TestBedError;
use crate::lane::{Lane, LaneError, OUT, PROJECT, failed};
use crate::outcome::{Outcomes, Status, TestId, TestOutcome};
use crate::report::{Build, CompilerError, TestReport};
use crate::results::{self, Parsed, Raw, ResultFile};
use crate::spec::{ProjectSpec, ResultsFormat};
use crate::{compilers, python};

/// Bytes kept of each stream of a command.
const OUTPUT_BYTES: usize = 4 << 20;
/// Bytes of output that are cleaned and kept as a log.
const LOG_BYTES: usize = 256 << 10;
/// Names above this many bytes do not fit into one command: then all tests are run.
const NAMES_BYTES: usize = 96 << 10;
/// The file that our own runners write to, in the folder `out`.
const LINES_FILE: &str = "results.jsonl";

/// Which tests are run.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Selection<'a> {
    /// All but these.
    AllBut(&'a [TestId]),
    /// These; all, where single tests cannot be chosen.
    Only(&'a [TestId]),
}

/// All tests.
pub(crate) const ALL: Selection<'static> = Selection::AllBut(&[]);

/// Runs a project's commands.
pub(crate) struct Execution<'a> {
    pub(crate) spec: &'a ProjectSpec,
    pub(crate) sandbox: &'a dyn Sandbox,
    pub(crate) files: &'a ProjectFiles,
    /// Time limit of each command.
    pub(crate) limit: Duration,
}

impl Execution<'_> {
    /// Builds and tests what is in the lane. `applied` is the change that was written there.
    pub(crate) async fn run(
        &self,
        lane: &Lane,
        selection: Selection<'_>,
        applied: Option<&Applied>,
    ) -> Result<TestReport, TestBedError> {
        let adapter = adapters::of(self.spec.kind);
        adapter.prepare(self.spec, lane)?;
        let cleaner = self.cleaner(lane, applied);
        let mut seconds = 0.0;
        let mut build = Build::NotNeeded;
        if let Some(line) = &self.spec.build {
            let outcome = self.command(lane, adapter, line, &[], Vec::new()).await?;
            seconds += outcome.seconds;
            if !outcome.exit.success() {
                return Ok(self.build_failed(lane, &cleaner, &outcome, seconds));
            }
            build = Build::Ok;
        }
        let mut merged = Merged::default();
        for (line, skipped, name) in self.lines(adapter, selection) {
            self.remove_results(lane)?;
            let outcome = self.command(lane, adapter, &line, skipped, self.outputs()).await?;
            seconds += outcome.seconds;
            let stop = outcome.exit == Exit::TimedOut;
            let files = self.result_files(lane)?;
            let (stdout, stderr) = (outcome.stdout.text(), outcome.stderr.text());
            let raw = Raw { stdout: &stdout, stderr: &stderr, exit: outcome.exit, files: &files };
            let mut parsed = results::read(&self.spec.results, &raw);
            if let (Some(name), ResultsFormat::ExitStatus) = (name, &self.spec.results) {
                parsed = renamed(parsed, name);
            }
            merged.add(parsed, &outcome, &stdout, &stderr);
            if stop {
                break;
            }
        }
        Ok(self.report(lane, &cleaner, adapter, build, merged, seconds, applied))
    }

    /// Runs one of our own commands in the lane.
    pub(crate) async fn command(
        &self,
        lane: &Lane,
        adapter: &dyn Adapter,
        line: &str,
        skipped: &[TestId],
        outputs: Vec<String>,
    ) -> Result<Outcome, TestBedError> {
        let command = Command {
            line: line.to_owned(),
            dir: PROJECT.into(),
            env: self.environment(lane, adapter, skipped),
            limits: Limits { time: self.limit, output_bytes: OUTPUT_BYTES, ..Limits::default() },
            network: self.spec.network,
            outputs,
        };
        Ok(self.sandbox.run(lane.root(), &command).await?)
    }

    pub(crate) fn cleaner(&self, lane: &Lane, applied: Option<&Applied>) -> Cleaner {
        let files = match applied {
            Some(applied) => self.files.with(applied.files.iter().map(|file| file.path.to_string())),
            None => self.files.clone(),
        };
        let inside = self.sandbox.path_inside(lane.root());
        let real = lane.root().canonicalize().unwrap_or_else(|_| lane.root().to_owned());
        Cleaner::new(&[lane.root(), &real, &inside], files, SystemTime::now())
    }

    fn environment(
        &self,
        lane: &Lane,
        adapter: &dyn Adapter,
        skipped: &[TestId],
    ) -> BTreeMap<String, String> {
        let inside = Lane::new(self.sandbox.path_inside(lane.root()));
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let mut environment = self.spec.env.clone();
        // Those of the adapter hold what the user gave for the same names.
        environment.extend(adapter.environment(self.spec, &inside, &lane.project()));
        environment.insert("PATCHWRIGHT_OUT".to_owned(), text(&inside.out()));
        environment.insert("PATCHWRIGHT_TOOLS".to_owned(), text(&inside.tools()));
        environment.insert("PATCHWRIGHT_RESULTS".to_owned(), text(&inside.out().join(LINES_FILE)));
        if !skipped.is_empty() {
            let names: Vec<&str> = skipped.iter().map(TestId::as_str).collect();
            environment.insert("PATCHWRIGHT_SKIP".to_owned(), names.join("\n"));
        }
        environment
    }

    /// The command lines that run the selected tests, with the tests to leave out, and the one that each runs.
    fn lines<'t>(
        &self,
        adapter: &dyn Adapter,
        selection: Selection<'t>,
    ) -> Vec<(String, &'t [TestId], Option<&'t TestId>)> {
        let all = |skipped: &'t [TestId]| vec![(self.spec.test.clone(), skipped, None)];
        let tests = match selection {
            Selection::AllBut(skipped) => return all(skipped),
            Selection::Only(tests) => tests,
        };
        let Some(line) = self.spec.test_one.as_deref().filter(|_| !tests.is_empty()) else { return all(&[]) };
        if line.contains("{test}") {
            let each = |test: &'t TestId| {
                let name = adapter.names(self.spec, std::slice::from_ref(test));
                (line.replace("{test}", &name), &[] as &[TestId], Some(test))
            };
            return tests.iter().map(each).collect();
        }
        let names = adapter.names(self.spec, tests);
        if names.len() > NAMES_BYTES || !line.contains("{tests}") {
            return all(&[]);
        }
        vec![(line.replace("{tests}", &names), &[], None)]
    }

    /// What must be readable on the host after a run.
    fn outputs(&self) -> Vec<String> {
        match results::files_of(&self.spec.results) {
            Some(_) => vec![PROJECT.to_owned()],
            None => vec![OUT.to_owned()],
        }
    }

    /// Removes the results of the run before, which nobody may take for those of the next.
    fn remove_results(&self, lane: &Lane) -> Result<(), LaneError> {
        for (path, _) in self.result_paths(lane) {
            match fs::remove_file(&path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(failed("remove", &path)(error));
                }
                Ok(()) | Err(_) => {}
            }
        }
        Ok(())
    }

    fn result_files(&self, lane: &Lane) -> Result<Vec<ResultFile>, LaneError> {
        let mut files = Vec::new();
        for (path, relative) in self.result_paths(lane) {
            match fs::read(&path) {
                Ok(bytes) => files
                    .push(ResultFile { path: relative, text: String::from_utf8_lossy(&bytes).into_owned() }),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => return Err(failed("read", &path)(error)),
            }
        }
        Ok(files)
    }

    /// The files that hold results, with their paths relative to the project; sorted.
    fn result_paths(&self, lane: &Lane) -> Vec<(std::path::PathBuf, String)> {
        let Some(glob) = results::files_of(&self.spec.results) else {
            return vec![(lane.out().join(LINES_FILE), LINES_FILE.to_owned())];
        };
        let Ok(glob) = Glob::new(glob.trim_start_matches("./")) else { return Vec::new() };
        let matcher = glob.compile_matcher();
        let project = lane.project();
        let mut found = Vec::new();
        let mut open = vec![project.clone()];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                let path = entry.path();
                let kind = entry.file_type();
                if kind.as_ref().is_ok_and(fs::FileType::is_dir) {
                    open.push(path);
                } else if kind.is_ok_and(|kind| kind.is_file()) {
                    let relative =
                        path.strip_prefix(&project).unwrap_or(&path).to_string_lossy().into_owned();
                    if matcher.is_match(&relative) {
                        found.push((path, relative));
                    }
                }
            }
        }
        found.sort();
        found
    }

    fn build_failed(&self, lane: &Lane, cleaner: &Cleaner, outcome: &Outcome, seconds: f64) -> TestReport {
        let log = log_of(cleaner, &outcome.stdout.text(), &outcome.stderr.text(), outcome);
        let errors = self.compiler_errors(lane, &log);
        TestReport {
            build: Build::Failed { errors, log: log.clone() },
            outcomes: Vec::new(),
            unlisted_passed: 0,
            timed_out: outcome.exit == Exit::TimedOut,
            interrupted_in: None,
            complete: false,
            ending: ending(outcome.exit),
            log,
            seconds,
        }
    }

    /// The errors in a log; what the compiler does not show of the source is read from the lane.
    fn compiler_errors(&self, lane: &Lane, log: &str) -> Vec<CompilerError> {
        let mut errors = compilers::errors(log);
        for error in errors.iter_mut().filter(|error| error.source_line.is_none()) {
            let file = lane.project().join(&error.file);
            if Path::new(&error.file).is_relative()
                && let Ok(bytes) = fs::read(file)
                && let Some(index) = usize::try_from(error.line).ok().and_then(|line| line.checked_sub(1))
            {
                error.source_line = String::from_utf8_lossy(&bytes).lines().nth(index).map(str::to_owned);
            }
        }
        errors
    }

    #[expect(clippy::too_many_arguments, reason = "all that a run leaves comes together here, once")]
    fn report(
        &self,
        lane: &Lane,
        cleaner: &Cleaner,
        adapter: &dyn Adapter,
        build: Build,
        merged: Merged,
        seconds: f64,
        applied: Option<&Applied>,
    ) -> TestReport {
        let log = merged.log(cleaner);
        let nothing = merged.outcomes.is_empty() && merged.unlisted_passed == 0;
        let mut outcomes: Vec<TestOutcome> =
            merged.outcomes.into_sorted().into_iter().map(|outcome| cleaned(cleaner, outcome)).collect();
        let mut build = build;
        if adapter.test_builds() && merged.unsuccessful && self.spec.results != ResultsFormat::ExitStatus {
            let errors = self.compiler_errors(lane, &log);
            let told = log.contains("COMPILATION ERROR")
                || log.contains("Compile failed")
                || log.contains("BUILD FAIL");
            if (nothing && (told || !errors.is_empty())) || (told && !errors.is_empty()) {
                build = Build::Failed { errors, log: log.clone() };
                outcomes.clear();
            }
        }
        if let Some(errors) =
            applied.map(|applied| python::broken_by(applied, &outcomes)).filter(|errors| !errors.is_empty())
        {
            build = Build::Failed { errors, log: log.clone() };
        }
        TestReport {
            build,
            outcomes,
            unlisted_passed: merged.unlisted_passed,
            timed_out: merged.timed_out,
            interrupted_in: merged.interrupted_in,
            complete: merged.complete,
            ending: merged.ending,
            log,
            seconds,
        }
    }
}

/// What several commands of one run left.
#[derive(Default)]
struct Merged {
    outcomes: Outcomes,
    unlisted_passed: usize,
    interrupted_in: Option<TestId>,
    complete: bool,
    timed_out: bool,
    unsuccessful: bool,
    ending: String,
    said: Vec<(String, String)>,
    notes: Vec<&'static str>,
}

impl Merged {
    fn add(&mut self, parsed: Parsed, outcome: &Outcome, stdout: &str, stderr: &str) {
        let first = self.said.is_empty();
        self.outcomes.extend(parsed.outcomes.into_sorted());
        self.unlisted_passed += parsed.unlisted_passed;
        self.interrupted_in = self.interrupted_in.take().or(parsed.interrupted_in);
        self.complete = parsed.complete && (first || self.complete);
        self.timed_out |= outcome.exit == Exit::TimedOut;
        self.unsuccessful |= !outcome.exit.success();
        self.ending = ending(outcome.exit);
        self.said.push((stdout.to_owned(), stderr.to_owned()));
        self.notes.extend(resources(outcome));
    }

    fn log(&self, cleaner: &Cleaner) -> String {
        let said = self.said.iter().flat_map(|(stdout, stderr)| [stdout.as_str(), stderr.as_str()]);
        join_log(cleaner, said, &self.notes)
    }
}

fn log_of(cleaner: &Cleaner, stdout: &str, stderr: &str, outcome: &Outcome) -> String {
    join_log(cleaner, [stdout, stderr].into_iter(), &resources(outcome))
}

fn join_log<'a>(cleaner: &Cleaner, said: impl Iterator<Item = &'a str>, notes: &[&str]) -> String {
    let mut parts: Vec<String> = said
        .map(|text| cleaner.log(&head_and_tail(text, LOG_BYTES)))
        .filter(|text| !text.trim().is_empty())
        .collect();
    parts.extend(notes.iter().map(|note| (*note).to_owned()));
    parts.join("\n")
}

/// How a command ended, in words.
fn ending(exit: Exit) -> String {
    match exit {
        Exit::Code(code) => format!("status {code}"),
        Exit::Signal(signal) => format!("signal {signal}"),
        Exit::TimedOut => "its time limit".to_owned(),
    }
}

/// Notes on limits that a command met.
fn resources(outcome: &Outcome) -> Vec<&'static str> {
    let mut notes = Vec::new();
    if outcome.out_of_memory {
        notes.push("[the command was ended because it used more memory than it may]");
    }
    if outcome.too_many_processes {
        notes.push("[the command had more processes than it may]");
    }
    notes
}

/// The outcome of a command that stands for one test, under the name of the test.
fn renamed(parsed: Parsed, name: &TestId) -> Parsed {
    let rename = |outcome: TestOutcome| TestOutcome { id: name.clone(), ..outcome };
    let interrupted_in = parsed.interrupted_in.map(|_| name.clone());
    Parsed {
        outcomes: parsed.outcomes.into_sorted().into_iter().map(rename).collect(),
        interrupted_in,
        ..parsed
    }
}

fn cleaned(cleaner: &Cleaner, outcome: TestOutcome) -> TestOutcome {
    let message = outcome.message.map(|message| cleaner.text(&message).trim_end().to_owned());
    let trace = outcome.trace.map(|trace| cleaner.trace(&trace).trim_end().to_owned());
    let told = || trace.as_deref().and_then(results::message_of).filter(|_| outcome.status != Status::Passed);
    TestOutcome { message: message.or_else(told), trace, id: outcome.id, status: outcome.status }
}
