//! What would be a sign, were it not that this file shows what comes of it.

use patchwright_syntax::{NodeShape, OperatorRole};
use tree_sitter::Node;

use super::names::child;
use super::origin::{Origin, is_one};
use super::reader::Reader;
use super::texts::names_tests;

impl<'t> Reader<'_, 't> {
    /// Whether a use of a function can be told from another by what it is called with, so that its import alone says nothing.
    pub(super) fn is_judged_by_use(&self, path: &str) -> bool {
        let functions = &self.names.rules.functions;
        functions.undo.iter().any(|(undoes, _)| path == *undoes)
            || is_one(&functions.load_whole, path)
            || is_one(&functions.at_end, path)
    }

    /// Whether a function is called with what the project defines or has just made.
    pub(super) fn is_excused(&self, callee: Node<'t>, path: &str) -> bool {
        let call = self.names.above(callee);
        let call = call.filter(|call| self.names.callee(*call).is_some_and(|(_, node)| node == callee));
        let Some(call) = call else { return false };
        let arguments = self.names.arguments(call);
        let Some(first) = arguments.first().map(|first| self.names.argument_value(*first)) else {
            return false;
        };
        let functions = &self.names.rules.functions;
        let made_by = self.names.callee_path(first).unwrap_or_default();
        functions.undo.iter().any(|(undoes, does)| path == *undoes && made_by == *does)
            || is_one(&functions.load_whole, path) && self.loads_own(first, arguments.get(1).copied())
            || is_one(&functions.at_end, path) && self.is_seen_to_run(first)
    }

    /// Whether a function that runs later is one of this file, which is read as all code is, or only cleans up.
    fn is_seen_to_run(&self, function: Node<'t>) -> bool {
        let path = self.names.path_of(function).unwrap_or_default();
        self.names.function_behind(function).is_some() || is_one(&self.names.rules.functions.clean, &path)
    }

    /// Whether the name of a module begins with a package of the project: `"shop." + name`, `f"{__name__}.{x}"`, `"." + name, __package__`.
    fn loads_own(&self, name: Node<'t>, package: Option<Node<'t>>) -> bool {
        let own = |node: Node<'t>| self.names.rules.own_modules.contains(&self.names.text(node));
        let joined = self.joined(name);
        let first = self.beginning(name);
        if names_tests(joined.trim_start_matches('"')) {
            return false;
        }
        let Some(text) = self.names.literal(first) else {
            return own(first) && joined.starts_with("\".");
        };
        // A text may begin with an expression.
        if let Some(rest) = text.strip_prefix('{') {
            let inside = rest.split_once('}');
            return inside.is_some_and(|(name, rest)| {
                self.names.rules.own_modules.contains(&name) && rest.starts_with('.')
            });
        }
        match text.split_once('.') {
            Some(("", _)) => package.is_some_and(|package| {
                let package = self.names.argument_value(package);
                let is_known =
                    self.names.literal(package).is_some_and(|name| self.names.modules.defines(name));
                own(package) || is_known
            }),
            Some((package, _)) => self.names.modules.defines(package),
            None => false,
        }
    }

    /// The first of the texts that an expression sets one behind the other.
    fn beginning(&self, text: Node<'t>) -> Node<'t> {
        let mut first = text;
        loop {
            let operator = first.child_by_field_name("operator");
            let is_joined = match self.names.shape(first) {
                Some(NodeShape::Join) => operator.is_none_or(|sign| sign.kind() == "+"),
                Some(NodeShape::Through) => first.named_child_count() == 1,
                _ => false,
            };
            match first.named_child(0).filter(|_| is_joined) {
                Some(inner) => first = inner,
                None => return first,
            }
        }
    }

    /// Whether all that a file asks a loader of services for are classes of the project.
    pub(super) fn loads_own_services(&self, node: Node<'t>, path: &str) -> bool {
        let services = &self.names.language.entry().tampering.services;
        let Some(loader) = path.split('.').find(|part| services.contains(part)) else { return false };
        if self.names.above(node).is_some_and(|above| self.rules.handing.contains(&above.kind())) {
            return false;
        }
        let is_loader = |call: &&Node<'t>| {
            let receiver = self.names.receiver(**call).and_then(|receiver| self.names.last_name(receiver));
            receiver.is_some_and(|receiver| receiver.rsplit('.').next() == Some(loader))
        };
        let mut calls = self.names.calls.values().flatten().filter(is_loader).peekable();
        calls.peek().is_some()
            && calls.all(|call| {
                let class = self.names.arguments(*call).first().and_then(|class| class.named_child(0));
                class.is_some_and(|class| self.is_of_project(class))
            })
    }

    /// Whether the project defines a class, in this file, in another of its folder, or where it is imported from.
    fn is_of_project(&self, class: Node<'t>) -> bool {
        match self.names.origin(class) {
            Origin::Own => true,
            Origin::Free(name) => self.names.modules.is_beside(&name),
            Origin::Made(_) | Origin::Holds(_) | Origin::Gives(_) | Origin::Foreign(_) => false,
        }
    }

    /// Whether a member is given only to what lacks it, being one that all platforms of today have: there nothing is changed.
    pub(super) fn is_polyfill(&self, statement: Node<'t>, target: Node<'t>) -> bool {
        let Some(path) = self.names.path_of(target).filter(|path| self.rules.polyfills.is_match(path)) else {
            return false;
        };
        let (mut inner, mut around) = (statement, self.names.above(statement));
        while let Some(node) = around.filter(|node| self.names.shape(*node) != Some(NodeShape::Function)) {
            let is_taken = child(node, "consequence") == Some(inner);
            let condition = child(node, "condition").filter(|_| is_taken);
            if condition.is_some_and(|condition| self.asks_whether_it_lacks(condition, &path)) {
                return true;
            }
            (inner, around) = (node, self.names.above(node));
        }
        false
    }

    /// Whether a condition is that there is nothing under a path: `!path`, `typeof path !== 'function'`.
    fn asks_whether_it_lacks(&self, condition: Node<'t>, path: &str) -> bool {
        let is_it = |node: Node<'t>| self.names.path_of(node).is_some_and(|found| found == path);
        let operators = &self.names.rules.comparisons.operators;
        let mut cursor = condition.walk();
        let operator = condition.children(&mut cursor).find_map(|sign| operators.get(self.names.text(sign)));
        match (operator, &*self.names.children(condition)) {
            (None, [inner]) => self.asks_whether_it_lacks(*inner, path),
            (Some(OperatorRole::Not), [member]) => is_it(*member),
            (Some(operator), [kind, name]) => {
                let lacking = match operator {
                    OperatorRole::Differs => "function",
                    OperatorRole::Same => "undefined",
                    _ => return false,
                };
                self.names.literal(*name) == Some(lacking) && kind.named_child(0).is_some_and(is_it)
            }
            _ => false,
        }
    }

    /// Whether code runs only as the program: in the function that is one by its name, which this file calls nowhere else.
    pub(super) fn is_in_program(&self, node: Node<'t>) -> bool {
        let (mut outermost, mut around) = (None, self.around(node, NodeShape::Function));
        while let Some(function) = around {
            (outermost, around) = (Some(function), self.around(function, NodeShape::Function));
        }
        let name = outermost.and_then(|function| self.names.function_name(function));
        name.filter(|name| self.names.language.entry().tampering.programs.contains(name)).is_some_and(
            |name| {
                let calls = self.names.calls.get(name);
                calls.into_iter().flatten().all(|call| self.is_asked_for(*call))
            },
        )
    }
}
