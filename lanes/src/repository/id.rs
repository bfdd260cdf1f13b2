//! The names of objects.

use std::fmt;

use ring::digest::{Context, SHA1_FOR_LEGACY_USE_ONLY};

/// The bytes of a name.
pub(super) const ID_BYTES: usize = 20;

/// The name of an object: the SHA-1 of its kind, its size and its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(pub(super) [u8; ID_BYTES]);

impl ObjectId {
    /// Reads forty hexadecimal digits.
    pub fn from_hex(text: &[u8]) -> Option<Self> {
        if text.len() != 2 * ID_BYTES || !text.iter().all(u8::is_ascii_hexdigit) {
            return None;
        }
        let mut id = [0; ID_BYTES];
        for (byte, digits) in id.iter_mut().zip(text.chunks(2)) {
            *byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
        }
        Some(Self(id))
    }

    /// The name that stands at the beginning of some bytes.
    pub(super) fn first_of(bytes: &[u8]) -> Option<Self> {
        bytes.first_chunk().copied().map(Self)
    }

    /// The name of an object of a kind.
    pub(super) fn of(kind: &str, bytes: &[u8]) -> Self {
        let mut context = Context::new(&SHA1_FOR_LEGACY_USE_ONLY);
        context.update(format!("{kind} {}\0", bytes.len()).as_bytes());
        context.update(bytes);
        Self(finished(context))
    }
}

/// The end of a SHA-1.
pub(super) fn finished(context: Context) -> [u8; ID_BYTES] {
    let mut id = [0; ID_BYTES];
    id.copy_from_slice(context.finish().as_ref());
    id
}

impl fmt::Display for ObjectId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}
