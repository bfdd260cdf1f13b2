//! Signs that a change bends what judges it: it touches what tests are made of, ends the process that runs them, or takes the place of
//! a file that they load. Tests that such a change passes prove little; production code rarely has a reason for it.
//!
//! This reads what was added, as a person would. Code that hides what it does is not found; see SECURITY.md.

use std::fmt;
use std::sync::LazyLock;

use regex::RegexSet;
use similar::{Algorithm, DiffTag, capture_diff_slices};

use crate::applied::{Applied, FileChange};
use crate::diff::lines_of;
use crate::language::Language;
use crate::path::ProjectPath;

/// How tests of a language are bent.
#[derive(Debug)]
pub(crate) struct TamperingRules {
    /// What lines say, as regular expressions, and what that does, half a sentence.
    pub(crate) lines: &'static [(&'static str, &'static str)],
    /// The paths of files, as regular expressions, and what they do.
    pub(crate) files: &'static [(&'static str, &'static str)],
    /// The names of modules of others, which one of the project would be taken for where a search for modules begins.
    pub(crate) shadowed: &'static [&'static str],
    /// The folders in which one begins, besides the project's root.
    pub(crate) roots: &'static [&'static str],
}

/// A sign of tampering with tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TamperingSign {
    /// The file.
    pub path: ProjectPath,
    /// The number of the line after the change; none where the file itself is the sign.
    pub line: Option<u32>,
    /// What is done there, half a sentence: "ends the process".
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

/// What a file of any language does, by its path.
const FILES: &[(&str, &str)] = &[
    (r"(^|/)[Pp]atchwright[^/]*$", "is named like a tool of ours"),
    (r"\.(class|jar|pyc|so)$", "is compiled code"),
];

/// The rules of a language, compiled.
struct Rules {
    language: Language,
    lines: RegexSet,
    files: RegexSet,
}

static RULES: LazyLock<Vec<Rules>> = LazyLock::new(|| {
    let set =
        |table: &[(&str, &str)]| RegexSet::new(table.iter().map(|(pattern, _)| pattern)).unwrap_or_default();
    let of = |language: Language| {
        let TamperingRules { lines, files, .. } = language.entry().tampering;
        Rules { language, lines: set(lines), files: set(&[files, FILES].concat()) }
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
    let language = Language::of_path(change.path.as_path());
    let Some(rules) = RULES.iter().find(|rules| Some(rules.language) == language) else { return Vec::new() };
    let entry = rules.language.entry();
    if change.before.is_none() && shadows(entry.tampering, &change.path) {
        return vec![sign(None, "takes the place of a module of others")];
    }
    let is_code = |line: &&(u32, String)| !line.1.trim_start().starts_with(entry.line_comment);
    let said = |(number, line): &(u32, String)| {
        let (_, what) = entry.tampering.lines.get(rules.lines.matches(line).iter().next()?)?;
        Some(sign(Some(*number), what))
    };
    added(change.before.as_deref().unwrap_or_default(), after)
        .iter()
        .filter(is_code)
        .filter_map(said)
        .collect()
}

/// Whether a new file would be loaded in place of a module of that name: it lies where a search for modules begins.
fn shadows(rules: &TamperingRules, path: &ProjectPath) -> bool {
    let mut parts = path.without_extension().split('/').collect::<Vec<_>>();
    // A package's own file stands for its folder.
    if parts.len() > 1 && parts.last() == Some(&"__init__") {
        parts.pop();
    }
    let Some((name, folders)) = parts.split_last() else { return false };
    rules.shadowed.contains(name) && folders.iter().all(|folder| rules.roots.contains(folder))
}

/// The lines that are new, each with its number.
fn added(before: &[u8], after: &[u8]) -> Vec<(u32, String)> {
    let (old, new) = (lines_of(before), lines_of(after));
    let operations = capture_diff_slices(Algorithm::Myers, &old, &new).into_iter();
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
            let old = "one\n";
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
        ] {
            check("src/main/java/till/Sum.java", line, true);
        }
        for line in ["return one + other;", "// org.junit", "system.exit(0);", "int halt = 1;"] {
            check("src/main/java/till/Sum.java", line, false);
        }
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
        check("json.py", None, true);
        check("src/unittest/__init__.py", None, true);
        check("till/json.py", None, false);
        check("json.py", Some("the project's own\n"), false);
        check("src/main/java/org/junit/Assert.java", None, true);
        check("src/main/java/till/Junit.java", None, false);
        check("till/new.py", None, false);
    }
}
