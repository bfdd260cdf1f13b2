//! Units of values, and how these are written.

use crate::words::{clock_of, thousands};

/// The unit of values, which says how they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// Seconds, as on a clock.
    Seconds,
    /// Numbers of things, with `k` and `M`.
    Tokens,
    /// US dollars.
    Dollars,
    /// Small numbers.
    Count,
}

impl Unit {
    /// That of a measure.
    pub fn of(measure: &str) -> Self {
        match measure {
            "seconds" => Self::Seconds,
            "tokens" => Self::Tokens,
            "usd" => Self::Dollars,
            _ => Self::Count,
        }
    }

    /// A value as tables and drawings tell it.
    pub fn exact(self, value: f64) -> String {
        match self {
            Self::Seconds => clock_of(value),
            // Tokens are counted, so never negative.
            #[allow(clippy::cast_sign_loss)]
            Self::Tokens => thousands(value.round() as u64),
            Self::Dollars => format!("${value:.3}"),
            Self::Count => format!("{value:.1}"),
        }
    }

    /// A round value, as an axis has it.
    pub fn round(self, value: f64) -> String {
        match self {
            Self::Seconds => self.exact(value),
            Self::Tokens => match value {
                1e6.. => format!("{}M", value / 1e6),
                1e3.. => format!("{}k", value / 1e3),
                _ => format!("{value}"),
            },
            Self::Dollars if value == 0.0 => "$0".to_owned(),
            Self::Dollars if value.fract() == 0.0 => format!("${value}"),
            Self::Dollars if (value * 100.0 - (value * 100.0).round()).abs() < 1e-6 => format!("${value:.2}"),
            Self::Dollars => format!("${value:.4}").trim_end_matches('0').to_owned(),
            Self::Count => format!("{value}"),
        }
    }
}
