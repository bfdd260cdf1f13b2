//! A tag that all processes of a command inherit and that none can take off, whatever it does with its environment and its ancestors.
//!
//! It is the limit of file locks, which the kernel has not kept since Linux 2.4 and still hands on; see `getrlimit(2)`. A process may
//! lower it, but not raise it again.

use std::fs;
use std::sync::Mutex;

use patchwright_blocking::lock;
use rustix::process::{Resource, getrlimit};

use crate::owner::{runs, short};

/// The uppermost bits of every tag, and those of the number of the command at its end.
const OURS: u64 = 0x50;
const OURS_AT: u32 = 56;
const NUMBER: u32 = 8;
const NUMBERS: usize = 1 << NUMBER;
/// The kernel's name for the limit.
const NAME: &str = "Max file locks";

/// Whether each number belongs to a running command. Ending a command kills every process with its tag, so running commands never share
/// a number.
static TAKEN: Mutex<[bool; NUMBERS]> = Mutex::new([false; NUMBERS]);

/// The tag of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tag(u64);

/// The tag of a running command. Dropping it frees its number for another command.
#[derive(Debug)]
pub(super) struct OwnTag(Tag);

impl OwnTag {
    /// Takes a free tag. `None` if this process has a limit of file locks itself, or if all numbers are in use.
    pub(super) fn take() -> Option<Self> {
        let owner = short(std::process::id())?;
        if getrlimit(Resource::Locks).maximum.is_some() {
            return None;
        }
        let mut taken = lock(&TAKEN);
        let number = taken.iter().position(|taken| !taken)?;
        taken[number] = true;
        Some(Self(Tag(OURS << OURS_AT | owner << NUMBER | number as u64)))
    }

    pub(super) fn tag(&self) -> Tag {
        self.0
    }
}

impl Drop for OwnTag {
    fn drop(&mut self) {
        let number = self.0.0 as usize % NUMBERS;
        lock(&TAKEN)[number] = false;
    }
}

impl Tag {
    /// The limit.
    pub(super) fn limit(self) -> u64 {
        self.0
    }

    /// The tag of a process.
    pub(super) fn of(process: i32) -> Option<Self> {
        let text = fs::read_to_string(format!("/proc/{process}/limits")).ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix(NAME))?;
        let limit = line.split_whitespace().nth(1)?.parse().ok()?;
        (limit >> OURS_AT == OURS).then_some(Self(limit))
    }

    /// Is true if a process has a tag whose owner, of the namespace of processes that we are in, is gone.
    pub(super) fn is_left(process: i32) -> bool {
        let namespace = |process: &str| fs::read_link(format!("/proc/{process}/ns/pid")).ok();
        let is_here = || namespace("self").is_some_and(|ours| namespace(&process.to_string()) == Some(ours));
        Self::of(process).is_some_and(|tag| !runs(tag.owner())) && is_here()
    }

    fn owner(self) -> u64 {
        self.0 >> NUMBER & ((1 << (OURS_AT - NUMBER)) - 1)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    // One test: it takes all tags there are for a moment.
    #[test]
    fn tags_tell_their_owner_and_no_two_commands_that_run_have_the_same() {
        let held = OwnTag::take().unwrap();
        assert!(held.tag().limit() >> OURS_AT == OURS && runs(held.tag().owner()));
        let this = i32::try_from(std::process::id()).unwrap();
        assert!(Tag::of(this).is_none() && !Tag::is_left(this));
        for _ in 0..1000 {
            assert_ne!(OwnTag::take().unwrap().tag(), held.tag());
        }
        let many: Vec<OwnTag> = std::iter::from_fn(OwnTag::take).collect();
        assert!(many.len() > 200 && many.iter().all(|other| other.tag() != held.tag()));
        drop(many);
        assert!(OwnTag::take().is_some());
    }
}
