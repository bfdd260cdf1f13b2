//! Candidates from their edits to their verdicts.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures_util::stream::{self, StreamExt};
use patchwright_blocking::BlockingTask;
use patchwright_edits::{Applied, Edit, EditError, EditRules, apply};
use patchwright_protocol::{Failure, TestId, ValidationResult, Verdict};
use patchwright_test_results::TestStatus;
use patchwright_validation::{Baseline, Judgement, Progress, Scheduler, TestHarness, Validation};

use crate::candidates::Candidates;
use crate::context::ToolContext;
use crate::contradictions;
use crate::render::sentence;
use crate::settings::VariantsOf;

/// A candidate that breaks at most so many tests still failed by little.
const FEW_BROKEN: usize = 2;

/// The outcome of a candidate, besides what stands in [`crate::TestedCandidate`].
pub(crate) struct Trial {
    /// Its place among the candidates.
    pub(crate) place: usize,
    /// The decisions that applying the edits took.
    pub(crate) notes: Vec<String>,
    /// Is true if it failed by little.
    pub(crate) near: bool,
}

/// A change with its fingerprint, which is worked out once.
struct FingerprintedChange {
    fingerprint: String,
    applied: Applied,
}

/// When to stop trying.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StopAt {
    /// At the first plausible candidate.
    Plausible,
    /// When all are tried.
    End,
}

/// Candidates that were tried.
pub(crate) struct TrialOutcome {
    /// The outcome of each, in order.
    pub(crate) trials: Vec<Trial>,
    /// Sets of edits that were not tried.
    pub(crate) untried: usize,
    /// Is true if it ended for want of budget.
    pub(crate) stopped: bool,
}

/// Tries one fix. Where all tests pass, confirming that is left to whoever looks after the session, unless variants of it are wanted.
pub(crate) async fn run(context: &mut ToolContext<'_>, edits: Vec<Edit>) -> Result<Trial, Failure> {
    let (harness, baseline) = (context.harness, context.baseline()?);
    let edited = applied(harness, Arc::new(harness.rules()), edits).await?;
    let place = begin(context, None, &edited)?;
    let Some(applied) = new_change(context.candidates, &edited) else {
        return judge(context, place, edited, None);
    };
    let judgement = harness.judge(&baseline, applied, context.settings.depth()).await?;
    let validation = match judgement {
        Judgement::Final(validation) => validation,
        Judgement::Unconfirmed(unconfirmed) if context.settings.variants_of == VariantsOf::All => {
            Box::new(harness.confirm(&baseline, *unconfirmed).await?)
        }
        Judgement::Unconfirmed(unconfirmed) => {
            let trial = Trial { place, notes: notes(applied), near: false };
            let id = context.candidates.at(place).id();
            context.candidates.leave_unconfirmed(id, *unconfirmed);
            return Ok(trial);
        }
    };
    judge(context, place, edited, Some(validation))
}

/// The change of a candidate, if no equal one was judged.
fn new_change<'c>(candidates: &Candidates, edited: &'c PreparedCandidate) -> Option<&'c Applied> {
    let FingerprintedChange { fingerprint, applied } = edited.applied.as_ref().ok()?;
    candidates.judged_with(fingerprint).is_none().then_some(applied)
}

/// Tries candidates side by side (see [`Scheduler`]). Edits are applied to the pristine copy's content; what need not be tested is
/// refused, the rest validated. The session is told of candidates and verdicts in the candidates' order; what else is under way when
/// the trying ends is cancelled and never reported.
pub(crate) async fn run_all(
    context: &mut ToolContext<'_>,
    variant_of: Option<u32>,
    sets: Vec<Vec<Edit>>,
    until: StopAt,
) -> Result<TrialOutcome, Failure> {
    let harness = context.harness;
    let mut tried = TrialOutcome { trials: Vec::new(), untried: sets.len(), stopped: false };
    let rules = Arc::new(harness.rules());
    // Edits are applied while others are validated: in a long file that takes a while too.
    let candidates = stream::iter(sets)
        .map(move |edits| applied(harness, Arc::clone(&rules), edits))
        .buffered(harness.lanes().max(1));
    let baseline = context.baseline()?;
    let mut scheduler = Scheduler::new(harness, &baseline, context.settings.depth(), candidates);
    let mut begun = BTreeSet::new();
    let mut announced = None;
    loop {
        // A fix that was decided on is tried whatever is left of the budget.
        if variant_of.is_some() && tried.untried > 0 && !context.session.may_go_on() {
            tried.stopped = true;
            return Ok(tried);
        }
        let new = |candidate: &Result<PreparedCandidate, Failure>| {
            let edited = candidate.as_ref().ok()?;
            let applied = new_change(context.candidates, edited)?;
            begun.insert(edited.applied.as_ref().ok()?.fingerprint.clone()).then(|| applied.clone())
        };
        let (candidate, validation) = match scheduler.next(new).await? {
            None => return Ok(tried),
            Some(Progress::Started(candidate)) => {
                if let Ok(candidate) = candidate {
                    announced = Some(begin(context, variant_of, candidate)?);
                }
                continue;
            }
            Some(Progress::Finished(candidate, validation)) => (candidate?, validation),
        };
        let Some(place) = announced.take() else {
            return Err(Failure::defect("a candidate was validated that nobody heard of".to_owned()));
        };
        let trial = judge(context, place, candidate, validation)?;
        let verdict = context.candidates.at(trial.place).verdict();
        tried.trials.push(trial);
        tried.untried -= 1;
        if until == StopAt::Plausible && verdict.is_some_and(Verdict::passes) {
            return Ok(tried);
        }
    }
}

