//! Fixes written to disk and taken back.

use std::fs;
use std::path::Path;

use super::{applied, change, folder};
use crate::{FileChange, ProjectWriteError};

/// All files below a folder with their content.
fn tree(root: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in ignore::WalkBuilder::new(root).standard_filters(false).build() {
        let path = entry.unwrap().into_path();
        if path != root {
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            found.push((name, if path.is_dir() { Vec::new() } else { fs::read(path).unwrap() }));
        }
    }
    found.sort();
    found
}

#[test]
fn files_are_changed_created_and_deleted_and_put_back() {
    let root = folder(&[("a.txt", b"a\n"), ("d/e/gone.txt", b"x\n")]);
    let before = tree(root.path());
    let fix = applied(vec![
        change("a.txt", Some(b"a\n"), Some(b"b\n")),
        change("d/e/gone.txt", Some(b"x\n"), None),
        change("n/o/new.txt", None, Some(b"n\n")),
    ]);
    fix.write_to(root.path(), "").unwrap();
    let written = [("a.txt", "b\n"), ("n", ""), ("n/o", ""), ("n/o/new.txt", "n\n")];
    assert_eq!(tree(root.path()), written.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec())));
    fix.revert(root.path()).unwrap();
    assert_eq!(tree(root.path()), before);
}

#[cfg(unix)]
#[test]
fn permissions_are_kept_and_links_are_not_written_through() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let root = folder(&[("run.sh", b"a\n"), ("real/b.txt", b"b\n")]);
    fs::set_permissions(root.path().join("run.sh"), fs::Permissions::from_mode(0o750)).unwrap();
    symlink("run.sh", root.path().join("link.sh")).unwrap();
    symlink("real", root.path().join("folder")).unwrap();
    applied(vec![change("run.sh", Some(b"a\n"), Some(b"b\n"))]).write_to(root.path(), "").unwrap();
    let mode = fs::metadata(root.path().join("run.sh")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o750);
    for (path, content) in [("link.sh", b"b\n"), ("folder/b.txt", b"b\n")] {
        let error =
            applied(vec![change(path, Some(content), Some(b"c\n"))]).write_to(root.path(), "").unwrap_err();
        assert!(matches!(error, ProjectWriteError::Link { .. }), "{path}: {error}");
    }
    // The folder itself may be reached through a link.
    let elsewhere = tempfile::tempdir().unwrap();
    symlink(root.path(), elsewhere.path().join("here")).unwrap();
    applied(vec![change("run.sh", Some(b"b\n"), Some(b"c\n"))])
        .write_to(&elsewhere.path().join("here"), "")
        .unwrap();
    assert_eq!(fs::read(root.path().join("run.sh")).unwrap(), b"c\n");
}

#[test]
fn files_that_changed_meanwhile_are_left_alone() {
    let root = folder(&[("a.txt", b"a\n"), ("b.txt", b"other\n")]);
    let before = tree(root.path());
    let check = |second: FileChange| {
        let path = second.path.to_string();
        let first = change("a.txt", Some(b"a\n"), Some(b"A\n"));
        let error = applied(vec![first, second]).write_to(root.path(), "").unwrap_err();
        assert_eq!(error.to_string(), format!("`{path}` is not what it was when the fix was worked out"));
        assert_eq!(tree(root.path()), before);
    };
    check(change("b.txt", Some(b"b\n"), Some(b"B\n")));
    check(change("b.txt", None, Some(b"B\n")));
    check(change("gone/c.txt", Some(b"c\n"), Some(b"C\n")));
}
