//! Is true if edits have all that they need, in the types that they need.

use patchwright_replies::join;
use serde_json::{Map, Value};

use super::super::error::{ErrorLocation, FormatProblem, ReadingError};
use super::names::{
    CODE, CONTENT, DEFINITIONS, DELETE, DELETIONS, FILE, INSERTIONS, LINE_NUMBER, MODIFICATIONS,
    MODIFIED_LINE, NEW_LINES, RENAME, REPLACE, REPLACEMENTS, SEARCH,
};
use crate::edit::Edit;

/// The type that a field has to have.
#[derive(Clone, Copy)]
enum Kind {
    Number,
    Text,
    Texts,
    Truth,
}

impl Kind {
    fn fits(self, value: &Value) -> bool {
        match self {
            Self::Number => value.as_u64().is_some_and(|number| u32::try_from(number).is_ok()),
            Self::Text => value.is_string(),
            Self::Texts => value.as_array().is_some_and(|texts| texts.iter().all(Value::is_string)),
            Self::Truth => value.is_boolean(),
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Number => "a line number",
            Self::Text => "a text",
            Self::Texts => "a list of texts",
            Self::Truth => "`true` or `false`",
        }
    }
}

/// The lists of objects in an edit, with the fields that each object must have.
const LISTS: [(&str, &[(&str, Kind)]); 4] = [
    (INSERTIONS, &[(LINE_NUMBER, Kind::Number), (NEW_LINES, Kind::Texts)]),
    (MODIFICATIONS, &[(LINE_NUMBER, Kind::Number), (MODIFIED_LINE, Kind::Text)]),
    (REPLACEMENTS, &[(SEARCH, Kind::Text), (REPLACE, Kind::Text)]),
    (DEFINITIONS, &[(CODE, Kind::Text)]),
];

/// Reads an edit that has the forms of `write_fix`.
pub(super) fn typed(edit: Map<String, Value>, path: &str) -> Result<Edit, ReadingError> {
    let file = edit.get(FILE).and_then(Value::as_str).map(str::to_owned);
    if let Some((place, problem)) = problem(&edit) {
        let path = if place.is_empty() { path.to_owned() } else { format!("{path}.{place}") };
        return Err(flawed(path, file.as_deref(), problem));
    }
    if file.as_ref().is_some_and(|file| file.trim().is_empty()) {
        return Err(ReadingError::NoFile(ErrorLocation::value(path.to_owned(), None)));
    }
    serde_json::from_value(Value::Object(edit))
        .map_err(|error| flawed(path.to_owned(), file.as_deref(), error.to_string()))
}

fn flawed(path: String, file: Option<&str>, problem: String) -> ReadingError {
    ReadingError::Flawed { spot: ErrorLocation::value(path, file), problem: FormatProblem::Field(problem) }
}

/// The first thing in an edit that is missing or of the wrong kind, and where it is.
pub(super) fn problem(edit: &Map<String, Value>) -> Option<(String, String)> {
    let alone = [(FILE, Kind::Text), (CONTENT, Kind::Text), (RENAME, Kind::Text), (DELETE, Kind::Truth)];
    for (name, kind) in alone {
        match edit.get(name) {
            Some(value) if !(kind.fits(value) || name != FILE && value.is_null()) => {
                return Some((name.to_owned(), wanted(kind)));
            }
            None if name == FILE => return Some((String::new(), missing(FILE))),
            Some(_) | None => {}
        }
    }
    for (given, other) in [(SEARCH, REPLACE), (REPLACE, SEARCH)] {
        if edit.contains_key(given) {
            return Some((String::new(), missing(other)));
        }
    }
    let no_number = |one: &Value| (!Kind::Number.fits(one)).then(|| (String::new(), wanted(Kind::Number)));
    in_list(edit, DELETIONS, no_number).or_else(|| {
        LISTS.iter().find_map(|(name, fields)| {
            in_list(edit, name, |one| fields.iter().find_map(|(field, kind)| in_object(one, field, *kind)))
        })
    })
}

fn in_list(
    edit: &Map<String, Value>,
    name: &str,
    each: impl Fn(&Value) -> Option<(String, String)>,
) -> Option<(String, String)> {
    let Value::Array(elements) = edit.get(name)? else {
        return Some((name.to_owned(), "a list is wanted here".to_owned()));
    };
    elements.iter().enumerate().find_map(|(index, one)| {
        let (place, problem) = each(one)?;
        let here = join(name, &index.to_string());
        Some((if place.is_empty() { here } else { join(&here, &place) }, problem))
    })
}

fn in_object(value: &Value, field: &str, kind: Kind) -> Option<(String, String)> {
    let Some(members) = value.as_object() else {
        return Some((String::new(), "an object is wanted here".to_owned()));
    };
    match members.get(field) {
        None => Some((String::new(), missing(field))),
        Some(value) if !kind.fits(value) => Some((field.to_owned(), wanted(kind))),
        Some(_) => None,
    }
}

fn missing(field: &str) -> String {
    format!("`{field}` is missing")
}

fn wanted(kind: Kind) -> String {
    format!("{} is wanted here", kind.words())
}
