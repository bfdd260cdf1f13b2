//! Datasets: rows of SWE-bench, as they are or as the published variants with retrieved context have them.

use std::path::Path;

use patchwright_edits::diff::{FilePatch, Patch};
use patchwright_folder::{LONGEST_DATA_SET, read_file};
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
    let dataset = loaded.changed(|mut row| {
        unwrapped += usize::from(unwrap(&mut row));
        if is_swapped(&row) {
            std::mem::swap(&mut row.patch, &mut row.test_patch);
            swapped += 1;
        }
        row
    });
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
    let is_known = |row: &Row| LogParser::of_repository(&row.repo).is_some();
    if let Some(row) = dataset.rows().iter().find(|row| !is_known(row)) {
        let name = benchmark.name();
        let unknown = dataset.rows().iter().filter(|row| !is_known(row)).count();
        if unknown == dataset.rows().len() {
            let message = format!(
                "{name} has no cases of {} ({}); it knows projects in Python of SWE-bench only, so this is a dataset of another benchmark",
                row.repo, row.instance_id
            );
            return Err(LoadError { place: path.display().to_string(), message });
        }
        warnings.push(format!(
            "{unknown} rows are of projects that {name} does not know, such as {}; they are left out",
            row.repo
        ));
    }
    let by = format!("{} does not know its project", benchmark.name());
    let dataset = dataset.filtered(is_known, &by);
    warnings.extend(dataset.rows().iter().flat_map(|row| without_diff(row, path, benchmark)));
    Ok((dataset, warnings))
}

/// What is told of the fields of a row that should hold a diff and hold none.
fn without_diff(row: &Row, path: &Path, benchmark: Benchmark) -> Vec<String> {
    let fields = [
        ("patch", &row.patch, "no fix is known and nothing can turn"),
        ("test_patch", &row.test_patch, "no golden tests are known"),
    ];
    let problem = |text: &str| {
        if text.trim().is_empty() {
            return Some("it is empty".to_owned());
        }
        match Patch::parse(text.as_bytes()) {
            Err(error) => Some(format!("it is no whole diff: {error}")),
            Ok(patch) if patch.files.is_empty() => Some("it is no diff".to_owned()),
            Ok(_) => None,
        }
    };
    // TDD-Bench judges without golden tests.
    let is_needless = |field: &str, text: &str| {
        benchmark == Benchmark::Tdd && field == "test_patch" && text.trim().is_empty()
    };
    let told = fields.iter().filter(|(field, text, _)| !is_needless(field, text)).filter_map(|(field, text, so)| {
        let problem = problem(text)?;
        Some(format!(
            "{} ({}), field `{field}`: {problem}, so that {so}; take the row as the dataset has been published",
            path.display(),
            row.instance_id
        ))
    });
    told.collect()
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
    let bytes = read_file(path, LONGEST_DATA_SET).ok()?;
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
    use std::fs;

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
        json!({"repo": repo, "instance_id": "a__a-1", "base_commit": "0123abc", "patch": patch, "test_patch": test_patch,
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
    fn fields_that_hold_no_diff_are_told() {
        let check = |patch: &str, test_patch: &str, expect: &[&str]| {
            let (_, told) = loaded(&json!([row("pydata/xarray", patch, test_patch)])).unwrap();
            assert_eq!(told.len(), expect.len(), "{told:?}");
            for (told, expect) in told.iter().zip(expect) {
                assert!(told.contains("data.json (a__a-1), field ") && told.contains(expect), "{told}");
            }
        };
        check(FIX, "See the pull request.", &["field `test_patch`: it is no diff"]);
        check("", TESTS, &["field `patch`: it is empty"]);
        check(
            &FIX.replace("-a\n", ""),
            " \n",
            &["field `patch`: it is no whole diff", "field `test_patch`: it is empty"],
        );
    }

    #[test]
    fn what_was_left_out_is_known_by_its_reason() {
        let other = json!({"repo": "google/gson", "instance_id": "g__g-1", "base_commit": "0123abc", "patch": FIX,
            "test_patch": TESTS, "problem_statement": "", "version": "1"});
        let mut broken = other.clone();
        broken["instance_id"] = json!("a__a-2");
        broken["base_commit"] = json!("zzz");
        let (dataset, told) = loaded(&json!([row("pydata/xarray", FIX, TESTS), other, broken])).unwrap();
        let why = |id: &str| dataset.left_out(id).unwrap_or_default();
        let warning = &told[0][told[0].find("row 3").unwrap()..];
        insta::assert_snapshot!([why("g__g-1"), why("a__a-2"), warning].join("\n"));
        assert_eq!((dataset.left_out("a__a-1"), dataset.rows().len()), (None, 1));
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
