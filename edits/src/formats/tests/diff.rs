//! Unified diffs.

use super::{FormatProblem, content, empty, flaw, nothing, read, refused};
use crate::edit::{Edit, Replacement};
use crate::formats::EditFormat::Diff;

fn hunk(line: u32, search: &str, replace: &str) -> Replacement {
    Replacement {
        search: search.to_owned(),
        replace: replace.to_owned(),
        whole_lines: true,
        line: Some(line),
        all: false,
        signs: String::new(),
    }
}

fn unnumbered(search: &str, replace: &str) -> Replacement {
    Replacement { line: None, ..hunk(0, search, replace) }
}

fn edit(file: &str, hunks: &[Replacement]) -> Edit {
    Edit { replacements: hunks.to_vec(), ..empty(file) }
}

const BODY: &str = "@@ -3,2 +3,2 @@ def f():\n a\n-b\n+c\n";

#[test]
fn names_stand_in_many_forms() {
    let check = |head: &str, file: &str| {
        for text in [
            format!("{head}{BODY}"),
            format!("Words.\n\n```diff\n{head}{BODY}```\nMore words.\n"),
            format!("{head}{BODY}-- \n2.39.1\n"),
            format!("{head}{BODY}\nMore words.\n"),
        ] {
            assert_eq!(
                read(Diff, &text),
                (vec![edit(file, &[hunk(3, "a\nb\n", "a\nc\n")])], vec![]),
                "{text}"
            );
        }
    };
    check("--- a/src/x.py\n+++ b/src/x.py\n", "src/x.py");
    check(
        "diff --git a/src/x.py b/src/x.py\nindex 12ab..34cd 100644\n--- a/src/x.py\n+++ b/src/x.py\n",
        "src/x.py",
    );
    check("--- src/x.py\n+++ src/x.py\n", "src/x.py");
    check("--- a/x.py\n+++ a/x.py\n", "a/x.py");
    check("--- b.py\n+++ b.py\n", "b.py");
    check("--- i/x.py\n+++ w/x.py\n", "x.py");
    check("Index: x.py\n=======\n--- x.py\t(revision 1)\n+++ x.py\t(working copy)\n", "x.py");
    check(
        "diff -u x.py.orig x.py\n--- x.py.orig\t2024-01-31 10:00:00\n+++ x.py\t2024-01-31 10:00:01\n",
        "x.py",
    );
    check("--- x y.py 2024-01-31 10:00:00.000 +0100\n+++ x y.py 2024-01-31 10:00:01.000 +0100\n", "x y.py");
    check("--- a/my dir/a b\t\n+++ b/my dir/a b\t\n", "my dir/a b");
    check(
        "--- \"a/na\\303\\257ve \\\"q\\\"\\t\\\\.py\"\n+++ \"b/na\\303\\257ve \\\"q\\\"\\t\\\\.py\"\n",
        "naïve \"q\"\t\\.py",
    );
    check("### x.py\n", "x.py");
    assert!(refused(Diff, BODY).starts_with("An edit names no file, in line 1."));
    let two = FormatProblem::TwoNames { old: "a/x.py".to_owned(), new: "b/y.py".to_owned() };
    assert_eq!(flaw(Diff, &format!("--- a/x.py\n+++ b/y.py\n{BODY}")).1, two);
}

