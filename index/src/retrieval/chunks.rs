//! Cutting a file into pieces of a size, where its declarations begin if possible.

use patchwright_syntax::{Span, line_number, tokens_of_bytes};

/// A line at which something begins, and in how many declarations it stands.
pub(super) type Boundary = (u32, usize);

/// Cuts the lines of a file. A chunk has at most `most` tokens, or is one line; it ends in front of a declaration where
/// one begins in its second half, those in the fewest others first. Each chunk begins with up to `overlap` tokens of the
/// one before it.
pub(super) fn cut(lines: &[&str], boundaries: &[Boundary], most: usize, overlap: usize) -> Vec<Span> {
    let cost = |line: &str| tokens_of_bytes(line.len() + 1);
    let mut chunks = Vec::new();
    let mut start = 0;
    while start < lines.len() {
        let mut used = 0;
        let mut end = start;
        let mut half = start;
        while end < lines.len() {
            let next = cost(lines[end]);
            if end > start && used + next > most {
                break;
            }
            used += next;
            end += 1;
            if used * 2 <= most {
                half = end;
            }
        }
        if end < lines.len() {
            // A boundary is a line counted from 1; to cut in front of it is to end with the row before.
            let within = boundaries.iter().filter(|(line, _)| {
                let row = *line as usize - 1;
                row > half.max(start) && row <= end
            });
            end = within
                .min_by_key(|(line, depth)| (*depth, std::cmp::Reverse(*line)))
                .map_or(end, |(line, _)| *line as usize - 1);
        }
        chunks.push(Span { first: line_number(start), last: line_number(end - 1) });
        let mut back = 0;
        let mut again = end;
        while end < lines.len() && again > start + 1 && back + cost(lines[again - 1]) <= overlap {
            again -= 1;
            back += cost(lines[again]);
        }
        start = again;
    }
    chunks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(lines: &[&str], boundaries: &[Boundary], most: usize, overlap: usize, expect: &[(u32, u32)]) {
        let found: Vec<(u32, u32)> =
            cut(lines, boundaries, most, overlap).iter().map(|span| (span.first, span.last)).collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn chunks_have_a_size_and_end_before_declarations() {
        // Ten tokens a line.
        let line = "x".repeat(32);
        let lines = vec![line.as_str(); 10];
        check(&[], &[], 40, 0, &[]);
        check(&lines[..3], &[], 40, 0, &[(1, 3)]);
        check(&lines, &[], 40, 0, &[(1, 4), (5, 8), (9, 10)]);
        check(&lines, &[(4, 0)], 40, 0, &[(1, 3), (4, 7), (8, 10)]);
        check(&lines, &[(4, 0), (5, 1)], 40, 0, &[(1, 3), (4, 7), (8, 10)]);
        check(&lines, &[(4, 1), (5, 1)], 40, 0, &[(1, 4), (5, 8), (9, 10)]);
        check(&lines, &[(2, 0)], 40, 0, &[(1, 4), (5, 8), (9, 10)]);
        check(&lines, &[], 40, 10, &[(1, 4), (4, 7), (7, 10)]);
        check(&lines, &[], 5, 0, &(1..=10).map(|line| (line, line)).collect::<Vec<_>>());
        check(&lines, &[], 5, 100, &(1..=10).map(|line| (line, line)).collect::<Vec<_>>());
    }

    #[test]
    fn every_line_is_in_a_chunk() {
        let lines: Vec<String> = (0..500).map(|number| "y".repeat(number * 7 % 90)).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let boundaries: Vec<Boundary> = (1..500).step_by(9).map(|line| (line, line as usize % 3)).collect();
        for overlap in [0, 30] {
            let chunks = cut(&lines, &boundaries, 100, overlap);
            assert_eq!((chunks[0].first, chunks.last().map(|span| span.last)), (1, Some(500)));
            for pair in chunks.windows(2) {
                assert!(pair[1].first <= pair[0].last + 1 && pair[1].first > pair[0].first);
                assert!(overlap > 0 || pair[1].first == pair[0].last + 1);
            }
        }
    }
}
