//! The lines of a skeleton while they are chosen: what is shown of each row, and how. Whoever walks over the statements
//! says which rows; how they look is decided here.

use std::borrow::Cow;

use super::{Skeleton, SkeletonLineKind as Kind};
use crate::language::LanguageEntry;
use crate::text::line_number;

/// Lines from which on a value or an import is shown by its first and last lines.
const LONG: usize = 30;

/// The number of them that are shown at each end.
const SHOWN: usize = 10;

/// Rows from the first to the last, counted from 0.
pub(super) type Rows = (usize, usize);

/// The part of a row that is shown.
#[derive(Clone, Debug)]
enum RowContent<'t> {
    Code(Cow<'t, str>),
    Documentation(String),
    /// Lines that were left out, with their indentation.
    Elision(&'t str),
}

/// The rows of a file, and what was chosen of them.
pub(super) struct Sheet<'t> {
    entry: &'static LanguageEntry,
    rows: Vec<&'t str>,
    chosen: Vec<Option<RowContent<'t>>>,
}

impl RowContent<'_> {
    fn kind(&self) -> Kind {
        match self {
            Self::Code(_) => Kind::Code,
            Self::Documentation(_) => Kind::Documentation,
            Self::Elision(_) => Kind::Elision,
        }
    }
}

impl<'t> Sheet<'t> {
    pub fn new(entry: &'static LanguageEntry, text: &'t str) -> Self {
        let rows: Vec<&str> = text.lines().collect();
        // What is missing at the end of a damaged file stands below its last row.
        let chosen = vec![None; rows.len() + 1];
        Self { entry, rows, chosen }
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// The text of a row.
    pub fn row(&self, row: usize) -> &'t str {
        self.rows.get(row).copied().unwrap_or_default()
    }

    fn put(&mut self, row: usize, line: Cow<'t, str>) {
        if let Some(place) = self.chosen.get_mut(row) {
            *place = Some(RowContent::Code(line));
        }
    }

    fn put_if_free(&mut self, row: usize, shown: RowContent<'t>) {
        if let Some(place @ None) = self.chosen.get_mut(row) {
            *place = Some(shown);
        }
    }

    fn range(&mut self, (first, last): Rows) -> &mut [Option<RowContent<'t>>] {
        let end = (last + 1).min(self.chosen.len());
        self.chosen.get_mut(first..end).unwrap_or_default()
    }

    /// Is true if anything of a kind is shown of some rows.
    pub fn shows(&self, (first, last): Rows, kind: Kind) -> bool {
        let end = (last + 1).min(self.chosen.len());
        let rows = self.chosen.get(first..end).unwrap_or_default();
        rows.iter().flatten().any(|shown| shown.kind() == kind)
    }

    /// Takes the elisions among some rows back.
    fn forget_elisions(&mut self, rows: Rows) {
        for place in self.range(rows) {
            if matches!(place, Some(RowContent::Elision(_))) {
                *place = None;
            }
        }
    }

    /// Keeps a whole row.
    pub fn keep_row(&mut self, row: usize) {
        self.put(row, Cow::Borrowed(self.row(row)));
    }

    /// Keeps all of some rows, or the first and the last of many.
    pub fn keep(&mut self, (first, last): Rows) {
        for row in first..=last {
            if last - first < LONG || row < first + SHOWN || row + SHOWN > last {
                self.keep_row(row);
            } else if row == first + SHOWN {
                self.leave_out(row);
            }
        }
    }

    /// Says that lines are missing from here on.
    pub fn leave_out(&mut self, row: usize) {
        self.put_if_free(row, RowContent::Elision(indentation(self.row(row))));
    }

    /// One elision in place of what is left out of some rows of which no code is shown; whether that is so.
    pub fn fold(&mut self, rows: Rows) -> bool {
        let hidden = !self.shows(rows, Kind::Code);
        if hidden {
            self.forget_elisions(rows);
            self.leave_out(rows.0);
        }
        hidden
    }

    /// Shows the header of a declaration without its body: a body of these rows, of which no code is shown, and `hidden` is
    /// the first that is left out.
    pub fn without_body(&mut self, first: usize, header: (usize, usize), body: Rows, hidden: Option<usize>) {
        self.forget_elisions(body);
        if self.entry.indented {
            self.header(first, header, "");
            if let Some(row) = hidden {
                self.leave_out(row);
            }
        } else {
            self.header(first, header, " { … }");
        }
    }

