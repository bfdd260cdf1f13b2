//! From a syntax tree to the declarations in it: one walk that knows roles, not languages.

use std::collections::HashMap;

use tree_sitter::{Node, Tree};

use crate::assembly::{self, Declaration, What};
use crate::language::{ClassKind, Entry, Kinds, Language, Role};
use crate::outline::{Outline, Span};
use crate::rescue;
use crate::text::{one_line, shorten, without_ends};

/// Declarations inside so many others are not looked at: nobody writes them, and the outline would nest without end.
const MAX_NESTING: usize = 64;

/// Characters kept of a signature.
const SIGNATURE: usize = 400;

/// Reads what a file declares.
pub(crate) fn outline(language: Language, text: &str) -> Outline {
    let Some(tree) = language.parse(text) else { return Outline::default() };
    let mut reader = Reader::new(language, text);
    reader.walk(&tree);
    if reader.damages > 0 {
        rescue::rescue(language.entry(), text, &reader.opaque, &mut reader.found);
    }
    let mut outline = assembly::assemble(reader.found, language.entry().constructor_names);
    outline.package = reader.package;
    outline.imports = reader.imports;
    outline.syntax_errors = reader.damages;
    outline
}

/// What a walk over a tree collects.
struct Reader<'t> {
    entry: &'static Entry,
    kinds: &'static Kinds,
    text: &'t str,
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
            entry: language.entry(),
            kinds: language.kinds(),
            text,
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
        loop {
            let node = cursor.node();
            let depth = cursor.depth();
            while owners.last().is_some_and(|(at, _)| *at >= depth) {
                owners.pop();
            }
            wrapper = wrapper.filter(|(at, _)| *at < depth);
            if node.is_missing() {
                self.damages += 1;
            }
            let role = self.kinds.role(node);
            if role == Role::Wrapper {
                wrapper = Some((depth, node));
            } else if role != Role::Other {
                let outer = wrapper.filter(|(at, _)| *at + 1 == depth).map_or(node, |(_, wrapper)| wrapper);
                let owner = owners.last().map(|(_, index)| *index);
                if owners.len() < MAX_NESTING
                    && let Some(opened) = self.visit(role, node, outer, owner)
                {
                    owners.push((depth, opened));
                }
            }
            if cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
            }
        }
    }

    /// Notes what a node is; gives the index of the declaration that what is below belongs to, if it opens one.
    fn visit(&mut self, role: Role, node: Node<'t>, outer: Node<'t>, owner: Option<usize>) -> Option<usize> {
        match role {
            Role::Class(kind) => {
                let name = self.slice(node.child_by_field_name("name")?).to_owned();
                Some(self.class(kind, name, node, outer, owner))
            }
            Role::ClassIfBody(field) => {
                self.body(node)?;
                let made_from = one_line(self.slice(node.child_by_field_name(field)?));
                let name = format!("<{}>", made_from.split('<').next().unwrap_or_default());
                Some(self.class(ClassKind::Anonymous, name, node, outer, owner))
            }
            Role::Constant => {
                let name = self.slice(node.child_by_field_name("name")?).to_owned();
                self.add(What::Field, name.clone(), node, outer, owner);
                self.body(node)?;
                Some(self.class(ClassKind::Anonymous, format!("<{name}>"), node, outer, owner))
            }
            Role::Method | Role::Constructor => {
                let name = self.slice(node.child_by_field_name("name")?).to_owned();
                let what = if role == Role::Constructor { What::Constructor } else { What::Method };
                let index = self.add(what, name, node, outer, owner);
                self.describe(index, node, outer);
                Some(index)
            }
            Role::Initializer => {
                let in_class = owner.is_some_and(|owner| matches!(self.found[owner].what, What::Class(_)));
                if !in_class || !node.parent().is_some_and(|parent| self.kinds.role(parent) == Role::Body) {
                    return None;
                }
                let header = self.slice(node).split('{').next().map(one_line).unwrap_or_default();
                let name = format!("<{}>", if header.is_empty() { "init" } else { &header });
                let index = self.add(What::Initializer, name, node, outer, owner);
                self.found[index].signature = one_line(&format!("{header} {{ }}"));
                Some(index)
            }
            Role::Field(field) => {
                if !owner.is_some_and(|owner| self.found[owner].what.is_method()) {
                    for name in self.declared_names(node, field) {
                        self.add(What::Field, name, node, outer, owner);
                    }
                }
                None
            }
            Role::Comment => {
                self.comment(node);
                None
            }
            Role::Text => {
                self.hide(node);
                None
            }
            Role::Package => {
                let named = one_line(self.slice(node)).trim_end_matches(';').trim_end().to_owned();
                self.package = named.rsplit(' ').next().map(str::to_owned);
                None
            }
            Role::Import => {
                self.imports.push(span_of(node, node));
                None
            }
            Role::Damage => {
                self.damages += 1;
                None
            }
            Role::Other | Role::Wrapper | Role::Decoration | Role::Body => None,
        }
    }

    fn slice(&self, node: Node) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// The body of a class or method.
    fn body(&self, node: Node<'t>) -> Option<Node<'t>> {
        let mut cursor = node.walk();
        let by_role = |cursor: &mut tree_sitter::TreeCursor<'t>| {
            node.children(cursor).find(|child| self.kinds.role(*child) == Role::Body)
        };
        node.child_by_field_name(self.entry.body).or_else(|| by_role(&mut cursor))
    }

    fn class(
        &mut self,
        kind: ClassKind,
        name: String,
        node: Node<'t>,
        outer: Node<'t>,
        owner: Option<usize>,
    ) -> usize {
        let index = self.add(What::Class(kind), name, node, outer, owner);
        self.describe(index, node, outer);
        self.found[index].supers = self.supers(node);
        // The components of a record are its fields.
        if let Some(parameters) = node.child_by_field_name(self.entry.parameters) {
            let mut cursor = parameters.walk();
            for parameter in parameters.named_children(&mut cursor) {
                if let Some(name) = self.parameter_name(parameter) {
                    self.add(What::Field, name, parameter, parameter, Some(index));
                }
            }
        }
        index
    }

    fn add(&mut self, what: What, name: String, node: Node, outer: Node, owner: Option<usize>) -> usize {
        let mut lines = span_of(outer, node);
        let mut row = outer.start_position().row;
        let start = outer.start_position().column;
        let first_on_line = self.blank_before(outer);
        while first_on_line
            && let Some((first, column)) =
                row.checked_sub(1).and_then(|above| self.comments.get(&above)).copied()
            && (!self.entry.comments_share_indentation || column == start)
        {
            row = first;
            lines.first = number(row);
        }
        let named = node.child_by_field_name("name").unwrap_or(node);
        self.found.push(Declaration {
            what,
            name,
            signature: String::new(),
            lines,
            line: number(named.start_position().row),
            first_on_line,
            damaged: node.has_error(),
            decorations: Vec::new(),
            parameters: Vec::new(),
            supers: Vec::new(),
            owner,
        });
        self.found.len() - 1
    }

    /// Fills in the signature, the decorations and the parameters.
    fn describe(&mut self, index: usize, node: Node<'t>, outer: Node<'t>) {
        let mut end = self.body(node).map_or(node.end_byte(), |body| body.start_byte());
        let mut cut = Vec::new();
        let mut decorations = Vec::new();
        if outer != node {
            let mut cursor = outer.walk();
            let around =
                outer.children(&mut cursor).filter(|child| self.kinds.role(*child) == Role::Decoration);
            decorations.extend(around.map(|child| self.decoration(child)));
        }
        let mut left = vec![node];
        while let Some(next) = left.pop() {
            match self.kinds.role(next) {
                Role::Decoration => {
                    decorations.push(self.decoration(next));
                    cut.push(next.byte_range());
                }
                Role::Comment => cut.push(next.byte_range()),
                // Behind damage in a header may stand anything, up to the body of another method.
                Role::Damage => end = end.min(next.start_byte()),
                _ => {
                    let mut cursor = next.walk();
                    let children: Vec<Node> =
                        next.children(&mut cursor).filter(|child| child.start_byte() < end).collect();
                    left.extend(children.into_iter().rev());
                }
            }
        }
        let mut header = String::new();
        let mut from = node.start_byte();
        for range in cut.into_iter().filter(|range| range.end <= end) {
            header.push_str(self.text.get(from..range.start).unwrap_or_default());
            header.push(' ');
            from = range.end;
        }
        header.push_str(self.text.get(from..end).unwrap_or_default());
        let parameters = node.child_by_field_name(self.entry.parameters);
        let parameters = parameters.map_or_else(Vec::new, |list| {
            let mut cursor = list.walk();
            list.named_children(&mut cursor).filter_map(|parameter| self.parameter_name(parameter)).collect()
        });
        let declaration = &mut self.found[index];
        declaration.signature = shorten(&without_ends(&one_line(&header)), SIGNATURE);
        declaration.decorations = decorations;
        declaration.parameters = parameters;
    }

    fn decoration(&self, node: Node) -> String {
        shorten(one_line(self.slice(node)).trim_start_matches('@').trim_start(), SIGNATURE)
    }

    fn parameter_name(&self, parameter: Node<'t>) -> Option<String> {
        if self.kinds.role(parameter) == Role::Comment {
            return None;
        }
        let mut left = vec![parameter];
        while let Some(node) = left.pop() {
            if self.kinds.is_name(node) {
                return Some(self.slice(node).to_owned());
            }
            if let Some(name) = node.child_by_field_name("name") {
                return Some(self.slice(name).to_owned());
            }
            let mut cursor = node.walk();
            let children: Vec<Node> = node.named_children(&mut cursor).collect();
            left.extend(children.into_iter().rev());
        }
        None
    }

    /// The names that a declaration of variables introduces.
    fn declared_names(&self, node: Node<'t>, field: &str) -> Vec<String> {
        let mut cursor = node.walk();
        let mut names = Vec::new();
        for target in node.children_by_field_name(field, &mut cursor) {
            let name = target.child_by_field_name("name").unwrap_or(target);
            if self.kinds.is_name(name) {
                names.push(self.slice(name).to_owned());
            } else if !self.slice(name).contains(['.', '[']) {
                // Several targets at once: `a, b = 1, 2`.
                let mut inner = name.walk();
                let parts = name.named_children(&mut inner).filter(|part| self.kinds.is_name(*part));
                names.extend(parts.map(|part| self.slice(part).to_owned()));
            }
        }
        names
    }

    /// The names of the classes that a class extends, without type arguments and keywords.
    fn supers(&self, node: Node<'t>) -> Vec<String> {
        let mut cursor = node.walk();
        let lists = node.children(&mut cursor).filter(|child| self.entry.supers.contains(&child.kind()));
        let mut names = Vec::new();
        for list in lists {
            let text = one_line(self.slice(list));
            let words = self.entry.super_words.iter();
            let bare = words.fold(text.as_str(), |text, word| text.strip_prefix(word).unwrap_or(text));
            let bare = bare.trim_start_matches('(').trim_end_matches(')');
            names.extend(super_names(bare));
        }
        names
    }

    fn blank_before(&self, node: Node) -> bool {
        let start = node.start_byte();
        let before = self.text.get(start.saturating_sub(node.start_position().column)..start);
        before.is_some_and(|before| before.trim().is_empty())
    }

    fn comment(&mut self, node: Node) {
        self.hide(node);
        let rest = self.text.get(node.end_byte()..).unwrap_or_default();
        let alone = node.end_position().column == 0
            || rest.split('\n').next().is_none_or(|rest| rest.trim().is_empty());
        if alone && self.blank_before(node) {
            let start = node.start_position();
            self.comments.insert(last_row(node), (start.row, start.column));
        }
    }

    fn hide(&mut self, node: Node) {
        let (first, last) = (node.start_position().row, last_row(node));
        if last > first || self.kinds.role(node) == Role::Comment {
            self.opaque.push((first, last));
        }
    }
}

/// Splits at commas outside of brackets; type arguments, call arguments and `name=value` are left out.
fn super_names(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut depth = 0_usize;
    let mut name = String::new();
    for letter in text.chars().chain([',']) {
        match letter {
            '<' | '(' | '[' | '{' => depth += 1,
            '>' | ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                let found = std::mem::take(&mut name);
                if !found.trim().is_empty() && !found.contains('=') {
                    names.push(found.trim().to_owned());
                }
            }
            _ if depth == 0 => name.push(letter),
            _ => {}
        }
    }
    names
}

fn number(row: usize) -> u32 {
    u32::try_from(row + 1).unwrap_or(u32::MAX)
}

/// The last row with something of the node on it.
fn last_row(node: Node) -> usize {
    let (start, end) = (node.start_position(), node.end_position());
    if end.column == 0 && end.row > start.row { end.row - 1 } else { end.row }
}

fn span_of(outer: Node, node: Node) -> Span {
    Span { first: number(outer.start_position().row), last: number(last_row(node)) }
}
