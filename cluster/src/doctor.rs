//! Checks whether runs can be submitted to Slurm from this machine.

use super::slurm::{SlurmError, ask, longest_array, one_line};

/// The result of one check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// What was checked: `controller`, `partitions`.
    pub name: &'static str,
    /// Whether it works.
    pub works: bool,
    /// Whether runs need it.
    pub is_needed: bool,
    /// What was found.
    pub detail: String,
    /// What would make it work.
    pub cure: Option<&'static str>,
}

impl Check {
    pub(crate) fn works(name: &'static str, detail: impl Into<String>) -> Self {
        Self { name, works: true, is_needed: true, detail: detail.into(), cure: None }
    }

    pub(crate) fn fails(name: &'static str, detail: impl Into<String>, cure: &'static str) -> Self {
        Self { name, works: false, is_needed: true, detail: detail.into(), cure: Some(cure) }
    }

    pub(crate) fn not_needed(self) -> Self {
        Self { is_needed: false, ..self }
    }
}

/// Checks the commands, the controller, the partitions, a test submission, the array limit and accounting. Stops at the commands or the
/// controller if they fail.
pub async fn check() -> Vec<Check> {
    let version = match ask("sbatch", ["--version"]).await {
        Ok(said) => said,
        Err(error) => {
            return vec![Check::fails(
                "commands",
                said(&error),
                "run this on a machine that submits jobs to Slurm; some clusters want `module load slurm` first",
            )];
        }
    };
    let mut checks = vec![Check::works("commands", version.trim())];
    match ask("scontrol", ["ping"]).await {
        // It succeeds as long as one of several controllers is up.
        Ok(said) => checks.push(Check::works("controller", one_line(&said))),
        Err(error) => {
            let cure = "contact the cluster's administrator; running jobs continue without it";
            checks.push(Check::fails("controller", said(&error), cure));
            return checks;
        }
    }
    checks.extend([partitions().await, submission().await, arrays().await, accounting().await]);
    checks
}

async fn partitions() -> Check {
    let cure = "`sinfo -R` shows why nodes are down or drained; the cluster's administrator can resume them";
    match ask("sinfo", ["--noheader", "--format", "%P|%a|%l|%T|%D"]).await {
        Ok(text) => {
            let (told, is_usable) = read_partitions(&text);
            if is_usable { Check::works("partitions", told) } else { Check::fails("partitions", told, cure) }
        }
        Err(error) => Check::fails("partitions", said(&error), cure),
    }
}

/// The partitions in `sinfo`'s output on one line, and whether any has a node that accepts jobs.
fn read_partitions(text: &str) -> (String, bool) {
    let mut is_usable = false;
    let mut told = Vec::new();
    for line in text.lines() {
        let cells: Vec<&str> = line.trim().split('|').collect();
        let [partition, availability, limit, state, nodes] = cells.as_slice() else { continue };
        // A suffix marks nodes that do not respond, among others: `idle*`.
        let takes_work = ["idle", "mixed", "allocated", "completing"].contains(state);
        is_usable |= *availability == "up" && takes_work;
        let closed = if *availability == "up" { "" } else { ", closed" };
        told.push(format!("{partition} {nodes} {state} (time limit {limit}{closed})"));
    }
    let none = || "there are none that you may use".to_owned();
    (if told.is_empty() { none() } else { told.join(", ") }, is_usable)
}

/// Submits a job with `--test-only`, which validates it without queueing it.
async fn submission() -> Check {
    match ask("sbatch", ["--test-only", "--wrap=true"]).await {
        Ok(_) => Check::works("submission", "a job of one processor would be accepted"),
        Err(error) => Check::fails(
            "submission",
            said(&error),
            "pass what your cluster requires with --sbatch, such as '--account=NAME --partition=NAME'",
        ),
    }
}

async fn arrays() -> Check {
    match longest_array().await {
        Ok(most) => Check::works("arrays", format!("of up to {most} tasks; longer runs are split")),
        Err(error) => {
            Check::fails("arrays", said(&error), "ask the cluster's administrator whether arrays are allowed")
        }
    }
}

async fn accounting() -> Check {
    let asked = ["--noheader", "--parsable2", "--allocations", "--format", "JobID"];
    match ask("sacct", asked).await {
        Ok(_) => Check::works("accounting", "`bench status` shows how tasks ended"),
        Err(error) => Check::fails(
            "accounting",
            said(&error),
            "not required; without it `bench status` shows ended tasks only while they are in the queue",
        )
        .not_needed(),
    }
}

/// The scheduler's own error message.
fn said(error: &SlurmError) -> String {
    match error {
        SlurmError::Refused { said, .. } => said.clone(),
        error => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_partition_is_of_use_where_a_node_takes_work() {
        let (told, is_usable) = read_partitions("all*|up|infinite|mixed|1\nlong|down|2-00:00:00|idle|3\n");
        assert_eq!(told, "all* 1 mixed (time limit infinite), long 3 idle (time limit 2-00:00:00, closed)");
        assert!(is_usable);
        for useless in
            ["all*|up|infinite|drained|2\n", "all*|up|infinite|idle*|2\n", "long|down|1:00|idle|3\n", ""]
        {
            assert!(!read_partitions(useless).1, "{useless}");
        }
    }
}
