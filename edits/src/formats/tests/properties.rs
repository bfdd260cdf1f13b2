//! What holds for every text.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use serde_json::json;

use crate::edit::Edit;
use crate::formats::{EditFormat, interpret_edits, read_edits};

/// A valid text in each format.
fn samples() -> Vec<(EditFormat, String)> {
    let json = json!([
        { "file_path": "src/a.py", "insertions": [{ "line_number": 3, "new_lines": ["x = \"1\"", "  y"] }],
          "deletions": [12, 13], "modifications": [{ "line_number": 5, "modified_line": "z{}" }] },
        { "file_path": "src/b.py", "replacements": [{ "search": "a", "replace": "b" }] },
    ]);
    let call = json!({ "name": "str_replace_editor", "input":
        { "command": "str_replace", "path": "x.py", "old_str": "a\nb", "new_str": "c\"d" } });
    let tags = "<function=e>\n<parameter=path>x.py</parameter>\n<parameter=old_str>a\n</parameter>\n\
                <parameter=new_str>bc</parameter>\n</function>\n";
    let block = "<<<<<<< SEARCH\na\nTitle\n=====\n=======\nb\n>>>>>>> REPLACE\n";
    let blocks = format!(
        "### src/x.py\n```python\n{block}```\nand\n`y.py`\n{block}{}",
        block.replace('b', "long line")
    );
    let diff = "diff --git a/x.py b/x.py\nindex 1..2 100644\n--- a/x.py\n+++ b/x.py\n@@ -1,4 +1,4 @@ def f\n a\n--- b\n+++ c\n\n d\n\
                @@ -20 +20,2 @@\n-e\n+ff\n+gg\ndiff --git a/y.py b/z.py\nsimilarity index 90%\nrename from y.py\nrename to z.py\n\
                --- a/y.py\n+++ b/z.py\n@@ -1 +1 @@\n-a\n+b\n--- /dev/null\n+++ b/new.py\n@@ -0,0 +1,2 @@\n+a\n+b\n";
    let envelope =
        "*** Begin Patch\n*** Update File: x.py\n@@\n a\n-b\n+cc\n*** Add File: y.py\n+d\n*** End Patch\n";
    let swt = "Differences:\ndiff\na.py\nrewrite\n12\ndef f():\n    pass\nend diff\ndiff\nb.py\ninsert\nEOF\ndef g():\n    pass\nend diff\n";
    let code = "### a.py\n```python\ndef f():\n    return 1\n```\n\n`b.py`\n```\ndef g(): pass\n```\n";
    vec![
        (EditFormat::Json, json.to_string()),
        (EditFormat::Json, serde_json::to_string_pretty(&json).unwrap()),
        (EditFormat::StringReplace, call.to_string()),
        (EditFormat::StringReplace, tags.to_owned()),
        (EditFormat::SearchReplace, blocks),
        (EditFormat::SearchReplace, "<file>x.py</file>\n<original>  a\n  b</original>\n<patched>  c</patched>\n\n<file>y.py</file>\n<original>\n</original>\n<patched>\nd\n</patched>\n".to_owned()),
        (EditFormat::Diff, diff.to_owned()),
        (EditFormat::Diff, format!("Words:\n```diff\n{diff}```\n")),
        (EditFormat::Diff, envelope.to_owned()),
        (EditFormat::Swt, swt.to_owned()),
        (EditFormat::Function, code.to_owned()),
    ]
}

/// An edit for each single thing that edits do.
fn parts(edits: &[Edit]) -> Vec<Edit> {
    let mut parts = Vec::new();
    for edit in edits {
        let empty = || Edit { file_path: edit.file_path.clone(), ..Edit::default() };
        parts.extend(edit.insertions.iter().map(|one| Edit { insertions: vec![one.clone()], ..empty() }));
        parts.extend(edit.deletions.iter().map(|one| Edit { deletions: vec![*one], ..empty() }));
        parts.extend(
            edit.modifications.iter().map(|one| Edit { modifications: vec![one.clone()], ..empty() }),
        );
        parts.extend(edit.replacements.iter().map(|one| Edit { replacements: vec![one.clone()], ..empty() }));
        parts.extend(edit.definitions.iter().map(|one| Edit { definitions: vec![one.clone()], ..empty() }));
        let (content, rename_to) = (edit.content.clone(), edit.rename_to.clone());
        let whole = Edit { content, rename_to, delete: edit.delete, ..empty() };
        parts.extend(Some(whole).filter(|whole| !whole.is_empty()));
    }
    parts
}

