//! Where a new test is put, in whose framework it is written, and by which names the project's tool runs it.

use std::path::Path;

use patchwright_detection::adapters::package_of;
use patchwright_detection::ecosystems;
use patchwright_detection::{AdapterKind, ProjectSpec};
use patchwright_edits::{Edit, EditRules, Insertion, apply};
use patchwright_protocol::{ResultsFormat, TestCommand, TestId};
use patchwright_syntax::{
    ClassKind, Language, Method, Project, ProjectPath, Source, Span, is_runnable, outline,
};

use crate::harness::TestHarness;
use crate::reproduction_test::{Form, ReproductionTest};

/// Files with names that begin alike make a custom of it.
const NEIGHBOURS: usize = 2;

/// How tests are written in a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestLayout {
    /// The framework (`pytest`, `unittest`, `JUnit 4`); none where a test is a script of its own.
    pub framework: Option<&'static str>,
    /// The folder of the tests, relative to the project; `.` is its root.
    pub folder: String,
    /// Whether most of the tests lie in it: a project may keep them beside what they test.
    pub holds_most: bool,
    /// The language of a test; none where no test can be run.
    pub language: Option<Language>,
}

impl TestHarness {
    /// How tests are written in the project.
    pub fn test_layout(&self) -> TestLayout {
        let spec = self.detected();
        let language = self.test_language();
        let writing = ecosystems::writing(language).filter(|_| self.selects_new_tests());
        let framework = writing.map(|writing| writing.framework(self.project(), spec));
        let files = self.project().files().unwrap_or_default();
        let is_folder =
            |entry: &&String| !entry.contains('*') && Language::of_path(Path::new(entry.as_str())).is_none();
        let tests_in = |folder: &str| {
            let inside = files.iter().filter(|path| is_below(path.as_str(), folder));
            let named = inside.filter(|path| is_runnable(path.as_str())).count();
            // Where tests have other names, those of a folder lie in it, and what they work on in folders below.
            (named, files.iter().filter(|path| path.folder() == folder).count())
        };
        // Examples and plug-ins have tests of their own.
        let searched = spec.searched();
        let folders = spec.tests.iter().filter(|entry| searched.hold(entry)).chain(&spec.test_paths);
        let folders = folders.filter(is_folder).map(|entry| entry.trim_end_matches('/'));
        let folder = folders.rev().max_by_key(|folder| tests_in(folder)).unwrap_or(".");
        let is_searched = |path: &&ProjectPath| is_runnable(path.as_str()) && searched.hold(path.as_str());
        let all = files.iter().filter(is_searched).count();
        let holds_most = folder == "." || 2 * tests_in(folder).0 >= all;
        TestLayout { framework, folder: folder.to_owned(), holds_most, language }
    }

    /// The language of new tests; none where no test can be written.
    pub fn test_language(&self) -> Option<Language> {
        self.detected().language.filter(|language| ecosystems::writing(Some(*language)).is_some())
    }

    /// The names by which the project's tool runs all tests of some files; none where it cannot be told to.
    pub fn tests_of_files(&self, files: &[String]) -> Vec<TestId> {
        if !self.selects_new_tests() || self.detected().results == ResultsFormat::Defects4j {
            return Vec::new();
        }
        let read =
            |path: &String| Some(self.project().read(&ProjectPath::new(path).ok()?).ok()?.text().to_owned());
        let of_file = |path: &String| {
            let by_class =
                Language::of_path(Path::new(path)).is_some_and(|found| found.entry().tests.by_class);
            let code = if by_class { read(path)? } else { String::new() };
            Some(selection(self.detected(), path, &code, false))
        };
        files.iter().filter_map(of_file).flatten().collect()
    }

    /// The tests of these names, which are made of a file and of what the test is in; none where the project's tool has other names for them.
    pub fn tests_of_names(&self, names: Vec<String>) -> Vec<TestId> {
        let is_pytest = self.detected().kind == AdapterKind::Pytest;
        if is_pytest { names.into_iter().map(TestId::new).collect() } else { Vec::new() }
    }

    /// Is true if the project's tool can be told to run a test that is new.
    fn selects_new_tests(&self) -> bool {
        let spec = self.detected();
        let names_are_known = match spec.kind {
            AdapterKind::Custom => match spec.results {
                ResultsFormat::Lines | ResultsFormat::ExitStatus => false,
                ResultsFormat::PytestText
                | ResultsFormat::JunitXml { .. }
                | ResultsFormat::JunitText
                | ResultsFormat::UnittestText
                | ResultsFormat::Defects4j
                | ResultsFormat::ToolReports(_) => true,
            },
            AdapterKind::Pytest
            | AdapterKind::Unittest
            | AdapterKind::Django
            | AdapterKind::Maven
            | AdapterKind::Gradle
            | AdapterKind::Ant
            | AdapterKind::PlainJava
            | AdapterKind::Tool(_) => true,
        };
        spec.test != TestCommand::None && spec.test_one.is_some() && names_are_known
    }

