//! The table of all patterns.
//!
//! Weights say how much more often fixes of one kind repair bugs than those of another, for the likeliest edit of each; they
//! order what is tried and mean nothing by themselves. What they rest on: the order of the counts that ManySStuBs4J gives
//! for the sixteen patterns, divided by how many candidates a pattern usually has at a place (an operator has four rivals, a
//! name has dozens), so that operators come before names although names are more often wrong; for the others the order
//! of the repair actions in "Dissection of a Bug Dataset" (Sobreira et al., SANER 2018: conditionals, calls and assignments that
//! are added come first) and of the templates of TBar (Liu et al., ISSTA 2019) by bugs repaired. The studies agree on no
//! scale, so the numbers are estimates in steps of about a twentieth; those below a third are guesses.

mod control;
mod data;
mod flow;

use crate::Pattern;
use crate::generators::{calls, conditions, declarations, literals, names, numbers, operators};

/// All patterns: those of the study first.
pub fn all() -> impl Iterator<Item = &'static Pattern> {
    PATTERNS.iter().chain(data::MORE).chain(control::MORE).chain(flow::MORE)
}

/// The pattern of this name; capitals do not matter, and `-` or `_` may stand for spaces.
pub fn find(name: &str) -> Option<&'static Pattern> {
    let wanted = name.trim().to_lowercase().replace(['-', '_'], " ");
    all().find(|pattern| pattern.name == wanted)
}

