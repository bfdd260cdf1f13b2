//! The names that the examples of an issue use: what they import, and what they call.

use patchwright_syntax::pattern::{Pattern, pattern};

/// Names that are looked for, the first of a text.
const MOST: usize = 30;
/// Names shorter than this are words by chance.
const SHORTEST: usize = 3;

/// Words before a bracket that call nothing of a project.
const WORDS: &[&str] = &[
    "and", "assert", "catch", "elif", "for", "import", "not", "print", "return", "super", "switch", "while",
];

/// The names that a line imports.
static IMPORTED: Pattern = pattern!(r"^\s*(?:>>>\s*)?from\s+[\w.]+\s+import\s+\(?([\w,\s]+?)\)?\s*$");
/// Something that is called, or made.
static CALLED: Pattern = pattern!(r"([A-Za-z_]\w*)\s*\(");

/// The names that the examples in a text use, in their order, each once. Examples are what stands in fences, is indented like code, or begins
/// with a prompt of Python's.
pub(crate) fn example_names(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut is_fenced = false;
    for line in text.lines() {
        let bare = line.trim_start();
        if bare.starts_with("```") || bare.starts_with("~~~") {
            is_fenced = !is_fenced;
            continue;
        }
        let is_code =
            is_fenced || bare.starts_with(">>>") || line.starts_with("    ") || line.starts_with('\t');
        if !is_code {
            continue;
        }
        let imported = IMPORTED.captures(line).into_iter().flat_map(|found| {
            let list = found.get(1).map_or("", |list| list.as_str()).to_owned();
            list.split(',').map(|name| name.trim().to_owned()).collect::<Vec<_>>()
        });
        let called = CALLED.captures_iter(line).map(|found| found[1].to_owned());
        for name in imported.chain(called) {
            let is_name = name.len() >= SHORTEST
                && !name.contains(char::is_whitespace)
                && !WORDS.contains(&name.as_str());
            if is_name && !names.contains(&name) && names.len() < MOST {
                names.push(name);
            }
        }
    }
    names
}

/// A text with the names that its examples use between backticks at its end: what reads it for the code that it names finds them.
pub fn with_example_names(text: &str) -> String {
    let names: Vec<String> = example_names(text).iter().map(|name| format!("`{name}`")).collect();
    format!("{text}\n\n{}", names.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_name_what_they_import_and_call() {
        let check = |text: &str, expect: &[&str]| assert_eq!(example_names(text), expect, "{text}");
        check(
            "I call total(x).\n```python\nfrom shop import Basket, sums\nprint(Basket(1).total())\n```\n",
            &["Basket", "sums", "total"],
        );
        check("It fails:\n\n    >>> rounded (2)\n", &["rounded"]);
        check(">>> from a.b import (c, defg)\n>>> defg(1)", &["defg"]);
        check("```java\nnew Account(100).withdraw(100);\n```", &["Account", "withdraw"]);
        check("no code, but a call()", &[]);
    }
}
