//! Changes of modes, owners and times of files, made in a command's place where no mounts protect the files of the host: each on the
//! file that it turns out to be for, and only if that is the command's own.
//!
//! The command waits meanwhile, and what it changes behind our back changes nothing: its words are read once, the file is opened once,
//! and all that is asked and done is about that open file.

use std::ffi::OsStr;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{
    AtFlags, FileType, Gid, Mode, OFlags, ResolveFlags, Timespec, Timestamps, UTIME_NOW, Uid, chmod, chownat,
    fstat, open, openat2, readlink, utimensat,
};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use rustix::thread::{CapabilitySet, CapabilitySets, set_capabilities};

use super::listener::{Listener, Request};

/// The length of a path with its end, at most.
const PATH_MAX: usize = 4096;
/// The path of a descriptor for a file in memory alone that has no name.
const IN_MEMORY: &[u8] = b"/memfd:";

/// The folders whose files a command may change.
#[derive(Debug, Clone, Default)]
pub(super) struct OwnFolders {
    /// Its own.
    pub(super) own: Vec<PathBuf>,
    /// Those that it shares with others, and that stay as they are themselves.
    pub(super) shared: Vec<PathBuf>,
}

impl OwnFolders {
    /// The same by the paths that the kernel names them by.
    fn resolved(&self) -> Self {
        let all =
            |folders: &[PathBuf]| folders.iter().filter_map(|folder| folder.canonicalize().ok()).collect();
        Self { own: all(&self.own), shared: all(&self.shared) }
    }

    fn hold(&self, path: &Path) -> bool {
        self.own.iter().any(|folder| path.starts_with(folder))
            || self.shared.iter().any(|folder| path != folder && path.starts_with(folder))
    }
}

/// Answers a command's requests until it has ended, on a thread of its own. Without one they are refused as the listener is dropped.
pub(super) fn attend(listener: OwnedFd, folders: OwnFolders) {
    let listener = Listener::new(listener);
    let attend = move || {
        let none = CapabilitySet::empty();
        let none = CapabilitySets { effective: none, permitted: none, inheritable: none };
        // What this thread does it may do by no other right than the command has. Others keep theirs.
        if let Err(error) = set_capabilities(None, none) {
            tracing::debug!(%error, "capabilities are kept, and changes of files refused");
            return;
        }
        let attendant = Attendant { listener, folders: folders.resolved() };
        while let Some(request) = attendant.listener.next() {
            attendant.attend(&request);
        }
    };
    let thread = std::thread::Builder::new().name("changes of files".to_owned()).spawn(attend);
    if let Err(error) = thread {
        tracing::debug!(%error, "changes of files are refused");
    }
}

struct Attendant {
    listener: Listener,
    folders: OwnFolders,
}

/// The way to a file, as a call tells it.
struct Place {
    /// The number of the descriptor that it begins at.
    from: RawFd,
    /// The path from there, by its address; none for the descriptor itself.
    path: Option<u64>,
    /// Links are followed at its end.
    follows: bool,
    /// An empty path is the descriptor itself.
    may_be_empty: bool,
}

impl Place {
    fn descriptor(request: &Request) -> Self {
        Self { from: request.number(0), path: None, follows: true, may_be_empty: false }
    }

    fn path(request: &Request, follows: bool) -> Self {
        Self { from: libc::AT_FDCWD, path: Some(request.arguments[0]), follows, may_be_empty: false }
    }

    fn relative(request: &Request, flags: u32) -> Self {
        let has = |flag: libc::c_int| flags & flag.unsigned_abs() != 0;
        Self {
            from: request.number(0),
            path: Some(request.arguments[1]),
            follows: !has(libc::AT_SYMLINK_NOFOLLOW),
            may_be_empty: has(libc::AT_EMPTY_PATH),
        }
    }
}

/// The change that is wanted.
enum Change {
    Mode(Mode),
    Owner(Option<Uid>, Option<Gid>),
    Times(Timestamps),
}

impl Attendant {
    fn attend(&self, request: &Request) {
        let result = if request.call == libc::SYS_ioctl {
            match self.give_terminal(request) {
                Ok(()) => return,
                refused => refused,
            }
        } else {
            self.change(request)
        };
        self.listener.answer(request, result);
    }

