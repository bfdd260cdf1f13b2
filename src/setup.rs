//! The setup between the detection and the first cycle: the test harness, the tests before any change, the bug
//! as prompts tell of it.

use std::path::Path;
use std::pin::pin;
use std::time::{Duration, Instant};

use patchwright_detection::DetectedProject;
use patchwright_edits::Edit;
use patchwright_initial_context::{CodeExcerpt, Relevance};
use patchwright_lanes::Activity;
use patchwright_prompts::{Finding, FindingContent, Task};
use patchwright_protocol::{Actor, Failure, Goal, Mode, Seconds, SessionResult, Status, TestId};
use patchwright_session::{
    Journal, MeasuredBaseline, PendingBaseline, SessionSetup, WholeSuite, beside, nearest_to_issue,
};
use patchwright_syntax::{Language, ProjectPath};
use patchwright_trajectory::{Event, TrajectoryWriteError};
use patchwright_validation::{Baseline, TestHarness, TestHarnessError, TestLayout, WholeRun};
use serde_json::json;

use crate::environment::{Environment, UNTESTED, close_harness};
use crate::plan::Plan;

/// A share of the time limit that a user would not expect the tests to take before anything is tried.
const MUCH: f64 = 0.5;
/// Bytes of the history of the code that is shown first.
const HISTORY_BYTES: usize = 360;
/// Tests that a warning names.
const NAMED: usize = 5;
/// Time beyond the limit that is given to steps that keep the limit by themselves.
const GRACE: Duration = Duration::from_secs(1);

/// The setup between the detection and the first cycle.
pub struct Preparation<'a> {
    /// The plan of the session.
    pub plan: &'a Plan,
    /// Where and how the project is tested.
    pub environment: &'a Environment,
    /// Who is told which step is under way.
    pub activity: &'a Activity,
    /// When the session began, from which its time limit counts.
    pub started: Instant,
}

/// The reason for which there was no first cycle.
pub struct SetupError {
    /// Another status than the one that the failure has.
    status: Option<Status>,
    failure: Failure,
    /// Time that building and testing took.
    tested: Duration,
}

/// The end of a session.
pub struct End {
    /// Its result, as it was recorded.
    pub result: SessionResult,
    /// The edits of its patch.
    pub edits: Vec<Edit>,
    /// Is true if the bug as it was given is at fault: it would end so every time.
    pub is_unusable: bool,
}

/// The reason for which no baseline of the tests is known.
enum Untested {
    /// They do not end, or there are none.
    Tests(TestHarnessError),
    /// Something else.
    Error(SetupError),
}

impl From<Untested> for SetupError {
    fn from(untested: Untested) -> Self {
        match untested {
            Untested::Tests(error) => Failure::from(error).into(),
            Untested::Error(error) => error,
        }
    }
}

impl<F: Into<Failure>> From<F> for SetupError {
    fn from(failure: F) -> Self {
        Self { status: None, failure: failure.into(), tested: Duration::ZERO }
    }
}

impl SetupError {
    /// Records the end.
    pub fn record(
        self,
        driver: &str,
        journal: Journal,
        started: Instant,
    ) -> Result<End, TrajectoryWriteError> {
        let status = self.status.unwrap_or_else(|| self.failure.actor.into());
        let result = SessionResult {
            hint: self.failure.hint,
            model: driver.to_owned(),
            seconds: Seconds {
                total: started.elapsed().as_secs_f64(),
                tests: self.tested.as_secs_f64(),
                ..Seconds::default()
            },
            ..SessionResult::early(status, self.failure.message)
        };
        let is_unusable = self.status.is_none() && self.failure.actor == Actor::Case;
        Ok(End { result: journal.end(result)?, edits: Vec::new(), is_unusable })
    }
}

