//! Slurm, by its own commands.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use thiserror::Error;
use tokio::process::Command;

use super::jobs::{self, Job};
use super::script::Submission;
use super::tasks::{self, Task};

/// How long a command of the scheduler may take: a busy controller answers slowly.
const PATIENCE: Duration = Duration::from_mins(2);
/// Tasks of an array where the cluster does not say how many it allows: Slurm's own default is 1001, of which 0 is none of ours.
const USUAL_ARRAY: u32 = 1000;

/// Why the scheduler was of no use.
#[derive(Debug, Error)]
pub enum SlurmError {
    /// Its commands are not on this machine.
    #[error("`{0}` is not on PATH")]
    Missing(&'static str),
    /// It refused something.
    #[error("{command} failed: {said}")]
    Refused {
        /// The command.
        command: &'static str,
        /// What it said.
        said: String,
    },
    /// It did not answer.
    #[error("{0} did not answer within two minutes; look whether the controller is up (`scontrol ping`)")]
    Silent(&'static str),
    /// No task of this folder's run was ever submitted.
    #[error("{} holds no run that was handed over to a cluster; give the folder that --out named", .0.display())]
    NothingSubmitted(PathBuf),
    /// A file or folder cannot be used.
    #[error("cannot use {}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The system's words.
        source: io::Error,
    },
}

/// Submits the tasks of these parts, in as many arrays as the cluster needs them in. Each is recorded as soon as it is known.
///
/// # Errors
/// See [`SlurmError`]. Arrays that were submitted before the failure stay, and are recorded.
pub async fn submit(submission: &Submission, parts: &[u32]) -> Result<Vec<Job>, SlurmError> {
    let folder = jobs::folder(&submission.run);
    let logs = folder.join("logs");
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| SlurmError::Io { path, source }
    };
    // Where there is no scheduler nothing is made.
    let most = longest_array().await?;
    std::fs::create_dir_all(&logs).map_err(failed(&logs))?;
    let mut arrays: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for part in parts {
        arrays.entry((part - 1) / most * most).or_default().push(*part);
    }
    let mut submitted = Vec::new();
    for (offset, parts) in arrays {
        let script = folder.join(format!("task-{offset}.sh"));
        std::fs::write(&script, submission.script(offset, &logs)).map_err(failed(&script))?;
        let indices: Vec<u32> = parts.iter().map(|part| part - offset).collect();
        let at_once = submission.at_once.map_or(String::new(), |most| format!("%{most}"));
        let array = format!("--array={}{at_once}", ranges(&indices));
        let words = [vec!["--parsable".to_owned(), array], submission.sbatch.clone()].concat();
        let mut sbatch = Command::new("sbatch");
        sbatch.args(words).arg(&script);
        for secret in &submission.secrets {
            sbatch.env_remove(secret);
        }
        let said = match answer("sbatch", sbatch).await {
            Ok(said) => said,
            Err(error) => {
                jobs::clear_unused(&submission.run);
                return Err(error);
            }
        };
        // Behind a semicolon it names the cluster, where there are several.
        let job = said.trim().split(';').next().unwrap_or_default().to_owned();
        let submitted_at = chrono::Utc::now().format("%Y-%m-%dT%H:%M:%SZ").to_string();
        let job = Job { job, offset, parts, of: submission.of, submitted: submitted_at };
        jobs::add(&submission.run, &job).map_err(failed(&folder))?;
        submitted.push(job);
    }
    Ok(submitted)
}

/// The tasks of a run that wait or run, and of those that ended what the accounting says, where there is one. None where nothing was submitted.
///
/// # Errors
/// See [`SlurmError`].
pub async fn tasks(run: &Path) -> Result<Vec<Task>, SlurmError> {
    let jobs = jobs(run)?;
    if jobs.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<&str> = jobs.iter().map(|job| job.job.as_str()).collect();
    let ids = ids.join(",");
    let queue = ask("squeue", ["--noheader", "--array", "--jobs", &ids, "--format", tasks::FORMAT]).await;
    let mut found = match queue {
        Ok(text) => tasks::read(&text, &jobs),
        // So it says of jobs that it has forgotten.
        Err(SlurmError::Refused { said, .. }) if said.contains("Invalid job id") => Vec::new(),
        Err(error) => return Err(error),
    };
    let ended = [
        "--noheader",
        "--parsable2",
        "--allocations",
        "--jobs",
        &ids,
        "--format",
        "JobID,State,NodeList,Elapsed",
    ];
    // Most small clusters keep no accounts.
    if let Ok(text) = ask("sacct", ended).await {
        let known: Vec<String> = found.iter().map(|task| task.task.clone()).collect();
        found.extend(tasks::read(&text, &jobs).into_iter().filter(|task| !known.contains(&task.task)));
    }
    found.sort_by_key(|task| task.part);
    Ok(found)
}

/// Lets a task that is held wait for its turn again.
///
/// # Errors
/// See [`SlurmError`].
pub async fn release(task: &Task) -> Result<(), SlurmError> {
    ask("scontrol", ["release", &task.task]).await.map(drop)
}

