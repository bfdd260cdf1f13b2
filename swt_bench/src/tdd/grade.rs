//! The verdict on a case.

use patchwright_swe_bench::{LoggedStatus, Parser, Row, StatusMap, TDD_BENCH};

use super::coverage::{ChangeCount, CoverageProblem, Side};
use crate::log::{VOID, has, says_applied};

/// Where the output of tests ends and the coverage begins.
pub(super) const COVERAGE: &str = "+ coverage report";

/// What is known of a case.
#[derive(Clone, Debug, PartialEq)]
pub struct TddVerdict {
    /// The tests that were run.
    pub functions: Vec<String>,
    /// Their statuses without the golden patch.
    pub before: StatusMap,
    /// With it.
    pub after: StatusMap,
    /// The lines of the golden patch, before and after together.
    pub count: ChangeCount,
    /// The share of them that was executed.
    pub cov_score: f64,
    /// The score of the case, from 0 to 1.
    pub final_score: f64,
}

impl TddVerdict {
    /// Judges the logs of both runs, each as the output of the tests and what follows `+ coverage report`.
    ///
    /// # Errors
    /// The coverage cannot be counted.
    ///
    /// Official place: `run_instance` in `tddbench/harness/run_evaluation.py`.
    pub fn of(
        row: &Row,
        functions: Vec<String>,
        [before, after]: [(&str, &str); 2],
    ) -> Result<Self, CoverageProblem> {
        let count = ChangeCount::of(&row.patch, before.1, Side::Before)?
            + ChangeCount::of(&row.patch, after.1, Side::After)?;
        let (before, after) = (statuses(before.0, row), statuses(after.0, row));
        let cov_score = count.share();
        let final_score = score(&row.instance_id, cov_score, &before, &after);
        Ok(Self { functions, before, after, count, cov_score, final_score })
    }

    /// Is true if some test fails or breaks off before.
    pub fn fails_before(&self) -> bool {
        self.before.values().any(|status| status.fails())
    }

    /// Is true if some test passes after.
    pub fn passes_after(&self) -> bool {
        self.after.values().any(|status| *status == LoggedStatus::Passed)
    }

    /// Is true if some test fails or breaks off before and passes after.
    pub fn fail_to_pass(&self) -> bool {
        let fails = |test: &String| self.before.get(test).is_some_and(|status| status.fails());
        self.after.iter().any(|(test, status)| *status == LoggedStatus::Passed && fails(test))
    }

    /// Is true if the tests succeed, and cover some of the change.
    pub fn resolved(&self) -> bool {
        self.final_score > 0.0
    }
}

/// The statuses of the tests in the output of a run; none where the log is void, or no patch was applied in it.
///
/// Official place: `get_logs_eval` in `tddbench/harness/grading.py`.
pub(super) fn statuses(output: &str, row: &Row) -> StatusMap {
    const APPLIED: &str = ">>>>> Applied Patch (pred)";
    if VOID.iter().any(|sign| has(output, sign)) || !says_applied(output) {
        return StatusMap::default();
    }
    let output = output.rfind(APPLIED).map_or(output, |at| &output[at + APPLIED.len()..]);
    let parser = Parser::of_repository(&row.repo);
    parser
        .map(|parser| parser.read_by(output, &TDD_BENCH, &row.instance_id, &row.version))
        .unwrap_or_default()
}

/// The score: some test fails or breaks off before, some test passes after and none fails or breaks off then, times the share of the
/// change that is covered. SymPy's runner is not measured, so that its cases score 1 or 0.
///
/// Official place: `run_instance` in `tddbench/harness/run_evaluation.py`; section 3 of the paper calls the mean tddScore.
pub fn score(instance_id: &str, cov_score: f64, before: &StatusMap, after: &StatusMap) -> f64 {
    let fails = |status: &LoggedStatus| status.fails();
    let succeeds = before.values().any(fails)
        && !after.values().any(fails)
        && after.values().any(|status| *status == LoggedStatus::Passed);
    match (succeeds, instance_id.to_lowercase().contains("sympy")) {
        (false, _) => 0.0,
        (true, true) => 1.0,
        (true, false) => cov_score,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_failures() {
        let row = Row {
            repo: "pydata/xarray".to_owned(),
            instance_id: "pydata__xarray-1".to_owned(),
            ..Row::default()
        };
        let check = |before: &str, after: &str, expect: f64| {
            let read = |text: &str| statuses(&format!("Applied patch t.py cleanly.\n{text}"), &row);
            let found = score(&row.instance_id, 0.5, &read(before), &read(after));
            assert!((found - expect).abs() < f64::EPSILON, "{before} {after}: {found}");
        };
        check("FAILED t.py::a - x\n", "PASSED t.py::a\n", 0.5);
        check("ERROR t.py::a\n", "PASSED t.py::a\n", 0.5);
        check("ERROR t.py::a\n", "PASSED t.py::a\nERROR t.py::b\n", 0.0);
        check("FAILED t.py::a\nPASSED t.py::b\n", "PASSED t.py::a\nSKIPPED t.py::b\n", 0.5);
        check("PASSED t.py::a\n", "PASSED t.py::a\n", 0.0);
        check("", "PASSED t.py::a\n", 0.0);
        check("FAILED t.py::a\n", "SKIPPED t.py::a\n", 0.0);
    }

    #[test]
    fn sympy_is_not_measured() {
        let status = |status| StatusMap::from_iter([("t".to_owned(), status)]);
        let found =
            score("sympy__sympy-1", 0.0, &status(LoggedStatus::Failed), &status(LoggedStatus::Passed));
        assert!((found - 1.0).abs() < f64::EPSILON);
    }

    #[test]
    fn logs_without_a_patch_or_with_a_void_mark_have_no_tests() {
        let row = Row { repo: "pydata/xarray".to_owned(), ..Row::default() };
        let check = |log: &str, expect: usize| assert_eq!(statuses(log, &row).len(), expect, "{log}");
        check("PASSED t.py::a\n", 0);
        check("applied patch\nPASSED t.py::a\n", 1);
        check("applied patch\nPASSED t.py::a\n>>>>> Reset Failed", 0);
        check("PASSED a\n>>>>> Applied Patch (pred)\nPASSED b\n", 1);
    }
}
