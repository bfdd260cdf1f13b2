//! SWE-bench with containers: an image of our own with a repository at `/testbed`, as the official ones have.

use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::containers::{called, docker, image};
use crate::kit::{
    FIX, Model, Run, call, changed, folder, goal, good_fix, hypothesis, program, project, prompt_text, root,
};

/// A dataset of one case, in an image that is on this machine.
pub struct Fixture {
    image: String,
    base: String,
    /// The case, whose tests are not in the repository.
    pub row: Value,
}

/// The fixture; none where there is no engine, which is a failure only where one is promised.
pub fn fixture() -> Option<&'static Fixture> {
    static FIXTURE: OnceLock<Option<Fixture>> = OnceLock::new();
    FIXTURE.get_or_init(|| image().map(Fixture::make)).as_ref()
}

/// Makes the repository of an image: the base commit, a later fix on a branch, and what the image's makers prepared.
const MAKE: &str = r"
set -e
cd /testbed
git init -q .
git config user.name dev
git config user.email dev@example.com
git add -A
git commit -qm base
git branch base
git checkout -qb later
sed -i 's/>= self.balance/> self.balance/' bank/account.py
git commit -qam 'the fix that nobody may see'
git checkout -q base
echo prepared > PREPARED
git add -A
git commit -qm SWE-bench
mkdir -p /opt/miniconda3/bin /opt/miniconda3/envs/testbed/bin
echo 'conda() { export PATH=/opt/miniconda3/envs/testbed/bin:$PATH; }' > /opt/miniconda3/bin/activate
ln -s /usr/bin/python3 /opt/miniconda3/envs/testbed/bin/python
rm -rf /usr/lib/python3/dist-packages/coverage*
";

pub const TEST_PATCH: &str = "diff --git a/tests/test_account.py b/tests/test_account.py\n\
    --- a/tests/test_account.py\n+++ b/tests/test_account.py\n@@ -10,6 +10,9 @@\n \
    \x20   def test_withdraws_a_part(self):\n         self.assertEqual(self.account.withdraw(30), 70)\n \n\
    +    def test_withdraws_all(self):\n+        self.assertEqual(self.account.withdraw(100), 0)\n+\n \
    \x20   def test_refuses_more(self):\n         with self.assertRaises(ValueError):\n             self.account.withdraw(101)\n";

impl Fixture {
    fn make(tools: &str) -> Self {
        let project = project();
        let tests = project.path().join("tests/test_account.py");
        let text = std::fs::read_to_string(&tests).unwrap();
        let all =
            "    def test_withdraws_all(self):\n        self.assertEqual(self.account.withdraw(100), 0)\n\n";
        std::fs::write(&tests, text.replace(all, "")).unwrap();
        // Passes only where sessions run, without the history that the image has.
        let alone = "import os\n\n\ndef test_is_alone():\n    assert not os.path.exists(\"/testbed/.git\")\n";
        std::fs::write(project.path().join("tests/test_alone.py"), alone).unwrap();
        // What is in the image depends on these: a change of any makes a new name.
        let mut hasher = std::hash::DefaultHasher::new();
        (tools, MAKE, crate::kit::snapshot(project.path())).hash(&mut hasher);
        let image = format!("patchwright-test-bank:{:016x}", hasher.finish());
        let name = format!("patchwright-test-bank-{}", std::process::id());
        if !docker(&["image", "inspect", &image]).output().unwrap().status.success() {
            Self::build(&image, &name, tools, project.path());
        }
        let base = called(docker(&["run", "--rm", &image, "git", "-C", "/testbed", "rev-parse", "base"]));
        let row = json!({
            "repo": "pallets/flask",
            "instance_id": "pallets__flask-1",
            "base_commit": base,
            "patch": patch(">"),
            "test_patch": TEST_PATCH,
            "problem_statement": "Withdrawing all of the balance raises a ValueError.",
            "version": "2.0",
            "FAIL_TO_PASS": "[\"tests/test_account.py::AccountTest::test_withdraws_all\"]",
            "PASS_TO_PASS": ["tests/test_account.py::AccountTest::test_withdraws_a_part"],
            "image": image,
        });
        Self { image, base, row }
    }

