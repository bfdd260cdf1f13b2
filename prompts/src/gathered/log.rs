//! The gathered information as a log that only grows.

use std::ops::Range;

use minijinja::{Value, context};
use patchwright_protocol::{Message, Role, SourceLines, Turn};

use super::lines::{self, Part, ShownContent};
use super::{FINDING_PART, heading};
use crate::budget::{cut, cut_lines};
use crate::error::PromptError;
use crate::prompt::message_bytes;
use crate::templates::Templates;
use crate::untrusted::{one_line, visible};
use crate::view::{CallResult, Finding, FindingContent, NativeTurn, PromptView};

/// What a call is answered that has not run.
const NOT_RUN: &str = "Not run: a call before it changed what is known. Ask again if it is still needed.";

/// The log as messages: a heading, then the entries, oldest first, within `room` bytes. A finding is one message; a reply with native calls
/// is one, followed by one for what came of each call.
///
/// What is shown for an entry depends on it and on earlier ones only. When the log outgrows its room, the oldest entries go
/// until half of the room is free; so the messages before the newest stay the same for many cycles, and a
/// provider's prompt cache goes on matching them.
pub(crate) fn messages(
    templates: &Templates,
    view: &PromptView<'_>,
    room: usize,
) -> Result<Vec<Message>, PromptError> {
    let entries = entries(view);
    if entries.is_empty() {
        return Ok(Vec::new());
    }
    let mut log = Log {
        templates,
        findings: view.findings,
        before: view.task.gathered.len(),
        entries,
        room,
        first: 0,
        heading: String::new(),
        messages: Vec::new(),
        shown: ShownContent::default(),
    };
    log.heading = heading(templates, true, &[])?;
    for newest in 0..log.entries.len() {
        log.push(newest)?;
        if log.bytes() > room {
            log.trim(newest)?;
        }
    }
    if log.bytes() > room {
        return log.only_the_newest();
    }
    Ok(std::iter::once(Message::new(Role::User, log.heading)).chain(log.messages).collect())
}

/// What stands together in the log.
#[derive(Clone, Debug)]
enum Entry<'a> {
    /// A finding, by its place.
    Finding(usize),
    /// A reply with native calls, with the places of all that they found.
    Turn(&'a NativeTurn, Range<usize>),
}

impl Entry<'_> {
    /// The places of its findings.
    fn places(&self) -> Range<usize> {
        match self {
            Self::Finding(index) => *index..index + 1,
            Self::Turn(_, places) => places.clone(),
        }
    }
}

/// The entries in their order. Findings before the first cycle, and those that no native call brought, stand for themselves.
fn entries<'a>(view: &PromptView<'a>) -> Vec<Entry<'a>> {
    // The view's findings begin with those of the task; turns count from behind them.
    let before = view.task.gathered.len();
    let mut entries = Vec::new();
    let mut next = 0;
    for turn in view.turns {
        let found = turn.calls.iter().filter_map(|call| match &call.result {
            CallResult::Found(places) => Some(places.start + before..places.end + before),
            CallResult::NotRun | CallResult::Told(_) => None,
        });
        let places = found.reduce(|all, more| all.start..more.end);
        let older =
            || view.findings.iter().take_while(|finding| finding.cycle < turn.cycle).count().max(next);
        let places = places.unwrap_or_else(|| older()..older());
        entries.extend((next..places.start).map(Entry::Finding));
        next = next.max(places.end);
        entries.push(Entry::Turn(turn, places));
    }
    entries.extend((next..view.findings.len()).map(Entry::Finding));
    entries
}

struct Log<'a> {
    templates: &'a Templates,
    findings: &'a [Finding],
    /// Findings of the task, in front of those that turns speak of.
    before: usize,
    entries: Vec<Entry<'a>>,
    room: usize,
    /// The oldest entry that is kept.
    first: usize,
    heading: String,
    messages: Vec<Message>,
    shown: ShownContent<'a>,
}

impl<'a> Log<'a> {
    fn push(&mut self, index: usize) -> Result<(), PromptError> {
        let mut shown = std::mem::take(&mut self.shown);
        let messages = self.rendered(index, &mut shown)?;
        self.shown = shown;
        self.messages.extend(messages);
        Ok(())
    }

