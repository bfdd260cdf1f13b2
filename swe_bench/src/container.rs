//! One prediction in the container of its case: the official order of steps, and their logs in the official layout.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use patchwright_detection::adapters::shell_word;
use patchwright_folder::atomic::replace;
use patchwright_sandbox::{
    Captured, Command, CommandLimits, CommandOutcome, Exit, Sandbox, SandboxError, choose, scratch_folder,
};
use patchwright_suites::container::{close, native, passes};

use super::log::PATCH_FAILED;
use super::rules::Rules;

/// Memory of all that runs in a container. The official program knows no limit; some test suites need a lot.
const MEMORY: u64 = 16 << 30;
const PROCESSES: u32 = 512;
/// Bytes of a log that are kept, half from its head and half from its tail. Official logs have a few megabytes at most.
const LOG_BYTES: usize = 256 << 20;
/// Time for applying a patch, which takes seconds.
const APPLYING: Duration = Duration::from_mins(5);
/// Exit codes of the script where the patch cannot be applied, and where there is no repository or no git.
const NOT_APPLIED: i32 = 1;
const NO_REPOSITORY: i32 = 3;

/// The inputs of an evaluation.
#[derive(Clone, Copy, Debug)]
pub(super) struct EvaluationInputs<'a> {
    /// The image.
    pub image: &'a str,
    /// The session's name, with which the container is labelled.
    pub session: &'a str,
    /// The patch as it is applied.
    pub patch: &'a str,
    /// The script that tests.
    pub script: &'a str,
    /// The rules, which say how the patch is applied.
    pub rules: Rules,
    /// The time that the tests may take.
    pub time: Duration,
    /// Is true if the network may be reached.
    pub network: bool,
    /// The folder for the logs; exists.
    pub logs: &'a Path,
}

/// A script that runs in a container of its own.
#[derive(Clone, Copy, Debug)]
pub struct ContainerScript<'a> {
    /// The image.
    pub image: &'a str,
    /// The session's name, with which the container is labelled.
    pub session: &'a str,
    /// Files that are put into the container before: absolute path and content.
    pub files: &'a [(&'a str, &'a str)],
    /// The script, for bash.
    pub script: &'a str,
    /// The time that it may take.
    pub time: Duration,
    /// Is true if the network may be reached.
    pub network: bool,
}

/// What a script in a container printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScriptOutput {
    /// Both streams as one.
    pub output: Vec<u8>,
    /// Is true if it was ended because it took too long.
    pub timed_out: bool,
    /// Limits of ours that it came up against, each in a sentence.
    pub notes: Vec<String>,
}

impl ContainerScript<'_> {
    /// Runs the script.
    ///
    /// # Errors
    /// The engine did not do what it was asked, which says nothing about what the script tests.
    pub async fn run(&self) -> Result<ScriptOutput, TrialError> {
        let sandbox = choose(&native(self.image, self.session)).await?.sandbox;
        let lane = scratch_folder()?;
        fs::set_permissions(lane.path(), fs::Permissions::from_mode(0o700))?;
        let ended = self.steps(sandbox.as_ref(), lane.path()).await;
        close(sandbox.as_ref()).await;
        ended
    }

    async fn steps(&self, sandbox: &dyn Sandbox, lane: &Path) -> Result<ScriptOutput, TrialError> {
        let mut copies = String::new();
        let own = [("/eval.sh", self.script)];
        for (index, (path, content)) in self.files.iter().chain(&own).enumerate() {
            let name = format!("file-{index}");
            replace(&lane.join(&name), content)?;
            copies.push_str(&format!("cp {name} {} || exit 4\n", shell_word(path)));
        }
        let line = format!("{copies}exec /bin/bash /eval.sh 2>&1");
        let tested = sandbox.run(lane, &command(&line, self.time, self.network)).await?;
        Ok(ScriptOutput {
            notes: Hits::of(&tested).notes().collect(),
            timed_out: tested.exit == Exit::TimedOut,
            output: both(tested),
        })
    }
}

/// The reason why there is no log of tests.
#[derive(Debug, thiserror::Error)]
pub enum TrialError {
    /// The engine did not do what it was asked.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// A log cannot be written.
    #[error("the logs cannot be written: {0}")]
    Disk(#[from] io::Error),
    /// The image holds no repository.
    #[error("the image `{0}` has no repository at /testbed, or no git; is it an image of SWE-bench?")]
    NoRepository(String),
}

impl TrialError {
    /// Is true if it may work later.
    pub fn passes(&self) -> bool {
        match self {
            Self::Sandbox(error) => passes(error),
            Self::Disk(_) => true,
            Self::NoRepository(_) => false,
        }
    }
}

/// Limits of ours that the tests came up against: the official program has none of them, so the verdict may be another one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Hits {
    memory: bool,
    processes: bool,
    output: bool,
}

