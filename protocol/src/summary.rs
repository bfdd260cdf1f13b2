//! A verdict in words, the same for models and for people at a terminal.

use crate::candidate::{Candidate, ValidationResult, Verdict};
use crate::test::TestId;
use crate::tests_run::TestsRun;

/// Tests that newly fail and that [`Candidate::told`] names.
const NAMED: usize = 4;

impl Candidate {
    /// The verdict in a few words, as [`ValidationResult::summary`] has them.
    pub fn summary(&self, named: usize) -> String {
        self.validation.as_ref().map_or_else(|| "not validated".to_owned(), |found| found.summary(named))
    }

    /// The verdict with the names of tests that newly fail, and the message that stands with it.
    pub fn told(&self) -> String {
        let message = self.validation.as_ref().and_then(|found| found.message.as_deref());
        let message = message.map(|message| format!(": {message}")).unwrap_or_default();
        self.summary(NAMED) + &message
    }
}

impl ValidationResult {
    /// The verdict with its counts: `failing (1 test that shows the bug still fails, the other tests were not run)`. Of the tests that newly
    /// fail, at most `named` stand in it by name.
    pub fn summary(&self, named: usize) -> String {
        let verdict = self.verdict;
        let passes = self.passes_told();
        match verdict {
            Verdict::Plausible => {
                let verdict = self.verdict_told();
                passes.map_or_else(|| verdict.clone(), |passes| format!("{verdict} ({passes})"))
            }
            Verdict::Unverified => {
                let passes = passes.map(|passes| format!("; {passes}")).unwrap_or_default();
                format!("{verdict} ({}{passes})", self.why_unverified())
            }
            Verdict::Failing => {
                let showing = self.showing_told().map(|told| format!("{told}, ")).unwrap_or_default();
                format!("{verdict} ({showing}{})", self.others_told(named))
            }
            Verdict::Duplicate => match self.duplicate_of {
                Some(earlier) => format!("{verdict} of candidate {earlier}"),
                None => verdict.to_string(),
            },
            Verdict::DoesNotCompile | Verdict::DoesNotApply | Verdict::NoChange | Verdict::TimedOut => {
                verdict.to_string()
            }
        }
    }

    /// Whether the test that should show the bug turned out not to show it.
    pub fn lacks_test(&self) -> bool {
        self.verdict == Verdict::Unverified && self.message.is_some()
    }

    fn why_unverified(&self) -> String {
        if !self.outdated.is_empty() {
            format!("{} tests fail that were said to be outdated", self.outdated.len())
        } else if self.lacks_test() {
            "what should reproduce the bug passes on the original code as well now".to_owned()
        } else {
            "no test shows the bug".to_owned()
        }
    }

    /// What the tests that show the bug say of a failing candidate; nothing where there are none.
    fn showing_told(&self) -> Option<String> {
        let has_none =
            matches!(&self.tests_run, Some(TestsRun::Counted(counts)) if counts.showing.total() == 0);
        let still = match self.still_failing.len() {
            1 => "1 test that shows the bug still fails".to_owned(),
            count => format!("{count} tests that show the bug still fail"),
        };
        match (self.reproductions.len(), self.still_failing.len()) {
            (0, 0) if has_none => None,
            (_, 0) => Some("every test that shows the bug passes".to_owned()),
            (0, _) => Some(still),
            (count, _) => Some(format!(
                "{still}, {} of {count} tests that reproduce it pass",
                self.reproductions_passed()
            )),
        }
    }

    /// What else fails than the tests that show the bug.
    fn others_told(&self, named: usize) -> String {
        if !self.others_ran() && self.newly_failing.is_empty() {
            return "the other tests were not run".to_owned();
        }
        let share = self.tests_run.as_ref().map(TestsRun::share_told).unwrap_or_default();
        let newly = match self.newly_failing.len() {
            0 => "no other test newly fails".to_owned(),
            1 => "1 other test newly fails".to_owned(),
            count => format!("{count} other tests newly fail"),
        };
        if self.newly_failing.is_empty() || named == 0 {
            format!("{newly}{share}")
        } else {
            format!("{newly}: {}{share}", TestId::summarized(&self.newly_failing, named))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduction::ReproductionOutcome;
    use crate::tests_run::{RunCounts, Tally};

    #[test]
    fn a_verdict_is_told_with_its_counts() {
        let check = |found: ValidationResult, named: usize, expect: &str| {
            assert_eq!(found.summary(named), expect);
        };
        let ids = |names: &[&str]| names.iter().map(|name| TestId::new(*name)).collect::<Vec<_>>();
        let untested = |verdict| ValidationResult::untested(verdict, None);
        check(untested(Verdict::TimedOut), 4, "timed out");
        check(untested(Verdict::Plausible), 4, "plausible");
        check(untested(Verdict::Unverified), 4, "unverified (no test shows the bug)");
        let repeated = ValidationResult { duplicate_of: Some(3), ..untested(Verdict::Duplicate) };
        check(repeated, 4, "duplicate of candidate 3");
        let failing = ValidationResult {
            still_failing: ids(&["a.B::c"]),
            tests_run: Some(TestsRun::Uncounted(false)),
            ..untested(Verdict::Failing)
        };
        let one = "failing (1 test that shows the bug still fails, the other tests were not run)";
        check(failing, 4, one);
        let broken = ValidationResult {
            newly_failing: ids(&["a.B::d", "a.B::e"]),
            tests_run: Some(TestsRun::Uncounted(true)),
            reproductions: vec![ReproductionOutcome { test: 1, passes: true }],
            ..untested(Verdict::Failing)
        };
        let two = "failing (every test that shows the bug passes, 2 other tests newly fail";
        check(broken.clone(), 0, &format!("{two})"));
        check(broken.clone(), 4, &format!("{two}: a.B::d, a.B::e)"));
        let of_project = |total: u64| {
            let showing = Tally { passed: total, ..Tally::default() };
            let others = Tally { passed: 3, failed: 2, not_run: 0 };
            let counts = RunCounts { showing, others, ..RunCounts::default() };
            let tests_run = Some(TestsRun::Counted(Box::new(counts)));
            ValidationResult { reproductions: Vec::new(), tests_run, ..broken.clone() }
        };
        check(of_project(1), 0, &format!("{two}, 5 of the 5 others ran)"));
        check(of_project(0), 0, "failing (2 other tests newly fail, 5 of the 5 others ran)");
    }
}
