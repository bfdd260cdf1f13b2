#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;

use patchwright_protocol::{Actor, ResultsFormat};

use super::*;
use crate::fixture::{commit, repository};
use crate::patch;

const GOLDEN: &str = "--- a/shop.py\n+++ b/shop.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n";

/// A folder with a project, a golden patch, an issue, and a manifest.
fn written(manifest: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("shop")).unwrap();
    for (name, text) in [
        ("shop/shop.py", "x = 1\n"),
        ("shop/fix.patch", GOLDEN),
        ("shop/issue.md", "x is wrong\n"),
        ("shop/patchwright.toml", "model = \"patterns\"\n"),
        ("bugs.toml", manifest),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn load(manifest: &str) -> Result<Manifest, LoadError> {
    Manifest::load(&written(manifest).path().join("bugs.toml"))
}

const FULL: &str = r#"
[[bug]]
id = "shop-1"
language = "python"
dir = "shop"
build = "true"
test = "python3 -m pytest -rA"
test_one = "python3 -m pytest -rA {tests}"
results = "pytest"
failing = ["test_shop.py::test_x"]
known_failing = ["test_shop.py::test_old"]
source = ["."]
tests = ["tests"]
buggy_lines = ["shop.py#1", "shop.py#3#FAULT_OF_OMISSION"]
issue = "shop/issue.md"
golden = "shop/fix.patch"
env = { TZ = "UTC" }
timeout_s = 90
image = "python:3.13"
"#;

#[tokio::test]
async fn every_field_arrives() {
    let folder = written(FULL);
    let manifest = Manifest::load(&folder.path().join("bugs.toml")).unwrap();
    let [case] = manifest.cases() else { panic!("{manifest:?}") };
    assert_eq!((case.id.as_str(), case.project.as_str()), ("shop-1", "shop"));
    assert_eq!(case.truth.patch.as_deref(), Some(GOLDEN));
    assert_eq!(case.truth.lines, ["shop.py#1", "shop.py#3#FAULT_OF_OMISSION"]);

    let out = tempfile::tempdir().unwrap();
    let bug = manifest.prepare(case, out.path()).await.unwrap();
    assert_eq!(folder::files_below(&bug.dir), [PathBuf::from("shop.py")]);
    let Overrides { test, test_one, build, after_build: _, results, source, tests, env, timeout, network } =
        bug.overrides;
    assert_eq!(test, Some("python3 -m pytest -rA".into()));
    assert_eq!(test_one.as_deref(), Some("python3 -m pytest -rA {tests}"));
    assert_eq!(build.as_deref(), Some("true"));
    assert_eq!(results, Some(ResultsFormat::PytestText));
    assert_eq!(source.unwrap(), ["."]);
    assert_eq!(tests.unwrap(), ["tests"]);
    assert_eq!(env.unwrap()["TZ"], "UTC");
    assert_eq!((timeout, network), (Some(Duration::from_secs(90)), None));
    assert_eq!(bug.input.failing, ["test_shop.py::test_x"]);
    assert_eq!(bug.known_failing, ["test_shop.py::test_old"]);
    assert_eq!(bug.input.issue.as_deref(), Some("x is wrong\n"));
    assert_eq!(bug.image.as_deref(), Some("python:3.13"));
}

#[test]
fn what_is_wrong_is_named_with_its_place_and_the_cure() {
    #[track_caller]
    fn check(manifest: &str, place: &str, message: &str) {
        let error = load(manifest).unwrap_err();
        assert!(error.place.ends_with(&format!("bugs.toml{place}")), "{error}");
        assert!(error.message.contains(message), "{error}");
    }
    let swapped = |from: &str, to: &str| {
        assert!(FULL.contains(from), "{from}");
        FULL.replace(from, to)
    };
    let of = |field: &str| format!(": bug 1 `shop-1`: `{field}`");
    check("", "", "write a table `[[bug]]`");
    check("[bug]\nid = \"a\"\n", "", "double brackets");
    check("suite = 1\n[[bug]]\n", "", "unknown field `suite`");
    check("bug = [1]\n", ": bug 1", "write `[[bug]]`");
    check("[[bug]\n", "", "TOML");
    check("[[bug]]\nlanguage = \"java\"\n", ": bug 1: `id`", "it is missing");
    check(&swapped("shop-1", "../x"), ": bug 1: `id`", "names a folder");
    check(&swapped("\"python\"", "\"cobol\""), &of("language"), "`cobol` is not known");
    check(&swapped("language = \"python\"\n", ""), &of("language"), "it is missing");
    check(&swapped("dir = \"shop\"", "dir = \"shap\""), &of("dir"), "shap`");
    check(&swapped("dir = \"shop\"\n", ""), &of("dir"), "it is missing");
    check(&swapped("dir = \"shop\"", "dir = \"shop\"\nrepo = \"r\""), &of("dir"), "not both");
    check(&swapped("dir = \"shop\"", "repo = \"r\""), &of("commit"), "it is missing");
    check(&swapped("dir = \"shop\"", "commit = \"c\""), &of("repo"), "it is missing");
    check(&swapped("\"pytest\"", "\"tap\""), &of("results"), "junit-xml:GLOB");
    check(&swapped(" {tests}\"", "\""), &of("test_one"), "{tests}");
    check(&swapped("[\"test_shop.py::test_x\"]", "\"test_x\""), &of("failing"), "it is a text; write a list");
    check(&swapped("[\"test_shop.py::test_x\"]", "[1]"), &of("failing"), "it holds a number");
    check(&swapped("shop.py#1\"", "shop.py\""), &of("buggy_lines"), "path#line");
    check(&swapped("shop/issue.md", "shop/tissue.md"), &of("issue"), "no file");
    check(&swapped("shop/fix.patch", "shop/issue.md"), &of("golden"), "changes nothing");
    check(&swapped("{ TZ = \"UTC\" }", "{ TZ = 1 }"), &of("env"), "`TZ` is a number");
    check(&swapped("{ TZ = \"UTC\" }", "\"TZ=UTC\""), &of("env"), "write a table");
    check(&swapped("= 90", "= \"90\""), &of("timeout_s"), "whole seconds");
    check(&swapped("= 90", "= 0"), &of("timeout_s"), "not above 0");
    check(&swapped("build = \"true\"", "build = \"\""), &of("build"), "leave it out");
    check(&swapped("build", "compile"), &of("compile"), "known are id, language");
    let twice = format!("{FULL}{FULL}");
    check(&twice, ": bug 2: `id`", "`shop-1` is the id of a bug above");
    let missing = Manifest::load(Path::new("/nowhere/bugs.toml")).unwrap_err();
    assert_eq!(missing.place, "/nowhere/bugs.toml");
}

#[tokio::test]
async fn a_revision_is_prepared_without_later_ones() {
    let (repository_folder, repository) = repository();
    let buggy = commit(&repository, &[("shop.py", b"x = 1\n")]);
    commit(&repository, &[("shop.py", b"x = 2\n")]);
    let entry = |place: &str, commit: &str| {
        format!("[[bug]]\nid = \"a\"\nlanguage = \"python\"\nrepo = \"{place}\"\ncommit = \"{commit}\"\n")
    };
    let place = repository_folder.path().to_str().unwrap();
    let manifest = load(&entry(place, &buggy)).unwrap();
    let out = tempfile::tempdir().unwrap();
    let bug = manifest.prepare(&manifest.cases()[0], out.path()).await.unwrap();
    assert_eq!(folder::files_below(&bug.dir), [PathBuf::from("shop.py")]);
    assert_eq!(fs::read(bug.dir.join("shop.py")).unwrap(), b"x = 1\n");

    let refused = async |text: &str| {
        let manifest = load(text).unwrap();
        let out = tempfile::tempdir().unwrap();
        manifest.prepare(&manifest.cases()[0], out.path()).await.unwrap_err()
    };
    let unknown = refused(&entry(place, "no-such-tag")).await;
    assert!(unknown.actor == Actor::Case && unknown.message.contains("no-such-tag"), "{unknown}");
    let missing = refused(&entry("/nowhere/shop.git", &buggy)).await;
    assert!(missing.actor == Actor::Case && missing.message.contains("/nowhere/shop.git"), "{missing}");
}

/// The samples are manifests: each golden patch applies to what is prepared, and nothing that is prepared tells of it.
#[tokio::test]
async fn the_samples_load_and_their_patches_apply() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples");
    let mut count = 0;
    for name in ["manifest.toml", "small/java.toml", "small/python.toml"] {
        let manifest = Manifest::load(&samples.join(name)).unwrap();
        for case in manifest.cases() {
            let out = tempfile::tempdir().unwrap();
            let bug = manifest.prepare(case, out.path()).await.unwrap();
            let golden = case.truth.patch.as_deref().unwrap();
            for file in folder::files_below(&bug.dir) {
                let text = fs::read(bug.dir.join(&file)).unwrap();
                let ending = file.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
                let name = file.display();
                assert!(
                    !["patch", "jsonl"].contains(&ending) && !file.ends_with("patchwright.toml"),
                    "{name}"
                );
                assert!(!String::from_utf8_lossy(&text).contains(golden), "{name}");
            }
            patch::apply(&Patch::parse(golden.as_bytes()).unwrap(), &bug.dir).unwrap();
            assert!(
                !case.truth.lines.is_empty() && !bug.input.failing.is_empty() && bug.input.issue.is_some(),
                "{}",
                case.id
            );
            count += 1;
        }
    }
    assert_eq!(count, 30);
}

#[tokio::test]
async fn a_manifest_in_its_project_tells_sessions_nothing() {
    let project = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = project.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let golden = "--- a/code.py\n+++ b/code.py\n@@ -1,1 +1,1 @@\n-one = 2\n+one = 1\n";
    file("code.py", "one = 2\n");
    file("first.patch", golden);
    file("second.patch", golden);
    file("runs/old/run.toml", "format = \"patchwright-run\"\n");
    file("runs/old/report.html", "one = 1");
    let bug = |id: &str| {
        format!(
            "[[bug]]\nid = \"{id}\"\nlanguage = \"python\"\ndir = \".\"\ngolden = \"{id}.patch\"\nbuggy_lines = [\"code.py#1\"]\n"
        )
    };
    file("bugs.toml", &(bug("first") + &bug("second")));
    let suite = Manifest::load(&project.path().join("bugs.toml")).unwrap();
    let out = project.path().join("runs/new/work/first-1");
    std::fs::create_dir_all(&out).unwrap();
    let bug = suite.prepare(&suite.cases()[0], &out).await.unwrap();
    let left: Vec<_> = std::fs::read_dir(bug.dir).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["code.py"]);
}
