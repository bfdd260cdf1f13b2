//! The files of a diff: which it adds, which lose lines, and which are no tests.

use patchwright_edits::diff::{FilePatch, Mark, Patch};

use super::touches_tests_only;

/// The files that a diff adds.
pub(crate) fn added_files(diff: &str) -> Vec<String> {
    let files = Patch::readable(diff.as_bytes()).files;
    let added = files.iter().filter(|file| file.old_path().is_none());
    added.filter_map(FilePatch::new_path).map(str::to_owned).collect()
}

/// The files of an exact diff that were there and lose lines, with the number of these: what they checked is not run any more. Lines that the
/// diff adds again, perhaps elsewhere, are not lost.
pub(crate) fn lost_lines(diff: &str) -> Vec<(String, usize)> {
    let files = Patch::readable(diff.as_bytes()).files;
    let lost = |file: &FilePatch| {
        let lines = |mark: Mark| -> Vec<String> {
            let lines = file.hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.mark == mark);
            let texts = lines.map(|line| String::from_utf8_lossy(&line.bytes).trim().to_owned());
            texts.filter(|text| !text.is_empty()).collect()
        };
        let added = lines(Mark::Added);
        let lost = lines(Mark::Removed).iter().filter(|text| !added.contains(text)).count();
        (lost > 0).then(|| Some((file.old_path()?.to_owned(), lost))).flatten()
    };
    files.iter().filter_map(lost).collect()
}

/// The files of an exact diff that are no tests; officially they are applied too.
pub(crate) fn production_files(diff: &str) -> Vec<String> {
    let files = Patch::readable(diff.as_bytes()).files;
    let others = files.iter().filter(|file| !touches_tests_only(file));
    others.filter_map(|file| file.new_path().or_else(|| file.old_path())).map(str::to_owned).collect()
}
