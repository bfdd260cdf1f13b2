//! The part of a trajectory that a report needs, read once, event by event.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::AddAssign;
use std::path::Path;

use patchwright_protocol::{Effort, Usage};
use patchwright_trajectory::{Event, Reader};
use serde::{Deserialize, Serialize};

use super::issue::IssueTraits;
use crate::{FixCoverage, TouchedLines};

/// The part of a trajectory that a report needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Trail {
    /// Calls of each tool, or of each stage of the fixed pipeline.
    pub calls: BTreeMap<String, u64>,
    /// Questions to the model; one with several answers counts once.
    pub questions: u64,
    /// Replies by the reasoning effort that they were asked for with; none where that was left to the service.
    pub efforts: BTreeMap<Effort, RepliesByEffort>,
    /// The issue as the session was told it.
    pub issue: Option<IssueTraits>,
    /// The files that the fixed pipeline suspected.
    files: Option<BTreeSet<String>>,
    /// The functions and classes that it suspected, as lines.
    elements: Option<Vec<Place>>,
    /// The sets of lines that it offered for repair.
    lines: Option<Vec<Vec<Place>>>,
}

/// The replies that were asked for with one reasoning effort.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct RepliesByEffort {
    /// The replies.
    pub replies: u64,
    /// Their output tokens, reasoning included.
    pub output: u64,
    /// Their reasoning tokens, as far as the service counts them.
    pub reasoning: u64,
}

impl RepliesByEffort {
    fn add(&mut self, usage: Usage) {
        self.replies += 1;
        self.output = self.output.saturating_add(usage.output);
        self.reasoning = self.reasoning.saturating_add(usage.reasoning);
    }
}

impl AddAssign for RepliesByEffort {
    fn add_assign(&mut self, other: Self) {
        self.replies += other.replies;
        self.output = self.output.saturating_add(other.output);
        self.reasoning = self.reasoning.saturating_add(other.reasoning);
    }
}

/// Lines of a file, as the stages of the fixed pipeline record them.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
struct Place {
    path: String,
    first: u32,
    last: u32,
}

#[derive(Deserialize)]
struct Files {
    ranked: BTreeSet<String>,
}

#[derive(Deserialize)]
struct Places {
    places: Vec<Place>,
}

#[derive(Deserialize)]
struct Sets {
    sets: Vec<Places>,
}

impl Trail {
    /// Reads a trajectory as far as it can be read.
    pub fn of(path: &Path) -> Self {
        let mut trail = Self::default();
        for record in Reader::open(path).into_iter().flatten().map_while(Result::ok) {
            trail.take(&record.event);
        }
        trail
    }

    fn take(&mut self, event: &Event) {
        if let Event::Call { tool, .. } = event {
            *self.calls.entry(tool.clone()).or_default() += 1;
        }
        if let Event::Reply { reply, effort: Some(effort), .. } = event {
            self.efforts.entry(*effort).or_default().add(reply.usage.unwrap_or_default());
        }
        if let Event::Prompt { .. } = event {
            self.questions += 1;
        }
        if let Event::SessionStarted { bug, .. } = event {
            self.issue = bug.get("issue").and_then(serde_json::Value::as_str).map(IssueTraits::of);
        }
        let Event::Observation { tool, data, .. } = event else { return };
        match tool.as_str() {
            "locate_files" => self.files = Files::deserialize(data).ok().map(|files| files.ranked),
            "locate_elements" => self.elements = Places::deserialize(data).ok().map(|found| found.places),
            "locate_lines" => {
                let sets = Sets::deserialize(data).ok().map(|found| found.sets);
                self.lines = sets.map(|sets| sets.into_iter().map(|set| set.places).collect());
            }
            _ => {}
        }
    }

