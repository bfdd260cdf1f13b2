//! Workers of a PostgreSQL ledger against one process with as many lanes: sessions an hour of latency-bound sessions, in turns.
//! `PATCHWRIGHT_SCALING` says how many sessions (24), `PATCHWRIGHT_ROUNDS` how often (3).

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::faults::{model_after, of_runs, suite};
use crate::kit::{Model, program};

/// What the model takes for an answer, of which a session has three.
const ANSWER: Duration = Duration::from_secs(4);

pub fn measure() {
    let sessions = crate::number("PATCHWRIGHT_SCALING", 24);
    let suite = suite(sessions);
    let model = model_after(ANSWER);
    for lanes in [1, 2, 4] {
        let mut ratios: Vec<f64> = Vec::new();
        for round in 0..crate::number("PATCHWRIGHT_ROUNDS", 3) {
            let alone = || one_process(&suite, &model, lanes);
            let together = || workers(&suite, &model, lanes, sessions);
            // In turns, so that neither has the warmer machine.
            let (alone, together) = if round % 2 == 0 {
                let alone = alone();
                (alone, together())
            } else {
                let together = together();
                (alone(), together)
            };
            println!("  {lanes}: one process {alone:.1} s, workers {together:.1} s");
            ratios.push(alone / together);
        }
        println!(
            "{lanes} workers of one lane have {:.1} % of the throughput of one process with {lanes} lanes (median)",
            crate::quantile(&mut ratios, 0.5) * 100.0
        );
    }
}

fn words(suite: &TempDir, model: &Model, out: &Path) -> Vec<String> {
    let manifest = format!("manifest:{}", suite.path().join("bugs.toml").display());
    let fixed = [
        "bench",
        "run",
        "--suite",
        &manifest,
        "--out",
        out.to_str().unwrap(),
        "--tests",
        "1",
        "--variants",
        "0",
    ];
    fixed.into_iter().chain(of_runs(model)).map(str::to_owned).collect()
}

/// Seconds of one process with so many lanes.
fn one_process(suite: &TempDir, model: &Model, lanes: usize) -> f64 {
    let out = tempfile::tempdir().unwrap();
    let began = Instant::now();
    let lanes = lanes.to_string();
    let mut run = quiet(program().args(words(suite, model, &out.path().join("run"))).args([
        "--workers",
        &lanes,
        "--sessions",
        &lanes,
        "--tests",
        &lanes,
    ]));
    assert!(run.wait().unwrap().success());
    began.elapsed().as_secs_f64()
}

/// Seconds of so many workers, from their start to the last result.
fn workers(suite: &TempDir, model: &Model, count: usize, sessions: usize) -> f64 {
    let server = Server::up();
    let out = tempfile::tempdir().unwrap();
    let mut coordinator =
        quiet(program().args(words(suite, model, &out.path().join("run"))).args(["--on", &server.url]));
    while server.value("SELECT count(*) FROM patchwright.parts") != sessions.to_string() {
        std::thread::sleep(Duration::from_millis(50));
    }
    let began = Instant::now();
    let mut workers: Vec<Child> =
        (0..count).map(|_| quiet(program().args(["worker", &server.url]))).collect();
    while server.value("SELECT count(*) FROM patchwright.results") != sessions.to_string() {
        std::thread::sleep(Duration::from_millis(50));
    }
    let seconds = began.elapsed().as_secs_f64();
    assert!(coordinator.wait().unwrap().success());
    for worker in &mut workers {
        worker.kill().unwrap();
        worker.wait().unwrap();
    }
    seconds
}

fn quiet(command: &mut Command) -> Child {
    command.env("PGPASSWORD", "secret").stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// A server of PostgreSQL; ended when dropped.
struct Server {
    folder: TempDir,
    url: String,
}

impl Server {
    fn script(&self, word: &str) -> String {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/postgres/server.sh");
        let said = Command::new(script).arg(self.folder.path()).arg(word).output().unwrap();
        assert!(said.status.success(), "{said:?}");
        String::from_utf8(said.stdout).unwrap().trim().to_owned()
    }

    fn up() -> Self {
        let mut server = Self { folder: tempfile::tempdir().unwrap(), url: String::new() };
        server.url = server.script("up");
        server
    }

    fn value(&self, query: &str) -> String {
        let mut psql = Command::new("psql");
        psql.args([&self.url, "--tuples-only", "--no-align", "--command", query]).env("PGPASSWORD", "secret");
        String::from_utf8(psql.output().unwrap().stdout).unwrap().trim().to_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.script("down");
    }
}
