//! Replies as models write them, and the calls that they are read as.

mod edits;
mod markup;
mod names;

use patchwright_protocol::ToolCall;
use patchwright_protocol::schema::unread;
use serde_json::{Value, json};

use patchwright_replies::NameMatching;

use super::*;

/// The tools of the paper with schemas like ours.
fn tools() -> Vec<(&'static str, Value)> {
    let object = |properties: Value, required: &[&str]| {
        json!({
            "type": "object", "properties": properties, "required": required, "additionalProperties": false,
        })
    };
    let text = || json!({ "type": "string" });
    // As in the real one, fields that are not shown are allowed.
    let mut edit = object(
        json!({
            "file_path": text(),
            "insertions": { "type": "array", "items": object(
                json!({ "line_number": { "type": "integer", "minimum": 0 }, "new_lines": { "type": "array", "items": text() } }),
                &["line_number"],
            ) },
            "deletions": { "type": "array", "items": { "type": "integer", "minimum": 0 } },
            "modifications": { "type": "array", "items": object(
                json!({ "line_number": { "type": "integer", "minimum": 0 }, "modified_line": text() }),
                &["line_number", "modified_line"],
            ) },
        }),
        &["file_path"],
    );
    edit["additionalProperties"] = json!(true);
    let line = || json!({ "type": "integer", "minimum": 0 });
    vec![
        (
            "read_range",
            object(
                json!({ "file_path": text(), "start_line": line(), "end_line": line() }),
                &["file_path", "start_line", "end_line"],
            ),
        ),
        ("get_classes_and_methods", object(json!({ "file_path": text() }), &["file_path"])),
        (
            "extract_method",
            object(json!({ "file_path": text(), "method_name": text() }), &["file_path", "method_name"]),
        ),
        ("extract_tests", object(json!({ "tests": { "type": ["array", "null"], "items": text() } }), &[])),
        (
            "search_code_base",
            object(json!({ "key_words": { "type": "array", "items": text() } }), &["key_words"]),
        ),
        (
            "find_similar_api_calls",
            object(
                json!({ "code_snippet": text(), "file_path": { "anyOf": [text(), { "type": "null" }] } }),
                &["code_snippet"],
            ),
        ),
        (
            "generate_method_body",
            object(json!({ "file_path": text(), "method_name": text() }), &["file_path", "method_name"]),
        ),
        ("run_tests", object(json!({}), &[])),
        ("run_fault_localization", object(json!({}), &[])),
        ("run_code", object(json!({ "code": text(), "command": text(), "candidate": line() }), &[])),
        ("write_fix", {
            let mut schema = object(
                json!({ "edits": { "type": "array", "items": { "$ref": "#/$defs/Edit" } } }),
                &["edits"],
            );
            schema["$defs"] = json!({ "Edit": edit });
            schema
        }),
        ("express_hypothesis", object(json!({ "hypothesis": text() }), &["hypothesis"])),
        ("collect_more_information", object(json!({ "reason": text() }), &["reason"])),
        ("discard_hypothesis", object(json!({ "reason": text() }), &["reason"])),
        ("goal_accomplished", object(json!({ "reason": { "type": ["string", "null"] } }), &[])),
    ]
}

fn read_with(reply: &ReplyText) -> Result<Interpretation, Refusal> {
    read_in(None, reply)
}

fn read_in(project: Option<&Project>, reply: &ReplyText) -> Result<Interpretation, Refusal> {
    let tools = tools();
    let shapes: Vec<ToolShape> = tools.iter().map(|(name, schema)| ToolShape { name, schema }).collect();
    interpret(reply, &shapes, &NameMatching::default(), project)
}

fn read(text: &str) -> Result<Interpretation, Refusal> {
    read_with(&ReplyText { text, tool_calls: &[], cut: false })
}

