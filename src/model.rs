//! Who decides: from the word that `--model` gives to a driver.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use patchwright_agent::{HumanDriver, ModelDriver, PatternDriver, RecordedDriver, ResumedDriver};
use patchwright_agentless::EmbeddingRanker;
use patchwright_command_line::options::{ModelOptions, SessionOptions};
use patchwright_lanes::Activity;
use patchwright_llm::{
    AnswerProgress, CachedEmbedder, Embedder, KEY_FILE_VARIABLE, KeySource, ModelError, ModelName,
    ModelNotice, Prices, Provider, RetryNotice, RetryPolicy,
};
use patchwright_protocol::{Actionable, BY_PATTERNS, Failure, Usage};
use patchwright_session::Driver;
use patchwright_trajectory::{Log, TrajectoryReadError};

use crate::terminal::Console;

/// Names the folder in which vectors of embedding models are kept.
const CACHE_VARIABLE: &str = "PATCHWRIGHT_CACHE";

/// The choice that `--model` names.
#[derive(Debug)]
pub enum Choice {
    /// A model behind a service.
    Service(ModelName),
    /// A recorded trajectory.
    Recording(PathBuf, Box<Log>),
    /// The person at the terminal.
    Human,
    /// The built-in fix patterns.
    Patterns,
}

impl Choice {
    /// Reads the word.
    pub fn read(word: Option<&str>) -> Result<Self, Failure> {
        let kinds = || format!("give --model patterns, {}, replay:FILE or human", Provider::listed());
        let word = match word {
            None | Some(BY_PATTERNS) => return Ok(Self::Patterns),
            Some("human") => return Ok(Self::Human),
            Some(word) => word,
        };
        if let Some(file) = word.strip_prefix("replay:") {
            let path = PathBuf::from(file);
            let log = read_log(&path)?;
            return Ok(Self::Recording(path, Box::new(log)));
        }
        match word.parse() {
            Ok(name) => Ok(Self::Service(name)),
            Err(error) => Err(Failure::user(format!("--model {word}: {error}")).hint(kinds())),
        }
    }

    /// The recording, where one decides.
    pub fn recording(&self) -> Option<&Log> {
        match self {
            Self::Recording(_, log) => Some(log),
            Self::Service(_) | Self::Human | Self::Patterns => None,
        }
    }

    /// Whether a model's provider is asked.
    pub fn is_service(&self) -> bool {
        matches!(self, Self::Service(_))
    }

    /// The variable with the key of the provider, where the key is in this process's environment and in no key file.
    pub fn key_in_environment(&self, options: &SessionOptions) -> Result<Option<&'static str>, Failure> {
        let Self::Service(name) = self else { return Ok(None) };
        let variable = name.provider.key_variable();
        let files =
            KeySource::fixed(std::env::var(KEY_FILE_VARIABLE).ok().map(|file| (KEY_FILE_VARIABLE, file)));
        let files = match &options.model.key_file {
            Some(file) => files.with_file(file),
            None => files,
        };
        let in_file = files.find(variable).map_err(Failure::user)?.is_some();
        let in_environment = KeySource::environment().find(variable).map_err(Failure::user)?.is_some();
        Ok((in_environment && !in_file).then_some(variable))
    }

    /// Connects it. `variants` is how many variants of a fix are asked for; what was answered in `resumed` is not asked anew. A service is
    /// asked by what `limited` makes of its driver.
    pub fn driver(
        &self,
        options: &SessionOptions,
        variants: u32,
        activity: &Activity,
        resumed: Option<&Log>,
        limited: impl FnOnce(Box<dyn Driver>) -> Box<dyn Driver>,
    ) -> Result<Box<dyn Driver>, Failure> {
        match self {
            Self::Patterns => Ok(Box::new(PatternDriver::new(variants))),
            Self::Human => Ok(Box::new(HumanDriver::new(Console))),
            Self::Recording(path, log) => match RecordedDriver::new(log, path) {
                Ok(driver) => Ok(Box::new(driver)),
                Err(error) => Err(Failure::user(error)),
            },
            Self::Service(name) => {
                let driver = service(name, options, activity)?;
                let Some(log) = resumed else { return Ok(limited(Box::new(driver))) };
                let driver = ResumedDriver::new(log, limited(Box::new(driver.with_replies(log))));
                let driver = driver.map_err(Failure::user)?;
                let known = patchwright_protocol::counted(driver.known(), "answer");
                crate::say(&format!(
                    "the recorded session holds {known}; what is asked in the same words is not asked again"
                ));
                Ok(Box::new(driver))
            }
        }
    }

    /// Looks whether the service knows the key, before anything that takes long.
    pub async fn check(&self, options: &SessionOptions) -> Result<(), Failure> {
        let Self::Service(name) = self else { return Ok(()) };
        service(name, options, &Activity::default())?.check_key().await.map_err(|error| refused(&error))
    }
}

/// Reads a trajectory for replaying it.
pub fn read_log(path: &Path) -> Result<Log, Failure> {
    patchwright_trajectory::read(path).map_err(unreadable)
}

