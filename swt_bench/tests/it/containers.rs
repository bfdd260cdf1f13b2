//! Predictions run in containers: six runs, a trace, a verdict.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use patchwright_swe_bench::{Dataset, ImageNames, ImageStore, Row, Specs};
use patchwright_swt_bench::{Applied, Benchmark, GradeOptions, Layout, TestRuns, grade_logs, predictions};

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

/// An image with the repository, and the id of its commit. None where there is no engine, which in CI is a failure.
fn image() -> Option<(String, String)> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/test-image.sh");
    let made = || {
        docker(&["version"])?;
        let tools = Command::new(script).args(["git", "patch", "python3", "python3-pytest"]).output().ok()?;
        let tools = String::from_utf8_lossy(&tools.stdout).trim().to_owned();
        let name = format!("patchwright-test-swt-{}", std::process::id());
        docker(&["run", "--name", &name, &tools, "sh", "-c", MAKE])?;
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

fn settings(folder: &Path, applied: Applied) -> TestRuns {
    TestRuns {
        names: ImageNames::Official,
        store: ImageStore::new(None, None),
        specs: Specs::builtin(),
        kinds: patchwright_swt_bench::RunKind::ALL.to_vec(),
        applied,
        time: Duration::from_mins(5),
        network: false,
        workers: 1,
        root: folder.join("run_instance_swt_logs"),
        run_id: "run".to_owned(),
    }
}

#[tokio::test]
async fn a_prediction_is_run_six_times_and_graded() {
    let Some((image, base)) = image() else {
        println!("skipped: no container engine answers, or no image can be made");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let row = data(folder.path(), &[ID], Benchmark::Swt).rows()[0].clone();
    let fix = FIX.replace("+    check(prices)\n", "+    from shop.checks import check\n");
    let golden = GOLDEN
        .replace("+    assert shop.total", "+    from shop import cart\n+    assert cart.total")
        .replace("+1,3", "+1,4");
    let row = Row {
        base_commit: base,
        image: Some(image.clone()),
        patch: fix,
        test_patch: golden,
        version: "2022.06".to_owned(),
        ..row
    };
    let dataset = Dataset::new([row]).unwrap();
    let file = folder.path().join("p.json");
    let mixed = format!(
        "{}{PREDICTED}",
        "diff --git a/shop/more.py b/shop/more.py\nnew file mode 100644\n--- /dev/null\n+++ b/shop/more.py\n@@ -0,0 +1 @@\n+x = 1\n"
    );
    let text =
        serde_json::json!([{"instance_id": ID, "model_name_or_path": "m", "model_patch": mixed}]).to_string();
    fs::write(&file, text).unwrap();
    let (predicted, _) = predictions::load(&file, &dataset, Benchmark::Swt).unwrap();
    let runs = settings(folder.path(), Applied::TestsOnly);
    let done = runs.run(&dataset, &predicted, |_| ()).await;
    assert_eq!((done[0].problem.as_deref(), done[0].made), (None, 6), "{done:?}");
    assert!(done[0].notes[0].contains("shop/more.py"), "{done:?}");
    let again = runs.run(&dataset, &predicted, |_| ()).await;
    assert_eq!(again[0].made, 2, "only the runs of the prediction are made again");
    let layout = Layout::find(folder.path()).unwrap();
    let reports = grade_logs(
        &dataset,
        None,
        &layout,
        GradeOptions { strict: true, ..GradeOptions::default() },
        &|_, _| {},
    )
    .unwrap();
    let case = &reports[0].cases[0];
    let json = case.json().unwrap()[ID].clone();
    docker(&["rmi", "-f", &image]);
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
    assert!(case.notes.is_empty(), "{:?}", case.notes);
}
