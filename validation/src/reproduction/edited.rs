//! Tests that come as edits of the project's files: in new files or in those that are there, in several at once.

use std::collections::BTreeSet;
use std::path::Path;

use patchwright_detection::ecosystems;
use patchwright_edits::{Applied, Edit, EditRules, FileChange, apply};
use patchwright_protocol::TestId;
use patchwright_syntax::has_extension;
use patchwright_syntax::is_runnable;
use patchwright_syntax::{Class, Language, Method, Outline, Project, ProjectPath, Source, outline};

use super::TestLayout;
use super::altered::AlteredTests;
use super::layout::{is_below, selection};
use super::test_text::{source_of, telling_lines, text_of};
use crate::harness::TestHarness;
use crate::reproduction_test::{Form, ReproductionTest};

/// Folders that hold tests and what belongs to them.
const TEST_FOLDERS: &[&str] = &["test", "tests", "__tests__"];
/// Lines of a test's body below which one that is there already may say the same by chance.
const LEAST_REPEATED: usize = 2;

/// A test that was made of edits.
#[derive(Clone, Debug)]
pub struct EditedTest {
    /// The test.
    pub test: ReproductionTest,
    /// The files that were edited besides and are none of tests: what was to become of them is left out.
    pub left_out: Vec<String>,
}

impl TestHarness {
    /// The test that some edits make. Those of files that hold no tests are left out. `Err` says to whoever wrote them what is wrong.
    ///
    /// # Errors
    /// The edits do not apply, change no test, or take one away; or no test of this language can be run here.
    pub fn reproduction_of_edits(&self, id: u32, edits: &[Edit]) -> Result<EditedTest, String> {
        let layout = self.test_layout();
        let Some(language) = layout.language else { return Err(self.no_language()) };
        let (wanted, others): (Vec<Edit>, Vec<Edit>) =
            edits.iter().cloned().partition(|edit| belongs_to_tests(&edit.file_path, &layout));
        let left_out: BTreeSet<String> = others.into_iter().map(|edit| edit.file_path).collect();
        let left_out: Vec<String> = left_out.into_iter().collect();
        if wanted.is_empty() {
            let named = left_out.join(", ");
            return Err(format!(
                "The change touches no file of tests, only {named}: write the test into one."
            ));
        }
        if let Some(edit) = wanted.iter().find(|edit| edit.delete || edit.rename_to.is_some()) {
            return Err(format!("{} has to stay where it is: tests are only added.", edit.file_path));
        }
        let added = apply(self.project(), &wanted, &EditRules::default())
            .map_err(|error| format!("The change cannot be applied: {error}."))?;
        if let [first, ..] = AlteredTests::of(&added).removed.as_slice() {
            return Err(format!(
                "The change takes a test away that is there ({first}): tests are only added, beside those that are there."
            ));
        }
        let selected = added.files.iter().map(|file| (file, self.changed_tests(language, file)));
        let selected: Vec<(&FileChange, Vec<TestId>)> = selected.collect();
        let path =
            selected.iter().find(|(_, tests)| !tests.is_empty()).map(|(file, _)| file.path.to_string());
        let Some(path) = path else {
            return Err("The change adds no test that a test tool would run, and changes none.".to_owned());
        };
        let selection = selected.into_iter().flat_map(|(_, tests)| tests).collect();
        let form = Form::Project { added, selection };
        Ok(EditedTest { test: ReproductionTest { id, path, failing: Vec::new(), form }, left_out })
    }

    /// The names by which the project's tool runs the tests of a file that a change adds or alters.
    fn changed_tests(&self, language: Language, file: &FileChange) -> Vec<TestId> {
        let path = file.path.as_str();
        if Language::of_path(file.path.as_path()) != Some(language) {
            return Vec::new();
        }
        let (before, after) = (source_of(file.before.as_deref()), source_of(file.after.as_deref()));
        if file.before.is_none() {
            return if is_runnable(path) {
                selection(self.detected(), path, after.text(), false)
            } else {
                Vec::new()
            };
        }
        let Some(writing) = ecosystems::writing(Some(language)) else { return Vec::new() };
        let known = texts(&outline(language, &before), &before);
        let declared = outline(language, &after);
        let rules = &language.entry().tests;
        let is_wanted = |method: &Method| rules.is_test(method) && !known.contains(&text_of(method, &after));
        let name = |parts: Vec<&str>| writing.name(self.detected(), path, after.text(), &parts);
        let functions = declared.functions.iter().filter(|function| is_wanted(function));
        let mut found: Vec<TestId> = functions.map(|function| name(vec![&function.name])).collect();
        let mut open: Vec<(Vec<&str>, &Class)> =
            declared.classes.iter().rev().map(|class| (vec![class.name.as_str()], class)).collect();
        while let Some((around, class)) = open.pop() {
            let methods = class.methods.iter().filter(|method| is_wanted(method));
            found.extend(methods.map(|method| name([around.as_slice(), &[method.name.as_str()]].concat())));
            open.extend(class.classes.iter().rev().map(|inner| {
                let mut parts = around.clone();
                parts.push(&inner.name);
                (parts, inner)
            }));
        }
        found
    }
}

