//! Where a value departs from a JSON schema that was made from types of ours.
//!
//! These schemas use few words of JSON Schema (draft 2020-12). [`unread`] names the others, so that tests can hold that there are none.

use serde_json::{Map, Value};

/// The words that [`faults`] knows.
const READ: &[&str] = &[
    "$defs",
    "$ref",
    "additionalProperties",
    "anyOf",
    "const",
    "enum",
    "items",
    "maxItems",
    "maxLength",
    "maximum",
    "minItems",
    "minLength",
    "minimum",
    "oneOf",
    "pattern",
    "prefixItems",
    "properties",
    "required",
    "type",
];

/// Words that say nothing of what fits. `format` speaks of the width of numbers alone, which deserialization holds.
const REMARKS: &[&str] = &["$comment", "$schema", "default", "description", "format", "title"];

/// A place where a value departs from its schema.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Fault {
    /// The place, as a JSON pointer; empty for the value as a whole.
    pub pointer: String,
    /// What is wrong there. It does not repeat the value, which may be long or secret.
    pub message: String,
}

/// All places where a value departs from a schema, in the order of their pointers; none when it fits.
///
/// `root` is the schema that references of `schema` point into; the schema itself, where it is a whole one.
///
/// ```
/// use patchwright_protocol::schema::faults;
/// use serde_json::json;
///
/// let schema = json!({ "type": "object", "properties": { "line": { "type": "integer" } }, "required": ["line"] });
/// assert!(faults(&schema, &schema, &json!({ "line": 3 })).is_empty());
/// assert_eq!(faults(&schema, &schema, &json!({ "line": "three" }))[0].message, "a string instead of an integer");
/// ```
pub fn faults(schema: &Value, root: &Value, value: &Value) -> Vec<Fault> {
    let mut check = Check { root, faults: Vec::new() };
    check.value(schema, value, "");
    check.faults.sort();
    check.faults.dedup();
    check.faults
}

/// The words in a schema that [`faults`] does not know, sorted: what they ask for is not looked at.
pub fn unread(schema: &Value) -> Vec<String> {
    fn collect(schema: &Value, words: &mut Vec<String>) {
        for (word, says) in schema.as_object().into_iter().flatten() {
            match word.as_str() {
                "properties" | "$defs" => {
                    says.as_object().into_iter().flatten().for_each(|(_, schema)| collect(schema, words));
                }
                "anyOf" | "oneOf" | "prefixItems" => {
                    says.as_array().into_iter().flatten().for_each(|schema| collect(schema, words));
                }
                "items" | "additionalProperties" => collect(says, words),
                "pattern" if says.as_str().and_then(letters_of).is_none() => words.push("pattern".to_owned()),
                other if READ.contains(&other) || REMARKS.contains(&other) => {}
                other => words.push(other.to_owned()),
            }
        }
    }
    let mut words = Vec::new();
    collect(schema, &mut words);
    words.sort();
    words.dedup();
    words
}

struct Check<'r> {
    root: &'r Value,
    faults: Vec<Fault>,
}

