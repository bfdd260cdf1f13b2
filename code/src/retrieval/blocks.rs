//! Definitions by the look of lines: cutting a file needs no tree.

use crate::declaration_lines::{declaration_on, indentation};
use crate::language::Language;
use crate::outline::Span;

/// A definition, as its lines tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Block<'t> {
    pub name: &'t str,
    /// Its lines, with those directly above that are indented alike: comments, decorations.
    pub lines: Span,
    /// In how many others it stands.
    pub depth: usize,
    /// The innermost of them: an earlier index in the list.
    around: Option<usize>,
}

/// The definitions of a file in the order of their lines. Each ends before the next line that is indented as little.
pub(super) fn blocks<'t>(language: Language, lines: &[&'t str]) -> Vec<Block<'t>> {
    let closing = language.entry().closing_line;
    let mut found: Vec<Block> = Vec::new();
    // Those around the current line, with their indentation.
    let mut open: Vec<(usize, usize)> = Vec::new();
    // The first of the lines directly above that may belong to what comes next, and its indentation.
    let mut lead: Option<(u32, usize)> = None;
    for (number, line) in (1..).zip(lines) {
        let text = line.trim_start();
        if text.is_empty() {
            lead = None;
            continue;
        }
        let own = indentation(line);
        let closes = closing.is_some_and(|closing| text.starts_with(closing));
        let continues = text.starts_with([')', '{', ']']);
        while let Some((_, index)) = open.pop_if(|(around, _)| own <= *around && !continues) {
            found[index].lines.last = if closes { number } else { number - 1 };
        }
        if closes || continues {
            lead = None;
            continue;
        }
        // The further lines of a comment are indented by one more.
        let begun = lead.filter(|(_, above)| own == *above || text.starts_with('*'));
        let (first, _) = *lead.insert(begun.unwrap_or((number, own)));
        if let Some((_, name)) = declaration_on(language, line) {
            let (around, depth) = (open.last().map(|(_, index)| *index), open.len());
            open.push((own, found.len()));
            found.push(Block { name, lines: Span { first, last: u32::MAX }, depth, around });
            lead = None;
        }
    }
    found
}

/// The definitions that began before a line and have not ended there, the innermost first.
pub(super) fn around<'b, 't>(blocks: &'b [Block<'t>], line: u32) -> impl Iterator<Item = &'b Block<'t>> {
    let before = blocks.partition_point(|block| block.lines.first < line);
    let last = before.checked_sub(1).and_then(|index| blocks.get(index));
    std::iter::successors(last, |block| block.around.and_then(|index| blocks.get(index)))
        .filter(move |block| block.lines.contains(line))
}
