//! Repair: for every set of locations one change greedy and several with it.

use std::collections::BTreeMap;

use patchwright_edits::{Edit, formats};
use patchwright_prompts::{StageQuestion, UnusableAnswer};
use patchwright_protocol::{Excerpt, Failure, FinishReason};
use patchwright_session::{Answer, Sampling, Stages, Stop};
use patchwright_trajectory::Event;
use serde::{Deserialize, Serialize};

use crate::context::PipelineContext;

/// Places in which the code may have to change, as they are shown.
#[derive(Clone, Debug)]
pub(crate) struct Shown {
    /// The files with what is shown of each.
    pub(crate) excerpts: Vec<Excerpt>,
    /// What they depend on in other places.
    pub(crate) others: Vec<Excerpt>,
    /// The names of more of that, for which there was no room.
    pub(crate) left_out: Vec<String>,
    /// What the model thought when it named these places.
    pub(crate) thoughts: Option<String>,
    /// Samples of locations that named these places.
    pub(crate) votes: usize,
}

impl Shown {
    /// What of it is code, or names code.
    pub(crate) fn code(&self) -> impl PartialEq + '_ {
        (&self.excerpts, &self.others, &self.left_out)
    }
}

/// A change that the model wrote.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Sample {
    /// The set of locations that it was shown, from 0.
    pub set: usize,
    /// Is true if it was drawn greedy.
    pub greedy: bool,
    /// What the answer says of the bug before it gives the change.
    pub why: Option<String>,
    /// The edits; empty where the answer could not be used, not even the second time.
    pub edits: Vec<Edit>,
    /// What was wrong with the answer, the last one where it was asked for again.
    pub problem: Option<String>,
    /// Is true if it was asked for again.
    pub again: bool,
}

/// Characters of an explanation that are kept.
const EXPLANATION: usize = 600;

impl Sample {
    /// What an answer came to; the set and whether chance was in it are said later.
    fn of(answer: &str, read: Result<Vec<Edit>, String>, again: bool) -> Self {
        let (edits, problem) = match read {
            Ok(edits) => (edits, None),
            Err(problem) => (Vec::new(), Some(problem)),
        };
        Self { set: 0, greedy: false, why: explanation(answer), edits, problem, again }
    }
}

/// The words before the first block of an answer.
fn explanation(answer: &str) -> Option<String> {
    let starts = ["```", "###", "<<<<<<<"].into_iter().filter_map(|mark| answer.find(mark));
    let words = answer[..starts.min().unwrap_or(answer.len())].trim();
    let end = words.char_indices().nth(EXPLANATION).map_or(words.len(), |(end, _)| end);
    (!words.is_empty()).then(|| words[..end].to_owned())
}

/// The edits of an answer, if they can be applied; else what is wrong, in words for whoever wrote it.
async fn read(context: &PipelineContext<'_>, answer: &Answer) -> Result<Result<Vec<Edit>, String>, Failure> {
    if answer.reply.stop == FinishReason::Length {
        return Ok(Err("the answer was cut off at its longest; think in fewer words".to_owned()));
    }
    let (project, text) = (context.harness.project().clone(), answer.reply.text.clone());
    let edits =
        match patchwright_blocking::spawn(move |_| formats::read_edits_for(&project, &text, None)).await? {
            Ok(reading) => reading.edits,
            Err(error) => return Ok(Err(error.to_string())),
        };
    let applied = context.apply(&edits).await?;
    Ok(applied.map(|_| edits).map_err(|error| error.to_string()))
}

/// Draws changes for every set, each shown with `tests`: first all that are greedy, then the others in turn, so that the first of each
/// set come before the second of any. When the budget ends, what was drawn counts.
pub(crate) async fn draw(
    stages: &mut Stages,
    context: &PipelineContext<'_>,
    sets: &[Shown],
    tests: &[Excerpt],
) -> Result<Vec<Sample>, Stop> {
    let settings = context.settings;
    let mut drawn: BTreeMap<(usize, usize), Sample> = BTreeMap::new();
    for (set, shown) in sets.iter().enumerate() {
        let wanted = settings.repairs * shown.votes;
        let steps = [(0, 1, 0.0), (1, wanted.saturating_sub(1), settings.temperature)];
        for (first, count, temperature) in steps.into_iter().filter(|(_, count, _)| *count > 0) {
            let sampling = Sampling { count, temperature };
            match draw_from(stages, context, (shown, tests), sampling).await {
                Ok(samples) => {
                    let placed = samples.into_iter().enumerate().map(|(index, sample)| {
                        let greedy = first == 0;
                        ((first + index, set), Sample { set, greedy, ..sample })
                    });
                    drawn.extend(placed);
                }
                Err(Stop::Budget(why)) if !drawn.is_empty() => {
                    stages
                        .context
                        .journal
                        .record(Event::warning(format!("no more repairs are drawn: {why}")))?;
                    return Ok(drawn.into_values().collect());
                }
                Err(stop) => return Err(stop),
            }
        }
    }
    Ok(drawn.into_values().collect())
}

/// Draws changes for one set, and asks once more for each that cannot be applied; equal answers have equal corrections.
async fn draw_from(
    stages: &mut Stages,
    context: &PipelineContext<'_>,
    (shown, tests): (&Shown, &[Excerpt]),
    sampling: Sampling,
) -> Result<Vec<Sample>, Stop> {
    let question = StageQuestion::Repair {
        thoughts: shown.thoughts.as_deref(),
        files: &shown.excerpts,
        others: &shown.others,
        left_out: &shown.left_out,
        tests,
    };
    let prompt = stages.prompt(&question, None)?;
    let room = stages.context.answer_tokens();
    let answers = stages.sample(&prompt, sampling, room).await?;
    let mut samples = Vec::new();
    for answer in answers {
        let problem = match read(context, &answer).await? {
            Err(problem) => problem,
            read @ Ok(_) => {
                samples.push(Sample::of(&answer.reply.text, read, false));
                continue;
            }
        };
        let unusable = UnusableAnswer { answer: &answer.reply.text, problem: &problem };
        let prompt = stages.prompt(&question, Some(unusable))?;
        let sampling = Sampling { count: 1, temperature: 0.0 };
        let second = match stages.sample(&prompt, sampling, room).await {
            Ok(answers) => answers.into_iter().next(),
            Err(Stop::Budget(_)) => None,
            Err(stop) => return Err(stop),
        };
        samples.push(match second {
            Some(second) => Sample::of(&second.reply.text, read(context, &second).await?, true),
            None => Sample::of(&answer.reply.text, Err(problem), true),
        });
    }
    Ok(samples)
}
