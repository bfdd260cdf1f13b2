//! The languages that can be read: one entry each, in a file of `syntax/languages/`.
//!
//! An entry is data: file extensions, the grammar, which node kinds of that grammar play which role, and what people call things. The
//! code that reads a tree ([`crate::outline()`], [`crate::calls_in`], …) knows roles only. `build.rs` gathers the files; CONTRIBUTING.md
//! says what another language takes.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{LazyLock, OnceLock};

use patchwright_folder::{WorkFlag, checkpoint};
use regex::Regex;
use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize};
use tree_sitter::{ParseOptions, ParseState, Parser, Tree};

use crate::ProjectPath;
use crate::outline::{ClassKind, Method};
pub use bindings::{
    BindingRules, ComparisonRules, FunctionEffects, ModuleNames, NodeShape, OperatorRole, Tells,
};

mod bindings;

/// A programming language of the table; cheap to copy and compare.
#[derive(Copy, Clone)]
pub struct Language(&'static LanguageEntry);

/// The part that a node kind plays in an outline.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SyntaxRole {
    /// Nothing of interest; its children are still visited.
    Other,
    /// Declares a named class.
    Class(ClassKind),
    /// Declares a nameless class if it has a body, named after the child in this field.
    ClassIfBody(&'static str),
    /// Declares a method; which kind follows from where it stands.
    Method,
    /// Declares a constructor.
    Constructor,
    /// An initialiser block when it stands directly in a class body.
    Initializer,
    /// Declares variables; the names are in this field. Counts outside of methods only.
    Field(&'static str),
    /// Gives what stands in the first field to what stands in the second: a method where that is a function
    /// ([`LanguageEntry::functions`]), else a field where the first is a plain name.
    Bound(&'static str, &'static str),
    /// A call, which declares a test or a group of tests where it is one of [`TestRules::titled`].
    Titled,
    /// An enum constant: a field, and a nameless class too if it has a body.
    Constant,
    /// Stands around a declaration and belongs to it (Python's decorated definition).
    Wrapper,
    /// An annotation or decorator.
    Decoration,
    /// A comment.
    Comment,
    /// A text literal, which may hold lines that look like code.
    Text,
    /// The body of a class.
    Body,
    /// Names the package that the file belongs to.
    Package,
    /// An import.
    Import,
    /// A piece of a tree that the parser could not make sense of.
    Damage,
}

/// The part that a node kind plays among statements.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StatementRole {
    /// Only introduces others or names something.
    Header,
    /// Decides what runs next.
    Branch,
    /// Leaves what is around it.
    Return,
    /// Runs.
    Plain,
    /// Runs when a variable in it is given a value.
    IfValued,
}

/// The fields of a node kind that is a call.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallRule {
    /// The node kind.
    pub node: &'static str,
    /// Field with what is called.
    pub callee: &'static str,
    /// Field with what it is called on, if the grammar has one.
    pub receiver: Option<&'static str>,
    /// Field with the arguments.
    pub arguments: &'static str,
    /// A node kind that stands in this field in place of a list, being the only argument.
    pub sole_argument: Option<&'static str>,
}

/// The node kind and fields of `object.name` where the callee of a call is one such node.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemberRule {
    /// The node kind.
    pub node: &'static str,
    /// Field with the left-hand side.
    pub object: &'static str,
    /// Field with the name.
    pub name: &'static str,
}

/// The functions by whose calls tests are declared that have a title in place of a name: `it('adds', () => …)`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub struct TitledRules {
    /// Those that declare a test.
    pub tests: Vec<&'static str>,
    /// Those that declare a group of tests.
    pub groups: Vec<&'static str>,
}

