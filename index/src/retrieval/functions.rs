//! Finding the functions that a text is about: BM25 over functions, their own names and the beginnings of words.

use std::collections::HashMap;

use patchwright_syntax::{ProjectPath, Span};

use super::query::Query;
use super::words::{stem, stems};
use super::{Chunk, bm25, counted};
use crate::docstring::docstring;
use crate::index::{Element, Index, IndexedFile};

/// The name of a function counts as often as a word that stands so often in it.
const NAME: usize = 3;

/// Lines of a docstring whose words count.
const DOCUMENTED: u32 = 12;

/// A function that fits a text.
#[derive(Clone, Debug, PartialEq)]
pub struct FittingFunction {
    /// The file.
    pub path: ProjectPath,
    /// The lines of the function.
    pub lines: Span,
    /// How well it fits.
    pub score: f64,
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
            group.begin(file, lines, function.lines, details(file, lines, function.lines));
            group.words.add(&function.qualified);
            (1..NAME).for_each(|_| group.words.add(function.name()));
        }
    });
    let scored =
        functions.into_iter().zip(postings.scores(&stemmed(query))).filter(|(_, score)| *score > 0.0);
    let mut found: Vec<FittingFunction> =
        scored.map(|(Chunk { path, lines }, score)| FittingFunction { path, lines, score }).collect();
    found.sort_by(|left, right| right.score.total_cmp(&left.score));
    found
}

/// The lines of a docstring behind its first: of the words of a manual each issue has some.
fn details(file: &IndexedFile, lines: &[&str], function: Span) -> Option<Span> {
    let Span { first, last } = docstring(file.language, lines, function)?;
    (last - first >= DOCUMENTED).then_some(Span { first: first + DOCUMENTED, last })
}

/// The index of the first of `most` lines that fit a text best among those of a long function, where words that stand on few of its lines
/// weigh most; of equal parts the first, so that it is 0 where no line fits.
pub fn fitting_part(query: &Query, lines: &[&str], most: usize) -> usize {
    let mut words = bm25::Group::of(stems);
    for line in lines {
        words.begin();
        words.add(line);
    }
    let scores = bm25::Postings::of(vec![words]).scores(&stemmed(query));
    let parts = scores.windows(most.max(1)).map(|part| part.iter().sum::<f64>());
    parts.enumerate().fold((0, 0.0), |best, part| if part.1 > best.1 { part } else { best }).0
}

/// The weights of the stems of a query.
fn stemmed(query: &Query) -> HashMap<String, f64> {
    let mut terms: HashMap<String, f64> = HashMap::new();
    for (term, weight) in &query.terms {
        let most = terms.entry(stem(term).to_owned()).or_default();
        *most = most.max(*weight);
    }
    terms
}

fn callables(file: &IndexedFile) -> impl Iterator<Item = &Element> {
    file.elements().iter().filter(|element| element.kind.is_callable())
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_docstring_the_first_lines_count() {
        let manual = |lines: usize| {
            let text = "    Text.\n".repeat(lines);
            format!(
                "def sail(way):\n    \"\"\"Sails.\n{text}    The toll of a ferry.\n    \"\"\"\n    return way\n"
            )
        };
        let fits = |lines: usize| {
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join("boat.py"), manual(lines)).unwrap();
            let index = Index::build(folder.path()).unwrap();
            !fitting_functions(&index, &Query::of_text("The toll of a ferry is wrong."), |_| true).is_empty()
        };
        assert!(fits(2));
        assert!(!fits(20));
    }
}
