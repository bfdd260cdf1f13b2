//! Datasets: rows of SWE-bench, as they are or as the published variants with retrieved context have them.

use std::fs;
use std::path::Path;

use patchwright_edits::diff::{FilePatch, Patch};
use patchwright_suites::LoadError;
use patchwright_swe_bench::{Dataset, Row, TestLists, is_test};

use crate::parsers::LogParser;

/// The tags around the field `patch` of rows with retrieved context.
const TAGS: (&str, &str) = ("<patch>\n", "\n</patch>");

/// A benchmark of tests for issues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Benchmark {
    /// SWT-Bench (arXiv 2406.12952).
    Swt,
    /// TDD-Bench-Verified (arXiv 2412.02883).
    Tdd,
}

impl Benchmark {
    /// The benchmark that a word before a file names: `swt-bench`, `tdd-bench`.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "swt-bench" => Some(Self::Swt),
            "tdd-bench" => Some(Self::Tdd),
            _ => None,
        }
    }

    /// `swt-bench`, `tdd-bench`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Swt => "swt-bench",
            Self::Tdd => "tdd-bench",
        }
    }
}

/// Reads a dataset: `.json`, `.jsonl`, `.parquet`, or a folder with a split. Lists of required tests may be missing.
///
/// Rows with retrieved context have `<patch>` around their field `patch`. In those of SWE-bench it is the fix, in those of SWT-Bench the
/// golden tests, and the fix stands in `test_patch`: which it is, is seen by the files, and said as a warning.
///
/// # Errors
/// A file that cannot be read, and one of another benchmark: the message names the file and says what to give instead.
pub fn load(
    path: &Path,
    split: Option<&str>,
    benchmark: Benchmark,
) -> Result<(Dataset, Vec<String>), LoadError> {
    let loaded = Dataset::load_with(path, split.unwrap_or("test"), TestLists::Optional);
    let loaded = loaded.map_err(|error| foreign(path).unwrap_or(error))?;
    let mut warnings = loaded.warnings().to_vec();
    let (mut unwrapped, mut swapped) = (0, 0);
    let mut rows = Vec::new();
    for mut row in loaded.rows().iter().cloned() {
        unwrapped += usize::from(unwrap(&mut row));
        if is_swapped(&row) {
            std::mem::swap(&mut row.patch, &mut row.test_patch);
            swapped += 1;
        }
        rows.push(row);
    }
    if unwrapped > 0 {
        warnings.push(format!(
            "the field `patch` of {unwrapped} rows stands in tags `<patch>`, which are removed"
        ));
    }
    if swapped > 0 {
        warnings.push(format!(
            "in {swapped} rows the field `patch` holds tests and `test_patch` the fix, as in the published rows of SWT-Bench; \
             they are exchanged"
        ));
    }
    let wrong = |message: String| LoadError { place: path.display().to_string(), message };
    if let Some(row) = rows.iter().find(|row| LogParser::of_repository(&row.repo).is_none()) {
        let known = rows.iter().filter(|row| LogParser::of_repository(&row.repo).is_some()).count();
        if known == 0 {
            return Err(wrong(format!(
                "{} has no cases of {} ({}); it knows projects in Python of SWE-bench only, so this is a dataset of another benchmark",
                benchmark.name(),
                row.repo,
                row.instance_id
            )));
        }
        warnings.push(format!(
            "{} rows are of projects that {} does not know, such as {}; they are left out",
            rows.len() - known,
            benchmark.name(),
            row.repo
        ));
        rows.retain(|row| LogParser::of_repository(&row.repo).is_some());
    }
    if benchmark == Benchmark::Swt
        && let Some(row) = rows.iter().find(|row| row.test_patch.trim().is_empty())
    {
        warnings.push(format!(
            "{}: the field `test_patch` is empty, so that no golden tests are known",
            row.instance_id
        ));
    }
    Ok((Dataset::new(rows)?, warnings))
}

/// Removes the tags around a patch; says whether there were any.
fn unwrap(row: &mut Row) -> bool {
    let inner = row.patch.strip_prefix(TAGS.0).and_then(|patch| patch.strip_suffix(TAGS.1));
    let Some(inner) = inner.map(|inner| format!("{inner}\n")) else { return false };
    row.patch = inner;
    true
}

