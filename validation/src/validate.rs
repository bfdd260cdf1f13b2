//! Validating a candidate: the tests that reproduce the bug and the failing tests first, then all, then all once more in a copy that
//! nothing ran in before.
//!
//! The project's own may first be left to a persistent worker; what is called plausible was so in the last. Where no test shows the
//! bug, what passes is unverified.

mod acquittal;
mod cut_run;
mod doubts;
mod nearest;

use std::collections::BTreeSet;
use std::time::Instant;

use patchwright_edits::{Applied, ProjectWriteError};
use patchwright_lanes::MOST_BYTES;
use patchwright_protocol::{TestId, Verdict};
use patchwright_test_results::TestReport;

use crate::alone::Agreement;
use crate::baseline::Baseline;
use crate::compare::{TestState, state_of, still_failing};
use crate::error::TestHarnessError;
use crate::execution::Selection;
use crate::harness::{TestHarness, last};
use crate::judgement::{Judgement, Unconfirmed};
use crate::optimizations::ValidationDepth;
use crate::order_dependence::Recheck;
use crate::validation::{Extent, Validation, evaluate_report, stopped};
use crate::warm_workers::Disagreement;

impl TestHarness {
    /// Validates a change against the baseline. The user's files are not touched; several validations may run at once,
    /// each in a lane of its own.
    ///
    /// # Errors
    /// Only what is no fact about the change: the sandbox or the disk.
    pub async fn validate(
        &self,
        baseline: &Baseline,
        applied: &Applied,
        depth: ValidationDepth,
    ) -> Result<Validation, TestHarnessError> {
        match self.judge(baseline, applied, depth).await? {
            Judgement::Final(found) => Ok(*found),
            Judgement::Unconfirmed(unconfirmed) => self.confirm(baseline, *unconfirmed).await,
        }
    }

    /// As [`TestHarness::validate`], but where all tests take long, running them in a clean copy is left to [`TestHarness::confirm`], so that
    /// something else can go on meanwhile.
    ///
    /// # Errors
    /// As there.
    pub async fn judge(
        &self,
        baseline: &Baseline,
        applied: &Applied,
        depth: ValidationDepth,
    ) -> Result<Judgement, TestHarnessError> {
        let began = Instant::now();
        let name = (self.optimizations.share_verdicts && self.fits(applied)).then(|| applied.fingerprint());
        if let Some(known) = name.as_ref().and_then(|name| self.verdict_cache.find(baseline, name, depth)) {
            return Ok(Judgement::of(self.with_signs(applied, known).await?));
        }
        // They are few, and most candidates that repair nothing end with them.
        let (reproductions, refuted) = match self.reproduced(baseline, applied).await {
            Err(TestHarnessError::Write(error)) => return does_not_apply(baseline, error).map(Judgement::of),
            reproduced => reproduced?,
        };
        if let Some(mut refuted) = refuted {
            if depth == ValidationDepth::Thorough && refuted.may_be_right(baseline) {
                refuted.join(Box::pin(self.try_in_order(baseline, applied)).await?);
            }
            refuted.seconds = began.elapsed().as_secs_f64();
            return Ok(Judgement::of(refuted));
        }
        let is_decided_by_all = decided_by_all(baseline, depth);
        let (mut found, is_by_worker) = if is_decided_by_all {
            (Validation::new(Verdict::Plausible, TestReport::empty(String::new()), &[]), false)
        } else {
            match self.try_once(baseline, applied, depth).await {
                Err(TestHarnessError::Write(error)) => {
                    return does_not_apply(baseline, error).map(Judgement::of);
                }
                tried => tried?,
            }
        };
        let recheck =
            self.order_dependence.recheck_of(baseline, applied, &found, is_by_worker, depth, began.elapsed());
        if depth == ValidationDepth::Thorough && recheck.is_none() && found.repairs_some(baseline) {
            found.join(Box::pin(self.try_in_order(baseline, applied)).await?);
        }
        found.seconds = began.elapsed().as_secs_f64();
        // A success is only one when it is repeated in a clean copy, and what fails out of order only condemns a candidate
        // when it fails in order.
        let is_final = found.shared || (found.verdict != Verdict::Plausible && recheck.is_none());
        let applied = applied.clone();
        let nothing_ran = is_decided_by_all && reproductions.is_empty();
        let judged = Unconfirmed { found, reproductions, recheck, is_by_worker, applied, name, depth };
        if is_final {
            return self.keep(baseline, judged).await.map(Judgement::of);
        }
        if nothing_ran || judged.recheck.is_some() || !baseline.is_long() {
            return self.confirm(baseline, judged).await.map(Judgement::of);
        }
        Ok(Judgement::Unconfirmed(Box::new(judged)))
    }

