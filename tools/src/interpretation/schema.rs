//! Arguments and the schema of a tool: names, then values, then validation.

use std::borrow::Cow;
use std::collections::BTreeSet;

use patchwright_edits::{Edit, formats};
use patchwright_protocol::schema::{Fault, faults};
use patchwright_replies::{NameMatching, Repair, ValueChange, dotted};
use patchwright_syntax::Project;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::ToolShape;
use super::coerce::Coercion;
use super::json_schema::{required, resolved, types};
use super::refusal::{Problem, Refusal};

/// All names of arguments of the tools, those of nested objects included, sorted.
pub(super) fn keys(tools: &[ToolShape]) -> Vec<String> {
    let mut keys = BTreeSet::new();
    for tool in tools {
        collect_keys(tool.schema, &mut keys);
    }
    keys.into_iter().collect()
}

fn collect_keys(schema: &Value, keys: &mut BTreeSet<String>) {
    match schema {
        Value::Object(members) => {
            if let Some(Value::Object(properties)) = members.get("properties") {
                keys.extend(properties.keys().cloned());
            }
            members.values().for_each(|member| collect_keys(member, keys));
        }
        Value::Array(elements) => elements.iter().for_each(|element| collect_keys(element, keys)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Brings arguments to what the schema of the tool asks for.
pub(super) fn arguments(
    tool: &ToolShape,
    written: Value,
    matching: &NameMatching,
    project: Option<&Project>,
    repairs: &mut Vec<Repair>,
) -> Result<Value, Refusal> {
    let properties = tool.schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
    let edits =
        properties.iter().find(|(_, schema)| is_list_of_edits(schema, tool.schema)).map(|(name, _)| name);
    let written = as_object(tool, written, edits.map(String::as_str), &properties, repairs)?;
    let (root, edits_name) = (tool.schema, edits.map(String::as_str));
    let mut coercion = Coercion { tool: tool.name, root, matching, project, repairs, edits: edits_name };
    let arguments = Value::Object(coercion.object(written, tool.schema, "")?);
    let problems = problems(tool.schema, &without_sound_edits(&arguments, edits));
    if problems.is_empty() {
        return Ok(arguments);
    }
    Err(bad(tool, problems))
}

/// Is true if a schema is that of a list of edits.
fn is_list_of_edits(schema: &Value, root: &Value) -> bool {
    let items = resolved(schema, root).get("items").map(|items| resolved(items, root));
    items
        .and_then(|items| items.get("properties"))
        .and_then(Value::as_object)
        .is_some_and(formats::are_fields)
}

/// The arguments without edits that are what the applier takes: such may hold more than the schema shows.
fn without_sound_edits<'a>(arguments: &'a Value, edits: Option<&String>) -> Cow<'a, Value> {
    let sound = |name: &&String| {
        arguments.get(name.as_str()).is_some_and(|edits| Vec::<Edit>::deserialize(edits).is_ok())
    };
    let Some(name) = edits.filter(sound) else { return Cow::Borrowed(arguments) };
    let mut arguments = arguments.clone();
    arguments[name.as_str()] = Value::Array(Vec::new());
    Cow::Owned(arguments)
}

fn bad(tool: &ToolShape, problems: Vec<Problem>) -> Refusal {
    Refusal::BadArguments { tool: tool.name.to_owned(), problems, expected: signature(tool.schema) }
}

/// The arguments as an object, whatever they were written as.
fn as_object(
    tool: &ToolShape,
    written: Value,
    edits: Option<&str>,
    properties: &Map<String, Value>,
    repairs: &mut Vec<Repair>,
) -> Result<Map<String, Value>, Refusal> {
    let mut under = |name: &str, value: Value| {
        repairs.push(Repair::ArgumentName { asked: "args".to_owned(), read_as: name.to_owned() });
        Map::from_iter([(name.to_owned(), value)])
    };
    match (written, edits) {
        (Value::Null, _) => Ok(Map::new()),
        (Value::Object(members), Some(name)) if formats::is_edit(&members) => {
            Ok(under(name, Value::Object(members)))
        }
        (Value::Object(members), _) => Ok(members),
        (list @ Value::Array(_), Some(name)) => Ok(under(name, list)),
        (Value::Array(mut elements), None) if elements.len() == 1 && elements[0].is_object() => {
            repairs.push(Repair::value("args", ValueChange::ListToOne));
            match elements.swap_remove(0) {
                Value::Object(members) => Ok(members),
                _ => Ok(Map::new()),
            }
        }
        (text @ Value::String(_), _) if required(tool.schema).count() == 1 => {
            let name = required(tool.schema).next().unwrap_or_default().to_owned();
            Ok(under(&name, text))
        }
        (Value::String(text), _) if text.trim().is_empty() && properties.is_empty() => Ok(Map::new()),
        (Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_), _) => {
            let message = "the arguments must be an object with a name for each".to_owned();
            Err(bad(tool, vec![Problem { path: String::new(), message }]))
        }
    }
}

/// All that is wrong with a value, in the order of its parts.
pub(super) fn problems(schema: &Value, value: &Value) -> Vec<Problem> {
    let problem = |fault: Fault| Problem { path: dotted(&fault.pointer), message: fault.message };
    faults(schema, schema, value).into_iter().map(problem).collect()
}

/// The arguments of a tool in short: `file_path (string), last (integer, optional)`.
fn signature(schema: &Value) -> String {
    let required: Vec<&str> = required(schema).collect();
    let arguments: Vec<String> = schema
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .map(|(name, property)| {
            let kinds = types(resolved(property, schema)).join(" or ");
            let optional = if required.contains(&name.as_str()) { "" } else { ", optional" };
            format!("{name} ({kinds}{optional})")
        })
        .collect();
    if arguments.is_empty() { "no arguments".to_owned() } else { arguments.join(", ") }
}
