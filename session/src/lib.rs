//! What every mode of a session shares.
//!
//! An [`Session`] is one attempt at one bug. Whatever its mode, it asks a [`Driver`], keeps to a [`Budget`] and records each event
//! through a [`Journal`]; the three stand together in a [`SessionContext`]. The [`Memory`] is a fold over the events. Whoever wants
//! to watch is a [`Listener`]; whoever wants a say is a [`Reviewer`].

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod answers;
mod attempt;
mod baseline;
mod beside;
mod budget;
mod context;
mod driver;
mod journal;
mod memory;
mod native_turns;
mod nearest_tests;
mod outage;
mod result;
mod review;
mod session_setup;
mod silent_cut;
mod stages;
mod stop;
mod written;

pub use answers::AnswerSettings;
pub use attempt::Session;
pub use baseline::{MeasuredBaseline, PendingBaseline};
pub use beside::beside;
pub use budget::{Budget, Clock, Exhausted, Limits, Spent};
pub use context::{SessionContext, SessionOutcome};
pub use driver::{Answer, Driver, DriverError, DriverProfile, Question, Sampling, WaitCategory};
pub use journal::{Journal, Listener};
pub use memory::{Memory, PastCall, PastRefusal, command_line};
pub use native_turns::NativeTurns;
pub use nearest_tests::{TestsOfChanges, WholeSuite, nearest_to_issue, record_part, run_recorded};
pub use result::{RESULT_FORMAT, ResultFile};
pub use review::{Decision, ProposedCall, RecordedReviewer, Reviewer, Unattended};
pub use session_setup::SessionSetup;
pub use stages::{RecordedStages, Stage, Stages, recorded_finding};
pub use stop::Stop;
pub use written::{EXECUTES_NOTHING, TestSolution};
