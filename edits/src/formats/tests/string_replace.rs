//! Calls of editors.

use serde_json::{Value, json};

use super::{ErrorLocation, FormatProblem, content, empty, flaw, nothing, read, refused};
use crate::edit::{Edit, Insertion, Replacement};
use crate::formats::EditFormat::{Json, StringReplace};
use crate::formats::read_edits;

fn replaced(file: &str, search: &str, replace: &str) -> Edit {
    let replacement =
        Replacement { search: search.to_owned(), replace: replace.to_owned(), ..Replacement::default() };
    Edit { replacements: vec![replacement], ..empty(file) }
}

#[test]
fn calls_stand_in_many_forms() {
    let input = json!({ "command": "str_replace", "path": "/repo/x.py", "old_str": "a\n", "new_str": "b" });
    let expect = (vec![replaced("/repo/x.py", "a\n", "b")], Vec::<String>::new());
    for call in [
        input.clone(),
        json!([input]),
        json!({ "name": "str_replace_editor", "input": input }),
        json!({ "name": "str_replace_editor", "arguments": input }),
        json!({ "type": "tool_use", "id": "1", "name": "str_replace_based_edit_tool", "input": input }),
        json!({ "content": [{ "type": "text", "text": "So." }, { "type": "tool_use", "input": input }] }),
    ] {
        assert_eq!(read(StringReplace, &call.to_string()), expect, "{call}");
        let prose = format!("I change this:\n```json\n{call}\n```\n");
        assert_eq!(read(StringReplace, &prose), expect, "{prose}");
    }
    let text = input.to_string();
    for call in [
        json!({ "function": { "name": "str_replace_editor", "arguments": text } }),
        json!({ "tool_calls": [{ "type": "function", "function": { "name": "edit", "arguments": text } }] }),
        json!({ "input": text }),
        json!(text),
    ] {
        let (edits, repairs) = read(StringReplace, &call.to_string());
        assert_eq!(edits, expect.0, "{call}");
        assert!(repairs[0].ends_with("JSON in a text read as the value"), "{repairs:?}");
    }
}

#[test]
fn every_command_is_an_edit_or_none() {
    let check = |call: Value, expect: Edit| {
        assert_eq!(read(StringReplace, &call.to_string()), (vec![expect], vec![]), "{call}");
    };
    check(json!({ "command": "str_replace", "path": "x", "old_str": "a" }), replaced("x", "a", ""));
    check(json!({ "command": "create", "path": "x", "file_text": "a\nb\n" }), content("x", "a\nb\n"));
    let insertion = |line_number: u32, lines: &[&str]| {
        let new_lines = lines.iter().map(|line| (*line).to_owned()).collect();
        Edit { insertions: vec![Insertion { line_number, new_lines }], ..empty("x") }
    };
    check(
        json!({ "command": "insert", "path": "x", "insert_line": 3, "new_str": "a\n\n  b\n" }),
        insertion(4, &["a", "", "  b"]),
    );
    check(
        json!({ "command": "insert", "path": "x", "insert_line": 0, "insert_text": "a" }),
        insertion(1, &["a"]),
    );
    check(
        json!({ "file_path": "x", "old_string": "a", "new_string": "b", "replace_all": false }),
        replaced("x", "a", "b"),
    );
    let mut all = replaced("x", "a", "b");
    all.replacements[0].all = true;
    check(json!({ "file_path": "x", "old_string": "a", "new_string": "b", "replace_all": true }), all);
    let pair = |one: &str, other: &str| json!({ "old_string": one, "new_string": other });
    let mut both = replaced("x", "a", "b");
    both.replacements.extend(replaced("x", "c", "").replacements);
    let (edits, _) = read(
        StringReplace,
        &json!({ "name": "MultiEdit", "input": { "file_path": "x", "edits": [pair("a", "b"), pair("c", "")] } })
            .to_string(),
    );
    assert_eq!(edits, [both]);
    nothing(StringReplace, &json!({ "command": "view", "path": "x", "view_range": [1, 9] }).to_string());
    nothing(StringReplace, r#"{"name": "Read", "input": {"file_path": "x"}}"#);
    let view = json!({ "command": "view", "path": "x" });
    let edit = json!({ "command": "str_replace", "path": "x", "old_str": "a", "new_str": "b" });
    check(json!([view, edit]), replaced("x", "a", "b"));
    let undone = flaw(StringReplace, &json!([edit, { "command": "undo_edit", "path": "x" }]).to_string());
    let place = ErrorLocation::value("edits[1]".to_owned(), Some("x"));
    assert_eq!(undone, (place, FormatProblem::UnknownCommand("undo_edit".to_owned())));
    let message = refused(StringReplace, &json!({ "path": "x", "old_str": "a" }).to_string());
    assert!(message.contains("`replace` is missing"), "{message}");
}

#[test]
fn calls_stand_in_tags() {
    let expect = vec![replaced("x.py", "a\n  b", "c")];
    let plain = "Words.\n<function=str_replace_editor>\n<parameter=command>str_replace</parameter>\n<parameter=path>x.py</parameter>\n\
                 <parameter=old_str>\na\n  b\n</parameter>\n<parameter=new_str>c</parameter>\n</function>\n";
    assert_eq!(read(StringReplace, plain).0, expect);
    let named = "<invoke name=\"edit\">\n<parameter name=\"file_path\">x.py</parameter>\n<parameter name=\"old_string\">a\n  b</parameter>\n\
                 <parameter name=\"new_string\">c</parameter>\n</invoke>";
    assert_eq!(read(StringReplace, named).0, expect);
    assert_eq!(read(StringReplace, &format!("{named}\n{plain}")).0.len(), 2);
    for text in [&plain[..plain.len() - 30], &named[..named.len() - 10], "<parameter=path>x"] {
        assert!(refused(StringReplace, text).contains("cut off"), "{text}");
    }
    let insert = "<parameter=command>insert</parameter><parameter=path>x</parameter><parameter=insert_line>2</parameter>\
                  <parameter=new_str>a</parameter></function>";
    assert_eq!(read(StringReplace, insert).0[0].insertions[0].line_number, 3);
}

#[test]
fn a_call_that_was_cut_off_is_not_read() {
    let text = r#"{"command": "str_replace", "path": "x", "old_str": "a", "new_str": "if (b"#;
    let message = refused(StringReplace, text);
    assert!(message.starts_with("The edits were cut off, in `new_str` (for `x`), after `"), "{message}");
    let text = r#"[{"path": "x", "old_str": "a", "new_str": "b"}, {"path": "y", "old_str": "#;
    assert!(read_edits(text, None).is_err());
    assert!(read_edits(text, Some(Json)).is_err());
}
