//! Sandboxes that run the host's own tool chain: in namespaces, under Landlock alone, or on the bare host.
//!
//! The three differ in what the first process of a command gives up; they start, watch and end it alike.
//! Processes are made by `hakoniwa`, chosen over a program such as bubblewrap because there is nothing to
//! install, and over raw system calls because it keeps the order of a dozen delicate ones right.

mod check;
mod enter;
mod file_changes;
mod groups;
mod landlock;
mod launch;
mod listener;
mod mounts;
mod private;
mod processes;
mod report;
mod seal;
mod supervise;
mod tag;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, PipeWriter};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use async_trait::async_trait;
use groups::Groups;
use launch::Launch;
use mounts::View;
use processes::{Snapshot, kill};
use seccompiler::BpfProgram;
use supervise::SupervisionEnd;
use tag::Tag;
use tempfile::TempDir;
use tokio::sync::oneshot;

use crate::command::Command;
use crate::environment;
use crate::error::SandboxError;
use crate::kind::SandboxKind;
use crate::outcome::CommandOutcome;
use crate::request::ProjectPlace;
use crate::sandbox::Sandbox;
use crate::scratch;
use crate::seccomp::{self, OtherIsolation, WatchedCalls};
use crate::toolchain::Toolchain;
use crate::volume::Volumes;
pub(crate) use check::check;
pub(crate) use landlock::level as landlock_level;

/// The time for which dropping a running command waits for the end of its processes.
const ABANDON_WITHIN: Duration = Duration::from_secs(10);

/// Rounds of looking for leftovers, at most.
const SWEEPS: usize = 10;
/// The level of Landlock's interface that knows TCP.
const TCP_LEVEL: u32 = 4;
/// The level of Landlock's interface that knows signals.
const SIGNAL_LEVEL: u32 = 6;

/// A sandbox on this machine, without a container engine.
pub(crate) struct Local {
    kind: LocalKind,
    view: View,
    environment: BTreeMap<String, String>,
    /// The level of Landlock's interface, where the kernel has it.
    landlock: Option<u32>,
    /// Where the kernel counts the memory of each command.
    groups: Option<Groups>,
    /// The maker of lanes of a bounded size.
    volumes: Option<Volumes>,
    scratch: TempDir,
}

/// The kinds that this module builds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LocalKind {
    /// Namespaces, and Landlock where the kernel has it.
    Namespaces,
    /// Landlock without namespaces.
    Landlock,
    /// Limits only.
    Host,
}

impl LocalKind {
    /// Where lanes and scratch folders lie, out of reach of commands that they are not made for.
    fn work_folder(self) -> PathBuf {
        match self {
            Self::Landlock => scratch::apart(),
            Self::Namespaces | Self::Host => std::env::temp_dir(),
        }
    }
}

impl From<LocalKind> for SandboxKind {
    fn from(kind: LocalKind) -> Self {
        match kind {
            LocalKind::Namespaces => Self::Namespaces,
            LocalKind::Landlock => Self::Landlock,
            LocalKind::Host => Self::Host,
        }
    }
}

impl Local {
    /// A sandbox that shows this process's tool chain, and `readable` besides, with lanes in the place of the `project`.
    pub(crate) fn new(
        kind: LocalKind,
        readable: &[PathBuf],
        project: Option<ProjectPlace>,
    ) -> Result<Self, SandboxError> {
        let text =
            |(name, value): (OsString, OsString)| Some((name.into_string().ok()?, value.into_string().ok()?));
        let mut sandbox = Self::with_parent(kind, readable, &std::env::vars_os().filter_map(text).collect())?;
        sandbox.view.project = project.filter(|project| sandbox.view.toolchain.leaves_free(&project.at));
        Ok(sandbox)
    }

    /// The same for a parent with these variables.
    fn with_parent(
        kind: LocalKind,
        readable: &[PathBuf],
        parent: &BTreeMap<String, String>,
    ) -> Result<Self, SandboxError> {
        let scratch =
            scratch::create_in(&kind.work_folder()).map_err(|error| SandboxError::failed(kind, error))?;
        Ok(Self {
            kind,
            view: View::new(Toolchain::find(|name| parent.get(name).cloned(), readable)),
            environment: environment::of_host(parent),
            landlock: landlock::level(),
            groups: Groups::find(),
            volumes: Volumes::find(),
            scratch,
        })
    }

    /// The paths that were asked to be shown and are not, and why.
    pub(crate) fn notes(&self) -> &[String] {
        &self.view.toolchain.notes
    }

    /// The filters of a command's calls, where the kernel knows filters.
    fn filters(&self, network: bool) -> io::Result<Vec<BpfProgram>> {
        let besides = match self.kind {
            LocalKind::Namespaces => OtherIsolation::Namespaces,
            LocalKind::Landlock => {
                OtherIsolation::Landlock { network, tcp: self.landlock >= Some(TCP_LEVEL) }
            }
            LocalKind::Host => return Ok(Vec::new()),
        };
        if has_seccomp() { seccomp::filters(besides).map_err(io::Error::other) } else { Ok(Vec::new()) }
    }

    /// The filters of calls that are made in the command's place.
    fn watched_calls(&self) -> io::Result<Option<WatchedCalls>> {
        let watched = self.kind == LocalKind::Landlock && has_seccomp();
        watched.then(WatchedCalls::new).transpose().map_err(io::Error::other)
    }

