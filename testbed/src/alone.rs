//! The last run before *plausible*: by the project's own test tool, in a process of its own in which nothing of ours is loaded.
//!
//! Code under test shares its process with whoever runs the tests, so that code which looks for our runner may find it. A candidate
//! is only plausible where the tool alone tells the same. Where the tool cannot tell a test's outcome before any change either, it is not
//! asked about that test.

use std::collections::BTreeSet;

use patchwright_edits::Applied;
use patchwright_protocol::{TestId, Verdict};

use crate::adapters::{self, Alone};
use crate::baseline::Baseline;
use crate::bed::TestBed;
use crate::compare::{TestState, state_of};
use crate::error::TestBedError;
use crate::execution::{Execution, Selection};
use crate::heap;
use crate::order_dependence::is_long;
use crate::outcome::TestOutcome;
use crate::report::TestReport;
use crate::spec::{AdapterKind, ProjectSpec, ResultsFormat};
use crate::validate::{Extent, Validation, evaluate_report};

/// Takes away the variables by which code could tell this run from those of our runner. The heap of a Java machine is kept elsewhere.
const UNKNOWN: &str = "set -- \"$PATCHWRIGHT_HEAP\"; unset PATCHWRIGHT_HEAP PATCHWRIGHT_OUT PATCHWRIGHT_TOOLS PATCHWRIGHT_RESULTS \
                       PATCHWRIGHT_LIMIT PATCHWRIGHT_LONGEST PATCHWRIGHT_SKIP; ";

/// What the project's own tool says of a candidate that our runner calls plausible.
pub(crate) enum Agreement {
    /// The same, or nothing that can be told.
    Agrees(Validation),
    /// Something else.
    Contradicts(Validation),
}

impl TestBed {
    /// The project's own tool, where it tells the outcomes by itself.
    fn alone(&self, baseline: &Baseline) -> Option<Alone> {
        let spec = self.spec();
        // A tool that a user names for our format of results may be anything.
        let is_ours = spec.results == ResultsFormat::Lines && spec.kind != AdapterKind::Custom;
        let known: Vec<TestId> = baseline.report.outcomes.iter().map(|outcome| outcome.id.clone()).collect();
        let adapter = adapters::of(spec.kind);
        let alone = is_ours.then(|| adapter.alone(spec, self.lanes.pristine(), &known, &baseline.left_out));
        let Alone { spec, adapter } = alone.flatten()?;
        let unknown =
            |line: &str| format!("{UNKNOWN}{}", line.replace(&format!("${}", heap::VARIABLE), "$1"));
        let (test, test_one) = (unknown(&spec.test), spec.test_one.as_deref().map(unknown));
        Some(Alone { spec: ProjectSpec { test, test_one, ..spec }, adapter })
    }

    /// The last word on a candidate, in clean copies: what our runner calls plausible has to be so for the project's own tool alone. Where
    /// all tests take long, the tool runs in place of our runner, which has run those then that show the bug.
    pub(crate) async fn try_finally(
        &self,
        baseline: &Baseline,
        applied: &Applied,
        is_recheck: bool,
    ) -> Result<Agreement, TestBedError> {
        let Some(alone) = self.alone(baseline).filter(|_| baseline.shows_bug()) else {
            return Ok(Agreement::Agrees(self.try_in_order(baseline, applied).await?));
        };
        let first = if is_long(baseline) && !is_recheck {
            let found = self.try_alone(&alone, baseline, applied).await?;
            if found.verdict == Verdict::Plausible {
                return Ok(Agreement::Agrees(found));
            }
            Some(found)
        } else {
            None
        };
        // What fails our runner explains better.
        let natural = self.try_in_order(baseline, applied).await?;
        if natural.verdict != Verdict::Plausible {
            return Ok(Agreement::Agrees(natural));
        }
        let found = match first {
            Some(found) => found,
            None => self.try_alone(&alone, baseline, applied).await?,
        };
        if found.verdict == Verdict::Plausible {
            return Ok(Agreement::Agrees(natural));
        }
        self.weigh(&alone, baseline, applied, natural, found).await
    }

    /// Judges by a run of the tool alone, in a copy that nothing ran in before.
    async fn try_alone(
        &self,
        alone: &Alone,
        baseline: &Baseline,
        applied: &Applied,
    ) -> Result<Validation, TestBedError> {
        let report = self.run_alone(alone, baseline, baseline.selection(), Some(applied)).await?;
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
        natural: Validation,
        found: Validation,
    ) -> Result<Agreement, TestBedError> {
        let before =
            self.alone_before.get_or_try_init(|| self.run_alone(alone, baseline, baseline.selection(), None));
        let before = before.await?;
        if found.verdict != Verdict::Failing {
            // It was ended, or broke off: so it does without any change, or it is the change that does it.
            let is_known = before.timed_out || !before.complete;
            return Ok(if is_known { Agreement::Agrees(natural) } else { contradicted(found) });
        }
        let is_fewer = found.still_failing.is_empty() && found.newly_failing.is_empty();
        if is_fewer {
            let is_known = is_short(baseline, before);
            return Ok(if is_known { Agreement::Agrees(natural) } else { contradicted(found) });
        }
        // Of a test of which it tells something else before any change, the tool alone tells nothing.
        let tells = |test: &&TestId| state_of(before, test) == state_of(&baseline.report, test);
        let doubted = |tests: &[TestId]| tests.iter().filter(tells).cloned().collect::<Vec<_>>();
        let (mut still, mut newly) = (doubted(&found.still_failing), doubted(&found.newly_failing));
        if !(still.is_empty() && newly.is_empty()) {
            // A test that is not sure of itself must not cost a good candidate its verdict.
            let again: Vec<TestId> = still.iter().chain(&newly).cloned().collect();
            let again = self.run_alone(alone, baseline, Selection::Only(&again), Some(applied)).await?;
            let again = evaluate_report(baseline, again, Extent::Part, &BTreeSet::new());
            let fails = |test: &TestId| {
                again.still_failing.contains(test) || state_of(&again.report, test) != TestState::Passes
            };
            still.retain(fails);
            newly.retain(fails);
        }
        if still.is_empty() && newly.is_empty() {
            return Ok(Agreement::Agrees(natural));
        }
        Ok(contradicted(Validation { still_failing: still, newly_failing: newly, ..found }))
    }

