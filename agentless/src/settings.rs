//! The numbers of the pipeline.

use std::time::Duration;

/// How the pipeline works. The defaults are the paper's (arXiv 2407.01489, section 4), where it gives a number.
#[derive(Clone, Debug, PartialEq)]
pub struct PipelineSettings {
    /// Files that the model may name.
    pub named_files: usize,
    /// Files that are looked into: those that the model names, and behind them, at least one, those that other sources point to. Where there
    /// are no more in the project, the model is not asked for any.
    pub files: usize,
    /// In a project of no more files than this no folder is left out.
    pub few_files: usize,
    /// Samples of the lines to change; each different one is a set of locations of its own.
    pub location_samples: usize,
    /// Lines that are shown before and after each location.
    pub context: u32,
    /// Repairs drawn for each sample of locations, the first of them greedy.
    pub repairs: usize,
    /// Tests drawn that reproduce an issue, the first of them greedy.
    pub tests: usize,
    /// Different tests that are kept.
    pub kept_tests: usize,
    /// The temperature of samples.
    pub temperature: f32,
    /// The temperature at which a question is asked again whose answer could not be used.
    pub warmer: f32,
    /// Tokens that an answer about places may have.
    pub location_tokens: u32,
    /// The most that one run of a test that reproduces an issue may take. What it gets is a few seconds and a few times what all
    /// tests take.
    pub longest_test: Duration,
    /// What the project's tests may take for each candidate; where all of them take longer, those that it may break are run,
    /// and all for the answer alone.
    pub regression_time: Duration,
    /// How much each source of suspicious files counts.
    pub weights: Weights,
}

/// How much each source of suspicious files counts, relative to the others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    /// The files that the model names.
    pub model: f64,
    /// What the tests execute.
    pub spectrum: f64,
    /// The words of the issue.
    pub words: f64,
    /// What an embedding model finds near to the issue.
    pub meaning: f64,
}

impl Default for PipelineSettings {
    fn default() -> Self {
        Self {
            named_files: 5,
            files: 5,
            few_files: 20,
            location_samples: 4,
            context: 10,
            repairs: 10,
            tests: 40,
            kept_tests: 3,
            temperature: 0.8,
            warmer: 1.0,
            location_tokens: 1_024,
            longest_test: Duration::from_mins(1),
            regression_time: Duration::from_mins(5),
            weights: Weights { model: 2.0, spectrum: 2.0, words: 1.0, meaning: 1.0 },
        }
    }
}
