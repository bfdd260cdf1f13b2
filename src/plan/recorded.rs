//! What of a session's options is recorded, and what a replay takes from a recording.

use std::collections::BTreeMap;

use patchwright_command_line::options::{
    AgentlessOptions, ApproachOptions, BudgetOptions, ModelOptions, OutputOptions, ProjectOptions,
    SandboxOptions, SessionOptions,
};
use patchwright_llm::Provider;
use patchwright_protocol::{BugInput, Failure, Mode};
use patchwright_sandbox::secrets_among;
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
    let Some(Event::SessionStarted { driver, mode, .. }) = log.records.first().map(|record| &record.event)
    else {
        return Err(wrong("it does not begin with session_started"));
    };
    if recorded(&log)?.0.writing.method.is_some() {
        return Err(wrong("the recorded session wrote a test").hint("go on with `patchwright test --resume`"));
    }
    if *mode != Mode::Agent {
        return Err(wrong("the recorded session is one of the fixed pipeline").hint("give --mode agentless"));
    }
    if !matches!(choice, Choice::Service(_)) {
        let asked =
            format!("the recorded session asked {driver}, and a service has to be named that goes on");
        return Err(wrong(&asked).hint(format!("give --model {}", Provider::listed())));
    }
    Ok(Some(Box::new(log)))
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
