//! What is written is read as the same.

use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use crate::diff::*;

#[test]
fn what_git_writes_is_written_again() {
    let check = |diff: &[u8]| {
        let patch = Patch::parse(diff).unwrap();
        assert_eq!(String::from_utf8_lossy(&patch.to_bytes()), String::from_utf8_lossy(diff));
        assert_eq!(patch.to_bytes(), diff);
        assert_eq!(patch.clone().reversed().reversed(), patch);
    };
    check(b"diff --git a/run b/run\nold mode 100644\nnew mode 100755\n");
    check(b"diff --git a/run b/run\nold mode 100644\nnew mode 100755\nindex 1a2b3c4..5d6e7f8\n--- a/run\n+++ b/run\n@@ -1 +1 @@ def f(\xc3\n-a\n+\xe9\r\n");
    check(b"diff --git a/a b.c \"b/c\\\"\"\nsimilarity index 100%\nrename from a b.c\nrename to \"c\\\"\"\n");
    check(
        b"diff --git a/my file b/my file\nnew file mode 100755\nindex 0000000..1a2b3c4\n--- /dev/null\n+++ b/my file\t\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n",
    );
    check(
        b"diff --git a/x b/x\ndeleted file mode 120000\nindex 1a2b3c4..0000000\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-y\n\\ No newline at end of file\n",
    );
    check(
        b"diff --git a/x.png b/x.png\nindex 1a2b3c4..5d6e7f8 100644\nBinary files a/x.png and b/x.png differ\n",
    );
    check(
        b"diff --git a/x.png b/x.png\nindex 1a2b3c4..5d6e7f8 100644\nGIT binary patch\nliteral 4\nLc$@(0AY\n\ndelta 2\nJc-hq\n\n",
    );
    check(b"diff --git a/x b/x\ndissimilarity index 90%\nindex 1a2b3c4..5d6e7f8 100644\n--- a/x\n+++ b/x\n@@ -2,0 +3 @@ f\n+b\n");
}

#[test]
fn text_is_utf_8_whatever_the_lines_are() {
    let diff = b"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-\xe9\n+\xc3\xa9\n";
    assert!(Patch::parse(diff).unwrap().text().ends_with("-é\n+é\n"));
}

proptest! {
    #[test]
    fn any_model_is_read_as_it_was(files in prop::collection::vec(file(), 0..4)) {
        let patch = Patch { files };
        let bytes = patch.to_bytes();
        prop_assert_eq!(Patch::parse(&bytes).unwrap(), patch, "{}", String::from_utf8_lossy(&bytes));
    }
}

fn path() -> impl Strategy<Value = String> {
    let odd = ["x", "a/x", "b/x", "x y", "b/x b/x", "x \"y\"", "π\t", "\u{1}\\", "--- x", "x and y"];
    select(odd.to_vec()).prop_map(str::to_owned)
}

fn file() -> impl Strategy<Value = FilePatch> {
    let mode = || select([0o100_644_u32, 0o100_755, 0o120_000].as_slice());
    let blobs = option::of(Just(("1a2b3c4".to_owned(), "5d6e7f8".to_owned())));
    let transfer = option::of(select([Transfer::Rename, Transfer::Copy].as_slice()));
    let likeness = option::of(Just("similarity index 70%".to_owned()));
    let what = prop_oneof![
        prop::collection::vec(hunk(), 0..3).prop_map(|hunks| (None, hunks)),
        Just((Some(Binary::Differs), Vec::new())),
        Just((
            Some(Binary::Data(vec![b"literal 1\nIcma)E\n".to_vec(), b"literal 0\nHcmV?d\n".to_vec()])),
            Vec::new()
        )),
    ];
    let facts = (path(), path(), mode(), mode(), 0..4, blobs, transfer, likeness, what);
    facts.prop_map(|(old, new, old_mode, new_mode, fate, blobs, transfer, likeness, (binary, hunks))| {
        let base = FilePatch { likeness, blobs, binary, hunks, ..FilePatch::default() };
        match (fate, transfer) {
            (0, _) => FilePatch { new: Some(format!("b/{new}")), new_mode: Some(new_mode), ..base },
            (1, _) => FilePatch { old: Some(format!("a/{old}")), old_mode: Some(old_mode), ..base },
            (_, Some(_)) => {
                FilePatch { old: Some(format!("a/{old}")), new: Some(format!("b/{new}")), transfer, ..base }
            }
            // A mode that stays is told beside the names of the contents.
            (_, None) => {
                let told = base.blobs.is_some() || old_mode != new_mode;
                FilePatch {
                    old: Some(format!("a/{old}")),
                    new: Some(format!("b/{old}")),
                    old_mode: told.then_some(old_mode),
                    new_mode: told.then_some(new_mode),
                    ..base
                }
            }
        }
    })
}

fn hunk() -> impl Strategy<Value = Hunk> {
    let mark = select([Mark::Same, Mark::Removed, Mark::Added].as_slice());
    let bytes = prop::collection::vec(select(b"-+ @\\ab\r\xe9".as_slice()), 0..6);
    let line = (mark, bytes, prop::bool::weighted(0.9)).prop_map(|(mark, mut bytes, ends)| {
        bytes.extend(ends.then_some(b'\n'));
        Line { mark, bytes }
    });
    let heading = select([&b""[..], b" def f():", b" caf\xc3"].map(<[u8]>::to_vec).to_vec());
    (1..u32::MAX, 1..u32::MAX, heading, prop::collection::vec(line, 1..8))
        .prop_map(|(old_line, new_line, heading, lines)| Hunk { old_line, new_line, heading, lines })
}
