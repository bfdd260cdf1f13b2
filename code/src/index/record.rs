//! What one file gave.

use super::element::{Element, elements};
use crate::language::Language;
use crate::reading;
use crate::skeleton::{self, Skeleton};
use crate::source::Source;

/// All that an index knows of a file's content.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Record {
    pub lines: u32,
    pub syntax_errors: u32,
    pub elements: Vec<Element>,
    pub skeleton: Skeleton,
}

impl Record {
    /// Reads a file: in one pass where that is possible beyond doubt, else by its tree.
    pub fn of(language: Language, source: &Source) -> Self {
        let text = source.text();
        let lines = u32::try_from(source.line_count()).unwrap_or(u32::MAX);
        if let Some((outline, skeleton)) = language.entry().scan.and_then(|scan| scan(language.entry(), text))
        {
            return Self { lines, syntax_errors: 0, elements: elements(&outline), skeleton };
        }
        Self::parsed(language, text, lines)
    }

    /// Reads a file by its tree.
    pub(super) fn parsed(language: Language, text: &str, lines: u32) -> Self {
        let Some(tree) = language.parse(text) else { return Self { lines, ..Self::default() } };
        let outline = reading::outline_of(language, text, &tree);
        Self {
            lines,
            syntax_errors: u32::try_from(outline.syntax_errors).unwrap_or(u32::MAX),
            elements: elements(&outline),
            skeleton: skeleton::of_tree(language, text, &tree, &outline),
        }
    }
}
