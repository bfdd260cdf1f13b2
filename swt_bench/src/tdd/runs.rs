//! The runs of TDD-Bench in containers: which test functions a prediction adds or changes, and these before and after the golden patch.

use std::fs;
use std::path::Path;

use patchwright_detection::adapters::shell_word;
use patchwright_folder::atomic::replace;
use patchwright_lanes::own_files;
use patchwright_swe_bench::folder_of;
use patchwright_syntax::{Language, Source, outline};

use super::functions::{Functions, contributing};
use super::logs::{BEFORE, COMBINED, NOT_APPLIED, OUTPUT, PATCHES, REPORTED, TddLog};
use super::script::{COUNTER, COUNTER_PATH, applied, script};
use crate::evaluate::{CaseInputs, CaseRuns, SCRIPT, TestRuns};
use crate::head::{GivenPatch, reason};
use crate::script::{TRACER, TRACER_PATH};

/// The fix beside the log of the run with it.
const FIX: &str = "patch.diff";
/// The files that a run leaves.
const OWN: [&str; 5] = [SCRIPT, FIX, COMBINED, OUTPUT, REPORTED];
/// Where script and fix lie in a container.
const SCRIPT_PATH: &str = "/root/eval.sh";
const FIX_PATH: &str = "/tmp/patch.diff";
/// The line before a file of tests.
const MARK: &str = ">>>>> patchwright: a file of tests";

impl TestRuns {
    /// Makes both runs of a case. What is there of earlier ones is removed before.
    ///
    /// Official place: `run_instance` in `tddbench/harness/run_evaluation.py`, which makes them one after the other in one container.
    pub(crate) async fn before_and_after(
        &self,
        case: CaseInputs<'_>,
        runs: &mut CaseRuns,
    ) -> Result<(), String> {
        let id = &case.row.instance_id;
        let run = self.root.join(folder_of(&self.run_id));
        let folders = [format!("{PATCHES}{BEFORE}"), PATCHES.to_owned()].map(|part| run.join(part).join(id));
        for folder in &folders {
            emptied(folder).map_err(|error| disk(folder, &error))?;
        }
        let functions = self.functions(case, runs).await?;
        let script = script(case.row, &self.specs, case.patch, &functions, self.network)
            .map_err(|error| error.to_string())?;
        let [before, after] = folders;
        self.one(case, &before, &script, None, runs).await?;
        self.one(case, &after, &script, Some(&case.row.patch), runs).await
    }

    /// The test functions that are run, each `file::Class::function`; none where whole files are.
    async fn functions(&self, case: CaseInputs<'_>, runs: &mut CaseRuns) -> Result<Vec<String>, String> {
        let functions = contributing(case.patch);
        let shown =
            functions.iter().map(|(file, _)| format!("echo\necho '{MARK}'\ncat -- {}", shell_word(file)));
        let script = format!(
            "cd /testbed\ngit config --global --add safe.directory /testbed\n{}\n{}\n",
            applied(case.patch),
            shown.collect::<Vec<_>>().join("\n")
        );
        let ran = self.ran(case, "the tests", &[], &script, runs).await?;
        // It only looks.
        runs.made -= 1;
        let output = String::from_utf8_lossy(&ran.output).into_owned();
        let mark = format!("\n{MARK}\n");
        let mut parts = output.split(&mark);
        let said = parts.next().unwrap_or_default();
        if let Some(reason) = reason(said) {
            runs.notes.push(GivenPatch::predicted(case.patch, case.row).refused(&reason));
        }
        let files: Vec<&str> = parts.collect();
        Ok(qualified(&functions, &files))
    }

