//! Parts of a baseline: the test files, modules or classes of which alone the state is known.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use futures_util::future::try_join_all;
use patchwright_detection::AdapterKind;
use patchwright_protocol::{ResultsFormat, TestId};
use patchwright_test_results::{Ending, TestReport, is_member};

use super::TIMES;
use crate::baseline::{Baseline, RecordedTiming, START, file_of};
use crate::error::TestHarnessError;
use crate::execution::{Execution, Selection};
use crate::harness::TestHarness;
use crate::validation::stopped;

/// Single tests of a file that takes too long as a whole.
const SINGLE_TESTS: usize = 200;

impl Baseline {
    /// The test files, modules or classes that it is of, each with the seconds of its tests.
    pub fn files(&self) -> Vec<(TestId, f64)> {
        let mut files: BTreeMap<TestId, f64> = self.nearest.iter().map(|file| (file.clone(), 0.0)).collect();
        for outcome in &self.report.outcomes {
            let seconds = self.report.test_seconds.get(&outcome.id).copied().unwrap_or_default();
            let of_file = files.iter_mut().find(|(file, _)| holds(file, &outcome.id));
            match of_file {
                Some((_, of_file)) => *of_file += seconds,
                None => drop(files.insert(file_of(&outcome.id), seconds)),
            }
        }
        files.into_iter().collect()
    }

    /// The state of some of its files alone, with which candidates are tried then.
    pub fn of_files(&self, files: Vec<TestId>) -> Self {
        let is_of = |test: &TestId| files.iter().any(|file| holds(file, test));
        let kept = |tests: &[TestId]| tests.iter().filter(|test| is_of(test)).cloned().collect();
        let mut report = self.report.clone();
        report.outcomes.retain(|outcome| is_of(&outcome.id));
        report.test_seconds.retain(|test, _| is_of(test));
        report.seconds = report.test_seconds.values().sum();
        Self {
            failing: kept(&self.failing),
            known_failing: kept(&self.known_failing),
            passing: kept(&self.passing),
            flaky: kept(&self.flaky),
            set_aside: kept(&self.set_aside),
            left_out: kept(&self.left_out),
            nearest: files,
            recorded: self
                .recorded
                .clone()
                .map(|recorded| RecordedTiming { suite_seconds: None, ..recorded }),
            report,
            ..self.clone()
        }
    }

    /// It with the state of further files.
    pub fn with(&self, more: &Self) -> Self {
        let both = |one: &[TestId], other: &[TestId]| {
            let tests: BTreeSet<&TestId> = one.iter().chain(other).collect();
            tests.into_iter().cloned().collect::<Vec<TestId>>()
        };
        let mut report = self.report.clone();
        report.add(more.report.outcomes.clone());
        report.test_seconds.extend(more.report.test_seconds.clone());
        report.seconds += more.report.seconds;
        report.bent.extend(more.report.bent.iter().cloned());
        Self {
            failing: both(&self.failing, &more.failing),
            known_failing: both(&self.known_failing, &more.known_failing),
            passing: both(&self.passing, &more.passing),
            flaky: both(&self.flaky, &more.flaky),
            set_aside: both(&self.set_aside, &more.set_aside),
            left_out: both(&self.left_out, &more.left_out),
            nearest: {
                // Single tests of a file that is known as a whole add nothing.
                let is_within = |test: &TestId, files: &[TestId]| {
                    files.iter().any(|file| file != test && holds(file, test))
                };
                let own = self.nearest.iter().filter(|test| !is_within(test, &more.nearest));
                let new = more
                    .nearest
                    .iter()
                    .filter(|test| !self.nearest.contains(test) && !is_within(test, &self.nearest));
                own.chain(new).cloned().collect()
            },
            all_tests: self.all_tests.or(more.all_tests),
            limit: self.limit.max(more.limit),
            report,
            ..self.clone()
        }
    }

