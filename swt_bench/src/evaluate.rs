//! Predictions run in containers: six runs of a case, or two for TDD-Bench, whose logs lie in the official layout and are graded like all
//! logs.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::lock::{Mutex, OwnedMutexGuard};
use patchwright_folder::atomic::replace;
use patchwright_lanes::own_files;
use patchwright_swe_bench::{
    ContainerScript, Dataset, ImageNames, ImageStore, Prediction, Predictions, Row, ScriptOutput, Specs,
    folder_of, project_of,
};
use patchwright_syntax::Project;
use tokio_util::sync::CancellationToken;

use crate::grade::RunKind;
use crate::layout::{Layout, ModelRun, PATCH, TEST_OUTPUT, sha256, tests_of};
use crate::predictions::{NoTests, TestPatch, is_custom, is_empty, script_of, without_binaries};
use crate::script::{TRACER, TRACER_PATH, script};

/// What was run, beside its log.
pub(crate) const SCRIPT: &str = "eval.sh";
/// In what it was run, beside the log too.
const INPUTS: &str = "run_inputs.json";

/// The part of a prediction that is run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Applied {
    /// All of it, as officially.
    #[default]
    Whole,
    /// Its test files only.
    TestsOnly,
}

/// The runs of a case that are made; grading needs all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunPlan {
    /// Those of SWT-Bench.
    Tests(Vec<RunKind>),
    /// All six of SWT-Bench with a script in place of tests (`--exec_mode reproduction_script`): the one of this path, or the only one
    /// that the prediction adds.
    Script(Option<String>),
    /// Those of TDD-Bench: without the golden patch, and with it.
    BeforeAndAfter,
}

/// Settings for runs in containers.
#[derive(Debug)]
pub struct TestRuns {
    /// The names of images.
    pub names: ImageNames,
    /// The images.
    pub store: ImageStore,
    /// The commands of projects.
    pub specs: Specs,
    /// The part of predictions that is run.
    pub applied: Applied,
    /// The runs of a case that are made.
    pub plan: RunPlan,
    /// The time that one run may take; 30 minutes officially.
    pub time: Duration,
    /// Is true if the network may be reached.
    pub network: bool,
    /// Cases at once.
    pub workers: usize,
    /// The folder with all logs: officially `run_instance_swt_logs`, and for TDD-Bench `logs/run_evaluation`.
    pub root: PathBuf,
    /// The name of the run; a part of paths.
    pub run_id: String,
    /// Make runs anew whose logs are there.
    pub again: bool,
    /// Ends early what is under way, with its containers.
    pub cancel: CancellationToken,
}

/// What came of a case; its logs are there if there is no problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseRuns {
    /// The case.
    pub instance_id: String,
    /// The number of runs that were made now; others were there.
    pub made: usize,
    /// What people should know.
    pub notes: Vec<String>,
    /// The reason why there are no logs, or not all.
    pub problem: Option<String>,
}

impl TestRuns {
    /// Runs predictions. `told` hears of each case as soon as it is done. A run with the golden tests or without new ones is not made
    /// again where its log is there and was made by the same script and tracer in the same image, with the network or without it; of the
    /// models that share it, it is made once in any case. An empty prediction is not run.
    pub async fn run(
        &self,
        dataset: &Dataset,
        predictions: &Predictions,
        told: impl Fn(&CaseRuns),
    ) -> Vec<CaseRuns> {
        let known = predictions
            .list()
            .iter()
            .filter_map(|prediction| Some((dataset.get(&prediction.instance_id)?, prediction)));
        let work: Vec<(&Row, &Prediction)> = known.collect();
        let shared = SharedRuns::default();
        let cases = work.into_iter().map(|(row, prediction)| self.case(row, prediction, &shared));
        let mut cases = futures_util::stream::iter(cases).buffer_unordered(self.workers.max(1));
        let mut done = Vec::new();
        while let Some(case) = cases.next().await {
            told(&case);
            done.push(case);
        }
        done
    }

    async fn case(&self, row: &Row, prediction: &Prediction, shared: &SharedRuns) -> CaseRuns {
        let mut runs =
            CaseRuns { instance_id: row.instance_id.clone(), made: 0, notes: Vec::new(), problem: None };
        let made = self.cancel.run_until_cancelled(self.runs(row, prediction, shared, &mut runs)).await;
        runs.problem = made.unwrap_or_else(|| Err("it was ended early".to_owned())).err();
        runs
    }

