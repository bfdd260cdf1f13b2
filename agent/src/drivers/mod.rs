//! The drivers: one file each.

mod human;
mod model;
mod recording;

pub use human::{HumanDriver, Terminal};
pub use model::ModelDriver;
pub use recording::{RecordedDriver, RecordingError};
