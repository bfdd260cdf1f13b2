//! The last steps of a command's first process, between its fork and the shell.
//!
//! This runs in a child of a program with many threads, so it keeps to system calls and to the allocator
//! (which the C library makes safe after a fork), and ends by replacing itself.

use std::convert::Infallible;
use std::io;
use std::mem::size_of;
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::net::{AddressFamily, SendFlags, SocketType};
use rustix::process::{getpid, set_child_subreaper, setsid};
use rustix::thread::{
    CapabilitiesSecureBits, CapabilitySet, CapabilitySets, set_capabilities, set_capabilities_secure_bits,
};
use seccompiler::BpfProgram;

use super::landlock::{self, Rules};
use super::listener::{hand_over, listen};
use super::seal::Seal;
use crate::seccomp::WatchedCalls;

/// The steps of the first process before it becomes the shell.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    /// It has a network namespace of its own, whose loopback is still down.
    pub(super) own_network: bool,
    /// It has a PID namespace of its own and so collects orphans by itself.
    pub(super) own_processes: bool,
    /// Give up every capability, also those that root has.
    pub(super) powerless: bool,
    /// What becomes of its mounts, where it has its own.
    pub(super) seal: Seal,
    /// The files that Landlock lets it see and change.
    pub(super) rules: Option<Rules>,
    /// Which calls of the kernel are refused, set one after the other.
    pub(super) filters: Vec<BpfProgram>,
    /// Which calls are made by who watches over the command.
    pub(super) watched: Option<WatchedCalls>,
    /// The command line.
    pub(super) line: String,
}

/// The first process. It tells on its standard input, a socket, that it stands, and later the command's
/// status; then it waits there until everything else is gone, so that orphans keep a known ancestor.
/// Its own complaints ("Killed") are no output of the command's.
const FIRST: &str = r#"exec 3>&2 2>/dev/null
printf s >&0
/bin/sh -c "$1" </dev/null 2>&3 3>&-
printf '%s\n' "$?" >&0
exec >/dev/null 3>&-
read -r _
"#;

/// Waits on the standard input for a byte, which says that it may begin: before, it was to be taken into its control group.
pub(super) fn wait() -> Result<(), String> {
    match rustix::io::read(io::stdin(), &mut [0]) {
        Ok(0) => Err("it was given up before it began".to_owned()),
        Ok(_) => Ok(()),
        Err(error) => Err(format!("waiting: {error}")),
    }
}

impl Entry {
    /// Becomes the first process; returns only to say what failed.
    pub(super) fn enter(&self) -> Result<Infallible, String> {
        let step = |what: &'static str| move |error: rustix::io::Errno| format!("{what}: {error}");
        // Out of the terminal's process group: Ctrl-C is for us to handle, not for the command.
        setsid().map_err(step("starting a session"))?;
        if self.own_network {
            raise_loopback().map_err(|error| format!("raising the loopback: {error}"))?;
        }
        self.seal.apply()?;
        if !self.own_processes {
            set_child_subreaper(Some(getpid())).map_err(step("collecting orphans"))?;
        }
        if self.powerless {
            drop_capabilities().map_err(step("dropping capabilities"))?;
        }
        if let Some(rules) = &self.rules {
            landlock::restrict(rules).map_err(|error| format!("Landlock: {error}"))?;
        }
        for filter in &self.filters {
            seccompiler::apply_filter(filter).map_err(|error| format!("seccomp: {error}"))?;
        }
        if let Some(watched) = &self.watched {
            watch(watched)?;
        }
        let error = Command::new("/bin/sh").arg("-c").arg(FIRST).arg("sh").arg(&self.line).exec();
        Err(format!("starting /bin/sh: {error}"))
    }
}

/// Has calls asked about and hands over who listens; they are refused where somebody listens to this program already.
fn watch(calls: &WatchedCalls) -> Result<(), String> {
    match listen(&calls.asking) {
        Ok(listener) => hand_over(&io::stdin(), &listener).map_err(|error| format!("handing over: {error}")),
        Err(_) => seccompiler::apply_filter(&calls.refusing).map_err(|error| format!("seccomp: {error}")),
    }
}

/// Gives up all capabilities for good. Root keeps the right to its own files, as any user does, and no more.
fn drop_capabilities() -> rustix::io::Result<()> {
    let locked = CapabilitiesSecureBits::NO_ROOT
        | CapabilitiesSecureBits::NO_ROOT_LOCKED
        | CapabilitiesSecureBits::NO_SETUID_FIXUP
        | CapabilitiesSecureBits::NO_SETUID_FIXUP_LOCKED;
    match set_capabilities_secure_bits(locked) {
        // An ordinary user has no right to set them, and needs none: it has no capability to regain.
        Ok(()) | Err(rustix::io::Errno::PERM) => {}
        Err(error) => return Err(error),
    }
    let none = CapabilitySet::empty();
    set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })
}

/// Sets the loopback of a fresh network namespace up, by a route netlink message: tests talk to themselves.
fn raise_loopback() -> io::Result<()> {
    const NEW_LINK: u16 = 16; // RTM_NEWLINK
    const REQUEST_WITH_ANSWER: u16 = 1 | 4; // NLM_F_REQUEST | NLM_F_ACK
    const ERROR: u16 = 2; // NLMSG_ERROR
    const LOOPBACK: i32 = 1; // always the first interface of a namespace
    const UP: u32 = 1; // IFF_UP
    const HEADER: usize = 16;
    const LENGTH: usize = HEADER + 16;

    let mut message = Vec::with_capacity(LENGTH);
    message.extend_from_slice(&(LENGTH as u32).to_ne_bytes());
    message.extend_from_slice(&NEW_LINK.to_ne_bytes());
    message.extend_from_slice(&REQUEST_WITH_ANSWER.to_ne_bytes());
    message.extend_from_slice(&[0; 8]); // sequence number and port
    message.extend_from_slice(&[0; 4]); // family, padding, type
    message.extend_from_slice(&LOOPBACK.to_ne_bytes());
    message.extend_from_slice(&UP.to_ne_bytes()); // flags
    message.extend_from_slice(&UP.to_ne_bytes()); // which of them change

    let socket = rustix::net::socket(AddressFamily::NETLINK, SocketType::RAW, None)?;
    rustix::net::send(&socket, &message, SendFlags::empty())?;
    let mut answer = [0; 256];
    let received = rustix::io::read(&socket, &mut answer)?;
    let field = |at: usize, bytes: usize| answer.get(at..at + bytes).filter(|_| at + bytes <= received);
    let kind = field(4, size_of::<u16>()).and_then(|bytes| bytes.try_into().ok()).map(u16::from_ne_bytes);
    let status =
        field(HEADER, size_of::<i32>()).and_then(|bytes| bytes.try_into().ok()).map(i32::from_ne_bytes);
    match (kind, status) {
        (Some(ERROR), Some(0)) => Ok(()),
        (Some(ERROR), Some(number)) => Err(io::Error::from_raw_os_error(-number)),
        _ => Err(io::Error::other("no answer from the kernel")),
    }
}
