//! Functions and classes that are a sign by what they are called: tests find them under their names.

use std::borrow::Cow;

use patchwright_syntax::{NodeShape, visit};
use tree_sitter::Node;

use super::names::child;
use super::origin::is_one;
use super::reader::{Found, Reader, lines_of};

const EQUALS: &str = "says that it equals anything";
pub(super) const COMPARES: &str = "says how its values are compared";
const CALLED: &str = "defines what tests call";
const SHADOWS: &str = "takes the place of something of others";

impl<'t> Reader<'_, 't> {
    pub(super) fn function(&mut self, node: Node<'t>) {
        let name = self.names.function_name(node).unwrap_or_default();
        if self.names.accepts_anything(node, name) {
            self.add(node, EQUALS);
        } else if let Some(class) = self.owner(node)
            && node.child_by_field_name(self.names.language.entry().body).is_some()
            && !self.names.compares_members(node, name, class)
        {
            self.comparison(node, name);
        }
        let is_named = node.child_by_field_name("name").is_some();
        if is_named && self.is_outermost(node) && self.names.language.entry().tampering.given.contains(&name)
        {
            self.add_definition(node, name, SHADOWS);
        }
        if self.rules.called.is_match(name) {
            self.add_definition(node, name, CALLED);
        }
        if self.answers_for_any(node) {
            self.add(node, EQUALS);
        }
    }

    /// The class or object that a function is a method of, by its name.
    fn owner(&self, function: Node<'t>) -> Option<&'t str> {
        let above = self.names.above(function);
        let is_in_object = above.is_some_and(|above| self.names.shape(above) == Some(NodeShape::Holder));
        let class = self.class_around(function).map(|class| self.name_of(class));
        class.or(is_in_object.then_some(""))
    }

    /// Whether a function answers for any member of an object, as the trap of a proxy does, with one that accepts anything.
    fn answers_for_any(&self, function: Node<'t>) -> bool {
        let name = self.names.function_name(function).unwrap_or_default();
        let tampering = &self.names.language.entry().tampering;
        // A getter by that name answers for one member alone.
        let is_trap = || {
            let object = self.around(function, NodeShape::Holder);
            let call =
                object.and_then(|object| self.names.above(object)).and_then(|list| self.names.above(list));
            let path = call.and_then(|call| self.names.callee_path(call)).unwrap_or_default();
            self.names.parameter_name(function, 1).is_some() || is_one(&tampering.intercepting, &path)
        };
        let accepts = |inner: Node<'t>| {
            let results: Vec<_> = self.names.results(inner).map(|result| self.names.text(result)).collect();
            !results.is_empty() && results.iter().all(|result| self.names.rules.accepting.contains(result))
        };
        let gives = |result: Node<'t>| {
            let mut gives = false;
            visit(result, |part| {
                gives |= self.names.function_behind(part).is_some_and(accepts);
                !gives
            });
            gives
        };
        tampering.answering.contains(&name) && is_trap() && self.names.results(function).any(gives)
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
        node.child_by_field_name("name").into_iter().for_each(|name| self.shadows_by_value(node, name));
    }

    /// Names of the language that a statement binds for the whole file.
    pub(super) fn shadows_by_value(&mut self, statement: Node<'t>, target: Node<'t>) {
        let is_loop = matches!(self.names.shape(statement), Some(NodeShape::Each(..)));
        // What a comprehension binds is its own.
        let is_statement = self.names.language.entry().statements.contains_key(statement.kind());
        if (!is_loop || is_statement) && self.is_outermost(statement) {
            self.names.written(target).into_iter().for_each(|name| self.shadow(name));
        }
    }

    /// The same of an import; what a library has under that very name is the library's word.
    pub(super) fn shadows_by_import(&mut self, import: Node<'t>) {
        let given = &self.names.language.entry().tampering.given;
        for (name, path) in self.names.imported(import) {
            let is_same = path.rsplit('.').next() == Some(name) && !self.names.modules.defines(&path);
            if given.contains(&name) && !is_same && self.is_outermost(import) {
                self.add_definition(import, name, SHADOWS);
            }
        }
    }

    /// The same of a pattern that is nothing but a name, which it binds (`case all:`).
    pub(super) fn shadows_by_pattern(&mut self, path: Node<'t>) {
        let above = self.names.above(path);
        let is_pattern = above.is_some_and(|above| {
            self.names.shape(above).is_none() && self.names.text(above) == self.names.text(path)
        });
        if is_pattern && self.is_outermost(path) {
            self.shadow(path);
        }
    }

    pub(super) fn shadow(&mut self, node: Node<'t>) {
        let name = self.names.text(node);
        if self.names.language.entry().tampering.given.contains(&name) {
            self.add_definition(node, name, SHADOWS);
        }
    }

    fn is_outermost(&self, node: Node<'t>) -> bool {
        self.class_around(node).is_none() && self.around(node, NodeShape::Function).is_none()
    }

    fn name_of(&self, class: Node<'t>) -> &'t str {
        class.child_by_field_name("name").map(|name| self.names.text(name)).unwrap_or_default()
    }

    /// A definition that is a sign by its name.
    fn add_definition(&mut self, node: Node<'t>, name: &str, act: &'static str) {
        let class = self.class_around(node).map(|class| self.name_of(class)).unwrap_or_default();
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
        let name = self.names.spelled(target).or_else(|| self.names.last_name(target)).unwrap_or_default();
        let function = self.names.function_behind(value);
        let class = self.class_around(node).map(|class| self.name_of(class)).unwrap_or_default();
        let is_plain = function.is_some_and(|function| self.names.compares_members(function, name, class));
        let is_data = match self.names.shape(value) {
            Some(NodeShape::Text | NodeShape::Literal) => true,
            // What describes a property may hold a function.
            Some(NodeShape::Holder) => !self.names.children(value).into_iter().any(|part| {
                matches!(self.names.shape(part), Some(NodeShape::Pair(..) | NodeShape::Function))
            }),
            _ => false,
        };
        // Any variable may be called `matches`.
        let is_method = name.starts_with("__") || self.names.shape(target) != Some(NodeShape::Name);
        if is_method && !is_plain && !is_data {
            self.comparison(node, name);
        }
        if function.is_some_and(|function| function != value && self.names.accepts_anything(function, name)) {
            self.add(node, EQUALS);
        }
    }

    /// Marks the name of a comparison (`__eq__`) that is bound other than by a definition or an assignment: as a loop target, an argument, a string.
    pub(super) fn bound_comparison(&mut self, node: Node<'t>) {
        let name = self.names.literal(node).unwrap_or_else(|| self.names.text(node));
        let is_special = name.starts_with("__") || self.is_key_of_call(node);
        let Some(above) = self.names.above(node).filter(|_| is_special) else { return };
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

    /// Whether a text names the member that a call gives something.
    fn is_key_of_call(&self, node: Node<'t>) -> bool {
        let call = self.names.above(node).and_then(|list| self.names.above(list));
        call.is_some_and(|call| {
            let path = self.names.callee_path(call).unwrap_or_default();
            self.names.literal(node).is_some()
                && self.names.arguments(call).iter().take(2).any(|argument| *argument == node)
                && is_one(&self.names.rules.functions.set, &path)
        })
    }
}
