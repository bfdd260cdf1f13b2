//! What a session knows, as a fold over its events: the same events give the same memory, so a session can
//! be replayed, resumed and drawn from its trajectory alone.

use std::collections::{BTreeMap, BTreeSet};

use patchwright_prompts::{Finding, FindingContent, Hypothesis, LastCommand};
use patchwright_protocol::{
    BugEvidence, Candidate, CandidateCounts, FailingTest, ReproductionRecord, TestId, ToolOutcome,
    ValidationResult, Verdict, listed,
};
use patchwright_tools::{GatheredInformation, Observation};
use patchwright_trajectory::{Event, InterventionKind, Purpose, RefusalReason};
use serde_json::Value;

use crate::native_turns::NativeTurns;

/// A call that ran, for finding repetitions.
#[derive(Clone, Debug, PartialEq)]
pub struct PastCall {
    /// The cycle in which it ran.
    pub cycle: u32,
    /// The tool.
    pub tool: String,
    /// The arguments after interpretation.
    pub arguments: Value,
    /// Is true if the same call would tell more if it came again.
    pub partial: bool,
}

/// Tests that fail for reasons of their own, or files with such tests, that are named.
const OTHERS_SHOWN: usize = 10;

/// Single tests that are named; of more, how many of each file.
const TESTS_SHOWN: usize = 3;

/// Repairs that a notice lists.
const REPAIRS_SHOWN: usize = 4;

/// A refusal since the last call that ran.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct PastRefusal {
    /// Why.
    pub reason: RefusalReason,
    /// The tool that was asked for, as far as it could be read.
    pub tool: Option<String>,
}

/// What the events so far amount to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory {
    /// The name of the current state; none before the first transition.
    pub state: Option<String>,
    /// What the tools have shown, oldest first.
    pub findings: Vec<Finding>,
    /// The replies with native calls, oldest first, and what came of each call.
    pub turns: NativeTurns,
    /// All hypotheses, oldest first; the last one is current unless it is refuted.
    pub hypotheses: Vec<Hypothesis>,
    /// The candidates that were suggested.
    pub tried_candidates: Vec<Candidate>,
    /// What the next prompt must say besides: what had to be repaired in the last call that ran, refusals and hints since.
    pub notices: Vec<String>,
    /// The last call that ran and its result.
    pub last: Option<LastCommand>,
    /// The typed result of that call.
    pub last_data: Value,
    /// What the last call came to.
    pub last_outcome: ToolOutcome,
    /// All calls that ran.
    pub calls: Vec<PastCall>,
    /// Refusals since the last call that ran.
    pub refusals: Vec<PastRefusal>,
    /// The last call, if it has been read but has not run yet: a line about what had to be repaired in it.
    waiting: Option<Vec<String>>,
    /// The hypotheses that stood when candidates were suggested, by their numbers.
    hypotheses_of: BTreeMap<u32, String>,
    /// The tests that were written to reproduce the bug, oldest first.
    pub reproductions: Vec<ReproductionRecord>,
    /// Whether the project has failing tests that show the bug, as far as that is known.
    has_failing_tests: bool,
    /// The numbers of plausible candidates, and of unverified ones.
    pub plausible: BTreeSet<u32>,
    unverified: BTreeSet<u32>,
    judged: BTreeSet<u32>,
    /// Counts of candidates.
    pub counts: CandidateCounts,
    /// The fewest failing tests that any candidate left, of those that ran the tests.
    pub fewest_failing: Option<u64>,
    /// The tests that were run alone because somebody named them.
    named_tests: BTreeSet<TestId>,
    /// Is true if it is known what the tests say before any change.
    pub knows_tests: bool,
    /// Is true if something was asked: what becomes known of the bug from then on is a finding.
    has_asked: bool,
}

