//! The heap that a Java machine may have: as much as the memory limit of its command leaves when the machine itself has what
//! it needs. What Java takes by itself, a quarter of the computer's memory, knows nothing of that limit, and a machine that
//! passes it ends in the middle of a test.

use std::fs;

/// The variable that tells our own commands how many megabytes of heap they may have.
pub const VARIABLE: &str = "PATCHWRIGHT_HEAP";
/// The option for our own commands.
pub const OPTION: &str = "-Xmx\"$PATCHWRIGHT_HEAP\"m";
/// The variable that every Java machine reads, however it is started; options of its command line win over it.
pub const EVERYWHERE: &str = "JAVA_TOOL_OPTIONS";

/// Eighths of the memory that are heap: the rest is for classes, compiled code, stacks, and what collects the garbage.
const EIGHTHS: u64 = 5;
/// Java's own choice is this part of the computer's memory.
const DEFAULT_PART: u64 = 4;
/// No worker has less.
const LEAST: u64 = 256;

/// Megabytes of heap for a command that may use so many bytes.
pub fn of_command(limit: u64) -> u64 {
    share(limit, total())
}

/// Megabytes of heap for a worker in which tests run, when there are some at once: together they leave half of what is free
/// to others.
pub fn of_worker(limit: u64, workers: usize) -> u64 {
    of_workers(of_command(limit), available(), workers)
}

/// The option for commands of other tools, where Java's own choice would be more than their limit allows.
pub fn option_for_others(limit: u64) -> Option<String> {
    let heap = of_command(limit);
    (total() / DEFAULT_PART / MEGABYTE > heap).then(|| format!("-Xmx{heap}m"))
}

const MEGABYTE: u64 = 1 << 20;

fn share(limit: u64, total: u64) -> u64 {
    limit.min(total) / MEGABYTE * EIGHTHS / 8
}

fn of_workers(most: u64, available: u64, workers: usize) -> u64 {
    (available / MEGABYTE / 2 / workers.max(1) as u64).min(most).max(LEAST)
}

/// Bytes of memory that there are, for this process: a container may have less than the computer.
fn total() -> u64 {
    let group = fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let group = group.and_then(|text| text.trim().parse().ok()).unwrap_or(u64::MAX);
    told("MemTotal:").min(group)
}

fn available() -> u64 {
    told("MemAvailable:")
}

/// Bytes that the kernel tells; where it tells none, the limits of the commands hold alone.
fn told(name: &str) -> u64 {
    let text = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let kilobytes: Option<u64> = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok());
    kilobytes.map_or(u64::MAX, |kilobytes| kilobytes * 1024)
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    const GIGABYTE: u64 = 1 << 30;

    #[test]
    fn the_heap_follows_the_limit_and_the_machine() {
        let check = |limit: u64, total: u64, expect: u64| assert_eq!(share(limit, total), expect);
        check(4 * GIGABYTE, 24 * GIGABYTE, 2560);
        check(16 * GIGABYTE, 24 * GIGABYTE, 10240);
        check(4 * GIGABYTE, 2 * GIGABYTE, 1280);
        check(4 * GIGABYTE, u64::MAX, 2560);
    }

    #[test]
    fn workers_share_half_of_what_is_free() {
        let check = |available: u64, workers: usize, expect: u64| {
            assert_eq!(of_workers(2560, available, workers), expect);
        };
        check(24 * GIGABYTE, 2, 2560);
        check(8 * GIGABYTE, 4, 1024);
        check(GIGABYTE, 8, LEAST);
        check(u64::MAX, 0, 2560);
    }
}
