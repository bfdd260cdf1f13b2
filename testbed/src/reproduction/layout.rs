//! Where a new test is put, in whose framework it is written, and by which names the project's tool runs it.

use patchwright_edits::{Edit, EditRules, Insertion, apply};
use patchwright_protocol::TestId;
use patchwright_syntax::{Class, Language, Outline, Project, ProjectPath, Source, Span, outline};

use super::{Form, ReproductionTest};
use crate::adapters::package_of;
use crate::bed::TestBed;
use crate::order::has_extension;
use crate::pattern::{Pattern, pattern};
use crate::spec::{AdapterKind, NO_TESTS, ProjectSpec, ResultsFormat};

/// The module that runs unittest's tests, before the places that it searches.
const RUNNER: &str = "-m patchwright_unittest ";
/// Test files that are looked at for the framework that they use.
const LOOKED_AT: usize = 40;

static ANNOTATED: Pattern = pattern!(r"@(?:ParameterizedTest|Test|Theory)\b");
static JUPITER: Pattern = pattern!(r"\borg\.junit\.jupiter\.");
static JUNIT_3: Pattern = pattern!(r"\bextends\s+(?:junit\.framework\.)?TestCase\b");
/// Names of files that test tools take for tests.
static TEST_NAME: Pattern = pattern!(
    r"^(?:test.*\.py|unittest_.*\.py|.*_tests?\.py|tests\.py|(?:Test.*|.*Tests?|.*TestCase)\.java)$"
);

/// Files with names that begin alike make a custom of it.
const NEIGHBOURS: usize = 2;

/// How tests are written in a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestLayout {
    /// The framework (`pytest`, `unittest`, `JUnit 4`); none where a test is a script of its own.
    pub framework: Option<&'static str>,
    /// The folder of the tests, relative to the project; `.` is its root.
    pub folder: String,
    /// The language of a test; none where no test can be run.
    pub language: Option<Language>,
}

impl TestBed {
    /// How tests are written in the project.
    pub fn test_layout(&self) -> TestLayout {
        let spec = self.detected();
        let language = self.test_language();
        let framework = language.filter(|_| self.selects_new_tests()).map(|language| {
            if language.name() == "java" {
                return self.java_framework();
            }
            let is_unittest =
                spec.kind == AdapterKind::Unittest || spec.results == ResultsFormat::UnittestText;
            if is_unittest { "unittest" } else { "pytest" }
        });
        let files = self.project().files().unwrap_or_default();
        let is_folder = |entry: &&String| !entry.contains('*') && !has_extension(entry, "py");
        let tests_in = |folder: &str| {
            let inside = files.iter().filter(|path| is_below(path.as_str(), folder));
            let named = inside.filter(|path| is_test_name(path.as_str())).count();
            // Where tests have other names, those of a folder lie in it, and what they work on in folders below.
            (named, files.iter().filter(|path| path.folder() == folder).count())
        };
        // Examples and plug-ins have tests of their own.
        let folders = spec.tests.iter().filter(is_folder).map(|entry| entry.trim_end_matches('/'));
        let folder = folders.rev().max_by_key(|folder| tests_in(folder)).unwrap_or(".");
        TestLayout { framework, folder: folder.to_owned(), language }
    }

    /// The language of new tests; none where no test can be written.
    pub fn test_language(&self) -> Option<Language> {
        self.detected().language.filter(|language| matches!(language.name(), "python" | "java"))
    }

    /// The names by which the project's tool runs all tests of some files; none where it cannot be told to.
    pub fn tests_of_files(&self, files: &[String]) -> Vec<TestId> {
        if !self.selects_new_tests() || self.detected().results == ResultsFormat::Defects4j {
            return Vec::new();
        }
        let read =
            |path: &String| Some(self.project().read(&ProjectPath::new(path).ok()?).ok()?.text().to_owned());
        let of_file = |path: &String| {
            let code = if has_extension(path, "java") { read(path)? } else { String::new() };
            Some(selection(self.detected(), path, &code, false))
        };
        files.iter().filter_map(of_file).flatten().collect()
    }

    /// Is true if the project's tool can be told to run a test that is new.
    fn selects_new_tests(&self) -> bool {
        let spec = self.detected();
        let names_are_known = match spec.kind {
            AdapterKind::Custom => !matches!(spec.results, ResultsFormat::Lines | ResultsFormat::ExitStatus),
            AdapterKind::Pytest
            | AdapterKind::Unittest
            | AdapterKind::Maven
            | AdapterKind::Ant
            | AdapterKind::PlainJava => true,
        };
        spec.test != NO_TESTS && spec.test_one.is_some() && names_are_known
    }

    /// Why no test can be written in the project's language.
    pub(super) fn no_language(&self) -> String {
        let name = self.detected().language.map_or("an unknown language", Language::name);
        format!("Tests can be written for Python and Java, and this project is in {name}.")
    }

