//! Predictions: rows with a diff, or with the custom blocks of SWT-Bench; and what of them are tests.

mod files;

use std::path::Path;

use patchwright_edits::diff::{FilePatch, Patch};
use patchwright_edits::formats::{EditFormat, read_edits_for};
use patchwright_edits::{EditRules, apply};
use patchwright_suites::LoadError;
use patchwright_swe_bench::{Dataset, PredictedPatch, Prediction, Predictions, Row, is_test};
use patchwright_syntax::Project;

pub(crate) use self::files::{added_files, changes_of_tests, lost_lines, production_files};
use crate::dataset::Benchmark;
use crate::layout::GOLD;

/// Reads predictions in the official forms: a list or lines of `instance_id`, `model_name_or_path`, `model_patch`. Those of TDD-Bench name
/// no model; it is called by the file then.
///
/// # Errors
/// A file that cannot be read, or has no prediction for a case of the dataset.
pub fn load(path: &Path, dataset: &Dataset, benchmark: Benchmark) -> Result<Predictions, LoadError> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let unnamed = (benchmark == Benchmark::Tdd).then_some(&*stem);
    Predictions::load_as(path, dataset, unnamed)
}

/// The golden tests as predictions: a check of the dataset. The model is called `gold`.
pub fn gold(dataset: &Dataset) -> Predictions {
    let gold = |row: &Row| Prediction {
        instance_id: row.instance_id.clone(),
        model: GOLD.to_owned(),
        patch: PredictedPatch::Text(row.test_patch.clone()),
    };
    Predictions::new(dataset.rows().iter().map(gold))
}

/// A prediction without its binary files, as the official program applies it: all lines end with `\n`, that of an empty prediction too.
///
/// Official place: `remove_binary_diffs` in `src/auxillary_src/extract_patches.py`.
pub fn without_binaries(prediction: &str) -> String {
    let mut files: Vec<Vec<&str>> = vec![Vec::new()];
    for line in python_lines(prediction) {
        if line.starts_with("diff --git") {
            files.push(Vec::new());
        }
        if let Some(file) = files.last_mut() {
            file.push(line);
        }
    }
    let is_text = |file: &&Vec<&str>| !file.iter().any(|line| line.contains("Binary files"));
    let kept: Vec<String> =
        files.iter().filter(|file| !file.is_empty()).filter(is_text).map(|file| file.join("\n")).collect();
    kept.join("\n") + "\n"
}

/// Is true if there is nothing in a prediction that could be applied.
pub fn is_empty(prediction: &Prediction) -> bool {
    match &prediction.patch {
        PredictedPatch::Text(text) => text.trim().is_empty(),
        PredictedPatch::Null => true,
        PredictedPatch::Unknown => false,
    }
}

/// The first line of prose around a diff, if there is some.
pub(crate) fn prose(prediction: &str) -> Option<&str> {
    const OF_DIFFS: [&str; 19] = [
        "diff ",
        "index ",
        "@@ ",
        "old mode",
        "new mode",
        "new file",
        "deleted file",
        "similarity ",
        "dissimilarity ",
        "rename ",
        "copy ",
        "Binary files ",
        "GIT binary",
        "\\ ",
        " ",
        "\t",
        "+",
        "-",
        "\r",
    ];
    // Behind it stand letters in no order.
    let has_binary = prediction.contains("GIT binary patch");
    let is_diff = Patch::parse(prediction.as_bytes()).is_ok_and(|patch| !patch.files.is_empty());
    let lines = prediction.lines().filter(|line| !line.is_empty());
    let before = lines.take_while(|line| (is_diff && !has_binary) || !line.starts_with("diff --git "));
    let mut prose = before.filter(|line| !OF_DIFFS.iter().any(|start| line.starts_with(start)));
    prose.next().filter(|_| prediction.contains("diff --git ") || is_diff)
}

