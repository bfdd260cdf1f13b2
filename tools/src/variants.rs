//! Variants of a fix that failed by little.

use std::collections::BTreeMap;

use patchwright_edits::{Edit, EditRules, FileChange, apply};
use patchwright_protocol::{Failure, SourceLines, Verdict};
use patchwright_syntax::{Project, Source};

use patchwright_edits::formats::{CandidateReading, interpret_edits};

use crate::candidate_text::result_text;
use crate::candidates::best;
use crate::context::{ToolContext, VariantBasis};
use crate::settings::VariantsOf;
use crate::tested_candidate::TestedCandidate;
use crate::trial::{self, StopAt};

/// Original lines that are shown before and after each changed one.
const AROUND: u32 = 10;

/// The outcome of the variants of a candidate.
pub(crate) struct Sampled {
    /// The variants' places among the candidates.
    pub(crate) places: Vec<usize>,
    /// Sets of edits that the reply held beyond those that were tried.
    untried: usize,
    /// Sets of edits that could not be read or were cut off.
    unreadable: usize,
    /// Is true if it ended for want of budget.
    stopped: bool,
}

/// Asks for variants of a candidate and tries them. None when there is nobody to ask.
pub(crate) async fn sample(context: &mut ToolContext<'_>, place: usize) -> Result<Option<Sampled>, Failure> {
    let count = context.settings.variants;
    if count == 0 || !context.session.may_go_on() {
        return Ok(None);
    }
    let origin = context.candidates.at(place).clone();
    let basis = basis(&origin, context.project());
    let Some(reply) = context.session.variants(&basis, count).await? else { return Ok(None) };
    let readings = interpret_edits(&reply);
    let mut sets: Vec<Vec<Edit>> = readings.iter().filter_map(edits_of).collect();
    let unreadable = readings.len() - sets.len();
    sets.truncate(count as usize);
    let until = match context.settings.variants_of {
        VariantsOf::NearMisses => StopAt::Plausible,
        VariantsOf::All => StopAt::End,
    };
    let tried = trial::run_all(context, Some(origin.id()), sets, until).await?;
    let places = tried.trials.iter().map(|trial| trial.place).collect();
    Ok(Some(Sampled { places, untried: tried.untried, unreadable, stopped: tried.stopped }))
}

/// The edits of a reading; none where a part of them was cut off or is missing.
fn edits_of(reading: &CandidateReading) -> Option<Vec<Edit>> {
    if reading.damaged {
        return None;
    }
    serde_json::from_value(reading.edits.clone()).ok()
}

impl Sampled {
    /// The best variant with its diff and report, and the others in a line.
    pub(crate) fn text(&self, context: &mut ToolContext<'_>, origin: &TestedCandidate) -> String {
        let variants: Vec<TestedCandidate> =
            self.places.iter().map(|place| context.candidates.at(*place).clone()).collect();
        let mut text = format!("\nVariants of candidate {}: {} tried", origin.id(), variants.len());
        if self.untried > 0 {
            text.push_str(&format!(", {} left untried", self.untried));
            text.push_str(if self.stopped { " for want of budget" } else { "" });
        }
        if self.unreadable > 0 {
            text.push_str(&format!(", {} left out as damaged", self.unreadable));
        }
        text.push_str(".\n");
        let Some(best) = best(variants.iter()) else {
            text.push_str(&others(variants.iter()));
            return text;
        };
        text.push_str(&format!("The best is candidate {}: {}.\n", best.id(), best.summary(0)));
        if best.report == origin.report {
            text.push_str(&format!("Its tests said the same as those of candidate {}.\n", origin.id()));
        } else {
            text.push_str(&result_text(best, context.settings));
        }
        if best.verdict() == Some(Verdict::Plausible) {
            text.push_str("If it repairs the cause of the bug, finish with goal_accomplished.\n");
        } else if best.still_failing().len() >= origin.still_failing().len()
            && best.failing() >= origin.failing()
        {
            text.push_str(&format!("It is no better than candidate {} itself.\n", origin.id()));
        }
        text.push_str(&others(variants.iter().filter(|other| other.id() != best.id())));
        text
    }
}

/// One line: which candidates had which verdict.
fn others<'a>(variants: impl Iterator<Item = &'a TestedCandidate>) -> String {
    let mut by_verdict: BTreeMap<(usize, String), Vec<String>> = BTreeMap::new();
    for variant in variants {
        let duplicate = variant.verdict() == Some(Verdict::Duplicate);
        let words = if duplicate { "duplicate".to_owned() } else { variant.summary(0) };
        let failing = variant.verdict() == Some(Verdict::Failing);
        let rank = if failing { variant.still_failing().len() } else { usize::MAX };
        by_verdict.entry((rank, words)).or_default().push(variant.id().to_string());
    }
    if by_verdict.is_empty() {
        return String::new();
    }
    let groups: Vec<String> = by_verdict
        .into_iter()
        .map(|((_, words), ids)| {
            format!("{} {}: {words}", if ids.len() == 1 { "candidate" } else { "candidates" }, ids.join(", "))
        })
        .collect();
    format!("The other variants: {}.\n", groups.join("; "))
}

fn basis(origin: &TestedCandidate, project: &Project) -> VariantBasis {
    VariantBasis {
        candidate: origin.id(),
        edits: origin.edits.clone(),
        diff: origin.record.diff.clone().unwrap_or_default(),
        report: origin.report.clone(),
        original: original_lines(&origin.edits, project),
    }
}

/// The original lines around everything that the edits touch.
fn original_lines(edits: &[Edit], project: &Project) -> Vec<SourceLines> {
    // The edits have been applied before, so they apply.
    let Ok(applied) = apply(project, edits, &EditRules::default()) else { return Vec::new() };
    let shown = |file: &FileChange| {
        let source = Source::decode(file.before.clone()?)?;
        let touched = file.touched();
        let near = |number: &u32| touched.iter().any(|touched| touched.abs_diff(*number) <= AROUND);
        let lines = (1..).zip(source.lines()).filter(|(number, _)| near(number));
        let lines = lines.map(|(number, line)| (number, line.to_owned())).collect();
        Some(SourceLines { path: file.path.to_string(), lines, note: None })
    };
    applied.files.iter().filter_map(shown).collect()
}
