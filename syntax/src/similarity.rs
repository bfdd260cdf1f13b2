//! The similarity of names and lines, within bounds: comparing two texts takes as long as the product of their lengths.

use patchwright_folder::checkpoint;

/// Bytes of a text that is compared; a longer one is like nothing but itself.
const LONGEST: usize = 1_000;

/// The similarity of two texts by their edit distance, 0 to 1. It is 0 where it cannot reach `least`, or a text is too long to be
/// compared.
pub fn by_distance(left: &str, right: &str, least: f64) -> f64 {
    measure(left, right, least, strsim::normalized_levenshtein)
}

/// As [`by_distance`]; two letters that changed places count as one edit.
pub fn by_typos(left: &str, right: &str, least: f64) -> f64 {
    measure(left, right, least, strsim::normalized_damerau_levenshtein)
}

/// The similarity of two names that may differ in their ends, 0 to 1.
pub fn by_beginning(left: &str, right: &str) -> f64 {
    measure(left, right, 0.0, strsim::jaro_winkler)
}

fn measure(left: &str, right: &str, least: f64, similarity: fn(&str, &str) -> f64) -> f64 {
    checkpoint();
    if left == right {
        return 1.0;
    }
    if left.len().max(right.len()) > LONGEST {
        return 0.0;
    }
    // As many letters as one has more than the other are edits.
    let (one, other) = (left.chars().count(), right.chars().count());
    if (one.min(other) as f64) < least * one.max(other) as f64 {
        return 0.0;
    }
    similarity(left, right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_compared_up_to_a_length() {
        let long = "a".repeat(LONGEST);
        assert!(by_distance(&long, &format!("{}b", &long[1..]), 0.5) > 0.9);
        for times in [1, 10] {
            let longer = "a".repeat(LONGEST * times + 1);
            let other = format!("{}b", &longer[1..]);
            assert_eq!(by_distance(&longer, &other, 0.5).to_bits(), 0.0_f64.to_bits());
            assert_eq!(by_typos(&longer, &longer, 0.5).to_bits(), 1.0_f64.to_bits());
            assert_eq!(by_beginning(&longer, "a").to_bits(), 0.0_f64.to_bits());
        }
    }

    #[test]
    fn nothing_that_is_alike_enough_is_left_out() {
        assert!(by_distance("parse", "parsed", 0.8) > 0.8);
        assert!(by_typos("größe", "grösse", 0.6) > 0.6);
        assert_eq!(by_distance("parse", "parse_the_whole", 0.5).to_bits(), 0.0_f64.to_bits());
    }
}
