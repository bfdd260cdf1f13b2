//! Edits in calls of the tool that takes them.

use super::*;

#[test]
fn edits_of_a_call_are_brought_to_their_form() {
    let expect = json!({ "edits": [{
        "file_path": "a.py",
        "insertions": [{ "line_number": 3, "new_lines": ["x = 1", "y = 2"] }],
        "deletions": [7, 8],
        "modifications": [{ "line_number": 9, "modified_line": "z()" }],
    }] });
    check(&json!({ "name": "write_fix", "args": expect }).to_string(), "write_fix", &expect, &[]);
    check(
        &json!({ "name": "write_fix", "args": { "changes_dicts": {
            "file_name": "a.py",
            "target_lines": [["7", "a()"]],
            "insertions": { "line_numbe": "3", "new_lines": "x = 1\ny = 2\n" },
            "deletions": ["7", [8, "b()"]],
            "modulations": [],
            "modifications": [{ "line": 9, "modified_line": ["z()"] }],
        } } })
        .to_string(),
        "write_fix",
        &expect,
        &[
            "argument `changes_dicts` read as `edits`",
            "`edits`: one value read as a list",
            "argument `edits[0].file_name` read as `file_path`",
            "argument `edits[0].modulations` ignored",
            "argument `target_lines` ignored",
            "`edits[0].insertions`: one value read as a list",
            "argument `edits[0].insertions[0].line_numbe` read as `line_number`",
            "`edits[0].insertions[0].line_number`: text read as a number",
            "`edits[0].insertions[0].new_lines`: text read as a list of lines",
            "`edits[0].deletions[0]`: text read as a number",
            "`edits[0].deletions[1]`: line with its number read as the number",
            "argument `edits[0].modifications[0].line` read as `line_number`",
            "`edits[0].modifications[0].modified_line`: list of lines read as one text",
        ],
    );
    let edit = json!({ "file_path": "a.py", "insertions": [], "deletions": [1], "modifications": [] });
    let one = json!({ "edits": [edit] });
    for arguments in [
        json!({ "fixes": [edit] }),
        json!({ "edits": [[edit]] }),
        json!({ "edits": { "mutations": [edit] } }),
        json!({ "edits": [{ "fixes": [edit] }] }),
        json!({ "edits": json!([edit]).to_string() }),
        json!({ "edits": { "file_path": "a.py", "insertions": null, "deletions": 1, "modifications": null } }),
        json!([edit]),
        edit.clone(),
    ] {
        let text = json!({ "command": { "name": "write_fix", "args": arguments } }).to_string();
        let read = read(&text).unwrap_or_else(|refusal| panic!("{text}: {refusal}"));
        assert_eq!(read.call.arguments, one, "{text}");
        assert!(!read.repairs.is_empty(), "{text}");
    }
    refused(
        r#"{"name": "write_fix", "args": {"edits": [{"deletions": ["12-x"]}]}}"#,
        "The arguments of write_fix are not right: `edits[0]`: `file_path` is missing; \
         `edits[0].deletions[0]`: a string instead of an integer. It takes edits (array).",
    );
}

#[test]
fn edits_of_a_call_may_be_a_text_in_another_format() {
    let block = "a.py\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n";
    let replacement = json!({ "search": "x\n", "replace": "y\n", "whole_lines": true });
    let edit = json!({
        "file_path": "a.py", "insertions": [], "deletions": [], "modifications": [], "replacements": [replacement],
    });
    for arguments in [json!({ "edits": block }), json!({ "patch": block }), json!(block)] {
        let text = json!({ "command": { "name": "write_fix", "args": arguments } }).to_string();
        let read = read(&text).unwrap_or_else(|refusal| panic!("{text}: {refusal}"));
        assert_eq!(read.call.arguments, json!({ "edits": [edit] }), "{text}");
        let told = read
            .repairs
            .iter()
            .any(|repair| repair.to_string() == "`edits`: text read as edits in the format search-replace");
        assert!(told, "{:?}", read.repairs);
    }
    let fields = json!({ "file_path": "a.py", "rename_to": "b.py", "delete": false, "method_name": "f", "code": "def f(): pass" });
    let text = json!({ "command": { "name": "write_fix", "args": { "edits": [fields] } } }).to_string();
    let definitions = json!([{ "name": "f", "code": "def f(): pass" }]);
    let expect =
        json!([{ "file_path": "a.py", "rename_to": "b.py", "delete": false, "definitions": definitions }]);
    assert_eq!(read(&text).unwrap().call.arguments["edits"], expect);
    let cut = block.replace(">>>>>>> REPLACE\n", "");
    refused(
        &json!({ "command": { "name": "write_fix", "args": { "edits": cut } } }).to_string(),
        "The arguments of write_fix are not right: `edits`: The edits were cut off, in line 2 (for `a.py`), after \
         `a.py <<<<<<< SEARCH x ======= y`. None of them was used. Write all of them again, shorter. It takes `edits`, a \
         list of edits.",
    );
}

