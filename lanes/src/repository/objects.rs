//! The objects of a repository: loose ones, and those in packs.
//!
//! Everything in `.git` is material of a stranger. Each file is opened through a [`Folder`], so that links and pipes are refused; each
//! object is bounded in size before it is inflated, and so is each object that it is a change of; and reading ends when nobody waits.

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::rc::Rc;

use flate2::bufread::ZlibDecoder;
use patchwright_folder::{Folder, FolderError};

use super::RepositoryError;
use super::id::{ID_BYTES, ObjectId};
use super::object_kind::ObjectKind;
use super::pack::{Entry, Pack};

/// The most bytes that an object may have, so that one read takes a moment and a bounded amount of memory.
const MOST_BYTES: usize = 32 << 20;
/// Bytes by which compressed data may be longer than what it holds.
const MOST_OVERHEAD: u64 = 64 << 10;
/// Changes of one another that an object may be made of; git itself makes no more than 4,095.
const MOST_CHANGES: usize = 4_096;
/// Packs of a repository: `git gc` makes one of 50. Each takes two open files.
const MOST_PACKS: usize = 128;
/// Names in the folder of packs.
const MOST_NAMES: usize = 4_096;
/// Bytes of objects in packs that are kept, because others are changes of them.
const CACHED_BYTES: usize = 64 << 20;

/// An object: its kind and its bytes.
pub(super) type Object = (ObjectKind, Rc<Vec<u8>>);

/// The objects of a repository.
pub(super) struct Objects {
    folder: Folder,
    packs: Vec<Pack>,
    cache: RefCell<Cache>,
}

impl Objects {
    /// Opens the folder `objects`.
    pub(super) fn open(folder: Folder) -> Result<Self, RepositoryError> {
        for list in ["info/alternates", "info/http-alternates"] {
            match folder.file(list).and_then(|_| folder.entry(list)) {
                // An empty list is what some tools leave behind.
                Ok(entry) if entry.bytes == 0 => {}
                Ok(_) => return Err(RepositoryError::Alternates(list)),
                Err(error) if error.is_not_found() => {}
                Err(error) => return Err(error.into()),
            }
        }
        let packs = match folder.below("pack") {
            Ok(packs) => Self::packs(&packs)?,
            Err(error) if error.is_not_found() => Vec::new(),
            Err(error) => return Err(error.into()),
        };
        Ok(Self { folder, packs, cache: RefCell::default() })
    }

    fn packs(folder: &Folder) -> Result<Vec<Pack>, RepositoryError> {
        let mut packs = Vec::new();
        for (name, _) in folder.list(MOST_NAMES)? {
            let name = Path::new(&name);
            if name.extension().is_some_and(|extension| extension == "idx") {
                if packs.len() == MOST_PACKS {
                    return Err(RepositoryError::Packs(MOST_PACKS));
                }
                packs.push(Pack::open(folder, name)?);
            }
        }
        Ok(packs)
    }

