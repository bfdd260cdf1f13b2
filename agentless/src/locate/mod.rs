//! Locating, in three steps: files, what they declare, lines. Each step is a question to the model whose answer is read
//! tolerantly; a question whose answer is of no use is asked once more, warmer, and if that does not help either, the
//! next step works on what the one before it found, widened by what tests and words tell.

mod beside;
mod elements;
mod embedding;
mod files;
mod lines;
mod map;
mod render;
mod whole;

use std::collections::BTreeSet;
use std::sync::Arc;

use map::{Place, RepositoryMap};
use patchwright_fault_localization::{Formula, Ranking};
use patchwright_index::{Index, TestSubject};
use patchwright_initial_context::NearTests;
use patchwright_prompts::StageQuestion;
use patchwright_protocol::{Failure, TestId};
use patchwright_session::{Sampling, Stages, Stop};
use patchwright_validation::CoverageScope;

use self::beside::Beside;
use self::elements::Elements;
use self::lines::Set;
use crate::context::PipelineContext;
use crate::repair::Shown;
use crate::settings::PipelineSettings;
pub use embedding::EmbeddingRanker;

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
    let map = RepositoryMap::of(context.harness, context.rules, &query).await?;
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
    let sets = sets.into_iter().map(|set| shown(map, &elements, set, around));
    let sets = different(sets.filter(|shown| !shown.excerpts.is_empty()));
    let surroundings = Surroundings { index: Arc::clone(&map.index), subjects, query: scene.query };
    Ok(Located { sets, surroundings })
}

/// What is shown of a set of places, with `around` lines of context, and of the elements beside it.
fn shown(map: &RepositoryMap, elements: &Elements, set: Set, around: u32) -> Shown {
    let (large, small): (Vec<Place>, Vec<Place>) =
        set.places.into_iter().partition(|place| map.is_large_class(place));
    // A large class that is named beside lines is there to be understood; alone, it is all that is known.
    let (located, large) = if small.is_empty() { (large, small) } else { (small, large) };
    let named = [large, elements.places.clone()].concat();
    let Beside { excerpts: others, left_out } = map.beside(&named, &located, around, beside::ROOM);
    let thoughts = set.thoughts.or_else(|| elements.thoughts.clone());
    Shown { excerpts: map.framed(&located, &named, around), others, left_out, thoughts, votes: set.votes }
}

/// Sets without those that are shown alike: near to each other, different places are the same question.
fn different(sets: impl Iterator<Item = Shown>) -> Vec<Shown> {
    let mut different: Vec<Shown> = Vec::new();
    for set in sets {
        let known = different.iter_mut().find(|known| known.code() == set.code());
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
    let ranking = patchwright_fault_localization::spectrum(
        context.harness,
        context.baseline,
        Formula::default(),
        CoverageScope::Nearest,
    )
    .await;
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
        found = answers.first().map_or_else(T::default, |answer| read(&answer.reply.text));
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
    use patchwright_protocol::Excerpt;

    use super::*;

    #[test]
    fn a_set_is_shown_with_what_was_thought_of_it_and_a_large_class_beside_it() {
        let method = |number: usize| {
            let line = format!("        total = self.rounded(total, {number})\n");
            format!("    def total_{number}(self, total):\n{}        return total\n\n", line.repeat(20))
        };
        let source = format!("class Order:\n{}", (0..40).map(method).collect::<String>());
        let (_folder, map) = RepositoryMap::of_files(&[("order.py", &source)]);
        let place = |first, last| Place { path: "order.py".to_owned(), first, last };
        let class = map.index.elements("order.py")[0].lines;
        let (class, line) = (place(class.first, class.last), place(30, 30));
        let mut elements = Elements::default();
        elements.places = vec![class.clone()];
        elements.thoughts = Some("Order is wrong.".to_owned());
        let bytes = |files: &[Excerpt]| files.iter().map(|file| file.text.len()).sum::<usize>();
        let mut set = Set::of(vec![class.clone(), line], 2);
        set.thoughts = Some("Line 30 is.".to_owned());
        let beside = shown(&map, &elements, set, 10);
        assert_eq!((beside.thoughts.as_deref(), beside.votes), (Some("Line 30 is."), 2));
        assert!(bytes(&beside.excerpts) < 2_000 && bytes(&beside.others) <= beside::ROOM, "{beside:?}");
        assert!(beside.excerpts[0].text.contains("self.rounded(total, 1)"), "{beside:?}");
        assert!(beside.others[0].text.contains("def total_39"), "{beside:?}");
        let alone = shown(&map, &elements, Set::of(vec![class], 1), 10);
        assert_eq!(alone.thoughts.as_deref(), Some("Order is wrong."));
        assert!(bytes(&alone.excerpts) > beside::ROOM && alone.others.is_empty(), "it is all that is known");
    }

    #[test]
    fn sets_that_are_shown_alike_are_one_question() {
        let excerpt = |text: &str| vec![Excerpt { path: "a.py".to_owned(), text: text.to_owned() }];
        let set = |text: &str, other: &str, votes: usize| Shown {
            excerpts: excerpt(text),
            others: excerpt(other),
            left_out: Vec::new(),
            thoughts: Some(format!("thought by {votes}")),
            votes,
        };
        let sets = [set("f", "g", 1), set("f", "h", 2), set("f", "g", 3)];
        let sets = different(sets.into_iter());
        assert_eq!(sets.iter().map(|set| set.votes).collect::<Vec<_>>(), [4, 2]);
        assert_eq!(sets[0].thoughts.as_deref(), Some("thought by 1"), "the first that is shown alike");
    }
}
