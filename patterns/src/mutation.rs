//! Mutations: texts to put in the place of others, and the layout of new statements.

use std::ops::Range;

use tree_sitter::Node;

use crate::OverfitReason;
use crate::file::{File, children};
use crate::grammar::NodeRole;
use crate::site::Site;

/// A text to put in the place of a range of bytes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Splice {
    pub range: Range<usize>,
    pub text: String,
}

/// A change that a pattern makes of the code, not yet an edit.
#[derive(Clone, Debug)]
pub(crate) struct Mutation {
    pub splices: Vec<Splice>,
    pub proximity: f64,
    pub overfit: Option<OverfitReason>,
    pub what: String,
}

/// The mutations that one pattern makes at a site.
pub(crate) struct Mutations<'s, 'a> {
    site: &'s Site<'a>,
    pub all: Vec<Mutation>,
}

/// More mutations of one pattern than this are made of a table of data.
const MAX_MUTATIONS: usize = 4_000;

impl<'s, 'a> Mutations<'s, 'a> {
    pub(crate) fn new(site: &'s Site<'a>) -> Self {
        Self { site, all: Vec::new() }
    }

    /// Adds a mutation.
    pub(crate) fn add(&mut self, splices: Vec<Splice>, proximity: f64, what: impl Into<String>) {
        self.add_overfitting(splices, proximity, None, what);
    }

    /// Adds a mutation that is marked as likely to suit the tests only.
    pub(crate) fn add_overfitting(
        &mut self,
        splices: Vec<Splice>,
        proximity: f64,
        overfit: Option<OverfitReason>,
        what: impl Into<String>,
    ) {
        if self.all.len() < MAX_MUTATIONS && proximity > 0.0 && !splices.is_empty() {
            let what = what.into();
            self.all.push(Mutation { splices, proximity: proximity.min(1.0), overfit, what });
        }
    }

    /// Puts a text in the place of a node.
    pub(crate) fn replace(&mut self, node: Node, text: &str, proximity: f64) {
        self.replace_range(node.byte_range(), text, proximity * self.site.proximity(node));
    }

    /// Puts a text in the place of a range.
    pub(crate) fn replace_range(&mut self, range: Range<usize>, text: &str, proximity: f64) {
        let old = self.site.file.slice(range.clone());
        if old != text {
            let what = format!("`{}` becomes `{}`", shown(old), shown(text));
            self.add(vec![splice(range, text)], proximity, what);
        }
    }

    /// Exchanges two nodes.
    pub(crate) fn exchange(&mut self, one: Node, other: Node, proximity: f64, what: impl Into<String>) {
        let splices = vec![
            splice(one.byte_range(), self.site.text(other)),
            splice(other.byte_range(), self.site.text(one)),
        ];
        self.add(splices, proximity, what);
    }

    /// Puts statements before or behind a statement.
    pub(crate) fn insert(
        &mut self,
        at: InsertionPoint,
        code: &str,
        proximity: f64,
        overfit: Option<OverfitReason>,
    ) {
        let Some(splice) = inserted(self.site.file, at, code) else { return };
        let side = match at {
            InsertionPoint::Before(_) => "before",
            InsertionPoint::After(_) => "behind",
        };
        let line = self.site.file.row_of(splice.range.start) + 1;
        let what = format!("`{}` is inserted {side} line {line}", shown(code));
        self.add_overfitting(vec![splice], proximity, overfit, what);
    }
}

/// The point at which new statements are inserted.
#[derive(Copy, Clone, Debug)]
pub(crate) enum InsertionPoint<'t> {
    Before(Node<'t>),
    After(Node<'t>),
}

impl<'t> InsertionPoint<'t> {
    /// The statement that is there.
    pub(crate) fn statement(self) -> Node<'t> {
        let (Self::Before(node) | Self::After(node)) = self;
        node
    }

    /// The byte at which new statements begin: what is declared before it is known to them.
    pub(crate) fn byte(self) -> usize {
        match self {
            Self::Before(node) => node.start_byte(),
            Self::After(node) => node.end_byte(),
        }
    }
}

/// A splice.
pub(crate) fn splice(range: Range<usize>, text: &str) -> Splice {
    Splice { range, text: text.to_owned() }
}

