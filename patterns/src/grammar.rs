//! A language as the generators see it: the part that each node kind plays, and its words.
//!
//! A language is data, in a file of `patterns/grammars/`. The generators know roles and the parts of [`crate::view`] only.

use std::collections::BTreeMap;
use std::sync::{LazyLock, OnceLock};

use patchwright_syntax::Language;
use serde::Deserialize;
use tree_sitter::Node;

/// The part that a node plays in a repair.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum NodeRole {
    /// A node of no interest.
    Other,
    /// A method, constructor or function.
    Function,
    /// A lambda.
    Lambda,
    /// A class or anything like one.
    Class,
    /// A block of statements.
    Block,
    /// A statement that is an expression.
    ExpressionStatement,
    /// A declaration of local variables.
    Declaration,
    /// A declaration of fields.
    Field,
    /// A return statement.
    Return,
    /// A statement that raises an exception.
    Throw,
    /// `break` or `continue`.
    Jump,
    /// `if`, and a branch of one that has a condition.
    If,
    /// A loop with a condition.
    While,
    /// A loop over the elements of something.
    ForEach,
    /// Any other statement.
    Statement,
    /// A part of a statement with a block of its own.
    Clause,
    /// A handler of exceptions.
    CatchClause,
    /// The exceptions that a method declares.
    ThrowsClause,
    /// Visibility and the like.
    Modifiers,
    /// A variable that is declared, with its value.
    Declarator,
    /// The parameters of a function.
    Parameters,
    /// One parameter.
    Parameter,
    /// The arguments of a call.
    Arguments,
    /// An argument with its name.
    KeywordArgument,
    /// An identifier.
    Name,
    /// A name of a type.
    Type,
    /// `object.name`.
    MemberAccess,
    /// `object[index]`.
    Subscript,
    /// `first:last` in a subscript.
    Slice,
    /// A call.
    Call,
    /// An object creation.
    ObjectCreation,
    /// Two operands and an operator.
    BinaryOperation,
    /// A type test.
    TypeTest,
    /// An operator and one operand.
    UnaryOperation,
    /// `i++`.
    Update,
    /// `a = b`.
    Assign,
    /// `a += b`, in a kind of its own.
    AugmentedAssign,
    /// `(T) a`.
    Cast,
    /// A choice between two values.
    Ternary,
    /// Brackets around an expression.
    Parenthesized,
    /// A whole number.
    IntegerLiteral,
    /// A number with a fraction.
    FloatLiteral,
    /// A string literal.
    StringLiteral,
    /// A single character.
    CharLiteral,
    /// A boolean literal.
    BooleanLiteral,
    /// The null literal.
    NullLiteral,
    /// The object itself.
    This,
    /// A condition of a comprehension.
    ComprehensionFilter,
    /// A list, dictionary, comprehension or the like.
    Collection,
    /// A comment.
    Comment,
}

impl NodeRole {
    /// Is true if a node of this role can stand in a block.
    pub(crate) fn is_statement(self) -> bool {
        matches!(
            self,
            Self::ExpressionStatement
                | Self::Declaration
                | Self::Field
                | Self::Return
                | Self::Throw
                | Self::Jump
                | Self::If
                | Self::While
                | Self::ForEach
                | Self::Statement
        )
    }

    /// Is true if a node of this role has a value.
    pub(crate) fn is_expression(self) -> bool {
        self.is_literal()
            || matches!(
                self,
                Self::Name
                    | Self::MemberAccess
                    | Self::Subscript
                    | Self::Call
                    | Self::ObjectCreation
                    | Self::BinaryOperation
                    | Self::TypeTest
                    | Self::UnaryOperation
                    | Self::Update
                    | Self::Assign
                    | Self::Cast
                    | Self::Ternary
                    | Self::Parenthesized
                    | Self::This
                    | Self::Collection
                    | Self::Lambda
            )
    }

    /// Is true for loops.
    pub(crate) fn is_loop(self) -> bool {
        matches!(self, Self::While | Self::ForEach)
    }

