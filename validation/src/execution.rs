//! Running a project's commands in one lane, and making a report of what they leave.

mod files;
mod report_builder;

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant, SystemTime};

use files::LINES_FILE;
use patchwright_detection::adapters::{Adapter, CLASSES, CommandContext};
use patchwright_detection::ecosystems;
use patchwright_detection::heap;
use patchwright_detection::{AdapterKind, PYTHON_VARIABLE, ProjectSpec};
use patchwright_edits::Applied;
use patchwright_folder::Folder;
use patchwright_lanes::{
    Activity, Lane, LaneError, LaneLease, LanePaths, OUT, PROJECT, Progress, TOOLS, Tests, Tools, files_in,
};
use patchwright_protocol::{ResultsFormat, TestId};
use patchwright_sandbox::{Command, CommandLimits, CommandOutcome, Exit, Sandbox};
use patchwright_test_results::{
    self as results, Build, OutputNormalizer, ParsedResults, ProjectFiles, RawResults, SealKey, TestReport,
};
use report_builder::{ReportBuilder, renamed};
use tokio::sync::SetOnce;

use crate::error::TestHarnessError;
use crate::guarded::Guarded;
pub(crate) use report_builder::ending;

/// Bytes kept of each stream of a command.
const OUTPUT_BYTES: usize = 4 << 20;
/// Names above this many bytes do not fit into one command: then all tests are run.
const NAMES_BYTES: usize = 96 << 10;

/// Between two looks at how many tests have ended.
const BETWEEN_COUNTS: Duration = Duration::from_millis(300);

/// Variables that hold several values.
const JOINED: &[&str] = &["CLASSPATH", "PYTEST_ADDOPTS", "PYTHONPATH"];

/// The tests that are run.
#[derive(Clone, Copy, Debug)]
pub enum Selection<'a> {
    /// All but these.
    AllBut(&'a [TestId]),
    /// These; all, where single tests cannot be chosen.
    Only(&'a [TestId]),
}

/// All tests.
pub(crate) const ALL: Selection<'static> = Selection::AllBut(&[]);

/// The result of a request to a persistent worker, in the form of what a command leaves.
pub enum WorkerResult {
    /// The compiler refused the sources.
    Unbuilt(CommandOutcome),
    /// Tests were run.
    Tested(ParsedResults, CommandOutcome),
}

/// Runs a project's commands.
#[derive(Clone, Copy)]
pub struct Execution<'a> {
    pub(crate) spec: &'a ProjectSpec,
    pub(crate) adapter: &'a dyn Adapter,
    pub(crate) sandbox: &'a dyn Sandbox,
    pub(crate) files: &'a ProjectFiles,
    /// The project before any change.
    pub(crate) pristine: &'a Folder,
    /// Time limit of each command.
    pub(crate) limit: Duration,
    /// Ends the command that tests as its limit does, once it is set.
    pub(crate) cut: Option<&'a SetOnce<()>>,
    /// Tests that run before the others of their files, where the tool can do that.
    pub(crate) first: &'a [TestId],
    /// Ends the command that tests so long after its first test began.
    pub(crate) enough: Option<Duration>,
    /// Seconds of the longest test, where that is known.
    pub(crate) longest: Option<f64>,
    /// The files that the command that builds makes, where `spec` is the project's own.
    pub(crate) built: Option<&'a BuildCache>,
    /// The files that tests are judged by.
    pub(crate) guarded: &'a Arc<Guarded>,
    /// Who is told how many tests have ended, while a step is under way.
    pub(crate) activity: &'a Activity,
}

/// The files that the build makes of the project before any change: made once, where it is known which folder holds it.
#[derive(Default)]
pub struct BuildCache(OnceLock<Tools>);

impl BuildCache {
    /// The files, by path relative to `out`.
    pub(crate) fn get(&self) -> Option<&Tools> {
        self.0.get()
    }

    /// Whether they were made already.
    pub fn is_known(&self) -> bool {
        self.get().is_some()
    }

