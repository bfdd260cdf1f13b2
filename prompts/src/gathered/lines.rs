//! Lines of code in the prompt: which are new, which were shown before, which find no room.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use minijinja::{Value, context};

use crate::untrusted::one_line;

/// A line longer than this is shown with its middle left out, in bytes.
const LONGEST_LINE: usize = 1_000;

/// The mark between lines of a file that do not follow one another.
const GAP: &str = "...\n";

/// Lines shown before are only left out where they take more room than the note that replaces them, in bytes.
const SHORTEST_GAP: usize = 120;

/// The lines and texts that a prompt shows so far.
#[derive(Debug, Default)]
pub(crate) struct ShownContent<'a> {
    /// File → line → its text and the cycle that showed it.
    lines: HashMap<&'a str, BTreeMap<u32, (&'a str, u32)>>,
    /// Text → the cycle that showed it.
    texts: HashMap<&'a str, u32>,
}

impl<'a> ShownContent<'a> {
    /// The cycle that showed this line with this text.
    fn line(&self, path: &str, number: u32, text: &str) -> Option<u32> {
        let (shown, cycle) = self.lines.get(path)?.get(&number)?;
        (*shown == text).then_some(*cycle)
    }

    /// Notes that this line is shown.
    fn add_line(&mut self, path: &'a str, number: u32, text: &'a str, cycle: u32) {
        self.lines.entry(path).or_default().entry(number).or_insert((text, cycle));
    }

    /// The cycle that showed this text, if leaving it out is worth a note.
    pub(crate) fn text(&self, text: &str) -> Option<u32> {
        (text.len() > SHORTEST_GAP).then(|| self.texts.get(text).copied()).flatten()
    }

    /// Notes that this text is shown.
    pub(crate) fn add_text(&mut self, text: &'a str, cycle: u32) {
        self.texts.entry(text).or_insert(cycle);
    }
}

/// A piece of an entry.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Numbered lines.
    Lines(String),
    /// Text.
    Text(String),
    /// Lines that an earlier entry shows.
    Shown { first: u32, last: u32, cycles: Vec<u32> },
    /// Lines for which there is no room.
    LeftOut { first: u32, last: u32 },
    /// The same text as in an earlier cycle.
    Repeat { cycle: u32 },
}

impl Part {
    /// The part as the templates see it.
    pub(crate) fn to_value(&self) -> Value {
        match self {
            Self::Lines(text) => context! { kind => "lines", text },
            Self::Text(text) => context! { kind => "text", text },
            Self::Shown { first, last, cycles } => {
                let cycles = cycles.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
                context! { kind => "shown", first, last, cycles }
            }
            Self::LeftOut { first, last } => context! { kind => "left_out", first, last },
            Self::Repeat { cycle } => context! { kind => "repeat", cycles => cycle.to_string() },
        }
    }
}

/// The way in which one line is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineDisplay {
    Show,
    Known(u32),
    LeaveOut,
}

/// The parts of an entry of lines: what was shown before is left out, and so is the middle of what exceeds `room`
/// bytes. Notes in `shown` what is shown now.
pub(crate) fn parts<'a>(
    path: &'a str,
    lines: &'a [(u32, String)],
    cycle: u32,
    room: usize,
    shown: &mut ShownContent<'a>,
) -> Vec<Part> {
    let mut displays: Vec<LineDisplay> = lines
        .iter()
        .map(|(number, text)| shown.line(path, *number, text).map_or(LineDisplay::Show, LineDisplay::Known))
        .collect();
    show_short_gaps(lines, &mut displays);
    leave_out_middle(lines, &mut displays, room);
    for ((number, text), display) in lines.iter().zip(&displays) {
        if *display == LineDisplay::Show {
            shown.add_line(path, *number, text, cycle);
        }
    }
    grouped(lines, &displays)
}

/// Shows runs of known lines again where the note would not be shorter than the lines.
fn show_short_gaps(lines: &[(u32, String)], displays: &mut [LineDisplay]) {
    let mut start = 0;
    while start < displays.len() {
        let known = |index: usize| matches!(displays[index], LineDisplay::Known(_));
        let end = (start..displays.len()).find(|&index| !known(index)).unwrap_or(displays.len());
        let bytes: usize = lines[start..end].iter().map(|(number, text)| line_bytes(*number, text)).sum();
        if bytes <= SHORTEST_GAP {
            displays[start..end].fill(LineDisplay::Show);
        }
        start = end.max(start + 1);
    }
}

/// Leaves out the middle of the lines to show, so that head and tail fit into `room` bytes.
fn leave_out_middle(lines: &[(u32, String)], displays: &mut [LineDisplay], room: usize) {
    let new: Vec<usize> = (0..displays.len()).filter(|&index| displays[index] == LineDisplay::Show).collect();
    let bytes = |index: usize| {
        line_bytes(lines[index].0, &lines[index].1) + if follows_gap(lines, index) { GAP.len() } else { 0 }
    };
    if new.iter().map(|&index| bytes(index)).sum::<usize>() <= room {
        return;
    }
    let fitting = |indices: &mut dyn Iterator<Item = usize>| {
        let mut used = 0;
        indices
            .take_while(|&index| {
                used += bytes(index);
                used <= room / 2
            })
            .count()
    };
    let head = fitting(&mut new.iter().copied());
    let tail = fitting(&mut new[head..].iter().rev().copied());
    for &index in &new[head..new.len() - tail] {
        displays[index] = LineDisplay::LeaveOut;
    }
}

