//! A trajectory, readable.

use std::io::{self, Write};
use std::path::Path;

use patchwright_protocol::TestId;
use patchwright_trajectory::{Event, Reader};

use super::html::Escaped;
use crate::run::counted;

/// Letters of one text that are shown: the first and last part of what is longer.
const SHOWN: usize = 6000;

/// Bytes that all trajectories of a page take together, about, and the least and most that one of them does.
const ALL: usize = 8_000_000;
const LEAST: usize = 8_000;
const MOST: usize = 400_000;

/// Bytes that each trajectory may take on a page with so many.
pub(super) fn room(cases: usize) -> usize {
    (ALL / cases.max(1)).clamp(LEAST, MOST)
}

/// Writes the events of a trajectory, as many as there is room for, and its end. Prompts are left out but for their size: they repeat what
/// is shown.
///
/// # Errors
/// When `out` cannot be written.
pub(super) fn trajectory(path: &Path, room: usize, out: &mut dyn Write) -> io::Result<()> {
    let reader = match Reader::open(path) {
        Ok(reader) => reader,
        Err(error) => return writeln!(out, "<p class=\"note\">{}</p>", Escaped(&error.to_string())),
    };
    let (mut cycle, mut left_out) = (0, 0);
    let mut shown = Vec::new();
    for record in reader {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                writeln!(shown, "<p class=\"note\">{}</p>", Escaped(&error.to_string()))?;
                break;
            }
        };
        if shown.len() > room && !matches!(record.event, Event::SessionEnded(_)) {
            left_out += 1;
            continue;
        }
        if left_out > 0 {
            gap(left_out, &mut shown)?;
            left_out = 0;
        }
        if let Some(next) = record.event.cycle().filter(|next| *next > cycle) {
            cycle = next;
            writeln!(shown, "<h3>Cycle {cycle}</h3>")?;
        }
        event(&record.event, &mut shown)?;
    }
    if left_out > 0 {
        gap(left_out, &mut shown)?;
    }
    out.write_all(&shown)
}

/// Tells of what is left out.
fn gap(events: u64, out: &mut dyn Write) -> io::Result<()> {
    let events = counted(events, "event");
    writeln!(out, "<p class=\"note\">{events} left out here; the file has all of them</p>")
}

fn event(event: &Event, out: &mut dyn Write) -> io::Result<()> {
    match event {
        Event::SessionStarted { time, driver, .. } => line("started", &format!("{time}, {driver}"), out),
        Event::Detected { reasons, sandbox, notes, .. } => {
            let mut all = reasons.clone();
            all.extend(notes.iter().cloned());
            all.push(format!("sandbox: {sandbox}"));
            block("project", &all.join("\n"), out)
        }
        Event::Baseline { total, passed, failing, report, .. } => {
            let count = failing.len();
            line("tests before", &format!("{passed} of {total} pass, {count} show the bug"), out)?;
            block("report", report, out)
        }
        Event::Prompt { tokens, .. } => line("prompt", &format!("about {tokens} tokens"), out),
        Event::Reply { text, tool_calls, .. } => {
            let mut whole = text.clone();
            for call in tool_calls {
                whole.push_str(&format!("\n{} {}", call.name, call.arguments));
            }
            block("reply", whole.trim(), out)
        }
        Event::Call { tool, arguments, repairs, .. } => {
            let arguments = serde_json::to_string_pretty(arguments).unwrap_or_default();
            block(&format!("call: {tool}"), &arguments, out)?;
            if repairs.is_empty() { Ok(()) } else { line("repaired", &repairs.join("; "), out) }
        }
        Event::Refusal { message, .. } => block("refused", message, out),
        Event::Observation { tool, text, seconds, .. } => {
            block(&format!("{tool} ({seconds:.1} s)"), text, out)
        }
        Event::Transition { from, to, .. } => line("state", &format!("{from} → {to}"), out),
        Event::Hypothesis { text, .. } => block("hypothesis", text, out),
        Event::HypothesisDiscarded { reason, .. } => block("hypothesis given up", reason, out),
        Event::Candidate { candidate, .. } => {
            line(&format!("candidate {}", candidate.id), candidate.origin.word(), out)?;
            candidate.diff.as_deref().map_or(Ok(()), |changed| diff(changed, out))
        }
        Event::Verdict { candidate, result, .. } => {
            let mut told = format!("candidate {candidate}: {}", result.verdict);
            for (what, tests) in
                [("still failing", &result.still_failing), ("newly failing", &result.newly_failing)]
            {
                if !tests.is_empty() {
                    told.push_str(&format!("\n{what}: {}", TestId::listed(tests)));
                }
            }
            if let Some(message) = &result.message {
                told.push_str(&format!("\n{message}"));
            }
            block("verdict", &told, out)
        }
        Event::Intervention { text, .. } => block("a person stepped in", text, out),
        Event::Notice { text, .. } => line("notice", text, out),
        Event::SessionEnded(result) => line("ended", &result.reason, out),
    }
}