impl Preparation<'_> {
    /// Opens the test harness and runs those tests before any change that the first question waits for.
    pub async fn prepare(&self, journal: &mut Journal) -> Result<(TestHarness, PendingBaseline), SetupError> {
        let Environment { chosen, detected, .. } = self.environment;
        let description = chosen.sandbox.describe();
        journal.record(Event::Detected {
            spec: spec_value(&detected.spec),
            reasons: detected.reasons.clone(),
            sandbox: description.clone(),
            notes: chosen.notes.iter().filter(|note| **note != description).cloned().collect(),
        })?;
        for warning in &chosen.warnings {
            journal.record(Event::warning(warning))?;
        }
        let harness = self.in_time(self.environment.open(self.plan, self.activity)).await??;
        for note in harness.notes() {
            journal.record(Event::info(note))?;
        }
        if let Some(whole) = harness.times().whole().filter(|_| self.is_outlasted(&harness)) {
            journal.record(Event::info(outlasted(whole)))?;
        }
        let pending = PendingBaseline::default();
        let began = Instant::now();
        match self.run_awaited(&harness, &pending, journal).await {
            Ok(()) => Ok((harness, pending)),
            Err(error) => {
                let tested = began.elapsed();
                close_harness(harness).await;
                Err(SetupError { tested, ..error })
            }
        }
    }

    /// Runs the tests that the first question waits for.
    async fn run_awaited(
        &self,
        harness: &TestHarness,
        pending: &PendingBaseline,
        journal: &mut Journal,
    ) -> Result<(), SetupError> {
        if self.plan.patience().is_some() {
            return Ok(());
        }
        let named = if self.plan.asks_after_named() { self.named(harness).await? } else { None };
        match named {
            Some(named) => {
                named.record_named(journal)?;
                pending.set_named(named);
            }
            None => pending.set(Ok(self.run_tests(harness, journal).await?)),
        }
        Ok(())
    }

    /// What the tests say alone that were named as showing the bug, if they say enough.
    async fn named(&self, harness: &TestHarness) -> Result<Option<MeasuredBaseline>, SetupError> {
        let began = Instant::now();
        let named = harness.named_alone(&self.plan.bug.input.failing, self.until());
        let named = self.in_time(named).await?.map_err(|error| self.unmeasured(error))?;
        let seconds = began.elapsed().as_secs_f64();
        Ok(named.map(|baseline| MeasuredBaseline {
            baseline,
            is_tested: true,
            seconds,
            warnings: Vec::new(),
        }))
    }

    /// Runs the tests before any change, where that is still to be done.
    pub async fn run_pending(&self, harness: &TestHarness, pending: &PendingBaseline) {
        // The fixed methods look at no test but those that they write.
        if pending.known().is_none() && !self.plan.writes_by_fixed_method() {
            let all = async {
                let measured = self.measured(harness).await;
                let was_cut = harness.baseline_was_cut();
                if measured.is_ok() || !was_cut {
                    pending.set(measured.map_err(|error| error.failure));
                }
                // A run that was not cut tells of the nearest, too.
                if was_cut {
                    pending.near().await;
                    pending.abandon();
                }
            };
            let run = async {
                if self.is_outlasted(harness) {
                    self.run_near(harness, pending).await;
                    if harness.baseline_was_cut() {
                        pending.abandon();
                    } else {
                        all.await;
                    }
                } else {
                    Box::pin(beside(self.run_near(harness, pending), all)).await;
                }
            };
            tokio::select! {
                () = run => {}
                () = pending.abandoned() => {}
            }
        }
        pending.set_near(None);
    }

    /// Whether all tests are known to take longer than a fix waits for them.
    fn is_outlasted(&self, harness: &TestHarness) -> bool {
        matches!(self.plan.whole_suite(self.started, harness), WholeSuite::Until { patience, .. } if harness.outlasts(patience))
    }

    /// Runs the tests nearest to the issue, where a fix may be judged by these before all are through: beside all others, or before them
    /// where those are known to take too long.
    async fn run_near(&self, harness: &TestHarness, pending: &PendingBaseline) {
        let issue = self.plan.bug.input.issue.as_deref();
        let near = match (issue, self.plan.whole_suite(self.started, harness)) {
            (Some(issue), WholeSuite::Until { patience, .. }) => {
                nearest_to_issue(harness, issue, patience).await
            }
            _ => Ok(None),
        };
        // What hinders these hinders all, too, and is told there.
        pending.set_near(near.ok().flatten());
    }

    /// Runs the tests, records what they come to, and looks whether there is something to repair.
    async fn run_tests(
        &self,
        harness: &TestHarness,
        journal: &mut Journal,
    ) -> Result<MeasuredBaseline, SetupError> {
        let measured = self.measured(harness).await?;
        measured.record(journal)?;
        let baseline = &measured.baseline;
        if !baseline.failing.is_empty() || self.plan.needs_no_failing_test() {
            return Ok(measured);
        }
        if let Some((fault, tests)) = baseline.environment_faults.iter().max_by_key(|(_, tests)| tests.len())
        {
            let (count, all) = (tests.len(), baseline.report.outcomes.len());
            let failure = Failure::environment(format!("{count} of {all} tests fail because {}", fault.what));
            return Err(failure.hint(&fault.cure).into());
        }
        let reason = if baseline.report.passed() > 0 {
            "all tests pass: there is nothing to repair".to_owned()
        } else {
            format!("no test fails and none passes, {} are skipped", baseline.report.skipped())
        };
        let hint = "add a test that shows the bug, or give the command that does with --test";
        Err(SetupError { status: Some(Status::NoFix), ..Failure::case(reason).hint(hint).into() })
    }

    /// What the tests say before any change. Where an issue tells of the bug, tests that cannot be run are missed, and no more.
    async fn measured(&self, harness: &TestHarness) -> Result<MeasuredBaseline, SetupError> {
        let began = Instant::now();
        let mut warnings = Vec::new();
        let mut baseline = match self.tested(harness).await {
            Err(Untested::Tests(why)) if self.plan.needs_no_failing_test() => {
                let Failure { message, hint, .. } = Failure::from(why);
                let cure = hint.map(|hint| format!("\nhint: {hint}")).unwrap_or_default();
                warnings.push(format!("none of the project's tests are run: {message}{cure}"));
                harness.give_up_tests();
                self.tested(harness).await?
            }
            tested => tested?,
        };
        if !harness.runs_tests() {
            let meaning = "none of the project's tests are run: only tests that are written for the issue tell what a candidate does";
            warnings.push(meaning.to_owned());
        }
        if self.plan.bug.input.issue_only {
            let all: Vec<String> = baseline.failing.iter().map(ToString::to_string).collect();
            baseline.ignore(&all);
        } else if self.plan.bug.input.failing.is_empty() {
            baseline.ignore(&self.plan.bug.known_failing);
            warnings.extend(self.ignore_unrelated(harness, &mut baseline).await?);
            if baseline.supposed {
                warnings.push(
                    "that the failing tests show what the issue tells of is supposed, since it names none of them: --failing TEST names those \
                     that do, and --failing none says that none does"
                        .to_owned(),
                );
            }
        }
        warnings.extend(baseline.most_failing());
        let seconds = began.elapsed().as_secs_f64();
        warnings.extend(self.little_time(seconds));
        Ok(MeasuredBaseline { baseline, is_tested: harness.runs_tests(), seconds, warnings })
    }

    /// Where an issue tells of the bug and nobody named tests that show it, leaves those out that have nothing to do with it; says so.
    async fn ignore_unrelated(
        &self,
        harness: &TestHarness,
        baseline: &mut Baseline,
    ) -> Result<Option<String>, SetupError> {
        let issue = self.plan.bug.input.issue.as_deref().filter(|_| self.plan.needs_no_failing_test());
        let Some(issue) = issue else { return Ok(None) };
        let Relevance { unrelated, supposed } =
            patchwright_initial_context::relevance(harness, baseline, issue).await?;
        baseline.supposed = supposed;
        if unrelated.is_empty() {
            return Ok(None);
        }
        let names: Vec<String> = unrelated.iter().map(ToString::to_string).collect();
        baseline.ignore(&names);
        Ok(Some(format!(
            "{} failing tests have nothing in common with the issue and are not taken for the bug; name those that show it with \
             --failing: {}",
            names.len(),
            TestId::summarized(&unrelated, NAMED)
        )))
    }

    /// The tests before any change.
    async fn tested(&self, harness: &TestHarness) -> Result<Baseline, Untested> {
        let baseline = harness.baseline_until(&self.plan.bug.input.failing, self.until());
        let baseline = self.in_time(baseline).await.map_err(Untested::Error)?;
        match baseline {
            Ok(baseline) => Ok(baseline),
            Err(
                error @ (TestHarnessError::TimedOut { .. }
                | TestHarnessError::NoTests { .. }
                | TestHarnessError::ResultsNotRead { .. }
                | TestHarnessError::BrokeOff { .. }),
            ) => Err(Untested::Tests(error)),
            Err(error) => Err(Untested::Error(self.unmeasured(error))),
        }
    }

    /// Why tests came to nothing: the time limit is told apart from what else stands in the way.
    fn unmeasured(&self, error: TestHarnessError) -> SetupError {
        match error {
            TestHarnessError::OutOfTime { .. } => self.out_of_time(&format!("is over, and {error}")),
            error => error.into(),
        }
    }

    /// When the time is over.
    fn until(&self) -> Option<Instant> {
        self.plan.limits.time.and_then(|limit| self.started.checked_add(limit))
    }

    /// Waits for work as long as there is time, and a little longer: what ends by itself then can say more.
    async fn in_time<T>(&self, work: impl Future<Output = T>) -> Result<T, SetupError> {
        let Some(until) = self.until() else { return Ok(work.await) };
        let mut work = pin!(work);
        let ended = tokio::time::timeout_at((until + GRACE).into(), work.as_mut()).await;
        // The step is asked for while it is under way: it ends with the work.
        ended.map_err(|_| {
            let step = self.activity.step().map_or_else(String::new, |step| format!(" while {step}"));
            self.out_of_time(&format!("was reached{step}"))
        })
    }

    fn out_of_time(&self, told: &str) -> SetupError {
        let seconds = self.plan.limits.time.unwrap_or_default().as_secs();
        let reason = format!("the budget is used up: the time limit of {seconds} s {told}");
        let failure = Failure::environment(reason).hint("raise it with --time-limit");
        SetupError { status: Some(Status::Budget), ..failure.into() }
    }

    /// A warning for the user where the tests leave little time for the session.
    fn little_time(&self, seconds: f64) -> Option<String> {
        let limit = self.plan.limits.time?.as_secs_f64();
        let most = seconds >= limit * MUCH;
        most.then(|| {
            format!("building and testing before any change took {seconds:.0} s of the {limit:.0} s of the time limit")
        })
    }

    /// What the session works on, found out within its time.
    pub async fn setup<'b>(
        &'b self,
        harness: &'b TestHarness,
        baseline: &'b PendingBaseline,
    ) -> Result<SessionSetup<'b>, SetupError> {
        self.in_time(self.found(harness, baseline)).await?
    }

    async fn found<'b>(
        &'b self,
        harness: &'b TestHarness,
        baseline: &'b PendingBaseline,
    ) -> Result<SessionSetup<'b>, SetupError> {
        let bug = &self.plan.bug.input;
        let tools = self.plan.tools.clone();
        let known = baseline.so_far();
        let failing = known.map(MeasuredBaseline::failing_tests).unwrap_or_default();
        let names = failing.iter().map(|test| test.id.to_string()).collect();
        let test_layout =
            if failing.is_empty() { test_layout(harness, &self.environment.detected) } else { String::new() };
        let task = Task {
            goal: self.plan.tools.goal,
            language: language(&self.environment.detected.spec),
            project_name: bug.project.clone(),
            issue: bug.issue.clone(),
            failing,
            files: production_files(harness)?,
            test_layout,
            report: known.map(MeasuredBaseline::report_for_prompts).unwrap_or_default(),
            test_code: patchwright_initial_context::test_code_text(
                harness.project(),
                names,
                tools.line_chars,
            )
            .await?,
            localization: patchwright_tools::named_lines(&self.plan.localization, harness.project())?,
            gathered: match self.plan.mode() {
                Mode::Agent => {
                    let known = known.map(|known| &known.baseline);
                    let issue = bug.issue.as_deref().map(|issue| match self.plan.tools.goal {
                        Goal::Fix => issue.to_owned(),
                        // A test exercises what the issue's examples call.
                        Goal::Test => patchwright_test_writing::with_example_names(issue),
                    });
                    gathered(harness, known, issue.as_deref(), &self.plan.bug.dir, tools.line_chars).await?
                }
                Mode::Agentless => Vec::new(),
            },
        };
        Ok(SessionSetup {
            harness,
            baseline,
            whole_suite: self.plan.whole_suite(self.started, harness),
            task,
            prompts: self.plan.prompts.clone(),
            answers: self.plan.answers(),
            limits: self.plan.limits,
        })
    }
}