    fn change(&self, request: &Request) -> rustix::io::Result<()> {
        let (place, change) = understand(request)?;
        let file = resolve(request, &place)?;
        // Only now it is known that all of this was of the thread that asked.
        if !self.listener.is_waiting(request) {
            return Err(Errno::SRCH);
        }
        let mode = fstat(&file)?.st_mode;
        let at = readlink(own_path(&file), Vec::new())?;
        let at = Path::new(OsStr::from_bytes(at.to_bytes()));
        let is_in_memory = at.as_os_str().as_bytes().starts_with(IN_MEMORY) && fstat(&file)?.st_nlink == 0;
        if !is_in_memory && !self.folders.hold(at) {
            return Err(Errno::PERM);
        }
        let kind = FileType::from_raw_mode(mode);
        match change {
            Change::Mode(_) if kind.is_symlink() => Err(Errno::OPNOTSUPP),
            // From a folder that others can reach, the program would run as its owner for anybody, and files can be moved there.
            Change::Mode(mode) if mode.intersects(Mode::SUID | Mode::SGID) && !kind.is_dir() => {
                Err(Errno::PERM)
            }
            Change::Mode(mode) => chmod(own_path(&file), mode),
            Change::Owner(owner, group) => chownat(&file, c"", owner, group, AtFlags::EMPTY_PATH),
            Change::Times(times) => utimensat(&file, c"", &times, AtFlags::EMPTY_PATH),
        }
    }

    /// Gives a command the other end of a terminal that it has made: it cannot open it by a path, where the terminals of users lie.
    fn give_terminal(&self, request: &Request) -> rustix::io::Result<()> {
        let text = std::fs::read_to_string(request.file("status")).map_err(|_| Errno::PERM)?;
        let process = text.lines().find_map(|line| line.strip_prefix("Tgid:"));
        let process = process.and_then(|id| Pid::from_raw(id.trim().parse().ok()?)).ok_or(Errno::SRCH)?;
        let process = pidfd_open(process, PidfdFlags::empty())?;
        // SAFETY: both arguments are numbers of descriptors.
        let master = descriptor(unsafe {
            libc::syscall(libc::SYS_pidfd_getfd, process.as_raw_fd(), request.number(0), 0)
        })?;
        if !self.listener.is_waiting(request) {
            return Err(Errno::SRCH);
        }
        let flags = request.number(2);
        // SAFETY: the request takes a number. It must not become a terminal that rules over us.
        let other_end = descriptor(unsafe {
            libc::ioctl(master.as_raw_fd(), libc::TIOCGPTPEER, flags | libc::O_NOCTTY).into()
        })?;
        self.listener.answer_with(request, &other_end, flags & libc::O_CLOEXEC != 0)
    }
}

/// The descriptor that a call has given.
fn descriptor(done: libc::c_long) -> rustix::io::Result<OwnedFd> {
    let number = RawFd::try_from(done).ok().filter(|number| *number >= 0);
    let last = || Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::PERM);
    // SAFETY: the kernel has just made it for us.
    number.map(|number| unsafe { OwnedFd::from_raw_fd(number) }).ok_or_else(last)
}

/// What a call asks for.
fn understand(request: &Request) -> rustix::io::Result<(Place, Change)> {
    let descriptor = || Place::descriptor(request);
    #[cfg(target_arch = "x86_64")]
    let path = |follows| Place::path(request, follows);
    let mode = |argument| Change::Mode(Mode::from_raw_mode(request.unsigned(argument) & 0o7777));
    let owner = |argument| {
        let id = |argument| Some(request.unsigned(argument)).filter(|id| *id != u32::MAX);
        Change::Owner(id(argument).map(Uid::from_raw), id(argument + 1).map(Gid::from_raw))
    };
    Ok(match request.call {
        libc::SYS_fchmod => (descriptor(), mode(1)),
        // This call has no flags.
        libc::SYS_fchmodat => (Place::relative(request, 0), mode(2)),
        libc::SYS_fchown => (descriptor(), owner(1)),
        libc::SYS_fchownat => (Place::relative(request, request.unsigned(4)), owner(2)),
        libc::SYS_utimensat => {
            let place = Place::relative(request, request.unsigned(3));
            let place = if request.arguments[1] == 0 { descriptor() } else { place };
            let times = given(request, 2).map_or(Ok(now()), |address| {
                request
                    .numbers(address)
                    .map(|[one, nanos, other, other_nanos]| times([one, nanos], [other, other_nanos]))
            })?;
            (place, Change::Times(times))
        }
        #[cfg(target_arch = "x86_64")]
        libc::SYS_chmod => (path(true), mode(1)),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_chown => (path(true), owner(1)),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_lchown => (path(false), owner(1)),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_utime => {
            let seconds = |[one, other]: [i64; 2]| times([one, 0], [other, 0]);
            let address = given(request, 1);
            let times = address.map_or(Ok(now()), |address| request.numbers(address).map(seconds))?;
            (path(true), Change::Times(times))
        }
        #[cfg(target_arch = "x86_64")]
        libc::SYS_utimes => (path(true), Change::Times(of_micros(request, 1)?)),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_futimesat => {
            let place = if request.arguments[1] == 0 { descriptor() } else { Place::relative(request, 0) };
            (place, Change::Times(of_micros(request, 2)?))
        }
        _ => return Err(Errno::PERM),
    })
}

