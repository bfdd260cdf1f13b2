//! The folder `framework/projects` of Defects4J.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::lines;
use crate::suite::{LeftOut, LoadError};
use patchwright_folder::{LONGEST_FILE, read_file};

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

/// The bugs that are active, and the ids of those that are not any more.
#[derive(Debug, Default)]
pub(super) struct Metadata {
    pub(super) rows: Vec<Row>,
    pub(super) deprecated: BTreeSet<String>,
}

impl Row {
    pub(super) fn id(&self) -> String {
        format!("{}-{}", self.project, self.number)
    }

    /// The list that should name its folders of sources and tests.
    pub(super) fn layouts(&self) -> PathBuf {
        self.folder.join(LAYOUTS)
    }

    /// The names of the classes that the fix changes.
    pub(super) fn modified_classes(&self) -> PathBuf {
        self.folder.join(format!("modified_classes/{}.src", self.number))
    }

    /// The patch from the fixed to the buggy sources.
    pub(super) fn patch(&self) -> PathBuf {
        self.folder.join(format!("patches/{}.src.patch", self.number))
    }
}

/// The list of a project's bugs.
const LIST: &str = "active-bugs.csv";
/// The list of folders of sources and tests by revision, in a project's folder.
const LAYOUTS: &str = "dir-layout.csv";
/// The columns that are needed.
const COLUMNS: [&str; 2] = ["bug.id", "revision.id.fixed"];
/// The first line of `active-bugs.csv`.
const HEADER: &str = "bug.id,revision.id.buggy,revision.id.fixed,report.id,report.url";

/// The folder of the projects in a checkout of Defects4J, which may be that folder itself, and the folders of the projects to
/// read: all of them, or the one that was given.
///
/// # Errors
/// There is none.
pub(super) fn projects(dir: &Path) -> Result<(PathBuf, Vec<PathBuf>), LoadError> {
    let is_project = |path: &PathBuf| path.join(LIST).is_file();
    if is_project(&dir.to_owned()) {
        return Ok((dir.parent().unwrap_or(dir).to_owned(), vec![dir.to_owned()]));
    }
    let inside = ["framework/projects", "projects"].map(|name| dir.join(name));
    let projects = inside.into_iter().find(|folder| folder.is_dir()).unwrap_or_else(|| dir.to_owned());
    let wrong =
        |message: &str| LoadError { place: projects.display().to_string(), message: message.to_owned() };
    let entries = fs::read_dir(&projects).map_err(|error| wrong(&error.to_string()))?;
    let mut folders: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(is_project).collect();
    folders.sort();
    if folders.is_empty() {
        return Err(wrong(
            "no folder in it has an active-bugs.csv; give a checkout of Defects4J 2 or 3, its folder framework/projects, or a folder in that",
        ));
    }
    Ok((projects, folders))
}

/// Reads the lists of projects. A project or a bug whose list or line cannot be used is left out.
pub(super) fn load(folders: &[PathBuf], left_out: &mut LeftOut) -> Metadata {
    let mut metadata = Metadata::default();
    for folder in folders {
        match rows(folder, left_out) {
            Ok(rows) => metadata.rows.extend(rows),
            Err(error) => left_out.add(error),
        }
        let deprecated = read_file(&folder.join("deprecated-bugs.csv"), LONGEST_FILE).unwrap_or_default();
        let lines = lines::text(&deprecated);
        let project = folder.file_name().unwrap_or_default().to_string_lossy();
        let numbers = lines.lines().skip(1).filter_map(|line| line.split(',').next());
        let numbers = numbers.map(str::trim).filter(|number| !number.is_empty());
        metadata.deprecated.extend(numbers.map(|number| format!("{project}-{number}")));
    }
    metadata
}

