//! Ranges of lines, widened and merged.

use patchwright_syntax::Span;

/// The ranges with `around` more lines on both sides, within a file of `lines` lines, in order, disjoint: those that
/// overlap or touch are one.
pub fn windows(ranges: &[Span], around: u32, lines: u32) -> Vec<Span> {
    let wide = |span: &Span| Span {
        first: span.first.saturating_sub(around).clamp(1, lines.max(1)),
        last: span.last.saturating_add(around).min(lines),
    };
    let mut wider: Vec<Span> = ranges.iter().map(wide).filter(|span| span.first <= span.last).collect();
    wider.sort_unstable();
    let mut merged: Vec<Span> = Vec::with_capacity(wider.len());
    for span in wider {
        match merged.last_mut() {
            Some(last) if span.first <= last.last.saturating_add(1) => last.last = last.last.max(span.last),
            _ => merged.push(span),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_disjoint_and_within_the_file() {
        let check = |ranges: &[(u32, u32)], around: u32, lines: u32, expect: &[(u32, u32)]| {
            let spans: Vec<Span> =
                ranges.iter().map(|(first, last)| Span { first: *first, last: *last }).collect();
            let found: Vec<(u32, u32)> =
                windows(&spans, around, lines).iter().map(|span| (span.first, span.last)).collect();
            assert_eq!(found, expect, "{ranges:?}");
        };
        check(&[], 10, 100, &[]);
        check(&[(50, 50)], 10, 100, &[(40, 60)]);
        check(&[(5, 5)], 10, 100, &[(1, 15)]);
        check(&[(95, 99)], 10, 100, &[(85, 100)]);
        check(&[(60, 60), (10, 10), (12, 20)], 2, 100, &[(8, 22), (58, 62)]);
        check(&[(10, 10), (15, 15)], 2, 100, &[(8, 17)]);
        check(&[(10, 10), (16, 16)], 2, 100, &[(8, 12), (14, 18)]);
        check(&[(1, 100), (10, 20)], 0, 100, &[(1, 100)]);
        check(&[(1, 1)], 10, 0, &[]);
        check(&[(u32::MAX, u32::MAX)], 10, 100, &[(100, 100)]);
    }
}
