//! Values as JSON, as `serde_json` writes them: texts are copied up to the next sign that needs an escape, many bytes at once.

use serde_json::Value;

use crate::recover::plain_length;

/// Appends a value.
pub fn write_json(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => out.push_str(&number.to_string()),
        Value::String(text) => write_text(text, out),
        Value::Array(elements) => {
            out.push('[');
            for (index, element) in elements.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_json(element, out);
            }
            out.push(']');
        }
        Value::Object(members) => {
            out.push('{');
            for (index, (key, member)) in members.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_text(key, out);
                out.push(':');
                write_json(member, out);
            }
            out.push('}');
        }
    }
}

fn write_text(text: &str, out: &mut String) {
    out.push('"');
    let mut at = 0;
    loop {
        let plain = plain_length(&text.as_bytes()[at..], b'"');
        out.push_str(&text[at..at + plain]);
        at += plain;
        let Some(&sign) = text.as_bytes().get(at) else { break };
        match sign {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            0x08 => out.push_str("\\b"),
            0x0C => out.push_str("\\f"),
            0..0x20 => out.push_str(&format!("\\u{sign:04x}")),
            // Plain text that is looked at in several goes.
            _ => continue,
        }
        at += 1;
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    proptest! {
        #[test]
        fn it_is_written_as_by_the_library(
            text in "(?s)([\\x00-\\x7f]|.|aé…){0,40}", number in any::<f64>(), whole in any::<i64>(),
        ) {
            let value = json!({text.clone(): [text, null, true, false, number, whole, u64::MAX], "": {}, "long": "aé".repeat(3_000)});
            let mut out = String::new();
            write_json(&value, &mut out);
            prop_assert_eq!(out, value.to_string());
        }
    }
}
