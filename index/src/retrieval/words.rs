//! The words of code and of prose, as retrieval compares them.

use patchwright_syntax::subtokens;

/// English words that say nothing about what a text is about.
const STOP: &[&str] = &[
    "a", "about", "after", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "because",
    "been", "before", "being", "both", "but", "by", "can", "could", "did", "do", "does", "doing", "don",
    "each", "few", "for", "from", "further", "had", "has", "have", "having", "he", "her", "here", "how",
    "however", "i", "if", "in", "into", "is", "isn", "it", "its", "just", "like", "me", "more", "most", "my",
    "no", "nor", "not", "now", "of", "on", "one", "only", "or", "other", "our", "out", "over", "own", "same",
    "she", "should", "so", "some", "such", "than", "that", "the", "their", "them", "then", "there", "these",
    "they", "this", "those", "through", "to", "too", "under", "until", "up", "use", "using", "very", "was",
    "we", "were", "what", "when", "where", "which", "while", "who", "why", "will", "with", "would", "you",
    "your",
];

/// Characters of a stem.
const STEM: usize = 5;

/// Characters from which on a word is data.
const LONGEST: usize = 64;

/// The words of a text: runs of letters, digits and underscores.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    let part_of_one = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.split(move |letter: char| !part_of_one(letter)).filter(|word| {
        word.len() > 1 && word.len() <= LONGEST && !word.starts_with(|first: char| first.is_ascii_digit())
    })
}

/// The terms of a word: its subtokens, and the word itself if it has several; in lower case, without stop words.
pub(super) fn terms(word: &str) -> Vec<String> {
    let mut parts = subtokens(word);
    let whole = (parts.len() > 1).then(|| parts.join("_"));
    parts.retain(|part| part.chars().nth(1).is_some() && STOP.binary_search(&part.as_str()).is_err());
    parts.extend(whole);
    parts
}

/// The beginning of a term by which its forms are told from other words. A name of several parts is compared whole.
pub(super) fn stem(term: &str) -> &str {
    let end = term.char_indices().nth(STEM).map_or(term.len(), |(end, _)| end);
    if term.contains('_') { term } else { &term[..end] }
}

/// The stems of the terms of a word.
pub(super) fn stems(word: &str) -> Vec<String> {
    terms(word).iter().map(|term| stem(term).to_owned()).collect()
}

/// Is true if a word looks like a name in code: `snake_case`, `camelCase`, `v2`, `HTTP`.
pub(crate) fn is_identifier(word: &str) -> bool {
    let inner = word.trim_matches('_');
    let joined = inner.contains('_') || word.len() > inner.len();
    let humped = inner.chars().skip(1).any(char::is_uppercase);
    joined || humped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stop_words_are_sorted() {
        assert!(STOP.is_sorted());
    }

    #[test]
    fn words_of_code_are_compared_whole_and_in_parts() {
        let check = |text: &str, expect: &[&str]| {
            assert_eq!(words(text).flat_map(terms).collect::<Vec<_>>(), expect, "{text}");
        };
        check("def getFullName(self):", &["def", "get", "full", "name", "get_full_name", "self"]);
        check("get_full_name", &["get", "full", "name", "get_full_name"]);
        check("The widget is not shown", &["widget", "shown"]);
        check("x = 42 + 0xff", &[]);
        check("to_string", &["string", "to_string"]);
        check("größe_max", &["größe", "max", "größe_max"]);
        check("", &[]);
    }

    #[test]
    fn identifiers_are_told_from_words() {
        let check = |word: &str, expect: bool| assert_eq!(is_identifier(word), expect, "{word}");
        check("get_name", true);
        check("getName", true);
        check("_private", true);
        check("HTTP", true);
        check("Widget", false);
        check("widget", false);
    }
}
