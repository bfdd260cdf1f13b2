//! Opening what lies below an open folder.

use std::ffi::OsStr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Component, Path};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, openat, statat};
use rustix::io::{Errno, Result};

/// Flags of everything that is opened.
const ALWAYS: OFlags = OFlags::CLOEXEC.union(OFlags::NOFOLLOW).union(OFlags::NOCTTY);

/// How a folder is opened that is only to be gone through: without the right to list it, where the system has that.
#[cfg(target_os = "linux")]
pub(crate) const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY);
#[cfg(not(target_os = "linux"))]
pub(crate) const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY);

/// The names of a path in their order; `None` where it has parts that are none.
pub(crate) fn names(path: &Path) -> Option<Vec<&OsStr>> {
    path.components()
        .filter(|part| *part != Component::CurDir)
        .map(|part| match part {
            Component::Normal(name) => Some(name),
            Component::Prefix(_) | Component::RootDir | Component::CurDir | Component::ParentDir => None,
        })
        .collect()
}

/// Opens what lies at a path below a folder. No part of the path may be a link.
///
/// # Errors
/// `LOOP` for a link, `XDEV` for a path that leads out, and what the kernel says.
pub(crate) fn open(folder: BorrowedFd<'_>, path: &Path, flags: OFlags, mode: Mode) -> Result<OwnedFd> {
    let names = names(path).ok_or(Errno::XDEV)?;
    match names.as_slice() {
        [] => openat(folder, c".", flags | ALWAYS, mode),
        // One name needs nothing but not to be a link.
        [name] => step(folder, name, flags, mode),
        names => match at_once(folder, path, flags, mode) {
            // The kernel, or what stands before it, does not know the call.
            Err(Errno::NOSYS | Errno::PERM | Errno::INVAL) => one_by_one(folder, names, flags, mode),
            opened => opened,
        },
    }
}

#[cfg(target_os = "linux")]
fn at_once(folder: BorrowedFd<'_>, path: &Path, flags: OFlags, mode: Mode) -> Result<OwnedFd> {
    use rustix::fs::{ResolveFlags, openat2};
    /// How often the kernel is asked again that had to look elsewhere in the meantime.
    const ATTEMPTS: usize = 16;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    let mut opened = Err(Errno::AGAIN);
    for _ in 0..ATTEMPTS {
        opened = openat2(folder, path, flags | ALWAYS, mode, resolve);
        if !matches!(opened, Err(Errno::AGAIN)) {
            break;
        }
    }
    opened
}

#[cfg(not(target_os = "linux"))]
fn at_once(_: BorrowedFd<'_>, _: &Path, _: OFlags, _: Mode) -> Result<OwnedFd> {
    Err(Errno::NOSYS)
}

/// The same by a call for each name.
pub(crate) fn one_by_one(
    folder: BorrowedFd<'_>,
    names: &[&OsStr],
    flags: OFlags,
    mode: Mode,
) -> Result<OwnedFd> {
    let Some((last, above)) = names.split_last() else {
        return openat(folder, c".", flags | ALWAYS, mode);
    };
    let mut held: Option<OwnedFd> = None;
    for name in above {
        let from = held.as_ref().map_or(folder, AsFd::as_fd);
        held = Some(step(from, name, FOLDER, Mode::empty())?);
    }
    step(held.as_ref().map_or(folder, AsFd::as_fd), last, flags, mode)
}

/// Opens what has a name in a folder.
fn step(folder: BorrowedFd<'_>, name: &OsStr, flags: OFlags, mode: Mode) -> Result<OwnedFd> {
    openat(folder, name, flags | ALWAYS, mode).map_err(|error| {
        // Where a folder is wanted a link is told as something else that is none.
        let is_link = || {
            statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)
                .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink)
        };
        if error == Errno::NOTDIR && is_link() { Errno::LOOP } else { error }
    })
}
