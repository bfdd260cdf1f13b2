//! Removing what lies in a folder, however it was left.

use std::ffi::{CString, OsStr};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, openat, renameat, unlinkat};
use rustix::io::{Errno, Result};

use crate::error::{FolderError, failed};
use crate::folder::{Folder, set_mode};
use crate::resolve::FOLDER;

/// Folders that are open in one another at a time; what is deeper is moved up first, because neither paths nor open files go on
/// without end.
const DEPTH: usize = 32;
/// Names that are read before what they name is removed.
const BATCH: usize = 4_096;
/// Tries to empty a folder that somebody else fills.
const ATTEMPTS: usize = 8;
/// The prefix of the names of folders that were moved up.
const MOVED: &str = ".patchwright-removed-";

impl Folder {
    /// Removes what lies at a name in this folder, with all that is in it, also where a program took the right to write away.
    /// Nothing there is no error. Links are removed and not followed.
    ///
    /// # Errors
    /// The system refuses, somebody goes on to fill it, or `is_cancelled` says that nobody waits.
    pub fn remove(
        &self,
        name: impl AsRef<OsStr>,
        is_cancelled: &dyn Fn() -> bool,
    ) -> std::result::Result<(), FolderError> {
        let name = name.as_ref();
        let shown = self.path().join(Path::new(name));
        let c_name = CString::new(name.as_bytes()).map_err(|_| FolderError::LeadsOut(shown.clone()))?;
        if name.as_bytes().contains(&b'/') || matches!(name.as_bytes(), b"" | b"." | b"..") {
            return Err(FolderError::LeadsOut(shown));
        }
        let mut removal = Removal { top: self.handle(), moved: Vec::new(), is_cancelled };
        match removal.run(&c_name) {
            Err(Errno::CANCELED) => Err(FolderError::Cancelled),
            done => done.map_err(failed("remove", &shown)),
        }
    }
}

struct Removal<'a> {
    top: BorrowedFd<'a>,
    /// The names at the top of the folders that were moved up and are still there.
    moved: Vec<CString>,
    is_cancelled: &'a dyn Fn() -> bool,
}

impl Removal<'_> {
    fn run(&mut self, name: &CString) -> Result<()> {
        self.one(self.top, name, None, 0)?;
        while let Some(name) = self.moved.pop() {
            self.one(self.top, &name, None, 0)?;
        }
        Ok(())
    }

    /// Removes one thing in a folder.
    fn one(
        &mut self,
        folder: BorrowedFd<'_>,
        name: &CString,
        kind: Option<FileType>,
        depth: usize,
    ) -> Result<()> {
        if (self.is_cancelled)() {
            return Err(Errno::CANCELED);
        }
        if kind != Some(FileType::Directory) {
            match unlinkat(folder, name, AtFlags::empty()) {
                // The one or the other, by system.
                Err(Errno::ISDIR | Errno::PERM) => {}
                Ok(()) | Err(Errno::NOENT) => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        if depth >= DEPTH {
            let to = moved_name();
            // What a process of the same number left under that name, whose removal was broken off, is in the way.
            self.one(self.top, &to, None, 0)?;
            renameat(folder, name, self.top, &to)?;
            self.moved.push(to);
            return Ok(());
        }
        for _ in 0..ATTEMPTS {
            match unlinkat(folder, name, AtFlags::REMOVEDIR) {
                Err(Errno::NOTEMPTY | Errno::EXIST) => {}
                Ok(()) | Err(Errno::NOENT) => return Ok(()),
                // Something else stands there by now.
                Err(Errno::NOTDIR) => return unlinkat(folder, name, AtFlags::empty()),
                Err(error) => return Err(error),
            }
            let Some(inner) = writable(folder, name)? else { continue };
            self.empty(&inner, depth)?;
        }
        Err(Errno::NOTEMPTY)
    }

    fn empty(&mut self, folder: &OwnedFd, depth: usize) -> Result<()> {
        loop {
            let mut batch = Vec::new();
            for entry in Dir::read_from(folder)?.take(BATCH) {
                let entry = entry?;
                if !matches!(entry.file_name().to_bytes(), b"." | b"..") {
                    batch.push((entry.file_name().to_owned(), entry.file_type()));
                }
            }
            if batch.is_empty() {
                return Ok(());
            }
            for (name, kind) in batch {
                self.one(folder.as_fd(), &name, Some(kind), depth + 1)?;
            }
        }
    }
}

/// A name that no other removal of this program uses: several may be at work in one folder.
fn moved_name() -> CString {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    // There is no zero in it.
    CString::new(format!("{MOVED}{}-{number}", std::process::id())).unwrap_or_default()
}

/// Opens a folder with the right to change what is in it; `None` where no folder is there by now.
fn writable(above: BorrowedFd<'_>, name: &CString) -> Result<Option<OwnedFd>> {
    let none = |error| match error {
        Errno::NOENT | Errno::NOTDIR | Errno::LOOP => Ok(None),
        error => Err(error),
    };
    let held = match openat(above, name, FOLDER | OFlags::CLOEXEC | OFlags::NOFOLLOW, Mode::empty()) {
        Ok(held) => held,
        Err(error) => return none(error),
    };
    // What is not ours shows when it is removed.
    let _ = set_mode(&held, 0o700);
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    openat(above, name, flags, Mode::empty()).map(Some).or_else(none)
}
