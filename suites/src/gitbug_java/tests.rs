#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

use std::sync::Arc;

use patchwright_detection::{HostEnvironments, SandboxToolchain, detect};
use patchwright_lanes::Activity;
use patchwright_protocol::Actor;
use patchwright_protocol::TestId;
use patchwright_sandbox::{RequestedSandbox, SandboxRequest, choose};
use patchwright_validation::TestHarness;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;
use crate::fixture::commit;
use crate::script::write_script;

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
        GitBugJava::load(self.folder.path(), GitBugJavaOptions { repositories: None, program })
    }

    async fn prepare(&self, program: Option<PathBuf>) -> Result<(TempDir, Bug), Failure> {
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
        assert_eq!(bug.input.failing, failing);
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
    assert_eq!(bug.overrides.test_line().unwrap(), "./gradlew --offline test --continue");
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
        GitBugJava::load(set.folder.path(), GitBugJavaOptions::default())
    };
    refused(again("\n{\n[1]\n"), "2", "no JSON");
    refused(again("[1]"), "1", "each line holds one bug");
    let empty = tempfile::tempdir().unwrap();
    assert!(
        GitBugJava::load(empty.path(), GitBugJavaOptions::default())
            .unwrap_err()
            .message
            .contains("data/bugs")
    );
}

#[test]
fn a_line_that_cannot_be_used_is_left_out_and_told() {
    let set = DataSet::new();
    let check = |odd: &[u8], message: &str| {
        let good = set.bug.to_string();
        let folder = set.folder.path().join("data/bugs");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("ann-shop.json"), [good.as_bytes(), b"\n\n", odd, b"\n"].concat()).unwrap();
        let suite = GitBugJava::load(set.folder.path(), GitBugJavaOptions::default()).unwrap();
        assert_eq!(suite.cases().len(), 1);
        let [warning] = suite.warnings() else { panic!("{:?}", suite.warnings()) };
        assert!(warning.contains("ann-shop.json: line 3") && warning.contains("left out"), "{warning}");
        assert!(warning.contains(message), "{warning}");
    };
    check(set.bug.to_string().as_bytes(), "stands above already");
    check(b"[1]", "no object");
    check(b"{", "no JSON");
    check(b"{\"repository\": \"\xff\"}", "no UTF-8");
    check(DataSet::new().with("strategy", json!(null)).bug.to_string().as_bytes(), "`strategy`");
}

#[tokio::test]
async fn one_file_is_enough_and_clones_have_many_names() {
    for (name, clone) in [
        ("ann-shop.json", "ann-shop.git"),
        ("bugs.jsonl", "shop"),
        ("data/bugs/ann-shop.json", "ann_shop"),
        ("data/bugs/ann-shop.json", "ann__shop.git"),
        ("ann-shop.json", "ann/shop"),
    ] {
        let set = DataSet::new();
        let file = set.folder.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, format!("\u{feff}{}\n", set.bug)).unwrap();
        let repositories = set.folder.path().join("repos");
        let own = repositories.join("own");
        fs::rename(repositories.join("ann-shop"), &own).unwrap();
        // An old clone under the first of the names gives way.
        git2::Repository::init_bare(repositories.join("ann-shop")).unwrap();
        fs::create_dir_all(repositories.join(clone).parent().unwrap()).unwrap();
        fs::rename(own, repositories.join(clone)).unwrap();
        let suite = GitBugJava::load(&file, GitBugJavaOptions::default()).unwrap();
        let out = tempfile::tempdir().unwrap();
        suite.prepare(&suite.cases()[0], out.path()).await.unwrap();
        assert!(out.path().join("src/A.java").is_file(), "{name} {clone}");
    }
}

#[tokio::test]
async fn what_is_null_and_does_not_matter_is_empty() {
    let mut set = DataSet::new()
        .with("non_code_patch", Value::Null)
        .with("test_patch", Value::Null)
        .with("language", Value::Null)
        .with("issues", Value::Null);
    set.bug["actions_runs"][0] = Value::Null;
    set.bug["actions_runs"][1][0]["build_tool"] = Value::Null;
    set.bug["actions_runs"][1][0]["tests"][0]["time"] = Value::Null;
    let (out, bug) = set.prepare(None).await.unwrap();
    assert_eq!(fs::read_to_string(out.path().join("data.txt")).unwrap(), "1\n");
    assert_eq!(bug.input.failing, ["shop.ATest::second"]);
}

#[tokio::test]
async fn errors_show_the_bug_where_nothing_else_does() {
    let mut set = DataSet::new();
    let tests = set.bug["actions_runs"][1][0]["tests"].as_array_mut().unwrap();
    tests.retain(|test| test["name"] != "second");
    let (_out, bug) = set.prepare(None).await.unwrap();
    assert_eq!(bug.input.failing, ["shop.ATest::third"]);
}

