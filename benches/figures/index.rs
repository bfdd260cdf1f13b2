//! The time from a checkout to its ranked files, and to all that an index can tell (tree, elements, skeletons) beside a program
//! in Python that parses the same files with `ast` and keeps classes and functions only. `PATCHWRIGHT_PROJECT` names the project; without it a made-up one is taken.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use patchwright_index::{Index, Query, Retrieval, RetrievalOptions, TreeOptions};

use crate::{projects, quantile, times};

/// Classes of the made-up project.
const MODULES: usize = 400;

pub fn measure() {
    let folder = tempfile::tempdir().unwrap();
    let root = std::env::var_os("PATCHWRIGHT_PROJECT").map_or_else(
        || {
            projects::python(folder.path(), MODULES);
            folder.path().to_path_buf()
        },
        PathBuf::from,
    );
    let index = Index::build(&root).unwrap();
    let lines: u64 = index.files().map(|file| u64::from(file.lines)).sum();
    let bytes: usize = index.files().filter_map(|file| Some(file.source()?.bytes().len())).sum();
    println!(
        "{} files of known languages, {lines} lines, {:.1} MB; left out: {}",
        index.files().len(),
        bytes as f64 / 1e6,
        index.problems().len()
    );
    let query = Query::of_text("The value of a field is lost when a form is validated a second time");
    let mut ranked = times(5, || {
        let retrieval = Retrieval::build(&Index::build(&root).unwrap(), RetrievalOptions::default());
        assert!(!retrieval.search(&query).files.is_empty());
    });
    println!("to the ranked list of files: {:.0} ms (median of 5)", quantile(&mut ranked, 0.5) * 1e3);
    let all = || {
        let index = Index::build(&root).unwrap();
        index.parse(index.files().map(|file| file.path.as_str()));
        let skeletons = index.files().map(|file| file.skeleton().render().len());
        assert!(skeletons.sum::<usize>() + index.tree(&TreeOptions::default()).len() > 0);
    };
    let mut whole = times(5, all);
    let whole = quantile(&mut whole, 0.5);
    println!("tree and all skeletons written out: {:.0} ms (median of 5)", whole * 1e3);
    match reference(&root) {
        Some(seconds) => {
            println!("python with ast: {:.0} ms; ratio python : ours {:.1}", seconds * 1e3, seconds / whole);
        }
        None => println!("python3 is missing: no comparison"),
    }
    retrieval(&index, &query);
}

/// The median of three runs of the program in Python, in seconds.
fn reference(root: &Path) -> Option<f64> {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/figures/index.py");
    let run = || {
        let output = Command::new("python3").arg(&program).arg(root).output().ok()?;
        serde_json::from_slice::<serde_json::Value>(&output.stdout).ok()?["seconds"].as_f64()
    };
    let mut seconds = (0..3).map(|_| run()).collect::<Option<Vec<f64>>>()?;
    Some(quantile(&mut seconds, 0.5))
}

fn retrieval(index: &Index, query: &Query) {
    let begun = Instant::now();
    let retrieval = Retrieval::build(index, RetrievalOptions::default());
    println!(
        "retrieval: {} chunks in {:.0} ms",
        retrieval.chunks().len(),
        begun.elapsed().as_secs_f64() * 1e3
    );
    let mut searches = times(9, || assert!(!retrieval.search(query).files.is_empty()));
    println!("a search: {:.1} ms (median of 9)", quantile(&mut searches, 0.5) * 1e3);
}
