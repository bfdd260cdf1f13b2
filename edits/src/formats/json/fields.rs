//! The fields of one edit in their own names and forms.

use patchwright_replies::{ValueChange, join};
use serde_json::{Map, Value};

use super::Pass;
use super::names::{
    ALL, CHANGES, CODE, COMMAND, CONTENT, DEFINITION, DEFINITIONS, DELETE, DELETIONS, EDIT, EXPECTED, FILE,
    INSERT_LINE, INSERTION, INSERTIONS, LINE_NUMBER, MODIFICATION, MODIFICATIONS, MODIFIED_LINE, NAME,
    NEW_LINES, RENAME, REPLACE, REPLACEMENT, REPLACEMENTS, SEARCH, TARGET_LINES, field, renamed,
};
use super::numbers::{by_number, ends, line_number, line_numbers, lines, one_text, range, split};

/// The text that an editor's call puts in.
const INSERT_TEXT: &str = "insert_text";

/// One edit with the names and forms of `write_fix`. What cannot be understood stays as it is.
pub(super) fn edit(members: Map<String, Value>, path: &str, pass: &mut Pass) -> Map<String, Value> {
    let mut edit = Map::new();
    let mut held = Map::new();
    let mut members = renamed(members, EDIT, path, pass);
    raise(&mut members, path, pass);
    for (name, value) in members {
        let here = join(path, &name);
        match name.as_str() {
            INSERTIONS => add(&mut edit, INSERTIONS, list(value, NEW_LINES, &here, pass, insertion)),
            DELETIONS | DELETE => deleted(&mut edit, value, &here, pass),
            MODIFICATIONS => modified(&mut edit, value, &here, pass),
            REPLACEMENTS => replaced(&mut edit, value, &here, pass),
            DEFINITIONS => add(&mut edit, DEFINITIONS, list(value, CODE, &here, pass, definition)),
            CONTENT => put(&mut edit, CONTENT, one_text(value, &here, pass)),
            FILE | RENAME => put(&mut edit, &name, value),
            TARGET_LINES => pass.ignore_target_lines(),
            EXPECTED => pass.ignored(here),
            SEARCH | REPLACE | CODE | INSERT_TEXT => put(&mut held, &name, one_text(value, &here, pass)),
            _ => put(&mut held, &name, value),
        }
    }
    place_held(&mut edit, held, path, pass);
    edit
}

/// Puts lists of changes that slipped into a single change, for want of a bracket, beside it.
fn raise(members: &mut Map<String, Value>, path: &str, pass: &mut Pass) {
    let mut raised = Vec::new();
    for list in [INSERTIONS, MODIFICATIONS] {
        let Some(Value::Array(elements)) = members.get_mut(list) else { continue };
        for (index, element) in elements.iter_mut().enumerate() {
            let Some(inner) = element.as_object_mut() else { continue };
            for name in CHANGES {
                if let Some(Value::Array(changes)) = inner.remove(name)
                    && !changes.is_empty()
                {
                    let here = [list, &index.to_string(), name]
                        .into_iter()
                        .fold(path.to_owned(), |path, part| join(&path, part));
                    pass.value(&here, ValueChange::Moved);
                    raised.push((name, changes));
                }
            }
        }
    }
    for (name, changes) in raised {
        add(members, name, changes);
    }
}

fn put(edit: &mut Map<String, Value>, name: &str, value: Value) {
    edit.insert(name.to_owned(), value);
}

/// Adds to a list of an edit, which is there afterwards.
fn add(edit: &mut Map<String, Value>, name: &str, more: Vec<Value>) {
    if more.is_empty() {
        edit.entry(name).or_insert_with(|| Value::Array(Vec::new()));
        return;
    }
    let mut elements = match edit.remove(name) {
        Some(Value::Array(elements)) => elements,
        None | Some(Value::Null) => Vec::new(),
        Some(one) => vec![one],
    };
    elements.extend(more);
    put(edit, name, Value::Array(elements));
}

