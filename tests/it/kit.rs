//! What the tests share: small projects, a scripted model, and runs of the program.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Write;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;
use std::time::Duration;

use crate::scripted::{ReceivedRequest, Server, Step};
use serde_json::{Value, json};

/// The repository's root.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// A module with a bug in one function.
pub const ACCOUNT: &str = "class Account:\n    def __init__(self, balance=0):\n        self.balance = balance\n\n    \
                           def withdraw(self, amount):\n        if amount >= self.balance:\n            \
                           raise ValueError(\"not enough\")\n        self.balance -= amount\n        return self.balance\n";

/// The same without the bug.
pub static REPAIRED: LazyLock<String> = LazyLock::new(|| ACCOUNT.replace(">=", ">"));

/// A project with a bug in one function and tests by `unittest`.
pub fn project() -> tempfile::TempDir {
    folder(&[
        ("bank/account.py", ACCOUNT),
        ("bank/__init__.py", ""),
        (
            "tests/test_account.py",
            "import unittest\n\nfrom bank.account import Account\n\n\nclass AccountTest(unittest.TestCase):\n    \
             def setUp(self):\n        self.account = Account(100)\n\n    \
             def test_withdraws_a_part(self):\n        self.assertEqual(self.account.withdraw(30), 70)\n\n    \
             def test_withdraws_all(self):\n        self.assertEqual(self.account.withdraw(100), 0)\n\n    \
             def test_refuses_more(self):\n        with self.assertRaises(ValueError):\n            \
             self.account.withdraw(101)\n",
        ),
        ("tests/__init__.py", ""),
    ])
}

/// The line of [`project`] that holds the bug.
pub const BUGGY_LINE: u32 = 6;

/// A folder with these files.
pub fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        write(&folder.path().join(name), text.as_bytes());
    }
    folder
}

/// Writes a file and the folders above it.
pub fn write(path: &Path, bytes: &[u8]) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
}

/// All files below a folder with their bytes, without what the program itself keeps in `.patchwright`.
pub fn snapshot(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in next.read_dir().unwrap().map(Result::unwrap) {
            let path = entry.path();
            if entry.file_name() == ".patchwright" {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else {
                files.insert(path.strip_prefix(folder).unwrap().to_owned(), std::fs::read(&path).unwrap());
            }
        }
    }
    files
}

/// Where programs are found: Python itself before what pyenv puts in its place, which takes longer to start than most tests take.
static PATH: LazyLock<OsString> = LazyLock::new(|| {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let first = folders.iter().find(|folder| folder.join("python3").exists());
    if first.is_none_or(|folder| !folder.ends_with("shims")) {
        return path;
    }
    let line = "import os, sys; print(os.path.dirname(sys.executable), end='')";
    let python = Command::new("python3").args(["-c", line]).output().unwrap().stdout;
    std::env::join_paths([OsString::from_vec(python).into()].iter().chain(&folders)).unwrap()
});

/// The program, in an environment without the user's settings and keys.
pub fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_patchwright"));
    command.env("PATH", &*PATH);
    for variable in ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "PATCHWRIGHT_API_KEY", "PATCHWRIGHT_KEY_FILE"] {
        command.env_remove(variable);
    }
    // Nothing is remembered from one test to another.
    command.env("PATCHWRIGHT_CACHE", "/dev/null/cache");
    command.env("PATCHWRIGHT_CONFIG", "/nonexistent/patchwright.toml").env("NO_COLOR", "1");
    command.stdin(Stdio::null());
    command
}

/// Yields between two checks of what the program has done. A test that spins would take one of two cores from it.
pub fn pause() {
    std::thread::park_timeout(Duration::from_millis(10));
}

/// What a run of the program came to.
#[derive(Debug)]
pub struct Run {
    /// The exit code.
    pub code: i32,
    /// What it printed.
    pub stdout: String,
    /// What it told.
    pub stderr: String,
}

