//! Prompts as differences to the previous prompt of the same purpose.
//!
//! A stored message is a list of [`Piece`]s: new text, or a stretch of the previous prompt. Stretches are found in
//! two steps: the common head and tail with the message at the same place (bytes, on character boundaries), then
//! whole lines from anywhere in the previous prompt. So a section that moved, or several sections that changed in one
//! message, cost only what is new in them.

use std::collections::{BTreeMap, HashMap};

use patchwright_protocol::{Message, Role, Turn};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::payload::Purpose;

/// A stretch shorter than this is stored as text: naming it would cost as much.
const SHORTEST_STRETCH: usize = 24;
/// Bytes of a prompt: no service takes that many. Differences may say little and amount to much.
pub(crate) const LONGEST_PROMPT: usize = 16 << 20;
/// Equal lines of the previous prompt that are tried as the start of a stretch. Lines such as `}` are everywhere;
/// the bound keeps the search linear, and a missed stretch costs bytes, not correctness.
const PLACES_TRIED: usize = 16;

/// A prompt, stored as a difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PromptDelta {
    /// The messages.
    pub messages: Vec<StoredMessage>,
    /// BLAKE3 of the whole prompt (hexadecimal): checked when it is put together again.
    pub hash: String,
}

/// A message, stored as a difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StoredMessage {
    /// Who speaks.
    pub role: Role,
    /// Whether a cache breakpoint follows the message.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cache_here: bool,
    /// The turn of the conversation that it stands for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<Turn>,
    /// The text, piece by piece.
    pub pieces: Vec<Piece>,
}

/// A part of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Piece {
    /// New text.
    Text(String),
    /// `[from, bytes]`: a stretch of the previous prompt, whose messages stand one after the other without a gap.
    Keep(usize, usize),
}

/// The reason why a prompt cannot be put together again.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DeltaError {
    /// A stretch reaches past the previous prompt, or begins or ends inside a character.
    #[error(
        "the stretch of {bytes} bytes from byte {from} does not fit the previous prompt of {length} bytes; \
         an earlier prompt event is missing or was changed"
    )]
    Stretch {
        /// Where the stretch begins.
        from: usize,
        /// Its length.
        bytes: usize,
        /// The length of the previous prompt.
        length: usize,
    },
    /// The whole is longer than any prompt.
    #[error("the prompt has more than {LONGEST_PROMPT} bytes")]
    TooLong,
    /// The whole differs from what was written.
    #[error("the prompt's hash is {found}, the log says {stored}; a prompt event was changed")]
    Hash {
        /// The hash of what was put together.
        found: String,
        /// The hash in the log.
        stored: String,
    },
}

/// The last prompt of each purpose: what differences refer to.
#[derive(Debug, Clone, Default)]
pub struct PromptStore {
    last: BTreeMap<Purpose, Vec<Message>>,
}

impl PromptStore {
    /// The difference of a prompt to the last one of its purpose. The store itself does not change.
    pub fn delta(&self, purpose: Purpose, messages: &[Message]) -> PromptDelta {
        let empty = Vec::new();
        let previous = self.last.get(&purpose).unwrap_or(&empty);
        let base = Base::new(previous);
        let stored = messages
            .iter()
            .enumerate()
            .map(|(index, message)| StoredMessage {
                role: message.role,
                cache_here: message.cache_here,
                turn: message.turn,
                pieces: base.pieces(index, &message.text),
            })
            .collect();
        PromptDelta { messages: stored, hash: hash(messages) }
    }

    /// Makes a prompt the one that the next difference of its purpose refers to.
    pub fn keep(&mut self, purpose: Purpose, messages: Vec<Message>) {
        self.last.insert(purpose, messages);
    }

    /// Puts a prompt together from its difference and makes it the last one of its purpose.
    ///
    /// # Errors
    /// When the difference does not fit the previous prompt, or the whole is not what was written.
    pub fn rebuild(&mut self, purpose: Purpose, delta: &PromptDelta) -> Result<Vec<Message>, DeltaError> {
        let base: String =
            self.last.get(&purpose).into_iter().flatten().map(|message| message.text.as_str()).collect();
        let mut room = LONGEST_PROMPT;
        let messages = delta
            .messages
            .iter()
            .map(|stored| {
                Ok(Message {
                    role: stored.role,
                    text: text(&base, &stored.pieces, &mut room)?,
                    cache_here: stored.cache_here,
                    turn: stored.turn,
                })
            })
            .collect::<Result<Vec<_>, DeltaError>>()?;
        let found = hash(&messages);
        if found != delta.hash {
            return Err(DeltaError::Hash { found, stored: delta.hash.clone() });
        }
        self.keep(purpose, messages.clone());
        Ok(messages)
    }
}

