//! The examples of the table, as far as what they are repaired with stands in them.

use patchwright_patterns::{Example, all};

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

/// Counterparts in Java of which that holds, while the example itself is repaired.
const UNSOLVED_IN_JAVA: &[&str] = &["wrong function name", "same function more args", "change operand"];

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
fn as_files(example: &Example) -> (&'static str, String, String) {
    let declares = |text: &str| {
        text.contains(") {\n    ") && !text.starts_with(['f', 'i', 'w', 't']) || text.starts_with('@')
    };
    let (path, before, after, indentation) = match example.language {
        "java" if example.buggy.contains("class ") => ("A.java", "", "", ""),
        "java" if declares(example.buggy) => ("A.java", "class A {\n", "}\n", "    "),
        "java" => ("A.java", "class A {\n    void run() {\n", "    }\n}\n", "        "),
        _ if example.buggy.starts_with("def ") => ("a.py", "", "", ""),
        _ => ("a.py", "def run():\n", "", "    "),
    };
    let file = |text: &str| {
        let lines: Vec<String> = text.lines().map(|line| format!("{indentation}{line}\n")).collect();
        format!("{before}{}{after}", lines.concat())
    };
    (path, file(example.buggy), file(example.fixed))
}

/// What a list says of a pattern.
fn known<T: Copy>(list: &[(&str, T)], name: &str) -> Option<T> {
    list.iter().find(|(known, _)| *known == name).map(|(_, said)| *said)
}

#[test]
fn examples_are_repaired() {
    let mut wrong = Vec::new();
    for (pattern, example) in all().iter().flat_map(|one| one.examples().map(move |example| (one, example))) {
        let (path, buggy, fixed) = as_files(&example);
        let (line, omission) = place_of(&buggy, &fixed);
        let bed = Bed::new(&[(path, buggy.as_bytes())]);
        let found = bed.repair(path, line, omission, &fixed);
        let expected = known(BY_ANOTHER, pattern.name).unwrap_or(pattern.name);
        let within = known(LATER, pattern.name).unwrap_or(WITHIN);
        let solved = found.is_some_and(|found| found.pattern == expected && found.rank <= within);
        let is_counterpart_in_java = pattern.language != "java" && example.language == "java";
        let unsolved = UNSOLVED.contains(&pattern.name)
            || is_counterpart_in_java && UNSOLVED_IN_JAVA.contains(&pattern.name);
        if solved == unsolved {
            wrong.push((pattern.name, example.language, found));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
