//! Paths in the lines before edits, as models write them.

use std::path::Path;

use patchwright_syntax::{Language, Project};

use super::fence::Fence;

/// Files that are known without an extension or a folder.
const PLAIN_NAMES: [&str; 28] = [
    "AUTHORS",
    "BUILD",
    "Brewfile",
    "CHANGELOG",
    "CHANGES",
    "CMakeLists.txt",
    "CODEOWNERS",
    "CONTRIBUTORS",
    "COPYING",
    "ChangeLog",
    "Containerfile",
    "Dockerfile",
    "Gemfile",
    "HISTORY",
    "INSTALL",
    "Jenkinsfile",
    "LICENSE",
    "Makefile",
    "NEWS",
    "NOTICE",
    "Pipfile",
    "Procfile",
    "README",
    "Rakefile",
    "THANKS",
    "TODO",
    "VERSION",
    "Vagrantfile",
];
/// Labels that may stand before a path and a colon.
const LABELS: [&str; 8] =
    ["file path", "filepath", "file name", "filename", "file", "path", "new file", "in file"];
/// Longest path.
const LONGEST: usize = 500;

/// The paths seen on the way through a text: which file does a block belong to?
#[derive(Debug, Default)]
pub(super) struct Paths<'p> {
    /// The project that the edits are for, if known: a word that names one of its files is a path.
    project: Option<&'p Project>,
    /// A path in the line right before, blank lines and fences aside.
    near: Option<String>,
    /// A path in a heading since the last block.
    heading: Option<String>,
    /// The path of the last block, and how many fences there were before it.
    before: Option<(String, u32)>,
    fences: u32,
}

/// The path of a block.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct BlockPath {
    pub path: String,
    /// Is true if it is the one of a block in another fence.
    pub of_other_fence: bool,
}

impl<'p> Paths<'p> {
    pub fn new(project: Option<&'p Project>) -> Self {
        Self { project, ..Self::default() }
    }

    /// A line that is not part of an edit.
    pub fn see(&mut self, line: &str) {
        if line.trim().is_empty() {
            return;
        }
        if let Some(fence) = Fence::of(line) {
            self.fences += 1;
            if let Some(path) = in_info(fence.info) {
                self.near = Some(path);
            }
            return;
        }
        let found = path_in(line).or_else(|| self.file_in(line)).or_else(|| mentioned(line));
        self.near = found.as_ref().map(|found| found.path.clone());
        if let Some(found) = found.filter(|found| found.heading) {
            self.heading = Some(found.path);
        }
    }

    /// The path in a line that consists of the name of a project file.
    fn file_in(&self, line: &str) -> Option<PathLine> {
        let Unwrapped { text, heading, .. } = unwrapped(line)?;
        let project = self.project.filter(|_| !text.contains(char::is_whitespace))?;
        let path = project.itself(text).ok()?;
        project.read(&path).ok().map(|_| PathLine { path: text.to_owned(), heading })
    }

    /// The path for a block that begins here.
    pub fn take(&mut self, own: Option<String>, given: Option<&str>) -> Option<BlockPath> {
        let (near, heading) = (self.near.take(), self.heading.take());
        let found = own.or(near).or(heading);
        let block = match (found, &self.before) {
            (Some(path), _) => BlockPath { path, of_other_fence: false },
            (None, Some((path, fences))) => {
                BlockPath { path: path.clone(), of_other_fence: *fences != self.fences }
            }
            (None, None) => BlockPath { path: given?.to_owned(), of_other_fence: false },
        };
        self.before = Some((block.path.clone(), self.fences));
        Some(block)
    }
}

/// A path that stands alone in a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PathLine {
    pub path: String,
    /// Is true if the line says that it is a path: a heading, a comment, bold, or `File:`.
    pub heading: bool,
}

/// The path that a line consists of.
pub(super) fn path_in(line: &str) -> Option<PathLine> {
    let Unwrapped { text, sure, heading } = unwrapped(line)?;
    is_path(text, sure).then(|| PathLine { path: text.to_owned(), heading })
}

/// The text of a line without the marks around it.
struct Unwrapped<'t> {
    text: &'t str,
    /// Whether the line marks its text as a path, by a label or by quotes.
    sure: bool,
    /// As in [`PathLine`].
    heading: bool,
}