    fn build(image: &str, container: &str, tools: &str, project: &Path) {
        called(docker(&["create", "--name", container, tools, "sh", "-c", MAKE]));
        called(docker(&["cp", &format!("{}/.", project.display()), &format!("{container}:/testbed")]));
        called(docker(&["start", "-a", container]));
        called(docker(&["commit", container, image]));
        called(docker(&["rm", "-f", container]));
    }

    /// The dataset as a file.
    fn dataset(&self, folder: &Path, changes: Value) -> String {
        let mut row = self.row.clone();
        for (field, value) in changes.as_object().unwrap() {
            row[field] = value.clone();
        }
        let file = folder.join("data.jsonl");
        std::fs::write(&file, format!("{row}\n")).unwrap();
        format!("swe-bench:{}", file.display())
    }
}

/// The bound of [`project`]'s bug, changed.
pub fn patch(bound: &str) -> String {
    format!(
        "diff --git a/bank/account.py b/bank/account.py\n--- a/bank/account.py\n+++ b/bank/account.py\n@@ -3,7 +3,7 @@\n         \
         self.balance = balance\n \n     def withdraw(self, amount):\n-        if amount >= self.balance:\n+        \
         if amount {bound} self.balance:\n             raise ValueError(\"not enough\")\n         self.balance -= amount\n         \
         return self.balance\n"
    )
}

/// `bench grade` of patches, with verdicts kept in a folder of their own.
fn grade(folder: &Path, words: &[&str], patches: &[(&str, &str)]) -> Run {
    let predictions: Vec<Value> = patches
        .iter()
        .map(|(model, patch)| {
            json!({"instance_id": "pallets__flask-1", "model_name_or_path": model, "model_patch": patch})
        })
        .collect();
    let file = folder.join("predictions.json");
    std::fs::write(&file, Value::from(predictions).to_string()).unwrap();
    let out = folder.join("graded");
    program()
        .args(["bench", "grade", "--predictions", file.to_str().unwrap(), "--out", out.to_str().unwrap()])
        .args(words)
        .env("PATCHWRIGHT_CACHE", folder.join("cache"))
        .output()
        .unwrap()
        .into()
}

fn case_folder(folder: &Path, model: &str) -> PathBuf {
    folder.join("graded/logs/run_evaluation/graded").join(model).join("pallets__flask-1")
}

#[test]
fn predictions_are_tested_in_the_image() {
    let Some(fixture) = fixture() else { return };
    let work = folder(&[]);
    let suite = fixture.dataset(work.path(), json!({}));
    for (model, patch, class, resolved) in [
        ("right", patch(">"), "resolved", Some(true)),
        ("without-newline", patch(">").trim_end().to_owned(), "resolved", Some(true)),
        ("wrong", patch("> -1 +"), "unresolved", Some(false)),
        ("elsewhere", patch(">").replace("amount >=", "amount =="), "patch_failed", None),
        ("nothing", String::new(), "empty", None),
    ] {
        let run = grade(work.path(), &["--suite", &suite], &[(model, &patch)]);
        assert_eq!(run.code, 0, "{model}: {run:?}");
        assert!(run.stderr.contains(&format!("pallets__flask-1: {class}")), "{model}: {run:?}");
        let folder = case_folder(work.path(), model);
        let report = std::fs::read_to_string(folder.join("report.json"));
        let report = report.ok().map(|text| serde_json::from_str::<Value>(&text).unwrap());
        assert_eq!(
            report.as_ref().map(|report| &report["pallets__flask-1"]["resolved"]),
            resolved.map(Value::from).as_ref()
        );
        let whole = work.path().join(format!("graded/{model}.graded.json"));
        let whole: Value = serde_json::from_str(&std::fs::read_to_string(whole).unwrap()).unwrap();
        assert_eq!(whole["resolved_instances"], i32::from(resolved == Some(true)), "{model}: {whole}");
        assert_eq!(whole["error_instances"], i32::from(class == "patch_failed"), "{model}: {whole}");
    }
    let log = std::fs::read_to_string(case_folder(work.path(), "right").join("test_output.txt")).unwrap();
    assert!(log.contains(">>>>> Test Exit Code: 0"), "{log}");
    assert_eq!(containers(), "", "no container is left");
}

