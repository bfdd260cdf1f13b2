//! Judging a candidate in a worker.

use std::collections::BTreeSet;
use std::io;
use std::time::Instant;

use patchwright_edits::Applied;
use patchwright_lanes::{Lane, LaneError, MOST_BYTES};
use patchwright_protocol::{TestId, Verdict, cut_line};
use patchwright_sandbox::{Captured, CommandOutcome, Exit};
use patchwright_syntax::has_extension;
use patchwright_test_results::{self as results, ReportFile, SealKey, TestReport};
use patchwright_validation::execution::{Execution, Selection, WorkerResult};
use patchwright_validation::{
    Baseline, Extent, TestHarnessError, Validation, ValidationDepth, evaluate_report,
};

use super::protocol::{self, Reply, ReplyStatus};
use super::time_limits::TimeLimits;
use super::{BusyWorker, Service, WorkerError};

/// The attempts at a candidate: the first worker may have reached the end of its life.
const ATTEMPTS: usize = 2;

/// Characters that are kept of the last line of a run that broke off.
const LINE_CHARS: usize = 200;

/// The nearest tests of a candidate may take this share of what all take.
const NEAREST_SHARE: f64 = 0.25;

/// The requests about one candidate, and what came of them.
pub(super) struct CandidateRun<'a> {
    service: Service<'a>,
    busy: &'a mut BusyWorker,
    applied: &'a Applied,
    limits: &'a TimeLimits,
    /// Is true if a failing test ends a request.
    stop: bool,
    all_errors: bool,
    /// Is true if the worker has heard of the candidate.
    known: bool,
    made: Vec<WorkerResult>,
    /// A name for what was compiled.
    compiled: Option<String>,
    /// The last line of a run that broke off.
    last_line: Option<String>,
}

impl<'a> CandidateRun<'a> {
    pub(super) fn new(
        service: Service<'a>,
        busy: &'a mut BusyWorker,
        applied: &'a Applied,
        limits: &'a TimeLimits,
        depth: ValidationDepth,
    ) -> Self {
        Self {
            service,
            busy,
            applied,
            limits,
            stop: depth == ValidationDepth::FirstFailure && service.harness.optimizations().stop_at_first,
            all_errors: depth == ValidationDepth::Thorough,
            known: false,
            made: Vec::new(),
            compiled: None,
            last_line: None,
        }
    }

    /// Runs tests; the report is of all that were run so far. `None` when the worker cannot judge the candidate.
    pub(super) async fn run(&mut self, selection: Selection<'_>) -> Result<Option<TestReport>, WorkerError> {
        let Some(reply) = self.ask(selection).await? else { return Ok(None) };
        let lane = self.busy.lane.lane();
        self.made.push(reply);
        let mut report = self.service.execution().report(lane, self.applied, &self.made);
        if report.build_failed() || report.timed_out {
            return Ok(Some(report));
        }
        if !report.complete {
            // It broke off: how that looks only a process of its own can tell.
            tracing::debug!(ending = report.ending, log = report.log, "a run in a worker broke off");
            let last = report.log.lines().rfind(|line| !line.trim().is_empty());
            self.last_line = last.map(|line| cut_line(line.trim(), LINE_CHARS));
            return Ok(None);
        }
        let failing = !report.failing().is_empty();
        // As our runners end.
        report.ending = format!("status {}", u8::from(failing));
        self.service.workers.without_expected(&mut report.bent);
        report.complete = !(self.stop && failing);
        Ok(Some(report))
    }

    /// The last line that a run printed before it broke off.
    pub(super) fn last_line(&self) -> Option<&str> {
        self.last_line.as_deref()
    }

