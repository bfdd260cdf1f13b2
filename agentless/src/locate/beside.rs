//! What stands beside the located code: what else was named, in the order of its names, as much as there is room for.

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests;

use std::borrow::Cow;

use patchwright_index::{ElementKind, has_words, windows};
use patchwright_protocol::Excerpt;
use patchwright_syntax::{Skeleton, SkeletonLineKind, Source, Span};

use super::map::{Place, RepositoryMap, spans_of};
use super::render::render_beside;
use super::whole;

/// Bytes of code beside the located lines, some 5,500 tokens: most classes fit as a whole (in three large Python projects 19 of 20), of
/// larger ones their outline.
pub(super) const ROOM: usize = 18_000;

/// The code beside the located lines.
#[derive(Debug)]
pub(super) struct Beside {
    /// The files with what is shown of each.
    pub(super) excerpts: Vec<Excerpt>,
    /// The names of what there was no room for, not even for their outlines.
    pub(super) left_out: Vec<String>,
}

impl RepositoryMap {
    /// What of some `named` places is not shown by [`framed`](Self::framed) with `located` ones, in at most `room` bytes. What does not fit
    /// is shown without the bodies of its functions, or as the names of these alone; what does not fit then either is left out.
    pub(super) fn beside(&self, named: &[Place], located: &[Place], context: u32, room: usize) -> Beside {
        let frame = self.frame(located);
        let mut files: Vec<FileBeside> = Vec::new();
        let mut left_out = Vec::new();
        for place in named {
            let known = files.iter().position(|file| file.path == place.path);
            let Some(at) = known.or_else(|| {
                files.push(self.file_beside(&place.path, named, (located, &frame), context)?);
                Some(files.len() - 1)
            }) else {
                continue;
            };
            let taken: usize = files.iter().map(|file| file.text.len()).sum();
            let file = &mut files[at];
            let free = room.saturating_sub(taken - file.text.len());
            if !file.show(place.span(), free) {
                left_out.push(self.name(place));
            }
        }
        let excerpt = |file: FileBeside| Excerpt { path: file.path.to_owned(), text: file.text };
        let excerpts = files.into_iter().filter(|file| !file.text.is_empty()).map(excerpt).collect();
        Beside { excerpts, left_out }
    }

    fn file_beside<'m>(
        &'m self,
        path: &'m str,
        named: &[Place],
        (located, frame): (&[Place], &[Place]),
        context: u32,
    ) -> Option<FileBeside<'m>> {
        let source = self.source(path)?;
        let count = u32::try_from(source.line_count()).unwrap_or(u32::MAX);
        let mut above = self.windows(located, named, context, (path, count));
        above.extend(spans_of(frame, path));
        let skeleton = self.index.skeleton(path).into_iter().flat_map(Skeleton::lines);
        let outline = skeleton.filter(|line| line.kind == SkeletonLineKind::Code).map(|line| line.number);
        let elements = self.index.elements(path).iter();
        let classes = elements.clone().filter(|element| element.kind == ElementKind::Class);
        let defines = elements.filter(|element| element.kind != ElementKind::Variable);
        Some(FileBeside {
            path,
            count,
            above: windows(&above, 0, count),
            outline: outline.collect(),
            names: defines.map(|element| element.declaration_line).collect(),
            classes: classes.map(|class| (class.lines, class.declaration_line)).collect(),
            source,
            shown: Vec::new(),
            text: String::new(),
        })
    }

    /// Is true if a place is a class as a whole that has no room beside other code.
    pub(super) fn is_large_class(&self, place: &Place) -> bool {
        let span = place.span();
        let is_class = |source: Cow<Source>| {
            let lines = source.lines();
            let rows = span.first as usize - 1..span.last as usize;
            let bytes: usize = lines.get(rows).unwrap_or_default().iter().map(|line| line.len() + 1).sum();
            bytes > ROOM
        };
        let mut elements = self.index.elements(&place.path).iter();
        elements.any(|one| one.kind == ElementKind::Class && one.lines == span)
            && self.source(&place.path).is_some_and(is_class)
    }

    /// What a place is called.
    fn name(&self, place: &Place) -> String {
        let element = self.index.elements(&place.path).iter().find(|element| element.lines == place.span());
        match element {
            Some(element) => format!("{}::{}", place.path, element.qualified),
            None => format!("{}::{}-{}", place.path, place.first, place.last),
        }
    }
}

/// A file while it is said what is shown of it.
struct FileBeside<'m> {
    path: &'m str,
    source: Cow<'m, Source>,
    /// The number of its lines.
    count: u32,
    /// What stands in front of it, with the located lines.
    above: Vec<Span>,
    /// The lines of its skeleton that are code.
    outline: Vec<u32>,
    /// The lines with the names of its classes and functions.
    names: Vec<u32>,
    /// Its classes, each with the line of its name.
    classes: Vec<(Span, u32)>,
    /// The lines that are shown, in order and disjoint.
    shown: Vec<Span>,
    /// These as text.
    text: String,
}

impl FileBeside<'_> {
    /// Shows more lines, whole or else without bodies or else as names alone, below the heads of their classes, if the text then has no
    /// more than so many bytes.
    fn show(&mut self, span: Span, room: usize) -> bool {
        let mut rest = whole::without(&[span], &self.above);
        rest.retain(|span| has_words(&self.source, *span));
        if rest.is_empty() {
            return true;
        }
        let forms = [self.outline(&rest, &self.outline), self.outline(&rest, &self.names)];
        for mut spans in [rest].into_iter().chain(forms).filter(|spans| !spans.is_empty()) {
            let holding = |first: u32| self.classes.iter().filter(move |(lines, _)| lines.contains(first));
            let heads: Vec<u32> =
                spans.iter().flat_map(|span| holding(span.first)).map(|(_, head)| *head).collect();
            spans.extend(heads.into_iter().map(line));
            spans.extend(&self.shown);
            let shown = windows(&spans, 0, self.count);
            let text = render_beside(&self.source, &shown, &self.above);
            if text.len() <= room {
                (self.shown, self.text) = (shown, text);
                return true;
            }
        }
        false
    }

    /// The lines of some spans that are `wanted`. In the place of a single other line the mark would be no shorter, so it stays.
    fn outline(&self, rest: &[Span], wanted: &[u32]) -> Vec<Span> {
        let within = |span: &Span| {
            let inside = wanted.iter().copied().filter(|number| span.contains(*number));
            let mut lines: Vec<Span> = inside.map(line).collect();
            // A span without such a line is inside of a body.
            if !lines.is_empty() {
                let gaps = whole::without(&[*span], &lines);
                lines.extend(gaps.into_iter().filter(|gap| gap.first == gap.last));
            }
            windows(&lines, 0, self.count)
        };
        rest.iter().flat_map(within).collect()
    }
}

fn line(number: u32) -> Span {
    Span { first: number, last: number }
}