fn containers() -> String {
    called(docker(&["ps", "-aq", "--filter", "label=patchwright.session=grade-graded"]))
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn a_verdict_is_of_one_patch_in_one_image() {
    let Some(fixture) = fixture() else { return };
    let work = folder(&[]);
    let suite = fixture.dataset(work.path(), json!({}));
    let graded = |words: &[&str], patch: &str| {
        let words = [&["--suite", &suite, "--run-id", "verdicts"], words].concat();
        let run = grade(work.path(), &words, &[("model", patch)]);
        assert_eq!(run.code, 0, "{run:?}");
        run.stderr
    };
    assert!(graded(&[], &patch(">")).contains("resolved ("));
    assert!(graded(&[], &patch(">")).contains("resolved (known)"));
    // The official program takes the first verdict for that of the second patch here.
    let second = graded(&[], &patch("> -1 +"));
    assert!(second.contains("unresolved (") && !second.contains("known"), "{second}");
    assert!(!graded(&["--again"], &patch(">")).contains("known"));
    assert!(graded(&[], &patch(">")).contains("resolved (known)"), "it was kept");
    assert!(!graded(&["--offline"], &patch(">")).contains("known"), "without a network it may be another");
    // A patch cannot change the tests by which it is judged.
    let tests = "diff --git a/tests/test_account.py b/tests/test_account.py\n--- a/tests/test_account.py\n+++ b/tests/test_account.py\n\
        @@ -5,3 +5,5 @@\n \n class AccountTest(unittest.TestCase):\n+    test_withdraws_all = setUp = lambda self: None\n+\n     def setUp(self):\n";
    let touched = graded(&[], &format!("{}{tests}", patch("> -1 +")));
    assert!(touched.contains("unresolved") && touched.contains("touches tests"), "{touched}");
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn what_stands_in_the_way_is_no_verdict() {
    let Some(fixture) = fixture() else { return };
    let work = folder(&[]);
    let refusing = registry();
    for (changes, says) in [
        (json!({"image": format!("127.0.0.1:{refusing}/shop:1")}), "toomanyrequests"),
        (
            json!({"image": called(Command::new(root().join("scripts/tiny-image.sh")))}),
            "no repository at /testbed",
        ),
    ] {
        let suite = fixture.dataset(work.path(), changes);
        let run = program()
            .args(["bench", "gold", "--suite", &suite, "--out"])
            .arg(work.path().join("graded"))
            .env("PATCHWRIGHT_CACHE", work.path().join("cache"))
            .output()
            .unwrap();
        let run = Run::from(run);
        assert_eq!(run.code, 1, "{run:?}");
        assert!(run.stderr.contains("infrastructure") && run.stderr.contains(says), "{says}: {run:?}");
    }
}

/// A registry that refuses every pull as a busy one does; its port.
fn registry() -> u16 {
    use std::io::{Read, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut request = [0; 4096];
            let _ = stream.read(&mut request);
            let body = r#"{"errors":[{"code":"TOOMANYREQUESTS","message":"You have reached your pull rate limit."}]}"#;
            let answer = format!(
                "HTTP/1.1 429 Too Many Requests\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
                 Connection: close\r\n\r\n{body}",
                body.len()
            );
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    port
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn a_session_works_on_what_was_read_out_of_the_image() {
    let Some(fixture) = fixture() else { return };
    let work = folder(&[]);
    let suite = fixture.dataset(work.path(), json!({}));
    let code = "from bank.account import Account\n\n\ndef test_all():\n    account = Account(100)\n    account.withdraw(100)\n    assert \
                account.balance == 0\n";
    let shows = call("write_test", json!({"code": code, "file_path": "tests/test_reproduction.py"}));
    let model = Model::saying(&[hypothesis(), shows, good_fix(), goal()]);
    let run = work.path().join("run");
    let words = model.words(work.path(), &[]);
    let options = words.iter().skip(2).filter(|word| *word != "--json");
    let done: Run = program()
        .current_dir(work.path())
        // As people type it: a folder below the one they are in.
        .args(["bench", "run", "--suite", &suite, "--out", "run"])
        .args(options)
        .output()
        .unwrap()
        .into();
    assert_eq!(done.code, 0, "{done:?}");
    let attempt = run.join("cases/pallets__flask-1/attempt-1");
    let trajectory = std::fs::read_to_string(attempt.join("trajectory.jsonl")).unwrap();
    assert!(trajectory.contains("pytest -rA") && trajectory.contains("Withdrawing all of the balance"));
    assert!(!trajectory.contains("nobody may see") && !trajectory.contains(&fixture.base));
    assert!(
        trajectory.contains("\"total\":3,\"passed\":3"),
        "the tests are seen at their place, without .git: {trajectory}"
    );
    assert!(!prompt_text(&model.requests()[0]).contains("test_withdraws_all"), "the golden test is not told");
    let patch = std::fs::read_to_string(attempt.join("patch.diff")).unwrap();
    assert_eq!(changed(&patch), FIX);
    let graded: Run = program()
        .args(["bench", "grade", "--suite", &suite, "--predictions", run.to_str().unwrap(), "--out"])
        .arg(work.path().join("graded"))
        .env("PATCHWRIGHT_CACHE", work.path().join("cache"))
        .output()
        .unwrap()
        .into();
    assert!(graded.code == 0 && graded.stderr.contains(": resolved ("), "{graded:?}");
    let events = std::fs::read_to_string(run.join("events.jsonl")).unwrap();
    assert!(
        events.lines().any(|line| line.contains("\"graded\"") && line.contains("\"resolved\":true")),
        "{events}"
    );
    assert_eq!(called(docker(&["images", "-q", &fixture.image])).lines().count(), 1, "what was here stays");
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn an_image_that_tells_too_much_or_of_another_case_is_refused() {
    let Some(fixture) = fixture() else { return };
    let none = json!({"base_commit": "0123456789abcdef0123456789abcdef01234567"});
    refused(fixture, none, "has another commit than 0123456789abcdef");
    for (name, change, says) in [
        ("later", "git -C /testbed checkout -q later", "has another commit than"),
        ("clone", "git clone -q /testbed '/opt/a clone'", "with the history of this one at /opt/a clone"),
        (
            "mirror",
            "git clone -q --mirror /testbed /srv/mirror.git",
            "with the history of this one at /srv/mirror.git",
        ),
        ("shallow", "git clone -q --depth 1 -b later file:///testbed /srv/shallow", "at /srv/shallow"),
    ] {
        let container = format!("patchwright-test-{name}-{}", std::process::id());
        let image = format!("patchwright-test-{name}:1");
        called(docker(&["run", "--name", &container, &fixture.image, "sh", "-c", change]));
        called(docker(&["commit", &container, &image]));
        called(docker(&["rm", "-f", &container]));
        refused(fixture, json!({"image": image}), says);
        called(docker(&["rmi", &image]));
    }
}

/// No session begins on a case that was changed so, and it is said why.
fn refused(fixture: &Fixture, changes: Value, says: &str) {
    let work = folder(&[]);
    let suite = fixture.dataset(work.path(), changes);
    let model = Model::saying(&[]);
    let run = work.path().join("run");
    let words = model.words(work.path(), &[]);
    let done: Run = program()
        .args(["bench", "run", "--suite", &suite, "--out", run.to_str().unwrap()])
        .args(words.iter().skip(2))
        .output()
        .unwrap()
        .into();
    assert!(done.stdout.contains("\"unusable\":1"), "{done:?}");
    let events = std::fs::read_to_string(run.join("events.jsonl")).unwrap();
    assert!(events.contains(says), "{says}: {events}");
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn a_killed_evaluation_leaves_no_container_after_the_next_start() {
    let Some(fixture) = fixture() else { return };
    let work = folder(&[]);
    let script = "#!/bin/bash\nsleep 300\n";
    let suite =
        fixture.dataset(work.path(), json!({"eval_script": script, "log_parser": "parse_log_pytest"}));
    let words = |run_id: &'static str| {
        let out = work.path().join("graded");
        let mut command = program();
        command.args([
            "bench",
            "grade",
            "--suite",
            &suite,
            "--predictions",
            "gold",
            "--run-id",
            run_id,
            "--out",
        ]);
        command.arg(out).env("PATCHWRIGHT_CACHE", work.path().join("cache"));
        command
    };
    let left = || called(docker(&["ps", "-aq", "--filter", "label=patchwright.session=grade-killed"]));
    let mut killed = words("killed").stderr(std::process::Stdio::null()).spawn().unwrap();
    let limit = Instant::now() + Duration::from_mins(1);
    while left().is_empty() && Instant::now() < limit {
        std::thread::sleep(Duration::from_millis(50));
    }
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert_ne!(left(), "", "it was killed with a container");
    let next: Run = words("next").args(["--timeout", "2s"]).output().unwrap().into();
    assert!(next.stderr.contains("timed_out"), "{next:?}");
    assert_eq!(left(), "");
}
