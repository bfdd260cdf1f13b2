//! What no attack may change, and what no attack may learn.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::kit::write;

/// Stands in a file of the canary, and in no source.
pub const SECRET: &str = "canary-of-the-file-5f2c";
/// Stands in the environment of the program, and in no source.
const TOKEN: &str = "canary-of-the-token-91ab";

/// A tree outside of all lanes.
pub struct Canary {
    root: PathBuf,
    before: BTreeMap<PathBuf, String>,
}

impl Canary {
    /// Fills a folder with files of the names that a lane has too.
    pub fn make(root: &Path) {
        for name in
            ["secret.txt", "000.txt", "results.jsonl", "coverage.jsonl", "classes/a.class", "till/sum.py"]
        {
            write(&root.join(name), format!("{SECRET}\n").as_bytes());
        }
    }

    /// Notes how it is.
    pub fn of(root: &Path) -> Self {
        Self { root: root.to_owned(), before: look(root) }
    }

    /// The program's environment gets a secret of its own.
    pub fn variable() -> (&'static str, &'static str) {
        ("FAKE_TOKEN", TOKEN)
    }

    /// What differs from how it was: contents, rights, times, names.
    pub fn harm(&self) -> Option<String> {
        let now = look(&self.root);
        let differs = |path: &&PathBuf| self.before.get(*path) != now.get(*path);
        let path = self.before.keys().chain(now.keys()).find(differs)?;
        let of = |tree: &BTreeMap<PathBuf, String>| tree.get(path).cloned().unwrap_or_default();
        Some(format!("{}: {:?} became {:?}", path.display(), of(&self.before), of(&now)))
    }

    /// The secret that a text tells.
    pub fn leak(text: &str) -> Option<&'static str> {
        [SECRET, TOKEN].into_iter().find(|secret| text.contains(secret))
    }
}

fn look(root: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut open = vec![root.to_owned()];
    while let Some(path) = open.pop() {
        let meta = fs::symlink_metadata(&path).unwrap();
        let state = (meta.mode(), meta.uid(), meta.mtime_nsec(), meta.ctime(), meta.ctime_nsec(), meta.ino());
        let content = if meta.is_dir() {
            open.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            Vec::new()
        } else if meta.is_file() {
            fs::read(&path).unwrap()
        } else {
            Vec::new()
        };
        found.insert(path, format!("{state:?} {}", String::from_utf8_lossy(&content)));
    }
    found
}
