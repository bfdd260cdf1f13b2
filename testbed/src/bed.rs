//! The test bed: a pristine copy of a project, lanes beside it, and the commands that build and test.

use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use patchwright_detection::adapters::{self, Adapter, RUNNER_CLASSES};
use patchwright_detection::{AdapterKind, NO_TESTS, ProjectSpec};
use patchwright_edits::{Applied, EditRules};
use patchwright_folder::FolderError;
use patchwright_lanes::{
    Activity, CopyRules, Lane, LaneError, LaneLease, Lanes, PLANTED, TOOLS, Tools, files_in,
};
use patchwright_protocol::{Failure, TestId};
use patchwright_sandbox::{Exit, Sandbox, SandboxKind};
use patchwright_syntax::Project;
use patchwright_test_results::{ProjectFiles, ResultsFormat, TestReport};
use tokio::sync::{OnceCell, SetOnce};

use crate::error::TestBedError;
use crate::execution::{ALL, BuildCache, Execution, Selection};
use crate::guarded::Guarded;
use crate::interception::InstrumentedTests;
use crate::optimizations::Optimizations;
use crate::order_dependence::OrderDependence;
use crate::persistent::PersistentWorkers;
use crate::spectrum::RecordedCoverage;
use crate::verdict_cache::VerdictCache;

/// Time for compiling our own runner, also on a machine that has much else to do.
pub(crate) const TOOLS_TIME: Duration = Duration::from_mins(3);

/// Where a project is built and tested. Nothing here ever writes to the user's own files.
/// ```
/// use patchwright_edits::{Edit, apply};
/// use patchwright_protocol::Verdict;
/// use patchwright_sandbox::{RequestedSandbox, SandboxRequest, choose};
/// use patchwright_lanes::Activity;
/// use patchwright_testbed::{HostEnvironments, Overrides, SandboxToolchain, TestBed, ValidationDepth, detect};
///
/// # #[tokio::main]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let (project, work, probes) = (tempfile::tempdir()?, tempfile::tempdir()?, tempfile::tempdir()?);
/// std::fs::write(project.path().join("rate.txt"), "3\n")?;
/// let sandbox = choose(&SandboxRequest { wanted: RequestedSandbox::Host, ..SandboxRequest::default() }).await?.sandbox;
/// let overrides = Overrides { test: Some("grep -q 4 rate.txt".to_owned()), ..Overrides::default() };
/// let toolchain = SandboxToolchain::new(sandbox.clone(), probes.path());
/// let spec = detect(project.path(), &overrides, &HostEnvironments::default(), &toolchain).await?.spec;
/// let bed = TestBed::open(spec, project.path(), &[], sandbox, work.path(), 1, Activity::default()).await?;
///
/// let baseline = bed.baseline(&[]).await?;
/// let edit: Edit = serde_json::from_str(
///     r#"{"file_path": "rate.txt", "modifications": [{"line_number": 1, "modified_line": "4"}]}"#,
/// )?;
/// let applied = apply(bed.project(), &[edit], &bed.rules())?;
/// assert_eq!(bed.validate(&baseline, &applied, ValidationDepth::Thorough).await?.verdict, Verdict::Plausible);
/// assert_eq!(std::fs::read_to_string(project.path().join("rate.txt"))?, "3\n");
/// bed.close().await?;
/// # Ok(())
/// # }
/// ```
pub struct TestBed {
    spec: ProjectSpec,
    /// The same without its tests, once they were given up.
    untested: OnceLock<ProjectSpec>,
    project: Project,
    files: ProjectFiles,
    pub(crate) sandbox: Arc<dyn Sandbox>,
    pub(crate) optimizations: Optimizations,
    /// What tells of the bug in words.
    bug: String,
    /// Seconds of all tests when a session was recorded that is repeated.
    pub(crate) recorded_seconds: Option<f64>,
    /// Before the lanes: what lives in them ends first.
    pub(crate) workers: PersistentWorkers,
    pub(crate) order_dependence: OrderDependence,
    pub(crate) verdict_cache: VerdictCache,
    pub(crate) lanes: Lanes,
    notes: Vec<String>,
    pub(crate) activity: Activity,
    /// Set once nobody waits for all tests before any change.
    pub(crate) cut: SetOnce<()>,
    /// Set once our own runner is compiled.
    tools: OnceCell<()>,
    pub(crate) built: BuildCache,
    /// The files that tests are judged by.
    guarded: Arc<Guarded>,
    /// What the project's own tool says before any change, once that was asked for.
    pub(crate) alone_before: OnceCell<TestReport>,
    /// Seconds of the longest test, once the baseline knows it.
    pub(crate) longest: OnceLock<f64>,
    /// The lines that the tests nearest to the failing ones execute, and those that all do, once that was recorded.
    pub(crate) coverage_cells: [OnceCell<Arc<RecordedCoverage>>; 2],
    /// The tests as runners of ours run them, once that was found out.
    pub(crate) instrumented: OnceCell<Result<InstrumentedTests, String>>,
}

