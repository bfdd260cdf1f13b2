//! Edits in JSON, as models write them, brought to the form of `write_fix`.
//!
//! The form is the paper's: `file_path`, `insertions` (`line_number`, `new_lines`), `deletions`, `modifications`
//! (`line_number`, `modified_line`); and beside it texts to replace, as calls of an editor have them. Only forms and
//! names are changed here; texts, paths and numbers stay as given.

mod check;
mod fields;
mod names;
mod numbers;
mod sets;
mod tagged;
mod walk;

use patchwright_replies::{Recovered, Repair, ValueChange, dotted, join, recover};
use patchwright_syntax::Project;
use serde_json::{Map, Value};

use self::fields::edit;
use self::names::{CHANGES, FILE, PATCH, TARGET_LINES, has_file, is_change};
pub use self::sets::{CandidateReading, interpret_edits};
pub(super) use self::tagged::calls as tagged_calls;
pub(super) use self::walk::{scan, scan_value};
use super::Reading;
use super::error::ReadingError;
use super::marked;
use super::text::Around;
use crate::edit::Edit;

/// One pass over edits, which brings them to their form.
#[derive(Debug, Default)]
struct Pass<'p> {
    /// Where files and lines are looked up.
    project: Option<&'p Project>,
    /// The repairs made on the way.
    repairs: Vec<Repair>,
    /// Is true once it was told that `target_lines` are ignored, which prompts ask for and nobody needs.
    told: bool,
}

impl Pass<'_> {
    fn value(&mut self, path: &str, change: ValueChange) {
        self.repairs.push(Repair::value(path, change));
    }

    fn name(&mut self, path: &str, asked: &str, name: &str) {
        self.repairs.push(Repair::ArgumentName { asked: join(path, asked), read_as: name.to_owned() });
    }

    fn ignored(&mut self, name: String) {
        self.repairs.push(Repair::IgnoredArgument { name });
    }

    fn ignore_target_lines(&mut self) {
        if !self.told {
            self.ignored(TARGET_LINES.to_owned());
        }
        self.told = true;
    }
}

/// Is true if an object is an edit: it names a file and says what to change.
pub fn is_edit(members: &Map<String, Value>) -> bool {
    has_file(members) && members.iter().any(|(key, value)| is_change(key, value)) && !is_wrapper(members)
}

/// Is true if the fields of an object are those of an edit.
pub fn are_fields(properties: &Map<String, Value>) -> bool {
    properties.contains_key(FILE) && CHANGES.iter().all(|change| properties.contains_key(*change))
}

/// Is true if an object names a file but holds edits that name their own.
fn is_wrapper(members: &Map<String, Value>) -> bool {
    only_list(members).is_some()
}

fn is_edit_value(value: &Value) -> bool {
    value.as_object().is_some_and(has_file)
}

/// The key of the only member of an object that is a list of edits.
fn only_list(members: &Map<String, Value>) -> Option<&str> {
    let is_list = |value: &Value| {
        value.as_array().is_some_and(|list| !list.is_empty() && list.iter().all(is_edit_value))
    };
    only(members.iter().filter(|(_, value)| is_list(value)).map(|(key, _)| key.as_str()))
}

/// The key of the only member of an object that is an edit.
fn only_edit(members: &Map<String, Value>) -> Option<&str> {
    only(members.iter().filter(|(_, value)| is_edit_value(value)).map(|(key, _)| key.as_str()))
}

fn only<T>(mut found: impl Iterator<Item = T>) -> Option<T> {
    let first = found.next();
    if found.next().is_some() { None } else { first }
}

/// A set of edits in the form of `write_fix`: a list, each edit with its known fields. What cannot be understood stays as
/// it is, for the schema to complain about. A project tells which lines of a patch are paths, and which signs are its own.
///
/// # Errors
/// A text in it holds edits that cannot be read.
pub fn normalised(
    value: Value,
    path: &str,
    project: Option<&Project>,
    repairs: &mut Vec<Repair>,
) -> Result<Value, ReadingError> {
    let mut pass = Pass { project, ..Pass::default() };
    let value = set(value, path, &mut pass)?;
    repairs.append(&mut pass.repairs);
    Ok(value)
}

