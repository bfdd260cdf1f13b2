//! A disk with room for so many bytes: for tests of all that writes JSON lines.
#![allow(clippy::unwrap_used)]

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use super::Storage;

/// A disk with room for so many bytes.
#[derive(Default)]
pub(crate) struct SmallDisk {
    pub content: Arc<Mutex<Vec<u8>>>,
    pub room: Arc<Mutex<usize>>,
    /// The next cut fails.
    pub cuts_fail: bool,
}

impl Write for SmallDisk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut content = self.content.lock().unwrap();
        let fits = bytes.len().min(self.room.lock().unwrap().saturating_sub(content.len()));
        if fits == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        content.extend_from_slice(&bytes[..fits]);
        Ok(fits)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Storage for SmallDisk {
    fn cut_to(&mut self, length: u64) -> io::Result<()> {
        if std::mem::take(&mut self.cuts_fail) {
            return Err(io::ErrorKind::Other.into());
        }
        self.content.lock().unwrap().truncate(usize::try_from(length).unwrap());
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}
