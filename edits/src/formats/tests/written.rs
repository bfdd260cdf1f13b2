//! What this program writes as a diff is read again, byte by byte.

use patchwright_syntax::ProjectPath;
use proptest::prelude::*;

use crate::diff::unified;
use crate::edit::{Edit, Replacement};
use crate::formats::{EditFormat, read_edits};

/// Replaces exactly what a diff says, at the lines that it says.
fn applied(before: &str, replacements: &[Replacement]) -> String {
    let starts: Vec<usize> = std::iter::once(0)
        .chain(before.match_indices('\n').map(|(at, _)| at + 1))
        .chain([before.len()])
        .collect();
    let (mut after, mut done) = (String::new(), 0);
    for replacement in replacements {
        let line = replacement.line.expect("a line") as usize;
        let at = starts.get(line - 1).copied().unwrap_or(before.len());
        assert!(before[at..].starts_with(&replacement.search), "{replacement:?} in {before:?}");
        after.push_str(&before[done..at]);
        after.push_str(&replacement.replace);
        done = at + replacement.search.len();
    }
    after + &before[done..]
}

fn check(path: &str, before: Option<&str>, after: Option<&str>) {
    let path = ProjectPath::new(path).unwrap();
    let diff = unified(&path, before.map(str::as_bytes), after.map(str::as_bytes));
    let diff = String::from_utf8(diff).unwrap();
    if diff.is_empty() {
        return;
    }
    for format in [Some(EditFormat::Diff), None] {
        let reading = read_edits(&diff, format).unwrap_or_else(|error| panic!("{error}\n{diff:?}"));
        assert_eq!(reading.repairs, [], "{diff:?}");
        let [edit] = reading.edits.as_slice() else { panic!("{:?}\n{diff:?}", reading.edits) };
        assert_eq!(edit.file_path, path.as_str(), "{diff:?}");
        assert_eq!(after_edit(before, edit).as_deref(), after, "{diff:?}");
    }
}

fn after_edit(before: Option<&str>, edit: &Edit) -> Option<String> {
    match (before, &edit.content) {
        (None, Some(content)) => Some(content.clone()),
        (Some(before), None) => {
            let after = applied(before, &edit.replacements);
            if edit.delete {
                assert_eq!(after, "");
            }
            (!edit.delete).then_some(after)
        }
        _ => panic!("{edit:?}"),
    }
}

#[test]
fn diffs_of_odd_texts_are_read_again() {
    let texts = [
        "",
        "a",
        "a\n",
        "\n",
        "\n\n",
        "a\r\nb\r\n",
        "a\rb\n",
        "-- x\n++ y\n",
        "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n",
        "\\ No newline at end of file\n",
        "a\n\\ No newline at end of file",
        "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n",
        "```\n",
        "diff\na.py\nrewrite\n1\nend diff",
        "{\"file_path\": \"x\", \"deletions\": [1]}",
        "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n",
        "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n12\n",
    ];
    for before in texts {
        check("x", None, Some(before));
        check("x", Some(before), None);
        for after in texts {
            check("x", Some(before), Some(after));
        }
    }
    for path in ["a b/c d", "naïve.py", "q\"u\\o\te", "b/a/x", "--- a"] {
        check(path, Some("a\n"), Some("b\n"));
        check(path, None, Some(""));
        check(path, Some(""), None);
    }
}

proptest! {
    #[test]
    fn diffs_of_any_texts_are_read_again(before in text(), after in text(), fate in 0..4) {
        check("src/x.py", (fate != 1).then_some(before.as_str()), (fate != 2).then_some(after.as_str()));
    }
}

fn text() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        "[-+ @\\\\ab\r]{0,4}",
        Just("--- a".to_owned()),
        Just("+++ b".to_owned()),
        Just("@@ -1 +1 @@".to_owned())
    ];
    (prop::collection::vec(line, 0..24), any::<bool>())
        .prop_map(|(lines, end)| lines.join("\n") + if end { "\n" } else { "" })
}
