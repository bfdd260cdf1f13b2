//! The diffs of the program's own changes.

use patchwright_syntax::ProjectPath;

use crate::diff::unified;

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
