//! What the stages stand on.

use patchwright_edits::{Applied, Edit, EditError, EditRules};
use patchwright_protocol::Failure;
use patchwright_validation::{Baseline, TestHarness};

use crate::settings::PipelineSettings;

/// What the stages stand on, from the first to the last.
pub(crate) struct PipelineContext<'a> {
    pub(crate) harness: &'a TestHarness,
    /// The tests before any change.
    pub(crate) baseline: &'a Baseline,
    /// What a repair may not change.
    pub(crate) rules: &'a EditRules,
    pub(crate) settings: &'a PipelineSettings,
}

impl PipelineContext<'_> {
    /// Works a change out.
    pub(crate) async fn apply(&self, edits: &[Edit]) -> Result<Result<Applied, EditError>, Failure> {
        let (project, rules, edits) = (self.harness.project().clone(), self.rules.clone(), edits.to_vec());
        patchwright_blocking::spawn(move |_| patchwright_edits::apply(&project, &edits, &rules)).await
    }
}