/// Cancels the tasks of a run that wait or run; tells the jobs.
///
/// # Errors
/// See [`SlurmError`].
pub async fn cancel(run: &Path) -> Result<Vec<Job>, SlurmError> {
    if jobs(run)?.is_empty() {
        return Err(SlurmError::NothingSubmitted(run.to_owned()));
    }
    let active: Vec<Task> =
        tasks(run).await?.into_iter().filter(|task| task.is_active() || task.is_held()).collect();
    let is_active = |job: &Job| active.iter().any(|task| task.task.starts_with(&format!("{}_", job.job)));
    let jobs: Vec<Job> = jobs(run)?.into_iter().filter(is_active).collect();
    if !jobs.is_empty() {
        // What waits first, or it would begin in the place of what ends.
        let ids: Vec<&str> = jobs.iter().map(|job| job.job.as_str()).collect();
        ask("scancel", ["--state=PENDING"].into_iter().chain(ids.iter().copied())).await?;
        ask("scancel", ids).await?;
    }
    Ok(jobs)
}

fn jobs(run: &Path) -> Result<Vec<Job>, SlurmError> {
    jobs::read(run).map_err(|source| SlurmError::Io { path: jobs::folder(run), source })
}

/// How many tasks an array may have whose indices begin at 1.
pub(crate) async fn longest_array() -> Result<u32, SlurmError> {
    let config = ask("scontrol", ["show", "config"]).await?;
    let limit = config.lines().find_map(|line| line.trim().strip_prefix("MaxArraySize")?.split('=').nth(1));
    // It is the index behind the last one that may be used.
    let most = limit.and_then(|limit| limit.trim().parse::<u32>().ok()).map(|size| size.saturating_sub(1));
    Ok(most.unwrap_or(USUAL_ARRAY).max(1))
}

/// Runs a command of the scheduler.
pub(crate) async fn ask<'w>(
    command: &'static str,
    words: impl IntoIterator<Item = &'w str>,
) -> Result<String, SlurmError> {
    let mut asked = Command::new(command);
    asked.args(words);
    answer(command, asked).await
}

/// What a command says.
async fn answer(command: &'static str, mut asked: Command) -> Result<String, SlurmError> {
    asked.stdin(Stdio::null()).kill_on_drop(true);
    let output = match tokio::time::timeout(PATIENCE, asked.output()).await {
        Err(_) => return Err(SlurmError::Silent(command)),
        Ok(Err(error)) if error.kind() == io::ErrorKind::NotFound => {
            return Err(SlurmError::Missing(command));
        }
        Ok(Err(error)) => return Err(SlurmError::Refused { command, said: error.to_string() }),
        Ok(Ok(output)) => output,
    };
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    // `scontrol ping` reports a controller that is down on stdout, other commands report errors on stderr.
    let said = [&output.stderr, &output.stdout].map(|bytes| one_line(&String::from_utf8_lossy(bytes)));
    let said = said.into_iter().find(|said| !said.is_empty()).unwrap_or_else(|| output.status.to_string());
    Err(SlurmError::Refused { command, said })
}

/// A text of several lines as one.
pub(crate) fn one_line(text: &str) -> String {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ")
}

/// Numbers that rise, as the scheduler takes them: `1-4,7`.
fn ranges(numbers: &[u32]) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for number in numbers {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == *number => *last = *number,
            Some(_) | None => ranges.push((*number, *number)),
        }
    }
    let told = |(first, last): &(u32, u32)| {
        if first == last { first.to_string() } else { format!("{first}-{last}") }
    };
    ranges.iter().map(told).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_told_in_ranges() {
        assert_eq!(ranges(&[1, 2, 3, 4, 7, 9, 10]), "1-4,7,9-10");
        assert_eq!((ranges(&[5]), ranges(&[])), ("5".to_owned(), String::new()));
    }

    #[test]
    fn tasks_are_those_of_our_jobs_with_their_parts() {
        let job = |job: &str, offset| Job {
            job: job.to_owned(),
            offset,
            parts: Vec::new(),
            of: 40,
            submitted: String::new(),
        };
        let jobs = [job("7", 0), job("8", 19)];
        let queue = "7_3|RUNNING|n1|0:31\n8_2|PENDING|(JobArrayTaskLimit)|0:00\n9_1|RUNNING|n2|1:00\n";
        let told = |text: &str| {
            let tasks = tasks::read(text, &jobs).into_iter();
            tasks.map(|task| (task.part, task.is_active(), task.state)).collect::<Vec<_>>()
        };
        assert_eq!(told(queue), [(3, true, "RUNNING".to_owned()), (21, true, "PENDING".to_owned())]);
        let accounts = "7_1|CANCELLED by 0|n1|00:01:02\n7_1.batch|CANCELLED|n1|00:01:02\n7_[4-9]|PENDING|None|00:00:00\n";
        assert_eq!(told(accounts), [(1, false, "CANCELLED".to_owned())]);
    }
}
