//! What validating candidates costs: candidates a minute by the sequential way (fresh copy, full build, all tests, a process of
//! its own, one after the other), and what each measure brings, on made-up projects of more than 20,000 lines with thousands of
//! tests.
//!
//! `PATCHWRIGHT_PROJECT` names a folder to measure instead: a project with a failing test, and `PATCHWRIGHT_FILE` the file
//! in it that candidates change.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use futures_util::StreamExt;
use patchwright_detection::{HostEnvironments, SandboxToolchain, detect};
use patchwright_edits::{Applied, Edit, Modification, apply};
use patchwright_lanes::Activity;
use patchwright_protocol::{Overrides, Verdict};
use patchwright_validation::{Baseline, Optimizations, TestHarness, Validation, ValidationDepth};
use patchwright_warm_workers::PersistentWorkers;

use crate::projects::{java, python};

/// One level: its name, the optimizations in force, the lanes, and how many candidates are tried.
struct Rung {
    name: &'static str,
    optimizations: Optimizations,
    lanes: usize,
    candidates: usize,
}

const OFF: Optimizations = Optimizations {
    persistent_workers: false,
    keep_lanes: false,
    failing_first: false,
    stop_at_first: false,
    share_verdicts: false,
};

fn rungs(cores: usize) -> Vec<Rung> {
    let rung = |name, optimizations, lanes, candidates| Rung { name, optimizations, lanes, candidates };
    let first = Optimizations { failing_first: true, ..OFF };
    let stop = Optimizations { stop_at_first: true, ..first };
    let keep = Optimizations { keep_lanes: true, ..stop };
    let warm = Optimizations { persistent_workers: true, ..keep };
    vec![
        rung("sequential", OFF, 1, 6),
        rung("failing tests first", first, 1, 10),
        rung("stop at the first failure", stop, 1, 10),
        rung("lanes are kept", keep, 1, 10),
        rung("warm workers, changed files only", warm, 1, 240),
        rung("equal candidates share a verdict", Optimizations { share_verdicts: true, ..warm }, 1, 240),
        rung("all lanes", Optimizations { share_verdicts: true, ..warm }, cores, 480),
    ]
}

pub fn measure() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    if let Some(project) = std::env::var_os("PATCHWRIGHT_PROJECT").map(PathBuf::from) {
        let file = std::env::var("PATCHWRIGHT_FILE").expect("PATCHWRIGHT_FILE names the file to change");
        runtime.block_on(ladder(&project, &file));
        return;
    }
    let work = tempfile::tempdir().unwrap();
    for (name, make) in [("Java", java as fn(&Path, usize) -> _), ("Python", python)] {
        let folder = work.path().join(name);
        let made = make(&folder, 90);
        println!("{name}: {} lines, {} tests", made.lines, made.tests);
        runtime.block_on(ladder(&folder, &made.buggy));
    }
}

async fn ladder(project: &Path, file: &str) {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let mut slowest = None;
    for rung in rungs(cores) {
        let work = tempfile::tempdir().unwrap();
        let harness = open(project, &work.path().join("lanes"), rung.lanes)
            .await
            .with_optimizations(rung.optimizations);
        let baseline = harness.baseline(&[]).await.unwrap();
        let candidates = candidates(&harness, file, rung.candidates);
        // What is made once for all candidates is told apart.
        let started = Instant::now();
        let first = harness.validate(&baseline, &candidates[0], ValidationDepth::FirstFailure).await.unwrap();
        let once = started.elapsed().as_secs_f64();
        let started = Instant::now();
        let verdicts = run(&harness, &baseline, &candidates[1..], rung.lanes).await;
        let minutes = started.elapsed().as_secs_f64() / 60.0;
        let rate = verdicts.len() as f64 / minutes;
        let slowest = *slowest.get_or_insert(rate);
        let plausible =
            verdicts.iter().chain([&first]).filter(|one| one.verdict == Verdict::Plausible).count();
        println!(
            "  {:<36} {rate:>7.1} a minute, {:>6.1} x (first {once:.1} s; {} candidates, {plausible} plausible)",
            rung.name,
            rate / slowest,
            candidates.len(),
        );
        let report = harness.worker_report();
        if rung.optimizations.persistent_workers && !(report.on && report.disagreements.is_empty()) {
            println!("  {report:?}");
        }
        harness.close().await.unwrap();
    }
}

pub(crate) async fn open(project: &Path, work: &Path, lanes: usize) -> TestHarness {
    let host = HostEnvironments::find(project, None).await.unwrap();
    let readable = host.readable.clone();
    let request =
        patchwright_sandbox::SandboxRequest { session: "figures".to_owned(), readable, ..Default::default() };
    let sandbox = patchwright_sandbox::choose(&request).await.unwrap().sandbox;
    let toolchain = SandboxToolchain::new(Arc::clone(&sandbox), work.parent().unwrap());
    let detected = detect(project, &Overrides::default(), &host, &toolchain).await.unwrap();
    TestHarness::open(detected.spec, project, &[], sandbox, work, lanes, Activity::default())
        .await
        .unwrap()
        .with_workers(Box::new(PersistentWorkers::default()))
}

async fn run(
    harness: &TestHarness,
    baseline: &Baseline,
    candidates: &[Applied],
    lanes: usize,
) -> Vec<Validation> {
    futures_util::stream::iter(candidates)
        .map(|applied| async {
            harness.validate(baseline, applied, ValidationDepth::FirstFailure).await.unwrap()
        })
        .buffered(lanes)
        .collect()
        .await
}

/// Candidates that change one operator or number of a file each, no two alike.
fn candidates(harness: &TestHarness, file: &str, count: usize) -> Vec<Applied> {
    const SWAPS: [(&str, &str); 7] = [
        (" < ", " <= "),
        (" > ", " >= "),
        (" <= ", " < "),
        (" + ", " - "),
        (" > ", " < "),
        (" == ", " != "),
        (" / ", " * "),
    ];
    let path = patchwright_syntax::ProjectPath::new(file).unwrap();
    let source = harness.project().read(&path).unwrap();
    let remark = |text: &str| text.trim_start().starts_with(['*', '/', '#', '"']);
    let lines: Vec<_> = (1..).zip(source.lines()).filter(|(_, text)| !remark(text)).collect();
    let swapped = SWAPS.iter().copied().flat_map(|(from, to)| {
        lines
            .iter()
            .filter(move |(_, text)| text.contains(from))
            .map(move |(line, text)| (*line, text.replacen(from, to, 1)))
    });
    let number = regex::Regex::new(r"\b\d+\b").unwrap();
    let number = &number;
    let renumbered = (1..100).flat_map(|more| {
        lines.iter().filter(|(_, text)| number.is_match(text)).map(move |(line, text)| {
            let other =
                |found: &regex::Captures<'_>| (found[0].parse::<i64>().unwrap_or(0) + more).to_string();
            (*line, number.replace(text, other).into_owned())
        })
    });
    let made: Vec<Applied> = swapped
        .chain(renumbered)
        .filter_map(|(line_number, modified_line)| {
            let modifications = vec![Modification { line_number, modified_line }];
            let edit = Edit { file_path: file.to_owned(), modifications, ..Edit::default() };
            apply(harness.project(), &[edit], &harness.rules()).ok()
        })
        .take(count)
        .collect();
    assert_eq!(made.len(), count, "{file} holds too little to change");
    made
}
