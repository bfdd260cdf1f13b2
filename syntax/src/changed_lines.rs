//! Lines in which two texts differ.

use std::collections::BTreeSet;

use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices};

use crate::text::line_number;

/// The operations that make of some lines others, by Myers' algorithm. All of the program takes this one: the library is compiled anew for
/// each type of lines.
pub fn line_operations<L: AsRef<[u8]>>(old: &[L], new: &[L]) -> Vec<DiffOp> {
    fn of_bytes(old: &[&[u8]], new: &[&[u8]]) -> Vec<DiffOp> {
        capture_diff_slices(Algorithm::Myers, old, new)
    }
    fn bytes<L: AsRef<[u8]>>(lines: &[L]) -> Vec<&[u8]> {
        lines.iter().map(AsRef::as_ref).collect()
    }
    of_bytes(&bytes(old), &bytes(new))
}

/// The numbers, in a text, of the lines that another text does not have, or before which it has more; from 1.
pub fn changed_lines(text: &str, other: &str) -> BTreeSet<u32> {
    let (text, other): (Vec<&str>, Vec<&str>) = (text.lines().collect(), other.lines().collect());
    line_operations(&text, &other)
        .into_iter()
        .filter(|operation| operation.tag() != DiffTag::Equal)
        .flat_map(|operation| {
            let lines = operation.old_range();
            lines.start..lines.end.max(lines.start + 1)
        })
        .map(line_number)
        .collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn they_are_those_that_differ_and_those_before_something_new() {
        let (before, after) = ("a\nb\nc\nd\ne\n", "a\nx\ny\nb\nd\nf\ng\n");
        assert_eq!(changed_lines(after, before), BTreeSet::from([2, 3, 5, 6, 7]));
        assert_eq!(changed_lines(before, after), BTreeSet::from([2, 3, 5]));
        assert_eq!(changed_lines("a\n", "a\n"), BTreeSet::new());
    }
}
