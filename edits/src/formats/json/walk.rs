//! All edits in the JSON values of a text, as one set.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use patchwright_replies::{Damage, DamageKind, Recovered, Repair, ValueChange, dotted, end_of, recover};
use patchwright_syntax::Project;
use serde_json::{Map, Value};

use super::super::error::{ErrorLocation, FormatProblem, ReadingError};
use super::super::text::{Block, FormatError, Found};
use super::super::{EditFormat, marked};
use super::check::typed;
use super::names::{CODE, COMMAND, DEFINITIONS, has_file, is_file};
use super::sets::below;
use super::{Pass, edits, in_format, is_edit};

/// The depth to which JSON is read that stands in texts of JSON.
const NESTED: usize = 4;
/// Keys under which a model thinks.
const THOUGHTS: [&str; 9] = [
    "thoughts",
    "thought",
    "reasoning",
    "thinking",
    "analysis",
    "explanation",
    "description",
    "hypothesis",
    "reason",
];

/// Reads all edits in the JSON values of a text.
pub(in super::super) fn scan(text: &str, project: Option<&Project>) -> Found {
    walked(recover(text), text, project)
}

/// Reads all edits in a value that stands in a text.
pub(in super::super) fn scan_value(value: Value, span: Range<usize>, project: Option<&Project>) -> Found {
    walked(vec![Recovered { value, span, repairs: Vec::new(), damage: Vec::new() }], "", project)
}

fn walked(values: Vec<Recovered>, text: &str, project: Option<&Project>) -> Found {
    let mut walk = Walk { pass: Pass { project, ..Pass::default() }, ..Walk::default() };
    for recovered in values {
        let span = recovered.span.clone();
        if let Err(error) = walk.recovered(recovered, text, &span, NESTED) {
            walk.found.fault = Some(FormatError { at: span.start, error });
            break;
        }
    }
    walk.finish()
}

#[derive(Default)]
struct Walk<'p> {
    found: Found,
    pass: Pass<'p>,
    /// How many values hold edits.
    values: usize,
    /// A change that names no file, and where it is.
    nameless: Option<(usize, ReadingError)>,
}

/// The context of the value that is walked through.
struct Origin<'v> {
    span: &'v Range<usize>,
    text: &'v str,
    damage: &'v [Damage],
    /// Pointers to what is damaged, and to what holds it.
    damaged: HashSet<String>,
    /// Pointers to what lost an element or a member, with the first damage of each.
    torn: HashMap<&'v str, &'v Damage>,
    nested: usize,
}

