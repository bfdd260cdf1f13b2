//! What methods say of the worth of their object: its size, its truth, its number.

use patchwright_syntax::{NodeShape, OperatorRole, Tells};
use tree_sitter::Node;

use super::names::{Source, child};
use super::words::{MAX_STEPS, Method};

/// The smallest factor that turns one unit into another.
const SMALLEST: f64 = 1e-3;

impl<'t> Method<'_, 't> {
    /// Whether the value of an expression depends on that of the object itself.
    pub(super) fn is_worth(&self, node: Node<'t>, steps: usize) -> bool {
        let Some(steps) = steps.checked_sub(1) else { return false };
        let worth = |node: Node<'t>| self.is_worth(node, steps);
        if self.is_own(node) {
            return true;
        }
        let children = self.names.children(node);
        let operators = self.operators(node);
        if !operators.is_empty() {
            return self.is_worth_of_operation(&operators, &children, steps);
        }
        if self.names.language.kinds().call(node).is_some() {
            return self.is_worth_of_call(node, steps);
        }
        match self.names.shape(node) {
            Some(NodeShape::Name) if self.local(node).is_some() => self.is_worth_of_local(node, steps),
            Some(NodeShape::Name) => self.rules().implies_object && !self.is_constant(self.names.text(node)),
            Some(NodeShape::Member(object, name)) => {
                let name = child(node, name).map(|name| self.names.text(name)).unwrap_or_default();
                child(node, object).is_some_and(worth) && !self.is_coarse(name) && !self.is_constant(name)
            }
            Some(NodeShape::Choice(condition)) => {
                let mut values = children.iter().enumerate().filter(|(place, _)| *place != condition);
                values.all(|(_, value)| worth(*value))
            }
            Some(NodeShape::Item(object, key)) => {
                let is_part = |key: Node<'t>| self.names.shape(key).is_some();
                let object = child(node, object).filter(|object| !self.is_holder(*object));
                object.is_some_and(worth) && child(node, key).is_some_and(is_part)
            }
            // An operator that is not known may give anything.
            Some(NodeShape::Function | NodeShape::Join | NodeShape::Comparison) => false,
            _ => children.into_iter().any(worth),
        }
    }

    /// Whether what a name of the method is given depends on the object; what is added to it later takes nothing of that away.
    fn is_worth_of_local(&self, name: Node<'t>, steps: usize) -> bool {
        let values = self.local_values(name);
        let worth = |node: &Node<'t>| self.is_worth(*node, steps);
        let is_added = |value: &Node<'t>| {
            self.names.above(*value).is_some_and(|above| above.child_by_field_name("operator").is_some())
                && self.names.text(*value) != self.names.text(name)
                && !self.is_nothing(*value)
        };
        let (added, first): (Vec<_>, Vec<_>) = values.into_iter().partition(is_added);
        match *first {
            [first] => worth(&first) || added.iter().any(worth),
            _ => !first.is_empty() && added.is_empty() && first.iter().all(worth),
        }
    }

    fn is_worth_of_operation(&self, operators: &[OperatorRole], operands: &[Node<'t>], steps: usize) -> bool {
        let worth = |node: &Node<'t>| self.is_worth(*node, steps);
        let texts: Vec<_> = operands.iter().map(|operand| self.names.text(*operand)).collect();
        let is_empty = |node: &Node<'t>| {
            let text = self.names.text(*node);
            self.is_nothing(*node) || self.names.literal(*node).is_some_and(str::is_empty) || text == "[]"
        };
        operators.iter().all(|operator| match operator {
            OperatorRole::Both | OperatorRole::Not => operands.iter().all(worth),
            OperatorRole::Arithmetic | OperatorRole::Distance => {
                let is_same = texts.len() == 2 && texts.first() == texts.last();
                operands.iter().any(worth)
                    && !is_same
                    && !operands.iter().any(|operand| self.is_nothing(*operand))
            }
            OperatorRole::Same | OperatorRole::Before => {
                operands.iter().any(worth) && texts.first() != texts.last()
            }
            // Most values are not this one, unless it is the one of an empty object.
            OperatorRole::Differs => operands.iter().any(worth) && operands.iter().any(is_empty),
            OperatorRole::NotAfter | OperatorRole::Within | OperatorRole::OfClass | OperatorRole::Either => {
                false
            }
        })
    }

    /// Whether an expression is the number nought, or as good as that: by it all products are the same.
    fn is_nothing(&self, node: Node<'t>) -> bool {
        self.names.text(node).parse::<f64>().is_ok_and(|number| number.abs() < SMALLEST)
    }

    fn is_worth_of_call(&self, call: Node<'t>, steps: usize) -> bool {
        let Some((_, callee)) = self.names.callee(call) else { return false };
        let name = self.names.last_name(callee).unwrap_or_default();
        let (receiver, arguments) = (self.names.receiver(call), self.names.arguments(call));
        let is_number = |node: &Node<'t>| self.names.text(*node).parse::<f64>().is_ok();
        // What is true or not tells little of a text that was made for it.
        let is_made = |node: &Node<'t>| {
            let is_call = self.names.language.kinds().call(*node).is_some();
            let is_function = is_call && self.names.receiver(*node).is_none() && !self.is_measured(*node);
            is_function || matches!(self.names.shape(*node), Some(NodeShape::Join | NodeShape::Text))
        };
        let is_class = self.rules().class_of.contains(&name);
        if self.is_coarse(name) && !is_class && arguments.iter().any(is_made) {
            return false;
        }
        let is_of_above = receiver.is_some_and(|receiver| self.is_above(receiver));
        let implied = receiver.is_none() && arguments.is_empty() && self.rules().implies_object;
        // A collection has its size whatever is in it.
        let is_worth = |node: &Node<'t>| !self.is_holder(*node) && self.is_worth(*node, steps);
        !self.is_constant(name)
            && !arguments.iter().any(is_number)
            && (is_of_above
                || implied
                || receiver.iter().filter(|_| !is_class).chain(&arguments).any(is_worth))
    }

    fn is_holder(&self, node: Node<'t>) -> bool {
        self.names.shape(node) == Some(NodeShape::Holder)
    }

    /// Whether a call is of a function that gives the worth of what it is given.
    fn is_measured(&self, call: Node<'t>) -> bool {
        let name = self.names.callee(call).map(|(_, callee)| self.names.text(callee)).unwrap_or_default();
        self.rules().methods.get(name) == Some(&Tells::Value)
    }

    /// Whether all that this file binds to a name is the same for all values: a literal, or a function that says nothing of them.
    pub(super) fn is_constant(&self, name: &str) -> bool {
        let bound = self.names.scopes.first().and_then(|scope| scope.names.get(name));
        let sources = bound.map(|binding| binding.sources.as_slice()).unwrap_or_default();
        let mut values = sources.iter().filter(|source| !matches!(source, Source::Typed(_))).peekable();
        values.peek().is_some()
            && values.all(|source| match source {
                Source::Function(function) => self.says_nothing(*function),
                Source::Value(value) => match self.names.shape(*value) {
                    Some(NodeShape::Function) => self.says_nothing(*value),
                    Some(NodeShape::Literal | NodeShape::Text) => !self.names.members.contains_key(name),
                    Some(NodeShape::Name | NodeShape::Member(..)) => {
                        self.names.last_name(*value).is_some_and(|name| self.is_coarse(name))
                    }
                    _ => false,
                },
                _ => false,
            })
    }

    /// Whether no result of a function depends on what it is called on or given first.
    fn says_nothing(&self, function: Node<'t>) -> bool {
        let Some(depth) = self.depth.checked_sub(1) else { return false };
        let subject = self.names.parameter_name(function, 0);
        let method = Method { names: self.names, function, class: self.class, subject, other: None, depth };
        !method.is_deferred()
            && !self.names.results(function).any(|result| method.is_worth(result, MAX_STEPS))
    }
}
