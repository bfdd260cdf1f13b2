//! Judging a candidate in a worker.

use std::collections::BTreeSet;
use std::io;
use std::time::Instant;

use patchwright_code::Applied;
use patchwright_protocol::{TestId, Verdict};
use patchwright_sandbox::{Captured, CommandOutcome, Exit};

use super::pace::Pace;
use super::protocol::{self, Answer, Reply};
use super::{Gone, Ready};
use crate::baseline::Baseline;
use crate::bed::TestBed;
use crate::doubts::is_long;
use crate::error::TestBedError;
use crate::execution::Made;
use crate::lane::{Lane, LaneError, MOST_BYTES};
use crate::measures::Haste;
use crate::order::{arranged, has_extension};
use crate::report::TestReport;
use crate::results::Key;
use crate::validate::{Extent, Validation, look_at};

/// How often a candidate is tried: the first worker may have reached the end of its life.
const ATTEMPTS: usize = 2;

/// The nearest tests of a candidate may take this share of what all take.
const NEAREST_SHARE: f64 = 0.25;

/// Which tests a request is about.
#[derive(Clone, Copy)]
pub(super) enum Scope<'a> {
    Only(&'a [TestId]),
    AllBut(&'a [TestId]),
}

/// The requests about one candidate, and what came of them.
pub(super) struct Request<'a> {
    bed: &'a TestBed,
    ready: &'a mut Ready,
    applied: &'a Applied,
    pace: &'a Pace,
    /// Whether a failing test ends a request.
    stop: bool,
    all_errors: bool,
    /// Whether the worker has heard of the candidate.
    known: bool,
    made: Vec<Made>,
    /// A name for what was compiled.
    compiled: Option<String>,
}

impl<'a> Request<'a> {
    pub(super) fn new(
        bed: &'a TestBed,
        ready: &'a mut Ready,
        applied: &'a Applied,
        pace: &'a Pace,
        haste: Haste,
    ) -> Self {
        Self {
            bed,
            ready,
            applied,
            pace,
            stop: haste == Haste::FirstFailure && bed.measures.stop_at_first,
            all_errors: haste == Haste::Thorough,
            known: false,
            made: Vec::new(),
            compiled: None,
        }
    }

    /// Runs tests; the report is of all that were run so far. `None` when the worker cannot judge the candidate.
    pub(super) async fn run(&mut self, scope: Scope<'_>) -> Result<Option<TestReport>, Gone> {
        let Some(reply) = self.ask(scope).await? else { return Ok(None) };
        let lane = self.ready.lane.lane();
        self.made.push(reply);
        let mut report = self.bed.execution(self.bed.spec().timeout).report(lane, self.applied, &self.made);
        if report.build_failed() || report.timed_out {
            return Ok(Some(report));
        }
        if !report.complete {
            // It broke off: how that looks only a process of its own can tell.
            return Ok(None);
        }
        let failing = !report.failing().is_empty();
        // As our runners end.
        report.ending = format!("status {}", u8::from(failing));
        self.bed.warm.without_expected(&mut report.bent);
        report.complete = !(self.stop && failing);
        Ok(Some(report))
    }

