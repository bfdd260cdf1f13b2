//! One ranking from several.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

/// The usual constant of reciprocal-rank fusion: how little the first places of a ranking differ.
pub const FUSION_K: f64 = 60.0;

/// Reciprocal-rank fusion (Cormack, Clarke and Büttcher, 2009): what stands at place *r* of a ranking, counted from 1, gets
/// `weight / (k + r)` from it; the sums decide. Equal sums keep the order in which things were met. What a ranking names
/// twice counts at its first place.
pub fn fuse<T: Clone + Eq + Hash>(rankings: &[(f64, &[T])], k: f64) -> Vec<(T, f64)> {
    let mut places: HashMap<&T, usize> = HashMap::new();
    let mut sums: Vec<(T, f64)> = Vec::new();
    for (weight, ranking) in rankings {
        let mut seen = HashSet::new();
        for (rank, item) in ranking.iter().enumerate().filter(|(_, item)| seen.insert(*item)) {
            let place = *places.entry(item).or_insert_with(|| {
                sums.push((item.clone(), 0.0));
                sums.len() - 1
            });
            sums[place].1 += weight / (k + rank as f64 + 1.0);
        }
    }
    sums.sort_by(|left, right| right.1.total_cmp(&left.1));
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rankings_are_fused_by_their_places() {
        let check = |rankings: &[(f64, &[&str])], expect: &[&str]| {
            let fused: Vec<&str> = fuse(rankings, FUSION_K).into_iter().map(|(item, _)| item).collect();
            assert_eq!(fused, expect);
        };
        check(&[], &[]);
        check(&[(1.0, &["a", "b"])], &["a", "b"]);
        check(&[(1.0, &["a", "b", "c"]), (1.0, &["c", "b"])], &["c", "b", "a"]);
        check(&[(1.0, &["a", "b"]), (1.0, &["b", "a"])], &["a", "b"]);
        check(&[(1.0, &["a", "b"]), (1.5, &["b", "a"])], &["b", "a"]);
        check(&[(1.0, &["a", "a", "b", "a"])], &["a", "b"]);
        check(&[(0.0, &["a"]), (1.0, &["b"])], &["b", "a"]);
    }

    #[test]
    fn sums_are_those_of_the_formula() {
        let fused = fuse(&[(1.0, &["a", "b"]), (2.0, &["b"])], 60.0);
        assert_eq!(fused, [("b", 1.0 / 62.0 + 2.0 / 61.0), ("a", 1.0 / 61.0)]);
    }
}
