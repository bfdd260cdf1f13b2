//! The arguments of a tool in words: a JSON schema says the same in many more.

use patchwright_protocol::ToolSchema;
use serde_json::Value;

/// The arguments of a tool, one to a line, from the JSON schema of an object: what is no text has its kind, what may be left out a `?`.
/// `fix` is the argument whose form is explained elsewhere; what takes objects otherwise is given as its schema.
pub(crate) fn described(tool: &ToolSchema, fix: Option<&str>) -> Vec<String> {
    let schema = &tool.parameters;
    let required = schema["required"].as_array().map(Vec::as_slice).unwrap_or_default();
    let properties = schema["properties"].as_object();
    let line = |(name, schema): (&String, &Value)| {
        let kind = match kind(schema) {
            _ if fix == Some(name) => " (edits, see above)".to_owned(),
            Some(kind) if kind == "string" => String::new(),
            Some(kind) => format!(" ({kind})"),
            None => format!(" (`{schema}`)"),
        };
        let mark = if required.iter().any(|required| required == name) { "" } else { "?" };
        let about =
            schema["description"].as_str().map(|text| format!(": {}", text.trim())).unwrap_or_default();
        format!("`{name}{mark}`{kind}{about}")
    };
    properties.into_iter().flatten().map(line).collect()
}

/// The type of a simple value, or of a list of such; `None` of others.
fn kind(schema: &Value) -> Option<String> {
    if let Some(values) = schema["enum"].as_array() {
        let values: Vec<_> = values.iter().filter(|value| !value.is_null()).map(Value::to_string).collect();
        return Some(values.join(" or "));
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) => kinds.iter().find(|kind| *kind != "null")?.as_str()?,
        kind => kind.as_str()?,
    };
    match kind {
        "object" => None,
        "array" => Some(format!("list, each a {}", self::kind(&schema["items"])?)),
        simple => Some(simple.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_are_told_in_a_line_each() {
        let parameters = json!({
            "type": "object",
            "properties": {
                "file_path": {"type": "string", "description": "The file. "},
                "tests": {"type": ["array", "null"], "items": {"type": "string"}, "default": null},
                "language": {"type": ["string", "null"], "enum": ["python", "java", null]},
                "edits": {"type": "array", "items": {"type": "object"}, "description": "The fix."},
                "other": {"type": "object"},
            },
            "required": ["file_path", "edits"],
        });
        let tool =
            ToolSchema { name: "tool".to_owned(), description: String::new(), parameters, only_reads: false };
        let mut lines = described(&tool, Some("edits"));
        lines.sort();
        assert_eq!(
            lines,
            [
                "`edits` (edits, see above): The fix.",
                "`file_path`: The file.",
                "`language?` (\"python\" or \"java\")",
                "`other?` (`{\"type\":\"object\"}`)",
                "`tests?` (list, each a string)",
            ]
        );
    }
}
