//! The declarations and mentions of a file.

use std::collections::BTreeSet;

use tree_sitter::Node;

use crate::file::{File, children, visit};
use crate::grammar::NodeRole;
use crate::types;
use crate::view;

/// A variable, field or constant.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Variable {
    /// As it is written where it is used.
    pub name: String,
    /// Its type, where it is declared or plain from its value.
    pub ty: Option<String>,
    /// The class that it is a field of.
    pub class: Option<String>,
    /// The byte from which on it is known.
    pub from: usize,
}

/// A parameter of a method.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Parameter {
    pub name: String,
    pub ty: Option<String>,
    /// Is true if a call may leave it out.
    pub optional: bool,
}

/// A method, constructor or function.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Method {
    pub name: String,
    pub class: Option<String>,
    pub parameters: Vec<Parameter>,
    pub returns: Option<String>,
    /// The exceptions that it declares or raises.
    pub throws: Vec<String>,
}

impl Method {
    /// The number of arguments that every call must give.
    pub(crate) fn required(&self) -> usize {
        self.parameters.iter().filter(|parameter| !parameter.optional).count()
    }
}

/// A class and what it extends.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Class {
    pub name: String,
    pub supers: Vec<String>,
}

/// The declarations and mentions of a file.
#[derive(Debug, Default)]
pub(crate) struct FileFacts {
    pub language: &'static str,
    pub classes: Vec<Class>,
    /// Fields, and variables of a module.
    pub variables: Vec<Variable>,
    pub methods: Vec<Method>,
    /// Text literals with their quotes.
    pub texts: BTreeSet<String>,
    /// Numbers as they are written.
    pub numbers: BTreeSet<String>,
    /// Names of exceptions that are raised or caught.
    pub exceptions: BTreeSet<String>,
    /// Names of types: those of other files among them.
    pub mentions: BTreeSet<String>,
    /// Names of methods that are called, with the number of arguments.
    pub called: BTreeSet<(String, usize)>,
}

/// Longer texts are messages, not values.
const MAX_TEXT: usize = 40;

impl FileFacts {
    /// Reads a file.
    pub(crate) fn of(file: &File) -> Self {
        let mut facts = Self { language: file.grammar.name, ..Self::default() };
        // The classes and functions that are open, with the byte where they end.
        let mut open: Vec<(usize, Option<String>)> = Vec::new();
        visit(file.tree.root_node(), |node| {
            while open.last().is_some_and(|(end, _)| *end <= node.start_byte()) {
                open.pop();
            }
            let class = open.iter().rev().find_map(|(_, class)| class.clone());
            facts.add(file, node, class.as_deref(), open.last().is_none_or(|(_, class)| class.is_some()));
            match file.role(node) {
                NodeRole::Class => open.push((node.end_byte(), name_of(file, node))),
                NodeRole::Function | NodeRole::Lambda => open.push((node.end_byte(), None)),
                _ => {}
            }
            true
        });
        facts
    }

    fn add(&mut self, file: &File, node: Node, class: Option<&str>, outside: bool) {
        let text = || file.text_of(node).to_owned();
        match file.role(node) {
            NodeRole::Class => {
                if let Some(name) = name_of(file, node) {
                    let mut supers = Vec::new();
                    let parts = ["superclass", "interfaces", "superclasses"].into_iter();
                    for part in parts.filter_map(|part| node.child_by_field_name(part)) {
                        visit(part, |inner| {
                            if is_name(file, inner) {
                                supers.push(file.text_of(inner).to_owned());
                            }
                            true
                        });
                    }
                    self.classes.push(Class { name, supers });
                }
            }
            NodeRole::Function => self.methods.extend(method(file, node, class)),
            NodeRole::Field => {
                let ty = node.child_by_field_name("type").map(|ty| types::declared(file, ty));
                for declarator in children(file, node) {
                    if file.role(declarator) == NodeRole::Declarator
                        && let Some(name) = name_of(file, declarator)
                    {
                        self.variable(name, ty.clone(), class);
                    }
                }
            }
            NodeRole::Assign => {
                let Some(parts) = view::assignment(file, node) else { return };
                let ty = types::of_literal(file, parts.value);
                let target = file.text_of(parts.target);
                if file.role(parts.target) == NodeRole::Name && outside && !file.grammar.statically_typed {
                    // A name of a class is reached through the object.
                    let own = if class.is_some() { file.grammar.keywords.self_prefix } else { "" };
                    self.variable(format!("{own}{target}"), ty, class);
                } else if !file.grammar.statically_typed
                    && target.starts_with(file.grammar.keywords.self_prefix)
                {
                    self.variable(target.to_owned(), ty, class);
                }
            }
            // What is asked of the object itself it has, wherever it comes from.
            NodeRole::MemberAccess if !file.grammar.statically_typed => {
                let name = text();
                let plain = name
                    .strip_prefix(file.grammar.keywords.self_prefix)
                    .is_some_and(|rest| !rest.contains('.'));
                let called =
                    node.parent().is_some_and(|parent| parent.child_by_field_name("function") == Some(node));
                if plain && !called {
                    self.variable(name, None, class);
                }
            }
            NodeRole::StringLiteral if node.end_byte() - node.start_byte() <= MAX_TEXT => {
                self.texts.insert(text());
            }
            NodeRole::IntegerLiteral | NodeRole::FloatLiteral => {
                self.numbers.insert(text());
            }
            NodeRole::Throw | NodeRole::CatchClause => {
                visit(node, |inner| {
                    if is_name(file, inner) && is_exception(file.text_of(inner)) {
                        self.exceptions.insert(file.text_of(inner).to_owned());
                    }
                    file.role(inner) != NodeRole::Block
                });
            }
            NodeRole::Call => {
                if let Some(call) = view::call(file, node) {
                    self.called.insert((file.text_of(call.name).to_owned(), call.arguments.len()));
                }
            }
            NodeRole::Type if node.child_count() == 0 => {
                self.mentions.insert(text());
            }
            NodeRole::Other if node.kind() == "dotted_name" => {
                self.mentions.extend(file.text_of(node).rsplit('.').next().map(str::to_owned));
            }
            _ => {}
        }
    }

