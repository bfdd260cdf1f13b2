//! The files that a test tool takes for tests by itself.

use globset::{Glob, GlobSet, GlobSetBuilder};

/// Where tests are looked for, and by which names of files.
#[derive(Clone, Debug)]
pub struct TestPaths {
    /// Folders, files or globs; all files where there is none.
    places: GlobSet,
    /// The same as they are written: a file among them is taken whatever its name.
    entries: Vec<String>,
    /// Names of files; all where there is none.
    files: FileNames,
}

impl TestPaths {
    /// What is no glob holds nothing, as it does for pytest.
    pub(super) fn of(entries: &[String], files: FileNames) -> Self {
        let plain = |entry: &String| match entry.trim_start_matches("./").trim_end_matches('/') {
            "" | "." => "**".to_owned(),
            entry => entry.to_owned(),
        };
        let entries: Vec<String> = entries.iter().map(plain).collect();
        let mut globs = GlobSetBuilder::new();
        for entry in &entries {
            add(&mut globs, &[entry.clone(), format!("{entry}/**")]);
        }
        Self { places: globs.build().unwrap_or_default(), entries, files }
    }

    /// Whether tests are looked for at a path relative to the project, if its name is that of a file of tests.
    pub fn hold(&self, path: &str) -> bool {
        self.places.is_empty() || self.places.is_match(path)
    }

    /// Whether the test tool takes a file for one of tests by itself, by its path relative to the project.
    pub fn take(&self, path: &str) -> bool {
        let is_named = || self.entries.iter().any(|entry| entry == path);
        self.hold(path) && (self.files.are_all() || self.files.name(path) || is_named())
    }
}

/// The names of files that hold tests, as pytest reads them: a glob without a slash is one of the name, another one of the end of the path.
#[derive(Clone, Debug, Default)]
pub(crate) struct FileNames {
    names: GlobSet,
    paths: GlobSet,
}

impl FileNames {
    pub(crate) fn of(globs: &[String]) -> Self {
        let (mut names, mut paths) = (GlobSetBuilder::new(), GlobSetBuilder::new());
        for glob in globs {
            if glob.contains('/') {
                add(&mut paths, &[glob.clone(), format!("**/{glob}")]);
            } else {
                add(&mut names, std::slice::from_ref(glob));
            }
        }
        let built = |globs: GlobSetBuilder| globs.build().unwrap_or_default();
        Self { names: built(names), paths: built(paths) }
    }

    fn are_all(&self) -> bool {
        self.names.is_empty() && self.paths.is_empty()
    }

    /// Whether a file has one of the names.
    pub(crate) fn name(&self, path: &str) -> bool {
        self.names.is_match(path.rsplit('/').next().unwrap_or(path)) || self.paths.is_match(path)
    }
}

fn add(globs: &mut GlobSetBuilder, texts: &[String]) {
    for glob in texts.iter().filter_map(|text| Glob::new(text).ok()) {
        globs.add(glob);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_files_and_globs_hold_files() {
        let check = |entries: &[&str], path: &str, expect: bool| {
            let entries: Vec<String> = entries.iter().map(|entry| (*entry).to_owned()).collect();
            assert_eq!(
                TestPaths::of(&entries, FileNames::default()).take(path),
                expect,
                "{entries:?} {path}"
            );
        };
        check(&[], "smoke/test_a.py", true);
        check(&["."], "smoke/test_a.py", true);
        check(&["t/unit/"], "t/unit/app/test_a.py", true);
        check(&["t/unit/"], "t/smoke/test_a.py", false);
        check(&["t/unit"], "t/unittest/test_a.py", false);
        check(&["./tests", "docs/test_a.py"], "docs/test_a.py", true);
        check(&["packages/*/tests"], "packages/shop/tests/test_a.py", true);
        check(&["packages/*/tests"], "packages/shop/test_a.py", false);
    }

    #[test]
    fn names_tell_files_of_tests() {
        let check = |names: &[&str], path: &str, expect: bool| {
            let entries = ["tests", "tests/scripts/all.py"].map(str::to_owned);
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            let paths = TestPaths::of(&entries, FileNames::of(&names));
            assert_eq!(paths.take(path), expect, "{names:?} {path}");
        };
        let usual = ["test_*.py", "*_test.py"];
        check(&usual, "tests/test_a.py", true);
        check(&usual, "tests/shop/a_test.py", true);
        check(&usual, "tests/scripts/simple.py", false);
        check(&usual, "tests/scripts/all.py", true);
        // A folder with such a name is none of its files'.
        check(&usual, "tests/test_scripts/simple.py", false);
        check(&usual, "tests/test_scripts/test_simple.py", true);
        check(&usual, "smoke/test_a.py", false);
        check(&["test_*/__init__.py"], "tests/test_shop/__init__.py", true);
        check(&["test_*/__init__.py"], "tests/shop/__init__.py", false);
    }
}
