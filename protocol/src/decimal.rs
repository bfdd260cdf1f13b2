//! Numbers in JSON as people write them.

use serde_json::Value;

/// A number as it was written: `0.2`, not what is nearest to it in binary.
pub fn decimal(value: f32) -> Value {
    value
        .to_string()
        .parse::<f64>()
        .ok()
        .and_then(serde_json::Number::from_f64)
        .map_or(Value::Null, Value::Number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temperatures_keep_their_digits() {
        let check = |value: f32, expect: &str| assert_eq!(decimal(value).to_string(), expect);
        check(0.2, "0.2");
        check(0.0, "0.0");
        check(1.0, "1.0");
        check(0.75, "0.75");
    }
}
