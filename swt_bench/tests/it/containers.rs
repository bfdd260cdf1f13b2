//! Predictions run in containers: the runs of each benchmark, what they count, a verdict.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use patchwright_swe_bench::{Dataset, ImageNames, ImageStore, Predictions, Row, Specs};
use patchwright_swt_bench::tdd::{self, TddLogs};
use patchwright_swt_bench::{
    Applied, Benchmark, CaseRuns, GradeOptions, Layout, RunKind, RunPlan, TestRuns, grade_logs, predictions,
};
use tokio_util::sync::CancellationToken;

use crate::support::{FIX, GOLDEN, data};

const ID: &str = "pydata__xarray-1";
/// The new test fails before and passes after; the other one passes both times.
const PREDICTED: &str = "diff --git a/tests/test_sum.py b/tests/test_sum.py\nnew file mode 100644\n--- /dev/null\n+++ b/tests/test_sum.py\n@@ -0,0 +1,8 @@\n+from shop import cart\n+\n+\n+def test_sum():\n+    assert cart.total([1, 2]) == 3\n+\n+def test_one():\n+    assert cart.total([1]) == 1\n";
/// Makes the repository at the place where images have it, and what the scripts of SWE-bench expect.
const MAKE: &str = r"
set -e
mkdir -p /testbed/shop /testbed/tests
cd /testbed
printf 'def total(prices):\n    return prices[0]\n# end\n' > shop/cart.py
printf 'def check(prices):\n    return prices\n' > shop/checks.py
touch shop/__init__.py
echo 'import shop' > tests/test_cart.py
git init -q .
git config user.name dev
git config user.email dev@example.com
git add -A
git commit -qm base
mkdir -p /opt/miniconda3/bin /opt/miniconda3/envs/testbed/bin
echo 'conda() { export PATH=/opt/miniconda3/envs/testbed/bin:$PATH; }' > /opt/miniconda3/bin/activate
ln -s /usr/bin/python3 /opt/miniconda3/envs/testbed/bin/python
";

fn docker(words: &[&str]) -> Option<String> {
    let output = Command::new("docker").args(words).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Takes coverage.py out of the image again.
const UNCOVER: &str = "rm -rf /usr/lib/python3/dist-packages/coverage*\n";

/// An image with the repository, made by a script, and the id of its commit. None where there is no engine, which in CI is a failure.
fn image(name: &str, make: &str) -> Option<(String, String)> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/test-image.sh");
    let made = || {
        docker(&["version"])?;
        let tools = Command::new(script).output().ok()?;
        let tools = String::from_utf8_lossy(&tools.stdout).trim().to_owned();
        let name = format!("patchwright-test-{name}-{}", std::process::id());
        docker(&["run", "--name", &name, &tools, "sh", "-c", make])?;
        let image = format!("{name}:latest");
        docker(&["commit", &name, &image])?;
        docker(&["rm", "-f", &name])?;
        let base = docker(&["run", "--rm", &image, "git", "-C", "/testbed", "rev-parse", "HEAD"])?;
        Some((image, base))
    };
    let made = made();
    assert!(made.is_some() || std::env::var("CI").as_deref() != Ok("true"), "no image can be made");
    made
}

fn settings(folder: &Path, applied: Applied, plan: RunPlan) -> TestRuns {
    TestRuns {
        cancel: CancellationToken::new(),
        names: ImageNames::Official,
        store: ImageStore::new(None, None),
        specs: Specs::builtin(),
        plan,
        applied,
        time: Duration::from_mins(5),
        network: false,
        workers: 1,
        root: folder.join("run_instance_swt_logs"),
        run_id: "run".to_owned(),
        again: false,
    }
}

/// The case in an image; its golden tests fail before and pass after.
fn case(folder: &Path, (image, base): &(String, String), benchmark: Benchmark) -> Dataset {
    let row = data(folder, &[ID], benchmark).rows()[0].clone();
    let fix = FIX.replace("+    check(prices)\n", "+    from shop.checks import check\n");
    let golden = GOLDEN
        .replace("+    assert shop.total", "+    from shop import cart\n+    assert cart.total")
        .replace("+1,3", "+1,4");
    let row = Row {
        base_commit: base.clone(),
        image: Some(image.clone()),
        patch: fix,
        test_patch: golden,
        version: "2022.06".to_owned(),
        ..row
    };
    Dataset::new([row]).unwrap()
}

fn predicted(folder: &Path, dataset: &Dataset, patch: &str, benchmark: Benchmark) -> Predictions {
    let file = folder.join("p.json");
    let text =
        serde_json::json!([{"instance_id": ID, "model_name_or_path": "m", "model_patch": patch}]).to_string();
    fs::write(&file, text).unwrap();
    predictions::load(&file, dataset, benchmark).unwrap()
}

