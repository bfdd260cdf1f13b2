//! The last run before *plausible*: by the project's own test tool, in a process of its own in which nothing of ours is loaded.
//!
//! Code under test shares its process with whoever runs the tests, so that code which looks for our runner may find it. A candidate
//! is only plausible where the tool alone tells the same. Where the tool cannot tell a test's outcome before any change either, it is not
//! asked about that test.

mod naming;

use std::collections::BTreeSet;
use std::sync::Arc;

use patchwright_detection::ProjectSpec;
use patchwright_detection::adapters::{self, Alone, OwnTool, WantedTests};
use patchwright_detection::heap;
use patchwright_edits::Applied;
use patchwright_protocol::{Confirmation, ResultsFormat, TestCommand, TestId, Unconfirmable, Verdict};
use patchwright_test_results::TestReport;

use crate::baseline::Baseline;
use crate::compare::{TestState, state_of};
use crate::error::TestHarnessError;
use crate::execution::Selection;
use crate::harness::TestHarness;
use crate::validation::{Extent, Validation, evaluate_report};

/// Takes away the variables by which code could tell this run from those of our runner. The heap of a Java machine is kept elsewhere.
const UNKNOWN: &str = "set -- \"$PATCHWRIGHT_HEAP\"; unset PATCHWRIGHT_HEAP PATCHWRIGHT_OUT PATCHWRIGHT_TOOLS PATCHWRIGHT_RESULTS \
                       PATCHWRIGHT_LIMIT PATCHWRIGHT_LONGEST PATCHWRIGHT_SKIP \
                       PATCHWRIGHT_FOLDER; ";

/// What the project's own tool says of a candidate that our runner calls plausible.
pub(crate) enum Agreement {
    /// The same, or nothing that can be told.
    Agrees(Validation),
    /// Something else.
    Contradicts(Validation),
}

impl Agreement {
    /// The candidate is as our runner says, and so much does the tool confirm of it.
    fn told(found: Validation, confirmation: Confirmation) -> Self {
        let confirmation = (found.verdict == Verdict::Plausible).then_some(confirmation);
        Self::Agrees(Validation { confirmation, ..found })
    }

    fn unconfirmed(found: Validation, because: Unconfirmable) -> Self {
        Self::told(found, Confirmation::No { because })
    }
}

impl TestHarness {
    /// The project's own tool.
    fn own_tool(&self, baseline: &Baseline) -> OwnTool {
        let spec = self.spec();
        let known: Vec<TestId> = baseline.report.outcomes.iter().map(|outcome| outcome.id.clone()).collect();
        let tests = WantedTests {
            known: &known,
            left_out: &baseline.left_out,
            is_part: !baseline.nearest.is_empty(),
        };
        let found = adapters::of(spec.kind).own_tool(spec, self.lanes.pristine(), tests);
        let OwnTool::Alone(alone) = found else { return found };
        let Alone { spec, adapter } = *alone;
        let is_silent = |test: &TestId| is_beside_left_out(baseline, test);
        if spec.results == ResultsFormat::JunitText && baseline.failing.iter().any(is_silent) {
            return OwnTool::Cannot(Unconfirmable::TestsLeftOut);
        }
        let unknown =
            |line: &str| format!("{UNKNOWN}{}", line.replace(&format!("${}", heap::VARIABLE), "$1"));
        let (test, test_one) =
            (TestCommand::Shell(unknown(spec.test.line())), spec.test_one.as_deref().map(unknown));
        OwnTool::Alone(Box::new(Alone { spec: ProjectSpec { test, test_one, ..spec }, adapter }))
    }

