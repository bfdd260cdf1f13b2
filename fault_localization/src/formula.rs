//! From counts of tests to suspiciousness.

use std::str::FromStr;

use serde::Serialize;

/// A formula for how suspicious a line is, given which tests execute it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Formula {
    /// Abreu, Zoeteweij, van Gemund: An Evaluation of Similarity Coefficients for Software Fault Localization, PRDC 2006.
    #[default]
    Ochiai,
    /// Wong, Debroy, Gao, Li: The DStar Method for Effective Software Fault Localization, IEEE Transactions on
    /// Reliability 2014; the star is 2, as they recommend.
    DStar,
    /// Jones, Harrold: Empirical Evaluation of the Tarantula Automatic Fault-Localization Technique, ASE 2005.
    Tarantula,
    /// Abreu, Zoeteweij, van Gemund: Spectrum-Based Multiple Fault Localization, ASE 2009, for a single fault: in the
    /// closed form of Pearson et al.: Evaluating and Improving Fault Localization, ICSE 2017.
    Barinel,
}

/// The numbers of tests that execute a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Failing tests that execute it.
    pub failing: usize,
    /// Passing tests that execute it.
    pub passing: usize,
}

impl Formula {
    /// All formulas.
    pub const ALL: [Self; 4] = [Self::Ochiai, Self::DStar, Self::Tarantula, Self::Barinel];

    /// The name: `ochiai`, `dstar`, `tarantula`, `barinel`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ochiai => "ochiai",
            Self::DStar => "dstar",
            Self::Tarantula => "tarantula",
            Self::Barinel => "barinel",
        }
    }

    /// The suspiciousness, from 0 to 1, of a line that `here` tests execute of `all` there are. DStar has no upper bound:
    /// its value x is given as x / (1 + x), which keeps the order.
    pub fn suspiciousness(self, here: Counts, all: Counts) -> f64 {
        if here.failing == 0 {
            return 0.0;
        }
        let (failing, passing) = (here.failing as f64, here.passing as f64);
        let (all_failing, all_passing) = (all.failing.max(here.failing) as f64, all.passing as f64);
        match self {
            Self::Ochiai => failing / (all_failing * (failing + passing)).sqrt(),
            Self::DStar => {
                let rest = passing + (all_failing - failing);
                // x / (1 + x) with x = failing² / rest.
                failing * failing / (failing * failing + rest)
            }
            Self::Tarantula => {
                let failing = failing / all_failing;
                let passing = if all_passing > 0.0 { passing / all_passing } else { 0.0 };
                failing / (failing + passing)
            }
            Self::Barinel => failing / (failing + passing),
        }
    }
}

impl FromStr for Formula {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let known = Self::ALL.into_iter().find(|formula| formula.name().eq_ignore_ascii_case(text.trim()));
        known.ok_or_else(|| format!("`{text}` is not known; use ochiai, dstar, tarantula or barinel"))
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn values_worked_out_by_hand() {
        let check = |formula: Formula, here: (usize, usize), all: (usize, usize), expect: f64| {
            let counts = |(failing, passing)| Counts { failing, passing };
            let found = formula.suspiciousness(counts(here), counts(all));
            assert!((found - expect).abs() < 1e-9, "{formula:?} {here:?} of {all:?}: {found}, not {expect}");
        };
        // 2 / √(2 · 4), 1 / √(2 · 4)
        check(Formula::Ochiai, (2, 2), (2, 6), 0.707_106_781_186_547_5);
        check(Formula::Ochiai, (1, 3), (2, 6), 0.353_553_390_593_273_8);
        check(Formula::Ochiai, (2, 0), (2, 6), 1.0);
        // 4 / 2 = 2 → 2/3; 1 / (3 + 1) = 1/4 → 1/5; 4 / 0 is without bound → 1
        check(Formula::DStar, (2, 2), (2, 6), 2.0 / 3.0);
        check(Formula::DStar, (1, 3), (2, 6), 0.2);
        check(Formula::DStar, (2, 0), (2, 6), 1.0);
        // 1 / (1 + 2/6), 0.5 / (0.5 + 0.5)
        check(Formula::Tarantula, (2, 2), (2, 6), 0.75);
        check(Formula::Tarantula, (1, 3), (2, 6), 0.5);
        check(Formula::Tarantula, (2, 0), (2, 0), 1.0);
        // 1 - 2/4, 1 - 3/4
        check(Formula::Barinel, (2, 2), (2, 6), 0.5);
        check(Formula::Barinel, (1, 3), (2, 6), 0.25);
        for formula in Formula::ALL {
            check(formula, (0, 0), (2, 6), 0.0);
            check(formula, (0, 5), (0, 6), 0.0);
        }
    }

    #[test]
    fn names_read_as_they_print() {
        for formula in Formula::ALL {
            assert_eq!(formula.name().parse(), Ok(formula));
        }
        assert_eq!("DStar".parse(), Ok(Formula::DStar));
        assert!("d*".parse::<Formula>().unwrap_err().contains("dstar"));
    }
}
