//! Copies of projects that hold nothing of the truth.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use patchwright_folder::Folder;
use patchwright_lanes::{CopyRules, LaneError, copy_project};
use patchwright_protocol::Failure;

use crate::suite::disk;

/// The project's settings for sessions of which nothing else is said: a run says all of it.
const SETTINGS: &str = "patchwright.toml";
/// The largest settings file that is read, in bytes.
const MOST_SETTINGS: u64 = 1 << 20;

/// Copies a project with all that was made of it. Version control, recorded sessions, the project's settings and what these hide are
/// left out, and so are the files `left_out`. Links are kept when they lead to something inside.
///
/// # Errors
/// A file cannot be read or written.
pub(crate) fn copy(
    from: &Path,
    to: &Path,
    left_out: &[PathBuf],
    cancelled: &AtomicBool,
) -> Result<(), Failure> {
    let copied = || -> Result<(), LaneError> {
        let (project, copy) = (Folder::open(from)?, Folder::open(to)?);
        let rules = CopyRules::new(&hidden(from))?.with_made().without(no_part_of(from, to, left_out));
        copy_project(&project, &copy, &rules, &|| cancelled.load(Ordering::Relaxed), None)?;
        Ok(())
    };
    fs::create_dir_all(to).map_err(|error| disk(to, &error))?;
    copied().map_err(Failure::environment)
}

/// The paths in a project of what is no part of it: what is to be left out, and the folder in which runs lie that make the copy.
fn no_part_of(project: &Path, copy: &Path, left_out: &[PathBuf]) -> Vec<PathBuf> {
    let root = project.canonicalize().unwrap_or_else(|_| project.to_owned());
    let inside = |path: &Path| path.canonicalize().ok()?.strip_prefix(&root).map(Path::to_owned).ok();
    let runs = inside(copy).and_then(|path| path.components().next().map(|first| first.as_os_str().into()));
    let left_out = left_out.iter().filter_map(|path| inside(path));
    left_out.chain(runs).chain([PathBuf::from(SETTINGS)]).collect()
}

/// The globs of files that the project's settings hide from sessions. Settings that cannot be read hide nothing; no session reads them either.
fn hidden(root: &Path) -> Vec<String> {
    let bytes = Folder::open(root).and_then(|folder| folder.read(SETTINGS, MOST_SETTINGS));
    let text = bytes.ok().and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default();
    let table: toml::Table = toml::from_str(&text).unwrap_or_default();
    let globs = table.get("hidden").and_then(toml::Value::as_array).into_iter().flatten();
    let globs = globs.filter_map(toml::Value::as_str).map(str::to_owned);
    globs.filter(|glob| CopyRules::new(std::slice::from_ref(glob)).is_ok()).collect()
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
    use patchwright_protocol::Actor;

    use std::os::unix::fs::symlink;

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
        copy(from.path(), to.path(), &[from.path().join("src/../fix.patch")], &AtomicBool::default())
            .unwrap();
        assert_eq!(files_below(to.path()), [PathBuf::from("data/rows.jsonl"), PathBuf::from("src/a.py")]);
        assert_eq!(fs::read_link(to.path().join("src/b.py")).unwrap(), PathBuf::from("a.py"));
        assert!(!to.path().join("src/c.py").exists());
        let missing = copy(&from.path().join("x"), to.path(), &[], &AtomicBool::default()).unwrap_err();
        assert_eq!(missing.actor, Actor::Environment);
    }
}
