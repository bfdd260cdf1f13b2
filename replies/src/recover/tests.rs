//! Broken JSON as models write it: what is recovered, what was repaired, what is damaged.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{DamageKind, recover};

/// The text holds exactly these values; all repairs together are `repairs`, and nothing is damaged.
pub(super) fn check(text: &str, values: &[Value], repairs: &[&str]) {
    let found = recover(text);
    let read: Vec<Value> = found.iter().map(|one| one.value.clone()).collect();
    assert_eq!(read, values, "{text}");
    let made: Vec<String> =
        found.iter().flat_map(|one| &one.repairs).map(|made| made.kind.to_string()).collect();
    assert_eq!(made, repairs, "{text}");
    let damage: Vec<_> = found.iter().flat_map(|one| &one.damage).collect();
    assert!(damage.is_empty(), "{text}: {damage:?}");
}

/// The text holds exactly this value, damaged at these places.
fn damaged(text: &str, value: &Value, damage: &[(DamageKind, &str)]) {
    let found = recover(text);
    assert_eq!(found.len(), 1, "{text}: {found:?}");
    assert_eq!(found[0].value, *value, "{text}");
    let places: Vec<(DamageKind, &str)> =
        found[0].damage.iter().map(|damage| (damage.kind, damage.pointer.as_str())).collect();
    assert_eq!(places, damage, "{text}");
}

#[test]
fn valid_json_is_left_alone() {
    for text in [
        r#"{"a": [1, -2.5e3, true, null, "x\n\"y\" \u00e9 \ud83d\ude00"], "b": {}}"#,
        "[]",
        "{}",
        r#""text""#,
        "12",
        " [1, [2, [3]]]\n",
        r#"{"pattern": "\\d+\\s*", "url": "http://x/y#z", "fence": "```json\n{}\n```", "comment": "/* no */ // no"}"#,
        r#"["f(", "a", ")", "], [", "}, {", "\"key\": 1"]"#,
        r#"{"big": 123456789012345678901234567890, "small": 1e-3}"#,
        "[3e88, 2.9999999999999993e88]",
    ] {
        check(text, &[serde_json::from_str(text).unwrap()], &[]);
    }
}

#[test]
fn values_are_found_between_other_text() {
    let call = json!({"name": "read_range", "args": {"last": 3}});
    let text = r#"{"name": "read_range", "args": {"last": 3}}"#;
    let only = |text: &str| check(text, std::slice::from_ref(&call), &[]);
    only(&format!("I will read it.\n\n{text}\n\nThen I go on."));
    only(&format!("```json\n{text}\n```"));
    only(&format!("~~~\n{text}"));
    only(&format!("<tool_call>\n{text}\n</tool_call>"));
    only(&format!("In foo(int[] a) {{x}} and a[i] it fails.\n{text}"));
    only(&format!("if (a) {{ return b; }} else {{ \"x\" }}\n{text}"));
    check(&format!("{text}\n{text}"), &[call.clone(), call.clone()], &[]);
    check(&format!("{text}, {text}]"), &[call.clone(), call], &[]);
    check("no value here", &[], &[]);
    check("", &[], &[]);
}

#[test]
fn spans_say_where_a_value_stands() {
    let text = "see: {\"a\": 1} and {'b': 2}.";
    let spans: Vec<&str> = recover(text).into_iter().map(|one| &text[one.span]).collect();
    assert_eq!(spans, ["{\"a\": 1}", "{'b': 2}"]);
}

