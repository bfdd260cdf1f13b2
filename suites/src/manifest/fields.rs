//! The fields of one `[[bug]]`, taken one by one so that what is left over is unknown.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use crate::suite::LoadError;

/// All fields, for a message that helps.
const KNOWN: &str = "id, language, dir, repo, commit, build, test, test_one, results, failing, known_failing, source, tests, buggy_lines, issue, golden, env, timeout_s, image";

pub(super) struct Fields {
    /// The file and the bug.
    place: String,
    table: Table,
}

impl Fields {
    /// Those of the bug with this number in the file.
    pub(super) fn new(file: &Path, number: usize, bug: Value) -> Result<Self, LoadError> {
        let place = format!("{}: bug {number}", file.display());
        match bug {
            Value::Table(table) => Ok(Self { place, table }),
            _ => Err(LoadError {
                place,
                message: "it is no table; write `[[bug]]` and its fields below".to_owned(),
            }),
        }
    }

    /// From now on the bug is called by its id too.
    pub(super) fn name(&mut self, id: &str) {
        self.place.push_str(&format!(" `{id}`"));
    }

    /// An error about a field.
    pub(super) fn wrong(&self, field: &str, message: &str) -> LoadError {
        LoadError { place: format!("{}: `{field}`", self.place), message: message.to_owned() }
    }

    pub(super) fn required(&mut self, field: &str, what: &str) -> Result<String, LoadError> {
        self.string(field)?.ok_or_else(|| self.wrong(field, &format!("it is missing; give {what}")))
    }

    pub(super) fn string(&mut self, field: &str) -> Result<Option<String>, LoadError> {
        match self.table.remove(field) {
            None => Ok(None),
            Some(Value::String(text)) if !text.trim().is_empty() => Ok(Some(text)),
            Some(Value::String(_)) => Err(self.wrong(field, "it is empty; leave it out instead")),
            Some(other) => Err(self.wrong(field, &format!("it is {}; write a text in quotes", kind(&other)))),
        }
    }

    pub(super) fn strings(&mut self, field: &str) -> Result<Option<Vec<String>>, LoadError> {
        let Some(value) = self.table.remove(field) else { return Ok(None) };
        let cure = "write a list of texts, such as [\"one\", \"two\"]";
        let Value::Array(list) = value else {
            return Err(self.wrong(field, &format!("it is {}; {cure}", kind(&value))));
        };
        let text = |value: Value| match value {
            Value::String(text) => Ok(text),
            other => Err(self.wrong(field, &format!("it holds {}; {cure}", kind(&other)))),
        };
        list.into_iter().map(text).collect::<Result<_, _>>().map(Some)
    }

    pub(super) fn variables(&mut self, field: &str) -> Result<Option<BTreeMap<String, String>>, LoadError> {
        let Some(value) = self.table.remove(field) else { return Ok(None) };
        let cure = "write a table of texts, such as { TZ = \"UTC\" }";
        let Value::Table(table) = value else {
            return Err(self.wrong(field, &format!("it is {}; {cure}", kind(&value))));
        };
        let pair = |(name, value): (String, Value)| match value {
            Value::String(text) => Ok((name, text)),
            other => Err(self.wrong(field, &format!("`{name}` is {}; {cure}", kind(&other)))),
        };
        table.into_iter().map(pair).collect::<Result<_, _>>().map(Some)
    }

    pub(super) fn seconds(&mut self, field: &str) -> Result<Option<u64>, LoadError> {
        match self.table.remove(field) {
            None => Ok(None),
            Some(Value::Integer(seconds)) if seconds > 0 => Ok(u64::try_from(seconds).ok()),
            Some(Value::Integer(_)) => Err(self.wrong(field, "it is not above 0; write whole seconds")),
            Some(other) => {
                Err(self.wrong(field, &format!("it is {}; write whole seconds, as a number", kind(&other))))
            }
        }
    }

    /// A path of a file that is there.
    pub(super) fn file(&mut self, field: &str, base: &Path) -> Result<Option<PathBuf>, LoadError> {
        let Some(name) = self.string(field)? else { return Ok(None) };
        let path = base.join(name);
        if path.is_file() {
            return Ok(Some(path));
        }
        Err(self.wrong(
            field,
            &format!("there is no file `{}`; paths are relative to the manifest", path.display()),
        ))
    }

    /// All that is known was taken.
    pub(super) fn finish(self) -> Result<(), LoadError> {
        match self.table.keys().next() {
            None => Ok(()),
            Some(field) => Err(self.wrong(field, &format!("there is no such field; known are {KNOWN}"))),
        }
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::String(_) => "a text",
        Value::Integer(_) | Value::Float(_) => "a number",
        Value::Boolean(_) => "true or false",
        Value::Datetime(_) => "a date",
        Value::Array(_) => "a list",
        Value::Table(_) => "a table",
    }
}
