//! Issues with their fixes, as the figures of retrieval read them: `PATCHWRIGHT_CASES` names a file with one case a line, in the form of
//! SWE-bench's rows (`instance_id`, `problem_statement`, `patch`, `test_patch`); `PATCHWRIGHT_SOURCES` a folder that holds, for each, the project before
//! its fix under the case's name. `cases/NAME/case.json` beside the file may list the `functions` that the fix changes.

use std::path::PathBuf;

use patchwright_edits::diff::Patch;
use patchwright_index::Index;
use serde_json::Value;

/// An issue with its fix.
pub struct Case {
    pub name: String,
    pub issue: String,
    pub fix: Patch,
    /// What the fix's tests change.
    pub tests: Patch,
    /// The functions that the fix changes, as `path::Qualified.name`, where the case lists them: without those of which it changes the
    /// documentation alone.
    pub functions: Option<Vec<String>>,
    sources: PathBuf,
}

impl Case {
    /// The index of the project; none where there is no folder of the case.
    pub fn index(&self) -> Option<Index> {
        Index::build(&self.sources.join(&self.name)).ok()
    }
}

/// The cases that the variables name.
pub fn cases() -> Vec<Case> {
    let named = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let (Some(cases), Some(sources)) = (named("PATCHWRIGHT_CASES"), named("PATCHWRIGHT_SOURCES")) else {
        println!("left out: PATCHWRIGHT_CASES and PATCHWRIGHT_SOURCES are not set");
        return Vec::new();
    };
    let listed = |name: &str| {
        let text =
            std::fs::read_to_string(cases.with_file_name("cases").join(name).join("case.json")).ok()?;
        let listed: Value = serde_json::from_str(&text).ok()?;
        serde_json::from_value(listed["functions"].clone()).ok()
    };
    let text = std::fs::read_to_string(&cases).unwrap();
    let rows = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let case = |row: Value| {
        let text = |field: &str| row[field].as_str().unwrap_or_default().to_owned();
        let patch = |field: &str| Patch::readable(text(field).as_bytes());
        Case {
            name: text("instance_id"),
            issue: text("problem_statement"),
            fix: patch("patch"),
            tests: patch("test_patch"),
            functions: listed(&text("instance_id")),
            sources: sources.clone(),
        }
    };
    rows.map(case).collect()
}