impl Hits {
    fn of(ran: &CommandOutcome) -> Self {
        Self { memory: ran.out_of_memory, processes: ran.too_many_processes, output: ran.stdout.omitted > 0 }
    }

    /// Each in a sentence for people.
    pub(super) fn notes(self) -> impl Iterator<Item = String> {
        let gib = MEMORY >> 30;
        let notes = [
            (self.memory, format!("the tests used more than {gib} GiB of memory, and were cut off")),
            (self.processes, format!("the tests wanted more than {PROCESSES} processes")),
            (self.output, format!("the tests wrote more than {} MiB; the middle is lost", LOG_BYTES >> 20)),
        ];
        notes.into_iter().filter_map(|(hit, note)| hit.then_some(note))
    }
}

impl EvaluationInputs<'_> {
    /// Applies the patch and runs the script. Leaves `run_instance.log` and, where the patch could be applied,
    /// `test_output.txt`: what the official program leaves, which is graded like logs of its own.
    ///
    /// # Errors
    /// A failure that says nothing about the patch. `run_instance.log` then holds it too.
    pub(super) async fn run(&self) -> Result<Hits, TrialError> {
        let ended = self.in_container().await;
        if let Err(error) = &ended {
            replace(&self.logs.join("run_instance.log"), format!("{error}\n"))?;
        }
        ended
    }

    async fn in_container(&self) -> Result<Hits, TrialError> {
        let sandbox = choose(&native(self.image, self.session)).await?.sandbox;
        let lane = scratch_folder()?;
        // Nobody else of this machine looks at the hidden tests, or at what root leaves there.
        fs::set_permissions(lane.path(), fs::Permissions::from_mode(0o700))?;
        let ended = self.steps(sandbox.as_ref(), lane.path()).await;
        close(sandbox.as_ref()).await;
        ended
    }

    async fn steps(&self, sandbox: &dyn Sandbox, lane: &Path) -> Result<Hits, TrialError> {
        replace(&lane.join("patch.diff"), self.patch)?;
        replace(&lane.join("eval.sh"), self.script)?;
        let line = format!("{}{}", FILES, apply_script(self.rules));
        let applying = command(&line, APPLYING, self.network);
        let applied = sandbox.run(lane, &applying).await?;
        let said = format!("{}{}", applied.stdout.text(), applied.stderr.text());
        let log = |text: String| replace(&self.logs.join("run_instance.log"), text);
        match applied.exit {
            Exit::Code(0) => log(format!(">>>>> Applied Patch:\n{said}"))?,
            Exit::Code(NO_REPOSITORY) => return Err(TrialError::NoRepository(self.image.to_owned())),
            Exit::Code(NOT_APPLIED) => {
                log(format!("{PATCH_FAILED}:\n{said}"))?;
                return Ok(Hits::default());
            }
            Exit::Code(_) | Exit::Signal(_) | Exit::TimedOut => {
                let doing = "applying the patch".to_owned();
                return Err(
                    SandboxError::Engine { doing, reason: format!("it broke off: {}", said.trim()) }.into()
                );
            }
        }
        // Both streams as one: the parsers depend on the order of lines.
        let line = "exec /bin/bash /eval.sh 2>&1";
        let tested = sandbox.run(lane, &command(line, self.time, self.network)).await?;
        let hits = Hits::of(&tested);
        let timed_out = tested.exit == Exit::TimedOut;
        let mut output = both(tested);
        if timed_out {
            output.extend(format!("\n\nTimeout error: {} seconds exceeded.", self.time.as_secs()).bytes());
        }
        replace(&self.logs.join("test_output.txt"), output)?;
        Ok(hits)
    }
}

fn command(line: &str, time: Duration, network: bool) -> Command {
    let limits = CommandLimits {
        time,
        memory_bytes: MEMORY,
        processes: PROCESSES,
        output_bytes: LOG_BYTES,
        ..CommandLimits::default()
    };
    Command { limits, network, ..Command::new(line) }
}

/// What a command printed: standard output, which has both streams as one where the command says so.
fn both(ran: CommandOutcome) -> Vec<u8> {
    let mut output = bytes(ran.stdout);
    output.extend(bytes(ran.stderr));
    output
}

fn bytes(captured: Captured) -> Vec<u8> {
    if captured.omitted > 0 { captured.text().into_bytes() } else { captured.head }
}

/// Puts patch and script where the official program does.
const FILES: &str = "cp patch.diff /tmp/patch.diff && cp eval.sh /eval.sh || exit 4\n";

