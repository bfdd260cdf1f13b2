//! Texts to replace: every level of the ladder, and above all what must not be found.

use super::*;
use crate::{EditStatus, Replacement, attempt};

/// What became of one replacement in `a.py`: its status, and the file after it or the note.
pub(super) fn outcome(before: &str, replacement: Replacement) -> (EditStatus, String) {
    let root = folder(&[("a.py", before.as_bytes())]);
    let edit = Edit { file_path: "a.py".to_owned(), replacements: vec![replacement], ..Edit::default() };
    let attempt = attempt(&Project::open(root.path()).unwrap(), &[edit], &EditRules::default());
    let outcome = attempt.outcomes[0].clone();
    match attempt.result {
        Ok(applied) => (outcome.status, String::from_utf8(applied.files[0].after.clone().unwrap()).unwrap()),
        Err(error) => (outcome.status, outcome.note.unwrap_or_else(|| error.to_string())),
    }
}

pub(super) fn lines(search: &str, replace: &str) -> Replacement {
    Replacement {
        search: search.to_owned(),
        replace: replace.to_owned(),
        whole_lines: true,
        ..Replacement::default()
    }
}

pub(super) fn text(search: &str, replace: &str) -> Replacement {
    Replacement { whole_lines: false, ..lines(search, replace) }
}

pub(super) fn check(before: &str, replacement: Replacement, status: EditStatus, expect: &str) {
    let said = format!("{replacement:?}");
    assert_eq!(outcome(before, replacement), (status, expect.to_owned()), "{before:?} {said}");
}

/// The replacement is refused with this status and a note that holds these words.
pub(super) fn refused(before: &str, replacement: Replacement, status: EditStatus, words: &str) {
    let said = format!("{replacement:?}");
    let (got, note) = outcome(before, replacement);
    assert_eq!(got, status, "{before:?} {said}: {note}");
    assert!(note.contains(words), "{note}");
}

const CODE: &str =
    "def half(x):\n    y = x / 3\n    return y\n\n\ndef third(x):\n    y = x / 3\n    return y\n";

#[test]
fn a_text_that_stands_once_is_replaced() {
    let fixed = CODE.replacen("x / 3", "x / 2", 1);
    check(
        CODE,
        lines("def half(x):\n    y = x / 3\n", "def half(x):\n    y = x / 2\n"),
        EditStatus::Exact,
        &fixed,
    );
    check(CODE, text("half(x):\n    y = x / 3", "half(x):\n    y = x / 2"), EditStatus::Exact, &fixed);
    // Between brackets any depth is sound; the line stays at its own.
    check(
        "x = f(\n    one, two=1\n)\n",
        text("one, two=1", "one, two=2"),
        EditStatus::Exact,
        "x = f(\n    one, two=2\n)\n",
    );
    // Nothing instead: the lines go.
    check("a = 1\nb = 2\nc = 3\n", lines("b = 2\n", ""), EditStatus::Exact, "a = 1\nc = 3\n");
    check("a = 1\nb = 2\n", text("b = 2\n", ""), EditStatus::Exact, "a = 1\n");
    check("a = 1\nb = 2", lines("b = 2\n", "b = 3\n"), EditStatus::Exact, "a = 1\nb = 3");
    check("a = 1\nb = 2", text("b = 2\n", "b = 3\n"), EditStatus::Exact, "a = 1\nb = 3");
    check("a = 1\nb = 2", lines("b = 2\n", "b = 2\nc = 3\n"), EditStatus::Exact, "a = 1\nb = 2\nc = 3");
    check("", text("", "a = 1\n"), EditStatus::Exact, "a = 1\n");
}

