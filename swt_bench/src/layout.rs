//! Where the official program keeps logs: `run_instance_swt_logs`, with a folder for each run and six kinds of logs.

use std::fs;
use std::path::{Path, PathBuf};

use patchwright_suites::LoadError;
use patchwright_swe_bench::{Prediction, directives_of, folder_of};
use ring::digest;

use crate::grade::RunKind;

/// The output of the tests of a run.
pub(crate) const TEST_OUTPUT: &str = "test_output.txt";
/// The prediction as it was applied, in the folder of `pred_pre`.
pub(crate) const PATCH: &str = "model_patch.diff";
/// What was run, as JSON.
pub(crate) const SPEC: &str = "exec_spec.json";
/// The model whose predictions are the golden tests.
pub(crate) const GOLD: &str = "gold";
/// The official name of the folder of all logs.
const OFFICIAL: &str = "run_instance_swt_logs";
/// The beginning of the names of folders with the runs of a model.
const PREDICTED: &str = "pred_pre__";

/// A folder with logs in the official layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    root: PathBuf,
    runs: Vec<ModelRun>,
}

/// The logs of the predictions of one model.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ModelRun {
    /// The name of the run, a folder.
    pub run_id: String,
    /// The model as it names folders.
    pub model: String,
}

impl Layout {
    /// Finds the logs: in the folder named, in its `run_instance_swt_logs`, or, where it is the folder of one run, above it.
    ///
    /// # Errors
    /// There are none, or a folder cannot be read. The message says what the layout is.
    pub fn find(folder: &Path) -> Result<Self, LoadError> {
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        let wrong = |message: String| LoadError { place: folder.display().to_string(), message };
        if !folder.is_dir() {
            return Err(wrong("there is no such folder of logs".to_owned()));
        }
        let own = models(&folder);
        if !own.is_empty() {
            let run_id = name(&folder);
            let root = folder.parent().unwrap_or(&folder).to_owned();
            let runs = own.into_iter().map(|model| ModelRun { run_id: run_id.clone(), model }).collect();
            return Ok(Self { root, runs });
        }
        for root in [folder.clone(), folder.join(OFFICIAL)] {
            let of_run = |run: PathBuf| {
                let run_id = name(&run);
                models(&run).into_iter().map(move |model| ModelRun { run_id: run_id.clone(), model })
            };
            let runs: Vec<ModelRun> = folders(&root).into_iter().flat_map(of_run).collect();
            if !runs.is_empty() {
                return Ok(Self { root, runs });
            }
        }
        Err(wrong(format!(
            "no logs of SWT-Bench are in it; give the folder `{OFFICIAL}`, or that of a run in it, with \
             `{PREDICTED}<model>/<case>/{TEST_OUTPUT}`{}",
            if folder.join("logs/run_evaluation").is_dir() || name(&folder) == "run_evaluation" {
                "; these look like logs of SWE-bench or TDD-Bench: see `swe-bench:FILE` and `tdd-bench:FILE`"
            } else {
                ""
            }
        )))
    }

    /// The layout below a folder that is about to be filled.
    pub fn at(root: &Path, runs: Vec<ModelRun>) -> Self {
        Self { root: root.to_owned(), runs }
    }

    /// The same with what lies there from other runs.
    #[must_use]
    pub fn with_others(mut self) -> Self {
        let others = Self::find(&self.root).map(|found| found.runs).unwrap_or_default();
        self.runs.extend(others);
        self.runs.sort();
        self.runs.dedup();
        self
    }

    /// The runs that have logs, by name of the run and of the model.
    pub fn runs(&self) -> &[ModelRun] {
        &self.runs
    }

    /// The cases that a run has logs of, by name.
    pub fn cases(&self, run: &ModelRun) -> Vec<String> {
        folders(&self.root.join(&run.run_id).join(format!("{PREDICTED}{}", run.model)))
            .iter()
            .map(|folder| name(folder))
            .collect()
    }

    /// The run of a model: the one whose name is given, else the last one by name.
    pub fn of_model(&self, prediction: &Prediction, run_id: Option<&str>) -> Option<&ModelRun> {
        let model = folder_of(&prediction.model);
        let fits = |run: &&ModelRun| run.model == model && run_id.is_none_or(|id| id == run.run_id);
        self.runs.iter().rev().find(fits)
    }

