//! Revisions of git repositories as plain folders, without history.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use git2::{ObjectType, Oid, Repository};
use patchwright_protocol::{Actionable, Actor};

/// The reason why a revision cannot be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckoutError {
    /// There is no repository at any of the places.
    #[error("there is no git repository of {name}: looked for {}", listed(.looked))]
    Missing {
        /// The name of the project.
        name: String,
        /// The places.
        looked: Vec<PathBuf>,
        /// The hint.
        cure: String,
    },
    /// The repository cannot be read.
    #[error("the git repository `{}` cannot be read: {message}", .place.display())]
    Unreadable {
        /// The repository.
        place: PathBuf,
        /// The message of git.
        message: String,
    },
    /// The repository does not have the revision.
    #[error("the git repository `{}` has no revision `{revision}`", .place.display())]
    Revision {
        /// The repository.
        place: PathBuf,
        /// The revision.
        revision: String,
    },
    /// A file cannot be written.
    #[error("`{}`: {message}", .path.display())]
    Disk {
        /// The file.
        path: PathBuf,
        /// The message of the system.
        message: String,
    },
}

impl Actionable for CheckoutError {
    fn actor(&self) -> Actor {
        match self {
            // To try again changes nothing until the user has brought what is missing.
            Self::Revision { .. } | Self::Missing { .. } | Self::Unreadable { .. } => Actor::Case,
            Self::Disk { .. } => Actor::Environment,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Missing { cure, .. } => Some(cure.clone()),
            Self::Revision { .. } => {
                Some("fetch all of its branches and tags, or give another repository".to_owned())
            }
            Self::Unreadable { .. } => Some("clone it anew, with its whole history".to_owned()),
            Self::Disk { .. } => None,
        }
    }
}

fn listed(places: &[PathBuf]) -> String {
    let places: Vec<String> = places.iter().map(|place| format!("`{}`", place.display())).collect();
    if places.is_empty() { "nowhere, because no folder is given".to_owned() } else { places.join(", ") }
}

/// Writes the files of a revision into a folder, byte for byte as they are committed and without history, from the first of the
/// repositories at some places that has it: of several mirrors, one may be old. Submodules are left out.
///
/// # Errors
/// There is no repository, none has the revision (the first is named), or a file cannot be read or written.
pub fn export_first(
    name: &str,
    places: Vec<PathBuf>,
    cure: &str,
    revision: &str,
    folder: &Path,
) -> Result<(), CheckoutError> {
    let mut refused = None;
    for place in places.iter().filter(|place| is_repository(place)) {
        match Found::open(place, revision) {
            Ok(found) => return found.write(folder),
            Err(error) => _ = refused.get_or_insert(error),
        }
    }
    Err(refused.unwrap_or(CheckoutError::Missing {
        name: name.to_owned(),
        looked: places,
        cure: cure.to_owned(),
    }))
}

/// The paths at which a clone with one of these names may be: in some folders, with or without `.git`; then what is called nearly so
/// there, as `apache__commons-lang` for `commons-lang`; last the folders themselves, where they are repositories.
pub fn clones_named(folders: &[PathBuf], names: &[String]) -> Vec<PathBuf> {
    let exactly = folders.iter().flat_map(|folder| {
        names.iter().flat_map(|name| [folder.join(name), folder.join(format!("{name}.git"))])
    });
    let nearly = folders.iter().flat_map(|folder| repositories_named(folder, names));
    let mut places: Vec<PathBuf> = exactly.collect();
    for place in nearly.chain(folders.iter().filter(|folder| is_repository(folder)).cloned()) {
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places
}

/// Repositories in a folder, or in a folder of it, whose names end in one of some names: `apache/commons-lang`, `apache__commons-lang.git`,
/// `apache+commons-lang`, or that of the folder around one which has no name of its own: `apache+commons-lang/repository.git`.
fn repositories_named(folder: &Path, names: &[String]) -> Vec<PathBuf> {
    let ends_so = |path: &Path| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_lowercase();
        let name = name.strip_suffix(".git").unwrap_or(&name);
        names.iter().any(|wanted| {
            let before = name.strip_suffix(&wanted.to_lowercase());
            before.is_some_and(|before| !before.ends_with(char::is_alphanumeric))
        })
    };
    let folders_in = |folder: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut found: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
        found.sort();
        found
    };
    let first = folders_in(folder);
    // The inside of a repository is no folder of repositories.
    let second = first.iter().filter(|path| !is_repository(path)).flat_map(|path| folders_in(path));
    let is_named =
        |path: &Path| ends_so(path) || path.parent().is_some_and(|above| above != folder && ends_so(above));
    first.iter().cloned().chain(second).filter(|path| is_named(path) && is_repository(path)).collect()
}

