//! `patchwright reply`

use std::io::{self, Write};
use std::path::Path;

use memchr::memchr_iter;
use patchwright_command_line::cli::ReplyArgs;
use patchwright_protocol::Failure;
use patchwright_replies::{EntryCount, Recovered, dotted, recover_each, write_json};
use serde::Serialize;
use serde_json::{Value, json};

use crate::failure::ExitCode;

/// Characters of a value that are shown.
const PREVIEW: usize = 100;

/// Prints the values of a reply.
pub fn run(args: &ReplyArgs) -> Result<ExitCode, Failure> {
    let text = DiskText::new(bytes(&args.file)?);
    if text.replaced > 0 {
        let name = args.file.display();
        crate::say(&format!("{name}: not UTF-8: replaced what is unreadable, in {} places", text.replaced));
    }
    let shown = if args.json { report(&text).map_err(Failure::defect)? } else { listing(&text) };
    crate::print(&shown)?;
    Ok(ExitCode::Done)
}

/// The bytes of the file, or of standard input.
pub fn bytes(file: &Path) -> Result<Vec<u8>, Failure> {
    crate::files::read(file).map_err(|error| {
        Failure::user(format!("{}: {error}", file.display()))
            .hint("give a file that can be read, or `-` for standard input")
    })
}

/// A text that knows where its bytes stand on disk: there may be a byte order mark before it, and bytes in it that are
/// not UTF-8.
struct DiskText {
    text: String,
    replaced: usize,
    /// Places in the text, each with its place on disk, from which on both go on in step.
    steps: Vec<(usize, usize)>,
}

impl DiskText {
    fn new(bytes: Vec<u8>) -> Self {
        let mark = "\u{feff}".as_bytes();
        let mut on_disk = if bytes.starts_with(mark) { mark.len() } else { 0 };
        let mut this = Self { text: String::new(), replaced: 0, steps: vec![(0, on_disk)] };
        let bytes = match String::from_utf8(bytes) {
            Ok(mut text) => {
                text.drain(..on_disk);
                return Self { text, ..this };
            }
            Err(error) => error.into_bytes(),
        };
        for chunk in bytes[on_disk..].utf8_chunks() {
            this.text.push_str(chunk.valid());
            on_disk += chunk.valid().len() + chunk.invalid().len();
            if !chunk.invalid().is_empty() {
                this.replaced += 1;
                this.text.push(char::REPLACEMENT_CHARACTER);
                this.steps.push((this.text.len(), on_disk));
            }
        }
        this
    }

    /// The place on disk of a byte of the text.
    fn on_disk(&self, at: usize) -> usize {
        let later = self.steps.partition_point(|(place, _)| *place <= at);
        self.steps[..later].last().map_or(at, |(place, on_disk)| on_disk + at - place)
    }
}

/// What is printed about a value of a reply, behind the value.
#[derive(Serialize)]
struct About {
    start: usize,
    end: usize,
    line: usize,
    column: usize,
    repairs: Vec<&'static str>,
    damaged: bool,
    cut: bool,
    repairs_made: Vec<Value>,
    damage: Vec<Value>,
}

/// The reply as one JSON object. Each value is written as soon as it is read, and its room used again for the next one.
fn report(text: &DiskText) -> serde_json::Result<String> {
    let mut count = EntryCount::attempted_in(&text.text);
    let mut places = Places::new(&text.text);
    let mut out = format!("{{\"attempted\":{},\"values\":[", count.attempted);
    let mut separator = "";
    for one in recover_each(&text.text) {
        count.add(&one);
        out.push_str(separator);
        separator = ",";
        out.push_str("{\"value\":");
        write_json(&one.value, &mut out);
        let about = serde_json::to_string(&about(text, &mut places, &one))?;
        out.push_str(&about.replacen('{', ",", 1));
    }
    let EntryCount { recovered, damaged, .. } = count;
    let entries = json!({"recovered": recovered, "damaged": damaged});
    out.push_str(&format!("],\"entries\":{entries},\"invalid_utf8\":{}}}\n", text.replaced));
    Ok(out)
}