    fn java_framework(&self) -> &'static str {
        let files = self.project().files().unwrap_or_default();
        let tests =
            files.iter().filter(|path| is_test_name(path.as_str()) && has_extension(path.as_str(), "java"));
        let texts: Vec<String> = tests
            .take(LOOKED_AT)
            .filter_map(|path| self.project().read(path).ok())
            .map(|file| file.text().to_owned())
            .collect();
        if texts.iter().any(|text| JUPITER.is_match(text)) {
            return "JUnit 5";
        }
        let is_old = |text: &String| JUNIT_3.is_match(text);
        if !texts.is_empty() && texts.iter().all(is_old) { "JUnit 3" } else { "JUnit 4" }
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
        let Some(language) = layout.language else { return Err(self.no_language()) };
        let runs_itself = layout.framework.is_none() && code.contains("__main__");
        if runs_itself || !declares_tests(language, code) {
            let name = if language.name() == "java" { "Reproduce.java" } else { "reproduce.py" };
            let form = Form::Script { language, code: code.to_owned() };
            return Ok(ReproductionTest { id, path: name.to_owned(), failing: Vec::new(), form });
        }
        if layout.framework.is_none() {
            return Err("No test framework can be told to run a new test here: write a script without test functions that ends with an \
                        error while the bug is there."
                .to_owned());
        }
        let (path, place) = self.place(&layout, id, path, code)?;
        let exists = self.project().read(&place).is_ok();
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
    ) -> Result<(String, ProjectPath), String> {
        let placed = |path: String| match ProjectPath::new(&path) {
            Ok(place) => Ok((path, place)),
            Err(error) => Err(format!("{path}: {error}.")),
        };
        let ours = || placed(default_path(layout, id, code));
        let Some(path) = named.map(str::trim).filter(|path| !path.is_empty()) else { return ours() };
        let (path, place) = placed(path.trim_start_matches("./").to_owned())?;
        let exists = self.project().read(&place).is_ok();
        match may_hold_tests(&path, exists, layout, self.project()) {
            Err(_) if !exists => ours(),
            held => held.map(|()| (path, place)),
        }
    }
}

/// Is true if a file lies in a folder.
fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// Refuses a file that is no place for tests.
fn may_hold_tests(path: &str, exists: bool, layout: &TestLayout, project: &Project) -> Result<(), String> {
    let is_java = layout.language.is_some_and(|language| language.name() == "java");
    if exists && is_java {
        return Err(format!("{path} exists already: write the test as a class of its own, in a new file."));
    }
    let of_language = Language::of_path(std::path::Path::new(path)) == layout.language;
    let is_helper = path.ends_with("conftest.py") || path.ends_with("__init__.py");
    let is_test = is_test_name(path)
        || (is_below(path, &layout.folder) && (exists || is_called_as_its_neighbours(path, project)));
    if of_language && is_test && !is_helper {
        return Ok(());
    }
    let example = default_path(layout, 1, "");
    Err(format!("{path} is no file of tests: name one such as {example}."))
}

