//! Comparison of a session with a recording of it: the first place where they differ.
//!
//! A prompt may have other words than the recorded one, as with another version of the program, when its sections are the same: what the tools
//! and tests say has to be equal. Such prompts are counted, or are a difference where [exact prompts](Prompts::Exact) are asked for.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use patchwright_protocol::{FailingTest, TestId};
use patchwright_session::{Listener, command_line};
use patchwright_syntax::pattern::{Pattern, pattern};
use patchwright_trajectory::{Event, Log, PromptStore, Record};
use serde::Serialize;
use tokio::sync::Notify;

/// The first difference between a recording and the session that repeats it.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Divergence {
    /// The cycle; none before the first one.
    pub cycle: Option<u32>,
    /// What differs: the name of the event.
    pub what: String,
    /// What the recording has there.
    pub recorded: Option<String>,
    /// What happened now.
    pub now: Option<String>,
}

impl std::fmt::Display for Divergence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.cycle {
            Some(cycle) => write!(f, "cycle {cycle}: ")?,
            None if self.what.starts_with("session_ended") => write!(f, "at the end: ")?,
            None => write!(f, "before the first cycle: ")?,
        }
        let (recorded, now) = first_difference(self.recorded.as_deref(), self.now.as_deref());
        write!(f, "{} differs\n  recorded: {recorded}\n  now:      {now}", self.what)
    }
}

fn first_difference(recorded: Option<&str>, now: Option<&str>) -> (String, String) {
    let nothing = || "(nothing)".to_owned();
    let (Some(recorded), Some(now)) = (recorded, now) else {
        let shown = |text: Option<&str>| {
            text.map_or_else(nothing, |text| text.lines().next().unwrap_or_default().to_owned())
        };
        return (shown(recorded), shown(now));
    };
    let mut left = recorded.lines();
    let mut right = now.lines();
    loop {
        match (left.next(), right.next()) {
            (None, None) => return (recorded.to_owned(), now.to_owned()),
            (left, right) if left == right => {}
            (Some(left), Some(right)) => return (around(left, right), around(right, left)),
            (left, right) => {
                let shown =
                    |line: Option<&str>| line.map_or_else(|| "(end of the text)".to_owned(), str::to_owned);
                return (shown(left), shown(right));
            }
        }
    }
}

/// A line from a little before the place at which it differs from another, as much as fits into a line of a terminal.
fn around(line: &str, other: &str) -> String {
    const BEFORE: usize = 40;
    const SHOWN: usize = 160;
    let same = line.chars().zip(other.chars()).take_while(|(left, right)| left == right).count();
    let start = if line.chars().count() > SHOWN { same.saturating_sub(BEFORE) } else { 0 };
    let shown: String = line.chars().skip(start).take(SHOWN).collect();
    let more = if line.chars().count() > start + SHOWN { "…" } else { "" };
    format!("{}{shown}{more}", if start > 0 { "…" } else { "" })
}

/// How prompts are compared.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Prompts {
    /// By their sections.
    #[default]
    Sections,
    /// By their whole text.
    Exact,
}

/// What two sessions must have in common: everything that the model saw and everything that was decided.
#[derive(Clone, Debug, Eq, PartialEq)]
struct Step {
    cycle: Option<u32>,
    what: String,
    text: String,
    /// The headings of a prompt, each once in a row.
    sections: Option<Vec<String>>,
}

impl Step {
    /// Whether both are the same but for the words of a prompt.
    fn has_sections_of(&self, other: &Self) -> bool {
        self.sections.is_some()
            && (self.cycle, &self.what, &self.sections) == (other.cycle, &other.what, &other.sections)
    }
}

impl Divergence {
    /// The difference between a step of a recording and the one now, either of which may not be there.
    fn between(recorded: Option<&Step>, now: Option<&Step>) -> Option<Self> {
        let step = now.or(recorded)?;
        let what = match recorded {
            Some(recorded) if recorded.what != step.what => {
                format!("{} (recorded: {})", step.what, recorded.what)
            }
            _ => step.what.clone(),
        };
        let text = |step: Option<&Step>| step.map(|step| step.text.clone());
        Some(Self { cycle: step.cycle, what, recorded: text(recorded), now: text(now) })
    }
}

/// The result of a comparison.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Compared {
    /// The first difference.
    pub divergence: Option<Divergence>,
    /// The steps that are the same.
    pub steps: u64,
    /// Of these, the prompts that have other words.
    pub reworded: u64,
    /// The first of them.
    pub rewording: Option<Divergence>,
}

/// Compares a session with a recording while it runs.
pub struct Comparison {
    exactness: Prompts,
    prompts: PromptStore,
    recorded: VecDeque<Step>,
    outcome: Arc<ReplayOutcome>,
}

/// The findings of a comparison so far; shared with whoever runs the session.
#[derive(Debug, Default)]
pub struct ReplayOutcome {
    found: Mutex<Compared>,
    left: Mutex<Option<Divergence>>,
    diverged: Notify,
}

