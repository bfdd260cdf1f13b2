//! The last changes to the mounts of a command, made inside of its namespace of mounts before it begins. None of them creates anything:
//! what lies below the mounts belongs to the host.

use std::io;
use std::mem::size_of;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Mode, OFlags, fstat, lstat, open};
use rustix::io::Errno;
use rustix::mount::{MountFlags, mount, mount_bind};

/// What becomes of the host's files that are mounted.
#[derive(Debug, Clone, Default)]
pub(super) struct Seal {
    /// Files and folders that cannot be changed, not even their modes and times, with all that is mounted in them.
    pub(super) read_only: Vec<PathBuf>,
    /// Folders that can be, although they may lie in one of those.
    pub(super) writable: Vec<PathBuf>,
    /// Private files and folders, which are covered.
    pub(super) private: Vec<PathBuf>,
}

impl Seal {
    /// Makes the changes. What is not there any more is passed over.
    pub(super) fn apply(&self) -> Result<(), String> {
        for path in &self.read_only {
            set_read_only(path, true).map_err(|error| format!("protecting {}: {error}", path.display()))?;
        }
        let in_read_only = |path: &&PathBuf| self.read_only.iter().any(|outer| path.starts_with(outer));
        for path in self.writable.iter().filter(in_read_only) {
            set_read_only(path, false).map_err(|error| format!("opening {}: {error}", path.display()))?;
        }
        for path in &self.private {
            cover(path).map_err(|error| format!("covering {}: {error}", path.display()))?;
        }
        Ok(())
    }
}

/// Covers a file by nothing, and a folder by an empty one.
fn cover(path: &Path) -> rustix::io::Result<()> {
    let covered = match lstat(path) {
        Ok(found) if FileType::from_raw_mode(found.st_mode).is_dir() => {
            let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::RDONLY;
            mount("tmpfs", path, "tmpfs", flags, Some(c"size=4096"))
        }
        Ok(_) => mount_bind("/dev/null", path),
        Err(error) => Err(error),
    };
    match covered {
        Err(Errno::NOENT | Errno::NOTDIR) => Ok(()),
        other => other,
    }
}

/// The argument of `mount_setattr(2)`.
#[repr(C)]
struct MountAttributes {
    set: u64,
    clear: u64,
    propagation: u64,
    user_namespace: u64,
}

/// Sets whether mounts may be changed through a path: the mount there, with all in it where they may not.
fn set_read_only(path: &Path, read_only: bool) -> rustix::io::Result<()> {
    const READ_ONLY: u64 = 1; // MOUNT_ATTR_RDONLY
    const RECURSIVE: libc::c_int = 0x8000; // AT_RECURSIVE
    let (set, clear, flags) = if read_only { (READ_ONLY, 0, RECURSIVE) } else { (0, READ_ONLY, 0) };
    let attributes = MountAttributes { set, clear, propagation: 0, user_namespace: 0 };
    let target = match open(path, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty()) {
        Err(Errno::NOENT) => return Ok(()),
        other => other?,
    };
    // A link, as one of `/bin`, leads to what is protected itself.
    if FileType::from_raw_mode(fstat(&target)?.st_mode).is_symlink() {
        return Ok(());
    }
    // SAFETY: the descriptor is open, the path is empty and ends with its zero, and the kernel reads as much of the attributes as it
    // is told.
    let done = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            target.as_raw_fd(),
            c"".as_ptr(),
            flags | libc::AT_EMPTY_PATH,
            &raw const attributes,
            size_of::<MountAttributes>(),
        )
    };
    if done == 0 {
        return Ok(());
    }
    match Errno::from_io_error(&io::Error::last_os_error()) {
        // Linux before 5.12: what is mounted in a folder of the system's keeps its own settings.
        Some(Errno::NOSYS) | None => Ok(()),
        Some(error) => Err(error),
    }
}
