//! The lines that a patch touches, compared with those of the developer's fix.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use patchwright_edits::diff::{Change, Hunk, Patch};
use patchwright_syntax::{Language, Outline, Source, outline};
use serde::{Deserialize, Serialize};

use super::event::FixCoverage;
use super::files;

/// The lines that a unified diff touches, by file, as numbers in the file before the patch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TouchedLines {
    /// Files with their lines; an insertion touches the line that it stands behind (0 at the beginning of a file).
    pub files: BTreeMap<String, BTreeSet<u32>>,
    /// Lines taken out.
    pub removed: usize,
    /// Lines put in.
    pub added: usize,
}

/// The size of a patch: the rows of the paper's Table IV.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// One line is changed, put in or taken out.
    SingleLine,
    /// Several lines of one file.
    MultiLine,
    /// Several files.
    MultiFile,
}

impl Shape {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::SingleLine, Self::MultiLine, Self::MultiFile];

    /// Its word for people.
    pub fn word(self) -> &'static str {
        match self {
            Self::SingleLine => "single-line",
            Self::MultiLine => "multi-line",
            Self::MultiFile => "multi-file",
        }
    }
}

impl TouchedLines {
    /// The lines that a unified diff touches, plain or of git. What is no diff is skipped.
    pub fn by(diff: &str) -> Self {
        let mut touched = Self::default();
        for file in Patch::readable(diff.as_bytes()).files.iter().filter(|file| !file.hunks.is_empty()) {
            let Some(path) = file.old_path().or(file.new_path()) else { continue };
            let lines = touched.files.entry(path.to_owned()).or_default();
            for Change { old_line, removed, added } in file.hunks.iter().flat_map(Hunk::changes) {
                // A replacement is where the replaced lines are.
                let first = if removed.is_empty() { old_line.saturating_sub(1) } else { old_line };
                lines.extend((first..).take(removed.len().max(1)));
                touched.removed += removed.len();
                touched.added += added.len();
            }
        }
        touched
    }

    /// Its size; none where it touches nothing.
    pub fn shape(&self) -> Option<Shape> {
        match (self.files.len(), self.removed.max(self.added)) {
            (0, _) | (_, 0) => None,
            (1, 1) => Some(Shape::SingleLine),
            (1, _) => Some(Shape::MultiLine),
            _ => Some(Shape::MultiFile),
        }
    }

    /// The innermost functions or classes around the touched lines, `path#Class.method`; `path#` outside of all.
    fn elements(&self, root: &Path) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        for (path, lines) in &self.files {
            let outline = outlined(root, path);
            for line in lines {
                let name = outline.as_ref().and_then(|outline| around(outline, *line)).unwrap_or_default();
                found.insert(format!("{path}#{name}"));
            }
        }
        found
    }
}

fn outlined(root: &Path, path: &str) -> Option<Outline> {
    // A patch may name anything; only files of the project are read.
    let path = Path::new(path);
    if !path.components().all(|part| matches!(part, std::path::Component::Normal(_))) {
        return None;
    }
    let language = Language::of_path(path)?;
    let source = Source::decode(files::read(&root.join(path)).ok()?)?;
    Some(outline(language, &source))
}

fn around(outline: &Outline, line: u32) -> Option<String> {
    let method = outline.method_at(line).map(|method| method.qualified.clone());
    method.or_else(|| outline.class_at(line).map(|class| class.qualified.clone()))
}

impl FixCoverage {
    /// Compares a patch with the developer's; `root` holds the project before both.
    pub fn of(root: &Path, golden: &str, patch: &str) -> Self {
        let (golden, patch) = (TouchedLines::by(golden), TouchedLines::by(patch));
        let lines = |path: &String| patch.files.get(path);
        Self {
            files: golden.files.keys().all(|path| lines(path).is_some()),
            functions: patch.elements(root).is_superset(&golden.elements(root)),
            lines: golden
                .files
                .iter()
                .all(|(path, golden)| lines(path).is_some_and(|lines| lines.is_superset(golden))),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_touches_the_lines_it_removes_and_those_it_inserts_behind() {
        let check = |diff: &str, expect: &[(&str, &[u32])], shape: Option<Shape>| {
            let touched = TouchedLines::by(diff);
            let expect =
                expect.iter().map(|(path, lines)| ((*path).to_owned(), lines.iter().copied().collect()));
            assert_eq!(touched.files, expect.collect(), "{diff}");
            assert_eq!(touched.shape(), shape, "{diff}");
        };
        let git = "diff --git a/m.py b/m.py\nindex 1..2 100644\n--- a/m.py\n+++ b/m.py\n";
        check(
            &format!("{git}@@ -3,3 +3,3 @@ def f\n a\n-b\n+c\n d\n"),
            &[("m.py", &[4])],
            Some(Shape::SingleLine),
        );
        check(&format!("{git}@@ -3,2 +3,3 @@\n a\n+c\n d\n"), &[("m.py", &[3])], Some(Shape::SingleLine));
        check(&format!("{git}@@ -7,0 +8,2 @@\n+c\n+d\n"), &[("m.py", &[7])], Some(Shape::MultiLine));
        check(&format!("{git}@@ -1,2 +1 @@\n--- x\n a\n"), &[("m.py", &[1])], Some(Shape::SingleLine));
        let other = "--- n.py\t2026-01-01\n+++ n.py\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n";
        let both = format!("{git}@@ -1 +1 @@\n-a\n+b\n{other}");
        check(&both, &[("m.py", &[1]), ("n.py", &[1])], Some(Shape::MultiFile));
        check(
            "--- /dev/null\n+++ b/new.py\n@@ -0,0 +1 @@\n+b\n",
            &[("new.py", &[0])],
            Some(Shape::SingleLine),
        );
        check("no diff\n", &[], None);
        check(&format!("{git}@@ -1,9 +1,9 @@\n-a"), &[("m.py", &[1])], Some(Shape::SingleLine));
    }

    #[test]
    fn a_patch_is_compared_by_file_function_and_line() {
        let root = tempfile::tempdir().unwrap();
        std::fs::write(
            root.path().join("m.py"),
            "def f():\n    a = 1\n    return a\n\n\ndef g():\n    return 2\n",
        )
        .unwrap();
        let change =
            |path: &str, line: u32| format!("--- a/{path}\n+++ b/{path}\n@@ -{line} +{line} @@\n-a\n+b\n");
        let check = |patch: &str, files: bool, functions: bool, lines: bool| {
            let located = FixCoverage::of(root.path(), &change("m.py", 2), patch);
            assert_eq!(located, FixCoverage { files, functions, lines }, "{patch}");
        };
        check(&change("m.py", 2), true, true, true);
        check(&change("m.py", 3), true, true, false);
        check(&change("m.py", 7), true, false, false);
        check(&change("../n.py", 2), false, false, false);
        check(&(change("n.py", 2) + &change("m.py", 2)), true, true, true);
    }
}
