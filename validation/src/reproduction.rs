//! Tests that are written to reproduce an issue: run on the original code, and with candidates.

mod altered;
mod disturbance;
mod edited;
mod evidence;
mod layout;
mod loading;
mod test_text;

use std::path::Path;
use std::time::Duration;

use patchwright_detection::adapters;
use patchwright_edits::Applied;
use patchwright_protocol::{ReproductionOutcome, ReproductionRecord, ReproductionVerdict, TestId, Verdict};
use patchwright_syntax::Language;
use patchwright_syntax::pattern::{Pattern, pattern};
use patchwright_test_results::{TestOutcome, TestReport, TestStatus, is_one_of};

use crate::baseline::Baseline;
use crate::compare::{TestState, state_of};
use crate::error::TestHarnessError;
use crate::execution::settle;
use crate::execution::{Execution, Selection};
use crate::harness::TestHarness;
use crate::probe::{Probe, ProbeOutput};
use crate::reproduction_test::{Form, ReproductionTest};
use crate::snippet::SnippetOutput;
use crate::validation::{Validation, stopped};
pub use altered::AlteredTests;
pub use edited::{EditedTest, repeated_test};
pub use layout::TestLayout;
pub use loading::UnloadableTests;

/// The time that a script has.
const SCRIPT_TIME: Duration = Duration::from_mins(1);
/// What a new test is taken to need, in seconds, where nothing is known of the others: many times as long is no end.
const SECONDS: f64 = 2.0;
/// The bytes of its output that are kept.
const OUTPUT_BYTES: usize = 64 << 10;

/// What a test tool says of options that it does not know.
static REFUSED_OPTIONS: Pattern = pattern!(r"(?m)^.*\berror: ((?:unrecognized|ambiguous) .*)$");
/// What a compiler says of a script in Java.
static JAVAC: Pattern = pattern!(r"(?m)^\S+\.java:\d+: error: (.*)$");

/// What a run of a reproduction test came to.
#[derive(Clone, Debug)]
pub struct ReproductionRun {
    /// The report of the run.
    pub report: TestReport,
    /// The outcomes of its own tests.
    outcomes: Vec<TestOutcome>,
    /// Why none of them ran, where that is known.
    unrun: Option<String>,
    /// Is true if a program was run beside the project, and no test tool.
    is_script: bool,
    /// Its language, where that is known.
    language: Option<Language>,
}

impl ReproductionTest {
    /// The record of a run of it on the original code, in which the `issue` tells what a failure shows.
    pub fn record(&self, run: &ReproductionRun, issue: &str) -> ReproductionRecord {
        let verdict = run.verdict(issue);
        let stands = verdict == ReproductionVerdict::Fails;
        ReproductionRecord {
            id: self.id,
            path: self.path.clone(),
            text: self.text(),
            verdict,
            tests: if stands { run.failing(issue) } else { Vec::new() },
            failure: run.failure(),
            replaces: None,
        }
    }
}

impl TestHarness {
    /// Runs a reproduction test, with a change in the project or on the original code. A change is tried in a copy that nothing ran in
    /// before. `baseline` has to be known for a script of a project that [observes](patchwright_detection::ProjectSpec::observes_java) how its tests are run.
    ///
    /// # Errors
    /// The sandbox or the disk; [`TestHarnessError::Write`] when the change does not fit the files.
    pub async fn reproduce(
        &self,
        test: &ReproductionTest,
        applied: Option<&Applied>,
        baseline: Option<&Baseline>,
    ) -> Result<ReproductionRun, TestHarnessError> {
        let _step = self.activity.begin("running the test that reproduces the issue");
        match &test.form {
            Form::Project { added, selection } => {
                let both = applied.map_or_else(|| added.clone(), |applied| applied.with(added));
                let report = self.run_new(selection, &both, applied.is_none()).await?;
                Ok(ReproductionRun::of_tests(self.test_language(), report, selection))
            }
            Form::Script { language, code } => {
                let limit = SCRIPT_TIME.min(self.spec().timeout);
                let probe = Probe { applied, limit, output_bytes: OUTPUT_BYTES };
                let output = self.run_script(*language, code, &probe, baseline).await?;
                Ok(match output {
                    SnippetOutput::Ran(output) => ReproductionRun::of_script(*language, &test.path, &output),
                    SnippetOutput::NotBuilt(report) => ReproductionRun::unrun(*report, "it does not build"),
                    SnippetOutput::Unsupported(why) => {
                        ReproductionRun::unrun(TestReport::empty(why.clone()), &why)
                    }
                })
            }
        }
    }