    fn variable(&mut self, name: String, ty: Option<String>, class: Option<&str>) {
        let known =
            self.variables.iter_mut().find(|known| known.name == name && known.class.as_deref() == class);
        match known {
            Some(known) if known.ty.is_none() => known.ty = ty,
            Some(_) => {}
            None => self.variables.push(Variable { name, ty, class: class.map(str::to_owned), from: 0 }),
        }
    }

    /// The classes that a class extends, itself first, as far as this file knows.
    pub(crate) fn line_of<'a>(&'a self, class: &'a str) -> Vec<&'a str> {
        let mut found = vec![class];
        let mut next = 0;
        while let Some(name) = found.get(next).copied() {
            next += 1;
            for class in self.classes.iter().filter(|class| class.name == name) {
                for name in &class.supers {
                    if !found.contains(&name.as_str()) {
                        found.push(name);
                    }
                }
            }
        }
        found
    }
}

/// Is true if a node is the name of a variable or of a type.
pub(crate) fn is_name(file: &File, node: Node) -> bool {
    node.child_count() == 0 && matches!(file.role(node), NodeRole::Type | NodeRole::Name)
}

/// Is true if a name looks like that of an exception.
pub(crate) fn is_exception(name: &str) -> bool {
    (name.ends_with("Exception") || name.ends_with("Error") || name == "StopIteration")
        && name.starts_with(char::is_uppercase)
}

fn name_of(file: &File, node: Node) -> Option<String> {
    let name = node.child_by_field_name("name")?;
    Some(file.text_of(name).to_owned())
}

fn method(file: &File, node: Node, class: Option<&str>) -> Option<Method> {
    let name = name_of(file, node)?;
    let list = node.child_by_field_name("parameters");
    let parameters = list.map(|list| parameters(file, list)).unwrap_or_default();
    let returns = node.child_by_field_name("type").or_else(|| node.child_by_field_name("return_type"));
    let mut throws = Vec::new();
    for part in children(file, node).into_iter().filter(|part| file.role(*part) == NodeRole::ThrowsClause) {
        throws.extend(children(file, part).into_iter().map(|name| file.text_of(name).to_owned()));
    }
    Some(Method {
        name,
        class: class.map(str::to_owned),
        parameters,
        returns: returns.map(|ty| types::declared(file, ty)),
        throws,
    })
}

/// The parameters in a list; the object itself, where it is one, left out.
pub(crate) fn parameters(file: &File, list: Node) -> Vec<Parameter> {
    let mut found = Vec::new();
    for child in children(file, list) {
        let plain = file.role(child) == NodeRole::Name;
        let name = if plain { Some(child) } else { child.child_by_field_name("name") };
        // A name with a type stands in the tree without a field of its own.
        let name = name.or_else(|| child.named_child(0));
        let Some(name) = name.filter(|name| file.role(*name) == NodeRole::Name) else { continue };
        let text = file.text_of(name);
        if matches!(text, "self" | "cls") {
            continue;
        }
        let value = child.child_by_field_name("value");
        let ty = child.child_by_field_name("type").map(|ty| types::declared(file, ty));
        found.push(Parameter {
            name: text.to_owned(),
            ty: ty.or_else(|| value.and_then(|value| types::of_literal(file, value))),
            optional: value.is_some() || child.kind().contains("spread") || child.kind().contains("splat"),
        });
    }
    found
}