/// A comma is missing between two objects, right behind a text with escaped quotes: no text swallows the second object.
#[test]
fn a_missing_comma_between_the_edits_of_two_files() {
    let text = r#"{"command": {"name": "write_fix", "args": {"edits": [{"file_path": "a.py", "modifications":
        [{"line_number": 3, "modified_line": "    m = int(w + f.ljust(n, \"0\"))"}]} {"file_path": "b.py", "deletions": [1]}]}}}"#;
    let read = read(text).unwrap();
    let line = json!({ "line_number": 3, "modified_line": "    m = int(w + f.ljust(n, \"0\"))" });
    assert_eq!(
        read.call.arguments,
        json!({ "edits": [{ "file_path": "a.py", "modifications": [line] }, { "file_path": "b.py", "deletions": [1] }] })
    );
}

#[test]
fn calls_of_an_editor_are_fixes() {
    let replacement =
        json!([{ "file_path": "a.py", "replacements": [{ "search": "a - b", "replace": "a + b" }] }]);
    for (call, edits) in [
        (
            json!({ "name": "str_replace_editor", "arguments": { "command": "str_replace", "path": "a.py", "old_str": "a - b", "new_str": "a + b" } }),
            &replacement,
        ),
        (
            json!({ "tool": "edit_file", "input": { "file_path": "a.py", "old_string": "a - b", "new_string": "a + b" } }),
            &replacement,
        ),
    ] {
        let read = read(&call.to_string()).unwrap_or_else(|refusal| panic!("{call}: {refusal}"));
        assert_eq!(read.call.tool, "write_fix", "{call}");
        let got: Vec<patchwright_edits::Edit> =
            serde_json::from_value(read.call.arguments["edits"].clone()).unwrap();
        let expect: Vec<patchwright_edits::Edit> = serde_json::from_value(edits.clone()).unwrap();
        assert_eq!(got, expect, "{call}");
    }
    let patch =
        "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n def f(a, b):\n-    return a - b\n+    return a + b\n";
    let call = json!({ "name": "apply_patch", "arguments": { "diff": patch } }).to_string();
    let read = read(&call).unwrap_or_else(|refusal| panic!("{refusal}"));
    assert_eq!(
        (read.call.tool.as_str(), &read.call.arguments["edits"][0]["file_path"]),
        ("write_fix", &json!("a.py"))
    );
}

#[test]
fn a_patch_in_a_call_is_read_with_the_project_at_hand() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("notes.rst"), "Intro\n\nHeading\n=======\nx\n").unwrap();
    let project = Project::open(folder.path()).unwrap();
    let patch =
        "notes.rst\n<<<<<<< SEARCH\nHeading\n=======\nx\n=======\nHeading\n=======\ny\n>>>>>>> REPLACE\n";
    let text = json!({ "tool": "write_fix", "args": { "edits": patch } }).to_string();
    let reply = ReplyText { text: &text, tool_calls: &[], cut: false };
    let call = read_in(Some(&project), &reply).unwrap().call;
    let replacement = &call.arguments["edits"][0]["replacements"][0];
    assert_eq!(replacement["search"], "Heading\n=======\nx\n");
    assert_eq!(replacement["replace"], "Heading\n=======\ny\n");
    // Without it nothing tells which line divides the texts.
    assert!(matches!(read_with(&reply), Err(Refusal::BadArguments { .. })));
}
