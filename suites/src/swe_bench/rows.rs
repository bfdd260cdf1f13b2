//! The rows of a dataset: 12 classic fields, and those that say how to evaluate since version 5.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::parquet;
use super::parsers::Parser;
use crate::LoadError;

/// How a case counts a required test that its log does not name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvalType {
    /// `pass_and_fail`: it failed.
    PassAndFail,
    /// `fail_only`: it passed, because the log names failures only.
    FailOnly,
}

/// A case of the dataset.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// `django/django`.
    pub repo: String,
    /// `django__django-11099`.
    pub instance_id: String,
    /// The commit before the fix.
    pub base_commit: String,
    /// The developers' fix as a unified diff, without tests.
    pub patch: String,
    /// The developers' tests as a unified diff.
    pub test_patch: String,
    /// The issue.
    pub problem_statement: String,
    /// What was said about the issue before the fix; often empty.
    pub hints_text: String,
    /// ISO 8601; empty where the row has none.
    pub created_at: String,
    /// The version of the project; chooses commands.
    pub version: String,
    /// Tests that fail before the fix and pass after it.
    pub fail_to_pass: Vec<String>,
    /// Tests that pass before and after the fix.
    pub pass_to_pass: Vec<String>,
    /// The commit whose environment is used; empty where the row has none.
    pub environment_setup_commit: String,
    /// The container image (since v5).
    pub image: Option<String>,
    /// The script that tests (since v5).
    pub eval_script: Option<String>,
    /// The name of the log parser (since v5).
    pub log_parser: Option<String>,
    /// How tests are counted (since v5).
    pub eval_type: Option<EvalType>,
}

/// The rows of a dataset. Their ids differ.
#[derive(Clone, Debug, Default)]
pub struct Dataset {
    rows: Vec<Row>,
    places: HashMap<String, usize>,
}

impl Dataset {
    /// Reads a `.json` (a list), `.jsonl` or `.parquet` file, or the split `test` of a folder. See
    /// [`Dataset::load_split`].
    pub fn load(path: &Path) -> Result<Self, LoadError> {
        Self::load_split(path, "test")
    }

    /// Reads a file, or of a folder what belongs to a split: `test.parquet`, or `test-00000-of-00001.parquet`
    /// and the like, in it or in its folder `data`.
    ///
    /// # Errors
    /// A file that cannot be read or has another form; a row in which a field is missing or of the wrong
    /// type; two rows with one id. The message names file, row, id and field and says what to do.
    pub fn load_split(path: &Path, split: &str) -> Result<Self, LoadError> {
        let mut dataset = Self::default();
        let files = if path.is_dir() { of_split(path, split)? } else { vec![path.to_owned()] };
        for file in files {
            for (place, value) in values(&file)? {
                dataset.add(row(&place, value)?, &place)?;
            }
        }
        Ok(dataset)
    }

    /// A dataset of these rows.
    ///
    /// # Errors
    /// Two rows with one id.
    pub fn new(rows: impl IntoIterator<Item = Row>) -> Result<Self, LoadError> {
        let mut dataset = Self::default();
        for (index, row) in rows.into_iter().enumerate() {
            dataset.add(row, &format!("row {}", index + 1))?;
        }
        Ok(dataset)
    }

    fn add(&mut self, row: Row, place: &str) -> Result<(), LoadError> {
        if let Some(earlier) = self.places.insert(row.instance_id.clone(), self.rows.len()) {
            return Err(LoadError {
                place: format!("{place} ({}), field `instance_id`", row.instance_id),
                message: format!("row {} has the same id; remove one of the two", earlier + 1),
            });
        }
        self.rows.push(row);
        Ok(())
    }

    /// The rows in the order of the file.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The row with an id.
    pub fn get(&self, instance_id: &str) -> Option<&Row> {
        self.places.get(instance_id).map(|place| &self.rows[*place])
    }
}

/// The files of a split, in the order of their names.
fn of_split(folder: &Path, split: &str) -> Result<Vec<PathBuf>, LoadError> {
    for folder in [folder.to_owned(), folder.join("data")] {
        let whole = folder.join(format!("{split}.parquet"));
        if whole.is_file() {
            return Ok(vec![whole]);
        }
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        let is_part = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with(&format!("{split}-")) && path.extension().is_some_and(|end| end == "parquet")
        };
        let mut parts: Vec<PathBuf> =
            entries.filter_map(|entry| Some(entry.ok()?.path())).filter(is_part).collect();
        parts.sort();
        if !parts.is_empty() {
            return Ok(parts);
        }
    }
    Err(LoadError {
        place: folder.display().to_string(),
        message: format!("no `{split}.parquet` in this folder; name the file, or another split"),
    })
}

/// The objects of a file, each with its place in words.
fn values(file: &Path) -> Result<Vec<(String, Value)>, LoadError> {
    let name = file.display();
    let wrong = |message: String| LoadError { place: name.to_string(), message };
    let text = || fs::read_to_string(file).map_err(|error| wrong(format!("it cannot be read: {error}")));
    match file.extension().and_then(|end| end.to_str()) {
        Some("json") => match serde_json::from_str(&text()?) {
            Ok(Value::Array(values)) => Ok(numbered(&name.to_string(), "row", values)),
            Ok(_) => Err(wrong("a list of objects is expected".to_owned())),
            Err(error) => Err(wrong(format!("it is no JSON: {error}"))),
        },
        Some("jsonl") => json_lines(&name.to_string(), &text()?),
        Some("parquet") => {
            let values = parquet::objects(file).map_err(|error| {
                wrong(format!("it cannot be read as Parquet: {error}; convert it to .jsonl"))
            })?;
            Ok(numbered(&name.to_string(), "row", values))
        }
        Some(_) | None => Err(wrong(
            "it has to end in .json, .jsonl or .parquet, or be a folder with `test.parquet`".to_owned(),
        )),
    }
}