/// Whether a hunk is another one without the last of its unchanged lines, or with the start of one of them, which the file
/// would have to have: that does the same, if it does anything.
fn lacks_context(whole: &Edit, part: &Edit) -> bool {
    let ([whole], [part]) = (whole.replacements.as_slice(), part.replacements.as_slice()) else {
        return false;
    };
    let rest = |part: (&str, &str)| {
        let (search, replace) = (whole.search.strip_prefix(part.0)?, whole.replace.strip_prefix(part.1)?);
        (search == replace).then_some(())
    };
    let last = |text: &str| text.strip_suffix('\n').unwrap_or(text).rfind('\n').map_or(0, |end| end + 1);
    let (search, replace) = (last(&part.search), last(&part.replace));
    let without_last = (&part.search[..search], &part.replace[..replace]);
    let shared = part.search[search..] == part.replace[replace..];
    whole.line == part.line
        && (rest((&part.search, &part.replace)).is_some() || shared && rest(without_last).is_some())
}

/// Whether the last new line of a hunk whose counts are met is the beginning of the other's: tools that keep diffs take off the end of the last
/// line, and who cuts an answer says so.
fn lacks_end(whole: &Edit, part: &Edit) -> bool {
    fn texts(edit: &Edit) -> Option<(&str, &str)> {
        match (edit.replacements.as_slice(), &edit.content) {
            ([one], None) => Some((&one.search, &one.replace)),
            ([], Some(content)) => Some(("", content)),
            _ => None,
        }
    }
    let (Some(whole), Some(part)) = (texts(whole), texts(part)) else { return false };
    let lines = |text: &str| text.matches('\n').count();
    whole.0 == part.0 && lines(whole.1) == lines(part.1) && whole.1.starts_with(part.1.trim_end_matches('\n'))
}