impl Walk<'_> {
    fn finish(mut self) -> Found {
        if let Some((at, error)) = self.nameless
            && self.found.blocks.is_empty()
            && self.found.fault.is_none()
        {
            self.found.fault = Some(FormatError { at, error });
        }
        if self.values > 1 {
            // They may be meant as alternatives.
            self.pass.value("", ValueChange::ValuesTakenTogether);
        }
        self.found.repairs.append(&mut self.pass.repairs);
        self.found
    }

    fn recovered(
        &mut self,
        recovered: Recovered,
        text: &str,
        span: &Range<usize>,
        nested: usize,
    ) -> Result<(), ReadingError> {
        let damaged = recovered.damaged_pointers();
        let lost = recovered.damage.iter().rev().filter(|damage| damage.kind != DamageKind::Unclosed);
        let torn = lost.filter_map(|damage| Some((damage.pointer.rsplit_once('/')?.0, damage))).collect();
        let around = Origin { span, text, damage: &recovered.damage, damaged, torn, nested };
        let before = self.found.blocks.len();
        self.value(recovered.value, &mut String::new(), &around)?;
        if self.found.blocks.len() > before {
            self.values += usize::from(nested == NESTED);
            self.pass.repairs.extend(recovered.repairs.iter().map(Repair::of_json));
        }
        Ok(())
    }

    fn value(&mut self, value: Value, pointer: &mut String, around: &Origin) -> Result<(), ReadingError> {
        match value {
            Value::Object(members) if is_edit(&members) => self.edit(members, pointer, around),
            Value::Object(members) => {
                if has_file(&members) && around.damaged.contains(pointer) {
                    // What it was to change may be what was lost.
                    around.refuse_damage(pointer, file_of(&members))?;
                }
                self.note_nameless(&members, pointer, around);
                for (key, member) in members {
                    if !THOUGHTS.contains(&key.as_str()) {
                        self.below(pointer, &key, member, around)?;
                    }
                }
                Ok(())
            }
            Value::Array(elements) => {
                for (index, element) in elements.into_iter().enumerate() {
                    self.below(pointer, &index.to_string(), element, around)?;
                }
                Ok(())
            }
            Value::String(text) => self.text(&text, pointer, around),
            Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
        }
    }

    fn below(
        &mut self,
        pointer: &mut String,
        part: &str,
        value: Value,
        around: &Origin,
    ) -> Result<(), ReadingError> {
        if !matches!(value, Value::Object(_) | Value::Array(_) | Value::String(_)) {
            return Ok(());
        }
        let mut result = Ok(());
        below(pointer, part, |pointer| result = self.value(value, pointer, around));
        result
    }

    /// One edit, or those in the patch that an object holds.
    fn edit(
        &mut self,
        members: Map<String, Value>,
        pointer: &str,
        around: &Origin,
    ) -> Result<(), ReadingError> {
        let file = file_of(&members);
        around.refuse_damage(pointer, file)?;
        let path = path_of(pointer);
        if let Some(command) = members.get(COMMAND).and_then(Value::as_str)
            && command == "undo_edit"
        {
            let problem = FormatProblem::UnknownCommand(command.to_owned());
            return Err(ReadingError::Flawed { spot: ErrorLocation::value(path, file), problem });
        }
        let format = format_of(&members);
        for edit in edits(members, &path, &mut self.pass)? {
            let Value::Object(edit) = edit else { continue };
            let edit = typed(edit, &path)?;
            self.found.blocks.push(Block { span: around.span.clone(), edit, format });
        }
        Ok(())
    }

    /// A text may hold edits in another format, or JSON again.
    fn text(&mut self, text: &str, pointer: &str, around: &Origin) -> Result<(), ReadingError> {
        if around.nested == 0 {
            return Ok(());
        }
        let begins = text.trim_start();
        let json = begins.starts_with(['{', '[']) && text.contains('"') || begins.starts_with(['"', '\'']);
        if !json && !marked::has_marks(text) {
            return Ok(());
        }
        let path = path_of(pointer);
        if !json {
            let Some(reading) = in_format(text, None, &path, &mut self.pass)? else { return Ok(()) };
            around.refuse_damage(pointer, None)?;
            let block = |edit| Block { span: around.span.clone(), edit, format: reading.format };
            self.found.blocks.extend(reading.edits.into_iter().map(block));
            return Ok(());
        }
        let before = self.found.blocks.len();
        for recovered in recover(text) {
            self.recovered(recovered, text, around.span, around.nested - 1)?;
        }
        if self.found.blocks.len() > before {
            around.refuse_damage(pointer, None)?;
            self.pass.value(&path, ValueChange::JsonInText);
        }
        Ok(())
    }

    /// Remembers an object with changes that names no file.
    fn note_nameless(&mut self, members: &Map<String, Value>, pointer: &str, around: &Origin) {
        let lists = super::CHANGES.iter().any(|name| members.get(*name).is_some_and(Value::is_array));
        if lists && !has_file(members) && self.nameless.is_none() {
            let error = ReadingError::NoFile(ErrorLocation::value(path_of(pointer), None));
            self.nameless = Some((around.span.start, error));
        }
    }
}

impl Origin<'_> {
    /// Refuses an edit in which, or in the list of which, something was cut off or is not clear. A list that only lacks its
    /// bracket is read: models forget it more often than a reply ends right there.
    fn refuse_damage(&self, pointer: &str, file: Option<&str>) -> Result<(), ReadingError> {
        let list = pointer.rsplit_once('/').map_or("", |(list, _)| list);
        let found = if self.damaged.contains(pointer) {
            self.damage.iter().find(|damage| damage.is_within(pointer))
        } else {
            self.torn.get(list).copied()
        };
        found.map_or(Ok(()), |damage| Err(damaged(damage, path_of(&damage.pointer), file, self.text)))
    }
}

fn file_of(members: &Map<String, Value>) -> Option<&str> {
    members.iter().find(|(key, file)| file.is_string() && is_file(key)).and_then(|(_, file)| file.as_str())
}

/// The reason for which something damaged is not used.
pub(super) fn damaged(damage: &Damage, path: String, file: Option<&str>, text: &str) -> ReadingError {
    let spot = ErrorLocation::value(path, file);
    let after = || end_of(text.get(..damage.at).unwrap_or(text).trim_end());
    match damage.kind {
        DamageKind::Cut | DamageKind::Unclosed => ReadingError::Cut { after: after(), spot },
        DamageKind::TwoReadings => ReadingError::TwoReadings(spot),
        DamageKind::LeftOut | DamageKind::TooDeep => ReadingError::Unreadable { after: after(), spot },
    }
}

/// A pointer as people write a path; what stands in a list that has no name is one of the edits.
fn path_of(pointer: &str) -> String {
    let path = dotted(pointer);
    if path.is_empty() || path.starts_with('[') { format!("edits{path}") } else { path }
}

/// The format that an object is in: the paper's, or that of calls of an editor, or functions.
fn format_of(members: &Map<String, Value>) -> EditFormat {
    let has = |name: &str| members.contains_key(name);
    if ["old_str", "old_string", COMMAND, "file_text"].into_iter().any(has) {
        return EditFormat::StringReplace;
    }
    let pairs = members.get("edits").and_then(Value::as_array);
    let strings = |pair: &Value| pair.get("old_string").is_some() || pair.get("old_str").is_some();
    if pairs.is_some_and(|pairs| pairs.iter().any(strings)) {
        return EditFormat::StringReplace;
    }
    if has(DEFINITIONS) || has(CODE) { EditFormat::Function } else { EditFormat::Json }
}
