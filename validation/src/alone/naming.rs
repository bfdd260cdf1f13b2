//! The names of tests in the reports of test tools, made those that our runners have for them.

use std::collections::{BTreeMap, BTreeSet};

use patchwright_detection::ProjectSpec;
use patchwright_protocol::{ResultsFormat, TestId, ToolReport};
use patchwright_test_results::{TestOutcome, TestReport};

/// The part between the file, the groups and the title of a test in its name.
const JOINT: &str = "::";

/// Gives the tests of a report of a project the names that they have in a report `before` it, which a runner of ours has made.
pub(super) fn name_as_before(report: &mut TestReport, spec: &ProjectSpec, before: &TestReport) {
    match &spec.results {
        ResultsFormat::JunitXml { .. } => {
            let modules = modules(before, spec);
            rename(report, |name| node_id(&modules, name));
        }
        ResultsFormat::ToolReports(ToolReport::JestJson) => {
            let files = files(before);
            rename(report, |name| {
                let (file, titles) =
                    name.split_once(JOINT).map_or((name, None), |(file, titles)| (file, Some(titles)));
                let file = file_of(&files, file)?;
                Some([file].into_iter().chain(titles).collect::<Vec<_>>().join(JOINT))
            });
        }
        ResultsFormat::ToolReports(ToolReport::MochaJson) => {
            let titles = Titles::of(before);
            rename(report, |name| titles.find(name));
        }
        // They have these names already.
        ResultsFormat::ToolReports(ToolReport::NodeTap | ToolReport::UnittestText)
        | ResultsFormat::Lines
        | ResultsFormat::PytestText
        | ResultsFormat::JunitText
        | ResultsFormat::UnittestText
        | ResultsFormat::ExitStatus
        | ResultsFormat::Defects4j => {}
    }
}

/// Gives each test another name, where there is one.
fn rename(report: &mut TestReport, other: impl Fn(&str) -> Option<String>) {
    let other = |test: TestId| other(test.as_str()).map_or(test, TestId::new);
    let outcomes = std::mem::take(&mut report.outcomes).into_iter();
    report.add(outcomes.map(|outcome| TestOutcome { id: other(outcome.id), ..outcome }).collect());
    let seconds = std::mem::take(&mut report.test_seconds).into_iter();
    report.test_seconds = seconds.map(|(test, took)| (other(test), took)).collect();
}

/// The files that the names of tests begin with.
fn files(report: &TestReport) -> BTreeSet<&str> {
    report.outcomes.iter().filter_map(|outcome| outcome.id.as_str().split(JOINT).next()).collect()
}

/// The file of the project that a process saw under this path: the longest that fits.
fn file_of<'a>(files: &BTreeSet<&'a str>, path: &str) -> Option<&'a str> {
    let fits = |file: &&&str| {
        path.strip_suffix(**file).is_some_and(|folder| folder.is_empty() || folder.ends_with('/'))
    };
    files.iter().filter(fits).max_by_key(|file| file.len()).copied()
}

/// The tests by what mocha calls them: the file, if it tells it, and the titles of the groups and of the test, joined by blanks.
struct Titles<'a> {
    files: BTreeSet<&'a str>,
    /// By the file and the titles, and by the titles alone; `None` where they are those of several tests.
    tests: BTreeMap<(&'a str, String), Option<&'a str>>,
}

impl<'a> Titles<'a> {
    fn of(report: &'a TestReport) -> Self {
        let mut tests = BTreeMap::new();
        for outcome in &report.outcomes {
            let name = outcome.id.as_str();
            let Some((file, titles)) = name.split_once(JOINT) else { continue };
            for file in [file, ""] {
                let known = tests.entry((file, titles.replace(JOINT, " "))).or_insert(Some(name));
                *known = known.filter(|known| *known == name);
            }
        }
        Self { files: files(report), tests }
    }

