//! How far down the list BM25 puts the file that the developers edited, for issues of SWE-bench. `PATCHWRIGHT_CASES` names
//! a file with one case a line (`instance_id`, `problem_statement`, `patch`); `PATCHWRIGHT_SOURCES` a folder that holds, for
//! each, the project at a near version under the case's name. Cases without a folder are left out.

use std::path::{Path, PathBuf};

use patchwright_edits::diff::{FilePatch, Patch};
use patchwright_index::{Index, Query, Retrieval, RetrievalOptions};
use serde_json::Value;

pub fn measure() {
    let named = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let (Some(cases), Some(sources)) = (named("PATCHWRIGHT_CASES"), named("PATCHWRIGHT_SOURCES")) else {
        println!("left out: PATCHWRIGHT_CASES and PATCHWRIGHT_SOURCES are not set");
        return;
    };
    let cases = std::fs::read_to_string(cases).unwrap();
    let mut ranks = Vec::new();
    for case in cases.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        let text = |field: &str| case[field].as_str().unwrap_or_default().to_owned();
        let (name, patch) = (text("instance_id"), text("patch"));
        let patch = Patch::readable(patch.as_bytes());
        let edited = patch.files.iter().find_map(FilePatch::new_path).unwrap_or_default().to_owned();
        match rank(&sources.join(&name), &text("problem_statement"), &edited) {
            Some((rank, files)) => {
                println!("{name}: {rank} of {files} ({edited})");
                ranks.push(rank);
            }
            None => println!("{name}: left out, there is no {edited}"),
        }
    }
    let within = |most: usize| ranks.iter().filter(|rank| **rank <= most).count();
    let reciprocal: f64 = ranks.iter().map(|rank| 1.0 / *rank as f64).sum();
    println!(
        "of {} cases the edited file is first in {}, among three in {}, five in {}, ten in {}; mean reciprocal rank {:.2}",
        ranks.len(),
        within(1),
        within(3),
        within(5),
        within(10),
        reciprocal / ranks.len().max(1) as f64
    );
}

/// The place of a file in the ranking, and how many files there are; the last place for a file that is not in it.
fn rank(root: &Path, issue: &str, edited: &str) -> Option<(usize, usize)> {
    let index = Index::build(root).ok()?;
    index.file(edited)?;
    let found = Retrieval::build(&index, RetrievalOptions::default()).search(&Query::of_text(issue));
    let files = index.files().filter(|file| !file.test).count();
    let place = found.files.iter().position(|(path, _)| path.as_str() == edited);
    Some((place.map_or(files, |place| place + 1), files))
}