impl ReplayOutcome {
    /// Waits for the first difference.
    pub async fn diverged(&self) {
        self.diverged.notified().await;
    }

    /// What was found. Call it when the session has ended.
    pub fn result(&self) -> Compared {
        let found = self.found.lock().map(|found| found.clone()).unwrap_or_default();
        let left = self.left.lock().ok().and_then(|left| left.clone());
        Compared { divergence: found.divergence.or(left), ..found }
    }
}

impl Comparison {
    /// A comparison with `log`, and where to look for its outcome.
    pub fn new(log: &Log, exactness: Prompts) -> (Self, Arc<ReplayOutcome>) {
        let outcome = Arc::new(ReplayOutcome::default());
        let mut prompts = PromptStore::default();
        let recorded = log.records.iter().filter_map(|record| step(&record.event, &mut prompts)).collect();
        let prompts = PromptStore::default();
        let comparison = Self { exactness, prompts, recorded, outcome: Arc::clone(&outcome) };
        comparison.note_left();
        (comparison, outcome)
    }

    /// Keeps what the recording still holds: it is a difference if the session ends here.
    fn note_left(&self) {
        if let Ok(mut left) = self.outcome.left.lock() {
            *left = Divergence::between(self.recorded.front(), None);
        }
    }
}

impl Listener for Comparison {
    fn on_event(&mut self, record: &Record) {
        let Some(now) = step(&record.event, &mut self.prompts) else { return };
        let Ok(mut found) = self.outcome.found.lock() else { return };
        if found.divergence.is_some() {
            return;
        }
        match self.recorded.pop_front() {
            Some(recorded) if recorded == now => found.steps += 1,
            Some(recorded) if self.exactness == Prompts::Sections && recorded.has_sections_of(&now) => {
                found.steps += 1;
                found.reworded += 1;
                if found.rewording.is_none() {
                    found.rewording = Divergence::between(Some(&recorded), Some(&now));
                }
            }
            recorded => {
                found.divergence = Divergence::between(recorded.as_ref(), Some(&now));
                self.outcome.diverged.notify_one();
            }
        }
        drop(found);
        self.note_left();
    }
}

/// The headings of a prompt, each once in a row: how many pieces of code a section has may differ.
fn sections(text: &str) -> Vec<String> {
    let mut headings: Vec<String> =
        text.lines().filter(|line| line.starts_with('#')).map(str::to_owned).collect();
    headings.dedup();
    headings
}

fn step(event: &Event, prompts: &mut PromptStore) -> Option<Step> {
    let listed =
        |failing: &[FailingTest]| failing.iter().map(|test| test.id.as_str()).collect::<Vec<_>>().join(", ");
    let text = match event {
        Event::NamedTests { failing, report, .. } => format!("failing: {}\n{report}", listed(failing)),
        Event::Baseline { total, passed, failing, report, .. } => {
            format!("{total} run, {passed} passed, failing: {}\n{report}", listed(failing))
        }
        Event::Prompt { purpose, prompt, .. } => match prompts.rebuild(*purpose, prompt) {
            Ok(messages) => {
                messages.iter().map(|message| message.text.as_str()).collect::<Vec<_>>().join("\n")
            }
            Err(error) => error.to_string(),
        },
        Event::Call { tool, arguments, .. } => command_line(tool, arguments),
        Event::Refusal { message, .. } => message.clone(),
        Event::Observation { tool, text, advance, .. } => format!("{tool} (advance: {advance})\n{text}"),
        Event::Transition { from, to, .. } => format!("{from} → {to}"),
        Event::Candidate { candidate, .. } => {
            format!("candidate {}\n{}", candidate.id, candidate.diff.as_deref().unwrap_or_default())
        }
        Event::Verdict { candidate, result, .. } => format!(
            "candidate {candidate}: {}\nstill failing: {}\nnewly failing: {}",
            result.verdict,
            TestId::listed(&result.still_failing),
            TestId::listed(&result.newly_failing)
        ),
        Event::Reproduction { test, .. } => {
            let names = TestId::listed(&test.tests);
            format!("test {} {}: {names}\n{}", test.id, test.verdict, test.text)
        }
        Event::SessionEnded(result) => {
            format!("{:?}\n{}", result.status, result.patch.as_deref().unwrap_or_default())
        }
        Event::SessionStarted { .. }
        | Event::Detected { .. }
        | Event::Reply { .. }
        | Event::Hypothesis { .. }
        | Event::HypothesisDiscarded { .. }
        | Event::Intervention { .. }
        | Event::AskedAgain { .. }
        | Event::Notice { .. } => return None,
    };
    let text = normal(&text);
    let sections = matches!(event, Event::Prompt { .. }).then(|| sections(&text));
    Some(Step { cycle: event.cycle(), what: event.name().to_owned(), text, sections })
}