impl Memory {
    /// Takes in what an event means.
    pub fn apply(&mut self, event: &Event) {
        match event {
            Event::Reply { cycle, purpose: Purpose::Command, reply, .. } if !reply.tool_calls.is_empty() => {
                self.turns.add(*cycle, reply);
            }
            Event::Call { cycle, tool, arguments, repairs, .. } => {
                self.waiting = Some(repaired(repairs).into_iter().collect());
                self.calls.push(PastCall {
                    cycle: *cycle,
                    tool: tool.clone(),
                    arguments: arguments.clone(),
                    partial: false,
                });
            }
            Event::Refusal { cycle, reason, tool, message, .. } => {
                // The call was read but did not run, so it is no repetition when it comes again.
                let waiting = self.waiting.take();
                if waiting.is_some() {
                    self.calls.pop();
                }
                self.turns.refuse(*cycle);
                self.refusals.push(PastRefusal { reason: *reason, tool: tool.clone() });
                self.notices.extend(waiting.into_iter().flatten());
                self.notices.push(message.clone());
            }
            Event::Observation { cycle, tool, text, data, outcome, .. } => {
                self.observe(*cycle, tool, text, data);
                self.last_outcome = outcome.clone();
                if let Some(call) = self.calls.last_mut() {
                    call.partial = *outcome == ToolOutcome::Partial;
                }
            }
            Event::Transition { to, .. } => self.state = Some(to.clone()),
            Event::Hypothesis { text, .. } => {
                self.hypotheses.push(Hypothesis { text: text.clone(), refuted: None });
            }
            Event::HypothesisDiscarded { reason, .. } => {
                if let Some(current) = self.hypotheses.last_mut() {
                    current.refuted = Some(reason.clone());
                }
            }
            Event::Candidate { candidate, .. } => {
                if let Some(hypothesis) = self.hypothesis().map(str::to_owned) {
                    self.hypotheses_of.insert(candidate.id, hypothesis);
                }
                self.tried_candidates.push(Candidate::new(candidate.clone()));
            }
            Event::Verdict { candidate, result, .. } => self.judge(*candidate, result),
            Event::Intervention { kind, text, .. } => {
                if *kind == InterventionKind::Hint {
                    self.notices.push(format!("A hint from the user: {text}"));
                }
            }
            Event::Reproduction { test, .. } => self.reproductions.push(test.clone()),
            Event::NamedTests { failing, .. } => {
                self.has_failing_tests = !failing.is_empty();
                self.named_tests = failing.iter().map(|test| test.id.clone()).collect();
            }
            Event::Baseline { passed, failing, known_failing, nearest, report, .. } => {
                self.knows_tests = true;
                self.has_failing_tests = !failing.is_empty();
                if self.has_asked {
                    // How they fail alone stands in every prompt.
                    let is_told = failing.iter().all(|test| self.named_tests.contains(&test.id));
                    let report = if is_told { "" } else { report };
                    let text = tests_text(*passed, failing, known_failing, (nearest, report));
                    self.findings.push(Finding {
                        cycle: self.calls.last().map_or(0, |call| call.cycle),
                        command: "the tests before any change".to_owned(),
                        content: FindingContent::Text(text),
                    });
                }
            }
            Event::Prompt { .. } => self.has_asked = true,
            Event::SessionStarted { .. }
            | Event::Detected { .. }
            | Event::Reply { .. }
            | Event::AskedAgain { .. }
            | Event::Notice { .. }
            | Event::SessionEnded(_) => {}
        }
    }

    /// The hypothesis that stands.
    pub fn hypothesis(&self) -> Option<&str> {
        self.hypotheses.last().filter(|last| last.refuted.is_none()).map(|last| last.text.as_str())
    }

    /// The hypothesis that stood when a candidate was suggested.
    pub fn hypothesis_of(&self, candidate: u32) -> Option<&str> {
        self.hypotheses_of.get(&candidate).map(String::as_str)
    }

    /// The tests that show the bug and were written to, without those that a later one has taken the place of.
    pub fn standing_reproductions(&self) -> impl Iterator<Item = &ReproductionRecord> {
        ReproductionRecord::standing(&self.reproductions)
    }

    /// What shows the bug, as far as that is known.
    pub fn evidence(&self) -> BugEvidence {
        BugEvidence::of_tests(self.has_failing_tests, self.standing_reproductions().next().is_some())
    }

    fn observe(&mut self, cycle: u32, tool: &str, text: &str, data: &Value) {
        let arguments = self.calls.last().map_or(&Value::Null, |call| &call.arguments);
        let command = command_line(tool, arguments);
        let contents = match Observation::gathered_of(data) {
            Some(GatheredInformation::Lines(lines)) => vec![FindingContent::Lines(lines)],
            Some(GatheredInformation::Files(files)) => files.into_iter().map(FindingContent::Lines).collect(),
            Some(GatheredInformation::Text) => vec![FindingContent::Text(text.to_owned())],
            None => Vec::new(),
        };
        let found = self.findings.len()..self.findings.len() + contents.len();
        self.turns.answer(cycle, found, text);
        for content in contents {
            self.findings.push(Finding { cycle, command: command.clone(), content });
        }
        self.last_data = data.clone();
        // What one reply asked for at once is one command to whoever wrote it.
        let several = self.turns.has_several(cycle);
        self.last = Some(match self.last.take().filter(|last| last.cycle == cycle) {
            Some(first) if several => LastCommand {
                cycle,
                command: format!("{}; {command}", first.command),
                result: format!("{}\n{text}", first.result.trim_end()),
            },
            Some(first) => {
                let both = format!("{}\n{text}", first.result.trim_end());
                let kept = self.findings.iter_mut().rfind(|finding| finding.cycle == cycle);
                if let Some(Finding { content: FindingContent::Text(kept), .. }) = kept {
                    kept.clone_from(&both);
                }
                LastCommand { result: both, ..first }
            }
            None => LastCommand { cycle, command, result: text.to_owned() },
        });
        self.refusals.clear();
        self.notices.clear();
        self.notices.extend(self.waiting.take().into_iter().flatten());
    }

    /// The candidate of this number.
    pub fn candidate(&self, id: u32) -> Option<&Candidate> {
        self.tried_candidates.iter().find(|candidate| candidate.id() == id)
    }

