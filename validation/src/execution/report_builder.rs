//! Putting together what the commands of one run leave.

use std::collections::BTreeSet;

use patchwright_edits::Applied;
use patchwright_lanes::{Lane, LaneError, MOST_BYTES};
use patchwright_protocol::TestId;
use patchwright_sandbox::{CommandOutcome, Exit};
use patchwright_test_results::{
    self as results, Build, CompilerError, Outcomes, OutputNormalizer, ParsedResults, TestOutcome,
    TestReport, head_and_tail,
};

use crate::python;

/// Bytes of output that are cleaned and kept as a log.
const LOG_BYTES: usize = 256 << 10;

/// Bytes of messages, and of traces, that are cleaned and kept of all tests; of each between the two others.
const TEXTS_BYTES: usize = 32 << 20;
const LEAST_TEXT: usize = 2 << 10;
const MOST_TEXT: usize = 64 << 10;

/// The endings of a command that took more than it may.
const MEMORY_LIMIT: &str = "its memory limit";
const DISK_LIMIT: &str = "its limit of what it may write";
const PROCESS_LIMIT: &str = "its limit of processes";

/// The report of what was left so far.
pub(super) struct ReportBuilder<'a> {
    lane: &'a Lane,
    normalizer: &'a OutputNormalizer,
    report: TestReport,
    outcomes: Outcomes,
    /// Is true once tests were run.
    tested: bool,
    unsuccessful: bool,
    said: Vec<String>,
}

impl<'a> ReportBuilder<'a> {
    pub(super) fn new(lane: &'a Lane, normalizer: &'a OutputNormalizer, build: Build) -> Self {
        Self {
            lane,
            normalizer,
            report: TestReport { build, ..TestReport::empty(String::new()) },
            outcomes: Outcomes::default(),
            tested: false,
            unsuccessful: false,
            said: Vec::new(),
        }
    }

    /// Takes what the command that builds left; tells whether it succeeded.
    pub(super) fn build(&mut self, outcome: &CommandOutcome) -> bool {
        let built = outcome.exit.success();
        self.note(outcome, !built);
        self.is_built();
        built
    }

    /// Notes that what a build would make is there.
    pub(super) fn is_built(&mut self) {
        self.report.build = Build::Ok;
    }

    /// Takes what a command that tests left.
    pub(super) fn tests(&mut self, parsed: ParsedResults, outcome: &CommandOutcome) {
        self.note(outcome, true);
        self.outcomes.extend(parsed.outcomes.into_sorted());
        let report = &mut self.report;
        report.unlisted_passed += parsed.unlisted_passed;
        report.test_seconds.extend(parsed.seconds);
        report.bent.extend(parsed.bent);
        report.ended_last = parsed.ended_last;
        report.collected = parsed.collected;
        report.collected_in = parsed.collected_in;
        report.elsewhere = parsed.elsewhere;
        report.interrupted_in = report.interrupted_in.take().or(parsed.interrupted_in);
        report.complete = parsed.complete && (report.complete || !self.tested);
        self.tested = true;
    }

    /// Takes what a command said and took that another goes on for.
    pub(super) fn part(&mut self, outcome: &CommandOutcome, parsed: ParsedResults) {
        self.note(outcome, true);
        self.report.bent.extend(parsed.bent);
    }

    /// Takes what a run changed of that by which tests are judged.
    pub(super) fn bent(&mut self, changes: BTreeSet<String>) {
        self.report.bent.extend(changes);
    }

    /// Notes that a file with results is not read, and why.
    pub(super) fn unread(&mut self, error: &LaneError) {
        self.said.push(format!("[results that are not read: {error}]"));
        self.report.unread.insert(error.to_string());
    }

    fn note(&mut self, outcome: &CommandOutcome, keep: bool) {
        self.unsuccessful |= !outcome.exit.success();
        self.report.timed_out |= outcome.exit == Exit::TimedOut;
        self.report.ending = ending(outcome);
        self.report.seconds += outcome.seconds;
        if !keep {
            return;
        }
        for text in [outcome.stdout.text(), outcome.stderr.text()] {
            self.said.push(self.normalizer.log(&head_and_tail(&text, LOG_BYTES)));
        }
        for (is_over, sentence) in [
            (outcome.out_of_memory, "[the command was ended because it used more memory than it may]"),
            (outcome.out_of_disk, "[the command was ended because it wrote more onto the disk than it may]"),
            (outcome.too_many_processes, "[the command had more processes than it may]"),
        ] {
            self.said.extend(is_over.then(|| sentence.to_owned()));
        }
    }

    /// The report of a run whose build failed.
    pub(super) fn finish_unbuilt(mut self) -> TestReport {
        self.report.log = self.log();
        self.fail_build(self.compiler_errors());
        self.report
    }

    /// The report of a run. `test_builds` tells whether the commands that test compile first.
    pub(super) fn finish(mut self, test_builds: bool, applied: Option<&Applied>) -> TestReport {
        self.report.log = self.log();
        let outcomes = std::mem::take(&mut self.outcomes).into_sorted();
        let told = outcomes.iter().filter(|outcome| outcome.message.is_some() || outcome.trace.is_some());
        let each = (TEXTS_BYTES / told.count().max(1)).clamp(LEAST_TEXT, MOST_TEXT);
        let mut outcomes: Vec<TestOutcome> =
            outcomes.into_iter().map(|outcome| self.cleaned(outcome, each)).collect();
        if test_builds && self.unsuccessful {
            let errors = self.compiler_errors();
            let said = ["COMPILATION ERROR", "Compile failed", "BUILD FAIL"]
                .iter()
                .any(|word| self.report.log.contains(word));
            let nothing = outcomes.is_empty() && self.report.unlisted_passed == 0;
            // Tests may print what looks like an error of a compiler, and a build may fail because tests do.
            if (said && !errors.is_empty()) || (nothing && (said || !errors.is_empty())) {
                self.fail_build(errors);
                outcomes.clear();
            }
        }
        let broken = applied.map(|applied| python::broken_by(applied, &outcomes, &self.report.log));
        if let Some(broken) = broken.filter(|broken| !broken.is_empty()) {
            self.fail_build(broken);
        }
        TestReport { outcomes, ..self.report }
    }

    fn fail_build(&mut self, errors: Vec<CompilerError>) {
        self.report.build = Build::Failed { errors, log: self.report.log.clone() };
    }

    fn log(&self) -> String {
        let said: Vec<&str> =
            self.said.iter().map(String::as_str).filter(|text| !text.trim().is_empty()).collect();
        said.join("\n")
    }

    /// The errors in the log; what the compiler does not show of the source is read from the lane.
    fn compiler_errors(&self) -> Vec<CompilerError> {
        let mut errors = results::compiler_errors(&self.report.log);
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
        TestOutcome { message: message.or_else(told), trace, ..outcome }
    }
}

/// The end of a command in words.
pub(crate) fn ending(outcome: &CommandOutcome) -> String {
    match outcome.exit {
        _ if outcome.out_of_memory => MEMORY_LIMIT.to_owned(),
        _ if outcome.out_of_disk => DISK_LIMIT.to_owned(),
        _ if outcome.too_many_processes => PROCESS_LIMIT.to_owned(),
        Exit::Code(code) => format!("status {code}"),
        Exit::Signal(signal) => format!("signal {signal}"),
        Exit::TimedOut => "its time limit".to_owned(),
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
