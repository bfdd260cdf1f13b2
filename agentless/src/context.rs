//! What the stages stand on.

use patchwright_edits::{Applied, Edit, EditError, EditRules};
use patchwright_testbed::{Baseline, TestBed};

use crate::settings::PipelineSettings;

/// What the stages stand on, from the first to the last.
pub(crate) struct PipelineContext<'a> {
    pub(crate) bed: &'a TestBed,
    /// The tests before any change.
    pub(crate) baseline: &'a Baseline,
    /// What a repair may not change.
    pub(crate) rules: &'a EditRules,
    pub(crate) settings: &'a PipelineSettings,
}

impl PipelineContext<'_> {
    /// Works a change out.
    pub(crate) fn apply(&self, edits: &[Edit]) -> Result<Applied, EditError> {
        patchwright_edits::apply(self.bed.project(), edits, self.rules)
    }
}