/// Is true if there is a git repository, bare or not.
pub fn is_repository(place: &Path) -> bool {
    place.join(".git").exists() || (place.join("objects").is_dir() && place.join("HEAD").is_file())
}

/// The tree of a revision, in a repository that has it.
struct Found<'place> {
    place: &'place Path,
    source: Repository,
    tree: Oid,
}

impl<'place> Found<'place> {
    fn open(place: &'place Path, revision: &str) -> Result<Self, CheckoutError> {
        let unknown = || CheckoutError::Revision { place: place.to_owned(), revision: revision.to_owned() };
        let source = opened(place).map_err(|error| unreadable(place, &error))?;
        let found = source.revparse_single(revision).and_then(|found| found.peel_to_tree());
        let tree = found.map(|tree| tree.id()).map_err(|_| unknown())?;
        Ok(Self { place, source, tree })
    }

    fn write(&self, folder: &Path) -> Result<(), CheckoutError> {
        self.write_tree(self.tree, folder)
    }

    fn write_tree(&self, tree: Oid, folder: &Path) -> Result<(), CheckoutError> {
        let git = |error: git2::Error| unreadable(self.place, &error);
        for entry in &self.source.find_tree(tree).map_err(git)? {
            // Names that no file has, in objects that somebody made by hand.
            let Ok(name) = entry.name() else { continue };
            if name.is_empty() || name.contains('/') || matches!(name, "." | ".." | ".git") {
                continue;
            }
            let path = folder.join(name);
            let disk = |error: std::io::Error| CheckoutError::Disk {
                path: path.clone(),
                message: error.to_string(),
            };
            match entry.kind() {
                Some(ObjectType::Tree) => {
                    fs::create_dir(&path).map_err(disk)?;
                    self.write_tree(entry.id(), &path)?;
                }
                Some(ObjectType::Blob) => {
                    let blob = self.source.find_blob(entry.id()).map_err(git)?;
                    write_file(&path, blob.content(), entry.filemode()).map_err(disk)?;
                }
                // A submodule is a commit of another repository.
                Some(_) | None => {}
            }
        }
        Ok(())
    }
}

/// The bits of a file's mode by which git tells links and programs.
const LINK: i32 = 0o120_000;
const PROGRAM: i32 = 0o111;

