//! The built-in fix patterns as the driver: no model, no key, no network.

use std::path::Path;

use serde_json::Value;

use crate::kit::{
    BUGGY_LINE, FIX, changed, events, folder, named, notices, pause, program, project, run, snapshot,
};

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn without_a_model_the_fix_patterns_decide() {
    let project = project();
    let before = snapshot(project.path());
    let out = folder(&[]);
    let folder = out.path().join("session");
    let words = ["repair", text(project.path()), "--json", "--out", text(&folder)];
    let run = run(&words);
    assert_eq!(run.code, 0, "{run:?}");
    let result = run.json();
    assert_eq!((&result["status"], &result["model"]), (&"plausible".into(), &"patterns".into()), "{result}");
    let patch = result["patch"].as_str().unwrap();
    assert_eq!(changed(patch), FIX);
    let best = &result["patches"][0];
    assert_eq!(best["patch"], result["patch"]);
    let place = format!("bank/account.py:{BUGGY_LINE}");
    assert_eq!(best["place"], place.as_str(), "{best}");
    assert!(best["pattern"].is_string() && best["what"].as_str().unwrap().contains('>'), "{best}");
    assert!(best.get("overfit").is_none(), "{best}");
    assert_eq!(result["cost_usd"], 0.0);
    assert_eq!(result["tokens"]["output"], 0);
    assert!(run.stderr.contains(&place), "{run:?}");
    assert_eq!(snapshot(project.path()), before);

    // A recording of it drives the same session again.
    let trajectory = folder.join("trajectory.jsonl");
    let check = crate::kit::run(&["replay", "check", text(&trajectory), "--dir", text(project.path())]);
    assert_eq!(check.code, 0, "{check:?}");
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn candidates_are_heard_of_in_the_same_order_however_many_lanes_there_are() {
    let tried = |lanes: &str| {
        let project = project();
        let run = run(&["repair", text(project.path()), "--lanes", lanes]);
        assert_eq!(run.code, 0, "{run:?}");
        let events = events(project.path());
        let of = |name: &str, field: &str| -> Vec<Value> {
            named(&events, name).iter().map(|event| event[field].clone()).collect()
        };
        (of("candidate", "diff"), of("verdict", "verdict"))
    };
    assert_eq!(tried("1"), tried("3"));
}

#[test]
fn deletions_come_last_and_are_marked() {
    let project = folder(&[
        ("tally/__init__.py", ""),
        (
            "tally/count.py",
            "def total(values):\n    \"\"\"The sum of the values.\"\"\"\n    result = 0\n    for value in values:\n        result += value\n    \
             forget(result)\n    return result\n\n\ndef forget(result):\n    \"\"\"Is not supported yet.\"\"\"\n    \
             raise NotImplementedError(result)\n",
        ),
        ("tests/__init__.py", ""),
        (
            "tests/test_count.py",
            "import unittest\n\nfrom tally.count import forget, total\n\n\nclass CountTest(unittest.TestCase):\n    \
             def test_total(self):\n        self.assertEqual(total([1, 2, 4]), 7)\n\n    \
             def test_nothing(self):\n        self.assertEqual(total([]), 0)\n\n    \
             def test_forget(self):\n        with self.assertRaises(NotImplementedError):\n            forget(1)\n",
        ),
    ]);
    let run = run(&["repair", text(project.path()), "--json"]);
    let result = run.json();
    let patches = result["patches"].as_array().unwrap();
    let marked: Vec<bool> = patches.iter().map(|patch| patch.get("overfit").is_some()).collect();
    assert!(marked.is_sorted(), "{result}");
    let events = events(project.path());
    let remarks: Vec<bool> =
        named(&events, "candidate").iter().map(|event| event["remark"].get("overfit").is_some()).collect();
    assert!(!remarks.is_empty() && remarks.is_sorted(), "marked candidates come last: {remarks:?}");
}

#[test]
fn a_bug_beyond_the_patterns_ends_without_a_patch() {
    let project = folder(&[
        ("words/__init__.py", ""),
        (
            "words/spell.py",
            "def spell(number):\n    \"\"\"A number in words.\"\"\"\n    return str(number)\n",
        ),
        ("tests/__init__.py", ""),
        (
            "tests/test_spell.py",
            "import unittest\n\nfrom words.spell import spell\n\n\nclass SpellTest(unittest.TestCase):\n    \
             def test_spell(self):\n        self.assertEqual(spell(21), 'twenty-one')\n        \
             self.assertEqual(spell(7), 'seven')\n",
        ),
    ]);
    let run = run(&["repair", text(project.path()), "--json"]);
    assert_eq!(run.code, 1, "{run:?}");
    let result = run.json();
    assert_eq!(result["status"], "no_fix", "{result}");
    assert!(result["reason"].as_str().unwrap().contains("fix patterns"), "{result}");
    assert_eq!(result["patches"].as_array().unwrap().len(), 0);
}

#[test]
fn ctrl_c_leaves_nothing_running_and_no_lane() {
    let project = folder(&[
        ("slow/__init__.py", ""),
        (
            "slow/wait.py",
            "def wait(count):\n    while count > 0:\n        count -= 1\n    return count + 1\n",
        ),
        ("tests/__init__.py", ""),
        (
            "tests/test_wait.py",
            "import unittest\n\nfrom slow.wait import wait\n\n\nclass WaitTest(unittest.TestCase):\n    \
             def test_wait(self):\n        self.assertEqual(wait(3), 'never')\n",
        ),
    ]);
    let lanes = folder(&[]);
    let child = program()
        .args(["repair", text(project.path()), "--json"])
        .env("PATCHWRIGHT_LANES", lanes.path())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let started = std::time::Instant::now();
    let sessions = project.path().join(".patchwright/sessions");
    let trying = || {
        let session = sessions.read_dir().ok()?.next()?.ok()?.path();
        let text = std::fs::read_to_string(session.join("trajectory.jsonl")).ok()?;
        text.contains("\"event\":\"verdict\"").then_some(())
    };
    while trying().is_none() {
        assert!(started.elapsed().as_secs() < 120, "no candidate was tried");
        pause();
    }
    let killed = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert_eq!(lanes.path().read_dir().unwrap().count(), 0, "no lane is left");
    let left = std::process::Command::new("pgrep").args(["-f", text(lanes.path())]).output().unwrap();
    assert!(left.stdout.is_empty(), "something of the session still runs: {left:?}");
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn tests_that_need_others_before_them_do_not_mislead() {
    // `test_b` needs what `test_a` leaves, and so does `test_c`, which passes before any change.
    let project = folder(&[
        ("bank/__init__.py", ""),
        (
            "bank/ledger.py",
            "BALANCES = {}\n\n\ndef deposit(name, amount):\n    \"\"\"Puts money on an account.\"\"\"\n    \
             BALANCES[name] = BALANCES.get(name, 0) + amount\n\n\ndef fee(name):\n    \"\"\"A tenth of what is there.\"\"\"\n    \
             return BALANCES[name] // 10 + 1\n",
        ),
        ("tests/__init__.py", ""),
        (
            "tests/test_ledger.py",
            "import unittest\n\nfrom bank.ledger import BALANCES, deposit, fee\n\n\nclass LedgerTest(unittest.TestCase):\n    \
             def test_a_deposit(self):\n        deposit('x', 100)\n        self.assertEqual(BALANCES['x'], 100)\n\n    \
             def test_b_fee(self):\n        self.assertEqual(fee('x'), 10)\n\n    \
             def test_c_small(self):\n        self.assertLess(fee('x'), BALANCES['x'])\n",
        ),
    ]);
    let run = run(&["repair", text(project.path()), "--json"]);
    assert_eq!(run.code, 0, "{run:?}");
    insta::assert_snapshot!("order_matters", notices(&events(project.path()), "warning"));
}