/// What is told where all tests are known to take too long.
fn outlasted(whole: WholeRun) -> String {
    let tests = whole.tests.map_or_else(|| "all tests".to_owned(), |tests| format!("all {tests} tests"));
    let took = if whole.ended { "took" } else { "would have taken about" };
    format!(
        "{tests} {took} {:.0} s in an earlier session: those nearest to the issue run first, and the others as long as there is time",
        whole.seconds
    )
}

fn language(spec: &patchwright_detection::ProjectSpec) -> String {
    spec.language.map_or_else(|| "unknown".to_owned(), |language| language.name().to_owned())
}

fn spec_value(spec: &patchwright_detection::ProjectSpec) -> serde_json::Value {
    json!({
        "language": language(spec),
        "kind": spec.kind.name(),
        "build": spec.build,
        "test": spec.test.line(),
        "test_one": spec.test_one,
        "results": spec.results.to_string(),
        "source": spec.source,
        "tests": spec.tests,
        "timeout_s": spec.timeout.as_secs(),
        "network": spec.network,
    })
}

/// How new tests are written in the project, a sentence; nothing where they cannot be.
fn test_layout(harness: &TestHarness, detected: &DetectedProject) -> String {
    let TestLayout { framework, folder, holds_most, language } = harness.test_layout();
    let Some(language) = language else { return String::new() };
    let place =
        if folder == "." || !holds_most { String::new() } else { format!(", in the folder {folder}") };
    if let Some(framework) = framework {
        let versions =
            detected.versions().map(|versions| format!(" and run with {versions}")).unwrap_or_default();
        return format!("Tests are written for {framework} here{place}{versions}.");
    }
    let name = language.name();
    let why = detected.reasons.iter().find(|reason| reason.contains(UNTESTED));
    let why = why.map(|why| format!(" ({why})")).unwrap_or_default();
    format!(
        "No test framework can be used here{why}: write a script in {name}, without test functions, that ends with an error while the bug \
         is there. It can import the project's code."
    )
}