/// The text of a message, which takes up some of the room.
fn text(base: &str, pieces: &[Piece], room: &mut usize) -> Result<String, DeltaError> {
    let mut text = String::new();
    for piece in pieces {
        let part = match piece {
            Piece::Text(new) => new,
            Piece::Keep(from, bytes) => {
                let stretch = from.checked_add(*bytes).and_then(|end| base.get(*from..end));
                stretch.ok_or(DeltaError::Stretch { from: *from, bytes: *bytes, length: base.len() })?
            }
        };
        *room = room.checked_sub(part.len()).ok_or(DeltaError::TooLong)?;
        text.push_str(part);
    }
    Ok(text)
}

fn hash(messages: &[Message]) -> String {
    let mut hasher = blake3::Hasher::new();
    for message in messages {
        for part in [message.role.word().as_bytes(), message.text.as_bytes()] {
            // Lengths keep the borders apart: ("a", "bc") is not ("ab", "c").
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        hasher.update(&[u8::from(message.cache_here)]);
    }
    hasher.finalize().to_hex().to_string()
}

/// The previous prompt, indexed by its lines.
struct Base<'a> {
    /// The messages with the place where each begins.
    messages: Vec<(usize, &'a str)>,
    lines: Vec<(usize, &'a str)>,
    places: HashMap<&'a str, Vec<usize>>,
}

impl<'a> Base<'a> {
    fn new(previous: &'a [Message]) -> Self {
        let mut messages = Vec::new();
        let mut lines = Vec::new();
        let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
        let mut offset = 0;
        for message in previous {
            messages.push((offset, message.text.as_str()));
            for line in message.text.split_inclusive('\n') {
                places.entry(line).or_default().push(lines.len());
                lines.push((offset, line));
                offset += line.len();
            }
        }
        Self { messages, lines, places }
    }

    fn pieces(&self, index: usize, text: &str) -> Vec<Piece> {
        let mut pieces = Pieces::default();
        let (start, old) = self.messages.get(index).copied().unwrap_or((0, ""));
        let head = common_head(old, text);
        let tail = common_tail(&old[head..], &text[head..]);
        pieces.keep(start, head, &text[..head]);
        self.middle(&text[head..text.len() - tail], &mut pieces);
        pieces.keep(start + old.len() - tail, tail, &text[text.len() - tail..]);
        pieces.list
    }

    fn middle(&self, text: &str, pieces: &mut Pieces) {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let mut rest = lines.as_slice();
        let mut expected = 0;
        while let Some(line) = rest.first() {
            let (from, count) = self.longest_stretch(rest, expected);
            let stretch: String = rest[..count].concat();
            if count > 0 {
                pieces.keep(self.lines[from].0, stretch.len(), &stretch);
                expected = from + count;
                rest = &rest[count..];
            } else {
                pieces.text(line);
                rest = &rest[1..];
            }
        }
    }

    /// Where the longest run of these lines begins in the previous prompt, and how many lines it has.
    fn longest_stretch(&self, lines: &[&str], expected: usize) -> (usize, usize) {
        let Some(places) = lines.first().and_then(|line| self.places.get(line)) else {
            return (0, 0);
        };
        // The line after the last stretch comes first: most changes leave what follows in place.
        let next = places.partition_point(|place| *place < expected);
        let near = places[next..].iter().chain(&places[..next]).take(PLACES_TRIED);
        let mut best = (0, 0);
        for place in near {
            let run =
                self.lines[*place..].iter().zip(lines).take_while(|((_, old), new)| old == *new).count();
            if run > best.1 {
                best = (*place, run);
            }
        }
        best
    }
}

#[derive(Default)]
struct Pieces {
    list: Vec<Piece>,
}

impl Pieces {
    fn text(&mut self, new: &str) {
        match self.list.last_mut() {
            Some(Piece::Text(text)) => text.push_str(new),
            Some(Piece::Keep(..)) | None if !new.is_empty() => self.list.push(Piece::Text(new.to_owned())),
            Some(Piece::Keep(..)) | None => {}
        }
    }

    fn keep(&mut self, from: usize, bytes: usize, same: &str) {
        match self.list.last_mut() {
            Some(Piece::Keep(start, length)) if *start + *length == from => *length += bytes,
            Some(_) | None if bytes < SHORTEST_STRETCH => self.text(same),
            Some(_) | None => self.list.push(Piece::Keep(from, bytes)),
        }
    }
}

fn common_head(left: &str, right: &str) -> usize {
    left.chars().zip(right.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum()
}

fn common_tail(left: &str, right: &str) -> usize {
    left.chars().rev().zip(right.chars().rev()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum()
}
