//! From any text to the JSON values in it.
//!
//! [`recover`] finds the values that stand in a text (between prose, in fences, glued to one another, cut off) and
//! reads each, repairing what is broken in a way that has one reading. What was done is told in named [`JsonRepair`]s with
//! their place; what could not be repaired is told as [`Damage`], with a JSON pointer to the part of the value that it
//! concerns. Nothing is made up: a part that was cut off, could be read in two ways, or had to be left out is marked.
//!
//! What holds, and is tested: valid JSON in which no key stands twice is a fixed point (same value, no repairs); recovering what was recovered
//! changes nothing; no input makes it panic; the time is linear in the length of the text; nesting deeper than
//! [`DEPTH`] is not followed; edits that were broken on purpose come back as they were or are marked.
//!
//! How it works. One parser reads in two ways, the second where the first gave up. Without repairs: JSON, and what
//! differs from it in form alone (Python's literals, comments, a comma too many); brackets and quotes are what they seem.
//! Lenient: everything, with repairs. It goes on without them from the next entry on that looks whole (`checkpoints`). In
//! lenient reading four questions decide:
//!
//! - Does a quote end its string (`strings`, `follow`)? It does when what follows fits the place: `,` and a key, a
//!   closing bracket, the end … Quotes inside code come in pairs, so where both readings fit, an odd number of quotes
//!   so far means that the string goes on. What looks like one thing and may be another is marked (`quotes`).
//! - What do closing brackets close (`closers`)? A run of them is read as a whole, in the cheapest way in which what
//!   follows has its place: a key in an object that lacks it, an element beside elements like it.
//! - Does another reply begin here (`resync`)? The key that begins an entry, inside another entry, says that the one
//!   before was cut off. So does the first key of a reply among entries.
//! - Does the reply end here (`reply_end`)? Prose behind an entry ends the lists around it.
//!
//! Where brackets were moved, the known shape of an entry (`shape`) tells whether rightly; if not, it is marked. What only the
//! rest of a container can tell is damage until its own bracket is there (`provisional`).

mod bare_lists;
mod brackets;
mod checkpoints;
mod doubtful_quotes;
mod escapes;
mod frame;
mod lookahead;
mod missing_tokens;
mod other_quotes;
mod parser;
mod provisional;
mod reply_end;
mod resync;
mod scan;
mod shape;
mod strings;
mod unquoted;

use std::collections::HashSet;
use std::fmt;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;

use serde_json::Value;

pub use frame::pointer_part;
pub(crate) use strings::plain_length;

/// The greatest depth to which values are nested.
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
    /// Its place, in bytes.
    pub span: Range<usize>,
    /// The repairs, each kind once.
    pub repairs: Vec<RepairMade>,
    /// The parts that could not be repaired, in the order of the text.
    pub damage: Vec<Damage>,
}

impl Recovered {
    /// Is true if the value ends in a string, number or list that was cut off.
    pub fn cut(&self) -> bool {
        self.damage.iter().any(|damage| damage.kind == DamageKind::Cut)
    }

    /// The damage at `pointer` or below it.
    pub fn damage_within<'a>(&'a self, pointer: &'a str) -> impl Iterator<Item = &'a Damage> {
        self.damage.iter().filter(move |damage| damage.is_within(pointer))
    }

    /// The pointers to all that is damaged, and to all that holds it.
    pub fn damaged_pointers(&self) -> HashSet<String> {
        let mut damaged = HashSet::new();
        for damage in &self.damage {
            let mut pointer = damage.pointer.as_str();
            while damaged.insert(pointer.to_owned())
                && let Some((outer, _)) = pointer.rsplit_once('/')
            {
                pointer = outer;
            }
        }
        damaged
    }
}

/// A kind of repair in a value, with the place of the first one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RepairMade {
    /// The repairs made.
    pub kind: JsonRepair,
    /// The byte of the text at which it was repaired first.
    pub at: usize,
    /// The number of times that it was repaired in this value.
    pub count: usize,
}

/// A kind of repair in JSON.
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
    /// `True`, `None`, a tuple, a triple-quoted or prefixed string, an escape that JSON does not have.
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
    /// An opening bracket that is not there, before the first key of another entry or the first of several lines.
    MissingOpener,
    /// A key that stands twice in an object, with the same value that is no list, or with lists of entries, which are joined.
    RepeatedKey,
}

impl JsonRepair {
    /// Is true if it moves structure: with it something may have come to stand where it was not meant.
    fn moves_structure(self) -> bool {
        matches!(
            self,
            Self::MissingQuote
                | Self::InnerQuote
                | Self::MissingCloser
                | Self::ExtraCloser
                | Self::WrongCloser
                | Self::ExtraOpener
                | Self::MissingOpener
                | Self::MissingColon
                | Self::MissingComma
        )
    }

