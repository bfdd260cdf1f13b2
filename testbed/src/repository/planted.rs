//! The repository of a lane: made of the copy of the project, with one commit and nothing of the user's repository but the names of
//! a branch and of a tag.
//!
//! Tests ask git for files that are tracked, and builds for a version. A lane must hold no way to the user's repository, where a commit
//! would land, and no other state of the project, which may tell of the fix. So each lane gets files of git that are the same in all
//! of them: a pack of the tracked files as they are in the copy, an index, a branch.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use patchwright_folder::{EntryKind, Folder, FolderEntry, FolderError};
use ring::digest::{Context, SHA1_FOR_LEGACY_USE_ONLY};

use super::files::{NearestTag, TrackedFile};
use super::id::{ID_BYTES, ObjectId, finished};
use super::objects::ObjectKind;
use super::pack::INDEX_HEAD;
use super::parse::EntryMode;
use super::references::is_name;
use super::{Head, ProjectRepository, RepositoryError};

/// The folder of the repository of a lane, in its copy of the project.
pub(crate) const PLANTED: &str = ".git";
/// The most bytes that the tracked files of a project have together: more take longer than a session may wait.
const MOST_BYTES: u64 = 256 << 20;
/// The most tracked files.
const MOST_FILES: usize = 100_000;
/// The branch of a lane where that of the project has none of a usual name.
const BRANCH: &str = "main";
/// Who made the commit, and when: the same in each lane and each session.
const AUTHOR: &str = "Patchwright <patchwright@localhost> 946684800 +0000";
/// Tells git to compare times and sizes of files alone: all else differs from lane to lane.
const CONFIGURATION: &str = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\t\
                             autocrlf = false\n\tcheckStat = minimal\n\ttrustctime = false\n[gc]\n\tauto = 0\n";

