//! Calls that a person decides about before they run.

use patchwright_blocking::BlockingTask;
use patchwright_protocol::Failure;
use patchwright_session::{Decision, ProposedCall, Stop};
use patchwright_tools::interpretation::InterpretedCall;
use patchwright_trajectory::RefusalReason;

use super::AgentLoop;
use crate::admission::RejectedCall;

impl AgentLoop<'_> {
    /// Lets a person decide about the call; `None` when it does not run.
    pub(super) async fn review(
        &mut self,
        mut call: InterpretedCall,
    ) -> Result<Option<InterpretedCall>, Stop> {
        let preview = match self.preview(&call) {
            Some(preview) => preview.await?,
            None => None,
        };
        let proposal = ProposedCall {
            cycle: self.context.cycle,
            state: &self.state().name,
            thoughts: call.thoughts.as_deref(),
            tool: &call.tool,
            arguments: &call.arguments,
            preview,
        };
        let decision = self.reviewer.review(&proposal).await;
        if let Some(event) = decision.event(self.context.cycle) {
            self.context.journal.record(event)?;
        }
        match decision {
            Decision::Run | Decision::RunAlone => Ok(Some(call)),
            Decision::Edit(arguments) => {
                call.arguments = arguments;
                self.record_call(&call)?;
                Ok(Some(call))
            }
            Decision::Hint(_) => {
                let message = format!("The user did not let {} run and gave a hint instead.", call.tool);
                self.refuse(RejectedCall { reason: RefusalReason::Person, tool: None, message })?;
                Ok(None)
            }
            Decision::Refuse(reason) => {
                let message = format!("The user refused {}: {reason}", call.tool);
                self.refuse(RejectedCall { reason: RefusalReason::Person, tool: Some(call.tool), message })?;
                Ok(None)
            }
            Decision::Quit => Err(Failure::cancelled().into()),
        }
    }

    /// The change that a call would make, where somebody reads it.
    fn preview(&self, call: &InterpretedCall) -> Option<BlockingTask<Option<String>>> {
        let tool = self.tool(&call.tool).filter(|_| self.reviewer.wants_previews())?;
        let (harness, arguments) = (self.setup.session.harness, call.arguments.clone());
        let (project, rules) = (harness.project().clone(), harness.rules());
        Some(patchwright_blocking::spawn(move |_| tool.preview(&arguments, &project, &rules)))
    }
}