#[test]
fn no_prefix_of_a_text_is_read_as_anything_else() {
    for (format, text) in samples() {
        let whole =
            parts(&read_edits(&text, Some(format)).unwrap_or_else(|error| panic!("{error}\n{text}")).edits);
        for (end, _) in text.char_indices() {
            for asked in [Some(format), None] {
                let Ok(reading) = read_edits(&text[..end], asked) else { continue };
                for part in parts(&reading.edits) {
                    let same = |whole: &Edit| {
                        *whole == part
                            || lacks_context(whole, &part)
                            || reading.format == EditFormat::Diff && lacks_end(whole, &part)
                    };
                    let same = whole.iter().any(same);
                    assert!(same, "{part:?}\n{}", &text[..end]);
                }
            }
        }
    }
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn texts_without_end_take_linear_time() {
    let mut texts: Vec<String> = [
        "<<<<<<< SEARCH\n",
        "x.py\n<<<<<<< SEARCH\n=======\n",
        "  <<<<<<< SEARCH\n >>>>>>> REPLACE\n",
        "=======\n",
        ">>>>>>> REPLACE\n",
        "@@\n",
        "@@ -1 +1 @@\n",
        "@@ -1,9 +1,9 @@\n+a\n\n",
        "--- a\n+++ a\n@@ -1 +1 @@\n-a\n+b\n\n\n\n",
        "--- a\n+++ a\n",
        "diff\n",
        "diff\na.py\nrewrite\n",
        "diff\na.py\ninsert\n1\nx\n",
        "diff --git a/x b/x\n",
        "```\n",
        "```a.py\n~~~\n",
        "*** Begin Patch\n*** Add File: x\n",
        "<original>",
        "<original>\n",
        "<file>x</file>\n<original>\n</original>\n",
        "<file>x</file>\n<original></original><patched>\n",
        "<parameter",
        "<parameter=a>",
        "<parameter=path></parameter>",
        "[",
        "{\"path\":\"x\",\"edits\":[",
        "{\"file_path\":\"x\",\"deletions\":[1],\"a\":",
        "\"",
        "\n",
        " ",
        "# ",
        "`",
    ]
    .map(|unit| unit.repeat(1_000_000 / unit.len()))
    .to_vec();
    let step = |count: usize| (0..count).map(|level| format!("{}>>>>>>> REPLACE\n", " ".repeat(level)));
    texts.push(format!("x.py\n<<<<<<< SEARCH\n{}", step(1_400).collect::<String>()));
    texts.push(format!("--- a\n+++ a\n{}", "@@ -1,500000 +1,500000 @@\n-x\n".repeat(30_000)));
    for text in texts {
        let begin = Instant::now();
        // Without a format all parsers run, but for that of functions.
        let _ = read_edits(&text, None);
        let _ = read_edits(&text, Some(EditFormat::Function));
        let _ = interpret_edits(&text);
        // Quadratic time would be minutes; the limit leaves room for a slow machine.
        assert!(begin.elapsed() < Duration::from_secs(20), "{:?} {:?}", begin.elapsed(), &text[..40]);
    }
}

/// Reads a text in every way.
fn read_all(text: &str) {
    let _ = read_edits(text, None);
    for format in EditFormat::ALL {
        let _ = read_edits(text, Some(format));
    }
    let _ = interpret_edits(text);
}

proptest! {
    #[test]
    fn no_text_makes_a_parser_panic(text in "\\PC{0,200}") {
        read_all(&text);
    }

    #[test]
    fn no_odd_lines_make_a_parser_panic(lines in prop::collection::vec(odd_line(), 0..20), end in any::<bool>()) {
        read_all(&(lines.join("\n") + if end { "\n" } else { "" }));
    }

    #[test]
    fn no_change_of_a_valid_text_makes_a_parser_panic(
        index in 0..11_usize, at in any::<prop::sample::Index>(), length in 0..30_usize, put in "\\PC{0,6}|\n|\r\n|\"|@@|=======\n",
    ) {
        let (_, text) = &samples()[index];
        let start = text.floor_char_boundary(at.index(text.len()));
        let end = text.floor_char_boundary((start + length).min(text.len())).max(start);
        read_all(&format!("{}{put}{}", &text[..start], &text[end..]));
    }
}

fn odd_line() -> impl Strategy<Value = String> {
    let marks = [
        "<<<<<<< SEARCH",
        "=======",
        ">>>>>>> REPLACE",
        "  =======",
        "diff",
        "end diff",
        "x.py",
        "rewrite",
        "insert",
        "1",
        "EOF",
        "--- a/x.py",
        "+++ b/x.py",
        "--- /dev/null",
        "+++ /dev/null",
        "@@ -1,2 +1,2 @@",
        "@@",
        "@@ -0,0 +1 @@",
        " a",
        "-a",
        "+a",
        "\\ No newline at end of file",
        "diff --git a/x.py b/x.py",
        "diff --git \"a/\\303\" b",
        "rename from \"",
        "rename to x",
        "new file mode 1",
        "deleted file mode 1",
        "index 1..2",
        "similarity index 100%",
        "```",
        "````",
        "```python:x.py",
        "### x.py",
        "*** Begin Patch",
        "*** Update File: x",
        "*** Add File: y",
        "*** Move to: z",
        "*** End of File",
        "*** End Patch",
        "",
        "{\"file_path\": \"x\",",
        "\"deletions\": [\"1-9\", [1,2]],",
        "\"edits\": \"",
        "}",
        "[",
        "<parameter=path>",
        "</parameter>",
        "</function>",
        "<file>x.py</file>",
        "<original>",
        "</original>",
        "<patched>",
        "</patched>",
        "ä",
        "\r",
    ];
    prop::sample::select(marks.to_vec()).prop_map(str::to_owned)
}
