//! A trajectory, readable.

use std::io::{self, Write};
use std::path::Path;

use patchwright_trajectory::{Event, Reader};

use super::html::Escaped;

/// Letters of one text that are shown: the first and last part of what is longer.
const SHOWN: usize = 6000;

/// Writes the events of a trajectory. Prompts are left out but for their size: they repeat what is shown.
///
/// # Errors
/// When `out` cannot be written.
pub(super) fn trajectory(path: &Path, out: &mut dyn Write) -> io::Result<()> {
    let reader = match Reader::open(path) {
        Ok(reader) => reader,
        Err(error) => return writeln!(out, "<p class=\"note\">{}</p>", Escaped(&error.to_string())),
    };
    let mut cycle = 0;
    for record in reader {
        let record = match record {
            Ok(record) => record,
            Err(error) => return writeln!(out, "<p class=\"note\">{}</p>", Escaped(&error.to_string())),
        };
        if let Some(next) = record.event.cycle().filter(|next| *next > cycle) {
            cycle = next;
            writeln!(out, "<h3>Cycle {cycle}</h3>")?;
        }
        event(&record.event, out)?;
    }
    Ok(())
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
        Event::Candidate { id, origin, diff: changed, .. } => {
            line(&format!("candidate {id}"), origin, out)?;
            changed.as_deref().map_or(Ok(()), |changed| diff(changed, out))
        }
        Event::Verdict { candidate, verdict, still_failing, newly_failing, message, .. } => {
            let mut told = format!("candidate {candidate} is {verdict}");
            for (what, tests) in [("still failing", still_failing), ("newly failing", newly_failing)] {
                if !tests.is_empty() {
                    told.push_str(&format!("\n{what}: {}", tests.join(", ")));
                }
            }
            if let Some(message) = message {
                told.push_str(&format!("\n{message}"));
            }
            block("verdict", &told, out)
        }
        Event::Intervention { text, .. } => block("a person stepped in", text, out),
        Event::Notice { text, .. } => line("notice", text, out),
        Event::SessionEnded { reason, .. } => line("ended", reason, out),
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
    for line in shortened(diff).lines() {
        let class = match line.as_bytes().first() {
            Some(b'+') => " class=\"a\"",
            Some(b'-') => " class=\"c\"",
            _ => "",
        };
        write!(out, "<i{class}>{} </i>", Escaped(line))?;
    }
    writeln!(out, "</pre>")
}

/// The first and the last part of a long text.
fn shortened(text: &str) -> String {
    let letters = text.chars().count();
    if letters <= SHOWN {
        return text.to_owned();
    }
    let half = SHOWN / 2;
    let first: String = text.chars().take(half).collect();
    let last: String = text.chars().skip(letters - half).collect();
    format!("{first}\n[… {} letters are left out; the trajectory has them …]\n{last}", letters - 2 * half)
}
