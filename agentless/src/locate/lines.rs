//! Which lines have to change: several samples, each different one a set of its own.

use std::collections::BTreeSet;

use patchwright_prompts::StageQuestion;
use patchwright_protocol::decimal;
use patchwright_replies::answer;
use patchwright_session::{Sampling, Stages, Stop};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Scene;
use super::elements::{Elements, list};
use super::map::{Place, RepositoryMap};

/// Lines that may have to change together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Set {
    pub(super) places: Vec<Place>,
    /// Samples that named them.
    pub(super) votes: usize,
    /// What the model thought when it named them, in the first of these samples that tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) thoughts: Option<String>,
    /// The definitions that they are in.
    definitions: BTreeSet<String>,
}

/// What all samples named.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Lines {
    /// In the order of their first samples.
    sets: Vec<Set>,
    /// What samples named and is not there.
    invented: Vec<String>,
    /// Is true if no sample named anything that is there, so that the elements stand in.
    widened: bool,
}

pub(super) async fn locate(
    stages: &mut Stages,
    scene: &Scene<'_>,
    elements: &Elements,
) -> Result<Vec<Set>, Stop> {
    if elements.places.is_empty() {
        return Ok(Vec::new());
    }
    let settings = scene.settings;
    let arguments =
        json!({ "samples": settings.location_samples, "temperature": decimal(settings.temperature) });
    let stage = stages.begin("locate_lines", arguments)?;
    let found = match stages.earlier(&stage)? {
        Some(found) => found,
        None => find(stages, scene, elements).await?,
    };
    let sets = found
        .sets
        .iter()
        .enumerate()
        .map(|(index, set)| format!("set {} ({} samples)\n{}", index + 1, set.votes, list(&set.places)));
    let mut text = sets.collect::<Vec<_>>().join("\n");
    if found.widened {
        text.push_str("\nno sample named lines that are there; these are the elements as a whole");
    }
    stages.finish(&stage, text, &found)?;
    Ok(found.sets)
}

async fn find(stages: &mut Stages, scene: &Scene<'_>, elements: &Elements) -> Result<Lines, Stop> {
    let Scene { settings, map, .. } = scene;
    let excerpts = map.excerpts(&elements.places, settings.context);
    let shown: Vec<String> = excerpts.iter().map(|excerpt| excerpt.path.clone()).collect();
    let within = map.paths(&shown);
    let prompt = stages.prompt(&StageQuestion::Lines { files: &excerpts }, None)?;
    let mut found = Lines::default();
    for temperature in [settings.temperature, settings.warmer] {
        let sampling = Sampling { count: settings.location_samples, temperature };
        for answer in stages.sample(&prompt, sampling, settings.location_tokens).await? {
            let (places, invented) = map.read(&answer.reply.text, &within);
            found.invented.extend(invented);
            let definitions = places.iter().map(|place| definition(map, place)).collect();
            found.add(places, definitions, answer::thoughts(&answer.reply.text));
        }
        if !found.sets.is_empty() {
            found.invented.sort();
            found.invented.dedup();
            return Ok(found);
        }
    }
    let votes = settings.location_samples;
    Ok(Lines { sets: vec![Set::of(elements.places.clone(), votes)], widened: true, ..found })
}

impl Set {
    /// Places that so many samples named, or would have.
    pub(super) fn of(places: Vec<Place>, votes: usize) -> Self {
        Self { places, votes, thoughts: None, definitions: BTreeSet::new() }
    }
}

/// The definition that a place is in, or else its line.
fn definition(map: &RepositoryMap, place: &Place) -> String {
    match map.around(&place.path, place.first) {
        Some(name) => format!("{}: {name}", place.path),
        None => format!("{}: {}", place.path, place.first),
    }
}

impl Lines {
    /// Adds what a sample named. Places in the same definitions are one set: the same code would be shown, and the same
    /// asked.
    fn add(&mut self, mut places: Vec<Place>, definitions: BTreeSet<String>, thoughts: Option<String>) {
        if places.is_empty() {
            return;
        }
        let known = self.sets.iter().position(|set| set.definitions == definitions);
        let at = known.unwrap_or(self.sets.len());
        if known.is_none() {
            self.sets.push(Set { definitions, ..Set::of(Vec::new(), 0) });
        }
        let set = &mut self.sets[at];
        set.votes += 1;
        set.thoughts = set.thoughts.take().or(thoughts);
        set.places.append(&mut places);
        set.places.sort();
        set.places.dedup();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_of_the_same_definitions_are_one_set() {
        let place = |path: &str, first, last| Place { path: path.to_owned(), first, last };
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
        let mut sets = Lines::default();
        let thought = |words: &str| Some(words.to_owned());
        sets.add(vec![place("a", 3, 3)], names(&["a: f"]), None);
        sets.add(Vec::new(), names(&[]), thought("nowhere"));
        sets.add(vec![place("b", 1, 9)], names(&["b: g"]), thought("in g"));
        sets.add(vec![place("a", 1, 1), place("a", 3, 3)], names(&["a: f"]), thought("in f"));
        sets.add(vec![place("a", 1, 1)], names(&["a: f"]), thought("in f again"));
        sets.add(vec![place("a", 1, 1), place("b", 2, 2)], names(&["a: f", "b: g"]), None);
        let votes: Vec<usize> = sets.sets.iter().map(|set| set.votes).collect();
        assert_eq!(votes, [3, 1, 1]);
        let thoughts: Vec<Option<&str>> = sets.sets.iter().map(|set| set.thoughts.as_deref()).collect();
        assert_eq!(thoughts, [Some("in f"), Some("in g"), None]);
        assert_eq!(sets.sets[0].places, [place("a", 1, 1), place("a", 3, 3)]);
    }
}
