//! Verdicts on made-up logs beside those of the official programs, and how fast both are:
//! `cargo bench -p patchwright-swt-bench --bench official`.
//!
//! `PATCHWRIGHT_OFFICIAL_PYTHON` names a Python with what the official programs need (`unidiff`, `docker`, `numpy`, …),
//! `PATCHWRIGHT_SWT_OFFICIAL` and `PATCHWRIGHT_TDD_OFFICIAL` checkouts of `logic-star-ai/swt-bench` and `IBM/TDD-Bench-Verified`; they are only
//! called. Without them our own speed is shown. `PATCHWRIGHT_OFFICIAL_CASES` says how many cases are made up, `PATCHWRIGHT_OFFICIAL_SEED` which.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use patchwright_swe_bench::PredictedPatch;
use patchwright_swt_bench::tdd::{self, TddLogs, TddOutcome};
use patchwright_swt_bench::{
    Benchmark, CaseOutcome, CaseReport, GradeOptions, Layout, RunReport, counts, dataset, grade_logs,
    predictions,
};
use serde_json::Value;

/// Each measurement is made this often, and the best counts.
const ROUNDS: usize = 3;

fn main() {
    let number = |name: &str, otherwise: usize| {
        std::env::var(name).ok().map_or(otherwise, |text| text.parse().expect("a number"))
    };
    let (cases, seed) = (number("PATCHWRIGHT_OFFICIAL_CASES", 300), number("PATCHWRIGHT_OFFICIAL_SEED", 1));
    let python = std::env::var("PATCHWRIGHT_OFFICIAL_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let folder = tempfile::tempdir().unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/official");
    let words = [cases.to_string(), seed.to_string()];
    run(Command::new(&python).arg(script.join("generate.py")).arg(folder.path()).args(&words));
    let checkout = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let official = |name: &str, program: &str| {
        let checkout = checkout(name)?;
        let mut command = Command::new(&python);
        command.arg(script.join(program)).arg(checkout).arg(folder.path()).arg(ROUNDS.to_string());
        let text = run(&mut command);
        Some(serde_json::from_str::<Value>(text.lines().last().unwrap()).unwrap())
    };
    let official_swt = official("PATCHWRIGHT_SWT_OFFICIAL", "swt.py");
    let swt_same = swt(folder.path(), official_swt.as_ref());
    let official_tdd = official("PATCHWRIGHT_TDD_OFFICIAL", "tdd.py");
    let tdd_same = tdd_bench(folder.path(), official_tdd.as_ref());
    assert!(swt_same && tdd_same, "there are differences");
}

