//! The folder `framework/projects` of Defects4J.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::suite::LoadError;

/// A bug as `active-bugs.csv` lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) project: String,
    pub(super) number: u32,
    /// The revision of the developer's fix.
    pub(super) fixed: String,
    /// Folders of sources and tests at that revision, where `dir-layout.csv` knows them.
    pub(super) layout: Option<(String, String)>,
    /// The project's folder of metadata.
    pub(super) folder: PathBuf,
}

/// All that is active, and how much is not.
#[derive(Debug, Default)]
pub(super) struct Metadata {
    pub(super) rows: Vec<Row>,
    pub(super) deprecated: usize,
}

impl Row {
    pub(super) fn id(&self) -> String {
        format!("{}-{}", self.project, self.number)
    }

    /// The patch from the fixed to the buggy sources.
    pub(super) fn patch(&self) -> PathBuf {
        self.folder.join(format!("patches/{}.src.patch", self.number))
    }
}

/// The columns that are needed.
const COLUMNS: [&str; 2] = ["bug.id", "revision.id.fixed"];
/// The first line of `active-bugs.csv`.
const HEADER: &str = "bug.id,revision.id.buggy,revision.id.fixed,report.id,report.url";

/// The folder of the projects in a checkout of Defects4J, which may be that folder itself.
pub(super) fn projects(dir: &Path) -> PathBuf {
    let inside = ["framework/projects", "projects"].map(|name| dir.join(name));
    inside.into_iter().find(|folder| folder.is_dir()).unwrap_or_else(|| dir.to_owned())
}

/// Reads the lists of all projects.
///
/// # Errors
/// There is none, or one lacks columns or names a bug twice.
pub(super) fn load(projects: &Path) -> Result<Metadata, LoadError> {
    let wrong =
        |message: &str| LoadError { place: projects.display().to_string(), message: message.to_owned() };
    let entries = fs::read_dir(projects).map_err(|error| wrong(&error.to_string()))?;
    let mut folders: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.join("active-bugs.csv").is_file())
        .collect();
    folders.sort();
    if folders.is_empty() {
        return Err(wrong(
            "no folder in it has an active-bugs.csv; give a checkout of Defects4J 2 or 3, or its folder framework/projects",
        ));
    }
    let mut metadata = Metadata::default();
    for folder in folders {
        let rows = rows(&folder)?;
        metadata.rows.extend(rows);
        let deprecated = fs::read_to_string(folder.join("deprecated-bugs.csv")).unwrap_or_default();
        metadata.deprecated += deprecated.lines().skip(1).filter(|line| !line.trim().is_empty()).count();
    }
    Ok(metadata)
}

/// The active bugs of one project, in the order of their numbers.
fn rows(folder: &Path) -> Result<Vec<Row>, LoadError> {
    let project = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
    let file = folder.join("active-bugs.csv");
    let wrong = |line: usize, message: String| LoadError {
        place: format!("{}: line {line}", file.display()),
        message,
    };
    let text = fs::read_to_string(&file)
        .map_err(|error| LoadError { place: file.display().to_string(), message: error.to_string() })?;
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap_or_default().split(',').map(str::trim).collect();
    let column = |name: &str| {
        header.iter().position(|title| *title == name).ok_or_else(|| {
            wrong(1, format!("there is no column `{name}`; the first line has to be `{HEADER}`"))
        })
    };
    let [number, fixed] = COLUMNS;
    let (number, fixed) = (column(number)?, column(fixed)?);
    let layouts = layouts(folder);
    let mut found: BTreeMap<u32, Row> = BTreeMap::new();
    for (index, line) in lines.enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        let wrong = |message: String| wrong(index + 2, message);
        let field = |column: usize, name: &str| {
            let field = fields.get(column).copied().filter(|field| !field.is_empty());
            field.ok_or_else(|| wrong(format!("the column `{name}` is empty; each line is `{HEADER}`")))
        };
        let text = field(number, "bug.id")?;
        let number: u32 =
            text.parse().map_err(|_| wrong(format!("`bug.id` is `{text}`; it has to be a number")))?;
        let fixed = field(fixed, "revision.id.fixed")?.to_owned();
        let layout = layouts.get(&fixed).cloned();
        let row = Row { project: project.clone(), number, fixed, layout, folder: folder.to_owned() };
        if found.insert(number, row).is_some() {
            return Err(wrong(format!("the bug {number} is listed twice; leave one of its lines out")));
        }
    }
    Ok(found.into_values().collect())
}

/// Folders of sources and of tests by revision.
fn layouts(folder: &Path) -> BTreeMap<String, (String, String)> {
    let text = fs::read_to_string(folder.join("dir-layout.csv")).unwrap_or_default();
    let row = |line: &str| {
        let mut fields = line.split(',').map(str::trim);
        let (revision, source, tests) = (fields.next()?, fields.next()?, fields.next()?);
        Some((revision.to_owned(), (source.to_owned(), tests.to_owned())))
    };
    text.lines().filter_map(row).collect()
}

/// The tests in a list of `trigger_tests`, `failing_tests` and the like: `Class::method`, or `Class` for all of a class, without
/// parameters, each once. Traces and comments between them are passed over.
pub(super) fn listed_tests(text: &str) -> Vec<String> {
    let mut tests: Vec<String> = Vec::new();
    for line in text.lines() {
        let Some(name) = line.trim_start().strip_prefix("--- ") else { continue };
        let name = name.split('[').next().unwrap_or(name).trim();
        let is_name = |name: &str| {
            let plain = |character: char| character.is_alphanumeric() || "_.$:".contains(character);
            name.chars().all(plain) && name.starts_with(char::is_alphabetic)
        };
        if is_name(name) && !tests.iter().any(|test| test == name) {
            tests.push(name.to_owned());
        }
    }
    tests
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn lists_name_tests_between_traces() {
        let check = |text: &str, expect: &[&str]| assert_eq!(listed_tests(text), expect);
        check(
            "--- a.BTest::testOne\njava.lang.AssertionError: x --- y\n\tat a.B.c(B.java:3)\n--- a.CTest\n",
            &["a.BTest::testOne", "a.CTest"],
        );
        check(
            "## why: 3 ##\n--- a.BTest::x[0: 1]\n--- a.BTest::x[1: 2]\n  --- a.B$C::y \n",
            &["a.BTest::x", "a.B$C::y"],
        );
        check("", &[]);
    }

    #[test]
    fn lists_that_cannot_be_used_are_named() {
        let check = |csv: &str, line: usize, message: &str| {
            let folder = tempfile::tempdir().unwrap();
            fs::create_dir(folder.path().join("Widget")).unwrap();
            fs::write(folder.path().join("Widget/active-bugs.csv"), csv).unwrap();
            let error = load(folder.path()).unwrap_err();
            assert!(error.place.ends_with(&format!("Widget/active-bugs.csv: line {line}")), "{error}");
            assert!(error.message.contains(message), "{error}");
        };
        check("bug.id,revision.id.buggy\n1,a\n", 1, "no column `revision.id.fixed`");
        check("1,a,b,c,d\n", 1, "no column `bug.id`");
        check(&format!("{HEADER}\n1,a\n"), 2, "`revision.id.fixed` is empty");
        check(&format!("{HEADER}\nx,a,b,c,d\n"), 2, "has to be a number");
        check(&format!("{HEADER}\n1,a,b,c,d\n1,a,b,c,d\n"), 3, "listed twice");
        let empty = tempfile::tempdir().unwrap();
        assert!(load(empty.path()).unwrap_err().message.contains("framework/projects"));
    }
}
