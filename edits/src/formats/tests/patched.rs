//! Edits in tags.

use super::{content, nothing, read, refused, replacing};
use crate::formats::EditFormat::SearchReplace;

const ONE: &str =
    "<file>src/x.py</file>\n<original>    a\n    b</original>\n<patched>    a\n    c</patched>\n";

#[test]
fn edits_in_tags_are_read() {
    let expect = || (vec![replacing("src/x.py", "    a\n    b\n", "    a\n    c\n")], vec![]);
    for text in [
        ONE.to_owned(),
        format!("# modification 1\n```\n{ONE}```\nThis adds `c`.\n"),
        format!("<modification>\n{ONE}</modification>\n"),
        format!("```xml\n<modification>\n{ONE}</modification>\n```"),
        "<file> `src/x.py` </file>\n<original>\n    a\n    b\n</original>\n<patched>\n    a\n    c\n</patched>".to_owned(),
        "src/x.py\n<original>\n```python\n    a\n    b\n```\n</original>\n<patched>\n```python\n    a\n    c\n```\n</patched>".to_owned(),
        ONE.replace("</file>\n", "</file>").replace("</original>\n", "</original>"),
        ONE.replace('\n', "\r\n"),
        format!("  {}", ONE.replace("\n<", "\n  <")),
    ] {
        assert_eq!(read(SearchReplace, &text), expect(), "{text}");
    }
    let two = format!("1.\n```\n{ONE}```\n2.\n```\n{}```\n", ONE.replace("x.py", "y.py"));
    let edits = vec![
        replacing("src/x.py", "    a\n    b\n", "    a\n    c\n"),
        replacing("src/y.py", "    a\n    b\n", "    a\n    c\n"),
    ];
    assert_eq!(read(SearchReplace, &two), (edits, vec![]));
    let new = "<file>n.py</file>\n<original></original>\n<patched>\na\n</patched>\n";
    assert_eq!(read(SearchReplace, new), (vec![content("n.py", "a\n")], vec![]));
    let gone = ONE.replace("    a\n    c", "");
    assert_eq!(read(SearchReplace, &gone), (vec![replacing("src/x.py", "    a\n    b\n", "")], vec![]));
    // A closing tag in the code.
    let tags = ONE.replace("    b</", "    '</original>'</");
    let expect = vec![replacing("src/x.py", "    a\n    '</original>'\n", "    a\n    c\n")];
    assert_eq!(read(SearchReplace, &tags), (expect, vec![]));
}

#[test]
fn what_is_no_edit_in_tags_is_none() {
    for text in ["<file>x.py</file>\n", "The tag <original> is for code.\n", "    x = '<original>'\n"] {
        nothing(SearchReplace, text);
    }
    let check = |text: &str, words: &str| {
        let message = refused(SearchReplace, text);
        assert!(message.contains(words), "{message}");
    };
    check(&ONE[..ONE.len() - 4], "cut off");
    check("<file>x.py</file>\n<original>\na\n", "cut off");
    check("<file>x.py</file>\n<original>\na\n</original>\nand\n<patched>\nb\n</patched>\n", "no `<patched>`");
    check("<original>\na\n</original>\n<patched>\nb\n</patched>\n", "names no file");
    let inside =
        "<file>x.html</file>\n<original>\na\n</original>\n<patched>\n<a>\n</patched>\n<b>\n</patched>\n";
    check(inside, "it is not clear where that ends");
}