    async fn ask(&mut self, scope: Scope<'_>) -> Result<Option<Made>, Gone> {
        let began = Instant::now();
        let worker = &mut self.ready.worker;
        let id = worker.next();
        let name = format!("results-{id}.jsonl");
        let lane = self.ready.lane.lane();
        let inside = self.bed.execution(self.bed.spec().timeout).inside(lane);
        let (tests, skip): (Option<&[TestId]>, &[TestId]) = match scope {
            Scope::Only(tests) => (Some(tests), &[]),
            Scope::AllBut(skip) => (None, skip),
        };
        let key = Key::new().map_err(io::Error::other)?;
        let request = protocol::Request {
            id,
            key: key.as_str(),
            changed: self.applied.files.iter().map(|file| file.path.as_str()).collect(),
            compile: !std::mem::replace(&mut self.known, true),
            tests,
            skip,
            stop_at_failure: self.stop,
            all_errors: self.all_errors,
            seconds: self.pace.whole,
            test_seconds: &self.pace.tests,
            default_test_seconds: self.pace.others,
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
        Ok(match status {
            Answer::Done => Some(Made::Tested { lines, key, outcome: outcome(Exit::Code(0)) }),
            Answer::TimedOut => Some(Made::Tested { lines, key, outcome: outcome(Exit::TimedOut) }),
            Answer::DoesNotCompile => Some(Made::Unbuilt(outcome(Exit::Code(1)))),
            Answer::Cannot | Answer::Ready => None,
        })
    }
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

impl TestBed {
    /// Judges a candidate in a worker; `None` where that is not possible.
    pub(crate) async fn judge_warm(
        &self,
        baseline: &Baseline,
        applied: &Applied,
        haste: Haste,
    ) -> Result<Option<Validation>, TestBedError> {
        for _ in 0..ATTEMPTS {
            let Some(mut ready) = self.ready(baseline).await? else { return Ok(None) };
            let project = ready.lane.lane().project()?;
            if let Err(error) = applied.write_in(&project) {
                self.rest(ready);
                return Err(error.into());
            }
            match self.judge_in(&mut ready, baseline, applied, haste).await {
                Ok(Some(validation)) => {
                    self.warm.judged();
                    if ready.worker.is_ending {
                        self.retire(ready).await?;
                    } else {
                        self.rest(ready);
                    }
                    return Ok(Some(validation));
                }
                Ok(None) => {
                    self.warm.not_judged();
                    self.retire(ready).await?;
                    return Ok(None);
                }
                Err(Gone::Replace) => self.retire(ready).await?,
                Err(gone) => {
                    self.warm.broke_down(&gone);
                    self.retire(ready).await?;
                    return Ok(None);
                }
            }
        }
        Ok(None)
    }

    async fn judge_in(
        &self,
        ready: &mut Ready,
        baseline: &Baseline,
        applied: &Applied,
        haste: Haste,
    ) -> Result<Option<Validation>, Gone> {
        let left_out = &self.doubts.excused().into_iter().chain(baseline.left_out.iter().cloned()).collect();
        let pace = Pace::of(baseline);
        let mut request = Request::new(self, ready, applied, &pace, haste);
        let compiled = if self.measures.share_verdicts && self.is_told_by_classes(applied) {
            // Only compiled, to see whether an equal candidate was judged before.
            let Some(report) = request.run(Scope::Only(&[])).await? else { return Ok(None) };
            let found = look_at(baseline, report, Extent::Failing, left_out);
            if found.verdict != Verdict::Failing {
                return Ok(Some(found));
            }
            request.made.clear();
            let name = format!("classes {}", request.compiled.as_deref().unwrap_or("as they were"));
            if let Some(found) = self.shared.find(baseline, &name, haste) {
                return Ok(Some(found));
            }
            Some(name)
        } else {
            None
        };
        let found = self.judge_tests(&mut request, baseline, applied, left_out).await?;
        Ok(found.map(|found| Validation { compiled, ..found }))
    }

    /// Whether all that a change does shows in the compiled classes.
    fn is_told_by_classes(&self, applied: &Applied) -> bool {
        let watched = self.watched_cell().get().and_then(|watched| watched.as_ref().ok());
        let compiles = watched.is_some_and(|watched| watched.adapter().prebuilt().is_some());
        compiles && applied.files.iter().all(|file| has_extension(file.path.as_str(), "java"))
    }

    /// Judges by the tests that show the bug and, where all take long, by those nearest to the change. What passes these is
    /// plausible as far as a worker can tell: that is for a command to say, which runs all in their natural order.
    async fn judge_tests(
        &self,
        request: &mut Request<'_>,
        baseline: &Baseline,
        applied: &Applied,
        left_out: &BTreeSet<TestId>,
    ) -> Result<Option<Validation>, Gone> {
        let passes = |found: Validation| Some(Validation { verdict: Verdict::Plausible, ..found });
        if self.order_matters(baseline) || !self.measures.failing_first || baseline.failing.is_empty() {
            let skipped: Vec<TestId> = left_out.iter().cloned().collect();
            let Some(report) = request.run(Scope::AllBut(&skipped)).await? else { return Ok(None) };
            let found = look_at(baseline, report, Extent::Part, left_out);
            let found = settle(request, found, Extent::Part).await?;
            return Ok(if found.is_decided() { Some(found) } else { passes(found) });
        }
        let Some(report) = request.run(Scope::Only(&baseline.failing)).await? else { return Ok(None) };
        let found = look_at(baseline, report, Extent::Failing, left_out);
        if found.is_decided() || !request.stop || !is_long(baseline) {
            return Ok(if found.is_decided() { Some(found) } else { passes(found) });
        }
        let near = self.nearest(baseline, applied, left_out);
        if near.is_empty() {
            return Ok(passes(found));
        }
        let Some(report) = request.run(Scope::Only(&near)).await? else { return Ok(None) };
        let found = settle(request, look_at(baseline, report, Extent::Part, left_out), Extent::Part).await?;
        Ok(if found.is_decided() { Some(found) } else { passes(found) })
    }

    /// The passing tests that are likeliest to show what a change breaks, as many as take a part of the time of all.
    fn nearest(&self, baseline: &Baseline, applied: &Applied, left_out: &BTreeSet<TestId>) -> Vec<TestId> {
        let measured = self.coverage();
        let coverage = measured.as_ref().and_then(|measured| measured.coverage());
        let mut left = baseline.report.seconds * NEAREST_SHARE;
        let near = arranged(baseline, coverage, applied).into_iter().filter(|test| !left_out.contains(test));
        near.take_while(|test| {
            left -= baseline.report.test_seconds.get(test).copied().unwrap_or_default();
            left > 0.0
        })
        .collect()
    }
}

/// Runs once more what fails newly: a test that is not sure of itself must not cost a good candidate its verdict.
async fn settle(
    request: &mut Request<'_>,
    mut found: Validation,
    extent: Extent,
) -> Result<Validation, Gone> {
    let doubtful = found.doubtful().to_vec();
    if doubtful.is_empty() {
        return Ok(found);
    }
    let made = std::mem::take(&mut request.made);
    let stop = std::mem::replace(&mut request.stop, false);
    let again = request.run(Scope::Only(&doubtful)).await;
    request.made = made;
    request.stop = stop;
    if let Some(again) = again? {
        found.settle(&again, extent);
    }
    Ok(found)
}
