//! What `git diff` says of random edits, applied and undone.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use proptest::prelude::*;
use proptest::sample::select;

use crate::diff::{FilePatch, Patch, Transfer};

/// Contents and whether they may be run, by path.
type Tree = BTreeMap<String, (Vec<u8>, bool)>;

const NAMES: [&str; 8] =
    ["a.txt", "b.txt", "my file", "b/a b/a", "qu\"ote", "back\\slash\t", "naïve.py", "sub/deep/x"];

pub(super) fn git(folder: &Path, arguments: &[&str]) -> Vec<u8> {
    let output = Command::new("git")
        .args(["-c", "core.quotePath=false", "-c", "core.autocrlf=false", "-c", "core.fileMode=true"])
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// Puts exactly these files there, and gives git's name of them.
fn stored(folder: &Path, tree: &Tree) -> String {
    for name in NAMES {
        let path = folder.join(name);
        fs::remove_file(&path).ok();
        if let Some((content, runs)) = tree.get(name) {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, content).unwrap();
            fs::set_permissions(&path, Permissions::from_mode(if *runs { 0o755 } else { 0o644 })).unwrap();
        }
    }
    git(folder, &["add", "--all"]);
    String::from_utf8(git(folder, &["write-tree"])).unwrap().trim().to_owned()
}

/// The files after a patch. Each is made of one before it, whatever becomes of that.
fn applied(patch: &Patch, before: &Tree) -> Tree {
    let mut after = before.clone();
    for file in patch.files.iter().filter(|file| file.transfer != Some(Transfer::Copy)) {
        if let Some(old) = file.old_path() {
            assert!(after.remove(old).is_some(), "no {old}");
        }
    }
    for file in &patch.files {
        let (content, ran) = file.old_path().map(|old| before[old].clone()).unwrap_or_default();
        let content = file.applied(&content).unwrap();
        let runs = file.new_mode.map_or(ran, |mode| mode == 0o100_755);
        after.extend(file.new_path().map(|new| (new.to_owned(), (content, runs))));
    }
    after
}

fn check(before: &Tree, after: &Tree, options: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    git(folder.path(), &["init", "--quiet", "."]);
    let (old, new) = (stored(folder.path(), before), stored(folder.path(), after));
    let diff = git(folder.path(), &[&["diff"], options, &[&old, &new]].concat());
    let text = String::from_utf8_lossy(&diff);
    let patch = Patch::parse(&diff).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(applied(&patch, before), *after, "{text}");
    assert_eq!(String::from_utf8_lossy(&patch.to_bytes()), text);
    assert_eq!(patch.to_bytes(), diff);
    if !patch.files.iter().any(|file: &FilePatch| file.transfer == Some(Transfer::Copy)) {
        assert_eq!(applied(&patch.reversed(), after), *before, "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn diffs_of_git_lead_to_the_files_after(before in tree(), after in tree(), options in 0..5_usize) {
        let options: &[&str] = [
            &["--no-renames"][..],
            &["-M30%"],
            &["-C20%", "--find-copies-harder"],
            &["-B30%", "-M30%", "--full-index"],
            &["-U0", "-M"],
        ][options];
        check(&before, &after, options);
    }
}

fn tree() -> impl Strategy<Value = Tree> {
    prop::collection::btree_map(
        select(NAMES.as_slice()).prop_map(str::to_owned),
        (content(), any::<bool>()),
        0..6,
    )
}

/// Texts that are like each other, so that git finds renames.
fn content() -> impl Strategy<Value = Vec<u8>> {
    let odd: [&[u8]; 9] = [
        b"",
        b"-- x",
        b"++ y",
        b"@@ -1 +1 @@",
        b"diff --git a/x b/x",
        b"\\ No newline at end of file",
        b"def f():",
        b"caf\xe9 \xff",
        b"windows\r",
    ];
    let line = (0..24_usize, select(odd.to_vec()));
    (prop::collection::vec(line, 0..5), 0..3_usize, any::<bool>()).prop_map(|(edits, kind, ends)| {
        let mut lines: Vec<Vec<u8>> =
            (0..[0, 1, 24][kind]).map(|line| format!("line {line}").into_bytes()).collect();
        for (at, line) in edits {
            match lines.get_mut(at) {
                Some(there) => *there = line.to_vec(),
                None => lines.push(line.to_vec()),
            }
        }
        let mut content = lines.join(&b'\n');
        content.extend((ends && !lines.is_empty()).then_some(b'\n'));
        content
    })
}
