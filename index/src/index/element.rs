//! The declarations of a file, as a flat list.

use std::cmp::Reverse;
use std::fmt;

use patchwright_syntax::{Class, Method, Outline, Span};
use serde::Serialize;

/// The kind of an [`Element`].
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ElementKind {
    /// A class or anything like one.
    Class,
    /// A method, constructor or initialiser of a class.
    Method,
    /// A function outside of any class, or inside a function.
    Function,
    /// A field of a class, or a variable of a module.
    Variable,
}

impl ElementKind {
    /// Is true if it is code that is called: a method or a function.
    pub fn is_callable(self) -> bool {
        matches!(self, Self::Method | Self::Function)
    }
}

/// Something that a file declares.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Element {
    /// Its kind.
    pub kind: ElementKind,
    /// The name with those of all classes and functions around it, joined by dots; without the package.
    pub qualified: String,
    /// Its lines, with the comment and the decorations above.
    pub lines: Span,
    /// The line with its name.
    pub declaration_line: u32,
    /// The number of bytes of `qualified` that are its own name.
    pub(crate) own: usize,
}

impl ElementKind {
    /// The word for it, as models are asked to write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Class => "class",
            Self::Method => "method",
            Self::Function => "function",
            Self::Variable => "variable",
        }
    }
}

impl fmt::Display for ElementKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl Element {
    /// Its own name.
    pub fn name(&self) -> &str {
        self.qualified.get(self.qualified.len().saturating_sub(self.own)..).unwrap_or(&self.qualified)
    }

    fn of_class(class: &Class) -> Self {
        Self {
            kind: ElementKind::Class,
            qualified: class.qualified.clone(),
            lines: class.lines,
            declaration_line: class.declaration_line,
            own: class.name.len(),
        }
    }

    fn of_method(class: Option<&Class>, method: &Method) -> Self {
        // A function inside a method belongs to the method's class, too, but is a function.
        let direct = class
            .is_some_and(|class| method.qualified.len() == class.qualified.len() + 1 + method.name.len());
        Self {
            kind: if direct { ElementKind::Method } else { ElementKind::Function },
            qualified: method.qualified.clone(),
            lines: method.lines,
            declaration_line: method.declaration_line,
            own: method.name.len(),
        }
    }
}

/// All that an outline holds, in the order of the file.
pub(crate) fn elements(outline: &Outline) -> Vec<Element> {
    let classes = outline.all_classes();
    let mut found: Vec<Element> = classes.iter().map(|class| Element::of_class(class)).collect();
    found.extend(outline.all_methods().into_iter().map(|(class, method)| Element::of_method(class, method)));
    let fields = classes.iter().flat_map(|class| class.fields.iter().map(|field| (Some(*class), field)));
    for (class, field) in fields.chain(outline.fields.iter().map(|field| (None, field))) {
        let qualified =
            class.map_or_else(|| field.name.clone(), |class| format!("{}.{}", class.qualified, field.name));
        let (lines, own) = (field.lines, field.name.len());
        let (kind, declaration_line) = (ElementKind::Variable, lines.last);
        found.push(Element { kind, qualified, lines, declaration_line, own });
    }
    found.sort_by_key(|one| (one.lines.first, Reverse(one.lines.last), one.declaration_line));
    found
}
