//! One pack of objects, and the index that says where they stand in it.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use patchwright_folder::Folder;

use super::RepositoryError;
use super::id::{ID_BYTES, ObjectId};
use super::object_kind::ObjectKind;

/// What an index of the second version begins with.
pub(super) const INDEX_HEAD: [u8; 8] = [0xff, b't', b'O', b'c', 0, 0, 0, 2];
/// Numbers at the beginning of an index: how many names begin with each byte or a lower one.
const FANOUT: usize = 256;
/// Names that are read at once.
const BLOCK: u64 = 64;

/// A pack.
pub(super) struct Pack {
    index: File,
    file: File,
    fanout: Vec<u32>,
}

/// What stands at a place of a pack.
pub(super) enum Entry {
    /// An object.
    Whole(ObjectKind),
    /// A change of what stands at another place.
    ChangeAt(u64),
    /// A change of the object of this name.
    ChangeOf(ObjectId),
}

impl Pack {
    /// Opens the pack beside an index.
    pub(super) fn open(folder: &Folder, index: &Path) -> Result<Self, RepositoryError> {
        let file = folder.file(index.with_extension("pack"))?;
        let index = folder.file(index)?;
        let mut head = [0; INDEX_HEAD.len() + FANOUT * 4];
        read(&index, &mut head, 0)?;
        let (version, numbers) = head.split_at(INDEX_HEAD.len());
        if version != INDEX_HEAD {
            return Err(RepositoryError::Format(
                "the packs of the git repository have indexes of the first version; `git repack -a -d` makes new ones",
            ));
        }
        let fanout: Vec<u32> =
            numbers.as_chunks().0.iter().map(|number| u32::from_be_bytes(*number)).collect();
        if fanout.is_sorted() { Ok(Self { index, file, fanout }) } else { Err(RepositoryError::Damaged) }
    }

    /// The pack itself.
    pub(super) fn file(&self) -> &File {
        &self.file
    }

    fn count(&self) -> u64 {
        self.fanout.last().copied().map_or(0, u64::from)
    }

    /// Where an object stands, if it is in this pack.
    pub(super) fn offset(&self, id: ObjectId) -> Result<Option<u64>, RepositoryError> {
        let first = usize::from(id.0[0]);
        let mut low = first.checked_sub(1).map_or(0, |before| u64::from(self.fanout[before]));
        let mut high = u64::from(self.fanout[first]);
        while high - low > BLOCK {
            let middle = low.midpoint(high);
            let mut name = [0; ID_BYTES];
            read(&self.index, &mut name, names_at(middle))?;
            if name <= id.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        let mut names = [0; BLOCK as usize * ID_BYTES];
        let names = &mut names[..(high - low) as usize * ID_BYTES];
        read(&self.index, names, names_at(low))?;
        let Some(at) = names.as_chunks().0.iter().position(|name| *name == id.0) else { return Ok(None) };
        self.offset_of(low + at as u64).map(Some)
    }

    fn offset_of(&self, number: u64) -> Result<u64, RepositoryError> {
        /// Bytes of the checksum of an object.
        const CHECKSUM: u64 = 4;
        let small = names_at(self.count()) + self.count() * CHECKSUM;
        let mut offset = [0; 4];
        read(&self.index, &mut offset, small + number * 4)?;
        let offset = u64::from(u32::from_be_bytes(offset));
        if offset < 1 << 31 {
            return Ok(offset);
        }
        let mut large = [0; 8];
        read(&self.index, &mut large, small + self.count() * 4 + (offset - (1 << 31)) * 8)?;
        Ok(u64::from_be_bytes(large))
    }

    /// What stands at a place, its size when inflated, and where its compressed bytes begin.
    pub(super) fn entry(&self, at: u64) -> Result<(Entry, u64, u64), RepositoryError> {
        /// The longest head: a size, and the name of another object.
        const LONGEST: usize = 10 + ID_BYTES;
        let mut head = [0; LONGEST];
        let read = self.file.read_at(&mut head, at).map_err(|_| RepositoryError::Damaged)?;
        let head = &head[..read];
        let mut bytes = head.iter().copied();
        let mut next = || bytes.next().ok_or(RepositoryError::Damaged);
        let mut byte = next()?;
        let kind = (byte >> 4) & 7;
        let mut size = u64::from(byte & 0x0f);
        let mut shift = 4;
        while byte & 0x80 != 0 {
            byte = next()?;
            if shift > 53 {
                return Err(RepositoryError::Damaged);
            }
            size |= u64::from(byte & 0x7f) << shift;
            shift += 7;
        }
        let entry = match kind {
            1 => Entry::Whole(ObjectKind::Commit),
            2 => Entry::Whole(ObjectKind::Tree),
            3 => Entry::Whole(ObjectKind::Blob),
            4 => Entry::Whole(ObjectKind::Tag),
            6 => {
                byte = next()?;
                let mut back = u64::from(byte & 0x7f);
                while byte & 0x80 != 0 {
                    byte = next()?;
                    if back >> 56 != 0 {
                        return Err(RepositoryError::Damaged);
                    }
                    back = ((back + 1) << 7) | u64::from(byte & 0x7f);
                }
                let base = at.checked_sub(back).filter(|base| *base < at).ok_or(RepositoryError::Damaged)?;
                Entry::ChangeAt(base)
            }
            7 => {
                let rest = &head[read - bytes.len()..];
                let base = ObjectId::first_of(rest).ok_or(RepositoryError::Damaged)?;
                return Ok((Entry::ChangeOf(base), size, at + (read - rest.len() + ID_BYTES) as u64));
            }
            _ => return Err(RepositoryError::Damaged),
        };
        Ok((entry, size, at + (read - bytes.len()) as u64))
    }
}

/// Where a name stands in an index.
fn names_at(number: u64) -> u64 {
    (INDEX_HEAD.len() + FANOUT * 4) as u64 + number * ID_BYTES as u64
}

fn read(file: &File, bytes: &mut [u8], at: u64) -> Result<(), RepositoryError> {
    file.read_exact_at(bytes, at).map_err(|_| RepositoryError::Damaged)
}
