//! What a language's entry says of names: which nodes bind, read and change them, and which functions do so by a call.

use std::collections::BTreeMap;

use serde::Deserialize;

/// The part that a node kind plays where names are bound, read or changed. The strings are names of fields; an empty one stands for
/// the first named child.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NodeShape {
    /// A plain name.
    Name,
    /// A dotted name that the grammar does not take apart.
    Path,
    /// `object.name`: the object, and the name.
    Member(&'static str, &'static str),
    /// `object[key]`: the object, and the key.
    Item(&'static str, &'static str),
    /// Declares the names of a target in the scope around it and gives them a value: the target, and the value.
    Declare(&'static str, &'static str),
    /// Gives a target a value without declaring names: the target, and the value.
    Assign(&'static str, &'static str),
    /// Gives a target each element of a value in turn: the target, and the value.
    Each(&'static str, &'static str),
    /// Changes or deletes what the field holds. Where the node has a field `operator`, only by one that changes.
    Change(&'static str),
    /// A parameter with a default, or an argument with a name: the name, and the value.
    Parameter(&'static str, &'static str),
    /// A function, method or lambda: a scope with parameters.
    Function,
    /// Declares a class.
    Class,
    /// An import.
    Import,
    /// One name of an import: the name, and the alias.
    Specifier(&'static str, &'static str),
    /// Says that names of the function around it belong to a scope further out.
    Outer,
    /// Returns a value.
    Return,
    /// Handles what was raised: a declaration in it declares an object of the class that it names.
    Catch,
    /// A list, tuple, map or the like.
    Holder,
    /// A key with its value, in a map or a pattern.
    Pair(&'static str, &'static str),
    /// A target of several parts, by their places.
    Pattern,
    /// A target of several parts, by their keys.
    FieldPattern,
    /// Has the value of any of its children.
    Through,
    /// Has the value of any of its children but the one in this place, which is a condition.
    Choice(usize),
    /// Has the value of any of its children; texts that it joins are one text.
    Join,
    /// A comparison by keywords or operators.
    Comparison,
    /// A text.
    Text,
    /// Any other literal.
    Literal,
}

/// How the modules of a language are named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModuleNames {
    /// By dotted paths below folders in which modules are looked for; an import binds the first part.
    #[default]
    Dotted,
    /// By dotted packages, which each file declares; an import binds the last part.
    Packages,
    /// By texts; what begins with a dot is relative.
    Specifiers,
}

/// Functions that do to their arguments what syntax does elsewhere: each by its whole path, or by its last part after a dot.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub struct FunctionEffects {
    /// Give the module that the first argument names.
    pub load: Vec<&'static str>,
    /// Those of them that give whole modules, never a member of one.
    pub load_whole: Vec<&'static str>,
    /// Give the member of the first argument that the second names.
    pub get: Vec<&'static str>,
    /// Give all members of the first argument; without arguments, of the module.
    pub members: Vec<&'static str>,
    /// Give the class of the first argument.
    pub class: Vec<&'static str>,
    /// Give their first argument itself.
    pub same: Vec<&'static str>,
    /// Change members of their first argument.
    pub set: Vec<&'static str>,
    /// Methods that change what they are called on.
    pub mutate: Vec<&'static str>,
    /// Give back what another one was given, where they are given what that one made of it: each with the other.
    pub undo: Vec<(&'static str, &'static str)>,
    /// Run their first argument when the process ends.
    pub at_end: Vec<&'static str>,
    /// Only remove what was made.
    pub clean: Vec<&'static str>,
}

/// What an operator says of what stands on its sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OperatorRole {
    /// They are the same.
    Same,
    /// They are not.
    Differs,
    /// One comes before the other.
    Before,
    /// One comes before the other, or is the same.
    NotAfter,
    /// One is in the other.
    Within,
    /// One is of the class that the other names.
    OfClass,
    /// Both are true.
    Both,
    /// At least one is true.
    Either,
    /// The only one is not true.
    Not,
    /// How far they are from each other.
    Distance,
    /// A number made of both.
    Arithmetic,
}

/// What a method or function tells of the values that it is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tells {
    /// Whether they are equal.
    Sameness,
    /// Whether they are not.
    Difference,
    /// Whether one comes before the other.
    Order,
    /// Which comes first, in a number.
    Distance,
    /// Whether one is in the other.
    Membership,
    /// What one is worth, or what is made of it.
    Value,
}

/// How a language compares.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub struct ComparisonRules {
    /// What operators say, as they are written.
    pub operators: BTreeMap<&'static str, OperatorRole>,
    /// What methods and functions of these names tell.
    pub methods: BTreeMap<&'static str, Tells>,
    /// The results by which a comparison says no, as they are written.
    pub refusing: Vec<&'static str>,
    /// The results by which it leaves the answer to others.
    pub undecided: Vec<&'static str>,
    /// Functions that say whether their first argument is of the class that the second names.
    pub class_checks: Vec<&'static str>,
    /// Functions and members that give the class of an object.
    pub class_of: Vec<&'static str>,
    /// Functions and members that are the same for most values.
    pub coarse: Vec<&'static str>,
    /// Names by which a method calls its object as the class above sees it.
    pub above: Vec<&'static str>,
    /// Node kinds that make a function give an object that works its result out later.
    pub deferring: Vec<&'static str>,
    /// Whether a name by itself may be a member of the object.
    pub implies_object: bool,
}

/// How names are bound in a language. A language without an entry has none of it: names in it are what they seem.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BindingRules {
    /// Node kinds and their shapes.
    pub nodes: BTreeMap<&'static str, NodeShape>,
    /// How modules are named.
    pub modules: ModuleNames,
    /// The field of an import that names the module whose members it binds.
    pub import_source: &'static str,
    /// Members of an object that are its class.
    pub class_members: Vec<&'static str>,
    /// Members of a function or method that are the object that it belongs to, whoever made that.
    pub owner_members: Vec<&'static str>,
    /// Prefixes of paths that change nothing of what they mean.
    pub implied: Vec<&'static str>,
    /// Names that the language or its platform defines and that code can change.
    pub globals: Vec<&'static str>,
    /// Functions that bind, read or change members.
    pub functions: FunctionEffects,
    /// Names by which a module calls itself or its package.
    pub own_modules: Vec<&'static str>,
    /// Methods whose result says whether two values are equal, or whether a value is in another.
    pub equality: Vec<&'static str>,
    /// The results by which such a method accepts any value, as they are written.
    pub accepting: Vec<&'static str>,
    /// How values are compared.
    pub comparisons: ComparisonRules,
}
