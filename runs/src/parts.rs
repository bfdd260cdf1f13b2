//! The parts of a run, read as the one run that they are.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::difference::{Difference, compare};
use super::error::RunError;
use super::folder::{Places, RunRecord};
use super::ledger::Ledger;
use super::part::{FoundParts, Part, folders};
use super::selection::Selection;
use super::settings::RunFile;

impl RunRecord {
    /// Reads a run, which may be running; or all parts of one that lie in a folder, as one.
    ///
    /// # Errors
    /// When there is no run, its files cannot be understood, or its parts were started with different settings.
    pub fn read(root: &Path) -> Result<Self, RunError> {
        let parts = folders(root);
        if parts.is_empty() { Self::read_one(root) } else { joined(root, parts) }
    }
}

/// Refuses a part that is about to begin beside others that are not of the same run.
///
/// # Errors
/// See [`RunError::PartsDiffer`].
pub fn check_part(root: &Path, file: &RunFile) -> Result<(), RunError> {
    let Some(part) = file.selection.part else { return Ok(()) };
    for (other, folder) in folders(root) {
        let known = match RunRecord::read_one(&folder) {
            Ok(known) if other != part => known.file,
            // It is only being made, or this part itself, which is refused for that.
            Ok(_) | Err(RunError::NoRun(_)) => continue,
            Err(error) => return Err(error),
        };
        let differences = differences((other, &known), (part, file));
        if !differences.is_empty() {
            let (one, other) = (folder, root.join(part.folder_name()));
            return Err(RunError::PartsDiffer { one, other, differences });
        }
        // The others were compared with it when they began.
        break;
    }
    Ok(())
}

/// Refuses a run that is not the one that is known by its name: with other settings, versions, files or cases.
///
/// # Errors
/// See [`RunError::Differs`].
pub fn check_same(known: &RunFile, now: &RunFile) -> Result<(), RunError> {
    let mut differences = session_differences(known, now);
    let of_cases = known.differences(now).into_iter().filter(|difference| difference.field == "cases");
    differences.extend(of_cases);
    if differences.is_empty() { Ok(()) } else { Err(RunError::Differs(differences)) }
}

/// The whole of some parts, each as its files tell it now: it may be running.
///
/// # Errors
/// The files of one cannot be understood, or parts were started with different settings.
fn joined(root: &Path, parts: Vec<(Part, PathBuf)>) -> Result<RunRecord, RunError> {
    let mut records = Vec::new();
    for (part, folder) in parts {
        match RunRecord::read_one(&folder) {
            Ok(record) if record.file.selection.part == Some(part) => records.push((part, record)),
            // The cases of one part would count as those of another, or twice.
            Ok(record) => {
                let path = record.places.run_file();
                let own =
                    record.file.selection.part.map_or("no part".to_owned(), |own| format!("part {own}"));
                let message =
                    format!("it is of {own}, and the folder that of part {part}; rename the folder");
                return Err(RunError::RunFile { path, message });
            }
            // It is only being made.
            Err(RunError::NoRun(_)) => {}
            Err(error) => return Err(error),
        }
    }
    let Some(((first_part, first), others)) = records.split_first() else {
        return Err(RunError::NoRun(root.to_owned()));
    };
    for (part, other) in others {
        let differences = differences((*first_part, &first.file), (*part, &other.file));
        if !differences.is_empty() {
            let [one, other] = [first, other].map(|record| record.places.root().to_owned());
            return Err(RunError::PartsDiffer { one, other, differences });
        }
    }
    let mut cases: Vec<(usize, String)> = Vec::new();
    let mut places = BTreeMap::new();
    let mut ledger = Ledger::default();
    for (part, record) in &records {
        for (place, case) in record.file.cases.iter().enumerate() {
            cases.push((part.place_in_all(place), case.clone()));
            places.insert(case.clone(), record.places.root().to_owned());
        }
        ledger.join(&record.ledger);
    }
    let of = first_part.of();
    let is_missing = |number: &u32| !records.iter().any(|(part, _)| part.number() == *number);
    let missing: Vec<u32> = (1..=of).filter(is_missing).collect();
    // The whole has ended where all parts have, for the reason that leaves most to be done.
    let ended: Option<Vec<_>> = records.iter().map(|(_, record)| record.ledger.ended.clone()).collect();
    let ended = ended.filter(|_| missing.is_empty());
    ledger.ended = ended.and_then(|all| all.into_iter().max_by_key(|(reason, _)| *reason));
    cases.sort();
    let file = RunFile {
        cases: cases.into_iter().map(|(_, case)| case).collect(),
        selection: Selection { part: None, ..first.file.selection.clone() },
        ..first.file.clone()
    };
    let parts = Some(FoundParts { of, missing });
    Ok(RunRecord { places: Places::of_parts(root, places), file, ledger, parts })
}

/// What two parts of one run have otherwise, field by field.
fn differences((one, was): (Part, &RunFile), (other, is): (Part, &RunFile)) -> Vec<Difference> {
    let mut found = session_differences(was, is);
    let mut add = |field: &str, was: String, is: String| {
        if was != is {
            found.push(Difference { field: field.to_owned(), was: Some(was), is: Some(is) });
        }
    };
    add("part", format!("one of {}", one.of()), format!("one of {}", other.of()));
    let selection = |file: &RunFile| {
        let selection = Selection { part: None, ..file.selection.clone() };
        toml::Table::try_from(&selection).unwrap_or_default()
    };
    compare("selection", &selection(was), &selection(is), &mut found);
    found
}

/// What two runs have otherwise that shapes their sessions, field by field: suite, settings, versions, contents of files.
pub(super) fn session_differences(was: &RunFile, is: &RunFile) -> Vec<Difference> {
    let mut found = was.differences(&RunFile { cases: Vec::new(), ..is.clone() });
    // Elsewhere the same file may have another path.
    let suite = |file: &RunFile| {
        let kind = file.suite.split(':').next().map(str::to_owned);
        Some((kind, file.fingerprints.get("suite")?.blake3.clone()))
    };
    if suite(was).is_some_and(|was| suite(is) == Some(was)) {
        found.retain(|difference| difference.field != "suite");
    }
    let texts = |all: &BTreeMap<String, String>| -> toml::Table {
        all.iter().map(|(name, text)| (name.clone(), toml::Value::from(text.as_str()))).collect()
    };
    let hashes = |file: &RunFile| {
        file.fingerprints.iter().map(|(option, file)| (option.clone(), file.blake3.clone())).collect()
    };
    compare("versions", &texts(&was.versions), &texts(&is.versions), &mut found);
    compare("fingerprints", &texts(&hashes(was)), &texts(&hashes(is)), &mut found);
    found
}
