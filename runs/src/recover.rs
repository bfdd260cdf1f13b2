//! The outcome of an attempt, read from its trajectory: where the program was killed before the run's log held it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use patchwright_protocol::{CandidateCounts, Mode, SessionResult, Status, Verdict};
use patchwright_trajectory::{Event, Reader};

/// The last verdict on each candidate so far.
#[derive(Default)]
struct Judged {
    verdicts: BTreeMap<u32, Verdict>,
    /// Is true if a verdict is spoken by all tests.
    by_all_tests: bool,
}

impl Judged {
    fn counts(&self) -> CandidateCounts {
        let with = |word: Verdict| self.verdicts.values().filter(|verdict| **verdict == word).count() as u64;
        let duplicates = with(Verdict::Duplicate);
        let tried = self.verdicts.len() as u64 - duplicates;
        let settled = |word: Verdict| if self.by_all_tests { with(word) } else { 0 };
        let (plausible, unverified) = (settled(Verdict::Plausible), settled(Verdict::Unverified));
        CandidateCounts { tried, duplicates, plausible, unverified }
    }
}

/// The outcome by the trajectory in an attempt's folder. Where the session came to its end there, that counts; else it is
/// `otherwise`, for `reason`, with what the replies so far have cost. Without a trajectory nothing was spent.
pub fn recovered(folder: &Path, otherwise: Status, reason: &str) -> SessionResult {
    let mut result = SessionResult::early(otherwise, reason);
    let path = folder.join("trajectory.jsonl");
    if !path.exists() {
        return result;
    }
    let Ok(reader) = Reader::open(&path) else {
        return SessionResult { cost_usd: None, ..result };
    };
    let mut judged = Judged::default();
    for record in reader {
        let Ok(record) = record else {
            // The rest cannot be read, so what it cost is not known.
            result.cost_usd = None;
            break;
        };
        if let Event::SessionEnded(ended) = record.event {
            return ended;
        }
        result.seconds.total = record.ms as f64 / 1000.0;
        take(&mut result, &record.event, &mut judged);
    }
    result
}

/// Of the trajectories in some attempts' folders the one with the most answers of a model, the latest where several have as many; none
/// where there is no answer. One that cannot be read is passed over.
pub(super) fn furthest(folders: &[PathBuf]) -> Option<PathBuf> {
    let answers = |path: &PathBuf| {
        let log = patchwright_trajectory::read(path).ok()?;
        let count = log.records.iter().filter(|record| matches!(record.event, Event::Reply { .. })).count();
        (count > 0).then_some(count)
    };
    let files = folders.iter().map(|folder| folder.join("trajectory.jsonl"));
    let known = files.filter_map(|path| Some((answers(&path)?, path)));
    known.max_by_key(|(count, _)| *count).map(|(_, path)| path)
}

fn take(result: &mut SessionResult, event: &Event, judged: &mut Judged) {
    if let Some(cycle) = event.cycle() {
        result.cycles = result.cycles.max(cycle);
    }
    match event {
        Event::SessionStarted { driver, mode, .. } => {
            result.model.clone_from(driver);
            judged.by_all_tests = match mode {
                Mode::Agent => true,
                // It judges by chosen tests first; which of its candidates stand, only its end says.
                Mode::Agentless => false,
            };
        }
        Event::Reply { reply, cost_usd, seconds, .. } => {
            result.tokens += reply.usage.unwrap_or_default();
            result.cost_usd = result.cost_usd.zip(*cost_usd).map(|(sum, cost)| sum + cost);
            result.seconds.model += seconds;
        }
        Event::Hypothesis { text, .. } => result.hypothesis = Some(text.clone()),
        Event::HypothesisDiscarded { .. } => result.hypothesis = None,
        // A candidate may be judged by some tests first and by all of them later: the last word counts.
        Event::Verdict { candidate, result: found, .. } => {
            judged.verdicts.insert(*candidate, found.verdict);
            result.candidates = judged.counts();
            result.seconds.tests += found.seconds;
        }
        Event::Observation { seconds, .. } => result.seconds.tools += seconds,
        Event::Detected { .. }
        | Event::NamedTests { .. }
        | Event::Baseline { .. }
        | Event::Prompt { .. }
        | Event::Call { .. }
        | Event::Refusal { .. }
        | Event::Transition { .. }
        | Event::Candidate { .. }
        | Event::Reproduction { .. }
        | Event::Intervention { .. }
        | Event::AskedAgain { .. }
        | Event::Notice { .. }
        | Event::SessionEnded(_) => {}
    }
}
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use patchwright_protocol::ValidationResult;
    use patchwright_trajectory::{Redactor, Writer};
    use serde_json::Value;

    use super::*;

    #[test]
    fn what_passed_chosen_tests_is_not_plausible_before_the_session_says_so() {
        let check = |mode: Mode, expect: CandidateCounts| {
            let folder = tempfile::tempdir().unwrap();
            let mut writer =
                Writer::create(&folder.path().join("trajectory.jsonl"), Redactor::default()).unwrap();
            writer.write(Event::session_started("s", "", Value::Null, Value::Null, mode, "m")).unwrap();
            let verdicts = [Verdict::Plausible, Verdict::Failing, Verdict::Duplicate];
            for (candidate, verdict) in (1..).zip(verdicts) {
                let result = ValidationResult::untested(verdict, None);
                writer.write(Event::Verdict { cycle: 1, candidate, result }).unwrap();
            }
            let outcome = recovered(folder.path(), Status::Cancelled, "killed");
            assert_eq!((outcome.status, outcome.candidates), (Status::Cancelled, expect), "{mode:?}");
        };
        check(Mode::Agent, CandidateCounts { tried: 2, duplicates: 1, plausible: 1, unverified: 0 });
        check(Mode::Agentless, CandidateCounts { tried: 2, duplicates: 1, plausible: 0, unverified: 0 });
    }
}