#[test]
fn line_ends_and_untouched_bytes_stay() {
    check(
        "a = 1\r\nb = 2  \r\nc = 3\n",
        lines("a = 1\nb = 2\nc = 3\n", "a = 1\nb = 2\nc = 4\n"),
        EditStatus::Whitespace,
        "a = 1\r\nb = 2  \r\nc = 4\n",
    );
    check(
        "a = 1\r\nb = 2\r\n",
        lines("a = 1\n", "a = 1\nx = 0\n"),
        EditStatus::Exact,
        "a = 1\r\nx = 0\r\nb = 2\r\n",
    );
    check(
        "a = 1\r\nb = 2\r\n",
        text("1\nb", "1\nx = 0\nb"),
        EditStatus::Exact,
        "a = 1\r\nx = 0\r\nb = 2\r\n",
    );
    check("a = 1\nb = 2\n", lines("a = 1\r\n", "a = 2\r\n"), EditStatus::Exact, "a = 2\nb = 2\n");
    check("\u{feff}a = 1\n", lines("a = 1\n", "a = 2\n"), EditStatus::Exact, "\u{feff}a = 2\n");
    check("if a:\n\tb = 'ü'\n", text("ü", "ä"), EditStatus::Exact, "if a:\n\tb = 'ä'\n");
}

#[test]
fn white_space_at_line_ends_and_blank_lines_do_not_matter() {
    check(
        "a = 1  \nb = 2\n",
        lines("a = 1\nb = 2\n", "a = 1\nb = 3\n"),
        EditStatus::Whitespace,
        "a = 1  \nb = 3\n",
    );
    check(
        "a = 1\nb = 2\n",
        lines("a = 1 \nb = 2\t\n", "a = 1 \nb = 3\n"),
        EditStatus::Whitespace,
        "a = 1\nb = 3\n",
    );
    check(
        "a = 1\n\n\nb = 2\nc = 3\n",
        lines("a = 1\nb = 2\n", "a = 1\nb = 3\n"),
        EditStatus::Whitespace,
        "a = 1\n\n\nb = 3\nc = 3\n",
    );
    check(
        "a = 1\nb = 2\n",
        lines("\na = 1\n\nb = 2\n", "\na = 1\n\nb = 3\n"),
        EditStatus::Whitespace,
        "a = 1\nb = 3\n",
    );
    check(
        "a = 1\n\nb = 2\n",
        lines("a = 1\nb = 2\n", "a = 1\nx = 0\nb = 2\n"),
        EditStatus::Whitespace,
        "a = 1\nx = 0\n\nb = 2\n",
    );
}

#[test]
fn changes_of_blank_lines_are_kept() {
    let before = "a = 1  \nb = 2\n\n\nc = 3\n";
    let blanks = |search: &str, replace: &str, after: &str| {
        check(before, lines(search, replace), EditStatus::Whitespace, after);
    };
    blanks("a = 1\nb = 2\n", "a = 1\n\nb = 2\n", "a = 1  \n\nb = 2\n\n\nc = 3\n");
    blanks("b = 2\n\nc = 3\n", "b = 2\nc = 3\n", "a = 1  \nb = 2\nc = 3\n");
    blanks("b = 2\n\nc = 3\n", "b = 2\n\n\n\nc = 3\n", "a = 1  \nb = 2\n\n\n\nc = 3\n");
    blanks("b = 2\nc = 3\n", "b = 2\nx = 0\nc = 3\n", "a = 1  \nb = 2\nx = 0\n\n\nc = 3\n");
    blanks("b = 2\n\nc = 3\n", "c = 3\n", "a = 1  \nc = 3\n");
}

#[test]
fn a_typo_of_the_text_is_not_written() {
    let before = "def total(items):\n    result = sum_of(items)\n    return result\n";
    check(
        before,
        lines("    reslut = sum_of(items)\n", "    reslut = sum_of(items) + 1\n"),
        EditStatus::Fuzzy,
        &before.replace("sum_of(items)", "sum_of(items) + 1"),
    );
    refused(
        before,
        lines("    reslut = sum_of(items)\n", "    reslut_of_all = sum_of(items)\n"),
        EditStatus::Ambiguous,
        "`reslut`",
    );
}