    /// Runs tests that a change adds as the project's own are run, also where these are given up: a single one may do where all take too
    /// long. The lane is used again if it is to be `kept`.
    async fn run_new(
        &self,
        selection: &[TestId],
        change: &Applied,
        kept: bool,
    ) -> Result<TestReport, TestHarnessError> {
        self.compile_tools().await?;
        let spec = self.detected();
        let known = self.execution(spec.timeout);
        let longest = known.longest.or(Some(SECONDS));
        let execution = Execution { spec, adapter: adapters::of(spec.kind), longest, ..known };
        let lease = if kept { self.lanes.take().await? } else { self.lanes.fresh().await? };
        let run = async {
            lease.lane().change(change).await?;
            execution.run(lease.lane(), Selection::Only(selection), Some(change), false).await
        }
        .await;
        if kept {
            settle(lease, &run);
            return run;
        }
        let removed = lease.remove().await;
        let report = run?;
        Ok(removed.map(|()| report)?)
    }

    /// What the reproduction tests of a baseline say of a change, and the verdict on it if it does not pass them all. Each of them is run:
    /// one that asks for the wrong must not hide what the others say. A change that does not compile fails them all.
    pub(crate) async fn reproduced(
        &self,
        baseline: &Baseline,
        applied: &Applied,
    ) -> Result<(Vec<ReproductionOutcome>, Option<Validation>), TestHarnessError> {
        let mut outcomes = Vec::new();
        let mut refuted: Option<Validation> = None;
        for test in &baseline.reproductions {
            let run = self.reproduce(test, Some(applied), Some(baseline)).await?;
            let passes = run.passes(&test.failing);
            outcomes.push(ReproductionOutcome { test: test.id, passes });
            if passes {
                continue;
            }
            let still_failing = run.still_failing(&test.failing);
            if let Some(found) = &mut refuted {
                found.still_failing.extend(still_failing);
                found.report.outcomes.extend(run.report.outcomes);
            } else {
                let verdict = stopped(&run.report).unwrap_or(Verdict::Failing);
                refuted = Some(Validation::new(verdict, run.report, &still_failing));
            }
            if refuted.as_ref().is_some_and(|found| found.verdict == Verdict::DoesNotCompile) {
                break;
            }
        }
        let refuted = refuted.map(|found| Validation { reproductions: outcomes.clone(), ..found });
        Ok((outcomes, refuted))
    }
}

impl ReproductionRun {
    fn of_tests(language: Option<Language>, report: TestReport, selection: &[TestId]) -> Self {
        let names: Vec<String> = selection.iter().map(ToString::to_string).collect();
        let those = |is_own: &dyn Fn(&TestId) -> bool| {
            let own = report.outcomes.iter().filter(|outcome| is_own(&outcome.id));
            own.cloned().collect::<Vec<TestOutcome>>()
        };
        let mut outcomes = those(&|test| is_one_of(test, &names));
        if outcomes.is_empty() {
            outcomes = those(&|test| names.iter().any(|name| is_renamed(test, name)));
        }
        let unrun = match stopped(&report) {
            Some(Verdict::TimedOut) => Some("its time was over".to_owned()),
            Some(_) => Some("it does not compile".to_owned()),
            None if outcomes.is_empty() => {
                let why = refused_options(&report).or_else(|| unloaded(&report, &names));
                Some(why.unwrap_or_else(|| not_found(&report)))
            }
            None => skipped(&outcomes),
        };
        Self { report, outcomes, unrun, is_script: false, language }
    }