/// The conventions by which test frameworks of a language mark what runs around a test.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TestRules {
    /// Annotations or decorators (last part of the name) of methods that run around each test or class.
    #[serde(default)]
    pub setup_decorations: Vec<&'static str>,
    /// Names of methods and functions that run around tests by convention.
    pub setup_names: Vec<&'static str>,
    /// Decorations (last part of the name) that mark a test, to tell it from an overload.
    #[serde(default)]
    pub test_decorations: Vec<&'static str>,
    /// Decoration of functions whose name, given as a parameter of a test, calls for them.
    pub fixture_decoration: Option<&'static str>,
    /// File name that shares fixtures with its folder and all below.
    pub shared_fixtures: Option<&'static str>,
    /// Tests that are declared by calls.
    #[serde(default)]
    pub titled: TitledRules,
    /// Prefix of the names of functions and methods that are tests, where names tell them.
    pub method_prefix: Option<&'static str>,
    /// Is true if tests are named by their class and its package, each class in a file of its name; else by their file.
    #[serde(default)]
    pub by_class: bool,
    /// Regular expression for the names of files that test tools take for tests.
    pub runnable: &'static str,
    /// The usual name of a file of tests, with `{}` in the place of what it is about.
    pub new_file: &'static str,
    /// Names of files that lie among tests and hold none.
    #[serde(default)]
    pub helpers: Vec<&'static str>,
    /// Names of errors with which a test ends that does not get as far as the code under test.
    pub early_errors: Vec<&'static str>,
    /// Names of what code raises to end its program or thread. In a test that raises it itself it tells of nothing.
    #[serde(default)]
    pub endings: Vec<&'static str>,
    /// Names by which a method calls its own object or class: no receiver at all counts too.
    pub own_receivers: Vec<&'static str>,
    /// Prefixes of the names of test files.
    pub file_prefixes: Vec<&'static str>,
    /// Suffixes of them, without the extension.
    pub file_suffixes: Vec<&'static str>,
    /// Whole names of test files.
    #[serde(default)]
    pub file_names: Vec<&'static str>,
}

impl TestRules {
    /// Is true if test tools run a function or method.
    pub fn is_test(&self, method: &Method) -> bool {
        let is_marked = |decoration: &String| {
            let name = decoration.split('(').next().unwrap_or_default();
            self.test_decorations.iter().any(|known| name == *known || name.ends_with(&format!(".{known}")))
        };
        self.method_prefix.is_some_and(|prefix| method.name.starts_with(prefix))
            || method.decorations.iter().any(is_marked)
    }

    /// The usual name of a file of tests about something.
    pub fn file_about(&self, what: &str) -> String {
        self.new_file.replace("{}", what)
    }
}

/// The lines of the stack traces of a language.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceRules {
    /// Regular expression for a line that names a place, with the groups `path` and `line`. The nearest comes first.
    pub frame: &'static str,
}

