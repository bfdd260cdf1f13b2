//! A survey of a project's folder.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use patchwright_folder::Folder;
use patchwright_lanes::MOST_BYTES;
use patchwright_syntax::{Language, Project, ProjectError, ProjectPath};

/// The bytes of a file, links followed; none of what is no regular file of a bearable size.
pub(crate) fn bytes_of(path: &Path) -> Vec<u8> {
    let real = path.canonicalize().unwrap_or_default();
    let (Some(folder), Some(name)) = (real.parent(), real.file_name()) else { return Vec::new() };
    Folder::open(folder).and_then(|folder| folder.read(name, MOST_BYTES)).unwrap_or_default()
}

/// The files of a project, as far as they matter for its build.
pub(crate) struct Survey {
    project: Project,
    files: BTreeSet<String>,
}

impl Survey {
    pub(crate) fn of(root: &Path) -> Result<Self, ProjectError> {
        let project = Project::open(root)?;
        let files = project.files()?.iter().map(ToString::to_string).collect();
        Ok(Self { project, files })
    }

    pub(crate) fn root(&self) -> &Path {
        self.project.root()
    }

    /// The files, sorted.
    pub(crate) fn files(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(String::as_str)
    }

    /// Is true if a file is there; hidden and ignored ones count too.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.files.contains(path) || self.root().join(path).is_file()
    }

    /// Is true if a folder is there.
    pub(crate) fn has_folder(&self, path: &str) -> bool {
        self.root().join(path).is_dir()
    }

    /// The text of a file; empty when it cannot be read as text.
    pub(crate) fn text(&self, path: &str) -> String {
        let source = ProjectPath::new(path).ok().and_then(|path| self.project.read(&path).ok());
        source.map_or_else(String::new, |source| source.text().to_owned())
    }

    /// Is true if a file is UTF-8.
    pub(crate) fn is_utf8(&self, path: &str) -> bool {
        std::str::from_utf8(&self.bytes(path)).is_ok()
    }

    /// The bytes of a file, links followed; none of what is no regular file of a bearable size.
    pub(crate) fn bytes(&self, path: &str) -> Vec<u8> {
        bytes_of(&self.root().join(path))
    }

    /// The files of a language, by its name, sorted.
    pub(crate) fn of_language(&self, language: &str) -> impl Iterator<Item = &str> {
        self.files().filter(move |path| {
            Language::of_path(Path::new(path)).is_some_and(|found| found.name() == language)
        })
    }

    pub(crate) fn count(&self, language: &str) -> usize {
        self.of_language(language).count()
    }

    /// Files with an extension, sorted; ignored ones count too, three folders deep. Libraries are often not kept in
    /// version control.
    pub(crate) fn with_extension(&self, extension: &str) -> Vec<String> {
        let mut found = BTreeSet::new();
        let mut open = vec![(self.root().to_owned(), 0)];
        while let Some((folder, depth)) = open.pop() {
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                let path = entry.path();
                let hidden = entry.file_name().to_string_lossy().starts_with('.');
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    if depth < 3 && !hidden {
                        open.push((path, depth + 1));
                    }
                } else if path.extension().is_some_and(|found| found == extension)
                    && path.is_file()
                    && let Some(relative) = path.strip_prefix(self.root()).ok().and_then(Path::to_str)
                {
                    found.insert(relative.to_owned());
                }
            }
        }
        found.into_iter().collect()
    }
}

/// The folders of some files that are named for tests, or the files themselves where there is no such folder.
pub(crate) fn test_places<'a>(files: impl Iterator<Item = &'a str>) -> Vec<String> {
    let places: BTreeSet<String> = files
        .map(|file| {
            let parts: Vec<&str> = file.split('/').collect();
            let folders = &parts[..parts.len() - 1];
            let is_of_tests = |part: &&str| matches!(part.trim_matches('_'), "test" | "tests" | "unittests");
            // Deeper it is a package that helps with testing.
            let is_of_tests =
                |place: &usize| is_of_tests(&folders[*place]) || *place == 0 && folders[0] == "testing";
            match (0..folders.len()).find(is_of_tests) {
                Some(index) => folders[..=index].join("/"),
                None => file.to_owned(),
            }
        })
        .collect();
    places.into_iter().collect()
}

/// The folder of a path; `.` for the root.
pub(crate) fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or(".", |(folder, _)| folder)
}