    /// Its name for programs, which does not change.
    pub fn name(self) -> &'static str {
        self.names().0
    }

    /// Its name for programs, and that for people.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::TrailingComma => ("trailing_comma", "trailing comma"),
            Self::MissingComma => ("missing_comma", "missing comma"),
            Self::ExtraComma => ("extra_comma", "extra comma"),
            Self::MissingColon => ("missing_colon", "missing colon"),
            Self::SingleQuotes => ("single_quotes", "single quotes"),
            Self::TypographicQuotes => ("typographic_quotes", "typographic quotes"),
            Self::MissingQuote => ("missing_quote", "missing closing quote"),
            Self::InnerQuote => ("inner_quote", "unescaped inner quote"),
            Self::UnquotedKey => ("unquoted_key", "unquoted key"),
            Self::UnquotedString => ("unquoted_string", "unquoted string"),
            Self::PythonLiteral => ("python_literal", "Python literal"),
            Self::RawControl => ("raw_control", "raw control character"),
            Self::InvalidEscape => ("invalid_escape", "invalid escape"),
            Self::NumberForm => ("number_form", "number form"),
            Self::Comment => ("comment", "comment"),
            Self::MissingCloser => ("missing_closer", "missing closer"),
            Self::ExtraCloser => ("extra_closer", "extra closer"),
            Self::WrongCloser => ("wrong_closer", "wrong closer"),
            Self::ExtraOpener => ("extra_opener", "extra opener"),
            Self::MissingOpener => ("missing_opener", "missing opener"),
            Self::RepeatedKey => ("repeated_key", "repeated key"),
        }
    }
}

impl fmt::Display for JsonRepair {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.names().1)
    }
}

/// A part of a value that is not what was meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// The fault.
    pub kind: DamageKind,
    /// A JSON pointer to the part; for a list that was cut off, to the element that would have come next.
    pub pointer: String,
    /// The byte of the text at which it was noticed.
    pub at: usize,
}

impl Damage {
    /// Is true if it is at a place or below it.
    pub fn is_within(&self, pointer: &str) -> bool {
        self.pointer.strip_prefix(pointer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

/// A kind of damage to a part of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DamageKind {
    /// It was cut off: a string without an end, half a number, a list that was to go on.
    Cut,
    /// Its closing bracket is missing, and whether more was to come is unknown. That holds for each container that is open
    /// where reading breaks off, at the end of the text or where another reply begins. Where what follows shows that it
    /// had ended (a bracket of what is around, the next key or element there, the end of a fence or a tag), the
    /// bracket is repaired and nothing is damaged, but for an object that names a file: it may lack members, unless its list
    /// goes on and is closed by its own bracket; or the element before it in the list has the same keys, or another one in
    /// the text before, and none has more keys than these.
    Unclosed,
    /// It can be read in two ways: a string that could end at more than one place or that holds what looks like
    /// structure, an object in which a key stands twice with different values or lists.
    TwoReadings,
    /// Something in it was not readable and was left out.
    LeftOut,
    /// It was nested too deeply and was left out.
    TooDeep,
}

impl DamageKind {
    /// Its name for programs, which does not change.
    pub fn name(self) -> &'static str {
        self.names().0
    }

    /// Its name for programs, and what it says to people.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Cut => ("cut", "cut off"),
            Self::Unclosed => ("unclosed", "never closed; more may have been to come"),
            Self::TwoReadings => ("two_readings", "can be read in two ways"),
            Self::LeftOut => ("left_out", "something unreadable was left out"),
            Self::TooDeep => ("too_deep", "nested too deeply"),
        }
    }
}

impl fmt::Display for DamageKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.names().1)
    }
}

/// Finds the values in a text.
pub fn recover(text: &str) -> Vec<Recovered> {
    recover_with(text, &[])
}

/// Finds the values in a text one by one, which spares the room for all of them at once.
pub fn recover_each(text: &str) -> impl Iterator<Item = Recovered> {
    scan::Values::new(text, KnownKeys::new(&[]))
}

/// Finds the values in a text. `keys` are keys that are expected: in doubt they tell structure from text.
pub fn recover_with(text: &str, keys: &[&str]) -> Vec<Recovered> {
    scan::Values::new(text, KnownKeys::new(keys)).collect()
}

/// The keys that are known: those of the protocol, those handed in, and those seen so far.
#[derive(Debug)]
struct KnownKeys {
    keys: HashSet<Box<str>, BuildHasherDefault<KeyHasher>>,
}

impl KnownKeys {
    /// The most different keys that are remembered.
    const MOST: usize = 2_000;

    fn new(given: &[&str]) -> Self {
        Self { keys: PROTOCOL_KEYS.iter().chain(given).map(|key| Box::from(*key)).collect() }
    }

    fn contains(&self, key: &str) -> bool {
        self.keys.contains(key)
    }

    fn add(&mut self, key: &str) {
        if self.keys.len() < Self::MOST && !self.contains(key) {
            self.keys.insert(key.into());
        }
    }
}

/// A fast hash of short keys (FNV). That a text can be made to collide in it costs little: few keys are remembered.
#[derive(Debug, Clone, Copy)]
struct KeyHasher(u64);

impl Default for KeyHasher {
    fn default() -> Self {
        Self(0xCBF2_9CE4_8422_2325)
    }
}

impl Hasher for KeyHasher {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod joined_tests;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests;