    fn judge(&mut self, id: u32, found: &ValidationResult) {
        // A candidate may be judged by some tests first and by all of them later.
        match found.verdict {
            Verdict::Duplicate => self.counts.duplicates += 1,
            _ => self.counts.tried += u64::from(self.judged.insert(id)),
        }
        for (verdict, candidates, count) in [
            (Verdict::Plausible, &mut self.plausible, &mut self.counts.plausible),
            (Verdict::Unverified, &mut self.unverified, &mut self.counts.unverified),
        ] {
            if found.verdict == verdict {
                candidates.insert(id);
            } else {
                candidates.remove(&id);
            }
            *count = candidates.len() as u64;
        }
        if found.verdict.is_tested() {
            let failing = found.failing() as u64;
            self.fewest_failing = Some(self.fewest_failing.map_or(failing, |fewest| fewest.min(failing)));
        }
        if let Some(candidate) = self.tried_candidates.iter_mut().rfind(|candidate| candidate.id() == id) {
            candidate.validation = Some(found.clone());
        }
    }
}

/// What a model is told of the tests before any change where it is told in few words, or late.
pub(crate) fn tests_text(
    passed: u64,
    failing: &[FailingTest],
    known_failing: &[TestId],
    (nearest, report): (&[TestId], &str),
) -> String {
    if passed == 0 && failing.is_empty() && known_failing.is_empty() {
        return "None of the project's tests can be run here.".to_owned();
    }
    if failing.is_empty() {
        let others = match known_failing {
            [] => String::new(),
            others => {
                format!(
                    "; {} fail, which are not taken for the bug: {}",
                    others.len(),
                    TestId::summarized(others, OTHERS_SHOWN)
                )
            }
        };
        if !nearest.is_empty() {
            return format!(
                "All tests take too long to be waited for, so that only some are run, those of {}: {passed} of them pass before any \
                 change{others}.",
                places(nearest)
            );
        }
        return format!("{passed} tests pass before any change{others}.");
    }
    let names: Vec<TestId> = failing.iter().map(|test| test.id.clone()).collect();
    let text = format!(
        "{passed} tests pass before any change, and these fail: {}\n{report}",
        TestId::listed(&names)
    );
    text.trim_end().to_owned()
}

/// The test files, modules or classes that are run; where single tests are, how many of each.
fn places(nearest: &[TestId]) -> String {
    let (tests, files): (Vec<TestId>, Vec<TestId>) =
        nearest.iter().cloned().partition(|test| test.as_str().contains("::"));
    let files = (!files.is_empty()).then(|| listed(&files, OTHERS_SHOWN));
    let tests = (!tests.is_empty()).then(|| TestId::summarized(&tests, TESTS_SHOWN));
    files.into_iter().chain(tests).collect::<Vec<_>>().join(", ")
}

/// One line about what had to be repaired in a reply, so that the model writes the next one right.
fn repaired(repairs: &[String]) -> Option<String> {
    let (shown, more) = repairs.split_at(repairs.len().min(REPAIRS_SHOWN));
    let more = if more.is_empty() { String::new() } else { format!("; and {} more", more.len()) };
    (!shown.is_empty()).then(|| format!("Your reply was read with repairs: {}{more}.", shown.join("; ")))
}

/// A call as one line for people and prompts: `read_range(file_path=src/a.py, start_line=1)`.
pub fn command_line(tool: &str, arguments: &Value) -> String {
    let words: Vec<String> = match arguments {
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| format!("{name}={}", short(value))).collect()
        }
        Value::Null => Vec::new(),
        other => vec![short(other)],
    };
    format!("{tool}({})", words.join(", "))
}

fn short(value: &Value) -> String {
    const LONGEST: usize = 80;
    let text = match value {
        Value::String(text) => text.replace('\n', " "),
        Value::Array(items) if items.iter().any(Value::is_object) => format!("[{} items]", items.len()),
        other => other.to_string(),
    };
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_one_reply_asked_for_is_one_command_with_both_results() {
        let mut memory = Memory::default();
        let mut run = |cycle: u32, tool: &str, text: &str| {
            let (tool, repairs) = (tool.to_owned(), Vec::new());
            let is_kept = tool != "goal_accomplished";
            let data = if is_kept { json!({ "gathered": GatheredInformation::Text }) } else { Value::Null };
            memory.apply(&Event::Call {
                cycle,
                tool: tool.clone(),
                arguments: json!({}),
                thoughts: None,
                repairs,
            });
            let text = text.to_owned();
            memory.apply(&Event::Observation {
                cycle,
                tool,
                text,
                data,
                outcome: ToolOutcome::Done,
                advance: true,
                seconds: 0.0,
            });
            let kept = memory.findings.last().map(|finding| finding.content.clone());
            memory.last.clone().map(|last| (last.command, last.result, kept))
        };
        let kept = |text: &str| Some(FindingContent::Text(text.to_owned()));
        let of = |command: &str, result: &str| Some((command.to_owned(), result.to_owned(), kept(result)));
        assert_eq!(run(1, "write_fix", "It passes.\n"), of("write_fix()", "It passes.\n"));
        assert_eq!(run(1, "goal_accomplished", "No."), of("write_fix()", "It passes.\nNo."));
        assert_eq!(run(2, "run_tests", "1 failed"), of("run_tests()", "1 failed"));
    }
}