    /// The last word on a candidate, in clean copies: what our runner calls plausible has to be so for the project's own tool alone. Where
    /// all tests take long, or some stand for them because they do, the tool runs in place of our runner: code that deceives our runner is met
    /// there, and what it adds is only why a test fails.
    pub(crate) async fn try_finally(
        &self,
        baseline: &Baseline,
        applied: &Applied,
        is_recheck: bool,
    ) -> Result<Agreement, TestHarnessError> {
        let by_ours = async || self.try_in_order(baseline, applied).await;
        let alone = match self.own_tool(baseline) {
            _ if !baseline.shows_bug() => return Ok(Agreement::Agrees(by_ours().await?)),
            OwnTool::AsAlways if baseline.failing.is_empty() => {
                return Ok(Agreement::unconfirmed(by_ours().await?, Unconfirmable::WrittenTests));
            }
            OwnTool::AsAlways => return Ok(Agreement::told(by_ours().await?, Confirmation::Yes)),
            OwnTool::Cannot(because) => return Ok(Agreement::unconfirmed(by_ours().await?, because)),
            OwnTool::Alone(alone) => alone,
        };
        let by_tool = async || self.try_alone(&alone, baseline, applied).await;
        let (natural, found) = if is_recheck {
            // Most of these fail, which our runner explains better.
            (by_ours().await?, None)
        } else if baseline.is_long() || !baseline.nearest.is_empty() {
            let found = by_tool().await?;
            if found.verdict == Verdict::Plausible {
                return Ok(Agreement::told(found, given(baseline)));
            }
            (by_ours().await?, Some(found))
        } else {
            let (natural, found) = tokio::try_join!(by_ours(), by_tool())?;
            (natural, Some(found))
        };
        if natural.verdict != Verdict::Plausible {
            return Ok(Agreement::Agrees(natural));
        }
        let found = match found {
            Some(found) => found,
            None => by_tool().await?,
        };
        if found.verdict == Verdict::Plausible {
            return Ok(Agreement::told(natural, given(baseline)));
        }
        self.weigh(&alone, baseline, applied, natural, found).await
    }

    /// Judges by a run of the tool alone, in a copy that nothing ran in before.
    async fn try_alone(
        &self,
        alone: &Alone,
        baseline: &Baseline,
        applied: &Applied,
    ) -> Result<Validation, TestHarnessError> {
        let report = self.run_all_alone(alone, baseline, Some(applied)).await?;
        let without = async { self.before_alone(alone, baseline).await.map(Arc::unwrap_or_clone) };
        let report = Box::pin(self.acquitted(baseline, report, without)).await?;
        let excused = if baseline.nearest.is_empty() {
            BTreeSet::new()
        } else {
            self.order_dependence.order_dependent()
        };
        let is_short = is_short(baseline, &report);
        let mut found = evaluate_report(baseline, report, Extent::All, &excused);
        if is_short && found.verdict == Verdict::Plausible {
            found.verdict = Verdict::Failing;
        }
        Ok(found)
    }

    /// Weighs a candidate that our runner calls plausible and the tool alone does not: `natural` by ours, `found` by the tool.
    async fn weigh(
        &self,
        alone: &Alone,
        baseline: &Baseline,
        applied: &Applied,
        mut natural: Validation,
        found: Validation,
    ) -> Result<Agreement, TestHarnessError> {
        let before = self.before_alone(alone, baseline).await?;
        let differs = |natural| Agreement::unconfirmed(natural, Unconfirmable::DiffersBefore);
        if found.verdict != Verdict::Failing {
            // It was ended, or broke off: so it does without any change, or it is the change that does it.
            let is_known = before.timed_out || !before.complete;
            return Ok(if is_known { differs(natural) } else { self.contradicted(found) });
        }
        let is_fewer = found.still_failing.is_empty() && found.newly_failing.is_empty();
        if is_fewer {
            let is_known = is_short(baseline, &before);
            return Ok(if is_known { differs(natural) } else { self.contradicted(found) });
        }
        // Of a test of which it tells something else before any change, the tool alone tells nothing.
        let tells = |test: &&TestId| state_of(&before, test) == state_of(&baseline.report, test);
        let doubted = |tests: &[TestId]| tests.iter().filter(tells).cloned().collect::<Vec<_>>();
        let (mut still, mut newly) = (doubted(&found.still_failing), doubted(&found.newly_failing));
        let tells_of_bug = still.len() == found.still_failing.len();
        if !(still.is_empty() && newly.is_empty()) {
            // A test that is not sure of itself must not cost a good candidate its verdict.
            let again: Vec<TestId> = still.iter().chain(&newly).cloned().collect();
            let again = self.run_alone(alone, baseline, Selection::Only(&again), Some(applied)).await?;
            let again = evaluate_report(baseline, again, Extent::Part, &BTreeSet::new());
            let fails = |test: &TestId| {
                again.still_failing.contains(test) || state_of(&again.report, test) != TestState::Passes
            };
            let passing =
                still.extract_if(.., |test| !fails(test)).chain(newly.extract_if(.., |test| !fails(test)));
            natural.flaky.extend(passing);
            natural.flaky.sort();
            natural.flaky.dedup();
        }
        if still.is_empty() && newly.is_empty() {
            return Ok(if tells_of_bug {
                Agreement::told(natural, given(baseline))
            } else {
                differs(natural)
            });
        }
        Ok(self.contradicted(Validation { still_failing: still, newly_failing: newly, ..found }))
    }

