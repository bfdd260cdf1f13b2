//! Calls: what they call, and what they give parameters.

use patchwright_syntax::NodeShape;
use tree_sitter::Node;

use super::names::{Names, child};
use super::origin::{ANY, Origin, is_one};

/// The calls that are asked what they give a parameter: a file may hold any number.
const MAX_CALLS: usize = 200;

impl<'t> Names<'t> {
    /// What a call is called on, where the grammar has a field for it, and what is called.
    pub(super) fn callee(&self, call: Node<'t>) -> Option<(Option<Node<'t>>, Node<'t>)> {
        let rule = self.language.kinds().call(call)?;
        let object = rule.receiver.and_then(|field| call.child_by_field_name(field));
        Some((object, call.child_by_field_name(rule.callee)?))
    }

    /// What a call is called on.
    pub(super) fn receiver(&self, call: Node<'t>) -> Option<Node<'t>> {
        let (object, callee) = self.callee(call)?;
        object.or_else(|| match self.shape(callee) {
            Some(NodeShape::Member(object, _)) => child(callee, object),
            _ => None,
        })
    }

    /// What the calls in this file give a parameter.
    pub(super) fn parameter(&self, function: Node<'t>, place: usize, steps: usize) -> Origin {
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
                    if child(**argument, name).map(|name| self.text(name)) == named)
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

    /// What a call gives.
    pub(super) fn result(&self, call: Node<'t>, steps: usize) -> Origin {
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
        if is_one(&functions.load, &path) {
            let name = first.and_then(|node| self.literal(node));
            return name.map_or_else(|| Origin::Foreign(ANY.to_owned()), |name| self.imported_as(name));
        }
        if is_one(&functions.get, &path) {
            return match (first, arguments.get(1)) {
                (Some(object), Some(key)) => self.item(object, *key, steps),
                _ => Origin::Own,
            };
        }
        if is_one(&functions.members, &path) {
            return if first.is_none() { Origin::Foreign(format!("{path}()")) } else { of_first().with("*") };
        }
        if is_one(&functions.class, &path) && arguments.len() < 3 {
            return match of_first() {
                Origin::Made(path) | Origin::Free(path) => Origin::Foreign(path),
                other => other,
            };
        }
        if is_one(&functions.same, &path) {
            return of_first();
        }
        match callee {
            // Something that loads modules, which was made by a call.
            Origin::Foreign(path) if path == ANY => {
                let name = first.and_then(|name| self.literal(name));
                name.map_or(Origin::Made(path), |name| self.imported_as(name))
            }
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

    /// The parameters of a function, which may have a single one without a list.
    pub(super) fn parameter_list(&self, function: Node<'t>) -> Vec<Node<'t>> {
        let list = function.child_by_field_name(self.language.entry().parameters);
        let sole = function.child_by_field_name("parameter");
        match (list, sole) {
            (Some(list), _) if self.shape(list) == Some(NodeShape::Name) => vec![list],
            (Some(list), _) => self.children(list),
            (None, sole) => sole.into_iter().collect(),
        }
    }

    /// The name of the parameter in a place.
    pub(super) fn parameter_name(&self, function: Node<'t>, place: usize) -> Option<&'t str> {
        let parameter = self.parameter_list(function).get(place).copied()?;
        match self.shape(parameter) {
            Some(NodeShape::Parameter(name, _)) => child(parameter, name).map(|name| self.text(name)),
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
            return self.spelled(name).or(Some(self.text(name)));
        }
        let above = self.above(function)?;
        let (NodeShape::Declare(target, _) | NodeShape::Assign(target, _) | NodeShape::Pair(target, _)) =
            self.shape(above)?
        else {
            return None;
        };
        let target = child(above, target)?;
        self.spelled(target).or_else(|| self.last_name(target))
    }

    /// The name that a text spells, also in the brackets of a computed one.
    pub(super) fn spelled(&self, name: Node<'t>) -> Option<&'t str> {
        let inner =
            || name.named_child(0).filter(|_| self.shape(name).is_none() && name.named_child_count() == 1);
        self.literal(name).or_else(|| self.literal(inner()?))
    }
}
