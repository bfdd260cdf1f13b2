//! Fixes as folders, in `scenarios/`: what a model wrote (`edits`), the files before it (`input/`), and the files after it (`expected/`), or
//! why it is refused (`refused`); and what is told to the model (`notes`).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use patchwright_syntax::Project;

use crate::formats::read_edits;
use crate::{EditRules, apply};

/// All files below a folder.
fn tree(root: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for entry in ignore::WalkBuilder::new(root).standard_filters(false).build() {
        let path = entry.unwrap().into_path();
        if path.is_file() {
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            found.insert(name, fs::read_to_string(path).unwrap());
        }
    }
    found
}

/// What a file of a scenario says; nothing where it is missing.
fn said(file: &Path) -> Option<String> {
    file.exists().then(|| fs::read_to_string(file).unwrap().trim_end().to_owned())
}

fn check(scenario: &Path) {
    let name = scenario.file_name().unwrap().to_str().unwrap();
    let before = tree(&scenario.join("input"));
    let files: Vec<(&str, &[u8])> =
        before.iter().map(|(path, text)| (path.as_str(), text.as_bytes())).collect();
    let root = super::folder(&files);
    let reading = read_edits(&fs::read_to_string(scenario.join("edits")).unwrap(), None);
    let edits = reading.unwrap_or_else(|error| panic!("{name}: {error}")).edits;
    let applied = apply(&Project::open(root.path()).unwrap(), &edits, &EditRules::default());
    assert_eq!(tree(root.path()), before, "{name}: nothing is written before it is asked for");
    match applied {
        Ok(applied) => {
            applied.write_to(root.path(), "").unwrap();
            assert_eq!(tree(root.path()), tree(&scenario.join("expected")), "{name}");
            assert_eq!(applied.notes.join("\n"), said(&scenario.join("notes")).unwrap_or_default(), "{name}");
            applied.revert(root.path()).unwrap();
            assert_eq!(tree(root.path()), before, "{name}: taken back");
        }
        Err(error) => assert_eq!(Some(error.to_string()), said(&scenario.join("refused")), "{name}"),
    }
}

#[test]
fn fixes_as_folders() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/fix_tests/scenarios");
    let mut scenarios: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    scenarios.sort();
    for scenario in &scenarios {
        check(scenario);
    }
}