/// Why what was given as a trajectory cannot be read.
pub fn unreadable(error: TrajectoryReadError) -> Failure {
    Failure::user(error).hint("a trajectory is the file trajectory.jsonl in a session's folder")
}

/// Where keys are looked for.
pub fn keys(options: &SessionOptions) -> KeySource {
    let keys = KeySource::environment();
    match &options.model.key_file {
        Some(file) => keys.with_file(file),
        None => keys,
    }
}

fn service(name: &ModelName, options: &SessionOptions, activity: &Activity) -> Result<ModelDriver, Failure> {
    let ModelOptions { temperature, seed, .. } = options.model;
    if seed.is_some() && name.provider == Provider::Anthropic {
        return Err(Failure::user("--seed: Anthropic's service takes no seed")
            .hint("leave it out: each run draws anew there"));
    }
    let prices = prices(options)?;
    let (notices, received) = std::sync::mpsc::channel();
    let activity = activity.clone();
    let notify = move |notice: ModelNotice| match notice {
        ModelNotice::Progress(progress) => activity.note(arrived(progress)),
        ModelNotice::Retry(notice) => {
            activity.note_wait(format!("request {} failed", notice.attempt), notice.wait);
            let mut text = retried(&notice);
            tracing::warn!("{text}");
            if !notice.received.is_empty() {
                text.push_str(&format!("\nwhat had come of the answer:\n{}", notice.received));
            }
            // The session may be over already; then nobody needs to hear it.
            let _ = notices.send(text);
        }
    };
    let model = patchwright_llm::connect(
        name,
        options.model.base_url.as_deref(),
        &keys(options),
        RetryPolicy::default(),
        notify,
    )
    .map_err(|error| refused(&error))?;
    let driver = ModelDriver::new(model, prices, temperature, seed, received);
    if options.budget.max_usd.is_some() && driver.profile().cost(&Usage::default()).is_none() {
        return Err(unpriced(name));
    }
    Ok(driver)
}

/// Connects the model that `--embeddings` names; its vectors are kept in the user's cache.
pub fn embeddings(word: &str, options: &SessionOptions) -> Result<EmbeddingRanker, Failure> {
    let wrong = |error: &dyn std::fmt::Display| {
        Failure::user(format!("--embeddings {word}: {error}"))
            .hint("give openai/NAME, or compatible/NAME with --embeddings-url")
    };
    let name: ModelName = word.parse().map_err(|error| wrong(&error))?;
    // The chat model's address is of no use to the models of another provider.
    let shared = options.model.base_url.as_deref().filter(|_| name.provider == Provider::Compatible);
    let base_url = options.agentless.embeddings_url.as_deref().or(shared);
    let notify = |notice: RetryNotice| tracing::warn!("{}", retried(&notice));
    let keys = keys(options);
    let model = patchwright_llm::connect_embedder(&name, base_url, &keys, RetryPolicy::default(), notify)
        .map_err(|error| wrong(&error))?;
    let prices = prices(options)?;
    if options.budget.max_usd.is_some() && prices.cost(model.name(), &Usage::default()).is_none() {
        return Err(unpriced(&name));
    }
    let model: Arc<dyn Embedder> = match cache_folder() {
        // Services may have other models of the same name.
        Some(folder) => {
            let service =
                base_url.unwrap_or("default").replace(|letter: char| !letter.is_alphanumeric(), "-");
            Arc::new(CachedEmbedder::new(model, folder.join("embeddings").join(service)))
        }
        None => model,
    };
    Ok(EmbeddingRanker::Model(model, prices))
}

/// Where what can be made again is kept: `PATCHWRIGHT_CACHE`, or `patchwright` in the user's folder for such things.
pub fn cache_folder() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os(CACHE_VARIABLE) {
        return Some(PathBuf::from(folder));
    }
    let base = std::env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache")))?;
    Some(base.join("patchwright"))
}

/// The table of prices, with the file that the options name.
pub fn prices(options: &SessionOptions) -> Result<Prices, Failure> {
    match &options.model.prices {
        None => Ok(Prices::embedded()),
        Some(file) => Prices::load(file).map_err(Failure::from),
    }
}

fn unpriced(name: &ModelName) -> Failure {
    Failure::user(format!("the price of {name} is unknown, so --max-usd cannot be held"))
        .hint("add the price to a file and give it with --prices, or limit tokens with --max-tokens-total")
}

/// How much of an answer is there, for the line that says what is waited for.
fn arrived(progress: AnswerProgress) -> String {
    match progress {
        AnswerProgress { reasoning, answer: 0 } => format!("reasoning, {reasoning} bytes so far"),
        AnswerProgress { answer, .. } => format!("answering, {answer} bytes so far"),
    }
}

/// What is said of a request that is sent again.
pub fn retried(notice: &RetryNotice) -> String {
    let RetryNotice { model, attempt, wait, reason, received: _ } = notice;
    format!("{model}: request {attempt} failed ({reason}); again in {} s", wait.as_secs())
}

/// A failure of the model's provider, whoever must act on it: one exit code tells scripts that no model answered.
pub fn refused(error: &ModelError) -> Failure {
    Failure { hint: error.hint(), ..Failure::provider(error) }
}
