//! From a syntax tree to the declarations in it: one walk that knows roles, not languages.

use std::collections::HashMap;
use std::sync::Arc;

use patchwright_folder::checkpoint;
use tree_sitter::{Node, Tree};

use crate::assembly::{self, Declaration, DeclarationKind};
use crate::header::{Description, Headers};
use crate::language::{Language, SyntaxRole};
use crate::outline::{ClassKind, Outline, Span};
use crate::recent::{Recent, tree_of};
use crate::rescue;
use crate::source::Source;
use crate::text::{line_number, one_line};

/// Declarations inside so many others are not looked at: nobody writes them, and the outline would nest without end.
const MAX_NESTING: usize = 64;

static OUTLINES: Recent<(Language, Arc<str>, Outline)> = Recent::new();

/// Reads what a file declares. Never fails: of a damaged file, what could be read.
pub fn outline(language: Language, source: &Source) -> Outline {
    let text = source.text();
    let known =
        OUTLINES.find(|(of, known, outline)| (*of == language && **known == *text).then(|| outline.clone()));
    known.unwrap_or_else(|| {
        let tree = tree_of(language, text);
        let outline = tree.map_or_else(Outline::default, |tree| outline_of(language, text, &tree));
        OUTLINES.keep((language, Arc::from(text), outline.clone()));
        outline
    })
}

/// Reads what a file declares from its tree.
pub fn outline_of(language: Language, text: &str, tree: &Tree) -> Outline {
    let mut reader = Reader::new(language, text);
    reader.walk(tree);
    if reader.damages > 0 {
        rescue::rescue(language, text, &reader.opaque, &mut reader.found);
    }
    let mut outline = assembly::assemble(reader.found, &language.entry().constructor_names);
    outline.package = reader.package;
    outline.imports = reader.imports;
    outline.syntax_errors = reader.damages;
    outline
}

/// The state of a walk over a tree, with all that it collects.
struct Reader<'t> {
    headers: Headers<'t>,
    found: Vec<Declaration>,
    /// Comments that have their lines to themselves: last row → first row and column.
    comments: HashMap<usize, (usize, usize)>,
    /// Rows inside of comments and text literals, which may look like code.
    opaque: Vec<(usize, usize)>,
    package: Option<String>,
    imports: Vec<Span>,
    damages: usize,
}

impl<'t> Reader<'t> {
    fn new(language: Language, text: &'t str) -> Self {
        Self {
            headers: Headers::new(language, text),
            found: Vec::new(),
            comments: HashMap::new(),
            opaque: Vec::new(),
            package: None,
            imports: Vec::new(),
            damages: 0,
        }
    }

    fn walk(&mut self, tree: &'t Tree) {
        let mut cursor = tree.walk();
        // The declarations around the current node, and the wrapper that it may stand in, by their depth.
        let mut owners: Vec<(u32, usize)> = Vec::new();
        let mut wrapper: Option<(u32, Node)> = None;
        // Counted here: a cursor counts its depth anew each time it is asked.
        let mut depth = 0;
        loop {
            checkpoint();
            let node = cursor.node();
            while owners.last().is_some_and(|(at, _)| *at >= depth) {
                owners.pop();
            }
            wrapper = wrapper.filter(|(at, _)| *at < depth);
            if node.is_missing() {
                self.damages += 1;
            }
            let role = self.headers.kinds.role(node);
            if role == SyntaxRole::Wrapper {
                wrapper = Some((depth, node));
            } else if role != SyntaxRole::Other {
                let outer = wrapper.filter(|(at, _)| *at + 1 == depth).map_or(node, |(_, wrapper)| wrapper);
                let owner = owners.last().map(|(_, index)| *index);
                if owners.len() < MAX_NESTING
                    && let Some(opened) = self.visit(role, node, outer, owner)
                {
                    owners.push((depth, opened));
                }
            }
            if cursor.goto_first_child() {
                depth += 1;
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
                depth -= 1;
            }
        }
    }