/// The sixteen patterns of the study, in its order: those that prompts show.
pub const PATTERNS: &[Pattern] = &[
    Pattern {
        name: "change identifier used",
        sentence: "A variable, field or parameter is used where another one that is in scope and of the same type was \
                   meant; use the other one.",
        buggy: "int width = box.right - box.left;\nint height = box.bottom - box.left;",
        fixed: "int width = box.right - box.left;\nint height = box.bottom - box.top;",
        language: "java",
        weight: 0.9,
        generate: names::replace_variable,
    },
    Pattern {
        name: "change numeric literal",
        sentence: "A number written into the code is wrong, often by one or by a factor; write the right number.",
        buggy: "def day_of_week(ordinal):\n    return WEEKDAYS[ordinal % 6]",
        fixed: "def day_of_week(ordinal):\n    return WEEKDAYS[ordinal % 7]",
        language: "python",
        weight: 0.75,
        generate: numbers::literal,
    },
    Pattern {
        name: "change boolean literal",
        sentence: "A flag is passed, returned or initialised with the wrong truth value; use the opposite one.",
        buggy: "writer = new FileWriter(logFile, false);  // keep what earlier runs wrote",
        fixed: "writer = new FileWriter(logFile, true);  // keep what earlier runs wrote",
        language: "java",
        weight: 0.6,
        generate: literals::boolean,
    },
    Pattern {
        name: "change modifier",
        sentence: "A declaration has the wrong modifier, such as a visibility that is too narrow or a missing or surplus \
                   `static`, `final`, `volatile` or `synchronized`; correct the modifier.",
        buggy: "public class Counter {\n    private static int count = 0;\n}",
        fixed: "public class Counter {\n    private int count = 0;\n}",
        language: "java",
        weight: 0.12,
        generate: declarations::modifier,
    },
    Pattern {
        name: "wrong function name",
        sentence: "A function is called that takes the same arguments but does something else than was meant; call the \
                   right one.",
        buggy: "line = stream.readline()\nname = line.lstrip(\"\\r\\n\")",
        fixed: "line = stream.readline()\nname = line.rstrip(\"\\r\\n\")",
        language: "python",
        weight: 0.8,
        generate: calls::replace_callee,
    },
    Pattern {
        name: "same function more args",
        sentence: "The right function is called with too few arguments, so that a default or another overload applies; \
                   pass the missing argument as well.",
        buggy: "with open(path) as source:\n    rows = list(csv.reader(source))",
        fixed: "with open(path, newline=\"\") as source:\n    rows = list(csv.reader(source))",
        language: "python",
        weight: 0.55,
        generate: calls::add_argument,
    },
    Pattern {
        name: "same function less args",
        sentence: "The right function is called with an argument too many, which selects another overload or overrides a \
                   good default; leave the argument out.",
        buggy: "String[] cells = row.split(\",\", 2);\nreturn cells.length;",
        fixed: "String[] cells = row.split(\",\");\nreturn cells.length;",
        language: "java",
        weight: 0.45,
        generate: calls::remove_argument,
    },
    Pattern {
        name: "same function change caller",
        sentence: "A method is called on the wrong object of two similar ones; call it on the other.",
        buggy: "for (Node child : source.children()) {\n    source.append(child.copy());\n}",
        fixed: "for (Node child : source.children()) {\n    target.append(child.copy());\n}",
        language: "java",
        weight: 0.55,
        generate: names::replace_receiver,
    },
    Pattern {
        name: "same function swap args",
        sentence: "Two arguments of a call that could take each other's place stand in the wrong order; swap them.",
        buggy: "for old, new in renames.items():\n    text = text.replace(new, old)",
        fixed: "for old, new in renames.items():\n    text = text.replace(old, new)",
        language: "python",
        weight: 0.65,
        generate: calls::swap_arguments,
    },
    Pattern {
        name: "change binary operator",
        sentence: "A comparison, logical or arithmetic operator between two operands is wrong, such as `<` for `<=`, `&&` for \
                   `||` or `+` for `-`; use the right operator.",
        buggy: "for (int i = first; i < last; i++) {  // `last` is part of the range\n    sum += values[i];\n}",
        fixed: "for (int i = first; i <= last; i++) {  // `last` is part of the range\n    sum += values[i];\n}",
        language: "java",
        weight: 1.0,
        generate: operators::binary,
    },
    Pattern {
        name: "change unary operator",
        sentence: "A unary operator is missing, surplus or wrong, such as a forgotten negation or `++i` for `i++`; add, \
                   remove or replace it.",
        buggy: "if path.exists():\n    raise FileNotFoundError(path)",
        fixed: "if not path.exists():\n    raise FileNotFoundError(path)",
        language: "python",
        weight: 0.7,
        generate: operators::unary,
    },
    Pattern {
        name: "change operand",
        sentence: "One operand of an otherwise right expression is wrong; replace it by the variable or value that was meant.",
        buggy: "def average(values):\n    return sum(values) / len(values[0])",
        fixed: "def average(values):\n    return sum(values) / len(values)",
        language: "python",
        weight: 0.55,
        generate: names::replace_operand,
    },
    Pattern {
        name: "more specific if",
        sentence: "A condition holds in cases that it should not cover, such as null or empty values; narrow it with a further \
                   condition joined by `&&` (`and`).",
        buggy: "if (name.startsWith(prefix)) {\n    return name.substring(prefix.length());\n}",
        fixed: "if (name != null && name.startsWith(prefix)) {\n    return name.substring(prefix.length());\n}",
        language: "java",
        weight: 0.75,
        generate: conditions::narrow,
    },
    Pattern {
        name: "less specific if",
        sentence: "A condition misses cases that it should cover; widen it with an alternative joined by `||` (`or`), or drop a \
                   part that demands too much.",
        buggy: "if scheme == \"http\":\n    return fetch(url)",
        fixed: "if scheme == \"http\" or scheme == \"https\":\n    return fetch(url)",
        language: "python",
        weight: 0.75,
        generate: conditions::widen,
    },
    Pattern {
        name: "missing throws exception",
        sentence: "A method lets a checked exception escape, or promises to raise one, without declaring it; add the \
                   exception to its `throws` clause.",
        buggy: "byte[] load(Path file) {\n    return Files.readAllBytes(file);\n}",
        fixed: "byte[] load(Path file) throws IOException {\n    return Files.readAllBytes(file);\n}",
        language: "java",
        weight: 0.15,
        generate: declarations::add_throws,
    },
    Pattern {
        name: "delete throws exception",
        sentence: "A method declares an exception that it cannot throw, or that an overridden method does not allow; remove it \
                   from the `throws` clause.",
        buggy: "@Override\npublic void close() throws Exception {\n    buffer.clear();\n}",
        fixed: "@Override\npublic void close() {\n    buffer.clear();\n}",
        language: "java",
        weight: 0.12,
        generate: declarations::remove_throws,
    },
];

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_table_holds_the_sixteen_patterns_of_the_study() {
        let names: Vec<&str> = PATTERNS.iter().map(|pattern| pattern.name).collect();
        assert_eq!(
            names,
            [
                "change identifier used",
                "change numeric literal",
                "change boolean literal",
                "change modifier",
                "wrong function name",
                "same function more args",
                "same function less args",
                "same function change caller",
                "same function swap args",
                "change binary operator",
                "change unary operator",
                "change operand",
                "more specific if",
                "less specific if",
                "missing throws exception",
                "delete throws exception",
            ]
        );
    }

    #[test]
    fn each_example_is_repaired_in_exactly_one_line() {
        for pattern in PATTERNS {
            let buggy: Vec<&str> = pattern.buggy.lines().collect();
            let fixed: Vec<&str> = pattern.fixed.lines().collect();
            assert_eq!(buggy.len(), fixed.len(), "{}", pattern.name);
            let changed = buggy.iter().zip(&fixed).filter(|(before, after)| before != after).count();
            assert_eq!(changed, 1, "{}", pattern.name);
        }
    }

    #[test]
    fn sentences_and_languages_are_fit_for_a_prompt() {
        for pattern in PATTERNS {
            assert!(pattern.sentence.ends_with('.') && !pattern.sentence.contains('\n'), "{}", pattern.name);
            assert!(!pattern.sentence.contains("  "), "{}", pattern.name);
        }
        let languages: BTreeSet<&str> = PATTERNS.iter().map(|pattern| pattern.language).collect();
        assert_eq!(languages, BTreeSet::from(["java", "python"]));
    }

    #[test]
    fn patterns_are_found_by_name() {
        fn check(asked: &str, expect: Option<&str>) {
            assert_eq!(find(asked).map(|pattern| pattern.name), expect, "{asked}");
        }
        for pattern in all() {
            check(pattern.name, Some(pattern.name));
        }
        check("More Specific If", Some("more specific if"));
        check("change_binary-operator", Some("change binary operator"));
        check("change", None);
        check("", None);
    }

    #[test]
    fn every_entry_is_whole() {
        let mut names = BTreeSet::new();
        for pattern in all() {
            assert!(names.insert(pattern.name), "{} twice", pattern.name);
            assert!(pattern.weight > 0.0 && pattern.weight <= 1.0, "{}", pattern.name);
            assert_ne!(pattern.buggy, pattern.fixed, "{}", pattern.name);
            assert!(pattern.sentence.ends_with('.') && !pattern.sentence.contains("  "), "{}", pattern.name);
            let written = serde_json::to_value(pattern).unwrap();
            assert_eq!(written["in_prompt"], PATTERNS.contains(pattern), "{written}");
            assert_eq!(written["weight"], pattern.weight, "{written}");
            assert_eq!(written.as_object().map(serde_json::Map::len), Some(7), "{written}");
        }
    }
}
