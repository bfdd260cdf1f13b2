//! The arguments of a tool as a signature: a JSON schema says the same in many more words.

use std::collections::BTreeSet;

use patchwright_protocol::ToolSchema;
use serde_json::Value;

/// The arguments of tools in the order in which they are told.
#[derive(Default)]
pub(crate) struct Arguments {
    said: BTreeSet<String>,
}

/// The arguments of one tool.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Signature {
    /// The arguments with commas between them: `?` marks what may be left out, a type what is no string.
    pub arguments: String,
    /// What is said of single arguments, a sentence or two each.
    pub notes: Vec<String>,
}

impl Arguments {
    /// The signature of a tool, from the JSON schema of an object. What an earlier tool says of an argument in the same words is not
    /// repeated. `fix` is the argument whose form is explained elsewhere; what takes objects otherwise is given as its schema.
    pub(crate) fn describe(&mut self, tool: &ToolSchema, fix: Option<&str>) -> Signature {
        let schema = &tool.parameters;
        let required = schema["required"].as_array().map(Vec::as_slice).unwrap_or_default();
        let mut arguments: Vec<String> = Vec::new();
        let mut notes: Vec<String> = Vec::new();
        for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
            let mark = if required.iter().any(|required| required == name) { "" } else { "?" };
            let kind = match kind(schema) {
                _ if fix == Some(name) => ": see above".to_owned(),
                Some(kind) if kind == "string" => String::new(),
                Some(kind) => format!(": {kind}"),
                None => format!(": {schema}"),
            };
            arguments.push(format!("{name}{mark}{kind}"));
            let about = schema["description"].as_str().filter(|_| fix != Some(name));
            let note = about.map(|text| format!("`{name}`: {}", text.trim()));
            notes.extend(note.filter(|note| self.said.insert(note.clone())));
        }
        Signature { arguments: arguments.join(", "), notes }
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
    fn a_signature_tells_what_is_needed_and_of_which_type() {
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
        let Signature { arguments, notes } = Arguments::default().describe(&tool(parameters), Some("edits"));
        let mut arguments: Vec<&str> = arguments.split(", ").collect();
        arguments.sort_unstable();
        assert_eq!(
            arguments,
            [
                "edits: see above",
                "file_path",
                "language?: \"python\" or \"java\"",
                "other?: {\"type\":\"object\"}",
                "tests?: list",
            ]
        );
        assert_eq!(notes, ["`file_path`: The file."]);
    }

    #[test]
    fn what_an_earlier_tool_says_of_an_argument_is_not_repeated() {
        let lines = json!({"type": "integer", "description": "From 1."});
        let file = json!({"type": "string", "description": "The file."});
        let method = json!({"type": "string", "description": "Its name."});
        let read = tool(json!({"properties": {"file": file, "line": lines}, "required": ["file", "line"]}));
        let extract = tool(
            json!({"properties": {"file": file, "line": lines, "method": method}, "required": ["file"]}),
        );
        let mut arguments = Arguments::default();
        let signature = |arguments: &str, notes: &[&str]| Signature {
            arguments: arguments.to_owned(),
            notes: notes.iter().map(|&note| note.to_owned()).collect(),
        };
        let both = ["`file`: The file.", "`line`: From 1."];
        assert_eq!(arguments.describe(&read, None), signature("file, line: integer", &both));
        let named = signature("file, line?: integer, method?", &["`method`: Its name."]);
        assert_eq!(arguments.describe(&extract, None), named);
    }

    fn tool(parameters: Value) -> ToolSchema {
        ToolSchema { name: "tool".to_owned(), description: String::new(), parameters, only_reads: false }
    }
}
