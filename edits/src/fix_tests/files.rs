//! Definitions as a whole, and files that come, go and move.

use super::*;
use crate::formats::{EditFormat, ReadingError, read_edits, read_edits_for};
use crate::{Definition, EditStatus, Placement, Replacement, attempt};

fn definition(code: &str, place: Placement) -> Edit {
    let definitions = vec![Definition { name: None, code: code.to_owned(), place }];
    Edit { definitions, ..Edit::default() }
}

/// The statuses of the changes, and the file after them or the message.
fn outcome(name: &str, before: &str, edit: Edit) -> (Vec<EditStatus>, String) {
    let root = folder(&[(name, before.as_bytes())]);
    let edit = Edit { file_path: name.to_owned(), ..edit };
    let attempt = attempt(&Project::open(root.path()).unwrap(), &[edit], &EditRules::default());
    let statuses = attempt.outcomes.iter().map(|outcome| outcome.status).collect();
    let text = match attempt.result {
        Ok(applied) => String::from_utf8(applied.files[0].after.clone().unwrap()).unwrap(),
        Err(error) => error.to_string(),
    };
    (statuses, text)
}

fn check(name: &str, before: &str, edit: Edit, expect: &str) {
    let said = format!("{edit:?}");
    assert_eq!(outcome(name, before, edit), (vec![EditStatus::Exact], expect.to_owned()), "{said}");
}

fn refused(name: &str, before: &str, edit: Edit, status: EditStatus, words: &str) {
    let (statuses, text) = outcome(name, before, edit);
    assert_eq!(statuses, [status], "{text}");
    assert!(text.contains(words), "{text}");
}

const PY: &str = "import os\n\n\n# Halves.\n@cached\ndef half(x):\n    return x / 3\n\n\nclass A:\n    def get(self):\n        return 1\n\n    @property\n    def size(self):\n        return 2\n\n\nclass B:\n    def get(self):\n        return 3\n";
const JV: &str = "class A {\n    /** One. */\n    @Override\n    public int get(int a) {\n        return 1;\n    }\n\n    int get(String s) {\n        return 2;\n    }\n\n    A(int x) {\n        this.x = x;\n    }\n}\n";

#[test]
fn a_function_takes_the_place_of_the_one_of_its_name() {
    let same = |code: &str| definition(code, Placement::Same);
    check("a.py", PY, same("def half(x):\n    return x / 2\n"), &PY.replace("x / 3", "x / 2"));
    check("a.py", PY, same("    def half(x):\n        return x / 2"), &PY.replace("x / 3", "x / 2"));
    check(
        "a.py",
        PY,
        same("@fast\ndef half(x):\n    return x / 2\n"),
        &PY.replace("x / 3", "x / 2").replace("@cached", "@fast"),
    );
    check("a.py", PY, same("def size(self):\n    return 5\n"), &PY.replace("return 2", "return 5"));
    check(
        "a.py",
        PY,
        same(
            "import os\n\ndef half(x):\n    return x / 2\n\nclass B:\n    def get(self):\n        return 4\n",
        ),
        &PY.replace("x / 3", "x / 2").replace("return 3", "return 4"),
    );
    check("A.java", JV, same("int get(String s) {\n    return 3;\n}"), &JV.replace("return 2", "return 3"));
    check(
        "A.java",
        JV,
        same("    A(int x) {\n        this.x = x + 1;\n    }"),
        &JV.replace("= x;", "= x + 1;"),
    );
    let named = Edit {
        definitions: vec![Definition {
            name: Some("B.get".to_owned()),
            code: "def get(self):\n    return 4\n".to_owned(),
            place: Placement::Same,
        }],
        ..Edit::default()
    };
    check("a.py", PY, named, &PY.replace("return 3", "return 4"));
    check(
        "a.py",
        PY,
        definition("def get(self):\n    return 4\n", Placement::SameNear(20)),
        &PY.replace("return 3", "return 4"),
    );
}

