//! Values brought to the types of a schema, where that has one reading.

use patchwright_replies::{
    ARGUMENT_NAMES, Match, NameMatching, Repair, ValueChange, join, match_name, whole_number,
};
use serde_json::{Map, Value};

use patchwright_edits::formats::{self, ReadingError};
use patchwright_edits::joined_lines;
use patchwright_syntax::Project;

use super::json_schema::{required, resolved, types};
use super::refusal::{Problem, Refusal};
use super::shapes;

/// Bringing the arguments of one call to the schema of its tool.
pub(super) struct Coercion<'c> {
    pub tool: &'c str,
    /// The schema that references point into.
    pub root: &'c Value,
    pub matching: &'c NameMatching,
    pub project: Option<&'c Project>,
    pub repairs: &'c mut Vec<Repair>,
    /// The argument that takes edits, if one does.
    pub edits: Option<&'c str>,
}

impl Coercion<'_> {
    /// An object: its names, then its values. `null` is left out where nothing is required.
    pub fn object(
        &mut self,
        written: Map<String, Value>,
        schema: &Value,
        path: &str,
    ) -> Result<Map<String, Value>, Refusal> {
        let Some(Value::Object(properties)) = schema.get("properties") else { return Ok(written) };
        let named = self.names(written, schema, properties, path)?;
        let mut members = Map::new();
        for (name, value) in named {
            let here = join(path, &name);
            let Some(property) = properties.get(&name) else {
                members.insert(name, value);
                continue;
            };
            if path.is_empty() && self.edits == Some(&name) {
                // Edits have fields that the schema does not show.
                let edits = formats::normalised(value, &here, self.project, self.repairs)
                    .map_err(|error| self.unreadable(&here, &error))?;
                members.insert(name, edits);
                continue;
            }
            let nullable =
                types(resolved(property, self.root)).iter().any(|kind| matches!(*kind, "null" | "array"));
            let is_text = types(resolved(property, self.root)) == ["string"];
            // Who answers `false` where a text may be given gives none.
            let is_nothing = value.is_null() && !nullable || value == Value::Bool(false) && is_text;
            if is_nothing && !required(schema).any(|required| required == name) {
                self.repairs.push(Repair::value(&here, ValueChange::NullLeftOut));
                continue;
            }
            members.insert(name, self.value(value, property, &here)?);
        }
        Ok(members)
    }

    /// The members under the names of the schema.
    fn names(
        &mut self,
        written: Map<String, Value>,
        schema: &Value,
        properties: &Map<String, Value>,
        path: &str,
    ) -> Result<Vec<(String, Value)>, Refusal> {
        let free: Vec<&str> =
            properties.keys().map(String::as_str).filter(|name| !written.contains_key(*name)).collect();
        let mut named: Vec<(String, Value)> = Vec::new();
        let mut left: Vec<(String, Value)> = Vec::new();
        let mut renamed: Vec<(String, &str)> = Vec::new();
        for (asked, value) in written {
            if properties.contains_key(&asked) {
                named.push((asked, value));
                continue;
            }
            match match_name(&asked, &free, ARGUMENT_NAMES, self.matching) {
                Match::Exact(name) | Match::Near(name) => {
                    if let Some((other, _)) = renamed.iter().find(|(_, taken)| *taken == name) {
                        if named.iter().any(|(taken, known)| taken == name && *known == value) {
                            continue;
                        }
                        return Err(self.twice(path, name, other, &asked));
                    }
                    self.rename(path, &asked, name);
                    named.push((name.to_owned(), value));
                    renamed.push((asked, name));
                }
                Match::Several(readings) => {
                    let readings = readings.into_iter().map(str::to_owned).collect();
                    return Err(Refusal::AmbiguousArgument {
                        tool: self.tool.to_owned(),
                        asked: join(path, &asked),
                        readings,
                    });
                }
                Match::None { .. } => left.push((asked, value)),
            }
        }
        let missing: Vec<&str> =
            required(schema).filter(|name| !named.iter().any(|(given, _)| given == name)).collect();
        // One value without a place and one place without a value belong together, if they agree in type.
        if let ([(asked, value)], [name]) = (left.as_slice(), missing.as_slice())
            && properties.get(*name).is_some_and(|property| fits(value, resolved(property, self.root)))
        {
            self.rename(path, asked, name);
            named.push(((*name).to_owned(), value.clone()));
            return Ok(named);
        }
        let closed = schema.get("additionalProperties").is_none_or(|allowed| *allowed == Value::Bool(false));
        for (asked, value) in left {
            if closed {
                self.repairs.push(Repair::IgnoredArgument { name: join(path, &asked) });
            } else {
                named.push((asked, value));
            }
        }
        Ok(named)
    }

    fn rename(&mut self, path: &str, asked: &str, name: &str) {
        self.repairs.push(Repair::ArgumentName { asked: join(path, asked), read_as: name.to_owned() });
    }

    fn twice(&self, path: &str, name: &str, first: &str, second: &str) -> Refusal {
        let message = format!("given twice, as `{first}` and as `{second}`");
        Refusal::BadArguments {
            tool: self.tool.to_owned(),
            problems: vec![Problem { path: join(path, name), message }],
            expected: format!("one `{name}`"),
        }
    }

    fn unreadable(&self, path: &str, error: &ReadingError) -> Refusal {
        let message = error.to_string().trim_end_matches('.').to_owned();
        Refusal::BadArguments {
            tool: self.tool.to_owned(),
            problems: vec![Problem { path: path.to_owned(), message }],
            expected: format!("`{path}`, a list of edits"),
        }
    }

    /// A value, brought to the type that the schema wants.
    fn value(&mut self, value: Value, schema: &Value, path: &str) -> Result<Value, Refusal> {
        let schema = resolved(schema, self.root);
        let kinds = types(schema);
        let (value, change) = convert(value, &kinds);
        if let Some(change) = change {
            self.repairs.push(Repair::value(path, change));
        }
        match value {
            Value::Array(elements) => {
                let Some(items) = schema.get("items") else { return Ok(Value::Array(elements)) };
                let elements = elements
                    .into_iter()
                    .enumerate()
                    .map(|(index, element)| self.value(element, items, &join(path, &index.to_string())));
                elements.collect::<Result<Vec<_>, _>>().map(Value::Array)
            }
            Value::Object(members) => self.object(members, schema, path).map(Value::Object),
            other => Ok(other),
        }
    }
}

