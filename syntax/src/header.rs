//! Headers of declarations: what stands in front of the body.

use tree_sitter::Node;

use crate::language::{Kinds, Language, LanguageEntry, SyntaxRole};
use crate::text::{one_line, shorten, without_ends};
use crate::tree::visit;

/// Characters kept of a signature.
const SIGNATURE: usize = 400;

/// Reads the headers of declarations in a text.
#[derive(Copy, Clone)]
pub(crate) struct Headers<'t> {
    pub entry: &'static LanguageEntry,
    pub kinds: &'static Kinds,
    pub text: &'t str,
}

/// The parts of one header.
#[derive(Clone, Debug, Default)]
pub(crate) struct Description {
    /// The declaration in one line, without decorations and comments.
    pub signature: String,
    /// The annotations or decorators, without the `@`.
    pub decorations: Vec<String>,
    /// The names of the parameters.
    pub parameters: Vec<String>,
}

impl<'t> Headers<'t> {
    pub fn new(language: Language, text: &'t str) -> Self {
        Self { entry: language.entry(), kinds: language.kinds(), text }
    }

    /// The text of a node.
    pub fn slice(&self, node: Node) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// The function that a node gives a name or a title.
    pub fn function(&self, node: Node<'t>) -> Option<Node<'t>> {
        let value = match self.kinds.role(node) {
            SyntaxRole::Bound(_, value) => node.child_by_field_name(value),
            SyntaxRole::Titled => {
                let list = node.child_by_field_name(self.kinds.call(node)?.arguments)?;
                list.named_child(u32::try_from(list.named_child_count()).ok()?.checked_sub(1)?)
            }
            _ => None,
        };
        value.filter(|value| self.entry.functions.contains(&value.kind()))
    }

    /// The name that a function is given: the last part of `object.name`.
    pub fn bound_name(&self, name: Node<'t>) -> String {
        let text = one_line(self.slice(name));
        let last = text.rsplit('.').next().unwrap_or_default();
        last.trim_matches(['"', '\'', '`', '[', ']']).to_owned()
    }

    /// The title of a test or of a group of tests that a call declares, and whether it is a group.
    pub fn title(&self, node: Node<'t>) -> Option<(String, bool)> {
        let rule = self.kinds.call(node)?;
        let callee = self.slice(node.child_by_field_name(rule.callee)?);
        // `it.only`, and `t.test` of a test inside of another.
        let mut words = callee.split('.');
        let (first, last) = (words.next()?, words.next_back());
        let titled = &self.entry.tests.titled;
        let among = |known: &[&str]| known.contains(&first) || last.is_some_and(|last| known.contains(&last));
        let is_group = among(&titled.groups);
        if !is_group && !among(&titled.tests) {
            return None;
        }
        self.function(node)?;
        let list = node.child_by_field_name(rule.arguments)?;
        let title = list.named_child(0).filter(|first| self.kinds.role(*first) == SyntaxRole::Text)?;
        Some((one_line(self.slice(title).trim_matches(['"', '\'', '`'])), is_group))
    }

    /// The body of a class or method.
    pub fn body(&self, node: Node<'t>) -> Option<Node<'t>> {
        if let Some(function) = self.function(node) {
            return function.child_by_field_name(self.entry.body);
        }
        let mut cursor = node.walk();
        let by_role = |cursor: &mut tree_sitter::TreeCursor<'t>| {
            node.children(cursor).find(|child| self.kinds.role(*child) == SyntaxRole::Body)
        };
        node.child_by_field_name(self.entry.body).or_else(|| by_role(&mut cursor))
    }

    /// Reads the header of a declaration; `outer` is the wrapper around it, if there is one.
    pub fn describe(&self, node: Node<'t>, outer: Node<'t>) -> Description {
        let mut end = self.body(node).map_or(node.end_byte(), |body| body.start_byte());
        let mut cut = Vec::new();
        let mut decorations = Vec::new();
        if outer != node {
            let mut cursor = outer.walk();
            let around =
                outer.children(&mut cursor).filter(|child| self.kinds.role(*child) == SyntaxRole::Decoration);
            decorations.extend(around.map(|child| self.decoration(child)));
        }
        let mut left = vec![node];
        while let Some(next) = left.pop() {
            match self.kinds.role(next) {
                SyntaxRole::Decoration => {
                    decorations.push(self.decoration(next));
                    cut.push(next.byte_range());
                }
                SyntaxRole::Comment => cut.push(next.byte_range()),
                // Behind damage in a header may stand anything, up to the body of another method.
                SyntaxRole::Damage => end = end.min(next.start_byte()),
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
        let declared = self.function(node).unwrap_or(node);
        let parameters = declared.child_by_field_name(self.entry.parameters);
        let parameters = parameters.map_or_else(Vec::new, |list| {
            let mut cursor = list.walk();
            list.named_children(&mut cursor).filter_map(|parameter| self.parameter_name(parameter)).collect()
        });
        Description {
            signature: shorten(&without_ends(&one_line(&header)), SIGNATURE),
            decorations,
            parameters,
        }
    }

    fn decoration(&self, node: Node) -> String {
        shorten(one_line(self.slice(node)).trim_start_matches('@').trim_start(), SIGNATURE)
    }

    /// The name of a parameter.
    pub fn parameter_name(&self, parameter: Node<'t>) -> Option<String> {
        if self.kinds.role(parameter) == SyntaxRole::Comment {
            return None;
        }
        let mut name = None;
        visit(parameter, |node| {
            let found =
                || if self.kinds.is_name(node) { Some(node) } else { node.child_by_field_name("name") };
            name = name.or_else(found);
            name.is_none()
        });
        name.map(|name| self.slice(name).to_owned())
    }

    /// The names that a declaration of variables introduces.
    pub fn declared_names(&self, node: Node<'t>, field: &str) -> Vec<String> {
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
    pub fn supers(&self, node: Node<'t>) -> Vec<String> {
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