#[test]
fn what_a_definition_imports_is_imported() {
    let same = |code: &str| definition(code, Placement::Same);
    check(
        "a.py",
        PY,
        same("import os\nfrom math import floor\n\ndef half(x):\n    return floor(x / 2)\n"),
        &PY.replace("x / 3", "floor(x / 2)").replace("import os\n", "import os\nfrom math import floor\n"),
    );
    // An import of several lines, and a file that had none.
    let several = "from math import (\n    floor,\n    ceil,\n)\n";
    check(
        "a.py",
        PY,
        same(&format!("{several}\ndef half(x):\n    return floor(x / 2)\n")),
        &PY.replace("x / 3", "floor(x / 2)").replace("import os\n", &format!("import os\n{several}")),
    );
    let alone = "\"\"\"Halves.\"\"\"\n\n\n# Half.\ndef half(x):\n    return x / 3\n";
    check(
        "a.py",
        alone,
        same("import math\n\ndef half(x):\n    return math.floor(x / 2)\n"),
        &alone.replace("x / 3", "math.floor(x / 2)").replace("# Half", "import math\n\n# Half"),
    );
    let java = format!("package p;\n\nimport a.A;\n\n{JV}");
    let whole =
        java.replace("return 2", "return B.TWO").replace("import a.A;\n", "import a.A;\nimport b.B;\n");
    check("A.java", &java, same(&whole), &whole);
    refused("A.java", &java, definition(&whole, Placement::End), EditStatus::Ambiguous, "`package p;`");
    let other = whole.replace("package p;", "x();");
    refused("A.java", &java, same(&other), EditStatus::Ambiguous, "");
}

#[test]
fn a_function_is_indented_by_what_indents_its_file() {
    let same = |code: &str| definition(code, Placement::Same);
    let tabs = PY.replace("    ", "\t");
    check("a.py", &tabs, same("def half(x):\n    return x / 2\n"), &tabs.replace("x / 3", "x / 2"));
    check(
        "a.py",
        &tabs,
        same("    def size(self):\n        if self:\n            return 5\n"),
        &tabs.replace("\t\treturn 2", "\t\tif self:\n\t\t\treturn 5"),
    );
    check(
        "a.py",
        &tabs,
        same("class B:\n  def get(self):\n    return 4\n"),
        &tabs.replace("return 3", "return 4"),
    );
    check("a.py", PY, same("def size(self):\n\treturn 5\n"), &PY.replace("return 2", "return 5"));
    check(
        "A.java",
        &JV.replace("    ", "\t"),
        same("    /**\n     * Two.\n     */\n    int get(String s) {\n        return 3;\n    }\n"),
        &JV.replace("    ", "\t").replace(
            "\tint get(String s) {\n\t\treturn 2",
            "\t/**\n\t * Two.\n\t */\n\tint get(String s) {\n\t\treturn 3",
        ),
    );
    check(
        "a.py",
        "def f():\n\treturn 1\n",
        definition("def g():\n    return 2\n", Placement::End),
        "def f():\n\treturn 1\n\n\ndef g():\n\treturn 2\n",
    );
    check(
        "A.java",
        "class A {\n\tint f() {\n\t\treturn 1;\n\t}\n}\n",
        definition("int g() {\n    return 2;\n}\n", Placement::End),
        "class A {\n\tint f() {\n\t\treturn 1;\n\t}\n\n\tint g() {\n\t\treturn 2;\n\t}\n}\n",
    );
    // The blanks of a text are its own.
    check(
        "a.py",
        "def f():\n\treturn 1\n",
        same("def f():\n    return '''\n    a\n'''\n"),
        "def f():\n    return '''\n    a\n'''\n",
    );
}

#[test]
fn what_has_no_counterpart_is_refused() {
    let same = |code: &str| definition(code, Placement::Same);
    refused(
        "a.py",
        PY,
        same("def hlaf(x):\n    pass\n"),
        EditStatus::NotFound,
        "no function or method `hlaf` in the file; the nearest are `half`",
    );
    refused("a.py", PY, same("def get(self):\n    pass\n"), EditStatus::Ambiguous, "lines 11, 20");
    refused("a.py", PY, same("x = 1\n"), EditStatus::Ambiguous, "defines no function");
    refused(
        "a.py",
        PY,
        same("def half(x):\n    return 1\n\nprint(half(2))\n"),
        EditStatus::Ambiguous,
        "`print(half(2))`",
    );
    refused("a.py", PY, same("def half(x:\n    return 1\n"), EditStatus::Ambiguous, "cannot be parsed");
    refused("a.txt", "x\n", same("def half(x):\n    return 1\n"), EditStatus::Ambiguous, "Java and Python");
    refused("a.py", PY, same("def half(x):\n    return x / 3\n"), EditStatus::NoChange, "changes nothing");
    refused(
        "a.py",
        PY,
        same("class A:\n    def get(self):\n        ...\n\n    def size(self):\n        return 2\n"),
        EditStatus::Ambiguous,
        "stands for code",
    );
}

