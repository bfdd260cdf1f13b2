use serde_json::{Value, json};

use super::{faults, unread};

/// The value has these faults, each as `pointer: message`.
#[allow(clippy::needless_pass_by_value, reason = "values are written where they are tried")]
fn check(schema: &Value, value: Value, expect: &[&str]) {
    let found: Vec<String> = faults(schema, schema, &value)
        .into_iter()
        .map(|fault| format!("{}: {}", fault.pointer, fault.message))
        .collect();
    assert_eq!(found, expect, "{value}");
    assert_eq!(unread(schema), [""; 0], "{schema}");
}

#[test]
fn types() {
    let of = |kind: Value| json!({ "type": kind, "format": "uint" });
    check(&of(json!("integer")), json!(3), &[]);
    check(&of(json!("integer")), json!(3.0), &[]);
    check(&of(json!("integer")), json!(3.5), &[": a number instead of an integer"]);
    check(&of(json!("number")), json!(3), &[]);
    check(&of(json!("boolean")), json!("yes"), &[": a string instead of true or false"]);
    check(&of(json!(["string", "null"])), json!(null), &[]);
    check(&of(json!(["string", "null"])), json!([]), &[": a list instead of a string or null"]);
    check(&json!(true), json!({}), &[]);
    check(&json!(false), json!({}), &[": nothing may stand here"]);
}

#[test]
fn members_and_elements() {
    let line = json!({ "type": "integer", "minimum": 1 });
    let closed = json!({
        "type": "object", "title": "Lines", "properties": { "from": line, "a/b": line }, "required": ["from"],
        "additionalProperties": false,
    });
    check(&closed, json!({ "from": 1, "a/b": 1 }), &[]);
    check(
        &closed,
        json!({ "a/b": 0, "to": 2 }),
        &[": `from` is missing", ": nothing is called `to` here", "/a~1b: is less than 1"],
    );
    check(&json!({ "properties": { "from": line } }), json!({ "to": "x" }), &[]);
    let by_name = json!({ "type": "object", "additionalProperties": line });
    check(&by_name, json!({ "a": 1, "b": "x" }), &["/b: a string instead of an integer"]);
    check(
        &json!({ "type": "array", "items": line }),
        json!([1, 0, "x"]),
        &["/1: is less than 1", "/2: a string instead of an integer"],
    );
    let pair = json!({ "prefixItems": [{ "type": "string" }, line], "minItems": 2, "maxItems": 2 });
    check(&pair, json!(["a", 1]), &[]);
    check(&pair, json!([1]), &[": has too few elements", "/0: an integer instead of a string"]);
    check(&pair, json!(["a", 1, 1]), &[": has too many elements"]);
}

#[test]
fn values_from_a_list() {
    let listed = json!({ "type": "string", "enum": ["near", "far"] });
    let described = json!({ "oneOf": [{ "const": "near", "description": "Here." }, { "const": "far" }] });
    for schema in [listed, described] {
        check(&schema, json!("far"), &[]);
        check(&schema, json!("away"), &[r#": is not "near" or "far""#]);
    }
    check(&json!({ "const": 1 }), json!(2), &[": is not 1"]);
}

#[test]
fn bounds_of_numbers_and_texts() {
    let share = json!({ "type": "number", "minimum": 0, "maximum": 1 });
    check(&share, json!(1), &[]);
    check(&share, json!(-0.5), &[": is less than 0"]);
    check(&share, json!(1.5), &[": is more than 1"]);
    let short = json!({ "type": "string", "minLength": 1, "maxLength": 3, "$comment": "A remark." });
    check(&short, json!("äöü"), &[]);
    check(&short, json!(""), &[": is too short"]);
    check(&short, json!("abcd"), &[": is too long"]);
    let name = json!({ "pattern": "^[a-zA-Z0-9_-]+$" });
    check(&name, json!("read_range-2"), &[]);
    check(&name, json!(7), &[]);
    for odd in ["", "read range", "a:b", "ä"] {
        check(&name, json!(odd), &[": does not match ^[a-zA-Z0-9_-]+$"]);
    }
}

#[test]
fn alternatives() {
    let place =
        json!({ "type": "object", "properties": { "line": { "type": "integer" } }, "required": ["line"] });
    let maybe =
        json!({ "$defs": { "Place": place }, "anyOf": [{ "$ref": "#/$defs/Place" }, { "type": "null" }] });
    check(&maybe, json!(null), &[]);
    check(&maybe, json!({ "line": 1 }), &[]);
    check(&maybe, json!({ "line": "one" }), &["/line: a string instead of an integer"]);
    check(&maybe, json!({}), &[": `line` is missing"]);
    check(&maybe, json!(7), &[": an integer instead of an object"]);
    let marked = |name: &str, field: &str| {
        json!({
            "type": "object", "required": ["kind", field],
            "properties": { "kind": { "const": name }, field: { "type": "string" } },
        })
    };
    let tagged = json!({ "oneOf": [marked("file", "path"), marked("test", "name")] });
    check(&tagged, json!({ "kind": "test", "name": "a" }), &[]);
    check(&tagged, json!({ "kind": "test", "name": 1 }), &["/name: an integer instead of a string"]);
    check(&tagged, json!({ "kind": "test", "path": 1 }), &[": `name` is missing"]);
    let both = json!({ "oneOf": [{ "type": "string" }, { "minimum": 1 }] });
    check(&both, json!("a"), &[": can be read in several ways"]);
}

#[test]
fn words_that_are_not_known() {
    let schema = json!({
        "$defs": { "pattern": { "pattern": "a" } },
        "properties": { "multipleOf": { "items": { "anyOf": [{ "multipleOf": 3 }] } } },
        "additionalProperties": { "uniqueItems": true },
    });
    assert_eq!(unread(&schema), ["multipleOf", "pattern", "uniqueItems"]);
}