/// Is true if test tools take a file of this name for tests.
pub(super) fn is_test_name(path: &str) -> bool {
    TEST_NAME.is_match(path.rsplit('/').next().unwrap_or(path))
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
    let is_java = layout.language.is_some_and(|language| language.name() == "java");
    let name = if is_java {
        let class = classes(code).into_iter().next().unwrap_or_else(|| format!("Reproduction{id}Test"));
        let package = package_of(code).replace('.', "/");
        if package.is_empty() { format!("{class}.java") } else { format!("{package}/{class}.java") }
    } else {
        format!("test_reproduction_{id}.py")
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
    let there = python_names(file.text());
    if let Some(name) = python_names(code).into_iter().find(|name| there.contains(name)) {
        return Err(format!("{path} declares {name} already: give the new test another name."));
    }
    let end = u32::try_from(file.line_count() + 1).unwrap_or(u32::MAX);
    let new_lines = ["", ""].into_iter().chain(code.trim_end().lines()).map(str::to_owned).collect();
    let insertions = vec![Insertion { line_number: end, new_lines }];
    Ok(Edit { file_path: path.to_string(), insertions, ..Edit::default() })
}

/// The names of the classes that a Java source declares.
fn classes(code: &str) -> Vec<String> {
    outline_of("java", code).classes.iter().map(|class| class.name.clone()).collect()
}

/// The names by which the project's tool runs the tests in `code`, at the end of the file where that exists already.
pub(super) fn selection(spec: &ProjectSpec, path: &str, code: &str, exists: bool) -> Vec<TestId> {
    if has_extension(path, "java") {
        return java_selection(spec, code);
    }
    if !exists {
        return vec![python_name(spec, path, &[])];
    }
    python_tests(code).iter().map(|name| python_name(spec, path, &[name])).collect()
}

/// The name by which the project's tool runs a Python file, or what these `parts` name in it: a function, a class, a method of one.
pub(super) fn python_name(spec: &ProjectSpec, path: &str, parts: &[&str]) -> TestId {
    let (file, joint) = if spec.kind == AdapterKind::Unittest || spec.results == ResultsFormat::UnittestText {
        (module(spec, path), ".")
    } else {
        (path.to_owned(), "::")
    };
    TestId::new([&[file.as_str()], parts].concat().join(joint))
}

/// Is true if a test tool finds something to run in some code.
fn declares_tests(language: Language, code: &str) -> bool {
    if language.name() == "java" {
        return ANNOTATED.is_match(code) || JUNIT_3.is_match(code);
    }
    !python_tests(code).is_empty()
}

/// The functions and classes of a Python source that a test tool runs.
fn python_tests(code: &str) -> Vec<String> {
    let outline = outline_of("python", code);
    let is_test = |name: &&String| name.starts_with("test");
    let functions = outline.functions.iter().map(|function| &function.name).filter(is_test);
    let has_tests = |class: &&Class| class.methods.iter().any(|method| is_test(&&method.name));
    let classes = outline.classes.iter().filter(has_tests).map(|class| &class.name);
    functions.chain(classes).cloned().collect()
}

/// What a source declares.
pub(super) fn outline_of(language: &str, code: &str) -> Outline {
    let language = Language::by_name(language);
    language.map(|language| outline(language, &Source::from_text(code))).unwrap_or_default()
}

/// The functions and classes that a Python source declares.
fn python_names(code: &str) -> Vec<String> {
    let outline = outline_of("python", code);
    // What is declared inside of a function is seen there alone.
    let bodies: Vec<Span> = outline.functions.iter().map(|function| function.lines).collect();
    let is_inside =
        |lines: Span| bodies.iter().any(|body| body.first < lines.first && lines.last <= body.last);
    let functions = outline.functions.iter().map(|function| (&function.name, function.lines));
    let declared = functions.chain(outline.classes.iter().map(|class| (&class.name, class.lines)));
    declared.filter(|(_, lines)| !is_inside(*lines)).map(|(name, _)| name.clone()).collect()
}

fn java_selection(spec: &ProjectSpec, code: &str) -> Vec<TestId> {
    let outline = outline_of("java", code);
    let Some(class) = outline.classes.first() else { return Vec::new() };
    let package = package_of(code);
    let name = if package.is_empty() { class.name.clone() } else { format!("{package}.{}", class.name) };
    if spec.results != ResultsFormat::Defects4j {
        return vec![TestId::new(name)];
    }
    // Its command takes methods alone.
    let tests = class.methods.iter().filter(|method| method.name.starts_with("test"));
    tests.map(|method| TestId::of_method(&name, &method.name)).collect()
}

/// The name of a Python file's module, from the folder in which the tool's names begin.
fn module(spec: &ProjectSpec, path: &str) -> String {
    let tops: Vec<&str> = match spec.test.rsplit_once(RUNNER) {
        Some((_, places)) => places
            .split_whitespace()
            .filter(|place| path.starts_with(&format!("{}/", start_of(place))) || start_of(place) == ".")
            .map(|place| place.split_once(':').map_or(place, |(_, top)| top))
            .collect(),
        // A script that runs tests names them from its own folder on.
        None => spec
            .test
            .split_whitespace()
            .find(|word| has_extension(word, "py"))
            .and_then(|script| script.trim_start_matches("./").rsplit_once('/'))
            .map(|(folder, _)| folder)
            .into_iter()
            .collect(),
    };
    let from_top =
        |top: &&str| path.strip_prefix(&format!("{}/", top.trim_end_matches('/'))).map(str::to_owned);
    let relative =
        tops.iter().filter(|top| **top != ".").find_map(from_top).unwrap_or_else(|| path.to_owned());
    relative.trim_end_matches(".py").replace('/', ".")
}

/// The folder that is searched, of a place that the runner takes: `START` or `START:TOP`.
fn start_of(place: &str) -> &str {
    place.split_once(':').map_or(place, |(start, _)| start).trim_end_matches('/')
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
            assert_eq!(declares_tests(Language::by_name(language).unwrap(), code), expect, "{code}");
        };
        check("python", "def test_a():\n    assert 0\n", true);
        check("python", "class ATest:\n    def test_a(self):\n        pass\n", true);
        check("python", "import shop\nassert shop.tax(1) == 2\n", false);
        check("java", "class A { @Test public void a() {} }", true);
        check("java", "class A extends TestCase { public void testA() {} }", true);
        check("java", "class A { public static void main(String[] args) {} }", false);
    }

    #[test]
    fn a_test_without_a_place_gets_one() {
        let layout = |language: &str, folder: &str| TestLayout {
            framework: Some("pytest"),
            folder: folder.to_owned(),
            language: Language::by_name(language),
        };
        assert_eq!(default_path(&layout("python", "tests"), 2, ""), "tests/test_reproduction_2.py");
        assert_eq!(default_path(&layout("python", "."), 1, ""), "test_reproduction_1.py");
        let java = "package a.b;\nclass TaxTest {}\n";
        assert_eq!(default_path(&layout("java", "src/test/java"), 1, java), "src/test/java/a/b/TaxTest.java");
    }

    #[test]
    fn files_of_tests_are_told_by_their_names() {
        for path in ["test_a.py", "x/a_test.py", "shop/tests.py", "src/test/java/a/ATest.java", "TestA.java"]
        {
            assert!(is_test_name(path), "{path}");
        }
        for path in ["a.py", "x/contest.java", "shop/rates.py", "test/a.js"] {
            assert!(!is_test_name(path), "{path}");
        }
    }
}
