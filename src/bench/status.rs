//! `patchwright bench status`: how far a run is.

use std::io::IsTerminal;
use std::path::Path;
use std::time::{Duration, SystemTime};

use patchwright_cluster::{SlurmError, Task};
use patchwright_command_line::bench::parts::{RunPlace, StatusArgs};
use patchwright_protocol::{Actor, Failure};
use patchwright_runs::report::{Table, html_tables, progress_tables};
use patchwright_runs::{Overview, RunError, part_folders};
use serde::Serialize;

use crate::bench::ledger::{self, Pointer};
use crate::bench::report::show;
use crate::bench::slurm;
use crate::failure::ExitCode;

/// Between two looks.
const WATCH: Duration = Duration::from_secs(5);
/// Clears a terminal and begins at its top.
const CLEAR: &str = "\u{1b}[H\u{1b}[2J";

/// What is looked at again and again.
pub(super) trait Watched: Serialize {
    /// The tables that show it.
    fn tables(&self) -> Vec<Table>;

    /// Whether it may be different when it is looked at next.
    fn goes_on(&self) -> bool;
}

/// Shows it once, or until nothing runs any more.
pub async fn run(args: &StatusArgs) -> Result<ExitCode, Failure> {
    match &args.run {
        RunPlace::Ledger(url) => ledger::status(args, url, None).await,
        RunPlace::Folder(folder) => match ledger::Pointer::read(folder)? {
            Some(Pointer { ledger: url, run }) => match ledger::status(args, &url, Some(&run)).await {
                // What was fetched is here.
                Err(failure) if failure.actor == Actor::Environment && !part_folders(folder).is_empty() => {
                    crate::say(&format!("{failure}; this is what was fetched before"));
                    watch(args, async || Status::read(folder).await).await
                }
                ended => ended,
            },
            None => watch(args, async || Status::read(folder).await).await,
        },
    }
}

/// Shows what is read once, or until it does not change any more.
pub(super) async fn watch<W: Watched>(
    args: &StatusArgs,
    read: impl AsyncFn() -> Result<W, Failure>,
) -> Result<ExitCode, Failure> {
    let cancel = crate::cancel::on_signals();
    loop {
        let status = read().await?;
        let tables = status.tables();
        let goes_on = args.watch && status.goes_on();
        if let Some(file) = &args.views.html {
            let reload = goes_on.then_some(WATCH.as_secs());
            let title = tables.first().map_or_else(String::new, |table| table.title.clone());
            crate::files::write_whole(file, |out| html_tables(&title, &tables, reload, out))?;
        }
        if goes_on && std::io::stdout().is_terminal() {
            crate::print(CLEAR)?;
        }
        show(&args.views, &tables, || serde_json::to_value(&status))?;
        if !goes_on || cancel.run_until_cancelled(tokio::time::sleep(WATCH)).await.is_none() {
            return Ok(ExitCode::Done);
        }
    }
}

/// How far a run is, and what a cluster says of its tasks.
#[derive(Serialize)]
struct Status {
    /// None where tasks wait and no part has begun.
    #[serde(flatten)]
    overview: Option<Overview>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tasks: Vec<Task>,
}

impl Status {
    async fn read(run: &Path) -> Result<Self, Failure> {
        let tasks = tasks(run).await?;
        let (root, now) = (run.to_owned(), SystemTime::now());
        match patchwright_blocking::spawn(move |_| Overview::read(&root, now)).await? {
            Ok(overview) => Ok(Self { overview: Some(overview), tasks }),
            Err(RunError::NoRun(_)) if !tasks.is_empty() => Ok(Self { overview: None, tasks }),
            Err(error) => Err(Failure::user(error)),
        }
    }
}

impl Watched for Status {
    fn goes_on(&self) -> bool {
        self.overview.as_ref().is_some_and(Overview::is_running) || self.tasks.iter().any(Task::is_active)
    }

    fn tables(&self) -> Vec<Table> {
        let overview = self.overview.iter().flat_map(progress_tables);
        overview.chain(task_table(&self.tasks)).collect()
    }
}

/// The run's tasks in the cluster's queue. If the cluster cannot be asked, a warning is printed, and status comes from the run's files alone.
async fn tasks(run: &Path) -> Result<Vec<Task>, Failure> {
    match patchwright_cluster::tasks(run).await {
        Ok(tasks) => Ok(tasks),
        Err(error @ (SlurmError::Missing(_) | SlurmError::Refused { .. } | SlurmError::Silent(_))) => {
            crate::say(&format!("the cluster cannot be asked about tasks: {error}"));
            Ok(Vec::new())
        }
        Err(error @ (SlurmError::NothingSubmitted(_) | SlurmError::Io { .. })) => Err(slurm::failed(error)),
    }
}

/// A line for each task that waits or runs, or that the cluster still remembers.
fn task_table(tasks: &[Task]) -> Option<Table> {
    let row = |task: &Task| {
        vec![
            task.task.clone(),
            format!("{}/{}", task.part, task.of),
            task.state.to_lowercase(),
            task.node_or_reason.clone(),
            task.time.clone(),
        ]
    };
    let heads = ["task", "part", "state", "node, or why it waits", "time"].map(str::to_owned).to_vec();
    let rows = tasks.iter().map(row).collect();
    (!tasks.is_empty()).then(|| Table { title: "Tasks".to_owned(), heads, rows, ..Table::default() })
}
