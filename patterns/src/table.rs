//! The table of all patterns: data, in `patterns.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::Pattern;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
struct Table {
    pattern: Vec<Pattern>,
}

/// All patterns: those of the study first.
#[expect(clippy::expect_used, reason = "the file is part of the program and the tests load it")]
pub fn all() -> &'static [Pattern] {
    static TABLE: LazyLock<Table> = LazyLock::new(|| {
        toml::from_str(include_str!("../patterns.toml")).expect("the embedded patterns are valid")
    });
    &TABLE.pattern
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn of_the_study() -> impl Iterator<Item = &'static Pattern> {
        all().iter().filter(|pattern| pattern.in_prompt)
    }

    #[test]
    fn the_table_holds_the_sixteen_patterns_of_the_study() {
        let names: Vec<&str> = of_the_study().map(|pattern| pattern.name).collect();
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
        for (pattern, example) in
            of_the_study().flat_map(|one| one.examples().map(move |example| (one, example)))
        {
            let buggy: Vec<&str> = example.buggy.lines().collect();
            let fixed: Vec<&str> = example.fixed.lines().collect();
            assert_eq!(buggy.len(), fixed.len(), "{}", pattern.name);
            let changed = buggy.iter().zip(&fixed).filter(|(before, after)| before != after).count();
            assert_eq!(changed, 1, "{}", pattern.name);
        }
    }

    #[test]
    fn prompts_show_patterns_in_the_language_of_the_project() {
        let without = |language: &str| {
            let lacks = |pattern: &&Pattern| pattern.examples().all(|example| example.language != language);
            of_the_study().filter(lacks).map(|pattern| pattern.name).collect::<Vec<_>>()
        };
        assert_eq!(without("java"), Vec::<&str>::new());
        let of_java_alone = ["change modifier", "missing throws exception", "delete throws exception"];
        assert_eq!(without("python"), of_java_alone);
        assert!(all().iter().all(|pattern| pattern.in_prompt || pattern.counterpart.is_none()));
    }

    #[test]
    fn sentences_and_languages_are_fit_for_a_prompt() {
        for pattern in of_the_study() {
            assert!(pattern.sentence.ends_with('.') && !pattern.sentence.contains('\n'), "{}", pattern.name);
            assert!(!pattern.sentence.contains("  "), "{}", pattern.name);
        }
        let languages: BTreeSet<&str> = of_the_study().map(|pattern| pattern.language).collect();
        assert_eq!(languages, BTreeSet::from(["java", "python"]));
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
            assert_eq!(written["in_prompt"], pattern.in_prompt, "{written}");
            assert_eq!(written["weight"], pattern.weight, "{written}");
            assert_eq!(
                written.as_object().map(serde_json::Map::len),
                Some(7 + usize::from(pattern.counterpart.is_some())),
                "{written}"
            );
        }
    }
}