    /// Makes one run, and leaves its log in a folder.
    async fn one(
        &self,
        case: CaseInputs<'_>,
        folder: &Path,
        script: &str,
        fix: Option<&str>,
        runs: &mut CaseRuns,
    ) -> Result<(), String> {
        let name = if fix.is_some() { "after" } else { "before" };
        let write =
            |file: &str, text: &str| replace(&folder.join(file), text).map_err(|error| disk(folder, &error));
        fs::create_dir_all(folder).map_err(|error| disk(folder, &error))?;
        // They are as the official program writes them, and so carry no mark.
        own_files::note(folder, &OWN).map_err(|error| disk(folder, &error))?;
        write(SCRIPT, script)?;
        let mut files = vec![(TRACER_PATH, TRACER), (COUNTER_PATH, COUNTER), (SCRIPT_PATH, script)];
        if let Some(fix) = fix {
            write(FIX, fix)?;
            files.push((FIX_PATH, fix));
        }
        let ran = self.ran(case, name, &files, &around(fix.is_some()), runs).await?;
        let mut log = String::from_utf8_lossy(&ran.output).into_owned();
        if log.starts_with(NOT_APPLIED) {
            // The tests were not run, and the log says why to whoever grades it.
            return write(COMBINED, &log);
        }
        if ran.timed_out {
            log.push_str(&format!("\n\nTimeout error: {} seconds exceeded.", self.time.as_secs()));
        }
        write(COMBINED, &log)?;
        if ran.timed_out {
            return Err(self.too_long(name));
        }
        if let Some(parts) = TddLog::cut(&log) {
            write(OUTPUT, &parts.output)?;
            write(REPORTED, &parts.report)?;
        }
        if log.contains(&format!("+ python3 {COUNTER_PATH}")) {
            let note = format!(
                "there is no coverage.py in the image{}, so lines are counted by our own tracer, which knows no branches",
                if self.network { ", and none could be installed" } else { "" }
            );
            if !runs.notes.contains(&note) {
                runs.notes.push(note);
            }
        }
        Ok(())
    }
}

/// What a container runs: the script, after the fix was applied.
fn around(has_fix: bool) -> String {
    let fix = format!(
        "said=$(git -c safe.directory=/testbed apply -v {FIX_PATH} 2>&1) || patch --batch --fuzz=5 -p1 -i {FIX_PATH} >/dev/null 2>&1 \
         || {{ echo '{NOT_APPLIED}'; echo \"$said\"; exit 1; }}\n"
    );
    let fix = if has_fix { fix.as_str() } else { "" };
    format!("cd /testbed\n{fix}exec /bin/bash {SCRIPT_PATH}\n")
}

/// The functions with their classes. A function that a class has belongs to the last class that has one of its name; others are those of
/// the module that have `test` in their name; what is neither is left out.
///
/// Official place: `get_class_functions`, `get_outer_functions` in `tddbench/harness/run_evaluation.py`.
fn qualified(functions: &Functions, files: &[&str]) -> Vec<String> {
    let Some(python) = Language::by_name("python") else { return Vec::new() };
    let mut found = Vec::new();
    for ((file, names), text) in functions.iter().zip(files) {
        let outline = outline(python, &Source::from_text(*text));
        for name in names {
            let classes = outline.all_classes();
            let class = classes.iter().rev().find(|class| class.methods.iter().any(|own| own.name == *name));
            let is_outer = outline.functions.iter().any(|own| own.qualified == *name);
            match class {
                Some(class) => found.push(format!("{file}::{}::{name}", class.name)),
                None if is_outer => found.push(format!("{file}::{name}")),
                None => {}
            }
        }
    }
    found
}

/// Removes what an earlier run left in a folder.
fn emptied(folder: &Path) -> std::io::Result<()> {
    for file in [&OWN[..], &["report.json"]].concat() {
        match fs::remove_file(folder.join(file)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
    }
    Ok(())
}

fn disk(folder: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", folder.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_named_with_their_classes() {
        let check = |names: &[&str], text: &str, expect: &[&str]| {
            let names = names.iter().map(ToString::to_string).collect();
            assert_eq!(qualified(&vec![("t.py".to_owned(), names)], &[text]), expect, "{text}");
        };
        let text = "class A:\n    def test_a(self):\n        pass\n\nclass B:\n    def test_a(self):\n        def test_in():\n            pass\n\ndef test_b():\n    pass\n";
        check(&["test_a", "test_b"], text, &["t.py::B::test_a", "t.py::test_b"]);
        check(&["test_c"], text, &[]);
        check(&["test_b"], "def test_b(:\n", &["t.py::test_b"]);
        check(&["test_b"], "", &[]);
    }
}
