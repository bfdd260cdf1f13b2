//! The loop of a repair session: memory, drivers, budget.
//!
//! Data flows one way: a [`Session`] makes a prompt from its [`Memory`], asks its [`Driver`], reads the answer as
//! a call, gates it, runs the tool, and records what happened through the [`Journal`], which is what the
//! memory is made from. Whoever wants to watch is a [`Listener`]; whoever wants a say is a [`Reviewer`].

mod admission;
mod attempt;
mod budget;
mod check;
mod desk;
mod driver;
mod drivers;
mod journal;
mod memory;
mod result;
mod review;
mod session;
mod stop;

pub use attempt::Attempt;
pub use budget::{Budget, Clock, Exhausted, Limits, Spent};
pub use check::{Comparison, Divergence, Outcome};
pub use desk::{Desk, Found};
pub use driver::{Answer, Driver, DriverError, Occupation, Question, Sampling};
pub use drivers::{
    GOLDEN, GoldenDriver, HumanDriver, ModelDriver, PATTERNS, PatternDriver, RecordedDriver, RecordingError,
    Terminal,
};
pub use journal::{Journal, Listener};
pub use memory::{Memory, command_line};
pub use result::{RESULT_FORMAT, SessionResult, ended_before_the_first_cycle};
pub use review::{Decision, Proposal, RecordedReviewer, Reviewer, Unattended};
pub use session::{Session, Setup};
pub use stop::Stop;
