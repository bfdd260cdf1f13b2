//! Fixes as a whole: from the JSON of a model to the files that result.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod damage;
mod files;
mod indented;
mod properties;
mod replacing;
mod scenarios;
mod undamaged;
mod writing;

use std::fs;
use std::path::Path;

use patchwright_folder::DEEPEST_GLOB;
use patchwright_syntax::{Project, ProjectPath};
use tempfile::TempDir;

use crate::{Applied, Edit, EditError, EditRules, FileChange, Modification, Rule, apply};

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
        bug: None,
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
    let broken = EditRules { forbidden: vec![rule("a[", "none")], bug: None };
    let error =
        apply_json(root.path(), r#"[{"file_path": "notes.txt", "deletions": [1]}]"#, &broken).unwrap_err();
    assert!(matches!(&error, EditError::BadRule { glob, .. } if glob == "a["), "{error}");
    let deep = EditRules { forbidden: vec![rule(&"{".repeat(10 * DEEPEST_GLOB), "none")], bug: None };
    let error = apply_json(root.path(), r#"[{"file_path": "notes.txt", "deletions": [1]}]"#, &deep);
    assert!(error.unwrap_err().to_string().ends_with("its braces are nested more than 16 deep"));
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
            "the fix would break the syntax of `a.py`: line 2 would be `return 2` (it stands outside of a function)",
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

#[test]
fn the_examples_of_docstrings_are_no_remarks() {
    let text = |count: u32, example: u32| {
        format!(
            "def half(x):\n    '''Half of x.\n\n    >>> half(4)\n    {example}\n\n    Rounded {count} times.\n    '''\n    return x / 3\n"
        )
    };
    let to = |count, example| {
        change("half.py", Some(text(0, 1).as_bytes()), Some(text(count, example).as_bytes()))
    };
    assert!(to(1, 1).is_comment_only());
    assert!(!to(0, 2).is_comment_only());
    let name = |count, example| applied(vec![to(count, example)]).fingerprint();
    assert_eq!(name(1, 2), name(2, 2));
    assert_ne!(name(1, 2), name(1, 3));
}

fn change(path: &str, before: Option<&[u8]>, after: Option<&[u8]>) -> FileChange {
    let path = ProjectPath::new(path).unwrap();
    FileChange { path, before: before.map(<[u8]>::to_vec), after: after.map(<[u8]>::to_vec) }
}

fn applied(files: Vec<FileChange>) -> Applied {
    Applied { files, notes: Vec::new(), comment_only: false }
}
