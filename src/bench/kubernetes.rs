//! `patchwright bench manifests`: a run for Kubernetes.

use patchwright_cluster::{LedgerUrl, Manifests, Pods};
use patchwright_command_line::bench::parts::{Cluster, ManifestArgs};
use patchwright_command_line::suite::absolute;
use patchwright_protocol::Failure;

use crate::bench::batch::{Asked, Kind};
use crate::bench::divided::Divided;
use crate::bench::words::without;
use crate::failure::ExitCode;

/// Options that pods are not told, with the number of words behind them.
const OF_MANIFESTS: [(&str, usize); 10] = [
    ("--kubernetes", 0),
    ("--pod-image", 1),
    ("--pods", 1),
    ("--pods-at-once", 1),
    ("--pod-memory", 1),
    ("--claim", 1),
    ("--claim-size", 1),
    ("--secret", 1),
    ("--out", 1),
    ("--json", 0),
];

/// After how long without work a worker ends: the parts of others may come back.
const IDLE: &str = "10m";

/// Prints them.
pub fn print(args: &ManifestArgs) -> Result<ExitCode, Failure> {
    let Some(out) = &args.run.options.output.out else {
        return Err(Failure::user("--out is missing: it names the run").hint("give --out NAME"));
    };
    let name = out.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let Asked { resolved, cases, .. } = Asked::of(&args.run, Kind::Sessions)?;
    let Divided { of, options, .. } = Divided::of(&args.run, &resolved, cases.len(), args.pods)?;
    let pods = match &args.run.cluster.on {
        Some(Cluster::Ledger(url)) => workers(args, url, &name)?,
        Some(Cluster::Slurm) => {
            return Err(Failure::user("--on slurm: manifests are for Kubernetes")
                .hint("leave it out, or give --on postgres://… for workers of a ledger"));
        }
        None => {
            let mut words = vec!["bench".to_owned(), "run".to_owned()];
            // Behind `bench manifests`.
            words.extend(without(&OF_MANIFESTS)?.into_iter().skip(2));
            Pods::Parts { words, of, claim: args.claim.clone(), disk: args.claim_size.clone() }
        }
    };
    let manifests = Manifests {
        name,
        pods,
        at_once: args.pods_at_once.map(std::num::NonZero::get),
        image: args.pod_image.clone(),
        secret: args.secret.clone(),
        processors: options.concurrency.tests,
        memory: args.pod_memory.clone(),
    };
    crate::print(&manifests.text())?;
    Ok(ExitCode::Done)
}

/// Workers of the ledger into which `bench run` puts the run.
fn workers(args: &ManifestArgs, url: &LedgerUrl, run: &str) -> Result<Pods, Failure> {
    let Some(count) = args.pods else {
        return Err(Failure::user("--pods is missing: the number of workers").hint("give --pods N"));
    };
    if args.claim.is_some() {
        return Err(Failure::user("--claim: workers of a ledger write to no volume").hint("leave it out"));
    }
    let suite = absolute(&args.run.suite)?;
    let words = ["worker", &url.to_string(), "--run", run, "--suite", &suite, "--idle-exit", IDLE];
    Ok(Pods::Workers { words: words.map(str::to_owned).to_vec(), count: count.get() })
}