#[tokio::test]
#[ignore = "long: run by --include-ignored, as CI does"]
async fn a_prediction_is_run_six_times_and_graded() {
    let Some(image) = image("swt", MAKE) else {
        println!("skipped: no container engine answers, or no image can be made");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let dataset = case(folder.path(), &image, Benchmark::Swt);
    let mixed = format!(
        "{}{PREDICTED}",
        "diff --git a/shop/more.py b/shop/more.py\nnew file mode 100644\n--- /dev/null\n+++ b/shop/more.py\n@@ -0,0 +1 @@\n+x = 1\n"
    );
    let predicted = predicted(folder.path(), &dataset, &mixed, Benchmark::Swt);
    let runs = settings(folder.path(), Applied::TestsOnly, RunPlan::Tests(RunKind::ALL.to_vec()));
    let done = runs.run(&dataset, &predicted, |_| ()).await;
    assert_eq!((done[0].problem.as_deref(), done[0].made), (None, 6), "{done:?}");
    assert!(done[0].notes[0].contains("shop/more.py"), "{done:?}");
    let again = runs.run(&dataset, &predicted, |_| ()).await;
    assert_eq!(again[0].made, 2, "only the runs of the prediction are made again");
    let plan = RunPlan::Tests(RunKind::ALL.to_vec());
    let anew = TestRuns { again: true, ..settings(folder.path(), Applied::TestsOnly, plan) };
    assert_eq!(anew.run(&dataset, &predicted, |_| ()).await[0].made, 6, "all are made anew when asked for");
    // The same name for an image with other content.
    docker(&["run", "--name", &format!("{}-more", std::process::id()), &image.0, "touch", "/more"]);
    docker(&["commit", &format!("{}-more", std::process::id()), &image.0]);
    docker(&["rm", "-f", &format!("{}-more", std::process::id())]);
    let other = runs.run(&dataset, &predicted, |_| ()).await;
    assert_eq!(other[0].made, 6, "another image is another run");
    let layout = Layout::find(folder.path()).unwrap();
    let reports = grade_logs(
        &dataset,
        Some(&predicted),
        &layout,
        GradeOptions { strict: true, ..GradeOptions::default() },
        &|_, _| {},
    )
    .unwrap();
    let case = &reports[0].cases[0];
    let json = case.json().unwrap()[ID].clone();
    docker(&["rmi", "-f", &image.0]);
    assert_eq!(
        (json["resolved"].as_bool(), json["resolved_strict"].as_bool()),
        (Some(true), Some(true)),
        "{json} {:?}",
        case.notes
    );
    assert_eq!(json["tests_pred"]["PASS_TO_PASS"][0], "tests/test_sum.py::test_one");
    assert_eq!(
        (json["coverage_delta_pred"].as_f64(), json["coverage_delta_gold"].as_f64()),
        (Some(1.0), Some(1.0))
    );
    assert_eq!(case.notes, ["its logs are of its test files alone; officially all of it is applied"]);
}

#[tokio::test]
async fn a_script_is_judged_by_its_exit_status() {
    let Some(image) = image("script", MAKE) else {
        println!("skipped: no container engine answers, or no image can be made");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let dataset = case(folder.path(), &image, Benchmark::Swt);
    let script = "diff --git a/show.py b/show.py\nnew file mode 100644\n--- /dev/null\n+++ b/show.py\n@@ -0,0 +1,2 @@\n\
                  +from shop import cart\n+raise SystemExit(0 if cart.total([1, 2]) == 3 else 1)\n";
    let runs = settings(folder.path(), Applied::Whole, RunPlan::Script(None));
    let tried = predicted(folder.path(), &dataset, script, Benchmark::Swt);
    let done = runs.run(&dataset, &tried, |_| ()).await;
    assert_eq!((done[0].problem.as_deref(), done[0].made), (None, 6), "{done:?}");
    let layout = Layout::find(folder.path()).unwrap();
    let options = GradeOptions { script: true, ..GradeOptions::default() };
    let reports = grade_logs(&dataset, Some(&tried), &layout, options, &|_, _| {}).unwrap();
    let case = &reports[0].cases[0];
    let json = case.json().unwrap()[ID].clone();
    assert_eq!(
        (json["resolved"].as_bool(), json["coverage_delta_pred"].as_f64()),
        (Some(true), None),
        "{json}"
    );
    assert_eq!(json["tests_pred"]["FAIL_TO_PASS"][0], "reproduction_script");
    assert!(case.notes.is_empty(), "{:?}", case.notes);
    for (patch, name, says) in [
        (script, Some("other.py"), "adds no file other.py"),
        (GOLDEN, None, "adds no file in Python"),
        (&format!("{script}{}", script.replace("show.py", "more.py")), None, "(show.py, more.py)"),
        ("print(1)\n", None, "holds no diff"),
    ] {
        let runs = TestRuns {
            plan: RunPlan::Script(name.map(str::to_owned)),
            ..settings(folder.path(), Applied::Whole, RunPlan::Script(None))
        };
        let tried = predicted(folder.path(), &dataset, patch, Benchmark::Swt);
        let done = runs.run(&dataset, &tried, |_| ()).await;
        assert!(done[0].problem.as_deref().is_some_and(|problem| problem.contains(says)), "{says}: {done:?}");
    }
    docker(&["rmi", "-f", &image.0]);
}

/// Runs a prediction by the steps of TDD-Bench, and grades it: the runs, and the report as JSON.
async fn run_tdd(folder: &Path, image: &(String, String), patch: &str) -> (CaseRuns, tdd::TddReport) {
    let dataset = case(folder, image, Benchmark::Tdd);
    let tried = predicted(folder, &dataset, patch, Benchmark::Tdd);
    let root = folder.join("logs/run_evaluation");
    let runs = TestRuns { root: root.clone(), ..settings(folder, Applied::Whole, RunPlan::BeforeAndAfter) };
    let done = runs.run(&dataset, &tried, |_| ()).await.remove(0);
    let logs = TddLogs::find(&root).unwrap();
    (done, tdd::grade_logs(&dataset, Some(&tried), &logs[0], &|_, _| {}).unwrap())
}

#[tokio::test]
#[ignore = "long: run by --include-ignored, as CI does"]
async fn tests_are_run_before_and_after_and_their_coverage_is_counted() {
    for (name, make, notes) in [("tdd", MAKE.to_owned(), 0), ("tdd-own", format!("{MAKE}{UNCOVER}"), 1)] {
        let Some(image) = image(name, &make) else {
            println!("skipped: no container engine answers, or no image can be made");
            return;
        };
        // A test that was there is not run: only what the prediction adds is.
        let added = "diff --git a/tests/test_cart.py b/tests/test_cart.py\n--- a/tests/test_cart.py\n+++ b/tests/test_cart.py\n@@ -1 +1,7 @@\n \
                     import shop\n+import unittest\n+from shop import cart\n+\n+class CartTest(unittest.TestCase):\n\
                     +    def test_sum(self):\n+        self.assertEqual(cart.total([1, 2]), 3)\n";
        let check = async |patch: &str, functions: &[&str], resolved: bool, notes: usize| {
            let folder = tempfile::tempdir().unwrap();
            let (done, report) = run_tdd(folder.path(), &image, patch).await;
            assert_eq!((done.problem.as_deref(), done.made), (None, 2), "{done:?}");
            assert_eq!(done.notes.len(), notes, "{done:?}");
            let case = &report.cases[0];
            let json = case.json().map(|json| json[ID].clone());
            let json = json.unwrap_or_else(|| panic!("{name}: {:?}", case.notes));
            assert_eq!(json["contributing_functions"], serde_json::json!(functions), "{json}");
            assert_eq!(
                (json["total_changed"].as_u64(), json["total_missed"].as_u64()),
                (Some(3), Some(0)),
                "{json}"
            );
            assert_eq!(json["resolved"], resolved, "{json}");
            folder
        };
        check(added, &["tests/test_cart.py::CartTest::test_sum"], true, notes).await;
        if notes > 0 {
            docker(&["rmi", "-f", &image.0]);
            continue;
        }
        let passing = added.replace("[1, 2]), 3", "[3]), 3");
        check(&passing, &["tests/test_cart.py::CartTest::test_sum"], false, notes).await;
        let folder =
            check(PREDICTED, &["tests/test_sum.py::test_sum", "tests/test_sum.py::test_one"], true, notes)
                .await;
        // Logs of another prediction are known by the script beside them.
        let dataset = case(folder.path(), &image, Benchmark::Tdd);
        let other = predicted(folder.path(), &dataset, added, Benchmark::Tdd);
        let logs = TddLogs::find(folder.path()).unwrap();
        let report = tdd::grade_logs(&dataset, Some(&other), &logs[0], &|_, _| {}).unwrap();
        assert!(report.cases[0].notes[0].contains("of another prediction"), "{:?}", report.cases[0]);
        let folder = tempfile::tempdir().unwrap();
        let (done, report) =
            run_tdd(folder.path(), &image, &added.replace(" import shop", " import shops")).await;
        assert!(done.notes[0].contains("tests/test_cart.py: patch does not apply"), "{done:?}");
        assert!(report.cases[0].verdict().is_some_and(|verdict| !verdict.resolved()), "{report:?}");
        docker(&["rmi", "-f", &image.0]);
    }
}
