//! Fixes as a whole: from the JSON of a model to files on disk and back, and what git says of the diffs.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;
use std::path::Path;
use std::process::Command;

use proptest::prelude::*;
use tempfile::TempDir;

use crate::{
    Applied, Edit, EditError, EditRules, FileChange, Insertion, Modification, Project, ProjectPath, Rule,
    WriteError, apply,
};

/// A folder with these files.
fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, content) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    folder
}

fn apply_json(root: &Path, json: &str, rules: &EditRules) -> Result<Applied, EditError> {
    apply(&Project::open(root).unwrap(), &serde_json::from_str::<Vec<Edit>>(json).unwrap(), rules)
}

const JAVA: &[u8] = b"package p;\n\nclass A {\n  int half(int x) {\n    return x / 3;\n  }\n}\n";
const PYTHON: &[u8] = b"def half(x):\n    \"\"\"Half of x.\"\"\"\n    return x / 3\n";

fn sample() -> TempDir {
    folder(&[
        ("src/p/A.java", JAVA),
        ("lib/half.py", PYTHON),
        ("lib/test_half.py", b"assert half(4) == 2\n"),
        ("notes.txt", b"one\ntwo\n"),
        ("image.png", b"\x89PNG\0\0"),
    ])
}

#[test]
fn a_fix_of_several_files_is_worked_out_without_writing() {
    let root = sample();
    let json = r#"[
        {"file_path": "src/p/A.java", "modifications": [{"line_number": 5, "modified_line": "    return x / 2;"}]},
        {"file_path": "lib/half.py", "deletions": [3], "insertions": [{"line_number": 3, "new_lines": ["    return x / 2"]}]}
    ]"#;
    let applied = apply_json(root.path(), json, &EditRules::default()).unwrap();
    assert_eq!(
        applied.diff(),
        "diff --git a/lib/half.py b/lib/half.py
--- a/lib/half.py
+++ b/lib/half.py
@@ -1,3 +1,3 @@
 def half(x):
     \"\"\"Half of x.\"\"\"
-    return x / 3
+    return x / 2
diff --git a/src/p/A.java b/src/p/A.java
--- a/src/p/A.java
+++ b/src/p/A.java
@@ -2,6 +2,6 @@
 
 class A {
   int half(int x) {
-    return x / 3;
+    return x / 2;
   }
 }
"
    );
    assert!(applied.notes.is_empty() && !applied.comment_only);
    assert_eq!(fs::read(root.path().join("src/p/A.java")).unwrap(), JAVA);
}

#[test]
fn notes_say_what_was_done_differently() {
    fn check(json: &str, expect: &[&str]) {
        let applied = apply_json(sample().path(), json, &EditRules::default()).unwrap();
        assert_eq!(applied.notes, expect, "{json}");
    }
    check(
        r#"[{"file_path": "p.A", "deletions": [5], "modifications": [{"line_number": 5, "modified_line": "    return 1;"}]}]"#,
        &[
            "`p.A` was read as `src/p/A.java`",
            "line 5 of `src/p/A.java` is both deleted and modified; it was modified",
        ],
    );
    check(
        r#"[{"file_path": "notes.txt", "deletions": [1]}, {"file_path": "nowhere"},
            {"file_path": "src/p/A.java", "modifications": [{"line_number": 1, "modified_line": "package p;"}]}]"#,
        &["`src/p/A.java` stays as it is: the edits of it change nothing"],
    );
}

#[test]
fn edits_of_one_file_under_two_names_are_merged() {
    let root = sample();
    let json = r#"[
        {"file_path": "A.java", "deletions": [2]},
        {"file_path": "src/p/A.java", "modifications": [{"line_number": 5, "modified_line": "    return x >> 1;"}]}
    ]"#;
    let applied = apply_json(root.path(), json, &EditRules::default()).unwrap();
    assert_eq!(applied.files.len(), 1);
    let after = "package p;\nclass A {\n  int half(int x) {\n    return x >> 1;\n  }\n}\n";
    assert_eq!(applied.files[0].after.as_deref(), Some(after.as_bytes()));
}

