//! What validation can find.

use serde::{Deserialize, Serialize};

/// What became of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The failing tests pass and no test that passed before fails, confirmed in a clean copy.
    Plausible,
    /// Some test fails that should not.
    Failing,
    /// The build fails, or a changed file cannot be parsed or imported for its syntax.
    DoesNotCompile,
    /// The edits do not fit the files.
    DoesNotApply,
    /// The edits change nothing.
    NoChange,
    /// The same change was validated before.
    Duplicate,
    /// The tests did not end within their limit.
    TimedOut,
}
