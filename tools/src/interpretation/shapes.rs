//! The shapes in which models write a call.

use serde_json::{Map, Value};

use patchwright_replies::{Recovered, pointer_part, recover, recover_with};

/// Keys under which a call stands.
const CALL_KEYS: &[&str] = &[
    "command",
    "next_command",
    "action",
    "tool_call",
    "function_call",
    "call",
    "function",
    "tool_use",
    "commands",
    "tool_calls",
];
/// Keys under which the name of a tool stands.
const NAME_KEYS: &[&str] = &[
    "name",
    "tool",
    "tool_name",
    "function",
    "function_name",
    "command",
    "command_name",
    "action",
    "recipient_name",
];
/// Keys under which the arguments stand.
const ARGUMENT_KEYS: &[&str] = &[
    "args",
    "arguments",
    "parameters",
    "params",
    "input",
    "tool_input",
    "action_input",
    "kwargs",
    "argument",
    "arg",
];
/// Keys under which thoughts stand.
const THOUGHT_KEYS: &[&str] = &["thoughts", "thought", "reasoning", "thinking", "analysis", "explanation"];
/// Keys beside a call that say nothing about it.
const IDLE_KEYS: &[&str] = &["id", "type", "index", "call_id", "tool_call_id", "status"];
/// The depth to which a call is looked for in objects around it.
const DEPTH: usize = 3;

/// A call as it was written.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RawCall {
    /// The name of the tool.
    pub name: String,
    /// The arguments, whatever their type.
    pub arguments: Value,
    /// The thoughts of the model.
    pub thoughts: Option<String>,
    /// A JSON pointer to the arguments.
    pub pointer: String,
}

/// Values that are texts with JSON in them (a reply that was encoded twice) are replaced by what they hold.
pub(super) fn unpacked(values: Vec<Recovered>, keys: &[&str]) -> Vec<Recovered> {
    match values.as_slice() {
        [Recovered { value: Value::String(text), .. }] => {
            recover_with(text, keys).into_iter().map(|inner| Recovered { span: 0..0, ..inner }).collect()
        }
        _ => values,
    }
}

/// The one object or list in a text of arguments.
pub(super) fn arguments_in_text(text: &str) -> Option<Recovered> {
    let mut values = recover(text);
    if let [Recovered { value: Value::String(inner), .. }] = values.as_slice() {
        values = recover(&inner.clone());
    }
    match values.len() {
        1 => values.pop().filter(|only| only.value.is_object() || only.value.is_array()),
        _ => None,
    }
}

/// The answer behind what a model thinks, which some services leave in the text, not all of them with the tag that begins it.
pub(super) fn after_thinking(text: &str) -> Option<&str> {
    const ENDS: [&str; 2] = ["</think>", "</thinking>"];
    // Thoughts in a channel of their own end where the next message begins.
    const CHANNEL: &str = "<|channel|>analysis<|message|>";
    const NEXT: [&str; 3] = ["<|end|>", "<|start|>", "<|channel|>"];
    if text.trim_start().starts_with(['{', '[', '`']) {
        return None;
    }
    if let Some((_, thoughts)) = text.rsplit_once(CHANNEL) {
        let end = NEXT.iter().filter_map(|mark| thoughts.find(mark)).min()?;
        return Some(&thoughts[end..]);
    }
    ENDS.iter().find_map(|end| text.split_once(end)).map(|(_, answer)| answer)
}

/// The prose before a call as thoughts.
pub(super) fn prose(text: &str) -> Option<String> {
    let mut text = text.trim();
    // The begin of a fence or a tag around the call is not a thought, nor are the marks of a message.
    for mark in ["```json", "```JSON", "```xml", "```", "<tool_call>", "[TOOL_CALLS]", "`"] {
        text = text.strip_suffix(mark).unwrap_or(text).trim_end();
    }
    text = text.strip_prefix("<|end|>").unwrap_or(text).trim_start();
    (!text.is_empty()).then(|| text.to_owned())
}

/// All calls in a value.
pub(super) fn calls(value: &Value, is_tool: &dyn Fn(&str) -> bool) -> Vec<RawCall> {
    look(value, "", is_tool, DEPTH)
}