#[test]
fn new_functions_go_where_they_are_asked_for() {
    let code = "def new():\n    pass\n";
    check("a.py", PY, definition(code, Placement::End), &format!("{PY}\n\n{code}"));
    check("a.py", "x = 1", definition(code, Placement::End), &format!("x = 1\n\n\n{code}"));
    check(
        "a.py",
        "#!/bin/x\nx = 1\n",
        definition(code, Placement::Start),
        &format!("#!/bin/x\n{code}\n\nx = 1\n"),
    );
    check(
        "a.py",
        PY,
        definition("    def new():\n        pass\n", Placement::Near(9)),
        &PY.replace("class A:", &format!("{code}\n\nclass A:")),
    );
    check(
        "A.java",
        JV,
        definition("void f() {\n    g();\n}", Placement::End),
        &JV.replace("= x;\n    }\n", "= x;\n    }\n\n    void f() {\n        g();\n    }\n"),
    );
    refused(
        "a.py",
        PY,
        definition("class B:\n    def get(self):\n        return 3\n", Placement::End),
        EditStatus::AlreadyApplied,
        "already",
    );
}

fn edit(path: &str) -> Edit {
    Edit { file_path: path.to_owned(), ..Edit::default() }
}

/// The files that change, as `path: before -> after`, or the statuses and the message.
fn changes(root: &Path, edits: &[Edit]) -> Vec<String> {
    let attempt = attempt(&Project::open(root).unwrap(), edits, &EditRules::default());
    let text = |bytes: &Option<Vec<u8>>| {
        bytes.as_ref().map_or("none".to_owned(), |bytes| format!("{:?}", String::from_utf8_lossy(bytes)))
    };
    match attempt.result {
        Ok(applied) => {
            let dir = folder(&[]);
            let all = applied.files.iter();
            all.clone().filter_map(|file| Some((&file.path, file.before.as_ref()?))).for_each(
                |(path, before)| {
                    let target = dir.path().join(path);
                    fs::create_dir_all(target.parent().unwrap()).unwrap();
                    fs::write(target, before).unwrap();
                },
            );
            applied.write_to(dir.path(), "").unwrap();
            applied.revert(dir.path()).unwrap();
            all.map(|file| format!("{}: {} -> {}", file.path, text(&file.before), text(&file.after)))
                .collect()
        }
        Err(error) => vec![format!("{:?}", attempt.outcomes[0].status), error.to_string()],
    }
}