    /// It where some tests that pass, or all of some files, are none that have to go on passing.
    pub(crate) fn without(&self, tests: &[TestId]) -> Self {
        let mut rest = self.clone();
        rest.passing.retain(|test| !tests.iter().any(|one| one == test || is_member(test, one)));
        // Some did not pass before: tests that are marked to fail, and parametrised ones that come with the change.
        rest.known_failing.extend_from_slice(tests);
        rest
    }
}

impl TestHarness {
    /// Ends the run of all tests before any change: what has not ended by then is not waited for. From then on [`TestHarness::baseline_until`]
    /// gives the state of the tests that have.
    pub fn cut_baseline(&self) {
        // Once is enough.
        let _ = self.cut.set(());
    }

    /// Is true if the run of all tests before any change was ended so.
    pub fn baseline_was_cut(&self) -> bool {
        self.cut.initialized()
    }

    /// Is true if a run of all tests that is cut tells of those that had ended, and these can be run again by themselves.
    pub fn tells_when_cut(&self) -> bool {
        let spec = self.spec();
        spec.results == ResultsFormat::Lines && spec.kind != AdapterKind::Custom && spec.test_one.is_some()
    }

    /// Is true if a run was cut.
    pub(super) fn is_cut(&self, report: &TestReport) -> bool {
        report.timed_out && self.cut.initialized()
    }

    /// The state of some test files, modules or classes (see [`TestHarness::tests_of_files`]), for candidates that are to be measured by these
    /// alone: none of the tests that fail is taken for the bug. Those of `first` run before the others of their files, where the tool can do that. Where they take longer than `enough` from the first of them on, or `most` with
    /// all that comes before, it is that of those that ended. `None` where none did, or the tool finds none there.
    ///
    /// # Errors
    /// The sandbox or the disk.
    pub async fn baseline_of(
        &self,
        tests: &[TestId],
        first: &[TestId],
        (enough, most): (Duration, Duration),
    ) -> Result<Option<Baseline>, TestHarnessError> {
        if tests.is_empty() {
            return Ok(None);
        }
        let _step = self.activity.begin("running the tests nearest to the change");
        self.compile_tools().await?;
        let run = |share: Vec<TestId>| async move {
            let lease = self.lanes.take().await?;
            let execution =
                Execution { enough: Some(enough), first, ..self.execution(most.min(self.spec().timeout)) };
            let report = execution.run(lease.lane(), Selection::Only(&share), None, false).await?;
            // Where it was ended something may still be at work in the lane.
            if !report.timed_out {
                lease.give_back();
            }
            Ok::<_, TestHarnessError>(self.part(share, report))
        };
        let parts = try_join_all(self.shares(tests).into_iter().map(run)).await?;
        let together = parts.into_iter().flatten().reduce(|all, more| all.with(&more));
        if let Some(some) = &together {
            self.times.note(some, None);
        }
        Ok(together)
    }

    /// The state of some test files, modules or classes as a run told it; where that was ended, of those of which all tests had. `None` where
    /// nothing was told.
    pub(super) fn part(&self, tests: Vec<TestId>, mut report: TestReport) -> Option<Baseline> {
        let is_told = report.interrupted_in.is_some() || self.spec().results == ResultsFormat::Lines;
        let all_tests = self.recorded.as_ref().and_then(|recorded| recorded.all_tests);
        let nearest = if (report.timed_out || !report.complete) && is_told {
            ended_in_time(&tests, &mut report)
        } else {
            tests
        };
        if stopped(&report).is_some() || report.outcomes.is_empty() {
            return None;
        }
        let limit =
            (Duration::from_secs_f64(report.seconds.max(0.0)) * TIMES + START).min(self.spec().timeout);
        let (passing, known_failing) = (report.passing(), report.failing());
        Some(Baseline {
            report,
            known_failing,
            passing,
            nearest,
            all_tests,
            limit,
            ..Baseline::unknown().clone()
        })
    }
}

/// Is true if a test is in a file, module or class, or is itself meant.
fn holds(file: &TestId, test: &TestId) -> bool {
    is_member(test, file) || test == file
}

