//! Whether warm workers judge as cold commands do: many candidates of the fix patterns on a Python and a Java sample, each judged
//! both ways. Every disagreement is listed.
//!
//! `PATCHWRIGHT_CANDIDATES` says how many on each project (60).

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use futures_util::StreamExt;
use patchwright_code::{Applied, Language, apply};
use patchwright_patterns::{Ingredients, Place, propose};
use patchwright_testbed::{Baseline, Haste, Measures, TestBed, Validation};

use crate::validation::open;

const LANES: usize = 2;

pub fn measure() {
    let wanted =
        std::env::var("PATCHWRIGHT_CANDIDATES").ok().and_then(|text| text.parse().ok()).unwrap_or(60);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    for sample in ["python/billfold", "java/leasehold"] {
        let work = tempfile::tempdir().unwrap();
        let project = work.path().join("project");
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(sample);
        let copied = Command::new("cp").arg("-R").args([&from, &project]).status().unwrap();
        assert!(copied.success(), "the sample is copied");
        let before = state(&project);
        runtime.block_on(compare(sample, &project, &work.path().join("lanes"), wanted));
        assert_eq!(before, state(&project), "the project is as it was");
        assert!(!work.path().join("lanes").exists(), "no lane is left");
        let left = Command::new("pgrep").arg("-f").arg(work.path()).output().unwrap();
        assert!(left.stdout.is_empty(), "a process is left: {left:?}");
    }
}

async fn compare(sample: &str, project: &Path, work: &Path, wanted: usize) {
    std::fs::create_dir(work).unwrap();
    let warm = open(project, &work.join("warm"), LANES).await;
    let cold = open(project, &work.join("cold"), LANES).await;
    let cold = cold.with_measures(Measures { warm: false, share_verdicts: false, ..Measures::default() });
    let baseline = warm.baseline(&[]).await.unwrap();
    let candidates = candidates(&warm, wanted);
    let first = judge(&warm, &baseline, &candidates).await;
    let second = judge(&cold, &baseline, &candidates).await;
    let mut verdicts: BTreeMap<String, usize> = BTreeMap::new();
    let mut disagreements = 0;
    for (applied, (warm, cold)) in candidates.iter().zip(first.iter().zip(&second)) {
        *verdicts.entry(format!("{:?}", cold.verdict)).or_default() += 1;
        if warm.verdict != cold.verdict {
            disagreements += 1;
            println!(
                "  warm {:?}, cold {:?} ({:?})\n{}",
                warm.verdict,
                cold.verdict,
                cold.newly_failing,
                applied.diff()
            );
        }
    }
    let report = warm.warm_report();
    println!(
        "{sample}: {} candidates ({verdicts:?}), {} judged warm, {disagreements} disagreements; warm on: {} {}",
        candidates.len(),
        report.judged,
        report.on,
        report.why_off.unwrap_or_default(),
    );
    warm.close().await.unwrap();
    cold.close().await.unwrap();
    // Whatever the two made lies below.
    let _ = std::fs::remove_dir(work);
}

async fn judge(bed: &TestBed, baseline: &Baseline, candidates: &[Applied]) -> Vec<Validation> {
    futures_util::stream::iter(candidates)
        .map(|applied| async { bed.validate(baseline, applied, Haste::FirstFailure).await.unwrap() })
        .buffered(LANES)
        .collect()
        .await
}

/// What the patterns propose for all lines of the production code, spread over it.
fn candidates(bed: &TestBed, wanted: usize) -> Vec<Applied> {
    let project = bed.project();
    let files = bed.rules().allowed(project.files().unwrap()).unwrap();
    let code: Vec<_> = files.into_iter().filter(|path| Language::of_path(path.as_ref()).is_some()).collect();
    let may_change = |path: &str| code.iter().any(|file| file.as_str() == path);
    let ingredients = Ingredients::gather(project, &may_change);
    let mut all = Vec::new();
    for path in &code {
        let lines = project.read(path).unwrap().line_count();
        for line in 1..=u32::try_from(lines).unwrap() {
            let place = Place { path: path.to_string(), line, omission: false };
            all.extend(propose(project, &ingredients, &place));
        }
    }
    let step = (all.len() / wanted).max(1);
    let chosen = all.into_iter().step_by(step).take(wanted);
    chosen.filter_map(|proposal| apply(project, &[proposal.edit], &bed.rules()).ok()).collect()
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
