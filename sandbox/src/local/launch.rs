//! Turns a command into a process with the isolation of its kind.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use hakoniwa::{Container, Namespace, Rlimit, Runctl};
use rustix::process::{Resource, getrlimit, getuid};
use tempfile::TempDir;

use super::enter::{Entry, wait};
use super::file_changes::OwnFolders;
use super::processes::tasks_of;
use super::seal::Seal;
use super::supervise::{Running, SupervisionEnd, Usage, supervise};
use super::tag::OwnTag;
use super::{Local, LocalKind, mounts};
use crate::command::{Command, CommandLimits, THREADS_PER_PROCESS};
use crate::disk::DiskWatch;
use crate::error::SandboxError;
use crate::scratch::{SHARED_MEMORY, TEMPORARY};
use crate::toolchain::Toolchain;

/// The variable by which git is told above which folders it does not look for a repository.
const GIT_CEILING: &str = "GIT_CEILING_DIRECTORIES";

/// A command that is ready to start.
pub(super) struct Launch {
    container: Container,
    entry: Entry,
    dir: PathBuf,
    environment: BTreeMap<String, String>,
    limits: CommandLimits,
    usage: Usage,
    tag: Option<OwnTag>,
    own_folders: OwnFolders,
    /// Mount points, a home and a folder for temporary files, as the kind needs them.
    scratch: TempDir,
}

impl Launch {
    /// Lays out what the command will see.
    pub(super) fn prepare(sandbox: &Local, lane: &Path, command: &Command) -> Result<Self, SandboxError> {
        let dir = command.check(lane)?;
        let failed = |error: io::Error| SandboxError::failed(sandbox.kind, error);
        let scratch =
            tempfile::Builder::new().prefix("run-").tempdir_in(sandbox.scratch.path()).map_err(failed)?;
        let view = &sandbox.view;
        let mut environment = sandbox.environment.clone();
        let mut container = Container::empty();
        limit(&mut container, &command.limits, sandbox.kind);
        let tag = OwnTag::take();
        if let Some(limit) = tag.as_ref().map(|own| own.tag().limit()) {
            container.setrlimit(Rlimit::Locks, limit, limit);
        }
        let (mut memory_folders, mut seal) = (Vec::new(), Seal::default());
        let (home, temporary, rules) = match sandbox.kind {
            LocalKind::Namespaces => {
                let root = scratch.path().join("root");
                fs::create_dir(&root).map_err(failed)?;
                container.rootdir(&root);
                isolate(&mut container, command.network);
                memory_folders = mounts::fill(&mut container, lane, view, &command.limits, command.network)?;
                let division = view.divide();
                let rules = mounts::rules_on_mounts(lane, view, &division);
                seal = mounts::seal(lane, view, division);
                (mounts::home_inside(view), PathBuf::from(TEMPORARY), sandbox.landlock.map(|_| rules))
            }
            LocalKind::Landlock => {
                let (home, temporary) = folders(scratch.path(), &view.toolchain).map_err(failed)?;
                let rules = mounts::rules_alone(lane, view, scratch.path(), command.network);
                (home, temporary, Some(rules))
            }
            LocalKind::Host => {
                let (home, temporary) = folders(scratch.path(), &view.toolchain).map_err(failed)?;
                (home, temporary, None)
            }
        };
        let tasks = u64::from(command.limits.processes) * THREADS_PER_PROCESS;
        let group = sandbox.groups.as_ref().map(|groups| groups.create(command.limits.memory_bytes, tasks));
        let group = group.transpose().map_err(failed)?;
        let (disk, shared_memory) = watches(lane, scratch.path(), sandbox.kind, &command.limits);
        let usage = Usage { group, memory_folders, disk, shared_memory };
        // The folder of the lanes, or that of temporary files, may lie in a repository of the user's.
        if let Ok(ceilings) = std::env::join_paths([lane, &temporary, Path::new(TEMPORARY)]) {
            environment.insert(GIT_CEILING.to_owned(), ceilings.to_string_lossy().into_owned());
        }
        for (name, path) in [("HOME", home), ("TMPDIR", temporary)] {
            environment.insert(name.to_owned(), path.to_string_lossy().into_owned());
        }
        environment.extend(command.env.clone());
        let entry = Entry {
            own_network: sandbox.kind == LocalKind::Namespaces && !command.network,
            own_processes: sandbox.kind == LocalKind::Namespaces,
            powerless: sandbox.kind != LocalKind::Host,
            seal,
            rules,
            filters: sandbox.filters(command.network).map_err(failed)?,
            watched: sandbox.watched_calls().map_err(failed)?,
            line: command.line.clone(),
        };
        let limits = command.limits;
        let own_folders = OwnFolders {
            own: vec![lane.to_owned(), scratch.path().to_owned()],
            shared: [TEMPORARY, SHARED_MEMORY].map(PathBuf::from).into(),
        };
        Ok(Self { container, entry, dir, environment, limits, usage, tag, own_folders, scratch })
    }

