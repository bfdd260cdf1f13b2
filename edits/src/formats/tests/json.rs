//! Edits in JSON.

use serde_json::{Value, json};

use super::{ErrorLocation, FormatProblem, flaw, nothing, read, refused};
use crate::edit::Edit;
use crate::formats::{EditFormat, interpret_edits, read_edits};

#[test]
fn candidates_in_an_answer_to_a_question_for_variants() {
    let edit = |file: &str, line: u32| json!({ "file_path": file, "deletions": [line] });
    let check = |text: &str, expect: &[Value]| {
        let found = interpret_edits(text);
        let edits: Vec<Value> = found.iter().map(|one| one.edits.clone()).collect();
        assert_eq!(edits, expect, "{text}");
        assert!(found.iter().all(|one| !one.damaged), "{text}: {found:?}");
    };
    let (a, b) = (edit("a.py", 1), edit("b.py", 2));
    let each = [json!([a]), json!([b])];
    check(&json!([a, b]).to_string(), &each);
    check(&json!([[a], [b]]).to_string(), &each);
    check(&json!([[a, b]]).to_string(), &[json!([a, b])]);
    check(&json!({ "variants": [a, b] }).to_string(), &each);
    check(&json!({ "variants": [[a, b], [b]] }).to_string(), &[json!([a, b]), json!([b])]);
    check(&json!([{ "edits": [a, b] }, { "id": 2, "fix": [b] }]).to_string(), &[json!([a, b]), json!([b])]);
    check(&json!({ "mutation_1": a, "mutation_2": b }).to_string(), &each);
    check(&format!("First:\n{a}\nSecond:\n```json\n{b}\n```"), &each);
    check(&json!(json!([a, b]).to_string()).to_string(), &each);
    check("[{'file_name': 'a.py', 'deletions': ['1']}]", &[json!([a])]);
    check("Nothing comes to mind.", &[]);
}

#[test]
fn candidates_that_are_not_wholly_there_are_marked() {
    let text = r#"[{"file_path": "a.py", "deletions": [1]}, {"file_path": "b.py", "insertions": [{"line_number": 2, "new_lines": ["x", "yy"#;
    let damaged: Vec<bool> = interpret_edits(text).into_iter().map(|one| one.damaged).collect();
    assert_eq!(damaged, [false, true]);
    let text =
        r#"[{"file_path": "a.py", "modifications": [{"line_number": "three", "modified_line": "x"}]}]"#;
    assert!(interpret_edits(text)[0].damaged);
}

/// The text is read as these edits, with these repairs.
fn check(text: &str, expect: Value, repairs: &[&str]) {
    let (edits, made) = read(EditFormat::Json, text);
    let expect: Vec<Edit> = serde_json::from_value(expect).unwrap();
    assert_eq!((edits, made.iter().map(String::as_str).collect()), (expect, repairs.to_vec()), "{text}");
}

fn with_file(fields: &Value) -> Value {
    let mut edit = json!({ "file_path": "x.py" });
    for (name, value) in fields.as_object().unwrap() {
        edit[name] = value.clone();
    }
    edit
}

#[test]
fn several_values_are_told_of() {
    let edit = |line: u32| json!({ "file_path": "x.py", "deletions": [line] });
    check(
        &format!("This will do:\n{}\nor better\n{}\n", edit(1), edit(2)),
        json!([edit(1), edit(2)]),
        &["several values were taken together"],
    );
}

