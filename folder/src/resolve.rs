//! Opening what lies below an open folder.

use std::ffi::OsStr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Component, Path};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, ResolveFlags, openat, openat2, statat};
use rustix::io::{Errno, Result};

/// Flags of everything that is opened.
const ALWAYS: OFlags = OFlags::CLOEXEC.union(OFlags::NOFOLLOW).union(OFlags::NOCTTY);

/// The flags for opening a folder that is only to be gone through: without the right to list it.
pub(crate) const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY);

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
pub(crate) fn open(folder: BorrowedFd<'_>, path: &Path, flags: OFlags) -> Result<OwnedFd> {
    let names = names(path).ok_or(Errno::XDEV)?;
    match names.as_slice() {
        [] => openat(folder, c".", flags | ALWAYS, Mode::empty()),
        // One name needs nothing but not to be a link.
        [name] => step(folder, name, flags),
        names => match at_once(folder, path, flags) {
            // The kernel, or what stands before it, does not know the call.
            Err(Errno::NOSYS | Errno::PERM | Errno::INVAL) => one_by_one(folder, names, flags),
            opened => opened,
        },
    }
}

fn at_once(folder: BorrowedFd<'_>, path: &Path, flags: OFlags) -> Result<OwnedFd> {
    /// Tries, where the kernel had to look elsewhere in the meantime.
    const ATTEMPTS: usize = 16;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    let mut opened = Err(Errno::AGAIN);
    for _ in 0..ATTEMPTS {
        opened = openat2(folder, path, flags | ALWAYS, Mode::empty(), resolve);
        if !matches!(opened, Err(Errno::AGAIN)) {
            break;
        }
    }
    opened
}

/// The same by a call for each name.
fn one_by_one(folder: BorrowedFd<'_>, names: &[&OsStr], flags: OFlags) -> Result<OwnedFd> {
    let Some((last, above)) = names.split_last() else {
        return openat(folder, c".", flags | ALWAYS, Mode::empty());
    };
    let mut held: Option<OwnedFd> = None;
    for name in above {
        let from = held.as_ref().map_or(folder, AsFd::as_fd);
        held = Some(step(from, name, FOLDER)?);
    }
    step(held.as_ref().map_or(folder, AsFd::as_fd), last, flags)
}

/// Opens what has a name in a folder.
fn step(folder: BorrowedFd<'_>, name: &OsStr, flags: OFlags) -> Result<OwnedFd> {
    openat(folder, name, flags | ALWAYS, Mode::empty()).map_err(|error| {
        // Where a folder is wanted a link is told as something else that is none.
        let is_link = || {
            statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)
                .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink)
        };
        if error == Errno::NOTDIR && is_link() { Errno::LOOP } else { error }
    })
}