#[test]
fn files_come_go_and_move() {
    let root = folder(&[("a.py", b"a = 1\n"), ("p/b.py", b"b = 2\n"), ("empty.py", b"")]);
    let content = |path: &str, text: &str| Edit { content: Some(text.to_owned()), ..edit(path) };
    let check =
        |edits: &[Edit], expect: &[&str]| assert_eq!(changes(root.path(), edits), expect, "{edits:?}");
    check(&[content("n/c.py", "c = 3\n")], &["n/c.py: none -> \"c = 3\\n\""]);
    check(&[content("empty.py", "c = 3\n")], &["empty.py: \"\" -> \"c = 3\\n\""]);
    // A name like one that exists is a new name all the same.
    check(&[content("p/c.py", "c = 3\n")], &["p/c.py: none -> \"c = 3\\n\""]);
    let new = Replacement { replace: "c = 3\n".to_owned(), whole_lines: true, ..Replacement::default() };
    check(&[Edit { replacements: vec![new.clone()], ..edit("c.py") }], &["c.py: none -> \"c = 3\\n\""]);
    check(
        &[Edit {
            file_path: "t/test_c.py".to_owned(),
            ..definition("  def f():\n    pass\n", Placement::End)
        }],
        &["t/test_c.py: none -> \"def f():\\n  pass\\n\""],
    );
    check(&[Edit { delete: true, ..edit("p/b.py") }], &["p/b.py: \"b = 2\\n\" -> none"]);
    check(
        &[Edit { rename_to: Some("q/b.py".to_owned()), ..edit("p/b.py") }],
        &["p/b.py: \"b = 2\\n\" -> none", "q/b.py: none -> \"b = 2\\n\""],
    );
    let moved =
        Replacement { search: "b = 2".to_owned(), replace: "b = 3".to_owned(), ..Replacement::default() };
    check(
        &[Edit { rename_to: Some("q/b.py".to_owned()), replacements: vec![moved], ..edit("p/b.py") }],
        &["p/b.py: \"b = 2\\n\" -> none", "q/b.py: none -> \"b = 3\\n\""],
    );
    check(&[content("a.py", "a = 1\n")], &["AlreadyApplied", "the fix is in the project already: `a.py`"]);
    check(
        &[Edit { deletions: vec![1], ..content("new.py", "c = 3\n") }],
        &[
            "Ambiguous",
            "the fix cannot be applied: `new.py` cannot be changed as asked: its whole text stands beside changes by line numbers; give one or the other",
        ],
    );
    check(
        &[content("a.py", "a = 2\n")],
        &[
            "NotAllowed",
            "the fix cannot be applied: `a.py` exists already; give the parts of it that change, and what they become",
        ],
    );
    check(
        &[content("c.py", "c = (\n")],
        &[
            "SyntaxError",
            "the fix would break the syntax of `c.py`: line 1 would be `c = (` (this cannot be parsed)",
        ],
    );
    check(
        &[Edit { rename_to: Some("a.py".to_owned()), ..edit("p/b.py") }],
        &[
            "NotAllowed",
            "the fix cannot be applied: `a.py` exists already; give the parts of it that change, and what they become",
        ],
    );
    for path in ["../c.py", "/etc/c.py", ".git/hooks/c.py", "p/../../c.py"] {
        let got = changes(root.path(), &[content(path, "c = 3\n")]);
        assert_eq!(got[0], "NotAllowed", "{path}: {got:?}");
        let got = changes(root.path(), &[Edit { rename_to: Some(path.to_owned()), ..edit("p/b.py") }]);
        assert_eq!(got[0], "NotAllowed", "{path}: {got:?}");
    }
    let got = changes(root.path(), &[content("a.py/c.py", "c = 3\n")]);
    assert_eq!(got[0], "NotFound", "{got:?}");
}

#[test]
fn several_edits_may_be_about_one_file_that_comes_or_goes() {
    let root = folder(&[("a.py", b"import os\nx = 1\n"), ("b.py", b"b = 2\n"), ("src/d.py", b"d = 4\n")]);
    let check =
        |edits: &[Edit], expect: &[&str]| assert_eq!(changes(root.path(), edits), expect, "{edits:?}");
    let content = |path: &str, text: &str| Edit { content: Some(text.to_owned()), ..edit(path) };
    let replaced = |path: &str, old: &str, new: &str| {
        let replacement =
            Replacement { search: old.to_owned(), replace: new.to_owned(), ..Replacement::default() };
        Edit { replacements: vec![replacement], ..edit(path) }
    };
    check(&[content("n.py", "n = 1\n"), replaced("n.py", "1", "2")], &["n.py: none -> \"n = 2\\n\""]);
    let deleted = Edit { delete: true, ..edit("b.py") };
    check(&[deleted, content("b.py", "b = 3\n")], &["b.py: \"b = 2\\n\" -> \"b = 3\\n\""]);
    check(&[replaced("/testbed/src/d.py", "4", "5")], &["src/d.py: \"d = 4\\n\" -> \"d = 5\\n\""]);
    let refused = |edits: &[Edit]| {
        let attempt = attempt(&Project::open(root.path()).unwrap(), edits, &EditRules::default());
        assert!(attempt.result.is_err(), "{edits:?}");
    };
    let renamed = |from: &str| Edit { rename_to: Some("t.py".to_owned()), ..edit(from) };
    refused(&[renamed("a.py"), renamed("b.py")]);
    refused(&[content("n.py", "n = 1\n"), content("n.py", "n = 2\n")]);
    let part = Replacement {
        search: "import os\n".to_owned(),
        whole_lines: true,
        line: Some(1),
        ..Replacement::default()
    };
    refused(&[Edit { delete: true, replacements: vec![part], ..edit("a.py") }]);
    refused(&[replaced("/other/d.py", "4", "5")]);
}