    async fn runs(
        &self,
        row: &Row,
        prediction: &Prediction,
        shared: &SharedRuns,
        runs: &mut CaseRuns,
    ) -> Result<(), String> {
        if is_empty(prediction) {
            runs.notes.push("the prediction is empty".to_owned());
            return Ok(());
        }
        let text = prediction.text().ok_or("the prediction is not known")?;
        let image = self.names.of(row);
        let here = self.store.take(&image).await.map_err(|error| error.to_string())?;
        let made = match self.patch(row, text, &image, runs).await {
            Ok(patch) => {
                let case = CaseInputs { row, prediction, patch: &patch, image: &image, image_id: &here.id };
                self.made(case, shared, runs).await
            }
            Err(problem) => Err(problem),
        };
        self.store.give_back(&image).await;
        made
    }

    /// The part of a prediction that is run, as an exact diff. Custom blocks, and what else is none where only tests are run, are worked
    /// out against the project as the image has it.
    async fn patch(&self, row: &Row, text: &str, image: &str, runs: &mut CaseRuns) -> Result<String, String> {
        let read = match self.applied {
            Applied::Whole if !is_custom(text) => return whole(text, &self.plan),
            Applied::Whole => Err(NoTests::NeedsProject),
            // Whether hunks fit is known where the files are.
            Applied::TestsOnly => TestPatch::of(text, None)
                .and_then(|tests| if tests.adds_files() { Ok(tests) } else { Err(NoTests::NeedsProject) }),
        };
        let tests = match read {
            Err(NoTests::NeedsProject) => worked_out(row, text, image).await?,
            read => read.map_err(|problem| problem.to_string())?,
        };
        if !tests.dropped.is_empty() {
            runs.notes.push(format!("files that are no tests are left out: {}", tests.dropped.join(", ")));
        }
        runs.notes.extend(tests.notes);
        Ok(tests.diff)
    }

    async fn made(
        &self,
        case: CaseInputs<'_>,
        shared: &SharedRuns,
        runs: &mut CaseRuns,
    ) -> Result<(), String> {
        match &self.plan {
            RunPlan::Tests(kinds) => self.kinds(case, kinds, None, shared, runs).await,
            RunPlan::Script(name) => {
                let script = script_of(case.patch, name.as_deref())?;
                self.kinds(case, &RunKind::ALL, Some(&script), shared, runs).await
            }
            RunPlan::BeforeAndAfter => self.before_and_after(case, runs).await,
        }
    }

    /// Makes the runs of SWT-Bench: of tests, or of a script.
    async fn kinds(
        &self,
        case: CaseInputs<'_>,
        kinds: &[RunKind],
        reproduction: Option<&str>,
        shared: &SharedRuns,
        runs: &mut CaseRuns,
    ) -> Result<(), String> {
        let CaseInputs { row, prediction, patch, .. } = case;
        let model = ModelRun { run_id: self.run_id.clone(), model: folder_of(&prediction.model) };
        let layout = Layout::at(&self.root, vec![model.clone()]);
        for kind in kinds.iter().copied() {
            let script =
                script(row, &self.specs, kind, patch, reproduction).map_err(|error| error.to_string())?;
            let tests = tests_of(kind, &row.repo, patch, &row.test_patch);
            let folder = layout.folder(kind, &model, &row.instance_id, &tests);
            let log = folder.join(TEST_OUTPUT);
            let mut is_made = if kind.is_shared() { Some(shared.begin(&folder).await) } else { None };
            let inputs = run_inputs(case, self.network);
            let same = [(SCRIPT, &script), (INPUTS, &inputs)]
                .iter()
                .all(|(file, own)| fs::read_to_string(folder.join(file)).is_ok_and(|known| known == **own));
            let may_stay = is_made.as_deref().is_some_and(|made| *made || !self.again);
            if may_stay && same && log.is_file() {
                continue;
            }
            let disk = |error: std::io::Error| format!("{}: {error}", folder.display());
            prepared(&folder, &[(PATCH, patch), (SCRIPT, &script), (INPUTS, &inputs)]).map_err(disk)?;
            let ran = self.ran(case, kind.name(), &[(TRACER_PATH, TRACER)], &script, runs).await?;
            if ran.timed_out {
                // Officially such a run leaves no log, and nothing of the case is graded.
                return Err(self.too_long(kind.name()));
            }
            replace(&log, ran.output).map_err(disk)?;
            if let Some(made) = &mut is_made {
                **made = true;
            }
        }
        Ok(())
    }

