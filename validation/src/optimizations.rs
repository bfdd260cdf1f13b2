//! The optimizations of validation and its depth. Each optimization can be left out, so that its worth can be measured.

/// The optimizations of validation. All are on by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)]
pub struct Optimizations {
    /// Candidates are judged by workers that are already running, where there are such.
    pub persistent_workers: bool,
    /// Lanes are reset and used again; otherwise each run has a new copy.
    pub keep_lanes: bool,
    /// The tests that show the bug are run first, and the others only if those pass.
    pub failing_first: bool,
    /// Where one failing test is enough ([`ValidationDepth::FirstFailure`]), it ends the run.
    pub stop_at_first: bool,
    /// Equal candidates share a verdict.
    pub share_verdicts: bool,
}

impl Default for Optimizations {
    fn default() -> Self {
        Self {
            persistent_workers: true,
            keep_lanes: true,
            failing_first: true,
            stop_at_first: true,
            share_verdicts: true,
        }
    }
}

/// The depth to which a failing candidate is validated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValidationDepth {
    /// All that a model is told: the failing tests are run to their end, and if they pass, all others.
    Thorough,
    /// Only so far that it is known to be plausible or not: the first failing test decides.
    FirstFailure,
}