/// One language: everything that differs between languages and is not code.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LanguageEntry {
    /// Name as the user writes it, lower case.
    pub name: &'static str,
    /// Name as people write it.
    pub title: &'static str,
    /// File extensions without the dot; the first is the usual one.
    pub extensions: Vec<&'static str>,
    /// Ends of the names of files that only declare what is written elsewhere.
    #[serde(default)]
    pub stubs: Vec<&'static str>,
    /// The tree-sitter grammar; in the file, the path of the constant in its crate.
    #[serde(deserialize_with = "grammar_of_name")]
    pub grammar: fn() -> tree_sitter::Language,
    /// Node kinds and their roles.
    pub roles: BTreeMap<&'static str, SyntaxRole>,
    /// Field with the body of a class or method.
    pub body: &'static str,
    /// The node kind of statements that stand together.
    pub block: &'static str,
    /// Child kinds of a class that name what it extends or implements.
    pub supers: Vec<&'static str>,
    /// Words that stand before the names in it.
    #[serde(default)]
    pub super_words: Vec<&'static str>,
    /// Field with the parameters of a method.
    pub parameters: &'static str,
    /// Node kinds that are a plain name.
    pub names: Vec<&'static str>,
    /// Node kinds of functions that are values, and have a name by what they are given to.
    #[serde(default)]
    pub functions: Vec<&'static str>,
    /// Method names that mean a constructor.
    #[serde(default)]
    pub constructor_names: Vec<&'static str>,
    /// Patterns of lines that declare something, with a group `name`: for reading code that is not, or cannot be, parsed.
    pub declaration_lines: Vec<(&'static str, SyntaxRole)>,
    /// Words that begin such a line without declaring anything.
    #[serde(default)]
    pub statement_words: Vec<&'static str>,
    /// Is true if the line that ends a block is indented like the line that opens it (`}`).
    pub closing_line: Option<&'static str>,
    /// Is true if a comment must be indented like the declaration below it to belong to it.
    #[serde(default)]
    pub comments_share_indentation: bool,
    /// Is true if indentation forms the blocks.
    #[serde(default)]
    pub indented: bool,
    /// Where the language lets statements stand that its grammar takes anywhere.
    #[serde(default)]
    pub placements: Vec<PlacementRule>,
    /// The start of a comment that goes on to the end of the line.
    pub line_comment: &'static str,
    /// Is true if a statement that is only a string is documentation.
    #[serde(default)]
    pub docstrings: bool,
    /// Bytes of a line, on average, from which on a file is minified and no source; none where long lines are data.
    pub minified_line: Option<usize>,
    /// Words that look like the name of a call in front of a bracket, in code that does not parse.
    pub keywords: Vec<&'static str>,
    /// Node kinds of calls.
    pub calls: Vec<CallRule>,
    /// Member access in the callee of a call.
    pub member: Option<MemberRule>,
    /// See [`Self::frames`].
    frames: Vec<(String, String)>,
    /// File name (without extension) that stands for its folder in dotted names.
    pub folder_module: Option<&'static str>,
    /// Node kinds of statements, and what they do.
    pub statements: BTreeMap<&'static str, StatementRole>,
    /// The name that a program of its own gets which is written to show a bug.
    pub script: &'static str,
    /// Stack traces, where each line of one tells a place by itself.
    pub trace: Option<TraceRules>,
    /// Conventions of tests.
    pub tests: TestRules,
    /// How names are bound.
    #[serde(default)]
    pub bindings: BindingRules,
    /// Signs that a change tampers with tests.
    #[serde(default)]
    pub tampering: TamperingRules,
    /// The roles by numeric kind, worked out on first use.
    #[serde(skip)]
    pub kinds: OnceLock<Kinds>,
}

impl LanguageEntry {
    /// Texts to put before and after a fragment so that it parses; the first are empty, for what parses by itself.
    pub fn frames(&self) -> impl Iterator<Item = (&str, &str)> {
        let frames = self.frames.iter().map(|(before, after)| (before.as_str(), after.as_str()));
        std::iter::once(("", "")).chain(frames)
    }
}

fn grammar_of_name<'de, D>(deserializer: D) -> Result<Grammar, D::Error>
where
    D: Deserializer<'de>,
{
    let name = <&str>::deserialize(deserializer)?;
    let found = GRAMMARS.iter().find(|(known, _)| *known == name);
    found.map(|(_, grammar)| *grammar).ok_or_else(|| D::Error::custom(format!("no grammar `{name}`")))
}

/// Tables that are worked out from an entry once: the roles by numeric node kind, and patterns ready to be tried.
pub struct Kinds {
    /// See [`LanguageEntry::declaration_lines`].
    pub declaration_lines: Vec<(Regex, SyntaxRole)>,
    roles: Vec<SyntaxRole>,
    calls: Vec<Option<&'static CallRule>>,
    names: Vec<bool>,
}

impl Kinds {
    fn of(entry: &'static LanguageEntry) -> Self {
        let grammar = (entry.grammar)();
        let count = grammar.node_kind_count();
        let compiled = |(text, role): &(&str, SyntaxRole)| Some((Regex::new(text).ok()?, *role));
        let declaration_lines = entry.declaration_lines.iter().filter_map(compiled).collect();
        let mut kinds = Self { declaration_lines, roles: Vec::new(), calls: Vec::new(), names: Vec::new() };
        for id in 0..count {
            // Anonymous tokens may be spelled like a named kind (`class`), so only named kinds play a role.
            let id = u16::try_from(id).unwrap_or(u16::MAX);
            let kind = if grammar.node_kind_is_named(id) { grammar.node_kind_for_id(id) } else { None };
            let role = kind.and_then(|kind| entry.roles.get(kind));
            kinds.roles.push(role.copied().unwrap_or(SyntaxRole::Other));
            kinds.calls.push(kind.and_then(|kind| entry.calls.iter().find(|rule| rule.node == kind)));
            kinds.names.push(kind.is_some_and(|kind| entry.names.contains(&kind)));
        }
        kinds
    }