/// The lines of a text as Python's `splitlines` has them: form feeds and some separators end one too.
fn python_lines(text: &str) -> Vec<&str> {
    const ENDS: [char; 10] =
        ['\n', '\r', '\u{b}', '\u{c}', '\u{1c}', '\u{1d}', '\u{1e}', '\u{85}', '\u{2028}', '\u{2029}'];
    let mut lines = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let Some(at) = rest.find(ENDS) else {
            lines.push(rest);
            break;
        };
        lines.push(&rest[..at]);
        let end = &rest[at..];
        let length = if end.starts_with("\r\n") { 2 } else { end.chars().next().map_or(1, char::len_utf8) };
        rest = &end[length..];
    }
    lines
}

/// The tests of a prediction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestPatch {
    /// A diff of files with tests only, in git's form.
    pub diff: String,
    /// Files that the prediction changes too, and that are no tests: with its own fix a test passes before the golden patch.
    pub dropped: Vec<String>,
    /// What was repaired on the way.
    pub notes: Vec<String>,
}

/// The reason why a prediction has no tests that can be applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoTests {
    /// It is empty.
    Empty,
    /// There is no diff and no block in it.
    NoEdits(String),
    /// It changes only files that are no tests; these.
    OnlyProduction(Vec<String>),
    /// It does not fit the project.
    DoesNotApply(String),
    /// It can only be read with the files of the project at hand.
    NeedsProject,
}

impl std::fmt::Display for NoTests {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Empty => write!(formatter, "it is empty"),
            Self::NoEdits(problem) => write!(formatter, "no tests can be read from it: {problem}"),
            Self::OnlyProduction(files) => {
                write!(
                    formatter,
                    "it changes no test, only {}; write tests into test files",
                    files.join(", ")
                )
            }
            Self::DoesNotApply(problem) => write!(formatter, "it does not apply: {problem}"),
            Self::NeedsProject => {
                write!(formatter, "its edits are no exact diff, so the project's files are needed")
            }
        }
    }
}

impl TestPatch {
    /// The tests of an exact diff, with prose around it or not. With a project the diff is tried on its files; what is no exact diff
    /// (custom blocks, hunks with wrong counts or lines) is worked out against them.
    ///
    /// # Errors
    /// Nothing in it can be applied to tests.
    pub fn of(prediction: &str, project: Option<&Project>) -> Result<Self, NoTests> {
        if prediction.trim().is_empty() {
            return Err(NoTests::Empty);
        }
        let exact = Patch::parse(prediction.as_bytes()).ok().filter(|patch| !patch.is_empty());
        match (exact, project) {
            (Some(patch), None) => Self::filtered(patch, prediction),
            (Some(patch), Some(project)) => {
                let tests = Self::filtered(patch, prediction)?;
                match applies(&tests.diff, project) {
                    Ok(()) => Ok(tests),
                    Err(_) => Self::worked_out(prediction, None, project),
                }
            }
            (None, Some(project)) => {
                let format = is_custom(prediction).then_some(EditFormat::Swt);
                Self::worked_out(prediction, format, project)
            }
            (None, None) => Err(NoTests::NeedsProject),
        }
    }

    /// Is true if it changes no file that is there.
    pub(crate) fn adds_files(&self) -> bool {
        Patch::readable(self.diff.as_bytes()).files.iter().all(|file| file.old_path().is_none())
    }

    /// The files of a diff that are tests.
    fn filtered(patch: Patch, prediction: &str) -> Result<Self, NoTests> {
        let path =
            |file: &FilePatch| file.new_path().or_else(|| file.old_path()).unwrap_or_default().to_owned();
        let is_binary = |file: &FilePatch| file.binary.is_some();
        let (tests, others): (Vec<FilePatch>, Vec<FilePatch>) =
            patch.files.into_iter().partition(|file| touches_tests_only(file) && !is_binary(file));
        let dropped: Vec<String> = others.iter().map(path).collect();
        if tests.is_empty() {
            return Err(NoTests::OnlyProduction(dropped));
        }
        let diff = Patch { files: tests }.text();
        let mut notes = Vec::new();
        if let Some(first) = prose(prediction) {
            notes.push(format!("what stands around the diff is left out, such as `{first}`"));
        }
        Ok(Self { diff, dropped, notes })
    }

