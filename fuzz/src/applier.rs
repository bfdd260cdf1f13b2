//! The applier: what is applied can be taken back, and its diff says exactly what it does.

use std::cell::LazyCell;

use arbitrary::{Arbitrary, Unstructured};
use patchwright_edits::formats::{EditFormat, read_edits};
use patchwright_edits::{Applied, Edit, EditRules, FileChange, Modification, Replacement, apply};
use patchwright_syntax::Project;
use tempfile::TempDir;

/// A file and a fix for it.
#[derive(Arbitrary, Debug)]
struct Input {
    content: Vec<u8>,
    python: bool,
    replacements: Vec<(String, String, bool, Option<u8>, bool)>,
    deletions: Vec<u8>,
    modifications: Vec<(u8, String)>,
}

thread_local! {
    static FOLDER: LazyCell<TempDir> = LazyCell::new(|| {
        let memory = std::path::Path::new("/dev/shm");
        let place = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        TempDir::new_in(place).expect("a folder")
    });
}

fn check(input: &Input, folder: &std::path::Path) {
    let name = if input.python { "a.py" } else { "a.txt" };
    let path = folder.join(name);
    std::fs::write(&path, &input.content).expect("a file");
    let project = Project::open(folder).expect("a project");
    let edit = Edit {
        file_path: name.to_owned(),
        deletions: input.deletions.iter().map(|line| u32::from(*line)).collect(),
        modifications: input
            .modifications
            .iter()
            .map(|(line, text)| Modification { line_number: u32::from(*line), modified_line: text.clone() })
            .collect(),
        replacements: input
            .replacements
            .iter()
            .map(|(search, replace, whole_lines, line, all)| Replacement {
                search: search.clone(),
                replace: replace.clone(),
                whole_lines: *whole_lines,
                line: line.map(u32::from),
                all: *all,
                ..Replacement::default()
            })
            .collect(),
        ..Edit::default()
    };
    if let Ok(applied) = apply(&project, &[edit], &EditRules::default()) {
        applied.write_to(folder, "").expect("it was just worked out");
        applied.revert(folder).expect("it was just written");
        assert_eq!(std::fs::read(&path).expect("a file"), input.content);
        let [change] = applied.files.as_slice() else { panic!("one file") };
        // A diff is text: in another encoding it says nothing of bytes.
        let is_text = |bytes: &Option<Vec<u8>>| {
            bytes.as_deref().is_some_and(|bytes| std::str::from_utf8(bytes).is_ok())
        };
        let mark = |bytes: &Option<Vec<u8>>| {
            bytes.as_deref().is_some_and(|bytes| bytes.starts_with("\u{feff}".as_bytes()))
        };
        // Nor can a byte order mark come or go by an edit of text.
        if !is_text(&change.before) || !is_text(&change.after) || mark(&change.before) != mark(&change.after)
        {
            return;
        }
        same_by_diff(&project, &applied, change.after.as_deref());
        let back = FileChange {
            path: change.path.clone(),
            before: change.after.clone(),
            after: change.before.clone(),
        };
        std::fs::write(&path, change.after.as_deref().expect("not deleted")).expect("a file");
        let back = Applied { files: vec![back], notes: Vec::new(), comment_only: false };
        same_by_diff(&project, &back, Some(&input.content));
    }
    let _ = std::fs::remove_file(&path);
}

/// The diff of a change, read and applied, gives the very bytes.
fn same_by_diff(project: &Project, applied: &Applied, after: Option<&[u8]>) {
    let diff = applied.diff();
    let reading = read_edits(&diff, Some(EditFormat::Diff)).unwrap_or_else(|error| panic!("{error}\n{diff}"));
    match apply(project, &reading.edits, &EditRules::default()) {
        Ok(again) => assert_eq!(again.files[0].after.as_deref(), after, "{diff}"),
        // The change back to a file that was broken before is refused, rightly.
        Err(patchwright_edits::EditError::SyntaxError { .. }) => {}
        Err(error) => panic!("{error}\n{diff}"),
    }
}

/// Reads a file and a fix for it out of the bytes, and applies it.
pub(super) fn applier(input: &[u8]) {
    if let Ok(input) = Input::arbitrary_take_rest(Unstructured::new(input)) {
        FOLDER.with(|folder| check(&input, folder.path()));
    }
}
