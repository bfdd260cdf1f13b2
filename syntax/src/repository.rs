//! Git repositories that lie in a project under another name than `.git`.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

use patchwright_folder::{Folder, FolderError};

/// What every folder of git's holds, whatever its name is: a file, and two folders.
const OF_REPOSITORY: (&str, [&str; 2]) = ("HEAD", ["objects", "refs"]);
/// The file or link by which a folder says where its repository lies.
const GIT: &str = ".git";
/// The word before the path in that file.
pub const GIT_FILE: &str = "gitdir:";
/// The file by which a repository names another one, which holds its configuration and objects.
pub const COMMON: &str = "commondir";
/// Bytes of a file that holds a path.
const LONGEST_PATH_FILE: u64 = 8 * 1024;

/// Whether a folder is a git repository, by what it holds. Addresses and keys may stand there.
pub fn is_repository(folder: &Path) -> bool {
    let (file, folders) = OF_REPOSITORY;
    folder.join(file).symlink_metadata().is_ok() && folders.iter().all(|name| folder.join(name).is_dir())
}

/// The git repositories of a folder, whatever they are called: those that lie in it, and those that it names as its own.
pub struct Repositories {
    root: PathBuf,
    named: BTreeSet<PathBuf>,
}

impl Repositories {
    /// Those of a folder that is not one itself.
    pub fn of(folder: &Folder) -> Self {
        Self { root: folder.path().to_owned(), named: named_repositories(folder) }
    }

    /// Whether a path below the folder lies in one of them.
    pub fn hold(&self, path: &Path) -> bool {
        let mut folders = path.ancestors().filter(|folder| !folder.as_os_str().is_empty());
        folders.any(|folder| self.named.contains(folder) || is_repository(&self.root.join(folder)))
    }
}

/// The paths below a folder at which it says that its repository lies (`git init --separate-git-dir`), or what that shares with others, as
/// they are written and without links: no copy of a project may hold them.
pub fn named_repositories(folder: &Folder) -> BTreeSet<PathBuf> {
    let Ok(real) = folder.path().canonicalize() else { return BTreeSet::new() };
    let named = |folder: &Folder, name: &str, word: &str| {
        let path = path_in(folder, name, word).ok()??;
        Some(without_dots(&folder.path().join(path)))
    };
    let own = named(folder, GIT, GIT_FILE)
        .or_else(|| real.join(GIT).read_link().ok())
        .unwrap_or_else(|| GIT.into());
    let own = without_dots(&real.join(own));
    let common = own.canonicalize().ok().and_then(|own| named(&Folder::open(&own).ok()?, COMMON, ""));
    let places = [Some(own), common].into_iter().flatten();
    let places = places.flat_map(|place| [place.canonicalize().ok(), Some(place)]).flatten();
    let below = |place: PathBuf| {
        let below =
            [real.as_path(), folder.path()].into_iter().find_map(|top| place.strip_prefix(top).ok())?;
        // `.git` is private by its name.
        (!below.as_os_str().is_empty() && below != Path::new(GIT)).then(|| below.to_owned())
    };
    places.filter_map(below).collect()
}

/// The path in a file of git's that holds nothing else but a word before it; `None` where it holds something else.
///
/// # Errors
/// The file cannot be read, or is longer than any path.
pub fn path_in(folder: &Folder, name: &str, word: &str) -> Result<Option<PathBuf>, FolderError> {
    let bytes = folder.read(name, LONGEST_PATH_FILE)?;
    let text = bytes.strip_prefix(word.as_bytes()).map(<[u8]>::trim_ascii);
    let path = text.filter(|text| !text.is_empty() && !text.contains(&0));
    Ok(path.map(|path| PathBuf::from(OsStr::from_bytes(path))))
}

/// A path without `.` and `..`, by its names alone: links are not looked at.
pub fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            Component::Normal(_) | Component::RootDir | Component::Prefix(_) => plain.push(part),
        }
    }
    plain
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::fs::{create_dir, create_dir_all, write};
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn what_a_folder_says_of_its_repository_is_read_in_all_its_forms() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("project");
        create_dir_all(root.join("store/meta")).unwrap();
        create_dir_all(root.join("common")).unwrap();
        symlink("store/meta", root.join("meta")).unwrap();
        symlink(&root, folder.path().join("link")).unwrap();
        let inside = root.join("meta").display().to_string();
        let git = root.join(".git");
        let check = |expected: &[&str]| {
            for root in [&root, &folder.path().join("link")] {
                let named = named_repositories(&Folder::open(root).unwrap());
                assert_eq!(named, expected.iter().map(PathBuf::from).collect(), "{root:?}");
            }
        };
        let meta = &["meta", "store/meta"];
        for (named, expected) in [
            ("meta", &meta[..]),
            (" ./sub/../meta/", meta),
            (&inside, meta),
            ("../project/store/meta", &["store/meta"]),
            ("../meta", &[]),
            (".", &[]),
            ("/", &[]),
        ] {
            write(&git, format!("gitdir: {named}\n")).unwrap();
            check(expected);
        }
        std::fs::remove_file(&git).unwrap();
        symlink("meta", &git).unwrap();
        check(meta);
        write(root.join("meta/commondir"), "../../common\n").unwrap();
        check(&["common", "meta", "store/meta"]);
        std::fs::remove_file(&git).unwrap();
        create_dir(&git).unwrap();
        write(git.join(COMMON), "../common\n").unwrap();
        check(&["common"]);
        let repositories = Repositories::of(&Folder::open(&root).unwrap());
        assert!(repositories.hold(Path::new("common/hooks/pre-commit")));
        assert!(!repositories.hold(Path::new("commons/hooks/pre-commit")));
    }
}
