//! The files of a commit as git's index and trees. A change rebuilds only the trees and index entries that it affects.

use std::collections::BTreeMap;

use patchwright_folder::FolderEntry;

use super::id::ObjectId;
use super::object_kind::ObjectKind;
use super::packing::{Packing, number, sealed};
use super::parse::EntryMode;

/// Changed files by the bytes of their paths, the order in which git sorts them. `None` removes a file.
pub(super) type Changes = BTreeMap<Vec<u8>, Option<StagedFile>>;

/// What an index says of a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct StagedFile {
    pub(super) mode: EntryMode,
    pub(super) id: ObjectId,
    modified: (i64, i64),
    bytes: u64,
}

/// The files of a commit.
#[derive(Debug, Default)]
pub(super) struct Snapshot {
    /// The entries of an index, one after the other.
    entries: Vec<u8>,
    /// Where the entry of a path begins.
    starts: BTreeMap<Vec<u8>, usize>,
    trees: Trees,
}

/// What an index and a commit hold after a change.
pub(super) struct Staged {
    /// The root of the commit.
    pub(super) tree: ObjectId,
    entries: Vec<u8>,
    count: usize,
    /// The trees that are new.
    trees: Trees,
}

/// Trees by the paths of their folders.
type Trees = BTreeMap<Vec<u8>, Tree>;

type Tree = BTreeMap<Vec<u8>, (EntryMode, ObjectId)>;

impl Snapshot {
    /// A snapshot of files whose contents are packed already, and its index and root tree.
    pub(super) fn of(files: &Changes, packing: &mut Packing<'_>) -> (Self, Staged) {
        let mut staged = Self::default().with(files, packing);
        let mut end = 0;
        let starts = files.iter().filter(|(_, file)| file.is_some()).map(|(path, _)| {
            let start = end;
            end += entry_bytes(path.len());
            (path.clone(), start)
        });
        let starts = starts.collect();
        let trees = std::mem::take(&mut staged.trees);
        (Self { entries: staged.entries.clone(), starts, trees }, staged)
    }

    pub(super) fn mode(&self, path: &[u8]) -> Option<EntryMode> {
        let (above, name) = divided(path);
        self.trees.get(above)?.get(name).map(|(mode, _)| *mode)
    }

    /// The index and trees after changes. The contents of the changed files must be packed already.
    pub(super) fn with(&self, changes: &Changes, packing: &mut Packing<'_>) -> Staged {
        let (tree, trees) = self.trees_with(changes, packing);
        let mut entries = Vec::with_capacity(self.entries.len());
        let (mut count, mut copied) = (self.starts.len(), 0);
        for (path, file) in changes {
            let next = self.starts.range(path.clone()..).next();
            let start = next.map_or(self.entries.len(), |(_, start)| *start);
            entries.extend(&self.entries[copied..start]);
            let was_there = next.is_some_and(|(next, _)| next == path);
            copied = start + if was_there { entry_bytes(path.len()) } else { 0 };
            if let Some(file) = file {
                file.put(path, &mut entries);
            }
            count = count + usize::from(file.is_some()) - usize::from(was_there);
        }
        entries.extend(&self.entries[copied..]);
        Staged { tree, entries, count, trees }
    }

    /// Packs the trees of all folders in which something changes.
    fn trees_with(&self, changes: &Changes, packing: &mut Packing<'_>) -> (ObjectId, Trees) {
        let mut open = Trees::new();
        let known = |path: &[u8]| self.trees.get(path).cloned().unwrap_or_default();
        open.insert(Vec::new(), known(b""));
        for (path, file) in changes {
            let (above, name) = divided(path);
            let ends = above.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
            for folder in ends.chain([above.len()]).map(|end| &above[..end]) {
                if !open.contains_key(folder) {
                    open.insert(folder.to_owned(), known(folder));
                }
            }
            let Some(tree) = open.get_mut(above) else { continue };
            match file {
                Some(file) => tree.insert(name.to_owned(), (file.mode, file.id)),
                None => tree.remove(name),
            };
        }
        let mut packed = Trees::new();
        let mut root = None;
        // A folder sorts before its subfolders, so the last one has no open subfolder.
        while let Some((path, tree)) = open.pop_last() {
            let (above, name) = divided(&path);
            if path.is_empty() {
                root = Some(pack_tree(&tree, packing));
            } else if let Some(parent) = open.get_mut(above) {
                if !tree.is_empty() {
                    parent.insert(name.to_owned(), (EntryMode::Folder, pack_tree(&tree, packing)));
                } else if parent.get(name).is_some_and(|(mode, _)| *mode == EntryMode::Folder) {
                    parent.remove(name);
                }
            }
            packed.insert(path, tree);
        }
        (root.unwrap_or_else(|| pack_tree(&Tree::new(), packing)), packed)
    }
}

impl Staged {
    /// The bytes of the index.
    pub(super) fn index(&self) -> Vec<u8> {
        sealed([*b"DIRC", 2_u32.to_be_bytes(), number(self.count)].concat(), &self.entries)
    }
}

impl StagedFile {
    pub(super) fn of(mode: EntryMode, id: ObjectId, entry: &FolderEntry) -> Self {
        Self { mode, id, modified: entry.modified, bytes: entry.bytes }
    }

    /// Writes the entry of an index.
    fn put(&self, path: &[u8], entries: &mut Vec<u8>) {
        let end = entries.len() + entry_bytes(path.len());
        let (seconds, nanoseconds) = self.modified;
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "git keeps the last 32 bits"
        )]
        let (time, size) = ([seconds as u32, nanoseconds as u32], self.bytes as u32);
        for number in [0, 0, time[0], time[1], 0, 0, self.mode.number(), 0, 0, size] {
            entries.extend(number.to_be_bytes());
        }
        entries.extend(self.id.0);
        entries.extend(u16::try_from(path.len().min(0xfff)).unwrap_or(0xfff).to_be_bytes());
        entries.extend(path);
        entries.resize(end, 0);
    }
}

/// The size of an entry of an index, by that of its path: a multiple of eight, with at least one zero at its end.
fn entry_bytes(path: usize) -> usize {
    (62 + path) / 8 * 8 + 8
}

/// The folder and the name of a path.
fn divided(path: &[u8]) -> (&[u8], &[u8]) {
    path.iter().rposition(|byte| *byte == b'/').map_or((&[], path), |at| (&path[..at], &path[at + 1..]))
}

fn pack_tree(tree: &Tree, packing: &mut Packing<'_>) -> ObjectId {
    // Git sorts folders as if their names ended in `/`.
    let end = |mode: EntryMode| (mode == EntryMode::Folder).then_some(&b'/');
    let mut items: Vec<_> = tree.iter().collect();
    items.sort_by(|one, other| one.0.iter().chain(end(one.1.0)).cmp(other.0.iter().chain(end(other.1.0))));
    let mut bytes = Vec::new();
    for (name, (mode, id)) in items {
        bytes.extend(format!("{:o} ", mode.number()).bytes());
        bytes.extend(name);
        bytes.push(0);
        bytes.extend(id.0);
    }
    packing.add(ObjectKind::Tree, &bytes)
}
