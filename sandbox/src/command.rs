//! A command to be run, and its bounds.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use crate::error::SandboxError;

/// One command for a sandbox: a line for `sh -c`, run in a folder of a lane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// The command line, run by `sh -c`. Its standard input is empty.
    pub line: String,
    /// The working folder, relative to the lane's root; empty means the root itself.
    pub dir: PathBuf,
    /// Variables added to the sandbox's clean environment. They win over it.
    pub env: BTreeMap<String, String>,
    /// The bounds within which the command runs.
    pub limits: CommandLimits,
    /// The network may be reached. Off unless a case needs it and says so.
    pub network: bool,
    /// Files or folders, relative to the lane's root, that must be readable on the host afterwards.
    /// Where the lane itself is mounted in the sandbox this asks for nothing.
    pub outputs: Vec<String>,
}

impl Command {
    /// A command in the lane's root with the default limits, no network and no further variables.
    pub fn new(line: impl Into<String>) -> Self {
        Self {
            line: line.into(),
            dir: PathBuf::new(),
            env: BTreeMap::new(),
            limits: CommandLimits::default(),
            network: false,
            outputs: Vec::new(),
        }
    }

    /// Refuses what no sandbox can run: a folder or an output outside the lane, text with a zero byte, a folder that is not there.
    /// Gives the folder in which the command is to run.
    pub(crate) fn check(&self, lane: &Path) -> Result<PathBuf, SandboxError> {
        let wrong = |reason: String| Err(SandboxError::Command { reason });
        if !stays_inside(&self.dir) {
            return wrong(format!("the folder {} is outside the lane", self.dir.display()));
        }
        if let Some(output) = self.outputs.iter().find(|output| !stays_inside(Path::new(output))) {
            return wrong(format!("the output {output:?} is outside the lane"));
        }
        let variables = self.env.iter().flat_map(|(name, value)| [name, value]);
        if std::iter::once(&self.line).chain(variables).any(|text| text.contains('\0')) {
            return wrong("it contains a zero byte".to_owned());
        }
        if let Some(name) = self.env.keys().find(|name| name.is_empty() || name.contains('=')) {
            return wrong(format!("{name:?} is no name of a variable"));
        }
        let dir = lane.join(&self.dir);
        if lane.is_absolute() && dir.is_dir() {
            Ok(dir)
        } else {
            Err(SandboxError::lane(lane, format!("there is no folder {}", dir.display())))
        }
    }
}

/// Threads that may exist for each process that may.
pub(crate) const THREADS_PER_PROCESS: u64 = 8;

/// The bounds of one command. Every sandbox keeps the time and the output; how memory and processes are
/// kept is told by [`Sandbox::describe`](crate::Sandbox::describe).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommandLimits {
    /// Wall-clock time, after which the whole process tree is ended.
    pub time: Duration,
    /// Memory of the whole process tree, in bytes.
    pub memory_bytes: u64,
    /// Bytes that it may write onto disks: into the lane, where temporary files are no memory into their folders too.
    pub disk_bytes: u64,
    /// Number of processes that may exist at once. Processes and their threads together may be eight times as
    /// many: what the kernel can bound is their sum.
    pub processes: u32,
    /// Bytes kept of each output stream: one half from its head, one half from its tail.
    pub output_bytes: usize,
}

impl Default for CommandLimits {
    /// Ten minutes, 4 GiB of memory and 8 of the disk, 512 processes, 1 MiB of each stream.
    fn default() -> Self {
        Self {
            time: Duration::from_mins(10),
            memory_bytes: 4 << 30,
            disk_bytes: 8 << 30,
            processes: 512,
            output_bytes: 1 << 20,
        }
    }
}

/// Is true if a path is relative and never climbs.
fn stays_inside(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}
