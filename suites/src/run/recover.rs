//! What an attempt came to, read from its trajectory: where the program was killed before the run's log held it.

use std::collections::BTreeMap;
use std::path::Path;

use patchwright_trajectory::{CandidateCounts, Event, Mode, Reader, Usage};

use super::outcome::Outcome;
use super::status::Status;

/// The last verdict on each candidate so far.
#[derive(Default)]
struct Judged {
    verdicts: BTreeMap<u32, String>,
    /// Whether a verdict is spoken by all tests.
    by_all_tests: bool,
}

impl Judged {
    fn counts(&self) -> CandidateCounts {
        let with = |word: &str| self.verdicts.values().filter(|verdict| *verdict == word).count() as u64;
        let duplicates = with("duplicate");
        let tried = self.verdicts.len() as u64 - duplicates;
        let plausible = if self.by_all_tests { with("plausible") } else { 0 };
        CandidateCounts { tried, duplicates, plausible }
    }
}

impl Outcome {
    /// What the last event of a session says; none for any other event. `model` is who decided.
    pub fn from_event(event: &Event, model: &str) -> Option<Self> {
        let Event::SessionEnded {
            status,
            reason,
            hypothesis,
            candidate: _,
            patch,
            patches,
            cycles,
            candidates,
            tests,
            tokens,
            cost_usd,
            seconds,
        } = event
        else {
            return None;
        };
        Some(Self {
            status: (*status).into(),
            reason: reason.clone(),
            hint: None,
            patch: patch.clone(),
            tampering: patches.first().map(|first| first.tampering.clone()).unwrap_or_default(),
            hypothesis: hypothesis.clone(),
            model: model.to_owned(),
            cycles: *cycles,
            candidates: *candidates,
            tests: *tests,
            tokens: *tokens,
            cost_usd: *cost_usd,
            seconds: *seconds,
        })
    }

    /// What the trajectory in an attempt's folder says. Where the session came to its end there, that counts; else it is
    /// `otherwise`, for `reason`, with what the replies so far have cost. Without a trajectory nothing was spent.
    pub fn recovered(folder: &Path, otherwise: Status, reason: &str) -> Self {
        let mut outcome = Self::early(otherwise, reason);
        let path = folder.join("trajectory.jsonl");
        if !path.exists() {
            return outcome;
        }
        let Ok(reader) = Reader::open(&path) else {
            return Self { cost_usd: None, ..outcome };
        };
        let mut judged = Judged::default();
        for record in reader {
            let Ok(record) = record else {
                // The rest cannot be read, so what it cost is not known.
                outcome.cost_usd = None;
                break;
            };
            if let Some(ended) = Self::from_event(&record.event, &outcome.model) {
                return ended;
            }
            outcome.seconds.total = record.ms as f64 / 1000.0;
            outcome.take(&record.event, &mut judged);
        }
        outcome
    }

    fn take(&mut self, event: &Event, judged: &mut Judged) {
        if let Some(cycle) = event.cycle() {
            self.cycles = self.cycles.max(cycle);
        }
        match event {
            Event::SessionStarted { driver, mode, .. } => {
                self.model.clone_from(driver);
                judged.by_all_tests = match mode {
                    Mode::Agent => true,
                    // It judges by chosen tests first; which of its candidates stand, only its end says.
                    Mode::Agentless => false,
                };
            }
            Event::Reply { usage, cost_usd, seconds, .. } => {
                let Usage { input, cached_input, output } = usage.unwrap_or_default();
                self.tokens.input += input;
                self.tokens.cached_input += cached_input;
                self.tokens.output += output;
                self.cost_usd = self.cost_usd.zip(*cost_usd).map(|(sum, cost)| sum + cost);
                self.seconds.model += seconds;
            }
            Event::Hypothesis { text, .. } => self.hypothesis = Some(text.clone()),
            Event::HypothesisDiscarded { .. } => self.hypothesis = None,
            // A candidate may be judged by some tests first and by all of them later: the last word counts.
            Event::Verdict { candidate, verdict, seconds, .. } => {
                judged.verdicts.insert(*candidate, verdict.clone());
                self.candidates = judged.counts();
                self.seconds.tests += seconds;
            }
            Event::Observation { seconds, .. } => self.seconds.tools += seconds,
            Event::Detected { .. }
            | Event::Baseline { .. }
            | Event::Prompt { .. }
            | Event::Call { .. }
            | Event::Refusal { .. }
            | Event::Transition { .. }
            | Event::Candidate { .. }
            | Event::Intervention { .. }
            | Event::Notice { .. }
            | Event::SessionEnded { .. } => {}
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
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
            for (candidate, verdict) in [(1, "plausible"), (2, "failing"), (3, "duplicate")] {
                let verdict = Event::Verdict {
                    cycle: 1,
                    candidate,
                    verdict: verdict.to_owned(),
                    still_failing: Vec::new(),
                    newly_failing: Vec::new(),
                    others_ran: true,
                    duplicate_of: None,
                    message: None,
                    seconds: 1.0,
                };
                writer.write(verdict).unwrap();
            }
            let outcome = Outcome::recovered(folder.path(), Status::Cancelled, "killed");
            assert_eq!((outcome.status, outcome.candidates), (Status::Cancelled, expect), "{mode:?}");
        };
        check(Mode::Agent, CandidateCounts { tried: 2, duplicates: 1, plausible: 1 });
        check(Mode::Agentless, CandidateCounts { tried: 2, duplicates: 1, plausible: 0 });
    }
}
