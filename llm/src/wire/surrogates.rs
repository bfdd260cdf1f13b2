//! Characters outside of the basic plane whose two halves come apart.
//!
//! JSON writes such a character as two escapes, `\ud83d\ude00`, and a service that cuts its text anywhere sends them in two events. A half
//! alone is no text: until the other one comes, a character of a private plane that nobody uses stands for it.

use serde_json::Value;

/// The first of the characters that stand for halves.
const FIRST_MARK: u32 = 0x0010_0000;
const HALVES: std::ops::Range<u32> = 0xD800..0xE000;
/// The first half that comes second.
const LOW: u32 = 0xDC00;

/// JSON in which each half that stands alone is marked; `None` where none does.
fn marked(json: &str) -> Option<String> {
    let (mut text, mut rest, mut is_changed) = (String::new(), json, false);
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let is_pair = || {
            unit(rest).zip(rest.get(6..).and_then(unit)).is_some_and(|(high, low)| high < LOW && low >= LOW)
        };
        let taken = match unit(rest) {
            None => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            Some(_) if is_pair() => 12,
            Some(half) => {
                is_changed = true;
                text.extend(char::from_u32(FIRST_MARK + half - HALVES.start));
                rest = &rest[6..];
                continue;
            }
        };
        text.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    text.push_str(rest);
    is_changed.then_some(text)
}

/// Reads JSON in which halves may stand alone: they are marked.
pub(super) fn read(json: &[u8]) -> serde_json::Result<Value> {
    serde_json::from_slice(json).or_else(|error| match std::str::from_utf8(json).ok().and_then(marked) {
        Some(marked) => serde_json::from_str(&marked),
        None => Err(error),
    })
}

/// The half that the escape at the beginning of `json` is.
fn unit(json: &str) -> Option<u32> {
    let digits = json.strip_prefix("\\u")?.get(..4)?;
    u32::from_str_radix(digits, 16).ok().filter(|unit| HALVES.contains(unit))
}

/// Appends `more`; a half at the end of the text and one at the beginning of `more` become the character that they are.
pub(super) fn append(text: &mut String, more: &str) {
    let mut rest = more.chars();
    let high = text.chars().next_back().and_then(half).filter(|high| *high < LOW);
    let low = rest.next().and_then(half).filter(|low| *low >= LOW);
    let whole = high.zip(low).map(|(high, low)| 0x1_0000 + ((high - HALVES.start) << 10) + (low - LOW));
    match whole.and_then(char::from_u32) {
        Some(whole) => {
            text.pop();
            text.push(whole);
            text.push_str(rest.as_str());
        }
        None => text.push_str(more),
    }
}

/// The half that a character stands for.
fn half(mark: char) -> Option<u32> {
    let half = u32::from(mark).checked_sub(FIRST_MARK)? + HALVES.start;
    HALVES.contains(&half).then_some(half)
}

/// Replaces what stands for a half whose other one never came.
pub(super) fn settle(value: &mut Value) {
    match value {
        Value::String(text) if text.contains(|letter| half(letter).is_some()) => {
            *text = text.replace(|letter| half(letter).is_some(), "\u{fffd}");
        }
        Value::Array(items) => items.iter_mut().for_each(settle),
        Value::Object(fields) => fields.values_mut().for_each(settle),
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn halves_become_their_character_again() {
        let check = |pieces: &[&str], expect: &str| {
            let mut whole = String::new();
            for piece in pieces {
                let json = format!("\"{piece}\"");
                let text: String = serde_json::from_str(&marked(&json).unwrap_or(json)).unwrap();
                append(&mut whole, &text);
            }
            let mut value = json!([whole]);
            settle(&mut value);
            assert_eq!(value, json!([expect]), "{pieces:?}");
        };
        check(&["a\\ud83d", "\\ude00b"], "a😀b");
        check(&["\\ud83d\\ude00", "\\\\ud83d"], "😀\\ud83d");
        check(&["\\ud83d", "x"], "\u{fffd}x");
        check(&["\\ude00\\ud83d"], "\u{fffd}\u{fffd}");
        check(&["\\ud83d", "", "\\ude00"], "😀");
        check(&["ä\\n", "\\u00e4"], "ä\nä");
    }
}
