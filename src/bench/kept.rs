//! Verdicts on the patches of a run of ours, written into it.

use std::path::Path;

use patchwright_protocol::Failure;
use patchwright_runs::{Grade, GradedAttempt, RunRecord, TestGrade, add_grades, check_gradable};
use patchwright_swe_bench::PredictedPatch;
use patchwright_swt_bench::tdd::TddCase;
use patchwright_swt_bench::{CaseOutcome, CaseReport, counts};

/// A verdict on a prediction.
pub struct Judged {
    /// The case.
    pub case: String,
    /// The patch that was judged.
    pub patch: PredictedPatch,
    /// The verdict.
    pub grade: Grade,
}

/// The verdict of SWT-Bench on tests, as a run keeps it; none where there is none, or officially the case does not count.
pub fn swt(case: &CaseReport) -> Option<Grade> {
    if !counts(&case.instance_id) {
        return None;
    }
    let tests = match &case.outcome {
        CaseOutcome::NotRun => return None,
        CaseOutcome::NotApplied | CaseOutcome::Empty => {
            TestGrade { well_formed: Some(false), pass_to_pass: Some(false), ..TestGrade::default() }
        }
        CaseOutcome::Graded(verdict) => TestGrade {
            well_formed: Some(verdict.is_well_formed()),
            fails_before: verdict.added.fails_before,
            fail_to_pass: verdict.added.fail_to_pass > 0,
            pass_to_pass: Some(verdict.added.pass_to_pass),
            coverage: verdict.coverage.as_ref().map(|coverage| coverage.delta_predicted),
            score: None,
        },
    };
    Some(of_tests(case.resolved(), tests, "SWT-Bench"))
}

/// The same by TDD-Bench.
pub fn tdd(case: &TddCase) -> Option<Grade> {
    let verdict = case.verdict()?;
    let tests = TestGrade {
        fails_before: verdict.fails_before(),
        fail_to_pass: verdict.fail_to_pass(),
        coverage: Some(verdict.cov_score),
        score: Some(verdict.final_score),
        ..TestGrade::default()
    };
    Some(of_tests(verdict.resolved(), tests, "TDD-Bench"))
}

fn of_tests(resolved: bool, tests: TestGrade, by: &str) -> Grade {
    Grade { resolved: Some(resolved), tests: Some(tests), by: by.to_owned(), ..Grade::default() }
}

/// Writes verdicts into the run that the patches come from: those that it does not have yet, of patches that still stand.
pub async fn keep(run: &Path, judged: Vec<Judged>) -> Result<(), Failure> {
    let record = RunRecord::read(run).map_err(Failure::user)?;
    let graded = |judged: Judged| {
        let Judged { case, patch, grade } = judged;
        let (tried, outcome) = record.ledger.standing(&case)?;
        if PredictedPatch::Text(outcome.patch.clone().unwrap_or_default()) != patch {
            crate::say(&format!(
                "warning: {case}: another attempt stands for it by now; the verdict is not its"
            ));
            return None;
        }
        let is_known = match grade.graded_tests() {
            Some(graded) => tried.tests.get(&grade.by) == Some(&graded),
            None => tried.grade.as_ref().is_some_and(|known| known.resolved == grade.resolved),
        };
        let attempt = tried.number;
        (!is_known).then_some(GradedAttempt { case, attempt, grade })
    };
    let graded: Vec<GradedAttempt> = judged.into_iter().filter_map(graded).collect();
    let again = "the verdicts are known: the same command writes them into the run when nobody works on it";
    let cases = graded.iter().map(|graded| graded.case.as_str());
    check_gradable(&record.places, cases).map_err(|error| Failure::user(error).hint(again))?;
    add_grades(&record.places, graded, &crate::output::redactor()).await.map_err(Failure::environment)
}
