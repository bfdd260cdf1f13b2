//! The files of the system's folders that not everybody may read, such as passwords and keys.
//!
//! A command runs as the user who runs this program, so that the kernel alone would let it read that user's private files wherever they
//! lie. Private files are found once for the large folders, and again for each command in `/etc`, where they change.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::iter;
use std::num::NonZero;
use std::os::unix::ffi::OsStrExt;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::thread;

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat, open, statat};
use rustix::io::Errno;
use rustix::process::geteuid;

use crate::toolchain::SYSTEM;

/// The system's settings.
const SETTINGS: &str = "/etc";
/// Folders of it that hold secrets although everybody may list them.
const SECRET: &[&str] =
    &["NetworkManager", "docker", "kubernetes", "openvpn", "ssh", "sudoers.d", "wireguard"];
/// Folders in which everybody may read everything by their making, and which are too large to look through.
const STORES: &[&str] = &["/nix/store", "/gnu/store"];

/// The bits of a mode that let others read, and search.
const READ: u32 = 0o4;
const SEARCH: u32 = 0o1;
/// Those that let a group do anything; with a list of access they bound it.
const GROUP: u32 = 0o070;

/// Is true if everybody may read a file, or run it, or list a folder.
pub(super) fn is_public(found: &Stat) -> bool {
    let mode = found.st_mode;
    match FileType::from_raw_mode(mode) {
        FileType::Directory => mode & (READ | SEARCH) == READ | SEARCH,
        // A program that may only be run tells nothing.
        _ => mode & (READ | SEARCH) != 0,
    }
}

/// Private files and folders, the largest ones: nothing in a private folder is named besides.
#[derive(Debug, Clone, Default)]
pub(super) struct PrivateFiles {
    found: BTreeSet<PathBuf>,
    /// The folders among them.
    folders: BTreeSet<PathBuf>,
}

/// Folders, divided.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Division {
    /// The largest files and folders that hold nothing private.
    pub(super) public: Vec<PathBuf>,
    /// The largest folders that hold private files but no private folder: names may be told there.
    pub(super) listed: Vec<PathBuf>,
    /// The largest files and folders that are private.
    pub(super) private: Vec<PathBuf>,
}

/// The private files of the system's folders without [`SETTINGS`], found once for all sandboxes of this process.
static OF_SYSTEM: LazyLock<PrivateFiles> = LazyLock::new(|| {
    let mut private = PrivateFiles::default();
    private.look(SYSTEM.iter().map(PathBuf::from).collect(), &[]);
    private
});

/// Folders that are worth a thread of their own.
const FOLDERS_PER_THREAD: usize = 64;
/// The most threads that look through folders: more wait for the disk.
const MOST_THREADS: usize = 8;

impl PrivateFiles {
    /// Looks through the system's folders without [`SETTINGS`], and `others`.
    pub(super) fn find<'a>(others: impl IntoIterator<Item = &'a Path>) -> Self {
        let mut private = OF_SYSTEM.clone();
        private.look(others.into_iter().map(Path::to_owned).collect(), &[]);
        private
    }

    /// Looks through some folders, level by level, each level in several threads where it is large.
    fn look(&mut self, mut level: Vec<PathBuf>, secret: &[&str]) {
        let cores = thread::available_parallelism().map_or(1, NonZero::get).min(MOST_THREADS);
        while !level.is_empty() {
            let share = level.len().div_ceil(cores).max(FOLDERS_PER_THREAD);
            let look = |part: &[PathBuf]| {
                let mut looked = Self::default();
                let inner = part.iter().flat_map(|folder| looked.look_at(folder, secret)).collect();
                (looked, inner)
            };
            let looked: Vec<(Self, Vec<PathBuf>)> = thread::scope(|scope| {
                let (first, rest) = level.split_at(share.min(level.len()));
                let others: Vec<_> = rest.chunks(share).map(|part| scope.spawn(move || look(part))).collect();
                let first = look(first);
                iter::once(first)
                    .chain(
                        others
                            .into_iter()
                            .map(|other| other.join().unwrap_or_else(|panic| resume_unwind(panic))),
                    )
                    .collect()
            });
            level.clear();
            for (found, inner) in looked {
                self.found.extend(found.found);
                self.folders.extend(found.folders);
                level.extend(inner);
            }
        }
    }

    /// Looks at the entries of one folder; gives the folders that everybody may look into. One that cannot be read for another reason than
    /// its rights is taken for private.
    fn look_at(&mut self, folder: &Path, secret: &[&str]) -> Vec<PathBuf> {
        let mut inner = Vec::new();
        if STORES.iter().any(|store| folder == Path::new(store)) {
            return inner;
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut entries = match open(folder, flags, Mode::empty()).and_then(Dir::new) {
            Ok(entries) => entries,
            // A link, or a folder that is not there or not for us: nothing of it can be read by way of this path.
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::ACCESS) => return inner,
            Err(_) => {
                self.add(folder.to_owned(), true);
                return inner;
            }
        };
        while let Some(entry) = entries.read() {
            let (Ok(entry), Ok(descriptor)) = (entry, entries.fd()) else {
                self.add(folder.to_owned(), true);
                break;
            };
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") || entry.file_type() == FileType::Symlink {
                continue;
            }
            // What disappears while we look is not there.
            let Ok(found) = statat(descriptor, name, AtFlags::SYMLINK_NOFOLLOW) else { continue };
            let path = || folder.join(OsStr::from_bytes(name.to_bytes()));
            let is_folder = FileType::from_raw_mode(found.st_mode) == FileType::Directory;
            let is_secret = name.to_str().is_ok_and(|name| secret.contains(&name));
            if is_secret || !is_public(&found) {
                if is_secret || may_be_ours(&found) {
                    self.add(path(), is_folder);
                }
            } else if is_folder {
                inner.push(path());
            }
        }
        inner
    }

    fn add(&mut self, path: PathBuf, is_folder: bool) {
        self.folders.extend(is_folder.then(|| path.clone()));
        self.found.insert(path);
    }

    /// Divides the system's folders, those that were looked through besides, and `/etc` as it is now.
    pub(super) fn divide<'a>(&self, others: impl IntoIterator<Item = &'a Path>) -> Division {
        let mut private = self.clone();
        private.look(vec![PathBuf::from(SETTINGS)], SECRET);
        let mut division = Division::default();
        for folder in SYSTEM.iter().copied().chain([SETTINGS]).map(Path::new).chain(others) {
            private.divide_folder(folder, &mut division);
        }
        let public: BTreeSet<&PathBuf> = division.public.iter().collect();
        division.listed.retain(|path| !public.contains(path));
        division.private = private.found.into_iter().collect();
        division
    }

    /// Adds what is public of a folder, and where its names may be told.
    fn divide_folder(&self, path: &Path, division: &mut Division) {
        divide(&self.found, path, &mut division.public);
        divide(&self.folders, path, &mut division.listed);
    }
}