fn look(value: &Value, pointer: &str, is_tool: &dyn Fn(&str) -> bool, depth: usize) -> Vec<RawCall> {
    match value {
        Value::Array(elements) => elements
            .iter()
            .enumerate()
            .flat_map(|(index, element)| look(element, &format!("{pointer}/{index}"), is_tool, depth))
            .collect(),
        Value::Object(members) => {
            let mut found = in_object(members, pointer, is_tool);
            if found.is_empty() && depth > 0 {
                for (key, member) in members {
                    found.extend(look(member, &below(pointer, key), is_tool, depth - 1));
                }
            }
            let thoughts = thoughts(members);
            for call in &mut found {
                call.thoughts = call.thoughts.take().or_else(|| thoughts.clone());
            }
            found
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

/// The calls that an object is or names.
fn in_object(members: &Map<String, Value>, pointer: &str, is_tool: &dyn Fn(&str) -> bool) -> Vec<RawCall> {
    for key in CALL_KEYS {
        let here = below(pointer, key);
        let found = match members.get(*key) {
            Some(Value::Object(inner)) => one(inner, &here, is_tool).into_iter().collect(),
            Some(Value::Array(calls)) => calls
                .iter()
                .enumerate()
                .filter_map(|(index, call)| Some((index, call.as_object()?)))
                .flat_map(|(index, call)| {
                    let here = format!("{here}/{index}");
                    let nested = in_object(call, &here, is_tool);
                    if nested.is_empty() { one(call, &here, is_tool).into_iter().collect() } else { nested }
                })
                .collect(),
            Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) | None => Vec::new(),
        };
        if !found.is_empty() {
            return found;
        }
    }
    // An object is a call itself when it has arguments, or names a tool.
    let named = name(members).is_some_and(|(_, name)| is_tool(name));
    let single = members.len() == 1 && members.keys().all(|key| is_tool(key));
    if named || single || ARGUMENT_KEYS.iter().any(|key| members.contains_key(*key)) {
        return one(members, pointer, is_tool).into_iter().collect();
    }
    Vec::new()
}

/// The call that an object is.
fn one(members: &Map<String, Value>, pointer: &str, is_tool: &dyn Fn(&str) -> bool) -> Option<RawCall> {
    let Some((name_key, name)) = name(members) else {
        // `{"read_range": {…}}`
        let (key, arguments) = members.iter().find(|(key, value)| is_tool(key) && !value.is_string())?;
        let pointer = below(pointer, key);
        return Some(RawCall {
            name: key.clone(),
            arguments: arguments.clone(),
            thoughts: thoughts(members),
            pointer,
        });
    };
    let name = name.trim().trim_end_matches("()").to_owned();
    if let Some(key) = ARGUMENT_KEYS.iter().find(|key| members.contains_key(**key)) {
        let arguments = members.get(*key).cloned().unwrap_or_default();
        return Some(RawCall { name, arguments, thoughts: thoughts(members), pointer: below(pointer, key) });
    }
    // The arguments stand beside the name.
    // A text under the key of a call is an argument of that name, unless it says the name once more.
    let is_argument = |value: &Value| value.as_str().is_some_and(|text| text != name);
    let beside = |key: &str, value: &Value| {
        key != name_key
            && !THOUGHT_KEYS.contains(&key)
            && !IDLE_KEYS.contains(&key)
            && (is_argument(value) || !CALL_KEYS.contains(&key))
    };
    let arguments: Map<String, Value> = members
        .iter()
        .filter(|(key, value)| beside(key, value))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    Some(RawCall {
        name,
        arguments: Value::Object(arguments),
        thoughts: thoughts(members),
        pointer: pointer.to_owned(),
    })
}

/// The name of the tool in an object: its key and the name.
fn name(members: &Map<String, Value>) -> Option<(&'static str, &str)> {
    NAME_KEYS.iter().find_map(|key| Some((*key, members.get(*key)?.as_str()?)))
}

fn thoughts(members: &Map<String, Value>) -> Option<String> {
    let value = THOUGHT_KEYS.iter().find_map(|key| members.get(*key))?;
    let text = match value {
        Value::Null => return None,
        Value::String(text) => text.trim().to_owned(),
        Value::Object(inner) if inner.len() == 1 => match inner.values().next() {
            Some(Value::String(text)) => text.trim().to_owned(),
            _ => value.to_string(),
        },
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
    };
    (!text.is_empty()).then_some(text)
}

fn below(pointer: &str, key: &str) -> String {
    let mut pointer = pointer.to_owned();
    pointer_part(&mut pointer, key);
    pointer
}
