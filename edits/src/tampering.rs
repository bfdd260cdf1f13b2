//! Signs that a change bends what judges it: it touches what tests are made of, ends the process that runs them, or takes the place of
//! a file that they load. Tests that such a change passes prove little; production code rarely has a reason for it.
//!
//! This reads what was added as the compiler does: without comments, blanks and names that are only defined, with pieces of strings put
//! together. Code that works out what it names is not found; see SECURITY.md.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::LazyLock;

use patchwright_syntax::{Language, ProjectPath, SyntaxRole, TamperingRules, line_number, line_operations};
use regex::{Regex, RegexSet};
use similar::DiffTag;
use tree_sitter::Node;

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

/// The rules of a language, compiled.
struct Rules {
    language: Language,
    code: Vec<(Regex, &'static str)>,
    lines: RegexSet,
    files: RegexSet,
}

static RULES: LazyLock<Vec<Rules>> = LazyLock::new(|| {
    let set =
        |table: &[(&str, &str)]| RegexSet::new(table.iter().map(|(pattern, _)| pattern)).unwrap_or_default();
    let of = |language: Language| {
        let TamperingRules { code, lines, files, .. } = &language.entry().tampering;
        let code =
            code.iter().filter_map(|(pattern, what)| Some((Regex::new(pattern).ok()?, *what))).collect();
        Rules { language, code, lines: set(lines), files: set(&[files, FILES].concat()) }
    };
    Language::all().map(of).collect()
});

impl Applied {
    /// The signs that this change tampers with the tests that judge it: one for a file or line at most.
    pub fn tampering(&self) -> Vec<TamperingSign> {
        self.files.iter().flat_map(signs_of).collect()
    }
}

fn signs_of(change: &FileChange) -> Vec<TamperingSign> {
    let Some(after) = &change.after else { return Vec::new() };
    let sign = |line, what| TamperingSign { path: change.path.clone(), line, what };
    let path = change.path.as_str();
    let by_path = RULES.iter().find_map(|rules| {
        let number = rules.files.matches(path).iter().next()?;
        rules.language.entry().tampering.files.iter().chain(FILES).nth(number)
    });
    if let Some((_, what)) = by_path {
        return vec![sign(None, what)];
    }
    if obeyed_by(&change.path).is_some() {
        return vec![sign(None, "is obeyed by tools of the developer without being asked")];
    }
    let language = Language::of_path(change.path.as_path());
    let Some(rules) = RULES.iter().find(|rules| Some(rules.language) == language) else { return Vec::new() };
    let entry = rules.language.entry();
    if change.before.is_none() && shadows(&entry.tampering, &change.path) {
        return vec![sign(None, "takes the place of a module of others")];
    }
    let lines = added(change.before.as_deref().unwrap_or_default(), after);
    let mut found = BTreeMap::new();
    for (number, line) in &lines {
        if let Some(rule) = rules.lines.matches(line).iter().next() {
            found.insert(*number, entry.tampering.lines[rule].1);
        }
    }
    let numbers = lines.iter().map(|(number, _)| *number).collect();
    let stream = Stream::of(rules.language, &String::from_utf8_lossy(after), &numbers);
    for (pattern, what) in &rules.code {
        for place in pattern.find_iter(&stream.text) {
            found.entry(stream.line(place.end())).or_insert(what);
        }
    }
    found.extend(
        stream.disguised.iter().map(|line| (*line, "spells a name in letters that stand for others")),
    );
    found.into_iter().map(|(line, what)| sign(Some(line), what)).collect()
}

/// New code as one text.
#[derive(Default)]
struct Stream {
    text: String,
    /// The line of each token, by where the token ends.
    ends: Vec<(usize, u32)>,
    /// Lines with names whose letters are taken for others.
    disguised: Vec<u32>,
    /// The end of a string that could go on in the next token.
    open: Option<usize>,
    in_string: bool,
}

impl Stream {
    /// The code in some lines of a file.
    fn of(language: Language, text: &str, lines: &BTreeSet<u32>) -> Self {
        let mut stream = Self::default();
        let Some(tree) = language.parse(text) else { return stream };
        // Each with the node above: a tree looks for that from its root.
        let mut open = vec![(tree.root_node(), None)];
        while let Some((node, above)) = open.pop() {
            let line = line_number(node.start_position().row);
            let last = line_number(node.end_position().row);
            if lines.range(line..=last).next().is_none() || is_silent(language, node, above) {
                continue;
            }
            let is_body =
                |above: Node<'_>| matches!(above.kind(), "module" | "block" | "program" | "class_body");
            if above.is_some_and(is_body) {
                stream.text.push(';');
                stream.open = None;
            }
            if node.child_count() == 0 {
                stream.push(text.get(node.byte_range()).unwrap_or_default(), line);
                if is_defined(node, above) {
                    // `def eval(` is no call.
                    stream.text.push(' ');
                }
            }
            let mut cursor = node.walk();
            let first = open.len();
            open.extend(node.children(&mut cursor).map(|child| (child, Some(node))));
            open[first..].reverse();
        }
        stream
    }

