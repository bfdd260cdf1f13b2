//! The state of a parser: the open containers, and searches that it made.

use serde_json::{Map, Value};

use super::resync::{is_entry_field, is_entry_file};
use super::shape::{self, Shapes};
use crate::entries::names_a_file;

/// A container that is open.
pub(super) enum Frame {
    Object {
        members: Map<String, Value>,
        key: Option<String>,
        /// The number of doubtful repairs before it.
        moves: usize,
    },
    Array {
        elements: Vec<Value>,
    },
    Tuple {
        elements: Vec<Value>,
    },
}

impl Frame {
    pub(super) fn closer(&self) -> u8 {
        match self {
            Self::Object { .. } => b'}',
            Self::Array { .. } => b']',
            Self::Tuple { .. } => b')',
        }
    }

    /// An object without members.
    pub(super) fn object(moves: usize) -> Self {
        Self::Object { members: Map::new(), key: None, moves }
    }

    /// An object with room for so many members.
    pub(super) fn object_of(members: usize, moves: usize) -> Self {
        Self::Object { members: Map::with_capacity(members), key: None, moves }
    }

    /// Is true if it is an object in which doubtful repairs were made.
    pub(super) fn moved(&self, now: usize) -> bool {
        matches!(self, Self::Object { moves, .. } if *moves < now)
    }

    /// The last element, of a list.
    pub(super) fn last(&self) -> Option<&Value> {
        match self {
            Self::Object { .. } => None,
            Self::Array { elements } | Self::Tuple { elements } => elements.last(),
        }
    }

    /// The members, of an object.
    fn members(&self) -> Option<&Map<String, Value>> {
        match self {
            Self::Object { members, .. } => Some(members),
            Self::Array { .. } | Self::Tuple { .. } => None,
        }
    }

    /// Is true if it is no entry, or one with its fields where they belong; `before` is the element before it in a list.
    pub(super) fn is_entry_in_shape(&self, before: Option<&Value>) -> bool {
        self.members().is_none_or(|members| shape::is_in_shape(members, before))
    }

    /// The key whose value is being read.
    pub(super) fn key(&self) -> Option<&str> {
        match self {
            Self::Object { key, .. } => key.as_deref(),
            Self::Array { .. } | Self::Tuple { .. } => None,
        }
    }

    /// Is true if no entry can stand in what is being read in it: the value of a field of an entry.
    pub(super) fn is_below_entry(&self) -> bool {
        self.key().is_some_and(|key| is_entry_field(key) || is_entry_file(key))
    }

    pub(super) fn is_object(&self) -> bool {
        self.members().is_some()
    }

    pub(super) fn has_key(&self, name: &str) -> bool {
        self.members().is_some_and(|members| members.contains_key(name))
    }

    /// Is true if it is an object that names a file.
    pub(super) fn names_a_file(&self) -> bool {
        self.members().is_some_and(names_a_file)
    }

    /// Is true if it is an object with a key that stands only in entries.
    pub(super) fn has_entry_field(&self) -> bool {
        self.members().is_some_and(|members| members.keys().any(|key| is_entry_field(key)))
    }

    /// Is true if it is a list, and each element an object that names a file.
    pub(super) fn holds_entries_alone(&self) -> bool {
        match self {
            Self::Object { .. } => false,
            Self::Array { elements } | Self::Tuple { elements } => {
                !elements.is_empty() && elements.iter().all(|one| one.as_object().is_some_and(names_a_file))
            }
        }
    }

    /// Is true if it is a change with its number and its lines.
    pub(super) fn is_change(&self) -> bool {
        self.has_key("line_number") && (self.has_key("new_lines") || self.has_key("modified_line"))
    }

    /// The first key, of an object.
    pub(super) fn first_key(&self) -> Option<&str> {
        self.members()?.keys().next().map(String::as_str)
    }

    /// Is true if a key may stand in this object: those of an entry and of a change keep to themselves.
    pub(super) fn awaits(&self, key: &str) -> bool {
        self.members()
            .is_some_and(|members| shape::awaits(members.keys().map(String::as_str).chain(self.key()), key))
    }

    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Object { members, .. } => members.is_empty(),
            Self::Array { elements } | Self::Tuple { elements } => elements.is_empty(),
        }
    }
}

/// Room that is used again: most of the time of reading goes into asking for memory.
#[derive(Debug, Default)]
pub(super) struct Room {
    /// The buffer in which strings are put together.
    pub(super) text: String,
    /// Empty lists.
    lists: Vec<Vec<Value>>,
    /// For each depth the number of members that the last object there had: the next one is like it.
    members: Vec<usize>,
}

impl Room {
    /// The most members for which room is made before they are there.
    const MOST: usize = 8;

    /// An empty list.
    pub(super) fn list(&mut self) -> Vec<Value> {
        self.lists.pop().unwrap_or_default()
    }

    /// The number of members to expect of an object at this depth.
    pub(super) fn members(&self, depth: usize) -> usize {
        self.members.get(depth).copied().unwrap_or_default()
    }

    /// The value of a container that was closed at this depth, no larger than it needs to be.
    pub(super) fn value(&mut self, frame: Frame, depth: usize) -> Value {
        match frame {
            Frame::Object { members, .. } => {
                if self.members.len() <= depth {
                    self.members.resize(depth + 1, 0);
                }
                self.members[depth] = members.len().min(Self::MOST);
                Value::Object(members)
            }
            Frame::Array { mut elements } | Frame::Tuple { mut elements } => {
                let mut list = Vec::with_capacity(elements.len());
                list.append(&mut elements);
                self.lists.push(elements);
                Value::Array(list)
            }
        }
    }
}

/// The token that may come next in the innermost container.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Expect {
    /// A key, an element, or the end.
    Item {
        after_comma: bool,
    },
    Colon,
    Value,
    /// A comma or the end.
    Comma,
}

/// A JSON pointer to what is being read in the innermost of the open containers.
pub(super) fn pointer(stack: &[Frame]) -> String {
    let mut pointer = String::new();
    for frame in stack {
        match frame {
            Frame::Object { key, .. } => key.iter().for_each(|key| pointer_part(&mut pointer, key)),
            Frame::Array { elements } | Frame::Tuple { elements } => {
                pointer_part(&mut pointer, &elements.len().to_string());
            }
        }
    }
    pointer
}

/// Adds a part to a JSON pointer.
pub fn pointer_part(pointer: &mut String, part: &str) {
    pointer.push('/');
    if part.contains(['~', '/']) {
        pointer.push_str(&part.replace('~', "~0").replace('/', "~1"));
    } else {
        pointer.push_str(part);
    }
}

/// What is known of the text from what was read of it: the results of searches, so that none is made twice, and the keys of
/// entries; and room for what is read.
#[derive(Debug, Default)]
pub(super) struct SearchCache {
    /// Mark → (searched from, found at).
    marks: Vec<(&'static str, usize, Option<usize>)>,
    pub(super) room: Room,
    /// The keys of the entries so far.
    pub(super) shapes: Shapes,
}

impl SearchCache {
    /// The next `mark` at or after `at`.
    pub(super) fn find(&mut self, text: &str, mark: &'static str, at: usize) -> Option<usize> {
        if let Some((_, from, found)) = self.marks.iter().find(|(known, ..)| *known == mark)
            && *from <= at
            && found.is_none_or(|found| at <= found)
        {
            return *found;
        }
        let found = text[at..].find(mark).map(|offset| at + offset);
        self.marks.retain(|(known, ..)| *known != mark);
        self.marks.push((mark, at, found));
        found
    }
}
