//! The script that the scheduler runs for each task of an array.

use std::path::{Path, PathBuf};
use std::time::Duration;

/// How often a task that was ended by its time limit is put into the queue again.
const REQUEUES: u32 = 50;
/// Seconds before the time limit at which a task is told to close what it does.
const BEFORE_END: u32 = 180;

/// What is handed to the scheduler.
#[derive(Clone, Debug)]
pub struct Submission {
    /// The name of the run.
    pub name: String,
    /// The words of the command that a task runs, without its part.
    pub words: Vec<String>,
    /// The folder of the run, absolute.
    pub run: PathBuf,
    /// The folder in which the command is run, absolute.
    pub folder: PathBuf,
    /// How many parts the run has.
    pub of: u32,
    /// Tasks at once at most.
    pub at_once: Option<u32>,
    /// Processors of a task.
    pub processors: usize,
    /// The time that a task may take.
    pub time: Option<Duration>,
    /// Variables of the environment that are not handed on: schedulers keep what they are handed.
    pub secrets: Vec<String>,
    /// The user's own words for `sbatch`, which come after those of the script.
    pub sbatch: Vec<String>,
}

impl Submission {
    /// The script of the tasks whose part is their index and `offset`.
    pub(crate) fn script(&self, offset: u32, logs: &Path) -> String {
        let words: Vec<String> = self.words.iter().map(|word| quoted(word)).collect();
        let mut head = vec![
            format!("--job-name={}", quoted(&self.name)),
            format!("--output={}/%A_%a.log", logs.to_string_lossy().replace('%', "%%")),
            "--open-mode=append".to_owned(),
            "--requeue".to_owned(),
            format!("--signal=B:USR1@{BEFORE_END}"),
            format!("--cpus-per-task={}", self.processors),
        ];
        head.extend(self.time.map(|time| format!("--time={}", time.as_secs().div_ceil(60))));
        let head = head.join("\n#SBATCH ");
        format!(
            "#!/bin/bash\n#SBATCH {head}\n\
             # One part of a run. It goes on where an earlier task of the same part has ended, whatever ended it.\n\
             cd {folder} || exit 3\n\
             part=$((SLURM_ARRAY_TASK_ID + {offset})) park= again=\n\
             # A requeued task skips cases that made no progress in earlier ones.\n\
             [ \"${{SLURM_RESTART_COUNT:-0}}\" -gt 0 ] && park=--park\n\
             {words} --part \"$part/{of}\" --go-on $park &\n\
             program=$!\n\
             # Before the time limit: what runs is closed, and the part is put into the queue again.\n\
             trap 'again=yes; kill -TERM \"$program\"' USR1\n\
             trap 'kill -TERM \"$program\"' TERM INT\n\
             # A trapped signal ends a wait, and not the program.\n\
             until wait \"$program\"; code=$?; ! kill -0 \"$program\" 2>/dev/null; do :; done\n\
             if [ -n \"$again\" ] && [ \"${{SLURM_RESTART_COUNT:-0}}\" -lt {REQUEUES} ]; then\n    \
             scontrol requeue \"${{SLURM_ARRAY_JOB_ID}}_$SLURM_ARRAY_TASK_ID\"\n\
             fi\n\
             exit \"$code\"\n",
            folder = quoted(&self.folder.to_string_lossy()),
            words = words.join(" "),
            of = self.of,
        )
    }
}

/// A word as a shell takes it whole. One that holds a zero byte cannot be typed.
pub(crate) fn quoted(word: &str) -> String {
    shlex::try_quote(word).map_or_else(|_| String::new(), std::borrow::Cow::into_owned)
}