    /// The role of a node in an outline.
    pub fn role(&self, node: tree_sitter::Node) -> SyntaxRole {
        if node.is_error() {
            return SyntaxRole::Damage;
        }
        self.roles.get(usize::from(node.kind_id())).copied().unwrap_or(SyntaxRole::Other)
    }

    /// The rule by which a node is a call, if it is one.
    pub fn call(&self, node: tree_sitter::Node) -> Option<&'static CallRule> {
        self.calls.get(usize::from(node.kind_id())).copied().flatten()
    }

    /// Is true if a node is a plain name.
    pub fn is_name(&self, node: tree_sitter::Node) -> bool {
        self.names.get(usize::from(node.kind_id())).copied().unwrap_or(false)
    }
}

/// Nodes in one another of a tree that is looked at. Compilers give up long before, and asking each node what stands around it takes the
/// square of it.
pub const DEEPEST: usize = 50_000;

/// Whether more than `most` nodes of a tree stand in one another.
fn is_deeper(tree: &Tree, most: usize) -> bool {
    let mut depth = 0;
    let mut cursor = tree.walk();
    loop {
        checkpoint();
        if depth > most {
            return true;
        }
        if cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return false;
            }
            depth -= 1;
        }
    }
}

/// Gives a grammar.
type Grammar = fn() -> tree_sitter::Language;

include!(concat!(env!("OUT_DIR"), "/languages.rs"));

static ENTRIES: LazyLock<Vec<LanguageEntry>> = LazyLock::new(|| FILES.iter().copied().map(read).collect());

#[expect(clippy::expect_used, reason = "the files are part of the program and the tests load them")]
fn read(toml: &'static str) -> LanguageEntry {
    toml::from_str(toml).expect("the embedded languages are valid")
}

impl Language {
    /// All languages of the table, in a fixed order.
    pub fn all() -> impl Iterator<Item = Self> {
        ENTRIES.iter().map(Self)
    }

    /// The language of a file, by its extension.
    pub fn of_path(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        Self::all().find(|language| language.0.extensions.contains(&extension.as_str()))
    }

    /// The path by which code imports a file: without extension, and that of the folder for a file that stands for its folder.
    pub fn module_of(self, path: &ProjectPath) -> &str {
        let whole = path.without_extension();
        let folder = self.0.folder_module.and_then(|name| whole.strip_suffix(name));
        let folder = folder.filter(|folder| folder.is_empty() || folder.ends_with('/'));
        folder.map_or(whole, |folder| folder.trim_end_matches('/'))
    }

    /// Is true if a file only declares what is written elsewhere (`.pyi`, `.d.ts`).
    pub fn is_stub(self, path: &ProjectPath) -> bool {
        self.0.stubs.iter().any(|end| path.as_str().ends_with(end))
    }