    /// Tells if the pipeline's places hold all that the developer's fix touches: its files, its lines within suspected
    /// functions, its lines within one of the sets offered for repair. None for sessions without a pipeline.
    pub fn located(&self, golden: &TouchedLines) -> Option<FixCoverage> {
        let files = self.files.as_ref()?;
        let hold = |places: &[Place]| {
            golden.files.iter().all(|(path, lines)| {
                lines.iter().all(|line| {
                    // What is put in at the beginning of a file stands before its first line.
                    let line = (*line).max(1);
                    places
                        .iter()
                        .any(|place| place.path == *path && (place.first..=place.last).contains(&line))
                })
            })
        };
        Some(FixCoverage {
            files: golden.files.keys().all(|path| files.contains(path)),
            functions: self.elements.as_ref().is_some_and(|places| hold(places)),
            lines: self.lines.as_ref().is_some_and(|sets| sets.iter().any(|places| hold(places))),
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use patchwright_protocol::{ChatReply, ToolOutcome};
    use patchwright_trajectory::{Purpose, Redactor, Writer};
    use serde_json::json;

    use serde_json::Value;

    use super::*;

    #[test]
    fn replies_are_counted_by_the_effort_asked_for() {
        let reply = |effort: Option<Effort>, output: u64, reasoning: u64| Event::Reply {
            cycle: 1,
            purpose: Purpose::Command,
            reply: ChatReply {
                usage: Some(Usage { output, reasoning, ..Usage::default() }),
                ..ChatReply::default()
            },
            cost_usd: None,
            seconds: 1.0,
            effort,
        };
        let mut trail = Trail::default();
        for event in [
            reply(Some(Effort::High), 900, 700),
            reply(Some(Effort::Low), 50, 0),
            reply(Some(Effort::High), 100, 50),
            reply(None, 7, 0),
        ] {
            trail.take(&event);
        }
        let high = RepliesByEffort { replies: 2, output: 1000, reasoning: 750 };
        let low = RepliesByEffort { replies: 1, output: 50, reasoning: 0 };
        assert_eq!(trail.efforts, [(Effort::Low, low), (Effort::High, high)].into());
    }

    #[test]
    fn what_the_pipeline_located_is_compared_with_the_fix() {
        let folder = tempfile::tempdir().unwrap();
        let observation = |tool: &str, data: serde_json::Value| Event::Observation {
            cycle: 1,
            tool: tool.to_owned(),
            text: String::new(),
            data,
            outcome: ToolOutcome::Done,
            advance: true,
            seconds: 0.1,
        };
        let path = folder.path().join("trajectory.jsonl");
        let mut writer = Writer::create(&path, Redactor::default()).unwrap();
        let mode = patchwright_protocol::Mode::Agentless;
        writer.write(Event::session_started("s", "", Value::Null, Value::Null, mode, "m")).unwrap();
        let place = |first: u32, last: u32| json!({"path": "m.py", "first": first, "last": last});
        for event in [
            observation("locate_files", json!({"ranked": ["m.py", "n.py"], "named": ["m.py"]})),
            observation("locate_elements", json!({"places": [place(1, 20)], "invented": []})),
            observation(
                "locate_lines",
                json!({"sets": [
                    {"places": [place(3, 4)], "votes": 2}, {"places": [place(9, 9)], "votes": 1},
                ]}),
            ),
        ] {
            writer.write(event).unwrap();
        }
        let trail = Trail::of(&path);
        let check = |path: &str, lines: &[u32], expect: (bool, bool, bool)| {
            let touched = (path.to_owned(), lines.iter().copied().collect());
            let golden = TouchedLines { files: [touched].into_iter().collect(), ..TouchedLines::default() };
            let (files, functions, lines) = expect;
            assert_eq!(trail.located(&golden), Some(FixCoverage { files, functions, lines }), "{golden:?}");
        };
        check("m.py", &[3, 4], (true, true, true));
        check("m.py", &[9], (true, true, true));
        check("m.py", &[3, 9], (true, true, false));
        check("m.py", &[0], (true, true, false));
        check("m.py", &[30], (true, false, false));
        check("n.py", &[3], (true, false, false));
        check("o.py", &[3], (false, false, false));
        let agent = Trail::of(&folder.path().join("none.jsonl"));
        assert_eq!(agent.located(&TouchedLines::default()), None);
    }
}