/// Candidates that a new test is run with, the latest.
const RUN_AGAIN: usize = 8;

/// Judges the candidates anew that a new reproduction test may change the verdict of; what a model is told of it. Where it takes the
/// place of another, or tests of the project `gave_way` to it, they are validated as a whole: they may have been judged by those alone.
pub(crate) async fn reproduce(
    context: &mut ToolContext<'_>,
    id: u32,
    replaced: Option<u32>,
    gave_way: bool,
) -> Result<String, Failure> {
    let places = context.candidates.in_question(replaced, gave_way);
    if places.is_empty() {
        return Ok(String::new());
    }
    let (harness, rules) = (context.harness, Arc::new(context.harness.rules()));
    let measure = context.baseline()?;
    let test = measure.reproductions.iter().find(|test| test.id == id).cloned();
    let mut judged = Vec::new();
    for place in places.into_iter().take(RUN_AGAIN) {
        let edits = context.candidates.at(place).edits.clone();
        let Ok(FingerprintedChange { applied: change, .. }) =
            applied(harness, Arc::clone(&rules), edits).await?.applied
        else {
            continue;
        };
        if replaced.is_some() || gave_way {
            let found = harness.validate(&measure, &change, context.settings.depth()).await?;
            context.candidates.at(place).conclude(&found, &measure, context.settings);
        } else if let Some(test) = &test {
            let (run, doubt) = harness.reproduce_again(test, &change, &measure).await?;
            context.candidates.at(place).take_in(test, &run, doubt, context.settings);
        }
        let candidate = context.candidates.at(place);
        judged.push(candidate.id());
        context.session.verdict(candidate)?;
    }
    Ok(contradictions::of_test(id, &judged, context.candidates))
}

/// Judges a candidate anew where tests that fail with it are said to be outdated, and tells the session.
pub(crate) async fn judge_without(
    context: &mut ToolContext<'_>,
    id: u32,
    applied: &Applied,
    outdated: &[TestId],
) -> Result<(), Failure> {
    let baseline = context.baseline()?;
    let found = context.harness.validate_without(&baseline, applied, outdated).await?;
    let unknown = || Failure::defect(format!("candidate {id} was judged anew and is not known"));
    let concluded = context.candidates.conclude(id, &found, &baseline, context.settings);
    let (candidate, _) = concluded.ok_or_else(unknown)?;
    context.session.verdict(candidate)?;
    Ok(())
}

/// Edits and what they make of the files.
struct PreparedCandidate {
    edits: Vec<Edit>,
    applied: Result<FingerprintedChange, EditError>,
}

/// Applies edits, on a thread where that may take its time.
fn applied(
    harness: &TestHarness,
    rules: Arc<EditRules>,
    edits: Vec<Edit>,
) -> BlockingTask<PreparedCandidate> {
    let project = harness.project().clone();
    patchwright_blocking::spawn(move |_| {
        let applied = apply(&project, &edits, &rules);
        let applied =
            applied.map(|applied| FingerprintedChange { fingerprint: applied.fingerprint(), applied });
        PreparedCandidate { edits, applied }
    })
}

