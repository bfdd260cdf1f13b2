//! Lines of a file as text, with a mark in the place of those that are left out.

use patchwright_syntax::{Source, Span};

use super::whole;

/// What stands for lines that are left out.
const GAP: &str = "...";

/// Windows of a file as text, with a mark where more than blank lines are left out.
pub(crate) fn render(source: &Source, windows: &[Span], numbered: bool) -> String {
    text(source, windows, numbered, |_| format!("{GAP}\n"))
}

/// The same without numbers, where marks say which lines are left out, and which of them are shown `above`.
pub(super) fn render_beside(source: &Source, windows: &[Span], above: &[Span]) -> String {
    text(source, windows, false, |gap| {
        let mut hidden = whole::without(&[gap], above);
        hidden.retain(|span| has_words(source, *span));
        let shown = whole::without(&[gap], &hidden);
        let note = |span: Span, note| (span, format!("{GAP} lines {}-{}{note}\n", span.first, span.last));
        let mut notes: Vec<(Span, String)> = hidden.into_iter().map(|span| note(span, "")).collect();
        notes.extend(shown.into_iter().map(|span| note(span, ", shown above")));
        notes.retain(|(span, _)| has_words(source, *span));
        notes.sort();
        notes.into_iter().map(|(_, note)| note).collect()
    })
}

/// Is true if some lines of a file are more than blank.
pub(super) fn has_words(source: &Source, span: Span) -> bool {
    let lines = source.lines();
    let rows = span.first.saturating_sub(1) as usize..(span.last as usize).min(lines.len());
    lines.get(rows).unwrap_or_default().iter().any(|line| !line.trim().is_empty())
}

/// Windows as text; `mark` stands for a gap between them that is more than blank.
fn text(source: &Source, windows: &[Span], numbered: bool, mark: impl Fn(Span) -> String) -> String {
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
            assert_eq!(render(&source, &spans(list), numbered), expect);
        };
        check(&[(1, 5)], false, "a\nb\nc\nd\ne\n");
        check(&[(2, 2), (4, 4)], true, "...\n2|b\n...\n4|d\n...\n");
        check(&[(4, 5)], false, "...\nd\ne\n");
        check(&[], false, "");
        let spaced = Source::from_text("a\n\n \nd\n\n");
        let ends = spans(&[(1, 1), (4, 4)]);
        assert_eq!(render(&spaced, &ends, false), "a\n\n\nd\n\n", "blank lines are no secret");
    }

    #[test]
    fn marks_beside_other_code_say_what_they_stand_for() {
        let source = Source::from_text("a\nb\nc\n\nd\ne\nf\n");
        let check = |list: &[(u32, u32)], above: &[(u32, u32)], expect: &str| {
            assert_eq!(render_beside(&source, &spans(list), &spans(above)), expect);
        };
        check(&[(1, 1), (7, 7)], &[], "a\n... lines 2-6\nf\n");
        check(&[(1, 1), (7, 7)], &[(2, 6)], "a\n... lines 2-6, shown above\nf\n");
        check(&[(1, 1), (7, 7)], &[(2, 3)], "a\n... lines 2-3, shown above\n... lines 4-6\nf\n");
        check(&[(1, 1), (7, 7)], &[(2, 3), (5, 6)], "a\n... lines 2-6, shown above\nf\n");
    }
}