/// The methods that the failures lead to, and the code that the issue names, as the first thing that is gathered, with who last changed
/// the first of them and, where no test fails, the tests near the issue.
async fn gathered(
    harness: &TestHarness,
    baseline: Option<&Baseline>,
    issue: Option<&str>,
    origin: &Path,
    line_chars: usize,
) -> Result<Vec<Finding>, Failure> {
    let of_failures = match baseline {
        Some(baseline) => patchwright_initial_context::failure_code(harness, baseline).await?,
        None => Vec::new(),
    };
    let alone = baseline.is_none_or(|baseline| baseline.failing.is_empty());
    let (of_issue, near) = match issue {
        Some(issue) if alone => {
            let found = patchwright_initial_context::issue_context(harness, issue, line_chars).await?;
            (found.code, found.near)
        }
        Some(issue) => (patchwright_initial_context::referenced_code(harness, issue).await?, None),
        None => (Vec::new(), None),
    };
    // Where a project is shown whole, its first file is none that the issue names.
    let history = match of_failures.first().or(of_issue.iter().find(|code| code.is_partial())) {
        Some(first) => history(harness, origin, first).await?,
        None => None,
    };
    let of_failures = of_failures.into_iter().map(|code| excerpt("the code that the failures lead to", code));
    let of_issue = of_issue.into_iter().map(|code| excerpt("the code that the issue leads to", code));
    let near = near.map(|text| text_finding("tests and files near the issue", text));
    Ok(of_failures.chain(of_issue).chain(history).chain(near).collect())
}

