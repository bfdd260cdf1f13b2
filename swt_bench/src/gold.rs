//! What the golden tests of a case have to do, for the case to say anything about other tests.

use crate::excluded::counts;
use patchwright_swe_bench::LoggedStatus;

use crate::head::GivenPatch;
use crate::report::{CaseOutcome, CaseReport};
use crate::tdd::{TddCase, TddOutcome};
use crate::transitions::new_names;

/// Names that a reason tells at most.
const NAMES: usize = 5;
/// The reason where no log names a test.
const NO_TEST: &str =
    "no test ran with them, neither before nor after the fix: their logs (`test_output.txt`) say why";
/// The reason where tests do the contrary of what they are for.
const EXCHANGED: &str =
    "they pass before the fix and fail after it, as if the logs of the two runs were exchanged";

/// The reason why the golden tests of a case are not accepted; none where they are. `report` is that on the golden tests as predictions.
pub fn gold_problem(report: &CaseReport) -> Option<String> {
    let told = match &report.outcome {
        CaseOutcome::NotRun => because("they were not run", &report.notes),
        CaseOutcome::NotApplied => refused(report, GivenPatch::GoldenTests)
            .unwrap_or_else(|| "the field `test_patch` does not apply to the base commit".to_owned()),
        CaseOutcome::Empty => "the field `test_patch` is empty".to_owned(),
        CaseOutcome::Graded(verdict) => {
            let (predicted, base) = (&verdict.predicted, &verdict.base);
            let broken = [
                new_names(&predicted.pass_to_fail, &base.pass_to_fail),
                new_names(&predicted.fail_to_fail, &base.fail_to_fail),
            ];
            if verdict.added.resolved && report.broken.is_none() {
                return None;
            } else if let Some(problem) = refused(report, GivenPatch::GoldenPatch) {
                problem
            } else if let Some(broken) = &report.broken {
                of_broken(broken)
            } else if !predicted.pass_to_fail.is_empty() && predicted.fail_to_pass.is_empty() {
                format!("{EXCHANGED}: {}", named(&predicted.pass_to_fail))
            } else if predicted.is_empty() {
                NO_TEST.to_owned()
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
            let passes_before = verdict.before.values().any(|status| *status == LoggedStatus::Passed);
            if verdict.resolved() {
                // What a log lacks raises the score only.
                return case.broken.as_deref().map(of_broken);
            } else if verdict.before.is_empty() && verdict.after.is_empty() {
                case.refused.clone().unwrap_or_else(|| NO_TEST.to_owned())
            } else if passes_before && !verdict.fails_before() && !failing.is_empty() {
                format!("{EXCHANGED}: {}", named(&failing))
            } else if !verdict.fails_before() {
                let picked = if verdict.functions.is_empty() {
                    String::new()
                } else {
                    // A head of a hunk may name another function than the one that is changed.
                    format!(" (of what the diff names, TDD-Bench runs {})", named(&verdict.functions))
                };
                format!("none of them fails before the fix: they do not show the bug{picked}")
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

/// What is told of a patch that git refused in some run, which is the field of a row that has this name.
fn refused(report: &CaseReport, patch: GivenPatch) -> Option<String> {
    // The golden tests are the predictions here.
    let refused = report.refused.iter().find(|refused| refused.patch.of_row() == patch)?;
    let (field, cure) = (patch.field(), patch.cure());
    Some(format!("the field `{field}` does not apply to the base commit: {}; {cure}", refused.reason))
}

/// What is told where a log is not whole, or not that of the run.
fn of_broken(note: &str) -> String {
    format!("a log of them says nothing: {note}")
}

fn because(told: &str, notes: &[String]) -> String {
    notes.last().map_or_else(|| told.to_owned(), |note| format!("{told}: {note}"))
}

fn named(tests: &[impl AsRef<str>]) -> String {
    let first = tests.iter().take(NAMES).map(AsRef::as_ref).collect::<Vec<_>>().join(", ");
    if tests.len() > NAMES { format!("{first} and {} more", tests.len() - NAMES) } else { first }
}

#[cfg(test)]
mod tests {
    use patchwright_swe_bench::StatusMap;

    use super::*;
    use crate::grade::Verdict;
    use crate::tdd::{ChangeCount, TddVerdict};
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
            let report = CaseReport { outcome, ..CaseReport::not_run("a__a-1") };
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
        check(
            ("new:P old:P", "new:F old:P"),
            ("old:P", "old:P"),
            Some("as if the logs of the two runs were exchanged: new"),
        );
        let verdict = Verdict {
            added: Added { resolved: true, ..Added::default() },
            predicted: Transitions::default(),
            golden: Transitions::default(),
            base: Transitions::default(),
            coverage: None,
            strict: None,
        };
        let mut accepted =
            CaseReport { outcome: CaseOutcome::Graded(Box::new(verdict)), ..CaseReport::not_run("a__a-1") };
        assert_eq!(gold_problem(&accepted), None);
        accepted.broken = Some("gold_pre: the log is cut off".to_owned());
        assert!(gold_problem(&accepted).unwrap_or_default().ends_with("gold_pre: the log is cut off"));
        let report = |notes: &[&str]| CaseReport {
            notes: notes.iter().map(ToString::to_string).collect(),
            ..CaseReport::not_run("a__a-1")
        };
        assert_eq!(gold_problem(&report(&["no image"])).as_deref(), Some("they were not run: no image"));
        assert_eq!(gold_problem(&report(&[])).as_deref(), Some("they were not run"));
    }

    #[test]
    fn tdd_bench_tells_the_same_reasons() {
        let check = |before: &str, after: &str, expect: &str| {
            let verdict = TddVerdict {
                functions: vec!["t.py::test_new".to_owned()],
                before: statuses(before),
                after: statuses(after),
                count: ChangeCount::default(),
                cov_score: 1.0,
                final_score: 0.0,
            };
            let outcome = TddOutcome::Graded(Box::new(verdict));
            let case = TddCase { outcome, ..TddCase::missing("a__a-1") };
            let found = tdd_gold_problem(&case).unwrap_or_default();
            assert!(found.contains(expect), "{found:?} is not {expect:?}");
        };
        check("", "", "no test ran with them, neither before nor after the fix");
        check("new:P", "new:F", "as if the logs of the two runs were exchanged: new");
        check(
            "new:P",
            "new:P",
            "they do not show the bug (of what the diff names, TDD-Bench runs t.py::test_new)",
        );
        check("new:F", "new:F", "with them tests fail after the fix: new");
    }
}
