//! Calls in the markup that models were trained on.

use super::*;

fn glaze() -> Value {
    json!({ "file_path": "kiln/glaze.py", "start_line": 3, "end_line": 9 })
}

const NUMBERS: [&str; 2] = ["`start_line`: text read as a number", "`end_line`: text read as a number"];

#[test]
fn tags_with_parameters_are_a_call() {
    for text in [
        "<tool_call>\n<function=read_range>\n<parameter=file_path>\nkiln/glaze.py\n</parameter>\n<parameter=start_line>\n3\n</parameter>\n<parameter=end_line>\n9\n</parameter>\n</function>\n</tool_call>",
        "<function=read_range><parameter=file_path>kiln/glaze.py</parameter><parameter=start_line>3</parameter><parameter=end_line>9</parameter></function>",
        "<function_calls>\n<invoke name=\"read_range\">\n<parameter name=\"file_path\">kiln/glaze.py</parameter>\n<parameter name=\"start_line\">3</parameter>\n<parameter name=\"end_line\">9</parameter>\n</invoke>\n</function_calls>",
        "<x:invoke name=\"read_range\"><x:parameter name=\"file_path\">kiln/glaze.py</x:parameter><x:parameter name=\"start_line\">3</x:parameter><x:parameter name=\"end_line\">9</x:parameter></x:invoke>",
    ] {
        assert_eq!(check(text, "read_range", &glaze(), &NUMBERS), None);
        let thoughts = check(&format!("It is the glaze.\n\n{text}"), "read_range", &glaze(), &NUMBERS);
        assert_eq!(thoughts.as_deref(), Some("It is the glaze."));
    }
    check("<function=run_tests>\n</function>", "run_tests", &json!({}), &[]);
}

#[test]
fn values_in_tags_are_raw_text() {
    let code = "\n    if a < b:\n        print(\"x\", {\"name\": \"run_tests\", \"args\": {}})\n";
    let text = format!("<function=run_code>\n<parameter=code>\n{code}\n</parameter>\n</function>");
    check(&text, "run_code", &json!({ "code": code }), &[]);
    check(
        "<function=extract_tests><parameter=tests>[\"a\", \"b\"]</parameter></function>",
        "extract_tests",
        &json!({ "tests": ["a", "b"] }),
        &["`tests`: JSON in a text read as the value"],
    );
    check(
        "<function=extract_tests><parameter=tests>['a', 'b',]</parameter></function>",
        "extract_tests",
        &json!({ "tests": ["a", "b"] }),
        &["`tests`: JSON in a text read as the value"],
    );
    check(
        "<function=search_code_base><parameter=key_words>null</parameter></function>",
        "search_code_base",
        &json!({ "key_words": ["null"] }),
        &["`key_words`: one value read as a list"],
    );
    check(
        "<function=extract_tests><parameter=tests>null</parameter></function>",
        "extract_tests",
        &json!({ "tests": null }),
        &["`tests`: JSON in a text read as the value"],
    );
    let edits = json!([{ "file_path": "kiln/glaze.py", "modifications": [{ "line_number": 2, "modified_line": "    return area // each" }] }]);
    let text = format!("<function=write_fix>\n<parameter=edits>\n{edits}\n</parameter>\n</function>");
    let read = read(&text).unwrap();
    assert_eq!((read.call.tool.as_str(), read.call.arguments), ("write_fix", json!({ "edits": edits })));
}

#[test]
fn marks_before_json_are_a_call() {
    let arguments = glaze().to_string();
    let renamed = "command `functions.read_range` read as `read_range`";
    for (text, repairs) in [
        (
            format!(
                "<|channel|>commentary to=functions.read_range <|constrain|>json<|message|>{arguments}<|call|>"
            ),
            vec![renamed],
        ),
        (
            format!(
                "<|channel|>analysis<|message|>Or {{\"name\": \"run_tests\", \"args\": {{}}}}?<|end|><|start|>assistant<|channel|>commentary to=functions.read_range<|message|>{arguments}"
            ),
            vec![renamed],
        ),
        (format!("[TOOL_CALLS]read_range[ARGS]{arguments}"), Vec::new()),
        (format!("[TOOL_CALLS][{{\"name\": \"read_range\", \"arguments\": {arguments}}}]"), Vec::new()),
        (
            format!("<tool_call>\n{{\"name\": \"read_range\", \"arguments\": {arguments}}}\n</tool_call>"),
            Vec::new(),
        ),
        (format!("<function=read_range>{arguments}</function>"), Vec::new()),
    ] {
        assert_eq!(check(&text, "read_range", &glaze(), &repairs), None, "{text}");
    }
}

#[test]
fn a_namespace_or_a_channel_at_a_native_name_is_none_of_it() {
    for asked in
        ["functions.run_tests", "run_tests<|channel|>commentary", "functions.run_tests:0", "tools.runTests"]
    {
        let call = ToolCall::new(asked, "{}");
        let read = read_with(&ReplyText { text: "", tool_calls: &[call], cut: false }).unwrap();
        assert_eq!(read.call.tool, "run_tests");
        let made: Vec<String> = read.repairs.iter().map(Repair::to_string).collect();
        assert_eq!(made, [format!("command `{asked}` read as `run_tests`")]);
    }
}

#[test]
fn markup_that_is_thought_or_mentioned_is_no_call() {
    let tests = "<function=run_tests></function>";
    let own = "<function=run_fault_localization></function>";
    let check = |text: &str| check(text, "run_fault_localization", &json!({}), &[]);
    check(&format!("<think>{tests}?</think>\n{own}"));
    check(&format!("Not `{tests}` yet.\n{own}"));
    let json = |thoughts: &str| json!({ "thoughts": thoughts, "command": { "name": "run_fault_localization", "args": {} } });
    check(&json(tests).to_string());
    check(&json(&format!("First:\n{tests}")).to_string());
    let none = "The reply held no command. Answer with one command in the given format.";
    refused(&format!("I would write `{tests}`."), none);
    refused("The tag <function=run_tests> would run them.", none);
    refused(&json!({ "thoughts": format!("\n{tests}") }).to_string(), none);
    refused(
        &format!("{tests}\n{own}"),
        "The reply held several commands (`run_tests` and `run_fault_localization`). Ask for exactly one; the others can follow in later cycles.",
    );
    refused("<function=paint></function>", "There is no command `paint`.");
}

#[test]
fn markup_that_was_cut_off_never_runs() {
    refused(
        "<function=run_code>\n<parameter=code>\nreturn fal",
        "The reply was cut off in `code` after `<function=run_code> <parameter=code> return fal`. Nothing was run. Write it again, shorter.",
    );
    refused(
        "<function=run_code><parameter=code>x</function>",
        "In the call of run_code, the tag that closes `code` is missing, so where its value ends is not clear. Nothing was run. \
         Write the call again with a closing tag behind each parameter.",
    );
    refused(
        "<function=run_code><parameter=code>x</parameter><parameter=code>y</parameter></function>",
        "In the call of run_code, `code` stands twice with different values. Nothing was run. Write each parameter once.",
    );
    refused(
        "[TOOL_CALLS]run_code[ARGS]{\"code\": \"return fal",
        "The reply was cut off in `code` after `{\"code\": \"return fal`. Nothing was run. Write it again, shorter.",
    );
    let text = "<function=run_code><parameter=code>x</parameter>\n";
    check(text, "run_code", &json!({ "code": "x" }), &[]);
    let cut = read_with(&ReplyText { text, tool_calls: &[], cut: true });
    assert!(matches!(cut, Err(Refusal::Cut { .. })), "{cut:?}");
}
