//! A trajectory, readable.

use std::path::Path;

use patchwright_protocol::counted;
use patchwright_protocol::{BY_PATTERNS, TestId};
use patchwright_trajectory::{Event, Reader};
use serde::Serialize;

/// Letters of one text that are shown: the first and last part of what is longer.
const SHOWN: usize = 6000;

/// Bytes that all trajectories of a page take together before they are escaped, about, and the least and most that one of them does.
const ALL: usize = 8_000_000;
const LEAST: usize = 8_000;
const MOST: usize = 400_000;
/// Bytes of a piece's markup, about.
const MARKUP: usize = 60;

/// Bytes that each trajectory may take on a page with so many.
pub(super) fn room(cases: usize) -> usize {
    (ALL / cases.max(1)).clamp(LEAST, MOST)
}

/// A piece of a trajectory as a page shows it.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct Piece {
    /// `cycle`, `note`, `line`, `block` or `diff`.
    kind: &'static str,
    /// The kind of a line or block; empty for others.
    name: String,
    text: String,
}

impl Piece {
    fn new(kind: &'static str, name: &str, text: impl Into<String>) -> Self {
        Self { kind, name: name.to_owned(), text: text.into() }
    }
}

fn line(name: &str, text: impl Into<String>) -> Piece {
    Piece::new("line", name, text)
}

fn block(name: &str, text: &str) -> Piece {
    Piece::new("block", name, shortened(text))
}

fn note(text: impl Into<String>) -> Piece {
    Piece::new("note", "", text)
}

/// Tells of what is left out.
fn gap(events: u64) -> Piece {
    note(format!("{} left out here; the file has all of them", counted(events, "event")))
}

/// The events of a trajectory, as many as there is room for, and its end. Prompts are left out but for their size: they repeat what
/// is shown. Where no model was asked, what one would have been told is left out too.
pub(super) fn pieces(path: &Path, room: usize) -> Vec<Piece> {
    let reader = match Reader::open(path) {
        Ok(reader) => reader,
        Err(error) => return vec![note(error.to_string())],
    };
    let (mut cycle, mut left_out, mut taken) = (0, 0, 0);
    let mut by_patterns = false;
    let mut pieces = Vec::new();
    for record in reader {
        let event = match record {
            Ok(record) => record.event,
            Err(error) => {
                pieces.push(note(error.to_string()));
                break;
            }
        };
        if let Event::SessionStarted { driver, .. } = &event {
            by_patterns = driver == BY_PATTERNS;
        }
        if by_patterns && is_talk(&event) {
            continue;
        }
        if taken > room && !matches!(event, Event::SessionEnded(_)) {
            left_out += 1;
            continue;
        }
        if left_out > 0 {
            pieces.push(gap(left_out));
            left_out = 0;
        }
        if let Some(next) = event.cycle().filter(|next| *next > cycle) {
            cycle = next;
            pieces.push(Piece::new("cycle", "", format!("Cycle {cycle}")));
        }
        let shown = shown(&event);
        taken += shown.iter().map(|piece| piece.name.len() + piece.text.len() + MARKUP).sum::<usize>();
        pieces.extend(shown);
    }
    pieces.extend((left_out > 0).then(|| gap(left_out)));
    pieces
}

/// Is true if an event is between a driver and its tools alone.
fn is_talk(event: &Event) -> bool {
    matches!(
        event,
        Event::Prompt { .. } | Event::Reply { .. } | Event::Call { .. } | Event::Observation { .. }
    )
}