    /// Notes what a node is; gives the index of the declaration that what is below belongs to, if it opens one.
    fn visit(
        &mut self,
        role: SyntaxRole,
        node: Node<'t>,
        outer: Node<'t>,
        owner: Option<usize>,
    ) -> Option<usize> {
        match role {
            SyntaxRole::Class(kind) => {
                let name = self.headers.slice(node.child_by_field_name("name")?).to_owned();
                Some(self.class(kind, name, node, outer, owner))
            }
            SyntaxRole::ClassIfBody(field) => {
                self.headers.body(node)?;
                let made_from = one_line(self.headers.slice(node.child_by_field_name(field)?));
                let name = format!("<{}>", made_from.split('<').next().unwrap_or_default());
                Some(self.class(ClassKind::Anonymous, name, node, outer, owner))
            }
            SyntaxRole::Constant => {
                let name = self.headers.slice(node.child_by_field_name("name")?).to_owned();
                self.add(DeclarationKind::Field, name.clone(), node, outer, owner);
                self.headers.body(node)?;
                Some(self.class(ClassKind::Anonymous, format!("<{name}>"), node, outer, owner))
            }
            SyntaxRole::Method | SyntaxRole::Constructor => {
                let name = self.headers.slice(node.child_by_field_name("name")?).to_owned();
                let what = match role {
                    SyntaxRole::Constructor => DeclarationKind::Constructor,
                    _ => DeclarationKind::Method,
                };
                let index = self.add(what, name, node, outer, owner);
                self.found[index].description = self.headers.describe(node, outer);
                Some(index)
            }
            SyntaxRole::Initializer => {
                let in_class =
                    owner.is_some_and(|owner| matches!(self.found[owner].what, DeclarationKind::Class(_)));
                let in_body =
                    node.parent().is_some_and(|parent| self.headers.kinds.role(parent) == SyntaxRole::Body);
                if !in_class || !in_body {
                    return None;
                }
                let header = self.headers.slice(node).split('{').next().map(one_line).unwrap_or_default();
                let name = format!("<{}>", if header.is_empty() { "init" } else { &header });
                let index = self.add(DeclarationKind::Initializer, name, node, outer, owner);
                self.found[index].description.signature = one_line(&format!("{header} {{ }}"));
                Some(index)
            }
            SyntaxRole::Field(field) => {
                if !owner.is_some_and(|owner| self.found[owner].what.is_method()) {
                    for name in self.headers.declared_names(node, field) {
                        self.add(DeclarationKind::Field, name, node, outer, owner);
                    }
                }
                None
            }
            SyntaxRole::Bound(name, _) => {
                let named = node.child_by_field_name(name)?;
                let outer = self.whole_statement(node, outer);
                if self.headers.function(node).is_some() {
                    let name = self.headers.bound_name(named);
                    let index = self.add(DeclarationKind::Method, name, node, outer, owner);
                    self.found[index].description = self.headers.describe(node, outer);
                    return Some(index);
                }
                if self.headers.kinds.is_name(named)
                    && !owner.is_some_and(|owner| self.found[owner].what.is_method())
                {
                    let name = self.headers.slice(named).to_owned();
                    self.add(DeclarationKind::Field, name, node, outer, owner);
                }
                None
            }
            SyntaxRole::Titled => {
                let (title, is_group) = self.headers.title(node)?;
                let outer = self.whole_statement(node, outer);
                if is_group {
                    return Some(self.class(ClassKind::Anonymous, title, node, outer, owner));
                }
                let index = self.add(DeclarationKind::Method, title, node, outer, owner);
                let mut description = self.headers.describe(node, outer);
                // What declares a test marks it as an annotation would.
                let declared_by =
                    self.headers.kinds.call(node).and_then(|rule| node.child_by_field_name(rule.callee));
                description
                    .decorations
                    .extend(declared_by.map(|callee| self.headers.slice(callee).to_owned()));
                self.found[index].description = description;
                Some(index)
            }
            SyntaxRole::Comment => {
                self.comment(node);
                None
            }
            SyntaxRole::Text => {
                self.hide(node);
                None
            }
            SyntaxRole::Package => {
                let named = one_line(self.headers.slice(node)).trim_end_matches(';').trim_end().to_owned();
                self.package = named.rsplit(' ').next().map(str::to_owned);
                None
            }
            SyntaxRole::Import => {
                self.imports.push(span_of(node, node));
                None
            }
            SyntaxRole::Damage => {
                self.damages += 1;
                None
            }
            SyntaxRole::Other | SyntaxRole::Wrapper | SyntaxRole::Decoration | SyntaxRole::Body => None,
        }
    }

