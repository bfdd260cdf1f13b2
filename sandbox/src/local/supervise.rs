//! Watches over one running command: collects its output, keeps its limits, and ends all of it.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::io::{self, PipeReader, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::file_changes::{OwnFolders, attend};
use super::groups::Group;
use super::processes::{Process, Snapshot, first_child, freeze, kill, kill_all, kill_number, memory};
use super::report::Report;
use super::tag::{OwnTag, Tag};
use crate::command::CommandLimits;
use crate::disk::DiskWatch;
use patchwright_protocol::Exit;

use crate::outcome::{Collector, CommandOutcome};

/// The time between two looks at memory and processes.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// Looks that must find nothing of a command whose first process it has killed.
const LOOKS: u32 = 10;
/// The time that the end of a command may take once it is ordered.
const END_WITHIN: Duration = Duration::from_secs(10);

/// A command that has just been started.
pub(super) struct Running {
    /// The process between us and the command's first one.
    pub(super) child: hakoniwa::Child,
    /// Our end of the first process's standard input, on which it reports.
    pub(super) control: UnixStream,
    pub(super) stdout: PipeReader,
    pub(super) stderr: PipeReader,
    /// Readable when the command is to be given up.
    pub(super) abandoned: OwnedFd,
    /// The command's processes have a PID namespace of their own, which ends with its first process.
    pub(super) own_processes: bool,
    /// The folders whose files it may change, where somebody has to look.
    pub(super) own_folders: OwnFolders,
    /// A folder named in the environment of every process of this command, and in no other.
    pub(super) mark: PathBuf,
    /// The tag that they all inherit, where it can be given.
    pub(super) tag: Option<OwnTag>,
    pub(super) usage: Usage,
}

/// The resources that a command uses, and who counts them.
#[derive(Debug)]
pub(super) struct Usage {
    /// Where the kernel counts its memory; otherwise we do.
    pub(super) group: Option<Group>,
    /// The folders that it sees and that are nothing but memory.
    pub(super) memory_folders: Vec<PathBuf>,
    pub(super) disk: DiskWatch,
    /// The watch over what it writes into a folder of the host's that is nothing but memory, where it sees that.
    pub(super) shared_memory: Option<DiskWatch>,
}

/// The end of the supervision.
pub(super) enum SupervisionEnd {
    /// The command came to an end.
    Outcome(CommandOutcome),
    /// The command never started, or was lost: what the sandbox said.
    Failed(String),
}

/// The reason for which a command is ended before it ends by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cause {
    Time,
    Memory,
    Disk,
    Processes,
    Abandoned,
}

struct Supervisor {
    running: Running,
    limits: CommandLimits,
    started: Instant,
    handle: OwnedFd,
    report: Report,
    stdout: Stream,
    stderr: Stream,
    /// The first process, once it has reported.
    first: Option<Process>,
    /// Every process of the command's that was ever seen, by number.
    known: BTreeMap<i32, Process>,
}

struct Stream {
    collector: Collector,
    open: bool,
}

/// Runs a started command to its end. Blocks; afterwards nothing of the command is left.
pub(super) fn supervise(running: Running, limits: CommandLimits) -> io::Result<SupervisionEnd> {
    let started = Instant::now();
    let id = i32::try_from(running.child.id()).ok().and_then(Pid::from_raw);
    let handle = pidfd_open(id.ok_or_else(|| io::Error::other("no process"))?, PidfdFlags::empty())?;
    running.control.set_nonblocking(true)?;
    let stream = || Stream { collector: Collector::new(limits.output_bytes), open: true };
    let (stdout, stderr) = (stream(), stream());
    let supervisor = Supervisor {
        running,
        limits,
        started,
        handle,
        report: Report::default(),
        stdout,
        stderr,
        first: None,
        known: BTreeMap::new(),
    };
    supervisor.run()
}

impl Supervisor {
    fn run(mut self) -> io::Result<SupervisionEnd> {
        let cause = self.wait_for_end()?;
        self.end(cause.is_some())?;
        let seconds = self.started.elapsed().as_secs_f64();
        let status = self.running.child.wait().map_err(io::Error::other)?;
        if !self.report.started() && cause.is_none() {
            let said = self.stderr.collector.finish().text();
            let reason = if said.trim().is_empty() { status.reason } else { said.trim().to_owned() };
            return Ok(SupervisionEnd::Failed(reason));
        }
        let out_of_memory = cause == Some(Cause::Memory) || self.has_killed();
        let exit = match (cause, self.report.status()) {
            (Some(Cause::Time), _) => Exit::TimedOut,
            (None, Some(status)) => Exit::from_shell_status(status),
            // Without a report the first process was killed by the command itself.
            (Some(Cause::Memory | Cause::Disk | Cause::Processes | Cause::Abandoned), _) | (None, None) => {
                Exit::Signal(9)
            }
        };
        Ok(SupervisionEnd::Outcome(CommandOutcome {
            exit,
            stdout: self.stdout.collector.finish(),
            stderr: self.stderr.collector.finish(),
            seconds,
            out_of_memory,
            out_of_disk: cause == Some(Cause::Disk),
            too_many_processes: cause == Some(Cause::Processes),
        }))
    }

