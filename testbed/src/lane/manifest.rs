//! What a folder holds, so that it can be brought back to it.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use super::copy::{copy_file, make_writable};
use super::{LaneError, failed, remove};

/// All that is in a folder, by path relative to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Manifest(BTreeMap<PathBuf, Entry>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Entry {
    Folder { mode: u32 },
    Link { target: PathBuf },
    File { mode: u32, bytes: u64, modified: (i64, i64), changed: (i64, i64), inode: u64 },
    Other,
}

impl Manifest {
    /// Looks at all that is in a folder.
    pub(crate) fn of(root: &Path) -> Result<Self, LaneError> {
        let mut entries = BTreeMap::new();
        look(root, Path::new(""), &mut entries)?;
        Ok(Self(entries))
    }

    /// The files, relative to the folder, with `/` between the parts.
    pub(crate) fn files(&self) -> impl Iterator<Item = String> {
        self.0.iter().filter_map(|(path, entry)| match entry {
            Entry::File { .. } => path.to_str().map(str::to_owned),
            Entry::Folder { .. } | Entry::Link { .. } | Entry::Other => None,
        })
    }

    /// Makes the folder what it was when the manifest was made, from a pristine copy. Returns the new manifest: files
    /// that had to be restored have another time of change.
    pub(crate) fn restore(&self, root: &Path, pristine: &Path) -> Result<Self, LaneError> {
        // A test may have taken the right to look into a folder away.
        make_writable(root);
        let now = Self::of(root)?;
        // Deepest first, so that folders are empty when their turn comes.
        for (path, entry) in now.0.iter().rev() {
            if !self.0.get(path).is_some_and(|wanted| same_kind(wanted, entry)) {
                let absolute = root.join(path);
                match entry {
                    Entry::Folder { .. } => remove(&absolute)?,
                    Entry::File { .. } | Entry::Link { .. } | Entry::Other => {
                        fs::remove_file(&absolute).map_err(failed("remove", &absolute))?;
                    }
                }
            }
        }
        for (path, wanted) in &self.0 {
            if now.0.get(path) != Some(wanted) {
                put(wanted, &root.join(path), &pristine.join(path))?;
            }
        }
        let after = Self::of(root)?;
        match differing(self, &after) {
            None => Ok(after),
            Some(what) => Err(LaneError::NotReset { path: root.to_owned(), what }),
        }
    }
}

/// The first path in which a folder differs from what it was. The time of change and the place on the disk do not
/// count: they are others in a file that was restored.
fn differing(before: &Manifest, after: &Manifest) -> Option<String> {
    let plain = |entry: &Entry| match entry {
        Entry::File { mode, bytes, modified, .. } => {
            Entry::File { mode: *mode, bytes: *bytes, modified: *modified, changed: (0, 0), inode: 0 }
        }
        Entry::Folder { .. } | Entry::Link { .. } | Entry::Other => entry.clone(),
    };
    let mut paths = before.0.keys().chain(after.0.keys());
    let found = paths.find(|path| before.0.get(*path).map(plain) != after.0.get(*path).map(plain))?;
    Some(found.display().to_string())
}

fn same_kind(one: &Entry, other: &Entry) -> bool {
    matches!(
        (one, other),
        (Entry::Folder { .. }, Entry::Folder { .. }) | (Entry::File { .. }, Entry::File { .. })
    ) || one == other
}

fn put(wanted: &Entry, path: &Path, pristine: &Path) -> Result<(), LaneError> {
    match wanted {
        Entry::Folder { mode } => {
            fs::create_dir_all(path).map_err(failed("create", path))?;
            fs::set_permissions(path, fs::Permissions::from_mode(*mode))
                .map_err(failed("set the mode of", path))
        }
        Entry::Link { target } => symlink(target, path).map_err(failed("link", path)),
        Entry::File { .. } => {
            // A new file: another name of the old one, outside of the lane's view, must not see the change.
            match fs::remove_file(path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(failed("remove", path)(error));
                }
                Ok(()) | Err(_) => {}
            }
            let meta = fs::metadata(pristine).map_err(failed("read", pristine))?;
            copy_file(pristine, path, &meta)
        }
        Entry::Other => Ok(()),
    }
}

fn look(root: &Path, relative: &Path, entries: &mut BTreeMap<PathBuf, Entry>) -> Result<(), LaneError> {
    let folder = root.join(relative);
    for entry in fs::read_dir(&folder).map_err(failed("read", &folder))? {
        let path = relative.join(entry.map_err(failed("read", &folder))?.file_name());
        let absolute = root.join(&path);
        let meta = fs::symlink_metadata(&absolute).map_err(failed("read", &absolute))?;
        let mode = meta.permissions().mode() & 0o7777;
        let kind = meta.file_type();
        if kind.is_dir() {
            look(root, &path, entries)?;
            entries.insert(path, Entry::Folder { mode });
        } else if kind.is_symlink() {
            let target = fs::read_link(&absolute).map_err(failed("read", &absolute))?;
            entries.insert(path, Entry::Link { target });
        } else if kind.is_file() {
            // The time of change cannot be set back by a program, unlike that of the contents.
            let entry = Entry::File {
                mode,
                bytes: meta.len(),
                modified: (meta.mtime(), meta.mtime_nsec()),
                changed: (meta.ctime(), meta.ctime_nsec()),
                inode: meta.ino(),
            };
            entries.insert(path, entry);
        } else {
            entries.insert(path, Entry::Other);
        }
    }
    Ok(())
}
