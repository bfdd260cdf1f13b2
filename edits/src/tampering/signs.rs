//! The signs in one file, by its syntax.

use std::ops::RangeInclusive;
use std::sync::LazyLock;

use patchwright_syntax::{NodeShape, SyntaxRole, line_number, visit};
use regex::Regex;
use tree_sitter::Node;

use super::names::{Names, child};
use super::origin::{Origin, is_one};
use super::rules::{Rules, stands_for_another};

const CHANGES: &str = "changes what it does not define";
const LOOKS: &str = "looks for a test tool";
const EQUALS: &str = "says that it equals anything";
const DISGUISED: &str = "spells a name in letters that stand for others";
const SHADOWS: &str = "takes the place of a class of others";

/// How far around a mention of a circumstance a text is searched: about one condition.
const CONDITION_DEPTH: usize = 6;

/// The words by which code tells test tools from others.
static TESTING: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)test|spec\b|junit|surefire|jest|mocha|runner").ok());

/// One sign.
pub(super) struct Found<'t> {
    /// The lines of the code that gives it, from 1.
    pub(super) lines: RangeInclusive<u32>,
    pub(super) act: &'static str,
    /// The code.
    pub(super) code: &'t str,
}

/// All signs in a file, old or new.
pub(super) fn signs<'t>(names: &Names<'t>, rules: &Rules, root: Node<'t>) -> Vec<Found<'t>> {
    let mut reader = Reader { names, rules, found: Vec::new() };
    visit(root, |node| reader.enter(node));
    reader.found
}

struct Reader<'r, 't> {
    names: &'r Names<'t>,
    rules: &'r Rules,
    found: Vec<Found<'t>>,
}