impl TestBed {
    /// Copies the project at `source` into the folder `work`, where the lanes will lie too. What fits one of the globs
    /// in `hidden` is never copied. At most `lanes` commands run at once. `activity` is told of the copying, and of each
    /// step of the test bed after it.
    ///
    /// # Errors
    /// The project cannot be read, a glob is not valid, or the copy cannot be written.
    pub async fn open(
        spec: ProjectSpec,
        source: &Path,
        hidden: &[String],
        sandbox: Arc<dyn Sandbox>,
        work: &Path,
        lanes: usize,
        activity: Activity,
    ) -> Result<Self, TestBedError> {
        // Says in its own words what is wrong with the folder.
        let original = Project::open(source)?;
        let work = std::path::absolute(work).map_err(|source| {
            LaneError::from(FolderError::Io { doing: "find", path: work.to_owned(), source })
        })?;
        let tools = adapters::of(spec.kind).tools();
        let rules = CopyRules::new(hidden)?;
        let (lanes, notes) =
            Lanes::open(source, &work, rules, tools, lanes, sandbox.volumes(), &activity).await?;
        let project = Project::open(lanes.pristine().path())?;
        let files = lanes.contents().files().filter(|file| !Path::new(file).starts_with(PLANTED));
        let files = ProjectFiles::new(files).at(original.root());
        let guarded = Arc::new(Guarded::of(&spec, project.root()));
        Ok(Self {
            spec,
            guarded,
            alone_before: OnceCell::new(),
            untested: OnceLock::new(),
            project,
            files,
            sandbox,
            optimizations: Optimizations::default(),
            bug: String::new(),
            recorded_seconds: None,
            workers: PersistentWorkers::default(),
            order_dependence: OrderDependence::default(),
            built: BuildCache::default(),
            verdict_cache: VerdictCache::default(),
            lanes,
            notes,
            activity,
            cut: SetOnce::new(),
            tools: OnceCell::new(),
            longest: OnceLock::new(),
            coverage_cells: Default::default(),
            instrumented: OnceCell::new(),
        })
    }

    /// The same with other optimizations for fast validation.
    pub fn with_optimizations(self, optimizations: Optimizations) -> Self {
        Self { optimizations, ..self }
    }

    /// The same for a bug that this text tells of: a candidate may create a file that tools of a developer obey only if it names it.
    pub fn with_bug(self, bug: String) -> Self {
        Self { bug, ..self }
    }

    /// The same for a session that is repeated, in which one run of all tests took so many seconds: what is decided by the time that they
    /// take is decided by these, so that a machine that is slower or has much else to do shows the same.
    pub fn with_recorded_seconds(self, recorded_seconds: Option<f64>) -> Self {
        Self { recorded_seconds, ..self }
    }

    /// The way in which the project is built and tested.
    pub fn spec(&self) -> &ProjectSpec {
        self.untested.get().unwrap_or(&self.spec)
    }

    /// The way in which the project is built and tested, whether or not its tests were given up.
    pub(crate) fn detected(&self) -> &ProjectSpec {
        &self.spec
    }

    /// Is true if tests of the project are run at all.
    pub fn runs_tests(&self) -> bool {
        self.spec().test != NO_TESTS
    }