/// Fields that belong together stand beside the file in calls of an editor and in short forms.
fn place_held(edit: &mut Map<String, Value>, mut held: Map<String, Value>, path: &str, pass: &mut Pass) {
    let command = held.remove(COMMAND);
    let command = command.as_ref().and_then(Value::as_str).unwrap_or_default();
    if let Some(after) = held.remove(INSERT_LINE) {
        let here = join(path, INSERT_LINE);
        let line = line_number(after, &here, pass);
        let text = held.remove(INSERT_TEXT).or_else(|| held.remove(REPLACE)).unwrap_or_default();
        // The editor counts the line behind which the text goes.
        let line = line.as_u64().map_or(line, |line| line.saturating_add(1).into());
        let text = text.as_str().map_or(Value::Null, split);
        let insertion = Map::from_iter([(LINE_NUMBER.to_owned(), line), (NEW_LINES.to_owned(), text)]);
        add(edit, INSERTIONS, vec![Value::Object(insertion)]);
    }
    if held.contains_key(SEARCH) && !held.contains_key(REPLACE) && command == "str_replace" {
        put(&mut held, REPLACE, Value::String(String::new()));
    }
    if held.contains_key(SEARCH) && held.contains_key(REPLACE) {
        let parts = [SEARCH, REPLACE, ALL];
        let replacement = parts.iter().filter_map(|name| held.remove_entry(*name)).collect();
        add(edit, REPLACEMENTS, vec![Value::Object(truthful(replacement))]);
    }
    if held.contains_key(CODE) {
        let definition = [NAME, CODE].iter().filter_map(|name| held.remove_entry(*name)).collect();
        add(edit, DEFINITIONS, vec![Value::Object(definition)]);
    }
    for (name, value) in held {
        if matches!(name.as_str(), SEARCH | REPLACE) {
            edit.insert(name, value);
        } else {
            pass.ignored(join(path, &name));
        }
    }
}

/// `true` or `false` in a text.
fn truth(value: &Value) -> Option<bool> {
    value.as_str()?.to_ascii_lowercase().parse().ok()
}

/// A replacement whose `all` is a truth value, or says nothing.
fn truthful(mut replacement: Map<String, Value>) -> Map<String, Value> {
    if replacement.get(ALL).is_some_and(Value::is_null) {
        replacement.remove(ALL);
    } else if let Some(all) = replacement.get(ALL).and_then(truth) {
        put(&mut replacement, ALL, all.into());
    }
    replacement
}

/// Lines to delete, or whether the file itself is.
fn deleted(edit: &mut Map<String, Value>, value: Value, path: &str, pass: &mut Pass) {
    if value.is_boolean() {
        put(edit, DELETE, value);
    } else if let Some(delete) = truth(&value) {
        pass.value(path, ValueChange::TextToTruth);
        put(edit, DELETE, delete.into());
    } else {
        let numbered = elements(value, path, pass).into_iter().enumerate();
        let lines =
            numbered.flat_map(|(index, one)| line_numbers(one, &join(path, &index.to_string()), pass));
        let lines = lines.collect();
        add(edit, DELETIONS, lines);
    }
}

/// Modified lines. Where one text is given for a range, the first line becomes it and the others go.
fn modified(edit: &mut Map<String, Value>, value: Value, path: &str, pass: &mut Pass) {
    let mut gone = Vec::new();
    let list = list(value, MODIFIED_LINE, path, pass, |one, path, pass| {
        let Value::Object(members) = one else { return one };
        let mut members = renamed(members, MODIFICATION, path, pass);
        let lines = members.get(LINE_NUMBER).map_or_else(|| ends(&members), range);
        if let Some((first, others)) = lines.as_deref().and_then(<[u64]>::split_first)
            && others.last().is_none_or(|last| last - first == others.len() as u64)
        {
            pass.value(&join(path, LINE_NUMBER), ValueChange::RangeToLines);
            gone.extend(others.iter().map(|line| Value::from(*line)));
            put(&mut members, LINE_NUMBER, (*first).into());
        }
        Value::Object(changed(members, MODIFIED_LINE, path, pass, one_text))
    });
    add(edit, MODIFICATIONS, list);
    if !gone.is_empty() {
        add(edit, DELETIONS, gone);
    }
}

