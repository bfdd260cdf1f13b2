//! Where values come from: the file itself, or something that the project does not define.

use patchwright_syntax::NodeShape;
use tree_sitter::Node;

use super::names::{Names, Source};

/// The depth to which expressions are followed; one that nests deeper is taken for the project's own.
const MAX_DEPTH: usize = 100;

/// The rounds in which what is known of names may change. Aliases in the order of the text take one.
const MAX_ROUNDS: usize = 40;

/// The calls that are asked what they give a parameter: a file may hold any number.
const MAX_CALLS: usize = 200;

/// The parts of a path; a longer one would grow with each round.
const MAX_PARTS: usize = 12;

/// The path of what literals are made by.
const LITERAL: &str = "literal";

/// Where a value comes from. The later comes first where a name may be either.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Origin {
    /// The project's own, or not known.
    #[default]
    Own,
    /// What a call of something foreign gave: an object of its own. By the path of what was called.
    Made(String),
    /// A collection that holds something foreign.
    Holds(String),
    /// A function of this file that returns something foreign.
    Gives(String),
    /// A name that the file does not bind: the language's, or the platform's.
    Free(String),
    /// A module of others, or something in one.
    Foreign(String),
}

impl Origin {
    /// The dotted path, where there is one.
    pub(super) fn path(&self) -> Option<&str> {
        match self {
            Self::Own | Self::Holds(_) | Self::Gives(_) => None,
            Self::Made(path) | Self::Free(path) | Self::Foreign(path) => Some(path),
        }
    }

    fn with(self, name: &str) -> Self {
        let join = |path: String| {
            if path.matches('.').count() < MAX_PARTS { format!("{path}.{name}") } else { path }
        };
        match self {
            Self::Made(path) => Self::Made(join(path)),
            Self::Free(path) => Self::Free(join(path)),
            Self::Foreign(path) => Self::Foreign(join(path)),
            Self::Own | Self::Holds(_) | Self::Gives(_) => Self::Own,
        }
    }

    /// What is one of several things.
    fn element(self) -> Self {
        match self {
            Self::Holds(path) => Self::Foreign(path),
            other => other.with("*"),
        }
    }
}

impl<'t> Names<'t> {
    /// Where the value of an expression comes from.
    pub(super) fn origin(&self, node: Node<'t>) -> Origin {
        self.origin_within(node, MAX_DEPTH)
    }

