//! Predictions run in containers: six runs of a case, or two for TDD-Bench, whose logs lie in the official layout and are graded like all
//! logs.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use futures_util::StreamExt;
use patchwright_swe_bench::{
    ContainerScript, Dataset, ImageNames, ImageStore, PredictedPatch, Prediction, Predictions, Row,
    ScriptOutput, Specs, folder_of, project_of,
};
use patchwright_syntax::Project;
use patchwright_testbed::{blocking, own_files};

use crate::grade::RunKind;
use crate::layout::{Layout, ModelRun, PATCH, TEST_OUTPUT, tests_of};
use crate::predictions::{NoTests, TestPatch, is_custom, script_of, without_binaries};
use crate::script::{TRACER, TRACER_PATH, script};

/// What was run, beside its log.
pub(crate) const SCRIPT: &str = "eval.sh";

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
    /// again where its log is there and was made by the same script in this version.
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
        let cases = work.into_iter().map(|(row, prediction)| self.case(row, prediction));
        let mut cases = futures_util::stream::iter(cases).buffer_unordered(self.workers.max(1));
        let mut done = Vec::new();
        while let Some(case) = cases.next().await {
            told(&case);
            done.push(case);
        }
        done
    }

    async fn case(&self, row: &Row, prediction: &Prediction) -> CaseRuns {
        let mut runs =
            CaseRuns { instance_id: row.instance_id.clone(), made: 0, notes: Vec::new(), problem: None };
        runs.problem = self.runs(row, prediction, &mut runs).await.err();
        runs
    }

    async fn runs(&self, row: &Row, prediction: &Prediction, runs: &mut CaseRuns) -> Result<(), String> {
        let text = match &prediction.patch {
            PredictedPatch::Text(text) if !text.trim().is_empty() => text,
            PredictedPatch::Text(_) | PredictedPatch::Null | PredictedPatch::Unknown => {
                return Err("the prediction is empty".to_owned());
            }
        };
        let image = self.names.of(row);
        self.store.take(&image).await.map_err(|error| error.to_string())?;
        let made = match self.patch(row, text, &image, runs).await {
            Ok(patch) => self.made(row, prediction, &patch, &image, runs).await,
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
            Applied::TestsOnly => TestPatch::of(text, None),
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
        row: &Row,
        prediction: &Prediction,
        patch: &str,
        image: &str,
        runs: &mut CaseRuns,
    ) -> Result<(), String> {
        let case = CaseInputs { row, prediction, patch, image };
        match &self.plan {
            RunPlan::Tests(kinds) => self.kinds(case, kinds, None, runs).await,
            RunPlan::Script(name) => {
                let script = script_of(patch, name.as_deref())?;
                self.kinds(case, &RunKind::ALL, Some(&script), runs).await
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
            let same = fs::read_to_string(folder.join(SCRIPT)).is_ok_and(|known| known == script);
            if kind.is_shared() && same && log.is_file() {
                continue;
            }
            let disk = |error: std::io::Error| format!("{}: {error}", folder.display());
            prepared(&folder, patch, &script).map_err(disk)?;
            let ran = self.ran(case, kind.name(), &[(TRACER_PATH, TRACER)], &script, runs).await?;
            if ran.timed_out {
                // Officially such a run leaves no log, and nothing of the case is graded.
                return Err(self.too_long(kind.name()));
            }
            fs::write(&log, ran.output).map_err(disk)?;
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

/// A prediction that is run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CaseInputs<'a> {
    pub row: &'a Row,
    pub prediction: &'a Prediction,
    /// What of it is applied.
    pub patch: &'a str,
    pub image: &'a str,
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
    let worked_out = blocking::spawn(move |_| {
        let project = Project::open(folder.path()).map_err(|error| error.to_string())?;
        TestPatch::of(&text, Some(&project)).map_err(|problem| problem.to_string())
    });
    worked_out.await.map_err(|error| error.to_string())?
}

/// Makes the folder of a run, without what an earlier one left there.
fn prepared(folder: &Path, patch: &str, script: &str) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    match fs::remove_file(folder.join(TEST_OUTPUT)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    // They are as the official program writes them, and so carry no mark.
    own_files::note(folder, &[PATCH, SCRIPT, TEST_OUTPUT])?;
    fs::write(folder.join(PATCH), patch)?;
    fs::write(folder.join(SCRIPT), script)
}
