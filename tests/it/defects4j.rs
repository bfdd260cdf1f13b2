//! Defects4J by the command of a container image, in whose place a script stands here.

use serde_json::json;

use crate::containers::{called, docker, image};
use crate::kit::{Run, folder, program};

/// Does what the command does, as far as it is asked.
const SCRIPT: &str = r#"#!/bin/sh
case "$1" in
checkout)
    mkdir -p "$7/src/java/w" "$7/src/test/w" && cd "$7" && git init -q . || exit 1
    printf 'class Gauge {\n    int reads() { return 0; }\n}\n' > src/java/w/Gauge.java
    printf 'pid=Widget\nvid=1b\n' > .defects4j.config ;;
export)
    case "$3" in
    dir.src.classes) printf src/java ;;
    dir.src.tests) printf src/test ;;
    esac ;;
test)
    echo 'reads(w.GaugeTest)' > all_tests
    : > failing_tests
    grep -q 'return 1' src/java/w/Gauge.java && { echo 'Failing tests: 0'; exit; }
    printf 'Failing tests: 1\n  - w.GaugeTest::reads\n'
    printf -- '--- w.GaugeTest::reads\njunit.framework.AssertionFailedError: expected:<1> but was:<0>\n' > failing_tests ;;
esac
"#;

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn a_bug_is_made_and_tested_by_the_command_of_an_image() {
    let Some(tools) = image() else { return };
    let project = "framework/projects/Widget";
    let patch = "diff --git a/src/java/w/Gauge.java b/src/java/w/Gauge.java\n--- a/src/java/w/Gauge.java\n\
                 +++ b/src/java/w/Gauge.java\n@@ -1,3 +1,3 @@\n class Gauge {\n-    int reads() { return 1; }\n\
                 +    int reads() { return 0; }\n }\n";
    let header =
        "bug.id,revision.id.buggy,revision.id.fixed,report.id,report.url\n1,a,b,W-1,http://example.org\n";
    let home = folder(&[
        (&format!("{project}/active-bugs.csv"), header),
        (&format!("{project}/patches/1.src.patch"), patch),
        (
            &format!("{project}/trigger_tests/1"),
            "--- w.GaugeTest::reads\njunit.framework.AssertionFailedError\n",
        ),
        (&format!("{project}/modified_classes/1.src"), "w.Gauge\n"),
        ("defects4j", SCRIPT),
    ]);
    let name = format!("patchwright-test-d4j-{}", std::process::id());
    let image = format!("{name}:1");
    called(docker(&["create", "--name", &name, tools, "chmod", "755", "/usr/local/bin/defects4j"]));
    let script = home.path().join("defects4j");
    called(docker(&["cp", script.to_str().unwrap(), &format!("{name}:/usr/local/bin/defects4j")]));
    called(docker(&["start", "-a", &name]));
    called(docker(&["commit", &name, &image]));
    called(docker(&["rm", "-f", &name]));
    let suite = format!("defects4j:{}", home.path().display());
    let out = home.path().join("gold");
    let run: Run = program()
        .args(["bench", "gold", "--suite", &suite, "--json", "--out", out.to_str().unwrap()])
        .env("PATCHWRIGHT_D4J_IMAGE", &image)
        .output()
        .unwrap()
        .into();
    called(docker(&["rmi", &image]));
    assert_eq!((run.code, &run.json()["statuses"]), (0, &json!({"plausible": 1})), "{run:?}");
    let trajectory = std::fs::read_to_string(out.join("cases/Widget-1/attempt-1/trajectory.jsonl")).unwrap();
    assert!(trajectory.contains("\"test\":\"defects4j test\""), "{trajectory}");
    assert!(trajectory.contains("w.GaugeTest::reads"), "{trajectory}");
}