/// The file that holds a test with the same body as each one that a change adds, where there is one: then nothing new is tested. Blocking
/// work: all files of tests are read.
pub fn repeated_test(project: &Project, added: &Applied) -> Option<String> {
    let bodies: Vec<Vec<String>> = added.files.iter().flat_map(new_bodies).collect();
    if bodies.is_empty() {
        return None;
    }
    let files = project.files().unwrap_or_default();
    let tests = files.iter().filter(|path| is_runnable(path.as_str()));
    let holds = |path: &&ProjectPath| {
        let Ok(file) = project.read(path) else { return false };
        let lines = telling_lines(file.text());
        bodies.iter().all(|body| lines.windows(body.len()).any(|window| window == body.as_slice()))
    };
    tests.into_iter().find(holds).map(ToString::to_string)
}

/// Is true if a change of a file belongs to a test: a file of tests, or what lies with them.
fn belongs_to_tests(path: &str, layout: &TestLayout) -> bool {
    let path = path.trim_start_matches("./");
    let name = path.rsplit('/').next().unwrap_or(path);
    let folders = path.split('/').rev().skip(1);
    let is_code = Language::of_path(Path::new(path)).is_some();
    is_runnable(path)
        || Language::of_path(Path::new(path))
            .is_some_and(|language| language.entry().tests.helpers.contains(&name))
        || is_below(path, &layout.folder)
        || (folders.into_iter().any(|folder| TEST_FOLDERS.contains(&folder))
            && (is_code || !is_build_file(name)))
}

/// Is true if the name is one of those that say how a project is built or tested.
fn is_build_file(name: &str) -> bool {
    ["toml", "cfg", "ini", "xml", "gradle"].iter().any(|extension| has_extension(name, extension))
}

/// The texts of all methods of a file.
fn texts(declared: &Outline, source: &Source) -> BTreeSet<(String, String)> {
    declared.all_methods().into_iter().map(|(_, method)| text_of(method, source)).collect()
}

/// The bodies of the tests that a file has after a change and not before, without what is not told by them: blank lines and indentation.
fn new_bodies(file: &FileChange) -> Vec<Vec<String>> {
    let Some(language) = Language::of_path(file.path.as_path()) else { return Vec::new() };
    let (before, after) = (source_of(file.before.as_deref()), source_of(file.after.as_deref()));
    let declared = outline(language, &after);
    let known = texts(&outline(language, &before), &before);
    let rules = &language.entry().tests;
    let methods = declared.all_methods().into_iter().map(|(_, method)| method);
    let new = methods.filter(|method| rules.is_test(method) && !known.contains(&text_of(method, &after)));
    let body = |method: &Method| {
        let lines = after.lines();
        let rows = method.declaration_line as usize..(method.lines.last as usize).min(lines.len());
        telling_lines(&lines.get(rows).unwrap_or_default().join("\n"))
    };
    new.map(body).filter(|body| body.len() >= LEAST_REPEATED).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn production_files_are_no_part_of_a_test() {
        let layout = |folder: &str| TestLayout {
            framework: Some("pytest"),
            folder: folder.to_owned(),
            holds_most: true,
            language: Language::by_name("python"),
        };
        let check = |path: &str, expect: bool| {
            assert_eq!(belongs_to_tests(path, &layout("tests")), expect, "{path}");
        };
        check("tests/test_a.py", true);
        check("./tests/data/a.txt", true);
        check("shop/tests/helpers.py", true);
        check("shop/test_rates.py", true);
        check("conftest.py", true);
        check("shop/rates.py", false);
        check("setup.cfg", false);
        check("other/tests/tox.ini", false);
        check("src/test/java/a/ATest.java", true);
    }

    #[test]
    fn the_body_of_a_test_is_known_without_its_name() {
        let change = |after: &str| FileChange {
            path: ProjectPath::new("tests/test_a.py").unwrap(),
            before: Some(b"def test_old():\n    x = 1\n    assert x\n".to_vec()),
            after: Some(after.as_bytes().to_vec()),
        };
        let after = "def test_old():\n    x = 1\n    assert x\n\n\n@mark\ndef test_new():\n    y = 2\n\n    assert y\n";
        assert_eq!(new_bodies(&change(after)), [["y = 2", "assert y"]]);
        assert!(new_bodies(&change("def test_old():\n    x = 1\n    assert x\n")).is_empty());
    }
}