    /// Runs a script in a container of its own and counts it.
    pub(crate) async fn ran(
        &self,
        case: CaseInputs<'_>,
        name: &str,
        files: &[(&str, &str)],
        script: &str,
        runs: &mut CaseRuns,
    ) -> Result<ScriptOutput, String> {
        let run = ContainerScript {
            image: case.image,
            session: &format!("tests-{}", self.run_id),
            files,
            script,
            time: self.time,
            network: self.network,
        };
        let ran = run.run().await.map_err(|error| format!("{name}: {error}"))?;
        runs.made += 1;
        runs.notes.extend(ran.notes.iter().map(|note| format!("{name}: {note}")));
        Ok(ran)
    }

    pub(crate) fn too_long(&self, name: &str) -> String {
        format!("{name}: the tests took longer than {} s", self.time.as_secs())
    }
}

/// The runs that the predictions of several models share, by their folders: nobody begins one that another is making.
#[derive(Debug, Default)]
struct SharedRuns(std::sync::Mutex<HashMap<PathBuf, Arc<Mutex<bool>>>>);

impl SharedRuns {
    /// Waits until nobody makes the run of this folder, and keeps others from it; says whether it was made already, and is told so.
    async fn begin(&self, folder: &Path) -> OwnedMutexGuard<bool> {
        let one = {
            let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(all.entry(folder.to_owned()).or_default())
        };
        one.lock_owned().await
    }
}

/// A prediction that is run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CaseInputs<'a> {
    pub row: &'a Row,
    pub prediction: &'a Prediction,
    /// What of it is applied.
    pub patch: &'a str,
    pub image: &'a str,
    /// The digest of the image's content.
    pub image_id: &'a str,
}

/// What a run depends on beside its script, as it is kept beside its log.
fn run_inputs(case: CaseInputs<'_>, network: bool) -> String {
    let inputs = serde_json::json!({
        "format": "patchwright-run-inputs",
        "image": case.image,
        "image_id": case.image_id,
        "network": network,
        "tracer": sha256(TRACER),
    });
    format!("{inputs}\n")
}

/// A prediction that is applied as it stands.
fn whole(text: &str, plan: &RunPlan) -> Result<String, String> {
    if !text.contains("diff --git ") {
        // Officially all tests of the project are run then, and the prediction is not applied to any.
        return Err("the field `model_patch` holds no diff in git's form (`diff --git a/… b/…`), so there is nothing to run".to_owned());
    }
    Ok(match plan {
        RunPlan::Tests(_) | RunPlan::Script(_) => without_binaries(text),
        RunPlan::BeforeAndAfter => text.to_owned(),
    })
}

/// The tests of a prediction that is no exact diff.
async fn worked_out(row: &Row, text: &str, image: &str) -> Result<TestPatch, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    project_of(image, &row.base_commit, folder.path()).await?;
    let text = text.to_owned();
    let worked_out = patchwright_blocking::spawn(move |_| {
        let project = Project::open(folder.path()).map_err(|error| error.to_string())?;
        TestPatch::of(&text, Some(&project)).map_err(|problem| problem.to_string())
    });
    worked_out.await.map_err(|error| error.to_string())?
}

/// Makes the folder of a run, without what an earlier one left there.
fn prepared(folder: &Path, files: &[(&str, &str)]) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    match fs::remove_file(folder.join(TEST_OUTPUT)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    // They are as the official program writes them, and so carry no mark.
    own_files::note(folder, &[PATCH, SCRIPT, TEST_OUTPUT])?;
    files.iter().try_for_each(|(file, text)| replace(&folder.join(file), text))
}

#[cfg(test)]
mod tests {
    use patchwright_swe_bench::PredictedPatch;

    use super::*;

    #[tokio::test]
    async fn a_shared_run_is_begun_by_one_and_known_to_the_next() {
        let shared = SharedRuns::default();
        let (one, other) = (Path::new("gold_pre/a"), Path::new("gold_pre/b"));
        let mut first = shared.begin(one).await;
        let second = shared.begin(one);
        assert!(futures_util::FutureExt::now_or_never(second).is_none(), "somebody is making it");
        assert!(!*shared.begin(other).await);
        *first = true;
        drop(first);
        assert!(*shared.begin(one).await);
    }

    #[test]
    fn network_and_content_of_the_image_make_another_run() {
        let row = Row::default();
        let patch = PredictedPatch::Null;
        let prediction = Prediction { instance_id: String::new(), model: String::new(), patch };
        let of = |image_id, network| {
            let case =
                CaseInputs { row: &row, prediction: &prediction, patch: "", image: "a:latest", image_id };
            run_inputs(case, network)
        };
        assert_eq!(of("sha256:1", true), of("sha256:1", true));
        assert_ne!(of("sha256:1", true), of("sha256:1", false));
        assert_ne!(of("sha256:1", true), of("sha256:2", true));
    }
}
