//! Follows expressions to where their values come from.

use patchwright_syntax::NodeShape;
use tree_sitter::Node;

use super::names::{Names, Source, child};
use super::origin::Origin;

/// The depth to which expressions are followed; one that nests deeper is taken for the project's own.
const MAX_DEPTH: usize = 100;

/// The rounds in which what is known of names may change. Aliases in the order of the text take one.
const MAX_ROUNDS: usize = 40;

/// The path of what literals are made by.
const LITERAL: &str = "literal";

impl<'t> Names<'t> {
    /// Where the value of an expression comes from.
    pub(super) fn origin(&self, node: Node<'t>) -> Origin {
        self.origin_within(node, MAX_DEPTH)
    }

    pub(super) fn origin_within(&self, node: Node<'t>, steps: usize) -> Origin {
        if let Some(known) = self.known.borrow().get(&node.id()) {
            return known.clone();
        }
        let Some(steps) = steps.checked_sub(1) else { return Origin::Own };
        // While it is worked out it says nothing: a function may call itself.
        self.known.borrow_mut().insert(node.id(), Origin::Own);
        let found = self.work_out(node, steps);
        self.known.borrow_mut().insert(node.id(), found.clone());
        found
    }

    fn work_out(&self, node: Node<'t>, steps: usize) -> Origin {
        let of = |node: Node<'t>| self.origin_within(node, steps);
        if self.language.kinds().call(node).is_some() {
            return self.result(node, steps);
        }
        let any = |nodes: Vec<Node<'t>>| nodes.into_iter().map(of).max().unwrap_or_default();
        let field = |field: &str| child(node, field).map(of).unwrap_or_default();
        match self.shape(node) {
            Some(NodeShape::Name) => self.named(node),
            Some(NodeShape::Path) => self.imported_as(self.text(node)),
            Some(NodeShape::Member(object, name)) => {
                let name = child(node, name).map(|name| self.text(name)).unwrap_or_default();
                child(node, object).map(|object| self.member(object, name, steps)).unwrap_or_default()
            }
            Some(NodeShape::Item(object, key)) => match (child(node, object), child(node, key)) {
                (Some(object), Some(key)) => self.item(object, key, steps),
                _ => Origin::Own,
            },
            Some(
                NodeShape::Declare(_, value) | NodeShape::Assign(_, value) | NodeShape::Parameter(_, value),
            ) => field(value),
            Some(NodeShape::Function) => self.function(node, steps),
            Some(NodeShape::Holder) => {
                let values = self.children(node).into_iter().map(|part| match self.shape(part) {
                    Some(NodeShape::Pair(_, value)) => child(part, value).unwrap_or(part),
                    _ => part,
                });
                match any(values.collect()) {
                    // A value among many says nothing of the collection, and neither does what the language brings along.
                    Origin::Own | Origin::Made(_) | Origin::Free(_) => self.held_global(node, steps),
                    Origin::Holds(path) | Origin::Gives(path) | Origin::Foreign(path) => Origin::Holds(path),
                }
            }
            Some(NodeShape::Through | NodeShape::Join) => any(self.children(node)),
            Some(NodeShape::Choice(condition)) => {
                let children = self.children(node).into_iter().enumerate();
                any(children.filter(|(place, _)| *place != condition).map(|(_, child)| child).collect())
            }
            Some(NodeShape::Text | NodeShape::Literal) => Origin::Made(LITERAL.to_owned()),
            Some(
                NodeShape::Each(..)
                | NodeShape::Change(_)
                | NodeShape::Class
                | NodeShape::Import
                | NodeShape::Specifier(..)
                | NodeShape::Outer
                | NodeShape::Return
                | NodeShape::Catch
                | NodeShape::Pair(..)
                | NodeShape::Pattern
                | NodeShape::FieldPattern
                | NodeShape::Comparison,
            )
            | None => Origin::Own,
        }
    }

