//! `patchwright bench run --on slurm` and `patchwright bench cancel`: a run whose parts are tasks of Slurm.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use patchwright_cluster::{SlurmError, Submission, Task};
use patchwright_command_line::bench::RunArgs;
use patchwright_llm::KEY_FILE_VARIABLE;
use patchwright_protocol::{Failure, counted};
use patchwright_runs::{Redo, RunError, RunOptions, RunRecord, part_folders};

use crate::bench::batch::{Asked, Kind};
use crate::bench::divided::Divided;
use crate::bench::resolved::ResolvedSettings;
use crate::bench::words::without;
use crate::failure::ExitCode;
use crate::model::Choice;

/// Options that tasks do not get: they concern the submission, or the script adds them. With the number of values of each.
const OF_SUBMITTER: [(&str, usize); 6] =
    [("--on", 1), ("--parts", 1), ("--at-once", 1), ("--sbatch", 1), ("--json", 0), ("--park", 0)];
/// What a session may take beside its own time limit: to prepare its case and to clean up.
const AROUND: Duration = Duration::from_mins(10);

/// Submits the parts that are neither done nor in the queue.
pub async fn submit(args: &RunArgs) -> Result<ExitCode, Failure> {
    let Some(out) = &args.options.output.out else { return Err(Failure::defect("there is no --out")) };
    let out = std::path::absolute(out).map_err(Failure::user)?;
    let Asked { resolved, cases, .. } = Asked::of(args, Kind::Sessions)?;
    let Divided { count, of, options } = Divided::of(args, &resolved, cases.len(), args.cluster.parts)?;
    if patchwright_runs::is_run(&out) {
        return Err(Failure::user(RunError::Exists(out)));
    }
    check_key(&resolved).await?;
    let tasks = patchwright_cluster::tasks(&out).await.map_err(failed)?;
    let held: Vec<&Task> = tasks.iter().filter(|task| task.is_held()).collect();
    for task in &held {
        patchwright_cluster::release(task).await.map_err(failed)?;
        crate::say(&format!(
            "task {} was held because its node failed as it began; it waits for its turn again",
            task.task
        ));
    }
    let waiting = missing(&out, of, &tasks)?;
    if waiting.is_empty() && held.is_empty() {
        crate::say("nothing to submit: every part is done, or in the queue");
        return Ok(ExitCode::Done);
    }
    if waiting.is_empty() {
        return Ok(ExitCode::Done);
    }
    let sbatch = args.cluster.sbatch.as_deref().unwrap_or_default();
    let sbatch = shlex::split(sbatch).ok_or_else(|| {
        Failure::user(format!("--sbatch {sbatch}: a quotation mark is not closed"))
            .hint("write the words as in a shell")
    })?;
    let submission = Submission {
        name: out.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        words: words()?,
        folder: std::env::current_dir().map_err(Failure::user)?,
        of,
        at_once: args.cluster.at_once.map(std::num::NonZero::get),
        processors: options.concurrency.tests,
        time: time(&options, count.div_ceil(of)),
        secrets: secrets(),
        sbatch,
        run: out,
    };
    let jobs = patchwright_cluster::submit(&submission, &waiting).await.map_err(failed)?;
    for job in &jobs {
        crate::say(&format!("submitted as job {}: {} of {of}", job.job, counted(job.parts.len(), "part")));
    }
    let run = submission.run.display();
    crate::say(&format!(
        "`patchwright bench status {run}` tells how far it is, `patchwright bench cancel {run}` ends it"
    ));
    if args.carrying.json {
        crate::print(&format!("{}\n", serde_json::json!({ "run": submission.run, "jobs": jobs })))?;
    }
    Ok(ExitCode::Done)
}