    /// Runs all tests once more, in their order and in a copy that nothing ran in before: what was called plausible is so only then.
    ///
    /// # Errors
    /// As [`TestHarness::validate`].
    pub async fn confirm(
        &self,
        baseline: &Baseline,
        mut judged: Unconfirmed,
    ) -> Result<Validation, TestHarnessError> {
        let looking = Instant::now();
        let Unconfirmed { found, recheck, is_by_worker, applied, .. } = &judged;
        let measure = found.measure(baseline);
        let agreement = match Box::pin(self.try_finally(&measure, applied, recheck.is_some())).await {
            Err(TestHarnessError::Write(error)) => return does_not_apply(baseline, error),
            agreement => agreement?,
        };
        let mut natural = match agreement {
            Agreement::Agrees(mut natural) => {
                natural.refuse_replaced(&measure, &found.report);
                if *is_by_worker {
                    self.compare(applied, found, recheck.as_ref(), &natural);
                }
                natural
            }
            // That is no mistake of a worker's.
            Agreement::Contradicts(natural) => natural,
        };
        if natural.measured.is_empty() {
            natural.measured.clone_from(&found.measured);
        }
        if let Some(recheck) = recheck {
            self.order_dependence.record(recheck, &natural, looking.elapsed());
        }
        let before = found.seconds;
        judged.found = judged.found.confirmed(judged.recheck.is_some(), natural);
        if judged.found.verdict == Verdict::Plausible {
            self.doubt(baseline, &mut judged).await?;
        }
        if judged.found.verdict != Verdict::Plausible {
            judged.found.confirmation = None;
        }
        judged.found.seconds = before + looking.elapsed().as_secs_f64();
        self.keep(baseline, judged).await
    }

    /// Judges a change as if some tests that passed before asked for the wrong: by the reproduction tests, and by all others in a clean copy.
    /// What passes so is unverified, for nobody but a person can tell whether they do.
    ///
    /// # Errors
    /// As [`TestHarness::validate`].
    pub async fn validate_without(
        &self,
        baseline: &Baseline,
        applied: &Applied,
        outdated: &[TestId],
    ) -> Result<Validation, TestHarnessError> {
        let began = Instant::now();
        let measure = baseline.without(outdated);
        let judged = async {
            let (reproductions, refuted) = self.reproduced(&measure, applied).await?;
            let found = match refuted {
                Some(refuted) => refuted,
                None => self.try_in_order(&measure, applied).await?,
            };
            Ok(Validation { reproductions, ..found })
        };
        let mut found = match Box::pin(judged).await {
            Err(TestHarnessError::Write(error)) => return does_not_apply(baseline, error),
            judged => judged?,
        };
        if found.verdict == Verdict::Plausible {
            found.verdict = Verdict::Unverified;
            found.outdated = outdated.to_vec();
        } else {
            found.newly_failing.extend_from_slice(outdated);
        }
        found.seconds = began.elapsed().as_secs_f64();
        self.with_signs(applied, found).await
    }

