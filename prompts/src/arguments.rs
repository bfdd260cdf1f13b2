//! The arguments of a tool in words: a JSON schema says the same in many more.

use std::collections::BTreeSet;

use patchwright_protocol::ToolSchema;
use serde_json::Value;

/// The arguments of tools in the order in which they are told.
#[derive(Default)]
pub(crate) struct Arguments {
    said: BTreeSet<String>,
}

impl Arguments {
    /// The arguments of a tool, one to a line, from the JSON schema of an object: what is no text has its kind, what may be left out a `?`.
    /// What an earlier tool has in the same words, and what needs none, is only named. `fix` is the argument whose form is explained
    /// elsewhere; what takes objects otherwise is given as its schema.
    pub(crate) fn describe(&mut self, tool: &ToolSchema, fix: Option<&str>) -> Vec<String> {
        let schema = &tool.parameters;
        let required = schema["required"].as_array().map(Vec::as_slice).unwrap_or_default();
        let mut lines: Vec<String> = Vec::new();
        let mut are_named = false;
        for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
            let mark = if required.iter().any(|required| required == name) { "" } else { "?" };
            let kind = match kind(schema) {
                _ if fix == Some(name) => " (edits, see above)".to_owned(),
                Some(kind) if kind == "string" => String::new(),
                Some(kind) => format!(" ({kind})"),
                None => format!(" (`{schema}`)"),
            };
            let about =
                schema["description"].as_str().map(|text| format!(": {}", text.trim())).unwrap_or_default();
            let is_named =
                !self.said.insert(format!("{name}{kind}{about}")) || kind.is_empty() && about.is_empty();
            let line =
                if is_named { format!("`{name}{mark}`") } else { format!("`{name}{mark}`{kind}{about}") };
            match lines.last_mut().filter(|_| is_named && are_named) {
                Some(before) => before.push_str(&format!(", {line}")),
                None => lines.push(line),
            }
            are_named = is_named;
        }
        lines
    }
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
        "array" => match self::kind(&schema["items"])?.as_str() {
            "string" => Some("list".to_owned()),
            each => Some(format!("list, each a {each}")),
        },
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
        let tool = tool(parameters);
        let mut lines = Arguments::default().describe(&tool, Some("edits"));
        lines.sort();
        assert_eq!(
            lines,
            [
                "`edits` (edits, see above): The fix.",
                "`file_path`: The file.",
                "`language?` (\"python\" or \"java\")",
                "`other?` (`{\"type\":\"object\"}`)",
                "`tests?` (list)",
            ]
        );
    }

    #[test]
    fn what_an_earlier_tool_says_is_only_named() {
        let lines = json!({"type": "integer", "description": "From 1."});
        let file = json!({"type": "string", "description": "The file."});
        let method = json!({"type": "string", "description": "Its name."});
        let read = tool(json!({"properties": {"file": file, "line": lines}, "required": ["file", "line"]}));
        let extract = tool(
            json!({"properties": {"file": file, "line": lines, "method": method}, "required": ["file"]}),
        );
        let mut arguments = Arguments::default();
        assert_eq!(arguments.describe(&read, None), ["`file`: The file.", "`line` (integer): From 1."]);
        assert_eq!(arguments.describe(&extract, None), ["`file`, `line?`", "`method?`: Its name."]);
    }

    fn tool(parameters: Value) -> ToolSchema {
        ToolSchema { name: "tool".to_owned(), description: String::new(), parameters, only_reads: false }
    }
}