/// An address, where one is given.
fn given(request: &Request, argument: usize) -> Option<u64> {
    Some(request.arguments[argument]).filter(|address| *address != 0)
}

/// Times of which parts of a second are counted in millionths.
#[cfg(target_arch = "x86_64")]
fn of_micros(request: &Request, argument: usize) -> rustix::io::Result<Timestamps> {
    let Some(address) = given(request, argument) else { return Ok(now()) };
    let [one, micros, other, other_micros] = request.numbers(address)?;
    if [micros, other_micros].iter().any(|micros| !(0..1_000_000).contains(micros)) {
        return Err(Errno::INVAL);
    }
    Ok(times([one, micros * 1000], [other, other_micros * 1000]))
}

fn times(access: [i64; 2], modification: [i64; 2]) -> Timestamps {
    let time = |[tv_sec, tv_nsec]: [i64; 2]| Timespec { tv_sec, tv_nsec };
    Timestamps { last_access: time(access), last_modification: time(modification) }
}

fn now() -> Timestamps {
    times([0, UTIME_NOW], [0, UTIME_NOW])
}

/// Opens what a call is for, without any right to read or write it.
fn resolve(request: &Request, place: &Place) -> rustix::io::Result<OwnedFd> {
    let Some(address) = place.path else { return opened(request, place.from) };
    let text = request.text(address, PATH_MAX)?;
    if text.is_empty() {
        return if place.may_be_empty { opened(request, place.from) } else { Err(Errno::NOENT) };
    }
    let path = Path::new(OsStr::from_bytes(&text));
    let follow = if place.follows { OFlags::empty() } else { OFlags::NOFOLLOW };
    let flags = OFlags::PATH | OFlags::CLOEXEC | follow;
    // The kernel would take a link to a descriptor for one of ours, and other links of that kind lead anywhere.
    let find =
        |from: &OwnedFd, path: &Path| openat2(from, path, flags, Mode::empty(), ResolveFlags::NO_MAGICLINKS);
    if path.is_absolute() {
        return match of_own_descriptor(path, request.thread) {
            Some((number, rest)) if rest.as_os_str().is_empty() && place.follows => opened(request, number),
            Some((number, rest)) if !rest.as_os_str().is_empty() => find(&opened(request, number)?, rest),
            Some(_) => Err(Errno::PERM),
            None => find(&open("/", OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?, path),
        };
    }
    find(&opened(request, place.from)?, path)
}

/// The number of the descriptor that a path begins with which leads to those of the thread's own process, and the rest of the path.
fn of_own_descriptor(path: &Path, thread: u32) -> Option<(RawFd, &Path)> {
    let thread = thread.to_string();
    let starts = ["/proc/self/fd", "/proc/thread-self/fd", "/dev/fd"].map(PathBuf::from);
    let by_number = Path::new("/proc").join(&thread).join("fd");
    if let Some(name) = path.strip_prefix("/dev").ok().and_then(Path::to_str) {
        let standard = ["stdin", "stdout", "stderr"].iter().position(|standard| *standard == name);
        if let Some(number) = standard {
            return Some((RawFd::try_from(number).ok()?, Path::new("")));
        }
    }
    let rest = starts.iter().chain([&by_number]).find_map(|start| path.strip_prefix(start).ok())?;
    let mut parts = rest.components();
    let number = parts.next()?.as_os_str().to_str()?.parse().ok()?;
    Some((number, parts.as_path()))
}

/// What a thread has open under a number, or its folder.
fn opened(request: &Request, number: RawFd) -> rustix::io::Result<OwnedFd> {
    let name = if number == libc::AT_FDCWD { "cwd".to_owned() } else { format!("fd/{number}") };
    open(request.file(&name), OFlags::PATH | OFlags::CLOEXEC, Mode::empty()).map_err(|error| match error {
        Errno::NOENT => Errno::BADF,
        _ => Errno::PERM,
    })
}

/// The path by which we reach what a descriptor of ours is for.
fn own_path(file: &OwnedFd) -> String {
    format!("/proc/self/fd/{}", file.as_raw_fd())
}
