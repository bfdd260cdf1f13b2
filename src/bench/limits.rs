//! What a run may use at once and in all: it shapes no session, and a resumed run may have more or less of it.

use std::collections::BTreeMap;

use patchwright_command_line::bench::Carrying;
use patchwright_command_line::options::{HumanDuration, SessionOptions};
use patchwright_protocol::Failure;
use patchwright_runs::{Concurrency, Disk, Part, RunOptions, SpendingCap};
use serde::{Deserialize, Serialize};

/// Free bytes below which no case begins, in GiB.
const KEEP_FREE: u64 = 2;

/// The program, with its version.
pub(super) fn versions() -> BTreeMap<String, String> {
    BTreeMap::from([("patchwright".to_owned(), env!("CARGO_PKG_VERSION").to_owned())])
}

/// Settings that do not shape the sessions, as `run.toml` keeps them: a resumed run has them too where nothing else is said.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Limits {
    #[serde(skip_serializing_if = "Option::is_none")]
    keep_free: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) images_gib: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    concurrency: Option<Concurrency>,
    budget: SpendingCap,
}

impl Limits {
    /// Those of a run that begins.
    pub(super) fn of(options: &RunOptions, images_gib: Option<u64>) -> Self {
        Self {
            keep_free: Some(options.disk.reserve >> 30),
            images_gib,
            concurrency: Some(options.concurrency),
            budget: options.budget,
        }
    }
}

/// What was said of a whole run, for one of its parts where it is one; says so.
pub(super) fn share(whole: &Carrying, part: Option<Part>) -> Carrying {
    let Some(part) = part else { return whole.clone() };
    let cap = SpendingCap { usd: whole.run_usd, tokens: whole.run_tokens, seconds: None };
    let SpendingCap { usd, tokens, .. } = part.share_of_cap(cap);
    let requests = whole.requests_per_minute.map(|whole| part.share_of_requests(whole));
    let shares: Vec<String> = [
        usd.map(|usd| format!("${usd:.2}")),
        tokens.map(|tokens| format!("{tokens} tokens")),
        requests.map(|requests| format!("{requests} questions a minute")),
    ]
    .into_iter()
    .flatten()
    .collect();
    if !shares.is_empty() {
        crate::say(&format!(
            "part {part} has its share of what the whole run may use: {}",
            shares.join(", ")
        ));
    }
    Carrying { run_usd: usd, run_tokens: tokens, requests_per_minute: requests, ..whole.clone() }
}

/// The settings by which the run is carried out, from what was typed.
pub(super) fn carried(
    args: &Carrying,
    was: Option<Limits>,
    options: &SessionOptions,
) -> Result<RunOptions, Failure> {
    let Limits { concurrency, budget: had, keep_free, images_gib: _ } = was.unwrap_or_default();
    let workers = args.workers.or(concurrency.map(|was| was.workers)).unwrap_or(1);
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let positive = |name: &str, holds: bool| {
        if holds { Ok(()) } else { Err(Failure::user(format!("--{name} must be a number above zero"))) }
    };
    for (name, count) in [
        ("workers", args.workers),
        ("sessions", args.sessions),
        ("containers", args.containers),
        ("pulls", args.pulls),
        ("tests", args.tests),
    ] {
        positive(name, count != Some(0))?;
    }
    positive("run-usd", args.run_usd.is_none_or(|usd| usd > 0.0 && usd.is_finite()))?;
    let usual = concurrency.filter(|was| was.workers == workers);
    let usual = usual.unwrap_or(Concurrency { tests: cores, ..Concurrency::of_workers(workers) });
    let seconds = |span: HumanDuration| span.0.as_secs_f64();
    let budget = SpendingCap {
        usd: args.run_usd.or(had.usd),
        tokens: args.run_tokens.or(had.tokens),
        seconds: args.run_time.map(seconds).or(had.seconds),
    };
    let keep_free = args.keep_free.or(keep_free).unwrap_or(KEEP_FREE).saturating_mul(1 << 30);
    let session = SpendingCap {
        usd: options.budget.max_usd,
        tokens: options.budget.max_tokens_total,
        seconds: options.budget.time_limit.map(seconds),
    };
    budget.check(session).map_err(Failure::user)?;
    Ok(RunOptions {
        concurrency: Concurrency {
            workers,
            sessions: args.sessions.unwrap_or(usual.sessions),
            containers: args.containers.unwrap_or(usual.containers),
            pulls: args.pulls.unwrap_or(usual.pulls),
            tests: args.tests.unwrap_or(usual.tests),
            requests_per_minute: args
                .requests_per_minute
                .or(concurrency.and_then(|was| was.requests_per_minute)),
        },
        budget,
        session,
        disk: Disk {
            folders: patchwright_sandbox::work_folders().into_iter().collect(),
            needed: keep_free,
            reserve: keep_free,
            ..Disk::default()
        },
        versions: versions(),
        parks: args.park,
        ..RunOptions::of_workers(workers)
    })
}
