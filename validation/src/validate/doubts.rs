//! Why a candidate that passes the written tests is not plausible after all: they fail by chance or by the clock, or read the text of the code.

use patchwright_edits::Applied;
use patchwright_protocol::Verdict;

use crate::baseline::Baseline;
use crate::error::TestHarnessError;
use crate::harness::TestHarness;
use crate::judgement::Unconfirmed;
use crate::reproduction::ReproductionRun;
use crate::reproduction_test::ReproductionTest;

/// Why a written test says nothing that passes with a change of what is no code.
const COMMENTS: &str = "only comments, docstrings or formatting change: a test that passes with that reads the text of the code and says nothing \
                        of what it does";

impl Unconfirmed {
    /// Leaves out what tests say that pass on the original code, too. Where nothing else shows the bug, nothing speaks for the change.
    fn drop_reproductions(&mut self, baseline: &Baseline, by_chance: &[u32]) {
        if by_chance.is_empty() {
            return;
        }
        self.reproductions.retain(|outcome| !by_chance.contains(&outcome.test));
        if self.reproductions.is_empty() && baseline.failing.is_empty() {
            self.found.verdict = Verdict::Unverified;
        }
        self.found.message = Some(passing_now(by_chance));
    }
}

/// Runs with and without a change by which a test that draws its examples is told from one that failed by chance, and how many of them have to
/// fail without it: by chance alone that comes in one of 26 cases, if it fails in none with the change (Fisher's exact test).
const ROUNDS: usize = 8;
const FAILURES: usize = 4;
/// So many rounds in which it never fails are enough to see that it does not.
const FEW: usize = 2;

/// What is told of tests that pass on the original code, too.
fn passing_now(tests: &[u32]) -> String {
    let numbers: Vec<String> = tests.iter().map(u32::to_string).collect();
    match numbers.as_slice() {
        [one] => format!("test {one} passes on the original code as well now and says nothing of the bug"),
        all => {
            format!(
                "tests {} pass on the original code as well now and say nothing of the bug",
                all.join(", ")
            )
        }
    }
}

/// Is true if nothing but written tests speaks for a change, and it is none of the code.
fn is_told_by_text(applied: &Applied, baseline: &Baseline) -> bool {
    applied.comment_only && baseline.failing.is_empty()
}

impl TestHarness {
    /// Takes back what a candidate that passes everything owes to tests which say nothing.
    pub(super) async fn doubt(
        &self,
        baseline: &Baseline,
        judged: &mut Unconfirmed,
    ) -> Result<(), TestHarnessError> {
        if is_told_by_text(&judged.applied, baseline) {
            judged.found.verdict = Verdict::Unverified;
            judged.found.message = Some(COMMENTS.to_owned());
        }
        let mut by_chance = Vec::new();
        for test in &baseline.reproductions {
            if Box::pin(self.passes_now(test, &judged.applied, baseline)).await? {
                by_chance.push(test.id);
            }
        }
        judged.drop_reproductions(baseline, &by_chance);
        Ok(())
    }

    /// Runs a reproduction test with a change that nothing spoke for before; where it passes, also why that says nothing after all.
    ///
    /// # Errors
    /// As [`TestHarness::reproduce`].
    pub async fn reproduce_again(
        &self,
        test: &ReproductionTest,
        applied: &Applied,
        baseline: &Baseline,
    ) -> Result<(ReproductionRun, Option<String>), TestHarnessError> {
        let run = self.reproduce(test, Some(applied), Some(baseline)).await?;
        let doubt = if !run.passes(&test.failing) {
            None
        } else if is_told_by_text(applied, baseline) {
            Some(COMMENTS.to_owned())
        } else {
            self.passes_now(test, applied, baseline).await?.then(|| passing_now(&[test.id]))
        };
        Ok((run, doubt))
    }

    /// Is true if a test that was written to reproduce the bug passes without any change now: it failed by chance or by the clock when it was
    /// written. One that draws its examples is run more often: it says something if it fails again and again without the change, and with it never.
    async fn passes_now(
        &self,
        test: &ReproductionTest,
        applied: &Applied,
        baseline: &Baseline,
    ) -> Result<bool, TestHarnessError> {
        let passes = async |applied: Option<&Applied>| {
            Ok::<_, TestHarnessError>(
                self.reproduce(test, applied, Some(baseline)).await?.passes(&test.failing),
            )
        };
        if !passes(None).await? {
            return Ok(false);
        }
        let mut failures = 0;
        for round in 1..=ROUNDS {
            failures += usize::from(!passes(None).await?);
            if failures == FAILURES {
                return Ok(false);
            }
            if failures == 0 && round == FEW || !passes(Some(applied)).await? {
                break;
            }
        }
        Ok(true)
    }
}
