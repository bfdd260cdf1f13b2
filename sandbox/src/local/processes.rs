//! The processes of this machine, as `/proc` tells them: whose child each is, and what it uses.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::process::{Pid, Signal, getpgrp, kill_process, kill_process_group};

use crate::open_files::held;

/// One process at the moment of looking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Process {
    pub(super) id: i32,
    parent: i32,
    /// The process group it belongs to.
    group: i32,
    /// When it started, in clock ticks since the boot: tells it from a later one with the same number.
    pub(super) started: u64,
    /// Memory in use, in pages; pages shared between processes count for each.
    resident: u64,
    /// It has ended and waits to be collected.
    ended: bool,
}

/// All processes at one moment.
#[derive(Debug, Default)]
pub(super) struct Snapshot {
    processes: BTreeMap<i32, Process>,
}

impl Snapshot {
    /// Looks now. A process that ends while we look is left out.
    pub(super) fn take() -> Self {
        let Ok(entries) = fs::read_dir("/proc") else { return Self::default() };
        let processes = entries
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
            .filter_map(process)
            .map(|process| (process.id, process))
            .collect();
        Self { processes }
    }

    /// Reads only the processes with these numbers.
    pub(super) fn of(ids: impl IntoIterator<Item = i32>) -> Self {
        Self { processes: ids.into_iter().filter_map(process).map(|process| (process.id, process)).collect() }
    }

    /// The process with this number that still runs.
    pub(super) fn running(&self, id: i32) -> Option<Process> {
        self.processes.get(&id).copied().filter(|process| !process.ended)
    }

    /// The children of a process, in the order of their numbers.
    fn children(&self, parent: i32) -> impl Iterator<Item = Process> + '_ {
        self.processes.values().copied().filter(move |process| process.parent == parent)
    }

    /// Everything that descends from a process and still runs, without itself.
    pub(super) fn descendants(&self, root: i32) -> Vec<Process> {
        let mut families: BTreeMap<i32, Vec<Process>> = BTreeMap::new();
        for process in self.processes.values() {
            families.entry(process.parent).or_default().push(*process);
        }
        let mut seen = BTreeSet::from([root]);
        let mut found = Vec::new();
        let mut open = vec![root];
        while let Some(parent) = open.pop() {
            for process in families.get(&parent).into_iter().flatten() {
                if seen.insert(process.id) {
                    open.push(process.id);
                    found.extend((!process.ended).then_some(*process));
                }
            }
        }
        found
    }

    /// The running processes in the environment of which `wanted` finds what it looks for.
    pub(super) fn with_environment(&self, wanted: impl Fn(&[u8]) -> bool) -> Vec<Process> {
        self.with(|id| fs::read(format!("/proc/{id}/environ")).is_ok_and(|environment| wanted(&environment)))
    }

    /// The running processes that are `wanted`, by their numbers.
    pub(super) fn with(&self, wanted: impl Fn(i32) -> bool) -> Vec<Process> {
        self.processes.values().filter(|process| !process.ended && wanted(process.id)).copied().collect()
    }

    /// The processes that carry `mark` in the environment they were started with.
    pub(super) fn marked(&self, mark: &Path) -> Vec<Process> {
        let mark = mark.as_os_str().as_encoded_bytes();
        self.with_environment(|environment| environment.windows(mark.len()).any(|part| part == mark))
    }
}

/// Memory that processes use together, in bytes, with what of `files` is memory: those of file systems that are nothing else.
///
/// The quick sum counts shared pages once for each process. Only where it exceeds `limit` are the pages
/// divided among those who share them, which costs the kernel a walk over every mapping.
pub(super) fn memory(processes: &[Process], files: u64, limit: u64) -> u64 {
    let page = rustix::param::page_size() as u64;
    let files =
        files + held(processes.iter().map(|process| process.id), |name, _| name.starts_with("/memfd:"));
    let tables: u64 = processes.iter().map(|process| tables(process.id)).sum();
    let quick = processes.iter().map(|process| process.resident * page).sum::<u64>() + files + tables;
    if quick <= limit {
        return quick;
    }
    let precise = |process: &Process| {
        proportional(process.id).unwrap_or(Mapped { all: process.resident * page, shared: 0 })
    };
    let mapped: Vec<Mapped> = processes.iter().map(precise).collect();
    let shared = mapped.iter().map(|mapped| mapped.shared).sum();
    // Of the files, what is mapped is counted already.
    mapped.iter().map(|mapped| mapped.all).sum::<u64>() + files.saturating_sub(shared) + tables
}

