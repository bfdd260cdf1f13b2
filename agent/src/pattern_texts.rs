//! The fix patterns that the prompts of a session show.

use std::collections::BTreeSet;

use patchwright_patterns::Pattern;
use patchwright_prompts::{PatternText, Task};
use patchwright_syntax::Language;

/// The fix patterns with their examples in the project's own language, or else in another that it has code in.
pub(crate) fn pattern_texts(task: &Task) -> Vec<PatternText> {
    let others = task.files.iter().filter_map(|path| Language::of_path(path.as_ref())).map(Language::name);
    let others: BTreeSet<&str> = others.collect();
    let text = |pattern: &Pattern| {
        let mut languages = std::iter::once(task.language.as_str()).chain(others.iter().copied());
        let in_language = |language: &str| pattern.examples().find(|example| example.language == language);
        let example = languages.find_map(in_language)?;
        Some(PatternText {
            name: pattern.name.to_owned(),
            sentence: pattern.sentence.to_owned(),
            buggy: example.buggy.to_owned(),
            fixed: example.fixed.to_owned(),
            language: example.language.to_owned(),
        })
    };
    patchwright_patterns::all().iter().filter(|pattern| pattern.in_prompt).filter_map(text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_shown_in_the_languages_of_the_project() {
        let check = |language: &str, files: &[&str], expect: &[(&str, usize)]| {
            let files = files.iter().map(|path| (*path).to_owned()).collect();
            let texts = pattern_texts(&Task { language: language.to_owned(), files, ..Task::default() });
            for (language, count) in expect {
                assert_eq!(texts.iter().filter(|text| text.language == *language).count(), *count);
            }
            assert_eq!(texts.len(), expect.iter().map(|(_, count)| count).sum::<usize>());
        };
        check("python", &["shop/cart.py"], &[("python", 13)]);
        check("java", &["src/shop/Cart.java", "src/shop/cart.xml"], &[("java", 16)]);
        check("python", &["shop/cart.py", "bridge/Cart.java"], &[("python", 13), ("java", 3)]);
        check("unknown", &["cart.py"], &[("python", 13)]);
        check("go", &["cart.go"], &[]);
    }
}