/// The active bugs of one project, in the order of their numbers.
fn rows(folder: &Path, left_out: &mut LeftOut) -> Result<Vec<Row>, LoadError> {
    let project = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
    let file = folder.join(LIST);
    let wrong = |line: usize, message: String| LoadError {
        place: format!("{}: line {line}", file.display()),
        message,
    };
    let bytes = read_file(&file, LONGEST_FILE)
        .map_err(|error| LoadError { place: file.display().to_string(), message: error.to_string() })?;
    let text = lines::text(&bytes);
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
    let row = |line: &str| -> Result<Row, String> {
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        let field = |column: usize, name: &str| {
            let field = fields.get(column).copied().filter(|field| !field.is_empty());
            field.ok_or_else(|| format!("the column `{name}` is empty; each line is `{HEADER}`"))
        };
        let text = field(number, "bug.id")?;
        let number: u32 = text.parse().map_err(|_| format!("`bug.id` is `{text}`; it has to be a number"))?;
        let fixed = field(fixed, "revision.id.fixed")?.to_owned();
        let layout = layouts.get(&fixed).cloned();
        Ok(Row { project: project.clone(), number, fixed, layout, folder: folder.to_owned() })
    };
    let mut found: BTreeMap<u32, Row> = BTreeMap::new();
    for (index, line) in lines.enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        match row(line) {
            Ok(row) => match found.get(&row.number) {
                Some(earlier) if *earlier == row => {}
                Some(_) => {
                    let message =
                        format!("the bug {} is listed twice; leave one of its lines out", row.number);
                    left_out.add(wrong(index + 2, message));
                }
                None => _ = found.insert(row.number, row),
            },
            Err(message) => left_out.add(wrong(index + 2, message)),
        }
    }
    Ok(found.into_values().collect())
}

/// Folders of sources and of tests by revision.
fn layouts(folder: &Path) -> BTreeMap<String, (String, String)> {
    let bytes = read_file(&folder.join(LAYOUTS), LONGEST_FILE).unwrap_or_default();
    let row = |line: &str| {
        let mut fields = line.split(',').map(str::trim).filter(|field| !field.is_empty());
        let (revision, source, tests) = (fields.next()?, fields.next()?, fields.next()?);
        Some((revision.to_owned(), (source.to_owned(), tests.to_owned())))
    };
    lines::text(&bytes).lines().filter_map(row).collect()
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

    /// The bugs that remain of a list, and why others do not.
    fn read(csv: &[u8]) -> (Vec<u32>, Vec<String>, Option<LoadError>) {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("Widget")).unwrap();
        fs::write(folder.path().join("Widget/active-bugs.csv"), csv).unwrap();
        let mut left_out = LeftOut::default();
        let (_, folders) = projects(folder.path()).unwrap();
        let rows = load(&folders, &mut left_out).rows;
        let numbers = rows.iter().map(|row| row.number).collect();
        assert!(rows.iter().all(|row| row.fixed == "b"), "{rows:?}");
        match left_out.warnings(rows.is_empty()) {
            Ok(warnings) => (numbers, warnings, None),
            Err(error) => (numbers, Vec::new(), Some(error)),
        }
    }

    #[test]
    fn a_line_that_cannot_be_used_is_left_out_and_named() {
        let check = |odd: &str, message: &str| {
            let (numbers, warnings, _) = read(format!("{HEADER}\n1,a,b,c,d\n{odd}\n3,a,b,c,d\n").as_bytes());
            assert_eq!(numbers, [1, 3]);
            let [warning] = warnings.as_slice() else { panic!("{warnings:?}") };
            assert!(
                warning.contains("Widget/active-bugs.csv: line 3") && warning.contains(message),
                "{warning}"
            );
        };
        check("2,a", "`revision.id.fixed` is empty");
        check("x,a,b,c,d", "has to be a number");
        check("1,a,x,c,d", "listed twice");
        let (numbers, warnings, _) = read(format!("{HEADER}\n1,a,b,c,d\n1,a,b,c,d\n").as_bytes());
        assert_eq!((numbers, warnings.len()), (vec![1], 0));
    }

    #[test]
    fn lists_of_other_systems_are_read() {
        let check = |csv: &[u8]| assert_eq!(read(csv), (vec![1, 2], vec![], None));
        check(format!("{HEADER}\r\n1,a,b,c,d\r\n2,a,b,c,d\r\n").as_bytes());
        check(format!("\u{feff}{HEADER}\n1,a,b,c,d\n2,a,b\n").as_bytes());
        check(b"bug.id,report,revision.id.fixed\n1,caf\xe9,b\n2,,b");
    }

    #[test]
    fn where_nothing_is_left_the_first_reason_is_told() {
        let check = |csv: &str, line: usize, message: &str| {
            let error = read(csv.as_bytes()).2.unwrap();
            assert!(error.place.ends_with(&format!("Widget/active-bugs.csv: line {line}")), "{error}");
            assert!(error.message.contains(message), "{error}");
        };
        check("bug.id,revision.id.buggy\n1,a\n", 1, "no column `revision.id.fixed`");
        check("1,a,b,c,d\n", 1, "no column `bug.id`");
        check(&format!("{HEADER}\n1,a\nx\n"), 2, "`revision.id.fixed` is empty");
        let empty = tempfile::tempdir().unwrap();
        assert!(projects(empty.path()).unwrap_err().message.contains("framework/projects"));
    }
}
