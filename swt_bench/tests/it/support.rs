//! A project that does not exist, with a case in each benchmark.

use std::fs;
use std::path::{Path, PathBuf};

use patchwright_swe_bench::Dataset;
use patchwright_swt_bench::{Benchmark, Layout, ModelRun, RunKind, dataset};
use serde_json::{Value, json};

/// The golden patch: line 2 of `shop/cart.py` goes, two lines come.
pub const FIX: &str = "diff --git a/shop/cart.py b/shop/cart.py\n--- a/shop/cart.py\n+++ b/shop/cart.py\n@@ -1,3 +1,4 @@\n def total(prices):\n-    return prices[0]\n+    check(prices)\n+    return sum(prices)\n # end\n";
/// The golden tests.
pub const GOLDEN: &str = "diff --git a/tests/test_cart.py b/tests/test_cart.py\n--- a/tests/test_cart.py\n+++ b/tests/test_cart.py\n@@ -1 +1,3 @@\n import shop\n+def test_total():\n+    assert shop.total([1, 2]) == 3\n";
/// A prediction.
pub const PREDICTED: &str = "diff --git a/tests/test_sum.py b/tests/test_sum.py\nnew file mode 100644\n--- /dev/null\n+++ b/tests/test_sum.py\n@@ -0,0 +1,2 @@\n+def test_sum():\n+    assert False\n";

/// A row of the dataset.
pub fn row(id: &str) -> Value {
    json!({"repo": "pydata/xarray", "instance_id": id, "base_commit": "0123abc", "patch": FIX, "test_patch": GOLDEN,
        "problem_statement": "The total is wrong: KeyError is not raised.", "version": "1.0"})
}

/// A dataset with these cases, as a file.
pub fn data(folder: &Path, ids: &[&str], benchmark: Benchmark) -> Dataset {
    let file = folder.join("data.jsonl");
    let lines: Vec<String> = ids.iter().map(|id| row(id).to_string() + "\n").collect();
    fs::write(&file, lines.concat()).unwrap();
    dataset::load(&file, None, benchmark).unwrap().0
}

/// A log of a run: what pytest prints, and the trace of `shop/cart.py`.
pub fn log(tests: &str, trace: &str) -> String {
    format!(
        "Applied patch tests/test_sum.py cleanly.\n+ python3 /root/trace.py --count -C coverage.cover --include-pattern '/testbed/(shop/cart\\.py)' -m pytest -rA\n\
         {tests}\n+ cat coverage.cover\n{{\"/testbed/shop/cart.py\": {{{trace}}}}}\n+ git checkout 0\n"
    )
}

/// A folder of logs.
pub struct Logs {
    root: PathBuf,
    layout: Layout,
    run: ModelRun,
}

impl Logs {
    /// An empty one for a model.
    pub fn new(folder: &Path, model: &str) -> Self {
        let root = folder.join("run_instance_swt_logs");
        let run = ModelRun { run_id: "run".to_owned(), model: model.to_owned() };
        Self { layout: Layout::at(&root, Vec::new()), root, run }
    }

    /// Writes a log, and the prediction beside it.
    pub fn put(&self, kind: RunKind, id: &str, log: &str) -> PathBuf {
        let file = if matches!(kind, RunKind::GoldPre | RunKind::GoldPost) {
            "tests/test_cart.py"
        } else {
            "tests/test_sum.py"
        };
        let folder = self.layout.folder(kind, &self.run, id, &[file.to_owned()]);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("model_patch.diff"), PREDICTED).unwrap();
        fs::write(folder.join("test_output.txt"), log).unwrap();
        folder
    }

    /// Writes all logs of a case that succeeds: the new test fails before and passes after.
    pub fn put_success(&self, id: &str) {
        let new = "tests/test_sum.py::test_sum";
        let old = "PASSED tests/test_sum.py::test_old";
        self.put(RunKind::PredPre, id, &log(&format!("FAILED {new} - assert 1 == 3\n{old}"), "\"2\": 1"));
        self.put(RunKind::PredPost, id, &log(&format!("PASSED {new}\n{old}"), "\"2\": 1, \"3\": 0"));
        let golden = "tests/test_cart.py::test_total";
        self.put(RunKind::GoldPre, id, &log(&format!("FAILED {golden}"), "\"2\": 1"));
        self.put(RunKind::GoldPost, id, &log(&format!("PASSED {golden}"), "\"2\": 1, \"3\": 1"));
        self.put(RunKind::BasePre, id, &log(old, "\"2\": 0"));
        self.put(RunKind::BasePost, id, &log(old, "\"2\": 0, \"3\": 0"));
    }

    /// The folder of all logs.
    pub fn root(&self) -> &Path {
        &self.root
    }
}
