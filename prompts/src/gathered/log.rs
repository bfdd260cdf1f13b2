//! The gathered information as a log that only grows.

use minijinja::{Value, context};
use patchwright_protocol::SourceLines;

use super::lines::{self, Part, ShownContent};
use super::{FINDING_PART, heading};
use crate::budget::{cut, cut_lines};
use crate::error::PromptError;
use crate::prompt::message_bytes;
use crate::templates::Templates;
use crate::untrusted::{one_line, visible};
use crate::view::{Finding, FindingContent};

/// The log as messages: a heading, then one message an entry, oldest first, within `room` bytes.
///
/// What is shown for an entry depends on it and on earlier ones only. When the log outgrows its room, the oldest findings go
/// until half of the room is free; so the messages before the newest stay the same for many cycles, and a
/// provider's prompt cache goes on matching them.
pub(crate) fn messages(
    templates: &Templates,
    findings: &[Finding],
    room: usize,
) -> Result<Vec<String>, PromptError> {
    if findings.is_empty() {
        return Ok(Vec::new());
    }
    let mut log = Log {
        templates,
        findings,
        room,
        first: 0,
        heading: String::new(),
        texts: Vec::new(),
        shown: ShownContent::default(),
    };
    log.heading = heading(templates, true, &[])?;
    for newest in 0..findings.len() {
        log.push(newest)?;
        if log.bytes() > room {
            log.trim(newest)?;
        }
    }
    if log.bytes() > room {
        return log.only_the_newest();
    }
    Ok(std::iter::once(log.heading).chain(log.texts).collect())
}

struct Log<'a> {
    templates: &'a Templates,
    findings: &'a [Finding],
    room: usize,
    /// The oldest entry that is kept.
    first: usize,
    heading: String,
    texts: Vec<String>,
    shown: ShownContent<'a>,
}

impl Log<'_> {
    fn push(&mut self, index: usize) -> Result<(), PromptError> {
        let text = render(self.templates, &self.findings[index], self.room / FINDING_PART, &mut self.shown)?;
        self.texts.push(text);
        Ok(())
    }

    fn bytes(&self) -> usize {
        std::iter::once(&self.heading).chain(&self.texts).map(|text| message_bytes(text)).sum()
    }

    /// Drops the oldest findings so that about half of the room is free, keeping at least `newest`.
    fn trim(&mut self, newest: usize) -> Result<(), PromptError> {
        let mut first = newest;
        let mut bytes = 0;
        while first > self.first {
            let alone = render(
                self.templates,
                &self.findings[first],
                self.room / FINDING_PART,
                &mut ShownContent::default(),
            )?;
            bytes += message_bytes(&alone);
            if bytes > self.room / 2 {
                break;
            }
            first -= 1;
        }
        self.first = (first + 1).min(newest);
        self.heading = heading(self.templates, true, &self.findings[..self.first])?;
        self.shown = ShownContent::default();
        self.texts.clear();
        (self.first..=newest).try_for_each(|index| self.push(index))
    }

    /// For a room so small that even one entry does not fit beside the heading.
    fn only_the_newest(mut self) -> Result<Vec<String>, PromptError> {
        let before = self.findings.len() - 1;
        self.heading = heading(self.templates, true, &self.findings[..before])?;
        let newest = self.texts.pop().unwrap_or_default();
        let left = self.room.saturating_sub(message_bytes(&self.heading) + message_bytes(""));
        let newest = cut_lines(&newest, left);
        if newest.is_empty() {
            return Ok(Vec::new());
        }
        Ok(vec![self.heading, newest.into_owned()])
    }
}

/// One entry as text.
fn render<'a>(
    templates: &Templates,
    finding: &'a Finding,
    room: usize,
    shown: &mut ShownContent<'a>,
) -> Result<String, PromptError> {
    let (path, parts, note) = match &finding.content {
        FindingContent::Lines(SourceLines { path, lines, note }) => {
            (path.as_str(), lines::parts(path, lines, finding.cycle, room, shown), note.as_deref())
        }
        FindingContent::Text(text) => {
            let part = match shown.text(text) {
                Some(cycle) => Part::Repeat { cycle },
                None => Part::Text(cut(&visible(text.trim_end()), room).into_owned()),
            };
            shown.add_text(text, finding.cycle);
            ("", vec![part], None)
        }
    };
    let parts: Vec<Value> = parts.iter().map(Part::to_value).collect();
    let command = one_line(&finding.command);
    let command = lines::cut_line(&command, room / 4);
    let note = cut(note.unwrap_or_default(), room / 4);
    templates.render("gathered_entry.md", context! { cycle => finding.cycle, command, path, parts, note })
}