/// Texts to replace; among them may stand lines to modify, which have a number.
fn replaced(edit: &mut Map<String, Value>, value: Value, path: &str, pass: &mut Pass) {
    let by_line = |one: &Value| {
        one.as_object().is_some_and(|members| {
            let named = |name| members.keys().any(|key| field(key, MODIFICATION) == Some(name));
            named(MODIFIED_LINE) && named(LINE_NUMBER) && !members.contains_key(SEARCH)
        })
    };
    let elements = elements(value, path, pass);
    if !elements.is_empty() && elements.iter().all(by_line) {
        pass.value(path, ValueChange::Moved);
        modified(edit, Value::Array(elements), path, pass);
        return;
    }
    let list = each(elements, path, pass, |one, path, pass| {
        let Value::Object(members) = one else { return one };
        let members = renamed(members, REPLACEMENT, path, pass);
        Value::Object(truthful(with_texts(members, &[SEARCH, REPLACE], path, pass)))
    });
    add(edit, REPLACEMENTS, list);
}

fn insertion(value: Value, path: &str, pass: &mut Pass) -> Value {
    let Value::Object(members) = value else { return value };
    let members = renamed(members, INSERTION, path, pass);
    Value::Object(changed(members, NEW_LINES, path, pass, lines))
}

fn definition(value: Value, path: &str, pass: &mut Pass) -> Value {
    let Value::Object(members) = value else { return value };
    let members = renamed(members, DEFINITION, path, pass);
    Value::Object(with_texts(members, &[CODE], path, pass))
}

/// Members of which these are single texts.
fn with_texts(
    mut members: Map<String, Value>,
    names: &[&str],
    path: &str,
    pass: &mut Pass,
) -> Map<String, Value> {
    for name in names {
        if let Some(value) = members.get_mut(*name) {
            *value = one_text(value.take(), &join(path, name), pass);
        }
    }
    members
}

/// An insertion or a modification: its number, and its text in `field`.
fn changed(
    mut members: Map<String, Value>,
    field: &str,
    path: &str,
    pass: &mut Pass,
    text: impl Fn(Value, &str, &mut Pass) -> Value,
) -> Map<String, Value> {
    if let Some(number) = members.get_mut(LINE_NUMBER)
        && !number.is_u64()
    {
        *number = line_number(number.take(), &join(path, LINE_NUMBER), pass);
    }
    if let Some(value) = members.get_mut(field) {
        *value = text(value.take(), &join(path, field), pass);
    }
    members
}

/// A list of changes, each repaired. An object of numbers with their texts is one too.
fn list(
    value: Value,
    text: &str,
    path: &str,
    pass: &mut Pass,
    repaired: impl FnMut(Value, &str, &mut Pass) -> Value,
) -> Vec<Value> {
    let elements = match value {
        Value::Object(members) if by_number(&members) => {
            pass.value(path, ValueChange::NumbersToList);
            let pair = |(key, value): (String, Value)| {
                let number = key.trim().parse::<u32>().ok().into();
                Value::Object(Map::from_iter([(LINE_NUMBER.to_owned(), number), (text.to_owned(), value)]))
            };
            members.into_iter().map(pair).collect()
        }
        other => elements(other, path, pass),
    };
    each(elements, path, pass, repaired)
}

/// The elements of the list at a path, each repaired.
fn each(
    elements: Vec<Value>,
    path: &str,
    pass: &mut Pass,
    mut repaired: impl FnMut(Value, &str, &mut Pass) -> Value,
) -> Vec<Value> {
    let elements = elements.into_iter().enumerate();
    elements.map(|(index, one)| repaired(one, &join(path, &index.to_string()), pass)).collect()
}

/// The elements of a list: `null` is an empty one, a single value a list of one.
fn elements(value: Value, path: &str, pass: &mut Pass) -> Vec<Value> {
    match value {
        Value::Null => {
            pass.value(path, ValueChange::NullLeftOut);
            Vec::new()
        }
        Value::Array(elements) => elements,
        one => {
            pass.value(path, ValueChange::OneToList);
            vec![one]
        }
    }
}
