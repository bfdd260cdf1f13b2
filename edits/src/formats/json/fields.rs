//! The fields of one edit in their own names and forms.

use patchwright_replies::{Repair, ValueChange, join};
use serde_json::{Map, Value};

use super::Mending;
use super::names::{
    ALL, CHANGES, CODE, COMMAND, CONTENT, DEFINITION, DEFINITIONS, DELETE, DELETIONS, EDIT, EXPECTED, FILE,
    INSERT_LINE, INSERTION, INSERTIONS, LINE_NUMBER, MODIFICATION, MODIFICATIONS, MODIFIED_LINE, NAME,
    NEW_LINES, RENAME, REPLACE, REPLACEMENT, REPLACEMENTS, SEARCH, TARGET_LINES, field, renamed,
};
use super::numbers::{below, by_number, ends, line_number, line_numbers, lines, one_text, range, split};

/// What an editor's call puts in.
const INSERT_TEXT: &str = "insert_text";

/// One edit with the names and forms of `write_fix`. What cannot be understood stays as it is.
pub(super) fn edit(members: Map<String, Value>, path: &str, mending: &mut Mending) -> Map<String, Value> {
    let mut edit = Map::new();
    let mut held = Map::new();
    let mut members = renamed(members, EDIT, path, mending);
    raise(&mut members, path, mending);
    for (name, value) in members {
        let here = join(path, &name);
        match name.as_str() {
            INSERTIONS => put(&mut edit, INSERTIONS, list(value, NEW_LINES, &here, mending, insertion)),
            DELETIONS | DELETE => deleted(&mut edit, value, &here, mending),
            MODIFICATIONS => modified(&mut edit, value, &here, mending),
            REPLACEMENTS => replaced(&mut edit, value, &here, mending),
            DEFINITIONS => put(&mut edit, DEFINITIONS, list(value, CODE, &here, mending, definition)),
            CONTENT => put(&mut edit, CONTENT, one_text(value, &here, mending)),
            FILE | RENAME => put(&mut edit, &name, value),
            TARGET_LINES => mending.ignore_target_lines(),
            EXPECTED => mending.repairs.push(Repair::IgnoredArgument { name: here }),
            SEARCH | REPLACE | CODE | INSERT_TEXT => put(&mut held, &name, one_text(value, &here, mending)),
            _ => put(&mut held, &name, value),
        }
    }
    place_held(&mut edit, held, path, mending);
    edit
}

