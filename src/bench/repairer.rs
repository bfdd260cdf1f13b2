//! One attempt at one case: a session like any other, in the run's folder.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use async_trait::async_trait;
use patchwright_agent::GoldenDriver;
use patchwright_command_line::options::SessionOptions;
use patchwright_edits::Edit;
use patchwright_lanes::Activity;
use patchwright_protocol::{Actor, Bug, Failure, SessionResult, Status};
use patchwright_runs::{AttemptContext, Repairer, Stage, StageReader, recovered};
use patchwright_session::{Driver, Listener};
use patchwright_trajectory::Record;
use tokio::sync::mpsc;

use super::rate_limited_driver::RateLimitedDriver;
use crate::execute::{Output, execute};
use crate::model::Choice;
use crate::plan::Plan;

/// Between two looks at the step that is under way.
const BETWEEN_LOOKS: Duration = Duration::from_millis(500);

/// Repairs bugs by sessions of this program.
pub struct Sessions {
    /// The options of each session, settings files included.
    pub options: SessionOptions,
    /// The developers' fixes by their cases, where these are to be tried instead of looked for.
    pub golden: Option<BTreeMap<String, Vec<Edit>>>,
}

#[async_trait]
impl Repairer for Sessions {
    async fn repair(&self, bug: &Bug, attempt: &AttemptContext<'_>) -> SessionResult {
        let ended = Box::pin(self.session(bug, attempt)).await;
        ended.unwrap_or_else(|failure| failed(&failure, attempt.folder))
    }
}

impl Sessions {
    async fn session(&self, bug: &Bug, attempt: &AttemptContext<'_>) -> Result<SessionResult, Failure> {
        let mut bug = bug.clone();
        // Without a failing test no lines are suspicious; known ones are not looked for.
        let wanted = self.options.approach.localization.as_deref() != Some("none");
        bug.input.spectrum = wanted && !bug.input.issue_only && bug.input.lines.is_empty();
        let mut options = self.options.clone();
        // Only what a service answers is worth anything when it is asked again.
        let asks = self.golden.is_none() && Choice::read(options.approach.model.as_deref())?.is_service();
        options.agentless.resume = attempt.interrupted.filter(|_| asks).map(Path::to_owned);
        let plan = Plan::of_case(options, bug)?;
        let _container = if plan.wants_containers() {
            let Some(permit) = attempt.container().await else {
                return Ok(SessionResult::early(Status::Cancelled, "cancelled before the session began"));
            };
            Some(permit)
        } else {
            None
        };
        let output = Output {
            folder: attempt.folder.to_owned(),
            session: format!("{}-{}-{}", attempt.case, attempt.number, std::process::id()),
            activity: Activity::default(),
        };
        let driver: Box<dyn Driver> = if let Some(golden) = &self.golden {
            Box::new(GoldenDriver::new(golden.get(attempt.case).cloned().unwrap_or_default()))
        } else {
            let limited =
                |driver| Box::new(RateLimitedDriver::new(driver, attempt.shared.clone())) as Box<dyn Driver>;
            plan.limited_driver(&output.activity, limited)?
        };
        let (teller, mut stages) = ProgressListener::new(plan.machine.start().name.clone());
        let telling = async {
            let mut stage = Stage::of_state("preparing");
            loop {
                attempt.tell(Stage {
                    step: output.activity.step().map(|step| step.to_string()),
                    ..stage.clone()
                });
                tokio::select! {
                    told = stages.recv() => match told {
                        Some(told) => stage = told,
                        None => std::future::pending().await,
                    },
                    () = tokio::time::sleep(BETWEEN_LOOKS) => {}
                }
            }
        };
        let outcome = tokio::select! {
            outcome = execute(&plan, &output, driver, plan.reviewer(), vec![Box::new(teller)], attempt.cancel) => outcome?,
            () = telling => return Err(Failure::defect("the telling of progress has ended")),
        };
        let ended = outcome.result.result;
        Ok(if outcome.is_unusable { ended.unusable() } else { ended })
    }
}

/// A session that could not begin, or not be brought to its end: what it has cost until then counts.
fn failed(failure: &Failure, folder: &Path) -> SessionResult {
    let status = match failure.actor {
        // What was typed was checked before the run: what is wrong now is the case.
        Actor::User | Actor::Case => Status::Unusable,
        actor => actor.into(),
    };
    SessionResult { hint: failure.hint.clone(), ..recovered(folder, status, &failure.message) }
}

/// Follows the events of a session and tells how far it is.
struct ProgressListener {
    reader: StageReader,
    stages: mpsc::UnboundedSender<Stage>,
}

impl ProgressListener {
    fn new(start: String) -> (Self, mpsc::UnboundedReceiver<Stage>) {
        let (stages, receiver) = mpsc::unbounded_channel();
        (Self { reader: StageReader::new(start), stages }, receiver)
    }
}

impl Listener for ProgressListener {
    fn on_event(&mut self, record: &Record) {
        if self.reader.hear(&record.event) {
            // Nobody looks any more where the attempt was dropped.
            let _ = self.stages.send(self.reader.stage().clone());
        }
    }
}