    /// The weaknesses of this kind on this kernel, each half a sentence.
    pub(crate) fn weaknesses(&self) -> Vec<String> {
        let level = self.landlock.unwrap_or_default();
        let alone = self.kind == LocalKind::Landlock;
        let weaknesses = [
            (self.kind != LocalKind::Host && !has_seccomp(), "no seccomp: every call of the kernel is open"),
            (
                self.kind == LocalKind::Namespaces && level == 0,
                "no Landlock, so that file rules rest on mounts alone",
            ),
            (alone, "no processes of its own: it sees those of the host"),
            (alone, "no /tmp and /dev/shm of its own: it reads and writes the host's"),
            (alone && !has_seccomp(), "sockets of the host's services, Docker's among them, are open"),
            (alone && level < SIGNAL_LEVEL, "it can signal the user's processes (Linux 6.12 can forbid it)"),
            (self.kind == LocalKind::Host, "no isolation"),
            (self.groups.is_none(), "no control group: its memory is looked at ten times a second"),
            (
                self.volumes.is_none(),
                "no file system for each lane: its disk is looked at ten times a second",
            ),
        ];
        weaknesses.into_iter().filter(|(holds, _)| *holds).map(|(_, weakness)| weakness.to_owned()).collect()
    }
}

#[async_trait]
impl Sandbox for Local {
    fn kind(&self) -> SandboxKind {
        self.kind.into()
    }

    fn describe(&self) -> String {
        let what = match self.kind {
            LocalKind::Namespaces => {
                "own processes, network (loopback only), home and /tmp; the host's tool chain read-only; \
                 writes only in the lane"
            }
            LocalKind::Landlock => {
                "writes only in the lane and /tmp; the home hidden; no network, not even to itself"
            }
            LocalKind::Host => "limits, a clean environment and the end of every process",
        };
        let missing = self.weaknesses().join("; ");
        let missing = if missing.is_empty() { missing } else { format!(". Missing: {missing}") };
        format!("{}: {what}{missing}", self.kind())
    }

    fn path_inside(&self, lane: &Path) -> PathBuf {
        lane.to_owned()
    }

    fn work_folder(&self) -> PathBuf {
        self.kind.work_folder()
    }

    fn volumes(&self) -> Option<Volumes> {
        self.volumes
    }

    async fn run(&self, lane: &Path, command: &Command) -> Result<CommandOutcome, SandboxError> {
        let launch = Launch::prepare(self, lane, command)?;
        let (abandon, ended) = start(launch, self.kind)?;
        let result = ended.await;
        drop(abandon);
        match result {
            Ok(Ok(SupervisionEnd::Outcome(outcome))) => Ok(outcome),
            Ok(Ok(SupervisionEnd::Failed(reason))) => Err(SandboxError::failed(self.kind, reason)),
            Ok(Err(error)) => Err(SandboxError::failed(self.kind, error)),
            Err(_) => Err(SandboxError::failed(self.kind, "its supervisor is gone")),
        }
    }

    async fn close(&self) -> Result<(), SandboxError> {
        // Every command has ended with its run; the scratch folder goes with this value.
        Ok(())
    }
}

/// Ends the commands of processes that were killed before they could. In namespaces the kernel sees to it; on
/// the host and under Landlock a command outlives us, but names our scratch folder in its environment, or has our tag.
pub(crate) fn sweep(dry_run: bool) -> Vec<String> {
    let find = || {
        let snapshot = Snapshot::take();
        let mut found = snapshot.with_environment(|environment| {
            let mut variables = environment.split(|&byte| byte == 0);
            let temporary = variables.find_map(|variable| variable.strip_prefix(b"TMPDIR="));
            temporary.is_some_and(|folder| scratch::of_the_gone(&String::from_utf8_lossy(folder)))
        });
        found.extend(snapshot.with(Tag::is_left));
        found
    };
    let mut left = find();
    // One by one, for nothing is known of their groups; again, for some may have been born meanwhile.
    for _ in 0..if dry_run { 0 } else { SWEEPS } {
        left.iter().copied().for_each(kill);
        let more = find();
        if more.is_empty() {
            break;
        }
        left.extend(more);
    }
    left.sort_by_key(|process| process.id);
    left.dedup_by_key(|process| process.id);
    let groups = Groups::find().map(|groups| groups.sweep(dry_run)).unwrap_or_default();
    let groups = groups.iter().map(|folder| format!("control group {}", folder.display()));
    left.iter().map(|process| format!("process {}", process.id)).chain(groups).collect()
}

/// Dropped before the command has ended, this gives it up and waits until nothing of it is left.
struct AbandonOnDrop {
    /// Closing it tells the supervisor.
    signal: Option<PipeWriter>,
    /// Closed when the supervisor is done.
    done: mpsc::Receiver<()>,
}

impl Drop for AbandonOnDrop {
    fn drop(&mut self) {
        self.signal = None;
        let _ = self.done.recv_timeout(ABANDON_WITHIN);
    }
}

/// Starts a command under a supervisor of its own.
///
/// A thread, not a task: the kernel ends the command when the thread that started it ends, so that thread
/// must stay for the whole of it, and it must go on when the runtime stops.
fn start(
    launch: Launch,
    kind: LocalKind,
) -> Result<(AbandonOnDrop, oneshot::Receiver<io::Result<SupervisionEnd>>), SandboxError> {
    let (abandoned, signal) = io::pipe().map_err(|error| SandboxError::failed(kind, error))?;
    let (done_here, done) = mpsc::channel();
    let (send, receive) = oneshot::channel();
    std::thread::Builder::new()
        .name("sandboxed command".to_owned())
        .spawn(move || {
            let ended = launch.run(abandoned.into());
            // Nobody listens any more when the command was given up.
            let _ = send.send(ended);
            drop(done_here);
        })
        .map_err(|error| SandboxError::failed(kind, error))?;
    Ok((AbandonOnDrop { signal: Some(signal), done }, receive))
}

/// Is true if the kernel can filter calls.
fn has_seccomp() -> bool {
    rustix::thread::secure_computing_mode().is_ok()
}
