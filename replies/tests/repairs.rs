//! Faults that lose something when they are read as they seem: lines that run into one, keys that stand twice, replies that
//! end without their brackets, escapes of Python's.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use patchwright_replies::{DamageKind, EntryCount, Recovered, recover};
use serde_json::{Value, json};

/// The text holds exactly this value.
fn read(text: &str) -> Recovered {
    let mut found = recover(text);
    assert_eq!(found.len(), 1, "{text}: {found:?}");
    found.swap_remove(0)
}

/// The text holds this value, repaired like this, and nothing is damaged.
fn check(text: &str, expect: &Value, repairs: &[&str]) {
    let found = read(text);
    assert_eq!(found.value, *expect, "{text}");
    let made: Vec<&str> = found.repairs.iter().map(|made| made.kind.name()).collect();
    assert_eq!(made, repairs, "{text}");
    assert!(found.damage.is_empty(), "{text}: {:?}", found.damage);
}

/// The damage to the only value of a text.
fn damage(text: &str) -> Vec<(DamageKind, String)> {
    read(text).damage.into_iter().map(|damage| (damage.kind, damage.pointer)).collect()
}

#[test]
fn lines_without_the_brackets_of_their_list_are_a_list() {
    let lines = json!({"line_number": 1, "modified_line": ["if (x) {", "    return \"a\";", "}"]});
    let both = &["missing_opener", "missing_closer"];
    check(r#"{"line_number": 1, "modified_line": "if (x) {", "    return \"a\";", "}"}"#, &lines, both);
    check(
        "{\"line_number\": 1, \"modified_line\": \"if (x) {\",\n\"    return \\\"a\\\";\",\n\"}\"\n}",
        &lines,
        both,
    );
    check(
        r#"{"line_number": 1, "modified_line": "if (x) {", "    return \"a\";", "}"]}"#,
        &lines,
        &["missing_opener"],
    );
    check(
        r#"{"new_lines": "a;", "b;", "line_number": 7}"#,
        &json!({"new_lines": ["a;", "b;"], "line_number": 7}),
        both,
    );
    check(
        "{'new_lines': 'a;', 'b;'}",
        &json!({"new_lines": ["a;", "b;"]}),
        &["single_quotes", "missing_opener", "missing_closer"],
    );
    check(
        r#"[{"file_name": "A", "modifications": [{"line_number": 1, "modified_line": "a {", "b"}, {"line_number": 2, "modified_line": "c"}]}]"#,
        &json!([{"file_name": "A", "modifications": [{"line_number": 1, "modified_line": ["a {", "b"]}, {"line_number": 2, "modified_line": "c"}]}]),
        both,
    );
}

#[test]
fn code_in_which_a_comma_stands_in_quotes_is_one_line() {
    for line in
        [r#"return ", ";"#, r#"x = a.join(", ") + b;"#, r#"s = t + ", " + u"#, r#"// use "a", "b" or "c""#]
    {
        check(
            &format!("{{\"modified_line\": \"{line}\"}}"),
            &json!({"modified_line": line}),
            &["inner_quote"],
        );
    }
}

#[test]
fn strings_that_may_be_one_or_several_are_marked() {
    for text in [
        // A block or a text, two values or one, lines that quotes are in.
        r#"{"modified_line": "x = {", "}"}"#,
        r#"{"note": "if (x) {", "return;", "}"}"#,
        r#"{"modified_line": "log("a") {", "b;"}"#,
        r#"{"modified_line": "x.join(", ") + y;", "z();"}"#,
        r#"{"modified_line": "print(\"a", "b\")"}"#,
        "{\"modified_line\": \"if (x) {\"\n\"return;\"\n\"}\"}",
        r#"{"modified_line": "if (x) {" "return;" "}"}"#,
        r#"{"modified_line": "if (x) {" + "return;"}"#,
        r#"{"new_lines": ["if (x) {" + "return;"]}"#,
    ] {
        assert!(!damage(text).is_empty(), "{text}: {:?}", recover(text));
    }
}

#[test]
fn a_key_that_stands_twice_loses_nothing_in_silence() {
    let change = |line: u32, text: &str| json!({"line_number": line, "new_lines": [text]});
    let two = json!([{"file_name": "A", "insertions": [change(1, "a"), change(2, "b")]}]);
    for comma in ["", ","] {
        let text = format!(
            r#"[{{"file_name": "A", "insertions": [{{"line_number": 1, "new_lines": ["a"], "line_number": 2, "new_lines": ["b"]}}{comma}]}}]"#
        );
        let trailing = (!comma.is_empty()).then_some("trailing_comma");
        let repairs: Vec<&str> = ["missing_closer", "missing_opener"].into_iter().chain(trailing).collect();
        check(&text, &two, &repairs);
    }
    // The keys of the entry before tell that the second one is whole.
    check(
        r#"[{"file_name": "A", "deletions": [1]}, {"file_name": "B", "deletions": [2], "file_name": "C", "deletions": [3]}]"#,
        &json!([{"file_name": "A", "deletions": [1]}, {"file_name": "B", "deletions": [2]}, {"file_name": "C", "deletions": [3]}]),
        &["missing_closer", "missing_opener"],
    );
    check(
        r#"{"mutations": [{"file_name": "A"}], "mutations": [{"file_name": "B"}], "mutations": []}"#,
        &json!({"mutations": [{"file_name": "A"}, {"file_name": "B"}]}),
        &["repeated_key"],
    );
    check(r#"{"a": 1, "b": [], "a": 1, "b": []}"#, &json!({"a": 1, "b": []}), &["repeated_key"]);
    for (text, pointer) in [
        (r#"{"a": 1, "b": {"c": 1, "c": 2}}"#, "/b"),
        (
            r#"[{"file_name": "A", "insertions": [], "insertions": [{"line_number": 1, "new_lines": []}]}]"#,
            "/0",
        ),
        (
            r#"[{"file_name": "A", "insertions": [{"line_number": 1, "line_number": 2, "new_lines": []}]}]"#,
            "/0/insertions/0",
        ),
        ("{'a': 1, 'a': None}", ""),
        (r#"{"deletions": [7], "deletions": [7]}"#, ""),
    ] {
        assert_eq!(damage(text), [(DamageKind::TwoReadings, pointer.to_owned())], "{text}");
    }
}

#[test]
fn a_reply_that_ends_without_brackets_keeps_its_whole_entries() {
    let two = json!([{"file_name": "A", "deletions": [1]}, {"file_name": "B", "deletions": [2]}]);
    let entries = "[{\"file_name\": \"A\", \"deletions\": [1]},\n {\"file_name\": \"B\", \"deletions\": [2]}";
    for after in ["\n```", "\n```\nThat is \"all\".", "```", "\n  ```\n", "\n</answer>\n"] {
        check(&format!("{entries}{after}"), &two, &["missing_closer"]);
        check(&format!("{entries},{after}"), &two, &["trailing_comma", "missing_closer"]);
        check(&format!("{{\"edits\": {entries}{after}"), &json!({"edits": two}), &["missing_closer"]);
    }
    // The last entry itself lacks its bracket; the one before tells its keys.
    check(&format!("{}\n```", &entries[..entries.len() - 1]), &two, &["missing_closer"]);
    let fenced =
        "```json\n[{\"file_name\": \"A\", \"deletions\": [1]}\n```\n\n```json\n{\"file_name\": \"B\"}\n```\n";
    let found = recover(fenced);
    assert_eq!(EntryCount::new(fenced, &found), EntryCount { attempted: 2, recovered: 2, damaged: 0 });
    assert_eq!(found.len(), 2);
    assert_eq!(
        damage("```\n[{\"file_name\": \"A\", \"deletions\": \n```"),
        [(DamageKind::Cut, "/0/deletions".to_owned()), (DamageKind::Unclosed, "/0".to_owned())]
    );
}

#[test]
fn entries_in_one_bracket_without_a_list_are_values_of_their_own() {
    let entry = |name: &str| format!("\"file_name\": \"{name}\", \"deletions\": [1], \"modifications\": []");
    let text =
        format!("{{{}}}\n{{{},\n{},\n{}}} and more {{1}}", entry("A"), entry("B"), entry("C"), entry("D"));
    let found = recover(&text);
    let names: Vec<&str> = found.iter().map(|one| one.value["file_name"].as_str().unwrap()).collect();
    assert_eq!(names, ["A", "B", "C", "D"], "{found:?}");
    let made: Vec<Vec<&str>> =
        found.iter().map(|one| one.repairs.iter().map(|made| made.kind.name()).collect()).collect();
    let between = vec!["missing_opener", "missing_closer"];
    assert_eq!(made, [vec![], vec!["missing_closer"], between, vec!["missing_opener"]]);
    let count = EntryCount::new(&text, &found);
    assert_eq!(count.attempted, count.recovered + count.damaged, "{found:?}");
    // What names a file and is no entry has its key twice.
    check(
        r#"{"file_path": "A", "start_line": 1, "file_path": "A"}"#,
        &json!({"file_path": "A", "start_line": 1}),
        &["repeated_key"],
    );
}

/// An open container is damaged where reading broke off in it. Where what follows shows its end, it is repaired; but an
/// entry may lack members if neither another one tells its keys nor its list was written to the end.
#[test]
fn unclosed_is_what_may_have_gone_on() {
    use DamageKind::Unclosed;
    let marked = |text: &str, pointers: &[&str]| {
        let all: Vec<(DamageKind, String)> = recover(text)
            .into_iter()
            .flat_map(|one| one.damage)
            .map(|damage| (damage.kind, damage.pointer))
            .collect();
        let expect: Vec<(DamageKind, String)> =
            pointers.iter().map(|pointer| (Unclosed, (*pointer).to_owned())).collect();
        assert_eq!(all, expect, "{text}");
    };
    let entry = r#"{"file_name": "A", "deletions": [1]"#;
    // The end of the text, and another reply.
    marked(&format!("[{entry}"), &["/0", "/1"]);
    marked(&format!("[{entry}}}"), &["/1"]);
    marked(r#"{"a": {"b": [1]"#, &["/a", ""]);
    marked(&format!("[{entry}}}\n\n[{entry}}}]"), &["/1"]);
    marked(&format!("[{entry}}}\n```json\n[{entry}}}]"), &["/1"]);
    marked(&format!("[{entry}}}, {entry}\n```\n[{entry}}}]"), &["/1", "/2"]);
    // The bracket of its list says that nothing was cut off.
    for text in [format!("[{entry}]"), format!("[{entry}, {entry}}}]")] {
        marked(&text, &[]);
    }
    // The end of a fence, of what is around, or its own key once more do not: an entry may lack members.
    for text in [
        format!("[{entry}\n```"),
        format!("[{entry}, {entry}}}\n```"),
        format!("[{entry}, \"file_name\": \"A\", \"deletions\": [1]}}]"),
    ] {
        marked(&text, &["/0"]);
        // That of a sibling's keys does not.
        let text = text.replacen('[', &format!("[{entry}}}, "), 1);
        marked(&text, &[]);
    }
    // Nor do those of another entry of the text, unless one has more.
    marked(&format!("[{entry}}}, {entry}}}]\n[{entry}\n```"), &[]);
    let longer = format!("{entry}, \"insertions\": []}}");
    marked(&format!("[{entry}}}, {longer}, {longer}]\n[{entry}\n```"), &["/0"]);
    marked(r#"[{"a": 1, {"a": 2}]"#, &[]);
    marked(r#"{"a": {"b": [1, 2}}"#, &[]);
    marked("{\"deletions\": [1, 2\n\"modifications\": []}", &[]);
    // An object without a key is not like the one around it.
    marked(r#"[{"a": 1, {"b": 2}]"#, &["/0"]);
}

#[test]
fn escapes_of_python_are_read_in_its_literals() {
    for (text, expect) in [
        (r"{'a': '\x41\u00e9\U0001F600\N{BULLET}\N{latin small letter a}'}", "Aé😀•a"),
        (r"{'a': '\101\0\1234\a\b\f\v'}", "A\0S4\u{7}\u{8}\u{c}\u{b}"),
        ("{'a': 'one \\\nline'}", "one line"),
        (r#"{'a': "it's \x41"}"#, "it's A"),
        // It shows itself as Python's only later.
        (r#"{"a": "it's \x41", 'b': 1}"#, "it's A"),
        (r#"{"a": "\x41", "b": None}"#, "A"),
        (r#"{"a": """\x41 "b" \"""" }"#, "A \"b\" \""),
        (r"{'a': r'\x41\n'}", r"\x41\n"),
        (r"{'a': r'''\x41\n'''}", r"\x41\n"),
        // What Python does not know either stays as it is.
        (r"{'a': '\d\.\/'}", r"\d\.\/"),
        (r"{'a': '\x4 \u12 \N{NO SUCH NAME} \N \U00110000'}", r"\x4 \u12 \N{NO SUCH NAME} \N \U00110000"),
        // In JSON an escape that it does not have is text.
        (r#"{"a": "\x41\0\a\N{BULLET}"}"#, r"\x41\0\a\N{BULLET}"),
        (r#"{"a": "\/\u0041"}"#, "/A"),
    ] {
        let found = read(text);
        assert_eq!(found.value["a"], json!(expect), "{text}");
        assert!(found.damage.is_empty(), "{text}: {:?}", found.damage);
    }
    // Lines that break as they are beside an escaped break: the backslash may be one of the code's.
    assert_eq!(damage("{'a': '''x\nprint('\\n')'''}"), [(DamageKind::TwoReadings, "/a".to_owned())]);
}

#[test]
fn a_list_without_its_last_bracket_ends_where_prose_begins() {
    let entries = r#"{"file_name": "A", "modifications": [{"line_number": 1, "modified_line": "f(\"a\", b)"}]}, {"file_name": "B", "modifications": [{"line_number": 2, "modified_line": "it's"}]}"#;
    let list: Value = serde_json::from_str(&format!("[{entries}]")).unwrap();
    for tail in [
        "\n\nThat is it.\n",
        "\n\nThe \"first\" one: see (a[0]) or {x}.\n",
        "\n\n1. It says `print(\"a\", b)`.\n2. So does B.\n",
        "\n\n- **B** isn't \"safe\".",
        " That is it.\n",
        "\n\nclass A {\n  int[] x = {1, 2};\n}\n",
        "\n<note>",
    ] {
        let text = format!("[{entries}{tail}");
        let found = recover(&text);
        assert_eq!(found[0].value, list, "{text}");
        assert!(found[0].damage.is_empty(), "{text}: {:?}", found[0].damage);
        assert_eq!(&text[found[0].span.clone()].trim_end(), &format!("[{entries}"), "{text}");
    }
    // What may be more of the list, or of an entry, keeps to what it was.
    for tail in ["\n...\n", "\n\"x\"", "\nnull\n", "\nfile_name: 1"] {
        let text = format!("[{entries}{tail}");
        let found = recover(&text);
        assert!(!found[0].damage.is_empty(), "{text}");
        assert_eq!(EntryCount::new(&text, &found).recovered, 2, "{text}");
    }
    let text = format!("[{entries},\nand another one:\n{entries}]");
    assert_eq!(read(&text).value.as_array().unwrap().len(), 4, "{text}");
}

#[test]
fn the_last_entry_of_an_open_list_is_read_as_it_stands() {
    // A list in an object, and lists in a list.
    for (before, between, after) in [("{\"mutations\": [", ", ", "}"), ("[[", "], [", "]"), ("[", ",\n", ",")]
    {
        for tail in
            ["\n```\n", "\n\nThat is it.\n", "```", "", "\n# end\n\nSo.\n", "\n...\n", "\n“Fix” it.\n"]
        {
            let entry = |name: &str| {
                format!(
                    r#"{{"file_name": "{name}", "modifications": [{{"line_number": 1, "modified_line": "}})"}}]}}"#
                )
            };
            let text = format!("{before}{}{between}{}{after}{tail}", entry("A"), entry("B"));
            let found = recover(&text);
            let count = EntryCount::new(&text, &found);
            assert_eq!((count.recovered, count.damaged), (2, 0), "{text}: {found:?}");
        }
    }
}
