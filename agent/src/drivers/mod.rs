//! The drivers: one file each.

mod human;
mod model;
mod patterns;
mod recording;

pub use human::{HumanDriver, Terminal};
pub use model::ModelDriver;
pub use patterns::{NAME as PATTERNS, PatternDriver};
pub use recording::{RecordedDriver, RecordingError};