fn write_file(path: &Path, content: &[u8], mode: i32) -> std::io::Result<()> {
    if mode == LINK {
        return symlink(&*String::from_utf8_lossy(content), path);
    }
    fs::File::create_new(path)?.write_all(content)?;
    if mode & PROGRAM != 0 {
        fs::set_permissions(path, fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}

fn unreadable(place: &Path, error: &git2::Error) -> CheckoutError {
    CheckoutError::Unreadable { place: place.to_owned(), message: error.message().to_owned() }
}

/// A repository for reading its objects. As a bare one, it may belong to another user, as mirrors do: nothing that it configures is run.
fn opened(place: &Path) -> Result<Repository, git2::Error> {
    let inner = place.join(".git");
    if inner.is_file() {
        // The folder of a worktree or a submodule, which leads elsewhere.
        return Repository::open(place);
    }
    Repository::open_bare(if inner.is_dir() { &inner } else { place })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;
    use crate::fixture::{commit, repository};

    fn export(repository: &Path, revision: &str, folder: &Path) -> Result<(), CheckoutError> {
        export_first("a", vec![repository.to_owned()], "", revision, folder)
    }

    #[test]
    fn a_revision_is_exported_without_its_history() {
        let (folder, repository) = repository();
        let first = commit(&repository, &[("src/a.txt", b"1\r\ncaf\xe9\n"), ("run.sh", b"#!/bin/sh\n")]);
        let second = commit(&repository, &[("src/a.txt", b"2\n")]);
        let out = tempfile::tempdir().unwrap();
        export(folder.path(), &first[..12], out.path()).unwrap();
        assert_eq!(fs::read(out.path().join("src/a.txt")).unwrap(), b"1\r\ncaf\xe9\n");
        assert!(!out.path().join(".git").exists());
        let out = tempfile::tempdir().unwrap();
        export(folder.path(), &second, out.path()).unwrap();
        assert_eq!(fs::read(out.path().join("src/a.txt")).unwrap(), b"2\n");
        // What stands in the way, such as a link, is never written through.
        let again = export(folder.path(), &second, out.path()).unwrap_err();
        assert!(matches!(again, CheckoutError::Disk { .. }), "{again}");
    }

    #[test]
    fn the_first_repository_that_has_the_revision_is_taken() {
        let (old, _) = repository();
        let (folder, repository) = repository();
        let revision = commit(&repository, &[("a.txt", b"1\n")]);
        let damaged = tempfile::tempdir().unwrap();
        fs::write(damaged.path().join(".git"), "gitdir: /nowhere/at/all").unwrap();
        let places =
            || [damaged.path(), old.path(), Path::new("/x"), folder.path()].map(Path::to_owned).to_vec();
        let out = tempfile::tempdir().unwrap();
        export_first("a", places(), "", &revision, out.path()).unwrap();
        assert_eq!(fs::read(out.path().join("a.txt")).unwrap(), b"1\n");

        let unknown = "0123456789abcdef";
        let none = export_first("a", places()[1..].to_vec(), "", unknown, out.path()).unwrap_err();
        assert_eq!(
            none,
            CheckoutError::Revision { place: old.path().to_owned(), revision: unknown.to_owned() }
        );
        let none = export_first("a", vec!["/x".into()], "clone it", unknown, out.path()).unwrap_err();
        assert_eq!(none.hint().unwrap(), "clone it");
    }

    #[test]
    fn what_is_missing_is_named_with_the_places() {
        let (folder, _repository) = repository();
        let out = tempfile::tempdir().unwrap();
        let unknown = export(folder.path(), "0123456789abcdef", out.path()).unwrap_err();
        let (place, revision) = (folder.path().to_owned(), "0123456789abcdef".to_owned());
        let expect = CheckoutError::Revision { place, revision };
        assert_eq!((unknown.actor(), unknown), (Actor::Case, expect.clone()));

        let places = vec![out.path().join("a.git"), folder.path().to_owned()];
        let passed_over = export_first("a", places, "", "0123456789abcdef", out.path()).unwrap_err();
        assert_eq!(passed_over, expect);

        let mirrors = tempfile::tempdir().unwrap();
        for name in ["apache__shop.git", "bookshop.git", "ann/shop"] {
            Repository::init_bare(mirrors.path().join(name)).unwrap();
        }
        fs::create_dir(mirrors.path().join("shop")).unwrap();
        let found = repositories_named(mirrors.path(), &["Shop".to_owned()]);
        assert_eq!(found, [mirrors.path().join("apache__shop.git"), mirrors.path().join("ann/shop")]);

        let missing = export_first("a", vec!["/x/a.git".into()], "clone it", "1", out.path()).unwrap_err();
        assert_eq!(missing.to_string(), "there is no git repository of a: looked for `/x/a.git`");
        assert_eq!(missing.hint().unwrap(), "clone it");
        assert_eq!(missing.actor(), Actor::Case);
    }
}