/// Is true if the patch touches tests only, and the patch of tests something else.
fn is_swapped(row: &Row) -> bool {
    let paths = |patch: &str| -> Vec<String> {
        let files = Patch::readable(patch.as_bytes()).files;
        files.iter().filter_map(any_path).map(str::to_owned).collect()
    };
    let (fix, tests) = (paths(&row.patch), paths(&row.test_patch));
    !fix.is_empty()
        && fix.iter().all(|path| is_test(path))
        && tests.iter().any(|path| !is_test(path))
        && !tests.iter().any(|path| is_test(path))
}

fn any_path(file: &FilePatch) -> Option<&str> {
    file.new_path().or_else(|| file.old_path())
}

/// The explanation where a file holds rows of another benchmark.
fn foreign(path: &Path) -> Option<LoadError> {
    const MARKS: [(&str, &str); 6] = [
        ("\"fix_patch\"", "Multi-SWE-bench (`org`, `number`, `fix_patch`)"),
        ("\"before_repo_set_cmd\"", "SWE-bench Pro (`before_repo_set_cmd`)"),
        ("\"bug_patch\"", "GitBug-Java (`bug_patch`); give gitbug-java:DIR"),
        ("[[bug]]", "a manifest of one's own bugs; give manifest:FILE"),
        ("\"canonical_solution\"", "HumanEval (`canonical_solution`)"),
        ("\"model_patch\"", "predictions (`model_patch`); give them with --predictions"),
    ];
    let bytes = fs::read(path).ok()?;
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(1 << 16)]).into_owned();
    if head.contains("\"base_commit\"") && head.contains("\"test_patch\"") && !head.contains(MARKS[1].0) {
        return None;
    }
    let (_, what) = MARKS.iter().find(|(mark, _)| head.contains(mark))?;
    Some(LoadError {
        place: path.display().to_string(),
        message: format!(
            "this is a file of {what}; a dataset with the fields `instance_id`, `repo`, `base_commit`, `patch` and `test_patch` of \
             SWE-bench is expected"
        ),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    const FIX: &str = "diff --git a/m.py b/m.py\n--- a/m.py\n+++ b/m.py\n@@ -1 +1 @@\n-a\n+b\n";
    const TESTS: &str = "diff --git a/tests/test_m.py b/tests/test_m.py\n--- a/tests/test_m.py\n+++ b/tests/test_m.py\n@@ -1 +1 @@\n-a\n+b\n";

    fn loaded(rows: &Value) -> Result<(Dataset, Vec<String>), LoadError> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("data.json");
        fs::write(&file, rows.to_string()).unwrap();
        load(&file, None, Benchmark::Swt)
    }

    fn row(repo: &str, patch: &str, test_patch: &str) -> Value {
        json!({"repo": repo, "instance_id": "a__a-1", "base_commit": "0", "patch": patch, "test_patch": test_patch,
            "problem_statement": "", "version": "1"})
    }

    #[test]
    fn tags_and_exchanged_patches_are_seen() {
        let check = |patch: &str, test_patch: &str, warnings: usize| {
            let (dataset, told) = loaded(&json!([row("pydata/xarray", patch, test_patch)])).unwrap();
            let row = &dataset.rows()[0];
            assert_eq!(
                (row.patch.as_str(), row.test_patch.as_str(), told.len()),
                (FIX, TESTS, warnings),
                "{told:?}"
            );
        };
        check(FIX, TESTS, 0);
        check(&format!("<patch>\n{}\n</patch>", FIX.trim_end()), TESTS, 1);
        check(&format!("<patch>\n{}\n</patch>", TESTS.trim_end()), FIX, 2);
    }

    #[test]
    fn datasets_of_other_benchmarks_are_refused() {
        let check = |rows: Value, expect: &str| {
            let error = loaded(&rows).unwrap_err().to_string();
            assert!(error.contains(expect) && error.contains("data.json"), "{error}");
        };
        check(json!([row("google/gson", FIX, TESTS)]), "projects in Python");
        check(json!([{"org": "a", "repo": "b", "number": 1, "fix_patch": ""}]), "Multi-SWE-bench");
        check(json!([{"instance_id": "a", "model_patch": ""}]), "--predictions");
    }
}
