//! Which repository a file of a project lies in, and whether it belongs to the project.
//!
//! A repository is opened in three cases:
//! 1. All of it lies in the project: `.git` is a folder there, or a file that names a folder there.
//! 2. `.git` is a file that names a folder elsewhere, and that folder names this `.git` back: it is a worktree in the list of its main
//!    repository, or the checkout of a submodule in the configuration of the outer one. A project cannot write there.
//! 3. The project is a folder of a larger repository of the same user.
//!
//! In each case no part of the repository may be a link.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use patchwright_folder::{EntryKind, Folder};
use patchwright_syntax::repository::{self, COMMON, GIT_FILE, without_dots};
use rustix::process::geteuid;

use super::RepositoryError;

const GIT: &str = ".git";
/// The file by which a main repository names the `.git` of a worktree.
const LISTED: &str = "gitdir";
/// The folder in which a main repository keeps its list of worktrees.
const WORKTREES: &str = "worktrees";
/// The folder in which a repository keeps those of its submodules.
const MODULES: &str = "modules";
/// The most bytes of the configuration of a submodule.
const MOST_CONFIGURATION: u64 = 1 << 20;
/// The file by which Defects4J marks its checkouts.
const DEFECTS4J: &str = ".defects4j.config";

/// A repository that may be opened.
pub(super) struct Location {
    /// The folder that its files lie in.
    pub(super) top: PathBuf,
    pub(super) own: Folder,
    pub(super) common: Folder,
}

/// Finds the innermost repository around a file of the project at `origin`, which is a path without links.
pub(super) fn around(origin: &Path, file: &Path) -> Result<Option<Location>, RepositoryError> {
    let project = Folder::open(origin)?;
    let owner = project.entry("")?.owner.0;
    let mut found = None;
    for inside in file.ancestors().skip(1) {
        let folder = project.below(inside)?;
        if let Some(kind) = git_in(&folder)? {
            found.get_or_insert((folder, kind));
        }
    }
    if let Some((folder, kind)) = found {
        return locate(&folder, kind, Some(&project), owner).map(Some);
    }
    for above in origin.ancestors().skip(1) {
        // A folder that nobody may look into tells nothing of a repository.
        let Ok(folder) = Folder::open(above) else { return Ok(None) };
        if let Some(kind) = git_in(&folder)? {
            // Others may put a repository into a folder above, such as `/tmp`.
            check_owner(&folder, GIT, owner)?;
            return locate(&folder, kind, None, owner).map(Some);
        }
    }
    Ok(None)
}