    /// From now on runs none of the project's tests: they cannot be run.
    pub fn give_up_tests(&self) {
        self.untested.get_or_init(|| ProjectSpec {
            kind: AdapterKind::Custom,
            test: NO_TESTS.to_owned(),
            test_one: None,
            results: ResultsFormat::ExitStatus,
            ..self.spec.clone()
        });
    }

    /// Is true if a sandbox keeps commands from the user's files.
    pub fn isolates(&self) -> bool {
        self.sandbox.kind() != SandboxKind::Host
    }

    /// The pristine copy. No command runs in it; tools read here.
    pub fn project(&self) -> &Project {
        &self.project
    }

    /// The number of commands that run at once.
    pub fn lanes(&self) -> usize {
        self.lanes.count()
    }

    /// Notes on what was left out of the copy and a user might miss; each a sentence.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The rules for a candidate: it may not change the tests, nor what decides how they are run.
    pub fn rules(&self) -> EditRules {
        EditRules { bug: Some(self.bug.clone()), ..self.spec().rules(self.project.root()) }
    }

    /// Runs some tests, or all, after writing a change into a lane.
    ///
    /// # Errors
    /// The sandbox or the disk; [`TestBedError::Write`] when the change does not fit the files.
    pub async fn run_tests(
        &self,
        tests: Option<&[TestId]>,
        applied: Option<&Applied>,
    ) -> Result<TestReport, TestBedError> {
        self.run(tests.map_or(ALL, Selection::Only), applied, self.spec().timeout).await
    }

    /// Runs tests in a lane of the pool.
    pub(crate) async fn run(
        &self,
        selection: Selection<'_>,
        applied: Option<&Applied>,
        limit: Duration,
    ) -> Result<TestReport, TestBedError> {
        last(self.run_in(self.optimizations.keep_lanes, &[selection], applied, limit, |_| false).await?)
    }

    /// Runs tests in a copy that nothing ran in before, and removes it.
    pub(crate) async fn run_fresh(
        &self,
        selection: Selection<'_>,
        applied: Option<&Applied>,
        limit: Duration,
    ) -> Result<TestReport, TestBedError> {
        last(self.run_in(false, &[selection], applied, limit, |_| false).await?)
    }

    /// The same by commands that need nothing of ours: none of our tools lies beside the project.
    pub(crate) async fn run_fresh_by(
        &self,
        execution: Execution<'_>,
        selection: Selection<'_>,
        applied: Option<&Applied>,
    ) -> Result<TestReport, TestBedError> {
        let lease = self.lanes.fresh().await?;
        let lane = lease.lane();
        let cleared = lane.root().remove(TOOLS, &|| false).and_then(|()| lane.root().make(TOOLS));
        cleared.map_err(LaneError::from)?;
        let run = self.run_in_lane(lease.lane(), execution, &[selection], applied, |_| false).await;
        let removed = lease.remove().await;
        let report = last(run?)?;
        removed.map(|()| report).map_err(TestBedError::from)
    }

