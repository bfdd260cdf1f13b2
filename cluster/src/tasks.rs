//! What the scheduler says of tasks.

use std::collections::BTreeMap;

use serde::Serialize;

use super::jobs::Job;

/// A task, as the scheduler sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Task {
    /// Its name, such as `123_4`.
    pub task: String,
    /// The part that it works on.
    pub part: u32,
    /// How many parts there are.
    pub of: u32,
    /// Its state in the scheduler's word: `PENDING`, `RUNNING`, `TIMEOUT`.
    pub state: String,
    /// Where it runs, or why it waits.
    pub node_or_reason: String,
    /// How long it runs, in the scheduler's form.
    pub time: String,
}

impl Task {
    /// Whether Slurm holds it after its launch failed on a node.
    pub fn is_held(&self) -> bool {
        self.state == "PENDING" && self.node_or_reason.contains("launch failed requeued held")
    }

    /// Whether it is in the queue or running.
    pub fn is_active(&self) -> bool {
        const ACTIVE: [&str; 10] = [
            "PENDING",
            "RUNNING",
            "CONFIGURING",
            "COMPLETING",
            "REQUEUED",
            "REQUEUE_HOLD",
            "REQUEUE_FED",
            "SUSPENDED",
            "STAGE_OUT",
            "SIGNALING",
        ];
        ACTIVE.contains(&self.state.as_str()) && !self.is_held()
    }
}

/// The form in which `squeue` is asked, and in which its columns are read.
pub(crate) const FORMAT: &str = "%i|%T|%R|%M";

/// The tasks in what `squeue` or `sacct` said, in [`FORMAT`]; those of other jobs are left out.
pub(crate) fn read(text: &str, jobs: &[Job]) -> Vec<Task> {
    let known: BTreeMap<&str, &Job> = jobs.iter().map(|job| (job.job.as_str(), job)).collect();
    let task = |line: &str| {
        let mut cells = line.split('|').map(str::trim);
        let name = cells.next()?;
        let (job, index) = name.split_once('_')?;
        let job = known.get(job)?;
        // `sacct` has a line for each step, too, and says who has cancelled.
        let part = index.parse::<u32>().ok()? + job.offset;
        let state = cells.next()?.split(' ').next()?.to_owned();
        let (node_or_reason, time) = (cells.next()?.to_owned(), cells.next()?.to_owned());
        Some(Task { task: name.to_owned(), part, of: job.of, state, node_or_reason, time })
    };
    text.lines().filter_map(task).collect()
}