    async fn ask(&mut self, selection: Selection<'_>) -> Result<Option<WorkerResult>, WorkerError> {
        let began = Instant::now();
        let worker = &mut self.busy.worker;
        let id = worker.next;
        let name = format!("results-{id}.jsonl");
        let lane = self.busy.lane.lane();
        let inside = self.service.execution().inside(lane);
        let (tests, skip): (Option<&[TestId]>, &[TestId]) = match selection {
            Selection::Only(tests) => (Some(tests), &[]),
            Selection::AllBut(skip) => (None, skip),
        };
        let key = SealKey::random().map_err(io::Error::other)?;
        let request = protocol::Request {
            id,
            key: key.as_str(),
            changed: self.applied.files.iter().map(|file| file.path.as_str()).collect(),
            compile: !std::mem::replace(&mut self.known, true),
            tests,
            skip,
            stop_at_failure: self.stop,
            all_errors: self.all_errors,
            seconds: self.limits.whole,
            test_seconds: &self.limits.tests,
            default_test_seconds: self.limits.others,
            results: &inside.out().join(&name),
        };
        let Reply { status, log, classes, .. } = worker.ask(&request).await?;
        self.compiled = classes;
        let lines = take(lane, &name).map_err(io::Error::other)?;
        let outcome = |exit| CommandOutcome {
            stdout: Captured { head: log.into_bytes(), ..Captured::default() },
            seconds: began.elapsed().as_secs_f64(),
            ..CommandOutcome::of(exit)
        };
        let exit = match status {
            ReplyStatus::Done => Exit::Code(0),
            ReplyStatus::TimedOut => Exit::TimedOut,
            ReplyStatus::DoesNotCompile => return Ok(Some(WorkerResult::Unbuilt(outcome(Exit::Code(1))))),
            ReplyStatus::Cannot | ReplyStatus::Ready => return Ok(None),
        };
        let parsed = results::read_sealed(ReportFile { path: name, text: lines }, &key);
        Ok(Some(WorkerResult::Tested(parsed, outcome(exit))))
    }

    /// Runs tests and evaluates them. Of more than those that show the bug, what fails newly is run once more: a test that is not sure of
    /// itself must not cost a good candidate its verdict.
    async fn evaluate(
        &mut self,
        baseline: &Baseline,
        selection: Selection<'_>,
        extent: Extent,
        left_out: &BTreeSet<TestId>,
    ) -> Result<Option<Validation>, WorkerError> {
        let Some(report) = self.run(selection).await? else { return Ok(None) };
        if self.all_errors && is_slow_elsewhere(&report, baseline) {
            return Ok(None);
        }
        let mut found = evaluate_report(baseline, report, extent, left_out);
        let unconfirmed = found.unconfirmed().to_vec();
        if extent != Extent::Failing && !unconfirmed.is_empty() {
            let made = std::mem::take(&mut self.made);
            let stop = std::mem::replace(&mut self.stop, false);
            let again = self.run(Selection::Only(&unconfirmed)).await;
            (self.made, self.stop) = (made, stop);
            if let Some(again) = again? {
                found.apply_rerun(&again, extent);
            }
        }
        Ok(Some(found))
    }
}

/// Is true if a test had no end that does not show the bug. It may only be slow where others have not run before it, or on a busy machine: a
/// candidate that somebody thought about is not condemned by that alone.
fn is_slow_elsewhere(report: &TestReport, baseline: &Baseline) -> bool {
    report.timed_out && report.interrupted_in.as_ref().is_some_and(|test| !baseline.failing.contains(test))
}

/// Reads what was written for a request, and removes it. A candidate may have put anything there.
fn take(lane: &Lane, name: &str) -> Result<String, LaneError> {
    let out = lane.out()?;
    match out.read(name, MOST_BYTES) {
        Ok(bytes) => {
            out.unlink(name)?;
            Ok(String::from_utf8_lossy(&bytes).into_owned())
        }
        Err(error) if error.is_not_found() => Ok(String::new()),
        Err(error) => Err(error.into()),
    }
}

