//! Locating, in three steps: files, what they declare, lines. Each step is a question to the model whose answer is read
//! tolerantly; a question whose answer is of no use is asked once more, warmer, and if that does not help either, the
//! next step works on what the one before it found, widened by what tests and words tell.

mod elements;
mod embedding;
mod files;
mod lines;
mod map;
mod whole;

use std::collections::BTreeSet;
use std::sync::Arc;

use patchwright_index::{Index, TestSubject};
use patchwright_prompts::StageQuestion;
use patchwright_protocol::{Failure, TestId};
use patchwright_session::{Sampling, Stop};
use patchwright_testbed::{CoverageScope, Formula, Ranking};

use crate::context::PipelineContext;
use crate::near_tests::NearTests;
use crate::repair::Shown;
use crate::settings::PipelineSettings;
use crate::stage::Stages;
pub use embedding::EmbeddingRanker;
pub(crate) use map::render;
use map::{Place, RepositoryMap};

/// What is known before anything is asked.
struct Scene<'a> {
    settings: &'a PipelineSettings,
    meaning: &'a EmbeddingRanker,
    /// What is searched for.
    query: String,
    map: RepositoryMap,
    /// What the tests tell of where the bug is.
    ranking: Option<Ranking>,
}

/// What locating found.
pub(crate) struct Located {
    /// The sets of places in which the bug may be; none where nothing was found, whatever was asked.
    pub(crate) sets: Vec<Shown>,
    /// What is near these places.
    pub(crate) surroundings: Surroundings,
}

/// The places in which the bug may be, as tests are near or far from them.
pub(crate) struct Surroundings {
    index: Arc<Index>,
    subjects: BTreeSet<TestSubject>,
    query: String,
}

impl Surroundings {
    /// The passing tests, by how near they are.
    pub(crate) async fn tests(self, passing: &[TestId]) -> Result<NearTests, Failure> {
        NearTests::of(&self.index, passing, self.subjects, &self.query).await
    }
}

/// Locates the bug.
pub(crate) async fn locate(
    stages: &mut Stages,
    context: &PipelineContext<'_>,
    meaning: &EmbeddingRanker,
) -> Result<Located, Stop> {
    let query = files::query(&stages.context.task);
    let map = RepositoryMap::of(context.bed, context.rules, &query).await?;
    let ranking = ranking(context).await?;
    let scene = Scene { settings: context.settings, meaning, query, map, ranking };
    let files = files::locate(stages, &scene).await?;
    scene.map.parse(&files.ranked).await?;
    let elements = elements::locate(stages, &scene, &files).await?;
    let sets = lines::locate(stages, &scene, &elements).await?;
    let (map, around) = (&scene.map, context.settings.context);
    let places = sets.iter().flat_map(|set| &set.places);
    let subject = |place: &Place| TestSubject {
        path: place.path.clone(),
        definition: map.around(&place.path, place.first).map(str::to_owned),
    };
    let subjects = places.map(subject).collect();
    let sets = sets.into_iter().map(|set| Shown {
        excerpts: map.framed(&set.places, &elements.places, around),
        others: map.beside(&elements.places, &set.places, around),
        votes: set.votes,
    });
    let sets = different(sets.filter(|shown| !shown.excerpts.is_empty()));
    let surroundings = Surroundings { index: Arc::clone(&map.index), subjects, query: scene.query };
    Ok(Located { sets, surroundings })
}

/// Sets without those that are shown alike: near to each other, different places are the same question.
fn different(sets: impl Iterator<Item = Shown>) -> Vec<Shown> {
    let mut different: Vec<Shown> = Vec::new();
    for set in sets {
        let known = different
            .iter_mut()
            .find(|known| (&known.excerpts, &known.others) == (&set.excerpts, &set.others));
        match known {
            Some(known) => known.votes += set.votes,
            None => different.push(set),
        }
    }
    different
}

/// What the tests tell of where the bug is, where failing ones show it.
async fn ranking(context: &PipelineContext<'_>) -> Result<Option<Ranking>, Stop> {
    if context.baseline.failing.is_empty() {
        return Ok(None);
    }
    let ranking = context.bed.spectrum(context.baseline, Formula::default(), CoverageScope::Nearest).await;
    Ok(Some(ranking?))
}

/// Asks a question, and once more, warmer, if what is `read` in the answer is of no `use`; the last reading counts.
async fn insist<T: Default>(
    stages: &mut Stages,
    question: &StageQuestion<'_>,
    settings: &PipelineSettings,
    read: impl Fn(&str) -> T,
    of_use: impl Fn(&T) -> bool,
) -> Result<T, Stop> {
    let prompt = stages.prompt(question, None)?;
    let mut found = T::default();
    for temperature in [0.0, settings.warmer] {
        let sampling = Sampling { count: 1, temperature };
        let answers = stages.sample(&prompt, sampling, settings.location_tokens).await?;
        found = answers.first().map_or_else(T::default, |answer| read(&answer.text));
        if of_use(&found) {
            break;
        }
    }
    Ok(found)
}

/// What a stage adds to what it found: what was named and is not there.
fn not_there(invented: &[String]) -> String {
    if invented.is_empty() {
        String::new()
    } else {
        format!("\nnamed, but not there: {}", invented.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use patchwright_prompts::Excerpt;

    use super::*;

    #[test]
    fn sets_that_are_shown_alike_are_one_question() {
        let excerpt = |text: &str| vec![Excerpt { path: "a.py".to_owned(), text: text.to_owned() }];
        let set =
            |text: &str, other: &str, votes| Shown { excerpts: excerpt(text), others: excerpt(other), votes };
        let sets = [set("f", "g", 1), set("f", "h", 2), set("f", "g", 3)];
        let votes: Vec<usize> = different(sets.into_iter()).iter().map(|set| set.votes).collect();
        assert_eq!(votes, [4, 2]);
    }
}
