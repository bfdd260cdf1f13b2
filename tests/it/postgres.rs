//! Runs in a ledger of PostgreSQL: a server and workers that are processes of this machine, and what goes wrong with them.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use patchwright_cluster::postgres::{
    Claim, End, LedgerError, LedgerRun, Mirror, Needs, Offer, PostgresLedger, Spending, Worker,
};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::bench::words;
use crate::faults::{Chance, check_answers, model, of_runs, signal, suite};
use crate::kit::{Run, folder, program, root, there};

/// Cases of the run, each a part, where `PATCHWRIGHT_FAULT_CASES` names no other number.
const CASES: usize = 8;
/// Faults that happen to it, where `PATCHWRIGHT_FAULTS` names no other number.
const FAULTS: usize = 10;
/// Workers that are kept alive.
const WORKERS: usize = 3;
/// After how long a worker without a sign of life counts as dead.
const LEASE: Duration = Duration::from_secs(4);

/// What a server needs. It does not run as root, but as the user that its package makes.
const NEEDS: &str =
    "ls /usr/lib/postgresql/*/bin/pg_ctl && { test \"$(id -u)\" != 0 || id postgres && which setpriv; }";

/// A server with a database.
struct Server {
    folder: TempDir,
    url: String,
}

impl Server {
    fn up() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let script = root().join("tests/postgres/server.sh");
        let up = Command::new(script).arg(folder.path()).arg("up").output().unwrap();
        assert!(up.status.success(), "{up:?}");
        let url = String::from_utf8(up.stdout).unwrap().trim().to_owned();
        Self { folder, url }
    }

    fn is_told(&self, word: &str) {
        let script = root().join("tests/postgres/server.sh");
        let done = Command::new(script).arg(self.folder.path()).arg(word).output().unwrap();
        assert!(done.status.success(), "{word}: {done:?}");
    }

    /// The value that a query gives.
    fn value(&self, query: &str) -> String {
        let mut psql = Command::new("psql");
        psql.args([&self.url, "--tuples-only", "--no-align", "--command", query]).env("PGPASSWORD", "secret");
        String::from_utf8(psql.output().unwrap().stdout).unwrap().trim().to_owned()
    }

    /// Waits until there is a run in the ledger.
    fn waits_for_run(&self) {
        let started = Instant::now();
        while self.value("SELECT count(*) FROM patchwright.runs") != "1" {
            assert!(started.elapsed() < Duration::from_mins(2), "the run is not put into the ledger");
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    fn worker(&self, words: &[&str]) -> Process {
        let mut command = with_password(&["worker", &self.url]);
        Process(command.args(words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    }
}

/// The program, with the password of the server.
fn with_password(words: &[&str]) -> Command {
    let mut command = program();
    command.args(words).env("PGPASSWORD", "secret");
    command
}

fn run(words: &[&str]) -> Run {
    with_password(words).output().unwrap().into()
}

impl Drop for Server {
    fn drop(&mut self) {
        self.is_told("down");
    }
}

/// A process that ends with its owner.
struct Process(Child);

impl Process {
    fn signal(&self, name: &str) {
        signal(&self.0.id().to_string(), name);
    }

    fn has_ended(&mut self) -> bool {
        self.0.try_wait().unwrap().is_some()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A number from the environment.
fn number(variable: &str, otherwise: usize) -> usize {
    std::env::var(variable).ok().and_then(|number| number.parse().ok()).unwrap_or(otherwise)
}

/// A file system on which next to nothing has room; root may make one.
struct FullDisk(TempDir);

impl FullDisk {
    fn new() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"]).arg(folder.path());
        mount.stderr(Stdio::null()).status().is_ok_and(|done| done.success()).then_some(Self(folder))
    }
}

impl Drop for FullDisk {
    fn drop(&mut self) {
        Command::new("umount").args(["--lazy"]).arg(self.0.path()).status().unwrap();
    }
}

/// One fault; says what it was.
fn fault(
    server: &Server,
    workers: &mut Vec<Process>,
    coordinator: &Process,
    disk: Option<&FullDisk>,
    chance: &mut Chance,
) -> String {
    let worker = chance.below(workers.len());
    let worker = &workers[worker];
    match chance.below(10) {
        0 | 1 => {
            worker.signal("KILL");
            "a worker killed".to_owned()
        }
        2 => {
            worker.signal("TERM");
            "a worker told to end".to_owned()
        }
        3 => {
            worker.signal("STOP");
            std::thread::sleep(LEASE + Duration::from_secs(2));
            worker.signal("CONT");
            "a worker stopped for longer than its lease".to_owned()
        }
        4 => {
            server.is_told("kill");
            server.is_told("start");
            "the server killed".to_owned()
        }
        5 => {
            server.is_told("stop");
            std::thread::sleep(LEASE + Duration::from_secs(2));
            server.is_told("start");
            "the server away for longer than a lease".to_owned()
        }
        6 => {
            server.is_told("backup");
            std::thread::sleep(Duration::from_secs(2));
            server.is_told("restore");
            "the server set back to a backup".to_owned()
        }
        7 => {
            coordinator.signal("KILL");
            "the coordinator killed".to_owned()
        }
        8 => {
            // A worker in the place of another, whose clock goes wrong where the tool for it is there.
            worker.signal("KILL");
            let mut late = Command::new("faketime");
            late.args(["-1h", env!("CARGO_BIN_EXE_patchwright"), "worker", &server.url]);
            late.env("PGPASSWORD", "secret").stdout(Stdio::null()).stderr(Stdio::null());
            let Ok(late) = late.spawn() else { return "a worker killed".to_owned() };
            workers.push(Process(late));
            "a worker killed, and one begun whose clock is an hour late".to_owned()
        }
        _ => {
            let Some(disk) = disk else { return "no disk is full without root".to_owned() };
            let mut full = with_password(&["worker", &server.url]);
            full.env("PATCHWRIGHT_LANES", disk.0.path()).stdout(Stdio::null()).stderr(Stdio::null());
            workers.push(Process(full.spawn().unwrap()));
            "a worker begun whose disk is full".to_owned()
        }
    }
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn a_run_in_a_ledger_survives_faults_and_asks_no_question_twice() {
    if !there("a_run_in_a_ledger_survives_faults", NEEDS) {
        return;
    }
    let (cases, most) = (number("PATCHWRIGHT_FAULT_CASES", CASES), number("PATCHWRIGHT_FAULTS", FAULTS));
    let (server, suite, out, model) = (Server::up(), suite(cases), folder(&[]), model());
    let disk = FullDisk::new();
    let lease = format!("{}s", LEASE.as_secs());
    let mut chance = Chance::new();
    let artifacts = out.path().join("artifacts");
    let mut more = vec!["--on", &server.url, "--lease", &lease, "--tests", "1", "--variants", "0"];
    let elsewhere = chance.below(2) == 0;
    if elsewhere {
        println!("files of finished parts are kept in a folder");
        more.extend(["--artifacts", artifacts.to_str().unwrap()]);
    }
    let of_run = |out: &Path| words(suite.path(), out, &[&more[..], &*of_runs(&model)].concat());
    let words = of_run(&out.path().join("run"));
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let coordinator =
        || Process(with_password(&words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    let doctor = run(&["doctor", &server.url, "--json"]);
    assert_eq!(doctor.code, 0, "{doctor:?}");
    let none = run(&["worker", &server.url]);
    assert!(none.code == 2 && none.stderr.contains("there is no ledger"), "{none:?}");

    let mut coordinators = [coordinator(), coordinator()];
    let started = Instant::now();
    server.waits_for_run();
    let mut workers: Vec<Process> = Vec::new();
    let mut faults = 0;
    while server.value("SELECT count(*) FROM patchwright.parts WHERE state <> 'done'") != "0" {
        assert!(started.elapsed() < Duration::from_hours(1), "{:?}", run(&["bench", "status", &server.url]));
        workers.retain_mut(|worker| !worker.has_ended());
        while workers.len() < WORKERS {
            workers.push(server.worker(&[]));
        }
        if coordinators[0].has_ended() {
            coordinators[0] = coordinator();
        }
        std::thread::sleep(Duration::from_millis(700));
        if faults < most {
            faults += 1;
            println!("{}", fault(&server, &mut workers, &coordinators[0], disk.as_ref(), &mut chance));
        }
    }
    println!("{cases} sessions and {faults} faults in {} s", started.elapsed().as_secs());
    for worker in &mut workers {
        worker.signal("TERM");
        worker.0.wait().unwrap();
    }
    let done = run(&words);
    assert_eq!((done.code, &done.json()["statuses"]["plausible"]), (0, &json!(cases)), "{done:?}");
    let results = server.value("SELECT count(*) || ' ' || count(DISTINCT \"case\") FROM patchwright.results");
    assert_eq!(results, format!("{cases} {cases}"));
    assert_eq!(
        server.value("SELECT cases || ' ' || plausible FROM patchwright.summary"),
        format!("{cases} {cases}")
    );
    if elsewhere {
        assert_eq!(server.value("SELECT count(*) FROM patchwright.files"), "0");
    }
    // On another machine, which has fetched nothing before the ledger was set back.
    let elsewhere = out.path().join("elsewhere/run");
    let words = of_run(&elsewhere);
    let again = run(&words.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(again.code, 0, "{again:?}");
    let merged = out.path().join("merged");
    let merge = run(&["bench", "merge", elsewhere.to_str().unwrap(), "--out", merged.to_str().unwrap()]);
    assert_eq!(merge.code, 0, "{merge:?}");
    check_answers(&merged, cases);
}

/// A ledger with a run of one part, and a worker of it.
async fn ledger(server: &Server, lease: Duration) -> (PostgresLedger, Worker) {
    let url = server.url.replace("owner@", "owner:secret@").parse().unwrap();
    let ledger = PostgresLedger::connect(&url, 2).await.unwrap();
    ledger.migrate().await.unwrap();
    let run = LedgerRun {
        run: "run".to_owned(),
        settings: String::new(),
        parts: 1,
        lease,
        cap: Spending::default(),
        session: Spending::default(),
        requests_per_minute: None,
        needs: Needs::default(),
        artifacts: None,
    };
    assert!(ledger.fill(&run).await.unwrap().is_none());
    let id = ledger.register("patchwright", 1).await.unwrap();
    (ledger, Worker { id, containers: false, memory_mib: 1 })
}

async fn claimed(ledger: &PostgresLedger, worker: &Worker) -> Option<Claim> {
    match ledger.claim("run", worker).await.unwrap() {
        Offer::Part(claim) => Some(claim),
        _ => None,
    }
}

#[tokio::test]
async fn what_a_ledger_has_forgotten_is_stored_again() {
    if !there("what_a_ledger_has_forgotten", NEEDS) {
        return;
    }
    let server = Server::up();
    let (ledger, worker) = ledger(&server, Duration::from_mins(1)).await;
    let claim = claimed(&ledger, &worker).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut mirror = Mirror::restore(&ledger, &claim, folder.path(), None).await.unwrap();
    let log = folder.path().join("events.jsonl");
    for text in ["{\"a\":1}\n", "{\"a\":1}\n{\"b\":2}\n"] {
        std::fs::write(&log, text).unwrap();
        // It goes on for as long as the claim holds.
        let _ = tokio::time::timeout(Duration::from_secs(2), mirror.keep(&|_| {})).await;
        assert_eq!(server.value("SELECT length FROM patchwright.files"), text.len().to_string());
    }
    // As a backup from between the two has it.
    server.value("DELETE FROM patchwright.pieces WHERE position > 0");
    server.value("UPDATE patchwright.files SET length = 8");
    mirror.end(&End::GivenBack, &|_| {}).await.unwrap();
    let copy = folder.path().join("copy");
    ledger.fetch("run", 1, &copy, None).await.unwrap();
    assert_eq!(
        std::fs::read_to_string(copy.join("events.jsonl")).unwrap(),
        std::fs::read_to_string(log).unwrap()
    );
}

#[tokio::test]
async fn a_claim_that_was_not_renewed_writes_nothing_and_a_part_that_ends_its_workers_is_parked() {
    if !there("a_claim_that_was_not_renewed", NEEDS) {
        return;
    }
    let server = Server::up();
    let (ledger, worker) = ledger(&server, Duration::from_mins(1)).await;
    // Its worker is silent for longer than the lease, and the server has been up for longer.
    let silence = || {
        server.value("UPDATE patchwright.runs SET lease = interval '1 microsecond'; UPDATE patchwright.parts SET lease_until = now()")
    };
    let first = claimed(&ledger, &worker).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mirror = Mirror::restore(&ledger, &first, folder.path(), None).await.unwrap();
    assert!(claimed(&ledger, &worker).await.is_none());
    silence();
    let second = claimed(&ledger, &worker).await.unwrap();
    assert_eq!((first.claims, second.claims), (1, 2));
    std::fs::write(folder.path().join("events.jsonl"), "{}\n").unwrap();
    let late = mirror.end(&End::Done(Vec::new()), &|_| {}).await;
    assert!(matches!(late, Err(LedgerError::Lost)), "{late:?}");
    assert_eq!(server.value("SELECT count(*) FROM patchwright.files"), "0");
    silence();
    assert_eq!(claimed(&ledger, &worker).await.unwrap().claims, 3);
    silence();
    assert!(claimed(&ledger, &worker).await.is_none());
    let parked = ledger.parked(None).await.unwrap().remove(0);
    assert!(parked.claims == 3 && parked.reason.contains("gave no sign of life"), "{parked:?}");
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn workers_keep_to_one_budget_and_are_refused_what_is_not_theirs() {
    if !there("workers_keep_to_one_budget", NEEDS) {
        return;
    }
    let (server, suite, out, model) = (Server::up(), suite(4), folder(&[]), model());
    let folder_of_run = out.path().join("run");
    let root = folder_of_run.to_str().unwrap();
    let limits = ["--max-tokens-total", "20000", "--run-tokens", "30000", "--requests-per-minute", "600"];
    let more =
        [&["--on", &server.url, "--tests", "1", "--variants", "0"], &limits[..], &*of_runs(&model)].concat();
    let words = words(suite.path(), &folder_of_run, &more);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let coordinator = with_password(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    server.waits_for_run();
    let workers =
        [server.worker(&["--lanes", "2", "--idle-exit", "4s"]), server.worker(&["--idle-exit", "4s"])];
    let ended: Run = coordinator.wait_with_output().unwrap().into();
    for mut worker in workers {
        assert_eq!(worker.0.wait().unwrap().code(), Some(0));
    }
    let spent: u64 = server.value("SELECT tokens FROM patchwright.progress").parse().unwrap();
    let done: usize = server.value("SELECT done FROM patchwright.progress").parse().unwrap();
    assert!(spent <= 30_000 && spent > 0, "{spent}");
    assert_eq!((done < 4, ended.json()["reason"] == "budget"), (true, true), "{done} {ended:?}");

    let status = run(&["bench", "status", root, "--json"]).json();
    assert_eq!(status["runs"][0]["done"], json!(done), "{status}");
    let refused = |words: &[&str], expected: &str| {
        let refused = run(words);
        assert!(refused.code == 2 && refused.stderr.contains(expected), "{expected}: {refused:?}");
    };
    let other: Vec<&str> = words.iter().copied().chain(["--cycles", "3"]).collect();
    refused(&other, "settings.cycles");
    let parts: Vec<&str> = words.iter().copied().chain(["--parts", "2"]).collect();
    refused(&parts, "give --parts 4");
    let artifacts: Vec<&str> = words.iter().copied().chain(["--artifacts", root]).collect();
    refused(&artifacts, "in the ledger itself");
    let manifest = suite.path().join("bugs.toml");
    let text = std::fs::read_to_string(&manifest).unwrap();
    std::fs::write(&manifest, text.clone() + "# changed\n").unwrap();
    refused(&["worker", &server.url], "has changed since the run began");
    std::fs::write(&manifest, text).unwrap();
    let file = manifest.join("below-a-file");
    server.value(&format!("UPDATE patchwright.runs SET artifacts = '{}'", file.display()));
    let unusable = run(&["worker", &server.url]);
    assert!(unusable.code == 3 && unusable.stderr.contains("the store of artifacts"), "{unusable:?}");
    server.value("UPDATE patchwright.runs SET artifacts = NULL, needs_memory_mib = 1073741824");
    let lacking = run(&["worker", &server.url]);
    assert!(lacking.code == 3 && lacking.stderr.contains("a session needs 1073741824 MiB"), "{lacking:?}");
    server.value(
        "UPDATE patchwright.runs SET settings = replace(settings, 'patchwright = \"', 'patchwright = \"9')",
    );
    refused(&["worker", &server.url], "was begun with patchwright 9");
    let cancelled = run(&["bench", "cancel", root]);
    assert_eq!(cancelled.code, 0, "{cancelled:?}");
    server.value("UPDATE patchwright.migrations SET version = 99 WHERE version = 2");
    refused(&["worker", &server.url], "this program works with version 2");
    let status: Value = run(&["bench", "status", "postgres://nobody@127.0.0.1:1/x", "--json"]).code.into();
    assert_eq!(status, json!(3));
    assert!(Path::new(root).join("ledger.json").is_file());
}
