//! Who holds a thing that must not be left behind: a scratch folder, a container. The owner is named on the
//! thing itself, so that a later run can tell whether that process still lives.

use std::fmt;
use std::fs;
use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};

/// A process, told apart from a later one with the same number and from those of other machines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    /// The kernel's id of this boot, shortened.
    boot: String,
    /// The PID namespace in which `pid` has its meaning.
    namespace: String,
    pid: u32,
    /// When the process started, in clock ticks since the boot.
    started: u64,
}

impl Owner {
    /// This process.
    pub fn current() -> Self {
        let pid = std::process::id();
        Self { boot: boot(), namespace: namespace(), pid, started: started(pid).unwrap_or_default() }
    }

    /// Is true if this owner is certainly gone, so that nobody misses what it held: it has ended, or the machine was restarted
    /// since. Into another PID namespace we cannot look.
    pub fn is_gone(&self) -> bool {
        self.boot != boot() || self.namespace == namespace() && started(self.pid) != Some(self.started)
    }
}

/// Is true if an owner that is gone stands behind `prefix` at the front of a name.
pub(crate) fn is_left(name: &str, prefix: &str) -> bool {
    let owner = name.strip_prefix(prefix).and_then(|owner| owner.parse().ok());
    owner.is_some_and(|owner: Owner| owner.is_gone())
}

impl fmt::Display for Owner {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}-{}-{}-{}", self.boot, self.namespace, self.pid, self.started)
    }
}

impl FromStr for Owner {
    type Err = ();

    /// Reads an owner at the front of a name; what follows it is not looked at.
    fn from_str(text: &str) -> Result<Self, ()> {
        let mut parts = text.split('-');
        let mut next = || parts.next().ok_or(());
        let boot = next()?.to_owned();
        let namespace = next()?.to_owned();
        let pid = next()?.parse().map_err(drop)?;
        let started = next()?.parse().map_err(drop)?;
        Ok(Self { boot, namespace, pid, started })
    }
}

/// Bits of the time that a short name of a process holds.
const SHORT: u32 = 26;

/// A process of this boot and this namespace as a number of 48 bits: what tells it from others for a week at least.
pub(crate) fn short(pid: u32) -> Option<u64> {
    Some(u64::from(pid) << SHORT | started(pid)? & ((1 << SHORT) - 1))
}

/// Is true if the process with this short name runs.
pub(crate) fn runs(name: u64) -> bool {
    u32::try_from(name >> SHORT).ok().and_then(short) == Some(name)
}

/// A number that this process has not given before: one process may hold several things of a kind.
pub(crate) fn serial() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

fn boot() -> String {
    let id = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    id.chars().filter(char::is_ascii_hexdigit).take(8).collect()
}

fn namespace() -> String {
    let link = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    link.to_string_lossy().chars().filter(char::is_ascii_digit).collect()
}

/// When the process started, if it runs. A zombie does not run.
fn started(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name stands in parentheses and may hold anything, also `)`.
    let mut fields = stat.get(stat.rfind(')')? + 2..)?.split(' ');
    if matches!(fields.next()?, "Z" | "X") {
        return None;
    }
    fields.nth(18)?.parse().ok()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        let owner = Owner::current();
        assert_eq!(owner.to_string().parse(), Ok(owner));
        for wrong in ["", "a-b", "a-b-c-d", "0-1-x-3"] {
            assert_eq!(wrong.parse::<Owner>(), Err(()), "{wrong}");
        }
    }

    #[test]
    fn short_names_tell_who_runs() {
        let name = short(std::process::id()).unwrap();
        assert!(runs(name) && !runs(name ^ 1) && name >> 48 == 0);
    }

    #[test]
    fn tells_the_living_from_the_gone() {
        let current = Owner::current();
        assert!(!current.is_gone());
        // The same number, but started at another time: the number was used again.
        assert!(Owner { started: current.started + 1, ..current.clone() }.is_gone());
        assert!(Owner { boot: "00000000".to_owned(), ..current.clone() }.is_gone());
        let elsewhere = Owner { namespace: "1".to_owned(), started: 1, ..current.clone() };
        assert!(!elsewhere.is_gone(), "nobody knows");
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let pid = child.id();
        child.wait().unwrap();
        assert!(Owner { pid, ..current }.is_gone());
    }
}
