//! The rows of a dataset: 12 classic fields, and those that say how to evaluate since version 5.

mod fields;
mod files;

use std::collections::HashMap;
use std::path::Path;

use serde_json::Value;

use super::parsers::Parser;

pub(super) use fields::Fields;
pub(super) use files::{Element, json, json_lines, numbered};
use patchwright_suites::LeftOut;
use patchwright_suites::LoadError;

/// The way in which a case counts a required test that its log does not name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvalType {
    /// `pass_and_fail`: it failed.
    PassAndFail,
    /// `fail_only`: it passed, because the log names failures only.
    FailOnly,
}

/// The need for the lists of required tests, `FAIL_TO_PASS` and `PASS_TO_PASS`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestLists {
    /// A row without them cannot be judged.
    Required,
    /// No verdict depends on them.
    Optional,
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
    /// The discussion of the issue before the fix; often empty.
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
    /// The way in which tests are counted (since v5).
    pub eval_type: Option<EvalType>,
}

/// The rows of a dataset. Their ids differ.
#[derive(Clone, Debug, Default)]
pub struct Dataset {
    rows: Vec<Row>,
    places: HashMap<String, usize>,
    warnings: Vec<String>,
    /// The ids of rows that were left out, and by what.
    left_out: HashMap<String, String>,
}

impl Dataset {
    /// Reads a `.json` (a list), `.jsonl` or `.parquet` file, or the split `test` of a folder. See
    /// [`Dataset::load_split`].
    pub fn load(path: &Path) -> Result<Self, LoadError> {
        Self::load_split(path, "test")
    }

    /// Reads a file, or of a folder what belongs to a split: `test.parquet`, `test.jsonl` or `test.json`,
    /// `test-00000-of-00001.parquet` and the like, or all of `test/*.parquet`, in it, in its folder `data`, or in the
    /// folder of its only configuration.
    ///
    /// A row that cannot be used is left out, and [`Dataset::warnings`] says why: it is no object, a field is missing or of
    /// the wrong type, or another row has its id.
    ///
    /// # Errors
    /// A file that cannot be read or has another form, and the first row that was left out where none remains. The
    /// message names file, row, id and field and says what to do.
    pub fn load_split(path: &Path, split: &str) -> Result<Self, LoadError> {
        Self::load_with(path, split, TestLists::Required)
    }

    /// As [`Dataset::load_split`], for benchmarks that judge without lists of tests.
    ///
    /// # Errors
    /// As there.
    pub fn load_with(path: &Path, split: &str, lists: TestLists) -> Result<Self, LoadError> {
        let mut dataset = Self::default();
        let mut left_out = LeftOut::default();
        for file in files::of(path, split)? {
            for (place, value) in files::elements(&file)? {
                let id = value
                    .as_ref()
                    .ok()
                    .and_then(|value| value.get("instance_id")?.as_str().map(str::to_owned));
                let row = value.and_then(|value| row(&place, value, lists, &mut left_out));
                if let Err(error) = row.and_then(|row| dataset.add(row, &place)) {
                    if let Some(id) = id.filter(|id| dataset.get(id).is_none()) {
                        dataset.left_out.insert(id, error.message.clone());
                    }
                    left_out.add(error);
                }
            }
        }
        dataset.warnings = left_out.warnings(dataset.rows.is_empty())?;
        Ok(dataset)
    }

    /// A dataset of these rows.
    ///
    /// # Errors
    /// Two different rows with one id.
    pub fn new(rows: impl IntoIterator<Item = Row>) -> Result<Self, LoadError> {
        let mut dataset = Self::default();
        for (index, row) in rows.into_iter().enumerate() {
            dataset.add(row, &format!("row {}", index + 1))?;
        }
        Ok(dataset)
    }

    /// Takes a row in; one that is there already says nothing new.
    fn add(&mut self, row: Row, place: &str) -> Result<(), LoadError> {
        if let Some(earlier) = self.get(&row.instance_id) {
            if *earlier == row {
                return Ok(());
            }
            return Err(LoadError {
                place: format!("{place} ({}), field `instance_id`", row.instance_id),
                message: "an earlier row with other content has the same id; remove one of the two"
                    .to_owned(),
            });
        }
        self.put(row);
        Ok(())
    }