    /// Why no test can be written in the project's language.
    pub(super) fn no_language(&self) -> String {
        let name = self.detected().language.map_or("an unknown language", Language::title);
        let known = ecosystems::written_languages();
        format!("Tests can be written for {known}, and this project is in {name}.")
    }

    /// The test that a model has written: `code` is a new file of tests, or is added to the one at `path` where that exists; without any
    /// test function it is a script. `Err` says to whoever wrote it what is wrong.
    ///
    /// # Errors
    /// The file must not be written, or no test of this language can be run here.
    pub fn reproduction_test(
        &self,
        id: u32,
        path: Option<&str>,
        code: &str,
    ) -> Result<ReproductionTest, String> {
        let layout = self.test_layout();
        let (Some(language), Some(writing)) = (layout.language, ecosystems::writing(layout.language)) else {
            return Err(self.no_language());
        };
        let runs_itself = layout.framework.is_none() && code.contains("__main__");
        if runs_itself || !writing.declares_tests(language, code) {
            let form = Form::Script { language, code: code.to_owned() };
            let path = language.entry().script.to_owned();
            return Ok(ReproductionTest { id, path, failing: Vec::new(), form });
        }
        if layout.framework.is_none() {
            return Err("No test framework can be told to run a new test here: write a script without test functions that ends with an \
                        error while the bug is there."
                .to_owned());
        }
        let place = self.place(&layout, id, path, code)?;
        let path = place.to_string();
        let exists = self.project().read(&place).is_ok();
        if let Some(other) =
            (!exists).then(|| writing.namesake(self.project(), self.detected(), &path)).flatten()
        {
            return Err(format!(
                "{path} would be loaded under the name of {other}: give the file another name."
            ));
        }
        let edit = if exists { appended(self.project(), &place, code)? } else { new_file(&path, code) };
        let added = apply(self.project(), &[edit], &EditRules::default())
            .map_err(|error| format!("The test cannot be written: {error}."))?;
        let selection = selection(self.detected(), &path, code, exists);
        Ok(ReproductionTest { id, path, failing: Vec::new(), form: Form::Project { added, selection } })
    }

    /// The file for a test: the one that was named or, where that is none yet and would be none of tests, one of ours.
    fn place(
        &self,
        layout: &TestLayout,
        id: u32,
        named: Option<&str>,
        code: &str,
    ) -> Result<ProjectPath, String> {
        let placed = |path: &str| self.project().itself(path).map_err(|error| format!("{path}: {error}."));
        let ours = || placed(&default_path(layout, id, code));
        let Some(path) = named.map(str::trim).filter(|path| !path.is_empty()) else { return ours() };
        let place = placed(path)?;
        let exists = self.project().read(&place).is_ok();
        match may_hold_tests(place.as_str(), exists, layout, self.project()) {
            Err(_) if !exists => ours(),
            held => held.map(|()| place),
        }
    }
}

/// Is true if a file lies in a folder.
pub(super) fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// Refuses a file that is no place for tests.
fn may_hold_tests(path: &str, exists: bool, layout: &TestLayout, project: &Project) -> Result<(), String> {
    let rules = layout.language.map(|language| &language.entry().tests);
    if exists && rules.is_some_and(|rules| rules.by_class) {
        return Err(format!("{path} exists already: write the test as a class of its own, in a new file."));
    }
    let of_language = Language::of_path(std::path::Path::new(path)) == layout.language;
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_helper = rules.is_some_and(|rules| rules.helpers.contains(&name));
    let is_test = is_runnable(path)
        || (is_below(path, &layout.folder) && (exists || is_called_as_its_neighbours(path, project)));
    if of_language && is_test && !is_helper {
        return Ok(());
    }
    let example = default_path(layout, 1, "");
    Err(format!("{path} is no file of tests: name one such as {example}."))
}

/// Is true if the name of a file begins as those of several beside it do: `unittest_parser.py`.
fn is_called_as_its_neighbours(path: &str, project: &Project) -> bool {
    let (folder, name) = path.rsplit_once('/').unwrap_or((".", path));
    let Some((word, _)) = name.split_once('_') else { return false };
    let files = project.files().unwrap_or_default();
    let alike = |file: &&ProjectPath| {
        file.folder() == folder
            && file.file_name().strip_prefix(word).is_some_and(|rest| rest.starts_with('_'))
    };
    !word.is_empty() && files.iter().filter(alike).count() >= NEIGHBOURS
}