#[test]
fn files_come_go_and_get_other_names() {
    let check = |text: &str, expect: Edit| assert_eq!(read(Diff, text).0, [expect], "{text}");
    let new = "diff --git a/x.py b/x.py\nnew file mode 100644\n";
    check(
        &format!("{new}index 000..123\n--- /dev/null\n+++ b/x.py\n@@ -0,0 +1,2 @@\n+a\n+b\n"),
        content("x.py", "a\nb\n"),
    );
    check(
        "--- /dev/null\n+++ b/x.py\n@@ -0,0 +1 @@\n+a\n\\ No newline at end of file\n",
        content("x.py", "a"),
    );
    check(new, content("x.py", ""));
    check(&format!("{new}index 0000000..e69de29\n"), content("x.py", ""));
    let gone = |hunks: &[Replacement]| Edit { delete: true, ..edit("x.py", hunks) };
    check(
        "diff --git a/x.py b/x.py\ndeleted file mode 100644\n--- a/x.py\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n",
        gone(&[hunk(1, "a\nb\n", "")]),
    );
    check("diff --git a/x.py b/x.py\ndeleted file mode 100644\nindex e69de29..0000000\n", gone(&[]));
    let renamed =
        |hunks: &[Replacement]| Edit { rename_to: Some("lib/y.py".to_owned()), ..edit("x.py", hunks) };
    let rename = "rename from x.py\nrename to lib/y.py\n";
    let names = "diff --git a/x.py b/lib/y.py\n";
    check(&format!("{names}similarity index 100%\n{rename}"), renamed(&[]));
    check(
        &format!(
            "{names}similarity index 90%\n{rename}index 1..2\n--- a/x.py\n+++ b/lib/y.py\n@@ -1 +1 @@\n-a\n+b\n"
        ),
        renamed(&[hunk(1, "a\n", "b\n")]),
    );
    let mode = "diff --git a/run b/run\nold mode 100644\nnew mode 100755\n";
    let (edits, repairs) = read(Diff, &format!("{mode}--- a/run\n+++ b/run\n@@ -1 +1 @@\n-a\n+b\n"));
    assert_eq!(edits, [edit("run", &[hunk(1, "a\n", "b\n")])]);
    assert_eq!(repairs, ["line 1: change of the file mode ignored"]);
    nothing(Diff, mode);
    let check = |text: &str, expect: &str| {
        let message = refused(Diff, text);
        assert!(message.contains(expect), "{message}\n{text}");
    };
    check("diff --git a/x.png b/x.png\nindex 1..2\nBinary files a/x.png and b/x.png differ\n", "binary file");
    check("diff --git a/x.png b/x.png\nindex 1..2\nGIT binary patch\nliteral 3\n", "binary file");
    check(&format!("{new}--- /dev/null\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n"), "said to be new");
    check(&format!("{new}index 0000000..1234567\n"), "cut off");
    check(&format!("{names}similarity index 90%\n{rename}"), "cut off");
    check("diff --cc x.py\n@@@ -1,2 -1,2 +1,3 @@@\n", "more than two versions");
    check("diff --git a/x b/x\nsimilarity index 100%\ncopy from x\ncopy to y\n", "copies a file");
}

#[test]
fn hunks_say_what_was_and_what_shall_be() {
    let check = |body: &str, expect: &[Replacement]| {
        for text in [format!("--- a/x\n+++ b/x\n{body}"), format!("```\n--- a/x\n+++ b/x\n{body}```\n")] {
            assert_eq!(read(Diff, &text), (vec![edit("x", expect)], vec![]), "{text}");
        }
    };
    check("@@ -1 +1 @@\n-a\n+b\n@@ -9,2 +9 @@\n-x\n y\n", &[hunk(1, "a\n", "b\n"), hunk(9, "x\ny\n", "y\n")]);
    check("@@ -5,0 +6,2 @@\n+a\n+b\n", &[hunk(6, "", "a\nb\n")]);
    check("@@ -0,0 +1 @@\n+a\n", &[hunk(1, "", "a\n")]);
    check("@@ -5,2 +4,0 @@\n-a\n-b\n", &[hunk(5, "a\nb\n", "")]);
    check("@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n", &[hunk(1, "a\n\nb\n", "a\n\nc\n")]);
    check("@@ -1,3 +1,1 @@\n--- x\n-+++ y\n z\n", &[hunk(1, "-- x\n+++ y\nz\n", "z\n")]);
    check("@@ -1,2 +1,2 @@\n--- a/x\n+++ b/x\n y\n", &[hunk(1, "-- a/x\ny\n", "++ b/x\ny\n")]);
    check("@@ -1,2 +1,3 @@\n+```\n ```\n-@@ x\n+@@ y\n", &[hunk(1, "```\n@@ x\n", "```\n```\n@@ y\n")]);
    check("@@ -1 +1 @@\n-a\r\n+b\r\n", &[hunk(1, "a\r\n", "b\r\n")]);
    let end = "\\ No newline at end of file\n";
    check(&format!("@@ -1 +1 @@\n-a\n{end}+a\n"), &[hunk(1, "a", "a\n")]);
    check(&format!("@@ -1 +1 @@\n-a\n+a\n{end}"), &[hunk(1, "a\n", "a")]);
    check(&format!("@@ -1,2 +1,2 @@\n-a\n+b\n c\n{end}"), &[hunk(1, "a\nc", "b\nc")]);
    check(&format!("@@ -1 +1 @@\n-a\n{end}+b\n{end}"), &[hunk(1, "a", "b")]);
}

#[test]
fn several_files_are_several_edits() {
    let text = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\ndiff --git a/y b/y\n--- a/y\n+++ b/y\n@@ -2 +2 @@\n-c\n+d\n--- z\n+++ z\n@@ -3 +3 @@\n-e\n+f\n";
    let expect = [
        edit("x", &[hunk(1, "a\n", "b\n")]),
        edit("y", &[hunk(2, "c\n", "d\n")]),
        edit("z", &[hunk(3, "e\n", "f\n")]),
    ];
    assert_eq!(read(Diff, text).0, expect);
}

