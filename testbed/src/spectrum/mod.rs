//! Fault localisation by spectrum: lines that failing tests execute and passing tests do not are suspicious.
//!
//! The tests are run once more, in a lane, while it is recorded which lines each of them executes ([`Coverage`]). A
//! [`Formula`] makes suspiciousness of the counts; stack traces and what the failing tests call move lines a little
//! up. Where nothing can be recorded, these hints alone make the ranking, so that there always is one.

mod formula;
mod frames;
mod hints;
mod jacoco;
mod measure;
mod production;
mod rank;
mod ranking;
mod record;

pub use formula::{Counts, Formula};
pub(crate) use measure::Measured;
pub use ranking::{Basis, RankedFile, RankedLine, RankedMethod, Ranking, Reason};

use self::hints::Hints;
use crate::baseline::Baseline;
use crate::bed::TestBed;
use crate::coverage::Coverage;
use crate::error::TestBedError;

/// Why what was recorded is of no use.
const NO_LINES: &str = "the recorded coverage names no line of a source that may be changed; are the classes compiled with \
                        `-g` (Ant: debug=\"true\"), and does each source lie in the folder of its package?";

impl TestBed {
    /// Ranks lines, methods and files by how likely they hold the bug that the failing tests show. The tests are run
    /// with coverage the first time only; tests that are flaky or known to fail do not count.
    ///
    /// # Errors
    /// The sandbox or the disk.
    pub async fn spectrum(&self, baseline: &Baseline, formula: Formula) -> Result<Ranking, TestBedError> {
        let measured = self.measured_with(baseline).await?;
        let (coverage, basis) = match &measured.coverage {
            Ok((coverage, tool)) => (Some(coverage), Basis::Coverage { tool: tool.clone() }),
            Err(why) => (None, Basis::StackTraces { why: why.clone() }),
        };
        let named = measured.passing.as_ref();
        let named = named.map(|passing| Baseline { passing: passing.clone(), ..baseline.clone() });
        let baseline = named.as_ref().unwrap_or(baseline);
        let ranking = self.ranking(baseline, coverage, basis, measured.notes.clone(), formula)?;
        if !ranking.lines.is_empty() || ranking.coverage.is_none() {
            return Ok(ranking);
        }
        // Classes may be compiled without the numbers of their lines, or lie where nobody looks for them.
        let basis = Basis::StackTraces { why: NO_LINES.to_owned() };
        self.ranking(baseline, None, basis, measured.notes.clone(), formula)
    }

    /// Ranks by the stack traces of the failing tests and what these tests call, without running anything.
    ///
    /// # Errors
    /// The disk.
    pub fn by_stack_traces(&self, baseline: &Baseline) -> Result<Ranking, TestBedError> {
        let basis = Basis::StackTraces { why: "nothing else was asked for".to_owned() };
        self.ranking(baseline, None, basis, Vec::new(), Formula::default())
    }

    /// What running all tests with coverage gives; they are run the first time only.
    pub(crate) async fn measured_with(&self, baseline: &Baseline) -> Result<&Measured, TestBedError> {
        self.measured().get_or_try_init(|| self.measure(baseline)).await
    }

    /// Which lines each test executes, where that was recorded.
    pub(crate) fn coverage(&self) -> Option<&Coverage> {
        self.measured().get()?.coverage.as_ref().ok().map(|(coverage, _)| coverage)
    }

    fn ranking(
        &self,
        baseline: &Baseline,
        coverage: Option<&Coverage>,
        basis: Basis,
        notes: Vec<String>,
        formula: Formula,
    ) -> Result<Ranking, TestBedError> {
        let production = production::production(self.project(), &self.rules())?;
        let coverage =
            coverage.map(|coverage| coverage.clone().of_files(|path| production.contains_key(path)));
        let hints = Hints::of(self.project(), baseline, &production);
        let lines = rank::lines(&production, coverage.as_ref(), baseline, &hints, formula);
        Ok(Ranking {
            methods: rank::methods(&production, &lines),
            files: rank::files(&lines),
            executable_lines: production.values().map(|file| file.statements.running().count()).sum(),
            lines,
            basis,
            notes,
            coverage,
        })
    }
}
