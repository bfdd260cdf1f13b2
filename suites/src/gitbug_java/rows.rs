//! The lines of `data/bugs/*.json`, a JSON object each.

use std::fs;
use std::path::Path;

use serde_json::{Map, Value};

use crate::suite::LoadError;

/// A bug of the data set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// Owner and name, with `/` between.
    pub(super) repository: String,
    /// The revision before the fix.
    pub(super) before: String,
    /// The revision of the fix.
    pub(super) fixed: String,
    /// What the fix changes in the code.
    pub(super) bug_patch: String,
    /// What it changes in the tests.
    pub(super) test_patch: String,
    /// What else it changes.
    pub(super) other_patch: String,
    /// The tests that show the bug.
    pub(super) failing: Vec<String>,
    /// Whether the tests are run by Gradle, and not by Maven.
    pub(super) gradle: bool,
    /// What the command reads of a bug, without what tells of the fix.
    pub(super) scrubbed: String,
}

/// Digits of the revision of the fix in the name of a bug.
const DIGITS: usize = 12;
/// Fields that tell of the fix.
const TELLING: &[&str] = &["bug_patch", "commit_message", "issues"];

impl Row {
    /// The id by the data set's rule: owner, name, and the beginning of the revision of the fix.
    pub(super) fn id(&self) -> String {
        format!("{}-{}", self.folder_name(), &self.fixed[..DIGITS])
    }

    /// Owner and name, with `-` between.
    pub(super) fn folder_name(&self) -> String {
        self.repository.replace('/', "-")
    }
}

/// Reads the bugs of a file.
///
/// # Errors
/// A line is no JSON object, or lacks a field.
pub(super) fn read(file: &Path) -> Result<Vec<(usize, Row)>, LoadError> {
    let wrong = |place: String, message: String| LoadError { place, message };
    let text =
        fs::read_to_string(file).map_err(|error| wrong(file.display().to_string(), error.to_string()))?;
    let mut rows = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let place = format!("{}: line {}", file.display(), index + 1);
        match serde_json::from_str(line) {
            Ok(Value::Object(object)) => rows.push((index + 1, Object { place, object }.row()?)),
            Ok(_) => {
                return Err(wrong(
                    place,
                    "it is no object; each line holds one bug as a JSON object".to_owned(),
                ));
            }
            Err(error) => {
                return Err(wrong(
                    place,
                    format!("it is no JSON: {error}; each line holds one bug as a JSON object"),
                ));
            }
        }
    }
    Ok(rows)
}

/// One line.
struct Object {
    place: String,
    object: Map<String, Value>,
}

impl Object {
    fn wrong(&self, field: &str, message: &str) -> LoadError {
        LoadError { place: format!("{}: `{field}`", self.place), message: message.to_owned() }
    }

    fn row(mut self) -> Result<Row, LoadError> {
        let repository = self.text("repository")?;
        let parts = repository.split('/').filter(|part| !part.is_empty() && !part.starts_with('.')).count();
        if parts != 2 || repository.matches('/').count() != 1 {
            return Err(self.wrong("repository", &format!("it is `{repository}`; it has to be OWNER/NAME")));
        }
        let (before, fixed) = (self.revision("previous_commit_hash")?, self.revision("commit_hash")?);
        let bug_patch = self.text("bug_patch")?;
        let run = match self.text("strategy")?.as_str() {
            "FAIL_PASS" => 0,
            "PASS_PASS" => 1,
            other => {
                let message = format!("it is `{other}`; known are PASS_PASS and FAIL_PASS");
                return Err(self.wrong("strategy", &message));
            }
        };
        let (failing, gradle) = self.failing(run)?;
        for field in TELLING {
            if let Some(value) = self.object.get_mut(*field) {
                *value =
                    if value.is_array() { Value::Array(Vec::new()) } else { Value::String(String::new()) };
            }
        }
        Ok(Row {
            test_patch: self.text("test_patch")?,
            other_patch: self.text("non_code_patch")?,
            scrubbed: Value::Object(self.object).to_string(),
            repository,
            before,
            fixed,
            bug_patch,
            failing,
            gradle,
        })
    }

    fn text(&self, field: &str) -> Result<String, LoadError> {
        match self.object.get(field) {
            Some(Value::String(text)) => Ok(text.clone()),
            None => Err(self.wrong(field, "it is missing; take the file from the data set anew")),
            Some(_) => Err(self.wrong(field, "it is no text; take the file from the data set anew")),
        }
    }

    fn revision(&self, field: &str) -> Result<String, LoadError> {
        let text = self.text(field)?;
        if text.len() >= DIGITS && text.chars().all(|digit| digit.is_ascii_hexdigit()) {
            return Ok(text);
        }
        Err(self.wrong(
            field,
            &format!("it is `{text}`; a revision is written in {DIGITS} hexadecimal digits at least"),
        ))
    }

    /// The tests that fail in one of the three recorded runs, and whether Gradle ran them. Only `Failure` counts: what ends in
    /// an error is not what the data set calls a failing test.
    fn failing(&self, run: usize) -> Result<(Vec<String>, bool), LoadError> {
        let field = "actions_runs";
        let shape =
            "it has to be a list of three lists of runs: before the fix, with its tests, and after it";
        let Some(Value::Array(runs)) = self.object.get(field) else {
            return Err(self.wrong(field, shape));
        };
        let Some(Value::Array(workflows)) = runs.get(run) else {
            return Err(self.wrong(field, &format!("there is no list {run}; {shape}")));
        };
        let text = |value: &Value, field: &str| {
            value.get(field).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let list = |value: &Value, field: &str| {
            value.get(field).and_then(Value::as_array).cloned().unwrap_or_default()
        };
        let mut failing: Vec<String> = Vec::new();
        for test in workflows.iter().flat_map(|workflow| list(workflow, "tests")) {
            let failed = list(&test, "results").iter().any(|result| text(result, "result") == "Failure");
            let name = format!("{}::{}", text(&test, "classname"), text(&test, "name"));
            if failed && !failing.contains(&name) {
                failing.push(name);
            }
        }
        if failing.is_empty() {
            return Err(self.wrong(
                field,
                &format!("no test fails in the runs of list {run}, so nothing shows the bug"),
            ));
        }
        Ok((failing, workflows.iter().any(|workflow| text(workflow, "build_tool") == "gradle")))
    }
}
