//! Code that stands beside other code, with marks for what is left out of it.

use patchwright_index::{GAP, excerpt_with, has_words};
use patchwright_syntax::{Source, Span};

use super::whole;

/// Windows of a file as text without numbers, where marks say which lines are left out, and which of them are shown `above`.
pub(super) fn render_beside(source: &Source, windows: &[Span], above: &[Span]) -> String {
    excerpt_with(source, windows, false, |gap| {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(list: &[(u32, u32)]) -> Vec<Span> {
        list.iter().map(|(first, last)| Span { first: *first, last: *last }).collect()
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