    /// Judges by a worker or, where there is none for it, by commands; gives whether it was a worker.
    async fn try_once(
        &self,
        baseline: &Baseline,
        applied: &Applied,
        depth: ValidationDepth,
    ) -> Result<(Validation, bool), TestHarnessError> {
        if !baseline.nearest.is_empty() {
            return Ok((self.judge_by_command(baseline, applied).await?, false));
        }
        let by_worker = match &self.workers {
            Some(workers) => workers.judge(self, baseline, applied, depth).await?,
            None => None,
        };
        match by_worker {
            Some(found) => Ok((found, true)),
            None => Ok((self.judge_by_command(baseline, applied).await?, false)),
        }
    }

    /// Judges by all tests in clean copies: in one, in their natural order, unless they pass side by side.
    pub(crate) async fn try_in_order(
        &self,
        baseline: &Baseline,
        applied: &Applied,
    ) -> Result<Validation, TestHarnessError> {
        if !baseline.nearest.is_empty() {
            return self.try_nearest(baseline, applied).await;
        }
        if let Some(report) = self.run_in_shards(baseline, Some(applied)).await? {
            let found = evaluate_report(baseline, report, Extent::All, &BTreeSet::new());
            if found.verdict == Verdict::Plausible {
                return Ok(found);
            }
        }
        let report = self.run_fresh(baseline.selection(), Some(applied), baseline.limit).await?;
        self.evaluate(baseline, applied, report, Extent::All, &BTreeSet::new()).await
    }

    /// Keeps a verdict for equal candidates, and gives it: what passes says nothing of the bug where no test shows it.
    async fn keep(&self, baseline: &Baseline, judged: Unconfirmed) -> Result<Validation, TestHarnessError> {
        let Unconfirmed { mut found, reproductions, name, depth, applied, .. } = judged;
        found.reproductions = reproductions;
        if found.verdict == Verdict::Plausible && !baseline.shows_bug() {
            found.verdict = Verdict::Unverified;
        }
        for name in name.iter().chain(name.as_ref().and(found.compiled.as_ref())) {
            self.verdict_cache.keep(baseline, name, depth, &found);
        }
        self.with_signs(&applied, found).await
    }

    /// Adds the signs that a change which passes tampers with what judges it. Most candidates fail, and reading all code of a long file
    /// takes a while.
    async fn with_signs(&self, applied: &Applied, found: Validation) -> Result<Validation, TestHarnessError> {
        if !found.verdict.passes() {
            return Ok(found);
        }
        let (project, change) = (self.project().clone(), applied.clone());
        let tampering = patchwright_blocking::spawn(move |_| change.tampering(&project)).await?;
        Ok(Validation { tampering, ..found })
    }

    /// Is true if a change is one of the files as they are.
    fn fits(&self, applied: &Applied) -> bool {
        let pristine = self.lanes.pristine();
        applied.files.iter().all(|file| match pristine.read(&file.path, MOST_BYTES) {
            Ok(bytes) => file.before.as_ref() == Some(&bytes),
            Err(_) => file.before.is_none(),
        })
    }

    /// Notes where a worker was wrong: what failed or passed there came out otherwise, and not for want of an order.
    fn compare(
        &self,
        applied: &Applied,
        by_worker: &Validation,
        recheck: Option<&Recheck>,
        natural: &Validation,
    ) {
        let failing: Vec<TestId> = if by_worker.verdict == Verdict::Plausible {
            let failing = natural.still_failing.iter().chain(&natural.newly_failing);
            failing.filter(|test| state_of(&by_worker.report, test) == TestState::Passes).cloned().collect()
        } else {
            Vec::new()
        };
        let is_missed = natural.verdict == Verdict::Plausible
            && match recheck {
                Some(Recheck::Sample) => true,
                Some(Recheck::ChangedFailures(_)) => self.order_dependence.order_matters(),
                Some(Recheck::NewFailures(_)) | None => false,
            };
        if is_missed || !failing.is_empty() {
            let disagreement = Disagreement { fingerprint: applied.fingerprint(), failing };
            self.workers.iter().for_each(|workers| workers.disagree(disagreement.clone()));
        }
    }

