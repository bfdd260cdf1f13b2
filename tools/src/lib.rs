//! The tools that a model can call, their schemas, and the interpretation of replies.
//!
//! A tool is a [`TypedTool`] outside: arguments are a struct whose JSON schema goes into the prompt and into native
//! tool calling, the result is an [`Observation`]. Inside the loop it is an erased [`Tool`]; [`all`] lists the seventeen.
//! A tool may touch its [`ToolContext`] alone: the test bed with the pristine copy of the project, the baseline, the
//! candidates of the session, and the session itself through [`SessionServices`].
//!
//! A tool never fails because of what a model asked for: it says what is wrong in its observation. A
//! [`Failure`](patchwright_protocol::Failure) is for those who must act instead.

mod candidates;
mod collect_more_information;
mod context;
mod contradictions;
mod discard_hypothesis;
mod express_hypothesis;
mod extract_method;
mod extract_tests;
mod find_similar_api_calls;
mod first_code;
mod generate_method_body;
mod get_classes_and_methods;
mod goal_accomplished;
mod history;
pub mod interpretation;
mod issue_words;
mod named_lines;
mod near_files;
mod observation;
mod read_range;
mod registry;
mod relevance;
mod render;
mod reproductions;
mod run_code;
mod run_fault_localization;
mod run_tests;
mod search_code_base;
mod test_goal;
mod tool;
mod trial;
mod variants;
mod write_fix;
mod write_test;

pub use candidates::{Candidate, Candidates};
pub use context::{MethodBodyRequest, SessionServices, ToolContext, ToolSettings, VariantBasis, VariantsOf};
pub use extract_tests::test_code_text;
pub use first_code::{CodeExcerpt, all_of_issue, code_of_failures, code_of_issue};
pub use history::history_text;
pub use named_lines::named_lines;
pub use near_files::near_test_files;
pub use observation::{GatheredInformation, GatheredLines, Observation};
pub use registry::{all, find, of_goal};
pub use relevance::{Relevance, relevance};
pub use reproductions::Reproductions;
pub use run_fault_localization::PARTIAL;
pub use test_goal::suspicious_lines;
pub use tool::{Circumstances, Tool, TypedTool};
