//! The declarations of a file: classes, methods, functions, fields, each with its lines.

use serde::{Deserialize, Serialize};

/// A range of lines, counted from 1, both ends included.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Span {
    /// The first line.
    pub first: u32,
    /// The last line.
    pub last: u32,
}

/// The kind of a [`Class`].
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ClassKind {
    /// An ordinary class.
    Class,
    /// An interface.
    Interface,
    /// An enumeration.
    Enum,
    /// A record.
    Record,
    /// An annotation type (`@interface`).
    Annotation,
    /// A class without a name of its own: `new T() { … }` or the body of an enum constant.
    Anonymous,
}

/// The kind of a [`Method`].
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MethodKind {
    /// A method of a class, interface, enum, record or annotation type.
    Method,
    /// A constructor (`__init__` in Python).
    Constructor,
    /// A function outside of any class.
    Function,
    /// A function inside a function or method.
    Nested,
    /// A static or instance initialiser block.
    Initializer,
}

/// A class or anything like one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Class {
    /// Its own name; of an anonymous class the type it is made from, in `<…>`.
    pub name: String,
    /// Its kind.
    pub kind: ClassKind,
    /// The name with those of all classes and methods around it, joined by dots; without the package.
    pub qualified: String,
    /// The declaration in one line, without annotations and body.
    pub signature: String,
    /// Its lines, with the comment and the annotations above.
    pub lines: Span,
    /// The line with its name.
    pub declaration_line: u32,
    /// The names of the classes that it extends or implements, as written but without type arguments.
    pub supers: Vec<String>,
    /// Its annotations or decorators as written, without the `@`.
    pub decorations: Vec<String>,
    /// Its methods, in the order of the file; functions inside a method follow that method.
    pub methods: Vec<Method>,
    /// The classes in it: nested, inner, local and anonymous.
    pub classes: Vec<Class>,
    /// Its fields.
    pub fields: Vec<Field>,
}

/// A method, constructor, function or initialiser.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Method {
    /// Its own name; of a constructor, as the language writes it (`Foo`, `__init__`).
    pub name: String,
    /// The name with those of all classes and methods around it, joined by dots; without the package.
    pub qualified: String,
    /// The declaration in one line, without annotations and body.
    pub signature: String,
    /// Its kind.
    pub kind: MethodKind,
    /// Its lines, with the comment and the annotations or decorators above.
    pub lines: Span,
    /// The line with its name.
    pub declaration_line: u32,
    /// Its annotations or decorators as written, without the `@`.
    pub decorations: Vec<String>,
    /// The names of its parameters.
    pub parameters: Vec<String>,
}

/// A field of a class, or a variable of a module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// The lines of the declaration, with its comment and annotations.
    pub lines: Span,
}

/// The declarations of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Outline {
    /// The package that the file says it belongs to.
    pub package: Option<String>,
    /// The import statements, by their lines.
    pub imports: Vec<Span>,
    /// The classes that stand in no other class.
    pub classes: Vec<Class>,
    /// The functions that stand in no class; functions inside a function follow it.
    pub functions: Vec<Method>,
    /// The variables that stand in no class and no function.
    pub fields: Vec<Field>,
    /// The number of places that could not be parsed.
    pub syntax_errors: usize,
}

impl Span {
    /// Is true if a line is in the range.
    pub fn contains(self, line: u32) -> bool {
        (self.first..=self.last).contains(&line)
    }

    /// Whether all lines of another range are in the range.
    pub fn encloses(self, other: Self) -> bool {
        self.first <= other.first && other.last <= self.last
    }
}

impl Outline {
    /// All classes, each before those inside it.
    pub fn all_classes(&self) -> Vec<&Class> {
        let mut found = Vec::new();
        let mut left: Vec<&Class> = self.classes.iter().rev().collect();
        while let Some(class) = left.pop() {
            found.push(class);
            left.extend(class.classes.iter().rev());
        }
        found
    }

    /// All methods and functions with the class they belong to, in the order of the file.
    pub fn all_methods(&self) -> Vec<(Option<&Class>, &Method)> {
        let mut found: Vec<(Option<&Class>, &Method)> =
            self.functions.iter().map(|method| (None, method)).collect();
        for class in self.all_classes() {
            found.extend(class.methods.iter().map(|method| (Some(class), method)));
        }
        found.sort_by_key(|(_, method)| (method.lines.first, method.declaration_line));
        found
    }

    /// The innermost method or function that a line belongs to.
    pub fn method_at(&self, line: u32) -> Option<&Method> {
        let around = self.all_methods().into_iter().map(|(_, method)| method);
        around
            .filter(|method| method.lines.contains(line))
            .min_by_key(|method| method.lines.last - method.lines.first)
    }

    /// The innermost class that a line belongs to.
    pub fn class_at(&self, line: u32) -> Option<&Class> {
        let around = self.all_classes().into_iter();
        around
            .filter(|class| class.lines.contains(line))
            .min_by_key(|class| class.lines.last - class.lines.first)
    }
}
