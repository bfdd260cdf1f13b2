//! The kinds of objects.

/// The kind of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ObjectKind {
    Commit,
    Tree,
    Blob,
    Tag,
}

impl ObjectKind {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Commit => "commit",
            Self::Tree => "tree",
            Self::Blob => "blob",
            Self::Tag => "tag",
        }
    }

    pub(super) fn of_word(word: &[u8]) -> Option<Self> {
        [Self::Commit, Self::Tree, Self::Blob, Self::Tag]
            .into_iter()
            .find(|kind| kind.word().as_bytes() == word)
    }
}
