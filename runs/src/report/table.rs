//! A titled table, which every view shows.

use serde::Serialize;

use super::draw::Chart;

/// A titled table.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Table {
    /// The title.
    pub title: String,
    /// A remark on it; may be empty.
    pub note: String,
    /// The heads of the columns; the first column holds words, the others mostly numbers.
    pub heads: Vec<String>,
    /// The rows, as many cells each as there are heads.
    pub rows: Vec<Vec<String>>,
    /// A drawing of it.
    pub drawing: Option<Chart>,
}

impl Table {
    pub(super) fn new(title: &str, heads: &[&str]) -> Self {
        Self {
            title: title.to_owned(),
            heads: heads.iter().map(|head| (*head).to_owned()).collect(),
            ..Self::default()
        }
    }

    pub(super) fn note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }
}