    /// A collection of what the language brings along (`[JSON, Math]`), or a literal like any.
    fn held_global(&self, holder: Node<'t>, steps: usize) -> Origin {
        let global = |child: Node<'t>| match self.origin_within(child, steps) {
            Origin::Free(path) => self.is_global(&path).then_some(path),
            _ => None,
        };
        self.children(holder)
            .into_iter()
            .find_map(global)
            .map_or_else(|| Origin::Made(LITERAL.to_owned()), Origin::Holds)
    }

    /// Whether code can change what a path of the language or its platform names.
    pub(super) fn is_global(&self, path: &str) -> bool {
        let is_computed = path.starts_with("global") && path.ends_with('*');
        let path = self.plain(path);
        let root = path.split('.').next().unwrap_or_default();
        is_computed || self.rules.globals.contains(&root)
    }

    /// A path without prefixes that change nothing.
    pub(super) fn plain<'p>(&self, mut path: &'p str) -> &'p str {
        while let Some(rest) = self.rules.implied.iter().find_map(|prefix| path.strip_prefix(prefix)) {
            path = rest;
        }
        path
    }

    pub(super) fn imported_as(&self, path: &str) -> Origin {
        if self.modules.defines(path) { Origin::Own } else { Origin::Foreign(path.to_owned()) }
    }

    fn named(&self, node: Node<'t>) -> Origin {
        let Some(place) = self.places.get(&node.id()) else { return Origin::Own };
        let name = self.text(node);
        let (mut best, mut next) = (None, Some(place.scope));
        while let Some((number, scope)) = next.and_then(|number| Some((number, self.scopes.get(number)?))) {
            if let Some(binding) = scope.names.get(name) {
                best = best.max(self.values.get(&(number, name)).cloned().or(Some(Origin::Own)));
                if binding.is_declared {
                    return best.unwrap_or_default();
                }
            }
            next = scope.above;
        }
        // What is given a value and declared nowhere may be the platform's.
        let free = Origin::Free(name.to_owned());
        match best {
            Some(best) if self.is_global(name) => best.max(free),
            Some(best) => best,
            None => free,
        }
    }

    /// Works out what all names are bound to, in rounds, until no round changes anything.
    pub(super) fn resolve(&mut self) {
        for _ in 0..MAX_ROUNDS {
            let mut changed = Vec::new();
            for (number, scope) in self.scopes.iter().enumerate() {
                for (name, binding) in &scope.names {
                    let key = (number, *name);
                    let found = binding.sources.iter().map(|source| self.of_source(source, MAX_DEPTH)).max();
                    let before = self.values.get(&key);
                    if found.as_ref().is_some_and(|found| before.is_none_or(|before| found > before)) {
                        changed.extend(found.map(|found| (key, found)));
                    }
                }
            }
            self.known.borrow_mut().clear();
            self.known_members.borrow_mut().clear();
            if changed.is_empty() {
                return;
            }
            self.values.extend(changed);
        }
    }

    fn of_source(&self, source: &Source<'t>, steps: usize) -> Origin {
        match source {
            Source::Value(node) => self.origin_within(*node, steps),
            Source::Element(node, place) => {
                let is_holder = self.shape(*node) == Some(NodeShape::Holder);
                let child =
                    place.filter(|_| is_holder).and_then(|place| self.children(*node).get(place).copied());
                match child {
                    Some(child) => self.origin_within(child, steps),
                    None => match self.origin_within(*node, steps) {
                        // The elements of what others made are values like any.
                        Origin::Foreign(path) => Origin::Made(path),
                        other => other.element(),
                    },
                }
            }
            Source::Key(node, key) => self.member_of(self.origin_within(*node, steps), key, steps),
            Source::Typed(node) => match self.origin_within(*node, steps) {
                Origin::Foreign(path) | Origin::Free(path) => Origin::Made(path),
                _ => Origin::Own,
            },
            Source::Function(node) => self.function(*node, steps),
            Source::Parameter(function, place) => self.parameter(*function, *place, steps),
            Source::Import(path) => self.imported_as(path),
            Source::Made => Origin::Own,
        }
    }

    pub(super) fn member(&self, object: Node<'t>, name: &str, steps: usize) -> Origin {
        self.member_of(self.origin_within(object, steps), name, steps)
    }

    fn member_of(&self, object: Origin, name: &str, steps: usize) -> Origin {
        if self.rules.owner_members.contains(&name) {
            // A function of the language belongs to the language.
            let owned = match &object {
                Origin::Free(path) => path.as_str(),
                _ => "?",
            };
            return Origin::Foreign(format!("{owned}.{name}"));
        }
        match object {
            Origin::Own => self.given(name, steps).unwrap_or_default(),
            Origin::Made(path) if self.rules.class_members.contains(&name) => {
                Origin::Foreign(format!("{path}.{name}"))
            }
            made @ Origin::Made(_) => self.given(name, steps).unwrap_or_else(|| made.with(name)),
            // An object that holds what it names by the same name.
            Origin::Holds(path) if path.rsplit('.').next() == Some(name) => Origin::Foreign(path),
            Origin::Holds(_) => self.member_of(Origin::Own, name, steps),
            other => other.with(name),
        }
    }

    /// What members of a name are given in this file, where that is foreign.
    fn given(&self, name: &str, steps: usize) -> Option<Origin> {
        if let Some(known) = self.known_members.borrow().get(name) {
            return known.clone();
        }
        let (&name, sources) = self.members.get_key_value(name)?;
        self.known_members.borrow_mut().insert(name, None);
        let found = match sources.iter().map(|source| self.of_source(source, steps)).max() {
            Some(found @ (Origin::Foreign(_) | Origin::Gives(_) | Origin::Holds(_))) => Some(found),
            Some(Origin::Free(path)) if self.is_global(&path) => Some(Origin::Free(path)),
            _ => None,
        };
        self.known_members.borrow_mut().insert(name, found.clone());
        found
    }

    pub(super) fn item(&self, object: Node<'t>, key: Node<'t>, steps: usize) -> Origin {
        let object = self.origin_within(object, steps);
        match (object, self.literal(key)) {
            (Origin::Holds(path), _) => Origin::Foreign(path),
            (object, Some(key)) => self.member_of(object, key, steps),
            (object, None) => object.with("*"),
        }
    }

    /// What a function is: one that gives something foreign, or one like any.
    fn function(&self, function: Node<'t>, steps: usize) -> Origin {
        let returned = self.returns.get(&function.id()).into_iter().flatten();
        match returned.map(|value| self.origin_within(*value, steps)).max() {
            Some(Origin::Foreign(path)) => Origin::Gives(path),
            Some(Origin::Free(path)) if self.is_global(&path) => Origin::Gives(path),
            _ => Origin::Own,
        }
    }

    /// The path of what a call calls.
    pub(super) fn callee_path(&self, call: Node<'t>) -> Option<String> {
        let (object, callee) = self.callee(call)?;
        let name = self.text(callee);
        match object {
            Some(object) => {
                let origin = self.origin(object);
                Some(
                    origin
                        .path()
                        .map_or_else(|| format!("?.{name}"), |path| format!("{}.{name}", self.plain(path))),
                )
            }
            None => self.path_of(callee),
        }
    }

    /// The path of what an expression names; of what the file makes, only the last parts are known.
    pub(super) fn path_of(&self, node: Node<'t>) -> Option<String> {
        let origin = self.origin(node);
        if let Some(path) = origin.path() {
            return Some(self.plain(path).to_owned());
        }
        match self.shape(node) {
            Some(NodeShape::Member(object, _)) => {
                let object = child(node, object).filter(|object| {
                    matches!(self.shape(*object), Some(NodeShape::Member(..) | NodeShape::Item(..)))
                });
                let object = object.and_then(|object| self.last_name(object));
                let object = object.map_or_else(String::new, |name| format!("{name}."));
                Some(format!("?.{object}{}", self.last_name(node)?))
            }
            _ => None,
        }
    }
}