#[test]
fn fixes_with_odd_names_or_only_moves_are_read() {
    let truth = |patch: &str| {
        let suite = DataSet::new().with("bug_patch", json!(patch)).load(None).unwrap();
        suite.cases()[0].truth.clone()
    };
    let quoted = BUG_PATCH
        .replace("a/src/A.java", r#""a/src/\303\204.java""#)
        .replace("b/src/A.java", r#""b/src/\303\204.java""#);
    let found = truth(&quoted);
    assert_eq!(found.lines, ["src/Ä.java#1"]);
    assert!(found.patch.unwrap().contains("--- a/src/Ä.java\n+++ b/src/Ä.java\n"));
    let moved = "diff --git a/src/A.java b/src/B.java\nsimilarity index 100%\nrename from src/A.java\nrename to src/B.java\n";
    let found = truth(moved);
    assert_eq!((found.patch.as_deref(), found.lines.len()), (Some(moved), 0));
}

#[tokio::test]
async fn what_the_command_reads_is_taken_from_the_line_of_the_bug() {
    let set = DataSet::new();
    let (first, second) = (set.bug.to_string(), set.bug.to_string().replace("ann/shop", "bob/shop"));
    set.write(&format!("\u{feff}{{}}\n\n{second}\r\n{first}"));
    let options = GitBugJavaOptions { program: Some("gitbug-java".into()), ..GitBugJavaOptions::default() };
    let suite = GitBugJava::load(set.folder.path(), options).unwrap();
    let case = suite.cases().iter().find(|case| case.project == "ann/shop").unwrap();
    let out = tempfile::tempdir().unwrap();
    suite.prepare(case, out.path()).await.unwrap();
    let told: Value = serde_json::from_slice(&fs::read(out.path().join(GITBUG)).unwrap()).unwrap();
    assert_eq!((&told["repository"], &told["bug_patch"]), (&json!("ann/shop"), &json!("")));
    // Who writes into the data set meanwhile is told so.
    let other = first.replace(set.bug["commit_hash"].as_str().unwrap(), &"0".repeat(40));
    for meanwhile in ["{\n".to_owned(), format!("\u{feff}{{}}\n\n{second}\r\n{other}")] {
        set.write(&meanwhile);
        let out = tempfile::tempdir().unwrap();
        let error = suite.prepare(case, out.path()).await.unwrap_err().to_string();
        insta::assert_snapshot!(
            "changed_meanwhile",
            error.replace(set.folder.path().to_str().unwrap(), "<set>")
        );
    }
}

#[tokio::test]
async fn what_stands_in_the_way_is_named() {
    let check = async |set: &DataSet, expect: &[&str]| {
        let error = set.prepare(None).await.unwrap_err();
        assert_eq!(error.actor, Actor::Case);
        for part in expect {
            assert!(format!("{error:?}").contains(part), "{error:?}");
        }
    };
    let other = DataSet::new().with("repository", json!("bob/other"));
    check(&other, &["bob/other", "repos/bob-other`", REPOSITORIES]).await;
    let unknown = "0123456789012345678901234567890123456789";
    check(&DataSet::new().with("previous_commit_hash", json!(unknown)), &["repos/ann-shop", unknown]).await;
    let patch = DataSet::new().with("test_patch", json!(BUG_PATCH.replace("x = 1", "y = 1")));
    check(&patch, &["ann-shop-", "`test_patch` does not apply", "src/A.java"]).await;
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
    write_script(&program, script);
    let set = DataSet::new();
    let (out, bug) = set.prepare(Some(program)).await.unwrap();
    let told = fs::read_to_string(out.path().join(GITBUG)).unwrap();
    let hidden = ["x has to be 2", "set x to 2", "int x = 2"];
    assert!(hidden.iter().all(|text| !told.contains(text)), "{told}");

    let sandbox = choose(&SandboxRequest { wanted: RequestedSandbox::Host, ..SandboxRequest::default() })
        .await
        .unwrap()
        .sandbox;
    let (work, asked) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let toolchain = SandboxToolchain::new(Arc::clone(&sandbox), asked.path());
    let detected = detect(&bug.dir, &bug.overrides, &HostEnvironments::default(), &toolchain).await.unwrap();
    let harness =
        TestHarness::open(detected.spec, &bug.dir, &[], sandbox, work.path(), 1, Activity::default())
            .await
            .unwrap();
    let baseline = harness.baseline(&bug.input.failing).await.unwrap();
    assert_eq!(baseline.failing, [TestId::new("shop.ATest::second")]);
    assert_eq!(baseline.report.unlisted_passed, 2, "{}", baseline.report.log);
    harness.close().await.unwrap();
}
