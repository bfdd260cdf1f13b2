//! The gathered information as a log that only grows.

use minijinja::{Value, context};

use super::lines::{self, Part, Shown};
use super::{ENTRY_PART, heading};
use crate::budget::{cut, cut_lines};
use crate::error::PromptError;
use crate::foreign::{one_line, visible};
use crate::layout::message_bytes;
use crate::templates::Templates;
use crate::view::{Content, Entry};

/// The log as messages: a heading, then one message an entry, oldest first, within `room` bytes.
///
/// What is shown for an entry depends on it and on earlier ones only. When the log outgrows its room, the oldest entries go
/// until half of the room is free; so the messages before the newest stay the same for many cycles, and a
/// provider's prompt cache goes on matching them.
pub(crate) fn messages(
    templates: &Templates,
    entries: &[Entry],
    room: usize,
) -> Result<Vec<String>, PromptError> {
    if entries.is_empty() {
        return Ok(Vec::new());
    }
    let mut log = Log {
        templates,
        entries,
        room,
        first: 0,
        heading: String::new(),
        texts: Vec::new(),
        shown: Shown::default(),
    };
    log.heading = heading(templates, true, &[])?;
    for newest in 0..entries.len() {
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
    entries: &'a [Entry],
    room: usize,
    /// The oldest entry that is kept.
    first: usize,
    heading: String,
    texts: Vec<String>,
    shown: Shown<'a>,
}

impl Log<'_> {
    fn push(&mut self, index: usize) -> Result<(), PromptError> {
        let text = render(self.templates, &self.entries[index], self.room / ENTRY_PART, &mut self.shown)?;
        self.texts.push(text);
        Ok(())
    }

    fn bytes(&self) -> usize {
        std::iter::once(&self.heading).chain(&self.texts).map(|text| message_bytes(text)).sum()
    }

    /// Drops the oldest entries so that about half of the room is free, keeping at least `newest`.
    fn trim(&mut self, newest: usize) -> Result<(), PromptError> {
        let mut first = newest;
        let mut bytes = 0;
        while first > self.first {
            let alone =
                render(self.templates, &self.entries[first], self.room / ENTRY_PART, &mut Shown::default())?;
            bytes += message_bytes(&alone);
            if bytes > self.room / 2 {
                break;
            }
            first -= 1;
        }
        self.first = (first + 1).min(newest);
        self.heading = heading(self.templates, true, &self.entries[..self.first])?;
        self.shown = Shown::default();
        self.texts.clear();
        (self.first..=newest).try_for_each(|index| self.push(index))
    }

    /// For a room so small that even one entry does not fit beside the heading.
    fn only_the_newest(mut self) -> Result<Vec<String>, PromptError> {
        let before = self.entries.len() - 1;
        self.heading = heading(self.templates, true, &self.entries[..before])?;
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
    entry: &'a Entry,
    room: usize,
    shown: &mut Shown<'a>,
) -> Result<String, PromptError> {
    let (path, parts, note) = match &entry.content {
        Content::Lines { path, lines, note } => {
            (path.as_str(), lines::parts(path, lines, entry.cycle, room, shown), note.as_deref())
        }
        Content::Text(text) => {
            let part = match shown.text(text) {
                Some(cycle) => Part::Repeat { cycle },
                None => Part::Text(cut(&visible(text.trim_end()), room).into_owned()),
            };
            shown.add_text(text, entry.cycle);
            ("", vec![part], None)
        }
    };
    let parts: Vec<Value> = parts.iter().map(Part::to_value).collect();
    let command = one_line(&entry.command);
    let command = lines::cut_line(&command, room / 4);
    let note = cut(note.unwrap_or_default(), room / 4);
    templates.render("gathered_entry.md", context! { cycle => entry.cycle, command, path, parts, note })
}