/// Those of some test files, modules or classes that ended before the time limit of their run, whose report is then of these alone: whole
/// ones or, where none is, single tests. None where no test ended.
pub(crate) fn ended_in_time(tests: &[TestId], report: &mut TestReport) -> Vec<TestId> {
    let running = report.interrupted_in.take();
    let mut cut: Vec<TestId> = running.clone().into_iter().chain(report.ended_last.take()).collect();
    // Several may run at once (pytest-xdist), and some of a file before those of others.
    let begun = report
        .outcomes
        .extract_if(.., |outcome| outcome.ending == Ending::CutOff || Some(&outcome.id) == running.as_ref());
    cut.extend(begun.map(|outcome| outcome.id));
    let mut ran_in: BTreeMap<TestId, u64> = BTreeMap::new();
    for outcome in &report.outcomes {
        *ran_in.entry(file_of(&outcome.id)).or_default() += 1;
    }
    let is_begun = |(file, all): &(&TestId, &u64)| ran_in.get(*file).is_some_and(|ran| ran < *all);
    cut.extend(report.collected_in.iter().filter(is_begun).map(|(file, _)| file.clone()));
    report.outcomes.retain(|outcome| outcome.ending != Ending::Overdue);
    let ran = |group: &&TestId| report.outcomes.iter().any(|outcome| holds(group, &outcome.id));
    let is_cut = |group: &TestId| cut.iter().any(|test| holds(group, test));
    let mut ended: Vec<TestId> = tests.iter().filter(ran).filter(|group| !is_cut(group)).cloned().collect();
    if ended.is_empty() {
        ended = report.passing().into_iter().take(SINGLE_TESTS).collect();
    }
    report.outcomes.retain(|outcome| ended.iter().any(|group| holds(group, &outcome.id)));
    report.timed_out = report.outcomes.is_empty();
    report.complete = !report.timed_out;
    ended
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::baseline::testing::baseline_of;

    #[test]
    fn of_tests_that_take_too_long_those_count_that_ended() {
        let check = |running: Option<&str>, last: Option<&str>, expect: &[&str], left: usize| {
            let passing = [("a.py::one", 1.0), ("a.py::two", 1.0), ("b.py::one", 1.0), ("b.py::slow", 9.0)];
            let mut report = baseline_of(&[], &passing).report;
            report.timed_out = true;
            report.interrupted_in = running.map(TestId::new);
            report.ended_last = last.map(TestId::new);
            let tests = ["a.py", "b.py", "c.py"].map(TestId::new);
            let ended = ended_in_time(&tests, &mut report);
            assert_eq!(ended.iter().map(TestId::as_str).collect::<Vec<_>>(), expect);
            assert_eq!((report.outcomes.len(), report.timed_out), (left, left == 0));
        };
        check(Some("b.py::slow"), Some("b.py::one"), &["a.py"], 2);
        check(None, Some("b.py::one"), &["a.py"], 2);
        // They had all ended, and their tool had not.
        check(None, None, &["a.py", "b.py"], 4);
        // Those of a file had not all, though another ran when all were ended.
        let mut report =
            baseline_of(&[], &[("a.py::one", 1.0), ("b.py::one", 1.0), ("c.py::one", 1.0)]).report;
        report.timed_out = true;
        report.interrupted_in = Some(TestId::new("c.py::one"));
        report.collected_in =
            [("a.py", 2), ("b.py", 1), ("c.py", 1)].map(|(file, all)| (TestId::new(file), all)).into();
        let files = ["a.py", "b.py", "c.py"].map(TestId::new);
        assert_eq!(ended_in_time(&files, &mut report), [TestId::new("b.py")]);
        // No file had.
        let mut report = baseline_of(&[], &[("a.py::one", 1.0), ("a.py::slow", 9.0)]).report;
        report.timed_out = true;
        report.interrupted_in = Some(TestId::new("a.py::slow"));
        assert_eq!(ended_in_time(&[TestId::new("a.py")], &mut report), [TestId::new("a.py::one")]);
    }
}
