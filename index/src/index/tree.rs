//! The files of a project as indented text.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::fmt::Write as _;

use patchwright_syntax::{Language, ProjectPath, is_test, tokens_of_bytes};

/// Options of [`crate::Index::tree`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeOptions {
    /// Files, and folders with all below, that are shown; all if there are none.
    pub only: Vec<String>,
    /// Files, and folders with all below, that are not.
    pub without: Vec<String>,
    /// Is true if files of unknown languages are shown.
    pub other_files: bool,
    /// Is true if test code is shown.
    pub tests: bool,
    /// The most tokens that the text has, as it is estimated: the folders near the root come first, small ones before
    /// large ones.
    pub max_tokens: usize,
}

impl Default for TreeOptions {
    /// All files, in at most 32,000 tokens.
    fn default() -> Self {
        Self { only: Vec::new(), without: Vec::new(), other_files: true, tests: true, max_tokens: 32_000 }
    }
}

impl TreeOptions {
    fn shows(&self, path: &ProjectPath) -> bool {
        let language = Language::of_path(path.as_path());
        let wanted = match language {
            Some(language) => self.tests || !is_test(language, path),
            None => self.other_files,
        };
        let under = |folders: &[String]| {
            folders.iter().any(|folder| path.as_path().starts_with(folder.trim_start_matches("./")))
        };
        wanted && (self.only.is_empty() || under(&self.only)) && !under(&self.without)
    }
}

/// A folder of the tree; its place in the list is its number.
#[derive(Default)]
struct Folder<'p> {
    name: &'p str,
    depth: usize,
    folders: BTreeMap<&'p str, usize>,
    files: Vec<&'p str>,
    /// All files below.
    count: usize,
    /// Those of known languages.
    sources: usize,
    open: bool,
}

impl Folder<'_> {
    /// The bytes of the lines that opening it adds, its own line aside.
    fn cost(&self, all: &[Self]) -> usize {
        let below = (self.depth) * INDENT;
        let files: usize = self.files.iter().map(|name| below + name.len() + 1).sum();
        let folders = self.folders.values().filter_map(|folder| all.get(*folder));
        files + folders.map(|folder| below + folder.name.len() + FOLDED).sum::<usize>()
    }
}

/// Blanks of a level.
const INDENT: usize = 4;

/// Bytes allowed for a folder's `/`, the note on what is left out, and the line's end.
const FOLDED: usize = 32;

/// See [`crate::Index::tree`].
pub(super) fn render(all: &[ProjectPath], options: &TreeOptions) -> String {
    let mut folders = vec![Folder { open: true, ..Folder::default() }];
    for path in all.iter().filter(|path| options.shows(path)) {
        let source = usize::from(Language::of_path(path.as_path()).is_some());
        let mut at = 0;
        let parts = path.folder().split('/').filter(|part| !part.is_empty());
        for (depth, part) in parts.enumerate() {
            count(&mut folders[at], source);
            let new = folders.len();
            at = *folders[at].folders.entry(part).or_insert(new);
            if at == new {
                folders.push(Folder { name: part, depth: depth + 1, ..Folder::default() });
            }
        }
        count(&mut folders[at], source);
        folders[at].files.push(path.file_name());
    }
    unfold(&mut folders, options.max_tokens);
    let mut text = String::new();
    write(&folders, 0, &mut text);
    text
}

fn count(folder: &mut Folder, source: usize) {
    folder.count += 1;
    folder.sources += source;
}

/// Opens folders as long as there is room: those with sources first, from the root down, the small ones first.
fn unfold(folders: &mut [Folder], max_tokens: usize) {
    let mut used = folders[0].cost(folders);
    let mut waiting = BinaryHeap::new();
    let mut opened = vec![0];
    while let Some(at) = opened.pop() {
        for next in folders[at].folders.values() {
            let folder = &folders[*next];
            let (cost, bare) = (folder.cost(folders), folder.sources == 0);
            waiting.push(Reverse((bare, folder.depth, cost, *next)));
        }
        while opened.is_empty()
            && let Some(Reverse((_, _, cost, next))) = waiting.pop()
        {
            if tokens_of_bytes(used + cost) <= max_tokens {
                used += cost;
                folders[next].open = true;
                opened.push(next);
            }
        }
    }
}