    /// Runs one selection of tests after the other in the same lane, which is built once, as long as the reports let it
    /// `go_on`. There is a report for each run that took place. The lane is used again if it is to be `kept`, else nothing ran in it before.
    pub(crate) async fn run_in(
        &self,
        kept: bool,
        selections: &[Selection<'_>],
        applied: Option<&Applied>,
        limit: Duration,
        go_on: impl Fn(&TestReport) -> bool + Send,
    ) -> Result<Vec<TestReport>, TestBedError> {
        self.compile_tools().await?;
        let lease = if kept { self.lanes.take().await? } else { self.lanes.fresh().await? };
        let run = self.run_in_lane(lease.lane(), self.execution(limit), selections, applied, go_on).await;
        if !kept {
            let removed = lease.remove().await;
            let reports = run?;
            return removed.map(|()| reports).map_err(TestBedError::from);
        }
        settle(lease, &run);
        run
    }

    async fn run_in_lane(
        &self,
        lane: &Lane,
        execution: Execution<'_>,
        selections: &[Selection<'_>],
        applied: Option<&Applied>,
        go_on: impl Fn(&TestReport) -> bool + Send,
    ) -> Result<Vec<TestReport>, TestBedError> {
        if let Some(applied) = applied {
            lane.change(applied).await?;
        }
        let mut reports = Vec::new();
        for selection in selections {
            let report = execution.run(lane, *selection, applied, !reports.is_empty()).await?;
            let stop = !go_on(&report);
            reports.push(report);
            if stop {
                break;
            }
        }
        Ok(reports)
    }

    /// Runs selections of tests one after the other in a lane with more `tools`, each with commands and a time limit of
    /// its own. There is a report for each, and the text that they left in a file of the folder `out`.
    pub(crate) async fn run_recorded(
        &self,
        adapter: &dyn Adapter,
        runs: &[(&ProjectSpec, Selection<'_>, Duration)],
        tools: Tools,
        file: &str,
    ) -> Result<(Vec<TestReport>, String), TestBedError> {
        self.compile_tools().await?;
        self.lanes.add_tools(tools);
        let lease = self.lanes.take().await?;
        self.built.put_into(lease.lane())?;
        let mut reports = Vec::new();
        for (spec, selection, limit) in runs {
            let execution = Execution { spec, adapter, built: None, ..self.execution(*limit) };
            reports.push(execution.run(lease.lane(), *selection, None, !reports.is_empty()).await?);
        }
        let recorded = lease.lane().recorded(file)?;
        lease.give_back();
        Ok((reports, recorded))
    }

    pub(crate) fn execution(&self, limit: Duration) -> Execution<'_> {
        Execution {
            spec: self.spec(),
            adapter: adapters::of(self.spec().kind),
            sandbox: self.sandbox.as_ref(),
            files: &self.files,
            pristine: self.lanes.pristine(),
            limit,
            cut: None,
            longest: self.longest.get().copied(),
            built: Some(&self.built),
            guarded: &self.guarded,
            activity: &self.activity,
        }
    }

    /// Compiles our own runner, once; its classes are put into every lane from then on.
    pub(crate) async fn compile_tools(&self) -> Result<(), TestBedError> {
        // The limit for the project's commands is not about ours.
        let compiled = self.tools.get_or_try_init(|| self.compile(self.execution(TOOLS_TIME))).await;
        compiled.copied()
    }

    /// Compiles the runner of an adapter, whose sources are in every lane.
    pub(crate) async fn compile(&self, execution: Execution<'_>) -> Result<(), TestBedError> {
        let Some(line) = execution.adapter.compile_tools() else { return Ok(()) };
        let _step = self.activity.begin("compiling the runner of tests");
        let lease = self.lanes.take().await?;
        let lane = lease.lane();
        let outcome = execution.command(lane, &line, &[]).await?;
        if !outcome.exit.success() {
            let normalizer = execution.normalizer(lane, None);
            let mut log = normalizer.log(&format!("{}\n{}", outcome.stdout.text(), outcome.stderr.text()));
            if outcome.exit == Exit::TimedOut {
                log.push_str(&format!("it was not compiled within {} s", TOOLS_TIME.as_secs()));
            }
            return Err(TestBedError::Runner { log });
        }
        self.lanes.add_tools(files_in(&lane.tools()?, RUNNER_CLASSES)?);
        lease.give_back();
        Ok(())
    }

    /// Removes all copies. What is forgotten is removed when the test bed is dropped.
    ///
    /// # Errors
    /// Something cannot be removed.
    pub async fn close(self) -> Result<(), TestBedError> {
        drop(self.workers);
        Ok(self.lanes.close().await?)
    }
}

/// The report of the last run.
pub(crate) fn last(mut reports: Vec<TestReport>) -> Result<TestReport, TestBedError> {
    reports.pop().ok_or_else(|| Failure::defect("nothing was run").into())
}

/// Hands a lane back unless its run ended with an error of the sandbox: then something may still be at work in it, and it is not used again.
pub(crate) fn settle<T>(lease: LaneLease, run: &Result<T, TestBedError>) {
    if matches!(run, Ok(_) | Err(TestBedError::Write(_))) {
        lease.give_back();
    }
}