impl Check<'_> {
    fn fault(&mut self, pointer: &str, message: String) {
        self.faults.push(Fault { pointer: pointer.to_owned(), message });
    }

    fn value(&mut self, schema: &Value, value: &Value, pointer: &str) {
        // `true` and `false` are schemas, too: of anything, and of nothing.
        let Value::Object(words) = schema else {
            if *schema == Value::Bool(false) {
                self.fault(pointer, "nothing may stand here".to_owned());
            }
            return;
        };
        if let Some(target) = referred(schema, self.root) {
            self.value(target, value, pointer);
        }
        if !is_of_its_type(words, value) {
            let wanted: Vec<&str> = types(words).into_iter().map(named).collect();
            // What else the schema asks of another kind of value would say the same again.
            return self.fault(pointer, format!("{} instead of {}", named(kind(value)), wanted.join(" or ")));
        }
        if let Some(allowed) = constants(words)
            && !allowed.contains(&value)
        {
            let allowed: Vec<String> = allowed.into_iter().map(Value::to_string).collect();
            self.fault(pointer, format!("is not {}", allowed.join(" or ")));
        } else {
            self.alternatives(words, value, pointer);
        }
        match value {
            Value::Object(members) => self.members(words, members, pointer),
            Value::Array(elements) => self.elements(words, elements, pointer),
            Value::String(text) => self.text(words, text, pointer),
            Value::Number(number) => self.number(words, number.as_f64(), pointer),
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn number(&mut self, words: &Map<String, Value>, number: Option<f64>, pointer: &str) {
        let bound = |word| words.get(word).and_then(Value::as_f64);
        let Some(number) = number else { return };
        if let Some(least) = bound("minimum").filter(|least| number < *least) {
            self.fault(pointer, format!("is less than {least}"));
        }
        if let Some(most) = bound("maximum").filter(|most| number > *most) {
            self.fault(pointer, format!("is more than {most}"));
        }
    }

    fn text(&mut self, words: &Map<String, Value>, text: &str, pointer: &str) {
        let bound = |word| words.get(word).and_then(Value::as_u64);
        let length = text.chars().count() as u64;
        if bound("minLength").is_some_and(|fewest| length < fewest) {
            self.fault(pointer, "is too short".to_owned());
        }
        if bound("maxLength").is_some_and(|most| length > most) {
            self.fault(pointer, "is too long".to_owned());
        }
        if let Some(pattern) = words.get("pattern").and_then(Value::as_str)
            && let Some(letters) = letters_of(pattern)
            && (text.is_empty() || !text.chars().all(|letter| has_letter(letters, letter)))
        {
            self.fault(pointer, format!("does not match {pattern}"));
        }
    }

    /// Where none of several schemas fits, what is wrong is told by the nearest: of the value's type, with its constants, with the fewest
    /// faults.
    fn alternatives(&mut self, words: &Map<String, Value>, value: &Value, pointer: &str) {
        let Some(schemas) = ["anyOf", "oneOf"].iter().find_map(|word| list(words, word)) else { return };
        let mut readings: Vec<(bool, bool, Vec<Fault>)> = schemas
            .iter()
            .map(|schema| {
                let mut check = Check { root: self.root, faults: Vec::new() };
                check.value(schema, value, pointer);
                let schema = referred(schema, self.root).unwrap_or(schema);
                let is_of_other_type = schema.as_object().is_some_and(|words| !is_of_its_type(words, value));
                (is_of_other_type, has_other_constants(schema, value), check.faults)
            })
            .collect();
        match readings.iter().filter(|(_, _, faults)| faults.is_empty()).count() {
            0 => {
                let nearest =
                    readings.iter_mut().min_by_key(|(is_of_other_type, has_other_constants, faults)| {
                        (*is_of_other_type, *has_other_constants, faults.len())
                    });
                self.faults.append(nearest.map_or(&mut Vec::new(), |(_, _, faults)| faults));
            }
            1 => {}
            _ if words.contains_key("oneOf") => {
                self.fault(pointer, "can be read in several ways".to_owned());
            }
            _ => {}
        }
    }

    fn members(&mut self, words: &Map<String, Value>, members: &Map<String, Value>, pointer: &str) {
        for name in list(words, "required").into_iter().flatten().filter_map(Value::as_str) {
            if !members.contains_key(name) {
                self.fault(pointer, format!("`{name}` is missing"));
            }
        }
        let properties = words.get("properties").and_then(Value::as_object);
        for (name, member) in members {
            let here = format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"));
            let known = properties.and_then(|known| known.get(name));
            match known.or_else(|| words.get("additionalProperties")) {
                Some(Value::Bool(false)) if known.is_none() => {
                    self.fault(pointer, format!("nothing is called `{name}` here"));
                }
                Some(schema) => self.value(schema, member, &here),
                None => {}
            }
        }
    }

    fn elements(&mut self, words: &Map<String, Value>, elements: &[Value], pointer: &str) {
        let bound = |word| words.get(word).and_then(Value::as_u64);
        let count = elements.len() as u64;
        if bound("minItems").is_some_and(|fewest| count < fewest) {
            self.fault(pointer, "has too few elements".to_owned());
        }
        if bound("maxItems").is_some_and(|most| count > most) {
            self.fault(pointer, "has too many elements".to_owned());
        }
        let first = list(words, "prefixItems").unwrap_or_default();
        for (index, element) in elements.iter().enumerate() {
            if let Some(schema) = first.get(index).or_else(|| words.get("items")) {
                self.value(schema, element, &format!("{pointer}/{index}"));
            }
        }
    }
}

/// The letters of a pattern, if it has the only form that is read: `^[letters]+$`.
fn letters_of(pattern: &str) -> Option<&str> {
    let letters = pattern.strip_prefix("^[")?.strip_suffix("]+$")?;
    (!letters.is_empty() && !letters.starts_with('^') && !letters.contains(['[', ']', '\\']))
        .then_some(letters)
}

/// Whether the letters of a pattern, ranges such as `a-z` among them, have this one.
fn has_letter(letters: &str, letter: char) -> bool {
    let mut rest = letters.chars();
    while let Some(first) = rest.next() {
        let mut ahead = rest.clone();
        let last = match (ahead.next(), ahead.next()) {
            (Some('-'), Some(last)) => {
                rest = ahead;
                last
            }
            _ => first,
        };
        if (first..=last).contains(&letter) {
            return true;
        }
    }
    false
}

/// The schema that a schema refers to, if it does.
fn referred<'s>(schema: &Value, root: &'s Value) -> Option<&'s Value> {
    root.pointer(schema.get("$ref")?.as_str()?.strip_prefix('#')?)
}

fn list<'s>(words: &'s Map<String, Value>, word: &str) -> Option<&'s [Value]> {
    words.get(word).and_then(Value::as_array).map(Vec::as_slice)
}

fn types(words: &Map<String, Value>) -> Vec<&str> {
    match words.get("type") {
        Some(Value::String(kind)) => vec![kind],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn is_of_its_type(words: &Map<String, Value>, value: &Value) -> bool {
    let types = types(words);
    let kind = kind(value);
    types.is_empty() || types.contains(&kind) || kind == "integer" && types.contains(&"number")
}

/// Whether a member that a schema names with a single value has another one: the value is of another kind then.
fn has_other_constants(schema: &Value, value: &Value) -> bool {
    let members = schema.get("properties").and_then(Value::as_object);
    members.into_iter().flatten().any(|(name, schema)| {
        let found = schema.get("const").zip(value.get(name));
        found.is_some_and(|(only, found)| only != found)
    })
}

/// The values of which one has to stand, where a schema lists them: one by one, or each as an alternative.
fn constants(words: &Map<String, Value>) -> Option<Vec<&Value>> {
    let alternatives = || list(words, "oneOf")?.iter().map(|schema| schema.get("const")).collect();
    let only = words.get("const").map(|only| vec![only]);
    only.or_else(|| Some(list(words, "enum")?.iter().collect())).or_else(alternatives)
}

/// The kind of a value in the words of JSON Schema; a number without a fraction is an integer.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.as_f64().is_some_and(|number| number.fract() == 0.0) => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn named(kind: &str) -> &str {
    match kind {
        "boolean" => "true or false",
        "integer" => "an integer",
        "number" => "a number",
        "string" => "a string",
        "array" => "a list",
        "object" => "an object",
        other => other,
    }
}

#[cfg(test)]
mod tests;