    /// Is true if nothing behind a statement of this role is reached.
    pub(crate) fn ends_flow(self) -> bool {
        matches!(self, Self::Return | Self::Throw | Self::Jump)
    }

    /// Is true if a node of this role is written out in the code.
    pub(crate) fn is_literal(self) -> bool {
        matches!(
            self,
            Self::IntegerLiteral
                | Self::FloatLiteral
                | Self::StringLiteral
                | Self::CharLiteral
                | Self::BooleanLiteral
                | Self::NullLiteral
        )
    }
}

/// The keywords of a language, and templates of what is written with them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Keywords {
    /// Joins two conditions that must both hold.
    pub and: &'static str,
    /// Joins two conditions of which one must hold.
    pub or: &'static str,
    /// Negates what follows it.
    pub not: &'static str,
    /// The null literal.
    pub null: &'static str,
    /// True and false.
    pub booleans: [&'static str; 2],
    /// Ends a statement.
    pub terminator: &'static str,
    /// The prefix of the name of a field of the object itself.
    pub self_prefix: &'static str,
    /// A statement that does nothing, where one must stand.
    pub no_op: Option<&'static str>,
    /// Begins a block after a condition, and ends it.
    pub block: [&'static str; 2],
    /// The comparisons with no object: equal, different.
    pub null_tests: [&'static str; 2],
    /// A choice between two values, of `{c}`, `{a}` and `{b}`.
    pub ternary: &'static str,
    /// Tests that `{x}` is in `{c}`, and that it is not.
    pub membership: [&'static str; 2],
    /// A type test of `{x}` and `{t}`.
    pub type_test: &'static str,
}

/// A way to write what a value is asked for, by the kind of value it is for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Idiom {
    /// Types that it is for, or the name of one of the [`Grammar::type_groups`]; with none, any.
    #[serde(default)]
    pub types: Vec<&'static str>,
    /// The text, with `{x}` in the place of the value.
    pub text: &'static str,
    /// Its likelihood compared with others.
    pub share: f64,
}

/// Texts as they are written, each with those that may be meant instead, the likeliest first.
pub(crate) type Replacements = BTreeMap<&'static str, Vec<&'static str>>;

/// The texts that may be meant by a text.
pub(crate) fn replacements<'g>(table: &'g Replacements, text: &str) -> &'g [&'static str] {
    table.get(text).map_or(&[], Vec::as_slice)
}

