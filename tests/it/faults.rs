//! Runs to which things happen, from a seed that is told.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use crate::kit::{Model, events_in, folder, goal, good_fix, hypothesis, named, project, prompt_text};
use crate::scripted::Step;

/// Questions of a session.
const QUESTIONS: usize = 3;

/// A suite of the same bug so many times, each told by an issue of its own.
pub fn suite(cases: usize) -> TempDir {
    let suite = folder(&[]);
    let mut manifest = String::new();
    for number in 0..cases {
        let name = format!("case-{number}");
        std::fs::rename(project().keep(), suite.path().join(&name)).unwrap();
        std::fs::write(
            suite.path().join(format!("{name}.md")),
            format!("{name}: all money cannot be withdrawn.\n"),
        )
        .unwrap();
        manifest += &format!(
            "[[bug]]\nid = \"{name}\"\nlanguage = \"python\"\ndir = \"{name}\"\nissue = \"{name}.md\"\n\n"
        );
    }
    std::fs::write(suite.path().join("bugs.toml"), manifest).unwrap();
    suite
}

/// A model that knows the fix, and takes its time.
pub fn model() -> Model {
    model_after(Duration::from_secs(1))
}

/// The same with so much time for an answer.
pub fn model_after(delay: Duration) -> Model {
    Model::answering_after(delay, |request| {
        let prompt = prompt_text(request);
        let text = if prompt.contains("+        if amount > self.balance:") {
            goal()
        } else if prompt.contains("the bound in withdraw is off by one") {
            good_fix()
        } else {
            hypothesis()
        };
        Step::Answer { text }
    })
}

/// Numbers by chance, from a seed that is told.
pub struct Chance(u64);

impl Chance {
    pub fn new() -> Self {
        let seed = std::env::var("PATCHWRIGHT_FAULT_SEED").ok().and_then(|seed| seed.parse().ok());
        let seed = seed.unwrap_or_else(|| RandomState::new().build_hasher().finish() % 1_000_000);
        println!("faults of the seed {seed}: PATCHWRIGHT_FAULT_SEED={seed} repeats them");
        Self(seed)
    }

    /// A number from 0, below this one.
    pub fn below(&mut self, count: usize) -> usize {
        // Knuth's MMIX generator; its upper bits are the better ones.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % count
    }
}

/// Sends a signal to a process.
pub fn signal(pid: &str, name: &str) {
    // It may have ended just now.
    let _ = Command::new("kill").args([&format!("-{name}"), pid]).output();
}

/// The words of a run with a model.
pub fn of_runs(model: &Model) -> Vec<&'static str> {
    model.of_runs().into_iter().map(|word| &*word.leak()).collect()
}

/// Checks that of each case no stored answer was lost, and none was asked for twice.
pub fn check_answers(run: &Path, cases: usize) {
    for number in 0..cases {
        let answers = answers(&run.join(format!("cases/case-{number}")));
        // A session that is told to end keeps a plausible fix without a last question.
        let asked = answers.last().map(Vec::len).unwrap_or_default();
        assert!((QUESTIONS - 1..=QUESTIONS).contains(&asked), "case-{number}: {answers:?}");
        let paid = answers.iter().flatten().filter(|paid| **paid).count();
        assert_eq!(
            paid, asked,
            "case-{number}: no answer is lost, and none was asked for twice: {answers:?}"
        );
    }
}

/// The answers in each attempt at a case, in their order, and whether each was paid there or taken over from an earlier attempt.
fn answers(case: &Path) -> Vec<Vec<bool>> {
    let number =
        |folder: &PathBuf| -> u32 { folder.to_string_lossy().rsplit_once('-').unwrap().1.parse().unwrap() };
    let mut attempts: Vec<PathBuf> = case.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    attempts.sort_by_key(number);
    let files = attempts.into_iter().map(|attempt| attempt.join("trajectory.jsonl"));
    let is_paid = |reply: &&Value| reply["usage"]["output"].as_u64().unwrap_or(0) > 0;
    let answers = |file: PathBuf| named(&events_in(&file), "reply").iter().map(is_paid).collect();
    files.filter(|file| file.is_file()).map(answers).collect()
}