    fn put(&mut self, row: Row) {
        self.left_out.remove(&row.instance_id);
        self.places.insert(row.instance_id.clone(), self.rows.len());
        self.rows.push(row);
    }

    /// The rows in the order of the file.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The row with an id.
    pub fn get(&self, instance_id: &str) -> Option<&Row> {
        self.places.get(instance_id).map(|place| &self.rows[*place])
    }

    /// The same dataset with only the rows that hold, and without its warnings; of the others it is known by what they were left out.
    #[must_use]
    pub fn filtered(&self, holds: impl Fn(&Row) -> bool, by: &str) -> Self {
        let mut filtered = Self { left_out: self.left_out.clone(), ..Self::default() };
        for row in &self.rows {
            if holds(row) {
                filtered.put(row.clone());
            } else {
                filtered.left_out.insert(row.instance_id.clone(), by.to_owned());
            }
        }
        filtered
    }

    /// The same dataset with other content of its rows, whose ids stay, and without its warnings.
    #[must_use]
    pub fn changed(self, change: impl FnMut(Row) -> Row) -> Self {
        Self { rows: self.rows.into_iter().map(change).collect(), warnings: Vec::new(), ..self }
    }

    /// The reason why a row is not in the dataset, where it was left out.
    pub fn left_out(&self, instance_id: &str) -> Option<&str> {
        self.left_out.get(instance_id).map(String::as_str)
    }

    /// Oddities of the file: each row that was left out, and why.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

/// A row, from an object with the fields' official names. Fields with other names are ignored.
fn row(place: &str, value: Value, lists: TestLists, left_out: &mut LeftOut) -> Result<Row, LoadError> {
    let Value::Object(object) = value else {
        return Err(LoadError { place: place.to_owned(), message: "an object is expected".to_owned() });
    };
    let mut fields = Fields::of(place, object);
    let instance_id = fields.required("instance_id")?;
    fields.place = format!("{place} ({instance_id})");
    if instance_id.is_empty() || instance_id.contains(['/', '\\']) || instance_id.starts_with('.') {
        return Err(fields.wrong("instance_id", "it has to be usable as the name of a folder"));
    }
    let mut row = Row {
        instance_id,
        repo: fields.required("repo")?,
        base_commit: fields.commit("base_commit")?,
        patch: fields.required("patch")?,
        test_patch: fields.required("test_patch")?,
        problem_statement: fields.required("problem_statement")?,
        version: fields.version(left_out)?,
        fail_to_pass: fields.tests("FAIL_TO_PASS", lists)?,
        pass_to_pass: fields.tests("PASS_TO_PASS", lists)?,
        hints_text: fields.aside("hints_text"),
        created_at: fields.aside("created_at"),
        environment_setup_commit: fields.aside("environment_setup_commit"),
        image: fields.optional("image")?,
        eval_script: fields.optional("eval_script")?,
        log_parser: fields.optional("log_parser")?,
        eval_type: match fields.optional("eval_type")?.as_deref() {
            None | Some("") => None,
            Some("pass_and_fail") => Some(EvalType::PassAndFail),
            Some("fail_only") => Some(EvalType::FailOnly),
            Some(_) => return Err(fields.wrong("eval_type", "`pass_and_fail` or `fail_only` is expected")),
        },
    };
    row.image = row.image.filter(|image| !image.is_empty());
    row.eval_script = row.eval_script.filter(|script| !script.trim().is_empty());
    if let Some(name) = row.log_parser.take_if(|name| Parser::named(name).is_none()) {
        let known = Parser::names().collect::<Vec<_>>().join(", ");
        let error = fields.wrong("log_parser", &format!("there is no parser `{name}`; known are {known}"));
        if Parser::of_repository(&row.repo).is_none() {
            return Err(error);
        }
        left_out.warn(format!("{}: there is no parser `{name}`; that of {} is used", error.place, row.repo));
    }
    Ok(row)
}
