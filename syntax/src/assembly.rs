//! From a flat list of declarations to a nested [`Outline`].

use crate::header::Description;
use crate::outline::{Class, ClassKind, Field, Method, MethodKind, Outline, Span};

/// The kind of a declaration; what kind of method follows from where it stands.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum DeclarationKind {
    /// A class, of some kind.
    Class(ClassKind),
    /// A method or function.
    Method,
    /// A constructor.
    Constructor,
    /// A block that runs when a class is loaded or an object is made.
    Initializer,
    /// A field or variable.
    Field,
}

impl DeclarationKind {
    /// Is true if it holds statements.
    pub(crate) fn is_method(self) -> bool {
        match self {
            Self::Method | Self::Constructor | Self::Initializer => true,
            Self::Class(_) | Self::Field => false,
        }
    }
}

/// One declaration, not yet in its place.
#[derive(Clone, Debug)]
pub(crate) struct Declaration {
    pub what: DeclarationKind,
    pub name: String,
    pub description: Description,
    pub lines: Span,
    /// The line with its name.
    pub line: u32,
    /// Is true if nothing but blanks stands before it.
    pub first_on_line: bool,
    /// Is true if a part of it did not parse.
    pub damaged: bool,
    pub supers: Vec<String>,
    /// The innermost class or method around it: an earlier index in the list.
    pub owner: Option<usize>,
}

/// Puts every declaration into the class around it. Owners stand before what they own.
pub(crate) fn assemble(mut found: Vec<Declaration>, constructor_names: &[&str]) -> Outline {
    let mut qualified: Vec<String> = Vec::with_capacity(found.len());
    for one in &found {
        let around = one.owner.and_then(|owner| qualified.get(owner));
        qualified.push(around.map_or_else(|| one.name.clone(), |around| format!("{around}.{}", one.name)));
    }
    let mut contents: Vec<Contents> = Vec::with_capacity(found.len());
    contents.resize_with(found.len(), Contents::default);
    let mut top = Contents::default();
    // From the end, so that a class is complete when it is put into another.
    while let (Some(one), Some(qualified)) = (found.pop(), qualified.pop()) {
        let class = class_around(&found, one.owner);
        let own = contents.pop().unwrap_or_default();
        let home = class.and_then(|class| contents.get_mut(class)).unwrap_or(&mut top);
        match one.what {
            DeclarationKind::Class(kind) => home.classes.push(class_of(one, kind, qualified, own)),
            DeclarationKind::Field => home.fields.push(Field { name: one.name, lines: one.lines }),
            DeclarationKind::Method | DeclarationKind::Constructor | DeclarationKind::Initializer => {
                let kind = kind_of(&found, &one, constructor_names);
                home.methods.push(method_of(one, kind, qualified));
            }
        }
    }
    let top = top.in_order();
    Outline { classes: top.classes, functions: top.methods, fields: top.fields, ..Outline::default() }
}

#[derive(Default)]
struct Contents {
    classes: Vec<Class>,
    methods: Vec<Method>,
    fields: Vec<Field>,
}

impl Contents {
    fn in_order(mut self) -> Self {
        self.classes.reverse();
        self.methods.reverse();
        self.fields.reverse();
        self
    }
}

fn class_around(declarations: &[Declaration], owner: Option<usize>) -> Option<usize> {
    let around = std::iter::successors(owner, |index| declarations.get(*index)?.owner);
    around.into_iter().find(|index| {
        declarations.get(*index).is_some_and(|one| matches!(one.what, DeclarationKind::Class(_)))
    })
}

fn kind_of(declarations: &[Declaration], one: &Declaration, constructor_names: &[&str]) -> MethodKind {
    let owner = one.owner.and_then(|owner| declarations.get(owner));
    match (one.what, owner.map(|owner| owner.what)) {
        (DeclarationKind::Constructor, _) => MethodKind::Constructor,
        (DeclarationKind::Initializer, _) => MethodKind::Initializer,
        (_, None) => MethodKind::Function,
        (_, Some(DeclarationKind::Class(_))) if constructor_names.contains(&one.name.as_str()) => {
            MethodKind::Constructor
        }
        (_, Some(DeclarationKind::Class(_))) => MethodKind::Method,
        (_, Some(_)) => MethodKind::Nested,
    }
}

fn class_of(one: Declaration, kind: ClassKind, qualified: String, own: Contents) -> Class {
    let own = own.in_order();
    Class {
        name: one.name,
        kind,
        qualified,
        signature: one.description.signature,
        lines: one.lines,
        declaration_line: one.line,
        supers: one.supers,
        decorations: one.description.decorations,
        methods: own.methods,
        classes: own.classes,
        fields: own.fields,
    }
}

fn method_of(one: Declaration, kind: MethodKind, qualified: String) -> Method {
    Method {
        name: one.name,
        qualified,
        signature: one.description.signature,
        kind,
        lines: one.lines,
        declaration_line: one.line,
        decorations: one.description.decorations,
        parameters: one.description.parameters,
    }
}