impl Service<'_> {
    /// The commands of the tests.
    fn execution(&self) -> Execution<'_> {
        self.harness.execution(self.harness.spec().timeout)
    }

    /// Judges a candidate in a worker; `None` where that is not possible.
    pub(super) async fn judge(
        &self,
        applied: &Applied,
        depth: ValidationDepth,
    ) -> Result<Option<Validation>, TestHarnessError> {
        for _ in 0..ATTEMPTS {
            let Some(mut busy) = self.busy().await? else { return Ok(None) };
            if let Err(error) = busy.lane.lane().change(applied).await {
                self.rest(busy);
                return Err(error.into());
            }
            match self.judge_in(&mut busy, applied, depth).await {
                Ok(Some(validation)) => {
                    self.workers.judged();
                    if busy.worker.is_ending {
                        self.retire(busy).await?;
                    } else {
                        self.rest(busy);
                    }
                    return Ok(Some(validation));
                }
                Ok(None) => {
                    self.retire(busy).await?;
                    return Ok(None);
                }
                Err(WorkerError::Replace) => self.retire(busy).await?,
                Err(gone) => {
                    self.workers.broke_down(&gone);
                    self.retire(busy).await?;
                    return Ok(None);
                }
            }
        }
        Ok(None)
    }

    async fn judge_in(
        &self,
        busy: &mut BusyWorker,
        applied: &Applied,
        depth: ValidationDepth,
    ) -> Result<Option<Validation>, WorkerError> {
        let Self { harness, baseline, .. } = *self;
        let left_out =
            &harness.order_dependent().into_iter().chain(baseline.left_out.iter().cloned()).collect();
        let limits = TimeLimits::of(baseline);
        let mut request = CandidateRun::new(*self, busy, applied, &limits, depth);
        let compiled = if harness.optimizations().share_verdicts && self.is_told_by_classes(applied) {
            // Only compiled, to see whether an equal candidate was judged before.
            let compiled =
                request.evaluate(baseline, Selection::Only(&[]), Extent::Failing, left_out).await?;
            let Some(found) = compiled else { return Ok(None) };
            if found.verdict != Verdict::Failing {
                return Ok(Some(found));
            }
            request.made.clear();
            let name = format!("classes {}", request.compiled.as_deref().unwrap_or("as they were"));
            if let Some(found) = harness.known_verdict(baseline, &name, depth) {
                return Ok(Some(found));
            }
            Some(name)
        } else {
            None
        };
        let found = self.judge_tests(&mut request, applied, left_out).await?;
        Ok(found.map(|found| Validation { compiled, ..found }))
    }

    /// Is true if all that a change does shows in the compiled classes.
    fn is_told_by_classes(&self, applied: &Applied) -> bool {
        let instrumented = self.harness.known_instrumented();
        let compiles = instrumented.is_some_and(|instrumented| instrumented.adapter().compiles());
        compiles && applied.files.iter().all(|file| has_extension(file.path.as_str(), "java"))
    }

    /// Judges by the tests that show the bug and, where all take long, by those nearest to the change. What passes these is
    /// plausible as far as a worker can tell: that is for a command to say, which runs all in their natural order.
    async fn judge_tests(
        &self,
        request: &mut CandidateRun<'_>,
        applied: &Applied,
        left_out: &BTreeSet<TestId>,
    ) -> Result<Option<Validation>, WorkerError> {
        let baseline = self.baseline;
        let settled = |found: Validation| {
            let verdict = if found.is_decided() { found.verdict } else { Verdict::Plausible };
            Validation { verdict, ..found }
        };
        if self.harness.runs_all_at_once(baseline) {
            let skipped: Vec<TestId> = left_out.iter().cloned().collect();
            let all = Selection::AllBut(&skipped);
            return Ok(request.evaluate(baseline, all, Extent::Part, left_out).await?.map(settled));
        }
        let failing = Selection::Only(&baseline.failing);
        // Where several things fail, it is told how many of them a candidate repairs.
        let stop = request.stop;
        request.stop = stop && !baseline.shows_several();
        let found = request.evaluate(baseline, failing, Extent::Failing, left_out).await?;
        request.stop = stop;
        let near = match &found {
            Some(found) if !found.is_decided() && request.stop && baseline.is_long() => {
                self.nearest(applied, left_out)
            }
            Some(_) | None => Vec::new(),
        };
        let found = if near.is_empty() {
            found
        } else {
            request.evaluate(baseline, Selection::Only(&near), Extent::Part, left_out).await?
        };
        Ok(found.map(settled))
    }

    /// The passing tests that are likeliest to show what a change breaks, as many as take a part of the time of all.
    fn nearest(&self, applied: &Applied, left_out: &BTreeSet<TestId>) -> Vec<TestId> {
        let baseline = self.baseline;
        let mut left = baseline.report.seconds * NEAREST_SHARE;
        let near =
            self.harness.arranged(baseline, applied).into_iter().filter(|test| !left_out.contains(test));
        near.take_while(|test| {
            left -= baseline.report.test_seconds.get(test).copied().unwrap_or_default();
            left > 0.0
        })
        .collect()
    }
}
