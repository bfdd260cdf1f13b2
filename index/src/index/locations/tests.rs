#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;

use tempfile::TempDir;

use super::*;

const QUERY: &str = "\
import os

LIMIT = 3
TABLE: dict = {}


class Query(Base):
    ordering = ()

    class Meta:
        ordering = ()

    @cached
    async def filter(self, x):
        def inner():
            return x
        return inner

    def clone(self):
        return self


try:
    def fast(x):
        return x
except ImportError:
    pass


def helper(a, b):
    return a


class Other:
    def clone(self):
        return 1
";

const BOX: &str = "\
package a.b;

class Box {
    int size;

    Box(int size) {
        this.size = size;
    }

    int get() {
        return 1;
    }

    int get(int index) {
        return 2;
    }
}
";

fn index() -> (TempDir, Index) {
    let folder = tempfile::tempdir().unwrap();
    let files = [
        ("pkg/db/query.py", QUERY),
        ("pkg/util.py", "def other():\n    return 1\n"),
        ("src/a/b/Box.java", BOX),
        ("README.md", "one\ntwo\n"),
        ("x/same.py", "a = 1\n"),
        ("y/same.py", "a = 1\n"),
    ];
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let index = Index::build(folder.path()).unwrap();
    (folder, index)
}

/// What an answer locates, as `path first-last …`, and the lines that it does not.
fn found(index: &Index, answer: &str, within: &[&str]) -> (Vec<String>, Vec<String>) {
    let within: Vec<ProjectPath> = within.iter().map(|path| ProjectPath::new(path).unwrap()).collect();
    let located = index.locate(answer, &within);
    let shown = |location: &Location| {
        let ranges = location.ranges.iter().map(|span| format!(" {}-{}", span.first, span.last));
        format!("{}{}", location.path, ranges.collect::<String>())
    };
    let missed = located.unlocated.into_iter().map(|one| one.asked).collect();
    (located.locations.iter().map(shown).collect(), missed)
}

fn check(answer: &str, expect: &[&str], missed: &[&str]) {
    let (_folder, index) = index();
    let (locations, unlocated) = found(&index, answer, &[]);
    assert_eq!(locations, expect, "{answer}");
    assert_eq!(unlocated, missed, "{answer}");
}

#[test]
fn the_form_that_models_are_asked_for_is_read() {
    check(
        "```\npkg/db/query.py\nclass: Query\nfunction: Query.clone\nline: 3\n\nsrc/a/b/Box.java\nfunction: Box.get\nvariable: size\n```",
        &["pkg/db/query.py 7-20 19-20 3-3", "src/a/b/Box.java 10-12 14-16 4-4"],
        &[],
    );
}

#[test]
fn every_kind_of_declaration_is_found() {
    check(
        "pkg/db/query.py\nfunction: Query.filter\nfunction: helper\nfunction: fast\nfunction: inner\nvariable: LIMIT TABLE\nclass: Meta\nvariable: Query.Meta.ordering",
        &["pkg/db/query.py 13-17 30-31 24-25 15-16 3-3 4-4 10-11 11-11"],
        &[],
    );
    check(
        "src/a/b/Box.java\nmethod: Box.Box\nmethod: Box.get(int)",
        &["src/a/b/Box.java 6-8 10-12 14-16"],
        &[],
    );
}

#[test]
fn answers_are_read_whatever_stands_around_them() {
    for answer in [
        "pkg/db/query.py\nfunction: helper\nline: 42",
        "Here it is:\n```python\n  pkg/db/query.py\n    function: helper\n    line: 42\n```\nThat is why.",
        "1. `pkg/db/query.py`\n   - function: `helper`\n   - line: 42 (the return)",
        "### File: pkg/db/query.py ###\n* **function**: helper(a, b)\n* line 42",
        "**./pkg/db/query.py**\n- Function: helper - it is wrong\n- Lines: 42",
        "file: \"query.py\"\nfunction: helper\nlines: 42-42",
        "- pkg/db/query.py: the query\ndef helper\nL42",
        "/testbed/pkg/db/query.py\nfunction: pkg.db.query.helper\nline number: 42",
        "repo/pkg/db/query.py\nfunction: Helper\n42",
        "pkg.db.query.py\nfunction: helpr\nline 42",
    ] {
        let (_folder, index) = index();
        let (locations, unlocated) = found(&index, answer, &[]);
        // The last line of the file is 36: a line outside of it is clipped.
        assert_eq!(locations, ["pkg/db/query.py 30-31 36-36"], "{answer}");
        assert!(unlocated.is_empty(), "{answer}: {unlocated:?}");
    }
}

