//! What a parser remembers: the open containers, and searches that it made.

use serde_json::{Map, Value};

/// A container that is open.
pub(super) enum Frame {
    Object { members: Map<String, Value>, key: Option<String> },
    Array { elements: Vec<Value> },
    Tuple { elements: Vec<Value> },
}

impl Frame {
    pub(super) fn closer(&self) -> u8 {
        match self {
            Self::Object { .. } => b'}',
            Self::Array { .. } => b']',
            Self::Tuple { .. } => b')',
        }
    }

    pub(super) fn is_object(&self) -> bool {
        matches!(self, Self::Object { .. })
    }

    pub(super) fn has_key(&self, name: &str) -> bool {
        match self {
            Self::Object { members, .. } => members.contains_key(name),
            Self::Array { .. } | Self::Tuple { .. } => false,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Object { members, .. } => members.is_empty(),
            Self::Array { elements } | Self::Tuple { elements } => elements.is_empty(),
        }
    }

    pub(super) fn into_value(self) -> Value {
        match self {
            Self::Object { members, .. } => Value::Object(members),
            Self::Array { elements } | Self::Tuple { elements } => Value::Array(elements),
        }
    }
}

/// What may come next in the innermost container.
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
            Frame::Object { key: Some(key), .. } => {
                pointer.push('/');
                pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
            }
            Frame::Object { key: None, .. } => {}
            Frame::Array { elements } | Frame::Tuple { elements } => {
                pointer.push('/');
                pointer.push_str(&elements.len().to_string());
            }
        }
    }
    pointer
}

/// What earlier searches in the same text found out, so that none is made twice.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// Mark → (searched from, found at).
    marks: Vec<(&'static str, usize, Option<usize>)>,
}

impl Memory {
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
