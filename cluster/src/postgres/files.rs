//! The files of a part's folder.

use std::fs;
use std::io;
use std::path::{Component, Path};

/// Neither of these means anything elsewhere.
const LOCAL: [&str; 2] = ["lock", "work"];
/// Folders within one another that are looked into.
const DEEPEST: usize = 8;

/// The paths of the regular files that mean something elsewhere, relative to the folder, in their order; no link is followed.
pub(super) fn list(folder: &Path) -> io::Result<Vec<String>> {
    let mut paths = Vec::new();
    list_below(folder, "", DEEPEST, &mut paths)?;
    Ok(paths)
}

fn list_below(root: &Path, below: &str, deepest: usize, paths: &mut Vec<String>) -> io::Result<()> {
    let mut entries: Vec<fs::DirEntry> = fs::read_dir(root.join(below))?.collect::<io::Result<_>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        // Our own files have names that are text.
        let Ok(name) = entry.file_name().into_string() else { continue };
        if below.is_empty() && LOCAL.contains(&name.as_str()) || name.starts_with('.') {
            continue;
        }
        let path = if below.is_empty() { name } else { format!("{below}/{name}") };
        let kind = entry.file_type()?;
        if kind.is_file() {
            paths.push(path);
        } else if kind.is_dir() && deepest > 0 {
            list_below(root, &path, deepest - 1, paths)?;
        }
    }
    Ok(())
}

/// Writes a file, and the folders that it lies in.
pub(super) fn write(file: &Path, content: &[u8]) -> io::Result<()> {
    if let Some(above) = file.parent() {
        fs::create_dir_all(above)?;
    }
    fs::write(file, content)
}

/// Puts a folder in the place of another, which another process may do at the same time.
pub(super) fn replace(new: &Path, folder: &Path) -> io::Result<()> {
    loop {
        match fs::rename(new, folder) {
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {
                match fs::remove_dir_all(folder) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                    _ => {}
                }
            }
            renamed => return renamed,
        }
    }
}

/// Whether a path leads to a place in the folder that it is relative to.
pub(super) fn is_inside(path: &str) -> bool {
    let path = Path::new(path);
    let mut components = path.components();
    path.file_name().is_some() && components.all(|component| matches!(component, Component::Normal(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_leads_nowhere_else() {
        assert!(is_inside("cases/a/attempt-1/patch.diff"));
        for path in ["../a", "/etc/passwd", "a/../../b", "", ".", "a/.."] {
            assert!(!is_inside(path), "{path}");
        }
    }
}
