//! Failing tests and an issue: which of them it may be about.

use std::collections::BTreeSet;

use patchwright_index::{Element, ElementKind, Index, names_in};
use patchwright_protocol::{Failure, TestId};
use patchwright_testbed::{Baseline, TestBed, blocking};

use crate::extract_tests::test_code_text;

/// Names shorter than this are words by chance.
const SHORTEST_NAME: usize = 3;
/// Failing tests whose code is looked at.
const LOOKED_AT: usize = 100;
/// Characters of a line that are looked at.
const LINE_CHARS: usize = 1_000;

/// The failing tests that have nothing to do with an issue, as far as it can be told: none of the classes and functions that the issue names
/// stands in their names, in what they say, or in their code. None where the issue names none.
///
/// # Errors
/// The project cannot be read.
pub async fn unrelated_tests(
    bed: &TestBed,
    baseline: &Baseline,
    issue: &str,
) -> Result<Vec<TestId>, Failure> {
    if baseline.failing.is_empty() || baseline.failing.len() > LOOKED_AT {
        return Ok(Vec::new());
    }
    let names = declared_names(bed, issue).await?;
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let mut unrelated = Vec::new();
    for test in &baseline.failing {
        let code = test_code_text(bed.project(), vec![test.to_string()], LINE_CHARS).await?;
        let outcome = baseline.report.outcome(test);
        let said = outcome.iter().flat_map(|outcome| [&outcome.message, &outcome.trace]).flatten();
        let texts: Vec<&str> =
            [test.as_str(), code.as_str()].into_iter().chain(said.map(String::as_str)).collect();
        let is_named = last_part(test.without_parameters()).is_some_and(|name| holds(issue, name));
        if !is_named && !names.iter().any(|name| texts.iter().any(|text| holds(text, name))) {
            unrelated.push(test.clone());
        }
    }
    Ok(unrelated)
}

/// The names of classes and functions of the project that an issue writes as code.
async fn declared_names(bed: &TestBed, issue: &str) -> Result<BTreeSet<String>, Failure> {
    let (project, issue) = (bed.project().clone(), issue.to_owned());
    blocking::spawn(move |_| {
        let names = names_in(&issue);
        let names: BTreeSet<&str> = names.iter().filter_map(|name| last_part(name)).collect();
        let index = Index::build(project.root()).map_err(Failure::environment)?;
        let elements = index.files().filter(|file| !file.test).flat_map(|file| file.elements());
        let declared: BTreeSet<&str> =
            elements.filter(|element| element.kind != ElementKind::Variable).map(Element::name).collect();
        Ok(names.intersection(&declared).map(|name| (*name).to_owned()).collect())
    })
    .await?
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
    fn names_are_words_of_their_own() {
        assert_eq!(last_part("shop.cart.Cart.total"), Some("total"));
        assert_eq!(last_part("tests/test_a.py::test_b"), Some("test_b"));
        assert_eq!(last_part("e.g"), None);
        assert!(holds("self.assertEqual(cart.total(), 3)", "total"));
        assert!(!holds("cart.total_with_tax()", "total"));
        assert!(!holds("subtotal", "total"));
    }
}