/// A value of one of the kinds that are wanted, if there is exactly one way to make it one; else the value itself.
fn convert(value: Value, kinds: &[&str]) -> (Value, Option<ValueChange>) {
    let wanted = |kind: &str| kinds.contains(&kind);
    if kinds.is_empty() || kinds.iter().any(|kind| is_of(&value, kind)) {
        return (value, None);
    }
    let converted = match &value {
        Value::String(text) => {
            let trimmed = text.trim();
            if trimmed == "null" && wanted("null") {
                Some((Value::Null, ValueChange::JsonInText))
            } else if wanted("integer") || wanted("number") {
                whole_number(trimmed, wanted("number")).map(|number| (number, ValueChange::TextToNumber))
            } else if wanted("boolean") {
                truth(trimmed).map(|truth| (truth.into(), ValueChange::TextToTruth))
            } else if wanted("array") || wanted("object") {
                let inner = value_in_text(trimmed);
                let fits = |inner: &Value| {
                    (inner.is_array() && wanted("array")) || (inner.is_object() && wanted("object"))
                };
                match inner.filter(fits) {
                    Some(inner) => Some((inner, ValueChange::JsonInText)),
                    None if wanted("array") => Some((vec![value.clone()].into(), ValueChange::OneToList)),
                    None => None,
                }
            } else {
                None
            }
        }
        Value::Number(number) => match number.as_f64() {
            Some(float) if wanted("integer") && float.fract() == 0.0 && float.abs() < 1e15 => {
                Some(((float as i64).into(), ValueChange::TextToNumber))
            }
            _ if wanted("string") => Some((number.to_string().into(), ValueChange::NumberToText)),
            _ if wanted("array") => Some((vec![value.clone()].into(), ValueChange::OneToList)),
            _ => None,
        },
        Value::Array(elements) => match elements.as_slice() {
            [only] if !only.is_array() => Some((only.clone(), ValueChange::ListToOne)),
            lines if wanted("string") && lines.len() > 1 && lines.iter().all(Value::is_string) => {
                let lines: Vec<&str> = lines.iter().filter_map(Value::as_str).collect();
                Some((joined_lines(&lines).into(), ValueChange::LinesToText))
            }
            _ => None,
        },
        Value::Object(_) if wanted("array") => Some((vec![value.clone()].into(), ValueChange::OneToList)),
        Value::Null if wanted("array") => Some((Vec::<Value>::new().into(), ValueChange::NullLeftOut)),
        Value::Bool(true) if wanted("string") => Some(("true".into(), ValueChange::TruthToText)),
        Value::Null | Value::Bool(_) | Value::Object(_) => None,
    };
    match converted {
        // One step only: a list of one text for a number is two.
        Some((value, change)) => {
            let (value, again) =
                if change == ValueChange::ListToOne { convert(value, kinds) } else { (value, None) };
            (value, again.or(Some(change)))
        }
        None => (value, None),
    }
}

/// Is true if a value has, or may be brought to, the type that is wanted.
fn fits(value: &Value, schema: &Value) -> bool {
    let kinds = types(schema);
    kinds.iter().any(|kind| is_of(value, kind)) || (value.is_string() && kinds.contains(&"array"))
}

fn is_of(value: &Value, kind: &str) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    }
}

/// The value that a text is: JSON, or a list or an object that one repairs to it without a doubt.
fn value_in_text(text: &str) -> Option<Value> {
    let repaired =
        || shapes::arguments_in_text(text).filter(|one| one.damage.is_empty() && one.span == (0..text.len()));
    serde_json::from_str(text).ok().or_else(|| repaired().map(|one| one.value))
}

fn truth(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}
