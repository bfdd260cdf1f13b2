//! Blocks of SWT-Bench.

use super::{defining, nothing, read, refused};
use crate::edit::Placement;
use crate::formats::EditFormat::Swt;

const CODE: &str = "def test_x():\n    assert x()\n";

#[test]
fn blocks_say_what_to_do_with_their_code() {
    for (word, place, expect) in [
        ("rewrite", "12", Placement::SameNear(12)),
        ("rewrite", "EOF", Placement::Same),
        ("Rewrite", "bof", Placement::Same),
        ("insert", "EOF", Placement::End),
        ("insert", "BOF", Placement::Start),
        (" insert ", " 7 ", Placement::Near(7)),
    ] {
        for text in [
            format!("diff\ntests/x.py\n{word}\n{place}\n{CODE}end diff\n"),
            format!(
                "Different words.\ndiff is a word\n```custom-diff\n diff \n`tests/x.py`\n{word}\n{place}\n{CODE}end diff\n```\n"
            ),
            format!("```\ndiff\r\ntests/x.py\r\n{word}\r\n{place}\r\n{}end diff", CODE.replace('\n', "\r\n")),
        ] {
            assert_eq!(read(Swt, &text), (vec![defining("tests/x.py", CODE, expect)], vec![]), "{text}");
        }
    }
}

#[test]
fn blocks_follow_each_other() {
    let block = |file: &str| format!("diff\n{file}\ninsert\nEOF\n{CODE}");
    let text = format!("{}end diff\n\n{}end diff\n", block("a.py"), block("b.py"));
    assert_eq!(
        read(Swt, &text).0,
        [defining("a.py", CODE, Placement::End), defining("b.py", CODE, Placement::End)]
    );
    let (edits, repairs) = read(Swt, &format!("{}{}end diff\n", block("a.py"), block("b.py")));
    assert_eq!(edits, [defining("a.py", CODE, Placement::End), defining("b.py", CODE, Placement::End)]);
    assert_eq!(repairs, ["line 7: the block before was not ended"]);
    let code = "    x = a - b\ndiff\n    y\n";
    let text = format!("diff\na.py\nrewrite\n1\n{code}end diff\n");
    assert_eq!(read(Swt, &text).0, [defining("a.py", code, Placement::SameNear(1))]);
}

#[test]
fn what_is_not_a_whole_block_is_refused() {
    let check = |text: &str, expect: &str| {
        let message = refused(Swt, text);
        assert!(message.contains(expect), "{message}\n{text}");
    };
    check(&format!("diff\na.py\ninsert\nEOF\n{CODE}"), "were cut off, in line 1 (for `a.py`), after `");
    check(&format!("diff\na.py\ninsert\nEOF\n{CODE}end dif"), "were cut off");
    check(&format!("diff\na.py\ninsert\nEOF\n{CODE}```\n"), "were cut off");
    check("diff\na.py\ninsert\n12", "were cut off");
    check("diff\na.py\nins", "were cut off");
    check("diff\na.py", "were cut off");
    check(
        "diff\na.py\nreplace\n1\nx\nend diff\n",
        "in line 3 (for `a.py`): `replace` stands where `rewrite` or `insert`",
    );
    check(
        "diff\na.py\ninsert\nthere\nx\nend diff\n",
        "in line 4 (for `a.py`): `there` stands where a line number",
    );
    check("diff\na.py\ninsert\n1\n\nend diff\n", "there is no code");
    nothing(Swt, "diff\n");
    nothing(Swt, "diff\nof two files\nis shown\n");
    nothing(Swt, "different\na.py\ninsert\n1\nx\nend diff\n");
}