    /// Waits until the command has ended, or must be.
    fn wait_for_end(&mut self) -> io::Result<Option<Cause>> {
        let mut next_look = LOOK_EVERY.min(self.limits.time);
        loop {
            let elapsed = self.started.elapsed();
            if elapsed >= self.limits.time {
                return Ok(Some(Cause::Time));
            }
            if elapsed >= next_look {
                if let Some(cause) = self.look() {
                    return Ok(Some(cause));
                }
                // Counted from the end of this look: it may take long when there is much to see.
                next_look = self.started.elapsed() + LOOK_EVERY;
            }
            let patience = next_look.min(self.limits.time).saturating_sub(self.started.elapsed());
            let seen = self.poll(patience)?;
            if seen.abandoned {
                return Ok(Some(Cause::Abandoned));
            }
            if self.report.status().is_some() || self.report.closed || seen.child_ended {
                return Ok(None);
            }
        }
    }

    /// Looks at memory, disk and processes.
    fn look(&mut self) -> Option<Cause> {
        let descendants = self.descendants();
        if descendants.len() as u64 > u64::from(self.limits.processes) {
            return Some(Cause::Processes);
        }
        self.known.extend(descendants.iter().map(|process| (process.id, *process)));
        if self.takes_too_much_memory(&descendants) {
            return Some(Cause::Memory);
        }
        let usage = &mut self.running.usage;
        let disk = usage.disk.wants_a_look();
        let shared_memory = usage.shared_memory.as_mut().is_some_and(DiskWatch::wants_a_look);
        // Folders may hold so much that memory runs out while they are walked through.
        let (last, too_much) = (Cell::new(Instant::now()), Cell::new(false));
        let interrupt = || {
            if last.get().elapsed() >= LOOK_EVERY {
                too_much.set(self.takes_too_much_memory(&self.descendants()));
                last.set(Instant::now());
            }
            too_much.get()
        };
        let is_exceeded =
            |watch: &DiskWatch| watch.is_exceeded(descendants.iter().map(|process| process.id), &interrupt);
        let usage = &self.running.usage;
        let cause = if disk && is_exceeded(&usage.disk) {
            Some(Cause::Disk)
        } else {
            (shared_memory && usage.shared_memory.as_ref().is_some_and(is_exceeded)).then_some(Cause::Memory)
        };
        if too_much.get() { Some(Cause::Memory) } else { cause }
    }

    fn takes_too_much_memory(&self, descendants: &[Process]) -> bool {
        let most = self.limits.memory_bytes;
        match self.running.usage.group {
            Some(_) => self.has_killed(),
            None => memory(descendants, self.in_memory_folders(), most) > most,
        }
    }

    /// Is true if the kernel has killed a process of the command's for want of memory.
    fn has_killed(&self) -> bool {
        self.running.usage.group.as_ref().is_some_and(Group::has_killed)
    }

    /// The bytes in the folders that are nothing but memory.
    fn in_memory_folders(&self) -> u64 {
        let Some(first) = self.first else { return 0 };
        let used = |folder: &PathBuf| {
            let seen = format!("/proc/{}/root{}", first.id, folder.display());
            rustix::fs::statvfs(seen).map_or(0, |found| (found.f_blocks - found.f_bfree) * found.f_frsize)
        };
        self.running.usage.memory_folders.iter().map(used).sum()
    }

    /// The running processes of the command, except the first. With a control group these are its members, whatever their parents are:
    /// reading all of `/proc` takes long on a machine with thousands of processes.
    fn descendants(&self) -> Vec<Process> {
        let Some(group) = &self.running.usage.group else { return self.members(&Snapshot::take()) };
        let first = self.first.map(|first| first.id);
        Snapshot::of(group.members()).with(|id| Some(id) != first)
    }

    /// The command's processes that run, without the first one.
    fn members(&self, snapshot: &Snapshot) -> Vec<Process> {
        self.first.map(|first| snapshot.descendants(first.id)).unwrap_or_default()
    }

