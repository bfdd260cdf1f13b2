//! What is in a copy, and several validations at once.

use std::process::Command;
use std::sync::Arc;

use patchwright_edits::{Edit, EditError, Modification, apply};
use patchwright_lanes::Activity;
use patchwright_protocol::{Overrides, Verdict};
use patchwright_syntax::ProjectError;
use patchwright_validation::{TestHarness, TestHarnessError, ValidationDepth};

use crate::support::{changed, fixture, names, timeout, write};

#[tokio::test]
async fn hidden_files_are_never_seen() {
    let recording = "{\"seq\":0,\"event\":\"session_started\",\"format\":\"patchwright-trajectory\"}\n";
    let files =
        [("golden/fix.patch", "g"), ("a b/c.txt", "3"), ("old.jsonl", recording), ("data.jsonl", "{}\n")];
    let project = fixture(&files).await;
    let overrides =
        Overrides { test: Some("! ls golden/fix.patch && cat 'a b/c.txt'".into()), ..timeout(30) };
    let spec = project.detected(&overrides).await.spec;
    let work = project.work.path().join("made for this");
    let hidden = ["golden/**".to_owned()];
    let harness = TestHarness::open(
        spec,
        project.source.path(),
        &hidden,
        Arc::clone(&project.sandbox),
        &work,
        1,
        Activity::default(),
    )
    .await
    .unwrap();
    assert!(harness.baseline(&[]).await.unwrap().failing.is_empty());
    let files: Vec<_> = harness.project().files().unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(files, ["a b/c.txt", "data.jsonl"], "a recorded session tells the fix");
    harness.close().await.unwrap();
    assert!(!work.exists());
}

#[tokio::test]
async fn validations_run_side_by_side() {
    // Every candidate waits until all three are under way.
    let script = "touch \"$MEETING/$(cat a.txt)\"; for i in 1 2 3 4 5 6 7 8 9; do test $(ls \"$MEETING\" | wc -l) -ge 2 && break; sleep 0.3; done; grep -q 4 a.txt\n";
    let project = fixture(&[("a.txt", "3"), ("check.sh", script)]).await;
    let meeting = tempfile::tempdir().unwrap();
    let env = [("MEETING".to_owned(), meeting.path().to_str().unwrap().to_owned())].into();
    let harness =
        project.harness(&Overrides { test: Some("sh check.sh".into()), env: Some(env), ..timeout(30) }).await;
    let baseline = harness.baseline(&[]).await.unwrap();
    assert_send(harness.validate(&baseline, &project.change("a.txt", "3", "4"), ValidationDepth::Thorough));
    let changes = ["4", "5", "6"].map(|to| project.change("a.txt", "3", to));
    let [one, two, three] = &changes;
    let (one, two, three) = tokio::join!(
        harness.validate(&baseline, one, ValidationDepth::Thorough),
        harness.validate(&baseline, two, ValidationDepth::Thorough),
        harness.validate(&baseline, three, ValidationDepth::Thorough)
    );
    let verdicts = [one, two, three].map(|found| found.unwrap().verdict);
    assert_eq!(verdicts, [Verdict::Plausible, Verdict::Failing, Verdict::Failing]);
    harness.close().await.unwrap();
    assert_eq!(std::fs::read_dir(project.work.path()).unwrap().count(), 0);
}

/// Callers run several at once on threads of their own.
fn assert_send(_: impl Send) {}

