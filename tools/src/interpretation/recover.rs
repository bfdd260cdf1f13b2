//! From any text to the JSON values in it.
//!
//! [`recover`] finds the values that stand in a text (between prose, in fences, glued to one another, cut off) and
//! reads each, mending what is broken in a way that has one reading. What was done is told in named [`JsonRepair`]s with
//! their place; what could not be mended is told as [`Damage`], with a JSON pointer to the part of the value that it
//! concerns. Nothing is made up: a part that was cut off, could be read in two ways, or had to be left out is marked.
//!
//! What holds, and is tested: valid JSON is a fixed point (same value, no repairs); recovering what was recovered
//! changes nothing; no input makes it panic; the time is linear in the length of the text; nesting deeper than
//! [`DEPTH`] is not followed.
//!
//! How it works. One parser reads both ways. In strict mode it stops at the first thing that is not JSON; in lenient mode
//! it notes a repair and goes on. The heart is the question whether a quote ends its string (`strings`): it does when
//! what follows fits the place (`,` and a key, a closing bracket, the end …). Quotes inside code come in pairs, so
//! where both readings fit, an odd number of quotes so far means that the string goes on. For valid JSON the first
//! unescaped quote always fits, which is why lenient reading does not change it.

mod closers;
mod follow;
mod frame;
mod parser;
mod scan;
mod strings;
mod words;

use std::fmt;
use std::ops::Range;

use serde_json::Value;

/// How deep values are nested at most.
pub const DEPTH: usize = 127;

/// Keys of replies that every reading knows: they tell structure from text that looks like it.
const PROTOCOL_KEYS: &[&str] = &[
    "thoughts",
    "command",
    "name",
    "args",
    "arguments",
    "tool",
    "parameters",
    "file_path",
    "file_name",
    "insertions",
    "deletions",
    "modifications",
    "line_number",
    "new_lines",
    "modified_line",
    "target_lines",
    "fixes",
    "mutations",
    "mutants",
    "variants",
    "edits",
];

/// A value found in a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Recovered {
    /// The value.
    pub value: Value,
    /// Where it stands, in bytes.
    pub span: Range<usize>,
    /// What was mended, each kind once.
    pub repairs: Vec<RepairMade>,
    /// What could not be mended, in the order of the text.
    pub damage: Vec<Damage>,
}

impl Recovered {
    /// Whether the value ends in a string, number or list that was cut off.
    pub fn cut(&self) -> bool {
        self.damage.iter().any(|damage| damage.kind == DamageKind::Cut)
    }

    /// What is damaged at `pointer` or below it.
    pub fn damage_within<'a>(&'a self, pointer: &'a str) -> impl Iterator<Item = &'a Damage> {
        self.damage.iter().filter(move |damage| {
            damage.pointer.strip_prefix(pointer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }
}

/// A kind of repair in a value, with the place of the first one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RepairMade {
    /// What was mended.
    pub kind: JsonRepair,
    /// The byte of the text at which it was mended first.
    pub at: usize,
    /// How often it was mended in this value.
    pub count: usize,
}

/// What can be mended in JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum JsonRepair {
    /// A comma before a closing bracket.
    TrailingComma,
    /// Two elements or members without a comma between them.
    MissingComma,
    /// A comma with nothing before it.
    ExtraComma,
    /// A key without a colon after it, or with another sign.
    MissingColon,
    /// A string in single quotes.
    SingleQuotes,
    /// A string in typographic quotes.
    TypographicQuotes,
    /// A string that lacks its closing quote, before a known key.
    MissingQuote,
    /// A string with quotes inside that are not escaped.
    InnerQuote,
    /// A key without quotes.
    UnquotedKey,
    /// A single word without quotes as a value.
    UnquotedString,
    /// `True`, `None`, a tuple, a triple-quoted or prefixed string.
    PythonLiteral,
    /// A line break or another control character inside a string.
    RawControl,
    /// An escape that JSON does not have; the backslash is kept.
    InvalidEscape,
    /// A number in another form: `+1`, `.5`, `007`, `0x1F`, `1_000`.
    NumberForm,
    /// A comment.
    Comment,
    /// A closing bracket that is not there.
    MissingCloser,
    /// A closing bracket that closes nothing, or closes too early.
    ExtraCloser,
    /// A closing bracket of another kind.
    WrongCloser,
    /// An opening bracket too many.
    ExtraOpener,
}

impl fmt::Display for JsonRepair {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::TrailingComma => "trailing comma",
            Self::MissingComma => "missing comma",
            Self::ExtraComma => "extra comma",
            Self::MissingColon => "missing colon",
            Self::SingleQuotes => "single quotes",
            Self::TypographicQuotes => "typographic quotes",
            Self::MissingQuote => "missing closing quote",
            Self::InnerQuote => "unescaped inner quote",
            Self::UnquotedKey => "unquoted key",
            Self::UnquotedString => "unquoted string",
            Self::PythonLiteral => "Python literal",
            Self::RawControl => "raw control character",
            Self::InvalidEscape => "invalid escape",
            Self::NumberForm => "number form",
            Self::Comment => "comment",
            Self::MissingCloser => "missing closer",
            Self::ExtraCloser => "extra closer",
            Self::WrongCloser => "wrong closer",
            Self::ExtraOpener => "extra opener",
        })
    }
}

/// A part of a value that is not what was meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// What is wrong with it.
    pub kind: DamageKind,
    /// A JSON pointer to the part; for a list that was cut off, to the element that would have come next.
    pub pointer: String,
    /// The byte of the text at which it was noticed.
    pub at: usize,
}

/// What can be wrong with a part of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DamageKind {
    /// It was cut off: a string without an end, half a number, a list that was to go on.
    Cut,
    /// Its closing bracket never came; whether more was to come is unknown.
    Unclosed,
    /// A string that could end at more than one place.
    TwoReadings,
    /// Something in it was not readable and was left out.
    LeftOut,
    /// It was nested too deeply and was left out.
    TooDeep,
}

/// Finds the values in a text.
pub fn recover(text: &str) -> Vec<Recovered> {
    recover_with(text, &[])
}

/// Finds the values in a text. `keys` are keys that are expected: in doubt they tell structure from text.
pub fn recover_with(text: &str, keys: &[&str]) -> Vec<Recovered> {
    scan::scan(text, &mut KnownKeys::new(keys))
}

/// The keys that are known: those of the protocol, those handed in, and those seen so far.
#[derive(Debug)]
struct KnownKeys<'a> {
    given: &'a [&'a str],
    seen: std::collections::HashSet<String>,
}

impl<'a> KnownKeys<'a> {
    /// How many different keys are remembered.
    const MOST: usize = 2_000;

    fn new(given: &'a [&'a str]) -> Self {
        Self { given, seen: std::collections::HashSet::new() }
    }

    fn contains(&self, key: &str) -> bool {
        PROTOCOL_KEYS.contains(&key) || self.given.contains(&key) || self.seen.contains(key)
    }

    fn add(&mut self, key: &str) {
        if self.seen.len() < Self::MOST && !self.contains(key) {
            self.seen.insert(key.to_owned());
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests;
