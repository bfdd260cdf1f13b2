//! What the tests of every kind share.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use patchwright_sandbox::{Command, CommandOutcome, RequestedSandbox, Sandbox, SandboxRequest, choose};
use tempfile::TempDir;

/// A lane with a space in its path, in a folder of its own.
pub struct Lane {
    pub path: PathBuf,
    _folder: TempDir,
}

pub fn lane() -> Lane {
    let folder = TempDir::new().unwrap();
    let path = folder.path().canonicalize().unwrap().join("the lane");
    std::fs::create_dir(&path).unwrap();
    Lane { path, _folder: folder }
}

impl Lane {
    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path.join(name)).unwrap()
    }
}

pub async fn open(wanted: RequestedSandbox) -> Arc<dyn Sandbox> {
    let request = SandboxRequest { wanted, session: "test".to_owned(), ..SandboxRequest::default() };
    choose(&request).await.unwrap_or_else(|error| panic!("{wanted:?}: {error}")).sandbox
}

/// A command with a time limit that no test should reach.
pub fn command(line: &str) -> Command {
    let mut command = Command::new(line);
    command.limits.time = Duration::from_mins(1);
    command
}

pub async fn run(sandbox: &dyn Sandbox, lane: &Path, line: &str) -> CommandOutcome {
    sandbox.run(lane, &command(line)).await.unwrap_or_else(|error| panic!("{line}: {error}"))
}

/// A command that sleeps for a day, with words that no other process has.
pub fn unique_sleep() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("sleep 86400.{}{:04}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Whether the tests run as root.
pub fn is_root() -> bool {
    std::fs::metadata("/proc/self").unwrap().uid() == 0
}

/// The processes of this machine whose command line contains `words`.
pub fn processes_with(words: &str) -> Vec<String> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = entries.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    let texts = lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " "));
    texts.filter(|text| text.contains(words)).collect()
}

/// Waits until `condition` holds; the test fails when it does not within a generous time.
pub async fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < Duration::from_mins(1), "never: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
