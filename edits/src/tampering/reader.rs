//! What reads a file for signs, and what it finds.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use patchwright_syntax::{NodeShape, line_number};
use tree_sitter::Node;

use super::names::Names;
use super::rules::Rules;

/// The act of the rules that may stand where a module asks whether it is the program.
const ENDS: &str = "ends the process";

/// One sign.
pub(super) struct Found<'t> {
    /// The lines of the code that gives it, from 1.
    pub(super) lines: RangeInclusive<u32>,
    pub(super) act: &'static str,
    /// The code; of a definition, its name and that of its class.
    pub(super) code: Cow<'t, str>,
    /// Whether it is a sign only when it is new, not when an existing one changes.
    pub(super) is_definition: bool,
}

/// What reads the signs of a file.
pub(super) struct Reader<'r, 't> {
    pub(super) names: &'r Names<'t>,
    pub(super) rules: &'r Rules,
    pub(super) found: Vec<Found<'t>>,
}

impl<'t> Reader<'_, 't> {
    pub(super) fn add(&mut self, node: Node<'t>, act: &'static str) {
        if act == ENDS && (self.is_asked_for(node) || self.is_in_program(node)) {
            return;
        }
        let code = Cow::Borrowed(self.names.text(node));
        self.found.push(Found { lines: lines_of(node), act, code, is_definition: false });
    }

    pub(super) fn class_around(&self, node: Node<'t>) -> Option<Node<'t>> {
        self.around(node, NodeShape::Class)
    }

    /// The nearest node of a shape around one.
    pub(super) fn around(&self, node: Node<'t>, shape: NodeShape) -> Option<Node<'t>> {
        let mut around = self.names.above(node);
        while let Some(node) = around.filter(|node| self.names.shape(*node) != Some(shape)) {
            around = self.names.above(node);
        }
        around
    }

    /// Whether code runs only if its file is the main program: importing the file does not run it.
    pub(super) fn is_asked_for(&self, node: Node<'t>) -> bool {
        let mut around = self.names.above(node);
        while let Some(node) = around {
            let condition = node.child_by_field_name("condition").filter(|_| node.kind() == "if_statement");
            let condition = condition.map(|condition| self.names.text(condition)).unwrap_or_default();
            if condition.contains("__name__") || condition.contains("require.main") {
                return true;
            }
            around = self.names.above(node);
        }
        false
    }
}

pub(super) fn lines_of(node: Node<'_>) -> RangeInclusive<u32> {
    line_number(node.start_position().row)..=line_number(node.end_position().row)
}
