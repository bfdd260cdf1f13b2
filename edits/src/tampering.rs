//! Signs that a change bends what judges it: it changes what the project does not define, touches what tests are made of, ends the
//! process that runs them, or takes the place of a file that they load. Tests that such a change passes prove little; production code
//! rarely has a reason for it.
//!
//! Code is read by its syntax: names are resolved within the file, through aliases, calls and collections, and the languages' entries
//! say which nodes bind and which paths judge. What code works out at run time is not found; see SECURITY.md.

mod calls;
mod comparing;
mod defined;
mod effects;
mod equality;
mod excused;
mod follow;
mod handed;
#[cfg(test)]
mod honest;
mod imports;
mod names;
mod origin;
mod project;
mod reader;
mod rules;
mod signs;
#[cfg(test)]
mod tests;
mod texts;
mod words;
mod worth;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::LazyLock;

use patchwright_syntax::{Language, ProjectPath, SyntaxRole, examples, line_operations, visit};
use similar::DiffTag;
use tree_sitter::Tree;

use self::names::Names;
use self::project::Modules;
pub use self::project::ProjectContents;
use self::reader::Found;
use self::rules::Rules;
use crate::applied::{Applied, FileChange};
use crate::diff::lines_of;
use crate::obeyed::obeyed_by;

/// A sign of tampering with tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TamperingSign {
    /// The file.
    pub path: ProjectPath,
    /// The number of the line after the change; none where the file itself is the sign.
    pub line: Option<u32>,
    /// The act, half a sentence: "ends the process".
    pub what: &'static str,
}

impl fmt::Display for TamperingSign {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(formatter, "{}:{line} {}", self.path, self.what),
            None => write!(formatter, "{} {}", self.path, self.what),
        }
    }
}

/// The signs that a file of any language gives by its path.
const FILES: &[(&str, &str)] = &[
    (r"(^|/)[Pp]atchwright[^/]*$", "is named like a tool of ours"),
    (r"\.(class|jar|pyc|so)$", "is compiled code"),
];

/// The act of a change to what doctest runs, and the endings of files that only document, in which it finds examples too.
const EXAMPLE: &str = "changes an example of its documentation, which may be a test";
const DOCUMENTATION: [&str; 3] = [".rst", ".md", ".txt"];

static RULES: LazyLock<Vec<Rules>> =
    LazyLock::new(|| Language::all().map(|language| Rules::of(language, FILES)).collect());

impl Applied {
    /// The signs that this change tampers with the tests that judge it: one for a file or line at most. What of the code is the
    /// project's own is told by what lay in it before.
    pub fn tampering(&self, project: &dyn ProjectContents) -> Vec<TamperingSign> {
        self.files.iter().flat_map(|change| signs_of(change, project)).collect()
    }
}

fn signs_of(change: &FileChange, project: &dyn ProjectContents) -> Vec<TamperingSign> {
    let Some(after) = &change.after else { return Vec::new() };
    let path = &change.path;
    let sign = |line, what| TamperingSign { path: path.clone(), line, what };
    if let Some(what) = RULES.iter().find_map(|rules| rules.files.act(path.as_str())) {
        return vec![sign(None, what)];
    }
    if obeyed_by(path).is_some() {
        return vec![sign(None, "is obeyed by tools of the developer without being asked")];
    }
    let language = Language::of_path(path.as_path());
    let [before, text] = [change.before.as_deref().unwrap_or_default(), after].map(String::from_utf8_lossy);
    let example = lost_example(&before, &text, path);
    let Some(rules) = RULES.iter().find(|rules| Some(rules.language) == language) else {
        return example.map(|line| sign(Some(line), EXAMPLE)).into_iter().collect();
    };
    let (Some(old), Some(new)) = (rules.language.parse(&before), rules.language.parse(&text)) else {
        return Vec::new();
    };
    let package = package_of(rules.language, &text, &new);
    let is_moved = change.before.is_none() || package != package_of(rules.language, &before, &old);
    if is_moved && Modules::new(rules.language, path, project).is_taken_for_another(package) {
        return vec![sign(None, "takes the place of a module of others")];
    }
    let mut found = BTreeMap::new();
    found.extend(example.map(|line| (line, EXAMPLE)));
    let lines = added(before.as_bytes(), text.as_bytes());
    for (number, line) in &lines {
        rules.lines.act(line).into_iter().for_each(|what| {
            found.insert(*number, what);
        });
    }
    let numbers: BTreeSet<u32> = lines.into_iter().map(|(number, _)| number).collect();
    let is = read(rules, path, &text, &new, project);
    // Most code gives no sign; only where it does is it asked what stood there before, which counts where the change gives it another
    // meaning: an alias of something else.
    let was = if is.is_empty() { Vec::new() } else { read(rules, path, &before, &old, project) };
    let known: BTreeSet<_> = was.iter().map(|sign| (sign.act, &sign.code)).collect();
    for code in is {
        let is_new = !known.contains(&(code.act, &code.code));
        let line = numbers.range(code.lines.clone()).next();
        let line = if code.is_definition {
            line.filter(|_| is_new)
        } else {
            line.or(is_new.then_some(code.lines.start()))
        };
        if let Some(line) = line {
            found.entry(*line).or_insert(code.act);
        }
    }
    found.into_iter().map(|(line, what)| sign(Some(line), what)).collect()
}

/// The signs in all of a file.
fn read<'t>(
    rules: &Rules,
    path: &'t ProjectPath,
    text: &'t str,
    tree: &'t Tree,
    project: &'t dyn ProjectContents,
) -> Vec<Found<'t>> {
    let names = Names::of(rules.language, path, text, tree, project);
    signs::signs(&names, rules, tree.root_node())
}

/// The package that a file says it belongs to.
fn package_of<'t>(language: Language, text: &'t str, tree: &Tree) -> Option<&'t str> {
    let mut package = None;
    visit(tree.root_node(), |node| {
        let role = language.entry().roles.get(node.kind());
        if role == Some(&SyntaxRole::Package) {
            let mut cursor = node.walk();
            let name = node.named_children(&mut cursor).last();
            package = name.and_then(|name| text.get(name.byte_range()));
        }
        node.parent().is_none()
    });
    package
}

/// The line of an example in the documentation that is there no more, or near it.
fn lost_example(before: &str, after: &str, path: &ProjectPath) -> Option<u32> {
    let is_documentation = DOCUMENTATION.iter().any(|ending| path.as_str().ends_with(ending));
    let documented = || Language::all().find(|language| is_documentation && language.entry().docstrings);
    let language = Language::of_path(path.as_path()).or_else(documented);
    let [old, new] = [before, after].map(|text| examples(language, text.as_bytes()));
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let is_lost = |tag: DiffTag| matches!(tag, DiffTag::Delete | DiffTag::Replace);
    let is_lost = line_operations(&old, &new).into_iter().any(|operation| is_lost(operation.tag()));
    is_lost.then(|| added(before.as_bytes(), after.as_bytes()).first().map_or(1, |(line, _)| *line))
}

/// The lines that are new, each with its number.
fn added(before: &[u8], after: &[u8]) -> Vec<(u32, String)> {
    let (old, new) = (lines_of(before), lines_of(after));
    let operations = line_operations(&old, &new).into_iter();
    let numbers = operations
        .filter(|operation| matches!(operation.tag(), DiffTag::Insert | DiffTag::Replace))
        .map(|operation| operation.new_range());
    let line = |index: usize| {
        Some((u32::try_from(index + 1).ok()?, String::from_utf8_lossy(new.get(index)?).into_owned()))
    };
    numbers.flatten().filter_map(line).collect()
}
