//! Commits and folders, as git writes them.

use std::rc::Rc;

use super::RepositoryError;
use super::id::{ID_BYTES, ObjectId};

/// Parents of a commit: merges of more are unknown.
const MOST_PARENTS: usize = 256;

/// A commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Its files.
    pub tree: ObjectId,
    /// The commits before it.
    pub parents: Vec<ObjectId>,
    /// Who wrote the change, and when.
    pub author: Author,
    /// When it was made, in seconds since 1970.
    pub time: i64,
    /// Its message.
    pub message: String,
}

/// The author of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Author {
    /// The name.
    pub name: String,
    /// Seconds since 1970.
    pub time: i64,
    /// Minutes by which clocks there are ahead of universal time.
    pub offset_minutes: i32,
}

impl Commit {
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, RepositoryError> {
        let (head, message) = match bytes.windows(2).position(|pair| pair == b"\n\n") {
            Some(end) => (&bytes[..end], &bytes[end + 2..]),
            None => (bytes, &[] as &[u8]),
        };
        let (mut tree, mut parents, mut author, mut time) = (None, Vec::new(), None, 0);
        for line in head.split(|byte| *byte == b'\n') {
            if let Some(id) = line.strip_prefix(b"tree ") {
                tree = tree.or(ObjectId::from_hex(id));
            } else if let Some(id) = line.strip_prefix(b"parent ") {
                parents.push(ObjectId::from_hex(id).ok_or(RepositoryError::Damaged)?);
            } else if let Some(line) = line.strip_prefix(b"author ") {
                author = author.or_else(|| Some(Author::parse(line)));
            } else if let Some(line) = line.strip_prefix(b"committer ") {
                time = Author::parse(line).time;
            }
        }
        let (Some(tree), Some(author)) = (tree, author) else { return Err(RepositoryError::Damaged) };
        if parents.len() > MOST_PARENTS {
            return Err(RepositoryError::Damaged);
        }
        Ok(Self { tree, parents, author, time, message: String::from_utf8_lossy(message).into_owned() })
    }
}

impl Author {
    /// Reads `Ann <ann@example.org> 1709251200 +0100`. What is missing is empty, or the beginning of 1970.
    fn parse(line: &[u8]) -> Self {
        let line = String::from_utf8_lossy(line);
        let (name, rest) = line.split_once('<').unwrap_or((&line, ""));
        let mut times = rest.rsplit_once('>').map_or("", |(_, times)| times).split_whitespace();
        let time = times.next().and_then(|time| time.parse().ok()).unwrap_or_default();
        let offset: i32 = times.next().and_then(|offset| offset.parse().ok()).unwrap_or_default();
        // A day has 24 hours, so that more of them are nonsense.
        let offset = if offset.abs() < 2_400 { offset } else { 0 };
        Self { name: name.trim().to_owned(), time, offset_minutes: offset / 100 * 60 + offset % 100 }
    }
}

/// What is in a folder of a commit.
#[derive(Clone, Debug)]
pub struct Tree(Rc<Vec<u8>>);

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeEntry<'t> {
    /// Its kind and its rights.
    pub mode: EntryMode,
    /// Its name.
    pub name: &'t [u8],
    /// Its content.
    pub id: ObjectId,
}

/// The kinds of what git keeps of a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryMode {
    /// A file.
    File,
    /// A file that may be executed.
    Executable,
    /// A symbolic link.
    Link,
    /// A folder.
    Folder,
    /// A commit of another repository: a submodule.
    Submodule,
}

impl EntryMode {
    /// The number of a kind.
    pub(super) fn number(self) -> u32 {
        match self {
            Self::File => 0o100_644,
            Self::Executable => 0o100_755,
            Self::Link => 0o120_000,
            Self::Folder => 0o40_000,
            Self::Submodule => 0o160_000,
        }
    }

    pub(super) fn of_number(number: u32) -> Option<Self> {
        match number & 0o170_000 {
            0o100_000 if number & 0o100 != 0 => Some(Self::Executable),
            0o100_000 => Some(Self::File),
            0o120_000 => Some(Self::Link),
            0o40_000 => Some(Self::Folder),
            0o160_000 => Some(Self::Submodule),
            _ => None,
        }
    }

    /// Is true for files, whether or not they may be executed.
    pub fn is_file(self) -> bool {
        match self {
            Self::File | Self::Executable => true,
            Self::Link | Self::Folder | Self::Submodule => false,
        }
    }
}

impl Tree {
    pub(super) fn new(bytes: Rc<Vec<u8>>) -> Self {
        Self(bytes)
    }

    /// What is in it, in the order of git; it ends where something is not as git writes it.
    pub fn entries(&self) -> impl Iterator<Item = TreeEntry<'_>> {
        let mut rest = self.0.as_slice();
        std::iter::from_fn(move || {
            let end = rest.iter().position(|byte| *byte == 0)?;
            let (head, after) = (&rest[..end], &rest[end + 1..]);
            let blank = head.iter().position(|byte| *byte == b' ')?;
            let number = std::str::from_utf8(&head[..blank]).ok()?;
            let mode = EntryMode::of_number(u32::from_str_radix(number, 8).ok()?)?;
            let id = ObjectId::first_of(after)?;
            rest = &after[ID_BYTES..];
            Some(TreeEntry { mode, name: &head[blank + 1..], id })
        })
    }

    /// What has a name in it.
    pub fn get(&self, name: &[u8]) -> Option<TreeEntry<'_>> {
        self.entries().find(|entry| entry.name == name)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn commits_are_read_whatever_their_authors_are_called() {
        let text = "tree 0123456789012345678901234567890123456789\n\
                    parent 1123456789012345678901234567890123456789\n\
                    author Ann <ann@example.org> 1709251200 -0330\n\
                    committer Bob <> 1709251201 +0000\n\
                    gpgsig -----BEGIN\n author of a signature\n\nTitle\n\nauthor Eve <> 1 +0000\n";
        let commit = Commit::parse(text.as_bytes()).unwrap();
        assert_eq!((commit.parents.len(), commit.time), (1, 1_709_251_201));
        let author = Author { name: "Ann".to_owned(), time: 1_709_251_200, offset_minutes: -210 };
        assert_eq!((commit.author, commit.message.as_str()), (author, "Title\n\nauthor Eve <> 1 +0000\n"));
        assert!(Commit::parse(b"tree 01\n\nTitle").is_err());
        let check = |line: &str, name: &str, time| {
            let author = Author::parse(line.as_bytes());
            assert_eq!((author.name.as_str(), author.time, author.offset_minutes), (name, time, 0), "{line}");
        };
        check("Ann", "Ann", 0);
        check("Ann <a> 99999999999999999999 +0000", "Ann", 0);
        check("<> -5 +9999999", "", -5);
    }
}