/// The reply is read as this call, with these repairs.
fn check(text: &str, tool: &str, arguments: &Value, repairs: &[&str]) -> Option<String> {
    let read = read(text).unwrap_or_else(|refusal| panic!("{text}\n{refusal}"));
    assert_eq!(read.call.tool, tool, "{text}");
    assert_eq!(read.call.arguments, *arguments, "{text}");
    let made: Vec<String> = read.repairs.iter().map(Repair::to_string).collect();
    assert_eq!(made, repairs, "{text}");
    read.call.thoughts
}

/// The reply is refused with this message.
fn refused(text: &str, message: &str) {
    match read(text) {
        Ok(read) => panic!("{text} was read as {read:?}"),
        Err(refusal) => assert_eq!(refusal.to_string(), message, "{text}"),
    }
}

fn range() -> Value {
    json!({ "file_path": "a/b.py", "start_line": 3, "end_line": 9 })
}

#[test]
fn the_protocol_as_it_is_written_needs_no_repair() {
    let text = json!({ "thoughts": "Look there.", "command": { "name": "read_range", "args": range() } })
        .to_string();
    assert_eq!(check(&text, "read_range", &range(), &[]), Some("Look there.".to_owned()));
    let fenced = format!("I think so.\n\n```json\n{text}\n```\nThat is all.");
    assert_eq!(check(&fenced, "read_range", &range(), &[]), Some("Look there.".to_owned()));
    let bare = json!({ "command": { "name": "read_range", "args": range() } });
    let before = format!("The test fails in b.\n```json\n{bare}\n```");
    assert_eq!(check(&before, "read_range", &range(), &[]), Some("The test fails in b.".to_owned()));
}