#[test]
fn lines_are_read_in_every_spelling() {
    let lines = |line: &str, expect: &str| {
        check(&format!("pkg/db/query.py\n{line}"), &[&format!("pkg/db/query.py{expect}")], &[]);
    };
    lines("line: 3", " 3-3");
    lines("lines 10-20", " 10-20");
    lines("lines: 10 to 20", " 10-20");
    lines("lines: 10–20, 22 and 24..26", " 10-20 22-22 24-26");
    lines("line: 3 (see also 7)", " 3-3");
    lines("line: 20-10", " 10-20");
    lines("lines: L3-L5", " 3-5");
    lines("10-20", " 10-20");
    lines("line: 0", " 1-1");
    lines("lines: 30-99999999999", " 30-36");
    lines("line: 3\nline: 3", " 3-3");
    check("pkg/db/query.py:12", &["pkg/db/query.py 12-12"], &[]);
    check("- `pkg/db/query.py:12-14`", &["pkg/db/query.py 12-14"], &[]);
    check("pkg/db/query.py#L12-L14", &["pkg/db/query.py 12-14"], &[]);
    check("README.md\nlines 1-9", &["README.md 1-2"], &[]);
}

#[test]
fn a_method_belongs_to_the_class_named_before_it() {
    check("pkg/db/query.py\nclass: Other\nmethod: clone", &["pkg/db/query.py 34-36 35-36"], &[]);
    check("pkg/db/query.py\nclass: Query\nfunction: helper", &["pkg/db/query.py 7-20 30-31"], &[]);
}

#[test]
fn what_is_invented_is_told() {
    check(
        "pkg/nothing/there.py\nfunction: helper\nline: 3",
        &[],
        &["pkg/nothing/there.py", "function: helper", "line: 3"],
    );
    check(
        "pkg/db/query.py\nfunction: Query.vanish\nclass: Nope\nvariable: size\nfunction: helper",
        &["pkg/db/query.py 30-31"],
        &["function: Query.vanish", "class: Nope", "variable: size"],
    );
    check("pkg/db/query.py\nmethod: clone", &["pkg/db/query.py"], &["method: clone"]);
    check("same.py\nline: 1", &[], &["same.py", "line: 1"]);
    check("line: 3", &[], &["line: 3"]);
    check("I do not know.\nThe class hierarchy is a mess, e.g. here: see Query.", &[], &[]);
    check("", &[], &[]);
}

#[test]
fn the_files_that_were_shown_come_first() {
    let (_folder, index) = index();
    let check = |answer: &str, within: &[&str], expect: &[&str], missed: usize| {
        let (locations, unlocated) = found(&index, answer, within);
        assert_eq!(
            (locations, unlocated.len()),
            (expect.iter().map(|line| (*line).to_owned()).collect(), missed),
            "{answer}"
        );
    };
    check("same.py\nline: 1", &["y/same.py"], &["y/same.py 1-1"], 0);
    check("line: 1", &["pkg/util.py"], &["pkg/util.py 1-1"], 0);
    check("function: other", &["pkg/util.py", "pkg/db/query.py"], &["pkg/util.py 1-2"], 0);
    check("variable: a", &["x/same.py", "y/same.py"], &[], 1);
}

#[test]
fn paths_are_found_tolerantly() {
    let (_folder, index) = index();
    let check = |given: &str, expect: &[&str]| {
        let found: Vec<&str> = index.find_path(given).into_iter().map(ProjectPath::as_str).collect();
        assert_eq!(found, expect, "{given}");
    };
    check(" `pkg/util.py` ", &["pkg/util.py"]);
    check("./pkg/util.py", &["pkg/util.py"]);
    check("repo/pkg/util.py", &["pkg/util.py"]);
    check("/testbed/pkg/util.py", &["pkg/util.py"]);
    check("pkg\\util.py", &["pkg/util.py"]);
    check("util.py", &["pkg/util.py"]);
    check("pkg.db.query", &["pkg/db/query.py"]);
    check("a.b.Box", &["src/a/b/Box.java"]);
    check("pkg/utils.py", &["pkg/util.py"]);
    check("same.py", &["x/same.py", "y/same.py"]);
    check("pkg/db/entirely_else.py", &[]);
    check("", &[]);
    check("../..", &[]);
}
