//! All tests in several clean copies at once, in each a share of the test files.
//!
//! Only what passes counts so: what fails without the files before it has to fail among them, too.

use futures_util::future::try_join_all;
use patchwright_detection::AdapterKind;
use patchwright_edits::Applied;
use patchwright_protocol::TestId;
use patchwright_test_results::{Build, TestReport};

use crate::baseline::Baseline;
use crate::error::TestHarnessError;
use crate::execution::Selection;
use crate::harness::TestHarness;

impl TestHarness {
    /// Runs all tests that candidates are tried with in as many clean copies as there are lanes that nobody uses. `None` where all take
    /// no time worth saving, have to run in their order, or cannot be told apart by their files.
    pub(crate) async fn run_in_shards(
        &self,
        baseline: &Baseline,
        applied: Option<&Applied>,
    ) -> Result<Option<TestReport>, TestHarnessError> {
        self.in_shards(baseline, |shard: Vec<TestId>| async move {
            self.run_fresh(Selection::Only(&shard), applied, baseline.limit).await
        })
        .await
    }

    /// As [`TestHarness::run_in_shards`], where `run` runs one share.
    pub(crate) async fn in_shards<R>(
        &self,
        baseline: &Baseline,
        run: impl Fn(Vec<TestId>) -> R,
    ) -> Result<Option<TestReport>, TestHarnessError>
    where
        R: Future<Output = Result<TestReport, TestHarnessError>>,
    {
        if !self.is_divisible()
            || !baseline.is_long()
            || !baseline.left_out.is_empty()
            || self.order_matters(baseline)
        {
            return Ok(None);
        }
        let shards = shards(baseline.files(), self.lanes.unused());
        if shards.len() < 2 {
            return Ok(None);
        }
        let reports = try_join_all(shards.into_iter().map(run)).await?;
        Ok(reports.into_iter().reduce(joined))
    }

    /// Some test files, of whose time nothing is known, in as many shares as there are lanes that nobody uses. In each the first stay the
    /// first.
    pub(crate) fn shares(&self, files: &[TestId]) -> Vec<Vec<TestId>> {
        let lanes = if self.is_divisible() { self.lanes.unused().max(1) } else { 1 };
        (0..lanes.min(files.len()))
            .map(|first| files.iter().skip(first).step_by(lanes).cloned().collect())
            .collect()
    }

    /// Is true if test files can be told apart, and each be run without the others.
    fn is_divisible(&self) -> bool {
        self.spec().kind == AdapterKind::Pytest && self.spec().build.is_none()
    }
}

/// The files in at most so many shards that take about the same time. In each they are in the order of their names.
fn shards(mut files: Vec<(TestId, f64)>, most: usize) -> Vec<Vec<TestId>> {
    files.sort_by(|one, other| other.1.total_cmp(&one.1));
    let mut shards: Vec<(f64, Vec<TestId>)> = vec![(0.0, Vec::new()); most.min(files.len())];
    for (file, seconds) in files {
        if let Some(least) = shards.iter_mut().min_by(|one, other| one.0.total_cmp(&other.0)) {
            least.0 += seconds;
            least.1.push(file);
        }
    }
    let mut shards: Vec<Vec<TestId>> = shards.into_iter().map(|(_, shard)| shard).collect();
    for shard in &mut shards {
        shard.sort();
    }
    shards
}

/// The report of two runs at once.
fn joined(one: TestReport, other: TestReport) -> TestReport {
    let is_ended = |report: &TestReport| report.timed_out || !report.complete;
    let build =
        if matches!(one.build, Build::Failed { .. }) { one.build.clone() } else { other.build.clone() };
    let ending = if is_ended(&other) && !is_ended(&one) { &other.ending } else { &one.ending };
    let mut joined = TestReport {
        build,
        unlisted_passed: one.unlisted_passed + other.unlisted_passed,
        timed_out: one.timed_out || other.timed_out,
        interrupted_in: one.interrupted_in.clone().or(other.interrupted_in),
        ended_last: one.ended_last.clone().or(other.ended_last),
        complete: one.complete && other.complete,
        ending: ending.clone(),
        log: format!("{}{}", one.log, other.log),
        seconds: one.seconds.max(other.seconds),
        ..one
    };
    joined.add(other.outcomes);
    joined.test_seconds.extend(other.test_seconds);
    joined.bent.extend(other.bent);
    joined.unread.extend(other.unread);
    joined
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::baseline::testing::baseline_of;

    #[test]
    fn files_are_shared_out_by_their_time() {
        let baseline =
            baseline_of(&[], &[("c.py::x", 5.0), ("a.py::x", 3.0), ("b.py::x[::]", 1.0), ("b.py::y", 2.0)]);
        let check = |most: usize, expect: &[&[&str]]| {
            let found = shards(baseline.files(), most);
            let found: Vec<Vec<&str>> =
                found.iter().map(|shard| shard.iter().map(TestId::as_str).collect()).collect();
            assert_eq!(found, expect);
        };
        check(2, &[&["c.py"], &["a.py", "b.py"]]);
        check(1, &[&["a.py", "b.py", "c.py"]]);
        check(9, &[&["c.py"], &["a.py"], &["b.py"]]);
    }

    #[test]
    fn a_part_that_does_not_end_is_told_of_the_whole() {
        let whole = baseline_of(&["a.py::fails"], &[("a.py::passes", 1.0)]).report;
        let mut hung = baseline_of(&[], &[("b.py::passes", 2.0)]).report;
        hung.timed_out = true;
        hung.complete = false;
        hung.ending = "its time limit".to_owned();
        let report = joined(whole, hung);
        assert!(report.timed_out && !report.complete);
        assert_eq!(report.ending, "its time limit");
        assert_eq!(report.outcomes.len(), 3);
        assert_eq!(report.failing(), [TestId::new("a.py::fails")]);
    }
}