    fn of_script(language: Language, name: &str, output: &ProbeOutput) -> Self {
        let text = output.text.trim_end();
        let last = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let status = match output.status {
            Some(0) => TestStatus::Passed,
            _ if is_assertion(text, last) => TestStatus::Failed,
            _ => TestStatus::Error,
        };
        let outcome = if output.ending.starts_with("signal ") {
            TestOutcome::cut_off(name)
        } else {
            TestOutcome::new(name, status).with_message(last)
        };
        let outcome = outcome.with_trace(text);
        let report = TestReport {
            outcomes: vec![outcome.clone()],
            timed_out: output.timed_out,
            complete: true,
            ending: output.ending.clone(),
            ..TestReport::empty(text.to_owned())
        };
        let compiler = JAVAC.captures(text).map(|found| format!("it does not compile: {}", &found[1]));
        let unrun = if output.timed_out { Some("its time was over".to_owned()) } else { compiler };
        Self { report, outcomes: vec![outcome], unrun, is_script: true, language: Some(language) }
    }

    fn unrun(report: TestReport, why: &str) -> Self {
        Self { report, outcomes: Vec::new(), unrun: Some(why.to_owned()), is_script: true, language: None }
    }

    /// The run of a test that fails at one time and not at another, so that it says nothing.
    #[must_use]
    pub fn unstable(self) -> Self {
        Self { unrun: Some("it fails in one run and not in the next".to_owned()), ..self }
    }

    /// The run of a test with which others of its file fail.
    #[must_use]
    pub fn disturbing(self, others: &[TestId]) -> Self {
        let why = format!(
            "with it other tests of the file no longer pass ({}); it has to leave everything as it was",
            TestId::listed(others)
        );
        Self { unrun: Some(why), ..self }
    }

    /// What it says of the original code. A test that ends before it gets to the code under test says nothing, unless the `issue` is
    /// about just that.
    pub fn verdict(&self, issue: &str) -> ReproductionVerdict {
        if self.unrun.is_some() {
            return ReproductionVerdict::DoesNotRun;
        }
        if self.outcomes.iter().any(|outcome| self.shows(outcome, issue)) {
            return ReproductionVerdict::Fails;
        }
        let passed = |outcome: &TestOutcome| outcome.status == TestStatus::Passed;
        let failing = |outcome: &TestOutcome| outcome.status.is_failing();
        if self.outcomes.iter().any(passed) && !self.outcomes.iter().any(failing) {
            ReproductionVerdict::Passes
        } else {
            ReproductionVerdict::DoesNotRun
        }
    }

    /// Is true if a test fails in a way that may show the bug of an issue. A file that cannot be loaded has no test that could.
    fn shows(&self, outcome: &TestOutcome, issue: &str) -> bool {
        let is_file = outcome.status == TestStatus::Error
            && Language::of_path(Path::new(outcome.id.as_str())).is_some();
        evidence::shows(outcome, issue, self.language, is_file && !self.is_script)
    }

    /// Those of its tests that fail in a way that may show the bug of the `issue`.
    pub fn failing(&self, issue: &str) -> Vec<TestId> {
        let failing = self.outcomes.iter().filter(|outcome| self.shows(outcome, issue));
        failing.map(|outcome| outcome.id.clone()).collect()
    }

    /// How the first of its tests fails, in short, or why it does not run.
    pub fn failure(&self) -> Option<String> {
        let message = || self.outcomes.iter().find(|outcome| outcome.status.is_failing())?.message.clone();
        self.unrun.clone().or_else(message)
    }

    /// Why the first failing test may fail for another reason than the `issue` tells, in a sentence.
    pub fn doubt(&self, issue: &str) -> Option<String> {
        evidence::doubt(self.outcomes.iter().find(|outcome| outcome.status.is_failing())?, issue)
    }

    /// Is true if the tests that failed on the original code pass, and none of its others fails.
    pub fn passes(&self, failing: &[TestId]) -> bool {
        self.unrun.is_none()
            && self.still_failing(failing).is_empty()
            && !self.outcomes.iter().any(|outcome| outcome.status.is_failing())
    }

