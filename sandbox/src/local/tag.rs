//! A tag that all processes of a command inherit and that none can take off, whatever it does with its environment and its ancestors.
//!
//! It is the limit of file locks, which the kernel has not kept since Linux 2.4 and still hands on; see `getrlimit(2)`. A process may
//! lower it, but not raise it again.

use std::fs;

use rustix::process::{Resource, getrlimit};

use crate::owner::{runs, serial, short};

/// The uppermost bits of every tag, and those of the serial number at its end.
const OURS: u64 = 0x50;
const OURS_AT: u32 = 56;
const SERIAL: u32 = 8;
/// The kernel's name for the limit.
const NAME: &str = "Max file locks";

/// The tag of one command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tag(u64);

impl Tag {
    /// A tag that no other command of this process has had for long; none where we have such a limit already.
    pub(super) fn new() -> Option<Self> {
        let owner = short(std::process::id())?;
        let number = serial() & ((1 << SERIAL) - 1);
        getrlimit(Resource::Locks)
            .maximum
            .is_none()
            .then_some(Self(OURS << OURS_AT | owner << SERIAL | number))
    }

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
        self.0 >> SERIAL & ((1 << (OURS_AT - SERIAL)) - 1)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn tags_tell_their_owner() {
        let (one, other) = (Tag::new().unwrap(), Tag::new().unwrap());
        assert!(one != other && one.limit() >> OURS_AT == OURS);
        assert!(runs(one.owner()));
        let this = i32::try_from(std::process::id()).unwrap();
        assert!(Tag::of(this).is_none() && !Tag::is_left(this));
    }
}
