//! One candidate from its edits to its verdict.

use patchwright_code::{Applied, Edit, EditError, apply};
use patchwright_testbed::{Baseline, Haste, Status, Validation, Verdict};

use crate::candidates::Origin;
use crate::context::Context;
use crate::observation::ToolError;
use crate::render::sentence;

/// A candidate that breaks at most so many tests still failed by little.
const FEW_BROKEN: usize = 2;

/// What became of a candidate, besides what stands in [`crate::Candidate`].
pub(crate) struct Trial {
    /// Its place among the candidates.
    pub(crate) place: usize,
    /// What applying the edits had to decide.
    pub(crate) notes: Vec<String>,
    /// Whether it failed by little.
    pub(crate) near: bool,
}

/// Applies edits to the pristine copy's content, refuses what need not be tested, and validates the rest. The session hears
/// of the candidate before it is validated, and of its verdict.
pub(crate) async fn run(
    context: &mut Context<'_>,
    origin: Origin,
    edits: Vec<Edit>,
) -> Result<Trial, ToolError> {
    let applied = apply(context.project(), &edits, &context.bed.rules());
    let place = context.candidates.add(origin, edits);
    let mut trial = Trial { place, notes: Vec::new(), near: false };
    let applied = match applied {
        Ok(applied) => applied,
        Err(error) => {
            let verdict = verdict_of(&error)?;
            context.ask.candidate(context.candidates.at(place))?;
            judge_untested(context, place, verdict, sentence(&error.to_string()))?;
            return Ok(trial);
        }
    };
    let fingerprint = applied.fingerprint();
    let earlier =
        context.candidates.judged_with(&fingerprint).map(|earlier| (earlier.id, earlier.verdict_text()));
    let candidate = context.candidates.at(place);
    candidate.diff = Some(applied.diff());
    candidate.fingerprint = Some(fingerprint);
    context.ask.candidate(candidate)?;
    trial.notes.clone_from(&applied.notes);
    if applied.comment_only {
        let note = "only comments, docstrings or formatting change, which hardly ever repairs anything";
        trial.notes.push(note.to_owned());
    }
    if let Some((id, verdict)) = earlier {
        context.candidates.at(place).duplicate_of = Some(id);
        let message = format!("The same change was tried as candidate {id}, with this verdict: {verdict}.");
        judge_untested(context, place, Verdict::Duplicate, message)?;
    } else {
        trial.near = validate(context, place, &applied).await?;
    }
    Ok(trial)
}

async fn validate(context: &mut Context<'_>, place: usize, applied: &Applied) -> Result<bool, ToolError> {
    let validation = context.bed.validate(context.baseline, applied, Haste::Thorough).await;
    let validation = validation.map_err(|error| ToolError::Infrastructure(error.to_string()))?;
    let report = validation.report.render(context.settings.report_bytes);
    let candidate = context.candidates.at(place);
    candidate.judge(&validation, context.baseline, report);
    context.ask.verdict(candidate)?;
    Ok(failed_by_little(context.baseline, &validation))
}

fn judge_untested(
    context: &mut Context<'_>,
    place: usize,
    verdict: Verdict,
    message: String,
) -> Result<(), ToolError> {
    let candidate = context.candidates.at(place);
    candidate.verdict = Some(verdict);
    candidate.message = Some(message);
    context.ask.verdict(candidate)
}

/// The verdict on edits that were refused, or who else must act.
fn verdict_of(error: &EditError) -> Result<Verdict, ToolError> {
    match error {
        EditError::NoChange | EditError::AlreadyApplied { .. } => Ok(Verdict::NoChange),
        EditError::DoesNotApply { .. }
        | EditError::NotAllowed { .. }
        | EditError::SyntaxError { .. }
        | EditError::Path(_)
        | EditError::Read(_) => Ok(Verdict::DoesNotApply),
        EditError::BadRule { .. } => Err(ToolError::Infrastructure(error.to_string())),
    }
}

/// Whether variants of a candidate are worth their tests: it compiles, the tests that show the bug ran to their end, and either
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
            now.status != Status::Error || before.is_none_or(|before| before.status == Status::Error)
        })
        .collect();
    let moved = ran.iter().any(|(before, now)| {
        !now.status.is_failing() || before.is_some_and(|before| before.message != now.message)
    });
    moved || (!ran.is_empty() && validation.newly_failing.len() <= FEW_BROKEN)
}
