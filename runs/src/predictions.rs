//! The patches of a run as predictions: `predictions.jsonl` in the format of SWE-bench and SWT-Bench, and `predictions_tdd.json` in that
//! of TDD-Bench.

use patchwright_protocol::{Goal, ReproductionRecord, SessionResult};
use serde::Serialize;

use super::error::RunError;
use super::files::write_derived;
use super::folder::RunRecord;

/// The answer of a run to a case, with the fields of SWE-bench's predictions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RunPrediction {
    /// The case.
    pub instance_id: String,
    /// The name by which SWE-bench groups: the run and who decided in its session.
    pub model_name_or_path: String,
    /// The patch; empty where the case was answered without one.
    pub model_patch: String,
}

/// One entry, with the fields of TDD-Bench's predictions.
#[derive(Serialize)]
struct TddPrediction<'a> {
    instance_id: &'a str,
    model_patch: &'a str,
}

impl RunRecord {
    /// The cases that were answered, in the order of the run, each with how. Of cases without an answer nothing is known.
    fn answered(&self) -> impl Iterator<Item = (&String, &SessionResult)> {
        let standing = |case: &str| self.ledger.standing(case).map(|(_, outcome)| outcome);
        let ended = self.file.cases.iter().filter_map(move |case| Some((case, standing(case)?)));
        ended.filter(|(_, outcome)| outcome.status.is_answer())
    }

    fn prediction(&self, case: &str, outcome: &SessionResult, patch: String) -> RunPrediction {
        RunPrediction {
            instance_id: case.to_owned(),
            // A slash in it would be a folder.
            model_name_or_path: format!("{}__{}", self.file.run, outcome.model).replace('/', "_"),
            model_patch: patch,
        }
    }

    fn patches(&self) -> impl Iterator<Item = RunPrediction> {
        self.answered()
            .map(|(case, outcome)| self.prediction(case, outcome, outcome.patch.clone().unwrap_or_default()))
    }

    /// The patches of all cases that were answered, one JSON line each in the order of the run; a case that was answered
    /// without a patch has an empty one. Cases without an answer are left out: nothing is known of them.
    pub fn predictions(&self) -> String {
        self.patches().filter_map(|one| Some(serde_json::to_string(&one).ok()? + "\n")).collect()
    }

    /// The tests of the run: the patches where tests were its goal; where fixes were, the reproduction tests that its sessions wrote on the
    /// way. Of several in one file the last one counts; a script is no part of the project, and left out.
    pub fn tests(&self) -> Vec<RunPrediction> {
        match self.file.goal() {
            Goal::Test => self.patches().collect(),
            Goal::Fix => {
                let tests = self
                    .answered()
                    .map(|(case, outcome)| self.prediction(case, outcome, reproductions(outcome)));
                tests.filter(|test| !test.model_patch.is_empty()).collect()
            }
        }
    }

    /// The tests of a run that writes some in the form of TDD-Bench, which knows no model: one JSON list.
    fn tdd_predictions(&self) -> String {
        let predictions: Vec<TddPrediction> = self
            .answered()
            .map(|(case, outcome)| TddPrediction {
                instance_id: case,
                model_patch: outcome.patch.as_deref().unwrap_or_default(),
            })
            .collect();
        serde_json::to_string_pretty(&predictions).unwrap_or_default() + "\n"
    }

    /// Writes `predictions.jsonl` anew, and `predictions_tdd.json` where the run writes tests.
    ///
    /// # Errors
    /// When one cannot be written; what was there before stays.
    pub fn write_predictions(&self) -> Result<(), RunError> {
        write_derived(&self.places.predictions(), self.predictions().as_bytes())?;
        match self.file.goal() {
            Goal::Fix => Ok(()),
            Goal::Test => write_derived(&self.places.tdd_predictions(), self.tdd_predictions().as_bytes()),
        }
    }
}

/// The reproduction tests of a session as one diff; empty where there are none that belong to the project.
fn reproductions(outcome: &SessionResult) -> String {
    let tests: Vec<&ReproductionRecord> = outcome.reproductions.iter().map(|bug| &bug.test).collect();
    let is_diff = |text: &str| text.starts_with("diff --git ");
    let last = |test: &&&ReproductionRecord| {
        is_diff(&test.text)
            && tests.iter().rfind(|other| other.path == test.path).is_some_and(|other| other.id == test.id)
    };
    tests.iter().filter(last).map(|test| test.text.trim_end().to_owned() + "\n").collect()
}

#[cfg(test)]
mod tests {
    use patchwright_protocol::{ReproducedBug, ReproductionVerdict, Status};

    use super::*;

    #[test]
    fn reproduction_tests_of_a_session_become_one_diff() {
        let test = |id: u32, path: &str, text: &str| ReproducedBug {
            test: ReproductionRecord {
                id,
                path: path.to_owned(),
                text: text.to_owned(),
                verdict: ReproductionVerdict::Fails,
                tests: Vec::new(),
                failure: None,
                replaces: None,
            },
            passed_by: Vec::new(),
            failed_by: Vec::new(),
        };
        let check = |tests: Vec<ReproducedBug>, expect: &str| {
            let outcome = SessionResult { reproductions: tests, ..SessionResult::early(Status::NoFix, "") };
            assert_eq!(reproductions(&outcome), expect);
        };
        check(Vec::new(), "");
        check(vec![test(1, "script.py", "print(1)\n")], "");
        let (one, two) = ("diff --git a/t.py b/t.py\n+1\n", "diff --git a/t.py b/t.py\n+2\n");
        check(vec![test(1, "t.py", one), test(2, "t.py", two)], two);
        let other = "diff --git a/u.py b/u.py\n+3";
        check(vec![test(1, "t.py", one), test(2, "u.py", other)], &format!("{one}{other}\n"));
    }
}
