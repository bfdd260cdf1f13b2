//! `patchwright doctor slurm` and `doctor postgres://…`: whether runs can be handed over from this machine.

use patchwright_cluster::Check;
use patchwright_command_line::bench::parts::Cluster;
use patchwright_protocol::Failure;

use super::{Finding, lines};
use crate::bench::check_ledger;
use crate::failure::ExitCode;

/// Prints the checks. Fails if one that runs need has failed.
pub async fn run(cluster: &Cluster, json: bool) -> Result<ExitCode, Failure> {
    let (area, checks) = match cluster {
        Cluster::Slurm => ("slurm", patchwright_cluster::check().await),
        Cluster::Ledger(url) => ("ledger", check_ledger(url).await?),
    };
    let failed: Vec<&str> =
        checks.iter().filter(|check| check.is_needed && !check.works).map(|check| check.name).collect();
    let findings: Vec<Finding> = checks.iter().map(|check| finding(area, check)).collect();
    if json {
        crate::print(&format!("{}\n", serde_json::json!({ "findings": findings })))?;
    } else {
        crate::print(&lines(&findings))?;
    }
    if failed.is_empty() {
        return Ok(ExitCode::Done);
    }
    Err(Failure::environment(format!("runs cannot be handed over from here: {}", failed.join(", ")))
        .hint("see the cures above"))
}

fn finding(area: &'static str, check: &Check) -> Finding {
    Finding {
        area,
        name: check.name.to_owned(),
        works: check.works,
        detail: check.detail.clone(),
        cure: check.cure.map(str::to_owned),
    }
}
