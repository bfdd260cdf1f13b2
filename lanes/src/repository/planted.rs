//! The repository of a lane: made of the copy of the project, with one commit and nothing of the user's repository but the names of
//! a branch and of a tag.
//!
//! Tests ask git for files that are tracked, and builds for a version. A lane must hold no way to the user's repository, where a commit
//! would land, and no other state of the project, which may tell of the fix. So each lane gets files of git that are the same in all
//! of them: a pack of the tracked files as they are in the copy, an index, a branch. A change that is tried belongs to the commit.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use patchwright_folder::{EntryKind, Folder, FolderEntry, FolderError};

use super::files::{NearestTag, TrackedFile};
use super::id::ObjectId;
use super::object_kind::ObjectKind;
use super::packing::Packing;
use super::parse::EntryMode;
use super::references::is_name;
use super::snapshot::{Changes, Snapshot, Staged, StagedFile};
use super::{Head, ProjectRepository, RepositoryError};

/// The folder of the repository of a lane, in its copy of the project.
pub const PLANTED: &str = ".git";
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

/// Puts a repository into the copy of a project that has one. Returns it, or a note where the project's repository is not read.
///
/// # Errors
/// Files of the copy cannot be read or written, or nobody waits any more.
pub fn plant(
    source: &Path,
    copy: &Folder,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<(Option<PlantedRepository>, Option<String>), FolderError> {
    let known = match known_of(source, is_cancelled) {
        Ok(Some(known)) => known,
        Ok(None) => return Ok((None, None)),
        Err(RepositoryError::Folder(FolderError::Cancelled)) => return Err(FolderError::Cancelled),
        Err(error) => {
            let note =
                format!("tests find no git repository, because that of the project is not read: {error}");
            return Ok((None, Some(note)));
        }
    };
    let nothing = BTreeSet::new();
    let mut packing = Packing::new(&nothing);
    let Some(files) = listed(copy, &known.files, &mut packing, is_cancelled)? else {
        let note = format!(
            "tests find no git repository: the project tracks more than {MOST_FILES} files or {} MiB",
            MOST_BYTES >> 20
        );
        return Ok((None, Some(note)));
    };
    if files.is_empty() {
        return Ok((None, None));
    }
    let (files, staged) = Snapshot::of(&files, &mut packing);
    let mut planted = PlantedRepository { files, packed: BTreeSet::new(), head: known.head, tag: known.tag };
    let git = copy.make(PLANTED)?;
    git.make("objects/info")?;
    git.make("refs/heads")?;
    git.make("refs/tags")?;
    git.write("config", CONFIGURATION.as_bytes())?;
    planted.write(&git, &staged, &mut packing)?;
    planted.packed = packing.ids().collect();
    Ok((Some(planted), None))
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

/// The repository that lanes begin with.
#[derive(Debug)]
pub struct PlantedRepository {
    files: Snapshot,
    /// The objects that it has.
    packed: BTreeSet<ObjectId>,
    head: Head,
    tag: Option<NearestTag>,
}

impl PlantedRepository {
    /// Makes the only commit of a lane hold these files as they are in it now, as if the project had been given so: a test that asks git
    /// whether something is changed speaks of what the tests did. What is not tracked otherwise stays so.
    ///
    /// # Errors
    /// Files of the lane cannot be read or written, or nobody waits any more.
    pub fn commit(
        &self,
        copy: &Folder,
        changed: &[PathBuf],
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<(), FolderError> {
        let mut packing = Packing::new(&self.packed);
        let name = |path: &Path| path.as_os_str().as_bytes().to_vec();
        let mut changes: Changes = changed.iter().map(|path| (name(path), None)).collect();
        // What lies in a submodule is none of this repository's.
        let is_ours = |path: &&PathBuf| !path.ancestors().any(|above| self.is_submodule(&name(above)));
        for path in changed.iter().filter(is_ours) {
            if is_cancelled() {
                return Err(FolderError::Cancelled);
            }
            let (Some(above), Some(file)) = (path.parent(), path.file_name()) else { continue };
            let Ok(folder) = copy.below(above) else { continue };
            let Ok(entry) = folder.entry(file) else { continue };
            if let Some((mode, Content::Bytes(bytes))) = content(&folder, file, &entry, None, MOST_BYTES)? {
                let id = packing.add(ObjectKind::Blob, &bytes);
                changes.insert(name(path), Some(StagedFile::of(mode, id, &entry)));
            }
        }
        let staged = self.files.with(&changes, &mut packing);
        self.write(&copy.make(PLANTED)?, &staged, &mut packing)
    }

    fn is_submodule(&self, path: &[u8]) -> bool {
        self.files.mode(path) == Some(EntryMode::Submodule)
    }

    /// Makes the commit, and writes it, the index, the branch and the tag.
    fn write(&self, git: &Folder, staged: &Staged, packing: &mut Packing<'_>) -> Result<(), FolderError> {
        let tree = staged.tree;
        let commit =
            format!("tree {tree}\nauthor {AUTHOR}\ncommitter {AUTHOR}\n\nThe project as it was given\n");
        let commit = packing.add(ObjectKind::Commit, commit.as_bytes());
        let tag = self.tag.as_ref().map(|tag| (format!("refs/tags/{}", tag.name), tag));
        if let Some((name, tag)) = tag.filter(|(name, _)| is_name(name)) {
            let id = if tag.is_annotated {
                let name = &tag.name;
                let text = format!("object {commit}\ntype commit\ntag {name}\ntagger {AUTHOR}\n\n{name}\n");
                packing.add(ObjectKind::Tag, text.as_bytes())
            } else {
                commit
            };
            git.write(name, format!("{id}\n").as_bytes())?;
        }
        let branch = self.head.branch.as_deref().map(|branch| format!("refs/heads/{branch}"));
        let is_alone = branch.is_none() && self.head.commit.is_some();
        let branch = branch.filter(|name| is_name(name)).unwrap_or(format!("refs/heads/{BRANCH}"));
        git.write(&branch, format!("{commit}\n").as_bytes())?;
        let head = if is_alone { format!("{commit}\n") } else { format!("ref: {branch}\n") };
        git.write("HEAD", head.as_bytes())?;
        packing.write(git)?;
        git.write("index", &staged.index())
    }
}

/// Packs the tracked files as they are in the copy; what is not in it is not tracked in a lane. None where that is too much.
fn listed(
    copy: &Folder,
    tracked: &[TrackedFile],
    packing: &mut Packing<'_>,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<Option<Changes>, FolderError> {
    let mut files = Changes::new();
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
        let submodule = (file.mode == EntryMode::Submodule).then_some(file.id);
        let Some((mode, content)) = content(folder, name, &entry, submodule, left)? else { continue };
        let id = match content {
            Content::Bytes(bytes) => {
                let Some(rest) = left.checked_sub(bytes.len() as u64) else { return Ok(None) };
                left = rest;
                packing.add(ObjectKind::Blob, &bytes)
            }
            Content::TooLarge => return Ok(None),
            Content::Submodule(id) => id,
        };
        files.insert(file.path.as_os_str().as_bytes().to_vec(), Some(StagedFile::of(mode, id, &entry)));
    }
    Ok(Some(files))
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
    submodule: Option<ObjectId>,
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
        EntryKind::Folder => submodule.map(|id| (EntryMode::Submodule, Content::Submodule(id))),
        EntryKind::Other => None,
    })
}