#[test]
fn line_ends_of_a_diff_that_was_converted_are_put_right() {
    let text = "--- a/x\r\n+++ b/x\r\n@@ -1,2 +1,2 @@\r\n a\r\n-b\r\n+c\r\n";
    let (edits, repairs) = read(Diff, text);
    assert_eq!(edits, [edit("x", &[hunk(1, "a\nb\n", "a\nc\n")])]);
    assert_eq!(repairs, ["line 1: `\\r\\n` at all lines read as `\\n`"]);
}

#[test]
fn wrong_counts_are_counted_again_where_the_end_is_sure() {
    let wrong = ["line 4: line counts did not fit the hunk; its lines were counted"];
    for counts in ["-3,9 +3,9", "-3 +3", "-3,2 +3,3", "-3,1 +3,1", "-3,0 +3,0"] {
        let text = format!("```diff\n--- a/x\n+++ b/x\n@@ {counts} @@\n a\n-b\n+c\n\n+d\n\n```\n");
        let (edits, repairs) = read(Diff, &text);
        assert_eq!(edits, [edit("x", &[hunk(3, "a\nb\n\n", "a\nc\n\nd\n")])], "{text}");
        assert_eq!(repairs, wrong);
        let open = text.replace("```diff\n", "\n").replace("```\n", "");
        if counts == "-3,9 +3,9" {
            assert_eq!(flaw(Diff, &open).1, FormatProblem::OpenEnd, "{open}");
        } else {
            assert_eq!(read(Diff, &open).0, edits, "{open}");
        }
    }
    let text = "```diff\n--- a/x\n+++ b/x\n@@ -3,9 +3,9 @@\n-b\n+c\n@@ -7 +7 @@\n-d\n+e\n```\n";
    assert_eq!(read(Diff, text).0, [edit("x", &[hunk(3, "b\n", "c\n"), hunk(7, "d\n", "e\n")])]);
    let message = refused(Diff, "--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n a\nb\n-c\n+d\n");
    assert_eq!(
        message,
        "An edit cannot be read, in line 5 (for `x`): `b` is no line of a hunk: each begins with a blank, `-` or `+`."
    );
}

#[test]
fn hunks_may_have_no_numbers() {
    let check = |head: &str| {
        let text = format!("```\n--- a/x\n+++ b/x\n{head}\n a\n-b\n+c\n@@\n-d\n```\n");
        assert_eq!(
            read(Diff, &text).0,
            [edit("x", &[unnumbered("a\nb\n", "a\nc\n"), unnumbered("d\n", "")])]
        );
    };
    check("@@");
    check("@@ ... @@");
    check("@@ class X:");
    check("@@ -1,x +1 @@");
    assert_eq!(flaw(Diff, "```\n--- a/x\n+++ b/x\n@@\n+a\n```\n").1, FormatProblem::NoPlace);
    assert_eq!(read(Diff, "--- a/x\n+++ b/x\n@@\n-a\n+b\n").0, [edit("x", &[unnumbered("a\n", "b\n")])]);
    let message = refused(Diff, "--- a/x\n+++ b/x\n@@\n-a\n+b");
    assert!(message.contains("cut off"), "{message}");
}

#[test]
fn no_hunk_is_lost_behind_blank_lines() {
    for text in [
        "--- a/x\n+++ b/x\n@@\n a\n-b\n+B\n\n@@\n\n-e\n+E\n",
        "```\n--- a/x\n+++ b/x\n@@ ... @@\n a\n-b\n+B\n\n\n@@ def x\n\n-e\n+E\n```\n",
    ] {
        let hunks = [unnumbered("a\nb\n", "a\nB\n"), unnumbered("\ne\n", "\nE\n")];
        assert_eq!(read(Diff, text).0, [edit("x", &hunks)], "{text}");
    }
}