/// The bytes that a process has mapped, divided among those who share them; and those of them in files of memory.
struct Mapped {
    all: u64,
    shared: u64,
}

/// The memory that the kernel needs for the page tables of a process, in bytes.
fn tables(id: i32) -> u64 {
    let text = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    bytes_of(&text, "VmPTE:").unwrap_or_default()
}

/// A number of bytes that the kernel tells in kilobytes.
fn bytes_of(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

fn proportional(id: i32) -> Option<Mapped> {
    let text = fs::read_to_string(format!("/proc/{id}/smaps_rollup")).ok()?;
    let value = |name: &str| bytes_of(&text, name);
    Some(Mapped { all: value("Pss:")?, shared: value("Pss_Shmem:").unwrap_or_default() })
}

/// Stops the whole process group of a process at one blow, itself included.
///
/// The signal reaches all of a group before any of it can fork again: that is how a bomb is outrun.
pub(super) fn freeze(process: Process) {
    signal_group(process.group, Signal::STOP);
}

/// Kills processes, and with them the groups that they have founded; not the group of `first`, which is frozen.
pub(super) fn kill_all(members: &[Process], first: Option<Process>) {
    let groups: BTreeSet<i32> = members.iter().map(|process| process.group).collect();
    for group in groups {
        if first.is_none_or(|first| first.group != group) {
            signal_group(group, Signal::KILL);
        }
    }
    members.iter().copied().for_each(kill);
}

fn signal_group(group: i32, signal: Signal) {
    // Our own group is never a command's: it has left that before its first step.
    if let Some(group) = Pid::from_raw(group).filter(|&group| group != getpgrp()) {
        // All of it may have ended by itself: nothing to do then.
        let _ = kill_process_group(group, signal);
    }
}

/// The numbers of a process's children, found without looking at all processes where the kernel can tell.
pub(super) fn children(parent: i32) -> Vec<i32> {
    match fs::read_to_string(format!("/proc/{parent}/task/{parent}/children")) {
        Ok(told) => told.split_whitespace().filter_map(|id| id.parse().ok()).collect(),
        Err(_) => Snapshot::take().children(parent).map(|process| process.id).collect(),
    }
}

/// The first child of a process.
pub(super) fn first_child(parent: i32) -> Option<Process> {
    let id = children(parent).into_iter().next()?;
    process(id)
}

/// Kills a process, unless its number has meanwhile gone to another.
pub(super) fn kill(process: Process) {
    if self::process(process.id).is_some_and(|now| now.started == process.started) {
        kill_number(process.id);
    }
}

/// Kills the process that has this number now.
pub(super) fn kill_number(id: i32) {
    // It may have ended by itself: nothing to do then.
    let _ = Pid::from_raw(id).map(|id| kill_process(id, Signal::KILL));
}

/// Number of tasks, which are processes and their threads, that a user has.
pub(super) fn tasks_of(user: u32) -> u64 {
    let Ok(entries) = fs::read_dir("/proc") else { return 0 };
    let threads = |folder: &Path| -> Option<u64> {
        let status = fs::read_to_string(folder.join("status")).ok()?;
        status.lines().find_map(|line| line.strip_prefix("Threads:"))?.trim().parse().ok()
    };
    let of_user = entries.flatten().filter(|entry| entry.metadata().is_ok_and(|found| found.uid() == user));
    of_user.filter_map(|entry| threads(&entry.path())).sum()
}

/// The process that has this number now.
fn process(id: i32) -> Option<Process> {
    // A name has at most 64 bytes, and each of the fifty numbers at most twenty digits.
    let mut line = [0; 2048];
    let length = fs::File::open(format!("/proc/{id}/stat")).ok()?.read(&mut line).ok()?;
    parse(line.get(..length)?)
}

/// Reads a line of `/proc/<id>/stat`. The name stands in parentheses and may hold anything.
fn parse(stat: &[u8]) -> Option<Process> {
    let is = |wanted: u8| move |byte: &u8| *byte == wanted;
    let (open, close) = (stat.iter().position(is(b'('))?, stat.iter().rposition(is(b')'))?);
    let text = |bytes| std::str::from_utf8(bytes).ok();
    let mut fields = text(stat.get(close + 1..)?)?.split_ascii_whitespace();
    // The numbers of `proc_pid_stat(5)`: what follows the name is field 3.
    let mut field = |skipped: usize| fields.nth(skipped);
    let state = field(0)?;
    Some(Process {
        id: text(stat.get(..open)?)?.trim_end().parse().ok()?,
        parent: field(0)?.parse().ok()?,
        group: field(0)?.parse().ok()?,
        started: field(22 - 5 - 1)?.parse().ok()?,
        resident: field(24 - 22 - 1)?.parse().ok()?,
        ended: matches!(state, "Z" | "X"),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const TAIL: &str = "4194304 1 2 3 4 5 6 7 8 20 0 1 0 9000 1000000 250 18446744073709551615";

    fn stat(id: i32, name: &[u8], state: char, parent: i32) -> Vec<u8> {
        let (front, back) = (format!("{id} ("), format!(") {state} {parent} {id} {id} 0 -1 {TAIL}\n"));
        [front.as_bytes(), name, back.as_bytes()].concat()
    }

    #[test]
    fn reads_a_stat_line_with_any_name() {
        for name in ["sh", "a b", "x) R 1 (", "é"].map(str::as_bytes).into_iter().chain([&b"\xff\xfe"[..]]) {
            let expect = Process { id: 42, parent: 7, group: 42, started: 9000, resident: 250, ended: false };
            assert_eq!(parse(&stat(42, name, 'S', 7)), Some(expect), "{}", name.escape_ascii());
        }
        assert!(parse(&stat(1, b"sh", 'Z', 7)).unwrap().ended);
        assert_eq!(parse(b"nonsense"), None);
    }

    #[test]
    fn descendants_reach_through_the_dead() {
        let lines = [(10, 'S', 1), (11, 'S', 10), (12, 'Z', 10), (13, 'R', 12), (14, 'S', 1), (15, 'S', 13)];
        let processes = lines.iter().filter_map(|&(id, state, parent)| parse(&stat(id, b"x", state, parent)));
        let snapshot = Snapshot { processes: processes.map(|process| (process.id, process)).collect() };
        let mut found: Vec<_> = snapshot.descendants(10).iter().map(|process| process.id).collect();
        found.sort_unstable();
        assert_eq!(found, [11, 13, 15]);
        assert!(snapshot.running(12).is_none() && snapshot.running(11).is_some());
    }

    #[test]
    fn counts_the_tasks_of_a_user() {
        let user = fs::metadata("/proc/self").unwrap().uid();
        assert!(tasks_of(user) >= 2, "this thread and the one that started it");
        assert_eq!(tasks_of(u32::MAX - 7), 0);
    }

    #[test]
    fn sees_itself() {
        let id = i32::try_from(std::process::id()).unwrap();
        let this = Snapshot::take().running(id).unwrap();
        assert_eq!(Snapshot::of([id, 0]).running(id).map(|process| process.started), Some(this.started));
        assert!(this.resident > 0);
        let precise = memory(&[this], 0, 0);
        assert!(precise > 0 && precise <= this.resident * 4096 * 2);
    }
}
