//! Small statistics.

use serde::{Deserialize, Serialize};

/// A distribution in five numbers and a mean.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// The number of values.
    pub count: usize,
    /// The least.
    pub least: f64,
    /// A quarter of the values is not above it.
    pub lower: f64,
    /// The median.
    pub median: f64,
    /// Three quarters of the values are not above it.
    pub upper: f64,
    /// The greatest.
    pub greatest: f64,
    /// The mean.
    pub mean: f64,
}

impl Spread {
    /// Of these values; none of none. Quartiles are interpolated between neighbours (type 7, as in R and NumPy).
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        let (least, greatest) = (*values.first()?, *values.last()?);
        let at = |part: f64| {
            let place = part * (values.len() - 1) as f64;
            // A place is never negative.
            #[allow(clippy::cast_sign_loss)]
            let below = place.floor() as usize;
            let above = (below + 1).min(values.len() - 1);
            values[below] + (values[above] - values[below]) * (place - place.floor())
        };
        Some(Self {
            count: values.len(),
            least,
            lower: at(0.25),
            median: at(0.5),
            upper: at(0.75),
            greatest,
            mean: values.iter().sum::<f64>() / values.len() as f64,
        })
    }
}

/// Between what a share lies with 95 % confidence, by Wilson's score interval (J. Am. Stat. Assoc. 22, 1927); none of none.
pub(super) fn share_interval(count: u64, of: u64) -> Option<(f64, f64)> {
    /// The 97.5th percentile of the normal distribution.
    const Z: f64 = 1.959_964;
    if of == 0 {
        return None;
    }
    let (n, share) = (of as f64, count as f64 / of as f64);
    let centre = share + Z * Z / (2.0 * n);
    let half = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + Z * Z / n;
    Some((((centre - half) / scale).max(0.0), ((centre + half) / scale).min(1.0)))
}

/// McNemar's exact test: how likely it is, where two runs are equally good, that the cases which only one of them solves
/// are spread at least as unevenly as `only_a` to `only_b`. Two-sided, binomial.
pub(super) fn mcnemar(only_a: u64, only_b: u64) -> f64 {
    let count = only_a + only_b;
    // In logarithms: the terms of a thousand cases are too small for a number.
    let log_half = -(count as f64) * std::f64::consts::LN_2;
    let (mut log_choose, mut sum) = (0.0_f64, 0.0_f64);
    for chosen in 0..=only_a.min(only_b) {
        if chosen > 0 {
            log_choose += ((count - chosen + 1) as f64).ln() - (chosen as f64).ln();
        }
        sum += (log_choose + log_half).exp();
    }
    (2.0 * sum).min(1.0)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_are_interpolated() {
        let check = |values: &[f64], expect: [f64; 6]| {
            let Spread { least, lower, median, upper, greatest, mean, count } =
                Spread::of(values.iter().copied()).unwrap();
            assert_eq!(count, values.len());
            for (found, expect) in [least, lower, median, upper, greatest, mean].into_iter().zip(expect) {
                assert!((found - expect).abs() < 1e-9, "{values:?}: {found} instead of {expect}");
            }
        };
        check(&[3.0], [3.0, 3.0, 3.0, 3.0, 3.0, 3.0]);
        check(&[4.0, 1.0, 3.0, 2.0], [1.0, 1.75, 2.5, 3.25, 4.0, 2.5]);
        check(&[1.0, 2.0, 3.0, 4.0, 100.0], [1.0, 2.0, 3.0, 4.0, 100.0, 22.0]);
        assert_eq!(Spread::of([]), None);
    }

    #[test]
    fn intervals_of_shares_are_those_of_wilson() {
        let check = |count: u64, of: u64, expect: (f64, f64)| {
            let (low, high) = share_interval(count, of).unwrap();
            assert!(
                (low - expect.0).abs() < 5e-4 && (high - expect.1).abs() < 5e-4,
                "{count}/{of}: {low} {high}"
            );
        };
        check(0, 10, (0.0, 0.2775));
        check(10, 10, (0.7225, 1.0));
        check(81, 263, (0.2553, 0.3662));
        assert_eq!(share_interval(0, 0), None);
    }

    #[test]
    fn mcnemar_is_exact() {
        let check = |only_a: u64, only_b: u64, expect: f64| {
            for found in [mcnemar(only_a, only_b), mcnemar(only_b, only_a)] {
                assert!((found - expect).abs() < 1e-9, "{only_a} {only_b}: {found}");
            }
        };
        check(0, 0, 1.0);
        check(5, 5, 1.0);
        check(0, 5, 0.0625);
        check(1, 9, 0.021_484_375);
        check(2, 8, 0.109_375);
        assert!(mcnemar(400, 600) < 1e-9 && mcnemar(400, 600) > 0.0);
        assert!(mcnemar(3000, 3001) > 0.9);
    }
}