#[test]
fn an_envelope_is_a_diff() {
    let text = "*** Begin Patch\n*** Update File: src/x.py\n@@ def f():\n a\n-b\n+c\n\n d\n@@\n-e\n*** End of File\n\
                *** Add File: y.py\n+g\n+h\n*** Delete File: z.py\n*** Update File: v.py\n*** Move to: w.py\n-i\n+j\n*** End Patch\n";
    let expect = [
        edit("src/x.py", &[unnumbered("a\nb\n\nd\n", "a\nc\n\nd\n"), unnumbered("e\n", "")]),
        content("y.py", "g\nh\n"),
        Edit { delete: true, ..empty("z.py") },
        Edit { rename_to: Some("w.py".to_owned()), ..edit("v.py", &[unnumbered("i\n", "j\n")]) },
    ];
    assert_eq!(read(Diff, text), (expect.to_vec(), vec![]));
    assert_eq!(read(Diff, &format!("So:\n```\n{text}```\n")).0, expect);
    let check = |inside: &str, expect: &str| {
        let message = refused(Diff, &format!("*** Begin Patch\n{inside}"));
        assert!(message.contains(expect), "{message}\n{inside}");
    };
    check("*** Update File: x\n-a\n+b\n", "cut off");
    check("*** Add File: x\n+a\nb\n*** End Patch\n", "`b` is no line of a hunk");
    check("*** Update File: x\n+b\n*** End Patch\n", "says not where");
    check("*** Update File: x\n*** End Patch\n", "no changes below");
    check("*** Add File: x\n-b\n*** End Patch\n", "said to be new");
    check("*** Rename File: x\n*** End Patch\n", "no line of a hunk");
}

#[test]
fn what_was_cut_off_is_refused() {
    let check = |text: &str| {
        let message = refused(Diff, text);
        assert!(message.contains("cut off"), "{message}\n{text}");
    };
    check("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n");
    check("--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n a\n-b\n+c");
    check("--- a/x\n+++ b/x\n@@ -1,2 +1");
    check("--- a/x\n+++ b/x\n");
    check("--- a/x\n+++ b/x");
    check("diff --git a/x b/x\n");
    check("diff --git a/x b/x");
    nothing(Diff, "--- a/x\n");
    nothing(Diff, "- a\n+ b\n@@\n@@\n@ decorated\n");
    nothing(Diff, "diff\ndifferent\n---\n+++\n");
}

#[test]
fn a_new_file_needs_no_numbers() {
    let check = |body: &str, expect: &str| {
        for text in [
            format!("--- /dev/null\n+++ b/n.py\n{body}"),
            format!("diff --git a/n.py b/n.py\nnew file mode 100644\n--- /dev/null\n+++ b/n.py\n{body}"),
            format!("```diff\n--- /dev/null\n+++ b/n.py\n{body}```\n"),
            format!("--- /dev/null\n+++ b/n.py\n{body}{}{BODY}", "--- a/x.py\n+++ b/x.py\n"),
        ] {
            let edits = read(Diff, &text).0;
            assert_eq!(edits[0], content("n.py", expect), "{text}");
        }
    };
    check("@@\n+a\n+b\n", "a\nb\n");
    check("@@ @@\n+a\n+b\n", "a\nb\n");
    check("@@ ... @@\n+a\n+b\n", "a\nb\n");
    check("@@ -0,0 +1 @@\n+a\n+b\n", "a\nb\n");
    check("@@ -1,3 +1,1 @@\n+a\n+b\n", "a\nb\n");
    check("@@ -0,0 +1,3 @@\n+a\n\n+b\n", "a\n\nb\n");
    check("@@\n+a\n \n\n+b\n", "a\n\n\nb\n");
    // A file that shall be new has no lines that stay.
    assert_eq!(flaw(Diff, "--- /dev/null\n+++ b/n.py\n@@\n+a\n b\n").1, FormatProblem::NotNew);
}

#[test]
fn a_last_line_may_lack_its_end_where_the_counts_are_met() {
    let text = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n+c";
    assert_eq!(read(Diff, text), (vec![edit("x", &[hunk(1, "a\nb\n", "a\nc\n")])], vec![]));
}

#[test]
fn unchanged_lines_that_all_lack_their_sign_are_read_as_they_stand() {
    let body = "def f():\n    a = 1\n-    b = 2\n+    b = 3\n    return a\n";
    let expect = [unnumbered(
        "def f():\n    a = 1\n    b = 2\n    return a\n",
        "def f():\n    a = 1\n    b = 3\n    return a\n",
    )];
    let check = |text: &str| assert_eq!(read(Diff, text).0, [edit("x", &expect)], "{text}");
    check(&format!("```diff\n--- a/x\n+++ b/x\n@@\n{body}```\n"));
    check(&format!("*** Begin Patch\n*** Update File: x\n@@\n{body}*** End Patch\n"));
    // Nothing says where the hunk ends.
    let problem = flaw(Diff, &format!("--- a/x\n+++ b/x\n@@\n{body}")).1;
    assert_eq!(problem, FormatProblem::NoSign("def f():".to_owned()));
}
