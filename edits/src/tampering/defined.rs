//! Functions and classes that are a sign by what they are called: tests find them under their names.

use std::borrow::Cow;

use patchwright_syntax::NodeShape;
use tree_sitter::Node;

use super::names::child;
use super::signs::{Found, Reader, lines_of};

const EQUALS: &str = "says that it equals anything";
const COMPARES: &str = "says how its values are compared";
const CALLED: &str = "defines what tests call";
const SHADOWS: &str = "takes the place of something of others";

impl<'t> Reader<'_, 't> {
    pub(super) fn function(&mut self, node: Node<'t>) {
        let name = self.names.function_name(node).unwrap_or_default();
        if self.names.accepts_anything(node, name) {
            self.add(node, EQUALS);
        } else if let Some(class) = self.class_around(node) {
            let class = class.child_by_field_name("name").map(|name| self.names.text(name));
            if !self.names.compares_members(node, class.unwrap_or_default()) {
                self.comparison(node, name);
            }
        }
        let is_outermost =
            self.class_around(node).is_none() && self.around(node, NodeShape::Function).is_none();
        let is_named = node.child_by_field_name("name").is_some();
        if is_named && is_outermost && self.names.language.entry().tampering.given.contains(&name) {
            self.add_definition(node, name, SHADOWS);
        }
        if self.rules.called.is_match(name) {
            self.add_definition(node, name, CALLED);
        }
    }

    pub(super) fn class(&mut self, node: Node<'t>) {
        let name = node.child_by_field_name("name").map(|name| self.names.text(name));
        let entry = self.names.language.entry();
        // A class in another one stands in nobody's place.
        let is_outermost = self.class_around(node).is_none();
        if let Some(name) = name.filter(|name| entry.tampering.shadowed.contains(name))
            && is_outermost
        {
            self.add_definition(node, name, SHADOWS);
        }
    }

    /// A definition that is a sign by its name.
    fn add_definition(&mut self, node: Node<'t>, name: &str, act: &'static str) {
        let class = self.class_around(node).and_then(|class| class.child_by_field_name("name"));
        let class = class.map(|name| self.names.text(name)).unwrap_or_default();
        let code = Cow::Owned(format!("{class}.{name}"));
        self.found.push(Found { lines: lines_of(node), act, code, is_definition: true });
    }

    /// A method that says how values are compared, which is new to its class.
    fn comparison(&mut self, node: Node<'t>, name: &str) {
        if self.rules.compares.is_match(name) {
            self.add_definition(node, name, COMPARES);
        }
    }

    /// A function that is given to the name of a comparison.
    pub(super) fn equality_of(&mut self, node: Node<'t>) {
        let Some(
            NodeShape::Declare(target, value)
            | NodeShape::Assign(target, value)
            | NodeShape::Pair(target, value),
        ) = self.names.shape(node)
        else {
            return;
        };
        let (Some(target), Some(value)) = (child(node, target), child(node, value)) else {
            return;
        };
        let name = self.names.literal(target).or_else(|| self.names.last_name(target)).unwrap_or_default();
        // Any variable may be called `matches`.
        if name.starts_with("__") || self.names.shape(target) != Some(NodeShape::Name) {
            self.comparison(node, name);
        }
        let function = self.names.function_behind(value);
        if function.is_some_and(|function| function != value && self.names.accepts_anything(function, name)) {
            self.add(node, EQUALS);
        }
    }

    /// Marks the name of a comparison (`__eq__`) that is bound other than by a definition or an assignment: as a loop target, an argument, a string.
    pub(super) fn bound_comparison(&mut self, node: Node<'t>) {
        let name = self.names.literal(node).unwrap_or_else(|| self.names.text(node));
        let Some(above) = self.names.above(node).filter(|_| name.starts_with("__")) else { return };
        let is = |field: &str| child(above, field) == Some(node);
        let is_known = match self.names.shape(above) {
            // A read or a call binds nothing.
            Some(NodeShape::Member(_, name)) => is(name),
            Some(
                NodeShape::Declare(target, _) | NodeShape::Assign(target, _) | NodeShape::Pair(target, _),
            ) => is(target),
            Some(NodeShape::Function) => true,
            _ => false,
        };
        if !is_known {
            self.comparison(node, name);
        }
    }
}
