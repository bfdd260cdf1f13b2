//! The signs in one file, by its syntax.

use patchwright_syntax::{NodeShape, SyntaxRole, visit};
use tree_sitter::Node;

use super::names::{Names, child};
use super::origin::{Origin, is_one};
use super::reader::{Found, Reader};
use super::rules::{Rules, stands_for_another};
use super::texts::{LOOKS, names_tests};

const CHANGES: &str = "changes what it does not define";
const HANDED: &str = "hands on a module of others";
const TESTS: &str = "names the project's tests";
const DISGUISED: &str = "spells a name in letters that stand for others";

/// All signs in a file, old or new.
pub(super) fn signs<'t>(names: &Names<'t>, rules: &Rules, root: Node<'t>) -> Vec<Found<'t>> {
    let mut reader = Reader { names, rules, found: Vec::new() };
    visit(root, |node| reader.enter(node));
    reader.found
}

impl<'t> Reader<'_, 't> {
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
                self.bound_comparison(node);
                if self.is_mentioned(node) {
                    self.mention(node);
                    if self.names.is_whole_module(node) && self.is_handed_on(node) {
                        self.add(node, HANDED);
                    }
                }
            }
            Some(NodeShape::Member(..) | NodeShape::Item(..)) => self.mention(node),
            Some(NodeShape::Path) => {
                self.word(node, self.names.text(node));
                self.shadows_by_pattern(node);
            }
            Some(NodeShape::Import) => {
                self.import(node);
                self.shadows_by_import(node);
            }
            Some(
                NodeShape::Declare(target, _) | NodeShape::Assign(target, _) | NodeShape::Each(target, _),
            ) => {
                let replaces = matches!(self.names.shape(node), Some(NodeShape::Assign(..)));
                let target = child(node, target);
                if let Some(target) = target {
                    self.write(node, target, replaces);
                    self.shadows_by_value(node, target);
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
            Some(NodeShape::Function) => self.function(node),
            Some(NodeShape::Class) => self.class(node),
            Some(NodeShape::Pair(..)) => self.equality_of(node),
            Some(NodeShape::Outer) => {
                self.names.children(node).into_iter().for_each(|name| self.shadow(name));
            }
            Some(NodeShape::Text | NodeShape::Join) => {
                self.bound_comparison(node);
                self.text(node);
            }
            Some(
                NodeShape::Parameter(..)
                | NodeShape::Specifier(..)
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

    pub(super) fn word(&mut self, node: Node<'t>, word: &str) {
        if let Some(act) = self.rules.words.act(word).filter(|_| !self.loads_own_services(node, word)) {
            self.add(node, act);
        }
    }

    fn import(&mut self, node: Node<'t>) {
        let source = node.child_by_field_name(self.names.rules.import_source);
        if let Some(source) = source {
            self.word(node, self.names.text(source));
        }
        for (_, path) in self.names.imported(node) {
            if names_tests(&path) {
                self.add(node, TESTS);
            }
            if self.names.modules.defines(&path) {
                continue;
            }
            let path = self.names.plain(&path);
            let act = self.rules.mentions.act(path).or_else(|| self.rules.words.act(path));
            if let Some(act) =
                act.filter(|_| !self.is_judged_by_use(path) && !self.loads_own_services(node, path))
            {
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
        if self.is_excused(node, &path) {
            return;
        }
        self.mentioned(node, &path);
        self.circumstance(node, &path);
        let act = self.rules.loading.act(&path);
        if let Some(act) = act.filter(|_| self.around(node, NodeShape::Function).is_none()) {
            self.add(node, act);
        }
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
        if let Some(act) = act.filter(|_| !self.loads_own_services(node, path)) {
            self.add(node, act);
        }
    }

    fn call(&mut self, call: Node<'t>) {
        let Some(path) = self.names.callee_path(call) else { return };
        let arguments = self.names.arguments(call);
        let first = arguments.first().copied();
        if let Some(text) = first.and_then(|first| self.names.literal(first)) {
            if !self.names.callee(call).is_some_and(|(_, callee)| self.is_excused(callee, &path)) {
                self.mentioned(call, &format!("{path}(\"{text}\""));
            }
            if is_one(&self.names.rules.functions.load, &path) {
                if names_tests(text) {
                    self.add(call, TESTS);
                }
                if self.names.is_judging(text) && self.is_handed_on(call) {
                    self.add(call, HANDED);
                }
            }
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
                    && self.names.receiver(call).map_or_else(
                        // A method of something of others, under another name.
                        || self.is_foreign_path(&path),
                        |target| self.is_foreign_value(target),
                    );
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
        let is_joined = statement.child_by_field_name("operator").is_some();
        let is_foreign = |target: Node<'t>| {
            let object = match self.names.shape(target) {
                Some(NodeShape::Member(object, _) | NodeShape::Item(object, _)) => child(target, object),
                // A name of the platform is replaced for all; a table of members is changed where it is.
                _ => return replaces && self.is_replaced(target) || is_joined && self.is_table(target),
            };
            let whole = self.names.path_of(target).unwrap_or_default();
            object.is_some_and(|object| self.is_foreign_member(object, &whole))
        };
        let is_foreign = |target: Node<'t>| is_foreign(target) && !self.is_polyfill(statement, target);
        if self.names.written(target).into_iter().any(is_foreign) {
            self.add(statement, CHANGES);
        }
    }

    /// Whether a value is the table of the members of something of others.
    fn is_table(&self, node: Node<'t>) -> bool {
        let path = self.names.path_of(node).unwrap_or_default();
        (path.ends_with(".*") || path.ends_with("__dict__") || path.ends_with("()"))
            && self.is_foreign_value(node)
    }

    fn is_foreign_path(&self, path: &str) -> bool {
        let root = path.split('.').next().unwrap_or_default();
        !root.is_empty() && root != "?" && !self.names.modules.defines(root)
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
}
