//! The folders of sources and of tests of a revision that no list names.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::metadata::Row;
use crate::folder::files_below;
use crate::lines;
use patchwright_folder::{LONGEST_FILE, read_file};

/// The folder that holds the classes which the fix changes, and the one that holds the tests which show the bug; `None` where
/// there is not one of each.
pub(super) fn guess(row: &Row, triggers: &[String], folder: &Path) -> Option<(String, String)> {
    let files = files_below(folder);
    let changed = read_file(&row.modified_classes(), LONGEST_FILE).ok()?;
    let changed = lines::text(&changed);
    let tests = triggers.iter().map(|test| test.split("::").next().unwrap_or(test));
    Some((only_root(&files, changed.lines())?, only_root(&files, tests)?))
}

/// The folder below which the sources of all these classes stand, as far as they are found.
fn only_root<'name>(files: &[PathBuf], classes: impl Iterator<Item = &'name str>) -> Option<String> {
    let mut roots: BTreeSet<String> = BTreeSet::new();
    for class in classes.map(str::trim).filter(|class| !class.is_empty()) {
        let outer = class.split('$').next().unwrap_or(class);
        let source = format!("/{}.java", outer.replace('.', "/"));
        let root = |file: &PathBuf| file.to_str()?.strip_suffix(&source).map(str::to_owned);
        roots.extend(files.iter().filter_map(root));
    }
    roots.pop_first().filter(|_| roots.is_empty())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn a_root_is_guessed_where_there_is_one() {
        let files =
            ["src/java/a/B.java", "src/java/a/XB.java", "src/test/a/BTest.java", "old/test/a/BTest.java"];
        let files = files.map(PathBuf::from);
        let check = |classes: &[&str], expect: Option<&str>| {
            assert_eq!(only_root(&files, classes.iter().copied()).as_deref(), expect, "{classes:?}");
        };
        check(&["a.B"], Some("src/java"));
        check(&["a.B$Inner", "", "a.Gone", "a.XB"], Some("src/java"));
        check(&["a.BTest"], None);
        check(&["a.Gone"], None);
        check(&["a.B", "a.BTest"], None);
    }
}