    /// Ends whatever is left. `early` when the command has not ended by itself.
    fn end(&mut self, early: bool) -> io::Result<()> {
        let ordered = Instant::now();
        if self.running.own_processes {
            // The kernel ends all of a PID namespace with its first process, which waits for us to hang up.
            match self.first.filter(|_| early) {
                Some(first) => kill(first),
                None if early => drop(self.running.child.kill()),
                None => {}
            }
        } else {
            self.first.into_iter().for_each(freeze);
            // Without a common ancestor that tells of them all, one may be born while another is looked for.
            let looks = if early || self.report.status().is_some() { 1 } else { LOOKS };
            let mut empty = 0;
            while empty < looks && ordered.elapsed() < END_WITHIN {
                empty = if self.kill_members() { empty + 1 } else { 0 };
                if empty < looks {
                    self.poll(Duration::from_millis(1))?;
                }
            }
            self.first.into_iter().for_each(kill);
        }
        self.running.control.shutdown(std::net::Shutdown::Both).or_else(ignore_disconnected)?;
        let mut child_ended = false;
        while !child_ended || self.stdout.open || self.stderr.open {
            if ordered.elapsed() > END_WITHIN {
                return Err(io::Error::other("a process could not be ended"));
            }
            child_ended |= self.poll(Duration::from_millis(20))?.child_ended;
        }
        Ok(())
    }

    /// Kills all processes of the command's but the first, wherever they have fled; says whether there were none.
    fn kill_members(&mut self) -> bool {
        let snapshot = Snapshot::take();
        let members = self.members(&snapshot);
        kill_all(&members, self.first);
        if !members.is_empty() {
            return false;
        }
        // Looking takes a while, in which a process may be born behind our back and lose its parent before
        // our eyes: one empty look is not believed. Processes that were seen before, or are marked, have lost
        // their ancestor when the command killed the first process.
        let snapshot = Snapshot::take();
        let mut members = self.members(&snapshot);
        let before = self.known.values().filter_map(|known| {
            snapshot.running(known.id).filter(|process| process.started == known.started)
        });
        let marked = snapshot.marked(&self.running.mark);
        let tag = self.running.tag.as_ref().map(OwnTag::tag);
        let tagged = snapshot.with(|id| tag.is_some() && Tag::of(id) == tag);
        let own = [self.first.map(|first| first.id), i32::try_from(self.running.child.id()).ok()];
        let is_own = |id: i32| own.contains(&Some(id));
        members.extend(before.chain(marked).chain(tagged).filter(|process| !is_own(process.id)));
        kill_all(&members, self.first);
        // The kernel knows best, where it was asked.
        let group = self.running.usage.group.as_ref().map(Group::members).unwrap_or_default();
        let left = group.into_iter().filter(|id| !is_own(*id)).inspect(|id| kill_number(*id)).count();
        members.is_empty() && left == 0
    }

    /// Waits for something to happen and takes in what was said.
    fn poll(&mut self, patience: Duration) -> io::Result<WaitResult> {
        let patience =
            Timespec { tv_sec: patience.as_secs().cast_signed(), tv_nsec: patience.subsec_nanos().into() };
        let running = &self.running;
        // A descriptor without interest still reports its end and would keep us awake: only open ones are asked.
        let mut asked =
            vec![PollFd::new(&self.handle, PollFlags::IN), PollFd::new(&running.abandoned, PollFlags::IN)];
        for (descriptor, open) in [
            (running.control.as_fd(), !self.report.closed),
            (running.stdout.as_fd(), self.stdout.open),
            (running.stderr.as_fd(), self.stderr.open),
        ] {
            if open {
                asked.push(PollFd::from_borrowed_fd(descriptor, PollFlags::IN));
            }
        }
        match poll(&mut asked, Some(&patience)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let happened = |index: usize| asked.get(index).is_some_and(|entry| !entry.revents().is_empty());
        let seen = WaitResult { child_ended: happened(0), abandoned: happened(1) };
        let mut next = 2;
        let mut ready = |open: bool| {
            let ready = open && happened(next);
            next += usize::from(open);
            ready
        };
        let ready = (ready(!self.report.closed), ready(self.stdout.open), ready(self.stderr.open));
        drop(asked);
        if ready.0 {
            self.read_report()?;
        }
        if ready.1 {
            self.stdout.read(&mut self.running.stdout)?;
        }
        if ready.2 {
            self.stderr.read(&mut self.running.stderr)?;
        }
        Ok(seen)
    }

    fn read_report(&mut self) -> io::Result<()> {
        let listener = self.report.read(&self.running.control)?;
        if let Some(listener) = listener {
            attend(listener, self.running.own_folders.clone());
        }
        if !self.report.closed {
            // Found now, while there are few to look at.
            let between = i32::try_from(self.running.child.id()).unwrap_or_default();
            self.first = self.first.or_else(|| first_child(between));
        }
        Ok(())
    }
}

/// The result of a wait.
struct WaitResult {
    child_ended: bool,
    abandoned: bool,
}

impl Stream {
    fn read(&mut self, pipe: &mut PipeReader) -> io::Result<()> {
        let mut bytes = vec![0; 64 * 1024];
        match pipe.read(&mut bytes) {
            Ok(0) => self.open = false,
            Ok(count) => self.collector.push(&bytes[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

fn ignore_disconnected(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::NotConnected { Ok(()) } else { Err(error) }
}