/// Puts lists of changes that slipped into a single change, for want of a bracket, beside it.
fn raise(members: &mut Map<String, Value>, path: &str, mending: &mut Mending) {
    let mut raised = Vec::new();
    for list in [INSERTIONS, MODIFICATIONS] {
        let Some(Value::Array(elements)) = members.get_mut(list) else { continue };
        for (index, element) in elements.iter_mut().enumerate() {
            let Some(inner) = element.as_object_mut() else { continue };
            for name in CHANGES {
                if let Some(Value::Array(changes)) = inner.remove(name)
                    && !changes.is_empty()
                {
                    let here = join(&below(path, [list, &index.to_string()]), name);
                    mending.repairs.push(Repair::value(&here, ValueChange::Moved));
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

/// Adds to a list of an edit.
fn add(edit: &mut Map<String, Value>, name: &str, more: Vec<Value>) {
    if more.is_empty() {
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
fn place_held(
    edit: &mut Map<String, Value>,
    mut held: Map<String, Value>,
    path: &str,
    mending: &mut Mending,
) {
    let command = held.remove(COMMAND);
    let command = command.as_ref().and_then(Value::as_str).unwrap_or_default();
    if let Some(after) = held.remove(INSERT_LINE) {
        let here = join(path, INSERT_LINE);
        let line = line_number(after, &here, mending);
        let text = held.remove(INSERT_TEXT).or_else(|| held.remove(REPLACE)).unwrap_or_default();
        // The editor counts the line behind which the text goes.
        let line = line.as_u64().map_or(line, |line| line.saturating_add(1).into());
        let text = text.as_str().map_or(Value::Null, split);
        let insertion = [(LINE_NUMBER.to_owned(), line), (NEW_LINES.to_owned(), text)];
        add(edit, INSERTIONS, vec![Value::Object(insertion.into_iter().collect())]);
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
            mending.repairs.push(Repair::IgnoredArgument { name: join(path, &name) });
        }
    }
}

/// A replacement whose `all` is a truth value, or says nothing.
fn truthful(mut replacement: Map<String, Value>) -> Map<String, Value> {
    match replacement.get(ALL).map(|all| (all.as_str().map(str::to_ascii_lowercase), all.is_null())) {
        Some((Some(text), _)) if text == "true" => put(&mut replacement, ALL, true.into()),
        Some((Some(text), _)) if text == "false" => put(&mut replacement, ALL, false.into()),
        Some((_, true)) => {
            replacement.remove(ALL);
        }
        Some(_) | None => {}
    }
    replacement
}

/// Lines to delete, or whether the file itself is.
fn deleted(edit: &mut Map<String, Value>, value: Value, path: &str, mending: &mut Mending) {
    let told = value.as_str().map(str::to_ascii_lowercase);
    match (&value, told.as_deref()) {
        (Value::Bool(_), _) => put(edit, DELETE, value),
        (_, Some(told @ ("true" | "false"))) => {
            mending.repairs.push(Repair::value(path, ValueChange::TextToTruth));
            put(edit, DELETE, (told == "true").into());
        }
        _ => {
            let elements = elements(value, path, mending);
            let numbered = elements.into_iter().enumerate();
            let lines =
                numbered.flat_map(|(index, one)| line_numbers(one, &join(path, &index.to_string()), mending));
            let lines: Vec<Value> = lines.collect();
            edit.entry(DELETIONS).or_insert_with(|| Value::Array(Vec::new()));
            add(edit, DELETIONS, lines);
        }
    }
}

/// Modified lines. Where one text is given for a range, the first line becomes it and the others go.
fn modified(edit: &mut Map<String, Value>, value: Value, path: &str, mending: &mut Mending) {
    let mut gone = Vec::new();
    let list = list(value, MODIFIED_LINE, path, mending, |one, path, mending| {
        let Value::Object(members) = one else { return one };
        let mut members = renamed(members, MODIFICATION, path, mending);
        let lines = members.get(LINE_NUMBER).map_or_else(|| ends(&members), range);
        if let Some((first, others)) = lines.as_deref().and_then(<[u64]>::split_first)
            && others.last().is_none_or(|last| last - first == others.len() as u64)
        {
            mending.repairs.push(Repair::value(&join(path, LINE_NUMBER), ValueChange::RangeToLines));
            gone.extend(others.iter().map(|line| Value::from(*line)));
            put(&mut members, LINE_NUMBER, (*first).into());
        }
        Value::Object(changed(members, MODIFIED_LINE, path, mending, one_text))
    });
    edit.entry(MODIFICATIONS).or_insert_with(|| Value::Array(Vec::new()));
    match list {
        Value::Array(list) => add(edit, MODIFICATIONS, list),
        other => put(edit, MODIFICATIONS, other),
    }
    add(edit, DELETIONS, gone);
}

/// Texts to replace; among them may stand lines to modify, which have a number.
fn replaced(edit: &mut Map<String, Value>, value: Value, path: &str, mending: &mut Mending) {
    let by_line = |one: &Value| {
        one.as_object().is_some_and(|members| {
            let named = |name| members.keys().any(|key| field(key, MODIFICATION) == Some(name));
            named(MODIFIED_LINE) && named(LINE_NUMBER) && !members.contains_key(SEARCH)
        })
    };
    let elements = elements(value, path, mending);
    if !elements.is_empty() && elements.iter().all(by_line) {
        mending.repairs.push(Repair::value(path, ValueChange::Moved));
        modified(edit, Value::Array(elements), path, mending);
        return;
    }
    let numbered = elements.into_iter().enumerate();
    let list = numbered.map(|(index, one)| match one {
        Value::Object(members) => {
            let mut members = renamed(members, REPLACEMENT, &join(path, &index.to_string()), mending);
            for name in [SEARCH, REPLACE] {
                if let Some(value) = members.get_mut(name) {
                    *value = one_text(value.take(), &below(path, [&index.to_string(), name]), mending);
                }
            }
            Value::Object(truthful(members))
        }
        other => other,
    });
    let list = list.collect();
    edit.entry(REPLACEMENTS).or_insert_with(|| Value::Array(Vec::new()));
    add(edit, REPLACEMENTS, list);
}

fn insertion(value: Value, path: &str, mending: &mut Mending) -> Value {
    let Value::Object(members) = value else { return value };
    let members = renamed(members, INSERTION, path, mending);
    Value::Object(changed(members, NEW_LINES, path, mending, lines))
}

fn definition(value: Value, path: &str, mending: &mut Mending) -> Value {
    let Value::Object(members) = value else { return value };
    let mut members = renamed(members, DEFINITION, path, mending);
    if let Some(code) = members.get_mut(CODE) {
        *code = one_text(code.take(), &join(path, CODE), mending);
    }
    Value::Object(members)
}

/// An insertion or a modification: its number, and its text in `field`.
fn changed(
    mut members: Map<String, Value>,
    field: &str,
    path: &str,
    mending: &mut Mending,
    text: impl Fn(Value, &str, &mut Mending) -> Value,
) -> Map<String, Value> {
    if let Some(number) = members.get_mut(LINE_NUMBER)
        && !number.is_u64()
    {
        *number = line_number(number.take(), &join(path, LINE_NUMBER), mending);
    }
    if let Some(value) = members.get_mut(field) {
        *value = text(value.take(), &join(path, field), mending);
    }
    members
}

/// A list of changes, each repaired. An object of numbers with their texts is one too.
fn list(
    value: Value,
    text: &str,
    path: &str,
    mending: &mut Mending,
    mut each: impl FnMut(Value, &str, &mut Mending) -> Value,
) -> Value {
    let elements = match value {
        Value::Object(members) if by_number(&members) => {
            mending.repairs.push(Repair::value(path, ValueChange::NumbersToList));
            let pair = |(key, value): (String, Value)| {
                let pair = [
                    (LINE_NUMBER.to_owned(), key.trim().parse::<u32>().ok().into()),
                    (text.to_owned(), value),
                ];
                Value::Object(pair.into_iter().collect())
            };
            members.into_iter().map(pair).collect()
        }
        other => elements(other, path, mending),
    };
    let elements = elements.into_iter().enumerate();
    Value::Array(elements.map(|(index, one)| each(one, &join(path, &index.to_string()), mending)).collect())
}

/// The elements of a list: `null` is an empty one, a single value a list of one.
fn elements(value: Value, path: &str, mending: &mut Mending) -> Vec<Value> {
    match value {
        Value::Null => {
            mending.repairs.push(Repair::value(path, ValueChange::NullLeftOut));
            Vec::new()
        }
        Value::Array(elements) => elements,
        one => {
            mending.repairs.push(Repair::value(path, ValueChange::OneToList));
            vec![one]
        }
    }
}
