//! Properties of all fixes, over generated files and edits; git is the judge of the diffs.

use std::fs;
use std::path::Path;
use std::process::Command;

use patchwright_syntax::Project;
use proptest::prelude::*;

use super::{applied, change, folder};
use crate::{Applied, Edit, EditError, EditRules, Insertion, Modification, apply};

/// A line and how it ends, in files of all kinds.
fn content() -> impl Strategy<Value = Vec<u8>> {
    let line = prop::sample::select(vec![
        "",
        "a",
        "b",
        "c",
        "  a",
        "\tb",
        "// π",
        "caf\u{e9}",
        "\u{c}",
        "-- x",
        "+y",
        "@@ -1 +1 @@",
    ]);
    let end = prop::sample::select(vec!["\n", "\n", "\n", "\r\n"]);
    let mark = prop::sample::select(vec!["", "", "\u{feff}"]);
    (mark, prop::collection::vec((line, end), 0..14), any::<bool>(), any::<bool>()).prop_map(
        |(mark, lines, open, latin)| {
            let mut text: String = lines.iter().flat_map(|(line, end)| [*line, *end]).collect();
            if open {
                text = text.trim_end_matches(['\r', '\n']).to_owned();
            }
            if latin && !text.contains('π') {
                text.chars().map(|character| u8::try_from(character).unwrap()).collect()
            } else {
                format!("{mark}{text}").into_bytes()
            }
        },
    )
}

/// Edits with numbers that are yet to be fitted to a file.
fn edits() -> impl Strategy<Value = Edit> {
    let text = || {
        prop::sample::select(vec!["", "a", "new", "  a", "x\ny", "z\r\n", "\u{e9}"]).prop_map(str::to_owned)
    };
    let insertion = (1..14_u32, prop::collection::vec(text(), 1..4))
        .prop_map(|(line_number, new_lines)| Insertion { line_number, new_lines });
    let modification = (1..13_u32, text())
        .prop_map(|(line_number, modified_line)| Modification { line_number, modified_line });
    (
        prop::collection::vec(insertion, 0..3),
        prop::collection::vec(1..13_u32, 0..4),
        prop::collection::vec(modification, 0..3),
    )
        .prop_map(|(insertions, deletions, modifications)| Edit {
            file_path: "my dir/a.txt".to_owned(),
            insertions,
            deletions,
            modifications,
            ..Edit::default()
        })
}

/// The edit with numbers that the file has, and one text for each line.
fn fitted(mut edit: Edit, before: &[u8]) -> Edit {
    let count = u32::try_from(before.split_inclusive(|byte| *byte == b'\n').count()).unwrap();
    let count = if before == "\u{feff}".as_bytes() { 0 } else { count };
    edit.insertions.iter_mut().for_each(|one| one.line_number = (one.line_number - 1) % (count + 1) + 1);
    if count == 0 {
        edit.deletions.clear();
        edit.modifications.clear();
    }
    edit.deletions.iter_mut().for_each(|line| *line = (*line - 1) % count + 1);
    edit.modifications.iter_mut().for_each(|one| one.line_number = (one.line_number - 1) % count + 1);
    edit.modifications.sort_by_key(|one| one.line_number);
    edit.modifications.dedup_by_key(|one| one.line_number);
    edit
}

/// What the edit makes of the file; `None` if that is nothing new.
fn made(root: &Path, edit: &Edit) -> Option<Applied> {
    match apply(&Project::open(root).unwrap(), std::slice::from_ref(edit), &EditRules::default()) {
        Ok(applied) => Some(applied),
        Err(EditError::NoChange) => None,
        Err(error) => panic!("{error}"),
    }
}

