//! The lines of `data/bugs/*.json`, a JSON object each.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::lines::without_mark;
use crate::python_json;
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
    /// The changes of the fix in the code; empty once it is the truth of a case.
    pub(super) bug_patch: String,
    /// Its changes in the tests.
    pub(super) test_patch: String,
    /// Its other changes; empty where that is the truth.
    pub(super) other_patch: String,
    /// The tests that show the bug.
    pub(super) failing: Vec<String>,
    /// Is true if the tests are run by Gradle, and not by Maven.
    pub(super) gradle: bool,
}

/// The place of a bug in a file: it has megabytes of what its workflows printed, which are read again when they are needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) file: PathBuf,
    /// The line, from 1.
    pub(super) line: usize,
    start: u64,
    length: u64,
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

impl Place {
    /// The text that the command reads of the bug that stood here, without what tells of the fix.
    ///
    /// # Errors
    /// The file cannot be read any more, or holds something else by now.
    pub(super) fn scrubbed(&self, row: &Row) -> io::Result<String> {
        let mut file = File::open(&self.file)?;
        file.seek(SeekFrom::Start(self.start))?;
        let mut bytes = Vec::new();
        file.take(self.length).read_to_end(&mut bytes)?;
        let changed =
            || io::Error::other(format!("line {} has changed since it was read; begin anew", self.line));
        let mut object = object(&bytes).map_err(|_| changed())?;
        if object.get("commit_hash").and_then(Value::as_str) != Some(&row.fixed) {
            return Err(changed());
        }
        for field in TELLING {
            if let Some(value) = object.get_mut(*field) {
                *value =
                    if value.is_array() { Value::Array(Vec::new()) } else { Value::String(String::new()) };
            }
        }
        Ok(Value::Object(object).to_string())
    }
}

/// Reads the bugs of a file, one after another, and gives each line to `each`: its bug, or why it is none.
///
/// # Errors
/// The file cannot be read.
pub(super) fn read(
    file: &Path,
    mut each: impl FnMut(Place, Result<Row, LoadError>),
) -> Result<(), LoadError> {
    let unreadable =
        |error: io::Error| LoadError { place: file.display().to_string(), message: error.to_string() };
    let mut lines = BufReader::new(File::open(file).map_err(unreadable)?);
    let mut bytes = Vec::new();
    let (mut start, mut line) = (0, 0);
    while lines.read_until(b'\n', &mut bytes).map_err(unreadable)? > 0 {
        let length = bytes.len() as u64;
        line += 1;
        if !bytes.trim_ascii().is_empty() {
            let name = format!("{}: line {line}", file.display());
            let row = object(&bytes)
                .map_err(|message| LoadError { place: name.clone(), message })
                .and_then(|object| Object { place: name, object }.row());
            each(Place { file: file.to_owned(), line, start, length }, row);
        }
        start += length;
        bytes.clear();
    }
    Ok(())
}

/// The object in a line.
fn object(line: &[u8]) -> Result<Map<String, Value>, String> {
    const SHAPE: &str = "each line holds one bug as a JSON object";
    let text = std::str::from_utf8(without_mark(line))
        .map_err(|error| format!("it is no UTF-8: {error}; {SHAPE}"))?;
    match python_json::read(text) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(format!("it is no object; {SHAPE}")),
        Err(error) => Err(format!("it is no JSON: {error}; {SHAPE}")),
    }
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

    fn row(self) -> Result<Row, LoadError> {
        let repository = self.text("repository")?;
        let parts = repository.split('/').filter(|part| !part.is_empty() && !part.starts_with('.')).count();
        if parts != 2 || repository.matches('/').count() != 1 {
            return Err(self.wrong("repository", &format!("it is `{repository}`; it has to be OWNER/NAME")));
        }
        let (before, fixed) = (self.revision("previous_commit_hash")?, self.revision("commit_hash")?);
        let run = match self.text("strategy")?.as_str() {
            "FAIL_PASS" => 0,
            "PASS_PASS" => 1,
            other => {
                let message = format!("it is `{other}`; known are PASS_PASS and FAIL_PASS");
                return Err(self.wrong("strategy", &message));
            }
        };
        let (failing, gradle) = self.failing(run)?;
        Ok(Row {
            bug_patch: self.patch("bug_patch")?,
            test_patch: self.patch("test_patch")?,
            other_patch: self.patch("non_code_patch")?,
            repository,
            before,
            fixed,
            failing,
            gradle,
        })
    }

    /// A patch; null stands for an empty one.
    fn patch(&self, field: &str) -> Result<String, LoadError> {
        if self.object.get(field).is_some_and(Value::is_null) {
            return Ok(String::new());
        }
        self.text(field)
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

    /// The tests that fail in one of the three recorded runs, and whether Gradle ran them. What the data set calls a failing test
    /// ends in `Failure`; only where none does, those that end in `Error` are what shows the bug.
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
        let tests: Vec<Value> = workflows.iter().flat_map(|workflow| list(workflow, "tests")).collect();
        let ending = |end: &str| {
            let mut found: Vec<String> = Vec::new();
            for test in &tests {
                let ends = list(test, "results").iter().any(|result| text(result, "result") == end);
                let name = format!("{}::{}", text(test, "classname"), text(test, "name"));
                if ends && !found.contains(&name) {
                    found.push(name);
                }
            }
            found
        };
        let mut failing = ending("Failure");
        if failing.is_empty() {
            failing = ending("Error");
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
