//! What a method that compares does besides: it changes what it compares, or gives something else than its result.

use patchwright_syntax::{NodeShape, SyntaxRole, visit};
use tree_sitter::Node;

use super::names::child;
use super::origin::{Origin, is_one};
use super::words::{MAX_STEPS, Method, Word};

impl<'t> Method<'_, 't> {
    /// Whether a call of this method gives what its results are, and changes nothing.
    pub(super) fn only_compares(&self) -> bool {
        let mut compares = !self.is_deferred() && !self.is_wrapped();
        visit(self.function, |node| {
            compares &= node == self.function || !self.changes(node);
            compares
        });
        compares
    }

    /// Whether a call of this method gives an object that holds the result, which is always true.
    pub(super) fn is_deferred(&self) -> bool {
        let deferring = &self.rules().deferring;
        let mut cursor = self.function.walk();
        let mut is_deferred =
            self.function.children(&mut cursor).any(|child| deferring.contains(&child.kind()));
        visit(self.function, |node| {
            is_deferred |= node.is_named() && deferring.contains(&node.kind());
            !is_deferred
        });
        is_deferred
    }

    /// Whether a decoration that is not a library's stands around this method.
    fn is_wrapped(&self) -> bool {
        let roles = &self.names.language.entry().roles;
        let above = self.names.above(self.function);
        let wrapper = above.filter(|above| roles.get(above.kind()) == Some(&SyntaxRole::Wrapper));
        let parts = wrapper.map(|wrapper| self.names.children(wrapper)).unwrap_or_default();
        let mut decorations =
            parts.into_iter().filter(|part| roles.get(part.kind()) == Some(&SyntaxRole::Decoration));
        let is_of_library =
            |name: Node<'t>| self.is_library(name) && matches!(self.names.origin(name), Origin::Foreign(_));
        decorations.any(|decoration| !decoration.named_child(0).is_some_and(is_of_library))
    }

    /// Whether a node changes a member of anything, or calls for nothing but what the call does to one of the values.
    fn changes(&self, node: Node<'t>) -> bool {
        if self.names.language.kinds().call(node).is_some() {
            return self.changes_by_call(node);
        }
        let Some(NodeShape::Assign(target, _) | NodeShape::Declare(target, _)) = self.names.shape(node)
        else {
            return false;
        };
        let targets = child(node, target).map(|target| self.names.written(target));
        targets.into_iter().flatten().any(|target| {
            let is_name = self.names.shape(target) == Some(NodeShape::Name);
            !is_name || self.local(target).is_none()
        })
    }

    fn changes_by_call(&self, call: Node<'t>) -> bool {
        let functions = &self.names.rules.functions;
        let path = self.names.callee_path(call).unwrap_or_default();
        if is_one(&functions.set, &path) || is_one(&functions.mutate, &path) {
            return true;
        }
        let is_statement = self.names.above(call).is_some_and(|above| above.kind() == "expression_statement");
        let receiver = self.names.receiver(call);
        let is_of_library = receiver.is_some_and(|receiver| self.is_library(receiver));
        let given = receiver.into_iter().chain(self.names.arguments(call));
        let is_value = |node: Node<'t>| {
            let words = self.words(node, MAX_STEPS).unwrap_or_default();
            words.contains(&Word::Own) || words.contains(&Word::Other)
        };
        is_statement && !is_of_library && given.into_iter().any(is_value)
    }
}
