//! The values that pass between the crates, each defined once: what a session is told, asks for and comes to.
//!
//! Nothing here does anything, but for [`schema`]. All of it can be written as JSON, in the words that trajectories, results and logs of runs hold;
//! a word that was once written is never given another meaning.
//!
//! * [`Bug`] and [`BugInput`]: what is to be repaired, and how it is built and tested as far as that was said ([`Overrides`]).
//! * [`BugEvidence`]: what shows the bug: failing tests, a reproduction test, or an issue alone.
//! * [`Candidate`] and [`CandidateRecord`]: a set of edits that was suggested, and what became of it.
//! * [`Verdict`] and [`ValidationResult`]: what validation says of a candidate.
//! * [`Confirmation`]: whether the project's own test tool said so, too.
//! * [`TestsRun`] and [`RunCounts`]: which of the project's tests ran to say so.
//! * [`ReproductionRecord`] and [`ReproductionOutcome`]: tests that were written for an issue, and what they say of candidates.
//! * [`TestMethod`] and [`WrittenTest`]: how a test is written where it is the product, and what speaks for it.
//! * [`Status`] and [`SessionResult`]: how a session ended, and with what.
//! * [`ToolOutcome`]: what a call of a tool came to.
//! * [`Message`], [`ToolCall`], [`ToolSchema`], [`FinishReason`] and [`Usage`]: what is exchanged with a model.
//! * [`schema`]: where a value departs from what one of these types takes.
//! * [`TestId`] and [`FailingTest`]: tests.
//! * [`SourceLines`] and [`Excerpt`]: parts of a file, as tools find and prompts show them.
//! * [`Actor`] and [`Failure`]: who must act on an error.

mod bug;
mod candidate;
mod confirmation;
mod decimal;
mod effort;
mod evidence;
mod exit;
mod failure;
mod json_values;
mod listing;
mod message;
mod reply;
mod reproduction;
mod results_format;
pub mod schema;
mod session;
mod source_lines;
mod status;
mod summary;
mod test;
mod tests_run;
mod tool;
mod tool_outcome;
mod usage;
mod writing;

pub use bug::{Bug, BugInput, Overrides, TestCommand};
pub use candidate::{
    Candidate, CandidateCounts, CandidateRecord, Origin, PartialFix, RankedPatch, Remark, ValidationResult,
    Verdict,
};
pub use confirmation::{Confirmation, Unconfirmable};
pub use decimal::decimal;
pub use effort::Effort;
pub use evidence::BugEvidence;
pub use exit::Exit;
pub use failure::{Actionable, Actor, Failure};
pub use json_values::json_values;
pub use listing::{counted, cut_line, cut_text, listed, numbered, sentence};
pub use message::{FinishReason, Message, Role, Turn};
pub use reply::ChatReply;
pub use reproduction::{ReproducedBug, ReproductionOutcome, ReproductionRecord, ReproductionVerdict};
pub use results_format::{ResultsFormat, ToolReport};
pub use session::{BY_PATTERNS, Mode, Seconds, SessionResult, TestCounts};
pub use source_lines::{Excerpt, SourceLines};
pub use status::{Status, StatusClass};
pub use test::{FailingTest, StandIn, TestId};
pub use tests_run::{RunCounts, Tally, TestsRun};
pub use tool::{ToolCall, ToolSchema};
pub use tool_outcome::ToolOutcome;
pub use usage::Usage;
pub use writing::{Goal, TestCoverage, TestMethod, WrittenTest};
