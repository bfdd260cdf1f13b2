//! What a session is given, whatever its mode.

use std::time::Instant;

use patchwright_prompts::{PromptSettings, Task};
use patchwright_validation::TestHarness;

use crate::answers::AnswerSettings;
use crate::baseline::PendingBaseline;
use crate::budget::{Budget, Limits};
use crate::context::SessionContext;
use crate::driver::Driver;
use crate::journal::Journal;
use crate::nearest_tests::WholeSuite;
use crate::silent_cut::ShortCounts;

/// The bug and the settings that every mode needs; each mode adds its own.
pub struct SessionSetup<'a> {
    /// The test harness, with the project in it.
    pub harness: &'a TestHarness,
    /// The tests before any change, which may still run.
    pub baseline: &'a PendingBaseline,
    /// How long all tests are waited for.
    pub whole_suite: WholeSuite,
    /// The bug as prompts tell of it.
    pub task: Task,
    /// How prompts are made.
    pub prompts: PromptSettings,
    /// What replies may have.
    pub answers: AnswerSettings,
    /// What may be spent.
    pub limits: Limits,
}

impl SessionSetup<'_> {
    /// Tells the driver of the project. Gives the context before the first cycle; `journal` already holds what happened since `started`.
    pub fn begin(&self, mut driver: Box<dyn Driver>, journal: Journal, started: Instant) -> SessionContext {
        driver.begin(self.harness.project(), &self.harness.rules());
        SessionContext {
            driver,
            journal,
            budget: Budget::new(self.limits, started),
            prompts: self.prompts.clone(),
            answers: self.answers,
            effort: self.answers.effort,
            is_answered: false,
            short_counts: ShortCounts::default(),
            cycle: 0,
            task: self.task.clone(),
            offers_tests: false,
            stop: None,
        }
    }
}