/// A language as the generators see it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Grammar {
    /// Its name.
    pub name: &'static str,
    /// Roles and their node kinds.
    pub kinds: BTreeMap<NodeRole, Vec<&'static str>>,
    /// Its keywords and templates.
    pub keywords: Keywords,
    /// Is true if variables have declared types, as in Java.
    pub statically_typed: bool,
    /// Names of types in declarations and what they are a kind of, where values have other names for it.
    #[serde(default)]
    pub type_names: BTreeMap<&'static str, &'static str>,
    /// Operators of two operands and what they are mistaken for.
    pub confusions: Replacements,
    /// Names of functions that are mistaken for each other.
    pub confusable_functions: Vec<Vec<&'static str>>,
    /// The length of something.
    pub lengths: Vec<Idiom>,
    /// Operations that are mistaken for others of a different form: an operator, `[]`, or `name/arguments`, with a dot in front
    /// if there is a receiver; and the others with `{a}`, `{b}` and `{c}` for the parts from left to right.
    pub forms: Replacements,
    /// Parts of the sequence `{x}`, with `{n}` for a position, and how likely.
    pub parts: Vec<(&'static str, f64)>,
    /// The larger and the smaller of `{a}` and `{b}`.
    pub min_max: [&'static str; 2],
    /// Copies of a collection.
    pub copies: Vec<Idiom>,
    /// Calls that a value is wrapped in.
    pub wraps: Vec<Idiom>,
    /// Tests that something is worth working with.
    pub presence_idioms: Vec<Idiom>,
    /// Tests that there is nothing to work with: what a function returns early at.
    pub absence_idioms: Vec<Idiom>,
    /// Types that are changed for another: from, to.
    pub types: Replacements,
    /// Exceptions that are confused with each other.
    pub exceptions: Vec<Vec<&'static str>>,
    /// Values that a function returns early.
    pub default_returns: Vec<Idiom>,
    /// Modifiers that are added or changed: from (empty for none), to.
    #[serde(default)]
    pub modifiers: Replacements,
    /// Names for types that several idioms are for.
    #[serde(default)]
    pub type_groups: BTreeMap<&'static str, Vec<&'static str>>,
    /// The roles by numeric kind.
    #[serde(skip)]
    pub roles: OnceLock<Vec<NodeRole>>,
}

static GRAMMARS: LazyLock<[Grammar; 2]> = LazyLock::new(|| {
    [include_str!("../grammars/java.toml"), include_str!("../grammars/python.toml")].map(Grammar::read)
});

impl Grammar {
    #[expect(clippy::expect_used, reason = "the files are part of the program and the tests load them")]
    fn read(toml: &'static str) -> Self {
        let mut grammar: Self = toml::from_str(toml).expect("the embedded grammars are valid");
        let lists = [
            &mut grammar.lengths,
            &mut grammar.copies,
            &mut grammar.wraps,
            &mut grammar.presence_idioms,
            &mut grammar.absence_idioms,
            &mut grammar.default_returns,
        ];
        for idiom in lists.into_iter().flatten() {
            if let [name] = idiom.types[..]
                && let Some(types) = grammar.type_groups.get(name)
            {
                idiom.types.clone_from(types);
            }
        }
        grammar
    }

    /// The name of the object itself.
    pub(crate) fn self_name(&self) -> &'static str {
        self.keywords.self_prefix.trim_end_matches('.')
    }

    /// The grammar of a language, if fixes can be generated for it.
    pub(crate) fn of(language: Language) -> Option<&'static Self> {
        GRAMMARS.iter().find(|grammar| grammar.name == language.name())
    }

    /// The role of a node.
    pub(crate) fn role(&self, node: Node) -> NodeRole {
        if !node.is_named() || node.is_error() || node.is_missing() {
            return NodeRole::Other;
        }
        let roles = self.roles.get_or_init(|| {
            let language = node.language();
            let count = u16::try_from(language.node_kind_count()).unwrap_or(u16::MAX);
            let role = |id: u16| {
                let kind = language.node_kind_for_id(id).filter(|_| language.node_kind_is_named(id));
                let known = kind.and_then(|kind| self.kinds.iter().find(|(_, kinds)| kinds.contains(&kind)));
                known.map_or(NodeRole::Other, |(role, _)| *role)
            };
            (0..count).map(role).collect()
        });
        roles.get(usize::from(node.kind_id())).copied().unwrap_or(NodeRole::Other)
    }

    /// Is true if a node is a statement of a block, and not a part of the head of a loop.
    pub(crate) fn is_statement(&self, node: Node) -> bool {
        self.role(node).is_statement()
            && node.parent().is_none_or(|parent| match self.role(parent) {
                NodeRole::While | NodeRole::ForEach => parent.child_by_field_name("body") == Some(node),
                _ => true,
            })
    }

    /// The operators that may be meant by an operator.
    pub(crate) fn confused(&self, operator: &str) -> &[&'static str] {
        replacements(&self.confusions, operator)
    }

    /// A choice between two values.
    pub(crate) fn ternary(&self, condition: &str, yes: &str, no: &str) -> String {
        self.keywords.ternary.replace("{c}", condition).replace("{a}", yes).replace("{b}", no)
    }

    /// A test that a value is, or is not, no object.
    pub(crate) fn null_test(&self, value: &str, equal: bool) -> String {
        let [same, different] = self.keywords.null_tests;
        format!("{value} {} {}", if equal { same } else { different }, self.keywords.null)
    }
}