    /// Is true if all tests are run for each candidate, because a test that shows the bug needs others before it.
    pub(crate) fn order_matters(&self, baseline: &Baseline) -> bool {
        baseline.order_matters || self.order_dependence.order_matters()
    }

    /// Is true if all tests are run for each candidate at once, and not those first that show the bug.
    pub fn runs_all_at_once(&self, baseline: &Baseline) -> bool {
        self.order_matters(baseline) || !self.optimizations.failing_first || baseline.failing.is_empty()
    }

    /// Judges by commands of the candidate's own.
    async fn judge_by_command(
        &self,
        baseline: &Baseline,
        applied: &Applied,
    ) -> Result<Validation, TestHarnessError> {
        let all = baseline.selection();
        let of_bug = Selection::Only(&baseline.failing);
        let in_parts = self.spec().test_one.is_some() && !self.runs_all_at_once(baseline);
        // Most candidates end with the failing tests, which are few. What stands for all the others runs in a clean copy anyway.
        let selections: &[Selection<'_>] = match (in_parts, baseline.nearest.is_empty()) {
            (false, _) => &[all],
            (true, true) => &[of_bug, all],
            (true, false) => &[of_bug],
        };
        let passes =
            |report: &TestReport| stopped(report).is_none() && still_failing(baseline, report).is_empty();
        let keep = self.optimizations.keep_lanes;
        let reports = self.run_in(keep, selections, Some(applied), baseline.limit, passes).await?;
        if in_parts && !baseline.nearest.is_empty() && reports.last().is_some_and(passes) {
            return Ok(Validation::new(Verdict::Plausible, last(reports)?, &[]));
        }
        let extent = if !in_parts || reports.len() > 1 { Extent::All } else { Extent::Failing };
        self.evaluate(baseline, applied, last(reports)?, extent, &BTreeSet::new()).await
    }

    /// The validation by a run in which the tests `left_out` say nothing. Tests that fail newly are run once more, because a test that is not
    /// sure of itself must not cost a good candidate its verdict.
    async fn evaluate(
        &self,
        baseline: &Baseline,
        applied: &Applied,
        report: TestReport,
        extent: Extent,
        left_out: &BTreeSet<TestId>,
    ) -> Result<Validation, TestHarnessError> {
        let report = if baseline.nearest.is_empty() {
            report
        } else {
            // What all tests bend is not known where only some ended.
            Box::pin(self.acquitted(baseline, report, self.run_nearest(baseline, None))).await?
        };
        if report.timed_out && extent == Extent::All {
            return Box::pin(self.evaluate_cut(baseline, applied, report, left_out)).await;
        }
        let mut found = evaluate_report(baseline, report, extent, left_out);
        if !found.unconfirmed().is_empty() && self.spec().test_one.is_some() {
            let again = self.run(Selection::Only(found.unconfirmed()), Some(applied), baseline.limit).await?;
            found.apply_rerun(&again, extent);
        }
        Ok(found)
    }
}

/// Is true if no test of the project shows the bug, so that none is likelier to refute a candidate than the others: all of them run at
/// once in a clean copy, where a success has to be repeated anyway.
fn decided_by_all(baseline: &Baseline, depth: ValidationDepth) -> bool {
    depth == ValidationDepth::Thorough && baseline.failing.is_empty()
}

/// The verdict on a change that no longer fits the files, or the error of writing it.
fn does_not_apply(baseline: &Baseline, error: ProjectWriteError) -> Result<Validation, TestHarnessError> {
    match error {
        ProjectWriteError::Changed { .. } | ProjectWriteError::Link { .. } => {
            let report = TestReport::empty(error.to_string());
            Ok(Validation::new(Verdict::DoesNotApply, report, &baseline.failing))
        }
        error => Err(error.into()),
    }
}