#[tokio::test]
async fn a_run_that_is_given_up_leaves_nothing() {
    let project = fixture(&[("a.txt", "3")]).await;
    let harness = project.harness(&Overrides { test: Some("sleep 600".into()), ..timeout(900) }).await;
    let given_up =
        tokio::time::timeout(std::time::Duration::from_millis(300), harness.run_tests(None, None)).await;
    assert!(given_up.is_err());
    drop(harness);
    // On a slow machine the lane was still being copied: the thread that does it ends at its next file, and removes it then.
    let is_empty = || std::fs::read_dir(project.work.path()).unwrap().count() == 0;
    let deadline = std::time::Instant::now() + std::time::Duration::from_mins(1);
    while !is_empty() && std::time::Instant::now() < deadline {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    assert!(is_empty());
}

#[tokio::test]
async fn tests_and_build_files_are_not_a_candidate_s_to_change() {
    let project = fixture(&[
        ("shop.py", "RATE = 3\n"),
        ("pyproject.toml", "[project]\n"),
        ("tests/test_rate.py", "import unittest\nclass T(unittest.TestCase):\n    def test_a(self): pass\n"),
        ("test_flat.py", "import unittest\nclass U(unittest.TestCase):\n    def test_b(self): pass\n"),
    ])
    .await;
    let harness = project.harness(&timeout(30)).await;
    let edit = |path: &str| {
        let modification = Modification { line_number: 1, modified_line: "RATE = 4".to_owned() };
        [Edit { file_path: path.to_owned(), modifications: vec![modification], ..Edit::default() }]
    };
    let allowed = |path: &str| apply(harness.project(), &edit(path), &harness.rules());
    assert!(allowed("shop.py").is_ok());
    for path in ["tests/test_rate.py", "test_flat.py", "pyproject.toml"] {
        assert!(matches!(allowed(path), Err(EditError::NotAllowed { .. })), "{path}");
    }
}

#[tokio::test]
async fn a_folder_that_is_not_there() {
    let project = fixture(&[("a.txt", "3")]).await;
    let overrides = Overrides { test: Some("true".into()), ..Overrides::default() };
    let spec = project.detected(&overrides).await.spec;
    let gone = project.source.path().join("gone");
    let opened = TestHarness::open(
        spec,
        &gone,
        &[],
        Arc::clone(&project.sandbox),
        project.work.path(),
        1,
        Activity::default(),
    )
    .await;
    let error = opened.err().unwrap();
    let is_missing =
        matches!(&error, TestHarnessError::Project(ProjectError::Missing(path)) if *path == gone);
    assert!(is_missing, "{error}");
}

/// A test may ask whether anything is changed: what is tried is not, and what it made itself is.
#[tokio::test]
async fn a_candidate_is_committed_in_the_repository_of_its_lane() {
    let tests = "import subprocess
import unittest
from cart import total

def changed():
    return subprocess.check_output(['git', 'status', '--porcelain'], text=True)

class CartTest(unittest.TestCase):
    def test_clean(self):
        self.assertEqual(changed(), '?? note.txt\\n')
        self.assertEqual(subprocess.check_output(['git', 'describe', '--dirty'], text=True), 'v1.2\\n')

    def test_total(self):
        self.assertEqual(total([1, 2]), 3)
";
    let project = fixture(&[
        (".gitignore", "__pycache__/\n"),
        ("cart.py", "def total(prices):\n    return sum(prices[1:])\n"),
        ("test_cart.py", tests),
    ])
    .await;
    let root = project.source.path();
    let who = "-c user.name=a -c user.email=a@b";
    for words in
        ["init -q", "add .", &format!("{who} commit -q -m one"), &format!("{who} tag -a -m one v1.2")]
    {
        let git = Command::new("git").current_dir(root).args(words.split(' ')).status();
        assert!(git.unwrap().success(), "{words}");
    }
    write(root, "note.txt", "");
    let harness = project.harness(&timeout(60)).await;
    let baseline = harness.baseline(&[]).await.unwrap();
    assert_eq!(names(&baseline.failing), ["test_cart.CartTest.test_total"]);
    let mut fix = project.change("cart.py", "[1:]", "");
    fix.files.extend(changed("", "half = 0.5\n", "parts/half.py").files);
    for depth in [ValidationDepth::FirstFailure, ValidationDepth::Thorough, ValidationDepth::FirstFailure] {
        let found = harness.validate(&baseline, &fix, depth).await.unwrap();
        assert_eq!((found.verdict, names(&found.newly_failing)), (Verdict::Plausible, vec![]));
    }
    harness.close().await.unwrap();
}
