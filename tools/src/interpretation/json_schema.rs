//! What a JSON schema says of a value: its types, and which of its fields are required.

use serde_json::Value;

/// References that are followed in a row, at most.
const REFERENCES: usize = 8;

/// A schema with its references followed, and without the alternative `null`.
pub(super) fn resolved<'s>(schema: &'s Value, root: &'s Value) -> &'s Value {
    let mut schema = schema;
    for _ in 0..REFERENCES {
        let reference =
            schema.get("$ref").and_then(Value::as_str).and_then(|reference| reference.strip_prefix('#'));
        let alternatives =
            ["anyOf", "oneOf", "allOf"].iter().find_map(|key| schema.get(*key)).and_then(Value::as_array);
        schema = match (reference, alternatives) {
            (Some(pointer), _) => match root.pointer(pointer) {
                Some(target) => target,
                None => return schema,
            },
            (None, Some(alternatives)) => {
                let null = |schema: &&Value| schema.get("type").is_some_and(|kind| kind == "null");
                let mut real = alternatives.iter().filter(|schema| !null(schema));
                match (real.next(), real.next()) {
                    (Some(only), None) => only,
                    _ => return schema,
                }
            }
            (None, None) => return schema,
        };
    }
    schema
}

/// The types that a schema allows; empty when it does not say.
pub(super) fn types(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(kind)) => vec![kind],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        _ if schema.get("properties").is_some() => vec!["object"],
        _ => Vec::new(),
    }
}

/// The names of the required arguments.
pub(super) fn required(schema: &Value) -> impl Iterator<Item = &str> {
    schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}
