//! What the stages stand on.

use patchwright_code::{Applied, Edit, EditError, EditRules};
use patchwright_testbed::{Baseline, TestBed};

use crate::settings::Settings;

/// What the stages stand on, from the first to the last.
pub(crate) struct Ground<'a> {
    pub(crate) bed: &'a TestBed,
    /// The tests before any change.
    pub(crate) baseline: &'a Baseline,
    /// What a repair may not change.
    pub(crate) rules: &'a EditRules,
    pub(crate) settings: &'a Settings,
}

impl Ground<'_> {
    /// Works a change out.
    pub(crate) fn apply(&self, edits: &[Edit]) -> Result<Applied, EditError> {
        patchwright_code::apply(self.bed.project(), edits, self.rules)
    }
}
