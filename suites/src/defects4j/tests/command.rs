//! Preparing through the command, in whose place a script stands here.

use std::time::Instant;

use patchwright_protocol::{Actor, ResultsFormat};

use super::*;
use crate::script::write_script;

/// A script that does what the command does, as far as it is asked.
const SCRIPT: &str = r#"#!/bin/sh
case "$1" in
checkout)
    test "$*" = "checkout -p Widget -v 3b -w $7" || { echo "unknown: $*" >&2; exit 1; }
    mkdir -p "$7/src/java" "$7/.git"
    printf 'd4j.bug.id=3\nd4j.classes.modified=widget.Gauge\nd4j.tests.trigger=x\n' >"$7/defects4j.build.properties"
    printf 'pid=Widget\nvid=3b\n' >"$7/.defects4j.config" ;;
export)
    case "$3" in
    dir.src.classes) printf src/java ;;
    dir.src.tests) printf src/test ;;
    cp.test) printf '%s' "$5/target/classes:/usr:/nowhere/x.jar" ;;
    esac ;;
esac
"#;

fn options(script: &str) -> (TempDir, Defects4jOptions) {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("framework/bin/defects4j");
    write_script(&program, script);
    let options = Defects4jOptions { program: Some(program), relevant: true, ..Defects4jOptions::default() };
    (folder, options)
}

#[tokio::test]
async fn the_command_makes_the_project_and_tests_it() {
    // No repository is needed.
    let checkout = Checkout::new("Widget", "elsewhere.git", 3);
    let (home, options) = options(SCRIPT);
    let program = options.program.clone().unwrap();
    for file in [
        "framework/projects/Widget/patches/3.src.patch",
        "framework/projects/Widget/lib/a.jar",
        "project_repos/widget.git/HEAD",
    ] {
        write(&home.path().join(file), b"x");
    }
    let suite = Defects4j::load(checkout.folder.path(), options).unwrap();
    let out = tempfile::tempdir().unwrap();
    let bug = suite.prepare(&suite.cases()[0], out.path()).await.unwrap();
    let Overrides { test, test_one, results, source, tests, env, timeout, .. } = bug.overrides;
    assert_eq!(test.unwrap().line(), format!("{} test -r", program.display()));
    assert_eq!(test_one.unwrap(), format!("{} test -t {{test}}", program.display()));
    assert_eq!(results, Some(ResultsFormat::Defects4j));
    assert_eq!((source.unwrap(), tests.unwrap()), (vec!["src/java".to_owned()], vec!["src/test".to_owned()]));
    assert_eq!(env.unwrap()["TZ"], "America/Los_Angeles");
    assert!(timeout.is_some());
    assert_eq!(bug.input.failing, ["widget.GaugeTest::reads"]);
    let real = home.path().canonicalize().unwrap();
    // Not the patches, and no repository.
    let readable =
        [real.join("framework/bin"), real.join("framework/projects/Widget/lib"), PathBuf::from("/usr")];
    let mut seen = bug.readable.clone();
    seen.sort();
    let mut expect = readable.to_vec();
    expect.sort();
    assert_eq!(seen, expect);
    // Neither the history nor the names of the changed classes stay.
    assert!(!out.path().join(".git").exists());
    let properties = fs::read_to_string(out.path().join("defects4j.build.properties")).unwrap();
    assert_eq!(properties, "d4j.bug.id=3\nd4j.tests.trigger=x\n");
}

#[tokio::test]
async fn a_command_that_fails_is_quoted() {
    let checkout = Checkout::new("Widget", "widget.git", 3);
    let said = "No space left";
    let script = format!("#!/bin/sh\ntest $1 = pids && exit\necho '{said}' >&2\nexit 3\n");
    let (_home, options) = options(&script);
    let suite = Defects4j::load(checkout.folder.path(), options).unwrap();
    assert!(suite.warnings().is_empty(), "{:?}", suite.warnings());
    let out = tempfile::tempdir().unwrap();
    let error = suite.prepare(&suite.cases()[0], out.path()).await.unwrap_err();
    assert!(error.actor == Actor::Environment && error.message.contains(said), "{error}");
}

#[tokio::test]
async fn a_command_that_does_not_work_is_not_used_and_told_once() {
    let check = async |script: &str, expect: &str| {
        let checkout = Checkout::new("Widget", "widget.git", 3);
        let (_home, options) = options(script);
        let suite = Defects4j::load(checkout.folder.path(), options).unwrap();
        let [warning] = suite.warnings() else { panic!("{:?}", suite.warnings()) };
        assert!(warning.contains(expect) && warning.contains("Java 11"), "{warning}");
        let out = tempfile::tempdir().unwrap();
        let bug = suite.prepare(&suite.cases()[0], out.path()).await.unwrap();
        assert_eq!(bug.overrides.test, None);
        assert!(out.path().join("src/java/widget/Gauge.java").is_file());
    };
    let said = "Java 11 is required!";
    let other_java = format!("#!/bin/sh\necho '{said}' >&2\nexit 3\n");
    check(&other_java, said).await;
    check("#!/nowhere/sh\n", "cannot be started").await;

    // Where it is the only way, it is what has to be mended.
    let checkout = Checkout::new("Chart", "jfreechart.git", 1);
    let (_home, options) = options(&other_java);
    let suite = Defects4j::load(checkout.folder.path(), options).unwrap();
    let out = tempfile::tempdir().unwrap();
    let error = suite.prepare(&suite.cases()[0], out.path()).await.unwrap_err();
    assert_eq!(error.actor, Actor::Case);
    assert!(error.message.contains("Chart-1"), "{error}");
    assert!(error.hint.as_ref().unwrap().contains(said), "{error:?}");
}

#[test]
fn the_command_needs_no_list_of_folders() {
    let checkout = Checkout::new("Widget", "widget.git", 3);
    fs::remove_file(checkout.project.join("dir-layout.csv")).unwrap();
    let (_home, options) = options(SCRIPT);
    assert_eq!(Defects4j::load(checkout.folder.path(), options).unwrap().cases().len(), 1);
}

#[tokio::test]
async fn a_command_that_does_not_end_is_ended() {
    let (_home, options) = options("#!/bin/sh\nexec sleep 600\n");
    let started = Instant::now();
    let limit = Duration::from_millis(50);
    let program = options.program.unwrap();
    let error = official::run(&program, &["checkout".to_owned()], limit).await.unwrap_err();
    insta::assert_snapshot!(error.message.replace(program.to_str().unwrap(), "<program>"));
    assert!(started.elapsed() < Duration::from_mins(1));
}