    /// The bytes of an object of a known kind.
    pub(super) fn read(
        &self,
        id: ObjectId,
        kind: ObjectKind,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<Rc<Vec<u8>>, RepositoryError> {
        let (found, bytes) = self.object(id, is_cancelled)?;
        if found == kind { Ok(bytes) } else { Err(RepositoryError::Damaged) }
    }

    /// An object of any kind.
    pub(super) fn object(
        &self,
        id: ObjectId,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<Object, RepositoryError> {
        for (number, pack) in self.packs.iter().enumerate() {
            if let Some(offset) = pack.offset(id)? {
                return self.packed(number, offset, is_cancelled);
            }
        }
        self.loose(id)
    }

    fn loose(&self, id: ObjectId) -> Result<Object, RepositoryError> {
        let name = id.to_string();
        let (folder, file) = name.split_at(2);
        let file = match self.folder.file(Path::new(folder).join(file)) {
            Ok(file) => file,
            Err(error) if error.is_not_found() => return Err(RepositoryError::Missing),
            Err(error) => return Err(error.into()),
        };
        let mut inflated = ZlibDecoder::new(BufReader::new(file.take(MOST_BYTES as u64 + MOST_OVERHEAD)));
        let (kind, size) = loose_head(&mut inflated)?;
        Ok((kind, Rc::new(read_exactly(inflated, size)?)))
    }

    /// An object at a place of a pack, with all that it is a change of.
    fn packed(
        &self,
        pack: usize,
        offset: u64,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<Object, RepositoryError> {
        let file = &self.packs[pack];
        let mut changes = Vec::new();
        let mut at = offset;
        let (kind, mut bytes) = loop {
            if is_cancelled() {
                return Err(FolderError::Cancelled.into());
            }
            if let Some(known) = self.cache.borrow().get((pack, at)) {
                break known;
            }
            // This bounds the way where changes are named by what they change, which may go in a circle, too.
            if changes.len() > MOST_CHANGES {
                return Err(RepositoryError::Damaged);
            }
            let (entry, size, start) = file.entry(at)?;
            let base = match entry {
                Entry::Whole(kind) => {
                    let bytes = Rc::new(inflate(file.file(), start, size)?);
                    self.cache.borrow_mut().put((pack, at), (kind, Rc::clone(&bytes)));
                    break (kind, bytes);
                }
                Entry::ChangeAt(base) => base,
                Entry::ChangeOf(id) => file.offset(id)?.ok_or(RepositoryError::Damaged)?,
            };
            changes.push((at, start, size));
            at = base;
        };
        for (at, start, size) in changes.into_iter().rev() {
            if is_cancelled() {
                return Err(FolderError::Cancelled.into());
            }
            bytes = Rc::new(changed(&bytes, &inflate(file.file(), start, size)?)?);
            self.cache.borrow_mut().put((pack, at), (kind, Rc::clone(&bytes)));
        }
        Ok((kind, bytes))
    }
}

/// The kind and the size before the bytes of a loose object.
fn loose_head(inflated: &mut impl Read) -> Result<(ObjectKind, u64), RepositoryError> {
    /// The longest: the word of a kind, a blank, and a size.
    const LONGEST: usize = 32;
    let mut head = Vec::new();
    let mut byte = [0];
    loop {
        inflated.read_exact(&mut byte).map_err(|_| RepositoryError::Damaged)?;
        match byte {
            [0] => break,
            _ if head.len() == LONGEST => return Err(RepositoryError::Damaged),
            [other] => head.push(other),
        }
    }
    let text = std::str::from_utf8(&head).ok().and_then(|text| text.split_once(' '));
    let (word, size) = text.ok_or(RepositoryError::Damaged)?;
    let kind = ObjectKind::of_word(word.as_bytes()).ok_or(RepositoryError::Damaged)?;
    Ok((kind, size.parse().map_err(|_| RepositoryError::Damaged)?))
}

/// What stands compressed at a place of a file and has `size` bytes.
fn inflate(file: &File, start: u64, size: u64) -> Result<Vec<u8>, RepositoryError> {
    let compressed = FileFrom { file, at: start }.take(MOST_BYTES as u64 + MOST_OVERHEAD);
    read_exactly(ZlibDecoder::new(BufReader::with_capacity(4 << 10, compressed)), size)
}

/// Reads what has exactly `size` bytes, if that is bearable.
fn read_exactly(from: impl Read, size: u64) -> Result<Vec<u8>, RepositoryError> {
    let most = usize::try_from(size).ok().filter(|size| *size <= MOST_BYTES);
    let size = most.ok_or(RepositoryError::TooLarge(MOST_BYTES))?;
    let mut bytes = Vec::new();
    from.take(size as u64 + 1).read_to_end(&mut bytes).map_err(|_| RepositoryError::Damaged)?;
    if bytes.len() == size { Ok(bytes) } else { Err(RepositoryError::Damaged) }
}

/// A file, read from some place on.
struct FileFrom<'f> {
    file: &'f File,
    at: u64,
}

impl Read for FileFrom<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(buffer, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

/// The bytes that a change makes of others.
fn changed(base: &[u8], change: &[u8]) -> Result<Vec<u8>, RepositoryError> {
    let mut steps = Steps(change);
    if steps.size()? != base.len() as u64 {
        return Err(RepositoryError::Damaged);
    }
    let size = steps.size()?;
    let most = usize::try_from(size).ok().filter(|size| *size <= MOST_BYTES);
    let size = most.ok_or(RepositoryError::TooLarge(MOST_BYTES))?;
    let mut bytes = Vec::new();
    while !steps.0.is_empty() {
        let step = steps.byte()?;
        let part = if step & 0x80 != 0 {
            let start = steps.number(step, 0..4)?;
            let length = match steps.number(step >> 4, 0..3)? {
                0 => 0x1_0000,
                length => length,
            };
            base.get(start..start + length)
        } else {
            steps.take(usize::from(step)).filter(|part| !part.is_empty())
        };
        bytes.extend_from_slice(part.ok_or(RepositoryError::Damaged)?);
        if bytes.len() > size {
            return Err(RepositoryError::Damaged);
        }
    }
    if bytes.len() == size { Ok(bytes) } else { Err(RepositoryError::Damaged) }
}

/// What is left of the steps of a change.
struct Steps<'b>(&'b [u8]);

impl<'b> Steps<'b> {
    fn byte(&mut self) -> Result<u8, RepositoryError> {
        let (first, rest) = self.0.split_first().ok_or(RepositoryError::Damaged)?;
        self.0 = rest;
        Ok(*first)
    }

    fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    /// A size: seven bits a byte, the lowest first.
    fn size(&mut self) -> Result<u64, RepositoryError> {
        let mut size = 0;
        for shift in (0..63).step_by(7) {
            let byte = self.byte()?;
            size |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(size);
            }
        }
        Err(RepositoryError::Damaged)
    }

    /// A number of those bytes that the bits of a step name.
    fn number(&mut self, step: u8, bytes: std::ops::Range<usize>) -> Result<usize, RepositoryError> {
        let mut number = 0;
        for byte in bytes {
            if step & (1 << byte) != 0 {
                number |= usize::from(self.byte()?) << (8 * byte);
            }
        }
        Ok(number)
    }
}

/// Objects of packs by their places, the earliest put out first.
#[derive(Default)]
struct Cache {
    objects: HashMap<(usize, u64), Object>,
    order: VecDeque<(usize, u64)>,
    bytes: usize,
}

impl Cache {
    fn get(&self, place: (usize, u64)) -> Option<Object> {
        self.objects.get(&place).cloned()
    }