#[cfg(unix)]
#[test]
fn new_files_are_not_made_behind_links() {
    let (root, outside) = (folder(&[("a.py", b"a\n")]), folder(&[]));
    std::os::unix::fs::symlink(outside.path(), root.path().join("out")).unwrap();
    std::os::unix::fs::symlink(outside.path().join("none"), root.path().join("gone.py")).unwrap();
    for path in ["out/c.py", "gone.py"] {
        let new = Edit { content: Some("c\n".to_owned()), ..edit(path) };
        let got = changes(root.path(), &[new]);
        assert!(["NotAllowed", "NotFound"].contains(&got[0].as_str()), "{path}: {got:?}");
    }
}

/// What becomes of a file of five lines by a diff of it.
fn by_hunks(hunks: &str) -> (Vec<EditStatus>, String) {
    let text = format!("```diff\n--- a/a.py\n+++ b/a.py\n{hunks}```\n");
    let reading = read_edits(&text, Some(EditFormat::Diff)).unwrap();
    let [edit] = reading.edits.as_slice() else { panic!("{reading:?}") };
    outcome("a.py", "first = 1\nsecond = 2\nthird = 3\nfourth = four()\nfifth = 5\n", edit.clone())
}

#[test]
fn added_lines_without_context_need_more_than_a_number() {
    // Nothing else says where: a number in the middle, at its start, one of counts that say of more lines.
    let told = ["-2,0 +3", "-0,0 +1", "-1,0 +2,1", "-2,3 +2,4"].map(|head| {
        let (statuses, text) = by_hunks(&format!("@@ {head} @@\n+new = 0\n"));
        assert_eq!(statuses, [EditStatus::Ambiguous], "{head}: {text}");
        text
    });
    insta::assert_snapshot!(told.join("\n"));
    // The end of the file is a place of its own.
    let (statuses, text) = by_hunks("@@ -5,0 +6 @@\n+new = 0\n");
    assert_eq!(statuses, [EditStatus::Exact], "{text}");
    assert!(text.ends_with("fifth = 5\nnew = 0\n"), "{text}");
    // A hunk beside it stands where its number says: they are the numbers of this file.
    let change = "@@ -4 +5 @@\n-fourth = four()\n+fourth = 0\n";
    let (statuses, text) = by_hunks(&format!("@@ -2,0 +3 @@\n+new = 0\n{change}"));
    assert_eq!(statuses, [EditStatus::Exact; 2], "{text}");
    assert_eq!(text, "first = 1\nsecond = 2\nnew = 0\nthird = 3\nfourth = 0\nfifth = 5\n");
    // One that stands elsewhere says that they are not.
    let change = change.replace("-4 +5", "-3 +4");
    let (statuses, text) = by_hunks(&format!("@@ -2,0 +3 @@\n+new = 0\n{change}"));
    assert_eq!(statuses, [EditStatus::Ambiguous, EditStatus::Exact], "{text}");
}

/// Reads edits that are for these files, and gives the only file that changes.
fn changed(files: &[(&str, &[u8])], text: &str) -> (String, String) {
    let root = folder(files);
    let project = Project::open(root.path()).unwrap();
    let reading = read_edits_for(&project, text, None).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let applied = apply(&project, &reading.edits, &EditRules::default()).unwrap();
    let [file] = applied.files.as_slice() else { panic!("{:?}", applied.files) };
    (file.path.to_string(), String::from_utf8(file.after.clone().unwrap()).unwrap())
}