fn set(value: Value, path: &str, pass: &mut Pass) -> Result<Value, ReadingError> {
    match value {
        Value::Null => {
            pass.value(path, ValueChange::NullLeftOut);
            Ok(Value::Array(Vec::new()))
        }
        Value::String(text) => in_text(text, path, pass),
        Value::Object(members) if has_file(&members) && !is_wrapper(&members) => {
            pass.value(path, ValueChange::OneToList);
            edits(members, &join(path, "0"), pass).map(Value::Array)
        }
        Value::Object(mut members) => {
            let key = only_list(&members).or_else(|| only_edit(&members)).map(str::to_owned);
            match key.and_then(|key| members.swap_remove(&key)) {
                Some(inner) => {
                    pass.value(path, ValueChange::Unwrapped);
                    set(inner, path, pass)
                }
                None => one_patch(members, path, pass),
            }
        }
        Value::Array(mut elements) => {
            // `[[…]]` and `[{"fixes": […]}]`
            if let [only] = elements.as_slice()
                && (only.is_array() || only.as_object().is_some_and(is_wrapper))
            {
                pass.value(path, ValueChange::Unwrapped);
                return set(elements.swap_remove(0), path, pass);
            }
            let mut list = Vec::with_capacity(elements.len());
            for (index, element) in elements.into_iter().enumerate() {
                match element {
                    Value::Object(members) => {
                        list.extend(edits(members, &join(path, &index.to_string()), pass)?);
                    }
                    other => list.push(other),
                }
            }
            Ok(Value::Array(list))
        }
        Value::Bool(_) | Value::Number(_) => Ok(value),
    }
}

/// An object around the text of a patch.
fn one_patch(members: Map<String, Value>, path: &str, pass: &mut Pass) -> Result<Value, ReadingError> {
    let text = only(members.values().filter_map(Value::as_str).filter(|text| marked::has_marks(text)));
    let Some(text) = text else { return Ok(Value::Object(members)) };
    let reading = in_format(text, None, path, pass)?;
    Ok(reading.map_or_else(|| Value::Array(Vec::new()), |reading| values(reading.edits).collect()))
}

/// Edits in a text where a list was wanted: as JSON, or in another format.
fn in_text(text: String, path: &str, pass: &mut Pass) -> Result<Value, ReadingError> {
    if let Some(reading) = in_format(&text, None, path, pass)? {
        return Ok(values(reading.edits).collect());
    }
    let mut found = recover(&text);
    match found.len() {
        1 => {
            pass.value(path, ValueChange::JsonInText);
            let Recovered { value, repairs, damage, .. } = found.swap_remove(0);
            if let Some(damage) = damage.first() {
                return Err(walk::damaged(damage, dotted(&damage.pointer), None, &text));
            }
            pass.repairs.extend(repairs.iter().map(Repair::of_json));
            if value.is_string() { Ok(value) } else { set(value, path, pass) }
        }
        _ => Ok(Value::String(text)),
    }
}

/// Edits in a text that is known to be complete and to be in one of the formats that are not JSON.
fn in_format(
    text: &str,
    file: Option<&str>,
    path: &str,
    pass: &mut Pass,
) -> Result<Option<Reading>, ReadingError> {
    if !marked::has_marks(text) {
        return Ok(None);
    }
    let reading = marked::in_texts(text, Around { file, complete: true, project: pass.project })?;
    if let Some(reading) = &reading {
        pass.repairs.push(Repair::Format { path: path.to_owned(), format: reading.format.name() });
        pass.repairs.extend_from_slice(&reading.repairs);
    }
    Ok(reading)
}

fn values(edits: Vec<Edit>) -> impl Iterator<Item = Value> {
    edits.into_iter().filter_map(|edit| serde_json::to_value(edit).ok())
}

/// The edits in an object: one, or those in the patch that it holds.
fn edits(mut members: Map<String, Value>, path: &str, pass: &mut Pass) -> Result<Vec<Value>, ReadingError> {
    let texts = members.iter().filter(|(key, value)| value.is_string() && holds_patch(key));
    if let Some((key, Value::String(text))) = only(texts) {
        let file = members.iter().find(|(key, _)| names::is_file(key)).and_then(|(_, file)| file.as_str());
        if let Some(reading) = in_format(text, file, &join(path, key), pass)? {
            return Ok(values(reading.edits).collect());
        }
    }
    // `{"file_path": …, "changes": {"insertions": …}}`
    let nested = only(members.iter().filter(|(key, value)| value.is_object() && holds_patch(key)));
    if let Some(key) = nested.map(|(key, _)| key.clone())
        && let Some(Value::Object(inner)) = members.swap_remove(&key)
    {
        pass.value(&join(path, &key), ValueChange::Unwrapped);
        members.extend(inner);
    }
    Ok(vec![Value::Object(edit(members, path, pass))])
}

/// Is true if a key of an edit is one under which a patch in another format may stand.
fn holds_patch(key: &str) -> bool {
    matches!(names::field(key, names::EDIT), Some(PATCH | names::REPLACEMENTS))
}