#[test]
fn other_shapes_of_a_call() {
    let arguments = range();
    let in_text = arguments.to_string();
    for shape in [
        json!({ "name": "read_range", "arguments": arguments }),
        json!({ "name": "read_range", "arguments": in_text }),
        json!({ "tool": "read_range", "parameters": arguments }),
        json!({ "tool_name": "read_range", "input": arguments }),
        json!({ "action": "read_range", "action_input": arguments }),
        json!({ "type": "function", "function": { "name": "read_range", "arguments": in_text } }),
        json!({ "tool_calls": [{ "id": "1", "type": "function", "function": { "name": "read_range", "arguments": in_text } }] }),
        json!({ "command": "read_range", "args": arguments }),
        json!({ "command": { "read_range": arguments } }),
        json!({ "read_range": arguments }),
        json!([{ "command": { "name": "read_range", "args": arguments } }]),
        json!({ "response": { "command": { "name": "read_range", "args": arguments } } }),
        json!({ "command": { "name": "read_range", "args": [arguments] } }),
        json!({ "thoughts": { "text": "x" }, "plan": ["y"], "command": { "name": "read_range", "args": arguments } }),
        json!({ "command": { "name": "read_range", "file_path": "a/b.py", "start_line": 3, "end_line": 9 } }),
        json!({ "name": "read_range()", "arguments": arguments }),
    ] {
        let read = read(&shape.to_string()).unwrap_or_else(|refusal| panic!("{shape}: {refusal}"));
        assert_eq!((read.call.tool.as_str(), &read.call.arguments), ("read_range", &arguments), "{shape}");
    }
    let twice = json!({ "command": { "name": "read_range", "args": arguments } }).to_string();
    check(&format!("<tool_call>{twice}</tool_call>\n{twice}"), "read_range", &arguments, &[]);
    check(&json!(twice).to_string(), "read_range", &arguments, &[]);
    check(r#"{"command": {"name": "run_tests"}}"#, "run_tests", &json!({}), &[]);
    // An argument has the name that the call itself has in the protocol.
    for line in ["ls -l", "run_tests", "read_range"] {
        let arguments = json!({ "command": line });
        for shape in [
            json!({ "command": { "name": "run_code", "args": arguments } }),
            json!({ "command": { "name": "run_code", "command": line } }),
            json!({ "command": { "run_code": arguments } }),
            json!({ "name": "run_code", "arguments": arguments }),
            json!({ "name": "bash", "arguments": { "cmd": line } }),
        ] {
            let read = read(&shape.to_string()).unwrap_or_else(|refusal| panic!("{shape}: {refusal}"));
            assert_eq!((read.call.tool.as_str(), &read.call.arguments), ("run_code", &arguments), "{shape}");
        }
    }
    check(r#"{"command": {"name": "run_tests", "args": null}}"#, "run_tests", &json!({}), &[]);
}

#[test]
fn broken_json_is_repaired_and_reported() {
    check(
        "{'thoughts': 'it isn\\'t there', 'command': {'name': 'run_tests', 'args': {},}}",
        "run_tests",
        &json!({}),
        &["JSON: single quotes (6 times)", "JSON: trailing comma"],
    );
    check(
        r#"{"thoughts": "the "foo" case", "command": {"name": "run_tests", "args": {}}"#,
        "run_tests",
        &json!({}),
        &["JSON: unescaped inner quote", "JSON: missing closer"],
    );
    let code = "{\"thoughts\": \"like\n```java\nif (a) { b(); }\n```\n\", \"command\": {\"name\": \"run_tests\", \"args\": {}}}";
    check(code, "run_tests", &json!({}), &["JSON: raw control character"]);
}

#[test]
fn argument_names_and_values() {
    check(
        r#"{"name": "read_range", "args": {"filepath": "a/b.py", "startline": "3", "endline": 9.0}}"#,
        "read_range",
        &range(),
        &[
            "argument `filepath` read as `file_path`",
            "argument `startline` read as `start_line`",
            "argument `endline` read as `end_line`",
            "`start_line`: text read as a number",
            "`end_line`: text read as a number",
        ],
    );
    check(
        r#"{"name": "read_range", "args": {"path": ["a/b.py"], "from": 3, "to": "9", "project_name": "x"}}"#,
        "read_range",
        &range(),
        &[
            "argument `path` read as `file_path`",
            "argument `from` read as `start_line`",
            "argument `to` read as `end_line`",
            "argument `project_name` ignored",
            "`file_path`: list of one read as the value",
            "`end_line`: text read as a number",
        ],
    );
    check(
        r#"{"name": "search_code_base", "args": {"keywords": "total"}}"#,
        "search_code_base",
        &json!({ "key_words": ["total"] }),
        &["argument `keywords` read as `key_words`", "`key_words`: one value read as a list"],
    );
    check(
        r#"{"name": "search_code_base", "args": {"key_words": "[\"a\", \"b\"]"}}"#,
        "search_code_base",
        &json!({ "key_words": ["a", "b"] }),
        &["`key_words`: JSON in a text read as the value"],
    );
    check(
        r#"{"name": "express_hypothesis", "args": {"cause": "It counts from one."}}"#,
        "express_hypothesis",
        &json!({ "hypothesis": "It counts from one." }),
        &["argument `cause` read as `hypothesis`"],
    );
    check(
        r#"{"name": "express_hypothesis", "args": "It counts from one."}"#,
        "express_hypothesis",
        &json!({ "hypothesis": "It counts from one." }),
        &["argument `args` read as `hypothesis`"],
    );
    check(
        r#"{"name": "find_similar_api_calls", "args": {"code_snippet": ["a(b)", "c()"], "file_path": null}}"#,
        "find_similar_api_calls",
        &json!({ "code_snippet": "a(b)\nc()" }),
        &["`code_snippet`: list of lines read as one text", "`file_path`: null left out"],
    );
    check(
        r#"{"name": "extract_tests", "args": {"tests": null}}"#,
        "extract_tests",
        &json!({ "tests": null }),
        &[],
    );
    // A path stays as it is given: the tools resolve paths.
    check(
        r#"{"name": "get_classes_and_methods", "args": {"file_path": "com.example.Foo"}}"#,
        "get_classes_and_methods",
        &json!({ "file_path": "com.example.Foo" }),
        &[],
    );
}

#[test]
fn what_two_readings_are_equally_good_for_is_refused() {
    refused(
        r#"{"name": "extract", "args": {}}"#,
        "There is no command `extract`; it could stand for `extract_method` and `extract_tests`. Use the exact name.",
    );
    refused(
        r#"{"name": "read_range", "args": {"file": "a.py", "path": "b.py", "start_line": 1, "end_line": 2}}"#,
        "The arguments of read_range are not right: `file_path`: given twice, as `file` and as `path`. It takes one `file_path`.",
    );
    refused(
        r#"{"name": "read_range", "args": {"file_path": "a.py", "line": 3}}"#,
        "In the call of read_range, `line` could stand for `start_line` and `end_line`. Use the exact names of the arguments.",
    );
    refused(
        r#"{"name": "run_tests", "args": {}} or {"name": "extract_tests", "args": {}}"#,
        "The reply held several commands (`run_tests` and `extract_tests`). Ask for exactly one; the others can follow in later cycles.",
    );
    refused(
        r#"{"name": "search_code_base", "args": {"key_words": ["5" wide", "next"]}}"#,
        "A text in `key_words[0]` can be read in two ways, because quotes inside it are not escaped. Write `\\\"` for a quote inside a text.",
    );
}

#[test]
fn what_is_thought_before_the_answer_is_none() {
    let range = |path: &str| json!({"file_path": path, "start_line": 1, "end_line": 2});
    let call = |path: &str| json!({"name": "read_range", "args": range(path)}).to_string();
    let (draft, own) = (call("a.py"), call("b.py"));
    check(&format!("<think>First {draft}?</think>\n{own}"), "read_range", &range("b.py"), &[]);
    check(&format!("Perhaps {draft}, no.</think>{own}"), "read_range", &range("b.py"), &[]);
    check(&format!("<think>{own}</think>"), "read_range", &range("b.py"), &[]);
    check(&call("</think>"), "read_range", &range("</think>"), &[]);
}

#[test]
fn what_is_not_a_call_is_refused() {
    refused("", "The reply was empty. Ask for exactly one command.");
    refused("  \n", "The reply was empty. Ask for exactly one command.");
    let none = "The reply held no command. Answer with one command in the given format.";
    refused("I would look at foo() first.", none);
    refused(r#"{"thoughts": "hm"}"#, none);
    refused(r#"[{"file_path": "a.py", "deletions": [1]}]"#, none);
    refused(r#"{"name": "delete_everything", "args": {}}"#, "There is no command `delete_everything`.");
    let refusal = read(r#"{"name": "write_file", "args": {}}"#).unwrap_err();
    assert_eq!(
        refusal.message(&["run_tests".to_owned(), "write_fix".to_owned()]),
        "There is no command `write_file`. Similar names: `write_fix`. These commands can be called now: run_tests, write_fix."
    );
}

#[test]
fn everything_that_is_wrong_is_told_at_once() {
    refused(
        r#"{"name": "read_range", "args": {"start_line": "three", "end_line": -1}}"#,
        "The arguments of read_range are not right: `file_path` is missing; \
         `end_line`: is less than 0; \
         `start_line`: a string instead of an integer. \
         It takes file_path (string), start_line (integer), end_line (integer).",
    );
    refused(
        r#"{"name": "run_tests", "args": [1, 2]}"#,
        "The arguments of run_tests are not right: the arguments must be an object with a name for each. It takes no arguments.",
    );
}

#[test]
fn text_that_was_cut_off_never_runs() {
    refused(
        r#"{"thoughts": "x", "command": {"name": "write_fix", "args": {"edits": [{"file_path": "a.py", "insertions": [{"line_number": 3, "new_lines": ["    return fal"#,
        "The reply was cut off in `edits[0].insertions[0].new_lines[0]` after \
         `sertions\": [{\"line_number\": 3, \"new_lines\": [\" return fal`. Nothing was run. Write it again, shorter.",
    );
    // The list of edits never closed: more may have been meant.
    let cut =
        |read: Result<Interpretation, Refusal>| assert!(matches!(read, Err(Refusal::Cut { .. })), "{read:?}");
    cut(read(r#"{"name": "write_fix", "args": {"edits": [{"file_path": "a.py", "deletions": [1]}"#));
    // Only closing brackets after whole arguments are missing: fine, unless the provider says that more was to come.
    let text = r#"{"name": "write_fix", "args": {"edits": [{"file_path": "a.py", "deletions": [1]}]"#;
    assert!(read(text).is_ok());
    cut(read_with(&ReplyText { text, tool_calls: &[], cut: true }));
    let text = "I will now look at the";
    cut(read_with(&ReplyText { text, tool_calls: &[], cut: true }));
    // A cut thought without a call is a cut reply, too.
    cut(read(r#"{"thoughts": "The test expects"#));
}

#[test]
fn native_calls_go_through_the_same_door() {
    let call = |name: &str, arguments: &str| ToolCall::new(name, arguments);
    let read = |calls: &[ToolCall], cut: bool| {
        read_with(&ReplyText { text: "I will look.", tool_calls: calls, cut })
    };
    let good =
        read(&[call("readRange", r#"{"path": "a/b.py", "start_line": "3", "end_line": 9}"#)], false).unwrap();
    assert_eq!((good.call.tool.as_str(), &good.call.arguments), ("read_range", &range()));
    assert_eq!(good.call.thoughts.as_deref(), Some("I will look."));
    assert_eq!(good.repairs.len(), 3);
    assert!(read(&[call("run_tests", "")], false).is_ok());
    assert!(read(&[call("run_tests", "{}"), call("run_tests", "{}")], false).is_ok());
    let several = read(&[call("run_tests", "{}"), call("extract_tests", "{}")], false);
    assert!(matches!(several, Err(Refusal::SeveralCalls { .. })), "{several:?}");
    let cut = read(&[call("read_range", r#"{"path": "a/b.p"#)], true);
    assert!(matches!(cut, Err(Refusal::Cut { .. })), "{cut:?}");
    let unreadable = read(&[call("read_range", "what?")], false);
    assert!(matches!(unreadable, Err(Refusal::BadArguments { .. })), "{unreadable:?}");
}

/// The tools as they are: all of their schemas is read, and the one that takes edits is recognised.
#[test]
fn the_schemas_of_the_real_tools() {
    let tools: Vec<(&str, Value)> =
        crate::all().iter().map(|tool| (tool.name(), tool.schema(None))).collect();
    let shapes: Vec<ToolShape> = tools.iter().map(|(name, schema)| ToolShape { name, schema }).collect();
    for (name, schema) in &tools {
        assert_eq!(unread(schema), [""; 0], "{name}");
    }
    let read = |text: &str| {
        interpret(&ReplyText { text, tool_calls: &[], cut: false }, &shapes, &NameMatching::default(), None)
            .unwrap()
            .call
    };
    let call = read(r#"{"tool": "writeFix", "args": {"fixes": {"file_name": "a.py", "deletions": "3"}}}"#);
    assert_eq!(
        (call.tool.as_str(), call.arguments),
        ("write_fix", json!({ "edits": [{ "file_path": "a.py", "deletions": [3] }] }))
    );
    let call =
        read(r#"{"tool": "read_lines", "args": {"filepath": "a.py", "startline": "3", "endline": "9"}}"#);
    assert_eq!(call.arguments, json!({ "file_path": "a.py", "start_line": 3, "end_line": 9 }));
    let call = read(r#"{"tool": "search_codebase", "args": {"keywords": "total"}}"#);
    assert_eq!(call.tool, "search_code_base");
}
