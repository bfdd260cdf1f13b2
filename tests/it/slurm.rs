//! Runs on Slurm: a cluster whose controller and nodes are processes of this machine, and what goes wrong on one.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::bench::words;
use crate::faults::{Chance, check_answers, model, of_runs, signal, suite};
use crate::kit::{Run, folder, program, root, there};

/// Cases of the run, each a part.
const CASES: usize = 7;
/// Faults that happen to it.
const FAULTS: usize = 10;

/// What a cluster needs.
const NEEDS: &str = "which slurmctld slurmd sbatch munged && test \"$(id -u)\" = 0";

struct Cluster {
    folder: TempDir,
}

impl Cluster {
    fn up() -> Self {
        let cluster = Self { folder: tempfile::tempdir().unwrap() };
        cluster.is_told(&["up"]);
        cluster
    }

    fn is_told(&self, words: &[&str]) {
        let script = root().join("tests/slurm/cluster.sh");
        let done = Command::new(script).arg(self.folder.path()).args(words).status().unwrap();
        assert!(done.success(), "{words:?}");
    }

    /// A command of Slurm, or the program, as it is typed on a machine of the cluster.
    fn command(&self, mut command: Command) -> Command {
        command.env("SLURM_CONF", self.folder.path().join("slurm.conf"));
        command
    }

    fn slurm(&self, words: &[&str]) -> String {
        let output = self.command(Command::new(words[0])).args(&words[1..]).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Names of tasks in a state.
    fn tasks(&self, state: &str) -> Vec<String> {
        let said = self.slurm(&["squeue", "--noheader", "--array", "--states", state, "--format", "%i"]);
        said.lines().map(|line| line.trim().to_owned()).collect()
    }

    /// Kills a process of the cluster and starts it again.
    fn restart(&self, name: &str, words: &[&str]) {
        let pid = std::fs::read_to_string(self.folder.path().join(format!("{name}.pid"))).unwrap();
        signal(pid.trim(), "KILL");
        std::thread::sleep(Duration::from_millis(500));
        self.is_told(words);
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.is_told(&["down"]);
    }
}

/// The programs that work on parts of a run.
fn programs(run: &Path) -> Vec<String> {
    let found = Command::new("pgrep").args(["-f", &format!("{} .*--part", run.display())]).output().unwrap();
    let found = String::from_utf8_lossy(&found.stdout).into_owned();
    // The scripts of tasks name the same words, but for the shell before them.
    let is_program = |pid: &&str| {
        std::fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|exe| exe.ends_with("patchwright"))
    };
    found.lines().filter(is_program).map(str::to_owned).collect()
}

/// One fault; says what it was.
fn fault(cluster: &Cluster, chance: &mut Chance, run: &Path) -> String {
    let (programs, tasks) = (programs(run), cluster.tasks("RUNNING"));
    let kind = chance.below(7);
    match kind {
        0..=2 if programs.is_empty() => "nothing runs".to_owned(),
        3 if tasks.is_empty() => "nothing runs".to_owned(),
        0 | 1 => {
            let pid = &programs[chance.below(programs.len())];
            signal(pid, "KILL");
            format!("program {pid} killed")
        }
        2 => {
            let pid = &programs[chance.below(programs.len())];
            signal(pid, "STOP");
            std::thread::sleep(Duration::from_secs(2));
            signal(pid, "CONT");
            format!("program {pid} stopped for two seconds")
        }
        3 => {
            let task = &tasks[chance.below(tasks.len())];
            cluster.slurm(&["scontrol", "requeue", task]);
            format!("task {task} put into the queue again")
        }
        4 => {
            cluster.restart("slurmctld", &["controller"]);
            "the controller killed".to_owned()
        }
        5 => {
            cluster.slurm(&[
                "sbatch",
                "--partition=urgent",
                "--exclusive",
                "--output=/dev/null",
                "--wrap=true",
            ]);
            "a job of higher priority submitted, which preempts tasks".to_owned()
        }
        _ => {
            cluster.restart("slurmd-n1", &["node", "1"]);
            "the daemon of a node killed".to_owned()
        }
    }
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn a_run_on_slurm_survives_faults_and_asks_no_question_twice() {
    if !there("a_run_on_slurm_survives_faults", NEEDS) {
        return;
    }
    let (cluster, suite, out, model) = (Cluster::up(), suite(CASES), folder(&[]), model());
    let run = out.path().join("run");
    let mut chance = Chance::new();
    let more =
        [&["--on", "slurm", "--at-once", "3", "--tests", "1", "--variants", "0"], &*of_runs(&model)].concat();
    let submit = || -> Run {
        let mut submit = cluster.command(program());
        submit.args(words(suite.path(), &run, &more)).output().unwrap().into()
    };
    let doctor: Run = cluster.command(program()).args(["doctor", "slurm", "--json"]).output().unwrap().into();
    let found = doctor.json()["findings"].clone();
    let works = |name: &str| {
        let mut findings = found.as_array().unwrap().iter();
        findings.any(|finding| finding["name"] == *name && finding["works"] == true)
    };
    for name in ["commands", "controller", "partitions", "submission", "arrays"] {
        assert!(works(name), "{name}: {found}");
    }
    assert!(doctor.code == 0 && !works("accounting"), "the cluster keeps no accounts: {doctor:?}");

    let first = submit();
    assert_eq!(
        (first.code, first.json()["jobs"].as_array().map(Vec::len)),
        (0, Some(2)),
        "arrays of five: {first:?}"
    );
    let again = submit();
    assert!(again.code == 0 && again.stderr.contains("every part is done, or in the queue"), "{again:?}");

    let mut faults = 0;
    let started = Instant::now();
    let status = || -> Run {
        cluster
            .command(program())
            .args(["bench", "status", run.to_str().unwrap(), "--json"])
            .output()
            .unwrap()
            .into()
    };
    loop {
        assert!(started.elapsed() < Duration::from_mins(20), "{:?}", status());
        if faults < FAULTS {
            std::thread::sleep(Duration::from_millis(1_500));
            let what = fault(&cluster, &mut chance, &run);
            faults += usize::from(what != "nothing runs");
            println!("{what}");
        } else {
            std::thread::sleep(Duration::from_secs(1));
        }
        // As its administrator would: a controller that was killed takes nodes out of use on which it finds jobs that it does not know.
        cluster.slurm(&["scontrol", "update", "nodename=n[1-2]", "state=resume"]);
        let status = status();
        // The controller may just be starting.
        if status.code != 0 || status.stderr.contains("cannot be asked") {
            continue;
        }
        let status = status.json();
        let is_active = |task: &Value| {
            let is_held = task["node_or_reason"].as_str().unwrap().contains("held");
            ["RUNNING", "PENDING", "COMPLETING"].iter().any(|state| task["state"] == *state) && !is_held
        };
        let active = status["tasks"].as_array().is_some_and(|tasks| tasks.iter().any(is_active));
        if status["progress"]["done"] == json!(CASES) && !active {
            break;
        }
        if !active {
            println!("submitted again: {}", submit().stderr);
        }
    }
    let merged = out.path().join("merged");
    let merge: Run = program()
        .args(["bench", "merge", run.to_str().unwrap(), "--out", merged.to_str().unwrap()])
        .output()
        .unwrap()
        .into();
    assert_eq!(merge.code, 0, "{merge:?}");
    let report = crate::kit::run(&["bench", "report", merged.to_str().unwrap(), "--json"]).json();
    assert_eq!(
        (&report["total"]["plausible"], &report["total"]["cases"]),
        (&json!(CASES), &json!(CASES)),
        "{report}"
    );
    check_answers(&merged, CASES);
}
