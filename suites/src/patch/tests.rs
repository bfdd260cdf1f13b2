#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::*;

fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    folder
}

fn patch(text: &[u8]) -> Patch {
    Patch::parse(text).unwrap()
}

#[track_caller]
fn check(before: &[u8], diff: &[u8], after: &[u8]) {
    let folder = folder(&[("src/a", before)]);
    let there = || fs::read(folder.path().join("src/a")).unwrap();
    apply(&patch(diff), folder.path()).unwrap();
    assert_eq!(String::from_utf8_lossy(&there()), String::from_utf8_lossy(after));
    // Back again, through its text: so truths travel.
    let back = patch(patch(diff).reversed().text().as_bytes());
    apply(&back, folder.path()).unwrap();
    assert_eq!(there(), before, "{}", back.text());
}

#[test]
fn hunks_fit_where_their_lines_stand() {
    check(b"1\n2\n3\n", b"--- a/src/a\n+++ b/src/a\n@@ -1,3 +1,3 @@\n 1\n-2\n+zwei\n 3\n", b"1\nzwei\n3\n");
    // The lines have moved; of two places the nearer one counts.
    check(
        b"x\n2\nx\nx\nx\n2\ny\n",
        b"--- src/a\n+++ src/a\n@@ -5 +5 @@\n-2\n+zwei\n",
        b"x\n2\nx\nx\nx\nzwei\ny\n",
    );
    check(
        b"1\n2",
        b"--- a/src/a\n+++ b/src/a\n@@ -2 +2 @@\n-2\n\\ No newline at end of file\n+2\n",
        b"1\n2\n",
    );
    check(b"1\n", b"--- a/src/a\n+++ b/src/a\n@@ -1,0 +2 @@\n+2\n", b"1\n2\n");
    check(b"1\n2\n", b"--- a/src/a\n+++ b/src/a\n@@ -1,2 +1 @@\n 1\n-2", b"1\n");
    check(b"1\r\n2\r\n", b"--- a/src/a\n+++ b/src/a\n@@ -1 +1 @@\n-1\r\n+x\r\n", b"x\r\n2\r\n");
    check(b"1\n\n3\n", b"--- a/src/a\n+++ b/src/a\n@@ -1,3 +1,3 @@\n 1\n\n-3\n+4\n", b"1\n\n4\n");
}

#[test]
fn names_have_the_parts_that_their_tool_writes() {
    let diff = |name: &str| format!("Index: src/a\n=====\n--- {name}\n+++ {name}\n@@ -1 +1 @@\n-1\n+2\n");
    for name in ["a/src/a", "src/a", "src/a\t(revision 7)", "src/a (revision 7)", "a/Old/src/a"] {
        check(b"1\n", diff(name).as_bytes(), b"2\n");
    }
}

#[test]
fn encodings_are_kept_and_met() {
    let diff = b"--- a/src/a\n+++ b/src/a\n@@ -1,2 +1,2 @@\n // caf\xe9\n-1\n+// \xfcber\n";
    check(b"// caf\xe9\n1\n", diff, b"// caf\xe9\n// \xfcber\n");
    // The file was converted after the diff was made, and the other way around.
    check("// café\n1\n".as_bytes(), diff, "// café\n// über\n".as_bytes());
    check(b"// caf\xe9\n1\n", patch(diff).text().as_bytes(), b"// caf\xe9\n// \xfcber\n");
    let refused = patch("--- a/src/a\n+++ b/src/a\n@@ -1 +1,2 @@\n // café\n+// π\n".as_bytes());
    let folder = folder(&[("src/a", b"// caf\xe9\n")]);
    assert_eq!(apply(&refused, folder.path()), Err(PatchError::Encoding("src/a".to_owned())));
}

