//! Paths inside a project, and what can be wrong with one.

use std::fmt;
use std::path::{Component, Path};

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A file of a project: relative to its root, `/` between the parts, no `.` or `..`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[serde(try_from = "String")]
pub struct ProjectPath(String);

/// The reason why a path that was asked for cannot be used. The message is meant for whoever asked, a model included.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PathError {
    /// Nothing was given.
    #[error("no file was named; give a path relative to the project's root")]
    Empty,
    /// The path leads out of the project.
    #[error("`{0}` is outside of the project; give a path relative to the project's root, without `..`")]
    Outside(String),
    /// A name in the path is longer than file systems take.
    #[error(
        "a name in this path has {0} bytes, and file systems take at most {LONGEST_NAME}; give a shorter one"
    )]
    TooLong(usize),
    /// The path is longer than programs can open, whatever stands above the project.
    #[error("this path has {0} bytes, of at most {LONGEST_PATH}; give a shorter one")]
    PathTooLong(usize),
    /// The path goes through a link of the project to another place in it.
    #[error("`{asked}` lies behind a link; the file itself is `{place}`")]
    BehindLink {
        /// As it was asked for.
        asked: String,
        /// The place that it leads to.
        place: ProjectPath,
    },
    /// The path is a folder.
    #[error("`{asked}` is a folder, not a file{}", listed("; files in it: ", .inside))]
    Folder {
        /// As it was asked for.
        asked: String,
        /// Some of the files below it.
        inside: Vec<ProjectPath>,
    },
    /// The path is not part of the source: version control or this program's own records.
    #[error("`{0}` is not part of the project's source")]
    Private(String),
    /// There is no such file.
    #[error("there is no file `{asked}` in the project{}", listed("; the nearest names are: ", .nearest))]
    NotFound {
        /// As it was asked for.
        asked: String,
        /// Files with similar names, best first.
        nearest: Vec<ProjectPath>,
    },
    /// Several files fit equally well.
    #[error("`{asked}` could be any of {} files; give more of the path{}", .places.len(), listed(": ", .places))]
    Ambiguous {
        /// As it was asked for.
        asked: String,
        /// The files that fit.
        places: Vec<ProjectPath>,
    },
    /// The files of the project could not be listed.
    #[error("the files of the project could not be listed: {0}")]
    Listing(String),
}

/// Folders of version control and of this program: no source, and not to be read.
pub const PRIVATE_FOLDERS: &[&str] =
    &[".git", ".hg", ".svn", ".jj", ".sl", ".bzr", "_darcs", ".pijul", ".patchwright"];

/// Bytes of the longest name of a file, on Linux and elsewhere.
const LONGEST_NAME: usize = 255;
/// Bytes of the longest path. Linux opens 4096, with the folders above the project.
const LONGEST_PATH: usize = 2048;

/// Paths shown in a message; a long list is cut with a count.
const SHOWN: usize = 8;

fn listed(lead: &str, paths: &[ProjectPath]) -> String {
    if paths.is_empty() {
        return String::new();
    }
    let shown: Vec<&str> = paths.iter().take(SHOWN).map(ProjectPath::as_str).collect();
    let more = paths.len() - shown.len();
    let rest = if more > 0 { format!(", and {more} more") } else { String::new() };
    format!("{lead}{}{rest}", shown.join(", "))
}

/// The name of `.git` on file systems that shorten names to eight letters.
const SHORT_GIT: &str = "git~1";

/// Whether HFS+ leaves a letter out when it compares names.
fn is_ignored_in_names(letter: char) -> bool {
    matches!(letter, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

impl TryFrom<String> for ProjectPath {
    type Error = PathError;

    fn try_from(text: String) -> Result<Self, PathError> {
        Self::new(&text)
    }
}

impl ProjectPath {
    /// Takes a relative path as written: `./` and `a/../` are resolved, a way out of the root is refused. Whether the
    /// file exists is not looked at; see [`crate::Project::resolve`] for that.
    pub fn new(text: &str) -> Result<Self, PathError> {
        if text.is_empty() {
            return Err(PathError::Empty);
        }
        let outside = || PathError::Outside(text.to_owned());
        let mut parts = Vec::new();
        for component in Path::new(text).components() {
            match component {
                Component::Normal(part) if part.len() > LONGEST_NAME => {
                    return Err(PathError::TooLong(part.len()));
                }
                Component::Normal(part) => parts.push(part.to_str().ok_or_else(outside)?),
                Component::CurDir => {}
                Component::ParentDir => {
                    parts.pop().ok_or_else(outside)?;
                }
                Component::RootDir | Component::Prefix(_) => return Err(outside()),
            }
        }
        let path = parts.join("/");
        match path.len() {
            0 => Err(PathError::Empty),
            length if length > LONGEST_PATH => Err(PathError::PathTooLong(length)),
            _ => Ok(Self(path)),
        }
    }

    /// Whether the path belongs to version control or to this program, under any name that some file system takes for the
    /// same: in capitals, with letters that are not seen, or shortened.
    pub fn is_private(&self) -> bool {
        self.parts().any(|part| {
            let seen = part.chars().filter(|letter| !is_ignored_in_names(*letter));
            let plain: String = seen.flat_map(char::to_lowercase).collect();
            let plain = plain.trim_end_matches(['.', ' ']);
            PRIVATE_FOLDERS.contains(&plain) || plain == SHORT_GIT
        })
    }

    /// The path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The path as a path, still relative to the root.
    pub fn as_path(&self) -> &Path {
        Path::new(&self.0)
    }

    /// The parts between the slashes.
    pub fn parts(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('/')
    }

    /// The last part.
    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// The folder that holds the file; empty for the root.
    pub fn folder(&self) -> &str {
        self.0.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// The path without the extension of its file name.
    pub fn without_extension(&self) -> &str {
        let name = self.file_name();
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem });
        &self.0[..self.0.len() - (name.len() - stem.len())]
    }
}

impl fmt::Display for ProjectPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl AsRef<Path> for ProjectPath {
    fn as_ref(&self) -> &Path {
        self.as_path()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_nothing_can_open_are_refused() {
        let deep = |parts: usize| ProjectPath::new(&vec!["a"; parts].join("/"));
        assert!(deep(LONGEST_PATH / 2).is_ok());
        assert_eq!(deep(LONGEST_PATH / 2 + 1), Err(PathError::PathTooLong(LONGEST_PATH + 1)));
        assert_eq!(
            ProjectPath::new(&"a".repeat(LONGEST_NAME + 1)),
            Err(PathError::TooLong(LONGEST_NAME + 1))
        );
    }
}
