//! Skeletons: files without the bodies of their functions, enough to see what there is and where.
//!
//! Kept are imports, variables and fields, the headers of classes, methods and functions with their decorations, the
//! `if` or `try` around any of them, and declarations inside of functions. Each line says where it stands in the file.

mod gather;
mod sheet;

use std::fmt::Write as _;

pub use gather::of_tree;

use crate::text::shorten;

/// Characters of a line that are shown.
const LINE: usize = 300;

/// A file without the bodies of its functions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Skeleton {
    pub(crate) text: String,
    pub(crate) marks: Vec<Mark>,
}

/// The position of a line of a skeleton.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    pub number: u32,
    pub kind: SkeletonLineKind,
    /// The end of the line in the text of the skeleton.
    pub end: u32,
}

/// The kind of a line of a skeleton.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum SkeletonLineKind {
    /// Code, as it stands in the file, or its header with `{ … }` for the body.
    Code,
    /// The first line of a documentation.
    Documentation,
    /// `...` in place of lines that were left out.
    Elision,
}

/// One line of a skeleton.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct SkeletonLine<'s> {
    /// Its line in the file; of an elision, the first line left out.
    pub number: u32,
    /// Its kind.
    pub kind: SkeletonLineKind,
    /// The line.
    pub text: &'s str,
}

impl Skeleton {
    fn push(&mut self, number: u32, kind: SkeletonLineKind, line: &str) {
        // So few bytes are no more characters.
        if line.len() <= LINE {
            self.text.push_str(line);
        } else {
            self.text.push_str(&shorten(line, LINE));
        }
        let end = u32::try_from(self.text.len()).unwrap_or(u32::MAX);
        self.marks.push(Mark { number, kind, end });
    }

    /// The lines, in the order of the file.
    pub fn lines(&self) -> impl Iterator<Item = SkeletonLine<'_>> {
        let mut from = 0;
        self.marks.iter().map(move |mark| {
            let start = std::mem::replace(&mut from, mark.end as usize);
            let text = self.text.get(start..from).unwrap_or_default();
            SkeletonLine { number: mark.number, kind: mark.kind, text }
        })
    }

    /// The skeleton as text for a prompt: each line begins with its number and `|`, and is ended.
    pub fn render(&self) -> String {
        let mut shown = String::with_capacity(self.text.len() + self.marks.len() * 7);
        for line in self.lines() {
            let _ = writeln!(shown, "{}|{}", line.number, line.text);
        }
        shown
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
