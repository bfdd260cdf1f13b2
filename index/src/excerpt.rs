//! Lines of a file as text, with a mark in the place of those that are left out.

use patchwright_syntax::{Source, Span};

/// What stands for lines that are left out.
pub const GAP: &str = "...";

/// Windows of a file as text, with a mark where more than blank lines are left out.
pub fn excerpt(source: &Source, windows: &[Span], numbered: bool) -> String {
    excerpt_with(source, windows, numbered, |_| format!("{GAP}\n"))
}

/// Is true if some lines of a file are more than blank.
pub fn has_words(source: &Source, span: Span) -> bool {
    let lines = source.lines();
    let rows = span.first.saturating_sub(1) as usize..(span.last as usize).min(lines.len());
    lines.get(rows).unwrap_or_default().iter().any(|line| !line.trim().is_empty())
}

/// Windows of a file as text; `mark` stands for a gap between them that is more than blank.
pub fn excerpt_with(
    source: &Source,
    windows: &[Span],
    numbered: bool,
    mark: impl Fn(Span) -> String,
) -> String {
    let lines = source.lines();
    let mut text = String::new();
    let gap = |text: &mut String, first: u32, last: u32| {
        let span = Span { first, last };
        if has_words(source, span) {
            text.push_str(&mark(span));
        } else {
            text.push_str(&"\n".repeat((last + 1).saturating_sub(first) as usize));
        }
    };
    let mut next = 1;
    for window in windows {
        gap(&mut text, next, window.first - 1);
        let rows = window.first as usize - 1..window.last as usize;
        for (number, line) in (window.first..).zip(lines.get(rows).unwrap_or_default()) {
            if numbered {
                text.push_str(&format!("{number}|"));
            }
            text.push_str(line);
            text.push('\n');
        }
        next = window.last + 1;
    }
    if !windows.is_empty() {
        gap(&mut text, next, u32::try_from(lines.len()).unwrap_or(u32::MAX));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(list: &[(u32, u32)]) -> Vec<Span> {
        list.iter().map(|(first, last)| Span { first: *first, last: *last }).collect()
    }

    #[test]
    fn what_is_left_out_is_marked() {
        let source = Source::from_text("a\nb\nc\nd\ne\n");
        let check = |list: &[(u32, u32)], numbered: bool, expect: &str| {
            assert_eq!(excerpt(&source, &spans(list), numbered), expect);
        };
        check(&[(1, 5)], false, "a\nb\nc\nd\ne\n");
        check(&[(2, 2), (4, 4)], true, "...\n2|b\n...\n4|d\n...\n");
        check(&[(4, 5)], false, "...\nd\ne\n");
        check(&[], false, "");
        let spaced = Source::from_text("a\n\n \nd\n\n");
        let ends = spans(&[(1, 1), (4, 4)]);
        assert_eq!(excerpt(&spaced, &ends, false), "a\n\n\nd\n\n", "blank lines are no secret");
    }
}