/// Makes a candidate of edits and tells the session of it; its place among all.
fn begin(
    context: &mut ToolContext<'_>,
    variant_of: Option<u32>,
    edited: &PreparedCandidate,
) -> Result<usize, Failure> {
    let place = context.candidates.add(variant_of, edited.edits.clone())?;
    let candidate = context.candidates.at(place);
    if let Ok(FingerprintedChange { fingerprint, applied }) = &edited.applied {
        candidate.candidate.record.diff = Some(applied.diff());
        candidate.candidate.record.fingerprint = Some(fingerprint.clone());
    }
    context.session.candidate(candidate)?;
    Ok(place)
}

/// Tells the session what became of a candidate.
fn judge(
    context: &mut ToolContext<'_>,
    place: usize,
    edited: PreparedCandidate,
    validation: Option<Box<Validation>>,
) -> Result<Trial, Failure> {
    let mut trial = Trial { place, notes: Vec::new(), near: false };
    let FingerprintedChange { fingerprint, applied } = match edited.applied {
        Ok(named) => named,
        Err(error) => {
            let verdict = verdict_of(&error)?;
            let message = sentence(&error.to_string());
            refuse(context, place, ValidationResult::untested(verdict, Some(message)))?;
            return Ok(trial);
        }
    };
    trial.notes = notes(&applied);
    let earlier =
        context.candidates.judged_with(&fingerprint).map(|earlier| (earlier.id(), earlier.summary(0)));
    if let Some((id, verdict)) = earlier {
        let message = format!("The same change was tried as candidate {id}, with this verdict: {verdict}.");
        let result = ValidationResult::untested(Verdict::Duplicate, Some(message));
        refuse(context, place, ValidationResult { duplicate_of: Some(id), ..result })?;
    } else if let Some(validation) = validation {
        let baseline = context.baseline()?;
        let candidate = context.candidates.at(place);
        candidate.conclude(&validation, &baseline, context.settings);
        context.session.verdict(candidate)?;
        trial.near = failed_by_little(&baseline, &validation);
    } else {
        return Err(Failure::defect("a new candidate was not validated".to_owned()));
    }
    Ok(trial)
}

/// What is to be said of a change: the decisions that applying it took, and that it is none of the code.
fn notes(applied: &Applied) -> Vec<String> {
    let note = "only comments, docstrings or formatting change, which hardly ever repairs anything";
    let on_comments = applied.comment_only.then(|| note.to_owned());
    applied.notes.iter().cloned().chain(on_comments).collect()
}

/// Keeps why a candidate is not tested and tells the session.
fn refuse(context: &mut ToolContext<'_>, place: usize, result: ValidationResult) -> Result<(), Failure> {
    let candidate = context.candidates.at(place);
    candidate.candidate.validation = Some(result);
    context.session.verdict(candidate)
}

/// The verdict on edits that were refused, or who else must act.
fn verdict_of(error: &EditError) -> Result<Verdict, Failure> {
    match error {
        EditError::NoChange | EditError::AlreadyApplied { .. } => Ok(Verdict::NoChange),
        EditError::DoesNotApply { .. }
        | EditError::NotAllowed { .. }
        | EditError::SyntaxError { .. }
        | EditError::Path(_)
        | EditError::Read(_) => Ok(Verdict::DoesNotApply),
        EditError::BadRule { .. } => Err(Failure::environment(error)),
    }
}

/// Is true if variants of a candidate are worth their tests: it compiles, the tests that show the bug ran to their end, and either
/// one of them now passes or fails in another way, or hardly any other test broke as far as others were run. What does not
/// compile, hangs, cannot be imported, or breaks many tests without touching the bug is further from a fix than a variant
/// reaches.
fn failed_by_little(baseline: &Baseline, validation: &Validation) -> bool {
    if validation.verdict != Verdict::Failing {
        return false;
    }
    let outcomes = |test| Some((baseline.report.outcome(test), validation.report.outcome(test)?));
    // An assertion that failed before, and an error now: the test does not get as far any more.
    let ran: Vec<_> = baseline
        .failing
        .iter()
        .filter_map(outcomes)
        .filter(|(before, now)| {
            now.status != TestStatus::Error || before.is_none_or(|before| before.status == TestStatus::Error)
        })
        .collect();
    let moved = ran.iter().any(|(before, now)| {
        !now.status.is_failing() || before.is_some_and(|before| before.message != now.message)
    });
    let is_shown =
        !ran.is_empty() || !baseline.reproductions.is_empty() && validation.still_failing.is_empty();
    moved || (is_shown && validation.newly_failing.len() <= FEW_BROKEN)
}
