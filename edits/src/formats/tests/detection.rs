//! Which format a text is in.

use serde_json::json;

use super::{defining, empty, replacing};
use crate::edit::Edit;
use crate::formats::{EditFormat, ReadingError, read_edits};

const BLOCK: &str = "x.py\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n";
const DIFF: &str = "--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n";
const SWT: &str = "diff\nx.py\ninsert\nEOF\na\nend diff\n";
const CODE: &str = "x.py\n```python\na\n```\n";
const JSON: &str = "{\"file_path\": \"x.py\", \"deletions\": [1]}\n";

#[test]
fn names_of_formats_are_read() {
    for format in EditFormat::ALL {
        assert_eq!(format.name().parse(), Ok(format));
        assert_eq!(format.to_string().replace('-', "_").to_uppercase().parse(), Ok(format));
    }
    for (name, format) in [
        ("unified", EditFormat::Diff),
        ("unified-diff", EditFormat::Diff),
        ("patch", EditFormat::Diff),
        ("paper", EditFormat::Json),
        ("whole-function", EditFormat::Function),
        ("method", EditFormat::Function),
        ("swt-bench", EditFormat::Swt),
        ("str_replace", EditFormat::StringReplace),
    ] {
        assert_eq!(name.parse(), Ok(format));
    }
    let message = "yaml".parse::<EditFormat>().unwrap_err().to_string();
    assert_eq!(
        message,
        "there is no format `yaml`; the formats are json, search-replace, diff, function, swt, string-replace"
    );
}

#[test]
fn a_text_is_in_the_format_that_holds_its_edits() {
    for (text, format) in [
        (BLOCK, EditFormat::SearchReplace),
        (DIFF, EditFormat::Diff),
        (SWT, EditFormat::Swt),
        (CODE, EditFormat::Function),
        (JSON, EditFormat::Json),
    ] {
        for text in
            [text.to_owned(), format!("The fix:\n\n{text}\nIt adds {{a}} [1].\n"), format!("\u{feff}{text}")]
        {
            assert_eq!(read_edits(&text, None).map(|reading| reading.format), Ok(format), "{text}");
        }
    }
    for text in ["", "Nothing comes to mind.", "```json\n{\"file_path\": \"x.py\"}\n```", "[1] {a} <b>"] {
        assert_eq!(read_edits(text, None), Err(ReadingError::Nothing(None)), "{text}");
    }
}

#[test]
fn two_formats_in_one_text_are_refused() {
    let texts = [BLOCK, DIFF, SWT, JSON];
    for one in texts {
        for other in texts.into_iter().filter(|other| *other != one) {
            let text = format!("{one}\n{other}");
            let error = read_edits(&text, None).unwrap_err();
            assert!(matches!(error, ReadingError::TwoFormats { .. }), "{error}\n{text}");
        }
        // Code beside edits is an example.
        assert!(read_edits(&format!("{one}\n{CODE}"), None).is_ok());
    }
    assert_eq!(
        read_edits(&format!("{BLOCK}\n{DIFF}"), None).unwrap_err().to_string(),
        "There are edits in two formats, search-replace and diff. Write all of them in one."
    );
    let text = format!("{BLOCK}\nIt was `{{\"path\": \"x.py\", \"content\": \"y\"}}`.\n");
    assert_eq!(read_edits(&text, None).unwrap().format, EditFormat::SearchReplace);
}

#[test]
fn a_format_inside_an_edit_in_another_is_text() {
    let search = format!("{DIFF}{SWT}{JSON}");
    let text = format!("x.py\n<<<<<<< SEARCH\n{search}=======\n>>>>>>> REPLACE\n");
    assert_eq!(read_edits(&text, None).unwrap().edits, [replacing("x.py", &search, "")]);
    let inside = format!("{BLOCK}{SWT}{JSON}");
    let body: String = inside.lines().flat_map(|line| [" ", line, "\n"]).collect();
    let count = body.lines().count();
    let text = format!("--- a/x.py\n+++ b/x.py\n@@ -1,{count} +1,{} @@\n{body}+end\n", count + 1);
    assert_eq!(read_edits(&text, None).unwrap().format, EditFormat::Diff);
    let text = json!({ "file_path": "x.py", "search": format!("{BLOCK}{DIFF}"), "replace": SWT }).to_string();
    assert_eq!(read_edits(&text, None).unwrap().edits[0].replacements[0].replace, SWT);
}

#[test]
fn a_text_of_json_may_hold_edits_in_another_format() {
    let check = |value: serde_json::Value, format: EditFormat, expect: &Edit| {
        let text = value.to_string();
        for asked in [None, Some(format)] {
            let reading = read_edits(&text, asked).unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert_eq!(
                (reading.format, reading.edits.as_slice()),
                (format, std::slice::from_ref(expect)),
                "{text}"
            );
            let told = reading
                .repairs
                .iter()
                .any(|repair| repair.to_string().ends_with(&format!("format {format}")));
            assert!(told, "{:?}", reading.repairs);
        }
    };
    let mut diff = replacing("x.py", "a\n", "b\n");
    diff.replacements[0].line = Some(1);
    check(json!({ "patch": DIFF }), EditFormat::Diff, &diff);
    check(json!({ "patch": DIFF.trim_end() }), EditFormat::Diff, &diff);
    check(
        json!({ "thoughts": BLOCK, "command": { "name": "write_fix", "args": { "diff": DIFF } } }),
        EditFormat::Diff,
        &diff,
    );
    check(json!(DIFF), EditFormat::Diff, &diff);
    check(json!([DIFF]), EditFormat::Diff, &diff);
    let block = replacing("x.py", "a\n", "b\n");
    check(json!({ "edits": BLOCK }), EditFormat::SearchReplace, &block);
    check(json!(format!("The fix:\n{BLOCK}")), EditFormat::SearchReplace, &block);
    check(json!({ "answer": SWT }), EditFormat::Swt, &defining("x.py", "a\n", crate::edit::Placement::End));
    let inner = json!({ "file_path": "x.py", "edits": BLOCK.replacen("x.py\n", "", 1) }).to_string();
    let reading = read_edits(&inner, None).unwrap();
    assert_eq!(reading.edits, [block]);
    let twice = json!(json!([{ "file_path": "x.py", "deletions": [1] }]).to_string()).to_string();
    assert_eq!(read_edits(&twice, None).unwrap().edits, [Edit { deletions: vec![1], ..empty("x.py") }]);
}