    /// Those of the tests that failed on the original code that do not pass.
    pub fn still_failing(&self, failing: &[TestId]) -> Vec<TestId> {
        let passes = |test: &&TestId| state_of(&self.report, test) == TestState::Passes;
        failing.iter().filter(|test| !passes(test)).cloned().collect()
    }
}

/// Is true if a program ended with an assertion: Python says so in the last line, V8 at the beginning of a line, before the stack.
fn is_assertion(text: &str, last: &str) -> bool {
    last.starts_with("AssertionError") || text.lines().any(|line| line.starts_with("AssertionError ["))
}

/// Whether a test is one of this name in a class that a plug-in has run under a longer name: SQLAlchemy's adds the database,
/// `file.py::ThatTest_sqlite::test_it`.
fn is_renamed(test: &TestId, name: &str) -> bool {
    let parts = |text: &str| -> Vec<String> {
        text.split('[').next().unwrap_or_default().split("::").map(str::to_owned).collect()
    };
    let (run, asked) = (parts(test.as_str()), parts(name));
    let classes = run.len() - 1;
    let is_same = |(place, (run, asked)): (usize, (&String, &String))| {
        let longer = (1..classes).contains(&place).then(|| run.strip_prefix(asked.as_str())).flatten();
        run == asked || longer.is_some_and(|rest| rest.starts_with('_'))
    };
    asked.len() <= run.len() && run.iter().zip(&asked).enumerate().all(is_same)
}

/// What the test tool says of options that it refuses.
fn refused_options(report: &TestReport) -> Option<String> {
    let found = REFUSED_OPTIONS.captures(&report.log)?;
    Some(format!("the test tool refuses its options: {}", found[1].trim()))
}

/// Why none of the tests that were asked for ran.
fn not_found(report: &TestReport) -> String {
    if !report.complete && report.outcomes.is_empty() {
        return "the run ends before its first test, while the file is loaded".to_owned();
    }
    "the test tool does not find it".to_owned()
}

/// Why tests say nothing that are all skipped, which one that is expected to fail is as well.
fn skipped(outcomes: &[TestOutcome]) -> Option<String> {
    let is_skipped = |outcome: &TestOutcome| outcome.status == TestStatus::Skipped;
    let why = outcomes.iter().all(is_skipped).then(|| outcomes.first()?.message.as_deref());
    why.map(|why| {
        let why = why.map(|why| format!(" ({})", why.trim())).unwrap_or_default();
        format!(
            "it is skipped or marked as one that is expected to fail{why}, and has to fail without a mark"
        )
    })
}