/// A text without what may differ between two honest runs: times, folders of lanes, addresses.
fn normal(text: &str) -> String {
    static NOISE: [(Pattern, &str); 3] = [
        (pattern!(r"\b\d+(?:\.\d+)? ?(?:ms|s|sec|seconds)\b"), "<time>"),
        (pattern!(r"(?:/[\w.@+-]+)*/patchwright-lanes-[^/\s]+(?:/[\w-]+)?"), "<lane>"),
        (pattern!(r"\b0x[0-9a-fA-F]{6,}\b"), "<address>"),
    ];
    let mut text = text.to_owned();
    for (pattern, word) in &NOISE {
        text = pattern.replace_all(&text, *word).into_owned();
    }
    text
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use patchwright_protocol::ToolOutcome;
    use std::path::Path;

    use patchwright_protocol::Mode;
    use patchwright_trajectory::{Log, Redactor, Writer, read};

    use super::*;

    fn observation(cycle: u32, text: &str) -> Event {
        Event::Observation {
            cycle,
            tool: "run_tests".to_owned(),
            text: text.to_owned(),
            data: serde_json::Value::Null,
            outcome: ToolOutcome::Done,
            advance: true,
            seconds: 0.0,
        }
    }

    fn log(folder: &Path, events: &[Event]) -> Log {
        let path = folder.join(format!("{}.jsonl", events.len()));
        let mut writer = Writer::create(&path, Redactor::default()).unwrap();
        let (bug, settings) = (serde_json::Value::Null, serde_json::Value::Null);
        let time = "2026-01-01T00:00:00Z";
        writer.write(Event::session_started("s", time, bug, settings, Mode::Agent, "m")).unwrap();
        for event in events {
            writer.write(event.clone()).unwrap();
        }
        writer.close().unwrap();
        read(&path).unwrap()
    }

    fn compare(recorded: &[Event], now: &[Event]) -> (Option<Divergence>, u64) {
        let folder = tempfile::tempdir().unwrap();
        let (mut comparison, outcome) = Comparison::new(&log(folder.path(), recorded), Prompts::Exact);
        for (seq, event) in now.iter().enumerate() {
            comparison.on_event(&Record { seq: seq as u64, ms: 0, event: event.clone() });
        }
        let found = outcome.result();
        (found.divergence, found.steps)
    }

    #[test]
    fn prompts_of_the_same_sections_may_have_other_words() {
        let step = |text: &str| Step {
            cycle: Some(1),
            what: "prompt".to_owned(),
            text: text.to_owned(),
            sections: Some(sections(text)),
        };
        let recorded = step("# Bug\nIt fails.\n## Code\n1: a\n## Code\n2: b\n");
        assert!(recorded.has_sections_of(&step("# Bug\nThis fails.\n## Code\n1: a\n")));
        assert!(!recorded.has_sections_of(&step("# Bug\nIt fails.\n## Tests\n")));
        let called = Step { sections: None, ..recorded.clone() };
        assert!(!called.has_sections_of(&Step { text: "other".to_owned(), ..called.clone() }));
    }

    #[test]
    fn times_lanes_and_addresses_make_no_difference() {
        let recorded = observation(1, "took 1.2 s in /tmp/patchwright-lanes-12-ab/lane-0/a.py at 0x7f00aa11");
        let now = observation(1, "took 31 s in /var/tmp/patchwright-lanes-9-zz/lane-1/a.py at 0x7faaaaaa11");
        assert_eq!(compare(&[recorded], &[now]), (None, 1));
    }

    #[test]
    fn the_first_difference_is_named_with_its_cycle_and_line() {
        let recorded = [observation(1, "same"), observation(2, "a\nb\nc"), observation(3, "x")];
        let now = [observation(1, "same"), observation(2, "a\nB\nc"), observation(3, "y")];
        let (found, compared) = compare(&recorded, &now);
        let text = found.unwrap().to_string();
        assert_eq!(compared, 1);
        assert!(text.starts_with("cycle 2: observation differs"), "{text}");
        assert!(text.contains("recorded: b") && text.contains("now:      B"), "{text}");
    }

    #[test]
    fn long_lines_are_shown_around_the_difference() {
        let line = |word: &str| format!("{}{word}{}", "a".repeat(500), "z".repeat(500));
        let (recorded, now) = (around(&line("one"), &line("two")), around(&line("two"), &line("one")));
        let expect = |word: &str| format!("…{}{word}{}…", "a".repeat(40), "z".repeat(117));
        assert_eq!((recorded, now), (expect("one"), expect("two")));
        assert_eq!(around("a short line", "a short lime"), "a short line");
    }

    #[test]
    fn a_session_that_ends_early_or_goes_on_differs() {
        let one = [observation(1, "same")];
        let two = [observation(1, "same"), observation(2, "more")];
        assert_eq!(compare(&two, &one).0.unwrap().cycle, Some(2));
        assert_eq!(compare(&one, &two).0.unwrap().cycle, Some(2));
        assert_eq!(compare(&two, &two), (None, 2));
    }
}