impl<'t> Reader<'_, 't> {
    fn add(&mut self, node: Node<'t>, act: &'static str) {
        let line = |row| line_number(row);
        let lines = line(node.start_position().row)..=line(node.end_position().row);
        self.found.push(Found { lines, act, code: self.names.text(node) });
    }

    /// Reads a node; whether what is below it is to be read.
    fn enter(&mut self, node: Node<'t>) -> bool {
        if self.is_silent(node) {
            return false;
        }
        if node.named_child_count() == 0 && node.is_named() {
            self.token(node);
        }
        if self.names.language.kinds().call(node).is_some() {
            self.call(node);
        }
        match self.names.shape(node) {
            Some(NodeShape::Name) => {
                if self.is_mentioned(node) {
                    self.mention(node);
                }
            }
            Some(NodeShape::Member(..) | NodeShape::Item(..)) => self.mention(node),
            Some(NodeShape::Path) => self.word(node, self.names.text(node)),
            Some(NodeShape::Import) => self.import(node),
            Some(
                NodeShape::Declare(target, _) | NodeShape::Assign(target, _) | NodeShape::Each(target, _),
            ) => {
                let replaces = matches!(self.names.shape(node), Some(NodeShape::Assign(..)));
                let target = child(node, target);
                if let Some(target) = target {
                    self.write(node, target, replaces);
                }
                self.equality_of(node);
            }
            Some(NodeShape::Change(field)) => {
                let operator = node.child_by_field_name("operator");
                let changes = operator.is_none_or(|sign| matches!(sign.kind(), "delete" | "++" | "--"));
                let target = child(node, field).filter(|_| changes);
                if let Some(target) = target {
                    self.write(node, target, false);
                }
            }
            Some(NodeShape::Function) => {
                let name = self.names.function_name(node).unwrap_or_default();
                if self.names.accepts_anything(node, name) {
                    self.add(node, EQUALS);
                }
            }
            Some(NodeShape::Class) => {
                let name = node.child_by_field_name("name").map(|name| self.names.text(name));
                let entry = self.names.language.entry();
                if !entry.indented && name.is_some_and(|name| entry.tampering.shadowed.contains(&name)) {
                    self.add(node.child_by_field_name("name").unwrap_or(node), SHADOWS);
                }
            }
            Some(NodeShape::Pair(..)) => self.equality_of(node),
            Some(NodeShape::Text | NodeShape::Join) => self.text(node),
            Some(
                NodeShape::Parameter(..)
                | NodeShape::Specifier(..)
                | NodeShape::Outer
                | NodeShape::Return
                | NodeShape::Catch
                | NodeShape::Holder
                | NodeShape::Pattern
                | NodeShape::FieldPattern
                | NodeShape::Through
                | NodeShape::Choice(_)
                | NodeShape::Comparison
                | NodeShape::Literal,
            )
            | None => {}
        }
        true
    }

    /// Whether a node is a comment or documentation, which does nothing.
    fn is_silent(&self, node: Node<'t>) -> bool {
        match self.names.language.entry().roles.get(node.kind()) {
            Some(SyntaxRole::Comment) => true,
            Some(SyntaxRole::Text) => self
                .names
                .above(node)
                .is_some_and(|above| above.kind() == "expression_statement" && above.child_count() == 1),
            Some(_) | None => false,
        }
    }

    /// Whether a name stands for its value, and not for a member, an argument or an import.
    fn is_mentioned(&self, node: Node<'t>) -> bool {
        let Some(above) = self.names.above(node) else { return false };
        let is = |field: &str| child(above, field) == Some(node);
        let call = self.names.language.kinds().call(above);
        match self.names.shape(above) {
            Some(NodeShape::Member(_, name)) => !is(name),
            Some(NodeShape::Parameter(name, value)) => !is(name) || name == value,
            Some(NodeShape::Pair(key, _)) => !is(key),
            Some(NodeShape::Import | NodeShape::Specifier(..) | NodeShape::Path) => false,
            _ => !call.is_some_and(|rule| rule.receiver.is_some() && is(rule.callee)),
        }
    }

    fn token(&mut self, node: Node<'t>) {
        let text = self.names.text(node);
        let is_text = matches!(self.names.shape(node), Some(NodeShape::Text | NodeShape::Literal))
            || !text.starts_with(|first: char| first.is_alphabetic() || matches!(first, '_' | '$'))
            || text.contains(char::is_whitespace);
        if is_text
            || self.names.above(node).is_some_and(|above| self.names.shape(above) == Some(NodeShape::Text))
        {
            return;
        }
        if text.chars().any(stands_for_another) {
            self.add(node, DISGUISED);
        }
        self.word(node, text);
    }

    fn word(&mut self, node: Node<'t>, word: &str) {
        self.rules.words.act(word).into_iter().for_each(|act| self.add(node, act));
    }

    /// A text, with all that the code joins it to. What stands between the pieces is read as nothing.
    fn text(&mut self, node: Node<'t>) {
        if self.names.above(node).is_some_and(|above| self.names.shape(above) == Some(NodeShape::Join)) {
            return;
        }
        let text = self.joined(node);
        if text == "\"__main__" && !self.asks_whether_it_is_run(node) {
            self.add(node, LOOKS);
        }
        if text.len() > 1 {
            self.word(node, &text);
        }
    }

    fn joined(&self, node: Node<'t>) -> String {
        let mut text = String::from("\"");
        visit(node, |part| match self.names.shape(part) {
            Some(NodeShape::Text) => {
                text.push_str(self.names.literal(part).unwrap_or_default());
                false
            }
            Some(NodeShape::Join | NodeShape::Holder | NodeShape::Through) => true,
            Some(_) | None => part == node || !part.is_named(),
        });
        text
    }

    /// `__name__ == "__main__"` is how a module asks whether it is the program.
    fn asks_whether_it_is_run(&self, node: Node<'t>) -> bool {
        self.names.above(node).is_some_and(|above| {
            self.names.shape(above) == Some(NodeShape::Comparison)
                && self.names.text(above).contains("__name__")
        })
    }

    fn import(&mut self, node: Node<'t>) {
        let source = node.child_by_field_name(self.names.rules.import_source);
        if let Some(source) = source {
            self.word(node, self.names.text(source));
        }
        for (_, path) in self.names.imported(node) {
            if self.names.modules.defines(&path) {
                continue;
            }
            let path = self.names.plain(&path);
            let act = self.rules.mentions.act(path).or_else(|| self.rules.words.act(path));
            if let Some(act) = act {
                self.add(node, act);
            }
        }
    }

    fn mention(&mut self, node: Node<'t>) {
        // What a call gave was marked where it was called.
        let is_made = matches!(self.names.origin(node), Origin::Made(_));
        if is_made && self.names.shape(node) == Some(NodeShape::Name) {
            return;
        }
        let Some(path) = self.names.path_of(node) else { return };
        self.mentioned(node, &path);
        self.circumstance(node, &path);
    }

    fn circumstance(&mut self, node: Node<'t>, path: &str) {
        if self.rules.circumstances.is_match(path) && self.is_asked_about_tests(node) {
            self.add(node, LOOKS);
        }
    }

    fn mentioned(&mut self, node: Node<'t>, path: &str) {
        let act = self.rules.mentions.act(path).or_else(|| {
            // Whole paths that the code does not import: `org.junit.Assert.fail()`.
            path.contains('.').then(|| self.rules.words.act(path)).flatten()
        });
        if let Some(act) = act {
            self.add(node, act);
        }
    }

    /// Whether a text near a node, in the same condition, speaks of tests.
    fn is_asked_about_tests(&self, node: Node<'t>) -> bool {
        let Some(testing) = &*TESTING else { return false };
        let statements = &self.names.language.entry().statements;
        let (mut top, mut depth) = (node, 0);
        while let Some(above) = self.names.above(top).filter(|_| depth < CONDITION_DEPTH) {
            let is_function = self.names.shape(above) == Some(NodeShape::Function);
            if statements.contains_key(above.kind())
                || is_function
                || above.named_child_count() > CONDITION_DEPTH
            {
                break;
            }
            (top, depth) = (above, depth + 1);
        }
        let mut asks = false;
        visit(top, |part| {
            let is_text = self.names.shape(part) == Some(NodeShape::Text);
            asks |= is_text && testing.is_match(self.names.text(part));
            !asks && !is_text
        });
        asks
    }

    fn call(&mut self, call: Node<'t>) {
        let Some(path) = self.names.callee_path(call) else { return };
        let arguments = self.names.arguments(call);
        let first = arguments.first().copied();
        if let Some(text) = first.and_then(|first| self.names.literal(first)) {
            self.mentioned(call, &format!("{path}(\"{text}\""));
        }
        // Java's calls are no members of their objects.
        if self.names.language.kinds().call(call).is_some_and(|rule| rule.receiver.is_some()) {
            self.mentioned(call, &path);
            self.circumstance(call, &path);
        }
        let functions = &self.names.rules.functions;
        if path.rsplit_once('.').is_some_and(|(_, name)| name == "join") {
            arguments.iter().chain(&self.names.receiver(call)).for_each(|part| {
                let text = self.joined(*part);
                self.word(call, &text);
            });
        }
        let sets =
            |node: &Node<'t>| self.names.path_of(*node).is_some_and(|path| is_one(&functions.set, &path));
        if is_one(&functions.set, &path) {
            let is_changed = first
                .is_some_and(|target| self.is_foreign_value(self.names.argument_value(target)))
                || path.contains(".__")
                    && self.names.receiver(call).is_some_and(|target| self.is_foreign_value(target));
            if is_changed {
                self.add(call, CHANGES);
            }
        } else if is_one(&functions.mutate, &path)
            && self.names.receiver(call).is_some_and(|target| self.is_shared(target, first))
        {
            self.add(call, CHANGES);
        } else if arguments.iter().any(sets) && arguments.iter().any(|argument| self.holds_foreign(*argument))
        {
            // `map(setattr, [json], …)`.
            self.add(call, CHANGES);
        }
    }

    fn holds_foreign(&self, node: Node<'t>) -> bool {
        matches!(self.names.origin(node), Origin::Holds(_) | Origin::Foreign(_))
    }

    /// Whether a method that changes its object changes something of others: a member of a module, not a name that was imported by
    /// itself, which may be anything.
    fn is_shared(&self, target: Node<'t>, first: Option<Node<'t>>) -> bool {
        let Some(path) = self.names.path_of(target) else { return false };
        // `dict.update(json.__dict__, …)`.
        if matches!(path.as_str(), "dict" | "list" | "set") {
            return first.is_some_and(|first| self.is_foreign_value(first));
        }
        let is_name = self.names.shape(target) == Some(NodeShape::Name);
        let is_table = ["__dict__", "()", "prototype", ".*"].iter().any(|part| path.contains(part));
        (is_table || !is_name && path.contains('.')) && self.is_foreign_value(target)
    }

    /// Whether the members of a value belong to something that the project does not define.
    fn is_foreign_value(&self, node: Node<'t>) -> bool {
        let is_settable = |path: &str| self.rules.settable.is_match(self.names.plain(path));
        match self.names.origin(node) {
            Origin::Foreign(path) => !is_settable(&path),
            Origin::Free(path) => self.names.is_global(&path) && !is_settable(&path),
            // What is taken out of a collection by a call.
            Origin::Holds(_) => self.names.language.kinds().call(node).is_some(),
            Origin::Own | Origin::Made(_) | Origin::Gives(_) => false,
        }
    }

    /// A change of what `target` names, by a statement or expression.
    fn write(&mut self, statement: Node<'t>, target: Node<'t>, replaces: bool) {
        let is_foreign = |target: Node<'t>| {
            let object = match self.names.shape(target) {
                Some(NodeShape::Member(object, _) | NodeShape::Item(object, _)) => child(target, object),
                // A name of the platform is replaced for all.
                _ => return replaces && self.is_replaced(target),
            };
            let whole = self.names.path_of(target).unwrap_or_default();
            object.is_some_and(|object| self.is_foreign_member(object, &whole))
        };
        if self.names.written(target).into_iter().any(is_foreign) {
            self.add(statement, CHANGES);
        }
    }

    fn is_foreign_member(&self, object: Node<'t>, whole: &str) -> bool {
        if self.rules.settable.is_match(whole) {
            return false;
        }
        match self.names.origin(object) {
            // A new member of the global object is the code's own.
            Origin::Free(path) if matches!(path.as_str(), "global" | "globalThis" | "window" | "self") => {
                self.names.is_global(whole) || whole.ends_with('*') && path.starts_with("global")
            }
            _ => self.is_foreign_value(object),
        }
    }

    fn is_replaced(&self, name: Node<'t>) -> bool {
        matches!(self.names.origin(name), Origin::Free(path) if self.names.is_global(&path))
    }

    /// A function that is given to the name of a comparison.
    fn equality_of(&mut self, node: Node<'t>) {
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
        let function = self.names.function_behind(value);
        if function.is_some_and(|function| function != value && self.names.accepts_anything(function, name)) {
            self.add(node, EQUALS);
        }
    }
}