    async fn run_alone(
        &self,
        alone: &Alone,
        baseline: &Baseline,
        selection: Selection<'_>,
        applied: Option<&Applied>,
    ) -> Result<TestReport, TestBedError> {
        // The tests that are left out are named by the command.
        let selection = match selection {
            Selection::AllBut(_) => Selection::AllBut(&[]),
            only @ Selection::Only(_) => only,
        };
        let execution = Execution {
            spec: &alone.spec,
            adapter: alone.adapter,
            built: None,
            ..self.execution(baseline.limit)
        };
        let mut report = self.run_fresh_by(execution, selection, applied).await?;
        if matches!(alone.spec.results, ResultsFormat::JunitXml { .. }) {
            name_nodes(&mut report, baseline);
        }
        Ok(report)
    }
}

/// The verdict on a candidate about which the project's own tool says something else than our runner.
fn contradicted(found: Validation) -> Agreement {
    let failing: Vec<TestId> = found.still_failing.iter().chain(&found.newly_failing).cloned().collect();
    let what = if failing.is_empty() {
        "it runs fewer tests there, or does not come to its end".to_owned()
    } else {
        format!("these tests do not pass there: {}", TestId::listed(&failing))
    };
    let message = format!(
        "with the project's own test tool alone the tests come out otherwise than with Patchwright's runner: {what}"
    );
    let verdict = if found.verdict == Verdict::Plausible { Verdict::Failing } else { found.verdict };
    Agreement::Contradicts(Validation { verdict, message: Some(message), ..found })
}

/// Is true if a report that names only the failing tests counts fewer tests than passed or showed the bug before.
fn is_short(baseline: &Baseline, report: &TestReport) -> bool {
    let methods = |tests: &[TestId]| tests.iter().filter(|test| test.as_str().contains("::")).count();
    let expected = methods(&baseline.passing) + methods(&baseline.failing);
    report.unlisted_passed > 0 && report.passed() + report.failing().len() < expected
}

/// Gives the tests of a report in JUnit XML of pytest's the names that pytest itself has for them: the report says `tests.test_a.TestB` where
/// they say `tests/test_a.py::TestB`.
fn name_nodes(report: &mut TestReport, baseline: &Baseline) {
    let files: BTreeSet<&str> = baseline
        .report
        .outcomes
        .iter()
        .filter_map(|outcome| outcome.id.as_str().split("::").next())
        .collect();
    let mut modules: Vec<(String, &str)> = files
        .into_iter()
        .map(|file| (file.strip_suffix(".py").unwrap_or(file).replace('/', "."), file))
        .collect();
    // The longest that fits is the file.
    modules.sort_by_key(|(module, _)| std::cmp::Reverse(module.len()));
    let outcomes = std::mem::take(&mut report.outcomes);
    let named = |outcome: TestOutcome| match node_id(&modules, outcome.id.as_str()) {
        Some(id) => TestOutcome { id: TestId::new(id), ..outcome },
        None => outcome,
    };
    report.add(outcomes.into_iter().map(named).collect());
    let seconds = std::mem::take(&mut report.test_seconds);
    report.test_seconds = seconds
        .into_iter()
        .map(|(test, took)| (node_id(&modules, test.as_str()).map_or(test, TestId::new), took))
        .collect();
}

fn node_id(modules: &[(String, &str)], name: &str) -> Option<String> {
    let (classes, test) = name.split_once("::").map_or((name, None), |(classes, test)| (classes, Some(test)));
    let within =
        |module: &str| classes.strip_prefix(module).filter(|rest| rest.is_empty() || rest.starts_with('.'));
    let (file, rest) = modules.iter().find_map(|(module, file)| Some((*file, within(module)?)))?;
    let classes = rest.split('.').filter(|part| !part.is_empty());
    Some([file].into_iter().chain(classes).chain(test).collect::<Vec<_>>().join("::"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_name_tests_as_pytest_does() {
        let modules = [
            ("tests.test_a".to_owned(), "tests/test_a.py"),
            ("docs.usage.rst".to_owned(), "docs/usage.rst"),
            ("tests".to_owned(), "tests.py"),
        ];
        let check = |name: &str, expect: Option<&str>| {
            assert_eq!(node_id(&modules, name).as_deref(), expect, "{name}");
        };
        check("tests.test_a.TestB::test_c[x::y.z]", Some("tests/test_a.py::TestB::test_c[x::y.z]"));
        check("tests.test_a::test_c", Some("tests/test_a.py::test_c"));
        check("tests.test_a", Some("tests/test_a.py"));
        check("docs.usage.rst::usage.rst", Some("docs/usage.rst::usage.rst"));
        check("tests.test_abc::test_c", Some("tests.py::test_abc::test_c"));
        check("others::test_c", None);
    }
}
