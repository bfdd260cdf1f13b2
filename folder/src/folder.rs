//! An open folder, and what can be done below it.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Permissions};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use rustix::fs::{self, AtFlags, CWD, Dir, FileType, Mode, OFlags, RenameFlags, Stat};
use rustix::io::Errno;

use crate::error::{FolderError, failed};
use crate::resolve::{self, FOLDER, names};

/// The right to make, list and remove in folders that we make.
const OWN: Mode = Mode::RWXU.union(Mode::RGRP).union(Mode::XGRP).union(Mode::ROTH).union(Mode::XOTH);
/// The rights of files that we make.
const FILE: u32 = 0o666;
/// The right of the owner to change a file.
const OWNER_WRITES: u32 = 0o200;

/// The kind of something in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
    /// A pipe, a socket or a device.
    Other,
}

/// The metadata of something in a folder, known without opening it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FolderEntry {
    /// Its kind.
    pub kind: EntryKind,
    /// Its rights, 12 bits.
    pub mode: u32,
    /// The bytes that it holds.
    pub bytes: u64,
    /// When its content changed: seconds and nanoseconds since 1970.
    pub modified: (i64, i64),
    /// When anything of it changed, which no program can set.
    pub changed: (i64, i64),
    /// Its number on the disk.
    pub inode: u64,
    /// The numbers of the user and the group that it belongs to.
    pub owner: (u32, u32),
}

impl FolderEntry {
    fn of(stat: &Stat) -> Self {
        let kind = match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => EntryKind::File,
            FileType::Directory => EntryKind::Folder,
            FileType::Symlink => EntryKind::Link,
            _ => EntryKind::Other,
        };
        #[allow(
            clippy::cast_sign_loss,
            clippy::cast_possible_wrap,
            clippy::useless_conversion,
            reason = "other systems have other types"
        )]
        Self {
            kind,
            mode: u32::from(stat.st_mode) & 0o7777,
            bytes: stat.st_size as u64,
            modified: (stat.st_mtime.into(), stat.st_mtime_nsec as i64),
            changed: (stat.st_ctime.into(), stat.st_ctime_nsec as i64),
            inode: stat.st_ino.into(),
            owner: (stat.st_uid, stat.st_gid),
        }
    }

    /// When its content changed, as the clock tells it; the beginning of 1970 for what is before that.
    fn modified_time(&self) -> SystemTime {
        let (seconds, nanoseconds) = self.modified;
        let since = Duration::new(
            u64::try_from(seconds).unwrap_or_default(),
            u32::try_from(nanoseconds).unwrap_or_default(),
        );
        SystemTime::UNIX_EPOCH + since
    }
}

/// An open folder. Paths are relative to it, without `..`; `path` in errors is for people.
#[derive(Debug)]
pub struct Folder {
    handle: OwnedFd,
    path: PathBuf,
}

