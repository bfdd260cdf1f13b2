//! What stands behind one another is never joined: replies, entries, texts and keys.

use serde_json::json;

use super::recover;
use super::tests::check;

/// A reply that was cut off holds nothing of the one behind it, whatever stands between the two.
#[test]
fn a_reply_that_was_cut_off_swallows_no_entry_of_the_next_one() {
    let first = r#"[{"file_name": "A", "deletions": [1]},
{"file_name": "B", "target_lines": [["7", "//"]], "insertions": [{"line_number": 3, "new_lines": ["x"]}], "deletions": [4]}]"#;
    for next in [
        r#"[{"file_name": "C", "deletions": [2]}, {"file_name": "D", "deletions": [5]}]"#,
        r#"{"mutations": [{"file_name": "C", "deletions": [2]}, {"file_name": "D", "deletions": [5]}]}"#,
    ] {
        for between in ["", "\n", "Here:\n\n", "\n```json\n"] {
            for cut in 1..first.len() {
                let text = format!("{}{between}{next}", &first[..cut]);
                let found = recover(&text);
                let mut whole = Vec::new();
                for entries in found.iter().map(crate::entries) {
                    let inside = |one: &crate::Entry<'_>| {
                        entries.iter().any(|outer| one.pointer.starts_with(&format!("{}/", outer.pointer)))
                    };
                    assert!(!entries.iter().any(inside), "{text}: {found:?}");
                    let names =
                        entries.iter().filter(|one| !one.damaged).map(|one| one.members["file_name"].clone());
                    whole.extend(names);
                }
                assert!(whole.ends_with(&[json!("C"), json!("D")]), "{text}: {found:?}");
            }
        }
    }
}

/// A text that closes what it did not open, before the next element, may be two; parentheses and quotes of its own tell nothing.
#[test]
fn texts_joined_over_the_end_of_a_list_are_doubtful() {
    for joined in [
        r#"t.has(\")\")],\n["84", "u"))"#,
        r#"}], ["47", "t.has(\)\")"#,
        r#"if (c(d))], ["94, "    || e("y")) {"#,
        r#"  \"n\");],\n["9", put("a", b)"#,
    ] {
        let joined = joined.replace("\\n", "\n");
        let text =
            format!(r#"[{{"file_name": "A", "target_lines": [["3", "{joined}"]], "deletions": [4]}}]"#);
        let found = recover(&text);
        let whole = found.iter().flat_map(crate::entries).filter(|one| !one.damaged).count();
        assert_eq!(whole, 0, "{text}: {found:?}");
    }
    let pairs = r#"x = [["a", f("b")], ["c", 1]]"#;
    check(
        &format!(r#"{{"line_number": 3, "modified_line": "{pairs}"}}"#),
        &[json!({"line_number": 3, "modified_line": pairs})],
        &["unescaped inner quote"],
    );
}

/// A key that ran over the beginning of the next entry has joined two, and says so.
#[test]
fn a_key_with_structure_in_it_is_doubtful() {
    for text in [
        "[{\"file_name\": \"A\", \"deletions: [3]},\n{file_name\": \"A\", \"deletions\": [4]}]",
        r#"[{"file_name": "A", "deletions: [3]}, {file_name": "A", "deletions": [4}]"#,
    ] {
        let found = recover(text);
        let whole = found.iter().flat_map(crate::entries).filter(|one| !one.damaged).count();
        assert_eq!(whole, 0, "{text}: {found:?}");
    }
    let value = json!({"a[1]: x, {y}": 1});
    check(&value.to_string(), &[value], &[]);
}
