//! Blocks of SEARCH and REPLACE.

use super::{content, nothing, read, refused, replacing};
use crate::formats::EditFormat::SearchReplace;

fn block(search: &str, replace: &str) -> String {
    format!("<<<<<<< SEARCH\n{search}=======\n{replace}>>>>>>> REPLACE\n")
}

#[test]
fn a_path_stands_in_many_forms_before_a_block() {
    let block = block("a\n", "b\n");
    for before in [
        "### src/x.py\n",
        "src/x.py\n",
        "**src/x.py**\n",
        "`src/x.py`\n",
        "`src/x.py`:\n",
        "**`src/x.py`**:\n",
        "**File: src/x.py**\n",
        "File: src/x.py\n",
        "### File: `src/x.py` ###\n",
        "# src/x.py\n",
        "// src/x.py\n",
        "/* src/x.py */\n",
        "<!-- src/x.py -->\n",
        "1. `src/x.py`\n",
        "- src/x.py:\n",
        "### 2. src/x.py\n",
        "src/x.py\n\n",
        "### src/x.py\nThe sign was wrong, so:\n",
        "Filename: src/x.py\n",
        "In `src/x.py`, `f()` is wrong:\n",
        "### Changes to `src/x.py`\nThe sign was wrong.\n",
    ] {
        for text in [
            format!("{before}{block}"),
            format!("Prose.\n\n{before}{block}More prose.\n"),
            format!("{before}```python\n{block}```\n"),
            format!("{before}~~~~\n{block}~~~~\n"),
            format!("```python\n{before}{block}```\n"),
            format!("{before}{block}").replace('\n', "\r\n"),
        ] {
            assert_eq!(
                read(SearchReplace, &text),
                (vec![replacing("src/x.py", "a\n", "b\n")], vec![]),
                "{text}"
            );
        }
    }
    for info in ["python:src/x.py", "python src/x.py", "src/x.py", "py title=\"src/x.py\"", "{file=src/x.py}"]
    {
        let text = format!("Words.\n```{info}\n{block}```\n");
        assert_eq!(read(SearchReplace, &text).0, [replacing("src/x.py", "a\n", "b\n")], "{text}");
    }
    let text = block.replacen("SEARCH", "SEARCH src/x.py", 1);
    assert_eq!(read(SearchReplace, &text).0, [replacing("src/x.py", "a\n", "b\n")], "{text}");
}

#[test]
fn files_without_an_extension_are_files_where_they_are_said_to_be() {
    let block = block("a\n", "b\n");
    for (before, file) in [
        ("Makefile", "Makefile"),
        ("File: bin/run", "bin/run"),
        ("File: configure", "configure"),
        ("`.gitignore`", ".gitignore"),
        ("`my dir/a b.py`", "my dir/a b.py"),
        ("app/[id]/(group)/page.tsx", "app/[id]/(group)/page.tsx"),
    ] {
        assert_eq!(read(SearchReplace, &format!("{before}\n{block}")).0, [replacing(file, "a\n", "b\n")]);
    }
    for before in [
        "",
        "### Fix the sign\n",
        "This mends it.\n",
        "foo(a.b)\n",
        "https://example.org/x.py\n",
        "e.g.\n",
        "Set `self.x`:\n",
        "`a.py` and `b.py`:\n",
    ] {
        let message = refused(SearchReplace, &format!("{before}{block}"));
        assert!(message.starts_with("An edit names no file, in line "), "{message}");
    }
}

#[test]
fn blocks_without_a_path_are_for_the_file_of_the_block_before() {
    let (one, two) = (block("a\n", "b\n"), block("c\n", "d\n"));
    let both = vec![replacing("x.py", "a\n", "b\n"), replacing("x.py", "c\n", "d\n")];
    assert_eq!(read(SearchReplace, &format!("```\n### x.py\n{one}\n{two}```\n")), (both.clone(), vec![]));
    assert_eq!(read(SearchReplace, &format!("x.py\n{one}Then:\n{two}")), (both.clone(), vec![]));
    let (edits, repairs) = read(SearchReplace, &format!("```\n### x.py\n{one}```\nand\n```\n{two}```\n"));
    assert_eq!(edits, both);
    assert_eq!(repairs, ["line 11: no path; the one of the block before was used"]);
    let (edits, _) = read(SearchReplace, &format!("x.py\n{one}lib/y.py\n{two}"));
    assert_eq!(edits, [replacing("x.py", "a\n", "b\n"), replacing("lib/y.py", "c\n", "d\n")]);
}

#[test]
fn texts_are_whole_lines_as_they_stand() {
    let check = |search: &str, replace: &str| {
        let text = format!("x.py\n{}", block(search, replace));
        assert_eq!(read(SearchReplace, &text).0, [replacing("x.py", search, replace)], "{text}");
    };
    check("    a\n\n\tb  \n", "    c\n\n");
    check("a\n", "");
    check("```python\na\n```\n", "~~~\n```\nb\n");
    check("x = '<<<<<<< SEARCH'\n", "<<<<<<<< OTHER\n>>>>>>> branch\n");
    check("\n", "a\n");
    check("# diff\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", "diff\nx.py\nrewrite\n1\nend diff\n");
    check("{\"file_path\": \"a\", \"deletions\": [1]}\n", "b\n");
    check("a\n", "    =======\nb\n");
    check("a\n", "  <<<<<<< SEARCH\n  x\n  =======\n  y\n  >>>>>>> REPLACE\n");
    let text = format!("new/x.py\n{}", block("", "a\nb\n"));
    assert_eq!(read(SearchReplace, &text).0, [content("new/x.py", "a\nb\n")]);
}