fn shown(event: &Event) -> Vec<Piece> {
    match event {
        Event::SessionStarted { time, driver, .. } => vec![line("started", format!("{time}, {driver}"))],
        Event::Detected { reasons, sandbox, notes, .. } => {
            let all = [&reasons[..], notes, &[format!("sandbox: {sandbox}")]].concat();
            vec![block("project", &all.join("\n"))]
        }
        Event::NamedTests { failing, report, .. } => {
            let counts = format!("{} that were named as showing the bug fail alone", failing.len());
            vec![line("tests before", counts), block("report", report)]
        }
        Event::Baseline { total, passed, failing, report, seconds, all_tests, .. } => {
            let all = all_tests.map_or_else(String::new, |all| format!(" of {all} in all"));
            let shows = failing.len();
            let counts =
                format!("{total} tests{all} ran in {seconds:.1} s: {passed} pass, {shows} show the bug");
            vec![line("tests before", counts), block("report", report)]
        }
        Event::Prompt { tokens, .. } => vec![line("prompt", format!("about {tokens} tokens"))],
        Event::Reply { reply, effort, .. } => {
            let mut shown: Vec<Piece> =
                effort.iter().map(|effort| line("effort", effort.to_string())).collect();
            shown.extend((!reply.reasoning.is_empty()).then(|| block("reasoning", reply.reasoning.trim())));
            let mut whole = reply.text.clone();
            for call in &reply.tool_calls {
                whole.push_str(&format!("\n{} {}", call.name, call.arguments));
            }
            shown.push(block("reply", whole.trim()));
            shown
        }
        Event::Call { tool, arguments, repairs, .. } => {
            let arguments = serde_json::to_string_pretty(arguments).unwrap_or_default();
            let mut shown = vec![block(&format!("call: {tool}"), &arguments)];
            shown.extend((!repairs.is_empty()).then(|| line("repaired", repairs.join("; "))));
            shown
        }
        Event::Refusal { message, .. } => vec![block("refused", message)],
        Event::Observation { tool, text, seconds, .. } => {
            vec![block(&format!("{tool} ({seconds:.1} s)"), text)]
        }
        Event::Transition { from, to, .. } => vec![line("state", format!("{from} → {to}"))],
        Event::Hypothesis { text, .. } => vec![block("hypothesis", text)],
        Event::HypothesisDiscarded { reason, .. } => vec![block("hypothesis given up", reason)],
        Event::Candidate { candidate, .. } => {
            let mut shown = vec![line(&format!("candidate {}", candidate.id), candidate.origin.word())];
            shown.extend(candidate.diff.as_ref().map(|diff| Piece::new("diff", "", shortened(diff))));
            shown
        }
        Event::Verdict { candidate, result, .. } => {
            let mut told = format!("candidate {candidate}: {}", result.verdict_told());
            if let Some(passes) = result.passes_told() {
                told.push_str(&format!("\ntests: {passes}"));
            }
            for (what, tests) in
                [("still failing", &result.still_failing), ("newly failing", &result.newly_failing)]
            {
                if !tests.is_empty() {
                    told.push_str(&format!("\n{what}: {}", TestId::listed(tests)));
                }
            }
            for outcome in &result.reproductions {
                let word = if outcome.passes { "passes" } else { "fails" };
                told.push_str(&format!("\ntest {} {word}", outcome.test));
            }
            if let Some(message) = &result.message {
                told.push_str(&format!("\n{message}"));
            }
            vec![block(&format!("verdict ({:.1} s)", result.seconds), &told)]
        }
        Event::Reproduction { test, .. } => {
            let name = format!("test {} ({}), on the original code: {}", test.id, test.path, test.verdict);
            let failure = test.failure.as_deref().map(|failure| block("failure", failure));
            let text = Piece::new("diff", "", shortened(&test.text));
            [line("reproduction", name)].into_iter().chain(failure).chain([text]).collect()
        }
        Event::Intervention { text, .. } => vec![block("a person stepped in", text)],
        Event::AskedAgain { error, change, .. } => vec![line("notice", format!("{error}; {change}"))],
        Event::Notice { text, .. } => vec![line("notice", text)],
        Event::SessionEnded(result) => {
            vec![line("ended", &result.reason), line("time", result.seconds.to_string())]
        }
    }
}