    fn origin_within(&self, node: Node<'t>, steps: usize) -> Origin {
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
        let field = |field: &str| self.child(node, field).map(of).unwrap_or_default();
        match self.shape(node) {
            Some(NodeShape::Name) => self.named(node),
            Some(NodeShape::Path) => self.imported_as(self.text(node)),
            Some(NodeShape::Member(object, name)) => {
                let name = self.child(node, name).map(|name| self.text(name)).unwrap_or_default();
                self.child(node, object).map(|object| self.member(object, name, steps)).unwrap_or_default()
            }
            Some(NodeShape::Item(object, key)) => match (self.child(node, object), self.child(node, key)) {
                (Some(object), Some(key)) => self.item(object, key, steps),
                _ => Origin::Own,
            },
            Some(
                NodeShape::Declare(_, value) | NodeShape::Assign(_, value) | NodeShape::Parameter(_, value),
            ) => field(value),
            Some(NodeShape::Function) => self.function(node, steps),
            Some(NodeShape::Holder) => {
                let values = self.children(node).into_iter().map(|child| match self.shape(child) {
                    Some(NodeShape::Pair(_, value)) => self.child(child, value).unwrap_or(child),
                    _ => child,
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

    fn imported_as(&self, path: &str) -> Origin {
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

    fn member(&self, object: Node<'t>, name: &str, steps: usize) -> Origin {
        self.member_of(self.origin_within(object, steps), name, steps)
    }

    fn member_of(&self, object: Origin, name: &str, steps: usize) -> Origin {
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

    fn item(&self, object: Node<'t>, key: Node<'t>, steps: usize) -> Origin {
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

    /// What a call is called on, where the grammar has a field for it, and what is called.
    fn callee(&self, call: Node<'t>) -> Option<(Option<Node<'t>>, Node<'t>)> {
        let rule = self.language.kinds().call(call)?;
        let object = rule.receiver.and_then(|field| call.child_by_field_name(field));
        Some((object, call.child_by_field_name(rule.callee)?))
    }

    /// What a call is called on.
    pub(super) fn receiver(&self, call: Node<'t>) -> Option<Node<'t>> {
        let (object, callee) = self.callee(call)?;
        object.or_else(|| match self.shape(callee) {
            Some(NodeShape::Member(object, _)) => self.child(callee, object),
            _ => None,
        })
    }

    /// The path of what an expression names; of what the file makes, only the last part is known.
    pub(super) fn path_of(&self, node: Node<'t>) -> Option<String> {
        let origin = self.origin(node);
        if let Some(path) = origin.path() {
            return Some(self.plain(path).to_owned());
        }
        match self.shape(node) {
            Some(NodeShape::Member(..)) => Some(format!("?.{}", self.last_name(node)?)),
            _ => None,
        }
    }

    /// Whether a function is one of a list.
    pub(super) fn is_one(&self, list: &[&str], path: &str) -> bool {
        list.iter().any(|known| path == *known || known.starts_with('.') && path.ends_with(known))
    }

    fn result(&self, call: Node<'t>, steps: usize) -> Origin {
        let Some((object, callee)) = self.callee(call) else { return Origin::Own };
        let callee = match object {
            Some(object) => self.member(object, self.text(callee), steps),
            None => self.origin_within(callee, steps),
        };
        let functions = &self.rules.functions;
        let path = callee.path().map(|path| self.plain(path).to_owned()).unwrap_or_default();
        let arguments: Vec<_> =
            self.arguments(call).into_iter().map(|node| self.argument_value(node)).collect();
        let first = arguments.first().copied();
        let of_first = || first.map(|node| self.origin_within(node, steps)).unwrap_or_default();
        if self.is_one(&functions.load, &path) {
            let name = first.and_then(|node| self.literal(node));
            return name.map_or_else(|| Origin::Foreign("*".to_owned()), |name| self.imported_as(name));
        }
        if self.is_one(&functions.get, &path) {
            return match (first, arguments.get(1)) {
                (Some(object), Some(key)) => self.item(object, *key, steps),
                _ => Origin::Own,
            };
        }
        if self.is_one(&functions.members, &path) {
            return if first.is_none() { Origin::Foreign(format!("{path}()")) } else { of_first().with("*") };
        }
        if self.is_one(&functions.class, &path) && arguments.len() < 3 {
            return match of_first() {
                Origin::Made(path) => Origin::Foreign(path),
                other => other,
            };
        }
        match callee {
            Origin::Gives(path) => Origin::Foreign(path),
            Origin::Foreign(path) | Origin::Free(path) | Origin::Made(path) => {
                self.made(path, &arguments, steps)
            }
            Origin::Holds(path) => Origin::Holds(path),
            Origin::Own => match self.receiver(call).map(|object| self.origin_within(object, steps)) {
                Some(Origin::Holds(path)) => Origin::Holds(path),
                _ => Origin::Own,
            },
        }
    }

    /// What a call of something foreign gives: a new object, or a collection of what it was given.
    fn made(&self, path: String, arguments: &[Node<'t>], steps: usize) -> Origin {
        let held = arguments.iter().find_map(|argument| match self.origin_within(*argument, steps) {
            Origin::Holds(path) => Some(path),
            _ => None,
        });
        held.map_or(Origin::Made(path), Origin::Holds)
    }

    /// What the calls in this file give a parameter.
    fn parameter(&self, function: Node<'t>, place: usize, steps: usize) -> Origin {
        let of = |node: Node<'t>| match self.origin_within(self.argument_value(node), steps) {
            Origin::Own | Origin::Made(_) => Origin::Own,
            Origin::Free(path) => {
                if self.is_global(&path) {
                    Origin::Free(path)
                } else {
                    Origin::Own
                }
            }
            other => other,
        };
        let takes_itself = self.takes_itself(function);
        if takes_itself && place == 0 {
            return Origin::Own;
        }
        let mut best = Origin::Own;
        let calls = self.called_name(function).and_then(|name| self.calls.get(name));
        for call in calls.into_iter().flatten().take(MAX_CALLS) {
            // A method of that name of something foreign is another one.
            let receiver = self.receiver(*call).map(|receiver| self.origin_within(receiver, steps));
            if receiver.is_some_and(|receiver| receiver.path().is_some()) {
                continue;
            }
            let given = self.arguments(*call);
            let shifted = place - usize::from(takes_itself);
            let named = self.parameter_name(function, place);
            let by_name = given.iter().find(|argument| {
                matches!(self.shape(**argument), Some(NodeShape::Parameter(name, _))
                    if self.child(**argument, name).map(|name| self.text(name)) == named)
            });
            best = best.max(by_name.or_else(|| given.get(shifted)).map(|node| of(*node)).unwrap_or_default());
        }
        // A function that is called where it stands, or given to a call with what it is called with.
        let mut around = self.above(function);
        while let Some(node) = around.filter(|node| self.shape(*node) == Some(NodeShape::Through)) {
            around = self.above(node);
        }
        let Some(around) = around else { return best };
        let call =
            if self.language.kinds().call(around).is_some() { Some(around) } else { self.above(around) };
        let Some(call) = call.filter(|call| self.language.kinds().call(*call).is_some()) else { return best };
        let given = self.arguments(call);
        let is_argument = given.iter().any(|argument| self.argument_value(*argument) == function);
        if !is_argument {
            return best.max(given.get(place).map(|node| of(*node)).unwrap_or_default());
        }
        let receiver = self.receiver(call);
        let others = given.into_iter().filter(|argument| *argument != function);
        for other in others.chain(receiver) {
            best = best.max(match self.origin_within(other, steps) {
                Origin::Holds(path) => Origin::Foreign(path),
                Origin::Foreign(path) if self.language.kinds().call(other).is_some() => Origin::Foreign(path),
                _ => Origin::Own,
            });
        }
        best
    }

    /// The name by which calls name a function: of a constructor, that of its class.
    fn called_name(&self, function: Node<'t>) -> Option<&'t str> {
        let name = self.function_name(function)?;
        if !self.language.entry().constructor_names.contains(&name) {
            return Some(name);
        }
        let mut around = self.above(function);
        while let Some(node) = around.filter(|node| self.shape(*node) != Some(NodeShape::Class)) {
            around = self.above(node);
        }
        around?.child_by_field_name("name").map(|name| self.text(name))
    }

    fn parameter_list(&self, function: Node<'t>) -> Vec<Node<'t>> {
        let list = function.child_by_field_name(self.language.entry().parameters);
        list.map(|list| self.children(list)).unwrap_or_default()
    }

    /// The name of the parameter in a place.
    pub(super) fn parameter_name(&self, function: Node<'t>, place: usize) -> Option<&'t str> {
        let parameter = self.parameter_list(function).get(place).copied()?;
        match self.shape(parameter) {
            Some(NodeShape::Parameter(name, _)) => self.child(parameter, name).map(|name| self.text(name)),
            _ => Some(self.text(parameter)),
        }
    }

    /// Whether the first parameter is the object that the function is called on.
    pub(super) fn takes_itself(&self, function: Node<'t>) -> bool {
        let first = self.parameter_name(function, 0);
        first.is_some_and(|first| self.language.entry().tests.own_receivers.contains(&first))
    }

    /// The name of a function: its own, or that of what it is given to.
    pub(super) fn function_name(&self, function: Node<'t>) -> Option<&'t str> {
        if let Some(name) = function.child_by_field_name("name") {
            return Some(self.text(name));
        }
        let above = self.above(function)?;
        let target = match self.shape(above)? {
            NodeShape::Declare(target, _) | NodeShape::Assign(target, _) | NodeShape::Pair(target, _) => {
                target
            }
            _ => return None,
        };
        let target = self.child(above, target)?;
        self.literal(target).or_else(|| self.last_name(target))
    }
}
