//! Known secrets are replaced in every string before it is written.

use serde_json::Value;

/// What stands in the log instead of a secret.
pub const REDACTED: &str = "[redacted]";
/// Shorter values are placeholders for servers that want no key; replacing them would make a log unreadable.
const SHORTEST_SECRET: usize = 8;

/// Replaces known secret values, also where they stand escaped inside a string that is JSON itself.
#[derive(Clone, Default)]
pub struct Redactor {
    /// Every spelling of every secret, the longest first, so that no part of a longer one is left over.
    spellings: Vec<String>,
}

impl std::fmt::Debug for Redactor {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Redactor").field("spellings", &self.spellings.len()).finish()
    }
}

impl Redactor {
    /// For these secret values. Values of fewer than eight bytes (`none`, `test`) are left out.
    pub fn new(secrets: &[String]) -> Self {
        let mut spellings = Vec::new();
        for secret in
            secrets.iter().map(|secret| secret.trim()).filter(|secret| secret.len() >= SHORTEST_SECRET)
        {
            spellings.push(secret.to_owned());
            for escape in [json_escaped, json_escaped_ascii] {
                let once = escape(secret);
                spellings.push(once.replace('/', "\\/"));
                spellings.push(escape(&once));
                spellings.push(once);
            }
        }
        spellings.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        spellings.dedup();
        Self { spellings }
    }

    /// The text without secrets.
    pub fn text(&self, text: &str) -> String {
        let mut clean = text.to_owned();
        for spelling in &self.spellings {
            if clean.contains(spelling) {
                clean = clean.replace(spelling, REDACTED);
            }
        }
        clean
    }

    /// Replaces secrets in every string and every key of a value.
    pub fn value(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.text(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.value(item)),
            Value::Object(fields) => {
                if fields.keys().any(|key| self.text(key) != *key) {
                    *fields = std::mem::take(fields)
                        .into_iter()
                        .map(|(key, field)| (self.text(&key), field))
                        .collect();
                }
                fields.values_mut().for_each(|field| self.value(field));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

fn json_escaped(text: &str) -> String {
    let quoted = Value::String(text.to_owned()).to_string();
    quoted.trim_start_matches('"').strip_suffix('"').unwrap_or_default().to_owned()
}

/// As encoders do that keep to ASCII: every other character as `\uXXXX`.
fn json_escaped_ascii(text: &str) -> String {
    let mut escaped = String::new();
    for character in json_escaped(text).chars() {
        if character.is_ascii() {
            escaped.push(character);
            continue;
        }
        let units = character
            .encode_utf16(&mut [0; 2])
            .iter()
            .map(|unit| format!("\\u{unit:04x}"))
            .collect::<Vec<_>>();
        escaped.push_str(&units.concat());
    }
    escaped
}
