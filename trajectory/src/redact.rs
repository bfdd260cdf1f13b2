//! Known secrets are replaced in every text before it is written, shown or sent.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use memchr::memmem;
use serde_json::Value;

/// The text in the log in place of a secret.
pub const REDACTED: &str = "[redacted]";
/// Shorter values are placeholders for servers that want no key; replacing them would make a log unreadable.
const SHORTEST_SECRET: usize = 6;
/// The same for values that are a plain word in lower case, as `testing`: shorter ones stand in too many texts.
const SHORTEST_WORD: usize = 16;

/// Replaces known secret values, also where they stand escaped inside a string that is JSON itself. A copy is cheap.
#[derive(Clone, Default)]
pub struct Redactor {
    /// Every spelling of every secret.
    spellings: Arc<BTreeSet<String>>,
}

impl std::fmt::Debug for Redactor {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Redactor").field("spellings", &self.spellings.len()).finish()
    }
}

impl Redactor {
    /// For these secret values. Left out are those that would be found everywhere: values of fewer than six bytes
    /// (`none`, `1234`), and words in lower case of fewer than sixteen (`testing`).
    pub fn new(secrets: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        let mut spellings = BTreeSet::new();
        for secret in secrets {
            let secret = secret.as_ref().trim();
            if !is_distinctive(secret) {
                continue;
            }
            spellings.insert(secret.to_owned());
            // As Python shows a string: with the quotation mark escaped that stands around it.
            let doubled = secret.replace('\\', "\\\\");
            spellings.extend(["'", "\""].map(|quote| doubled.replace(quote, &format!("\\{quote}"))));
            spellings.insert(doubled);
            for escape in [json_escaped, json_escaped_ascii] {
                let once = escape(secret);
                spellings.insert(once.replace('/', "\\/"));
                spellings.insert(escape(&once));
                spellings.insert(once);
            }
        }
        Self { spellings: Arc::new(spellings) }
    }

    /// The text without secrets.
    pub fn text(&self, text: &str) -> String {
        self.clean(text).into_owned()
    }

    /// The bytes without secrets, where they need not all be text. What holds none is not copied.
    pub fn bytes<'b>(&self, bytes: &'b [u8]) -> Cow<'b, [u8]> {
        if let Ok(text) = std::str::from_utf8(bytes) {
            return match self.clean(text) {
                Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
                Cow::Owned(text) => Cow::Owned(text.into_bytes()),
            };
        }
        let mut clean = Vec::with_capacity(bytes.len());
        for chunk in bytes.utf8_chunks() {
            clean.extend_from_slice(self.clean(chunk.valid()).as_bytes());
            clean.extend_from_slice(chunk.invalid());
        }
        Cow::Owned(clean)
    }

    /// The text without secrets; what holds none is not copied.
    fn clean<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.spellings.is_empty() {
            return Cow::Borrowed(text);
        }
        let places = self.places(text);
        if places.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut clean = String::with_capacity(text.len());
        let mut end = 0;
        for secret in places {
            clean.push_str(&text[end..secret.start]);
            clean.push_str(REDACTED);
            end = secret.end;
        }
        clean.push_str(&text[end..]);
        Cow::Owned(clean)
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

    /// Where secrets stand in a text, in order. Those that overlap are one place, so that no part of one is left over.
    fn places(&self, text: &str) -> Vec<Range<usize>> {
        let mut all: Vec<Range<usize>> = Vec::new();
        for spelling in self.spellings.iter() {
            let starts = memmem::find_iter(text.as_bytes(), spelling);
            all.extend(starts.map(|start| start..start + spelling.len()));
        }
        all.extend(self.cut_places(text));
        all.extend(self.escaped_places(text));
        all.sort_by_key(|place| place.start);
        let mut places: Vec<Range<usize>> = Vec::new();
        for place in all {
            match places.last_mut().filter(|last| place.start < last.end) {
                Some(last) => last.end = last.end.max(place.end),
                None => places.push(place),
            }
        }
        places
    }
}

impl Redactor {
    /// Where secrets stand of which some characters are written as `\u0073`: JSON may write any of them so.
    fn escaped_places(&self, text: &str) -> Vec<Range<usize>> {
        if memmem::find(text.as_bytes(), b"\\u00").is_none() {
            return Vec::new();
        }
        let (plain, starts) = unescaped(text);
        let places = self.spellings.iter().flat_map(|secret| {
            memmem::find_iter(&plain, secret).map(move |start| start..start + secret.len())
        });
        places.map(|place| starts[place.start]..starts[place.end]).collect()
    }

    /// Where parts of secrets stand beside a note that something was left out: what is captured is cut before it comes here.
    fn cut_places(&self, text: &str) -> Vec<Range<usize>> {
        let mut places = Vec::new();
        for note in memmem::find_iter(text.as_bytes(), "[…") {
            let before = text[..note].strip_suffix('\n').unwrap_or(&text[..note]);
            let parts = self.spellings.iter().flat_map(|secret| parts(secret, |cut| &secret[..cut]));
            let longest = parts.filter(|part| before.ends_with(part)).map(str::len).max();
            places.extend(longest.map(|length| before.len() - length..before.len()));
        }
        for end in memmem::find_iter(text.as_bytes(), "…]") {
            let after = &text[end + "…]".len()..];
            let after = after.strip_prefix('\n').unwrap_or(after);
            let start = text.len() - after.len();
            let parts = self.spellings.iter().flat_map(|secret| parts(secret, |cut| &secret[cut..]));
            let longest = parts.filter(|part| after.starts_with(part)).map(str::len).max();
            places.extend(longest.map(|length| start..start + length));
        }
        places
    }
}

/// The parts of a secret, from all places where it can be cut, that are long enough to tell something.
fn parts<'s>(secret: &'s str, part: impl Fn(usize) -> &'s str) -> impl Iterator<Item = &'s str> {
    let cuts = (1..secret.len()).filter(|cut| secret.is_char_boundary(*cut));
    cuts.map(part).filter(|part| part.len() >= SHORTEST_SECRET)
}

/// The text with its escapes of ASCII characters as these, and where each byte of it begins in the text, the end included.
fn unescaped(text: &str) -> (Vec<u8>, Vec<usize>) {
    let bytes = text.as_bytes();
    let (mut plain, mut starts, mut at) = (Vec::new(), Vec::new(), 0);
    while let Some(byte) = bytes.get(at) {
        let digits = text.get(at..at + 6).and_then(|escape| escape.strip_prefix("\\u00"));
        let escaped = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()).filter(u8::is_ascii);
        plain.push(escaped.unwrap_or(*byte));
        starts.push(at);
        at += if escaped.is_some() { 6 } else { 1 };
    }
    starts.push(at);
    (plain, starts)
}

/// Is true if a value is a secret wherever it stands, and not a word that happens to be one's value.
fn is_distinctive(value: &str) -> bool {
    let word = value.bytes().all(|byte| byte.is_ascii_lowercase());
    let shortest = if word { SHORTEST_WORD } else { SHORTEST_SECRET };
    // A part of what replaces secrets would be replaced again and again.
    value.len() >= shortest && !REDACTED.contains(value)
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
