//! JSON as Python reads and writes it: the official program indents it by four blanks, escapes all that is not ASCII, and
//! knows numbers that JSON does not.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{PrettyFormatter, Serializer};

/// The value as text, without a newline at the end.
pub fn text(value: &Value) -> String {
    let mut bytes = Vec::new();
    let formatter = PrettyFormatter::with_indent(b"    ");
    // Values have text keys only and memory takes all bytes, so nothing can fail here.
    let _ = value.serialize(&mut Serializer::with_formatter(&mut bytes, formatter));
    let mut text = String::with_capacity(bytes.len());
    for character in String::from_utf8_lossy(&bytes).chars() {
        // Line feeds stand between values only: in texts they are escaped already.
        if matches!(character, '\n' | ' '..='~') {
            text.push(character);
        } else {
            text.extend(character.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")));
        }
    }
    text
}

/// Reads a value. Numbers that only Python writes (`NaN`, `Infinity`) are null.
///
/// # Errors
/// It is no JSON apart from that.
pub fn read(text: &str) -> serde_json::Result<Value> {
    let error = match serde_json::from_str(text) {
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    match without_odd_numbers(text) {
        Cow::Owned(repaired) => serde_json::from_str(&repaired),
        Cow::Borrowed(_) => Err(error),
    }
}

/// The text with `null` for Python's own numbers, but not in texts that happen to hold such words.
fn without_odd_numbers(text: &str) -> Cow<'_, str> {
    const ODD: [&str; 3] = ["NaN", "Infinity", "-Infinity"];
    let mut repaired = String::new();
    let mut done = 0;
    let (mut in_text, mut escaped) = (false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b'N' | b'I' | b'-' if !in_text && at >= done => {
                if let Some(odd) = ODD.iter().find(|odd| text[at..].starts_with(**odd)) {
                    repaired.push_str(&text[done..at]);
                    repaired.push_str("null");
                    done = at + odd.len();
                }
            }
            _ => {}
        }
    }
    if done == 0 {
        return Cow::Borrowed(text);
    }
    repaired.push_str(&text[done..]);
    Cow::Owned(repaired)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_python_are_null_outside_of_texts() {
        let check = |text: &str, expect: Value| assert_eq!(read(text).ok(), Some(expect), "{text}");
        check("[NaN, -Infinity,Infinity]", serde_json::json!([null, null, null]));
        check(
            r#"{"a\"NaN": NaN, "b": "é NaN \\", "c": -1}"#,
            serde_json::json!({"a\"NaN": null, "b": "é NaN \\", "c": -1}),
        );
        for text in ["NaN1", "[NaN", "-", "Nan", "[\"NaN]"] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn text_is_what_pythons_json_writes() {
        let check = |value: Value, expect: &str| assert_eq!(text(&value), expect);
        check(
            serde_json::json!({"a": [], "b": {}, "c": [1, true, null]}),
            "{\n    \"a\": [],\n    \"b\": {},\n    \"c\": [\n        1,\n        true,\n        null\n    ]\n}",
        );
        check(serde_json::json!("é\u{7f}\u{1b}\n\"\\/😀"), r#""\u00e9\u007f\u001b\n\"\\/\ud83d\ude00""#);
    }
}