    /// Puts them into a lane; says whether they are known.
    pub fn put_into(&self, lane: &Lane) -> Result<bool, LaneError> {
        let out = lane.out()?;
        for (name, bytes) in self.get().into_iter().flatten() {
            out.write(name, bytes)?;
        }
        Ok(self.get().is_some())
    }

    /// Takes what was just made, before any test runs.
    pub fn take(&self, lane: &Lane) -> Result<(), LaneError> {
        if self.get().is_none() {
            // Another lane may have been first, with the same.
            let _ = self.0.set(files_in(&lane.out()?, CLASSES)?);
        }
        Ok(())
    }
}

/// One command that runs tests.
struct TestInvocation<'t> {
    text: String,
    /// Tests to leave out.
    skipped: &'t [TestId],
    /// The test that the command runs, where it is a single one.
    test: Option<&'t TestId>,
}

impl<'a> Execution<'a> {
    /// The same by other commands, for which nothing is built beforehand.
    pub fn by(self, spec: &'a ProjectSpec, adapter: &'a dyn Adapter) -> Self {
        Self { spec, adapter, built: None, ..self }
    }
}

impl Execution<'_> {
    /// Tests what is in the lane, after building it unless it `is_built` by a run before. `applied` is the change that
    /// was written there: one that makes the lane unusable has broken its tests off.
    pub async fn run(
        &self,
        lane: &Lane,
        selection: Selection<'_>,
        applied: Option<&Applied>,
        is_built: bool,
    ) -> Result<TestReport, TestHarnessError> {
        match self.build_and_test(lane, selection, applied, is_built).await {
            Err(error) if applied.is_some() && error.is_of_the_lane() => {
                Ok(TestReport::empty(format!("the run made its own folders unusable: {error}")))
            }
            ended => ended,
        }
    }

    async fn build_and_test(
        &self,
        lane: &Lane,
        selection: Selection<'_>,
        applied: Option<&Applied>,
        is_built: bool,
    ) -> Result<TestReport, TestHarnessError> {
        self.adapter.prepare(self.spec, lane)?;
        let normalizer = self.normalizer(lane, applied);
        let build = if is_built && self.spec.build.is_some() { Build::Ok } else { Build::NotNeeded };
        let mut report_builder = ReportBuilder::new(lane, &normalizer, build);
        if !is_built && !self.build(lane, applied, &mut report_builder).await? {
            return Ok(report_builder.finish_unbuilt());
        }
        let (guarded, place) = (Arc::clone(self.guarded), lane.clone());
        let before = patchwright_blocking::spawn(move |cancelled| {
            guarded.look(&place, &|| cancelled.load(Ordering::Relaxed))
        })
        .await??;
        // Our runners seal what they tell; a command of the user's may write such lines too.
        let is_ours = self.spec.results == ResultsFormat::Lines && self.spec.kind != AdapterKind::Custom;
        let key = is_ours.then(SealKey::random).transpose()?;
        for line in self.lines(selection) {
            files::remove(self.spec, lane)?;
            let began = Instant::now();
            let mut limit = self.limit;
            let (mut parsed, outcome) = loop {
                key.iter().try_for_each(|key| lane.lay_key(key))?;
                let run = Self { limit, ..*self };
                let command = run.watched(lane, run.command(lane, &line.text, line.skipped));
                let mut outcome = Box::pin(run.until_cut(lane, command)).await?;
                let parsed = self.read(lane, &outcome, key.as_ref(), &mut report_builder);
                if !parsed.goes_on {
                    break (parsed, outcome);
                }
                // A process that has ended for a test without end leaves the others to the next, which reads what had its turn.
                limit = self.limit.saturating_sub(began.elapsed());
                if limit.is_zero() {
                    outcome.exit = Exit::TimedOut;
                    break (parsed, outcome);
                }
                report_builder.part(&outcome, parsed);
            };
            if let (Some(test), ResultsFormat::ExitStatus) = (line.test, &self.spec.results) {
                parsed = renamed(parsed, test);
            }
            report_builder.tests(parsed, &outcome);
            if outcome.exit == Exit::TimedOut {
                break;
            }
        }
        let (guarded, place, pristine) =
            (Arc::clone(self.guarded), lane.clone(), self.pristine.below(".").map_err(LaneError::from)?);
        let changes = patchwright_blocking::spawn(move |cancelled| {
            guarded.changes(&place, &before, &pristine, &|| cancelled.load(Ordering::Relaxed))
        });
        report_builder.bent(changes.await??);
        let test_builds = self.adapter.test_builds() && self.spec.results != ResultsFormat::ExitStatus;
        Ok(report_builder.finish(test_builds, applied))
    }

    /// Builds what is in the lane, unless what that makes is known; tells whether it succeeded.
    async fn build(
        &self,
        lane: &Lane,
        applied: Option<&Applied>,
        report_builder: &mut ReportBuilder<'_>,
    ) -> Result<bool, TestHarnessError> {
        let Some(line) = &self.spec.build else { return Ok(true) };
        let kept = self.kept(applied);
        if kept.map(|built| built.put_into(lane)).transpose()?.unwrap_or(false) {
            report_builder.is_built();
            return Ok(true);
        }
        let outcome = self.command(lane, line, &[]).await?;
        let built = report_builder.build(&outcome);
        if built {
            kept.map(|built| built.take(lane)).transpose()?;
        }
        Ok(built)
    }

    /// Builds what is in the lane and tests nothing; the report of a build that failed.
    pub(crate) async fn build_alone(
        &self,
        lane: &Lane,
        applied: Option<&Applied>,
    ) -> Result<Option<TestReport>, TestHarnessError> {
        self.adapter.prepare(self.spec, lane)?;
        let normalizer = self.normalizer(lane, applied);
        let mut report_builder = ReportBuilder::new(lane, &normalizer, Build::NotNeeded);
        let built = self.build(lane, applied, &mut report_builder).await?;
        Ok((!built).then(|| report_builder.finish_unbuilt()))
    }

    /// Where what the build makes is kept, where it would be the same once more.
    fn kept(&self, applied: Option<&Applied>) -> Option<&BuildCache> {
        let is_known = applied.is_none() && self.adapter.worker_command(self.spec).is_ok();
        self.built.filter(|_| is_known && self.adapter.compiles())
    }

    /// Reads what a command has left; what cannot be read is told among what it said.
    fn read(
        &self,
        lane: &Lane,
        outcome: &CommandOutcome,
        key: Option<&SealKey>,
        report_builder: &mut ReportBuilder<'_>,
    ) -> ParsedResults {
        let (files, refused) = files::read(self.spec, lane);
        for error in refused {
            report_builder.unread(&error);
        }
        let (stdout, stderr) = (outcome.stdout.text(), outcome.stderr.text());
        let raw = RawResults { stdout: &stdout, stderr: &stderr, exit: outcome.exit, files: &files, key };
        results::read(&self.spec.results, &raw)
    }

    /// The report of runs that no command of their own made; several make one together.
    pub fn report(&self, lane: &Lane, applied: &Applied, made: &[WorkerResult]) -> TestReport {
        let normalizer = self.normalizer(lane, Some(applied));
        let build = if self.spec.build.is_some() { Build::Ok } else { Build::NotNeeded };
        let mut report_builder = ReportBuilder::new(lane, &normalizer, build);
        for made in made {
            match made {
                WorkerResult::Unbuilt(outcome) => {
                    report_builder.build(outcome);
                    return report_builder.finish_unbuilt();
                }
                WorkerResult::Tested(parsed, outcome) => report_builder.tests(parsed.clone(), outcome),
            }
        }
        report_builder.finish(false, Some(applied))
    }

    /// Waits for a run of tests, and tells meanwhile how many have ended, where the lane shows it.
    async fn watched<T>(&self, lane: &Lane, run: impl Future<Output = T>) -> T {
        if self.activity.step().is_none() || self.spec.results != ResultsFormat::Lines {
            return run.await;
        }
        let mut counter = files::LineCounter::default();
        let mut run = std::pin::pin!(run);
        loop {
            tokio::select! {
                ended = &mut run => return ended,
                () = tokio::time::sleep(BETWEEN_COUNTS) => {
                    counter = counted(lane, counter).await;
                    self.activity.count(Progress::Tests(counter.tests()));
                }
            }
        }
    }

    /// Waits for a command until its run is cut, or its tests have had enough time: then it is ended.
    async fn until_cut(
        &self,
        lane: &Lane,
        command: impl Future<Output = Result<CommandOutcome, TestHarnessError>>,
    ) -> Result<CommandOutcome, TestHarnessError> {
        let began = Instant::now();
        let cut = async {
            match self.cut {
                Some(cut) => cut.wait().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            ended = command => ended,
            () = async { tokio::select! { () = cut => {}, () = self.had_enough(lane) => {} } } => {
                let seconds = began.elapsed().as_secs_f64();
                Ok(CommandOutcome { seconds, ..CommandOutcome::of(Exit::TimedOut) })
            }
        }
    }

    /// Waits until the tests of a run have had enough time, from the first of them on: what comes before takes as long as the machine needs.
    async fn had_enough(&self, lane: &Lane) {
        let Some(enough) = self.enough else { return std::future::pending().await };
        let mut counter = files::LineCounter::default();
        while counter.tests() == Tests::default() {
            tokio::time::sleep(BETWEEN_COUNTS).await;
            counter = counted(lane, counter).await;
        }
        tokio::time::sleep(enough).await;
    }

    /// Runs one command in the lane.
    pub(crate) async fn command(
        &self,
        lane: &Lane,
        line: &str,
        skipped: &[TestId],
    ) -> Result<CommandOutcome, TestHarnessError> {
        let command = self.command_of(lane, line, skipped);
        Ok(self.sandbox.run(lane.place(), &command).await?)
    }

    /// A command for the lane.
    pub fn command_of(&self, lane: &Lane, line: &str, skipped: &[TestId]) -> Command {
        let limits =
            CommandLimits { time: self.limit, output_bytes: OUTPUT_BYTES, ..CommandLimits::default() };
        let context = self.context(lane);
        let mut env = self.environment(&context, skipped, &limits);
        let line = self.adapter.guard(line, &context, &mut env);
        // Whatever calls `python`, or a program that is installed beside it, gets those of the tests' environment.
        let is_known = env.contains_key(PYTHON_VARIABLE);
        let line = if is_known { format!("PATH=\"${{{PYTHON_VARIABLE}%/*}}:$PATH\"; {line}") } else { line };
        Command {
            line,
            dir: PROJECT.into(),
            env,
            limits,
            network: self.spec.network,
            // All that a command may write to: what is not seen cannot be taken back.
            outputs: [PROJECT, TOOLS, OUT].map(str::to_owned).to_vec(),
        }
    }

    /// The context of commands in the lane.
    pub fn context(&self, lane: &Lane) -> CommandContext<'_> {
        CommandContext { spec: self.spec, lane: self.inside(lane), pristine: self.pristine }
    }

    /// Where commands see the lane.
    pub fn inside(&self, lane: &Lane) -> LanePaths {
        LanePaths::new(self.sandbox.path_inside(lane.place()))
    }

    /// Cleans what is said in a lane.
    pub(crate) fn normalizer(&self, lane: &Lane, applied: Option<&Applied>) -> OutputNormalizer {
        let files = match applied {
            Some(applied) => self.files.with(applied.files.iter().map(|file| file.path.to_string())),
            None => self.files.clone(),
        };
        let inside = self.inside(lane);
        OutputNormalizer::new(&[lane.place(), &lane.real_place(), inside.root()], files, SystemTime::now())
    }

    fn environment(
        &self,
        context: &CommandContext<'_>,
        skipped: &[TestId],
        limits: &CommandLimits,
    ) -> BTreeMap<String, String> {
        let inside = &context.lane;
        let mut environment = self.adapter.environment(context);
        for (name, value) in &self.spec.env {
            // In these the adapter has put what the user gave behind its own.
            if !(JOINED.contains(&name.as_str()) && environment.contains_key(name)) {
                environment.insert(name.clone(), value.clone());
            }
        }
        for (name, path) in [
            ("PATCHWRIGHT_OUT", inside.out()),
            ("PATCHWRIGHT_TOOLS", inside.tools()),
            ("PATCHWRIGHT_RESULTS", inside.out().join(LINES_FILE)),
        ] {
            environment.insert(name.to_owned(), path.to_string_lossy().into_owned());
        }
        if self.spec.folder != "." {
            environment.insert("PATCHWRIGHT_FOLDER".to_owned(), self.spec.folder.clone());
        }
        // That of the project: where there is less time for another reason a test is no slower.
        environment.insert("PATCHWRIGHT_LIMIT".to_owned(), self.spec.timeout.as_secs_f64().to_string());
        if let Some(longest) = self.longest {
            environment.insert("PATCHWRIGHT_LONGEST".to_owned(), longest.to_string());
        }
        self.give_heap(&mut environment, limits.memory_bytes);
        for (variable, tests) in [("PATCHWRIGHT_SKIP", skipped), ("PATCHWRIGHT_FIRST", self.first)] {
            if !tests.is_empty() {
                let names: Vec<&str> = tests.iter().map(TestId::as_str).collect();
                environment.insert(variable.to_owned(), names.join("\n"));
            }
        }
        environment
    }

    /// Tells Java how much heap it may have: our own commands by a variable of ours, those of other tools by one that any
    /// Java reads.
    fn give_heap(&self, environment: &mut BTreeMap<String, String>, memory: u64) {
        environment.insert(heap::VARIABLE.to_owned(), heap::of_command(memory).to_string());
        let is_ours = self.spec.results == ResultsFormat::Lines;
        let option = ecosystems::memory_option(self.spec.language, memory);
        if let (false, Some((variable, option))) = (is_ours, option) {
            let given = environment.remove(variable);
            // Of several the last counts, which is the user's.
            let options: Vec<String> = [option].into_iter().chain(given).collect();
            environment.insert(variable.to_owned(), options.join(" "));
        }
    }

    /// The commands that run the selected tests.
    fn lines<'t>(&self, selection: Selection<'t>) -> Vec<TestInvocation<'t>> {
        let command = |text: String| TestInvocation { text, skipped: &[], test: None };
        let all = command(self.spec.test.line().to_owned());
        let tests = match selection {
            Selection::AllBut(skipped) => return vec![TestInvocation { skipped, ..all }],
            Selection::Only(tests) => tests,
        };
        let Some(line) = self.spec.test_one.as_deref().filter(|_| !tests.is_empty()) else {
            return vec![all];
        };
        if line.contains("{test}") {
            let each = |test: &'t TestId| {
                let name = self.adapter.names(self.spec, std::slice::from_ref(test));
                TestInvocation { test: Some(test), ..command(line.replace("{test}", &name)) }
            };
            return tests.iter().map(each).collect();
        }
        let names = self.adapter.names(self.spec, tests);
        let fits = names.len() <= NAMES_BYTES;
        vec![if fits { command(line.replace("{tests}", &names)) } else { all }]
    }
}

/// Counts on what a run has told so far.
async fn counted(lane: &Lane, mut counter: files::LineCounter) -> files::LineCounter {
    let Ok(out) = lane.out() else { return counter };
    let counting = patchwright_blocking::spawn(move |_| {
        counter.go_on(&out);
        counter
    });
    // A counter that is lost begins anew.
    counting.await.unwrap_or_default()
}

/// Hands a lane back unless its run ended with an error of the sandbox: then something may still be at work in it, and it is not used again.
pub fn settle<T>(lease: LaneLease, run: &Result<T, TestHarnessError>) {
    if matches!(run, Ok(_) | Err(TestHarnessError::Write(_))) {
        lease.give_back();
    }
}