    /// What the tool alone says without any change of the tests that stand for all.
    async fn before_alone(
        &self,
        alone: &Alone,
        baseline: &Baseline,
    ) -> Result<Arc<TestReport>, TestHarnessError> {
        let mut known = self.alone_before.lock().await;
        if let Some((tests, report)) = &*known
            && *tests == baseline.nearest
        {
            return Ok(Arc::clone(report));
        }
        let report = Arc::new(self.run_all_alone(alone, baseline, None).await?);
        *known = Some((baseline.nearest.clone(), Arc::clone(&report)));
        Ok(report)
    }

    /// Runs all tests that stand for all: files that alone are known side by side, where lanes are free.
    async fn run_all_alone(
        &self,
        alone: &Alone,
        baseline: &Baseline,
        applied: Option<&Applied>,
    ) -> Result<TestReport, TestHarnessError> {
        if !baseline.nearest.is_empty() {
            let run = |share: Vec<TestId>| async move {
                self.run_alone(alone, baseline, Selection::Only(&share), applied).await
            };
            if let Some(report) = self.in_shards(baseline, run).await? {
                return Ok(report);
            }
        }
        self.run_alone(alone, baseline, baseline.selection(), applied).await
    }

    async fn run_alone(
        &self,
        alone: &Alone,
        baseline: &Baseline,
        selection: Selection<'_>,
        applied: Option<&Applied>,
    ) -> Result<TestReport, TestHarnessError> {
        // The tests that are left out are named by the command.
        let selection = match selection {
            Selection::AllBut(_) => Selection::AllBut(&[]),
            only @ Selection::Only(_) => only,
        };
        let execution = self.execution(baseline.limit).by(&alone.spec, alone.adapter);
        let mut report = self.run_fresh_by(execution, selection, applied).await?;
        naming::name_as_before(&mut report, &alone.spec, &baseline.report);
        Ok(report)
    }

    /// The verdict on a candidate about which the project's own tool says something else than our runner.
    fn contradicted(&self, found: Validation) -> Agreement {
        let message = contradiction(self.spec().kind.name(), &found);
        let verdict = if found.verdict == Verdict::Plausible { Verdict::Failing } else { found.verdict };
        Agreement::Contradicts(Validation { verdict, message: Some(message), ..found })
    }
}

/// The confirmation by a tool that says the same as our runner.
fn given(baseline: &Baseline) -> Confirmation {
    if baseline.failing.is_empty() {
        Confirmation::No { because: Unconfirmable::WrittenTests }
    } else {
        Confirmation::Yes
    }
}

/// Both outcomes of the tests that pass with our runner alone, in words.
fn contradiction(tool: &str, found: &Validation) -> String {
    let decided: Vec<&TestId> = found.still_failing.iter().chain(&found.newly_failing).collect();
    let (failing, missing): (Vec<&TestId>, Vec<&TestId>) =
        decided.into_iter().partition(|test| state_of(&found.report, test) == TestState::Fails);
    let listed = |tests: &[&TestId]| TestId::listed(&tests.iter().copied().cloned().collect::<Vec<_>>());
    let failed = format!("{tool} by itself reports these tests as failed: {}", listed(&failing));
    let not_run = format!("{tool} by itself does not report these tests: {}", listed(&missing));
    let fewer = format!("{tool} by itself runs fewer tests or does not come to its end");
    let said = match (failing.is_empty(), missing.is_empty()) {
        (false, false) => format!("{failed}; {not_run}"),
        (false, true) => failed,
        (true, false) => not_run,
        (true, true) => fewer,
    };
    format!("Patchwright's runner reports that all tests pass, but {said}")
}

/// Whether a left-out test has the same class. JUnit's own program runs whole classes.
fn is_beside_left_out(baseline: &Baseline, test: &TestId) -> bool {
    fn class(test: &TestId) -> Option<&str> {
        test.as_str().split("::").next()
    }
    baseline.left_out.iter().any(|other| class(other) == class(test))
}

/// Whether a report that names only failing tests counts fewer tests than the baseline.
fn is_short(baseline: &Baseline, report: &TestReport) -> bool {
    let is_run = |test: &&TestId| test.as_str().contains("::") && !is_beside_left_out(baseline, test);
    let methods = |tests: &[TestId]| tests.iter().filter(is_run).count();
    let expected = methods(&baseline.passing) + methods(&baseline.failing);
    report.unlisted_passed > 0 && report.passed() + report.failing().len() < expected
}