/// The lines of a diff, each with the class that colours it.
pub(super) fn diff_lines(diff: &str) -> Vec<(&'static str, &str)> {
    let mut lines = diff.lines().peekable();
    let mut named = false;
    let mut classed = Vec::new();
    while let Some(line) = lines.next() {
        // The two names of a file stand together, and are neither taken away nor added.
        let first_name =
            line.starts_with("--- ") && lines.peek().is_some_and(|next| next.starts_with("+++ "));
        let class = match line.as_bytes().first() {
            _ if first_name || named => "h",
            Some(b'+') => "a",
            Some(b'-') => "c",
            _ => "",
        };
        named = first_name;
        classed.push((class, line));
    }
    classed
}

/// The first and the last part of a long text.
pub(super) fn shortened(text: &str) -> String {
    let letters = text.chars().count();
    if letters <= SHOWN {
        return text.to_owned();
    }
    let half = SHOWN / 2;
    let first: String = text.chars().take(half).collect();
    let last: String = text.chars().skip(letters - half).collect();
    let left_out = counted((letters - 2 * half) as u64, "letter");
    format!("{first}\n[… {left_out} left out; the trajectory has all …]\n{last}")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use patchwright_protocol::ToolOutcome;
    use patchwright_protocol::{Mode, SessionResult, Status};
    use patchwright_trajectory::{Redactor, Writer};
    use serde_json::Value;

    use super::*;

    fn shown_of(driver: &str, observations: u32, letters: usize, room: usize) -> Vec<Piece> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trajectory.jsonl");
        let mut writer = Writer::create(&path, Redactor::default()).unwrap();
        writer.write(Event::session_started("s", "", Value::Null, Value::Null, Mode::Agent, driver)).unwrap();
        for cycle in 1..=observations {
            let observation = Event::Observation {
                cycle,
                tool: "read_range".to_owned(),
                text: "x".repeat(letters),
                data: Value::Null,
                outcome: ToolOutcome::Done,
                advance: true,
                seconds: 0.1,
            };
            writer.write(observation).unwrap();
        }
        let ended = Event::SessionEnded(SessionResult::early(Status::Stuck, "no progress"));
        writer.write(ended).unwrap();
        writer.close().unwrap();
        pieces(&path, room)
    }

    #[test]
    fn a_long_text_and_a_long_trajectory_are_cut_with_a_note() {
        let long = shown_of("m", 1, 1_000_000, 100_000);
        let cut = "[… 994000 letters left out; the trajectory has all …]";
        assert!(long.iter().any(|piece| piece.text.contains(cut)));
        assert!(long.iter().map(|piece| piece.text.len()).sum::<usize>() < 2 * SHOWN);
        let many = shown_of("m", 100, 1_000, 8_000);
        assert!(many.iter().map(|piece| piece.text.len()).sum::<usize>() < 10_000);
        assert!(many.contains(&note("92 events left out here; the file has all of them")));
        let time = "0.0 s: model 0.0 s, planning 0.0 s, tests 0.0 s, tools 0.0 s, getting ready 0.0 s";
        assert_eq!(many[many.len() - 2..], [line("ended", "no progress"), line("time", time)]);
        assert!(!shown_of("m", 3, 10, 8_000).iter().any(|piece| piece.text.contains("left out")));
    }

    #[test]
    fn where_no_model_was_asked_nothing_is_said_to_one() {
        let kinds = |driver: &str| {
            shown_of(driver, 2, 10, 8_000).into_iter().map(|piece| piece.name).collect::<Vec<_>>()
        };
        assert_eq!(kinds(BY_PATTERNS), ["started", "ended", "time"]);
        assert!(kinds("m").contains(&"read_range (0.1 s)".to_owned()));
    }

    #[test]
    fn a_page_stays_of_a_size_however_many_cases_it_has() {
        assert_eq!((room(0), room(1)), (MOST, MOST));
        assert_eq!((room(200), room(100_000)), (40_000, LEAST));
    }

    #[test]
    fn the_names_of_files_are_no_changes() {
        let lines = diff_lines("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n--- b\n+c\n");
        let classes: Vec<&str> = lines.into_iter().map(|(class, _)| class).collect();
        assert_eq!(classes, ["h", "h", "", "c", "c", "a"]);
    }
}