#[test]
fn lines_may_be_left_out_on_both_sides() {
    let before = "def f(x):\n    a = 1\n    b = 2\n    return a\n\n\ndef g(x):\n    return a\n";
    check(
        before,
        lines("def f(x):\n    ...\n    return a\n", "def f(x, y):\n    ...\n    return b\n"),
        EditStatus::Fuzzy,
        "def f(x, y):\n    a = 1\n    b = 2\n    return b\n\n\ndef g(x):\n    return a\n",
    );
    check(
        before,
        lines(
            "    a = 1\n    # ... more ...\n    return a\n",
            "    a = 5\n    # ... more ...\n    return a\n",
        ),
        EditStatus::Fuzzy,
        &before.replace("a = 1", "a = 5"),
    );
    refused(
        before,
        lines("def f(x):\n    ...\n    return a\n", "def f(x):\n    return a\n"),
        EditStatus::Ambiguous,
        "...",
    );
    refused(
        before,
        lines("def h(x):\n    ...\n    return a\n", "def h(x):\n    ...\n    return b\n"),
        EditStatus::NotFound,
        "does not contain",
    );
    let twice = "def f(x):\n    if x:\n        return a\n    b = 2\n    if b:\n        return a\n";
    refused(
        twice,
        lines("def f(x):\n    ...\n        return a\n", "def f(x):\n    ...\n        return b\n"),
        EditStatus::Ambiguous,
        "2 times",
    );
    // Three dots that the code itself has are code.
    check(
        "def f(x):\n    ...\n",
        lines("def f(x):\n    ...\n", "def f(x):\n    return x\n"),
        EditStatus::Exact,
        "def f(x):\n    return x\n",
    );
}

#[test]
fn typos_are_seen_through() {
    let before =
        "def total(items):\n    # Adds everything up\n    result = sum_of(items)\n    return result\n";
    check(
        before,
        lines(
            "def total(items):\n    # Add everything up\n    result = sum_of(items)\n    return result\n",
            "def total(items):\n    # Add everything up\n    result = sum_of(items) + 1\n    return result\n",
        ),
        EditStatus::Fuzzy,
        &before.replace("sum_of(items)", "sum_of(items) + 1"),
    );
    check(
        before,
        lines(
            "def total(items):\n    # Adds everthing up\n    reslut = sum_of(items)\n    return result\n",
            "def total(items):\n    # Adds everthing up\n    result = 0\n    return result\n",
        ),
        EditStatus::Fuzzy,
        &before.replace("sum_of(items)", "0"),
    );
    check(
        before,
        lines("    reslut = sum_of(items)\n", "    result = 0\n"),
        EditStatus::Fuzzy,
        &before.replace("sum_of(items)", "0"),
    );
    check(
        before,
        lines("    result = sum_of( items )\n", "    result = 0\n"),
        EditStatus::Fuzzy,
        &before.replace("sum_of(items)", "0"),
    );
}

#[test]
fn code_that_the_file_does_not_contain_is_refused() {
    let before = "def pay(self, amount):\n    if amount > self.balance:\n        raise ValueError('not enough')\n    self.balance -= amount\n    return self.balance\n";
    for search in [
        "    if amount >= self.balance:\n",
        "    self.balance += amount\n",
        "    self.balance -= amounts\n",
        "    return self.total\n",
        "        raise ValueError('not found')\n",
        "def pay(self, amount, fee):\n    if amount > self.balance:\n",
        "def pay(self, amount):\n    if amount < self.balance:\n        raise ValueError('not enough')\n    self.balance -= amount\n    return self.balance\n",
        "def pay(self, amount):\n    if amount > self.balance:\n        raise ValueError('not enough')\n    self.balance -= 1\n    return self.balance\n",
        "    if amount > self.balance:\n        self.balance -= amount\n",
        "return\n",
        "balance\n",
    ] {
        let (status, note) = outcome(before, lines(search, "    pass\n"));
        assert_eq!(status, EditStatus::NotFound, "{search}: {note}");
    }
    refused(
        before,
        lines("    if amount >= self.balance:\n        raise ValueError('not enough')\n", "    pass\n"),
        EditStatus::NotFound,
        "`a.py` does not contain `if amount >= self.balance:`; nearest are lines 2 to 3, where line 2 is \
         `if amount > self.balance:` and not `if amount >= self.balance:`",
    );
    refused(before, text("missing", "x"), EditStatus::NotFound, "does not contain `missing`");
    // The code is there, in another shape.
    refused(
        before,
        lines(
            "    if amount > self.balance:\n     raise ValueError('not enough')\n    self.balance -= amount\n",
            "    pass\n",
        ),
        EditStatus::NotFound,
        "nearest are lines 2 to 4, where line 3 is `        raise ValueError('not enough')` and not \
         `     raise ValueError('not enough')`",
    );
}

