//! What the golden tests of a case have to do, for the case to say anything about other tests.

use crate::excluded::counts;
use crate::grade::RunKind;
use crate::log::LogNote;
use crate::report::{CaseOutcome, CaseReport};
use crate::tdd::{TddCase, TddOutcome};
use crate::transitions::new_names;

/// Names that a reason tells at most.
const NAMES: usize = 5;

/// The reason why the golden tests of a case are not accepted; none where they are. `report` is that on the golden tests as predictions.
pub fn gold_problem(report: &CaseReport) -> Option<String> {
    let told = match &report.outcome {
        CaseOutcome::NotRun => because("they were not run", &report.notes),
        CaseOutcome::NotApplied => "the field `test_patch` does not apply to the base commit".to_owned(),
        CaseOutcome::Graded(verdict) => {
            let (predicted, base) = (&verdict.predicted, &verdict.base);
            let broken = [
                new_names(&predicted.pass_to_fail, &base.pass_to_fail),
                new_names(&predicted.fail_to_fail, &base.fail_to_fail),
            ];
            // Without new tests the fix is all that is applied.
            let refused = format!("{}: {}", RunKind::BasePost.name(), LogNote::PatchFailed.sentence());
            if verdict.added.resolved {
                return None;
            } else if report.notes.contains(&refused) {
                "the field `patch` does not apply to the base commit".to_owned()
            } else if predicted.is_empty() {
                "no test ran with them, neither before nor after the fix: their logs (`test_output.txt`) say why".to_owned()
            } else if !verdict.added.fails_before {
                "none of them fails before the fix: they do not show the bug".to_owned()
            } else if verdict.added.fail_to_pass == 0 {
                "none of them fails before the fix and passes after".to_owned()
            } else if broken.iter().all(Vec::is_empty) {
                "tests that the fix repairs anyway are lost with them".to_owned()
            } else {
                format!("with them tests fail after the fix: {}", named(&broken.concat()))
            }
        }
    };
    Some(if counts(&report.instance_id) {
        told
    } else {
        format!("{told} (the case is left out officially, too)")
    })
}

/// The same by the rule of TDD-Bench, whose score is above zero where golden tests are accepted.
pub fn tdd_gold_problem(case: &TddCase) -> Option<String> {
    Some(match &case.outcome {
        TddOutcome::Graded(verdict) => {
            let failing: Vec<&str> = verdict
                .after
                .iter()
                .filter(|(_, status)| status.fails())
                .map(|(test, _)| test.as_str())
                .collect();
            if verdict.resolved() {
                return None;
            } else if !verdict.fails_before() {
                "none of them fails before the fix: they do not show the bug".to_owned()
            } else if !failing.is_empty() {
                format!("with them tests fail after the fix: {}", named(&failing))
            } else if verdict.passes_after() {
                "they execute no line of the fix".to_owned()
            } else {
                "none of them passes after the fix".to_owned()
            }
        }
        TddOutcome::Error => because("they have no complete logs", &case.notes),
        TddOutcome::Empty => "the field `test_patch` is empty".to_owned(),
        TddOutcome::Missing => because("they were not run", &case.notes),
    })
}

fn because(told: &str, notes: &[String]) -> String {
    notes.last().map_or_else(|| told.to_owned(), |note| format!("{told}: {note}"))
}

fn named(tests: &[&str]) -> String {
    let first = tests.iter().take(NAMES).copied().collect::<Vec<_>>().join(", ");
    if tests.len() > NAMES { format!("{first} and {} more", tests.len() - NAMES) } else { first }
}

#[cfg(test)]
mod tests {
    use patchwright_swe_bench::{LoggedStatus, StatusMap};

    use super::*;
    use crate::grade::Verdict;
    use crate::transitions::{Added, Transitions};

    fn statuses(text: &str) -> StatusMap {
        let status = |word: &str| if word == "P" { LoggedStatus::Passed } else { LoggedStatus::Failed };
        let named = text.split_whitespace().filter_map(|word| word.split_once(':'));
        named.map(|(name, word)| (name.to_owned(), status(word))).collect()
    }

    #[test]
    fn a_case_whose_golden_tests_say_nothing_is_told_with_the_reason() {
        let check = |with: (&str, &str), without: (&str, &str), expect: Option<&str>| {
            let between = |(before, after)| Transitions::between(&statuses(before), &statuses(after));
            let (predicted, base) = (between(with), between(without));
            let added = Added::of(&predicted, &base);
            let verdict =
                Verdict { added, golden: predicted.clone(), predicted, base, coverage: None, strict: None };
            let outcome = CaseOutcome::Graded(Box::new(verdict));
            let report = CaseReport { instance_id: "a__a-1".to_owned(), outcome, notes: Vec::new() };
            let found = gold_problem(&report);
            assert!(
                match (&found, expect) {
                    (None, None) => true,
                    (Some(found), Some(expect)) => found.contains(expect),
                    (None, Some(_)) | (Some(_), None) => false,
                },
                "{found:?} is not {expect:?}"
            );
        };
        check(("new:F old:P", "new:P old:P"), ("old:P", "old:P"), None);
        check(("new:P old:P", "new:P old:P"), ("old:P", "old:P"), Some("they do not show the bug"));
        check(
            ("new:F old:P", "new:F old:P"),
            ("old:P", "old:P"),
            Some("none of them fails before the fix and passes"),
        );
        check(("new:F old:P", "new:P old:F"), ("old:P", "old:P"), Some("fail after the fix: old"));
        check(("new:F", "new:P"), ("old:F", "old:P"), Some("are lost"));
        let report = |notes: &[&str]| CaseReport {
            instance_id: "a__a-1".to_owned(),
            outcome: CaseOutcome::NotRun,
            notes: notes.iter().map(ToString::to_string).collect(),
        };
        assert_eq!(gold_problem(&report(&["no image"])).as_deref(), Some("they were not run: no image"));
        assert_eq!(gold_problem(&report(&[])).as_deref(), Some("they were not run"));
    }
}