/// Is true if lines of the file are missing before this one and after the one before it.
fn follows_gap(lines: &[(u32, String)], index: usize) -> bool {
    index > 0 && lines[index - 1].0 + 1 != lines[index].0
}

/// Joins neighbouring lines of the same fate to parts.
fn grouped(lines: &[(u32, String)], displays: &[LineDisplay]) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for (index, ((number, text), display)) in lines.iter().zip(displays).enumerate() {
        match (display, parts.last_mut()) {
            (LineDisplay::Show, Some(Part::Lines(block))) => {
                block.push('\n');
                if follows_gap(lines, index) {
                    block.push_str(GAP);
                }
                push_line(block, *number, text);
            }
            (LineDisplay::Show, _) => {
                let mut block = String::new();
                push_line(&mut block, *number, text);
                parts.push(Part::Lines(block));
            }
            (LineDisplay::Known(cycle), Some(Part::Shown { last, cycles, .. })) if *number == *last + 1 => {
                *last = *number;
                if !cycles.contains(cycle) {
                    cycles.push(*cycle);
                    cycles.sort_unstable();
                }
            }
            (LineDisplay::Known(cycle), _) => {
                parts.push(Part::Shown { first: *number, last: *number, cycles: vec![*cycle] });
            }
            (LineDisplay::LeaveOut, Some(Part::LeftOut { last, .. })) if *number == *last + 1 => {
                *last = *number;
            }
            (LineDisplay::LeaveOut, _) => parts.push(Part::LeftOut { first: *number, last: *number }),
        }
    }
    parts
}

/// Numbered lines as one block.
pub(crate) fn block<'a>(lines: impl IntoIterator<Item = (u32, &'a str)>) -> String {
    let mut block = String::new();
    for (number, text) in lines {
        if !block.is_empty() {
            block.push('\n');
        }
        push_line(&mut block, number, text);
    }
    block
}

/// Writes `12: text`, the middle of a very long line left out.
fn push_line(block: &mut String, number: u32, text: &str) {
    let _ = write!(block, "{number}: {}", cut_line(&one_line(text), LONGEST_LINE));
}

/// The room that a line takes, in bytes, at least as much as [`push_line`] writes.
fn line_bytes(number: u32, text: &str) -> usize {
    number.to_string().len() + 3 + one_line(text).len().min(LONGEST_LINE)
}

/// The text in at most `room` bytes on one line, with a note where the middle is left out.
pub(crate) fn cut_line(text: &str, room: usize) -> std::borrow::Cow<'_, str> {
    if text.len() <= room {
        return text.into();
    }
    let longest_note = format!("[… {} bytes left out …]", text.len()).len();
    let Some(kept) = room.checked_sub(longest_note) else { return "".into() };
    let head = text.floor_char_boundary(kept.div_ceil(2));
    let tail = text.ceil_char_boundary(text.len() - kept / 2);
    format!("{}[… {} bytes left out …]{}", &text[..head], tail - head, &text[tail..]).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::is_cut;

    fn numbered(range: std::ops::RangeInclusive<u32>) -> Vec<(u32, String)> {
        range.map(|number| (number, format!("    statement number {number};"))).collect()
    }

    #[test]
    fn lines_shown_before_give_way_to_a_note() {
        let mut shown = ShownContent::default();
        let first = numbered(10..=30);
        let second = numbered(5..=40);
        parts("a.py", &first, 1, 100_000, &mut shown);
        let got = parts("a.py", &second, 4, 100_000, &mut shown);
        assert_eq!(
            got,
            [
                Part::Lines(block(second[..5].iter().map(|(n, t)| (*n, t.as_str())))),
                Part::Shown { first: 10, last: 30, cycles: vec![1] },
                Part::Lines(block(second[26..].iter().map(|(n, t)| (*n, t.as_str())))),
            ]
        );
    }

    #[test]
    fn a_gap_shorter_than_its_note_is_shown_again() {
        let mut shown = ShownContent::default();
        let first = numbered(10..=11);
        let second = numbered(8..=13);
        parts("a.py", &first, 1, 100_000, &mut shown);
        assert_eq!(parts("a.py", &second, 2, 100_000, &mut shown).len(), 1);
    }

    #[test]
    fn missing_lines_leave_a_mark() {
        let mut lines = numbered(3..=4);
        lines.extend(numbered(9..=9));
        let got = parts("a.py", &lines, 1, 100_000, &mut ShownContent::default());
        let expect =
            "3:     statement number 3;\n4:     statement number 4;\n...\n9:     statement number 9;";
        assert_eq!(got, [Part::Lines(expect.to_owned())]);
    }

    #[test]
    fn a_line_that_changed_is_shown_again() {
        let mut shown = ShownContent::default();
        let first = numbered(1..=40);
        let changed: Vec<_> = first.iter().map(|(number, text)| (*number, text.to_uppercase())).collect();
        parts("a.py", &first, 1, 100_000, &mut shown);
        assert_eq!(parts("a.py", &changed, 2, 100_000, &mut shown).len(), 1);
    }

    #[test]
    fn the_middle_goes_when_room_is_short() {
        let mut shown = ShownContent::default();
        let lines = numbered(1..=100);
        let got = parts("a.py", &lines, 1, 600, &mut shown);
        assert_eq!(got.len(), 3, "{got:?}");
        assert!(matches!(got[1], Part::LeftOut { first, last } if first > 5 && last < 95), "{got:?}");
    }

    #[test]
    fn a_very_long_line_stays_one_line() {
        let long = "x".repeat(5_000);
        let text = block([(7, long.as_str())]);
        assert!(text.len() < 1_010 && is_cut(&text) && !text.contains('\n'), "{text}");
    }
}