/// Where a test is put that nobody says a place for.
fn default_path(layout: &TestLayout, id: u32, code: &str) -> String {
    let Some(language) = layout.language else { return layout.folder.clone() };
    let rules = &language.entry().tests;
    let name = if rules.by_class {
        let class = outline(language, &Source::from_text(code)).classes.into_iter().next();
        let file = class.map(|class| format!("{}.{}", class.name, language.entry().extensions[0]));
        let file = file.unwrap_or_else(|| rules.file_about(&format!("Reproduction{id}")));
        let package = package_of(code).replace('.', "/");
        if package.is_empty() { file } else { format!("{package}/{file}") }
    } else {
        rules.file_about(&format!("reproduction_{id}"))
    };
    if layout.folder == "." { name } else { format!("{}/{name}", layout.folder) }
}

fn new_file(path: &str, code: &str) -> Edit {
    let content = format!("{}\n", code.trim_end());
    Edit { file_path: path.to_owned(), content: Some(content), ..Edit::default() }
}

/// The code at the end of a file that is there.
fn appended(project: &Project, path: &ProjectPath, code: &str) -> Result<Edit, String> {
    let file = project.read(path).map_err(|error| format!("{path} cannot be read: {error}."))?;
    // What is declared twice in a file is there once: the tests above would be lost.
    let language = Language::of_path(path.as_path());
    let names = |text: &str| language.map_or_else(Vec::new, |language| declared_names(language, text));
    let there = names(file.text());
    if let Some(name) = names(code).into_iter().find(|name| there.contains(name)) {
        return Err(format!("{path} declares {name} already: give the new test another name."));
    }
    let end = u32::try_from(file.line_count() + 1).unwrap_or(u32::MAX);
    let new_lines = ["", ""].into_iter().chain(code.trim_end().lines()).map(str::to_owned).collect();
    let insertions = vec![Insertion { line_number: end, new_lines }];
    Ok(Edit { file_path: path.to_string(), insertions, ..Edit::default() })
}

/// The functions and classes that a source declares; those that have a title in place of a name may stand there twice.
fn declared_names(language: Language, code: &str) -> Vec<String> {
    let outline = outline(language, &Source::from_text(code));
    // What is declared inside of a function is seen there alone.
    let bodies: Vec<Span> = outline.functions.iter().map(|function| function.lines).collect();
    let is_inside =
        |lines: Span| bodies.iter().any(|body| body.first < lines.first && lines.last <= body.last);
    let functions = outline.functions.iter().filter(|function| !has_title(language, function));
    let functions = functions.map(|function| (&function.name, function.lines));
    let classes = outline.classes.iter().filter(|class| class.kind != ClassKind::Anonymous);
    let declared = functions.chain(classes.map(|class| (&class.name, class.lines)));
    declared.filter(|(_, lines)| !is_inside(*lines)).map(|(name, _)| name.clone()).collect()
}

/// Is true if a test is declared by a call.
fn has_title(language: Language, function: &Method) -> bool {
    let rules = &language.entry().tests;
    !rules.titled.tests.is_empty() && rules.is_test(function)
}

