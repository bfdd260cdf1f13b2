//! Settings of the tools.

use patchwright_protocol::Goal;
use patchwright_validation::ValidationDepth;
use serde::Serialize;

/// Settings of the tools.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ToolSettings {
    /// What the session is for.
    pub goal: Goal,
    /// Variants of a fix that are asked for; 0 asks for none.
    pub variants: u32,
    /// Of which fixes variants are asked.
    pub variants_of: VariantsOf,
    /// Bytes of a test report that a model sees.
    pub report_bytes: usize,
    /// Bytes of a diff that a model sees.
    pub diff_bytes: usize,
    /// Lines that `read_range` shows at most.
    pub range_lines: u32,
    /// Characters of a line that are shown at most.
    pub line_chars: usize,
    /// Seconds that a snippet or a command of `run_code` may take.
    pub code_seconds: u64,
    /// Bytes of its output that a model sees.
    pub output_bytes: usize,
}

impl Default for ToolSettings {
    fn default() -> Self {
        Self {
            goal: Goal::Fix,
            variants: 30,
            variants_of: VariantsOf::NearMisses,
            report_bytes: 8_000,
            diff_bytes: 12_000,
            range_lines: 400,
            line_chars: 1_000,
            code_seconds: 60,
            output_bytes: 16_000,
        }
    }
}

impl ToolSettings {
    /// The depth of validation for a candidate that fails: a driver that asks for all variants learns from verdicts alone.
    pub(crate) fn depth(&self) -> ValidationDepth {
        match self.variants_of {
            VariantsOf::NearMisses => ValidationDepth::Thorough,
            VariantsOf::All => ValidationDepth::FirstFailure,
        }
    }
}

/// Of which fixes variants are asked, and how many of them are tried.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum VariantsOf {
    /// Of those that failed by little, and up to the first plausible one: for a driver whose replies cost.
    #[default]
    NearMisses,
    /// Of every one, and all of them: for a driver whose replies cost nothing.
    All,
}
