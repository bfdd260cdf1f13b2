//! Manifests for Kubernetes: against the published schemas, and their command as a pod would run it.

use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::bench::{suite, words};
use crate::kit::{Run, folder, program, root, run, there};

fn manifests(suite: &std::path::Path, more: &[&str]) -> Run {
    let mut words = words(suite, "lite".as_ref(), more);
    "manifests".clone_into(&mut words[1]);
    program()
        .args(words)
        .args(["--kubernetes", "--pod-image", "registry.example/bank:1"])
        .output()
        .unwrap()
        .into()
}

#[test]
fn manifests_keep_to_the_published_schemas() {
    let suite = suite();
    let printed = manifests(suite.path(), &["--pods-at-once=2", "--secret", "keys"]);
    assert_eq!(printed.code, 0, "{printed:?}");
    assert!(printed.stdout.contains("completions: 3\n  parallelism: 2\n"), "{}", printed.stdout);
    let refused = manifests(suite.path(), &["--slice", "9:"]);
    assert_eq!((refused.code, refused.stdout.as_str()), (2, ""), "{refused:?}");
    let ledger = ["--on", "postgres://me@db.example/runs", "--pods", "2"];
    let workers = manifests(suite.path(), &ledger);
    assert!(workers.code == 0 && workers.stdout.contains("--run lite --suite"), "{workers:?}");
    let uncounted = manifests(suite.path(), &ledger[..2]);
    assert!(uncounted.code == 2 && uncounted.stderr.contains("--pods"), "{uncounted:?}");
    if !there("manifests_keep_to_the_published_schemas", "kubernetes-validate --help") {
        return;
    }
    let overlaid = overlaid(&printed.stdout);
    for printed in [printed.stdout, workers.stdout].into_iter().chain(overlaid) {
        let file = folder(&[("lite.yaml", &printed)]);
        let told = Command::new("kubernetes-validate")
            .arg("--strict")
            .arg(file.path().join("lite.yaml"))
            .output()
            .unwrap();
        assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
    }
}

/// What the example of an overlay makes of manifests; none where there is no kubectl with Kustomize 5, which Debian does not have.
fn overlaid(manifests: &str) -> Option<String> {
    let version = Command::new("kubectl").args(["version", "--client"]).output().ok()?;
    if !String::from_utf8_lossy(&version.stdout).contains("Kustomize Version: v5") {
        println!("skipped: the overlay needs kubectl with Kustomize 5");
        return None;
    }
    let overlay = std::fs::read_to_string(root().join("runs/docs/kubernetes/kustomization.yaml")).unwrap();
    let overlay = folder(&[("kustomization.yaml", &overlay), ("lite.yaml", manifests)]);
    let done = Command::new("kubectl").arg("kustomize").arg(overlay.path()).output().unwrap();
    let text = String::from_utf8(done.stdout).unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    for line in ["namespace: benchmarks", "storageClassName: shared", "priorityClassName: preemptible"] {
        assert!(text.contains(line), "{line}: {text}");
    }
    Some(text)
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn the_command_of_a_pod_works_on_its_part_and_goes_on() {
    let (suite, volume) = (suite(), folder(&[]));
    let printed = manifests(suite.path(), &["--case", "first,sound"]);
    let line =
        printed.stdout.lines().find_map(|line| line.trim().strip_prefix("command: [/bin/sh, -c, ")).unwrap();
    let command: String = serde_json::from_str(line.strip_suffix(']').unwrap()).unwrap();
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_patchwright"));
    let command = command.replace("$$", "$").replace("/runs/", &format!("{}/", volume.path().display()));
    let pod = |index: u32| -> Run {
        let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
        let mut pod = Command::new("/bin/sh");
        pod.args(["-c", &command]).env("PATH", path).env("JOB_COMPLETION_INDEX", index.to_string());
        pod.stdin(Stdio::null()).output().unwrap().into()
    };
    for index in [0, 1] {
        let worked = pod(index);
        assert_eq!(worked.code, 0, "{worked:?}");
    }
    let again = pod(1);
    assert!(again.code == 0 && again.stderr.contains("resumed, 0 cases to do"), "{again:?}");
    let status = run(&["bench", "status", volume.path().join("lite").to_str().unwrap(), "--json"]).json();
    assert_eq!(
        (&status["progress"]["done"], &status["progress"]["solved"]),
        (&json!(2), &json!(1)),
        "{status}"
    );
    assert_eq!(status["waiting"], Value::Array(Vec::new()));
}
