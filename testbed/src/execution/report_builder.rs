//! Putting together what the commands of one run leave.

use std::collections::{BTreeMap, BTreeSet};

use patchwright_edits::Applied;
use patchwright_protocol::TestId;
use patchwright_sandbox::{CommandOutcome, Exit};

use crate::lane::{Lane, MOST_BYTES};
use crate::normalize::{OutputNormalizer, head_and_tail};
use crate::outcome::{Outcomes, TestOutcome};
use crate::report::{Build, CompilerError, TestReport};
use crate::results::{self, ParsedResults};
use crate::{compilers, python};

/// Bytes of output that are cleaned and kept as a log.
const LOG_BYTES: usize = 256 << 10;

/// Bytes of messages, and of traces, that are cleaned and kept of all tests; of each between the two others.
const TEXTS_BYTES: usize = 32 << 20;
const LEAST_TEXT: usize = 2 << 10;
const MOST_TEXT: usize = 64 << 10;

/// How a command ended that took more than it may.
const MEMORY_LIMIT: &str = "its memory limit";
const DISK_LIMIT: &str = "its limit of what it may write";
const PROCESS_LIMIT: &str = "its limit of processes";

/// What was left so far.
pub(super) struct ReportBuilder<'a> {
    lane: &'a Lane,
    normalizer: &'a OutputNormalizer,
    build: Build,
    outcomes: Outcomes,
    unlisted_passed: usize,
    interrupted_in: Option<TestId>,
    complete: Option<bool>,
    timed_out: bool,
    unsuccessful: bool,
    ending: String,
    said: Vec<String>,
    seconds: f64,
    test_seconds: BTreeMap<TestId, f64>,
    bent: BTreeSet<String>,
}

impl<'a> ReportBuilder<'a> {
    pub(super) fn new(lane: &'a Lane, normalizer: &'a OutputNormalizer, build: Build) -> Self {
        Self {
            lane,
            normalizer,
            build,
            outcomes: Outcomes::default(),
            unlisted_passed: 0,
            interrupted_in: None,
            complete: None,
            timed_out: false,
            unsuccessful: false,
            ending: "no command".to_owned(),
            said: Vec::new(),
            seconds: 0.0,
            test_seconds: BTreeMap::new(),
            bent: BTreeSet::new(),
        }
    }

    /// Takes what the command that builds left; tells whether it succeeded.
    pub(super) fn build(&mut self, outcome: &CommandOutcome) -> bool {
        let built = outcome.exit.success();
        self.note(outcome, !built);
        self.build = Build::Ok;
        built
    }

    /// What a build would make is there.
    pub(super) fn is_built(&mut self) {
        self.build = Build::Ok;
    }

    /// Takes what a command that tests left.
    pub(super) fn tests(&mut self, parsed: ParsedResults, outcome: &CommandOutcome) {
        self.note(outcome, true);
        self.outcomes.extend(parsed.outcomes.into_sorted());
        self.unlisted_passed += parsed.unlisted_passed;
        self.test_seconds.extend(parsed.seconds);
        self.bent.extend(parsed.bent);
        self.interrupted_in = self.interrupted_in.take().or(parsed.interrupted_in);
        self.complete = Some(parsed.complete && self.complete.unwrap_or(true));
    }

    /// Takes what a command said and took that another goes on for.
    pub(super) fn part(&mut self, outcome: &CommandOutcome, parsed: ParsedResults) {
        self.note(outcome, true);
        self.bent.extend(parsed.bent);
    }

    /// Takes a sentence of ours about what was left.
    pub(super) fn say(&mut self, sentence: String) {
        self.said.push(sentence);
    }

    fn note(&mut self, outcome: &CommandOutcome, keep: bool) {
        self.timed_out |= outcome.exit == Exit::TimedOut;
        self.unsuccessful |= !outcome.exit.success();
        self.ending = match outcome.exit {
            _ if outcome.out_of_memory => MEMORY_LIMIT.to_owned(),
            _ if outcome.out_of_disk => DISK_LIMIT.to_owned(),
            _ if outcome.too_many_processes => PROCESS_LIMIT.to_owned(),
            Exit::Code(code) => format!("status {code}"),
            Exit::Signal(signal) => format!("signal {signal}"),
            Exit::TimedOut => "its time limit".to_owned(),
        };
        self.seconds += outcome.seconds;
        if !keep {
            return;
        }
        for text in [outcome.stdout.text(), outcome.stderr.text()] {
            self.said.push(self.normalizer.log(&head_and_tail(&text, LOG_BYTES)));
        }
        if outcome.out_of_memory {
            self.said.push("[the command was ended because it used more memory than it may]".to_owned());
        }
        if outcome.out_of_disk {
            self.said
                .push("[the command was ended because it wrote more onto the disk than it may]".to_owned());
        }
        if outcome.too_many_processes {
            self.said.push("[the command had more processes than it may]".to_owned());
        }
    }