    /// The language of this name, in any case.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::all().find(|language| language.0.name.eq_ignore_ascii_case(name.trim()))
    }

    /// The name as people write it: `Java`, `JavaScript`.
    pub fn title(self) -> &'static str {
        self.0.title
    }

    /// The name, in lower case: `java`, `python`.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// Parses text. `None` if more than [`DEEPEST`] nodes stand in one another, or the grammar does not fit the parser, which a test
    /// excludes. It ends early where the work is cancelled.
    pub fn parse(self, text: &str) -> Option<Tree> {
        self.parse_with(text, None)
    }

    /// Parses a text that came of another, whose tree has been told of the changes ([`Tree::edit`]): what did not change is not
    /// read again.
    pub fn parse_again(self, text: &str, before: &Tree) -> Option<Tree> {
        self.parse_with(text, Some(before))
    }

    fn parse_with(self, text: &str, before: Option<&Tree>) -> Option<Tree> {
        let mut parser = Parser::new();
        parser.set_language(&(self.0.grammar)()).ok()?;
        let flag = WorkFlag::current();
        let mut progress = |_: &ParseState| {
            if flag.is_set() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let options = ParseOptions::new().progress_callback(&mut progress);
        let mut rest = |at: usize, _| text.as_bytes().get(at..).unwrap_or_default();
        let tree = parser.parse_with_options(&mut rest, before, Some(options));
        checkpoint();
        tree.filter(|tree| text.len() <= DEEPEST || !is_deeper(tree, DEEPEST))
    }

    /// Its entry in the table.
    pub fn entry(self) -> &'static LanguageEntry {
        self.0
    }

    /// The kinds of nodes that its entry names, as numbers of its grammar.
    pub fn kinds(self) -> &'static Kinds {
        self.0.kinds.get_or_init(|| Kinds::of(self.0))
    }
}

impl PartialEq for Language {
    fn eq(&self, other: &Self) -> bool {
        self.0.name == other.0.name
    }
}

impl Eq for Language {}

impl fmt::Debug for Language {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl fmt::Display for Language {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.0.name)
    }
}

impl Serialize for Language {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.name)
    }
}

/// Where statements may stand.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlacementRule {
    /// Their node kinds.
    pub statements: Vec<&'static str>,
    /// The node kinds of which one must be around them.
    pub inside: Vec<&'static str>,
    /// Those beyond which it would be no help.
    #[serde(default)]
    pub ends: Vec<&'static str>,
    /// What is wrong where there is none.
    pub problem: &'static str,
}

/// Signs of tampering with the tests of a language: regular expressions, each with what the code does, half a sentence.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub struct TamperingRules {
    /// For single names, and for texts behind a quote (`"`); pieces of a text that the code joins are one text.
    pub words: Vec<(&'static str, &'static str)>,
    /// For dotted paths of what code mentions, with aliases resolved: `sys.exit`. A member of something unknown begins with `?`.
    pub mentions: Vec<(&'static str, &'static str)>,
    /// For the same paths, where the code runs as its file is loaded.
    pub loading: Vec<(&'static str, &'static str)>,
    /// Paths whose value tells what runs, where a text beside them names tests (no act: it is always the same).
    pub circumstances: Vec<&'static str>,
    /// Paths of others that any code may change.
    pub settable: Vec<&'static str>,
    /// The names of functions that tests or test tools call by themselves.
    pub called: Vec<&'static str>,
    /// The names of methods that say how values are compared.
    pub compares: Vec<&'static str>,
    /// The paths of functions that only look at what they are given.
    pub looking: Vec<&'static str>,
    /// Functions that the language gives to every module, which one of the same name would be taken for where a module is imported with all that
    /// it has.
    pub given: Vec<&'static str>,
    /// The names of functions that are a program by themselves.
    pub programs: Vec<&'static str>,
    /// The names of classes by which code asks for services; what it asks them for may be the project's own.
    pub services: Vec<&'static str>,
    /// The names of functions that answer for any member of an object.
    pub answering: Vec<&'static str>,
    /// Functions that take an object with such functions, and others of few parameters in their place.
    pub intercepting: Vec<&'static str>,
    /// Paths of members that old platforms lack and all of today have.
    pub polyfills: Vec<&'static str>,
    /// Modules by which tests judge: where modules are values like any, those alone are not handed on.
    pub judging: Vec<&'static str>,
    /// Node kinds that hand a value out, so that the file no longer tells what becomes of it.
    pub handing: Vec<&'static str>,
    /// For lines as they stand, comments too: ways to write code that is not seen to be some.
    pub lines: Vec<(&'static str, &'static str)>,
    /// For the paths of files.
    pub files: Vec<(&'static str, &'static str)>,
    /// The names of modules or classes of others, which one of the project would be taken for.
    pub shadowed: Vec<&'static str>,
    /// The folders in which a search for modules begins, besides the project's root.
    pub roots: Vec<&'static str>,
}

#[cfg(test)]
mod tests;
