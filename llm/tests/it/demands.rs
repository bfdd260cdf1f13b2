//! The demands of the scripted service, which are those of the real ones.

use serde_json::{Value, json};

use crate::scripted::Format;
use crate::scripted::check::problem;

fn check(format: Format, change: impl Fn(&mut Value), expect: Option<&str>) {
    let mut body =
        json!({ "model": "m", "max_tokens": 9, "messages": [{ "role": "user", "content": "hi" }] });
    change(&mut body);
    let headers = [("content-type", "application/json"), ("anthropic-version", "2023-06-01")];
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    let found = problem(format, &headers, &body);
    match (&found, expect) {
        (None, None) => {}
        (Some(found), Some(expect)) => assert!(found.contains(expect), "{body}: {found}"),
        _ => panic!("{body}: {found:?}"),
    }
}

#[test]
fn services_refuse_what_is_not_a_request() {
    for format in [Format::OpenAi, Format::Anthropic] {
        let check = |change: fn(&mut Value), expect| check(format, change, expect);
        check(|_| {}, None);
        check(|body| *body = Value::Null, Some("could not parse"));
        check(|body| body["model"] = json!(""), Some("'model'"));
        check(|body| body["messages"] = json!([]), Some("messages: at least one"));
        check(|body| body["messages"][0]["role"] = json!("robot"), Some("role"));
        check(|body| body["messages"][0]["content"] = json!(7), Some("content"));
        check(|body| body["max_tokens"] = json!(0), Some("max_tokens"));
        check(|body| body["temperature"] = json!("hot"), Some("temperature"));
        check(|body| body["temperature"] = json!(2.5), Some("temperature"));
        check(|body| body["tools"] = json!([]), Some("tools"));
        check(|body| body["colour"] = json!(1), Some("colour"));
    }
}

#[test]
fn openai_has_demands_of_its_own() {
    let check = |change: fn(&mut Value), expect| check(Format::OpenAi, change, expect);
    check(|body| body["max_completion_tokens"] = json!(9), Some("at the same time"));
    check(|body| body["temperature"] = json!(1.5), None);
    let tool = |name: &str| json!({ "type": "function", "function": { "name": name, "parameters": {"type": "object"} } });
    self::check(Format::OpenAi, |body| body["tools"] = json!([tool("run_tests")]), None);
    self::check(Format::OpenAi, |body| body["tools"] = json!([tool("run tests")]), Some("'run tests'"));
    check(|body| body["tools"] = json!([{ "name": "f" }]), Some("'function'"));
}

#[test]
fn anthropic_has_demands_of_its_own() {
    let check = |change: fn(&mut Value), expect| check(Format::Anthropic, change, expect);
    check(|body| body["max_tokens"] = Value::Null, Some("max_tokens"));
    check(|body| body["temperature"] = json!(1.5), Some("0..1"));
    check(|body| body["system"] = json!("s"), None);
    check(|body| body["system"] = json!([{ "type": "text", "text": " " }]), Some("non-whitespace"));
    check(|body| body["messages"][0]["role"] = json!("assistant"), Some("first message"));
    check(|body| body["messages"][0]["content"] = json!([]), Some("non-whitespace"));
    check(
        |body| {
            body["messages"] =
                json!([{ "role": "user", "content": "a" }, { "role": "user", "content": "b" }]);
        },
        Some("alternate"),
    );
    check(
        |body| {
            let block = json!({ "type": "text", "text": "x", "cache_control": { "type": "ephemeral" } });
            body["messages"][0]["content"] = json!(vec![block; 5]);
        },
        Some("Found 5"),
    );
    check(|body| body["tools"] = json!([{ "name": "f", "input_schema": { "type": "object" } }]), None);
    check(
        |body| body["tools"] = json!([{ "name": "f", "parameters": { "type": "object" } }]),
        Some("schema"),
    );
}
