//! A run of a ledger, prepared for this machine.

use std::sync::Arc;

use patchwright_cluster::ArtifactUrl;
use patchwright_cluster::postgres::{ArtifactStore, KnownRun, PostgresLedger, RequestBlocks};
use patchwright_command_line::bench::Carrying;
use patchwright_command_line::bench::parts::WorkerArgs;
use patchwright_command_line::options::SessionOptions;
use patchwright_command_line::suite::absolute;
use patchwright_protocol::Failure;
use patchwright_runs::{RequestLimit, RunFile, RunOptions, SpendingCap};

use super::failed;
use crate::bench::batch::Work;
use crate::bench::limits::{Limits, carried, versions};
use crate::bench::resume::Begun;
use crate::bench::suite::{self, Use};

/// A run of a ledger, with all that its parts need on this machine.
pub(super) struct Prepared {
    /// What the run was begun with.
    pub file: RunFile,
    /// The number of its parts.
    pub parts: u32,
    pub work: Work,
    /// What a session may spend.
    pub session: SpendingCap,
    pub requests: Option<Arc<dyn RequestLimit>>,
    /// Where the files of parts that are done go; into the ledger, where there is none.
    pub artifacts: Option<ArtifactStore>,
}

/// [`RequestBlocks`] as the limit of a run.
#[derive(Debug)]
struct Leased(RequestBlocks);

#[async_trait::async_trait]
impl RequestLimit for Leased {
    async fn request(&self) {
        self.0.request().await;
    }
}

impl Prepared {
    /// Checks that the run can be carried out here: version, files, suite, key, sandbox.
    pub async fn new(ledger: &PostgresLedger, known: &KnownRun, args: &WorkerArgs) -> Result<Self, Failure> {
        let place = format!("run {} of the ledger", known.run);
        let file: RunFile = toml::from_str(&known.settings)
            .map_err(|error| Failure::user(format!("{place} cannot be read: {error}")))?;
        if file.versions != versions() {
            let told = |versions: &std::collections::BTreeMap<String, String>| {
                versions
                    .iter()
                    .map(|(name, version)| format!("{name} {version}"))
                    .collect::<Vec<_>>()
                    .join(", ")
            };
            return Err(Failure::user(format!(
                "{place} was begun with {}, and this is {}",
                told(&file.versions),
                told(&versions())
            ))
            .hint("use the same version for all workers of a run"));
        }
        let here = here(&file, args)?;
        let typed = SessionOptions::default();
        let typed = SessionOptions {
            model: patchwright_command_line::options::ModelOptions {
                key_file: args.key_file.clone(),
                ..typed.model
            },
            ..typed
        };
        let Begun { resolved, limits } = Begun::read(&here, &place, &typed)?;
        let how = Use { perfect: resolved.perfect, goal: resolved.goal(), images_gib: limits.images_gib };
        let suite = suite::load(&here.suite, how)?;
        resolved.check()?;
        let options = options(args, &limits, &resolved.options)?;
        let artifacts = match &known.artifacts {
            Some(url) => Some(opened(url).await?),
            None => None,
        };
        let (session, rate) = (options.session, options.concurrency.requests_per_minute);
        // The ledger keeps the rate for all workers together.
        let requests = rate.map(|_| {
            Arc::new(Leased(RequestBlocks::new(ledger.clone(), &known.run))) as Arc<dyn RequestLimit>
        });
        let work = Work::of(suite, resolved, options, &file.cases).await?;
        Ok(Self { file, parts: known.parts, work, session, requests, artifacts })
    }
}

/// The store of a run's artifacts, checked before anything is claimed.
async fn opened(url: &ArtifactUrl) -> Result<ArtifactStore, Failure> {
    let store = ArtifactStore::open(url).map_err(failed)?;
    store.check().await.map_err(failed)?;
    Ok(store)
}

/// What the run was begun with, where its suite may lie elsewhere.
fn here(file: &RunFile, args: &WorkerArgs) -> Result<RunFile, Failure> {
    let mut here = file.clone();
    let Some(word) = &args.suite else { return Ok(here) };
    here.suite = absolute(word)?;
    if here.suite.split(':').next() != file.suite.split(':').next() {
        return Err(Failure::user(format!("--suite {word}: run {} is of {}", file.run, file.suite)));
    }
    if let (Some(known), Some((_, path))) = (here.fingerprints.get_mut("suite"), here.suite.split_once(':')) {
        known.path = path.into();
    }
    Ok(here)
}

/// How a lane carries a part out: with its share of this machine.
fn options(args: &WorkerArgs, limits: &Limits, session: &SessionOptions) -> Result<RunOptions, Failure> {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let carrying = Carrying {
        workers: Some(1),
        sessions: Some(1),
        tests: Some((cores / args.lanes.get() as usize).max(1)),
        ..Carrying::default()
    };
    let mut options = carried(&carrying, Some(limits.clone()), session)?;
    // The ledger keeps the budget for all workers together.
    options.budget = SpendingCap::default();
    Ok(options)
}