#[test]
fn what_stands_more_than_once_is_listed() {
    refused(
        CODE,
        lines("    y = x / 3\n", "    y = x / 2\n"),
        EditStatus::Ambiguous,
        "2 times, at lines 2, 7",
    );
    refused(CODE, text("x / 3", "x / 2"), EditStatus::Ambiguous, "2 times, at lines 2, 7");
    refused("aaa\n", text("aa", "b"), EditStatus::Ambiguous, "2 times");
    refused(CODE, lines("y = x / 3\n", "y = x / 2\n"), EditStatus::Ambiguous, "2 times, at lines 2, 7");
    let all = Replacement { all: true, ..text("x / 3", "x / 2") };
    check(CODE, all, EditStatus::Exact, &CODE.replace("x / 3", "x / 2"));
    let second = Replacement { line: Some(7), ..lines("    y = x / 3\n", "    y = x / 2\n") };
    check(
        CODE,
        second,
        EditStatus::Exact,
        &CODE.replace("third(x):\n    y = x / 3", "third(x):\n    y = x / 2"),
    );
    let off = Replacement { line: Some(5), ..lines("    y = x / 3\n", "    y = x / 2\n") };
    refused(CODE, off, EditStatus::Ambiguous, "2 times");
}

#[test]
fn what_was_done_before_is_said() {
    let done = CODE.replacen("x / 3", "x / 2", 1);
    refused(
        &done,
        lines("def half(x):\n    y = x / 3\n", "def half(x):\n    y = x / 2\n"),
        EditStatus::AlreadyApplied,
        "line 1",
    );
    refused(
        "a = 1\nb = 2\nc = 3\n",
        lines("a = 1\n", "a = 1\nb = 2\n"),
        EditStatus::AlreadyApplied,
        "line 1",
    );
    refused("a = 1\nb = 2\nc = 3\n", text("b = 2\n", "b = 2\nc = 3\n"), EditStatus::AlreadyApplied, "line 2");
    refused("a = 1\n", lines("a = 1\n", "a = 1\n"), EditStatus::NoChange, "the same");
    // Too little to be sure of.
    refused("b\n", lines("a\n", "b\n"), EditStatus::NotFound, "does not contain");
}

#[test]
fn a_later_text_may_be_what_an_earlier_one_brought() {
    let root = folder(&[("a.py", b"a = 1\nb = 2\n")]);
    let replacements = vec![
        lines("a = 1\n", "a = 5\n"),
        lines("a = 5\nb = 2\n", "a = 5\nb = 6\n"),
        lines("b = 6\n", "b = 7\n"),
    ];
    let edit = Edit { file_path: "a.py".to_owned(), replacements, ..Edit::default() };
    let applied = apply(&Project::open(root.path()).unwrap(), &[edit], &EditRules::default()).unwrap();
    assert_eq!(applied.files[0].after.as_deref(), Some(&b"a = 5\nb = 7\n"[..]));
}

