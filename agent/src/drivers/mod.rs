//! The drivers: one file each.

mod golden;
mod human;
mod model;
mod patterns;
mod recording;
mod resumed;

pub use golden::{GoldenDriver, NAME as GOLDEN};
pub use human::{HumanDriver, Terminal};
pub use model::ModelDriver;
pub use patterns::PatternDriver;
pub use recording::{RecordedDriver, RecordingError};
pub use resumed::ResumedDriver;

use serde_json::{Value, json};

/// A command as a model writes it.
#[allow(clippy::needless_pass_by_value, reason = "`json!(…)` reads best as it is")]
fn command(tool: &str, thoughts: &str, arguments: Value) -> Value {
    json!({ "thoughts": thoughts, "command": { "name": tool, "args": arguments } })
}