    fn find(&self, name: &str) -> Option<String> {
        let (path, titles) = name.split_once(JOINT)?;
        let file = if path.is_empty() { "" } else { file_of(&self.files, path)? };
        self.tests.get(&(file, titles.to_owned())).copied().flatten().map(str::to_owned)
    }
}

/// The modules of the files of tests, as the tool names them, each with its file; those that say most come first.
fn modules<'r>(report: &'r TestReport, spec: &ProjectSpec) -> Vec<(String, &'r str)> {
    let module = |file: &str| {
        let file = spec.from_folder(file);
        file.strip_suffix(".py").unwrap_or(file).replace('/', ".")
    };
    let mut modules: Vec<(String, &str)> =
        files(report).into_iter().map(|file| (module(file), file)).collect();
    modules.sort_by_key(|(module, _)| std::cmp::Reverse(module.len()));
    modules
}

/// The name that pytest has for a test: its JUnit XML says `tests.test_a.TestB` where that says `tests/test_a.py::TestB`.
fn node_id(modules: &[(String, &str)], name: &str) -> Option<String> {
    let (classes, test) = name.split_once("::").map_or((name, None), |(classes, test)| (classes, Some(test)));
    let within =
        |module: &str| classes.strip_prefix(module).filter(|rest| rest.is_empty() || rest.starts_with('.'));
    let (file, rest) = modules.iter().find_map(|(module, file)| Some((*file, within(module)?)))?;
    let classes = rest.split('.').filter(|part| !part.is_empty());
    Some([file].into_iter().chain(classes).chain(test).collect::<Vec<_>>().join("::"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use patchwright_test_results::TestStatus;

    #[test]
    fn reports_name_tests_as_pytest_does() {
        let modules = [
            ("tests.test_a".to_owned(), "tests/test_a.py"),
            ("docs.usage.rst".to_owned(), "docs/usage.rst"),
            ("tests".to_owned(), "tests.py"),
        ];
        let check = |name: &str, expect: Option<&str>| {
            assert_eq!(node_id(&modules, name).as_deref(), expect, "{name}");
        };
        check("tests.test_a.TestB::test_c[x::y.z]", Some("tests/test_a.py::TestB::test_c[x::y.z]"));
        check("tests.test_a::test_c", Some("tests/test_a.py::test_c"));
        check("tests.test_a", Some("tests/test_a.py"));
        check("docs.usage.rst::usage.rst", Some("docs/usage.rst::usage.rst"));
        check("tests.test_abc::test_c", Some("tests.py::test_abc::test_c"));
        check("others::test_c", None);
    }

    #[test]
    fn titles_name_a_test_where_no_other_has_them() {
        let mut report = TestReport::empty(String::new());
        let test = |name: &str| TestOutcome::new(name, TestStatus::Passed);
        let names = [
            "test/a.js::f::adds",
            "test/a.js::f::g::h",
            "test/a.js::f g::h",
            "test/b.js::f::adds",
            "b.js::i",
        ];
        report.add(names.map(test).to_vec());
        let titles = Titles::of(&report);
        let check = |name: &str, expect: Option<&str>| {
            assert_eq!(titles.find(name).as_deref(), expect, "{name}");
        };
        check("/lane/test/a.js::f adds", Some("test/a.js::f::adds"));
        check("/lane/test/b.js::f adds", Some("test/b.js::f::adds"));
        check("/lane/test/a.js::f g h", None);
        check("/lane/test/c.js::f adds", None);
        // Where the file is not told.
        check("::f adds", None);
        check("::i", Some("b.js::i"));
    }

    #[test]
    fn files_are_known_by_their_ends() {
        let files = BTreeSet::from(["a.js", "test/a.js", "packages/one/test/a.js"]);
        let check = |path: &str, expect: Option<&str>| assert_eq!(file_of(&files, path), expect, "{path}");
        check("/lane/a.js", Some("a.js"));
        check("/lane/test/a.js", Some("test/a.js"));
        check("/lane/packages/one/test/a.js", Some("packages/one/test/a.js"));
        check("/lane/test/aa.js", None);
        check("a.js", Some("a.js"));
    }
}
