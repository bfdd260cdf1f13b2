#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod between;
mod git;
mod histories;
mod written;

use super::*;

fn patch(text: &str) -> Patch {
    Patch::parse(text.as_bytes()).unwrap()
}

#[test]
fn damage_is_named_by_its_line() {
    let check = |diff: &str, line: usize, problem: &str| {
        let error = Patch::parse(diff.as_bytes()).unwrap_err();
        assert_eq!((error.line, error.problem), (line, problem));
    };
    let head = "--- a/x\n+++ b/x\n";
    check(&format!("{head}@@ -1,2 +1 @@\n-1\n"), 5, "the hunk has fewer lines than it says");
    check(&format!("{head}@@ -1,2 +1 @@\n-1\n?\n"), 5, "this is no line of a hunk");
    check(&format!("{head}@@ -1 +1 @@\n-1\n-1\n"), 5, "the hunk has other lines than it says");
    check(&format!("{head}@@ -1,x +1 @@\n-1\n"), 3, "the numbers of the hunk cannot be read");
    check("--- \"a/x\n+++ \"b/x\"\n@@ -1 +1 @@\n-1\n+1\n", 1, "the quotes of the name do not end");
    check("diff --git \"a/x\nx\n", 1, "the names of the file cannot be told apart");
    check("diff --git a/x b/y\nrename from \"x\n", 2, "the quotes of the name do not end");
    let merge = "diff --cc x\nindex 1,2..3\n--- a/x\n+++ b/x\n@@@ -1,1 -1,1 +1,1 @@@\n--a\n++b\n";
    check(merge, 1, "a merge is compared with all its parents; make a diff with one of them");
    assert!(patch("").is_empty());
    assert!(patch("nothing\n--- here\n").is_empty());
}

#[test]
fn of_a_damaged_diff_the_rest_is_readable() {
    let found = Patch::readable(
        b"--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n-a\n@@ -20 +20 @@\n-b\n+c\n--- a/y\n+++ b/y\n@@ -1,2 +1 @@\n-d",
    );
    let lines = |file: &FilePatch| -> Vec<u32> {
        file.hunks.iter().flat_map(Hunk::changes).map(|change| change.old_line).collect()
    };
    let found: Vec<(Option<&str>, Vec<u32>)> =
        found.files.iter().map(|file| (file.old_path(), lines(file))).collect();
    assert_eq!(found, [(Some("x"), vec![1, 20]), (Some("y"), vec![1])]);
}

#[test]
fn a_diff_names_its_files_before_and_after() {
    let check = |diff: &str, expect: &[(&str, &str)]| {
        let patch = patch(diff);
        let path = |path: Option<&str>| path.unwrap_or_default().to_owned();
        let found: Vec<(String, String)> =
            patch.files.iter().map(|file| (path(file.old_path()), path(file.new_path()))).collect();
        let found: Vec<(&str, &str)> = found.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        assert_eq!(found, expect, "{diff}");
    };
    check("diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n", &[("x.py", "x.py")]);
    check(
        "diff --git a/n.py b/n.py\nnew file mode 100644\n--- /dev/null\n+++ b/n.py\n@@ -0,0 +1 @@\n+b\n",
        &[("", "n.py")],
    );
    check("diff --git a/e.py b/e.py\nnew file mode 100644\nindex 0000000..e69de29\n", &[("", "e.py")]);
    check(
        "diff --git a/d.py b/d.py\ndeleted file mode 100644\n--- a/d.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n",
        &[("d.py", "")],
    );
    let renamed = "similarity index 100%\nrename from o.py\nrename to n n.py\n";
    for names in ["a/o.py b/n n.py", "o.py n n.py", "b/o.py a/n n.py"] {
        check(&format!("diff --git {names}\n{renamed}"), &[("o.py", "n n.py")]);
    }
    let differ = "Binary files a/a b.py and b/a b.py differ\n";
    check(&format!("diff --git a/a b.py b/a b.py\n{differ}"), &[("a b.py", "a b.py")]);
    // A plain diff has no line of git above.
    let one = "--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n";
    let other = "Index: y.py\n--- y.py\t(revision 7)\n+++ y.py (working copy)\n@@ -1 +1 @@\n-a\n+b\n";
    check(&format!("{one}{other}{differ}"), &[("x.py", "x.py"), ("y.py", "y.py"), ("a b.py", "a b.py")]);
    // A removed line that begins with `-- ` is no name.
    check("--- a/x.sql\n+++ b/x.sql\n@@ -1,2 +1 @@\n--- a comment\n kept\n", &[("x.sql", "x.sql")]);
    check("--- b/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n", &[("b/x.py", "b/x.py")]);
    check("", &[]);
}

#[test]
fn changes_have_the_numbers_of_the_lines_before() {
    let patch = patch("--- a/x\n+++ b/x\n@@ -3,3 +3,4 @@\n a\n-b\n+c\n d\n+e\n@@ -9,0 +11 @@\n+f\n");
    let found: Vec<(u32, usize, usize)> = patch.files[0]
        .hunks
        .iter()
        .flat_map(Hunk::changes)
        .map(|change| (change.old_line, change.removed.len(), change.added.len()))
        .collect();
    assert_eq!(found, [(4, 1, 1), (6, 0, 1), (10, 0, 1)]);
}

#[test]
fn a_checkout_on_windows_is_taken_back() {
    let diff = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n";
    assert_eq!(patch(&diff.replace('\n', "\r\n")), patch(diff));
    let kept = patch("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\r\n+b\r\n");
    assert_eq!(kept.files[0].hunks[0].lines[0].bytes, b"a\r\n");
}
