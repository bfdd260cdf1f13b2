//! Copies of projects that hold nothing of the truth.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use globset::{Glob, GlobSet, GlobSetBuilder};
use patchwright_testbed::ours;

use crate::suite::PrepareError;

/// Folders that tell of other revisions or of earlier sessions.
const SKIPPED: &[&str] = &[".git", ".hg", ".svn", ".patchwright"];
/// How a project wants to be repaired when nothing else is said: a run says all of it.
const SETTINGS: &str = "patchwright.toml";

/// Copies a project. Version control, recorded sessions, the project's settings and what these hide are left out, and so are the
/// files `left_out`, as absolute paths without links. Links are kept when they lead to something inside.
///
/// # Errors
/// A file cannot be read or written.
pub(crate) fn copy(from: &Path, to: &Path, left_out: &[PathBuf]) -> Result<(), PrepareError> {
    let wrong = |(path, error): (PathBuf, io::Error)| {
        PrepareError::Infrastructure(format!("`{}`: {error}", path.display()))
    };
    let root = from.canonicalize().map_err(|error| wrong((from.to_owned(), error)))?;
    let left_out = left_out.iter().filter_map(|path| path.canonicalize().ok()).collect();
    let target = to.canonicalize().unwrap_or_else(|_| to.to_owned());
    let copy = Copy { hidden: hidden(&root), left_out, root, target };
    copy.folder(Path::new(""), to).map_err(wrong)
}

struct Copy {
    root: PathBuf,
    hidden: GlobSet,
    left_out: BTreeSet<PathBuf>,
    /// Where the copy is made: a folder of the project that holds it is no part of the project.
    target: PathBuf,
}

type Fault = (PathBuf, io::Error);

impl Copy {
    fn folder(&self, relative: &Path, to: &Path) -> Result<(), Fault> {
        let from = self.root.join(relative);
        let at = |path: &Path| {
            let path = path.to_owned();
            move |error| (path, error)
        };
        fs::create_dir_all(to).map_err(at(to))?;
        for entry in fs::read_dir(&from).map_err(at(&from))? {
            let entry = entry.map_err(at(&from))?;
            let (path, inside, target) =
                (entry.path(), relative.join(entry.file_name()), to.join(entry.file_name()));
            let kind = entry.file_type().map_err(at(&path))?;
            if self.is_left_out(&inside, &path) || kind.is_dir() && is_run(&path) {
                continue;
            }
            if kind.is_dir() {
                self.folder(&inside, &target)?;
            } else if kind.is_symlink() {
                let leads_inside = path.canonicalize().is_ok_and(|real| real.starts_with(&self.root));
                if let Some(link) =
                    fs::read_link(&path).ok().filter(|link| leads_inside && link.is_relative())
                {
                    symlink(link, &target).map_err(at(&target))?;
                }
            } else if kind.is_file() && !is_ours(&path).map_err(at(&path))? {
                fs::copy(&path, &target).map_err(at(&target))?;
            }
        }
        Ok(())
    }

    fn is_left_out(&self, relative: &Path, path: &Path) -> bool {
        let name = relative.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        SKIPPED.contains(&name)
            || relative == Path::new(SETTINGS)
            || self.hidden.is_match(relative)
            || path
                .canonicalize()
                .is_ok_and(|real| self.left_out.contains(&real) || self.target.starts_with(&real))
    }
}

/// Whether a folder is that of a batch run, which holds patches and may hold developers' fixes.
fn is_run(folder: &Path) -> bool {
    is_ours(&folder.join(ours::RUN)).unwrap_or_default()
}

/// What the project's settings hide from sessions. Settings that cannot be read hide nothing; no session reads them either.
fn hidden(root: &Path) -> GlobSet {
    let text = fs::read_to_string(root.join(SETTINGS)).unwrap_or_default();
    let table: toml::Table = toml::from_str(&text).unwrap_or_default();
    let globs = table.get("hidden").and_then(toml::Value::as_array).into_iter().flatten();
    let mut set = GlobSetBuilder::new();
    for glob in globs.filter_map(toml::Value::as_str) {
        if let Ok(glob) = Glob::new(glob.trim_end_matches('/').trim_start_matches("./")) {
            set.add(glob);
        }
    }
    set.build().unwrap_or_else(|_| GlobSet::empty())
}

/// Whether Patchwright wrote a file.
fn is_ours(path: &Path) -> io::Result<bool> {
    Ok(ours::is_marked(&ours::head(fs::File::open(path)?, ours::HEAD)?))
}

/// All files below a folder, as paths relative to it, sorted; links are not followed.
pub(crate) fn files_below(root: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => open.push(entry.path()),
                Ok(kind) if kind.is_file() => {
                    files.extend(entry.path().strip_prefix(root).ok().map(Path::to_owned));
                }
                Ok(_) | Err(_) => {}
            }
        }
    }
    files.sort();
    files
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_holds_the_project_and_nothing_that_tells() {
        let from = tempfile::tempdir().unwrap();
        let put = |path: &str, text: &str| {
            let path = from.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        put("src/a.py", "a");
        put("data/rows.jsonl", "{}");
        put("fix.patch", "the fix");
        put("notes/told.md", "the answer");
        put("old.jsonl", r#"{"format":"patchwright-trajectory","version":1}"#);
        put("patchwright.toml", "model = \"replay:old.jsonl\"\nhidden = [\"notes/\"]\n");
        put(".git/HEAD", "ref");
        put("sub/.patchwright/sessions/x", "x");
        symlink("a.py", from.path().join("src/b.py")).unwrap();
        symlink("/etc/hostname", from.path().join("src/c.py")).unwrap();
        let to = tempfile::tempdir().unwrap();
        copy(from.path(), to.path(), &[from.path().join("src/../fix.patch")]).unwrap();
        assert_eq!(files_below(to.path()), [PathBuf::from("data/rows.jsonl"), PathBuf::from("src/a.py")]);
        assert_eq!(fs::read_link(to.path().join("src/b.py")).unwrap(), PathBuf::from("a.py"));
        assert!(!to.path().join("src/c.py").exists());
        assert!(matches!(copy(&from.path().join("x"), to.path(), &[]), Err(PrepareError::Infrastructure(_))));
    }
}
