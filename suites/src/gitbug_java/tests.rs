#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

use patchwright_sandbox::{Request, Wanted, choose};
use patchwright_testbed::{InSandbox, TestBed, TestId, detect};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;
use crate::fixture::commit;

const BUG_PATCH: &str = "diff --git a/src/A.java b/src/A.java\n--- a/src/A.java\n+++ b/src/A.java\n@@ -1 +1 @@\n-class A { int x = 1; }\n+class A { int x = 2; }\n";
const TEST_PATCH: &str = "diff --git a/test/ATest.java b/test/ATest.java\nnew file mode 100644\n--- /dev/null\n+++ b/test/ATest.java\n@@ -0,0 +1 @@\n+class ATest { }\n";
const OTHER_PATCH: &str =
    "diff --git a/data.txt b/data.txt\n--- a/data.txt\n+++ b/data.txt\n@@ -1 +1 @@\n-1\n+2\n";

/// A data set with one bug of the repository `ann/shop`.
struct DataSet {
    folder: TempDir,
    bug: Value,
}

impl DataSet {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let repository = git2::Repository::init_bare(folder.path().join("repos/ann-shop")).unwrap();
        let before = commit(
            &repository,
            &[("src/A.java", b"class A { int x = 1; }\n"), ("data.txt", b"1\n"), ("gradlew", b"")],
        );
        let fixed = commit(&repository, &[("src/A.java", b"class A { int x = 2; }\n"), ("data.txt", b"2\n")]);
        let test = |name: &str, results: &[&str]| {
            let results: Vec<Value> =
                results.iter().map(|result| json!({"result": result, "message": ""})).collect();
            json!({"classname": "shop.ATest", "name": name, "time": 0.1, "results": results})
        };
        let run = |tests: Vec<Value>| json!([{"failed": true, "tests": tests, "build_tool": "maven"}]);
        let bug = json!({
            "repository": "ann/shop",
            "language": "java",
            "clone_url": "https://github.com/ann/shop",
            "commit_hash": fixed,
            "commit_message": "x has to be 2",
            "previous_commit_hash": before,
            "bug_patch": BUG_PATCH,
            "test_patch": TEST_PATCH,
            "non_code_patch": OTHER_PATCH,
            "strategy": "PASS_PASS",
            "issues": [{"title": "set x to 2"}],
            "actions_runs": [
                run(vec![test("first", &["Failure"])]),
                run(vec![
                    test("second", &["Passed", "Failure"]),
                    test("second", &["Failure"]),
                    test("third", &["Error"]),
                    test("fourth", &["Passed"]),
                ]),
                run(vec![test("second", &["Passed"])]),
            ],
        });
        Self { folder, bug }
    }

    fn with(mut self, field: &str, value: Value) -> Self {
        self.bug[field] = value;
        self
    }

    fn write(&self, text: &str) {
        let folder = self.folder.path().join("data/bugs");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("ann-shop.json"), text).unwrap();
    }

    fn load(&self, program: Option<PathBuf>) -> Result<GitBugJava, LoadError> {
        self.write(&format!("{}\n\n", self.bug));
        GitBugJava::load(self.folder.path(), Options { repositories: None, program })
    }

    async fn prepare(&self, program: Option<PathBuf>) -> Result<(TempDir, Bug), PrepareError> {
        let suite = self.load(program).unwrap();
        let out = tempfile::tempdir().unwrap();
        let bug = suite.prepare(&suite.cases()[0], out.path()).await?;
        Ok((out, bug))
    }
}

#[tokio::test]
async fn the_buggy_version_has_the_tests_of_the_fix() {
    let set = DataSet::new();
    let fixed = set.bug["commit_hash"].as_str().unwrap().to_owned();
    let suite = set.load(None).unwrap();
    let [case] = suite.cases() else { panic!("{:?}", suite.cases()) };
    assert_eq!(case.id, format!("ann-shop-{}", &fixed[..12]));
    assert_eq!(case.project, "ann/shop");
    assert_eq!(case.truth.patch.as_deref(), Some(BUG_PATCH));
    assert_eq!(case.truth.lines, ["src/A.java#1"]);

    let check = async |set: DataSet, data: &str, failing: &[&str]| {
        let (out, bug) = set.prepare(None).await.unwrap();
        let read = |name: &str| fs::read_to_string(out.path().join(name)).unwrap();
        assert_eq!(read("src/A.java"), "class A { int x = 1; }\n");
        assert_eq!(read("test/ATest.java"), "class ATest { }\n");
        assert_eq!(read("data.txt"), data);
        assert_eq!(bug.failing.unwrap(), failing);
        assert!(bug.overrides.test.is_none());
        assert!(!out.path().join(GITBUG).exists());
    };
    check(set, "2\n", &["shop.ATest::second"]).await;
    check(DataSet::new().with("strategy", json!("FAIL_PASS")), "2\n", &["shop.ATest::first"]).await;
    // Without code, the rest is the fix.
    let bare = DataSet::new().with("bug_patch", json!(""));
    assert_eq!(bare.load(None).unwrap().cases()[0].truth.patch.as_deref(), Some(OTHER_PATCH));
    check(bare, "1\n", &["shop.ATest::second"]).await;
}