    /// The statement that holds nothing but a node.
    fn whole_statement(&self, node: Node<'t>, outer: Node<'t>) -> Node<'t> {
        let is_around = |parent: &Node<'t>| {
            parent.named_child_count() == 1
                && (self.headers.entry.statements.contains_key(parent.kind())
                    || self.headers.kinds.role(*parent) == SyntaxRole::Wrapper)
        };
        std::iter::successors(Some(outer), |inner| inner.parent().filter(is_around)).last().unwrap_or(node)
    }

    fn class(
        &mut self,
        kind: ClassKind,
        name: String,
        node: Node<'t>,
        outer: Node<'t>,
        owner: Option<usize>,
    ) -> usize {
        let index = self.add(DeclarationKind::Class(kind), name, node, outer, owner);
        self.found[index].description = self.headers.describe(node, outer);
        self.found[index].supers = self.headers.supers(node);
        // The components of a record are its fields.
        if let Some(parameters) = node.child_by_field_name(self.headers.entry.parameters) {
            let mut cursor = parameters.walk();
            for parameter in parameters.named_children(&mut cursor) {
                if let Some(name) = self.headers.parameter_name(parameter) {
                    self.add(DeclarationKind::Field, name, parameter, parameter, Some(index));
                }
            }
        }
        index
    }

    fn add(
        &mut self,
        what: DeclarationKind,
        name: String,
        node: Node,
        outer: Node,
        owner: Option<usize>,
    ) -> usize {
        let mut lines = span_of(outer, node);
        let mut row = outer.start_position().row;
        let start = outer.start_position().column;
        let first_on_line = self.blank_before(outer);
        while first_on_line
            && let Some((first, column)) =
                row.checked_sub(1).and_then(|above| self.comments.get(&above)).copied()
            && (!self.headers.entry.comments_share_indentation || column == start)
        {
            row = first;
            lines.first = line_number(row);
        }
        let named = node.child_by_field_name("name").unwrap_or(node);
        self.found.push(Declaration {
            what,
            name,
            description: Description::default(),
            lines,
            line: line_number(named.start_position().row),
            first_on_line,
            damaged: node.has_error(),
            supers: Vec::new(),
            owner,
        });
        self.found.len() - 1
    }

    fn blank_before(&self, node: Node) -> bool {
        let start = node.start_byte();
        let before = self.headers.text.get(start.saturating_sub(node.start_position().column)..start);
        before.is_some_and(|before| before.trim().is_empty())
    }

    fn comment(&mut self, node: Node) {
        self.hide(node);
        let rest = self.headers.text.get(node.end_byte()..).unwrap_or_default();
        let alone = node.end_position().column == 0
            || rest.split('\n').next().is_none_or(|rest| rest.trim().is_empty());
        if alone && self.blank_before(node) {
            let start = node.start_position();
            self.comments.insert(last_row(node), (start.row, start.column));
        }
    }

    fn hide(&mut self, node: Node) {
        let (first, last) = (node.start_position().row, last_row(node));
        if last > first || self.headers.kinds.role(node) == SyntaxRole::Comment {
            self.opaque.push((first, last));
        }
    }
}

/// The last row with something of the node on it.
pub(crate) fn last_row(node: Node) -> usize {
    let (start, end) = (node.start_position(), node.end_position());
    if end.column == 0 && end.row > start.row { end.row - 1 } else { end.row }
}

fn span_of(outer: Node, node: Node) -> Span {
    Span { first: line_number(outer.start_position().row), last: line_number(last_row(node)) }
}