/// The names by which the project's tool runs the tests in `code`, at the end of the file where that exists already.
pub(super) fn selection(spec: &ProjectSpec, path: &str, code: &str, exists: bool) -> Vec<TestId> {
    let writing = ecosystems::writing(Language::of_path(Path::new(path)));
    writing.map_or_else(Vec::new, |writing| writing.selection(spec, path, code, exists))
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    fn spec(language: &str, kind: AdapterKind, test: &str, results: ResultsFormat) -> ProjectSpec {
        ProjectSpec::new(kind, Language::by_name(language), test.to_owned(), results)
    }

    #[test]
    fn the_names_of_new_tests_are_those_of_the_tool() {
        let check = |spec: &ProjectSpec, path: &str, code: &str, exists: bool, expect: &[&str]| {
            let expect: Vec<TestId> = expect.iter().map(|name| TestId::new(*name)).collect();
            assert_eq!(selection(spec, path, code, exists), expect, "{path}");
        };
        let function = "import shop\n\ndef helper():\n    pass\n\ndef test_tax():\n    assert shop.tax(1)\n";
        let class =
            "import unittest\nclass TaxTest(unittest.TestCase):\n    def test_a(self):\n        pass\n";
        let pytest = spec("python", AdapterKind::Pytest, "python3 -m pytest -q", ResultsFormat::Lines);
        check(&pytest, "tests/test_new.py", function, false, &["tests/test_new.py"]);
        check(&pytest, "tests/test_old.py", function, true, &["tests/test_old.py::test_tax"]);
        check(&pytest, "tests/test_old.py", class, true, &["tests/test_old.py::TaxTest"]);
        let nested = "def test_tax():\n    def test_inner():\n        pass\n\n    test_inner()\n";
        check(&pytest, "tests/test_old.py", nested, true, &["tests/test_old.py::test_tax"]);
        let unittest = |places: &str| {
            let test = format!("python3 -m patchwright_unittest {places}");
            spec("python", AdapterKind::Unittest, &test, ResultsFormat::Lines)
        };
        check(&unittest("tests:."), "tests/test_new.py", class, false, &["tests.test_new"]);
        check(&unittest("tests"), "tests/test_new.py", class, false, &["test_new"]);
        check(&unittest("tests"), "tests/test_old.py", class, true, &["test_old.TaxTest"]);
        check(&unittest("."), "test_new.py", class, false, &["test_new"]);
        let script = spec(
            "python",
            AdapterKind::Custom,
            "./tests/runtests.py --verbosity 2",
            ResultsFormat::UnittestText,
        );
        check(&script, "tests/shop/test_new.py", class, false, &["shop.test_new"]);
        let java = "package a.b;\npublic class TaxTest { public void testA() {} void helper() {} }\n";
        let maven = spec("java", AdapterKind::Maven, "mvn test", ResultsFormat::JunitText);
        check(&maven, "src/test/java/a/b/TaxTest.java", java, false, &["a.b.TaxTest"]);
        let defects4j = spec("java", AdapterKind::Custom, "defects4j test", ResultsFormat::Defects4j);
        check(&defects4j, "test/a/b/TaxTest.java", java, false, &["a.b.TaxTest::testA"]);
    }

    #[test]
    fn code_without_tests_is_a_script() {
        let check = |language: &str, code: &str, expect: bool| {
            let language = Language::by_name(language).unwrap();
            let writing = ecosystems::writing(Some(language)).unwrap();
            assert_eq!(writing.declares_tests(language, code), expect, "{code}");
        };
        check("python", "def test_a():\n    assert 0\n", true);
        check("python", "class ATest:\n    def test_a(self):\n        pass\n", true);
        check("python", "import shop\nassert shop.tax(1) == 2\n", false);
        check("javascript", "test('adds', () => { f(); });\n", true);
        check("javascript", "describe('f', () => { it('adds', function () { f(); }); });\n", true);
        check("javascript", "const assert = require('assert');\nassert.equal(f(1), 2);\n", false);
        check("java", "class A { @Test public void a() {} }", true);
        check("java", "class A extends TestCase { public void testA() {} }", true);
        check("java", "class A { public static void main(String[] args) {} }", false);
    }

    #[test]
    fn a_test_without_a_place_gets_one() {
        let layout = |language: &str, folder: &str| TestLayout {
            framework: Some("pytest"),
            folder: folder.to_owned(),
            holds_most: true,
            language: Language::by_name(language),
        };
        assert_eq!(default_path(&layout("python", "tests"), 2, ""), "tests/test_reproduction_2.py");
        assert_eq!(default_path(&layout("python", "."), 1, ""), "test_reproduction_1.py");
        let java = "package a.b;\nclass TaxTest {}\n";
        assert_eq!(default_path(&layout("java", "src/test/java"), 1, java), "src/test/java/a/b/TaxTest.java");
    }

    #[test]
    fn names_are_declared_once_but_for_titles_and_what_is_inside_of_functions() {
        let check = |language: &str, code: &str, expect: &[&str]| {
            assert_eq!(declared_names(Language::by_name(language).unwrap(), code), expect, "{code}");
        };
        check("python", "def a():\n    def b():\n        pass\n    class C:\n        pass\n", &["a"]);
        check("python", "class A:\n    def b(self):\n        pass\n\ndef c():\n    pass\n", &["c", "A"]);
        check("javascript", "function a() {\n  f();\n}\ntest('b', () => {\n  f();\n});\n", &["a"]);
    }

    #[test]
    fn files_of_tests_are_told_by_their_names() {
        for path in [
            "test_a.py",
            "x/a_test.py",
            "shop/tests.py",
            "x/unittest_a.py",
            "src/test/java/a/ATest.java",
            "TestA.java",
            "test/a.test.js",
            "test/test-b.mjs",
            "a.spec.ts",
        ] {
            assert!(is_runnable(path), "{path}");
        }
        for path in ["a.py", "x/contest.java", "shop/rates.py", "test/a.js"] {
            assert!(!is_runnable(path), "{path}");
        }
    }
}