#[test]
fn a_fix_that_must_not_be_is_refused_with_a_reason() {
    let root = sample();
    let outside = folder(&[("secret.txt", b"x\n")]);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(outside.path(), root.path().join("link")).unwrap();
        std::os::unix::fs::symlink(outside.path().join("secret.txt"), root.path().join("secret.txt"))
            .unwrap();
    }
    let rule = |glob: &str, reason: &str| Rule { glob: glob.to_owned(), reason: reason.to_owned() };
    let rules = EditRules {
        forbidden: vec![rule("**/test_*.py", "it is a test"), rule("*.xml", "it is a build file")],
    };
    let check = |json: &str, expect: &str| {
        let message = apply_json(root.path(), json, &rules).unwrap_err().to_string();
        assert_eq!(message, expect, "{json}");
    };
    let nothing = "the fix changes nothing: after it every file would be the same as before";
    check("[]", nothing);
    check(
        r#"[{"file_path": "notes.txt"}, {"file_path": "gone.txt", "insertions": [{"line_number": 1}]}]"#,
        nothing,
    );
    check(
        r#"[{"file_path": "notes.txt", "modifications": [{"line_number": 2, "modified_line": "two"}]}]"#,
        nothing,
    );
    check(
        r#"[{"file_path": "notes.txt", "deletions": [1], "insertions": [{"line_number": 1, "new_lines": ["one"]}]}]"#,
        nothing,
    );
    check(
        r#"[{"file_path": "notes.txt", "deletions": [1]}, {"file_path": "test_half.py", "deletions": [1]}]"#,
        "`lib/test_half.py` may not be changed: it is a test",
    );
    check(r#"[{"file_path": "image.png", "deletions": [1]}]"#, "`image.png` is a binary file");
    check(
        r#"[{"file_path": "notes.txt", "deletions": [3, 7]}, {"file_path": "lib/half.py", "deletions": [9]}]"#,
        "the fix cannot be applied: `lib/half.py` has 3 lines, so there is no line 9 to delete; `notes.txt` has 2 lines, so \
         there is no line 3 to delete; `notes.txt` has 2 lines, so there is no line 7 to delete",
    );
    check(
        r#"[{"file_path": "../x.txt", "deletions": [1]}]"#,
        "`../x.txt` is outside of the project; give a path relative to the project's root, without `..`",
    );
    for asked in ["link/secret.txt", "secret.txt", "/etc/passwd"] {
        let json = format!(r#"[{{"file_path": "{asked}", "deletions": [1]}}]"#);
        let error = apply_json(root.path(), &json, &rules).unwrap_err();
        assert!(matches!(error, EditError::Path(_)), "{asked}: {error}");
    }
    let broken = EditRules { forbidden: vec![rule("a[", "none")] };
    let error =
        apply_json(root.path(), r#"[{"file_path": "notes.txt", "deletions": [1]}]"#, &broken).unwrap_err();
    assert!(matches!(&error, EditError::BadRule { glob, .. } if glob == "a["), "{error}");
}

#[test]
fn new_syntax_errors_are_refused_and_old_ones_are_not() {
    fn check(path: &str, before: &str, json_edits: &str, expect: Option<&str>) {
        let root = folder(&[(path, before.as_bytes())]);
        let json = format!(r#"[{{"file_path": "{path}", {json_edits}}}]"#);
        let result = apply_json(root.path(), &json, &EditRules::default());
        assert_eq!(result.err().map(|error| error.to_string()).as_deref(), expect, "{json}");
    }
    check(
        "A.java",
        "class A {\n  int f() {\n    return 1;\n  }\n}\n",
        r#""modifications": [{"line_number": 3, "modified_line": "    return 2"}]"#,
        Some("the fix would break the syntax of `A.java`: line 3 would be `return 2` (`;` is missing)"),
    );
    check(
        "a.py",
        "def f():\n    return 1\n",
        r#""modifications": [{"line_number": 2, "modified_line": "return 2"}]"#,
        Some(
            "the fix would break the syntax of `a.py`: line 1 would be `def f():` (an indented block must follow)",
        ),
    );
    check(
        "a.py",
        "def f():\n    x = 1\n    return x\n",
        r#""insertions": [{"line_number": 3, "new_lines": ["  x += 1"]}]"#,
        Some(
            "the fix would break the syntax of `a.py`: line 3 would be `x += 1` (its indentation differs from that of the \
             statements before it)",
        ),
    );
    let damaged = "class A {\n  int f() { return 1 }\n\n  int g() {\n    return 1;\n  }\n}\n";
    check(
        "A.java",
        damaged,
        r#""modifications": [{"line_number": 5, "modified_line": "    return 2;"}]"#,
        None,
    );
    check(
        "A.java",
        damaged,
        r#""modifications": [{"line_number": 2, "modified_line": "  int f() { return 1; }"}]"#,
        None,
    );
    check("A.java", damaged, r#""insertions": [{"line_number": 1, "new_lines": ["// moved"]}]"#, None);
    check(
        "A.java",
        damaged,
        r#""modifications": [{"line_number": 5, "modified_line": "    return 2"}]"#,
        Some("the fix would break the syntax of `A.java`: line 5 would be `return 2` (`;` is missing)"),
    );
    check("a.unknown", "((\n", r#""deletions": [1]"#, None);
}

#[test]
fn comments_are_told_from_code() {
    fn check(path: &str, line: u32, text: &str, comment_only: bool) {
        let modification = Modification { line_number: line, modified_line: text.to_owned() };
        let edit = Edit { file_path: path.to_owned(), modifications: vec![modification], ..Edit::default() };
        let applied =
            apply(&Project::open(sample().path()).unwrap(), &[edit], &EditRules::default()).unwrap();
        assert_eq!(applied.comment_only, comment_only, "{text}");
    }
    check("A.java", 5, "    return x / 3; // was 2", true);
    check("A.java", 5, "      return x/3;", true);
    check("A.java", 5, "    return x / 2;", false);
    check("half.py", 2, "    '''Half of x, rounded.'''", true);
    check("half.py", 3, "    return x / 3  # a half", true);
    check("half.py", 3, "    return x / 2", false);
    check("notes.txt", 1, "one ", true);
    check("notes.txt", 1, "  one", false);
}

#[test]
fn fingerprints_are_equal_for_equal_code_only() {
    let root = sample();
    let project = Project::open(root.path()).unwrap();
    let fingerprint = |lines: &[(&str, u32, &str)]| {
        let edit = |(path, line, text): &(&str, u32, &str)| {
            let modification = Modification { line_number: *line, modified_line: (*text).to_owned() };
            Edit { file_path: (*path).to_owned(), modifications: vec![modification], ..Edit::default() }
        };
        let edits: Vec<Edit> = lines.iter().map(edit).collect();
        apply(&project, &edits, &EditRules::default()).unwrap().fingerprint()
    };
    let half = fingerprint(&[("A.java", 5, "    return x / 2;")]);
    assert_eq!(half.len(), 64);
    assert_eq!(half, fingerprint(&[("A.java", 5, "return x/2; // half")]));
    assert_eq!(
        half,
        fingerprint(&[("A.java", 5, "    return x / 2;"), ("half.py", 3, "    return x / 3  # third")])
    );
    assert_ne!(half, fingerprint(&[("A.java", 5, "    return x / 4;")]));
    assert_ne!(half, fingerprint(&[("A.java", 5, "    return x / 2;"), ("half.py", 3, "    return x / 2")]));
    assert_ne!(
        fingerprint(&[("half.py", 3, "    return x / 2")]),
        fingerprint(&[("half.py", 3, "    return 2 / x")])
    );
}

fn change(path: &str, before: Option<&[u8]>, after: Option<&[u8]>) -> FileChange {
    let path = ProjectPath::new(path).unwrap();
    FileChange { path, before: before.map(<[u8]>::to_vec), after: after.map(<[u8]>::to_vec) }
}

fn applied(files: Vec<FileChange>) -> Applied {
    Applied { files, notes: Vec::new(), comment_only: false }
}

/// All files below a folder with their content.
fn tree(root: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in ignore::WalkBuilder::new(root).standard_filters(false).build() {
        let path = entry.unwrap().into_path();
        if path != root {
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            found.push((name, if path.is_dir() { Vec::new() } else { fs::read(path).unwrap() }));
        }
    }
    found.sort();
    found
}

#[test]
fn files_are_changed_created_and_deleted_and_put_back() {
    let root = folder(&[("a.txt", b"a\n"), ("d/e/gone.txt", b"x\n")]);
    let before = tree(root.path());
    let fix = applied(vec![
        change("a.txt", Some(b"a\n"), Some(b"b\n")),
        change("d/e/gone.txt", Some(b"x\n"), None),
        change("n/o/new.txt", None, Some(b"n\n")),
    ]);
    fix.write_to(root.path()).unwrap();
    let written = [("a.txt", "b\n"), ("n", ""), ("n/o", ""), ("n/o/new.txt", "n\n")];
    assert_eq!(tree(root.path()), written.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec())));
    fix.revert(root.path()).unwrap();
    assert_eq!(tree(root.path()), before);
}

#[cfg(unix)]
#[test]
fn permissions_are_kept_and_links_are_not_written_through() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let root = folder(&[("run.sh", b"a\n"), ("real/b.txt", b"b\n")]);
    fs::set_permissions(root.path().join("run.sh"), fs::Permissions::from_mode(0o750)).unwrap();
    symlink("run.sh", root.path().join("link.sh")).unwrap();
    symlink("real", root.path().join("folder")).unwrap();
    applied(vec![change("run.sh", Some(b"a\n"), Some(b"b\n"))]).write_to(root.path()).unwrap();
    let mode = fs::metadata(root.path().join("run.sh")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o750);
    for (path, content) in [("link.sh", b"b\n"), ("folder/b.txt", b"b\n")] {
        let error =
            applied(vec![change(path, Some(content), Some(b"c\n"))]).write_to(root.path()).unwrap_err();
        assert!(matches!(error, WriteError::Link { .. }), "{path}: {error}");
    }
    // The folder itself may be reached through a link.
    let elsewhere = tempfile::tempdir().unwrap();
    symlink(root.path(), elsewhere.path().join("here")).unwrap();
    applied(vec![change("run.sh", Some(b"b\n"), Some(b"c\n"))])
        .write_to(&elsewhere.path().join("here"))
        .unwrap();
    assert_eq!(fs::read(root.path().join("run.sh")).unwrap(), b"c\n");
}

#[test]
fn files_that_changed_meanwhile_are_left_alone() {
    let root = folder(&[("a.txt", b"a\n"), ("b.txt", b"other\n")]);
    let before = tree(root.path());
    let check = |second: FileChange| {
        let path = second.path.to_string();
        let first = change("a.txt", Some(b"a\n"), Some(b"A\n"));
        let error = applied(vec![first, second]).write_to(root.path()).unwrap_err();
        assert_eq!(error.to_string(), format!("`{path}` is not what it was when the fix was worked out"));
        assert_eq!(tree(root.path()), before);
    };
    check(change("b.txt", Some(b"b\n"), Some(b"B\n")));
    check(change("b.txt", None, Some(b"B\n")));
    check(change("gone/c.txt", Some(b"c\n"), Some(b"C\n")));
}

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
        applied.write_to(root.path()).unwrap();
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
        for language in crate::Language::all() {
            crate::syntax_errors(language, &text);
            let form = crate::normal_form(Some(language), text.as_bytes());
            let windows = crate::normal_form(Some(language), text.replace('\n', "\r\n").as_bytes());
            if crate::syntax_errors(language, &text).is_empty() {
                prop_assert_eq!(form, windows);
            }
        }
    }
}