fn line(name: &str, text: &str, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<p class=\"event\"><b>{}</b> {}</p>", Escaped(name), Escaped(text))
}

fn block(name: &str, text: &str, out: &mut dyn Write) -> io::Result<()> {
    if text.is_empty() {
        return Ok(());
    }
    let shown = Escaped(name);
    writeln!(out, "<div class=\"event\"><b>{shown}</b><pre>{}</pre></div>", Escaped(&shortened(text)))
}

/// Writes a diff, its lines coloured.
///
/// # Errors
/// When `out` cannot be written.
pub(super) fn diff(diff: &str, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "<pre>")?;
    let shown = shortened(diff);
    let mut lines = shown.lines().peekable();
    let mut named = false;
    while let Some(line) = lines.next() {
        // The two names of a file stand together, and are neither taken away nor added.
        let first_name =
            line.starts_with("--- ") && lines.peek().is_some_and(|next| next.starts_with("+++ "));
        let class = match line.as_bytes().first() {
            _ if first_name || named => " class=\"h\"",
            Some(b'+') => " class=\"a\"",
            Some(b'-') => " class=\"c\"",
            _ => "",
        };
        named = first_name;
        write!(out, "<i{class}>{} </i>", Escaped(line))?;
    }
    writeln!(out, "</pre>")
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
    use patchwright_protocol::{Mode, SessionResult, Status};
    use patchwright_trajectory::{Redactor, Writer};
    use serde_json::Value;

    use super::*;

    fn shown(observations: u32, letters: usize, room: usize) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trajectory.jsonl");
        let mut writer = Writer::create(&path, Redactor::default()).unwrap();
        writer.write(Event::session_started("s", "", Value::Null, Value::Null, Mode::Agent, "m")).unwrap();
        for cycle in 1..=observations {
            let observation = Event::Observation {
                cycle,
                tool: "read_range".to_owned(),
                text: "x".repeat(letters),
                data: Value::Null,
                advance: true,
                seconds: 0.1,
            };
            writer.write(observation).unwrap();
        }
        let ended = Event::SessionEnded(SessionResult::early(Status::Stuck, "no progress"));
        writer.write(ended).unwrap();
        writer.close().unwrap();
        let mut out = Vec::new();
        trajectory(&path, room, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_long_text_and_a_long_trajectory_are_cut_with_a_note() {
        let long = shown(1, 1_000_000, 100_000);
        assert!(long.contains("[… 994000 letters left out; the trajectory has all …]"));
        assert!(long.len() < 2 * SHOWN, "{}", long.len());
        let many = shown(100, 1_000, 8_000);
        assert!(many.len() < 10_000, "{}", many.len());
        let note = "<p class=\"note\">92 events left out here; the file has all of them</p>";
        assert!(many.contains(note));
        assert!(many.trim_end().ends_with("<p class=\"event\"><b>ended</b> no progress</p>"));
        assert!(!shown(3, 10, 8_000).contains("left out"));
    }

    #[test]
    fn a_page_stays_of_a_size_however_many_cases_it_has() {
        assert_eq!((room(0), room(1)), (MOST, MOST));
        assert_eq!((room(200), room(100_000)), (40_000, LEAST));
    }

    #[test]
    fn the_names_of_files_are_no_changes() {
        let mut out = Vec::new();
        diff("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n--- b\n+c\n", &mut out).unwrap();
        let page = String::from_utf8(out).unwrap();
        let classes = ["class=\"h\"", "class=\"c\"", "class=\"a\""].map(|class| page.matches(class).count());
        assert_eq!(classes, [2, 2, 1], "{page}");
    }
}