/// A text as it is shown in half a sentence.
pub(crate) fn shown(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// Is true if statements may be put beside a node: it stands in a block, on rows of its own.
pub(crate) fn in_block(file: &File, node: Node) -> bool {
    node.parent().is_some_and(|parent| file.role(parent) == NodeRole::Block)
        && file.whole_rows(node).is_some()
}

/// Lays out code, in which tabs at the start of lines stand for steps, at an indentation.
pub(crate) fn laid_out(file: &File, code: &str, indentation: &str) -> String {
    let mut text = String::new();
    for line in code.lines() {
        let body = line.trim_start_matches('\t');
        text.push_str(indentation);
        text.push_str(&file.unit.repeat(line.len() - body.len()));
        text.push_str(body);
        text.push('\n');
    }
    text
}

/// The splice that puts code beside a statement.
pub(crate) fn inserted(file: &File, at: InsertionPoint, code: &str) -> Option<Splice> {
    let node = at.statement();
    if !in_block(file, node) {
        return None;
    }
    let rows = file.whole_rows(node)?;
    let row = match at {
        InsertionPoint::Before(_) => rows.start,
        InsertionPoint::After(_) => rows.end,
    };
    Some(inserted_at(file, row, code, file.indentation(rows.start)))
}

/// The splice that puts code before a row.
pub(crate) fn inserted_at(file: &File, row: usize, code: &str, indentation: &str) -> Splice {
    let start = file.start_of(row);
    let text = laid_out(file, code, indentation);
    // Behind a last row that has no line end.
    if start == file.text.len() && !file.text.is_empty() && !file.text.ends_with('\n') {
        return splice(start..start, &format!("\n{}", text.trim_end_matches('\n')));
    }
    splice(start..start, &text)
}

/// A block with a head around statements: `{head}` is what stands before the block opens.
pub(crate) fn block(file: &File, head: &str, body: &str) -> String {
    let [open, close] = file.grammar.keywords.block;
    let body: Vec<String> = body.lines().map(|line| format!("\t{line}")).collect();
    let end = if close.is_empty() { "" } else { "\n" };
    format!("{head}{open}\n{}{end}{close}", body.join("\n"))
}

/// The head of a conditional statement.
pub(crate) fn if_head(file: &File, condition: &str) -> String {
    if file.grammar.keywords.no_op.is_some() {
        format!("if {condition}")
    } else {
        format!("if ({condition})")
    }
}

/// Rows put one step further in; `None` where a text goes over several of them.
pub(crate) fn wrapped(file: &File, rows: Range<usize>, head: &str) -> Option<Splice> {
    if rows.len() > 40 {
        return None;
    }
    let range = file.start_of(rows.start)..file.start_of(rows.end);
    let mut torn = false;
    crate::file::visit(file.tree.root_node(), |node| {
        if node.end_byte() <= range.start || node.start_byte() >= range.end {
            return false;
        }
        torn |= file.role(node) == NodeRole::StringLiteral
            && node.start_position().row != node.end_position().row;
        true
    });
    if torn {
        return None;
    }
    let indentation = file.indentation(rows.start);
    let [open, close] = file.grammar.keywords.block;
    let mut text = format!("{indentation}{head}{open}\n");
    for row in rows {
        let line = file.row(row);
        if !line.trim().is_empty() {
            text.push_str(&file.unit);
        }
        text.push_str(line);
        text.push('\n');
    }
    if !close.is_empty() {
        text.push_str(&format!("{indentation}{close}\n"));
    }
    if !file.text[range.clone()].ends_with('\n') {
        text.truncate(text.trim_end_matches('\n').len());
    }
    Some(splice(range, &text))
}

/// The splice that takes a statement away, and leaves a block that is one.
pub(crate) fn removed(file: &File, node: Node) -> Option<Splice> {
    let rows = file.whole_rows(node)?;
    let parent = node.parent()?;
    if file.role(parent) != NodeRole::Block {
        return None;
    }
    let range = file.start_of(rows.start)..file.start_of(rows.end);
    let alone = children(file, parent).len() == 1;
    match file.grammar.keywords.no_op {
        Some(nothing) if alone => Some(splice(node.byte_range(), nothing)),
        _ => Some(splice(range, "")),
    }
}
