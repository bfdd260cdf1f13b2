//! Axes from zero to a round number.

use super::super::units::Unit;

/// Steps of a clock in seconds; beyond, they are round numbers of hours.
const CLOCK: [f64; 17] = [
    1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 900.0, 1800.0, 3600.0, 7200.0, 10800.0,
    21600.0, 43200.0,
];
/// Steps of an axis, at most.
const STEPS: f64 = 4.0;

/// The round distance between two marks of an axis that holds so much.
fn step(unit: Unit, greatest: f64) -> f64 {
    let rough = greatest / STEPS;
    match unit {
        Unit::Seconds => {
            CLOCK.into_iter().find(|step| *step >= rough).unwrap_or_else(|| decimal(rough / 3600.0) * 3600.0)
        }
        Unit::Tokens | Unit::Count => decimal(rough).max(1.0),
        Unit::Dollars => decimal(rough),
    }
}

/// The least of 1, 2 and 5 times a power of ten that is not below.
fn decimal(rough: f64) -> f64 {
    let power = 10_f64.powf(rough.log10().floor());
    // Not `power` itself where rounding put it a little below.
    [1.0, 2.0, 5.0, 10.0]
        .map(|times| times * power)
        .into_iter()
        .find(|step| *step >= rough * 0.999_999)
        .unwrap_or(rough)
}

/// An axis from zero.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Axis {
    /// Its end.
    pub top: f64,
    /// Round values along it: where, as parts of it, and as they are written.
    pub ticks: Vec<(f64, String)>,
}

impl Axis {
    /// One that holds all values up to this.
    pub fn to(greatest: f64, unit: Unit) -> Self {
        // Nothing but zeros, or what is no number: there is nothing to divide.
        if !greatest.is_finite() || greatest <= 0.0 {
            return Self { top: 1.0, ticks: vec![(0.0, unit.round(0.0))] };
        }
        let step = step(unit, greatest);
        let count = (greatest / step - 1e-6).ceil().max(1.0);
        // A handful of steps, never negative.
        #[allow(clippy::cast_sign_loss)]
        let ticks = (0..=count as u32).map(|place| {
            let place = f64::from(place);
            // Multiples of 0.1 are not round; what they stand for is.
            (place / count, unit.round((place * step * 1e6).round() / 1e6))
        });
        Self { top: count * step, ticks: ticks.collect() }
    }

    /// The place of a value, as a part of the whole.
    pub fn part(&self, value: f64) -> f64 {
        (value / self.top).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_end_at_round_values() {
        let check = |unit: Unit, greatest: f64, expect: &[&str]| {
            let axis = Axis::to(greatest, unit);
            let shown: Vec<&str> = axis.ticks.iter().map(|(_, shown)| shown.as_str()).collect();
            assert_eq!(shown, expect, "{greatest}");
            assert!(axis.top >= greatest || !greatest.is_finite());
        };
        check(Unit::Seconds, 0.4, &["0:00", "0:01"]);
        check(Unit::Seconds, 130.0, &["0:00", "1:00", "2:00", "3:00"]);
        check(Unit::Seconds, 5000.0, &["0:00", "30:00", "1:00:00", "1:30:00"]);
        check(Unit::Seconds, 300_000.0, &["0:00", "50:00:00", "100:00:00"]);
        check(Unit::Tokens, 730_000.0, &["0", "200k", "400k", "600k", "800k"]);
        check(Unit::Tokens, 1.5e6, &["0", "500k", "1M", "1.5M"]);
        check(Unit::Tokens, 1.0, &["0", "1"]);
        check(Unit::Dollars, 0.35, &["$0", "$0.10", "$0.20", "$0.30", "$0.40"]);
        check(Unit::Dollars, 0.012, &["$0", "$0.005", "$0.01", "$0.015"]);
        check(Unit::Dollars, 8.0, &["$0", "$2", "$4", "$6", "$8"]);
        check(Unit::Count, 40.0, &["0", "10", "20", "30", "40"]);
        check(Unit::Count, 0.0, &["0"]);
        check(Unit::Count, f64::NAN, &["0"]);
    }
}