    /// The folder of a log. Logs with the golden tests or without new ones are shared: they lie under the SHA-256 of the test files
    /// that were run, which for runs without new tests are those of the prediction.
    ///
    /// Official places: `get_log_dir` in `src/utils.py`, `test_directive_id` and `make_run_report` in `src/run_evaluation.py`.
    pub fn folder(&self, kind: RunKind, run: &ModelRun, case: &str, tests: &[String]) -> PathBuf {
        if kind.is_shared() {
            return self.root.join(kind.name()).join(case).join(digest_of(tests));
        }
        self.root.join(&run.run_id).join(format!("{}__{}", kind.name(), run.model)).join(case)
    }

    /// The folders of a shared log for other test files.
    pub(crate) fn other_folders(&self, kind: RunKind, case: &str) -> usize {
        folders(&self.root.join(kind.name()).join(case)).len()
    }

    /// The folder of the report on a case.
    pub fn report(&self, run: &ModelRun, case: &str) -> PathBuf {
        self.root.join(&run.run_id).join(&run.model).join(case)
    }

    /// The folder with all logs.
    pub fn root(&self) -> &Path {
        &self.root
    }
}

/// The test files that a run of a case names on its command line. A patch without lines `diff --git` names none, and then all tests of
/// the project run.
///
/// Official place: `get_test_directives` in `src/utils.py`.
pub(crate) fn tests_of(kind: RunKind, repository: &str, predicted: &str, golden: &str) -> Vec<String> {
    match kind {
        RunKind::GoldPre | RunKind::GoldPost => directives_of(golden, repository),
        RunKind::PredPre | RunKind::PredPost | RunKind::BasePre | RunKind::BasePost => {
            directives_of(predicted, repository)
        }
    }
}

/// The name under which a shared log lies.
fn digest_of(tests: &[String]) -> String {
    sha256(&tests.join("__"))
}

/// The SHA-256 of a text in hexadecimal digits.
pub(crate) fn sha256(text: &str) -> String {
    let digest = digest::digest(&digest::SHA256, text.as_bytes());
    digest.as_ref().iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}

/// The models that a folder has logs of.
fn models(run: &Path) -> Vec<String> {
    let names = folders(run).into_iter().map(|folder| name(&folder));
    names.filter_map(|name| name.strip_prefix(PREDICTED).map(str::to_owned)).collect()
}

/// The folders in a folder, by name; none where it cannot be read.
fn folders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut folders: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn shared_logs_lie_under_the_digest_of_their_tests() {
        let layout = Layout::at(Path::new("/logs"), Vec::new());
        let run = ModelRun { run_id: "r".to_owned(), model: "m".to_owned() };
        let check = |kind: RunKind, tests: &[&str], expect: &str| {
            let tests: Vec<String> = tests.iter().map(|test| (*test).to_owned()).collect();
            assert_eq!(layout.folder(kind, &run, "a__a-1", &tests).to_str().unwrap(), expect);
        };
        check(RunKind::PredPost, &["t.py"], "/logs/r/pred_post__m/a__a-1");
        // Of nothing at all, as where a prediction names no file.
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        check(RunKind::BasePre, &[], &format!("/logs/base_pre/a__a-1/{empty}"));
    }

    #[test]
    fn runs_are_found_from_above_and_from_inside() {
        let folder = tempfile::tempdir().unwrap();
        let logs = folder.path().join(OFFICIAL);
        fs::create_dir_all(logs.join("one/pred_pre__m/a__a-1")).unwrap();
        fs::create_dir_all(logs.join("gold_pre/a__a-1")).unwrap();
        for start in [folder.path().to_owned(), logs.clone(), logs.join("one")] {
            let found = Layout::find(&start).unwrap();
            assert_eq!(found.root(), logs, "{}", start.display());
            assert_eq!(found.runs(), [ModelRun { run_id: "one".to_owned(), model: "m".to_owned() }]);
            assert_eq!(found.cases(&found.runs()[0]), ["a__a-1"]);
        }
        let error = Layout::find(&logs.join("gold_pre")).unwrap_err();
        assert!(error.message.contains("pred_pre__<model>"), "{error}");
    }
}
