//! What every fuzz target of a kind checks.

use patchwright_code::edits::{Format, read_edits};
use patchwright_replies::recover;

/// The recoverer: no panic, values in order and inside the text, valid JSON left alone, a second reading like the first.
pub fn recoverer(text: &str) {
    let values = recover(text);
    let mut end = 0;
    for found in &values {
        assert!(
            found.span.start >= end && found.span.start <= found.span.end,
            "{:?} after {end}",
            found.span
        );
        assert!(text.get(found.span.clone()).is_some(), "{:?} splits a character", found.span);
        end = found.span.end;
        let written = serde_json::to_string(&found.value).expect("a value can be written");
        let again = recover(&written);
        assert_eq!(again.len(), 1, "{written}");
        assert_eq!(again[0].value, found.value);
        assert!(again[0].repairs.is_empty(), "{written}: {:?}", again[0].repairs);
    }
    if let Ok(value) = serde_json::from_str::<serde_json::Value>(text) {
        assert_eq!(values.len(), 1);
        assert_eq!(values[0].value, value);
        assert!(values[0].repairs.is_empty());
    }
}

/// The parser of a format: no panic, and a refusal that says something.
pub fn parser(text: &str, format: Format) {
    match read_edits(text, Some(format)) {
        Ok(reading) => assert!(reading.edits.iter().all(|edit| !edit.file_path.trim().is_empty())),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    let _ = read_edits(text, None);
}
