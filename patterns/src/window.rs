//! Finds out whether an edit parses, by looking only at the function that it is in: files may be long, and edits are many.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use patchwright_edits::Edit;
use tree_sitter::{InputEdit, Point, Tree};

use crate::edit_of::{edit_of, spliced};
use crate::file::{File, visit};
use crate::mutation::Splice;
use crate::site::Site;

/// A part of a file that parses by itself, in a frame of what must stand around it.
struct Part {
    /// Where the part stands in the file.
    range: Range<usize>,
    frame: [&'static str; 2],
    /// The part in its frame.
    text: String,
    tree: Tree,
    errors: usize,
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
        let after = self.after(splices)?;
        let mut hasher = DefaultHasher::new();
        (self.part(splices).is_some(), &after).hash(&mut hasher);
        let is_new = self.seen.lock().unwrap_or_else(PoisonError::into_inner).insert(hasher.finish());
        if !is_new || !self.parses(splices, &after) {
            return None;
        }
        edit_of(&self.file, splices)
    }

    /// The text that is looked at, as it is after some splices; `None` if they clash or change nothing.
    fn after(&self, splices: &[Splice]) -> Option<String> {
        let (text, after) = match self.part(splices) {
            Some(part) => (part.text.as_str(), spliced(&part.text, &part.shifted(splices))?),
            None => (self.file.text.as_str(), spliced(&self.file.text, splices)?),
        };
        (text != after).then_some(after)
    }

    /// Whether the text after some splices has no more errors than before.
    fn parses(&self, splices: &[Splice], after: &str) -> bool {
        let (text, tree, splices, errors) = match self.part(splices) {
            Some(part) => (part.text.as_str(), &part.tree, part.shifted(splices), part.errors),
            None => (self.file.text.as_str(), &self.file.tree, splices.to_vec(), self.errors),
        };
        let mut tree = tree.clone();
        // From the end to the start, so that no splice shifts another.
        let mut splices = splices;
        splices.sort_by_key(|splice| std::cmp::Reverse(splice.range.start));
        for splice in splices {
            tree.edit(&InputEdit {
                start_byte: splice.range.start,
                old_end_byte: splice.range.end,
                new_end_byte: splice.range.start + splice.text.len(),
                start_position: point(text, splice.range.start),
                old_end_position: point(text, splice.range.end),
                new_end_position: moved(point(text, splice.range.start), &splice.text),
            });
        }
        self.file.language.parse_again(after, &tree).is_some_and(|tree| errors_in(&tree) <= errors)
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
    let errors = errors_in(&tree);
    (errors == 0).then_some(Part { range, frame, text, tree, errors })
}

fn point(text: &str, byte: usize) -> Point {
    let before = &text.as_bytes()[..byte.min(text.len())];
    let row = text.get(..before.len()).map_or(0, |before| before.matches('\n').count());
    let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    Point { row, column: before.len() - start }
}

fn moved(from: Point, text: &str) -> Point {
    match text.rfind('\n') {
        Some(last) => Point { row: from.row + text.matches('\n').count(), column: text.len() - last - 1 },
        None => Point { row: from.row, column: from.column + text.len() },
    }
}

/// How many places of a tree do not parse.
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
