//! The seventeen tools.

use std::sync::Arc;

use patchwright_protocol::Goal;

use crate::collect_more_information::CollectMoreInformation;
use crate::discard_hypothesis::DiscardHypothesis;
use crate::express_hypothesis::ExpressHypothesis;
use crate::extract_method::ExtractMethod;
use crate::extract_tests::ExtractTests;
use crate::find_similar_api_calls::FindSimilarApiCalls;
use crate::generate_method_body::GenerateMethodBody;
use crate::get_classes_and_methods::GetClassesAndMethods;
use crate::goal_accomplished::GoalAccomplished;
use crate::history::History;
use crate::read_range::ReadRange;
use crate::run_code::RunCode;
use crate::run_fault_localization::RunFaultLocalization;
use crate::run_tests::RunTests;
use crate::search_code_base::SearchCodeBase;
use crate::test_goal::{TestAccomplished, WriteTestAlone};
use crate::tool::{Erased, Tool, TypedTool};
use crate::write_fix::WriteFix;
use crate::write_test::WriteTest;

/// All tools: those of the paper's Table II in its order, then ours.
pub fn all() -> Vec<Arc<dyn Tool>> {
    vec![
        erased::<ReadRange>(),
        erased::<GetClassesAndMethods>(),
        erased::<ExtractMethod>(),
        erased::<ExtractTests>(),
        erased::<SearchCodeBase>(),
        erased::<FindSimilarApiCalls>(),
        erased::<GenerateMethodBody>(),
        erased::<RunTests>(),
        erased::<RunFaultLocalization>(),
        erased::<WriteFix>(),
        erased::<ExpressHypothesis>(),
        erased::<CollectMoreInformation>(),
        erased::<DiscardHypothesis>(),
        erased::<GoalAccomplished>(),
        erased::<RunCode>(),
        erased::<History>(),
        erased::<WriteTest>(),
    ]
}

/// The tools of a session with this goal: all, of which some know that no fix is wanted where a test is the goal.
pub fn of_goal(goal: Goal) -> Vec<Arc<dyn Tool>> {
    let mut tools = all();
    match goal {
        Goal::Fix => {}
        Goal::Test => {
            for own in [erased::<WriteTestAlone>(), erased::<TestAccomplished>()] {
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
