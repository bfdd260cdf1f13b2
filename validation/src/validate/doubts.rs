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
            if Box::pin(self.passes_now(test, baseline)).await? {
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
            self.passes_now(test, baseline).await?.then(|| passing_now(&[test.id]))
        };
        Ok((run, doubt))
    }

    /// Is true if a test that was written to reproduce the bug passes without any change now: it failed by chance or by the clock when it was
    /// written.
    async fn passes_now(
        &self,
        test: &ReproductionTest,
        baseline: &Baseline,
    ) -> Result<bool, TestHarnessError> {
        Ok(self.reproduce(test, None, Some(baseline)).await?.passes(&test.failing))
    }
}
