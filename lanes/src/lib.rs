//! Copies of a project in which commands run, and nothing else of the user's: their making, their reset, their own git repositories.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod activity;
mod lane;
pub mod own_files;
pub mod repository;

pub use activity::{Activity, Progress, Step, StepGuard, Tests};
pub use lane::{
    ChangeError, CopyRules, IdleLane, Lane, LaneError, LaneLease, LanePaths, Lanes, MOST_BYTES, MOST_ENTRIES,
    Manifest, OUT, PROJECT, TOOLS, Tools, copy_project, files_in,
};
pub use repository::PLANTED;