pub(super) fn json_lines(name: &str, text: &str) -> Result<Vec<(String, Value)>, LoadError> {
    text.split('\n')
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(index, line)| {
            let place = format!("{name}, line {}", index + 1);
            match serde_json::from_str(line) {
                Ok(value) => Ok((place, value)),
                Err(error) => Err(LoadError { place, message: format!("the line is no JSON: {error}") }),
            }
        })
        .collect()
}

pub(super) fn numbered(name: &str, what: &str, values: Vec<Value>) -> Vec<(String, Value)> {
    let place = |index| format!("{name}, {what} {}", index + 1);
    values.into_iter().enumerate().map(|(index, value)| (place(index), value)).collect()
}

/// A row, from an object with the fields' official names. Fields with other names are ignored.
fn row(place: &str, value: Value) -> Result<Row, LoadError> {
    let Value::Object(object) = value else {
        return Err(LoadError { place: place.to_owned(), message: "an object is expected".to_owned() });
    };
    let mut fields = Fields::of(place, object);
    let instance_id = fields.required("instance_id")?;
    fields.place = format!("{place} ({instance_id})");
    if instance_id.is_empty() || instance_id.contains(['/', '\\']) || instance_id.starts_with('.') {
        return Err(fields.wrong("instance_id", "it has to be usable as the name of a folder"));
    }
    let row = Row {
        instance_id,
        repo: fields.required("repo")?,
        base_commit: fields.required("base_commit")?,
        patch: fields.required("patch")?,
        test_patch: fields.required("test_patch")?,
        problem_statement: fields.required("problem_statement")?,
        version: fields.required("version")?,
        fail_to_pass: fields.tests("FAIL_TO_PASS")?,
        pass_to_pass: fields.tests("PASS_TO_PASS")?,
        hints_text: fields.optional("hints_text")?.unwrap_or_default(),
        created_at: fields.optional("created_at")?.unwrap_or_default(),
        environment_setup_commit: fields.optional("environment_setup_commit")?.unwrap_or_default(),
        image: fields.optional("image")?,
        eval_script: fields.optional("eval_script")?,
        log_parser: fields.optional("log_parser")?,
        eval_type: match fields.optional("eval_type")?.as_deref() {
            None => None,
            Some("pass_and_fail") => Some(EvalType::PassAndFail),
            Some("fail_only") => Some(EvalType::FailOnly),
            Some(_) => return Err(fields.wrong("eval_type", "`pass_and_fail` or `fail_only` is expected")),
        },
    };
    if row.log_parser.as_deref().is_some_and(|name| Parser::named(name).is_none()) {
        let message = format!("no such parser; known are {}", Parser::names().collect::<Vec<_>>().join(", "));
        return Err(fields.wrong("log_parser", &message));
    }
    Ok(row)
}

/// The fields of an object, with its place for errors.
pub(super) struct Fields {
    pub(super) place: String,
    object: Map<String, Value>,
}

impl Fields {
    pub(super) fn of(place: &str, object: Map<String, Value>) -> Self {
        Self { place: place.to_owned(), object }
    }

    pub(super) fn wrong(&self, field: &str, message: &str) -> LoadError {
        LoadError { place: format!("{}, field `{field}`", self.place), message: message.to_owned() }
    }

    /// Takes a text that has to be there.
    pub(super) fn required(&mut self, field: &str) -> Result<String, LoadError> {
        let present = self.object.contains_key(field);
        self.optional(field)?.ok_or_else(|| {
            let what = if present { "is null" } else { "is missing" };
            self.wrong(field, &format!("it {what}; a text is expected"))
        })
    }

    /// Takes a text that may be missing or null.
    pub(super) fn optional(&mut self, field: &str) -> Result<Option<String>, LoadError> {
        match self.object.remove(field) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(self.wrong(field, &format!("a text is expected, not {}", kind(&other)))),
        }
    }

    /// Takes the names of tests: a list, or a text that holds one as JSON.
    fn tests(&mut self, field: &str) -> Result<Vec<String>, LoadError> {
        const EXPECTED: &str = "a list of texts is expected, or a text that holds such a list as JSON";
        let list = match self.object.remove(field) {
            Some(Value::String(text)) => serde_json::from_str(&text).map_err(|error| {
                self.wrong(field, &format!("{EXPECTED}; this one cannot be read: {error}"))
            })?,
            Some(other) => other,
            None => return Err(self.wrong(field, &format!("it is missing; {EXPECTED}"))),
        };
        let Value::Array(list) = list else {
            return Err(self.wrong(field, &format!("{EXPECTED}, not {}", kind(&list))));
        };
        let text = |(index, item): (usize, Value)| match item {
            Value::String(text) => Ok(text),
            other => Err(self
                .wrong(field, &format!("{EXPECTED}; number {} of the list is {}", index + 1, kind(&other)))),
        };
        list.into_iter().enumerate().map(text).collect()
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
