//! The last commits of repositories, whose folders stand in `PATCHWRIGHT_HISTORIES`, with colons between them.

use std::io::{BufRead, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::git::git;
use crate::diff::Patch;

/// What stands above each commit.
const COMMIT: &str = "@@@commit ";

/// A git that gives contents by their names.
struct Contents {
    child: Child,
}

impl Contents {
    fn of(repository: &Path) -> Self {
        let mut command = Command::new("git");
        command.args(["cat-file", "--batch"]).current_dir(repository);
        Self { child: command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap() }
    }

    /// The content of a name; nothing for the name of no file.
    fn get(&mut self, name: &str, out: &mut impl BufRead) -> Option<Vec<u8>> {
        if name.bytes().all(|digit| digit == b'0') {
            return Some(Vec::new());
        }
        writeln!(self.child.stdin.as_mut().unwrap(), "{name}").unwrap();
        let mut head = String::new();
        out.read_line(&mut head).unwrap();
        let size: usize = head.trim().split(' ').nth(2)?.parse().unwrap();
        let mut content = vec![0; size + 1];
        out.read_exact(&mut content).unwrap();
        content.pop();
        Some(content)
    }
}

#[test]
#[allow(clippy::print_stderr, reason = "its figures are for whoever runs it")]
fn commits_are_read_applied_and_written() {
    let Some(repositories) = std::env::var_os("PATCHWRIGHT_HISTORIES") else {
        eprintln!("skipped: PATCHWRIGHT_HISTORIES names no repositories");
        return;
    };
    for repository in std::env::split_paths(&repositories) {
        let format = format!("--format={COMMIT}%H");
        let log = ["log", "-500", "--no-merges", "--patch", "--binary", "--full-index", &format];
        let log = git(&repository, &log);
        let mut contents = Contents::of(&repository);
        let mut out = BufReader::new(contents.child.stdout.take().unwrap());
        let (mut commits, mut files, mut applied) = (0, 0, 0);
        let mut rest = log.as_slice();
        while let Some(commit) = rest.strip_prefix(COMMIT.as_bytes()) {
            let next = memchr::memmem::find(commit, format!("\n{COMMIT}").as_bytes());
            let (one, others) = commit.split_at(next.map_or(commit.len(), |at| at + 1));
            let start = memchr::memmem::find(one, b"diff --git ").unwrap_or(one.len());
            let (name, diff) = one.split_at(start);
            let name = String::from_utf8_lossy(name);
            let patch = Patch::parse(diff).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(patch.to_bytes() == diff, "{name}: {}", String::from_utf8_lossy(&patch.to_bytes()));
            for file in patch.files.iter().filter(|file| file.binary.is_none()) {
                let Some((old, new)) = &file.blobs else { continue };
                let Some((old, new)) = contents.get(old, &mut out).zip(contents.get(new, &mut out)) else {
                    continue;
                };
                assert!(file.applied(&old).unwrap() == new, "{name}: {:?}", file.new);
                applied += 1;
            }
            (commits, files, rest) = (commits + 1, files + patch.files.len(), others);
        }
        contents.child.kill().unwrap();
        contents.child.wait().unwrap();
        assert!(commits > 0, "{}", repository.display());
        eprintln!("{}: {commits} commits, {files} files, {applied} applied", repository.display());
    }
}