    /// The first and, where the language has one, the last line around what was chosen in a body.
    pub fn frame(&mut self, first: usize, header: (usize, usize), body: Rows) {
        let Some(closing) = self.entry.closing_line else { return self.header(first, header, "") };
        self.header(first, header, " {");
        let last = body.1;
        let line = self.row(last);
        let line = if line.trim_start().starts_with(closing) {
            Cow::Borrowed(line)
        } else {
            Cow::Owned(format!("{}{closing}", indentation(self.row(first))))
        };
        self.put_if_free(last, RowContent::Code(line));
    }

    /// Keeps the lines from a row to the end of what stands before a body: a row and a column.
    fn header(&mut self, first: usize, (end, column): (usize, usize), ending: &str) {
        for row in first..end {
            self.keep_row(row);
        }
        let line = self.row(end);
        let before = line.get(..column).unwrap_or(line).trim_end();
        let line = if before.is_empty() {
            Cow::Owned(format!("{}{}", indentation(line), ending.trim_start()))
        } else if ending.is_empty() {
            Cow::Borrowed(before)
        } else {
            Cow::Owned(format!("{before}{ending}"))
        };
        self.put(end, line);
    }

    /// In a body that is nothing but documentation, that is the code.
    pub fn documentation_is_code(&mut self, body: Rows) {
        if self.shows(body, Kind::Code) || self.shows(body, Kind::Elision) {
            return;
        }
        for place in self.range(body) {
            if let Some(RowContent::Documentation(line)) = place {
                *place = Some(RowContent::Code(Cow::Owned(std::mem::take(line))));
            }
        }
    }

    /// Keeps the first line with words of a comment or docstring that begins in a row, closed like the whole.
    pub fn document(&mut self, first: usize, text: &str) {
        let (opening, closing) = self.delimiters(text);
        let inner = text.get(opening.len()..).unwrap_or_default();
        let inner = inner.strip_suffix(closing.as_str()).unwrap_or(inner);
        let words = inner.lines().enumerate().find(|(_, line)| line.contains(char::is_alphanumeric));
        let Some((below, line)) = words else { return };
        let line = line.trim().trim_start_matches('*').trim_start();
        let gap = if opening.ends_with(['"', '\'']) { "" } else { " " };
        let closing = if closing.is_empty() { closing } else { format!("{gap}{closing}") };
        let shown = format!("{}{opening}{gap}{line}{closing}", indentation(self.row(first)));
        self.put_if_free(first + below, RowContent::Documentation(shown));
    }

    /// The delimiters that a comment or string begins and ends with.
    fn delimiters(&self, text: &str) -> (String, String) {
        let begins = |end: usize| text.get(..end).unwrap_or_default().to_owned();
        if text.starts_with(self.entry.line_comment) {
            return (self.entry.line_comment.to_owned(), String::new());
        }
        if let Some(quote) = text.find(['"', '\'']).filter(|place| *place < 3) {
            let rest = text.get(quote..).unwrap_or_default();
            let width = if rest.starts_with("\"\"\"") || rest.starts_with("'''") { 3 } else { 1 };
            return (begins(quote + width), rest.get(..width).unwrap_or_default().to_owned());
        }
        let end = text.find(|letter: char| letter.is_alphanumeric() || letter.is_whitespace());
        let opening = begins(end.unwrap_or(text.len()));
        let closing = opening.chars().take(2).collect::<Vec<_>>().into_iter().rev().collect();
        (opening, closing)
    }

    /// The lines in their order; of neighbouring elisions of one block, the first.
    pub fn finish(self) -> Skeleton {
        let mut skeleton = Skeleton::default();
        // The indentation of the elision just above.
        let mut left_out: Option<&str> = None;
        for (row, shown) in self.chosen.into_iter().enumerate() {
            let Some(shown) = shown else { continue };
            let number = line_number(row);
            let kind = shown.kind();
            let before = left_out.take();
            match shown {
                RowContent::Elision(indentation) => {
                    left_out = Some(indentation);
                    if before != left_out {
                        skeleton.push(number, kind, &format!("{indentation}..."));
                    }
                }
                RowContent::Code(line) => skeleton.push(number, kind, &line),
                RowContent::Documentation(line) => skeleton.push(number, kind, &line),
            }
        }
        skeleton
    }
}

/// The white space before a line.
fn indentation(line: &str) -> &str {
    &line[..line.len() - line.trim_start().len()]
}
