//! An append-only file of JSON lines: what a trajectory and the log of a run are.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::redact::Redactor;

/// The file under [`JsonLines`]. A trait so that a full disk can be tested.
pub trait Storage: Write + Send {
    /// Cuts the file to a length, in bytes, and goes on writing there.
    ///
    /// # Errors
    /// Those of the file.
    fn cut_to(&mut self, length: u64) -> io::Result<()>;

    /// Waits until what was written is on the disk.
    ///
    /// # Errors
    /// Those of the file.
    fn sync(&mut self) -> io::Result<()>;
}

impl Storage for File {
    fn cut_to(&mut self, length: u64) -> io::Result<()> {
        self.set_len(length)?;
        self.seek(SeekFrom::Start(length)).map(|_| ())
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_all()
    }
}

/// An append-only file of JSON lines. An error leaves it valid up to its last whole line; a later line may be tried.
pub struct JsonLines {
    storage: Box<dyn Storage>,
    /// Bytes of whole lines.
    good: u64,
    /// There may be a part of a line after the whole ones.
    torn: bool,
}

impl JsonLines {
    /// A new file.
    ///
    /// # Errors
    /// The file exists or cannot be made.
    pub fn create(path: &Path) -> io::Result<Self> {
        Ok(Self::over(Box::new(OpenOptions::new().write(true).create_new(true).open(path)?), 0))
    }

    /// A file, made where there is none, that is written on after so many bytes of whole lines; what comes after them is cut off.
    ///
    /// # Errors
    /// The file cannot be opened or cut, or is a link.
    pub fn resume(path: &Path, good: u64) -> io::Result<Self> {
        if path.is_symlink() {
            return Err(io::Error::other("it is a link, and links are not written through"));
        }
        let mut file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
        file.cut_to(good)?;
        file.sync()?;
        Ok(Self::over(Box::new(file), good))
    }

    /// Lines in any storage that holds so many bytes of whole lines.
    pub fn over(storage: Box<dyn Storage>, good: u64) -> Self {
        Self { storage, good, torn: false }
    }

    /// Adds a record as a line to `lines`, secrets replaced, and gives it as it will stand in the file, read back: what this
    /// program writes, it can read, which also refuses numbers that JSON has no form for.
    ///
    /// # Errors
    /// The record has no JSON form.
    pub fn encode<T: Serialize + DeserializeOwned>(
        record: &T,
        redactor: &Redactor,
        lines: &mut Vec<u8>,
    ) -> serde_json::Result<T> {
        let mut value = serde_json::to_value(record)?;
        redactor.value(&mut value);
        let start = lines.len();
        lines.extend_from_slice(value.to_string().as_bytes());
        lines.push(b'\n');
        serde_json::from_value(value).inspect_err(|_| lines.truncate(start))
    }

    /// Appends whole lines: all of them, or none.
    ///
    /// # Errors
    /// The file cannot take them.
    pub fn append(&mut self, lines: &[u8]) -> io::Result<()> {
        if self.torn {
            self.storage.cut_to(self.good)?;
            self.torn = false;
        }
        if let Err(error) = self.storage.write_all(lines).and_then(|()| self.storage.flush()) {
            // Where even cutting fails, the torn part goes before the next line is written.
            self.torn = self.storage.cut_to(self.good).is_err();
            return Err(error);
        }
        self.good += lines.len() as u64;
        Ok(())
    }

    /// Waits until all lines are on the disk.
    ///
    /// # Errors
    /// The disk does not confirm.
    pub fn sync(&mut self) -> io::Result<()> {
        self.storage.sync()
    }
}

/// Is true if an error of a file says that there is no more room.
pub fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge
    )
}
