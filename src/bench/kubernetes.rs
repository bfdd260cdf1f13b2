//! `patchwright bench manifests`: a run for Kubernetes.

use patchwright_cluster::Manifests;
use patchwright_command_line::bench::parts::ManifestArgs;
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

/// Prints them.
pub fn print(args: &ManifestArgs) -> Result<ExitCode, Failure> {
    let Some(out) = &args.run.options.output.out else {
        return Err(Failure::user("--out is missing: it names the run").hint("give --out NAME"));
    };
    let Asked { resolved, cases, .. } = Asked::of(&args.run, Kind::Sessions)?;
    let Divided { of, options, .. } = Divided::of(&args.run, &resolved, cases.len(), args.pods)?;
    let mut words = vec!["bench".to_owned(), "run".to_owned()];
    // Behind `bench manifests`.
    words.extend(without(&OF_MANIFESTS)?.into_iter().skip(2));
    let manifests = Manifests {
        name: out.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        words,
        of,
        at_once: args.pods_at_once.map(std::num::NonZero::get),
        image: args.pod_image.clone(),
        claim: args.claim.clone(),
        secret: args.secret.clone(),
        processors: options.concurrency.tests,
        memory: args.pod_memory.clone(),
        disk: args.claim_size.clone(),
    };
    crate::print(&manifests.text())?;
    Ok(ExitCode::Done)
}
