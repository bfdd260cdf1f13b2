//! The example of a call in the output format, and what the schemas of the tools say about fixes.

use patchwright_protocol::ToolSchema;
use serde_json::{Map, Value, json};

/// A call as an example: of a tool that may be called, with arguments that its schema allows. Preferred is a tool
/// with several simple arguments, which shows the form best.
pub(crate) fn call(tools: &[ToolSchema], allowed: &[String]) -> Option<String> {
    let (tool, arguments) = allowed
        .iter()
        .filter_map(|name| tools.iter().find(|tool| tool.name == *name))
        .filter_map(|tool| Some((tool, arguments(&tool.parameters)?)))
        .reduce(|best, next| if next.1.len() > best.1.len() { next } else { best })?;
    let call = json!({
        "thoughts": "…",
        "command": { "name": tool.name, "args": arguments },
    });
    Some(call.to_string())
}

/// Values for the required arguments of an object schema, if all of them are simple.
fn arguments(schema: &Value) -> Option<Map<String, Value>> {
    let required = schema.get("required").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let mut number = 0;
    required
        .iter()
        .map(|name| {
            let name = name.as_str()?;
            let value = value(name, schema.get("properties")?.get(name)?, &mut number)?;
            Some((name.to_owned(), value))
        })
        .collect()
}

/// A value that the schema allows. Numbers rise by twenty, so that a first line comes before a last one.
fn value(name: &str, schema: &Value, number: &mut u64) -> Option<Value> {
    let given = schema.get("examples").and_then(|examples| examples.get(0)).or_else(|| schema.get("default"));
    if let Some(given) = given.or_else(|| schema.get("enum").and_then(|values| values.get(0))) {
        return Some(given.clone());
    }
    let kind = match schema.get("type")? {
        Value::Array(kinds) => kinds.iter().find(|kind| *kind != "null")?,
        kind => kind,
    };
    match kind.as_str()? {
        "integer" | "number" => {
            *number += 20;
            Some((*number).into())
        }
        "boolean" => Some(true.into()),
        "string" if name.contains("path") || name.contains("file") => Some("path/of/the/file".into()),
        "string" => Some("…".into()),
        "array" => Some(vec![value(name, schema.get("items")?, number)?].into()),
        _ => None,
    }
}

/// The tool that takes a fix, and the argument in which it takes the edits: an array of objects that name a file.
pub(crate) fn fix_tool(tools: &[ToolSchema]) -> Option<(&str, &str)> {
    tools.iter().find_map(|tool| {
        let properties = tool.parameters.get("properties")?.as_object()?;
        let (argument, _) = properties.iter().find(|(_, schema)| takes_edits(schema, &tool.parameters))?;
        Some((tool.name.as_str(), argument.as_str()))
    })
}

fn takes_edits(schema: &Value, root: &Value) -> bool {
    let items = schema.get("items").map(|items| {
        let reference =
            items.get("$ref").and_then(Value::as_str).and_then(|reference| reference.strip_prefix('#'));
        reference.and_then(|pointer| root.pointer(pointer)).unwrap_or(items)
    });
    items.and_then(|items| items.get("properties")?.get("file_path")).is_some()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn tool(name: &str, parameters: Value) -> ToolSchema {
        ToolSchema { name: name.to_owned(), description: String::new(), parameters, only_reads: false }
    }

    fn read_range() -> ToolSchema {
        let schema = json!({
            "type": "object",
            "properties": {
                "file_path": { "type": "string" },
                "first": { "type": "integer" },
                "last": { "type": "integer" },
                "why": { "type": ["string", "null"] },
            },
            "required": ["file_path", "first", "last"],
        });
        tool("read_range", schema)
    }

    fn write_fix() -> ToolSchema {
        let edit = json!({ "type": "object", "properties": { "file_path": { "type": "string" } } });
        let schema = json!({
            "properties": { "edits": { "type": "array", "items": { "$ref": "#/$defs/Edit" } } },
            "required": ["edits"],
            "$defs": { "Edit": edit },
        });
        tool("write_fix", schema)
    }

    #[test]
    fn the_example_is_a_call_that_is_allowed() {
        let tools = [tool("run_tests", json!({ "type": "object" })), write_fix(), read_range()];
        let check = |allowed: &[&str], expect: Option<&str>| {
            let allowed: Vec<String> = allowed.iter().map(|&name| name.to_owned()).collect();
            assert_eq!(call(&tools, &allowed).as_deref(), expect);
        };
        check(
            &["run_tests", "write_fix", "read_range"],
            Some(
                r#"{"thoughts":"…","command":{"name":"read_range","args":{"file_path":"path/of/the/file","first":20,"last":40}}}"#,
            ),
        );
        check(&["run_tests"], Some(r#"{"thoughts":"…","command":{"name":"run_tests","args":{}}}"#));
        check(&["write_fix"], None);
        check(&["unknown"], None);
    }

    #[test]
    fn the_tool_for_fixes_is_found_by_its_schema() {
        assert_eq!(fix_tool(&[read_range(), write_fix()]), Some(("write_fix", "edits")));
        assert_eq!(fix_tool(&[read_range()]), None);
    }
}
