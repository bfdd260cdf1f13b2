//! The numbers of the methods.

use patchwright_protocol::TestMethod;

/// How a test is written.
#[derive(Clone, Debug, PartialEq)]
pub struct WritingSettings {
    /// The method.
    pub method: TestMethod,
    /// Samples that `libro` draws.
    pub samples: usize,
    /// The temperature of samples, and of all tries after the first.
    pub temperature: f32,
    /// How often `assert-flip` begins anew at most.
    pub regenerations: usize,
    /// How often one of its tests is written again with what its run said.
    pub refinements: usize,
    /// Tokens that a plan or a judgement may have.
    pub short_answer_tokens: u32,
}

impl Default for WritingSettings {
    /// Samples and temperature as in SWT-Bench (arXiv 2406.12952), regenerations as in AssertFlip's experiments.
    fn default() -> Self {
        Self {
            method: TestMethod::Direct,
            samples: 5,
            temperature: 0.7,
            regenerations: 10,
            refinements: 3,
            short_answer_tokens: 1_024,
        }
    }
}