fn unwrapped(line: &str) -> Option<Unwrapped<'_>> {
    let line = line.trim();
    if line.len() > LONGEST + 40 {
        return None;
    }
    let line = without_item_mark(line);
    let inner = comment(line).unwrap_or(line);
    let mut heading = inner.len() != line.len();
    let mut rest = without_item_mark(inner.trim());
    let mut sure = false;
    // Wrappers come in any order: **File: `x`**, `x`:, **`x`**:
    for _ in 0..4 {
        let trimmed = rest.trim().trim_end_matches(':').trim_end();
        let next = if let Some(bold) = wrapped(trimmed, "**").or_else(|| wrapped(trimmed, "__")) {
            heading = true;
            bold
        } else if let Some(quoted) = wrapped(trimmed, "`").or_else(|| wrapped(trimmed, "\"")) {
            sure = true;
            quoted
        } else if let Some(labelled) = without_label(trimmed) {
            (sure, heading) = (true, true);
            labelled
        } else {
            trimmed
        };
        if next.len() == rest.len() {
            break;
        }
        rest = next;
    }
    Some(Unwrapped { text: rest, sure, heading })
}

/// The only path that a line of prose quotes: "In `src/x.py`:". Names in code look like files, so the path must have a
/// folder or be of a language that is known.
fn mentioned(line: &str) -> Option<PathLine> {
    if line.len() > LONGEST {
        return None;
    }
    let is_file = |text: &&str| {
        let known = Language::of_path(Path::new(text)).is_some();
        is_path(text, false) && (known || text.contains('/') && has_extension(text))
    };
    let mut quoted = line.split('`').skip(1).step_by(2).filter(is_file);
    let path = quoted.next()?;
    let other = quoted.any(|other| other != path);
    (!other).then(|| PathLine { path: path.to_owned(), heading: line.trim_start().starts_with('#') })
}

/// The path in the info string of a fence: `python:src/x.py`, `python src/x.py`, `title="src/x.py"`, `src/x.py`.
pub(super) fn in_info(info: &str) -> Option<String> {
    info.split_whitespace().take(4).find_map(|word| {
        let word = word.trim_matches(['{', '}']);
        let value = word.split_once('=').map_or(word, |(_, value)| value);
        let value = value.trim_matches(['"', '\'', '`']);
        let behind = value.split_once(':').map(|(_, path)| path).filter(|path| is_path(path, false));
        behind.or_else(|| Some(value).filter(|path| is_path(path, false))).map(str::to_owned)
    })
}

/// The text of a comment or heading of one line.
fn comment(line: &str) -> Option<&str> {
    for (open, close) in [("<!--", "-->"), ("/*", "*/")] {
        if let Some(rest) = line.strip_prefix(open) {
            return Some(rest.trim_end_matches(close));
        }
    }
    if line.starts_with('#') {
        return Some(line.trim_matches('#'));
    }
    line.strip_prefix("//").or_else(|| line.strip_prefix("-- "))
}

/// A line without the mark of a list item: `- `, `* `, `1. `, `2) `.
fn without_item_mark(line: &str) -> &str {
    if let Some(rest) = line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")) {
        return rest.trim_start();
    }
    let rest = line.trim_start_matches(|sign: char| sign.is_ascii_digit());
    match rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") ")) {
        Some(rest) if !line.starts_with(['.', ')']) => rest.trim_start(),
        Some(_) | None => line,
    }
}

fn wrapped<'t>(text: &'t str, mark: &str) -> Option<&'t str> {
    let inner = text.strip_prefix(mark)?.strip_suffix(mark)?;
    (!inner.is_empty() && !inner.contains(mark)).then_some(inner)
}

fn without_label(text: &str) -> Option<&str> {
    let (label, rest) = text.split_once(':')?;
    let label = label.trim().trim_matches('*').to_ascii_lowercase();
    LABELS.contains(&label.as_str()).then(|| rest.trim_start_matches('*').trim_start())
}

/// Is true if a text is a path. `sure` is said of a text that stands where a path is said to stand.
fn is_path(text: &str, sure: bool) -> bool {
    let odd = |sign: char| {
        sign.is_control()
            || matches!(sign, '<' | '>' | '|' | '"' | '*' | '?' | ';' | '{' | '}' | '=' | ',' | '`')
    };
    let unlikely = |sign: char| sign.is_whitespace() || sign == '\'';
    if text.is_empty() || text.len() > LONGEST || text.contains(odd) || text.contains("://") {
        return false;
    }
    if text.ends_with(['.', '/']) || !text.contains(char::is_alphanumeric) {
        return false;
    }
    let name = text.rsplit('/').next().unwrap_or(text);
    let named = has_extension(name) || PLAIN_NAMES.contains(&name);
    let folder = text.contains('/');
    if text.contains(unlikely) {
        sure && named
    } else if text.contains(['(', ')']) {
        named && (sure || folder)
    } else {
        sure || named || folder
    }
}

/// Is true if a file name ends in an extension, or is all extension, such as `.gitignore`.
fn has_extension(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, extension)| {
        (1..=16).contains(&extension.len())
            && extension.chars().all(|sign| sign.is_alphanumeric() || matches!(sign, '_' | '-' | '+'))
            && extension.contains(char::is_alphabetic)
    })
}
