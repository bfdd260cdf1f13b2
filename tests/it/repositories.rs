//! The user's git repository: what is read of it, and what code under test can do to it.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::kit::{BUGGY_LINE, Model, call, fix, goal, good_fix, hypothesis, program, project, write};

/// A message that no prompt may hold.
const SECRET: &str = "told-to-nobody";

#[track_caller]
fn git(folder: &Path, words: &str) -> String {
    let mut git = Command::new("git");
    for role in ["AUTHOR", "COMMITTER"] {
        git.env(format!("GIT_{role}_NAME"), "Ann").env(format!("GIT_{role}_EMAIL"), "ann@example.org");
    }
    let done = git.args(words.split(' ')).current_dir(folder).output().unwrap();
    assert!(done.status.success(), "git {words}: {done:?}");
    String::from_utf8(done.stdout).unwrap()
}

/// Makes a repository of a folder, with a commit of what is in it after one of an empty file.
fn commit_all(folder: &Path, file: &str, message: &str) {
    let now = std::fs::read(folder.join(file)).unwrap();
    git(folder, "init -q -b main .");
    write(&folder.join(file), b"# to be written\n");
    git(folder, "add -A");
    git(folder, "commit -q -m begin");
    write(&folder.join(file), &now);
    git(folder, "add -A");
    git(folder, &format!("commit -q -m {message}"));
}

/// The bank in a folder of its own, with a repository whose last message is `message`.
fn committed(message: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = project();
    let root = folder.path().to_owned();
    write(&root.join(".gitignore"), b"__pycache__\n.patchwright\n");
    commit_all(&root, "bank/account.py", message);
    (folder, root)
}

/// All prompts of a session that asks for the history of the buggy line.
fn prompts(root: &Path) -> String {
    let arguments =
        serde_json::json!({"file_path": "bank/account.py", "start_line": 1, "end_line": BUGGY_LINE});
    let model = Model::saying(&[hypothesis(), call("history", arguments), good_fix(), goal()]);
    let run = model.repair(root, &["--sandbox", "host"]);
    assert_eq!(run.code, 0, "{run:?}");
    model.requests().iter().map(crate::kit::prompt_text).collect()
}

/// Puts something in the place of a project's `.git` that leads to another repository.
type Attack = fn(&Path, &Path);

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn the_history_of_the_project_is_told_and_no_other() {
    let (_folder, root) = committed("count-what-is-left");
    assert!(prompts(&root).contains("count-what-is-left"));
    let trees = tempfile::tempdir().unwrap();
    let tree = trees.path().canonicalize().unwrap().join("tree");
    git(&root, &format!("worktree add -q {}", tree.display()));
    assert!(prompts(&tree).contains("count-what-is-left"));

    let attacks: [(&str, Attack); 5] = [
        ("is a link", |git, other| symlink(other, git).unwrap()),
        ("does not name this folder back", |git, other| {
            write(git, format!("gitdir: {}\n", other.display()).as_bytes());
        }),
        ("the objects of another repository", |git, other| {
            let place = git.parent().unwrap();
            self::git(place, "init -q -b main .");
            let objects = format!("{}\n", other.join("objects").display());
            write(&git.join("objects/info/alternates"), objects.as_bytes());
            write(&git.join("refs/heads/main"), &std::fs::read(other.join("refs/heads/main")).unwrap());
        }),
        ("is a link, which is not followed", |git, other| {
            std::fs::create_dir(git).unwrap();
            for part in ["HEAD", "objects", "refs", "config"] {
                symlink(other.join(part), git.join(part)).unwrap();
            }
        }),
        ("no regular file", |git, _| {
            self::git(git.parent().unwrap(), "init -q -b main .");
            for part in ["HEAD", "config", "packed-refs", "objects/info/alternates"] {
                let _ = std::fs::remove_file(git.join(part));
                assert!(Command::new("mkfifo").arg(git.join(part)).status().unwrap().success());
            }
        }),
    ];
    for (expect, attack) in attacks {
        let (_others, other) = committed(SECRET);
        let folder = project();
        attack(&folder.path().join(".git"), &other.join(".git"));
        let prompts = prompts(folder.path());
        assert!(!prompts.contains(SECRET), "{expect}: {prompts}");
        assert!(prompts.contains(expect), "{expect}: {prompts}");
    }
}

/// A project whose tests ask git what it tracks, and commit.
fn asking() -> (tempfile::TempDir, PathBuf) {
    let test = "import subprocess\nimport unittest\n\nfrom heat import warm\n\n\ndef git(words):\n    \
                return subprocess.run(['git'] + words.split(), capture_output=True, text=True)\n\n\n\
                class Heat(unittest.TestCase):\n    \
                def test_one(self):\n        self.assertEqual(warm(1), 2)\n\n    \
                def test_listed(self):\n        self.assertEqual(git('ls-files').stdout.split(), ['.gitignore', 'heat.py', 'test_heat.py'])\n\n    \
                def test_commits(self):\n        self.assertEqual(git('rev-list --count HEAD').stdout, '1\\n')\n        \
                said = git('-c user.name=t -c user.email=t commit -q --allow-empty -m by-a-test')\n        \
                self.assertEqual(said.returncode, 0, said.stderr)\n\n    \
                def test_version(self):\n        self.assertEqual(git('describe --tags').stdout, 'v1.0\\n')\n";
    let folder = crate::kit::folder(&[
        ("main/heat.py", "def warm(n):\n    return n - 1\n"),
        ("main/test_heat.py", test),
        ("main/.gitignore", "*.log\n__pycache__\n.patchwright\n"),
        ("main/x.log", ""),
    ]);
    let root = folder.path().canonicalize().unwrap().join("main");
    git(&root, "init -q -b main .");
    git(&root, "add -A");
    git(&root, "commit -q -m one");
    git(&root, "tag v1.0");
    (folder, root)
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn tests_that_ask_git_pass_in_a_lane_and_commit_nowhere_else() {
    let (folder, main) = asking();
    let tree = folder.path().canonicalize().unwrap().join("tree");
    git(&main, &format!("worktree add -q {} -b side", tree.display()));
    for place in [&main, &tree] {
        for sandbox in ["host", "landlock", "namespaces"] {
            let out = folder.path().join(format!("out-{sandbox}-{}", place.ends_with("tree")));
            let words = ["--sandbox", sandbox, "--out", out.to_str().unwrap()];
            let model = Model::saying(&[hypothesis(), fix("heat.py", 2, "    return n + 1"), goal()]);
            // Where the lanes lie, and what the user's shell says of git, leads to a repository of the user's.
            let run = program()
                .args(model.words(place, &words))
                .env("GIT_DIR", main.join(".git"))
                .env("GIT_WORK_TREE", &main)
                .env("GIT_INDEX_FILE", main.join(".git/index"))
                .output()
                .unwrap();
            let told = String::from_utf8_lossy(&run.stderr);
            if told.contains("cannot be used here") {
                println!("skipped: {sandbox}: {told}");
                continue;
            }
            assert_eq!(run.status.code(), Some(0), "{sandbox}: {run:?}");
            let patch = std::fs::read_to_string(out.join("patch.diff")).unwrap();
            assert!(patch.contains("heat.py") && !patch.contains(".git/"), "{patch}");
            assert_eq!(git(&main, "log --all --format=%s"), "one\n", "{place:?}, {sandbox}");
            assert_eq!(git(place, "status --porcelain"), "", "{place:?}, {sandbox}");
        }
    }
}
