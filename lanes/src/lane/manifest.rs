//! The contents of a folder, so that it can be brought back to it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use patchwright_folder::{EntryKind, Folder, FolderEntry, FolderError, WalkBounds};

use super::LaneError;

/// All that is in a folder, by path relative to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest(BTreeMap<PathBuf, Item>);

/// The path of the folder itself.
const ROOT: &str = "";

#[derive(Clone, Debug, PartialEq, Eq)]
enum Item {
    Folder { mode: u32 },
    Link { target: PathBuf },
    File(FolderEntry),
    Other,
}

impl Item {
    fn of(folder: &Folder, path: &Path, entry: &FolderEntry) -> Result<Self, FolderError> {
        Ok(match entry.kind {
            EntryKind::Folder => Self::Folder { mode: entry.mode },
            EntryKind::Link => Self::Link { target: folder.target(path.file_name().unwrap_or_default())? },
            // With the time of change, which cannot be set back by a program, unlike that of the contents.
            EntryKind::File => Self::File(*entry),
            EntryKind::Other => Self::Other,
        })
    }

    /// The part of it that stays the same when it is restored.
    fn lasting(&self) -> Self {
        match self {
            Self::File(entry) => Self::File(FolderEntry { changed: (0, 0), inode: 0, ..*entry }),
            Self::Folder { .. } | Self::Link { .. } | Self::Other => self.clone(),
        }
    }
}

impl Manifest {
    /// Looks at all that is in a folder.
    pub fn of(root: &Folder, is_cancelled: &dyn Fn() -> bool) -> Result<Self, LaneError> {
        let mut items = BTreeMap::new();
        let mut look = |folder: &Folder, path: &Path, entry: &FolderEntry| {
            items.insert(path.to_owned(), Item::of(folder, path, entry)?);
            Ok(true)
        };
        root.walk(WalkBounds::PROJECT, is_cancelled, &mut look)?;
        items.insert(PathBuf::from(ROOT), Item::Folder { mode: root.entry(ROOT)?.mode });
        Ok(Self(items))
    }

    /// The files, relative to the folder, with `/` between the parts.
    pub fn files(&self) -> impl Iterator<Item = String> {
        self.0.iter().filter_map(|(path, item)| match item {
            Item::File(_) => path.to_str().map(str::to_owned),
            Item::Folder { .. } | Item::Link { .. } | Item::Other => None,
        })
    }

    /// Its size on a disk, in bytes: each thing takes blocks of its own.
    pub fn bytes(&self) -> u64 {
        const BLOCK: u64 = 4096;
        let of = |item: &Item| match item {
            Item::File(entry) => entry.bytes + BLOCK,
            Item::Folder { .. } | Item::Link { .. } | Item::Other => BLOCK,
        };
        self.0.values().map(of).sum()
    }

    /// Makes the folder what it was when the manifest was made, from a pristine copy. Returns the new manifest: files
    /// that had to be restored have another time of change.
    pub fn restore(
        &self,
        root: &Folder,
        pristine: &Folder,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<Self, LaneError> {
        let mut kept = BTreeMap::new();
        // Neither can anything be put into a folder to which a test took the right away.
        if let Some(Item::Folder { mode }) = self.0.get(Path::new(ROOT)) {
            root.set_mode(ROOT, *mode)?;
            kept.insert(PathBuf::from(ROOT), Item::Folder { mode: *mode });
        }
        let mut keep = |folder: &Folder, path: &Path, entry: &FolderEntry| {
            let name = path.file_name().unwrap_or_default();
            let item = Item::of(folder, path, entry)?;
            match self.0.get(path) {
                Some(Item::Folder { mode }) if entry.kind == EntryKind::Folder => {
                    // A test may have taken the right to look into it away.
                    if *mode != entry.mode {
                        folder.set_mode(name, *mode)?;
                    }
                    kept.insert(path.to_owned(), Item::Folder { mode: *mode });
                    Ok(true)
                }
                Some(wanted) if *wanted == item => {
                    kept.insert(path.to_owned(), item);
                    Ok(false)
                }
                // A new file will be made: another name of the old one, outside of the lane's view, must not see the change.
                Some(_) | None => {
                    folder.remove(name, is_cancelled)?;
                    Ok(false)
                }
            }
        };
        root.walk(WalkBounds::PROJECT, is_cancelled, &mut keep)?;
        for (path, wanted) in self.0.iter().filter(|(path, _)| !kept.contains_key(*path)) {
            put(wanted, root, path, pristine)?;
        }
        let after = Self::of(root, is_cancelled)?;
        match differing(self, &after) {
            None => Ok(after),
            Some(what) => Err(LaneError::NotReset { path: root.path().to_owned(), what }),
        }
    }
}

/// The first path in which a folder differs from what it was.
fn differing(before: &Manifest, after: &Manifest) -> Option<String> {
    let lasting = Item::lasting;
    let mut paths = before.0.keys().chain(after.0.keys());
    let found = paths.find(|path| before.0.get(*path).map(lasting) != after.0.get(*path).map(lasting))?;
    Some(found.display().to_string())
}

fn put(wanted: &Item, root: &Folder, path: &Path, pristine: &Folder) -> Result<(), FolderError> {
    match wanted {
        Item::Folder { mode } => {
            root.make(path)?;
            root.set_mode(path, *mode)
        }
        Item::Link { target } => root.link(target, path),
        Item::File(_) => root.put(path, &mut pristine.file(path)?, &pristine.entry(path)?),
        Item::Other => Ok(()),
    }
}