/// Why the file of some tests cannot be loaded, where the report tells of it.
fn unloaded(report: &TestReport, names: &[String]) -> Option<String> {
    let is_around = |outcome: &&TestOutcome| {
        let starts = |name: &String| {
            name.strip_prefix(outcome.id.as_str()).is_some_and(|rest| rest.starts_with(['.', ':']))
        };
        outcome.status.is_failing() && names.iter().any(starts)
    };
    match report.outcomes.iter().find(is_around) {
        Some(file) => Some(format!("{} cannot be loaded: {}", file.id, loading::last_error(file))),
        None => loading::broken_off(report).map(|why| format!("no test can be loaded: {why}")),
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use patchwright_test_results::Ending;

    use super::*;

    fn run(outcomes: &[(&str, TestStatus, &str)]) -> ReproductionRun {
        let outcomes = outcomes
            .iter()
            .map(|(id, status, message)| TestOutcome::new(*id, *status).with_message(*message));
        let report =
            TestReport { outcomes: outcomes.collect(), complete: true, ..TestReport::empty(String::new()) };
        ReproductionRun::of_tests(Language::by_name("python"), report, &[TestId::new("tests/test_new.py")])
    }

    #[test]
    fn a_test_that_does_not_end_shows_what_does_not_end() {
        let mut endless = run(&[("tests/test_new.py::test_a", TestStatus::Error, "")]);
        endless.outcomes[0].ending = Ending::Overdue;
        assert_eq!(endless.verdict("The total is wrong."), ReproductionVerdict::DoesNotRun);
        assert_eq!(endless.verdict("`read` never returns."), ReproductionVerdict::Fails);
        assert!(endless.doubt("`read` never returns.").unwrap().starts_with("it did not end"));
        let run = run(&[(
            "tests/test_new.py::test_a",
            TestStatus::Error,
            "ImportError: cannot import name 'subtotal' from 'shop.cart'",
        )]);
        assert_eq!(run.verdict("There should be a function subtotal."), ReproductionVerdict::Fails);
        assert_eq!(run.verdict("The total is wrong."), ReproductionVerdict::DoesNotRun);
    }

    #[test]
    fn a_test_that_ends_its_own_run_shows_what_crashes() {
        let mut run = run(&[]);
        run.outcomes = vec![TestOutcome::cut_off("tests/test_new.py::test_a")];
        run.unrun = None;
        assert_eq!(run.verdict("The total is wrong."), ReproductionVerdict::DoesNotRun);
        assert_eq!(run.verdict("`read` crashes the interpreter."), ReproductionVerdict::Fails);
    }

    #[test]
    fn a_file_that_cannot_be_loaded_shows_nothing() {
        let broken = run(&[("tests/test_new.py", TestStatus::Error, "StopIteration")]);
        assert_eq!(broken.verdict("The total is wrong."), ReproductionVerdict::DoesNotRun);
        assert_eq!(broken.verdict("Importing it ends with StopIteration."), ReproductionVerdict::Fails);
        let around = TestOutcome::new("tests/test_old.py", TestStatus::Error)
            .with_message("ImportError while importing")
            .with_trace("tests/test_old.py:1: in <module>\nE   ModuleNotFoundError: No module named 'wide'");
        let report =
            TestReport { outcomes: vec![around], complete: true, ..TestReport::empty(String::new()) };
        let run = ReproductionRun::of_tests(
            Language::by_name("python"),
            report,
            &[TestId::new("tests/test_old.py::test_new")],
        );
        let why = "tests/test_old.py cannot be loaded: ModuleNotFoundError: No module named 'wide'";
        assert_eq!(run.failure().as_deref(), Some(why));
    }

    #[test]
    fn a_test_that_ends_before_the_code_under_test_says_nothing() {
        use ReproductionVerdict::{DoesNotRun, Fails, Passes};
        let check = |status: TestStatus, message: &str, issue: &str, expect: ReproductionVerdict| {
            let run = run(&[("tests/test_new.py::test_a", status, message)]);
            let language = if message.starts_with("java.") { "java" } else { "python" };
            let run = ReproductionRun { language: Language::by_name(language), ..run };
            assert_eq!(run.verdict(issue), expect, "{message}");
        };
        check(TestStatus::Failed, "AssertionError: assert 1 == 2", "", Fails);
        check(TestStatus::Failed, "assert 1 == 2", "", Fails);
        check(TestStatus::Error, "TypeError: f() got an unexpected keyword argument 'x'", "", Fails);
        check(TestStatus::Error, "NameError: name 'f' is not defined", "", DoesNotRun);
        check(TestStatus::Error, "shop.errors.NameError: no name", "it raises NameError", Fails);
        check(TestStatus::Error, "ModuleNotFoundError: No module named 'x'", "", DoesNotRun);
        check(TestStatus::Error, "java.lang.NoClassDefFoundError: a/B", "", DoesNotRun);
        check(TestStatus::Error, "E   fixture 'shop' not found", "", DoesNotRun);
        check(TestStatus::Failed, "async def functions are not natively supported.", "", DoesNotRun);
        check(TestStatus::Error, "AssertionError: the extension is not loaded", "", DoesNotRun);
        check(TestStatus::Passed, "", "", Passes);
        check(TestStatus::Skipped, "needs a network", "", DoesNotRun);
    }

    #[test]
    fn a_test_that_fails_by_chance_says_nothing() {
        let run = run(&[("tests/test_new.py::test_a", TestStatus::Failed, "assert 1 == 2")]).unstable();
        assert_eq!(run.verdict("It is wrong."), ReproductionVerdict::DoesNotRun);
        assert_eq!(run.failure().as_deref(), Some("it fails in one run and not in the next"));
    }

    #[test]
    fn it_is_said_why_a_test_does_not_run() {
        let own = |status| ("tests/test_new.py::test_a", status, "expected failure");
        let marked = "it is skipped or marked as one that is expected to fail (expected failure), and has to fail without a mark";
        assert_eq!(run(&[own(TestStatus::Skipped)]).failure().as_deref(), Some(marked));
        let refused = TestReport::empty(
            "usage: x [options]\nx: error: unrecognized arguments: --cov=shop\n".to_owned(),
        );
        let run = ReproductionRun::of_tests(
            Language::by_name("python"),
            refused,
            &[TestId::new("tests/test_new.py")],
        );
        let why = "the test tool refuses its options: unrecognized arguments: --cov=shop";
        assert_eq!(run.failure().as_deref(), Some(why));
    }

    #[test]
    fn only_its_own_tests_count() {
        use ReproductionVerdict::{DoesNotRun, Fails, Passes};
        let other = ("tests/test_old.py::test_b", TestStatus::Failed, "assert 0");
        let own = |status, message| ("tests/test_new.py::test_a", status, message);
        assert_eq!(run(&[other]).verdict(""), DoesNotRun);
        assert_eq!(run(&[other]).failure().as_deref(), Some("the test tool does not find it"));
        assert_eq!(run(&[other, own(TestStatus::Passed, "")]).verdict(""), Passes);
        let shown = run(&[other, own(TestStatus::Failed, "assert 1 == 2")]);
        assert_eq!(shown.verdict(""), Fails);
        assert_eq!(shown.failing(""), [TestId::new("tests/test_new.py::test_a")]);
        assert!(!shown.passes(&shown.failing("")));
        assert!(run(&[other, own(TestStatus::Passed, "")]).passes(&shown.failing("")));
        assert!(!run(&[other]).passes(&shown.failing("")));
    }

    #[test]
    fn a_class_that_a_plug_in_renames_has_the_test_all_the_same() {
        let check = |asked: &str, ran: &str, expect: bool| {
            assert_eq!(is_renamed(&TestId::new(ran), asked), expect, "{asked} {ran}");
        };
        check("t.py::CartTest::test_a", "t.py::CartTest_sqlite+pysqlite_3_40::test_a[b::c]", true);
        check("t.py::CartTest", "t.py::CartTest_sqlite::test_a", true);
        check("t.py::CartTest::test_a", "t.py::CartTest_sqlite::test_a_b", false);
        check("t.py::CartTest::test_a", "t.py::CartTests::test_a", false);
        check("t.py::test_a", "t.py::test_a_b", false);
        check("t.py::test_a", "u.py::test_a", false);
        check("t.py::CartTest::test_a", "t.py::CartTest_sqlite", false);
    }

    #[test]
    fn the_end_of_a_script_counts() {
        use ReproductionVerdict::{DoesNotRun, Fails, Passes};
        let check = |text: &str, status: Option<i32>, timed_out: bool, expect: ReproductionVerdict| {
            let output = ProbeOutput { text: text.to_owned(), timed_out, status, ending: String::new() };
            let python = Language::by_name("python").unwrap();
            let run = ReproductionRun::of_script(python, "reproduce.py", &output);
            assert_eq!(run.verdict(""), expect, "{text}");
        };
        check("fine\n", Some(0), false, Passes);
        check("Traceback …\nAssertionError: 1 is not 2\n", Some(1), false, Fails);
        check("Traceback …\nshop.Wrong: total\n", Some(1), false, Fails);
        check("Traceback …\nSyntaxError: invalid syntax\n", Some(1), false, DoesNotRun);
        let own = "  File \"snippet.py\", line 2\n    assert half(5) == 3)\nSyntaxError: unmatched ')'\n";
        check(own, Some(1), false, DoesNotRun);
        let of_code = "Traceback (most recent call last):\n  File \"snippet.py\", line 2, in <module>\n  File \"calc.py\", line 3, in half\nNameError: n\n";
        check(of_code, Some(1), false, Fails);
        check("", None, true, DoesNotRun);
        check("Main.java:3: error: cannot find symbol\n", Some(1), false, DoesNotRun);
    }
}
