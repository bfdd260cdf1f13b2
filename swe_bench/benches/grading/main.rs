//! How fast logs are graded: `cargo bench -p patchwright-suites --bench grading`.
//!
//! The logs are made up, in the style of each test tool, with noise. Where the variable
//! `PATCHWRIGHT_SWEBENCH_PYTHON` names a Python that has `swebench` installed (4.1 or 5), it grades the same
//! files, the verdicts are compared, and the ratio is printed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod logs;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use patchwright_swe_bench::{
    Dataset, Graded, Logs, Predictions, Resolution, Rules, grade, grade_logs, parser,
};

/// Cases; each has a log of some 2,000 to 6,000 lines.
const CASES: usize = 300;
/// Each measurement is made this often, and the best counts.
const ROUNDS: usize = 5;

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let rows = logs::write(folder.path(), CASES);
    let dataset = Dataset::new(rows).unwrap();
    let found = Logs::find(folder.path(), &dataset).unwrap();
    let predictions = Predictions::gold(&dataset);
    let python = std::env::var("PATCHWRIGHT_SWEBENCH_PYTHON").ok();
    let official = python.map(|python| run_python(&python, folder.path()));
    let rules = match &official {
        Some(official) if official.version.starts_with('4') => Rules::V4,
        Some(_) | None => Rules::V5,
    };
    let bytes: u64 =
        dataset.rows().iter().map(|row| logs::file(folder.path(), row).metadata().unwrap().len()).sum();
    println!("{} logs, {:.1} MB, rules {rules}", dataset.rows().len(), bytes as f64 / 1e6);

    let one = best(|| {
        for row in dataset.rows() {
            let text = String::from_utf8(std::fs::read(logs::file(folder.path(), row)).unwrap()).unwrap();
            std::hint::black_box(grade(row, parser(row, rules).unwrap(), &text, rules));
        }
    });
    tell("one thread", one, dataset.rows().len(), bytes);
    let all = best(|| {
        std::hint::black_box(grade_logs(&dataset, &predictions, &found, rules, |_, _| {}).unwrap());
    });
    tell("all threads", all, dataset.rows().len(), bytes);

    let Some(official) = official else {
        println!("PATCHWRIGHT_SWEBENCH_PYTHON is not set: no comparison with the official program");
        return;
    };
    tell(&format!("swebench {}", official.version), official.seconds, dataset.rows().len(), bytes);
    println!("ratio: {:.1} with one thread, {:.1} with all", official.seconds / one, official.seconds / all);
    let report = grade_logs(&dataset, &predictions, &found, rules, |_, _| {}).unwrap();
    let mut counts = BTreeMap::new();
    for case in &report.cases {
        let resolution = case.graded.as_ref().map_or(Resolution::No, Graded::resolution);
        let resolution = match resolution {
            Resolution::Full => "RESOLVED_FULL",
            Resolution::Partial => "RESOLVED_PARTIAL",
            Resolution::No => "RESOLVED_NO",
        };
        assert_eq!(
            official.verdicts.get(&case.instance_id).map(String::as_str),
            Some(resolution),
            "{}",
            case.instance_id
        );
        *counts.entry(resolution).or_insert(0) += 1;
    }
    println!("the verdicts are the same: {counts:?}");
}

fn tell(what: &str, seconds: f64, files: usize, bytes: u64) {
    println!("{what}: {:.0} files/s, {:.1} MB/s", files as f64 / seconds, bytes as f64 / 1e6 / seconds);
}

/// The seconds of the fastest round.
fn best(mut work: impl FnMut()) -> f64 {
    let round = |_| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    };
    (0..ROUNDS).map(round).fold(f64::INFINITY, f64::min)
}

/// What the official program found.
struct Official {
    version: String,
    seconds: f64,
    verdicts: BTreeMap<String, String>,
}

fn run_python(python: &str, folder: &Path) -> Official {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/grading/official.py");
    let output = Command::new(python)
        .arg(script)
        .arg(folder)
        .arg(ROUNDS.to_string())
        .output()
        .expect("Python can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let value: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    let verdicts = value["verdicts"].as_object().unwrap().iter();
    Official {
        version: value["version"].as_str().unwrap().to_owned(),
        seconds: value["seconds"].as_f64().unwrap(),
        verdicts: verdicts.map(|(id, verdict)| (id.clone(), verdict.as_str().unwrap().to_owned())).collect(),
    }
}