fn git(root: &Path, arguments: &[&str], patch: &[u8]) -> Result<(), String> {
    let file = root.join("the.patch");
    fs::write(&file, patch).unwrap();
    let output = Command::new("git")
        .args(["-c", "core.autocrlf=false", "apply", "--whitespace=nowarn"])
        .args(arguments)
        .arg("the.patch")
        .env("GIT_CEILING_DIRECTORIES", root.parent().unwrap())
        .current_dir(root)
        .output()
        .unwrap();
    fs::remove_file(file).unwrap();
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    /// `git apply` makes of the file what the edits make of it, and takes it back; so do we.
    #[test]
    fn git_applies_and_takes_back_every_diff(before in content(), edit in edits()) {
        let root = folder(&[("my dir/a.txt", &before)]);
        let file = root.path().join("my dir/a.txt");
        let Some(applied) = made(root.path(), &fitted(edit, &before)) else { return Ok(()) };
        let after = applied.files[0].after.clone().unwrap();
        let diff = applied.diff_bytes();
        git(root.path(), &[], &diff).map_err(TestCaseError::fail)?;
        prop_assert_eq!(fs::read(&file).unwrap(), &after[..]);
        git(root.path(), &["-R"], &diff).map_err(TestCaseError::fail)?;
        prop_assert_eq!(fs::read(&file).unwrap(), &before[..]);
        applied.write_to(root.path(), "").unwrap();
        prop_assert_eq!(fs::read(&file).unwrap(), &after[..]);
        applied.revert(root.path()).unwrap();
        prop_assert_eq!(fs::read(&file).unwrap(), &before[..]);
    }

    /// Files that come and go, with any content.
    #[test]
    fn git_creates_and_deletes_files(content in content()) {
        let root = folder(&[]);
        let created = applied(vec![change("n/new \"1\".txt", None, Some(&content))]);
        let file = root.path().join("n/new \"1\".txt");
        git(root.path(), &[], &created.diff_bytes()).map_err(TestCaseError::fail)?;
        prop_assert_eq!(fs::read(&file).unwrap(), &content[..]);
        let deleted = applied(vec![change("n/new \"1\".txt", Some(&content), None)]);
        git(root.path(), &[], &deleted.diff_bytes()).map_err(TestCaseError::fail)?;
        prop_assert!(!file.exists());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    /// Lines that no edit names are there afterwards, in order, byte for byte.
    #[test]
    fn lines_that_no_edit_names_stay(before in content(), edit in edits()) {
        let root = folder(&[("my dir/a.txt", &before)]);
        let edit = fitted(edit, &before);
        let Some(applied) = made(root.path(), &edit) else { return Ok(()) };
        let named = |line: u32| edit.deletions.contains(&line) || edit.modifications.iter().any(|one| one.line_number == line);
        let after = applied.files[0].after.clone().unwrap();
        let mark = "\u{feff}".as_bytes();
        let lines = |bytes: &[u8]| -> Vec<Vec<u8>> {
            let bytes = bytes.strip_prefix(mark).unwrap_or(bytes);
            bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
        };
        let after = lines(&after);
        let mut rest = after.iter();
        for (index, line) in lines(&before).iter().enumerate() {
            if !named(u32::try_from(index + 1).unwrap()) {
                // Only an open last line changes, by a newline, where lines are added behind it.
                let same = |found: &Vec<u8>| found == line || (!line.ends_with(b"\n") && found.starts_with(line));
                prop_assert!(rest.any(same), "line {} is lost", index + 1);
            }
        }
        prop_assert_eq!(before.starts_with(mark), applied.files[0].after.as_ref().unwrap().starts_with(mark));
    }

    /// No text, however damaged, makes reading it fail, and its normal form does not depend on line ends.
    #[test]
    fn any_text_has_a_normal_form(text in "[a-z(){};:#'\"/*\\\\ \\n\\t=+é]{0,80}") {
        for language in patchwright_syntax::Language::all() {
            let windows = text.replace('\n', "\r\n");
            let forms = [&text, &windows].map(|text| patchwright_syntax::normal_form(Some(language), text.as_bytes()));
            let errors = [&text, &windows].map(|text| patchwright_syntax::syntax_errors(language, text));
            if errors.iter().all(Vec::is_empty) {
                prop_assert_eq!(&forms[0], &forms[1]);
            }
        }
    }
}
