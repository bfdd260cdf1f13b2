//! The files that a repository tracks, and the tag nearest to what is checked out.

use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use patchwright_folder::FolderError;

use super::id::{ID_BYTES, ObjectId};
use super::object_kind::ObjectKind;
use super::parse::EntryMode;
use super::references::{self, Tag};
use super::{ProjectRepository, RepositoryError};

/// The most bytes of an index: some two million files.
const MOST_INDEX: u64 = 256 << 20;
/// Files of a commit, and folders in one another.
const MOST_FILES: usize = 1_000_000;
const MOST_DEPTH: usize = 64;
/// Commits among which the nearest tag is looked for.
const MOST_COMMITS: usize = 5_000;
/// Tags that are objects of their own and are opened to see what they are on.
const MOST_OPENED: usize = 2_000;

/// A file that is tracked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TrackedFile {
    /// Its path in the repository.
    pub(super) path: PathBuf,
    pub(super) mode: EntryMode,
    /// Its content, as it was staged or committed.
    pub(super) id: ObjectId,
}

/// A tag on a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NearestTag {
    /// The name, without `refs/tags/`.
    pub(super) name: String,
    /// Is true if the tag is an object of its own, with a message.
    pub(super) is_annotated: bool,
}

impl ProjectRepository<'_> {
    /// The files that are tracked, as the index says, or else the commit that is checked out.
    pub(super) fn tracked(&self) -> Result<Vec<TrackedFile>, RepositoryError> {
        let listed = match self.own.read("index", MOST_INDEX) {
            Ok(bytes) => index_files(&bytes),
            Err(error) if error.is_not_found() => None,
            Err(error) => return Err(error.into()),
        };
        match (listed, self.head()?.commit) {
            (Some(files), _) => Ok(files),
            (None, Some(commit)) => self.committed(self.commit(commit)?.tree),
            (None, None) => Ok(Vec::new()),
        }
    }

    fn committed(&self, tree: ObjectId) -> Result<Vec<TrackedFile>, RepositoryError> {
        let mut files = Vec::new();
        let mut folders = vec![(PathBuf::new(), tree, 0)];
        while let Some((above, tree, depth)) = folders.pop() {
            if (self.is_cancelled)() {
                return Err(FolderError::Cancelled.into());
            }
            for entry in self.tree(tree)?.entries() {
                let path = above.join(OsStr::from_bytes(entry.name));
                if entry.mode == EntryMode::Folder {
                    folders.push((path, entry.id, depth + 1));
                } else {
                    files.push(TrackedFile { path, mode: entry.mode, id: entry.id });
                }
            }
            if depth > MOST_DEPTH || files.len() + folders.len() > MOST_FILES {
                return Err(RepositoryError::Damaged);
            }
        }
        Ok(files)
    }

    /// The tag nearest to what is checked out, going back from it: one with a digit in its name, as versions have, if there is one.
    pub(super) fn nearest_tag(&self) -> Result<Option<NearestTag>, RepositoryError> {
        let Some(head) = self.head()?.commit else { return Ok(None) };
        let tags = self.tags_by_commit()?;
        if tags.is_empty() {
            return Ok(None);
        }
        let mut seen = HashSet::from([head]);
        let mut pending = BinaryHeap::from([(i64::MAX, head)]);
        let mut other = None;
        while let Some((_, id)) = pending.pop() {
            if let Some(tag) = tags.get(&id) {
                if tag.name.contains(|letter: char| letter.is_ascii_digit()) {
                    return Ok(Some(tag.clone()));
                }
                other = other.or_else(|| Some(tag.clone()));
            }
            if seen.len() > MOST_COMMITS {
                break;
            }
            // Where the history ends, as in a shallow clone, nothing nearer is known.
            let Ok(commit) = self.commit(id) else { continue };
            for parent in commit.parents {
                if seen.insert(parent) {
                    let time = self.commit(parent).map_or(i64::MIN, |commit| commit.time);
                    pending.push((time, parent));
                }
            }
        }
        Ok(other)
    }

    /// Of each commit with tags that which says most: one with a digit, then one with a message, then the last by name.
    fn tags_by_commit(&self) -> Result<BTreeMap<ObjectId, NearestTag>, RepositoryError> {
        let rank =
            |tag: &NearestTag| (tag.name.contains(|letter: char| letter.is_ascii_digit()), tag.is_annotated);
        let mut found: BTreeMap<ObjectId, NearestTag> = BTreeMap::new();
        let mut opened = 0;
        for (name, tag) in references::tags(&self.common, self.is_cancelled)? {
            let peeled = match tag {
                Tag { peeled: Some(commit), .. } => Some(commit),
                Tag { id, peeled: None } if opened < MOST_OPENED => {
                    opened += 1;
                    self.tagged(id)
                }
                Tag { peeled: None, .. } => None,
            };
            let tagged = NearestTag { name, is_annotated: peeled.is_some() };
            let commit = peeled.unwrap_or(tag.id);
            if found.get(&commit).is_none_or(|known| rank(known) <= rank(&tagged)) {
                found.insert(commit, tagged);
            }
        }
        Ok(found)
    }

    /// What a tag is on, if it is an object of its own.
    fn tagged(&self, tag: ObjectId) -> Option<ObjectId> {
        let bytes = self.objects.read(tag, ObjectKind::Tag, self.is_cancelled).ok()?;
        let line = bytes.split(|byte| *byte == b'\n').next()?;
        ObjectId::from_hex(line.strip_prefix(b"object ")?)
    }
}

