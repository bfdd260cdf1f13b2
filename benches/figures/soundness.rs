//! Whether warm workers judge as commands do that run all tests in their natural order: many candidates of the fix patterns, each
//! judged both ways, with the developer's fix among them at every quarter. Every disagreement is listed.
//!
//! `PATCHWRIGHT_CANDIDATES` says how many for each bug (60). `PATCHWRIGHT_BUGS` names other bugs than the samples: folders, with `:`
//! between; the developer's fix of `DIR` is `DIR.golden.diff`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use futures_util::StreamExt;
use patchwright_edits::formats::{EditFormat, read_edits};
use patchwright_edits::{Applied, Edit, apply};
use patchwright_fault_localization::Formula;
use patchwright_patterns::{Ingredients, RepairPlan, SuspiciousLine};
use patchwright_protocol::Verdict;
use patchwright_validation::{
    Baseline, CoverageScope, Optimizations, TestHarness, Validation, ValidationDepth,
};

use crate::validation::open;

const LANES: usize = 2;

pub fn measure() {
    let wanted =
        std::env::var("PATCHWRIGHT_CANDIDATES").ok().and_then(|text| text.parse().ok()).unwrap_or(60);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    for (from, golden) in bugs() {
        let work = tempfile::tempdir().unwrap();
        let project = work.path().join("project");
        let copied = Command::new("cp").arg("-R").args([&from, &project]).status().unwrap();
        assert!(copied.success(), "the project is copied");
        let before = state(&project);
        let golden = std::fs::read_to_string(&golden).expect("the golden patch is read");
        let golden = read_edits(&golden, Some(EditFormat::Diff)).unwrap().edits;
        println!("{}", from.display());
        runtime.block_on(compare(&project, &work.path().join("lanes"), wanted, &golden));
        assert_eq!(before, state(&project), "the project is as it was");
        assert!(!work.path().join("lanes").exists(), "no lane is left");
        let left = Command::new("pgrep").arg("-f").arg(work.path()).output().unwrap();
        assert!(left.stdout.is_empty(), "a process is left: {left:?}");
    }
}

/// Projects with their golden patches.
fn bugs() -> Vec<(PathBuf, PathBuf)> {
    let named = std::env::var_os("PATCHWRIGHT_BUGS");
    let named = named.iter().flat_map(std::env::split_paths).map(|dir| {
        let golden = PathBuf::from(format!("{}.golden.diff", dir.display()));
        (dir, golden)
    });
    let named: Vec<_> = named.collect();
    if !named.is_empty() {
        return named;
    }
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let dirs = ["python/billfold", "java/leasehold"].map(|name| samples.join(name));
    dirs.map(|dir| (dir.clone(), dir.join("golden.patch"))).to_vec()
}

async fn compare(project: &Path, work: &Path, wanted: usize, golden: &[Edit]) {
    std::fs::create_dir(work).unwrap();
    let warm = open(project, &work.join("warm"), LANES).await;
    let warm = warm.with_optimizations(Optimizations { share_verdicts: false, ..Optimizations::default() });
    let cold = open(project, &work.join("cold"), LANES).await;
    let natural = Optimizations {
        persistent_workers: false,
        share_verdicts: false,
        failing_first: false,
        ..Optimizations::default()
    };
    let cold = cold.with_optimizations(natural);
    let baseline = warm.baseline(&[]).await.unwrap();
    let golden = apply(warm.project(), golden, &warm.rules()).unwrap();
    let mut candidates = candidates(&warm, &baseline, wanted).await;
    for quarter in (0..=4).rev() {
        candidates.insert(candidates.len() * quarter / 4, golden.clone());
    }
    let first = judge(&warm, &baseline, &candidates).await;
    let second = judge(&cold, &baseline, &candidates).await;
    let mut verdicts: BTreeMap<String, usize> = BTreeMap::new();
    let (mut disagreements, mut endless, mut refused) = (0, 0, 0);
    for (applied, (warm, cold)) in candidates.iter().zip(first.iter().zip(&second)) {
        *verdicts.entry(format!("{:?}", cold.verdict)).or_default() += 1;
        if *applied == golden && warm.verdict != Verdict::Plausible {
            refused += 1;
            println!(
                "  golden {:?}: still failing {:?}, newly failing {:?}\n{}",
                warm.verdict, warm.still_failing, warm.newly_failing, warm.report.log
            );
        }
        if warm.verdict != cold.verdict {
            // Both refuse what has no end: how much of it is seen until then depends on the order and on the machine.
            let verdicts = [warm.verdict, cold.verdict];
            if verdicts.contains(&Verdict::TimedOut) && !verdicts.contains(&Verdict::Plausible) {
                endless += 1;
            } else {
                disagreements += 1;
            }
            println!(
                "  warm {:?} ({:?}), cold {:?} ({:?}, {:?})\n{}",
                warm.verdict,
                warm.newly_failing,
                cold.verdict,
                cold.still_failing,
                cold.newly_failing,
                applied.diff()
            );
        }
    }
    let report = warm.worker_report();
    println!(
        "  {} candidates ({verdicts:?}), {} judged warm, {disagreements} disagreements, {endless} refused for \
         different reasons since they have no end; golden patch refused {refused} of 5 times; \
         tests left to commands {:?}; warm on: {} {}",
        candidates.len(),
        report.judged,
        report.left_out,
        report.on,
        report.why_off.unwrap_or_default(),
    );
    warm.close().await.unwrap();
    cold.close().await.unwrap();
    // Whatever the two made lies below.
    let _ = std::fs::remove_dir(work);
}

async fn judge(harness: &TestHarness, baseline: &Baseline, candidates: &[Applied]) -> Vec<Validation> {
    futures_util::stream::iter(candidates)
        .map(|applied| async {
            harness.validate(baseline, applied, ValidationDepth::FirstFailure).await.unwrap()
        })
        .buffered(LANES)
        .collect()
        .await
}

/// What a session of the fix patterns would try first.
async fn candidates(harness: &TestHarness, baseline: &Baseline, wanted: usize) -> Vec<Applied> {
    let ranking =
        patchwright_fault_localization::spectrum(harness, baseline, Formula::default(), CoverageScope::All)
            .await
            .unwrap();
    let lines = ranking.lines.iter().map(|line| SuspiciousLine {
        path: line.path.clone(),
        line: line.line,
        suspiciousness: line.suspiciousness,
        omission: false,
    });
    let rules = harness.rules();
    let ingredients = Ingredients::gather(harness.project(), &|path| !path.contains("test"));
    let mut plan = RepairPlan::new(harness.project().clone(), Arc::new(ingredients), lines.collect(), &[]);
    let never = AtomicBool::new(false);
    let mut found = Vec::new();
    while found.len() < wanted
        && let Some(pass) = plan.next_pass(&never)
    {
        let edits = pass.edits.into_iter().map(|edit| edit.proposal.edit);
        found.extend(edits.filter_map(|edit| apply(harness.project(), &[edit], &rules).ok()));
    }
    found.truncate(wanted);
    found
}

/// All files of a folder with their bytes.
fn state(folder: &Path) -> BTreeMap<std::path::PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                found.insert(path.clone(), std::fs::read(&path).unwrap());
            }
        }
    }
    found
}
