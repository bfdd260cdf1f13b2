//! Modules of others that code hands on, so that the file no longer tells what becomes of them.

use patchwright_syntax::{ModuleNames, NodeShape};
use tree_sitter::Node;

use super::names::{Names, child};
use super::origin::Origin;
use super::reader::Reader;

impl<'t> Names<'t> {
    /// Whether an expression is a module of others as a whole, or the object that holds all names.
    pub(super) fn is_whole_module(&self, node: Node<'t>) -> bool {
        match (self.rules.modules, self.origin(node)) {
            (ModuleNames::Dotted, Origin::Foreign(path)) => self.whole_modules.contains(&path),
            (ModuleNames::Specifiers, Origin::Foreign(path)) => self.is_judging(&path),
            (ModuleNames::Specifiers, Origin::Free(path)) => matches!(path.as_str(), "globalThis" | "global"),
            _ => false,
        }
    }

    /// Whether tests judge by a module.
    pub(super) fn is_judging(&self, path: &str) -> bool {
        self.language.entry().tampering.judging.contains(&self.plain(path))
    }
}

impl<'t> Reader<'_, 't> {
    /// Whether a value is given to something else than a name, so that it is lost sight of.
    pub(super) fn is_handed_on(&self, node: Node<'t>) -> bool {
        let Some(above) = self.names.above(node) else { return false };
        let is = |field: &str| child(above, field) == Some(node);
        if self.names.language.kinds().call(above).is_some_and(|rule| {
            above.child_by_field_name(rule.callee) == Some(node) || rule.receiver.is_some_and(&is)
        }) {
            return false;
        }
        match self.names.shape(above) {
            Some(NodeShape::Member(..) | NodeShape::Comparison | NodeShape::Catch | NodeShape::Class) => {
                false
            }
            Some(NodeShape::Item(object, _)) => !is(object),
            Some(NodeShape::Declare(target, _) | NodeShape::Assign(target, _)) => {
                let target = child(above, target);
                // A class keeps what is declared in it for others.
                let is_name = target.is_some_and(|target| {
                    matches!(
                        self.names.shape(target),
                        Some(NodeShape::Name | NodeShape::Pattern | NodeShape::FieldPattern)
                    )
                });
                !is_name
                    || self.around(above, NodeShape::Function).is_none() && self.class_around(above).is_some()
            }
            // A getter, or what is awaited, gives it without a call that the file shows.
            Some(NodeShape::Return) => self.around(above, NodeShape::Function).is_some_and(|function| {
                let text = self.names.text(function);
                self.class_around(function).is_some() || text.starts_with("async") || text.starts_with("get ")
            }),
            Some(NodeShape::Through | NodeShape::Choice(_)) => self.is_handed_on(above),
            _ => self.is_argument_of_unknown(node, above),
        }
    }

    /// Whether a value stands among the arguments of a call that does more than look at it, in a collection, or where one is handed out.
    fn is_argument_of_unknown(&self, node: Node<'t>, above: Node<'t>) -> bool {
        let call = [Some(above), self.names.above(above)].into_iter().flatten();
        let call = call.into_iter().find(|call| self.names.arguments(*call).contains(&node));
        match call {
            Some(call) => {
                let path = self.names.callee_path(call).unwrap_or_default();
                !self.rules.looking.is_match(&path)
            }
            None => {
                matches!(
                    self.names.shape(above),
                    Some(NodeShape::Holder | NodeShape::Pair(..) | NodeShape::Parameter(..))
                ) || self.rules.handing.contains(&above.kind())
            }
        }
    }
}
