//! The recoverer on recorded replies: the folder that PATCHWRIGHT_CORPUS names. Without it these tests are skipped.

use std::path::PathBuf;

use patchwright_replies::{EntryCount, entries, recover};
use serde_json::Value;

use crate::judge::{is_corrupted, is_cut};

/// The texts of a folder of the corpus, with their names.
fn texts(folder: &str) -> Option<Vec<(String, String)>> {
    let Some(root) = std::env::var_os("PATCHWRIGHT_CORPUS") else {
        println!("skipped: PATCHWRIGHT_CORPUS is not set");
        return None;
    };
    let folder = PathBuf::from(root).join("repairagent").join(folder);
    let mut files: Vec<PathBuf> = folder
        .read_dir()
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|file| file.unwrap().path())
        .collect();
    files.sort();
    Some(
        files
            .into_iter()
            .map(|file| {
                let bytes = std::fs::read(&file).unwrap();
                (file.display().to_string(), String::from_utf8_lossy(&bytes).into_owned())
            })
            .collect(),
    )
}

#[test]
fn of_recorded_replies_nearly_all_entries_are_recovered_and_none_is_cut_or_lost_in_silence() {
    let Some(texts) = texts("raw_replies") else { return };
    let mut total = EntryCount::default();
    let mut corrupted = 0;
    for (name, text) in &texts {
        let values = recover(text);
        let count = EntryCount::new(text, &values);
        assert_eq!(count.recovered + count.damaged, count.attempted, "{name}: {count:?}");
        total.attempted += count.attempted;
        total.recovered += count.recovered;
        total.damaged += count.damaged;
        for value in &values {
            for entry in entries(value).iter().filter(|entry| !entry.damaged) {
                assert!(!is_cut(entry.members, text, value.span.clone()), "{name}: {:?}", entry.members);
                corrupted += usize::from(is_corrupted(entry.members));
            }
        }
    }
    println!("{total:?}, {corrupted} corrupted");
    assert!(total.recovered * 100 >= total.attempted * 97, "{total:?}");
    assert!(corrupted * 1000 < total.recovered * 3, "{corrupted} of {}", total.recovered);
}

#[test]
fn recorded_replies_that_end_anywhere_are_read() {
    let Some(texts) = texts("raw_replies") else { return };
    for (index, (_, text)) in texts.iter().enumerate() {
        for part in 0..4 {
            let end = text
                .floor_char_boundary((text.len() * (part * 61 + index * 7 + 3)) / 256 % text.len().max(1));
            recover(&text[..end]);
        }
    }
}

#[test]
fn all_recorded_fixes_are_read() {
    let Some(texts) = texts("fixes") else { return };
    for (name, text) in &texts {
        let values = recover(text);
        assert_eq!(values.len(), text.matches("###Fix:").count(), "{name}");
        for value in &values {
            assert!(value.damage.is_empty(), "{name}: {:?}", value.damage);
            assert!(matches!(value.value, Value::Array(_) | Value::Object(_)));
        }
        let count = EntryCount::new(text, &values);
        assert_eq!(count.attempted, count.recovered, "{name}");
    }
}
