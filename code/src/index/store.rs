//! The folder in which an index keeps what files gave.
//!
//! `records` holds a record for each content, whichever project it came from; `files-…` holds, for one project, what the
//! operating system said of each file when its content was seen last. Both are written whole, beside their place, and
//! then put there; both begin with a version and a hash of the rest, and are as good as missing when that is wrong.

use std::collections::HashMap;
use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::build::Stat;
use super::pack::{Packer, Unpacker};

/// Changes whenever what is kept, or how it is worked out, does.
const VERSION: u64 = 1;

/// Bytes of records from which on those that were not needed this time are dropped.
const MOST: usize = 256 << 20;

/// The folder of an index.
pub(super) struct Store {
    folder: PathBuf,
    name: String,
}

/// What was known of a project's files.
#[derive(Default)]
pub(super) struct Known {
    /// When it was written, in nanoseconds since 1970.
    pub written: u64,
    pub files: HashMap<String, (Stat, blake3::Hash)>,
}

/// Records as they were read, still packed.
#[derive(Default)]
pub(super) struct Records {
    bytes: Vec<u8>,
    places: HashMap<blake3::Hash, (usize, usize)>,
}

impl Records {
    pub fn get(&self, hash: &blake3::Hash) -> Option<&[u8]> {
        let (start, end) = self.places.get(hash)?;
        self.bytes.get(*start..*end)
    }
}

impl Store {
    pub fn new(folder: &Path, root: &Path) -> Self {
        let hash = blake3::hash(root.as_os_str().as_encoded_bytes()).to_hex();
        Self { folder: folder.to_path_buf(), name: format!("files-{}", hash.get(..16).unwrap_or_default()) }
    }

    pub fn known(&self) -> Known {
        let read = |bytes: &[u8]| {
            let mut from = Unpacker(bytes);
            let mut known = Known { written: from.number()?, files: HashMap::new() };
            for _ in 0..from.number::<u64>()? {
                let path = from.text()?.to_owned();
                let stat = Stat { bytes: from.number()?, modified: from.number()?, inode: from.number()? };
                known.files.insert(path, (stat, from.hash()?));
            }
            Some(known)
        };
        self.load(&self.name).and_then(|bytes| read(&bytes)).unwrap_or_default()
    }

    pub fn records(&self) -> Records {
        let Some(bytes) = self.load("records") else { return Records::default() };
        let read = || {
            let mut from = Unpacker(&bytes);
            let mut places = HashMap::new();
            while !from.0.is_empty() {
                let hash = from.hash()?;
                let record = from.bytes()?;
                let end = bytes.len() - from.0.len();
                places.insert(hash, (end - record.len(), end));
            }
            Some(places)
        };
        match read() {
            Some(places) => Records { bytes, places },
            None => Records::default(),
        }
    }

    /// Keeps what is known of the files.
    pub fn keep_files<'f>(
        &self,
        written: u64,
        files: impl ExactSizeIterator<Item = (&'f str, Stat, blake3::Hash)>,
    ) -> io::Result<()> {
        let mut packer = Packer::default();
        packer.number(written);
        packer.number(files.len() as u64);
        for (path, stat, hash) in files {
            packer.bytes(path.as_bytes());
            for number in [stat.bytes, stat.modified, stat.inode] {
                packer.number(number);
            }
            packer.0.extend_from_slice(hash.as_bytes());
        }
        self.save(&self.name, &packer.0)
    }

    /// Keeps the records that are there and the new ones; of too many, those that `needed` says.
    pub fn keep_records(
        &self,
        before: &Records,
        new: &[(blake3::Hash, Vec<u8>)],
        needed: impl Fn(&blake3::Hash) -> bool,
    ) -> io::Result<()> {
        let crowded = before.bytes.len() > MOST;
        let mut packer = Packer(Vec::with_capacity(before.bytes.len()));
        if crowded {
            for hash in before.places.keys().filter(|hash| needed(hash)) {
                packer.0.extend_from_slice(hash.as_bytes());
                packer.bytes(before.get(hash).unwrap_or_default());
            }
        } else {
            packer.0.extend_from_slice(&before.bytes);
        }
        for (hash, record) in new {
            packer.0.extend_from_slice(hash.as_bytes());
            packer.bytes(record);
        }
        self.save("records", &packer.0)
    }

    /// The content of a file of the store behind its head; `None` if there is none or it is damaged.
    fn load(&self, name: &str) -> Option<Vec<u8>> {
        let path = self.folder.join(name);
        let mut bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
            Err(error) => {
                tracing::debug!(path = %path.display(), %error, "the cache of the index cannot be read");
                return None;
            }
        };
        let head = bytes.split_first_chunk::<8>().map(|(head, body)| *head == seal(body));
        if head != Some(true) {
            tracing::debug!(path = %path.display(), "the cache of the index is damaged or of another version");
            return None;
        }
        bytes.drain(..8);
        Some(bytes)
    }

    fn save(&self, name: &str, body: &[u8]) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        file.write_all(&seal(body))?;
        file.write_all(body)?;
        file.persist(self.folder.join(name)).map_err(|error| error.error)?;
        Ok(())
    }
}

/// Told from damage, not from malice; another build of the program may give another one, which costs one reading.
fn seal(body: &[u8]) -> [u8; 8] {
    let mut hasher = DefaultHasher::new();
    hasher.write_u64(VERSION);
    hasher.write(body);
    hasher.finish().to_le_bytes()
}