    /// The tests of edits in any form, worked out against the files of the project.
    fn worked_out(prediction: &str, format: Option<EditFormat>, project: &Project) -> Result<Self, NoTests> {
        let reading = read_edits_for(project, prediction, format);
        let reading = reading.map_err(|error| NoTests::NoEdits(error.to_string()))?;
        let (tests, others): (Vec<_>, Vec<_>) =
            reading.edits.into_iter().partition(|edit| is_test(&edit.file_path));
        let mut dropped: Vec<String> = others.into_iter().map(|edit| edit.file_path).collect();
        dropped.dedup();
        if tests.is_empty() {
            return Err(NoTests::OnlyProduction(dropped));
        }
        let applied = apply(project, &tests, &EditRules::default());
        let applied = applied.map_err(|error| NoTests::DoesNotApply(error.to_string()))?;
        let mut notes = vec![format!("the edits ({}) were worked out against the project", reading.format)];
        notes.extend(reading.repairs.iter().map(ToString::to_string));
        Ok(Self { diff: applied.diff(), dropped, notes })
    }
}

/// Tries an exact diff on the files of a project.
fn applies(diff: &str, project: &Project) -> Result<(), NoTests> {
    for file in Patch::readable(diff.as_bytes()).files {
        let read = |path: &str| {
            patchwright_folder::read_file(&project.root().join(path), patchwright_folder::LONGEST_FILE)
                .map_err(|error| NoTests::DoesNotApply(format!("{path}: {error}")))
        };
        let before = file.old_path().map_or(Ok(Vec::new()), read)?;
        file.applied(&before).map_err(|error| NoTests::DoesNotApply(error.to_string()))?;
    }
    Ok(())
}

fn touches_tests_only(file: &FilePatch) -> bool {
    let paths = [file.old_path(), file.new_path()];
    paths.iter().flatten().all(|path| is_test(path)) && paths.iter().any(Option::is_some)
}

/// Is true if the text has a custom block: a line `diff` alone, then a path, then `rewrite` or `insert`.
pub(crate) fn is_custom(text: &str) -> bool {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    lines.windows(3).any(|lines| {
        matches!(lines, ["diff", _, word] if word.eq_ignore_ascii_case("rewrite") || word.eq_ignore_ascii_case("insert"))
    })
}