    fn push(&mut self, token: &str, line: u32) {
        let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
        let is_quote = token.ends_with(['"', '\''])
            && token.trim_end_matches(['"', '\'']).chars().all(|letter| letter.is_ascii_alphabetic())
            && token.len() <= 5;
        if is_quote && !self.in_string {
            // What is written in pieces is read as one.
            match self.open.take() {
                Some(end) => self.text.truncate(end),
                None => self.text.push('"'),
            }
        } else if is_quote {
            self.open = Some(self.text.len());
            self.text.push('"');
        } else {
            if !self.in_string && token != "+" {
                self.open = None;
                if token.chars().any(stands_for_another) {
                    self.disguised.push(line);
                }
            }
            if !self.in_string && self.text.ends_with(is_word) && token.starts_with(is_word) {
                self.text.push(' ');
            }
            self.text.push_str(token);
        }
        self.in_string ^= is_quote;
        self.ends.push((self.text.len(), line));
    }

    /// The line of the token that ends there or later.
    fn line(&self, end: usize) -> u32 {
        self.ends.iter().find(|(place, _)| *place >= end).map_or(1, |(_, line)| *line)
    }
}

/// Is true of comments and documentation, which do nothing.
fn is_silent(language: Language, node: Node<'_>, above: Option<Node<'_>>) -> bool {
    match language.entry().roles.get(node.kind()) {
        Some(SyntaxRole::Comment) => true,
        Some(SyntaxRole::Text) => {
            above.is_some_and(|above| above.kind() == "expression_statement" && above.child_count() == 1)
        }
        Some(_) | None => false,
    }
}

/// Is true if a node is the name of a function where it is defined.
fn is_defined(node: Node<'_>, above: Option<Node<'_>>) -> bool {
    above.is_some_and(|above| {
        matches!(above.kind(), "function_definition" | "method_declaration")
            && above.child_by_field_name("name") == Some(node)
    })
}

/// Is true if a letter is one of those that compilers take for another in a name: wide, mathematical, raised and joined ones.
fn stands_for_another(letter: char) -> bool {
    matches!(letter, '\u{aa}' | '\u{ba}' | '\u{17f}' | '\u{1d2c}'..='\u{1dbf}' | '\u{2070}'..='\u{209f}' | '\u{2100}'..='\u{214f}'
        | '\u{2460}'..='\u{24ff}' | '\u{fb00}'..='\u{fb06}' | '\u{ff00}'..='\u{ffef}' | '\u{1d400}'..='\u{1d7ff}')
}

/// Is true if a new file would be loaded in place of a module of that name: it lies where a search for modules begins.
fn shadows(rules: &TamperingRules, path: &ProjectPath) -> bool {
    let mut parts = path.without_extension().split('/').collect::<Vec<_>>();
    // A package's own file stands for its folder.
    if parts.len() > 1 && parts.last() == Some(&"__init__") {
        parts.pop();
    }
    let Some((name, folders)) = parts.split_last() else { return false };
    // A package is found before the file of that name.
    if parts.iter().any(|part| part.starts_with("test_") || part.ends_with("_test")) {
        return true;
    }
    rules.shadowed.contains(name) && folders.iter().all(|folder| rules.roots.contains(folder))
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

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    fn signs(path: &str, before: Option<&str>, after: &str) -> Vec<String> {
        let bytes = |text: &str| text.as_bytes().to_vec();
        let change = FileChange {
            path: ProjectPath::new(path).unwrap(),
            before: before.map(bytes),
            after: Some(bytes(after)),
        };
        let applied = Applied { files: vec![change], notes: Vec::new(), comment_only: false };
        applied.tampering().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn lines_that_bend_tests_are_found_where_they_are_new() {
        let check = |path: &str, line: &str, expect: bool| {
            let old = if path == "till/sum.py" { "one = 1\n" } else { "int one;\n" };
            let found = signs(path, Some(old), &format!("{old}{line}\n"));
            assert_eq!(!found.is_empty(), expect, "{line}: {found:?}");
            assert!(found.iter().all(|sign| sign.starts_with(&format!("{path}:2 "))), "{found:?}");
            assert!(
                signs(path, Some(&format!("{line}\n")), &format!("{line}\nx = 1\n")).is_empty(),
                "{line} is old"
            );
        };
        for line in [
            "import unittest; unittest.TestCase.run = print",
            "from _pytest import runner",
            "os._exit(0)",
            "    sys.exit()",
            "    raise SystemExit(0)",
            "atexit.register(forge)",
            "sys.modules['json'] = None",
            "path = os.environ['PATCHWRIGHT_RESULTS']",
            "for one in gc.get_objects():",
            "frame = sys._getframe(1)",
            "library = ctypes.CDLL(None)",
            "exec(text)",
            "builtins.AssertionError = Quiet",
            "open('/proc/self/fd/3', 'w')",
            "from sys import maxsize, modules",
            "import sys as system",
            "frame = problem.__traceback__.tb_frame.f_back",
            "walk = traceback.walk_stack(None)",
            "runpy.run_path('data.txt')",
            "case = pkgutil.resolve_name('unit' 'test:TestCase')",
            "case = load('unit' + 'test')",
            "import \u{ff55}nittest",
            "# -*- coding: utf-7 -*-",
            "os.execv('/bin/echo', ['echo', 'OK'])",
            "def pytest_pyfunc_call(item): return True",
            "x = gc.get_objects()",
            "def __eq__(self, other): return True",
        ] {
            check("till/sum.py", line, true);
        }
        for line in [
            "return one + other",
            "# unittest",
            "executed(text)",
            "exit_code = 1",
            "self.modules = {}",
            "import json",
            "from sys import maxsize",
            "def eval(self, names): pass",
            "\"\"\"Ends it; found by pytest.\"\"\"",
            "# -*- coding: utf-8 -*-",
            "größe = 1",
            "task.cancel() + 'ab'",
        ] {
            check("till/sum.py", line, false);
        }
        for line in [
            "System.exit(0);",
            "Runtime.getRuntime().halt(0);",
            "import org.junit.Assert;",
            "field.setAccessible(true);",
            "Runtime.getRuntime().addShutdownHook(hook);",
            "System.getenv(\"PATCHWRIGHT_OUT\");",
            "field.trySetAccessible();",
            "// see \\u000a System.out.println();",
            "final class Assert {}",
            "class Any { public boolean equals(Object other) { return true; } }",
            "Class.forName(\"org.ju\" + \"nit.Assert\");",
        ] {
            check("src/main/java/till/Sum.java", line, true);
        }
        for line in [
            "return one + other;",
            "// org.junit",
            "system.exit(0);",
            "int halt = 1;",
            "char bell = '\\u0007';",
        ] {
            check("src/main/java/till/Sum.java", line, false);
        }
    }

    #[test]
    fn code_is_read_over_the_ends_of_lines() {
        let old = "class Sum {\n    void f() {\n    }\n}\n";
        let new = "class Sum {\n    void f() {\n        Runtime\n            .getRuntime()\n            .halt(0);\n    }\n}\n";
        let found = signs("Sum.java", Some(old), new);
        assert_eq!(found.len(), 1, "{found:?}");
    }

    #[test]
    fn files_that_tests_load_are_found() {
        let check = |path: &str, before: Option<&str>, expect: bool| {
            let found = signs(path, before, "x\n");
            assert_eq!(!found.is_empty(), expect, "{path}: {found:?}");
        };
        for path in [
            "conftest.py",
            "till/conftest.py",
            "sitecustomize.py",
            "lib/x.pth",
            "pytest.ini",
            "setup.cfg",
            "build.xml",
        ] {
            check(path, None, true);
            check(path, Some("y\n"), true);
        }
        check("test_sum/__init__.py", None, true);
        check("till-1.0.dist-info/entry_points.txt", None, true);
        check("json.py", None, true);
        check("src/unittest/__init__.py", None, true);
        check("till/json.py", None, false);
        check("json.py", Some("the project's own\n"), false);
        check("src/main/java/org/junit/Assert.java", None, true);
        check("src/main/java/till/Junit.java", None, false);
        check("till/new.py", None, false);
    }
}