/// Cancels what waits or runs.
pub async fn cancel(run: &Path) -> Result<ExitCode, Failure> {
    let run = std::path::absolute(run).map_err(Failure::user)?;
    let jobs = patchwright_cluster::cancel(&run).await.map_err(failed)?;
    let told: Vec<&str> = jobs.iter().map(|job| job.job.as_str()).collect();
    crate::say(&match told.as_slice() {
        [] => format!("no task of {} waits or runs", run.display()),
        [job] => format!("job {job} is cancelled; what it has done stays, and can be resumed"),
        jobs => {
            format!("jobs {} are cancelled; what they have done stays, and can be resumed", jobs.join(", "))
        }
    });
    Ok(ExitCode::Done)
}

/// The failure of a scheduler.
pub fn failed(error: SlurmError) -> Failure {
    match error {
        SlurmError::Refused { command: "sbatch", said } => Failure::user(format!("sbatch failed: {said}"))
            .hint("change --sbatch, or ask who runs the cluster"),
        error @ SlurmError::NothingSubmitted(_) => Failure::user(error),
        error => Failure::environment(error),
    }
}

/// The parts that have something to do and are not in the queue.
fn missing(out: &Path, of: u32, tasks: &[Task]) -> Result<Vec<u32>, Failure> {
    let folders = part_folders(out);
    if let Some((part, folder)) = folders.iter().find(|(part, _)| part.of() != of) {
        return Err(Failure::user(format!(
            "{} holds a run in {} parts ({}), and this one has {of}",
            out.display(),
            part.of(),
            folder.display()
        ))
        .hint(format!("give --parts {}, or another folder with --out", part.of())));
    }
    let is_done = |number: u32| -> Result<bool, Failure> {
        let Some((_, folder)) = folders.iter().find(|(part, _)| part.number() == number) else {
            return Ok(false);
        };
        match RunRecord::read(folder) {
            Ok(run) => Ok(!run.file.cases.iter().any(|case| run.ledger.is_due(case, &Redo::default()))),
            // It was only being made.
            Err(RunError::NoRun(_)) => Ok(false),
            Err(error) => Err(Failure::user(error)),
        }
    };
    let is_queued =
        |number: u32| tasks.iter().any(|task| task.part == number && (task.is_active() || task.is_held()));
    let mut missing = Vec::new();
    for number in (1..=of).filter(|number| !is_queued(*number)) {
        if !is_done(number)? {
            missing.push(number);
        }
    }
    Ok(missing)
}

/// Whether the model's provider knows the key, which nodes have to find where this machine does: environments stay where they are, for
/// the scheduler keeps what it is handed.
async fn check_key(resolved: &ResolvedSettings) -> Result<(), Failure> {
    let choice = Choice::read(resolved.options.approach.model.as_deref())?;
    choice.check(&resolved.options).await?;
    let Some(variable) = choice.key_in_environment(&resolved.options)? else { return Ok(()) };
    Err(Failure::user(format!("the key is only in this machine's environment ({variable}), and nodes would not have it"))
        .hint("write it into a file that only you can read, and name that with --key-file or PATCHWRIGHT_KEY_FILE in your settings"))
}

/// The variables that nodes are not handed: those that look like secrets, but for the name of the key file.
fn secrets() -> Vec<String> {
    let text =
        |(name, value): (OsString, OsString)| Some((name.into_string().ok()?, value.into_string().ok()?));
    let found = patchwright_sandbox::secrets_among(std::env::vars_os().filter_map(text));
    found.names().filter(|name| *name != KEY_FILE_VARIABLE).map(str::to_owned).collect()
}

/// The words of this command as a node is to run it.
fn words() -> Result<Vec<String>, Failure> {
    let program = std::env::current_exe().map_err(Failure::environment)?;
    let mut words = vec![program.to_string_lossy().into_owned()];
    words.extend(without(&OF_SUBMITTER)?);
    Ok(words)
}

/// The time that a part of so many cases may take, where sessions have a limit.
fn time(options: &RunOptions, cases: u32) -> Option<Duration> {
    let session = Duration::try_from_secs_f64(options.session.seconds?).ok()?;
    let rounds = cases.div_ceil(u32::try_from(options.concurrency.workers.max(1)).unwrap_or(1));
    Some((session + AROUND) * rounds)
}