impl Run {
    /// The result of `repair --json`.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// Runs the program with these words.
pub fn run(words: &[&str]) -> Run {
    program().args(words).output().unwrap().into()
}

/// Runs the program with these words and this standard input.
pub fn run_with_input(words: &[&str], input: &str) -> Run {
    let mut child = program()
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that refuses its words does not read.
    match child.stdin.take().unwrap().write_all(input.as_bytes()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => {}
        written => written.unwrap(),
    }
    child.wait_with_output().unwrap().into()
}

/// A model that answers these texts one after the other, and the program's words to use it.
pub struct Model {
    runtime: tokio::runtime::Runtime,
    server: Server,
}

impl Model {
    /// A model that takes these steps.
    pub fn of(steps: Vec<Step>) -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let server = runtime.block_on(Server::start(steps)).unwrap();
        Self { runtime, server }
    }

    /// A model that takes the step which a function of its request gives.
    pub fn answering(answer: impl Fn(&Value) -> Step + Send + Sync + 'static) -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let steps = move |request: ReceivedRequest| std::future::ready(answer(&request.body));
        let server = runtime.block_on(Server::answering(steps)).unwrap();
        Self { runtime, server }
    }

    /// The same, each answer so much later.
    pub fn answering_after(delay: Duration, answer: impl Fn(&Value) -> Step + Send + Sync + 'static) -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let steps = move |request: ReceivedRequest| {
            let step = answer(&request.body);
            async move {
                tokio::time::sleep(delay).await;
                step
            }
        };
        let server = runtime.block_on(Server::answering(steps)).unwrap();
        Self { runtime, server }
    }

    /// A model that answers these texts.
    pub fn saying(texts: &[String]) -> Self {
        Self::of(texts.iter().map(|text| Step::Answer { text: text.clone() }).collect())
    }

    /// Runs `repair` on a project with this model; variants are off unless the words turn them on.
    pub fn repair(&self, project: &Path, words: &[&str]) -> Run {
        program().args(self.words(project, words)).output().unwrap().into()
    }

    /// Runs `repair` with this model under another name, which decides on the wire format.
    pub fn repair_by(&self, name: &str, project: &Path, words: &[&str]) -> Run {
        let named = self.words(project, words).into_iter().map(|word| match word.as_str() {
            "compatible/scripted" => name.to_owned(),
            _ => word,
        });
        program().args(named).output().unwrap().into()
    }

    /// Runs `test` on a project with this model.
    pub fn test(&self, project: &Path, words: &[&str]) -> Run {
        program().args(self.words_of("test", project, words)).output().unwrap().into()
    }

    /// The words of a `repair` with this model.
    pub fn words(&self, project: &Path, words: &[&str]) -> Vec<String> {
        let variants: &[&str] = if words.contains(&"--variants") { &[] } else { &["--variants", "0"] };
        self.words_of("repair", project, &[variants, words].concat())
    }

    /// The base URL of its service.
    pub fn url(&self) -> String {
        self.server.base_url()
    }

    /// The words by which `bench run` and `bench resume` ask this model.
    pub fn of_runs(&self) -> Vec<String> {
        let url = self.server.base_url();
        ["--model", "compatible/scripted", "--base-url", &url].map(str::to_owned).to_vec()
    }

    /// The words of a command with this model.
    fn words_of(&self, command: &str, project: &Path, words: &[&str]) -> Vec<String> {
        let url = self.server.base_url();
        let project = project.to_str().unwrap();
        [command, project, "--model", "compatible/scripted", "--base-url", &url, "--json"]
            .iter()
            .chain(words)
            .map(|word| (*word).to_owned())
            .collect()
    }

    /// The bodies of the requests so far.
    pub fn requests(&self) -> Vec<Value> {
        self.server.requests().into_iter().map(|request| request.body).collect()
    }

    /// The text of the last prompt.
    pub fn last_prompt(&self) -> String {
        prompt_text(self.requests().last().unwrap())
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        self.runtime.block_on(async { tokio::task::yield_now().await });
    }
}

/// All messages of a request as one text.
pub fn prompt_text(request: &Value) -> String {
    let messages = request["messages"].as_array().unwrap();
    let texts: Vec<_> =
        messages.iter().map(|message| message["content"].as_str().unwrap_or_default()).collect();
    texts.join("\n")
}

/// What [`good_fix`] takes away and adds.
pub const FIX: [&str; 2] = ["-        if amount >= self.balance:", "+        if amount > self.balance:"];

