//! Secrets of the environment: no test sees them, and nothing shows them.

use serde_json::json;

use crate::kit::{Model, Run, call, fix, folder, goal, hypothesis, lines_with, program, prompt_text};

/// A password that stands in the project too.
const PASSWORD: &str = "Hunter-22/\"quoted\"";
/// Its name tells of nothing.
const TOKEN: &str = "ghp_0123456789abcdefghijABCDEFGHIJ";
/// Remote shells hand variables of such names on.
const HANDED_ON: &str = "handed-on-4711";
/// The project's settings name it.
const NAMED: &str = "named-4711";

const VARIABLES: [(&str, &str); 3] =
    [("SHOP_PASSWORD", PASSWORD), ("MYSTERY", TOKEN), ("LC_DEPLOY_TOKEN", HANDED_ON)];

/// A project with a password beside its bug, and a test that tells all it knows.
fn project() -> tempfile::TempDir {
    let quoted = json!(PASSWORD);
    folder(&[
        ("patchwright.toml", &format!("[env]\nBUILD_TOKEN = \"{NAMED}\"\n")),
        (
            "shop/prices.py",
            &format!("PASSWORD = {quoted}\n\ndef total(prices):\n    return sum(prices) - 1\n"),
        ),
        ("shop/__init__.py", ""),
        (
            "tests/test_prices.py",
            "import glob\nimport os\nimport unittest\n\nfrom shop import prices\n\n\ndef everything():\n    \
             told = [prices.PASSWORD, os.environ['BUILD_TOKEN'], repr(sorted(os.environ.items()))]\n    \
             for path in glob.glob('/proc/[0-9]*/environ'):\n        try:\n            \
             with open(path, 'rb') as file:\n                told.append(repr(file.read()))\n        \
             except OSError:\n            pass\n    return ' '.join(told)\n\n\n\
             class PricesTest(unittest.TestCase):\n    def test_total(self):\n        print(everything())\n        \
             self.assertEqual(prices.total([1, 2]), 3, everything())\n",
        ),
        ("tests/__init__.py", ""),
    ])
}

#[test]
fn what_looks_like_a_secret_is_neither_handed_on_nor_shown() {
    let project = project();
    let model = Model::saying(&[
        hypothesis(),
        call("read_range", json!({"file_path": "shop/prices.py", "start_line": 1, "end_line": 4})),
        fix("shop/prices.py", 4, "    return sum(prices)"),
        goal(),
    ]);
    let words = model.words(project.path(), &["--out", "out"]);
    let words = words.iter().filter(|word| *word != "--json");
    let run: Run = program().args(words).envs(VARIABLES).current_dir(project.path()).output().unwrap().into();
    assert_eq!(run.code, 0, "{run:?}");

    let read = |name: &str| std::fs::read_to_string(project.path().join("out").join(name)).unwrap();
    let (recording, result) = (read("trajectory.jsonl"), read("result.json"));
    let requests: Vec<String> = model.requests().iter().map(prompt_text).collect();
    let sent = requests.join("\n");
    for (place, text) in [
        ("stdout", &run.stdout),
        ("stderr", &run.stderr),
        ("the recording", &recording),
        ("the result", &result),
        ("a prompt", &sent),
    ] {
        for secret in [PASSWORD, "Hunter", TOKEN, HANDED_ON, NAMED] {
            assert!(!text.contains(secret), "{place} shows {secret}: {text}");
        }
        for (name, _) in VARIABLES {
            assert!(!text.contains(name), "{place} tells that a test saw {name}: {text}");
        }
    }
    assert!(sent.contains("PASSWORD = \"[redacted]\""), "{sent}");
    assert!(sent.contains("'BUILD_TOKEN', '[redacted]'"), "what the user names is handed on: {sent}");

    let log = patchwright_trajectory::read(&project.path().join("out/trajectory.jsonl")).unwrap();
    let recorded: Vec<String> = log
        .prompts()
        .unwrap()
        .iter()
        .map(|prompt| {
            prompt.messages.iter().map(|message| message.text.as_str()).collect::<Vec<_>>().join("\n")
        })
        .collect();
    assert_eq!(recorded, requests, "prompts are recorded as they are sent");

    insta::assert_snapshot!("patch_with_a_secret", lines_with(&run.stderr, "patch.diff"));
    let applied = std::process::Command::new("git")
        .args(["apply", "out/patch.diff"])
        .current_dir(project.path())
        .output()
        .unwrap();
    assert!(applied.status.success(), "{applied:?}");
    let repaired = std::fs::read_to_string(project.path().join("shop/prices.py")).unwrap();
    assert!(repaired.contains("Hunter") && repaired.ends_with("return sum(prices)\n"), "{repaired}");
}

#[test]
fn doctor_names_what_is_withheld() {
    let doctor = |words: &[&str]| -> Run {
        program().arg("doctor").args(words).envs(VARIABLES).output().unwrap().into()
    };
    let (text, json) = (doctor(&[]), doctor(&["--json"]));
    let withheld = json.json()["withheld"].clone();
    for (name, value) in VARIABLES {
        assert!(withheld.as_array().unwrap().contains(&json!(name)), "{withheld}");
        assert!(!format!("{text:?}{json:?}").contains(value), "{text:?}");
    }
    let line = text.stdout.lines().find(|line| line.starts_with("secrets: ")).unwrap();
    let named: Vec<&str> = line.rsplit(": ").next().unwrap().split(", ").collect();
    assert_eq!(json!(named), withheld, "{line}");
}
