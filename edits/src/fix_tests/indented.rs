//! Texts to replace that are not indented as the file is, or not as what replaces them.

use super::folder;
use super::replacing::{check, lines, outcome, refused, text};
use crate::{Edit, EditRules, EditStatus, Replacement, apply};
use patchwright_syntax::Project;

#[test]
fn another_indentation_is_carried_over() {
    let before = "class A:\n    def f(self):\n        x = 1\n        return x\n";
    let after = "class A:\n    def f(self):\n        x = 2\n        if x:\n            return x\n";
    check(before, lines("x = 1\nreturn x\n", "x = 2\nif x:\n    return x\n"), EditStatus::Indent, after);
    check(
        before,
        lines(
            "            x = 1\n            return x\n",
            "            x = 2\n            if x:\n                return x\n",
        ),
        EditStatus::Indent,
        after,
    );
    let tabs = "class A:\n\tdef f(self):\n\t\treturn 1\n";
    check(
        tabs,
        lines(
            "    def f(self):\n        return 1\n",
            "    def f(self):\n        if self:\n            return 2\n",
        ),
        EditStatus::Indent,
        "class A:\n\tdef f(self):\n\t\tif self:\n\t\t\treturn 2\n",
    );
    // Blanks were taken off the ends of both texts.
    check(
        before,
        lines("def f(self):\n        x = 1\n        return x\n", "def f(self):\n        return 2\n"),
        EditStatus::Indent,
        "class A:\n    def f(self):\n        return 2\n",
    );
    // Other blocks are other code.
    refused(
        "if a:\n    b()\nc()\n",
        lines("if a:\n    b()\n    c()\n", "d()\n"),
        EditStatus::NotFound,
        "a.py",
    );
    // Only the text to find is indented.
    check("x = 1\n", lines("    x = 1\n", "x = 2\n"), EditStatus::Indent, "x = 2\n");
    // A replacement that would have to stand left of the margin.
    refused("x = 1\n", lines("        x = 1\n", "    x = 2\ny = 3\n"), EditStatus::Ambiguous, "indent");
}

#[test]
fn a_first_line_that_lost_its_indentation_is_placed_right() {
    let before = "class A:\n    def f(self, x):\n        if x:\n            y = 1\n        return y\n";
    let after = before.replace("y = 1", "y = 2");
    for (search, replace) in [
        // In both, in the text to find, in its replacement.
        ("if x:\n            y = 1\n", "if x:\n            y = 2\n"),
        ("if x:\n            y = 1\n", "        if x:\n            y = 2\n"),
        ("        if x:\n            y = 1\n", "if x:\n            y = 2\n"),
        ("y = 1\n        return y\n", "y = 2\n        return y\n"),
        ("            y = 1\n        return y\n", "y = 2\n        return y\n"),
        (
            "def f(self, x):\n        if x:\n            y = 1\n",
            "    def f(self, x):\n        if x:\n            y = 2\n",
        ),
        // The other lines are not as the file has them either.
        ("if x:\n                y = 1\n", "if x:\n                y = 2\n"),
        // One text is indented by itself.
        ("if x:\n    y = 1\nreturn y\n", "        if x:\n            y = 2\n        return y\n"),
        ("        if x:\n            y = 1\n", "if x:\n    y = 2\n"),
    ] {
        for replacement in [lines(search, replace), text(search, replace)] {
            let said = format!("{replacement:?}");
            assert_eq!(outcome(before, replacement).1, after, "{said}");
        }
        let bare = text(search.trim_end(), replace.trim_end());
        assert_eq!(outcome(before, bare).1, after, "{search:?} {replace:?}");
    }
    // The first line has half of its blanks: so have the others.
    check(
        "def f():\n    for x in y:\n        a()\nb = 1\n",
        lines("    a()\nb = 1\n", "    a()\n  c()\nb = 1\n"),
        EditStatus::Indent,
        "def f():\n    for x in y:\n        a()\n    c()\nb = 1\n",
    );
    // A line that two blocks could take.
    let two = "def f(x):\n    if x:\n        y()\n    z()\n";
    refused(two, lines("z()\n", "w()\n    z()\n"), EditStatus::Ambiguous, "two ways");
    check(
        "def f():\n    x = 1\n",
        lines("    x = 1\n", "x = 2\n"),
        EditStatus::Exact,
        "def f():\n    x = 2\n",
    );
    refused("def f():\n    y()\n    x()\n", lines("    x()\n", "z()\n"), EditStatus::Ambiguous, "two ways");
    // Text in quotes stays in line with itself.
    let quoted = "def f():\n    \"\"\"A.\n\n        b\n    c\n    \"\"\"\n";
    check(
        quoted,
        lines("\"\"\"A.\n\n        b\n    c\n", "\"\"\"A.\n\n        b\n    d\n"),
        EditStatus::Indent,
        &quoted.replace("    c", "    d"),
    );
}

#[test]
fn a_first_line_that_lost_one_blank_in_both_texts_is_not_moved_to_the_depth_of_another() {
    // Deleted is the first line, and what comes first now stands deeper; or its depth is that of the first line.
    refused(
        "class A:\n    x = 1\n\n    def f(self):\n        y()\n\n    def g(self):\n        z()\n",
        lines("   def g(self):\n        z()\n", "       z()\n"),
        EditStatus::Ambiguous,
        "two ways",
    );
}

#[test]
fn code_behind_a_jump_may_belong_into_another_block() {
    let before = "def f(x):\n    return x\n\n\ndef g(x):\n    if x:\n        x()\n        return\n    y(x)\n";
    // Either the first lines of both texts lost their indentation, or no run reaches the new line.
    for (search, replace) in [("return x\n", "return x\nh()\n"), ("return x\n\n\n", "return x\n\n\nh()\n")] {
        refused(before, lines(search, replace), EditStatus::Ambiguous, "never reached");
    }
    check(
        before,
        lines("return x\n", "h()\nreturn x\n"),
        EditStatus::Indent,
        &before.replace("    return x", "    h()\n    return x"),
    );
    // What is written as it is in the file is taken at its word.
    check(
        before,
        lines("    return x\n", "    return x\n    h()\n"),
        EditStatus::Exact,
        &before.replace("    return x\n", "    return x\n    h()\n"),
    );
}

#[test]
fn code_that_an_edit_does_not_name_stays_in_its_block() {
    let before = "def f(x):\n    a()\n    b()\n";
    refused(before, lines("    a()\n", "    a()\n\ndef g():\n    c()\n"), EditStatus::Ambiguous, "`b()`");
    refused(
        before,
        lines("    b()\n", "    b()\nreturn x\n"),
        EditStatus::SyntaxError,
        "outside of a function",
    );
}

#[test]
fn another_indentation_than_the_written_one_is_told() {
    let before = "class A:\n    def f(self):\n        return 1\n";
    let told = |replacement: Replacement| {
        let root = folder(&[("a.py", before.as_bytes())]);
        let edit = Edit { file_path: "a.py".to_owned(), replacements: vec![replacement], ..Edit::default() };
        let applied = apply(&Project::open(root.path()).unwrap(), &[edit], &EditRules::default()).unwrap();
        applied.notes
    };
    let note = "`return 1` in `a.py`: the replacement is indented as the file is, and not as it is written";
    assert_eq!(told(lines("        return 1\n", "return 2\n")), [note]);
    assert!(told(lines("        return 1\n", "        return 2\n")).is_empty());
}