#[test]
fn a_line_that_stands_for_code_is_not_written_in_its_place() {
    let before = "def g(self):\n    x = 1\n    return x\n";
    for line in
        ["# ... existing code ...", "# rest of the function unchanged", "// ... existing code ...", "# ..."]
    {
        let new = format!("def g(self):\n    {line}\n    return 5\n");
        refused(before, lines(before, &new), EditStatus::Ambiguous, "stands for code");
        refused(before, text(before, &new), EditStatus::Ambiguous, "stands for code");
    }
    check(before, lines(before, "def g(self):\n    ...\n"), EditStatus::Exact, "def g(self):\n    ...\n");
}

#[test]
fn a_line_that_stands_elsewhere_is_no_proof_that_it_was_brought() {
    let root = folder(&[("a.py", b"def a(x):\n    return compute(x)\n\n\ndef c(x):\n    return 5\n")]);
    let project = Project::open(root.path()).unwrap();
    let edit = |replacements: Vec<Replacement>| Edit {
        file_path: "a.py".to_owned(),
        replacements,
        ..Edit::default()
    };
    let elsewhere = lines("    return x - 1\n", "    return compute(x)\n");
    let other = lines("    return 5\n", "    return 6\n");
    let both = attempt(&project, &[edit(vec![elsewhere.clone(), other])], &EditRules::default());
    assert!(both.result.is_err());
    let alone = attempt(&project, &[edit(vec![elsewhere])], &EditRules::default());
    assert_eq!(alone.outcomes[0].status, EditStatus::AlreadyApplied);
}

#[test]
fn signs_that_look_alike_are_named_where_they_are_refused() {
    // The file has the text twice.
    refused(
        "a \u{2013} b\nx\na \u{2013} b\n",
        lines("a - b\n", "c\n"),
        EditStatus::Ambiguous,
        "2 times, at lines 1, 3",
    );
    // Another word differs, too.
    refused(
        "the long range is a \u{2013} b here\n",
        lines("the long range is a - c here\n", "c\n"),
        EditStatus::NotFound,
        "(the file has U+2013)",
    );
    refused(
        "the long range is a - b here\n",
        lines("the long range is a \u{a0}- c here\n", "c\n"),
        EditStatus::NotFound,
        "(the text has U+00A0)",
    );
}

#[test]
fn white_space_at_line_ends_is_changed_as_it_is_written() {
    // To the byte, and where the text stands deeper in the file.
    for depth in ["", "    "] {
        let check = |before: &str, search: &str, replace: &str, after: &str| {
            let text = |text: &str| {
                let lines = text
                    .lines()
                    .map(|line| if line.is_empty() { "\n".to_owned() } else { format!("{depth}{line}\n") });
                lines.collect::<String>()
            };
            let outer = |text: String| if depth.is_empty() { text } else { format!("if x:\n{text}") };
            let (_, found) = outcome(&outer(text(before)), lines(search, replace));
            assert_eq!(found, outer(text(after)), "{search:?} {replace:?} at {depth:?}");
        };
        check("a = 1  \nb = 2\n", "a = 1  \nb = 2\n", "a = 1\nb = 3\n", "a = 1\nb = 3\n");
        check("a = 1\nb = 2\n", "a = 1\nb = 2\n", "a = 1  \nb = 2\n", "a = 1  \nb = 2\n");
        check("a = 1\nb = 2\n", "a = 1\nb = 2\n", "a = 1\nc = 3  \nb = 2\n", "a = 1\nc = 3  \nb = 2\n");
        // What the edit leaves alone stays.
        check("a = 1  \nb = 2\n", "a = 1\nb = 2\n", "a = 1\nb = 3\n", "a = 1  \nb = 3\n");
    }
}

#[test]
fn brackets_alone_are_no_place_where_they_stand_at_several_depths() {
    let before = "class A {\n    void f() {\n        g();\n    }\n}\n";
    refused(before, lines("}\n", "}\n\nvoid h() {\n}\n"), EditStatus::Ambiguous, "lines 4, 5");
    check("f(\n    1,\n)\n", lines(")\n", ") + 1\n"), EditStatus::Exact, "f(\n    1,\n) + 1\n");
}