#[test]
fn names_of_fields_have_some_play() {
    let expect = json!([{ "file_path": "x.py", "deletions": [1] }]);
    check(r#"[{"file_path": "x.py", "deletions": [1]}]"#, expect.clone(), &[]);
    for name in ["file_name", "path", "filepath", "file", "filename", "FilePath", "target_file"] {
        let text = json!([{ name: "x.py", "deletions": [1] }]).to_string();
        check(&text, expect.clone(), &[&format!("argument `edits[0].{name}` read as `file_path`")]);
    }
    let told = |asked: &str, read_as: &str| format!("argument `edits.{asked}` read as `{read_as}`");
    for (name, read_as, value, expect) in [
        ("insert", "insertions", json!([]), json!({})),
        ("Insertions", "insertions", json!([]), json!({})),
        ("insertons", "insertions", json!([]), json!({})),
        ("deletion", "deletions", json!([1]), json!({ "deletions": [1] })),
        ("modulations", "modifications", json!([]), json!({})),
        ("new_path", "rename_to", json!("y.py"), json!({ "rename_to": "y.py" })),
        ("file_text", "content", json!("a\n"), json!({ "content": "a\n" })),
        ("delete_file", "delete", json!(true), json!({ "delete": true })),
    ] {
        let text = with_file(&json!({ name: value })).to_string();
        let format = if name == "file_text" { EditFormat::StringReplace } else { EditFormat::Json };
        let reading = read_edits(&text, Some(format)).unwrap();
        let expect: Edit = serde_json::from_value(with_file(&expect)).unwrap();
        assert_eq!(reading.edits, [expect], "{text}");
        assert_eq!(reading.repairs[0].to_string(), told(name, read_as), "{text}");
    }
    let text = r#"{"file_path": "x.py", "insertions": [{"line_numbe": 3, "lines": ["a"]}], "modifications": [{"line": 1, "content": "b"}]}"#;
    let expect = json!([{ "file_path": "x.py", "insertions": [{ "line_number": 3, "new_lines": ["a"] }],
                          "modifications": [{ "line_number": 1, "modified_line": "b" }] }]);
    check(
        text,
        expect,
        &[
            "argument `edits.insertions[0].line_numbe` read as `line_number`",
            "argument `edits.insertions[0].lines` read as `new_lines`",
            "argument `edits.modifications[0].line` read as `line_number`",
            "argument `edits.modifications[0].content` read as `modified_line`",
        ],
    );
}

#[test]
fn what_is_around_edits_is_taken_off() {
    let edit = json!({ "file_path": "x.py", "deletions": [1] });
    for value in [
        json!({ "fixes": [edit] }),
        json!({ "mutations": [edit] }),
        json!({ "main_list": [[edit]] }),
        json!({ "anything": { "changes_dicts": [edit] } }),
        json!([[edit]]),
        json!(edit),
        json!({ "command": { "name": "write_fix", "args": { "edits": [edit] } }, "thoughts": "x" }),
        json!({ "file": "plan", "edits": [edit] }),
        json!({ "fix": edit }),
        json!({ "file_path": "x.py", "changes": { "deletions": [1] } }),
    ] {
        for text in [value.to_string(), format!("Words.\n```json\n{value:#}\n```\n")] {
            let reading = read_edits(&text, None).unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert_eq!(reading.edits, [serde_json::from_value::<Edit>(edit.clone()).unwrap()], "{text}");
        }
    }
    let both = format!("[{edit}]\nand\n[{edit}]");
    assert_eq!(read_edits(&both, None).unwrap().edits.len(), 2);
}

#[test]
fn ranges_of_lines_are_all_their_lines() {
    let range = |place: &str| format!("`edits.{place}`: range read as its lines");
    for (written, lines) in [
        (json!("12-15"), vec![12, 13, 14, 15]),
        (json!("12–15"), vec![12, 13, 14, 15]),
        (json!("12 to 13"), vec![12, 13]),
        (json!("lines 12-12"), vec![12]),
        (json!("3, 5-6"), vec![3, 5, 6]),
        (json!([7, 8]), vec![7, 8]),
        (json!({ "start_line": 12, "end_line": "13" }), vec![12, 13]),
        (json!({ "line_number": "4-5", "line": "x" }), vec![4, 5]),
    ] {
        let text = with_file(&json!({ "deletions": [written] })).to_string();
        let reading = read_edits(&text, None).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(reading.edits[0].deletions, lines, "{text}");
        assert!(reading.repairs.iter().any(|one| one.to_string() == range("deletions[0]")), "{text}");
    }
    for (written, line) in
        [(json!("12"), 12), (json!(["12", "code"]), 12), (json!({ "line_number": 12, "line": "x" }), 12)]
    {
        let text = with_file(&json!({ "deletions": [written] })).to_string();
        assert_eq!(read_edits(&text, None).unwrap().edits[0].deletions, [line], "{text}");
    }
    for written in [
        json!("15-12"),
        json!("1-900000"),
        json!([12, 15]),
        json!("x"),
        json!("-"),
        json!(-1),
        json!(1.5),
        json!({ "line": null }),
    ] {
        let text = with_file(&json!({ "deletions": [written] })).to_string();
        let (place, problem) = flaw(EditFormat::Json, &text);
        assert_eq!(place, ErrorLocation::value("edits.deletions[0]".to_owned(), Some("x.py")));
        assert!(matches!(problem, FormatProblem::Field(_)), "{problem}");
    }
    for number in [json!({ "line_number": "12-14" }), json!({ "start_line": 12, "end_line": 14 })] {
        let mut modification = number;
        modification["modified_line"] = json!("a\nb");
        let text = with_file(&json!({ "deletions": [20], "modifications": [modification] })).to_string();
        let edit = &read_edits(&text, None).unwrap_or_else(|error| panic!("{error}\n{text}")).edits[0];
        assert_eq!(edit.deletions, [20, 13, 14], "{text}");
        assert_eq!(
            (edit.modifications[0].line_number, edit.modifications[0].modified_line.as_str()),
            (12, "a\nb")
        );
    }
}

#[test]
fn values_are_brought_to_their_forms() {
    let edit = |fields: &Value| json!([with_file(fields)]);
    let inserted = json!({ "insertions": [{ "line_number": 3, "new_lines": ["a", "  b"] }] });
    check(
        r#"{"file_path": "x.py", "insertions": {"line_number": "3", "new_lines": "a\n  b\n"}, "deletions": null}"#,
        edit(&inserted),
        &[
            "`edits.insertions`: one value read as a list",
            "`edits.insertions[0].line_number`: text read as a number",
            "`edits.insertions[0].new_lines`: text read as a list of lines",
            "`edits.deletions`: null left out",
        ],
    );
    check(
        r#"{"file_path": "x.py", "insertions": {"3": "a\n  b"}, "modifications": {"12": "c"}}"#,
        edit(
            &json!({ "insertions": inserted["insertions"], "modifications": [{ "line_number": 12, "modified_line": "c" }] }),
        ),
        &[
            "`edits.insertions`: numbers with their texts read as a list",
            "`edits.insertions[0].new_lines`: text read as a list of lines",
            "`edits.modifications`: numbers with their texts read as a list",
        ],
    );
    check(
        r#"[{"file_path": "x.py", "target_lines": [["1", "a"]], "deletions": [1]}, {"file_path": "y.py", "target_lines": [], "deletions": [2], "why": "w"}]"#,
        json!([{ "file_path": "x.py", "deletions": [1] }, { "file_path": "y.py", "deletions": [2] }]),
        &["argument `target_lines` ignored", "argument `edits[1].why` ignored"],
    );
    check(
        r#"{"file_path": "x.py", "insertions": [{"line_number": 3, "new_lines": ["a", "  b"], "deletions": [], "modifications": [{"line_number": 1, "modified_line": "c"}]}]}"#,
        edit(
            &json!({ "insertions": inserted["insertions"], "modifications": [{ "line_number": 1, "modified_line": "c" }] }),
        ),
        &["`edits.insertions[0].modifications`: put where it belongs"],
    );
    check(
        r#"{"file_path": "x.py", "modifications": [], "modulations": [{"line_number": 1, "modified_line": "a"}]}"#,
        edit(&json!({ "modifications": [{ "line_number": 1, "modified_line": "a" }] })),
        &["argument `edits.modulations` read as `modifications`"],
    );
}

#[test]
fn texts_functions_and_whole_files_stand_in_json_too() {
    let check = |fields: Value, expect: Value| {
        let text = with_file(&fields).to_string();
        let reading = read_edits(&text, None).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(reading.edits, [serde_json::from_value::<Edit>(with_file(&expect)).unwrap()], "{text}");
    };
    let replaced = json!({ "replacements": [{ "search": "a", "replace": "b" }] });
    check(json!({ "search": "a", "replace": "b" }), replaced.clone());
    check(json!({ "original": "a", "replacement": "b" }), replaced.clone());
    check(json!({ "find": "a", "replace_with": "b" }), replaced.clone());
    check(json!({ "old_code": ["a"], "new": "b" }), replaced.clone());
    check(json!({ "replacements": [{ "old": "a", "new": "b" }] }), replaced.clone());
    check(json!({ "edits": [{ "search": "a", "replace": "b" }] }), replaced);
    let modified = json!({ "modifications": [{ "line_number": 3, "modified_line": "b" }] });
    check(json!({ "replacements": [{ "line_number": 3, "modified_line": "b" }] }), modified);
    check(json!({ "content": "a\n", "insertions": [] }), json!({ "content": "a\n" }));
    let defined = json!({ "definitions": [{ "name": "f", "code": "def f(): pass" }] });
    check(json!({ "method_name": "f", "code": "def f(): pass" }), defined.clone());
    check(json!({ "function": "f", "new_code": "def f(): pass" }), defined.clone());
    check(json!({ "name": "f", "body": "def f(): pass" }), defined.clone());
    check(defined.clone(), defined);
    check(json!({ "delete": "true" }), json!({ "delete": true }));
    check(json!({ "delete": ["3"] }), json!({ "deletions": [3] }));
}

#[test]
fn what_an_edit_lacks_is_said_with_its_place() {
    let check = |text: &str, expect: &str| assert_eq!(refused(EditFormat::Json, text), expect, "{text}");
    check(
        r#"[{"insertions": [{"line_number": 3, "new_lines": ["x"]}]}]"#,
        "An edit names no file, in `edits[0]`. Give it a `file_path`, relative to the root of the project.",
    );
    check(
        r#"[{"file_path": "x.py", "insertions": [{"new_lines": ["x"]}]}]"#,
        "An edit cannot be read, in `edits[0].insertions[0]` (for `x.py`): `line_number` is missing.",
    );
    check(
        r#"{"fixes": [{"file_path": "x.py", "modifications": [{"line_number": 3, "modified_line": {"a": 1}}]}]}"#,
        "An edit cannot be read, in `fixes[0].modifications[0].modified_line` (for `x.py`): a text is wanted here.",
    );
    check(
        r#"{"file_path": "x.py", "search": "a"}"#,
        "An edit cannot be read, in `edits` (for `x.py`): `replace` is missing.",
    );
    check(
        r#"[{"file_path": "y.py", "deletions": [1]}, {"file_path": "x.py", "insertions": [{"line_number": 3, "new_lines": ["a", "b", "retu"#,
        "The edits were cut off, in `edits[1].insertions[0].new_lines[2]` (for `x.py`), after `sertions\": [{\"line_number\": 3, \
         \"new_lines\": [\"a\", \"b\", \"retu`. None of them was used. Write all of them again, shorter.",
    );
    nothing(EditFormat::Json, r#"{"file_path": "x.py"}"#);
    nothing(EditFormat::Json, "x.py");
}

#[test]
fn a_text_as_a_list_of_lines_has_each_line_once() {
    for lines in [
        json!(["a", "", "b"]),
        json!(["a\n", "\n", "b"]),
        json!(["a\r\n", "\r\n", "b"]),
        json!(["a\n", "", "b"]),
        json!(["a\n\nb"]),
    ] {
        let text = json!([{ "path": "x.py", "search": lines, "replace": ["", "c"] }]).to_string();
        let (edits, _) = read(EditFormat::Json, &text);
        let made = &edits[0].replacements[0];
        assert_eq!((made.search.as_str(), made.replace.as_str()), ("a\n\nb", "\nc"), "{text}");
    }
    let text = json!([{ "path": "x.py", "search": ["a\n", "b\n"], "replace": ["c\n"] }]).to_string();
    let made = &read(EditFormat::Json, &text).0[0].replacements[0];
    assert_eq!((made.search.as_str(), made.replace.as_str()), ("a\nb\n", "c\n"));
}
