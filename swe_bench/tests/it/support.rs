//! A small dataset of our own.

use std::fs;
use std::path::{Path, PathBuf};

use patchwright_swe_bench::{Dataset, Row};
use serde_json::{Value, json};

pub const START: &str = "+ : '>>>>> Start Test Output'\n";
pub const END: &str = "+ : '>>>>> End Test Output'\n";

/// The test patch of our rows: a test that exists, and a new one.
pub const TEST_PATCH: &str = "\
diff --git a/tests/test_a.py b/tests/test_a.py
--- a/tests/test_a.py
+++ b/tests/test_a.py
@@ -1 +1,2 @@
 import a
+assert a.one() == 1
diff --git a/tests/test_new.py b/tests/test_new.py
new file mode 100644
--- /dev/null
+++ b/tests/test_new.py
@@ -0,0 +1 @@
+import a
diff --git a/tests/data.json b/tests/data.json
--- a/tests/data.json
+++ b/tests/data.json
@@ -1 +1 @@
-{}
+[]
";

/// A row of a repository that uses plain pytest.
pub fn row(id: &str, fail_to_pass: &[&str], pass_to_pass: &[&str]) -> Row {
    let texts = |tests: &[&str]| tests.iter().map(|test| (*test).to_owned()).collect();
    Row {
        repo: "pytest-dev/pytest".to_owned(),
        instance_id: id.to_owned(),
        base_commit: "0123abc".to_owned(),
        patch: "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+y\n".to_owned(),
        test_patch: TEST_PATCH.to_owned(),
        problem_statement: "It is wrong.".to_owned(),
        version: "7.0".to_owned(),
        fail_to_pass: texts(fail_to_pass),
        pass_to_pass: texts(pass_to_pass),
        ..Row::default()
    }
}

/// A row as the classic datasets write it.
pub fn object(id: &str) -> Value {
    json!({
        "repo": "pytest-dev/pytest",
        "instance_id": id,
        "base_commit": "0123abc",
        "patch": "",
        "test_patch": TEST_PATCH,
        "problem_statement": "It is wrong.",
        "hints_text": "",
        "created_at": "2020-01-02T03:04:05Z",
        "version": "7.0",
        "FAIL_TO_PASS": "[\"t.py::a\"]",
        "PASS_TO_PASS": "[\"t.py::b\", \"t.py::é\"]",
        "environment_setup_commit": "0123abc",
    })
}

/// A log with both marks.
pub fn marked(tests: &str) -> String {
    format!("+ git status\n{START}{tests}\n{END}")
}

pub fn write(folder: &Path, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    path
}

pub fn dataset(rows: impl IntoIterator<Item = Row>) -> Dataset {
    Dataset::new(rows).unwrap()
}