/// The files that an index lists; none where it is kept in a way that is not read, or is damaged.
fn index_files(bytes: &[u8]) -> Option<Vec<TrackedFile>> {
    let mut reader = IndexReader { bytes, at: 0 };
    if reader.take(4)? != b"DIRC" {
        return None;
    }
    let (version, count) = (reader.number()?, reader.number()?);
    let mut files: Vec<TrackedFile> = Vec::new();
    let mut name = Vec::new();
    for _ in 0..count {
        let (mode, id) = reader.entry(version, &mut name)?;
        let path = PathBuf::from(OsStr::from_bytes(&name));
        // A file in conflict is listed once for each side. A folder stands for files that are not checked out.
        if let Some(mode) = EntryMode::of_number(mode).filter(|mode| *mode != EntryMode::Folder)
            && files.last().is_none_or(|last| last.path != path)
        {
            files.push(TrackedFile { path, mode, id });
        }
    }
    (!reader.extensions()?.contains(b"link".as_slice())).then_some(files)
}

struct IndexReader<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> IndexReader<'b> {
    fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let taken = self.bytes.get(self.at..self.at.checked_add(count)?)?;
        self.at += count;
        Some(taken)
    }

    fn number(&mut self) -> Option<u32> {
        self.take(4)?.first_chunk().copied().map(u32::from_be_bytes)
    }

    /// The kind and the content of the next file; puts its path in the place of that of the one before.
    fn entry(&mut self, version: u32, name: &mut Vec<u8>) -> Option<(u32, ObjectId)> {
        /// Times and numbers of the disk before the kind, and owners and the size after it.
        const BEFORE: usize = 24;
        const AFTER: usize = 12;
        /// Files end at a multiple of this.
        const ALIGNED: usize = 8;
        const EXTENDED: u16 = 0x4000;
        let start = self.at;
        self.take(BEFORE)?;
        let mode = self.number()?;
        self.take(AFTER)?;
        let id = ObjectId::first_of(self.take(ID_BYTES)?)?;
        let flags = u16::from_be_bytes(*self.take(2)?.first_chunk()?);
        if version >= 3 && flags & EXTENDED != 0 {
            self.take(2)?;
        }
        let kept = match version {
            2 | 3 => 0,
            4 => name.len().checked_sub(self.offset()?)?,
            _ => return None,
        };
        name.truncate(kept);
        let length = self.bytes.get(self.at..)?.iter().position(|byte| *byte == 0)?;
        name.extend_from_slice(self.take(length)?);
        let end =
            if version == 4 { self.at + 1 } else { start + (self.at - start) / ALIGNED * ALIGNED + ALIGNED };
        self.at = end;
        Some((mode, id))
    }

    /// A number as changes in packs name places: how much of the path before is left out.
    fn offset(&mut self) -> Option<usize> {
        let mut byte = *self.take(1)?.first()?;
        let mut number = usize::from(byte & 0x7f);
        while byte & 0x80 != 0 {
            byte = *self.take(1)?.first()?;
            number = number.checked_add(1)?.checked_mul(0x80)? | usize::from(byte & 0x7f);
        }
        Some(number)
    }

    /// The names of what follows the files.
    fn extensions(&mut self) -> Option<BTreeSet<&'b [u8]>> {
        let mut names = BTreeSet::new();
        while self.at + ID_BYTES + 8 <= self.bytes.len() {
            names.insert(self.take(4)?);
            let length = usize::try_from(self.number()?).ok()?;
            self.take(length)?;
        }
        Some(names)
    }
}
