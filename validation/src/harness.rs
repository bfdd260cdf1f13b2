//! The test harness: a pristine copy of a project, lanes beside it, and the commands that build and test.

mod runs;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use patchwright_detection::adapters;
use patchwright_detection::{AdapterKind, ProjectSpec};
use patchwright_edits::EditRules;
use patchwright_folder::FolderError;
use patchwright_index::Index;
use patchwright_lanes::{Activity, CopyRules, LaneError, Lanes, PLANTED};
use patchwright_protocol::{Failure, ResultsFormat, TestCommand, TestId};
use patchwright_sandbox::{Sandbox, SandboxKind};
use patchwright_syntax::{Project, ProjectError};
use patchwright_test_results::{ProjectFiles, TestReport};
use tokio::sync::{OnceCell, SetOnce};

use crate::baseline::{Baseline, RecordedTiming};
use crate::coverage::KnownCoverage;
use crate::error::TestHarnessError;
use crate::execution::{BuildCache, Execution};
use crate::guarded::Guarded;
use crate::instrumented_tests::InstrumentedTests;
use crate::optimizations::{Optimizations, ValidationDepth};
use crate::order_dependence::OrderDependence;
use crate::test_times::TestTimes;
use crate::validation::Validation;
use crate::verdict_cache::VerdictCache;
use crate::warm_workers::WarmWorkers;
pub(crate) use runs::last;

/// Time for compiling our own runner, also on a machine that has much else to do.
pub(crate) const TOOLS_TIME: Duration = Duration::from_mins(3);

/// Where a project is built and tested. Nothing here ever writes to the user's own files.
/// ```
/// use patchwright_edits::{Edit, apply};
/// use patchwright_protocol::Verdict;
/// use patchwright_sandbox::{RequestedSandbox, SandboxRequest, choose};
/// use patchwright_lanes::Activity;
/// use patchwright_detection::{HostEnvironments, SandboxToolchain, detect};
/// use patchwright_protocol::Overrides;
/// use patchwright_validation::{TestHarness, ValidationDepth};
///
/// # #[tokio::main]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let (project, work, probes) = (tempfile::tempdir()?, tempfile::tempdir()?, tempfile::tempdir()?);
/// std::fs::write(project.path().join("rate.txt"), "3\n")?;
/// let sandbox = choose(&SandboxRequest { wanted: RequestedSandbox::Host, ..SandboxRequest::default() }).await?.sandbox;
/// let overrides = Overrides { test: Some("grep -q 4 rate.txt".into()), ..Overrides::default() };
/// let toolchain = SandboxToolchain::new(sandbox.clone(), probes.path());
/// let spec = detect(project.path(), &overrides, &HostEnvironments::default(), &toolchain).await?.spec;
/// let harness = TestHarness::open(spec, project.path(), &[], sandbox, work.path(), 1, Activity::default()).await?;
///
/// let baseline = harness.baseline(&[]).await?;
/// let edit: Edit = serde_json::from_str(
///     r#"{"file_path": "rate.txt", "modifications": [{"line_number": 1, "modified_line": "4"}]}"#,
/// )?;
/// let applied = apply(harness.project(), &[edit], &harness.rules())?;
/// assert_eq!(harness.validate(&baseline, &applied, ValidationDepth::Thorough).await?.verdict, Verdict::Plausible);
/// assert_eq!(std::fs::read_to_string(project.path().join("rate.txt"))?, "3\n");
/// harness.close().await?;
/// # Ok(())
/// # }
/// ```
pub struct TestHarness {
    spec: ProjectSpec,
    /// The same without its tests, once they were given up.
    untested: OnceLock<ProjectSpec>,
    project: Project,
    /// Of the pristine copy, once someone asked for it.
    index: Arc<Mutex<Option<Arc<Index>>>>,
    files: ProjectFiles,
    pub(crate) sandbox: Arc<dyn Sandbox>,
    pub(crate) optimizations: Optimizations,
    /// What tells of the bug in words.
    bug: String,
    pub(crate) recorded: Option<RecordedTiming>,
    pub(crate) times: TestTimes,
    /// Before the lanes: what lives in them ends first.
    pub(crate) workers: Option<Box<dyn WarmWorkers>>,
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
    /// What tests bend without any change of that by which they are judged, as far as it was asked for after the baseline.
    pub(crate) bent_before: Mutex<BTreeSet<String>>,
    /// What the project's own tool says before any change, with the tests that it was asked for last.
    pub(crate) alone_before: tokio::sync::Mutex<Option<(Vec<TestId>, Arc<TestReport>)>>,
    /// Seconds of the longest test, once the baseline knows it.
    pub(crate) longest: OnceLock<f64>,
    coverage: KnownCoverage,
    /// The tests as runners of ours run them, once that was found out.
    pub(crate) instrumented: OnceCell<Result<InstrumentedTests, String>>,
}

