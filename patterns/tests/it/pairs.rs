//! Bugs of each kind and their repairs.

use patchwright_patterns::all;

use crate::bed::{Bed, place_of};

#[test]
fn examples_of_the_table() {
    for pattern in all() {
        let (before, after, path) = match pattern.language {
            "java" if pattern.buggy.contains("class ") => ("", "", "A.java"),
            "java"
                if pattern.buggy.contains(") {\n    ")
                    && !pattern.buggy.starts_with(['f', 'i', 'w', 't']) =>
            {
                ("class A {\n", "\n}\n", "A.java")
            }
            "java" => ("class A {\nvoid run() {\n", "\n}\n}\n", "A.java"),
            _ if pattern.buggy.starts_with("def ") => ("", "\n", "a.py"),
            _ => ("def run():\n", "\n", "a.py"),
        };
        let indent = |text: &str| {
            if before.ends_with("run():\n") {
                text.lines().map(|line| format!("    {line}\n")).collect::<String>()
            } else {
                text.to_owned()
            }
        };
        let buggy = format!("{before}{}{after}", indent(pattern.buggy));
        let fixed = format!("{before}{}{after}", indent(pattern.fixed));
        let (line, omission) = place_of(&buggy, &fixed);
        let bed = Bed::new(&[(path, buggy.as_bytes())]);
        eprintln!(
            "{}: {:?} of {}",
            pattern.name,
            bed.rank(path, line, omission, &fixed),
            bed.propose(path, line, omission).len()
        );
    }
}