#[test]
fn any_file_of_the_project_may_be_named_before_a_block() {
    let files: [(&str, &[u8]); 3] = [("gradlew", b"one\ntwo\n"), ("Next", b"two\n"), ("a.py", b"x = 1\n")];
    let check = |text: &str, path: &str, after: &str| {
        assert_eq!(changed(&files, text), (path.to_owned(), after.to_owned()), "{text}");
    };
    let block = "<<<<<<< SEARCH\ntwo\n=======\n2\n>>>>>>> REPLACE\n";
    check(&format!("gradlew\n{block}"), "gradlew", "one\n2\n");
    check(&format!("In a.py nothing changes.\n\n**gradlew:**\n```\n{block}```\n"), "gradlew", "one\n2\n");
    check(&format!("Next\n{block}"), "Next", "2\n");
    // A word that is no file names none.
    let text = format!("Then\n{block}");
    let root = folder(&files);
    let error = read_edits_for(&Project::open(root.path()).unwrap(), &text, None).unwrap_err();
    assert!(matches!(error, ReadingError::NoFile(_)), "{error}");
}

#[test]
fn lines_of_equals_signs_in_a_block_are_told_by_the_file() {
    let check = |before: &str, search: &str, replace: &str, after: &str| {
        let text = format!("a.rst\n<<<<<<< SEARCH\n{search}=======\n{replace}>>>>>>> REPLACE\n");
        let (_, found) = changed(&[("a.rst", before.as_bytes())], &text);
        assert_eq!(found, after, "{text}");
    };
    let before = "Intro\n\nHeading\n=======\nx\n\nEnd\n";
    check(before, "Heading\n=======\nx\n", "Heading\n=======\ny\n", "Intro\n\nHeading\n=======\ny\n\nEnd\n");
    check(before, "Heading\n=======\n", "Section\n=======\n", "Intro\n\nSection\n=======\nx\n\nEnd\n");
    check(
        before,
        "End\n",
        "Ending\n=======\n\nEnd\n",
        "Intro\n\nHeading\n=======\nx\n\nEnding\n=======\n\nEnd\n",
    );
    let conflict = "a = 1\n<<<<<<< HEAD\nb = 2\n=======\nb = 3\n>>>>>>> other\nc = 4\n";
    check(
        conflict,
        "<<<<<<< HEAD\nb = 2\n=======\nb = 3\n>>>>>>> other\n",
        "b = 3\n",
        "a = 1\nb = 3\nc = 4\n",
    );
    check(conflict, "=======\nb = 3\n>>>>>>> other\n", "", "a = 1\n<<<<<<< HEAD\nb = 2\nc = 4\n");
    check(
        &before.replace('\n', "\r\n"),
        "Heading\n=======\nx\n",
        "Heading\n=======\ny\n",
        &before.replace("=\nx", "=\ny").replace('\n', "\r\n"),
    );
}

#[test]
fn removed_lines_of_a_diff_may_be_left_out() {
    let before =
        "def f(x):\n    a = 1\n    b = 2\n    c = 3\n    d = 4\n    return x\n\n\ndef g():\n    pass\n";
    let diff = |hunk: &str| format!("--- a/a.py\n+++ b/a.py\n@@ @@\n{hunk}");
    let check = |hunk: &str, after: &str| {
        let (_, found) = changed(&[("a.py", before.as_bytes())], &diff(hunk));
        assert_eq!(found, after, "{hunk}");
    };
    let after = before.replace("    a = 1\n    b = 2\n    c = 3\n    d = 4\n", "    e = 5\n");
    check(" def f(x):\n-    a = 1\n-    ...\n-    d = 4\n+    e = 5\n     return x\n", &after);
    // What is left out of unchanged lines stays.
    let after = before.replace("    a = 1\n", "    a = 2\n");
    check(" def f(x):\n-    a = 1\n+    a = 2\n ...\n     return x\n", &after);
    // `...` that stands in the file is a line like others.
    let stub = "class P:\n    def f(self):\n        ...\n\n    x = 1\n";
    let hunk = " class P:\n-    def f(self):\n-        ...\n-\n     x = 1\n";
    assert_eq!(changed(&[("a.py", stub.as_bytes())], &diff(hunk)).1, "class P:\n    x = 1\n");
    // Two places for what is left out.
    let twice = "a = 1\nb = 2\nc = 3\na = 1\nb = 4\nc = 3\n";
    let root = folder(&[("a.py", twice.as_bytes())]);
    let project = Project::open(root.path()).unwrap();
    let edits = read_edits(&diff("-a = 1\n-...\n-c = 3\n"), None).unwrap().edits;
    assert!(apply(&project, &edits, &EditRules::default()).is_err());
}
