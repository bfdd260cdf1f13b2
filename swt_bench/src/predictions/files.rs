//! The files of a diff: which it adds, which lose lines, and which are no tests.

use patchwright_edits::diff::{FilePatch, Mark, Patch};
use patchwright_swe_bench::is_test;

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

/// The lines that a diff adds to tests or takes from them, in its order, with their signs: hunks that were worked out have others around
/// them, other numbers and other blanks.
pub(crate) fn changes_of_tests(diff: &str) -> Vec<String> {
    let mut is_of_test = false;
    let mut changed = Vec::new();
    for line in diff.lines() {
        if let Some(path) = line.strip_prefix("+++ ").or_else(|| line.strip_prefix("--- ")) {
            let path = path.split('\t').next().unwrap_or_default();
            is_of_test = is_test(path.get(2..).unwrap_or_default()) || (is_of_test && path == "/dev/null");
        } else if is_of_test && line.starts_with(['+', '-']) {
            let words: Vec<&str> = line[1..].split_whitespace().collect();
            changed.extend((!words.is_empty()).then(|| format!("{}{}", &line[..1], words.join(" "))));
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_the_same_wherever_their_hunks_stand() {
        let head = "--- a/tests/test_a.py\n+++ b/tests/test_a.py\n";
        let given = format!(
            "{head}@@ -9,4 +9,9 @@\n x = 1 \n-y = 2\n+y  = 3\n--- a/shop.py\n+++ b/shop.py\n@@ -1 +1 @@\n-z\n+Z\n"
        );
        let made = format!("{head}@@ -11,3 +11,3 @@\n x = 1\n-y = 2\n+y = 3\n");
        assert_eq!(changes_of_tests(&given), ["-y = 2", "+y = 3"]);
        assert_eq!(changes_of_tests(&given), changes_of_tests(&made));
        let new = "--- /dev/null\n+++ b/tests/test_b.py\n@@ -0,0 +1 @@\n+b\n";
        assert_eq!(changes_of_tests(new), ["+b"]);
        let gone = "--- a/tests/test_b.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n";
        assert_eq!(changes_of_tests(gone), ["-b"]);
    }
}