/// The lines that a diff takes away and adds.
pub fn changed(diff: &str) -> Vec<&str> {
    let is_changed =
        |line: &&str| line.starts_with(['-', '+']) && !line.starts_with("---") && !line.starts_with("+++");
    diff.lines().filter(is_changed).collect()
}

/// A text without its numbers, for what differs from run to run.
pub fn without_numbers(text: &str) -> String {
    regex::Regex::new(r"[0-9]+([.][0-9]+)?").unwrap().replace_all(text, "N").into_owned()
}

/// A text without the place of a folder.
pub fn without_place(text: &str, folder: &Path) -> String {
    text.replace(folder.to_str().unwrap(), "FOLDER")
}

/// The lines of a text that hold these words: at least one.
pub fn lines_with(text: &str, words: &str) -> String {
    let found: Vec<&str> = text.lines().filter(|line| line.contains(words)).collect();
    assert!(!found.is_empty(), "`{words}` is missing in\n{text}");
    found.join("\n")
}

/// What the notices of a session tell.
pub fn notices(events: &[Value], level: &str) -> String {
    let told = named(events, "notice").into_iter().filter(|notice| notice["level"] == level);
    told.map(|notice| notice["text"].as_str().unwrap()).collect::<Vec<_>>().join("\n")
}

/// A reply that calls a tool.
pub fn call(tool: &str, arguments: Value) -> String {
    json!({"thoughts": "let me see", "command": {"name": tool, "args": arguments}}).to_string()
}

/// A reply that states the hypothesis which [`project`]'s bug is about.
pub fn hypothesis() -> String {
    call("express_hypothesis", json!({"hypothesis": "the bound in withdraw is off by one"}))
}

/// A fix that replaces one line of a file.
pub fn fix(path: &str, line: u32, text: &str) -> String {
    let edit = json!({"file_path": path, "modifications": [{"line_number": line, "modified_line": text}]});
    call("write_fix", json!({"edits": [edit]}))
}

/// The fix of [`project`].
pub fn good_fix() -> String {
    fix("bank/account.py", BUGGY_LINE, "        if amount > self.balance:")
}

/// The end of a session.
pub fn goal() -> String {
    call("goal_accomplished", json!({"reason": "the tests pass"}))
}

/// Checks that the recording of a project's only session, replayed, is the same; where it lies.
pub fn replayed(project: &Path) -> PathBuf {
    let sessions = project.join(".patchwright/sessions");
    let session = sessions.read_dir().unwrap().next().unwrap().unwrap().path();
    let file = session.join("trajectory.jsonl");
    let replay = run(&["replay", "check", file.to_str().unwrap()]);
    assert_eq!(replay.code, 0, "{replay:?}");
    assert!(replay.stdout.contains("the same as the recording"), "{replay:?}");
    file
}

/// The events of the only session of a project.
pub fn events(project: &Path) -> Vec<Value> {
    let sessions = project.join(".patchwright/sessions");
    let session = sessions.read_dir().unwrap().next().unwrap().unwrap().path();
    events_in(&session.join("trajectory.jsonl"))
}

/// The events of a trajectory; one that was cut while it was written is left out.
pub fn events_in(trajectory: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(trajectory).unwrap();
    let cut = usize::from(!text.ends_with('\n'));
    let lines: Vec<&str> = text.lines().collect();
    lines[..lines.len() - cut.min(lines.len())]
        .iter()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The events of one name.
pub fn named<'a>(events: &'a [Value], name: &str) -> Vec<&'a Value> {
    events.iter().filter(|event| event["event"] == name).collect()
}

/// Whether what a test needs is here, by a question to the shell. In CI what is missing is a failure; elsewhere the test says that it is skipped.
pub fn there(test: &str, question: &str) -> bool {
    let found = Command::new("sh").args(["-c", &format!("({question}) >/dev/null 2>&1")]).status().unwrap();
    assert!(found.success() || std::env::var_os("CI").is_none(), "CI lacks what {test} needs: {question}");
    if !found.success() {
        println!("skipped: {test} needs `{question}`");
    }
    found.success()
}
