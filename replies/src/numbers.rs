//! Numbers that were written as text.

use serde_json::Value;

/// A number in a text: a whole one, or one with a fraction where `fraction` says that it may have one.
pub fn whole_number(text: &str, fraction: bool) -> Option<Value> {
    if let Ok(number) = text.parse::<i64>() {
        return Some(number.into());
    }
    let number: f64 = text.parse().ok().filter(|number: &f64| number.is_finite())?;
    if number.fract() == 0.0 && number.abs() < 1e15 {
        return Some((number as i64).into());
    }
    fraction.then(|| number.into())
}