fn about(text: &DiskText, places: &mut Places<'_>, one: &Recovered) -> About {
    let (line, column) = places.of(one.span.start);
    let made = one
        .repairs
        .iter()
        .map(|made| json!({"kind": made.kind.name(), "at": text.on_disk(made.at), "count": made.count}));
    let damage = one.damage.iter().map(|damage| {
        let at = text.on_disk(damage.at);
        json!({"kind": damage.kind.name(), "pointer": damage.pointer, "at": at})
    });
    About {
        start: text.on_disk(one.span.start),
        end: text.on_disk(one.span.end),
        line,
        column,
        repairs: one.repairs.iter().map(|made| made.kind.name()).collect(),
        damaged: !one.damage.is_empty(),
        cut: one.cut(),
        repairs_made: made.collect(),
        damage: damage.collect(),
    }
}

fn listing(text: &DiskText) -> String {
    let mut places = Places::new(&text.text);
    let mut count = EntryCount::attempted_in(&text.text);
    let (mut values, mut damaged, mut repaired) = (0, 0, 0);
    let mut out = String::new();
    for one in recover_each(&text.text) {
        count.add(&one);
        values += 1;
        damaged += usize::from(!one.damage.is_empty());
        repaired += usize::from(!one.repairs.is_empty());
        let (line, column) = places.of(one.span.start);
        let (start, end) = (text.on_disk(one.span.start), text.on_disk(one.span.end));
        out.push_str(&format!("{line}:{column} (bytes {start} to {end}): {}\n", preview(&one.value)));
        for made in &one.repairs {
            let times = if made.count > 1 { format!(", {} times", made.count) } else { String::new() };
            out.push_str(&format!("    repaired: {}{times}, at byte {}\n", made.kind, text.on_disk(made.at)));
        }
        for damage in &one.damage {
            let (path, at) = (printable(&dotted(&damage.pointer)), text.on_disk(damage.at));
            let path = if path.is_empty() { "the whole".to_owned() } else { path };
            out.push_str(&format!("    damaged: {path}: {}, at byte {at}\n", damage.kind));
        }
    }
    out.push_str(&format!(
        "{values} value{}, {repaired} repaired, {damaged} damaged; entries that name a file: {} attempted, {} recovered, {} damaged\n",
        if values == 1 { "" } else { "s" },
        count.attempted,
        count.recovered,
        count.damaged
    ));
    out
}

/// The begin of a value on one line.
fn preview(value: &Value) -> String {
    let mut begin = Begin { bytes: Vec::new(), most: PREVIEW * char::MAX.len_utf8() };
    // Writing ends with an error where enough is written.
    let whole = serde_json::to_writer(&mut begin, value).is_ok();
    let text = printable(&String::from_utf8_lossy(&begin.bytes));
    match text.char_indices().nth(PREVIEW) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None if whole => text,
        None => format!("{text}…"),
    }
}

/// The first bytes of what is written.
struct Begin {
    bytes: Vec<u8>,
    most: usize,
}

impl Write for Begin {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(self.most - self.bytes.len());
        self.bytes.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A text in which a terminal finds no commands.
fn printable(text: &str) -> String {
    text.replace(char::is_control, "\u{fffd}")
}

/// Lines and columns, counted from 1 and in characters, of places that are asked for in their order.
struct Places<'t> {
    text: &'t str,
    at: usize,
    line: usize,
    column: usize,
}

impl<'t> Places<'t> {
    fn new(text: &'t str) -> Self {
        Self { text, at: 0, line: 1, column: 1 }
    }

    fn of(&mut self, place: usize) -> (usize, usize) {
        let passed = &self.text[self.at..place];
        self.line += memchr_iter(b'\n', passed.as_bytes()).count();
        self.column = match passed.rfind('\n') {
            Some(last) => passed[last + 1..].chars().count() + 1,
            None => self.column + passed.chars().count(),
        };
        self.at = place;
        (self.line, self.column)
    }
}
