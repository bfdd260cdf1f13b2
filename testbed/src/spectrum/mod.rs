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
use crate::error::TestBedError;

impl TestBed {
    /// Ranks lines, methods and files by how likely they hold the bug that the failing tests show. The tests are run
    /// with coverage the first time only; tests that are flaky or known to fail do not count.
    ///
    /// # Errors
    /// The sandbox or the disk.
    pub async fn spectrum(&self, baseline: &Baseline, formula: Formula) -> Result<Ranking, TestBedError> {
        let measured = self.measured().get_or_try_init(|| self.measure(baseline)).await?;
        let production = production::production(self.project(), &self.rules())?;
        let (coverage, basis) = match &measured.coverage {
            Ok((coverage, tool)) => {
                let own = coverage.clone().of_files(|path| production.contains_key(path));
                (Some(own), Basis::Coverage { tool: tool.clone() })
            }
            Err(why) => (None, Basis::StackTraces { why: why.clone() }),
        };
        let hints = Hints::of(self.project(), baseline, &production);
        let lines = rank::lines(&production, coverage.as_ref(), baseline, &hints, formula);
        Ok(Ranking {
            methods: rank::methods(&production, &lines),
            files: rank::files(&lines),
            executable_lines: production.values().map(|file| file.statements.running().count()).sum(),
            lines,
            basis,
            notes: measured.notes.clone(),
            coverage,
        })
    }
}