/// Writes what a folder holds. Folders nest as deep as a path has parts, which the operating system bounds.
fn write(folders: &[Folder], at: usize, text: &mut String) {
    let folder = &folders[at];
    let indent = folder.depth * INDENT;
    for (name, next) in &folder.folders {
        let inner = &folders[*next];
        if inner.open {
            let _ = writeln!(text, "{:indent$}{name}/", "");
            write(folders, *next, text);
        } else {
            let files = if inner.count == 1 { "file" } else { "files" };
            let _ = writeln!(text, "{:indent$}{name}/ ({} {files} left out)", "", inner.count);
        }
    }
    for name in &folder.files {
        let _ = writeln!(text, "{:indent$}{name}", "");
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    fn paths(names: &[&str]) -> Vec<ProjectPath> {
        let mut paths: Vec<ProjectPath> = names.iter().map(|name| ProjectPath::new(name).unwrap()).collect();
        paths.sort();
        paths
    }

    const NAMES: [&str; 7] = [
        "setup.py",
        "README.md",
        "pkg/a.py",
        "pkg/sub/b.py",
        "pkg/sub/c.txt",
        "docs/x.md",
        "tests/test_a.py",
    ];

    #[test]
    fn trees_are_indented_with_folders_first() {
        let check = |options: TreeOptions, expect: &str| assert_eq!(render(&paths(&NAMES), &options), expect);
        check(
            TreeOptions::default(),
            "docs/\n    x.md\npkg/\n    sub/\n        b.py\n        c.txt\n    a.py\ntests/\n    test_a.py\nREADME.md\nsetup.py\n",
        );
        check(
            TreeOptions { other_files: false, tests: false, ..TreeOptions::default() },
            "pkg/\n    sub/\n        b.py\n    a.py\nsetup.py\n",
        );
        check(
            TreeOptions {
                only: vec!["pkg/".to_owned(), "./setup.py".to_owned()],
                without: vec!["pkg/sub/".to_owned()],
                ..TreeOptions::default()
            },
            "pkg/\n    a.py\nsetup.py\n",
        );
        assert_eq!(render(&[], &TreeOptions::default()), "");
    }

    #[test]
    fn what_does_not_fit_is_folded_and_counted() {
        let mut names = vec!["a.py".to_owned(), "pkg/x.py".to_owned()];
        names.extend((0..500).map(|number| format!("data/file{number}.csv")));
        names.extend((0..500).map(|number| format!("pkg/big/module{number}.py")));
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let text = render(&paths(&names), &TreeOptions { max_tokens: 200, ..TreeOptions::default() });
        assert_eq!(text, "data/ (500 files left out)\npkg/\n    big/ (500 files left out)\n    x.py\na.py\n");
    }

    #[test]
    fn fifty_thousand_files_keep_within_the_cap() {
        let names: Vec<String> = (0..50_000)
            .map(|number| format!("pkg{}/part{}/module{number}.py", number % 40, number % 400))
            .collect();
        let mut all: Vec<ProjectPath> = names.iter().map(|name| ProjectPath::new(name).unwrap()).collect();
        all.sort();
        for max_tokens in [3000, 100_000] {
            let text = render(&all, &TreeOptions { max_tokens, ..TreeOptions::default() });
            let tokens = tokens_of_bytes(text.len());
            assert!(tokens <= max_tokens && tokens > max_tokens / 4, "{tokens} of {max_tokens}");
            let left_out = text
                .lines()
                .filter_map(|line| line.split_once(" (")?.1.split(' ').next()?.parse::<usize>().ok());
            let shown = text.lines().filter(|line| line.contains("module")).count();
            assert_eq!(shown + left_out.sum::<usize>(), 50_000);
        }
    }
}
