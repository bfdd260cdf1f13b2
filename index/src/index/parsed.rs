//! What a parser says of one file.

use patchwright_syntax::{Language, Skeleton, reading, skeleton};

use super::element::{Element, elements};

/// All that an index knows of a file from its tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Parsed {
    pub syntax_errors: u32,
    pub elements: Vec<Element>,
    pub skeleton: Skeleton,
}

impl Parsed {
    pub fn of(language: Language, text: &str) -> Self {
        let Some(tree) = language.parse(text) else { return Self::default() };
        let outline = reading::outline_of(language, text, &tree);
        Self {
            syntax_errors: u32::try_from(outline.syntax_errors).unwrap_or(u32::MAX),
            elements: elements(&outline),
            skeleton: skeleton::of_tree(language, text, &tree, &outline),
        }
    }
}