    /// Starts the command and stays with it to its end.
    pub(super) fn run(self, abandoned: OwnedFd) -> io::Result<SupervisionEnd> {
        let Self { container, entry, dir, environment, limits, mut usage, tag, own_folders, scratch } = self;
        let own_processes = entry.own_processes;
        let (mut control, report) = UnixStream::pair()?;
        let (stdout, stdout_writer) = io::pipe()?;
        let (stderr, stderr_writer) = io::pipe()?;
        let enter = move || match wait().and_then(|()| entry.enter()) {
            Ok(never) => match never {},
            Err(reason) => {
                let _ = writeln!(io::stderr(), "{reason}");
                125
            }
        };
        // SAFETY: the closure runs in a forked child of a program with threads. It makes system calls and
        // allocates, which the C library allows after a fork, takes no lock of ours, and then calls exec.
        let mut process = unsafe { container.command_from_closure(enter) };
        process
            .envs(&environment)
            .current_dir(&dir)
            .stdin(OwnedFd::from(report))
            .stdout(stdout_writer)
            .stderr(stderr_writer);
        let child = match process.spawn() {
            Ok(child) => child,
            Err(error) => return Ok(SupervisionEnd::Failed(error.to_string())),
        };
        let id = i32::try_from(child.id()).map_err(io::Error::other)?;
        // Where the kernel does not let it in, its memory is watched.
        usage.group = usage.group.filter(|group| {
            let taken = group.take(id);
            taken.inspect_err(|error| tracing::debug!(%error, "no control group")).is_ok()
        });
        control.write_all(b".")?;
        let mark = scratch.path().to_owned();
        let running = Running {
            child,
            control,
            stdout,
            stderr,
            abandoned,
            own_processes,
            own_folders,
            mark,
            tag,
            usage,
        };
        supervise(running, limits)
    }
}

/// A user, mount, process, IPC, name and (unless the network is wanted) network namespace.
fn isolate(container: &mut Container, network: bool) {
    for namespace in [Namespace::User, Namespace::Mount, Namespace::Pid, Namespace::Ipc, Namespace::Uts] {
        container.unshare(namespace);
    }
    if !network {
        container.unshare(Namespace::Network);
    }
    // The same user inside as outside, so that files in the lane belong to whom one expects.
    container.uidmap(getuid().as_raw());
    container.gidmap(rustix::process::getgid().as_raw());
    container.procfsmount("/proc");
    // A name that resolves everywhere and tells nothing of this machine.
    container.hostname("localhost");
    // Some folders are mounted with options that an ordinary user may not change.
    container.runctl(Runctl::MountFallback);
}

/// The bounds that the kernel keeps for each process.
fn limit(container: &mut Container, limits: &CommandLimits, kind: LocalKind) {
    let mut bound = |rlimit, resource, wanted: u64| {
        // A soft limit above the hard one we live under would be refused.
        let most = getrlimit(resource).maximum.map_or(wanted, |maximum| maximum.min(wanted));
        container.setrlimit(rlimit, most, most);
    };
    // Of the memory limits the kernel knows this is the one that counts what is written to: address space
    // alone is cheap, and a Java machine reserves far more of it than it uses.
    bound(Rlimit::Data, Resource::Data, limits.memory_bytes);
    bound(Rlimit::Core, Resource::Core, 0);
    bound(Rlimit::Fsize, Resource::Fsize, limits.disk_bytes);
    // In a user namespace the kernel counts what is in there, outside it all that the user runs. It does not
    // count at all for root outside: there the supervisor keeps the limit alone.
    let others = if kind == LocalKind::Namespaces { 0 } else { tasks_of(getuid().as_raw()) };
    bound(Rlimit::Nproc, Resource::Nproc, others + u64::from(limits.processes) * THREADS_PER_PROCESS);
}

/// Watches over all folders in which a command may write: over disks, and over what the host has of memory there.
fn watches(
    lane: &Path,
    scratch: &Path,
    kind: LocalKind,
    limits: &CommandLimits,
) -> (DiskWatch, Option<DiskWatch>) {
    let of_disk = |folders: &[&Path]| {
        DiskWatch::new(folders.iter().map(|folder| (*folder).to_owned()).collect(), limits.disk_bytes)
    };
    match kind {
        LocalKind::Namespaces => (of_disk(&[lane]), None),
        LocalKind::Landlock => {
            let shared = vec![PathBuf::from(SHARED_MEMORY)];
            let shared = DiskWatch::new(shared, limits.memory_bytes);
            (of_disk(&[lane, scratch, Path::new(TEMPORARY)]), Some(shared))
        }
        LocalKind::Host => (of_disk(&[lane, scratch]), None),
    }
}

/// An empty home, in which only the tool chains are linked, and a folder for temporary files.
fn folders(scratch: &Path, toolchain: &Toolchain) -> io::Result<(PathBuf, PathBuf)> {
    let (home, temporary) = (scratch.join("home"), scratch.join("tmp"));
    fs::create_dir(&temporary)?;
    fs::create_dir(&home)?;
    let in_home = |path: &Path| path.strip_prefix(toolchain.home.as_ref()?).ok().map(|rest| home.join(rest));
    for path in &toolchain.readable {
        if let Some(link) = in_home(path) {
            fs::create_dir_all(link.parent().unwrap_or(&home))?;
            symlink(path, link)?;
        }
    }
    Ok((home, temporary))
}