impl TestHarness {
    /// Copies the project at `source` into the folder `work`, where the lanes will lie too. What fits one of the globs
    /// in `hidden` is never copied. At most `lanes` commands run at once. `activity` is told of the copying, and of each
    /// step of the test harness after it.
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
    ) -> Result<Self, TestHarnessError> {
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
            alone_before: tokio::sync::Mutex::default(),
            bent_before: Mutex::default(),
            untested: OnceLock::new(),
            project,
            index: Arc::default(),
            files,
            sandbox,
            optimizations: Optimizations::default(),
            bug: String::new(),
            recorded: None,
            times: TestTimes::default(),
            workers: None,
            order_dependence: OrderDependence::default(),
            built: BuildCache::default(),
            verdict_cache: VerdictCache::default(),
            lanes,
            notes,
            activity,
            cut: SetOnce::new(),
            tools: OnceCell::new(),
            longest: OnceLock::new(),
            coverage: KnownCoverage::default(),
            instrumented: OnceCell::new(),
        })
    }

    /// The same with other optimizations for fast validation.
    pub fn with_optimizations(self, optimizations: Optimizations) -> Self {
        Self { optimizations, ..self }
    }

    /// The same with warm workers, which judge candidates where they can.
    pub fn with_workers(self, workers: Box<dyn WarmWorkers>) -> Self {
        Self { workers: Some(workers), ..self }
    }

    /// The same for a bug that this text tells of: a candidate may create a file that tools of a developer obey only if it names it.
    pub fn with_bug(self, bug: String) -> Self {
        Self { bug, ..self }
    }

    /// The same for a session that is repeated: what was decided by the time that its tests took is decided again as it was then, so that a
    /// machine that is slower or has much else to do shows the same.
    pub fn with_recorded(self, recorded: Option<RecordedTiming>) -> Self {
        Self { recorded, ..self }
    }

    /// The same for a project whose tests earlier sessions have run.
    pub fn with_times(self, times: TestTimes) -> Self {
        Self { times, ..self }
    }

    /// What the tests took in earlier sessions.
    pub fn times(&self) -> &TestTimes {
        &self.times
    }

    /// Whether all tests are known to take longer than this, however many lanes share them, and those that end before are known by then.
    pub fn outlasts(&self, patience: Duration) -> bool {
        let lanes = u32::try_from(self.lanes()).unwrap_or(u32::MAX);
        self.tells_when_cut() && self.times.exceed(patience.saturating_mul(lanes))
    }

    /// The way in which the project is built and tested.
    pub fn spec(&self) -> &ProjectSpec {
        self.untested.get().unwrap_or(&self.spec)
    }

    /// The way in which the project is built and tested, whether or not its tests were given up.
    pub fn detected(&self) -> &ProjectSpec {
        &self.spec
    }

    /// The optimizations of validation.
    pub fn optimizations(&self) -> Optimizations {
        self.optimizations
    }

    /// Where the commands run.
    pub fn sandbox(&self) -> &Arc<dyn Sandbox> {
        &self.sandbox
    }

    /// The copies in which the commands run.
    pub fn pool(&self) -> &Lanes {
        &self.lanes
    }

    /// What was compiled of the unchanged project.
    pub fn built(&self) -> &BuildCache {
        &self.built
    }

    /// Who is told of each step.
    pub fn activity(&self) -> &Activity {
        &self.activity
    }

    /// The coverage that is known of the tests.
    pub fn coverage(&self) -> &KnownCoverage {
        &self.coverage
    }

    /// Tests that say nothing about a candidate when they fail out of order.
    pub fn order_dependent(&self) -> BTreeSet<TestId> {
        self.order_dependence.order_dependent()
    }

    /// The verdict on an equal candidate, by the name of its change or of what was compiled of it.
    pub fn known_verdict(
        &self,
        baseline: &Baseline,
        name: &str,
        depth: ValidationDepth,
    ) -> Option<Validation> {
        self.verdict_cache.find(baseline, name, depth)
    }

    /// Is true if tests of the project are run at all.
    pub fn runs_tests(&self) -> bool {
        self.spec().test != TestCommand::None
    }

    /// From now on runs none of the project's tests: they cannot be run.
    pub fn give_up_tests(&self) {
        self.untested.get_or_init(|| ProjectSpec {
            kind: AdapterKind::Custom,
            test: TestCommand::None,
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

    /// The index of the pristine copy: made, and each of its files parsed, once for all who ask.
    ///
    /// # Errors
    /// The copy cannot be read.
    pub async fn index(&self) -> Result<Arc<Index>, Failure> {
        let (root, made) = (self.project.root().to_owned(), Arc::clone(&self.index));
        // Who comes second waits for a thread that works, and not for a future that may not be polled meanwhile.
        let index = patchwright_blocking::spawn(move |_| {
            let mut made = patchwright_blocking::lock(&made);
            if let Some(index) = &*made {
                return Ok(Arc::clone(index));
            }
            let index = Arc::new(Index::build(&root)?);
            *made = Some(Arc::clone(&index));
            Ok::<_, ProjectError>(index)
        });
        index.await?.map_err(Failure::environment)
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

    /// The commands of the tests, each with this time limit.
    pub fn execution(&self, limit: Duration) -> Execution<'_> {
        Execution {
            spec: self.spec(),
            adapter: adapters::of(self.spec().kind),
            sandbox: self.sandbox.as_ref(),
            files: &self.files,
            pristine: self.lanes.pristine(),
            limit,
            cut: None,
            first: &[],
            enough: None,
            longest: self.longest.get().copied(),
            built: Some(&self.built),
            guarded: &self.guarded,
            activity: &self.activity,
        }
    }

    /// Removes all copies. What is forgotten is removed when the test harness is dropped.
    ///
    /// # Errors
    /// Something cannot be removed.
    pub async fn close(self) -> Result<(), TestHarnessError> {
        drop(self.workers);
        Ok(self.lanes.close().await?)
    }
}