impl Folder {
    /// Opens a folder of ours, or one that a user named: links on the way to it are followed.
    ///
    /// # Errors
    /// It is not there, or is no folder.
    pub fn open(path: &Path) -> Result<Self, FolderError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let handle = fs::openat(CWD, path, flags, Mode::empty()).map_err(failed("open", path))?;
        Ok(Self { handle, path: path.to_owned() })
    }

    /// Where it is, as far as anybody knows: for messages, and for commands that are told of it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn handle(&self) -> BorrowedFd<'_> {
        self.handle.as_fd()
    }

    /// A folder below.
    ///
    /// # Errors
    /// It is not there, is no folder, or a part of the path is a link.
    pub fn below(&self, path: impl AsRef<Path>) -> Result<Self, FolderError> {
        let path = path.as_ref();
        let handle = self.open_at(path, OFlags::RDONLY | OFlags::DIRECTORY, "open")?;
        Ok(Self { handle, path: self.path.join(path) })
    }

    /// A folder below; it and those above it are made where they are not there.
    ///
    /// # Errors
    /// Something else stands there or above.
    pub fn make(&self, path: impl AsRef<Path>) -> Result<Self, FolderError> {
        let path = path.as_ref();
        let shown = self.path.join(path);
        let names = names(path).ok_or_else(|| FolderError::LeadsOut(shown.clone()))?;
        let mut open = self.below("")?;
        for name in names {
            match fs::mkdirat(&open.handle, name, OWN) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(error) => return Err(failed("create", &shown)(error)),
            }
            open = open.below(name)?;
        }
        Ok(open)
    }

    /// Whether a folder lies at a path.
    pub fn is_folder(&self, path: impl AsRef<Path>) -> bool {
        self.entry(path).is_ok_and(|entry| entry.kind == EntryKind::Folder)
    }

    /// The entry at a path, which is the folder itself where it is empty; a link is told as one.
    ///
    /// # Errors
    /// Nothing lies there, or a part of the path before the last is a link.
    pub fn entry(&self, path: impl AsRef<Path>) -> Result<FolderEntry, FolderError> {
        let path = path.as_ref();
        let shown = self.path.join(path);
        if path.as_os_str().is_empty() {
            return fs::fstat(&self.handle)
                .map(|stat| FolderEntry::of(&stat))
                .map_err(failed("read", &shown));
        }
        self.beside(path, |folder, name| fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW))
            .map(|stat| FolderEntry::of(&stat))
            .map_err(failed("read", &shown))
    }

    /// The names in it, with what they are, sorted by name.
    ///
    /// # Errors
    /// It cannot be read, or has more than `most`.
    pub fn list(&self, most: usize) -> Result<Vec<(OsString, FolderEntry)>, FolderError> {
        self.list_while(most, &|| false)
    }

    /// The same, as long as somebody waits for it.
    pub(crate) fn list_while(
        &self,
        most: usize,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<Vec<(OsString, FolderEntry)>, FolderError> {
        let wrong = failed("read", &self.path);
        let mut found = Vec::new();
        for entry in Dir::read_from(&self.handle).map_err(&wrong)? {
            let entry = entry.map_err(&wrong)?;
            let name = entry.file_name().to_bytes();
            if name == b"." || name == b".." {
                continue;
            }
            if is_cancelled() {
                return Err(FolderError::Cancelled);
            }
            match fs::statat(&self.handle, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW) {
                Ok(_) if found.len() >= most => {
                    return Err(FolderError::TooMany { path: self.path.clone(), most });
                }
                Ok(stat) => found.push((OsString::from_vec(name.to_vec()), FolderEntry::of(&stat))),
                // Gone in the meantime.
                Err(Errno::NOENT) => {}
                Err(error) => return Err(wrong(error)),
            }
        }
        found.sort_by(|one, other| one.0.cmp(&other.0));
        Ok(found)
    }

    /// Opens a regular file for reading. Nothing else is ever opened, not even for a moment: to open a device may do something.
    ///
    /// # Errors
    /// It is not there, is no regular file, or a part of the path is a link.
    pub fn file(&self, path: impl AsRef<Path>) -> Result<File, FolderError> {
        let path = path.as_ref();
        let shown = self.path.join(path);
        let held = self.open_at(path, OFlags::PATH, "open")?;
        let stat = fs::fstat(&held).map_err(failed("read", &shown))?;
        if FolderEntry::of(&stat).kind != EntryKind::File {
            return Err(FolderError::NotRegular(shown));
        }
        reopen(&held, OFlags::RDONLY | OFlags::NONBLOCK).map(File::from).map_err(failed("open", &shown))
    }

    /// The bytes of a regular file that holds no more than `most`.
    ///
    /// # Errors
    /// As for [`Self::file`], or it holds more.
    pub fn read(&self, path: impl AsRef<Path>, most: u64) -> Result<Vec<u8>, FolderError> {
        let path = path.as_ref();
        let shown = self.path.join(path);
        let too_large = |bytes| FolderError::TooLarge { path: self.path.join(path), bytes, most };
        let file = self.file(path)?;
        let bytes = file.metadata().map_err(failed("read", &shown))?.len();
        if bytes > most {
            return Err(too_large(bytes));
        }
        let mut read = Vec::with_capacity(usize::try_from(bytes).unwrap_or_default());
        // It may grow meanwhile.
        file.take(most + 1).read_to_end(&mut read).map_err(failed("read", &shown))?;
        if read.len() as u64 > most {
            return Err(too_large(read.len() as u64));
        }
        Ok(read)
    }

    /// Makes a new, empty file; whatever stands there, but for a folder, is removed first, so that neither a link nor another name
    /// of it sees what is written.
    ///
    /// # Errors
    /// A folder stands there, or the folder for it is not there.
    pub fn create(&self, path: impl AsRef<Path>) -> Result<File, FolderError> {
        let path = path.as_ref();
        let shown = self.path.join(path);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let made = self.beside(path, |folder, name| {
            let make = || fs::openat(folder, name, flags, Mode::from_raw_mode(FILE));
            match make() {
                Err(Errno::EXIST) => {
                    vacate(folder, name)?;
                    make()
                }
                made => made,
            }
        });
        made.map(File::from).map_err(failed("create", &shown))
    }

    /// Writes a new file, and makes the folders for it.
    ///
    /// # Errors
    /// Something stands in the way, or the disk is full.
    pub fn write(&self, path: impl AsRef<Path>, bytes: &[u8]) -> Result<(), FolderError> {
        let path = path.as_ref();
        if let Some(above) = path.parent().filter(|above| !above.as_os_str().is_empty()) {
            self.make(above)?;
        }
        self.create(path)?.write_all(bytes).map_err(failed("write", &self.path.join(path)))
    }

    /// Opens a regular file for writing at its end; it is made where nothing has the name.
    ///
    /// # Errors
    /// Something else stands there, or a part of the path is a link.
    pub fn append(&self, path: impl AsRef<Path>) -> Result<File, FolderError> {
        let path = path.as_ref();
        let shown = self.path.join(path);
        let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::NONBLOCK;
        let make = flags | OFlags::CREATE | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let opened =
            self.beside(path, |folder, name| fs::openat(folder, name, make, Mode::from_raw_mode(FILE)));
        let file = opened.map_err(failed("open", &shown))?;
        let stat = fs::fstat(&file).map_err(failed("read", &shown))?;
        if FolderEntry::of(&stat).kind == EntryKind::File {
            Ok(file.into())
        } else {
            Err(FolderError::NotRegular(shown))
        }
    }

    /// Makes a copy of an open file, found as `entry`, with its rights and its time. The owner may write to the copy. Where the file
    /// system can, both share what they hold until one is changed.
    ///
    /// # Errors
    /// As for [`Self::create`], or the file cannot be read.
    pub fn put(
        &self,
        path: impl AsRef<Path>,
        from: &mut File,
        entry: &FolderEntry,
    ) -> Result<(), FolderError> {
        let path = path.as_ref();
        let shown = self.path.join(path);
        let mut file = self.create(path)?;
        if !share(from, &file) {
            io::copy(from, &mut file).map_err(failed("write", &shown))?;
        }
        // Build tools compare times: a copy must not look newer than what was made from it.
        file.set_modified(entry.modified_time()).map_err(failed("set the time of", &shown))?;
        let rights = Permissions::from_mode(entry.mode | OWNER_WRITES);
        file.set_permissions(rights).map_err(failed("set the mode of", &shown))
    }

    /// Gives a file another name, in place of whatever had it.
    ///
    /// # Errors
    /// It is not there, or a folder has that name.
    pub fn rename(&self, from: impl AsRef<Path>, to: impl AsRef<Path>) -> Result<(), FolderError> {
        let (from, to) = (from.as_ref(), to.as_ref());
        self.beside(from, |folder, name| self.beside(to, |other, new| fs::renameat(folder, name, other, new)))
            .map_err(failed("write", &self.path.join(to)))
    }

    /// Gives a file a name that nothing has.
    ///
    /// # Errors
    /// It is not there, or something has the name.
    pub fn rename_to_free(&self, from: impl AsRef<Path>, to: impl AsRef<Path>) -> Result<(), FolderError> {
        let (from, to) = (from.as_ref(), to.as_ref());
        self.beside(from, |folder, name| {
            self.beside(to, |other, new| {
                match fs::renameat_with(folder, name, other, new, RenameFlags::NOREPLACE) {
                    Err(error) if is_unsupported(error) => {
                        fs::linkat(folder, name, other, new, AtFlags::empty())?;
                        fs::unlinkat(folder, name, AtFlags::empty())
                    }
                    done => done,
                }
            })
        })
        .map_err(failed("write", &self.path.join(to)))
    }

    /// Lets two files have each other's name. No moment is without a file of either name; where the file system cannot do both at
    /// once, what stood at `to` is found at `spare` for a moment.
    ///
    /// # Errors
    /// One is not there, is a folder, or something stands at `spare`.
    pub fn exchange(
        &self,
        from: impl AsRef<Path>,
        to: impl AsRef<Path>,
        spare: impl AsRef<Path>,
    ) -> Result<(), FolderError> {
        let (from, to, spare) = (from.as_ref(), to.as_ref(), spare.as_ref());
        let exchanged = self.beside(from, |folder, name| {
            self.beside(to, |other, new| fs::renameat_with(folder, name, other, new, RenameFlags::EXCHANGE))
        });
        match exchanged {
            Err(error) if is_unsupported(error) => {
                self.beside(to, |folder, name| {
                    self.beside(spare, |other, new| fs::linkat(folder, name, other, new, AtFlags::empty()))
                })
                .map_err(failed("write", &self.path.join(to)))?;
                self.rename(from, to)?;
                self.rename(spare, from)
            }
            done => done.map_err(failed("write", &self.path.join(to))),
        }
    }

    /// Waits until the file system of this folder has all that was written.
    ///
    /// # Errors
    /// The disk.
    pub fn sync(&self) -> Result<(), FolderError> {
        fs::syncfs(&self.handle).map_err(failed("write", &self.path))
    }

    /// Removes whatever has a name, but for a folder.
    ///
    /// # Errors
    /// Nothing has it, or a folder.
    pub fn unlink(&self, path: impl AsRef<Path>) -> Result<(), FolderError> {
        let path = path.as_ref();
        self.beside(path, |folder, name| fs::unlinkat(folder, name, AtFlags::empty()))
            .map_err(failed("remove", &self.path.join(path)))
    }

    /// Removes a folder with nothing in it.
    ///
    /// # Errors
    /// There is none, or something is in it.
    pub fn remove_empty(&self, path: impl AsRef<Path>) -> Result<(), FolderError> {
        let path = path.as_ref();
        self.beside(path, |folder, name| fs::unlinkat(folder, name, AtFlags::REMOVEDIR))
            .map_err(failed("remove", &self.path.join(path)))
    }

    /// Makes a pipe with a name, and opens it in both directions, so that neither to open it nor to use it waits for another side.
    /// Whatever stands there, but for a folder, is removed first.
    ///
    /// # Errors
    /// A folder stands there, or something else was put there meanwhile.
    pub fn pipe(&self, path: impl AsRef<Path>) -> Result<File, FolderError> {
        let path = path.as_ref();
        let shown = self.path.join(path);
        let made = self.beside(path, |folder, name| {
            vacate(folder, name)?;
            fs::mkfifoat(folder, name, Mode::RUSR | Mode::WUSR)
        });
        made.map_err(failed("create", &shown))?;
        let held = self.open_at(path, OFlags::PATH, "open")?;
        let stat = fs::fstat(&held).map_err(failed("read", &shown))?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::Fifo {
            return Err(FolderError::NotRegular(shown));
        }
        reopen(&held, OFlags::RDWR | OFlags::NONBLOCK).map(File::from).map_err(failed("open", &shown))
    }

    /// Makes a symbolic link with such a text, whatever it leads to.
    ///
    /// # Errors
    /// Something stands there.
    pub fn link(&self, target: &Path, path: impl AsRef<Path>) -> Result<(), FolderError> {
        let path = path.as_ref();
        self.beside(path, |folder, name| fs::symlinkat(target, folder, name))
            .map_err(failed("link", &self.path.join(path)))
    }

    /// The text of a symbolic link.
    ///
    /// # Errors
    /// It is none.
    pub fn target(&self, path: impl AsRef<Path>) -> Result<PathBuf, FolderError> {
        let path = path.as_ref();
        self.beside(path, |folder, name| fs::readlinkat(folder, name, Vec::new()))
            .map(|text| PathBuf::from(OsStr::from_bytes(text.to_bytes())))
            .map_err(failed("read", &self.path.join(path)))
    }

    /// Sets the rights of a file or a folder.
    ///
    /// # Errors
    /// It is not there, is a link, or belongs to somebody else.
    pub fn set_mode(&self, path: impl AsRef<Path>, mode: u32) -> Result<(), FolderError> {
        let path = path.as_ref();
        let held = self.open_at(path, OFlags::PATH, "open")?;
        set_mode(&held, mode).map_err(failed("set the mode of", &self.path.join(path)))
    }

    /// Does something with a name in the folder in which a path ends.
    fn beside<T>(
        &self,
        path: &Path,
        work: impl FnOnce(BorrowedFd<'_>, &OsStr) -> rustix::io::Result<T>,
    ) -> rustix::io::Result<T> {
        let names = names(path).ok_or(Errno::XDEV)?;
        let (name, above) = names.split_last().ok_or(Errno::XDEV)?;
        if above.is_empty() {
            return work(self.handle(), name);
        }
        let above: PathBuf = above.iter().collect();
        let held = resolve::open(self.handle(), &above, FOLDER)?;
        work(held.as_fd(), name)
    }

    fn open_at(&self, path: &Path, flags: OFlags, doing: &'static str) -> Result<OwnedFd, FolderError> {
        resolve::open(self.handle(), path, flags).map_err(failed(doing, &self.path.join(path)))
    }
}

/// Is true if a file system, or a kernel, cannot rename in this way.
fn is_unsupported(error: Errno) -> bool {
    matches!(error, Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP)
}

/// Removes whatever has a name, but for a folder; nothing there is no error.
fn vacate(folder: BorrowedFd<'_>, name: &OsStr) -> rustix::io::Result<()> {
    match fs::unlinkat(folder, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(error) => Err(error),
    }
}

/// A reflink may still be possible: one that fails costs as much as a small file.
static REFLINKS: AtomicBool = AtomicBool::new(true);

/// Lets an empty file share what another holds; says whether the file system can.
fn share(from: &File, to: &File) -> bool {
    let shared = REFLINKS.load(Ordering::Relaxed) && fs::ioctl_ficlone(to, from).is_ok();
    REFLINKS.fetch_and(shared, Ordering::Relaxed);
    shared
}

fn held_name(held: &OwnedFd) -> String {
    use std::os::fd::AsRawFd;
    // The kernel goes to what is held, whatever stands at its name by now.
    format!("/proc/self/fd/{}", held.as_raw_fd())
}

fn reopen(held: &OwnedFd, flags: OFlags) -> io::Result<OwnedFd> {
    Ok(fs::openat(CWD, held_name(held), flags | OFlags::CLOEXEC | OFlags::NOCTTY, Mode::empty())?)
}

pub(crate) fn set_mode(held: &OwnedFd, mode: u32) -> io::Result<()> {
    match fs::chmodat(CWD, held_name(held), Mode::from_raw_mode(mode), AtFlags::empty()) {
        // So it is told that a link is held, which has no rights.
        Err(Errno::OPNOTSUPP) => Err(Errno::LOOP.into()),
        done => Ok(done?),
    }
}
