//! The folder in which an index keeps what files gave.
//!
//! `records` holds a record for each content, whichever project it came from; `files-…` holds, for one project, what the
//! operating system said of each file when its content was seen last. Both begin with a seal: of `files-…` it holds for
//! all of it, and the file is written whole, beside its place, and then put there. `records` grows at its end, so that a
//! change of one file does not cost the writing of all; each record has a seal of its own, which is looked at when the
//! record is needed. What is damaged is as good as missing.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::build::Stat;
use super::pack::{Packer, Unpacker};

/// Changes whenever what is kept, or how it is worked out, does.
const VERSION: u64 = 2;

/// Bytes of records from which on those that were not needed this time are dropped.
const MOST: usize = 256 << 20;

/// Bytes of a seal.
const SEAL: usize = 8;

/// The name of the file with the records.
const RECORDS: &str = "records";

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
    places: HashMap<blake3::Hash, Place>,
    /// Whether all of the file could be read, so that it can be added to.
    whole: bool,
}

/// Where a record stands, and its seal.
struct Place {
    start: usize,
    end: usize,
    seal: [u8; SEAL],
}

impl Records {
    /// Takes a file apart, as far as it can be read.
    fn of(bytes: Vec<u8>) -> Self {
        let mut places = HashMap::new();
        let mut from = Unpacker(bytes.get(SEAL..).unwrap_or_default());
        let mut next = || {
            let (hash, seal) = (from.hash()?, from.exactly(SEAL)?.try_into().ok()?);
            let record = from.bytes()?;
            let end = bytes.len() - from.0.len();
            places.insert(hash, Place { start: end - record.len(), end, seal });
            Some(from.0.is_empty())
        };
        let mut whole = bytes.len() == SEAL;
        while !whole {
            match next() {
                Some(last) => whole = last,
                None => break,
            }
        }
        Self { bytes, places, whole }
    }

    /// The record of a content.
    pub fn get(&self, hash: &blake3::Hash) -> Option<&[u8]> {
        let place = self.places.get(hash)?;
        let record = self.bytes.get(place.start..place.end)?;
        (seal(&[hash.as_bytes(), record]) == place.seal).then_some(record)
    }
}

fn add(packer: &mut Packer, hash: &blake3::Hash, record: &[u8]) {
    packer.0.extend_from_slice(hash.as_bytes());
    packer.0.extend_from_slice(&seal(&[hash.as_bytes(), record]));
    packer.bytes(record);
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
        let bytes = self.load(&self.name).unwrap_or_default();
        let Some((head, body)) = bytes.split_first_chunk::<SEAL>() else { return Known::default() };
        if *head != seal(&[body]) {
            self.tell_of_damage(&self.name);
            return Known::default();
        }
        read(body).unwrap_or_default()
    }

    pub fn records(&self) -> Records {
        let Some(bytes) = self.load(RECORDS) else { return Records::default() };
        if !bytes.starts_with(&seal(&[])) {
            self.tell_of_damage(RECORDS);
            return Records::default();
        }
        Records::of(bytes)
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
        self.save(&self.name, seal(&[&packer.0]), &packer.0)
    }

    /// Keeps the records that are there and the new ones; of too many, those that `needed` says.
    pub fn keep_records(
        &self,
        before: &Records,
        new: &[(blake3::Hash, Vec<u8>)],
        needed: impl Fn(&blake3::Hash) -> bool,
    ) -> io::Result<()> {
        let crowded = before.bytes.len() > MOST;
        let add_to_it = before.whole && !crowded;
        let mut packer = Packer::default();
        if !add_to_it {
            for hash in before.places.keys().filter(|hash| !crowded || needed(hash)) {
                if let Some(record) = before.get(hash) {
                    add(&mut packer, hash, record);
                }
            }
        }
        for (hash, record) in new {
            add(&mut packer, hash, record);
        }
        if add_to_it {
            let mut file = fs::File::options().append(true).open(self.folder.join(RECORDS))?;
            return file.write_all(&packer.0);
        }
        self.save(RECORDS, seal(&[]), &packer.0)
    }

    /// The content of a file of the store; `None` if there is none.
    fn load(&self, name: &str) -> Option<Vec<u8>> {
        let path = self.folder.join(name);
        match fs::read(&path) {
            Ok(bytes) => Some(bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => {
                tracing::debug!(path = %path.display(), %error, "the cache of the index cannot be read");
                None
            }
        }
    }

    fn tell_of_damage(&self, name: &str) {
        let path = self.folder.join(name);
        tracing::debug!(path = %path.display(), "the cache of the index is damaged or of another version");
    }

    fn save(&self, name: &str, head: [u8; SEAL], body: &[u8]) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        file.write_all(&head)?;
        file.write_all(body)?;
        file.persist(self.folder.join(name)).map_err(|error| error.error)?;
        Ok(())
    }
}

/// Tells damage, not malice. Eight bytes at a time, since all records of a project are looked at for each of its indexes.
fn seal(parts: &[&[u8]]) -> [u8; SEAL] {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |state: u64, word: u64| (state ^ word).wrapping_mul(FACTOR).rotate_left(29);
    let mut state = mix(FACTOR, VERSION);
    for part in parts {
        let (words, rest) = part.as_chunks::<8>();
        state = words.iter().fold(state, |state, word| mix(state, u64::from_le_bytes(*word)));
        let mut last = [0; 8];
        for (to, from) in last.iter_mut().zip(rest) {
            *to = *from;
        }
        state = mix(mix(state, u64::from_le_bytes(last)), part.len() as u64);
    }
    mix(state, 0).to_le_bytes()
}
