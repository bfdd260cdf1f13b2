//! Which classes, functions and variables of the suspicious files matter.

use patchwright_prompts::StageQuestion;
use patchwright_replies::answer;
use patchwright_session::{Stages, Stop};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::files::Files;
use super::map::Place;
use super::{Scene, insist, not_there};

/// Suspicious methods, and passages with the words of the bug, that stand in where the model names nothing.
const WIDER: usize = 5;

/// The elements that matter.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Elements {
    /// Their lines.
    pub(super) places: Vec<Place>,
    /// What the model named and is not there.
    invented: Vec<String>,
    /// Is true if the model named nothing that is there, so that tests and words had to tell.
    widened: bool,
    /// What the model thought when it named them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) thoughts: Option<String>,
}

pub(super) async fn locate(stages: &mut Stages, scene: &Scene<'_>, files: &Files) -> Result<Elements, Stop> {
    let stage = stages.begin("locate_elements", json!({ "files": files.ranked }))?;
    let found = match stages.earlier(&stage)? {
        Some(found) => found,
        None => find(stages, scene, files).await?,
    };
    let mut text = list(&found.places);
    if found.widened {
        text.push_str("\nthe model named nothing that is there; these are what tests and words tell");
    }
    text.push_str(&not_there(&found.invented));
    stages.finish(&stage, text, &found)?;
    Ok(found)
}

async fn find(stages: &mut Stages, scene: &Scene<'_>, files: &Files) -> Result<Elements, Stop> {
    let Scene { settings, map, ranking, .. } = scene;
    let skeletons = map.skeletons(files.shown());
    let within = map.paths(&files.ranked);
    let others = files.others();
    let question = StageQuestion::Elements { files: &skeletons, others: &others };
    let read = |text: &str| {
        let (places, invented) = map.read(text, &within);
        Elements { places, invented, widened: false, thoughts: answer::thoughts(text) }
    };
    let mut found = Elements::default();
    if !skeletons.is_empty() {
        found = insist(stages, &question, settings, read, |found| !found.places.is_empty()).await?;
    }
    if !found.places.is_empty() {
        return Ok(found);
    }
    let mut places: Vec<Place> = Vec::new();
    for method in ranking.iter().flat_map(|ranking| &ranking.methods).take(WIDER) {
        places.push(Place { path: method.path.clone(), first: method.lines.first, last: method.lines.last });
    }
    let passages = map.retrieved.chunks.iter().map(|(chunk, _)| (chunk.path.to_string(), chunk.lines));
    for (path, lines) in passages.filter(|(path, _)| map.may_change(path)).take(WIDER) {
        places.push(Place { path, first: lines.first, last: lines.last });
    }
    Ok(Elements { places, widened: true, thoughts: None, ..found })
}

/// Places for people, one a line.
pub(super) fn list(places: &[Place]) -> String {
    let line = |place: &Place| format!("- {}, lines {}-{}", place.path, place.first, place.last);
    places.iter().map(line).collect::<Vec<_>>().join("\n")
}
