//! Parts of files that are shown together.

use std::ops::RangeInclusive;

use patchwright_protocol::SourceLines;
use patchwright_syntax::{Project, ProjectPath, Source, Span};

use crate::imports::import_spans;

/// Files whose imports are shown.
const WITH_IMPORTS: usize = 2;
/// Lines of a gap between two parts that are shown all the same: they take hardly more room than to say that they are missing.
const SHORT_GAP: u32 = 2;

/// The parts of one file that are shown, with what the file imports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeExcerpt {
    /// The lines, with a note if others of the file are missing.
    pub shown: SourceLines,
    /// The lines for which the file is shown before all others.
    pub lead: RangeInclusive<u32>,
}

impl CodeExcerpt {
    /// Is true if lines of the file are missing.
    pub fn is_partial(&self) -> bool {
        self.shown.note.is_some()
    }
}

/// Lines of files, the files in the order in which something of them was added.
#[derive(Clone, Debug, Default)]
pub(super) struct Excerpts {
    files: Vec<Shown>,
}

/// The lines of one file.
#[derive(Clone, Debug)]
pub(super) struct Shown {
    pub(super) path: ProjectPath,
    /// Those for which something of the file was added first.
    pub(super) lead: Span,
    /// All, in their order.
    pub(super) spans: Vec<Span>,
}

impl Excerpts {
    /// Adds lines of a file, if all lines together are no more than `most` then; says whether they are shown. Of several spans the last
    /// is what leads to the file: what stands before it says where it is.
    pub(super) fn add(&mut self, path: &ProjectPath, spans: &[Span], most: u32) -> bool {
        let Some(&lead) = spans.last() else { return true };
        let known = self.files.iter().position(|file| &file.path == path);
        let own = known.map_or(&[][..], |place| self.files[place].spans.as_slice());
        let joined = joined(own.iter().chain(spans).copied().collect(), 0);
        if self.lines() - lines_in(own) + lines_in(&joined) > most {
            return false;
        }
        match known {
            Some(place) => self.files[place].spans = joined,
            None => self.files.push(Shown { path: path.clone(), lead, spans: joined }),
        }
        true
    }

    /// What is shown of each file.
    pub(super) fn files(&self) -> &[Shown] {
        &self.files
    }

    /// Is true if this line of a file is among them.
    pub(super) fn shows(&self, path: &ProjectPath, line: u32) -> bool {
        let mut spans = self.files.iter().filter(|file| &file.path == path).flat_map(|file| &file.spans);
        spans.any(|span| span.contains(line))
    }

    /// The number of the lines.
    pub(super) fn lines(&self) -> u32 {
        self.files.iter().map(|file| lines_in(&file.spans)).sum()
    }

    /// The text of the lines, with the imports of the first files; what cannot be read any more is left out.
    pub(super) fn read(self, project: &Project) -> Vec<CodeExcerpt> {
        let excerpt = |(place, Shown { path, lead, spans }): (usize, Shown)| {
            let source = project.read(&path).ok()?;
            let imports = if place < WITH_IMPORTS { import_spans(&path, &source) } else { Vec::new() };
            let spans = joined(spans.into_iter().chain(imports).collect(), SHORT_GAP);
            let lines = lines_of(&source, &spans);
            let total = source.lines().len();
            let note = (lines.len() < total).then(|| format!("parts of a file of {total} lines"));
            let shown = SourceLines { path: path.to_string(), lines, note };
            Some(CodeExcerpt { shown, lead: lead.first..=lead.last })
        };
        self.files
            .into_iter()
            .enumerate()
            .filter_map(excerpt)
            .filter(|excerpt| !excerpt.shown.lines.is_empty())
            .collect()
    }
}

fn lines_of(source: &Source, spans: &[Span]) -> Vec<(u32, String)> {
    let lines = source.lines();
    let numbers = spans.iter().flat_map(|span| span.first..=span.last);
    numbers.filter_map(|number| Some((number, (*lines.get(number as usize - 1)?).to_owned()))).collect()
}

/// The same lines in their order, none twice, with those of gaps of up to so many lines.
fn joined(mut spans: Vec<Span>, gap: u32) -> Vec<Span> {
    spans.sort_by_key(|span| (span.first, span.last));
    let mut joined: Vec<Span> = Vec::new();
    for span in spans {
        match joined.last_mut() {
            Some(last) if span.first <= last.last + 1 + gap => last.last = last.last.max(span.last),
            Some(_) | None => joined.push(span),
        }
    }
    joined
}

fn lines_in(spans: &[Span]) -> u32 {
    spans.iter().map(|span| span.last - span.first + 1).sum()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_shown_once_and_as_far_as_there_is_room() {
        let mut shown = Excerpts::default();
        let mut add = |path: &str, spans: &[(u32, u32)], expect: bool| {
            let spans: Vec<Span> =
                spans.iter().map(|(first, last)| Span { first: *first, last: *last }).collect();
            assert_eq!(shown.add(&ProjectPath::new(path).unwrap(), &spans, 20), expect, "{path} {spans:?}");
        };
        add("a.py", &[(11, 20)], true);
        add("b.py", &[(1, 11)], false);
        add("a.py", &[(1, 3), (5, 10), (15, 21)], true);
        add("b.py", &[(7, 7)], false);
        add("a.py", &[(4, 4)], false);
        add("a.py", &[(1, 2)], true);
        let files: Vec<_> =
            shown.files().iter().map(|file| (file.path.as_str(), file.lead, &file.spans)).collect();
        let spans = vec![Span { first: 1, last: 3 }, Span { first: 5, last: 21 }];
        assert_eq!(files, [("a.py", Span { first: 11, last: 20 }, &spans)]);
        assert_eq!(shown.lines(), 20);
        assert!(shown.shows(&ProjectPath::new("a.py").unwrap(), 5));
        assert!(!shown.shows(&ProjectPath::new("a.py").unwrap(), 4));
    }

    #[test]
    fn short_gaps_are_filled() {
        let check = |gap: u32, expect: &[(u32, u32)]| {
            let spans = [(1, 2), (5, 6), (10, 12)].map(|(first, last)| Span { first, last });
            let expect: Vec<Span> = expect.iter().map(|&(first, last)| Span { first, last }).collect();
            assert_eq!(joined(spans.to_vec(), gap), expect);
        };
        check(0, &[(1, 2), (5, 6), (10, 12)]);
        check(2, &[(1, 6), (10, 12)]);
        check(3, &[(1, 12)]);
    }
}
