//! Which files the bug may be in: what the model names, what the tests execute, and what the words of the bug say, fused.

use patchwright_index::{FUSION_K, fuse};
use patchwright_prompts::{StageQuestion, Task, folded};
use patchwright_replies::answer;
use patchwright_session::{Stages, Stop};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::map::RepositoryMap;
use super::{Scene, insist, not_there};
use crate::settings::Weights;

/// The stage's name in trajectories.
pub(super) const STAGE: &str = "locate_files";
/// Files of each source that are fused.
const RANKED: usize = 100;
/// Files found by words that are shown when folders are left out.
const FOUND: usize = 30;

/// The suspicious files.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Files {
    /// The most suspicious first.
    pub(super) ranked: Vec<String>,
    /// Those that the model named and that are there.
    named: Vec<String>,
    /// What it named and is not there, or may not be changed.
    invented: Vec<String>,
    /// Folders in which words are not searched for.
    irrelevant: Vec<String>,
    /// Is true if the model was not asked, since whatever it named, these would be the files.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    decided: bool,
    /// Is true if not all tests were looked at for the files that failing ones execute. Replays read it, under this name, as they do that of
    /// the tool which ranks lines.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    partial: bool,
    /// Those that an embedding model finds nearest to the bug, where one is asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) by_meaning: Vec<String>,
}

impl Files {
    /// Those that are shown: the ones that the model named. All where it named none, was not asked, or an embedding model was asked as well.
    pub(super) fn shown(&self) -> &[String] {
        let is_choice = !self.named.is_empty() && self.by_meaning.is_empty();
        if is_choice { &self.named } else { &self.ranked }
    }

    /// Those that other sources point to and that are not shown.
    pub(super) fn others(&self) -> Vec<String> {
        self.ranked.iter().filter(|path| !self.shown().contains(path)).cloned().collect()
    }
}

pub(super) async fn locate(stages: &mut Stages, scene: &Scene<'_>) -> Result<Files, Stop> {
    let stage = stages.begin(STAGE, json!({ "files": scene.settings.files }))?;
    let found = if let Some(found) = stages.earlier(&stage)? {
        found
    } else {
        let partial = scene.ranking.as_ref().is_some_and(|ranking| ranking.left_out > 0);
        Files { partial, ..find(stages, scene).await? }
    };
    let mut text = found.ranked.iter().map(|file| format!("- {file}")).collect::<Vec<_>>().join("\n");
    if found.decided {
        text.push_str("\nthe model was not asked: all files that may be changed are looked into");
    }
    text.push_str(&not_there(&found.invented));
    stages.finish(&stage, text, &found)?;
    Ok(found)
}

async fn find(stages: &mut Stages, scene: &Scene<'_>) -> Result<Files, Stop> {
    let Scene { settings, map, ranking, .. } = scene;
    let executed =
        ranking.as_ref().map(|ranking| ranking.files.iter().map(|file| file.path.clone()).collect());
    let executed: Vec<String> = executed.unwrap_or_default();
    let written = map.written();
    if written.len() <= settings.files {
        let by_words = by_words(map, |path| written.iter().any(|file| file == path));
        let mut ranked = ranked(scene, [&[], &executed, &by_words, &[]], settings.files);
        let rest: Vec<String> = written.into_iter().filter(|path| !ranked.contains(path)).collect();
        ranked.extend(rest);
        ranked.truncate(settings.files);
        return Ok(Files { ranked, decided: true, ..Files::default() });
    }
    let tree = map.tree();
    let question = StageQuestion::Files { tree: &tree, most: settings.named_files };
    let read = |text: &str| named(map, text, settings.named_files);
    let (named, invented) = insist(stages, &question, settings, read, |found| !found.0.is_empty()).await?;
    let most = settings.files.max(named.len() + 1);
    let rank = |by_words: &[String], by_meaning: &[String]| {
        ranked(scene, [&named, &executed, by_words, by_meaning], most)
    };
    let mut irrelevant = Vec::new();
    if map.changeable() > settings.few_files {
        let by_words = by_words(map, |path| map.may_change(path));
        let is_new = |path: &String| !named.contains(path) && !executed.contains(path);
        // Folders are left out of what words and meaning find: where neither brings a file in, there is nothing to ask.
        let tree = if scene.meaning.is_asked() {
            Some(tree)
        } else if named.is_empty() && rank(&by_words, &[]).iter().any(is_new) {
            Some(nearest(map, by_words.into_iter().filter(is_new).collect()))
        } else {
            None
        };
        if let Some(tree) = tree {
            let question = StageQuestion::Folders { tree: &tree };
            // That every folder may matter is an answer.
            irrelevant = insist(stages, &question, settings, folders, |_| true).await?;
        }
    }
    let wanted = |path: &str| map.may_change(path) && !is_inside(path, &irrelevant);
    let mut by_meaning = scene.meaning.rank(stages, map, &scene.query, wanted).await?;
    by_meaning.truncate(RANKED);
    let ranked = rank(&by_words(map, wanted), &by_meaning);
    Ok(Files { ranked, named, invented, irrelevant, by_meaning, ..Files::default() })
}

