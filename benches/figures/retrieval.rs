//! How far down the list BM25 puts the file that the developers edited, for the [issues](crate::issues). Cases without a folder are left out.

use patchwright_edits::diff::FilePatch;
use patchwright_index::{Query, Retrieval, RetrievalOptions};

use crate::issues::{Case, cases};

pub fn measure() {
    let cases = cases();
    let mut ranks = Vec::new();
    for case in &cases {
        let edited = case.fix.files.iter().find_map(FilePatch::new_path).unwrap_or_default();
        match rank(case, edited) {
            Some((rank, files)) => {
                println!("{}: {rank} of {files} ({edited})", case.name);
                ranks.push(rank);
            }
            None => println!("{}: left out, there is no {edited}", case.name),
        }
    }
    if cases.is_empty() {
        return;
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
fn rank(case: &Case, edited: &str) -> Option<(usize, usize)> {
    let index = case.index()?;
    index.file(edited)?;
    let found = Retrieval::build(&index, RetrievalOptions::default()).search(&Query::of_text(&case.issue));
    let files = index.files().filter(|file| !file.test).count();
    let place = found.files.iter().position(|(path, _)| path.as_str() == edited);
    Some((place.map_or(files, |place| place + 1), files))
}
