//! The names of a file: where each is bound, to what, and in which scope.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use patchwright_syntax::{BindingRules, Language, NodeShape, ProjectPath, SyntaxRole};
use tree_sitter::{Node, Tree};

use super::origin::Origin;
use super::project::{Modules, ProjectContents};

/// What a name is bound to.
#[derive(Clone)]
pub(super) enum Source<'t> {
    /// The value of an expression.
    Value(Node<'t>),
    /// An element of a value; by its place, where that is known.
    Element(Node<'t>, Option<usize>),
    /// A member of a value.
    Key(Node<'t>, String),
    /// An object of a type.
    Typed(Node<'t>),
    /// A function.
    Function(Node<'t>),
    /// The parameter of a function in this place.
    Parameter(Node<'t>, usize),
    /// A module, or a member of one.
    Import(String),
    /// Something that the file makes.
    Made,
}

/// What is bound to one name in one scope.
#[derive(Default)]
pub(super) struct Binding<'t> {
    pub(super) sources: Vec<Source<'t>>,
    /// The name belongs to this scope, so that scopes further out have no say.
    pub(super) is_declared: bool,
}

#[derive(Default)]
pub(super) struct Scope<'t> {
    pub(super) above: Option<usize>,
    pub(super) names: HashMap<&'t str, Binding<'t>>,
    /// Names that belong to a scope further out.
    outer: BTreeSet<&'t str>,
}

/// Where a node stands.
#[derive(Clone, Copy)]
pub(super) struct Place<'t> {
    pub(super) above: Option<Node<'t>>,
    pub(super) scope: usize,
}

/// The names of one file.
pub(super) struct Names<'t> {
    pub(super) language: Language,
    pub(super) rules: &'static BindingRules,
    pub(super) text: &'t str,
    pub(super) modules: Modules<'t>,
    pub(super) scopes: Vec<Scope<'t>>,
    /// What members of that name are given anywhere, whatever their object.
    pub(super) members: HashMap<&'t str, Vec<Source<'t>>>,
    /// The calls of functions by the last part of their name.
    pub(super) calls: HashMap<&'t str, Vec<Node<'t>>>,
    /// The values that a function returns, by its node.
    pub(super) returns: HashMap<usize, Vec<Node<'t>>>,
    pub(super) places: HashMap<usize, Place<'t>>,
    /// Where the value of each name comes from, by its scope.
    pub(super) values: HashMap<(usize, &'t str), Origin>,
    /// The paths of the modules that are imported as a whole.
    pub(super) whole_modules: HashSet<String>,
    pub(super) known: RefCell<HashMap<usize, Origin>>,
    pub(super) known_members: RefCell<HashMap<&'t str, Option<Origin>>>,
    shapes: BTreeMap<&'static str, NodeShape>,
}

impl<'t> Names<'t> {
    /// Reads the names of a file.
    pub(super) fn of(
        language: Language,
        path: &'t ProjectPath,
        text: &'t str,
        tree: &'t Tree,
        project: &'t dyn ProjectContents,
    ) -> Self {
        let rules = &language.entry().bindings;
        let mut names = Self {
            language,
            rules,
            text,
            modules: Modules::new(language, path, project),
            scopes: vec![Scope::default()],
            members: HashMap::new(),
            calls: HashMap::new(),
            returns: HashMap::new(),
            places: HashMap::new(),
            values: HashMap::new(),
            whole_modules: HashSet::new(),
            known: RefCell::default(),
            known_members: RefCell::default(),
            shapes: rules.nodes.clone(),
        };
        // Each with the node above, its scope, and the function around it: a tree looks for the node above from its root.
        let mut open = vec![(tree.root_node(), None, 0, None)];
        while let Some((node, above, scope, function)) = open.pop() {
            names.places.insert(node.id(), Place { above, scope });
            let (mut inner, mut around) = (scope, function);
            names.read(node, scope, function);
            if names.shape(node) == Some(NodeShape::Function) {
                names.scopes.push(Scope { above: Some(scope), ..Scope::default() });
                (inner, around) = (names.scopes.len() - 1, Some(node));
                names.bind_parameters(node, inner);
            }
            let first = open.len();
            let mut cursor = node.walk();
            open.extend(node.named_children(&mut cursor).map(|child| (child, Some(node), inner, around)));
            open[first..].reverse();
        }
        names.resolve();
        names
    }

    pub(super) fn shape(&self, node: Node<'_>) -> Option<NodeShape> {
        self.shapes.get(node.kind()).copied().filter(|_| node.is_named())
    }

    pub(super) fn text(&self, node: Node<'_>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    pub(super) fn above(&self, node: Node<'_>) -> Option<Node<'t>> {
        self.places.get(&node.id())?.above
    }

    /// The named children, without comments.
    pub(super) fn children(&self, node: Node<'t>) -> Vec<Node<'t>> {
        let roles = &self.language.entry().roles;
        let mut cursor = node.walk();
        node.named_children(&mut cursor)
            .filter(|child| roles.get(child.kind()) != Some(&SyntaxRole::Comment))
            .collect()
    }

    /// The arguments of a call.
    pub(super) fn arguments(&self, call: Node<'t>) -> Vec<Node<'t>> {
        let rule = self.language.kinds().call(call);
        let list = rule.and_then(|rule| call.child_by_field_name(rule.arguments));
        list.map(|list| self.children(list)).unwrap_or_default()
    }

    /// The value of an argument, which may have a name.
    pub(super) fn argument_value(&self, argument: Node<'t>) -> Node<'t> {
        match self.shape(argument) {
            Some(NodeShape::Parameter(_, value)) => child(argument, value).unwrap_or(argument),
            _ => argument,
        }
    }

    /// The last part of a name, as it is written.
    pub(super) fn last_name(&self, mut node: Node<'t>) -> Option<&'t str> {
        while self.shape(node) == Some(NodeShape::Through) {
            node = node.named_child(0)?;
        }
        match self.shape(node) {
            Some(NodeShape::Member(_, name)) => child(node, name).map(|name| self.text(name)),
            Some(NodeShape::Item(_, key)) => child(node, key).map(|key| self.key(key)),
            _ => Some(self.text(node)),
        }
    }

    /// What a key names: the content of a text, else what is written.
    fn key(&self, key: Node<'t>) -> &'t str {
        self.literal(key).unwrap_or_else(|| self.text(key))
    }

    /// The content of a text that stands by itself.
    pub(super) fn literal(&self, node: Node<'_>) -> Option<&'t str> {
        let is_text = self.shape(node) == Some(NodeShape::Text);
        let quotes = ['"', '\'', '`'];
        is_text.then(|| {
            self.text(node).trim_start_matches(|c: char| c.is_ascii_alphabetic()).trim_matches(quotes)
        })
    }

    /// The single targets of one that may be a pattern.
    pub(super) fn written(&self, target: Node<'t>) -> Vec<Node<'t>> {
        let (mut open, mut written) = (vec![target], Vec::new());
        while let Some(target) = open.pop() {
            match self.shape(target) {
                Some(NodeShape::Member(..) | NodeShape::Item(..) | NodeShape::Name) => written.push(target),
                Some(
                    NodeShape::Pattern | NodeShape::FieldPattern | NodeShape::Through | NodeShape::Holder,
                ) => open.extend(self.children(target)),
                Some(NodeShape::Pair(_, part) | NodeShape::Parameter(part, _)) => {
                    open.extend(child(target, part));
                }
                Some(_) | None => {}
            }
        }
        written
    }

    fn read(&mut self, node: Node<'t>, scope: usize, function: Option<Node<'t>>) {
        if let Some(rule) = self.language.kinds().call(node)
            && let Some(name) =
                node.child_by_field_name(rule.callee).and_then(|callee| self.last_name(callee))
        {
            self.calls.entry(name).or_default().push(node);
        }
        let Some(shape) = self.shape(node) else { return };
        let name = node.child_by_field_name("name");
        match shape {
            NodeShape::Function => {
                if let Some(name) = name.filter(|name| self.shape(*name) == Some(NodeShape::Name)) {
                    self.bind(name, &Source::Function(node), scope, true);
                }
                let body = node.child_by_field_name(self.language.entry().body);
                // The body of a lambda is its value.
                if let Some(body) = body.filter(|body| body.kind() != self.language.entry().block) {
                    self.returns.entry(node.id()).or_default().push(body);
                }
            }
            NodeShape::Class => {
                if let Some(name) = name {
                    self.bind(name, &Source::Made, scope, true);
                }
            }
            NodeShape::Import => {
                let is_whole = node.child_by_field_name(self.rules.import_source).is_none();
                for (name, path) in self.imported(node) {
                    if is_whole {
                        self.whole_modules.insert(path.clone());
                    }
                    let binding = self.scopes[scope].names.entry(name).or_default();
                    binding.is_declared = true;
                    binding.sources.push(Source::Import(path));
                }
            }
            NodeShape::Declare(target, value) => self.give(node, target, value, scope, true),
            NodeShape::Assign(target, value) => self.give(node, target, value, scope, false),
            NodeShape::Each(target, value) => {
                if let (Some(target), Some(value)) = (child(node, target), child(node, value)) {
                    self.bind(target, &Source::Element(value, None), scope, true);
                }
            }
            NodeShape::Pair(key, value) => {
                if let (Some(key), Some(value)) = (child(node, key), child(node, value)) {
                    let name = self.key(key);
                    self.members.entry(name).or_default().push(Source::Value(value));
                }
            }
            NodeShape::Outer => {
                let names: Vec<_> = self.children(node).into_iter().map(|name| self.text(name)).collect();
                self.scopes[scope].outer.extend(names);
            }
            NodeShape::Return => {
                let value = self.children(node).into_iter().next();
                if let (Some(function), Some(value)) = (function, value) {
                    self.returns.entry(function.id()).or_default().push(value);
                }
            }
            NodeShape::Name
            | NodeShape::Path
            | NodeShape::Member(..)
            | NodeShape::Item(..)
            | NodeShape::Change(_)
            | NodeShape::Parameter(..)
            | NodeShape::Specifier(..)
            | NodeShape::Catch
            | NodeShape::Holder
            | NodeShape::Pattern
            | NodeShape::FieldPattern
            | NodeShape::Through
            | NodeShape::Choice(_)
            | NodeShape::Join
            | NodeShape::Comparison
            | NodeShape::Text
            | NodeShape::Literal => {}
        }
    }

    fn give(&mut self, node: Node<'t>, target: &str, value: &str, scope: usize, declares: bool) {
        let Some(target) = child(node, target) else { return };
        // The type stands on the declaration where one declares several.
        let of = |node: Node<'t>| node.child_by_field_name("type");
        let value = child(node, value);
        if self.above(node).is_some_and(|above| self.shape(above) == Some(NodeShape::Catch)) {
            if let Some(kind) = value {
                self.bind(target, &Source::Typed(kind), scope, declares);
            }
            return;
        }
        if let Some(kind) = of(node).or_else(|| self.above(node).and_then(of)) {
            self.bind(target, &Source::Typed(kind), scope, declares);
        } else if value.is_none() {
            self.bind(target, &Source::Made, scope, declares);
        }
        if let Some(value) = value {
            self.bind(target, &Source::Value(value), scope, declares);
        }
    }

    fn bind_parameters(&mut self, function: Node<'t>, scope: usize) {
        let parameters = self.parameter_list(function);
        for (place, parameter) in parameters.into_iter().enumerate() {
            self.bind(parameter, &Source::Parameter(function, place), scope, true);
            parameter
                .child_by_field_name("type")
                .into_iter()
                .for_each(|kind| self.bind(parameter, &Source::Typed(kind), scope, true));
        }
    }

    fn bind(&mut self, target: Node<'t>, source: &Source<'t>, scope: usize, declares: bool) {
        let mut open = vec![(target, source.clone())];
        while let Some((target, source)) = open.pop() {
            match self.shape(target) {
                Some(NodeShape::Name) => self.bind_name(self.text(target), &source, scope, declares),
                Some(NodeShape::Member(_, name)) => {
                    if let Some(name) = child(target, name) {
                        self.members.entry(self.text(name)).or_default().push(source);
                    }
                }
                Some(NodeShape::Pattern | NodeShape::Holder) => {
                    open.extend(self.children(target).into_iter().enumerate().map(|(place, part)| {
                        match &source {
                            Source::Value(value) => (part, Source::Element(*value, Some(place))),
                            other => (part, other.clone()),
                        }
                    }));
                }
                Some(NodeShape::FieldPattern) => {
                    let parts = self.children(target).into_iter();
                    open.extend(parts.filter_map(|part| self.field(part, &source)));
                }
                Some(NodeShape::Through) => {
                    open.extend(target.named_child(0).map(|part| (part, source)));
                }
                Some(NodeShape::Parameter(name, value)) => {
                    let value = (!value.is_empty()).then(|| child(target, value)).flatten();
                    let name = child(target, name);
                    let default = value.filter(|_| value != name).zip(name);
                    open.extend(name.map(|name| (name, source)));
                    open.extend(default.map(|(value, name)| (name, Source::Value(value))));
                }
                Some(_) | None => {}
            }
        }
    }

    /// One part of a pattern that goes by keys, with what it is given.
    fn field(&self, part: Node<'t>, source: &Source<'t>) -> Option<(Node<'t>, Source<'t>)> {
        let (key, target) = match self.shape(part) {
            Some(NodeShape::Pair(key, value)) => (child(part, key)?, child(part, value)?),
            Some(NodeShape::Parameter(name, _)) => (child(part, name)?, part),
            Some(_) | None => (part, part),
        };
        let key = self.key(key);
        let source = match source {
            Source::Value(value) => Source::Key(*value, key.to_owned()),
            // Deeper patterns say no more.
            Source::Key(value, first) if !first.contains('.') => {
                Source::Key(*value, format!("{first}.{key}"))
            }
            other => other.clone(),
        };
        Some((target, source))
    }

    fn bind_name(&mut self, name: &'t str, source: &Source<'t>, scope: usize, declares: bool) {
        let declares = declares && !self.scopes[scope].outer.contains(name);
        let mut next = Some(scope);
        // Without a declaration the name may belong to any scope further out.
        while let Some(scope) = next {
            let binding = self.scopes[scope].names.entry(name).or_default();
            binding.sources.push(source.clone());
            if declares {
                binding.is_declared = true;
                return;
            }
            next = self.scopes[scope].above;
        }
        if !declares {
            self.scopes[0].names.entry(name).or_default();
        }
    }
}

/// The child in a field; the first named one where the field has no name.
pub(super) fn child<'t>(node: Node<'t>, field: &str) -> Option<Node<'t>> {
    if field.is_empty() { node.named_child(0) } else { node.child_by_field_name(field) }
}