    /// The report of a run whose build failed.
    pub(super) fn finish_unbuilt(mut self) -> TestReport {
        let log = self.log();
        self.build = Build::Failed { errors: self.compiler_errors(&log), log: log.clone() };
        self.report(Vec::new(), log)
    }

    /// The report of a run. `test_builds` tells whether the commands that test compile first.
    pub(super) fn finish(mut self, test_builds: bool, applied: Option<&Applied>) -> TestReport {
        let log = self.log();
        let outcomes = std::mem::take(&mut self.outcomes).into_sorted();
        let told = outcomes.iter().filter(|outcome| outcome.message.is_some() || outcome.trace.is_some());
        let each = (TEXTS_BYTES / told.count().max(1)).clamp(LEAST_TEXT, MOST_TEXT);
        let mut outcomes: Vec<TestOutcome> =
            outcomes.into_iter().map(|outcome| self.cleaned(outcome, each)).collect();
        if test_builds && self.unsuccessful {
            let errors = self.compiler_errors(&log);
            let said =
                ["COMPILATION ERROR", "Compile failed", "BUILD FAIL"].iter().any(|word| log.contains(word));
            let nothing = outcomes.is_empty() && self.unlisted_passed == 0;
            // Tests may print what looks like an error of a compiler, and a build may fail because tests do.
            if (said && !errors.is_empty()) || (nothing && (said || !errors.is_empty())) {
                self.build = Build::Failed { errors, log: log.clone() };
                outcomes.clear();
            }
        }
        let broken = applied.map(|applied| python::broken_by(applied, &outcomes, &log)).unwrap_or_default();
        if !broken.is_empty() {
            self.build = Build::Failed { errors: broken, log: log.clone() };
        }
        self.report(outcomes, log)
    }

    fn report(self, outcomes: Vec<TestOutcome>, log: String) -> TestReport {
        TestReport {
            build: self.build,
            outcomes,
            unlisted_passed: self.unlisted_passed,
            timed_out: self.timed_out,
            interrupted_in: self.interrupted_in,
            complete: self.complete.unwrap_or(false),
            ending: self.ending,
            log,
            seconds: self.seconds,
            test_seconds: self.test_seconds,
            bent: self.bent,
        }
    }

    fn log(&self) -> String {
        let said: Vec<&str> =
            self.said.iter().map(String::as_str).filter(|text| !text.trim().is_empty()).collect();
        said.join("\n")
    }

    /// The errors in a log; what the compiler does not show of the source is read from the lane.
    fn compiler_errors(&self, log: &str) -> Vec<CompilerError> {
        let mut errors = compilers::errors(log);
        for error in errors.iter_mut().filter(|error| error.source_line.is_none()) {
            // Whoever prints an error chooses the file: one that is none of the project's is not found below its folder.
            if let Ok(bytes) =
                self.lane.project().and_then(|project| Ok(project.read(&error.file, MOST_BYTES)?))
                && let Some(index) = usize::try_from(error.line).ok().and_then(|line| line.checked_sub(1))
            {
                error.source_line = String::from_utf8_lossy(&bytes).lines().nth(index).map(str::to_owned);
            }
        }
        errors
    }

    /// The outcome with a message and a trace of at most so many bytes each.
    fn cleaned(&self, outcome: TestOutcome, most: usize) -> TestOutcome {
        let cut = |text: String| head_and_tail(&text, most).into_owned();
        let message = outcome.message.map(cut).map(|text| self.normalizer.text(&text).trim_end().to_owned());
        let trace = outcome.trace.map(cut).map(|text| self.normalizer.trace(&text).trim_end().to_owned());
        let told = || trace.as_deref().and_then(results::message_of).filter(|_| outcome.status.is_failing());
        TestOutcome { message: message.or_else(told), trace, id: outcome.id, status: outcome.status }
    }
}

/// The outcome of a command that stands for one test, under the name of the test.
pub(super) fn renamed(parsed: ParsedResults, name: &TestId) -> ParsedResults {
    let rename = |outcome: TestOutcome| TestOutcome { id: name.clone(), ..outcome };
    let interrupted_in = parsed.interrupted_in.map(|_| name.clone());
    ParsedResults {
        outcomes: parsed.outcomes.into_sorted().into_iter().map(rename).collect(),
        interrupted_in,
        ..parsed
    }
}