/// At most so many files by what the model names, tests execute, words and meaning find. What the model names stands in its order; the
/// other sources have the last word about who else comes in.
fn ranked(scene: &Scene<'_>, sources: [&[String]; 4], most: usize) -> Vec<String> {
    let Weights { model, spectrum, words, meaning } = scene.settings.weights;
    let [named, executed, by_words, by_meaning] = sources;
    let weighted = [(model, named), (spectrum, executed), (words, by_words), (meaning, by_meaning)];
    let mut ranked: Vec<String> = named.to_vec();
    for (path, _) in fuse(&weighted, FUSION_K) {
        if ranked.len() < most && scene.map.may_change(&path) && !ranked.contains(&path) {
            ranked.push(path);
        }
    }
    ranked
}

/// The first of some files as a tree, and how many more there are.
fn nearest(map: &RepositoryMap, mut found: Vec<String>) -> String {
    let more = found.split_off(found.len().min(FOUND)).len();
    let mut tree = map.tree_of(found);
    if more > 0 {
        tree.push_str(&format!("[… and {more} more, to which less points …]\n"));
    }
    tree
}

/// The files that an answer names, and the names of which there is none.
fn named(map: &RepositoryMap, text: &str, most: usize) -> (Vec<String>, Vec<String>) {
    let (mut files, mut invented) = (Vec::new(), Vec::new());
    for item in answer::list(text) {
        match map.index.find_path(item).as_slice() {
            [path] if map.may_change(path.as_str()) => {
                if !files.iter().any(|file| file == path.as_str()) {
                    files.push(path.to_string());
                }
            }
            _ => invented.push(item.to_owned()),
        }
    }
    files.truncate(most);
    (files, invented)
}

/// The folders that an answer names. The root is no folder that can be left out.
fn folders(text: &str) -> Vec<String> {
    let folder = |item: &str| item.strip_suffix('/').map(|item| item.trim_start_matches("./").to_owned());
    answer::list(text).filter_map(folder).filter(|folder| !folder.is_empty() && folder != ".").collect()
}

/// The files whose words are nearest to those of the bug.
fn by_words(map: &RepositoryMap, wanted: impl Fn(&str) -> bool) -> Vec<String> {
    let files = map.retrieved.files.iter().map(|(path, _)| path.to_string());
    files.filter(|path| wanted(path)).take(RANKED).collect()
}

/// Is true if a file is in one of these folders.
fn is_inside(path: &str, folders: &[String]) -> bool {
    let inside =
        |folder: &String| path.strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/'));
    folders.iter().any(inside)
}

/// What is searched for.
pub(super) fn query(task: &Task) -> String {
    let mut query = task.issue.as_deref().map(folded).unwrap_or_default();
    for test in &task.failing {
        query.push('\n');
        query.push_str(test.id.as_str());
        if let Some(message) = &test.message {
            query.push('\n');
            query.push_str(message);
        }
    }
    query
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_end_with_a_slash_and_are_not_the_root() {
        let answer = "```\ndocs/\n./build/out/\n/\n./\nsrc/a.py\n- `examples/`\n```";
        assert_eq!(folders(answer), ["docs", "build/out", "examples"]);
    }
}
