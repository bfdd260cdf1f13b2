//! The memory that a run has taken, for the plans of later ones.

use nix::sys::resource::{UsageWho, getrusage};
use serde::{Deserialize, Serialize};

/// The most memory that was resident at a time, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PeakMemory {
    /// Of the program.
    pub program: u64,
    /// Of the largest of the commands that it ran, those in containers left out; zero where there was none.
    pub command: u64,
}

impl PeakMemory {
    /// That of this process so far; none where the system does not tell.
    pub(super) fn so_far() -> Option<Self> {
        // The system counts in KiB.
        let bytes = |who| {
            let kib = getrusage(who).ok()?.max_rss();
            Some(u64::try_from(kib).ok()?.saturating_mul(1024))
        };
        Some(Self { program: bytes(UsageWho::RUSAGE_SELF)?, command: bytes(UsageWho::RUSAGE_CHILDREN)? })
    }

    /// The greater of both, of each.
    #[must_use]
    pub(super) fn most(self, other: Self) -> Self {
        Self { program: self.program.max(other.program), command: self.command.max(other.command) }
    }
}