/// Applies `/tmp/patch.diff` as a generation of the official program does; ends with 0 where that worked. Before the tests it tells
/// what has changed.
fn apply_script(rules: Rules) -> String {
    let git = |option: &str| format!("git apply --verbose{option} /tmp/patch.diff");
    let patch = |option: &str| format!("patch --batch{option} --fuzz=5 -p1 -i /tmp/patch.diff");
    let (attempts, between, last) = match rules {
        Rules::V1 => (vec![git("")], "", "return 1"),
        Rules::V4 => (vec![git(""), git(" --reject"), patch("")], "", "return 1"),
        Rules::V5 => (
            vec![git(""), git(" --3way"), git(" --reject"), patch(" --forward")],
            "    { git checkout -- . ; git clean -fd ; } 2>&1\n",
            "git apply --check --reverse /tmp/patch.diff 2>&1",
        ),
    };
    let attempts = attempts.iter().map(|attempt| format!("    {attempt} 2>&1 && return 0\n{between}"));
    let attempts: String = attempts.collect();
    // Whoever the files belong to: the scripts that test say so themselves, but only later.
    format!(
        r#"cd /testbed && command -v git >/dev/null || exit {NO_REPOSITORY}
git -c safe.directory=/testbed rev-parse HEAD >/dev/null 2>&1 || exit {NO_REPOSITORY}
git() {{ command git -c safe.directory=/testbed "$@"; }}
attempt() {{
{attempts}    {last}
}}
attempt || exit {NOT_APPLIED}
echo 'Git diff before:'; git -c core.fileMode=false diff 2>&1; exit 0"#
    )
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::process::Command as Program;

    /// A repository with one file, in which the script is run without a container.
    fn tried(rules: Rules, patch: &str) -> (i32, String, String) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_str().unwrap();
        let sh = |line: &str| {
            let output = Program::new("sh").args(["-c", line]).current_dir(folder.path()).output().unwrap();
            (output.status.code().unwrap(), String::from_utf8_lossy(&output.stdout).into_owned())
        };
        fs::write(folder.path().join("a.py"), "1\n2\n3\n4\n5\n6\n").unwrap();
        sh("git init -q . && git add . && git -c user.name=a -c user.email=a@b commit -qm a");
        let out = tempfile::tempdir().unwrap();
        let file = out.path().join("patch.diff");
        fs::write(&file, patch).unwrap();
        let script = apply_script(rules).replace("/tmp/patch.diff", file.to_str().unwrap());
        let (status, said) = sh(&script.replace("/testbed", path));
        (status, said, fs::read_to_string(folder.path().join("a.py")).unwrap())
    }

    #[test]
    fn a_patch_is_applied_as_the_rules_say() {
        let exact = "--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,3 @@\n-1\n+one\n 2\n 3\n";
        // The line before is another one: only `patch --fuzz` takes it.
        let fuzzy = "--- a/a.py\n+++ b/a.py\n@@ -1,5 +1,5 @@\n zero\n 2\n-3\n+three\n 4\n 5\n";
        let wrong = "--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,3 @@\n-x\n+one\n y\n z\n";
        for (rules, patch, expect) in [
            (Rules::V1, exact, 0),
            (Rules::V4, exact, 0),
            (Rules::V5, exact, 0),
            (Rules::V1, fuzzy, 1),
            (Rules::V4, fuzzy, 0),
            (Rules::V5, fuzzy, 0),
            (Rules::V1, wrong, 1),
            (Rules::V4, wrong, 1),
            (Rules::V5, wrong, 1),
        ] {
            let (status, said, text) = tried(rules, patch);
            assert_eq!(status, expect, "{rules} {patch}: {said}");
            assert_eq!(
                text.contains("one") || text.contains("three"),
                expect == 0,
                "{rules} {patch}: {text}"
            );
            assert_eq!(said.contains("Git diff before:\ndiff --git"), expect == 0, "{said}");
        }
    }

    #[test]
    fn what_a_rejected_attempt_leaves_stays_in_v4_and_goes_in_v5() {
        // The first hunk fits, the second fits nowhere; `--reject` writes the first, and then `patch` finds it done.
        let half = "--- a/a.py\n+++ b/a.py\n@@ -1,1 +1,1 @@\n-1\n+one\n@@ -4,3 +4,3 @@\n x\n-y\n+why\n z\n";
        let (status, _, text) = tried(Rules::V4, half);
        assert_eq!((status, text.contains("one")), (1, true), "{text}");
        let (status, _, text) = tried(Rules::V5, half);
        assert_eq!((status, text.as_str()), (1, "1\n2\n3\n4\n5\n6\n"));
    }

    #[test]
    fn what_is_there_already_counts_as_applied_since_v5() {
        let done = "--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,3 @@\n-one\n+1\n 2\n 3\n";
        assert_eq!(tried(Rules::V5, done).0, 0);
        assert_eq!(tried(Rules::V1, done).0, 1);
    }

    #[test]
    fn an_image_without_a_repository_is_told_apart() {
        let script = apply_script(Rules::V5).replace("/testbed", "/nowhere at all");
        let status = Program::new("sh").args(["-c", &script]).status().unwrap();
        assert_eq!(status.code(), Some(NO_REPOSITORY));
    }
}
