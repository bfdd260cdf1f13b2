//! Finding the functions that a text is about: BM25 over functions, their own names and the beginnings of words.

use std::collections::{HashMap, HashSet};

use patchwright_syntax::{ProjectPath, Span};

use super::query::Query;
use super::words::{stem, stems};
use super::{Chunk, counted};
use crate::index::{Element, Index, IndexedFile};

/// The name of a function counts as often as a word that stands so often in it.
const NAME: usize = 3;

/// A name that more functions use tells none of them.
const FEW: usize = 8;

/// Parts of the name of a function that do not stand in a text by chance.
const PARTS: usize = 3;

/// A function that fits a text.
#[derive(Clone, Debug, PartialEq)]
pub struct FittingFunction {
    /// The file.
    pub path: ProjectPath,
    /// The lines of the function.
    pub lines: Span,
    /// How well it fits.
    pub score: f64,
    /// Is true if it uses a name of the text that few others use, or is itself called after words of it.
    pub is_named: bool,
}

/// The functions of the `wanted` files that share words with a text, the best first. Words are compared by their beginnings: who compares
/// things writes of comparisons. Equal scores keep the order of files and lines.
pub fn fitting_functions(
    index: &Index,
    query: &Query,
    wanted: impl Fn(&IndexedFile) -> bool,
) -> Vec<FittingFunction> {
    let files: Vec<&IndexedFile> = index.files().filter(|file| wanted(file)).collect();
    let (functions, postings) = counted(&files, stems, |file, lines, group| {
        for function in callables(file) {
            group.begin(file, lines, function.lines);
            group.words.add(&function.qualified);
            (1..NAME).for_each(|_| group.words.add(function.name()));
        }
    });
    let mut terms: HashMap<String, f64> = HashMap::new();
    for (term, weight) in &query.terms {
        let most = terms.entry(stem(term).to_owned()).or_default();
        *most = most.max(*weight);
    }
    let names = terms.keys().filter(|term| term.contains('_')).map(|name| postings.holding(name));
    let using: HashSet<usize> = names.filter(|using| using.len() <= FEW).flatten().collect();
    let all = files.iter().flat_map(|file| callables(file).map(move |function| (&file.path, function)));
    let called: HashSet<(&ProjectPath, Span)> = all
        .filter(|(_, function)| is_called_after(function.name(), &terms))
        .map(|(path, function)| (path, function.lines))
        .collect();
    let scored = functions.into_iter().zip(postings.scores(&terms)).enumerate();
    let mut found: Vec<FittingFunction> = scored
        .map(|(place, (Chunk { path, lines }, score))| {
            let is_named = using.contains(&place) || called.contains(&(&path, lines));
            FittingFunction { path, lines, score, is_named }
        })
        .filter(|function| function.score > 0.0)
        .collect();
    found.sort_by(|left, right| right.score.total_cmp(&left.score));
    found
}

fn callables(file: &IndexedFile) -> impl Iterator<Item = &Element> {
    file.elements().iter().filter(|element| element.kind.is_callable())
}

/// Is true if the name of a function is made of the words of a text, or most of it is.
fn is_called_after(name: &str, terms: &HashMap<String, f64>) -> bool {
    let parts: HashSet<String> = stems(name).into_iter().filter(|part| !part.contains('_')).collect();
    parts.iter().filter(|part| terms.contains_key(*part)).count() >= PARTS
}
