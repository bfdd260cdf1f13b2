//! The examples of the table, as far as what they are repaired with stands in them.

use patchwright_patterns::{Pattern, all};

use crate::bed::{Bed, place_of};

/// Examples whose repair is made of something that the example does not show, such as a text that no other code has.
const UNSOLVED: &[&str] = &[
    "change identifier used",
    "same function change caller",
    "less specific if",
    "wrong argument",
    "constant for literal",
    "wrong condition",
    "missing last statement",
];

/// Examples that another pattern repairs in the same way before theirs does.
const BY_ANOTHER: &[(&str, &str)] = &[
    ("missing own prefix", "change identifier used"),
    ("missing conversion", "missing copy"),
    ("surplus operand", "off by one"),
    ("missing base case", "missing early exit"),
];

/// A proposal among so many repairs each of the other examples: what was measured, and a tenth more.
const WITHIN: usize = 23;

/// Examples whose repair stands further down, and how far.
const LATER: &[(&str, usize)] = &[
    ("change operand", 32),
    ("missing operand", 41),
    ("change target", 38),
    ("change text literal", 39),
    ("wrong control word", 24),
];

/// An example as a file: its path, with the bug and without.
fn as_files(pattern: &Pattern) -> (&'static str, String, String) {
    let declares = |text: &str| {
        text.contains(") {\n    ") && !text.starts_with(['f', 'i', 'w', 't']) || text.starts_with('@')
    };
    let (path, before, after, indentation) = match pattern.language {
        "java" if pattern.buggy.contains("class ") => ("A.java", "", "", ""),
        "java" if declares(pattern.buggy) => ("A.java", "class A {\n", "}\n", "    "),
        "java" => ("A.java", "class A {\n    void run() {\n", "    }\n}\n", "        "),
        _ if pattern.buggy.starts_with("def ") => ("a.py", "", "", ""),
        _ => ("a.py", "def run():\n", "", "    "),
    };
    let file = |text: &str| {
        let lines: Vec<String> = text.lines().map(|line| format!("{indentation}{line}\n")).collect();
        format!("{before}{}{after}", lines.concat())
    };
    (path, file(pattern.buggy), file(pattern.fixed))
}

/// What a list says of a pattern.
fn known<T: Copy>(list: &[(&str, T)], name: &str) -> Option<T> {
    list.iter().find(|(known, _)| *known == name).map(|(_, said)| *said)
}

#[test]
fn examples_are_repaired() {
    let mut wrong = Vec::new();
    for pattern in all() {
        let (path, buggy, fixed) = as_files(pattern);
        let (line, omission) = place_of(&buggy, &fixed);
        let bed = Bed::new(&[(path, buggy.as_bytes())]);
        let found = bed.repair(path, line, omission, &fixed);
        let expected = known(BY_ANOTHER, pattern.name).unwrap_or(pattern.name);
        let within = known(LATER, pattern.name).unwrap_or(WITHIN);
        let solved = found.is_some_and(|found| found.pattern == expected && found.rank <= within);
        if solved == UNSOLVED.contains(&pattern.name) {
            wrong.push((pattern.name, found));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