    fn put(&mut self, place: (usize, u64), object: Object) {
        self.bytes += object.1.len() + ID_BYTES;
        self.order.push_back(place);
        self.objects.insert(place, object);
        while self.bytes > CACHED_BYTES
            && let Some((_, bytes)) = self.order.pop_front().and_then(|place| self.objects.remove(&place))
        {
            self.bytes -= bytes.len() + ID_BYTES;
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_applied_or_refused() {
        let check = |change: &[u8], expect: Option<&[u8]>| {
            assert_eq!(changed(b"abcdef", change).ok().as_deref(), expect, "{change:?}");
        };
        check(&[6, 5, 0x91, 2, 3, 2, b'x', b'y'], Some(b"cdexy"));
        check(&[6, 0], Some(b""));
        // Another size before or after, a part beyond the end, a step of no meaning, an end too early.
        check(&[5, 1, 1, b'x'], None);
        check(&[6, 2, 1, b'x'], None);
        check(&[6, 1, 2, b'x', b'y'], None);
        check(&[6, 9, 0x91, 2, 9], None);
        check(&[6, 0, 0], None);
        check(&[6, 1, 1], None);
        check(&[], None);
        // More than is read of an object.
        let huge = [6, 0xff, 0xff, 0xff, 0xff, 0x7f, 0x91, 0, 6];
        assert!(matches!(changed(b"abcdef", &huge), Err(RepositoryError::TooLarge(_))));
    }
}
