//! What test tools tell of a run: the formats of their results, outcomes, reports, cleaned output, the signatures of failures.

mod compilers;
mod explanations;
mod failure_signature;
mod format;
mod names;
mod normalize;
mod outcome;
mod render;
mod report;
mod results;
mod seal;
mod stack_frames;

pub use compilers::{errors as compiler_errors, syntax_errors};
pub use failure_signature::{FailureSignature, fails_differently};
pub use format::{UnknownResultsFormat, read_results_format};
pub use names::{is_member, is_one_of, is_within, meant, named, nearest};
pub use normalize::{OutputNormalizer, ProjectFiles, described, head_and_tail, without_escapes};
pub use outcome::{Ending, OUTSIDE, Outcomes, SURPRISE, TestOutcome, TestStatus};
pub use report::{Build, CompilerError, TestReport};
pub use results::{
    Elsewhere, ParsedResults, RawResults, ReportFile, TEST_COMMAND, files_of, message_of, read, read_sealed,
};
pub use seal::SealKey;
pub use stack_frames::frames;
