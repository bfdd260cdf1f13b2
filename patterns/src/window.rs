//! Finds out whether an edit parses, by looking only at the function that it is in: files may be long, and edits are many.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use patchwright_edits::Edit;
use patchwright_syntax::{input_edit, visit};
use tree_sitter::Tree;

use crate::edit_of::{edit_of, spliced};
use crate::file::File;
use crate::mutation::Splice;
use crate::site::Site;

/// A part of a file that parses by itself, in a frame of what must stand around it.
struct Part {
    /// The range of the part in the file.
    range: Range<usize>,
    frame: [&'static str; 2],
    /// The part in its frame.
    text: String,
    tree: Tree,
}

/// The function around a place, and the file for what goes beyond it.
pub(crate) struct Window {
    file: Arc<File>,
    near: Option<Part>,
    errors: usize,
    /// Hashes of the texts that edits have made of it: no two edits are to give the same.
    seen: Mutex<BTreeSet<u64>>,
}

impl Window {
    /// The window at a place of a file.
    pub(crate) fn around(file: &Arc<File>, site: &Site) -> Self {
        Self {
            file: Arc::clone(file),
            near: near(site),
            errors: errors_in(&file.tree),
            seen: Mutex::default(),
        }
    }

    /// The edit that does what some splices do, and the first line that it changes; `None` if they clash or change
    /// nothing, if they give a text that others gave before, or one that does not parse.
    pub(crate) fn edit(&self, splices: &[Splice]) -> Option<(Edit, u32)> {
        let part = self.part(splices);
        let (text, tree, errors, mut shifted) = match part {
            Some(part) => (part.text.as_str(), &part.tree, 0, part.shifted(splices)),
            None => (self.file.text.as_str(), &self.file.tree, self.errors, splices.to_vec()),
        };
        let after = spliced(text, &shifted).filter(|after| *after != text)?;
        let mut hasher = DefaultHasher::new();
        (part.is_some(), &after).hash(&mut hasher);
        if !self.seen.lock().unwrap_or_else(PoisonError::into_inner).insert(hasher.finish()) {
            return None;
        }
        let mut tree = tree.clone();
        // From the end to the start, so that no splice shifts another.
        shifted.sort_by_key(|splice| std::cmp::Reverse(splice.range.start));
        for splice in shifted {
            tree.edit(&input_edit(text, splice.range, &splice.text));
        }
        let tree = self.file.language.parse_again(&after, &tree)?;
        if errors_in(&tree) > errors { None } else { edit_of(&self.file, splices) }
    }

    /// The part that all splices are in, if they are.
    fn part(&self, splices: &[Splice]) -> Option<&Part> {
        let inside = |part: &&Part| {
            splices
                .iter()
                .all(|splice| part.range.start <= splice.range.start && splice.range.end <= part.range.end)
        };
        self.near.as_ref().filter(inside)
    }
}

impl Part {
    fn shifted(&self, splices: &[Splice]) -> Vec<Splice> {
        let shift = |at: usize| at - self.range.start + self.frame[0].len();
        let shifted = splices.iter().map(|splice| Splice {
            range: shift(splice.range.start)..shift(splice.range.end),
            text: splice.text.clone(),
        });
        shifted.collect()
    }
}

/// The outermost function around a place as a part; `None` if it shares a row, or does not parse by itself.
fn near(site: &Site) -> Option<Part> {
    let file = site.file;
    let function = site.outermost_function()?;
    let rows = file.whole_rows(function)?;
    let range = file.start_of(rows.start)..file.start_of(rows.end);
    let frame = if file.grammar.keywords.no_op.is_none() {
        ["class A {\n", "}\n"]
    } else if file.indentation(rows.start).is_empty() {
        ["", ""]
    } else {
        ["class A:\n", ""]
    };
    let text = format!("{}{}{}", frame[0], file.slice(range.clone()), frame[1]);
    let tree = file.language.parse(&text)?;
    (errors_in(&tree) == 0).then_some(Part { range, frame, text, tree })
}

/// The number of places of a tree that do not parse.
fn errors_in(tree: &Tree) -> usize {
    let mut count = 0;
    visit(tree.root_node(), |node| {
        if node.is_error() || node.is_missing() {
            count += 1;
        }
        node.has_error()
    });
    count
}
