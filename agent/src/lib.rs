//! The loop of a repair session, and the drivers that decide in it.
//!
//! Data flows one way: an [`AgentLoop`] makes a prompt from its memory, asks its driver, reads the answer as a call, gates it, runs
//! the tool, and records what happened through the journal, which is what the memory is made from.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod admission;
mod agent_loop;
mod answers;
mod check;
mod confirming;
mod drivers;
mod loop_setup;
mod nearest;
mod pattern_texts;

pub use agent_loop::AgentLoop;
pub use check::{Compared, Comparison, Divergence, Prompts, ReplayOutcome};
pub use drivers::{
    GOLDEN, GoldenDriver, HumanDriver, ModelDriver, PatternDriver, RecordedDriver, RecordingError,
    ResumedDriver, Terminal,
};
pub use loop_setup::LoopSetup;