/// Puts a repository into the copy of a project that has one. Returns a note where the project's repository is not read.
///
/// # Errors
/// Files of the copy cannot be read or written, or nobody waits any more.
pub(crate) fn plant(
    source: &Path,
    copy: &Folder,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<Option<String>, FolderError> {
    let known = match known_of(source, is_cancelled) {
        Ok(Some(known)) => known,
        Ok(None) => return Ok(None),
        Err(RepositoryError::Folder(FolderError::Cancelled)) => return Err(FolderError::Cancelled),
        Err(error) => {
            return Ok(Some(format!(
                "tests find no git repository, because that of the project is not read: {error}"
            )));
        }
    };
    let Some(files) = Planted::of(copy, &known.files, is_cancelled)? else {
        return Ok(Some(format!(
            "tests find no git repository: the project tracks more than {MOST_FILES} files or {} MiB",
            MOST_BYTES >> 20
        )));
    };
    if !files.index.is_empty() {
        files.write(copy, &known)?;
    }
    Ok(None)
}

/// What is taken from the user's repository.
struct Known {
    /// By paths in the project.
    files: Vec<TrackedFile>,
    head: Head,
    tag: Option<NearestTag>,
}

#[allow(clippy::disallowed_methods, reason = "the user names the project")]
fn known_of(source: &Path, is_cancelled: &dyn Fn() -> bool) -> Result<Option<Known>, RepositoryError> {
    let Ok(origin) = source.canonicalize() else { return Ok(None) };
    let Some(repository) = ProjectRepository::around(&origin, Path::new("file"), is_cancelled)? else {
        return Ok(None);
    };
    // The project may be a folder of the repository.
    let above = origin.strip_prefix(repository.top()).unwrap_or(Path::new(""));
    let inside = |file: TrackedFile| {
        let path = file.path.strip_prefix(above).ok()?.to_owned();
        Some(TrackedFile { path, ..file })
    };
    let files: Vec<TrackedFile> = repository.tracked()?.into_iter().filter_map(inside).collect();
    if files.is_empty() {
        return Ok(None);
    }
    Ok(Some(Known { files, head: repository.head()?, tag: repository.nearest_tag()? }))
}

/// The objects and the index that are made.
#[derive(Default)]
struct Planted {
    objects: BTreeMap<ObjectId, PackedObject>,
    pack: Vec<u8>,
    index: Vec<u8>,
    indexed: u32,
    root: PlantedFolder,
}

struct PackedObject {
    offset: u32,
    checksum: u32,
}

#[derive(Default)]
struct PlantedFolder(BTreeMap<Vec<u8>, PlantedItem>);

enum PlantedItem {
    Folder(PlantedFolder),
    Other(EntryMode, ObjectId),
}

impl Planted {
    /// Packs the tracked files as they are in the copy; what is not in it is not tracked in a lane. None where that is too much.
    fn of(
        copy: &Folder,
        tracked: &[TrackedFile],
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<Option<Self>, FolderError> {
        let mut planted = Self::default();
        let mut left = MOST_BYTES;
        if tracked.len() > MOST_FILES {
            return Ok(None);
        }
        let mut open = (Path::new(""), Some(copy.below("")?));
        for file in tracked {
            if is_cancelled() {
                return Err(FolderError::Cancelled);
            }
            let Some(name) = file.path.file_name() else { continue };
            let above = file.path.parent().unwrap_or(Path::new(""));
            if open.0 != above {
                open = (above, copy.below(above).ok());
            }
            let Some(folder) = &open.1 else { continue };
            let Ok(entry) = folder.entry(name) else { continue };
            let Some((mode, content)) = content(folder, name, &entry, file, left)? else { continue };
            let id = match content {
                Content::Bytes(bytes) => {
                    let Some(rest) = left.checked_sub(bytes.len() as u64) else { return Ok(None) };
                    left = rest;
                    planted.add(ObjectKind::Blob, &bytes)
                }
                Content::TooLarge => return Ok(None),
                Content::Submodule(id) => id,
            };
            planted.list(&file.path, mode, id, &entry);
        }
        Ok(Some(planted))
    }

    /// Packs an object.
    fn add(&mut self, kind: ObjectKind, bytes: &[u8]) -> ObjectId {
        let id = ObjectId::of(kind.word(), bytes);
        // What was packed is a part of `MOST_BYTES`, so that its size is below what 32 bits can say.
        let offset = PACK_HEAD + u32::try_from(self.pack.len()).unwrap_or(u32::MAX);
        let std::collections::btree_map::Entry::Vacant(place) = self.objects.entry(id) else { return id };
        let start = self.pack.len();
        put_head(&mut self.pack, kind, bytes.len());
        let mut encoder = ZlibEncoder::new(&mut self.pack, Compression::fast());
        // Writing to memory does not fail.
        let _ = encoder.write_all(bytes).and_then(|()| encoder.try_finish());
        drop(encoder);
        let mut checksum = flate2::Crc::new();
        checksum.update(&self.pack[start..]);
        place.insert(PackedObject { offset, checksum: checksum.sum() });
        id
    }

    /// Lists a file in the index, and in the folder that will be committed.
    fn list(&mut self, path: &Path, mode: EntryMode, id: ObjectId, entry: &FolderEntry) {
        let name = path.as_os_str().as_bytes();
        let start = self.index.len();
        let (seconds, nanoseconds) = entry.modified;
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "git keeps the last 32 bits"
        )]
        let (time, size) = ([seconds as u32, nanoseconds as u32], entry.bytes as u32);
        for number in [0, 0, time[0], time[1], 0, 0, mode.number(), 0, 0, size] {
            self.index.extend(number.to_be_bytes());
        }
        self.index.extend(id.0);
        self.index.extend(u16::try_from(name.len().min(0xfff)).unwrap_or(0xfff).to_be_bytes());
        self.index.extend(name);
        let length = self.index.len() - start;
        self.index.resize(start + length / 8 * 8 + 8, 0);
        self.indexed += 1;
        let mut folder = &mut self.root;
        let mut parts = path.iter().map(OsStrExt::as_bytes).peekable();
        while let Some(part) = parts.next() {
            if parts.peek().is_none() {
                folder.0.insert(part.to_owned(), PlantedItem::Other(mode, id));
                return;
            }
            let next = folder
                .0
                .entry(part.to_owned())
                .or_insert_with(|| PlantedItem::Folder(PlantedFolder::default()));
            match next {
                PlantedItem::Folder(next) => folder = next,
                // An index that lists a file and what is in it is none of git's; in the copy there is one of both.
                PlantedItem::Other(..) => return,
            }
        }
    }

    /// Packs a folder and those in it.
    fn tree(&mut self, folder: &PlantedFolder) -> ObjectId {
        let mut items: Vec<(Vec<u8>, &[u8], EntryMode, ObjectId)> = Vec::new();
        for (name, item) in &folder.0 {
            let (mode, id) = match item {
                PlantedItem::Folder(folder) => (EntryMode::Folder, self.tree(folder)),
                PlantedItem::Other(mode, id) => (*mode, *id),
            };
            // Git sorts folders as if their names ended in `/`.
            let mut key = name.clone();
            key.extend((mode == EntryMode::Folder).then_some(b'/'));
            items.push((key, name, mode, id));
        }
        items.sort_by(|one, other| one.0.cmp(&other.0));
        let mut bytes = Vec::new();
        for (_, name, mode, id) in items {
            bytes.extend(format!("{:o} ", mode.number()).bytes());
            bytes.extend(name);
            bytes.push(0);
            bytes.extend(id.0);
        }
        self.add(ObjectKind::Tree, &bytes)
    }

    /// Makes the commit and writes all files of the repository.
    fn write(mut self, copy: &Folder, known: &Known) -> Result<(), FolderError> {
        let root = std::mem::take(&mut self.root);
        let tree = self.tree(&root);
        let commit =
            format!("tree {tree}\nauthor {AUTHOR}\ncommitter {AUTHOR}\n\nThe project as it was given\n");
        let commit = self.add(ObjectKind::Commit, commit.as_bytes());
        let git = copy.make(PLANTED)?;
        git.make("objects/info")?;
        git.make("refs/heads")?;
        git.make("refs/tags")?;
        let tag = known.tag.as_ref().map(|tag| (format!("refs/tags/{}", tag.name), tag));
        if let Some((name, tag)) = tag.filter(|(name, _)| is_name(name)) {
            let id = if tag.is_annotated {
                let name = &tag.name;
                let text = format!("object {commit}\ntype commit\ntag {name}\ntagger {AUTHOR}\n\n{name}\n");
                self.add(ObjectKind::Tag, text.as_bytes())
            } else {
                commit
            };
            git.write(name, format!("{id}\n").as_bytes())?;
        }
        let branch = known.head.branch.as_deref().map(|branch| format!("refs/heads/{branch}"));
        let is_alone = branch.is_none() && known.head.commit.is_some();
        let branch = branch.filter(|name| is_name(name)).unwrap_or(format!("refs/heads/{BRANCH}"));
        git.write(&branch, format!("{commit}\n").as_bytes())?;
        let head = if is_alone { format!("{commit}\n") } else { format!("ref: {branch}\n") };
        git.write("HEAD", head.as_bytes())?;
        git.write("config", CONFIGURATION.as_bytes())?;
        git.write("index", &sealed(index_head(self.indexed), &self.index))?;
        let pack = sealed(pack_head(self.objects.len()), &self.pack);
        let seal = &pack[pack.len().saturating_sub(ID_BYTES)..];
        let index = pack_index(&self.objects, seal);
        let name = ObjectId::first_of(seal).map_or_else(String::new, |seal| seal.to_string());
        let name = format!("objects/pack/pack-{name}");
        git.write(format!("{name}.pack"), &pack)?;
        git.write(format!("{name}.idx"), &index)
    }
}