/// The script of a prediction that is one: the file of this path, or the only file in Python that it adds.
pub(crate) fn script_of(diff: &str, name: Option<&str>) -> Result<String, String> {
    let added = added_files(diff);
    if let Some(name) = name {
        return if added.iter().any(|path| path == name) {
            Ok(name.to_owned())
        } else {
            Err(format!("the field `model_patch` adds no file {name}, the script that --script-name names"))
        };
    }
    let mut scripts: Vec<String> = added
        .into_iter()
        .filter(|path| Path::new(path).extension().is_some_and(|extension| extension == "py"))
        .collect();
    match (scripts.pop(), scripts.is_empty()) {
        (Some(script), true) => Ok(script),
        (Some(last), false) => Err(format!(
            "the field `model_patch` adds several files in Python ({}, {last}); say with --script-name which is the script",
            scripts.join(", ")
        )),
        (None, _) => {
            Err("the field `model_patch` adds no file in Python, so there is no script to run".to_owned())
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::fs;

    use super::*;

    const TEST: &str = "diff --git a/tests/test_m.py b/tests/test_m.py\n--- a/tests/test_m.py\n+++ b/tests/test_m.py\n@@ -1,2 +1,5 @@\n def test_a():\n     pass\n+\n+def test_b():\n+    assert False\n";
    const FIX: &str = "diff --git a/m.py b/m.py\n--- a/m.py\n+++ b/m.py\n@@ -1 +1 @@\n-a = 1\n+a = 2\n";

    fn project() -> (tempfile::TempDir, Project) {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("tests")).unwrap();
        fs::write(folder.path().join("tests/test_m.py"), "def test_a():\n    pass\n").unwrap();
        fs::write(folder.path().join("m.py"), "a = 1\n").unwrap();
        let project = Project::open(folder.path()).unwrap();
        (folder, project)
    }

    #[test]
    fn tests_are_kept_and_other_files_are_told() {
        let (_folder, project) = project();
        let check = |prediction: &str, dropped: &[&str], notes: usize| {
            for project in [None, Some(&project)] {
                let tests = TestPatch::of(prediction, project).unwrap();
                assert_eq!(tests.diff, TEST, "{prediction}");
                assert_eq!(
                    (tests.dropped.as_slice(), tests.notes.len()),
                    (dropped.iter().map(ToString::to_string).collect::<Vec<_>>().as_slice(), notes)
                );
            }
        };
        check(TEST, &[], 0);
        check(&format!("{FIX}{TEST}"), &["m.py"], 0);
        check(&format!("Here is the test:\n\n{TEST}"), &[], 1);
    }

    #[test]
    fn what_is_no_exact_diff_is_worked_out_against_the_project() {
        let (_folder, project) = project();
        // The counts of the hunk are wrong, and the first line is another one.
        let damaged = TEST.replace("@@ -1,2 +1,5 @@", "@@ -7,9 +7,3 @@");
        let custom = "```custom-diff\ndiff\ntests/test_m.py\ninsert\nEOF\ndef test_b():\n    assert False\nend diff\n```\n";
        for prediction in [damaged.as_str(), custom] {
            assert_eq!(TestPatch::of(prediction, None), Err(NoTests::NeedsProject), "{prediction}");
            let tests = TestPatch::of(prediction, Some(&project)).unwrap();
            assert!(tests.diff.contains("+def test_b():") && !tests.notes.is_empty(), "{tests:?}");
        }
    }

    #[test]
    fn predictions_without_tests_say_why() {
        let (_folder, project) = project();
        let check = |prediction: &str, expect: &str| {
            let problem = TestPatch::of(prediction, Some(&project)).unwrap_err().to_string();
            assert!(problem.contains(expect), "{problem}");
        };
        check(" \n", "empty");
        check(FIX, "only m.py");
        check("I cannot write one.", "no tests can be read");
        check(
            &TEST.replace(" def test_a():\n     pass", " def test_zzz():\n     return 7"),
            "does not apply",
        );
    }

    #[test]
    fn lines_that_tests_lose_are_counted() {
        let check = |diff: &str, expect: usize| {
            let lost = lost_lines(diff);
            assert_eq!(lost.iter().map(|(_, count)| count).sum::<usize>(), expect, "{diff}: {lost:?}");
        };
        check(TEST, 0);
        check(FIX, 1);
        let changed = TEST.replace("     pass\n+\n", "-    pass\n+    a = 1\n");
        check(&changed, 1);
        // It only moves.
        check(&changed.replace("+    a = 1", "+        pass"), 0);
    }

    #[test]
    fn prose_is_found_before_and_behind_a_diff() {
        let check = |text: &str, expect: Option<&str>| assert_eq!(prose(text), expect, "{text}");
        check(TEST, None);
        check(&format!("{FIX}\n{TEST}"), None);
        check(&format!("Here is the test:\n\n{TEST}"), Some("Here is the test:"));
        check(&format!("```diff\n{TEST}```\n"), Some("```diff"));
        check(&format!("{TEST}It fails before the fix.\n"), Some("It fails before the fix."));
        check("It always fails.", None);
    }

    #[test]
    fn binary_files_go_and_the_last_line_ends() {
        let check = |prediction: &str, expect: &str| assert_eq!(without_binaries(prediction), expect);
        check(TEST, TEST);
        check("", "\n");
        check(&format!("diff --git a/x b/x\nBinary files a/x and b/x differ\n{TEST}"), TEST);
        check("prose\u{c}more", "prose\nmore\n");
    }
}
