//! A file in memory: its text, its tree, and how it is indented.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use patchwright_syntax::Language;
pub(crate) use patchwright_syntax::visit;
use tree_sitter::{Node, Tree};

use crate::grammar::{Grammar, NodeRole};
use crate::ingredients::{FileFacts, Fragments};
use crate::name_usage::NameUsage;

/// A file that was parsed, with what is to be found in it.
pub(crate) struct File {
    /// Relative to the root.
    pub path: String,
    pub grammar: &'static Grammar,
    pub language: Language,
    /// Without a byte order mark.
    pub text: String,
    pub tree: Tree,
    /// The byte at which each line begins.
    starts: Vec<usize>,
    /// One step of indentation.
    pub unit: String,
    pub facts: FileFacts,
    /// Only asked for where something is proposed.
    fragments: OnceLock<Fragments>,
    /// Of the functions that were asked for, by their nodes.
    usages: Mutex<BTreeMap<usize, Arc<NameUsage>>>,
}

impl File {
    /// Parses a file; `None` if no fixes can be generated for its language.
    pub(crate) fn parse(path: &str, text: &str) -> Option<Self> {
        let language = Language::of_path(path.as_ref())?;
        let grammar = Grammar::of(language)?;
        let tree = language.parse(text)?;
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        let mut file = Self {
            path: path.to_owned(),
            grammar,
            language,
            text: text.to_owned(),
            tree,
            starts,
            unit: unit_of(text),
            facts: FileFacts::default(),
            fragments: OnceLock::new(),
            usages: Mutex::default(),
        };
        file.facts = FileFacts::of(&file);
        Some(file)
    }

    /// The pieces that may be used at another place.
    pub(crate) fn fragments(&self) -> &Fragments {
        self.fragments.get_or_init(|| Fragments::of(self))
    }

    /// The use of names in a function.
    pub(crate) fn name_usage(&self, function: Node) -> Arc<NameUsage> {
        // What is in there stays whole whatever happens to who holds it.
        let known = || self.usages.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(name_usage) = known().get(&function.id()) {
            return Arc::clone(name_usage);
        }
        let name_usage = Arc::new(NameUsage::of(self, function));
        Arc::clone(known().entry(function.id()).or_insert(name_usage))
    }

    /// The text of a node.
    pub(crate) fn text_of(&self, node: Node) -> &str {
        self.slice(node.byte_range())
    }

    /// The text of a range; empty where it is not one.
    pub(crate) fn slice(&self, range: Range<usize>) -> &str {
        self.text.get(range).unwrap_or_default()
    }

    /// The role of a node.
    pub(crate) fn role(&self, node: Node) -> NodeRole {
        self.grammar.role(node)
    }

    /// The number of rows; text without a newline at its end counts as a row.
    pub(crate) fn rows(&self) -> usize {
        if self.text.is_empty() || self.text.ends_with('\n') {
            self.starts.len() - 1
        } else {
            self.starts.len()
        }
    }

    /// The byte at which a row begins; the end of the text for rows after the last.
    pub(crate) fn start_of(&self, row: usize) -> usize {
        self.starts.get(row).copied().unwrap_or(self.text.len())
    }

    /// The row of a byte.
    pub(crate) fn row_of(&self, byte: usize) -> usize {
        self.starts.partition_point(|start| *start <= byte).saturating_sub(1)
    }

    /// A row without its line end.
    pub(crate) fn row(&self, row: usize) -> &str {
        self.slice(self.start_of(row)..self.start_of(row + 1)).trim_end_matches(['\n', '\r'])
    }

    /// The white space that a row begins with.
    pub(crate) fn indentation(&self, row: usize) -> &str {
        let line = self.row(row);
        &line[..line.len() - line.trim_start().len()]
    }

    /// Is true if a node is the first on its row.
    pub(crate) fn begins_row(&self, node: Node) -> bool {
        let start = node.start_byte();
        self.slice(self.start_of(node.start_position().row)..start).trim().is_empty()
    }

    /// Is true if nothing but a comment follows a node on its row.
    pub(crate) fn ends_row(&self, node: Node) -> bool {
        let row = self.row_of(node.end_byte().saturating_sub(1));
        let rest = self.slice(node.end_byte()..self.start_of(row + 1)).trim();
        rest.is_empty() || rest.starts_with("//") || rest.starts_with('#')
    }

    /// The rows that belong to a node alone, if it shares none of them.
    pub(crate) fn whole_rows(&self, node: Node) -> Option<Range<usize>> {
        let last = self.row_of(node.end_byte().saturating_sub(1));
        (self.begins_row(node) && self.ends_row(node)).then_some(node.start_position().row..last + 1)
    }
}

/// The named children of a node, comments left out.
pub(crate) fn children<'t>(file: &File, node: Node<'t>) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| file.role(*child) != NodeRole::Comment).collect()
}

/// Visits a node and all below it with the nodes around each, the outermost first; `above` are those around the first one. To
/// ask a node for its parent costs a search among the parent's children.
pub(crate) fn visit_below<'t>(
    node: Node<'t>,
    mut above: Vec<Node<'t>>,
    mut enter: impl FnMut(Node<'t>, &[Node<'t>]),
) {
    let mut cursor = node.walk();
    loop {
        let node = cursor.node();
        enter(node, &above);
        if cursor.goto_first_child() {
            above.push(node);
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
            above.pop();
        }
    }
}

/// A node and the nodes around it, the innermost first.
pub(crate) fn around(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    std::iter::successors(Some(node), Node::parent)
}

/// The nodes around a node, the innermost first.
pub(crate) fn ancestors(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    std::iter::successors(node.parent(), Node::parent)
}

/// The least indentation in use.
fn unit_of(text: &str) -> String {
    let mut least: Option<&str> = None;
    for line in text.lines().take(2000) {
        let indentation = &line[..line.len() - line.trim_start().len()];
        if indentation.starts_with('\t') {
            return "\t".to_owned();
        }
        // ` *` continues a comment.
        let body = line.trim_start();
        if indentation.len() > 1
            && !body.is_empty()
            && !body.starts_with('*')
            && least.is_none_or(|known| indentation.len() < known.len())
        {
            least = Some(indentation);
        }
    }
    least.filter(|unit| unit.len() <= 8).unwrap_or("    ").to_owned()
}

/// Is true if a node or anything below it is such.
pub(crate) fn visit_any<'t>(node: Node<'t>, mut is: impl FnMut(Node<'t>) -> bool) -> bool {
    let mut found = false;
    visit(node, |inner| {
        found = found || is(inner);
        !found
    });
    found
}
