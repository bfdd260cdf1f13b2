//! The tools that a model can call, their schemas, and the interpretation of replies.
//!
//! A tool is a [`TypedTool`] outside: arguments are a struct whose JSON schema goes into the prompt and into native
//! tool calling, the result is an [`Observation`]. Inside the loop it is an erased [`Tool`]; [`all`] lists them.
//! A tool may touch its [`ToolContext`] alone: the test harness with the pristine copy of the project, the baseline, the
//! candidates of the session, and the session itself through [`SessionServices`].
//!
//! A tool never fails because of what a model asked for: it says what is wrong in its observation. A
//! [`Failure`](patchwright_protocol::Failure) is for those who must act instead.

mod candidate_text;
mod candidates;
mod collect_more_information;
mod context;
mod contradictions;
mod discard_hypothesis;
mod express_hypothesis;
mod extract_method;
mod extract_tests;
mod find_similar_api_calls;
mod generate_method_body;
mod get_classes_and_methods;
mod goal_accomplished;
mod history;
pub mod interpretation;
mod named_lines;
mod observation;
mod read_range;
mod render;
mod reproductions;
mod run_code;
mod run_fault_localization;
mod run_tests;
mod search_code_base;
mod settings;
mod test_goal;
mod tested_candidate;
mod tool;
mod trial;
mod variants;
mod write_fix;
mod write_test;

use std::sync::Arc;

use patchwright_protocol::Goal;
use tool::Erased;

pub use candidates::Candidates;
pub use context::{MethodBodyRequest, SessionServices, ToolContext, VariantBasis};
pub use history::last_commits;
pub use named_lines::named_lines;
pub use observation::{GatheredInformation, Observation};
pub use reproductions::Reproductions;
pub use settings::{ToolSettings, VariantsOf};
pub use test_goal::suspicious_lines;
pub use tested_candidate::TestedCandidate;
pub use tool::{CallContext, Tool, TypedTool};

/// All tools: those of the paper's Table II in its order, then ours.
pub fn all() -> Vec<Arc<dyn Tool>> {
    vec![
        erased::<read_range::ReadRange>(),
        erased::<get_classes_and_methods::GetClassesAndMethods>(),
        erased::<extract_method::ExtractMethod>(),
        erased::<extract_tests::ExtractTests>(),
        erased::<search_code_base::SearchCodeBase>(),
        erased::<find_similar_api_calls::FindSimilarApiCalls>(),
        erased::<generate_method_body::GenerateMethodBody>(),
        erased::<run_tests::RunTests>(),
        erased::<run_fault_localization::RunFaultLocalization>(),
        erased::<write_fix::WriteFix>(),
        erased::<express_hypothesis::ExpressHypothesis>(),
        erased::<collect_more_information::CollectMoreInformation>(),
        erased::<discard_hypothesis::DiscardHypothesis>(),
        erased::<goal_accomplished::GoalAccomplished>(),
        erased::<run_code::RunCode>(),
        erased::<history::History>(),
        erased::<write_test::WriteTest>(),
    ]
}

/// The tools of a session with this goal: all, of which some know that no fix is wanted where a test is the goal.
pub fn of_goal(goal: Goal) -> Vec<Arc<dyn Tool>> {
    let mut tools = all();
    match goal {
        Goal::Fix => {}
        Goal::Test => {
            for own in [erased::<test_goal::WriteTestAlone>(), erased::<test_goal::TestAccomplished>()] {
                tools
                    .iter_mut()
                    .filter(|tool| tool.name() == own.name())
                    .for_each(|tool| *tool = Arc::clone(&own));
            }
        }
    }
    tools
}

/// The tool of this name.
pub fn find(name: &str) -> Option<Arc<dyn Tool>> {
    all().into_iter().find(|tool| tool.name() == name)
}

/// The names of each tool that has several, its own first: groups for [`patchwright_replies::match_name`].
pub(crate) fn aliases() -> Vec<Vec<&'static str>> {
    let names = |tool: &Arc<dyn Tool>| [&[tool.name()][..], tool.aliases()].concat();
    all().iter().map(names).filter(|group| group.len() > 1).collect()
}

fn erased<T: TypedTool>() -> Arc<dyn Tool> {
    Arc::new(Erased::<T>::new())
}