    fn bytes(&self) -> usize {
        message_bytes(&self.heading) + bytes(&self.messages)
    }

    /// The messages of an entry.
    fn rendered(&self, index: usize, shown: &mut ShownContent<'a>) -> Result<Vec<Message>, PromptError> {
        let finding = |place: usize, shown: &mut ShownContent<'a>| {
            let finding = &self.findings[place];
            let room = self.room / FINDING_PART;
            render(self.templates, finding, self.continues(place), room, shown)
        };
        let turn = match &self.entries[index] {
            Entry::Finding(place) => return Ok(vec![Message::new(Role::User, finding(*place, shown)?)]),
            Entry::Turn(turn, _) => *turn,
        };
        let (cycle, before) = (turn.cycle, self.before);
        let commands: Vec<&str> = turn.calls.iter().map(|call| call.command.as_str()).collect();
        let text = format!("{}\n{}", turn.text.trim(), commands.join("\n"));
        let reply = Message::new(Role::Assistant, text.trim());
        let mut messages = vec![Message { turn: Some(Turn::Reply { cycle }), ..reply }];
        for (call, made) in turn.calls.iter().enumerate() {
            let text = match &made.result {
                CallResult::NotRun => NOT_RUN.to_owned(),
                CallResult::Told(text) => visible(text.trim_end()).into_owned(),
                CallResult::Found(places) => {
                    let places = places.start + before..places.end + before;
                    let texts: Result<Vec<String>, _> = places.map(|place| finding(place, shown)).collect();
                    texts?.join("\n")
                }
            };
            let result = Message::new(Role::Tool, text);
            messages.push(Message { turn: Some(Turn::Result { cycle, call }), ..result });
        }
        Ok(messages)
    }

    /// Whether a finding is of the same command as the one above it, so that the heading of that one does for both.
    fn continues(&self, place: usize) -> bool {
        let oldest = self.entries[self.first].places().start;
        let command = |place: usize| (self.findings[place].cycle, self.findings[place].command.as_str());
        place > oldest && command(place - 1) == command(place)
    }

    /// Drops the oldest entries so that about half of the room is free, keeping at least `newest`.
    fn trim(&mut self, newest: usize) -> Result<(), PromptError> {
        let mut first = newest;
        let mut taken = 0;
        while first > self.first {
            taken += bytes(&self.rendered(first, &mut ShownContent::default())?);
            if taken > self.room / 2 {
                break;
            }
            first -= 1;
        }
        self.first = (first + 1).min(newest);
        let dropped = self.entries[self.first].places().start;
        self.heading = heading(self.templates, true, &self.findings[..dropped])?;
        self.shown = ShownContent::default();
        self.messages.clear();
        (self.first..=newest).try_for_each(|index| self.push(index))
    }

    /// For a room so small that even one entry does not fit beside the heading.
    fn only_the_newest(mut self) -> Result<Vec<Message>, PromptError> {
        let mut places = self.entries.last().map_or(0..0, Entry::places);
        // Of a reply with several calls only the last finding is shown, and nothing above it.
        let last = places.next_back();
        self.heading = heading(self.templates, true, &self.findings[..last.unwrap_or(places.start)])?;
        let newest = match last {
            Some(place) => {
                let (finding, room) = (&self.findings[place], self.room / FINDING_PART);
                render(self.templates, finding, false, room, &mut ShownContent::default())?
            }
            None => self.messages.pop().map(|message| message.text).unwrap_or_default(),
        };
        let left = self.room.saturating_sub(message_bytes(&self.heading) + message_bytes(""));
        let newest = cut_lines(&newest, left);
        if newest.is_empty() {
            return Ok(Vec::new());
        }
        // A result alone has no call to belong to.
        Ok([self.heading, newest.into_owned()].map(|text| Message::new(Role::User, text)).into())
    }
}

fn bytes(messages: &[Message]) -> usize {
    messages.iter().map(|message| message_bytes(&message.text)).sum()
}

/// One entry as text.
fn render<'a>(
    templates: &Templates,
    finding: &'a Finding,
    continues: bool,
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
    let entry = context! { cycle => finding.cycle, continues, command, path, parts, note };
    templates.render("gathered_entry.md", entry)
}