#[tokio::test]
async fn gradle_is_called_by_its_wrapper() {
    let mut set = DataSet::new();
    set.bug["actions_runs"][1][0]["build_tool"] = json!("gradle");
    let (_out, bug) = set.prepare(None).await.unwrap();
    assert_eq!(bug.overrides.test.unwrap(), "./gradlew --offline test --continue");
    assert!(matches!(bug.overrides.results, Some(ResultsFormat::JunitXml { .. })));
}

#[test]
fn lines_that_cannot_be_used_are_named() {
    #[track_caller]
    fn refused(loaded: Result<GitBugJava, LoadError>, place: &str, message: &str) {
        let error = loaded.unwrap_err();
        assert!(error.place.ends_with(&format!("data/bugs/ann-shop.json: line {place}")), "{error}");
        assert!(error.message.contains(message), "{error}");
    }
    let check = |field: &str, value: Value, message: &str| {
        refused(DataSet::new().with(field, value).load(None), &format!("1: `{field}`"), message);
    };
    check("repository", json!("shop"), "OWNER/NAME");
    check("repository", json!("../shop"), "OWNER/NAME");
    check("repository", json!(["ann", "shop"]), "no text");
    check("commit_hash", json!("1234"), "hexadecimal");
    check("previous_commit_hash", json!("HEAD~1"), "hexadecimal");
    check("strategy", json!("FAIL_FAIL"), "PASS_PASS");
    check("bug_patch", json!("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-1\n"), "no unified diff: line 5");
    check("actions_runs", json!("[[], [], []]"), "a list of three lists");
    check("actions_runs", json!([[]]), "there is no list 1");
    check("actions_runs", json!([[], [], []]), "no test fails");
    let mut lacking = DataSet::new();
    lacking.bug.as_object_mut().unwrap().remove("test_patch");
    refused(lacking.load(None), "1: `test_patch`", "it is missing");

    let set = DataSet::new();
    let again = |text: &str| {
        set.write(text);
        GitBugJava::load(set.folder.path(), Options::default())
    };
    refused(again(&format!("{}\n{}\n", set.bug, set.bug)), "2: `commit_hash`", "stands above already");
    refused(again(&format!("{}\n[1]\n", set.bug)), "2", "each line holds one bug");
    refused(again("{\n"), "1", "no JSON");
    let empty = tempfile::tempdir().unwrap();
    assert!(GitBugJava::load(empty.path(), Options::default()).unwrap_err().message.contains("data/bugs"));
}

#[tokio::test]
async fn what_stands_in_the_way_is_named() {
    let check = async |set: &DataSet, data: bool, expect: &[&str]| {
        let error = set.prepare(None).await.unwrap_err();
        assert_eq!(matches!(error, PrepareError::Data(_)), data, "{error}");
        for part in expect {
            assert!(error.to_string().contains(part), "{error}");
        }
    };
    let other = DataSet::new().with("repository", json!("bob/other"));
    check(&other, false, &["bob/other", "repos/bob-other`", REPOSITORIES]).await;
    let unknown = "0123456789012345678901234567890123456789";
    check(&DataSet::new().with("previous_commit_hash", json!(unknown)), true, &["repos/ann-shop", unknown])
        .await;
    let patch = DataSet::new().with("test_patch", json!(BUG_PATCH.replace("x = 1", "y = 1")));
    check(&patch, true, &["ann-shop-", "`test_patch` does not apply", "src/A.java"]).await;
}

/// A script stands for the command; what it writes is what the command writes.
#[tokio::test]
async fn the_command_runs_the_tests_and_its_results_are_read() {
    let tools = tempfile::tempdir().unwrap();
    let program = tools.path().join("gitbug-java");
    let script = r#"#!/bin/sh
test "$*" = "run ." && test -d .git && grep -q '"bug_patch":""' gitbug.json || exit 3
echo "Time: 9"; echo "OK (9 tests)"
mkdir -p .gitbug-java
printf '%s' '{"expected_tests":3,"executed_tests":3,"failing_tests":1,"failed_tests":[{"classname":"shop.ATest","name":"second"}]}' >.gitbug-java/test-results.json
exit 1
"#;
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let set = DataSet::new();
    let (out, bug) = set.prepare(Some(program)).await.unwrap();
    let told = fs::read_to_string(out.path().join(GITBUG)).unwrap();
    assert!(
        !told.contains("x has to be 2") && !told.contains("set x to 2") && !told.contains("int x = 2"),
        "{told}"
    );

    let sandbox = choose(&Request { wanted: Wanted::Host, ..Request::default() }).await.unwrap().sandbox;
    let (work, asked) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let toolchain = InSandbox::new(Arc::clone(&sandbox), asked.path());
    let detected = detect(&bug.dir, &bug.overrides, &toolchain).await.unwrap();
    let bed = TestBed::open(detected.spec, &bug.dir, &[], sandbox, work.path(), 1).await.unwrap();
    let baseline = bed.baseline(&bug.failing.unwrap()).await.unwrap();
    assert_eq!(baseline.failing, [TestId::new("shop.ATest::second")]);
    assert_eq!(baseline.report.unlisted_passed, 2, "{}", baseline.report.log);
    bed.close().await.unwrap();
}