#[test]
fn markers_have_some_play() {
    let expect = [replacing("x.py", "a\n", "b\n")];
    for text in [
        "x.py\n<<<<<<< search\na\n=======\nb\n>>>>>>> replace",
        "x.py\n<<<<<<< ORIGINAL\na\n=======\nb\n>>>>>>> UPDATED\n",
        "x.py\n<<<<<<< HEAD  \na\n=======  \nb\n>>>>>>> REPLACE \t\n",
        "x.py\n<<<<< SEARCH\na\n=====\nb\n>>>>> REPLACE\n",
        "x.py\n<<<<<<<<< SEARCH\na\n=========\nb\n>>>>>>>>> REPLACE\n",
        "x.py\n<<<<<<<SEARCH\na\n======\nb\n>>>>>>>REPLACE\n",
        "1. x.py\n   <<<<<<< SEARCH\n   a\n   =======\n   b\n   >>>>>>> REPLACE\n",
    ] {
        assert_eq!(read(SearchReplace, text).0, expect, "{text}");
    }
    let listed = "x.py\n  <<<<<<< SEARCH\n  a\n\n    b\n  =======\n  >>>>>>> REPLACE\n";
    assert_eq!(read(SearchReplace, listed).0, [replacing("x.py", "a\n\n  b\n", "")]);
    let only_markers = "x.py\n  <<<<<<< SEARCH\na\n  =======\n  b\n  >>>>>>> REPLACE\n";
    assert_eq!(read(SearchReplace, only_markers).0, [replacing("x.py", "a\n", "  b\n")]);
}

#[test]
fn a_heading_of_equals_signs_is_told_by_its_form_or_not_at_all() {
    let check = |inside: &str, search: &str, replace: &str| {
        let text = format!("x.rst\n<<<<<<< SEARCH\n{inside}>>>>>>> REPLACE\n");
        assert_eq!(read(SearchReplace, &text).0, [replacing("x.rst", search, replace)], "{text}");
    };
    check("Title\n=====\n=======\nNew\n=====\n", "Title\n=====\n", "New\n=====\n");
    check("Heading\n========\n=======\n", "Heading\n========\n", "");
    check("  Heading\n  =======\n=======\nx\n", "  Heading\n  =======\n", "x\n");
    let message = refused(
        SearchReplace,
        "x.rst\n<<<<<<< SEARCH\nHeading\n=======\nx\n=======\nHeading\n>>>>>>> REPLACE\n",
    );
    assert_eq!(
        message,
        "An edit cannot be read, in line 2 (for `x.rst`): the block has several lines `=======` (lines 4, 6), so it is not clear \
         where the text to find ends; choose other lines to find or to write, or another format."
    );
}

#[test]
fn what_is_not_a_whole_block_is_refused() {
    let check = |text: &str, expect: &str| {
        let message = refused(SearchReplace, text);
        assert!(message.contains(expect), "{message}\n{text}");
    };
    let cut = "were cut off, in line 2 (for `x.py`), after `";
    check(
        "x.py\n<<<<<<< SEARCH\na\n=======\nreturn fo",
        &format!("{cut}x.py <<<<<<< SEARCH a ======= return fo`"),
    );
    check("x.py\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLAC", cut);
    check("x.py\n<<<<<<< SEARCH\na\n", cut);
    check("x.py\n<<<<<<< SEARCH", cut);
    check("x.py\n<<<<<<< SEARCH\na\n=======\nb\n```\n", cut);
    check("x.py\n<<<<<<< SEARCH\na\n>>>>>>> REPLACE\n", "has no line `=======`");
    check("x.py\n<<<<<<< SEARCH\nTitle\n=====\nb\n>>>>>>> REPLACE\n", "has no line `=======`");
    check(
        "x.py\n<<<<<<< SEARCH\na\n=======\nb\n<<<<<<< SEARCH\nc\n=======\nd\n>>>>>>> REPLACE\n",
        "does not end before the next one begins in line 6",
    );
    check("x.py\na\n=======\nb\n>>>>>>> REPLACE\n", "there is no `<<<<<<< SEARCH`");
    nothing(SearchReplace, "Use `<<<<<<< SEARCH` and\n=======\nTitle\n");
    nothing(SearchReplace, "");
}

#[test]
fn other_signs_may_mark_a_block() {
    let text = "src/x.py\n------- SEARCH\na\n=======\nb\n+++++++ REPLACE\n";
    assert_eq!(read(SearchReplace, text), (vec![replacing("src/x.py", "a\n", "b\n")], Vec::<String>::new()));
    assert!(crate::formats::read_edits(text, None).is_ok());
}
