//! What of a session's options is recorded, and what a replay takes from a recording.

use std::collections::BTreeMap;

use patchwright_command_line::options::{
    AgentlessOptions, ApproachOptions, BudgetOptions, ModelOptions, OutputOptions, ProjectOptions,
    SandboxOptions, SessionOptions,
};
use patchwright_llm::Provider;
use patchwright_protocol::{BugInput, Failure, Mode, TestId};
use patchwright_sandbox::secrets_among;
use patchwright_session::RecordedStages;
use patchwright_trajectory::{Event, Log, REDACTED};

use crate::model::{Choice, read_log};

/// The options and the bug of a recorded session. A recording may come from anybody, so it chooses neither sandbox nor service, and
/// opens no network.
pub(super) fn recorded(log: &Log) -> Result<(SessionOptions, BugInput), Failure> {
    let Some(Event::SessionStarted { settings, bug, .. }) = log.records.first().map(|record| &record.event)
    else {
        return Err(Failure::user(
            "the trajectory does not begin with session_started, so it cannot be replayed",
        ));
    };
    let unreadable = |what: &str, error: serde_json::Error| {
        Failure::user(format!("the trajectory's {what} cannot be read by this version: {error}"))
    };
    let options = serde_json::from_value(settings.clone()).map_err(|error| unreadable("settings", error))?;
    let mut options = shared_with_replay(options);
    if options.sandbox.network.take() == Some(true) {
        tracing::warn!("the recorded session's builds and tests used the network; --network lets them again");
    }
    let bug = serde_json::from_value(bug.clone()).map_err(|error| unreadable("bug", error))?;
    Ok((options, bug))
}

/// The recording that a session of the loop goes on with, where `--resume` names one. The pipeline takes what its stages found, and a
/// fixed method that writes a test is given all that the first session was.
pub(super) fn taken_up(options: &SessionOptions, choice: &Choice) -> Result<Option<Box<Log>>, Failure> {
    let Some(file) = options.agentless.resume.as_deref().filter(|_| is_loop(options)) else {
        return Ok(None);
    };
    let wrong = |why: &str| Failure::user(format!("--resume {}: {why}", file.display()));
    let log = read_log(file)?;
    if recorded(&log)?.0.writing.method.is_some() {
        return Err(wrong("the recorded session wrote a test").hint("go on with `patchwright test --resume`"));
    }
    let (mode, driver) = begun(&log).unwrap_or_default();
    if mode != Mode::Agent {
        return Err(wrong("the recorded session is one of the fixed pipeline").hint("give --mode agentless"));
    }
    if !matches!(choice, Choice::Service(_)) {
        let asked =
            format!("the recorded session asked {driver}, and a service has to be named that goes on");
        return Err(wrong(&asked).hint(format!("give --model {}", Provider::listed())));
    }
    Ok(Some(Box::new(log)))
}

/// The mode of a recorded session, and who decided in it.
fn begun(log: &Log) -> Option<(Mode, &str)> {
    match &log.records.first()?.event {
        Event::SessionStarted { mode, driver, .. } => Some((*mode, driver)),
        _ => None,
    }
}

/// The findings of an earlier session of the pipeline that this one goes on with. In others answers are taken over, and not what stages
/// found.
pub(super) fn earlier(options: &SessionOptions) -> Result<RecordedStages, Failure> {
    let Some(file) = options.agentless.resume.as_deref().filter(|_| is_pipeline(options)) else {
        return Ok(RecordedStages::default());
    };
    let log = read_log(file)?;
    if begun(&log).is_some_and(|(mode, _)| mode == Mode::Agent) {
        let wrong = format!("--resume {}: the recorded session is one of the loop", file.display());
        return Err(Failure::user(wrong).hint("give --mode agent"));
    }
    Ok(RecordedStages::of(&log))
}

/// Whether a recorded session came to know what its tests say.
pub(super) fn is_measured(log: &Log) -> bool {
    log.records.iter().any(|record| matches!(record.event, Event::Baseline { .. }))
}

/// The tests that a recorded session ran instead of all, by the cycle in which it began to; `None` where it ran all.
pub(super) fn nearest_of(log: &Log) -> Option<BTreeMap<u32, Vec<TestId>>> {
    let (mut by_cycle, mut now) = (BTreeMap::new(), 0);
    for record in &log.records {
        match &record.event {
            Event::Call { cycle, .. } => now = *cycle,
            Event::Baseline { nearest, .. } if !nearest.is_empty() => {
                by_cycle.insert(now, nearest.clone());
            }
            _ => {}
        }
    }
    (!by_cycle.is_empty()).then_some(by_cycle)
}

/// Is true if a recorded session asked its first question before it knew what the tests say.
pub(super) fn asks_before_tests(log: &Log) -> bool {
    let first = log.records.iter().find_map(|record| match record.event {
        Event::Prompt { .. } => Some(true),
        Event::NamedTests { .. } | Event::Baseline { .. } => Some(false),
        _ => None,
    });
    first == Some(true)
}

fn is_pipeline(options: &SessionOptions) -> bool {
    options.writing.method.is_none() && options.approach.mode == Some(Mode::Agentless)
}

fn is_loop(options: &SessionOptions) -> bool {
    options.writing.method.is_none() && options.approach.mode != Some(Mode::Agentless)
}

/// The options that a session shares with its replay. Those that belong to a machine or a user are neither recorded nor believed
/// of a recording, nor are those that the recorded bug holds already.
pub fn shared_with_replay(options: SessionOptions) -> SessionOptions {
    let SessionOptions { project, approach, budget, sandbox, model, prompt, agentless, writing, output: _ } =
        options;
    SessionOptions {
        project: ProjectOptions {
            failing: None,
            issue: None,
            env: project.env.map(without_secrets),
            ..project
        },
        approach: ApproachOptions { mode: approach.mode, ..ApproachOptions::default() },
        budget: BudgetOptions { max_usd: None, time_limit: None, ..budget },
        sandbox: SandboxOptions { kind: None, image: None, container: None, ..sandbox },
        model: ModelOptions { base_url: None, key_file: None, prices: None, ..model },
        prompt,
        agentless: AgentlessOptions { embeddings: None, embeddings_url: None, resume: None, ..agentless },
        writing,
        output: OutputOptions::default(),
    }
}

/// The variables with nothing for the value of each that looks like a secret: also of a value that is too plain a word to be
/// replaced wherever it stands.
fn without_secrets(mut variables: BTreeMap<String, String>) -> BTreeMap<String, String> {
    let secrets = secrets_among(variables.clone());
    for name in secrets.names() {
        if let Some(value) = variables.get_mut(name) {
            REDACTED.clone_into(value);
        }
    }
    variables
}