/// The kind of `.git` in a folder, if there is one.
fn git_in(folder: &Folder) -> Result<Option<EntryKind>, RepositoryError> {
    let kind = match folder.entry(GIT) {
        Ok(entry) => entry.kind,
        Err(error) if error.is_not_found() => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    if folder.entry(DEFECTS4J).is_ok() { Err(RepositoryError::Defects4J) } else { Ok(Some(kind)) }
}

/// Refuses what belongs neither to the user nor to the owner of the project.
fn check_owner(folder: &Folder, name: &str, owner: u32) -> Result<(), RepositoryError> {
    let other = folder.entry(name)?.owner.0;
    if other == owner || other == geteuid().as_raw() {
        Ok(())
    } else {
        Err(RepositoryError::Foreign("belongs to another user than the project"))
    }
}

/// Opens what `.git` in the folder `top` is; `project` is given where it lies in the project.
fn locate(
    top: &Folder,
    kind: EntryKind,
    project: Option<&Folder>,
    owner: u32,
) -> Result<Location, RepositoryError> {
    let place = match kind {
        EntryKind::Folder => top.path().join(GIT),
        EntryKind::File => top.path().join(path_in(top, GIT, GIT_FILE)?),
        EntryKind::Link => {
            return Err(RepositoryError::Foreign("is a link; put the repository itself there"));
        }
        EntryKind::Other => return Err(RepositoryError::Foreign("is neither a file nor a folder")),
    };
    let top_path = top.path().to_owned();
    let located = |own, common| Location { top: top_path, own, common };
    if let Some((project, inside)) = project.and_then(|project| Some((project, inside(project, &place)?))) {
        let own = project.below(inside)?;
        let common = match common_of(&own)? {
            None => own.below("")?,
            Some(common) => project.below(self::inside(project, &common).ok_or(UNKNOWN)?)?,
        };
        return Ok(located(own, common));
    }
    if kind == EntryKind::Folder {
        let own = top.below(GIT)?;
        let shared = common_of(&own)?.is_some();
        return if shared { Err(UNKNOWN) } else { Ok(located(own.below("")?, own)) };
    }
    let (own, common) = named_back(top.path(), &place)?;
    check_owner(&own, "", owner)?;
    check_owner(&common, "", owner)?;
    Ok(located(own, common))
}

const UNKNOWN: RepositoryError = RepositoryError::Foreign(
    "names a repository elsewhere that does not name this folder back, as those of worktrees (`git worktree repair`) and submodules do",
);

/// The path in a file that holds nothing else but a word before it.
fn path_in(folder: &Folder, name: &str, word: &str) -> Result<PathBuf, RepositoryError> {
    repository::path_in(folder, name, word)?.ok_or(RepositoryError::Damaged)
}

/// Where the repository is that one shares references and objects with, if it does so.
fn common_of(own: &Folder) -> Result<Option<PathBuf>, RepositoryError> {
    match own.entry(COMMON) {
        Ok(_) => Ok(Some(own.path().join(path_in(own, COMMON, "")?))),
        Err(error) if error.is_not_found() => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The path of a place relative to a folder that it lies in; what leads through a link there is refused when it is opened.
fn inside(folder: &Folder, place: &Path) -> Option<PathBuf> {
    let plain = without_dots(place);
    plain.strip_prefix(folder.path()).ok().map(Path::to_owned)
}

/// Opens the repository at a place that `.git` in the folder `top` names, if it names this file back.
#[allow(clippy::disallowed_methods, reason = "these are only compared, and opened if they are equal")]
fn named_back(top: &Path, place: &Path) -> Result<(Folder, Folder), RepositoryError> {
    let real = |path: PathBuf| path.canonicalize().map_err(|_| UNKNOWN);
    let place = real(place.to_owned())?;
    let own = Folder::open(&place)?;
    let above = place.parent().ok_or(UNKNOWN)?;
    if above.ends_with(WORKTREES) {
        let main = above.parent().ok_or(UNKNOWN)?;
        let listed = place.join(path_in(&own, LISTED, "")?);
        let lists = listed.ends_with(GIT) && real(listed.parent().ok_or(UNKNOWN)?.to_owned())? == top;
        let shares = common_of(&own)?.ok_or(UNKNOWN)?;
        return if lists && real(shares)? == main { Ok((own, Folder::open(main)?)) } else { Err(UNKNOWN) };
    }
    let is_module = above.ancestors().any(|folder| folder.ends_with(MODULES));
    let configured = configured_worktree(&own.read("config", MOST_CONFIGURATION)?).ok_or(UNKNOWN)?;
    if is_module && common_of(&own)?.is_none() && real(place.join(configured))? == top {
        let common = own.below("")?;
        return Ok((own, common));
    }
    Err(UNKNOWN)
}

/// The folder that the configuration of a repository names for its files.
fn configured_worktree(configuration: &[u8]) -> Option<PathBuf> {
    let mut is_core = false;
    let mut found = None;
    for line in configuration.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii) {
        if line.starts_with(b"[") {
            is_core = line.eq_ignore_ascii_case(b"[core]");
        } else if is_core
            && let Some(equals) = line.iter().position(|byte| *byte == b'=')
            && line[..equals].trim_ascii().eq_ignore_ascii_case(b"worktree")
        {
            let value = line[equals + 1..].trim_ascii();
            let value =
                value.strip_prefix(b"\"").and_then(|value| value.strip_suffix(b"\"")).unwrap_or(value);
            found = (!value.contains(&0)).then(|| PathBuf::from(OsStr::from_bytes(value)));
        }
    }
    found
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_of_a_submodule_is_read_from_its_configuration() {
        let check = |text: &str, expect: Option<&str>| {
            assert_eq!(configured_worktree(text.as_bytes()), expect.map(PathBuf::from), "{text:?}");
        };
        check("[core]\n\tbare = false\n\tworktree = ../../../sub\n", Some("../../../sub"));
        check("[Core]\n WorkTree=\"../a b\"\n[remote \"x\"]\nworktree = other\n", Some("../a b"));
        check("[remote \"core\"]\nworktree = other\n", None);
        check("[include]\npath = elsewhere\n", None);
    }
}
