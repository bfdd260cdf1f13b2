//! Failing tests and an issue: which of them it may be about.

use std::collections::{BTreeMap, BTreeSet};

use patchwright_index::{Element, ElementKind, IndexedFile, names_in};
use patchwright_protocol::{Failure, TestId};
use patchwright_syntax::Project;
use patchwright_validation::{Baseline, TestHarness};

use crate::collected_tests::test_code_text;
use crate::project_index::with_index;

/// Names shorter than this are words by chance.
const SHORTEST_NAME: usize = 3;
/// More failing tests than these are about more than one issue.
const FEW: usize = 5;
/// Letters by which words are told apart: what follows is mostly their ending.
const STEM: usize = 5;
/// Words that stand in the names of more than one in so many tests, and of so many at least, tell none of them from the others.
const ONE_IN: usize = 20;
const MANY: usize = 8;
/// Words that stand in tests and issues of any kind.
const COMMON: &[&str] = &[
    "actua", "after", "asser", "attri", "befor", "class", "colle", "could", "equal", "error", "examp",
    "excep", "expec", "faile", "fails", "failu", "false", "githu", "https", "impor", "insta", "lines",
    "metho", "modul", "other", "pytho", "raise", "recen", "resul", "retur", "shoul", "tests", "there",
    "these", "throw", "trace", "unitt", "value", "versi", "where", "which", "would", "wrong",
];
/// Characters of a line that are looked at.
const LINE_CHARS: usize = 1_000;

/// What failing tests have to do with an issue.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Relevance {
    /// Those that have nothing to do with it.
    pub unrelated: Vec<TestId>,
    /// Is true if that the others have is supposed: the issue neither names any of them nor quotes its message.
    pub supposed: bool,
}

/// Tells failing tests apart that may be what an issue is about: a class or function that it names, or one of its words, stands in their
/// names, in what they say, or in their code. Many tests have all that by chance: of them those count that the issue names, or whose
/// message it quotes.
///
/// # Errors
/// The project cannot be read.
pub async fn relevance(
    harness: &TestHarness,
    baseline: &Baseline,
    issue: &str,
) -> Result<Relevance, Failure> {
    let (told, others): (Vec<TestId>, Vec<TestId>) =
        baseline.failing.iter().cloned().partition(|test| is_told(baseline, test, issue));
    if others.is_empty() || baseline.failing.len() > FEW {
        return Ok(Relevance { unrelated: others, supposed: false });
    }
    let common = common_stems(harness.project(), baseline)?;
    let (mut names, mut spoken) = (declared_names(harness, issue).await?, stems(issue));
    names.retain(|name| stems(name).is_empty() || !stems(name).is_subset(&common));
    spoken.retain(|stem| !common.contains(stem));
    let mut unrelated = Vec::new();
    for test in others {
        let code = test_code_text(harness.project(), vec![test.to_string()], LINE_CHARS).await?;
        let outcome = baseline.report.outcome(&test);
        let said = outcome.iter().flat_map(|outcome| [&outcome.message, &outcome.trace]).flatten();
        let texts: Vec<&str> =
            [test.as_str(), code.as_str()].into_iter().chain(said.map(String::as_str)).collect();
        let has_name = || names.iter().any(|name| texts.iter().any(|text| holds(text, name)));
        let has_word = || texts.iter().any(|text| !stems(text).is_disjoint(&spoken));
        if !has_name() && !has_word() {
            unrelated.push(test);
        }
    }
    let supposed = told.is_empty() && unrelated.len() < baseline.failing.len();
    Ok(Relevance { unrelated, supposed })
}

/// The beginnings of words that are everywhere in a project: in the names of its folders, and in those of many tests.
fn common_stems(project: &Project, baseline: &Baseline) -> Result<BTreeSet<String>, Failure> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for outcome in &baseline.report.outcomes {
        for stem in stems(outcome.id.as_str()) {
            *counts.entry(stem).or_default() += 1;
        }
    }
    let most = (baseline.report.outcomes.len() / ONE_IN).max(MANY);
    let files = project.files().map_err(Failure::environment)?;
    let folders = files.iter().filter_map(|path| path.as_str().rsplit_once('/'));
    let of_folders = folders.flat_map(|(folder, _)| stems(folder)).collect::<BTreeSet<_>>();
    Ok(counts
        .into_iter()
        .filter(|(_, count)| *count > most)
        .map(|(stem, _)| stem)
        .chain(of_folders)
        .collect())
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
async fn declared_names(harness: &TestHarness, issue: &str) -> Result<BTreeSet<String>, Failure> {
    let issue = issue.to_owned();
    with_index(harness, move |index| {
        let names = names_in(&issue);
        let names: BTreeSet<&str> = names.iter().filter_map(|name| last_part(name)).collect();
        let elements = index.files().filter(|file| !file.test).flat_map(IndexedFile::elements);
        let declared: BTreeSet<&str> =
            elements.filter(|element| element.kind != ElementKind::Variable).map(Element::name).collect();
        Ok(names.intersection(&declared).map(|name| (*name).to_owned()).collect())
    })
    .await
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
