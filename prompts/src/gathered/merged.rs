//! The gathered information with every line once, file by file: the paper's order.

use std::collections::{BTreeMap, BTreeSet};

use minijinja::context;
use patchwright_protocol::SourceLines;

use super::lines::{self, Part, ShownContent};
use super::{FINDING_PART, heading};
use crate::budget::{cut, newest_that_fit};
use crate::error::PromptError;
use crate::templates::Templates;
use crate::untrusted::visible;
use crate::view::{Finding, FindingContent};

/// The section within `room` bytes: lines merged per file, then the other results; repeats appear once. The oldest
/// findings go first when there is too much, and the heading says so.
pub(crate) fn text(templates: &Templates, findings: &[Finding], room: usize) -> Result<String, PromptError> {
    if findings.is_empty() {
        return Ok(String::new());
    }
    // The size hardly ever grows when more are dropped, so halving finds the least number.
    newest_that_fit(findings.len() - 1, room, |dropped| merged(templates, findings, dropped, room))
}

/// The lines that were read of one file.
#[derive(Default)]
struct Read<'a> {
    lines: BTreeMap<u32, &'a str>,
    notes: Vec<String>,
}

/// The section without the first `dropped` findings, whatever its size.
fn merged(
    templates: &Templates,
    findings: &[Finding],
    dropped: usize,
    room: usize,
) -> Result<String, PromptError> {
    let mut order: Vec<&str> = Vec::new();
    let mut files: BTreeMap<&str, Read> = BTreeMap::new();
    let mut texts: Vec<(&Finding, &str)> = Vec::new();
    let mut seen: BTreeSet<(&str, &str)> = BTreeSet::new();
    for finding in &findings[dropped..] {
        match &finding.content {
            FindingContent::Lines(SourceLines { path, lines, note }) => {
                let read = files.entry(path).or_insert_with(|| {
                    order.push(path);
                    Read::default()
                });
                read.add(lines, room / FINDING_PART);
                read.notes.extend(note.clone().filter(|note| !read.notes.contains(note)));
            }
            FindingContent::Text(text) => {
                if seen.insert((&finding.command, text)) {
                    texts.push((finding, text));
                }
            }
        }
    }
    let mut sections = vec![heading(templates, false, &findings[..dropped])?];
    for path in order {
        let read = &files[path];
        let context = context! { path, parts => read.ranges(), notes => &read.notes };
        sections.push(templates.render("gathered_file.md", context)?);
    }
    for (finding, text) in texts {
        let parts =
            vec![Part::Text(cut(&visible(text.trim_end()), room / FINDING_PART).into_owned()).to_value()];
        let command = &finding.command;
        let context =
            context! { cycle => finding.cycle, continues => false, command, path => "", parts, note => "" };
        sections.push(templates.render("gathered_entry.md", context)?);
    }
    Ok(sections.join("\n\n"))
}

impl<'a> Read<'a> {
    /// Adds lines; what one entry cannot show within `room` bytes is noted.
    fn add(&mut self, lines: &'a [(u32, String)], room: usize) {
        let mut left_out = BTreeSet::new();
        for part in lines::parts("", lines, 0, room, &mut ShownContent::default()) {
            if let Part::LeftOut { first, last } = part {
                left_out.extend(first..=last);
                self.notes.push(format!("(lines {first}-{last}: left out to save room)"));
            }
        }
        let kept = lines.iter().filter(|(number, _)| !left_out.contains(number));
        self.lines.extend(kept.map(|(number, text)| (*number, text.as_str())));
    }

    /// The lines as blocks of neighbours.
    fn ranges(&self) -> Vec<String> {
        let mut ranges: Vec<Vec<(u32, &str)>> = Vec::new();
        for (&number, &text) in &self.lines {
            match ranges.last_mut() {
                Some(range) if range.last().is_some_and(|(last, _)| last + 1 == number) => {
                    range.push((number, text));
                }
                _ => ranges.push(vec![(number, text)]),
            }
        }
        ranges.into_iter().map(lines::block).collect()
    }
}