/// The largest parts of a folder that hold nothing of `without`.
fn divide(without: &BTreeSet<PathBuf>, path: &Path, parts: &mut Vec<PathBuf>) {
    // Sorted, what lies in a folder comes after it.
    match without.range(path.to_owned()..).next() {
        Some(found) if found == path => {}
        Some(found) if found.starts_with(path) => {
            let entries = fs::read_dir(path).into_iter().flatten().flatten();
            entries.for_each(|entry| divide(without, &entry.path(), parts));
        }
        Some(_) | None => parts.push(path.to_owned()),
    }
}

/// Is true if the kernel may let us read a private file although we have no capabilities: whether one of our groups is meant, or a list
/// of access, is not looked at.
fn may_be_ours(found: &Stat) -> bool {
    found.st_uid == geteuid().as_raw() || found.st_mode & GROUP != 0
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn takes_out_what_not_everybody_may_read() {
        let folder = tempfile::tempdir().unwrap();
        for (path, mode) in [
            ("java/security", 0o644),
            ("shadow", 0o640),
            ("ssh/key", 0o644),
            ("ssl/private/key", 0o644),
            ("ssl/pem", 0o644),
            ("ssl/pem.key", 0o600),
            ("bin/run-only", 0o711),
            ("unlisted/file", 0o644),
        ] {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "x").unwrap();
            set_mode(&path, mode);
        }
        set_mode(&folder.path().join("ssl/private"), 0o710);
        set_mode(&folder.path().join("unlisted"), 0o711);
        symlink("/root", folder.path().join("link")).unwrap();
        let mut private = PrivateFiles::default();
        private.look(vec![folder.path().to_owned()], &["ssh"]);
        let mut division = Division::default();
        private.divide_folder(folder.path(), &mut division);
        division.public.sort();
        division.listed.sort();
        division.private = private.found.iter().cloned().collect();
        let relative = |paths: &[PathBuf]| {
            let name = |path: &PathBuf| path.strip_prefix(folder.path()).unwrap().display().to_string();
            paths.iter().map(name).collect::<Vec<_>>()
        };
        assert_eq!(relative(&division.public), ["bin", "java", "link", "ssl/pem"]);
        assert_eq!(relative(&division.listed), ["bin", "java", "link", "shadow", "ssl/pem", "ssl/pem.key"]);
        assert_eq!(relative(&division.private), ["shadow", "ssh", "ssl/pem.key", "ssl/private", "unlisted"]);
    }

    #[test]
    fn a_folder_without_private_files_stays_whole() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("file"), "x").unwrap();
        set_mode(&folder.path().join("file"), 0o644);
        let mut private = PrivateFiles::default();
        private.look(vec![folder.path().to_owned(), folder.path().join("missing")], &[]);
        let mut division = Division::default();
        private.divide_folder(folder.path(), &mut division);
        assert_eq!(
            (division.public, division.listed),
            (vec![folder.path().to_owned()], vec![folder.path().to_owned()])
        );
    }
}
