//! Unified diffs in git's form.

use std::fmt::Write as _;

use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices, group_diff_ops};

use crate::path::ProjectPath;

/// Unchanged lines shown around a change.
const CONTEXT: usize = 3;

/// The diff of one file, empty if nothing differs. `None` is a file that does not exist.
pub(crate) fn unified(path: &ProjectPath, before: Option<&[u8]>, after: Option<&[u8]>) -> Vec<u8> {
    if before == after {
        return Vec::new();
    }
    let old = lines_of(before.unwrap_or_default());
    let new = lines_of(after.unwrap_or_default());
    let (old_name, new_name) = (name("a/", path), name("b/", path));
    let mut head = format!("diff --git {old_name} {new_name}\n");
    match (before, after) {
        (None, _) => head.push_str("new file mode 100644\n"),
        (_, None) => head.push_str("deleted file mode 100644\n"),
        (Some(_), Some(_)) => {}
    }
    if old.is_empty() && new.is_empty() {
        return head.into_bytes();
    }
    // git ends a name at a tab; without one it would end at the first blank.
    let tab = if path.as_str().contains(' ') { "\t" } else { "" };
    let shown = |name: String, exists: bool| if exists { name + tab } else { "/dev/null".to_owned() };
    let _ = writeln!(head, "--- {}", shown(old_name, before.is_some()));
    let _ = writeln!(head, "+++ {}", shown(new_name, after.is_some()));
    let mut diff = head.into_bytes();
    for hunk in group_diff_ops(capture_diff_slices(Algorithm::Myers, &old, &new), CONTEXT) {
        write_hunk(&mut diff, &hunk, &old, &new);
    }
    diff
}

fn write_hunk(diff: &mut Vec<u8>, hunk: &[DiffOp], old: &[&[u8]], new: &[&[u8]]) {
    let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else { return };
    let old_range = range(first.old_range().start, last.old_range().end);
    let new_range = range(first.new_range().start, last.new_range().end);
    diff.extend_from_slice(format!("@@ -{old_range} +{new_range} @@\n").as_bytes());
    for operation in hunk {
        let removed = &old[operation.old_range()];
        let added = &new[operation.new_range()];
        match operation.tag() {
            DiffTag::Equal => write_lines(diff, b' ', removed),
            DiffTag::Delete | DiffTag::Insert | DiffTag::Replace => {
                write_lines(diff, b'-', removed);
                write_lines(diff, b'+', added);
            }
        }
    }
}

fn write_lines(diff: &mut Vec<u8>, mark: u8, lines: &[&[u8]]) {
    for line in lines {
        diff.push(mark);
        diff.extend_from_slice(line);
        if !line.ends_with(b"\n") {
            diff.extend_from_slice(b"\n\\ No newline at end of file\n");
        }
    }
}

/// Lines `start..end`, counted from 0, as a hunk's head names them: counted from 1, an empty range by the line before.
fn range(start: usize, end: usize) -> String {
    match end - start {
        0 => format!("{start},0"),
        1 => format!("{}", start + 1),
        count => format!("{},{count}", start + 1),
    }
}

/// The lines of a text, each with its end.
pub(crate) fn lines_of(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n').collect()
}

/// A file's name in a diff; quoted as in C where it holds characters that would be misread.
fn name(prefix: &str, path: &ProjectPath) -> String {
    let path = path.as_str();
    if !path.contains(|character: char| character.is_control() || character == '"' || character == '\\') {
        return format!("{prefix}{path}");
    }
    let mut quoted = format!("\"{prefix}");
    for character in path.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            _ if character.is_ascii_control() => {
                let _ = write!(quoted, "\\{:03o}", u32::from(character));
            }
            _ => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    fn check(path: &str, before: Option<&str>, after: Option<&str>, expect: &str) {
        let path = ProjectPath::new(path).unwrap();
        let diff = unified(&path, before.map(str::as_bytes), after.map(str::as_bytes));
        assert_eq!(String::from_utf8(diff).unwrap(), expect);
    }

    #[test]
    fn changes_are_shown_with_three_lines_around() {
        check(
            "src/a.txt",
            Some("1\n2\n3\n4\n5\n6\n7\n8\n9\n"),
            Some("1\n2\n3\n4\nfive\n6\n7\n8\n9\n"),
            "diff --git a/src/a.txt b/src/a.txt
--- a/src/a.txt
+++ b/src/a.txt
@@ -2,7 +2,7 @@
 2
 3
 4
-5
+five
 6
 7
 8
",
        );
    }

    #[test]
    fn distant_changes_make_hunks_of_their_own() {
        let before = (1..=20).map(|number| number.to_string() + "\n").collect::<String>();
        let after = before.replace("1\n2\n", "2\n").replace("19\n20\n", "19\n20\n21\n");
        check(
            "a",
            Some(&before),
            Some(&after),
            "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,4 +1,3 @@\n-1\n 2\n 3\n 4\n@@ -18,3 +17,4 @@\n 18\n 19\n 20\n+21\n",
        );
    }

    #[test]
    fn a_missing_newline_at_the_end_is_marked() {
        check(
            "a",
            Some("x\ny"),
            Some("x\ny\n"),
            "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n x\n-y\n\\ No newline at end of file\n+y\n",
        );
        check(
            "a",
            Some("x\ny"),
            Some("z\ny"),
            "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-x\n+z\n y\n\\ No newline at end of file\n",
        );
    }

    #[test]
    fn files_may_come_and_go_and_be_emptied() {
        check(
            "a",
            None,
            Some("x\n"),
            "diff --git a/a b/a\nnew file mode 100644\n--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+x\n",
        );
        check(
            "a",
            Some("x\n"),
            None,
            "diff --git a/a b/a\ndeleted file mode 100644\n--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n",
        );
        check("a", Some("x\n"), Some(""), "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +0,0 @@\n-x\n");
        check("a", None, Some(""), "diff --git a/a b/a\nnew file mode 100644\n");
        check("a", Some("x"), Some("x"), "");
    }

    #[test]
    fn names_are_written_so_that_git_reads_them() {
        let body = "@@ -1 +1 @@\n-x\n+y\n";
        let check = |path: &str, head: &str| check(path, Some("x\n"), Some("y\n"), &format!("{head}{body}"));
        check("my dir/a b", "diff --git a/my dir/a b b/my dir/a b\n--- a/my dir/a b\t\n+++ b/my dir/a b\t\n");
        check("naïve", "diff --git a/naïve b/naïve\n--- a/naïve\n+++ b/naïve\n");
        check(
            "a\"b\\",
            "diff --git \"a/a\\\"b\\\\\" \"b/a\\\"b\\\\\"\n--- \"a/a\\\"b\\\\\"\n+++ \"b/a\\\"b\\\\\"\n",
        );
    }
}