#[test]
fn commas_and_colons() {
    check(r#"{"a": [1, 2,], "b": 3,}"#, &[json!({"a": [1, 2], "b": 3})], &["trailing comma"]);
    check(
        "{\"a\": [1, 2]\n\"b\": [\"x\" \"y\"]}",
        &[json!({"a": [1, 2], "b": ["x", "y"]})],
        &["missing comma"],
    );
    check("[{\"a\": 1}\n{\"a\": 2}]", &[json!([{"a": 1}, {"a": 2}])], &["missing comma"]);
    check("[1,, 2]", &[json!([1, 2])], &["extra comma"]);
    check(r#"{"name" 1, "b" = 2, "c" => 3}"#, &[json!({"name": 1, "b": 2, "c": 3})], &["missing colon"]);
}

#[test]
fn other_dialects() {
    check(
        "{'a': True, 'b': None, 'c': (1, 2), 'd': 'it isn\\'t'}",
        &[json!({"a": true, "b": null, "c": [1, 2], "d": "it isn't"})],
        &["single quotes", "Python literal"],
    );
    check(
        r#"{"a": """two
"quoted" lines""", "b": r"\d+", "c": u'x'}"#,
        &[json!({"a": "two\n\"quoted\" lines", "b": "\\d+", "c": "x"})],
        &["Python literal", "single quotes"],
    );
    check("{a: 1, b_2: x/y.py}", &[json!({"a": 1, "b_2": "x/y.py"})], &["unquoted key", "unquoted string"]);
    check("{“a”: “x”, ‘b’: 2}", &[json!({"a": "x", "b": 2})], &["typographic quotes"]);
    check(
        "{\"a\": 007, \"b\": +1, \"c\": .5, \"d\": 0x1F, \"e\": 1_000, \"f\": 5.}",
        &[json!({"a": 7, "b": 1, "c": 0.5, "d": 31, "e": 1000, "f": 5})],
        &["number form"],
    );
    check(
        "{\n  // the file\n  \"a\": [/* none */], # nothing\n  \"b\": 1 // one\n}",
        &[json!({"a": [], "b": 1})],
        &["comment"],
    );
    check("[\"x < '0'\", 'y > \"1\"']", &[json!(["x < '0'", "y > \"1\""])], &["single quotes"]);
}

#[test]
fn characters_in_strings() {
    check("{\"a\": \"one\n\ttwo\"}", &[json!({"a": "one\n\ttwo"})], &["raw control character"]);
    check(r#"{"a": "\d+\s*[^\p{L}]\."}"#, &[json!({"a": r"\d+\s*[^\p{L}]\."})], &["invalid escape"]);
    check(
        r#"{"a": "don\'t", "b": "c == '\''"}"#,
        &[json!({"a": "don't", "b": r"c == '\''"})],
        &["invalid escape"],
    );
    check(r#"{"a": "\u12", "b": "\ud800"}"#, &[json!({"a": r"\u12", "b": r"\ud800"})], &["invalid escape"]);
}

#[test]
fn quotes_inside_code() {
    check(
        r#"{"new_lines": ["    case THIS:", "      infer("this", type);", "      break;"]}"#,
        &[json!({"new_lines": ["    case THIS:", "      infer(\"this\", type);", "      break;"]})],
        &["unescaped inner quote"],
    );
    check(
        r#"{"new_lines": ["    print("a", "b", "c");", "    x = {"a", "b"};"]}"#,
        &[json!({"new_lines": ["    print(\"a\", \"b\", \"c\");", "    x = {\"a\", \"b\"};"]})],
        &["unescaped inner quote"],
    );
    check(
        r#"{"modified_line": "    if (s.equals("x")) {", "line_number": 4}"#,
        &[json!({"modified_line": "    if (s.equals(\"x\")) {", "line_number": 4})],
        &["unescaped inner quote"],
    );
    check(
        r#"{"thoughts": "The method "foo" returns "bar", so use {"a": 1, "b": 2} there.", "command": 1}"#,
        &[
            json!({"thoughts": r#"The method "foo" returns "bar", so use {"a": 1, "b": 2} there."#, "command": 1}),
        ],
        &["unescaped inner quote"],
    );
    check(
        r#"{"a": ["    if (c == '"') {", "    y();"], "b": 1}"#,
        &[json!({"a": ["    if (c == '\"') {", "    y();"], "b": 1})],
        &["unescaped inner quote"],
    );
    check(
        "{'a': 'it isn't so', 'b': 1}",
        &[json!({"a": "it isn't so", "b": 1})],
        &["single quotes", "unescaped inner quote"],
    );
}

#[test]
fn a_quote_that_is_missing_before_a_known_key() {
    check(
        r#"{"name": "search, "args": {"x": 1}}"#,
        &[json!({"name": "search", "args": {"x": 1}})],
        &["missing closing quote"],
    );
    check(r#"{"name: "search"}"#, &[json!({"name": "search"})], &["missing closing quote"]);
}

#[test]
fn closing_brackets_that_are_missing_too_many_or_wrong() {
    check(r#"{"a": {"b": [1, 2}}"#, &[json!({"a": {"b": [1, 2]}})], &["missing closer"]);
    check(r#"{"a": [1, 2)}"#, &[json!({"a": [1, 2]})], &["wrong closer"]);
    check(r#"{"a": 1}}"#, &[json!({"a": 1})], &[]);
    check(
        r#"[{"file_name": "f", "insertions": [{"line_number": 1, "new_lines": ["    "}]}], "deletions": []}]"#,
        &[
            json!([{"file_name": "f", "insertions": [{"line_number": 1, "new_lines": ["    "]}], "deletions": []}]),
        ],
        &["extra closer"],
    );
    check(
        r#"{"file_name": "f", "insertions": []}, "deletions": [3]}"#,
        &[json!({"file_name": "f", "insertions": [], "deletions": [3]})],
        &["extra closer"],
    );
    check(
        r#"{"new_lines": ["a"], "b"], "line_number": 2}"#,
        &[json!({"new_lines": ["a", "b"], "line_number": 2})],
        &["extra closer"],
    );
    check(
        "{\"deletions\": [1, 2\n\"modifications\": []}",
        &[json!({"deletions": [1, 2], "modifications": []})],
        &["missing comma", "missing closer"],
    );
    check(r#"{{"a": 1}}"#, &[json!({"a": 1})], &["extra opener"]);
}

#[test]
fn what_is_cut_off_is_marked() {
    use DamageKind::{Cut, Unclosed};
    damaged(
        r#"{"file_path": "a.py", "new_lines": ["x", "ret"#,
        &json!({"file_path": "a.py", "new_lines": ["x", "ret"]}),
        &[(Cut, "/new_lines/1"), (Unclosed, "/new_lines/2"), (Unclosed, "")],
    );
    damaged(r#"{"line": 12"#, &json!({"line": 12}), &[(Cut, "/line"), (Unclosed, "")]);
    damaged(
        r#"{"a": 1, "deletions": [1, 2,"#,
        &json!({"a": 1, "deletions": [1, 2]}),
        &[(Cut, "/deletions/2"), (Unclosed, "/deletions/2"), (Unclosed, "")],
    );
    damaged(r#"{"a": 1, "b":"#, &json!({"a": 1}), &[(Cut, "/b"), (Unclosed, "")]);
    damaged(r#"{"a": 1, "b"#, &json!({"a": 1}), &[(Cut, ""), (Unclosed, "")]);
    // Nothing says that this was to go on.
    damaged(r#"{"a": {"b": 1}"#, &json!({"a": {"b": 1}}), &[(Unclosed, "")]);
}

#[test]
fn what_follows_a_cut_is_read_again() {
    let text = "[{\"file_name\": \"A\", \"deletions\": [1]},\n {\"file_name\": \"B\", \"new_lines\": [\"        return false[\n    \
                {\"file_name\": \"C\", \"deletions\": [2]}";
    let found = recover(text);
    let values: Vec<&Value> = found.iter().map(|one| &one.value).collect();
    assert_eq!(values.len(), 2, "{values:?}");
    assert_eq!(*values[1], json!([{"file_name": "C", "deletions": [2]}]));
    assert!(found[0].damage_within("/0").next().is_none());
    assert!(found[0].damage_within("/1").any(|damage| damage.kind == DamageKind::Cut));
    assert!(found[1].damage_within("/0").next().is_none());
}

/// The first entry is cut off, and the second stands whole behind it, wherever the first ended.
#[test]
fn a_reply_that_begins_in_the_middle_of_another_is_a_value_of_its_own() {
    let next = json!([{"file_name": "B", "deletions": [2]}]);
    for begin in [
        r#"[{"file_name": "A", "insertions": [{"line_number": 1, "new_lines": ["x", "        return false"#,
        r#"[{"file_name": "A", "insertions": [{"line_number": 1, "new_lines": ["  if (a"#,
        r#"[{"file_name": "A", "insertions": [{"line_number": 1, "new_lines": ["x", "#,
        r#"[{"file_name": "A", "insertions": [{"line_number": 1, "new_lines": ["x""#,
        r#"[{"file_name": "A", "insertions": [{"line_number": "#,
        r#"[{"file_name": "A", "insertions": [{"line_number": 12"#,
        r#"[{"file_name": "A", "target_lines": [["9", "//"], ["#,
        r#"[{"file_name": "A", "insertions": [], "#,
        r#"[{"file_name": "A", "insertions"#,
        r#"[{"file_name": "A", "inser"#,
        r#"[{"file_name": "org/ac"#,
        r#"[{"file_name": "#,
    ] {
        for blank in ["", " ", "\n"] {
            let text = format!("{begin}{blank}[{{\"file_name\": \"B\", \"deletions\": [2]}}]");
            let found = recover(&text);
            assert_eq!(found.len(), 2, "{text}: {found:?}");
            assert_eq!(found[1].value, next, "{text}");
            assert!(found[1].damage.is_empty(), "{text}: {found:?}");
            assert!(found[0].damage_within("/0").next().is_some(), "{text}: {found:?}");
        }
    }
}

#[test]
fn two_entries_in_one_object_are_two_or_doubtful() {
    // The second key can only begin the next entry of the list.
    check(
        r#"[{"file_name": "A", "deletions": [1]}, {"file_name": "B", "deletions": [2], "file_name": "C", "deletions": [3,]}]"#,
        &[
            json!([{"file_name": "A", "deletions": [1]}, {"file_name": "B", "deletions": [2]}, {"file_name": "C", "deletions": [3]}]),
        ],
        &["missing closer", "missing opener", "trailing comma"],
    );
    // Without an entry before it nothing tells whether the first one is all there.
    damaged(
        r#"[{"file_name": "A", "deletions": [1], "file_name": "B", "deletions": [2,]}]"#,
        &json!([{"file_name": "A", "deletions": [1]}, {"file_name": "B", "deletions": [2]}]),
        &[(DamageKind::Unclosed, "/0")],
    );
    check(
        r#"[{"file_name": "A", "deletions": [1]}, "file_name": "B", "deletions": [2]}]"#,
        &[json!([{"file_name": "A", "deletions": [1]}, {"file_name": "B", "deletions": [2]}])],
        &["missing opener"],
    );
    // In JSON the last one counts, as for every reader of JSON, but it is said.
    let two = r#"{"file_name": "A", "text": [1], "file_name": "B"}"#;
    damaged(two, &json!({"file_name": "B", "text": [1]}), &[(DamageKind::TwoReadings, "")]);
    assert!(recover(two)[0].repairs.is_empty());
    for text in [r#"{"a": 1, "a": 2}"#, r#"{"a": 1, "a": 2,}"#] {
        damaged(text, &json!({"a": 2}), &[(DamageKind::TwoReadings, "")]);
    }
}

#[test]
fn structure_in_a_string_is_doubtful() {
    let text = r#"[{"file_name": "A", "modifications": [{"line_number": 1, "modified_line": "x = "y}], "line_number": 2]}]"#;
    assert!(recover(text).iter().all(|one| !one.damage.is_empty()), "{:?}", recover(text));
}

#[test]
fn brackets_are_read_by_what_follows_and_by_the_elements_before() {
    let two = json!([{"file_name": "A", "insertions": [
        {"line_number": 1, "new_lines": ["a"]}, {"line_number": 2, "new_lines": ["b"]}], "deletions": [3]}]);
    for (text, repairs) in [
        (
            r#"[{"file_name": "A", "insertions": [{"line_number": 1, "new_lines": ["a"]}]}, {"line_number": 2, "new_lines": ["b"]}], "deletions": [3]}]"#,
            &["extra closer"][..],
        ),
        (
            r#"[{"file_name": "A", "insertions": [{"line_number": 1, "new_lines": ["a"}, {"line_number": 2, "new_lines": ["b"]}], "deletions": [3]}]"#,
            &["missing closer"],
        ),
        (
            r#"[{"file_name": "A", "insertions": [{"line_number": 1, "new_lines": ["a"]}, "line_number": 2, "new_lines": ["b"]}], "deletions": [3]}]"#,
            &["missing opener"],
        ),
        (
            r#"[{"file_name": "A", "insertions": [{"line_number": 1, "new_lines": ["a"]},, {"line_number": 2, "new_lines": ["b"]}]},, "deletions": [3]}]"#,
            &["extra comma", "extra closer"],
        ),
    ] {
        check(text, std::slice::from_ref(&two), repairs);
    }
}

#[test]
fn the_names_of_repairs_are_their_own() {
    use super::JsonRepair::{InnerQuote, MissingOpener, PythonLiteral, TrailingComma};
    let names = [TrailingComma, InnerQuote, PythonLiteral, MissingOpener].map(super::JsonRepair::name);
    assert_eq!(names, ["trailing_comma", "inner_quote", "python_literal", "missing_opener"]);
}

#[test]
fn an_object_that_begins_before_another_ended_is_marked_until_their_list_ends() {
    let text = r#"[{"file_name": "A", "deletions": [1], {"file_name": "B", "insertions": []}"#;
    let two = json!([{"file_name": "A", "deletions": [1]}, {"file_name": "B", "insertions": []}]);
    let unclosed = |pointer| (DamageKind::Unclosed, pointer);
    // The comma may be the end of one reply, and the brace the beginning of the next.
    damaged(text, &two, &[unclosed("/0"), unclosed("/2")]);
    check(&format!("{text}]"), std::slice::from_ref(&two), &["missing closer"]);
    // The first one was cut off before another reply.
    let cut = recover(r#"[{"file_name": "A", "deletions": [1], {"mutations": [{"file_name": "B"}]}]"#);
    let values: Vec<&Value> = cut.iter().map(|one| &one.value).collect();
    assert_eq!(
        values,
        [&json!([{"file_name": "A", "deletions": [1]}]), &json!({"mutations": [{"file_name": "B"}]})]
    );
    assert!(
        cut[0].damage_within("/0").any(|damage| damage.kind == DamageKind::Unclosed)
            && cut[1].damage.is_empty()
    );
    // The bracket may be one of the words.
    damaged(
        &format!("{text} and so on, as in a(0), b]"),
        &two,
        &[unclosed("/0"), (DamageKind::LeftOut, "/2")],
    );
}

#[test]
fn members_of_an_entry_that_follow_a_change_which_was_not_closed_are_of_the_entry() {
    let change = r#"{"line_number": 1, "new_lines": ["a", "b"]"#;
    let entry = json!({"file_name": "A", "insertions": [{"line_number": 1, "new_lines": ["a", "b"]}], "deletions": [3]});
    for after in ["", ", \"modifications\": []"] {
        let mut entry = entry.clone();
        if !after.is_empty() {
            entry["modifications"] = json!([]);
        }
        let text = format!("{{\"file_name\": \"A\", \"insertions\": [{change}, \"deletions\": [3]{after}}}");
        check(&text, std::slice::from_ref(&entry), &["missing closer"]);
        check(&format!("[{text}]"), &[json!([entry])], &["missing closer"]);
    }
    // One brace more would close the entry, had the list stood in the change.
    let text = format!(
        "[{{\"file_name\": \"A\", \"insertions\": [{change}, \"deletions\": [3]}}}}, {{\"file_name\": \"B\"}}]"
    );
    let doubts: Vec<DamageKind> = recover(&text)[0].damage_within("/0").map(|damage| damage.kind).collect();
    assert_eq!(doubts, [DamageKind::TwoReadings]);
}

#[test]
fn a_list_of_lists_that_was_closed_too_early_goes_on() {
    let lists = r#"[["1", "a"]], ["2", "b"], ["3", "c"]]"#;
    check(
        &format!("[{{\"file_name\": \"A\", \"target_lines\": {lists}, \"insertions\": []}}]"),
        &[
            json!([{"file_name": "A", "target_lines": [["1", "a"], ["2", "b"], ["3", "c"]], "insertions": []}]),
        ],
        &["extra closer"],
    );
    // A list whose key is missing is no element of the one before.
    let text = r#"[{"file_name": "A", "target_lines": [["1", "a"]], [2, 3], "insertions": []}]"#;
    assert!(recover(text)[0].damage_within("/0").next().is_some(), "{:?}", recover(text));
}

#[test]
fn an_empty_text_in_code_of_which_the_quotes_are_not_escaped_is_one() {
    for line in [
        r#"if (a.equals("")) {"#,
        r#"        if ("".equals(a)) {"#,
        r#"    while (a != "") {"#,
        r#"    b = a.replace("x", "");"#,
        r#"s = t + "" + u;"#,
    ] {
        let text = format!("{{\"new_lines\": [\"{line}\", \"    return;\", \"}}\"]}}");
        check(&text, &[json!({"new_lines": [line, "    return;", "}"]})], &["unescaped inner quote"]);
    }
    // Two lines, between which a comma is missing.
    for (first, second) in
        [("call(", ");"), ("text = a +", ")"), ("call(a", "b)"), ("call(a,", ")"), ("a;", "b;")]
    {
        let text = format!("{{\"new_lines\": [\"{first}\"\"{second}\"]}}");
        assert!(!recover(&text)[0].damage.is_empty(), "{text}: {:?}", recover(&text));
    }
}

#[test]
fn lists_that_begin_anew_are_values_of_their_own() {
    let found = recover("[{\"file_name\": \"A\"}\n\n[{\"file_name\": \"B\"}]");
    let values: Vec<&Value> = found.iter().map(|one| &one.value).collect();
    assert_eq!(values, [&json!([{"file_name": "A"}]), &json!([{"file_name": "B"}])]);
}

#[test]
fn what_cannot_be_read_is_left_out_and_marked() {
    let found = recover(
        r#"{"file_name": "A", "insertions": [here put the list: {"line_numbe":..., "new_lines":[...]}, ...], "deletions": [1]}"#,
    );
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].value["deletions"], json!([1]));
    assert!(found[0].damage.iter().all(|damage| damage.kind == DamageKind::LeftOut));
    assert!(!found[0].damage.is_empty());
}

#[test]
fn a_string_that_could_end_at_two_places_is_marked() {
    damaged(
        r#"{"size": ["5" wide", "next"]}"#,
        &json!({"size": ["5\" wide\", \"next"]}),
        &[(DamageKind::TwoReadings, "/size/0")],
    );
}

#[test]
fn degenerate_repetition() {
    let found = recover(&format!(r#"{{"a": 1, "b": "{}"#, "\\".repeat(5000)));
    assert_eq!(found.len(), 1);
    assert!(found[0].cut());
    let found = recover(&format!(r#"{{"deletions": [{}"#, "1, ".repeat(5000)));
    assert!(found[0].cut());
}

#[test]
fn too_deep_nesting_is_not_followed() {
    let deep = format!("{{\"a\": {}1{}, \"b\": 2}}", "[".repeat(300), "]".repeat(300));
    let found = recover(&deep);
    assert_eq!(found[0].value["b"], json!(2));
    assert!(found[0].damage.iter().any(|damage| damage.kind == DamageKind::TooDeep));
}

fn any_json() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        "[a-z \"\\\\{}\\[\\],:'\n\t/#é“]{0,12}",
        Just("\", \"".to_owned()),
        Just("\"]}".to_owned()),
        Just("print(\"a\", \"b\");".to_owned()),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1e9f64..1e9).prop_map(Value::from),
        text.prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec(("[a-z\": ,]{0,6}", inner), 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn valid_json_is_a_fixed_point(value in any_json(), pretty in any::<bool>()) {
        let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) }.unwrap();
        let found = recover(&text);
        prop_assert_eq!(found.len(), 1);
        prop_assert_eq!(&found[0].value, &serde_json::from_str::<Value>(&text).unwrap());
        prop_assert!(found[0].repairs.is_empty() && found[0].damage.is_empty());
    }

    /// Lenient reading does not change valid JSON either: a repair elsewhere leaves the rest alone.
    #[test]
    fn valid_json_beside_a_repair_is_a_fixed_point(value in any_json()) {
        let text = format!("{{\"first\": {value}, \"second\": [1, 2,]}}");
        let found = recover(&text);
        prop_assert_eq!(found.len(), 1, "{}", text);
        prop_assert_eq!(&found[0].value["first"], &serde_json::from_str::<Value>(&value.to_string()).unwrap());
        prop_assert!(found[0].damage.is_empty());
    }

    #[test]
    fn recovering_what_was_recovered_changes_nothing(text in ".{0,200}", noise in r#"[{}\[\]",:'a1\\\n ]{0,120}"#) {
        for text in [text, noise] {
            let once: Vec<Value> = recover(&text).into_iter().map(|one| one.value).collect();
            let again = once.iter().map(Value::to_string).collect::<Vec<_>>().join("\n");
            let twice = recover(&again);
            prop_assert!(twice.iter().all(|one| one.repairs.is_empty() && one.damage.is_empty()));
            let twice: Vec<Value> = twice.into_iter().map(|one| one.value).collect();
            prop_assert_eq!(once, twice);
        }
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        recover(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn no_prefix_makes_it_panic_and_a_cut_string_is_never_whole(value in any_json(), part in 0usize..100) {
        let text = json!({"file_path": "a", "value": value}).to_string();
        let end = text.floor_char_boundary(text.len() * part / 100);
        for found in recover(&text[..end]) {
            prop_assert!(found.value.is_object() && found.span.start > 0 || !found.damage.is_empty() || end < 2, "{:?}", found);
        }
    }
}

#[test]
fn a_comment_sign_behind_a_quote_inside_is_no_comment() {
    for line in
        [r##"  if (line.startsWith("#")) {"##, r##"  return "#";"##, r#"s = "// c";"#, r##"x.split("#")"##]
    {
        check(
            &format!("{{\n\"line_number\": 4,\n\"modified_line\": \"{line}\"\n}}"),
            &[json!({"line_number": 4, "modified_line": line})],
            &["unescaped inner quote"],
        );
    }
    let text = "{\"a\": \"x\" # \"y\"\n}";
    damaged(text, &json!({"a": "x"}), &[(DamageKind::TwoReadings, "")]);
}

#[test]
fn structure_between_quotes_inside_is_doubtful() {
    for text in [
        r#"{file_name: "a" insertions: [{line_number: 7, new_lines: ["q"]}], deletions: []}"#,
        r#"{"file_name": "a", "target_lines" = [["5", "//"]], "insertions": []}"#,
        r#"{"file_name": "src/a.py", "...", "deletions": [3]}"#,
        r#"[["124", "  foo(a);"), ["544", "b"]]"#,
        r#"{"new_lines": ["A", and "B"]}"#,
        r#"{"new_lines": ["A" + "B"]}"#,
        r#"{"file_name""file_name":"x"}"#,
        r#"{"file_name":"a.py","deletions":[],"insertions",[]}"#,
        "{\"file_name\": \"a.py\n\"}",
    ] {
        assert!(recover(text).iter().any(|one| !one.damage.is_empty()), "{text}");
    }
}

#[test]
fn code_with_separators_in_quotes_is_read() {
    for line in [
        r#"print("a", "b")"#,
        r#"x.join(", ") + y"#,
        r#"return ", ";"#,
        r#"String s = "), [";"#,
        r#"split at "," then go on"#,
    ] {
        check(
            &format!("{{\"line_number\": 4, \"modified_line\": \"{line}\"}}"),
            &[json!({"line_number": 4, "modified_line": line})],
            &["unescaped inner quote"],
        );
    }
}

#[test]
fn keys_without_quotes_tell_what_wrong_closers_close() {
    for (deletions, repair) in [("[4}", "wrong closer"), ("[4]}", "extra closer")] {
        check(
            &format!(
                r#"[{{file_name: "A", deletions: {deletions}, modifications: [{{line_number: 2, modified_line: "x"}}]}}]"#
            ),
            &[
                json!([{"file_name": "A", "deletions": [4], "modifications": [{"line_number": 2, "modified_line": "x"}]}]),
            ],
            &["unquoted key", repair],
        );
    }
}