/// What a tracked file is in the copy.
enum Content {
    Bytes(Vec<u8>),
    TooLarge,
    /// A commit of another repository, which is only named.
    Submodule(ObjectId),
}

/// The kind and the content of a tracked file in the copy; none where it is something else there.
fn content(
    folder: &Folder,
    name: &OsStr,
    entry: &FolderEntry,
    file: &TrackedFile,
    most: u64,
) -> Result<Option<(EntryMode, Content)>, FolderError> {
    Ok(match entry.kind {
        EntryKind::File => {
            let mode = if entry.mode & 0o100 == 0 { EntryMode::File } else { EntryMode::Executable };
            match folder.read(name, most) {
                Ok(bytes) => Some((mode, Content::Bytes(bytes))),
                Err(FolderError::TooLarge { .. }) => Some((mode, Content::TooLarge)),
                Err(error) => return Err(error),
            }
        }
        EntryKind::Link => {
            let target = folder.target(name)?;
            Some((EntryMode::Link, Content::Bytes(target.as_os_str().as_bytes().to_owned())))
        }
        EntryKind::Folder if file.mode == EntryMode::Submodule => {
            Some((EntryMode::Submodule, Content::Submodule(file.id)))
        }
        EntryKind::Folder | EntryKind::Other => None,
    })
}

/// The bytes before the objects of a pack.
const PACK_HEAD: u32 = 12;

fn pack_head(count: usize) -> Vec<u8> {
    [*b"PACK", 2_u32.to_be_bytes(), number(count)].concat()
}

fn index_head(count: u32) -> Vec<u8> {
    [*b"DIRC", 2_u32.to_be_bytes(), count.to_be_bytes()].concat()
}

/// A count of objects, which are fewer than 32 bits can say.
fn number(count: usize) -> [u8; 4] {
    u32::try_from(count).unwrap_or(u32::MAX).to_be_bytes()
}

/// The kind and the size before an object in a pack.
fn put_head(pack: &mut Vec<u8>, kind: ObjectKind, size: usize) {
    let kind: u8 = match kind {
        ObjectKind::Commit => 1,
        ObjectKind::Tree => 2,
        ObjectKind::Blob => 3,
        ObjectKind::Tag => 4,
    };
    let mut byte = kind << 4 | (size & 0x0f) as u8;
    let mut rest = size >> 4;
    while rest > 0 {
        pack.push(byte | 0x80);
        byte = (rest & 0x7f) as u8;
        rest >>= 7;
    }
    pack.push(byte);
}

/// A head and what follows it, with their SHA-1 at the end.
fn sealed(mut bytes: Vec<u8>, rest: &[u8]) -> Vec<u8> {
    bytes.extend(rest);
    let mut context = Context::new(&SHA1_FOR_LEGACY_USE_ONLY);
    context.update(&bytes);
    bytes.extend(finished(context));
    bytes
}

/// The index of a pack that ends with a seal.
fn pack_index(objects: &BTreeMap<ObjectId, PackedObject>, seal: &[u8]) -> Vec<u8> {
    let mut bytes = INDEX_HEAD.to_vec();
    let mut counts = [0; 256];
    for id in objects.keys() {
        counts[usize::from(id.0[0])] += 1;
    }
    let mut sum = 0;
    for count in counts {
        sum += count;
        bytes.extend(number(sum));
    }
    bytes.extend(objects.keys().flat_map(|id| id.0));
    bytes.extend(objects.values().flat_map(|object| object.checksum.to_be_bytes()));
    bytes.extend(objects.values().flat_map(|object| object.offset.to_be_bytes()));
    bytes.extend(seal);
    sealed(bytes, &[])
}
