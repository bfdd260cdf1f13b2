//! Failing tests and an issue: which of them it may be about.

use std::collections::BTreeSet;

use patchwright_index::{Element, ElementKind, Index, IndexedFile, names_in};
use patchwright_protocol::{Failure, TestId};
use patchwright_testbed::{Baseline, TestBed, blocking};

use crate::extract_tests::test_code_text;

/// Names shorter than this are words by chance.
const SHORTEST_NAME: usize = 3;
/// More failing tests than these are about more than one issue.
const FEW: usize = 30;
/// Letters by which words are told apart: what follows is mostly their ending.
const STEM: usize = 5;
/// Words that stand in tests and issues of any kind.
const COMMON: &[&str] = &[
    "actua", "after", "asser", "attri", "befor", "class", "colle", "could", "equal", "error", "examp",
    "excep", "expec", "faile", "fails", "failu", "false", "impor", "insta", "lines", "metho", "modul",
    "other", "pytho", "raise", "recen", "resul", "retur", "shoul", "tests", "there", "these", "throw",
    "trace", "unitt", "value", "versi", "where", "which", "would", "wrong",
];
/// Characters of a line that are looked at.
const LINE_CHARS: usize = 1_000;

/// The failing tests that have nothing to do with an issue, as far as it can be told: neither a class or function that the issue names nor
/// one of its words stands in their names, in what they say, or in their code. Many tests have all that by chance: of them those count that
/// the issue names, or whose message it quotes.
///
/// # Errors
/// The project cannot be read.
pub async fn unrelated_tests(
    bed: &TestBed,
    baseline: &Baseline,
    issue: &str,
) -> Result<Vec<TestId>, Failure> {
    if baseline.failing.is_empty() {
        return Ok(Vec::new());
    }
    if baseline.failing.len() > FEW {
        let of_many = |test: &&TestId| !is_told(baseline, test, issue);
        return Ok(baseline.failing.iter().filter(of_many).cloned().collect());
    }
    let (names, spoken) = (declared_names(bed, issue).await?, stems(issue));
    let mut unrelated = Vec::new();
    for test in &baseline.failing {
        let code = test_code_text(bed.project(), vec![test.to_string()], LINE_CHARS).await?;
        let outcome = baseline.report.outcome(test);
        let said = outcome.iter().flat_map(|outcome| [&outcome.message, &outcome.trace]).flatten();
        let texts: Vec<&str> =
            [test.as_str(), code.as_str()].into_iter().chain(said.map(String::as_str)).collect();
        let has_name = || names.iter().any(|name| texts.iter().any(|text| holds(text, name)));
        let has_word = || texts.iter().any(|text| !stems(text).is_disjoint(&spoken));
        if !is_told(baseline, test, issue) && !has_name() && !has_word() {
            unrelated.push(test.clone());
        }
    }
    Ok(unrelated)
}

/// Is true if an issue names a failing test, or quotes its message.
fn is_told(baseline: &Baseline, test: &TestId, issue: &str) -> bool {
    let is_named = last_part(test.without_parameters()).is_some_and(|name| holds(issue, name));
    let message =
        baseline.report.outcome(test).and_then(|outcome| outcome.message.as_deref()?.lines().next());
    let is_quoted = |message: &str| !message.trim().is_empty() && issue.contains(message.trim());
    is_named || message.is_some_and(is_quoted)
}

/// The names of classes and functions of the project that an issue writes as code.
async fn declared_names(bed: &TestBed, issue: &str) -> Result<BTreeSet<String>, Failure> {
    let (project, issue) = (bed.project().clone(), issue.to_owned());
    blocking::spawn(move |_| {
        let names = names_in(&issue);
        let names: BTreeSet<&str> = names.iter().filter_map(|name| last_part(name)).collect();
        let index = Index::build(project.root()).map_err(Failure::environment)?;
        let elements = index.files().filter(|file| !file.test).flat_map(IndexedFile::elements);
        let declared: BTreeSet<&str> =
            elements.filter(|element| element.kind != ElementKind::Variable).map(Element::name).collect();
        Ok(names.intersection(&declared).map(|name| (*name).to_owned()).collect())
    })
    .await?
}

/// The beginnings of the longer words in a text, in lowercase, those of names apart.
fn stems(text: &str) -> BTreeSet<String> {
    let mut stems = BTreeSet::new();
    let mut word = String::new();
    for letter in text.chars().chain([' ']) {
        let begins = letter.is_uppercase() && !word.is_empty();
        if !letter.is_alphabetic() || begins {
            if word.chars().count() >= STEM {
                stems.insert(word.to_lowercase().chars().take(STEM).collect::<String>());
            }
            word.clear();
        }
        if letter.is_alphabetic() {
            word.push(letter);
        }
    }
    stems.retain(|stem| !COMMON.contains(&stem.as_str()));
    stems
}

/// The name of a thing without those of what it is in.
fn last_part(name: &str) -> Option<&str> {
    let last = name.rsplit(['.', ':', '/']).next()?;
    (last.len() >= SHORTEST_NAME).then_some(last)
}

/// Is true if a text has a name as a word of its own.
fn holds(text: &str, name: &str) -> bool {
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    text.match_indices(name).any(|(start, found)| {
        !text[..start].ends_with(is_part) && !text[start + found.len()..].starts_with(is_part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_told_by_their_beginnings() {
        let of = |text: &str| stems(text).into_iter().collect::<Vec<_>>();
        assert_eq!(
            of("Released blocks should join: showsOneBlockWhenAllIsReleased"),
            ["block", "relea", "shows"]
        );
        assert_eq!(of("def test_withdraws_all(self):"), ["withd"]);
        assert!(of("raises an error in Python").is_empty());
    }

    #[test]
    fn names_are_words_of_their_own() {
        assert_eq!(last_part("shop.cart.Cart.total"), Some("total"));
        assert_eq!(last_part("tests/test_a.py::test_b"), Some("test_b"));
        assert_eq!(last_part("e.g"), None);
        assert!(holds("self.assertEqual(cart.total(), 3)", "total"));
        assert!(!holds("cart.total_with_tax()", "total"));
        assert!(!holds("subtotal", "total"));
    }
}
