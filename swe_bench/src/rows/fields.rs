//! The fields of an object, and what is wrong with them.

use patchwright_suites::{LeftOut, LoadError};
use serde_json::{Map, Value};

use super::TestLists;

/// The fields of an object, with its place for errors.
pub(crate) struct Fields {
    pub(crate) place: String,
    object: Map<String, Value>,
}

impl Fields {
    pub(crate) fn of(place: &str, object: Map<String, Value>) -> Self {
        Self { place: place.to_owned(), object }
    }

    pub(crate) fn wrong(&self, field: &str, message: &str) -> LoadError {
        LoadError { place: format!("{}, field `{field}`", self.place), message: message.to_owned() }
    }

    /// Takes a text that has to be there.
    pub(crate) fn required(&mut self, field: &str) -> Result<String, LoadError> {
        let present = self.object.contains_key(field);
        self.optional(field)?.ok_or_else(|| {
            let what = if present { "is null" } else { "is missing" };
            self.wrong(field, &format!("it {what}; a text is expected"))
        })
    }

    /// Takes the name of a commit that has to be there: the beginning of its hash or all of it.
    pub(super) fn commit(&mut self, field: &str) -> Result<String, LoadError> {
        let commit = self.required(field)?;
        let is_hash =
            (4..=64).contains(&commit.len()) && commit.chars().all(|digit| digit.is_ascii_hexdigit());
        if is_hash {
            return Ok(commit);
        }
        Err(self.wrong(
            field,
            &format!("`{commit}` is no commit; its hash of 40 hexadecimal digits is expected, as `git rev-parse` prints it"),
        ))
    }

    /// Takes a text that may be missing or null.
    pub(crate) fn optional(&mut self, field: &str) -> Result<Option<String>, LoadError> {
        match self.object.remove(field) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(self.wrong(field, &format!("a text is expected, not {}", kind(&other)))),
        }
    }

    /// Takes what no verdict depends on, as the text that it is or is written as; empty where there is none.
    pub(super) fn aside(&mut self, field: &str) -> String {
        match self.object.remove(field) {
            Some(Value::String(text)) => text,
            None | Some(Value::Null) => String::new(),
            Some(other) => other.to_string(),
        }
    }

    /// Takes the version of the project. Tables make a number of it, which is told: 3.10 is 3.1 then.
    pub(super) fn version(&mut self, told: &mut LeftOut) -> Result<String, LoadError> {
        if let Some(Value::Number(number)) = self.object.get("version") {
            let number = number.to_string();
            let place = self.wrong("version", "").place;
            told.warn(format!(
                "{place}: it is the number {number}, which is taken for the text; where 3.10 was meant, write it as \"3.10\""
            ));
            return Ok(number);
        }
        self.required("version")
    }

    /// Takes the names of tests: a list, or a text that holds one as JSON.
    pub(super) fn tests(&mut self, field: &str, lists: TestLists) -> Result<Vec<String>, LoadError> {
        const EXPECTED: &str = "a list of texts is expected, or a text that holds such a list as JSON";
        let list = match self.object.remove(field) {
            Some(Value::String(text)) => serde_json::from_str(&text).map_err(|error| {
                self.wrong(field, &format!("{EXPECTED}; this one cannot be read: {error}"))
            })?,
            None | Some(Value::Null) if lists == TestLists::Optional => return Ok(Vec::new()),
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