/// Code that is gathered before the first cycle.
fn excerpt(command: &str, code: CodeExcerpt) -> Finding {
    Finding { cycle: 0, command: command.to_owned(), content: FindingContent::Lines(code.shown) }
}

/// Text that is gathered before the first cycle.
fn text_finding(command: &str, text: String) -> Finding {
    Finding { cycle: 0, command: command.to_owned(), content: FindingContent::Text(text) }
}

/// Who last changed some lines, where the project has a repository of its own: in one of a larger whole the files stand for other reasons.
async fn history(
    harness: &TestHarness,
    origin: &Path,
    code: &CodeExcerpt,
) -> Result<Option<Finding>, Failure> {
    if !patchwright_lanes::repository::has_own(origin) {
        return Ok(None);
    }
    let (path, lines) = (code.shown.path.as_str(), code.lead.clone());
    let text = patchwright_tools::last_commits(origin, harness.project(), path, lines, HISTORY_BYTES).await?;
    Ok(text.map(|text| text_finding("who last changed the first of these lines", text)))
}

/// The files of a known language that are not tests; of a language that is compiled, those in the folders that the build names.
fn production_files(harness: &TestHarness) -> Result<Vec<String>, SetupError> {
    let files = harness.project().files().map_err(Failure::environment)?;
    let files = harness.rules().allowed(files).map_err(Failure::environment)?;
    let spec = harness.spec();
    let is_built = |path: &str| {
        let inside =
            |folder: &String| path.strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/'));
        spec.source.is_empty() || spec.source.iter().any(|folder| folder == "." || inside(folder))
    };
    let is_code = |path: &&ProjectPath| {
        let language = Language::of_path(path.as_path());
        language.is_some_and(|language| Some(language) != spec.language || is_built(path.as_str()))
    };
    Ok(files.iter().filter(is_code).map(ToString::to_string).collect())
}