#[test]
fn files_come_go_and_move() {
    let folder = folder(&[("gone", b"x\n"), ("old", b"1\n"), ("empty", b""), ("mode", b"m")]);
    let diff = concat!(
        "From: somebody\n\n",
        "diff --git a/new b/new\nnew file mode 100644\nindex 0..1\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+n\n",
        "diff --git a/void b/void\nnew file mode 100644\nindex 0..1\n",
        "diff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n",
        "diff --git a/old b/moved\nsimilarity index 90%\nrename from old\nrename to moved\n--- a/old\n+++ b/moved\n@@ -1 +1 @@\n-1\n+2\n",
        "diff --git a/mode b/mode\nold mode 100644\nnew mode 100755\n",
        "-- \n2.40\n",
    );
    let names = |folder: &Path| {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    apply(&patch(diff.as_bytes()), folder.path()).unwrap();
    assert_eq!(names(folder.path()), ["empty", "mode", "moved", "new", "void"]);
    assert_eq!(fs::read(folder.path().join("moved")).unwrap(), b"2\n");
    let back = patch(patch(diff.as_bytes()).reversed().text().as_bytes());
    apply(&back, folder.path()).unwrap();
    assert_eq!(names(folder.path()), ["empty", "gone", "mode", "old"]);
}

fn content(folder: &Path, name: &str) -> Option<String> {
    fs::read_to_string(folder.join(name)).ok()
}

#[test]
fn names_in_quotes_are_read_and_written() {
    let folder = folder(&[("src/café 1.txt", b"1\n"), ("src/\"x\".txt", b"x\n")]);
    let diff = concat!(
        "diff --git \"a/src/caf\\303\\251 1.txt\" \"b/src/caf\\303\\251 1.txt\"\nindex 1..2 100644\n",
        "--- \"a/src/caf\\303\\251 1.txt\"\t\n+++ \"b/src/caf\\303\\251 1.txt\"\t\n@@ -1 +1 @@\n-1\n+2\n",
        "diff --git \"a/src/\\\"x\\\".txt\" b/src/y.txt\nsimilarity index 100%\n",
        "rename from \"src/\\\"x\\\".txt\"\nrename to src/y.txt\n",
    );
    apply(&patch(diff.as_bytes()), folder.path()).unwrap();
    assert_eq!(content(folder.path(), "src/café 1.txt").as_deref(), Some("2\n"));
    assert_eq!(content(folder.path(), "src/y.txt").as_deref(), Some("x\n"));
    assert_eq!(content(folder.path(), "src/\"x\".txt"), None);
    let back = patch(patch(diff.as_bytes()).reversed().text().as_bytes());
    apply(&back, folder.path()).unwrap();
    assert_eq!(content(folder.path(), "src/café 1.txt").as_deref(), Some("1\n"));
    assert_eq!(content(folder.path(), "src/\"x\".txt").as_deref(), Some("x\n"));
}

#[test]
fn copies_leave_what_they_are_made_of() {
    let folder = folder(&[("src/a", b"1\n2\n")]);
    let diff = concat!(
        "diff --git a/src/a b/src/b\nsimilarity index 50%\ncopy from src/a\ncopy to src/b\n",
        "--- a/src/a\n+++ b/src/b\n@@ -1,2 +1,2 @@\n-1\n+x\n 2\n",
        "diff --git a/src/a b/src/c\nsimilarity index 100%\ncopy from src/a\ncopy to src/c\n",
    );
    let copied = patch(patch(diff.as_bytes()).text().as_bytes());
    apply(&copied, folder.path()).unwrap();
    let all = || ["src/a", "src/b", "src/c"].map(|name| content(folder.path(), name));
    assert_eq!(all(), [Some("1\n2\n"), Some("x\n2\n"), Some("1\n2\n")].map(|text| text.map(str::to_owned)));
    apply(&patch(copied.reversed().text().as_bytes()), folder.path()).unwrap();
    assert_eq!(all(), [Some("1\n2\n".to_owned()), None, None]);
}

#[test]
fn what_does_not_fit_changes_nothing_and_says_why() {
    let check = |diff: &str, expect: PatchError| {
        let folder = folder(&[("src/a", b"1\n"), ("src/b", b"1\n")]);
        assert_eq!(apply(&patch(diff.as_bytes()), folder.path()), Err(expect));
        assert_eq!(fs::read(folder.path().join("src/a")).unwrap(), b"1\n");
    };
    let fits = "--- a/src/a\n+++ b/src/a\n@@ -1 +1 @@\n-1\n+2\n";
    check(
        &format!("{fits}--- a/src/b\n+++ b/src/b\n@@ -7 +7 @@\n-2\n+3\n"),
        PatchError::Hunk { file: "src/b".to_owned(), line: 7 },
    );
    check("--- a/src/c\n+++ b/src/c\n@@ -1 +1 @@\n-1\n+2\n", PatchError::Missing("src/c".to_owned()));
    check("--- /dev/null\n+++ b/src/b\n@@ -0,0 +1 @@\n+2\n", PatchError::Exists("src/b".to_owned()));
    check("--- a/../x\n+++ b/../x\n@@ -1 +1 @@\n-1\n+2\n", PatchError::Name("a/../x".to_owned()));
    let binary = "diff --git a/src/b b/src/b\nindex 1..2\nBinary files a/src/b and b/src/b differ\n";
    check(&format!("{fits}{binary}"), PatchError::Binary("b/src/b".to_owned()));
}

#[test]
fn links_lead_nowhere() {
    let folder = folder(&[("in/b", b"1\n")]);
    let outside = self::folder(&[("a", b"1\n")]);
    std::os::unix::fs::symlink(outside.path().join("a"), folder.path().join("in/a")).unwrap();
    let diff = patch(b"--- a/in/a\n+++ b/in/a\n@@ -1 +1 @@\n-1\n+2\n");
    assert_eq!(apply(&diff, folder.path()), Err(PatchError::Name("in/a".to_owned())));
}