fn run(command: &mut Command) -> String {
    let output = command.output().expect("Python can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Compares SWT-Bench; says whether all is the same.
fn swt(folder: &Path, official: Option<&Value>) -> bool {
    let (dataset, _) = dataset::load(&folder.join("dataset.json"), None, Benchmark::Swt).unwrap();
    let layout = Layout::find(folder).unwrap();
    let predictions = predictions::load(&folder.join("predictions.jsonl"), &dataset, Benchmark::Swt).unwrap();
    let mut reports = Vec::new();
    let seconds = best(|| {
        reports =
            grade_logs(&dataset, Some(&predictions), &layout, GradeOptions::default(), &|_, _| {}).unwrap();
    });
    let report = &reports[0];
    let (logs, bytes) = size(&folder.join("run_instance_swt_logs"));
    println!("SWT-Bench: {} cases, {logs} logs, {:.1} MB", report.cases.len(), bytes as f64 / 1e6);
    tell("ours", seconds, logs, bytes);
    let Some(official) = official else { return true };
    let theirs = official["seconds"].as_f64().unwrap();
    tell("official", theirs, logs, bytes);
    println!("ratio: {:.1}", theirs / seconds);
    let mut counted = Counts::default();
    for case in &report.cases {
        let expect = &official["verdicts"][&case.instance_id];
        let own = case.json().map(|json| json[&case.instance_id].clone());
        counted.add(&case.instance_id, expect, own.as_ref().map(without_order), &without_order(expect));
    }
    counted.tell();
    // Aggregates only compare where the official program read every case.
    let broken = |case: &CaseReport| official["verdicts"][&case.instance_id].as_str().is_some();
    let read = RunReport {
        cases: report
            .cases
            .iter()
            .filter(|case| !broken(case) || case.outcome == CaseOutcome::NotRun)
            .cloned()
            .collect(),
        total: 100,
        possible: None,
        ..report.clone()
    };
    assert!(read.cases.iter().all(|case| counts(&case.instance_id)));
    let (all, sums) = (read.aggregates(), &official["aggregates"]);
    let sum = |name: &str| sums[name].as_f64().unwrap();
    let [delta, resolved, _] = all.delta.unwrap();
    let pairs = [
        (all.well_formed, sum("W")),
        (all.resolved, sum("S")),
        (all.fails_before, sum("F->X")),
        (all.fail_to_pass, sum("F->P")),
        (all.pass_to_pass, sum("P->P")),
        (delta, 100.0 * sum("delta") / sum("possible")),
        (resolved, 100.0 * sum("delta_resolved") / sum("possible_resolved").max(1.0)),
    ];
    let same = pairs.iter().all(|(own, theirs)| (own - theirs).abs() < 1e-9);
    println!("aggregates W, S, F→×, F→P, P→P, ΔC all, ΔC S: {}", if same { "the same" } else { "DIFFERENT" });
    if !same {
        println!("{pairs:?}");
    }
    same && counted.different == 0
}

/// Compares TDD-Bench; says whether all is the same.
fn tdd_bench(folder: &Path, official: Option<&Value>) -> bool {
    let (dataset, _) = dataset::load(&folder.join("tdd_dataset.json"), None, Benchmark::Tdd).unwrap();
    let predictions = predictions::load(&folder.join("tdd.jsonl"), &dataset, Benchmark::Tdd).unwrap();
    let logs = TddLogs::find(&folder.join("logs")).unwrap();
    let out = tempfile::tempdir().unwrap();
    let mut report = None;
    let seconds = best(|| {
        let graded = tdd::grade_logs(&dataset, Some(&predictions), &logs[0], &|_, _| {}).unwrap();
        // The official program writes a report for each case, so that ours are written too.
        graded.write(out.path()).unwrap();
        report = Some(graded);
    });
    let report = report.unwrap();
    let (files, bytes) = size(&folder.join("logs"));
    println!("TDD-Bench: {} cases, {files} logs, {:.1} MB", report.cases.len(), bytes as f64 / 1e6);
    tell("ours", seconds, files, bytes);
    let Some(official) = official else { return true };
    let theirs = official["seconds"].as_f64().unwrap();
    tell("official", theirs, files, bytes);
    println!("ratio: {:.1}", theirs / seconds);
    let mut counted = Counts::default();
    for case in &report.cases {
        let expect = &official["verdicts"][&case.instance_id];
        let own = case.json().map(|json| json[&case.instance_id].clone());
        let word = match case.outcome {
            TddOutcome::Empty => Some(Value::from("empty")),
            TddOutcome::Error => Some(Value::from("error")),
            TddOutcome::Graded(_) | TddOutcome::Missing => own,
        };
        counted.add(
            &case.instance_id,
            expect,
            word.as_ref().map(without_functions),
            &without_functions(expect),
        );
    }
    counted.tell();
    let functions = predictions.list().iter().filter(|prediction| {
        let PredictedPatch::Text(patch) = &prediction.patch else { return true };
        let own: Value =
            tdd::contributing(patch).into_iter().map(|(file, names)| (file, Value::from(names))).collect();
        own != official["functions"][&prediction.instance_id]
    });
    let functions = functions.count();
    println!("contributing functions of {} predictions: {functions} different", predictions.list().len());
    counted.different == 0 && functions == 0
}

#[derive(Default)]
struct Counts {
    same: usize,
    different: usize,
    /// The official program ended with an error, where we go on.
    broken: usize,
    verdicts: BTreeMap<String, usize>,
}

impl Counts {
    fn add(&mut self, id: &str, expect: &Value, own: Option<Value>, theirs: &Value) {
        let word = expect.as_str().map(|word| word.split(':').next().unwrap_or_default().to_owned());
        let verdict = word.unwrap_or_else(|| format!("resolved {}", expect["resolved"]));
        *self.verdicts.entry(verdict.clone()).or_default() += 1;
        let own = own.unwrap_or_else(|| Value::from("not run"));
        if own == *theirs {
            self.same += 1;
        } else if verdict == "error" && (own.is_object() || own == "not run") {
            self.broken += 1;
        } else {
            self.different += 1;
            if self.different <= 5 {
                println!("{id}:\n  ours     {own}\n  official {theirs}");
            }
        }
    }

    fn tell(&self) {
        println!(
            "verdicts compared: {}, the same {}, different {}; {} more where the official program ends with an error; {:?}",
            self.same + self.different,
            self.same,
            self.different,
            self.broken,
            self.verdicts
        );
    }
}

/// A report whose lists of tests are sorted: theirs have the order of a set.
fn without_order(report: &Value) -> Value {
    let mut report = report.clone();
    for kind in ["tests_base", "tests_pred", "tests_gold"] {
        for (_, list) in report.get_mut(kind).and_then(Value::as_object_mut).into_iter().flatten() {
            let names: BTreeSet<&str> = list.as_array().unwrap().iter().filter_map(Value::as_str).collect();
            *list = Value::from_iter(names);
        }
    }
    sorted(&report)
}

/// The functions need the files of the container, which there are none of; odd words of statuses are one.
fn without_functions(report: &Value) -> Value {
    let mut report = report.clone();
    if let Some(fields) = report.as_object_mut() {
        fields.remove("contributing_functions");
        for score in ["cov_score", "final_score"] {
            let value = fields.get(score).and_then(Value::as_f64);
            fields.insert(score.to_owned(), Value::from(value));
        }
    }
    for kind in ["test_before_patch", "test_after_patch"] {
        for (_, status) in report.get_mut(kind).and_then(Value::as_object_mut).into_iter().flatten() {
            if !matches!(status.as_str(), Some("PASSED" | "FAILED" | "ERROR" | "SKIPPED")) {
                *status = Value::from("OTHER");
            }
        }
    }
    sorted(&report)
}

/// The value with the keys of objects in their order.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields: BTreeMap<&String, Value> =
                fields.iter().map(|(key, value)| (key, sorted(value))).collect();
            fields.into_iter().map(|(key, value)| (key.clone(), value)).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => value.clone(),
    }
}

/// The number and the bytes of the logs in a folder.
fn size(folder: &Path) -> (usize, u64) {
    let mut found = (0, 0);
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            let (files, bytes) = size(&path);
            found = (found.0 + files, found.1 + bytes);
        } else if path.extension().is_some_and(|end| end == "txt") {
            found = (found.0 + 1, found.1 + path.metadata().unwrap().len());
        }
    }
    found
}

fn tell(what: &str, seconds: f64, files: usize, bytes: u64) {
    println!("{what}: {:.0} logs/s, {:.1} MB/s", files as f64 / seconds, bytes as f64 / 1e6 / seconds);
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
