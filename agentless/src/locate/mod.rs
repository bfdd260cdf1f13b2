//! stub
use crate::repair::Shown;
use crate::settings::Settings;
use crate::stage::Stages;
use patchwright_agent::Stop;
use patchwright_code::EditRules;
use patchwright_testbed::{Baseline, TestBed};
pub(crate) struct Ground<'a> {
    pub(crate) bed: &'a TestBed,
    pub(crate) baseline: &'a Baseline,
    pub(crate) rules: &'a EditRules,
    pub(crate) settings: &'a Settings,
}
pub(crate) async fn locate(_s: &mut Stages, _g: &Ground<'_>) -> Result<Vec<Shown>, Stop> {
    Ok(Vec::new())
}
