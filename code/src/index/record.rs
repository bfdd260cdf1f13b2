//! What one file gave, and how that is kept.

use super::element::{Element, ElementKind, elements};
use super::pack::{Packer, Unpacker};
use crate::language::Language;
use crate::outline::Span;
use crate::reading;
use crate::skeleton::{self, Mark, Skeleton, SkeletonLineKind};
use crate::source::Source;

/// All that an index knows of a file's content.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Record {
    pub lines: u32,
    pub syntax_errors: u32,
    pub elements: Vec<Element>,
    pub skeleton: Skeleton,
}

const LINE_KINDS: [SkeletonLineKind; 3] =
    [SkeletonLineKind::Code, SkeletonLineKind::Documentation, SkeletonLineKind::Elision];

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

    pub fn pack(&self) -> Vec<u8> {
        let mut packer = Packer::default();
        packer.number(self.lines);
        packer.number(self.syntax_errors);
        packer.number(self.elements.len() as u64);
        for element in &self.elements {
            packer.0.push(element.kind as u8);
            packer.bytes(element.qualified.as_bytes());
            packer.number(element.own as u64);
            for number in [element.lines.first, element.lines.last, element.declaration_line] {
                packer.number(number);
            }
        }
        packer.bytes(self.skeleton.text.as_bytes());
        packer.number(self.skeleton.marks.len() as u64);
        for mark in &self.skeleton.marks {
            packer.number(mark.number);
            packer.0.push(mark.kind as u8);
            packer.number(mark.end);
        }
        packer.0
    }

    /// Reads what [`pack`](Self::pack) wrote; `None` for anything else.
    pub fn unpack(bytes: &[u8]) -> Option<Self> {
        let mut from = Unpacker(bytes);
        let (lines, syntax_errors, count) = (from.number()?, from.number()?, from.number::<usize>()?);
        // Each takes more than one byte, so a wrong count does not ask for more memory than there are bytes.
        let mut elements = Vec::with_capacity(count.min(bytes.len()));
        for _ in 0..count {
            let kind = *ElementKind::ALL.get(from.number::<usize>()?)?;
            let qualified = from.text()?.to_owned();
            let own = from.number()?;
            let lines = Span { first: from.number()?, last: from.number()? };
            elements.push(Element { kind, qualified, lines, declaration_line: from.number()?, own });
        }
        let text = from.text()?.to_owned();
        let count = from.number::<usize>()?;
        let mut marks = Vec::with_capacity(count.min(bytes.len()));
        for _ in 0..count {
            let number = from.number()?;
            let kind = *LINE_KINDS.get(from.number::<usize>()?)?;
            marks.push(Mark { number, kind, end: from.number()? });
        }
        from.0.is_empty().then_some(Self {
            lines,
            syntax_errors,
            elements,
            skeleton: Skeleton { text, marks },
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn records_survive_packing_and_damage_is_noticed() {
        let source = Source::from_text(
            "LIMIT = 1\n\nclass A:\n    \"\"\"Doc.\"\"\"\n\n    def f(self):\n        return 1\n",
        );
        let record = Record::of(Language::by_name("python").unwrap(), &source);
        assert_eq!((record.lines, record.elements.len()), (7, 3));
        let bytes = record.pack();
        assert_eq!(Record::unpack(&bytes), Some(record));
        for cut in 0..bytes.len() {
            assert_eq!(Record::unpack(&bytes[..cut]), None, "{cut}");
        }
        assert_eq!(Record::unpack(&[bytes.as_slice(), &[0]].concat()), None);
    }
}
