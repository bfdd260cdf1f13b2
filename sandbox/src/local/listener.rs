//! Calls of the kernel that it asks us about before it makes them; see `seccomp_unotify(2)`. Whoever answers makes the call in the
//! command's place or refuses it. Letting the kernel go on is no answer here: the command could change meanwhile what was looked at.

use std::fs::File;
use std::io;
use std::mem::{MaybeUninit, size_of};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::fs::FileExt;
use std::os::unix::net::UnixStream;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, sendmsg,
};
use seccompiler::{BpfProgram, sock_filter};

/// The byte that goes with a listener from the first process to who watches over it.
pub(super) const HAND_OVER: u8 = b'l';

/// Sets a filter that asks, for this process and all that it starts, and gives who listens. An error where somebody listens already.
pub(super) fn listen(filter: &BpfProgram) -> io::Result<OwnedFd> {
    let program = libc::sock_fprog {
        len: u16::try_from(filter.len()).map_err(io::Error::other)?,
        // The kernel only reads it, and both types are those of its header.
        filter: filter.as_ptr().cast::<sock_filter>().cast_mut().cast(),
    };
    let set = |flags: libc::c_ulong| {
        // SAFETY: the program and its statements live until the call returns.
        let done = unsafe {
            libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, flags, &raw const program)
        };
        RawFd::try_from(done).ok().filter(|descriptor| *descriptor >= 0).ok_or_else(io::Error::last_os_error)
    };
    let flag = libc::SECCOMP_FILTER_FLAG_NEW_LISTENER;
    // A call that was asked about is not begun anew by any signal, where the kernel knows how (Linux 5.19).
    let descriptor = set(flag | libc::SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV).or_else(|_| set(flag))?;
    // SAFETY: the kernel has just made the descriptor for us.
    Ok(unsafe { OwnedFd::from_raw_fd(descriptor) })
}

/// Hands a descriptor over through a socket.
pub(super) fn hand_over(socket: &impl std::os::fd::AsFd, descriptor: &OwnedFd) -> rustix::io::Result<()> {
    let descriptors = [std::os::fd::AsFd::as_fd(descriptor)];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    control.push(SendAncillaryMessage::ScmRights(&descriptors));
    sendmsg(socket, &[io::IoSlice::new(&[HAND_OVER])], &mut control, SendFlags::empty()).map(drop)
}

/// Reads from a socket, with the descriptor that was handed over.
pub(super) fn read_with_descriptor(
    socket: &UnixStream,
    bytes: &mut [u8],
) -> rustix::io::Result<(usize, Option<OwnedFd>)> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let message = recvmsg(socket, &mut [io::IoSliceMut::new(bytes)], &mut control, RecvFlags::CMSG_CLOEXEC)?;
    let handed_over = control.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut descriptors) => descriptors.next(),
        _ => None,
    });
    Ok((message.bytes, handed_over))
}

/// Who listens to the calls of a command.
#[derive(Debug)]
pub(super) struct Listener(OwnedFd);

/// A call that waits for an answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Request {
    id: u64,
    /// The thread that makes it.
    pub(super) thread: u32,
    /// The number of the call.
    pub(super) call: i64,
    pub(super) arguments: [u64; 6],
}

/// What the kernel writes of a request, with room for what later kernels may add.
#[repr(C)]
struct Notification {
    known: libc::seccomp_notif,
    more: [u64; 16],
}

impl Listener {
    pub(super) fn new(descriptor: OwnedFd) -> Self {
        Self(descriptor)
    }

    /// The next request; none when nobody is left to make one.
    pub(super) fn next(&self) -> Option<Request> {
        loop {
            let mut asked = [PollFd::new(&self.0, PollFlags::IN)];
            match poll(&mut asked, None) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(_) => return None,
            }
            let happened = asked[0].revents();
            if happened.contains(PollFlags::IN) {
                // SAFETY: the structure is made of numbers.
                let mut notification: Notification = unsafe { MaybeUninit::zeroed().assume_init() };
                match self.control(libc::SECCOMP_IOCTL_NOTIF_RECV, &mut notification) {
                    Ok(_) => return Some(Request::new(&notification.known)),
                    // Who asked was killed meanwhile.
                    Err(error) if matches!(error.raw_os_error(), Some(libc::ENOENT | libc::EINTR)) => {}
                    Err(_) => return None,
                }
            } else if happened.intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL) {
                return None;
            }
        }
    }

    /// Is true if the thread that asked is still there: what was opened by its number before is its own.
    pub(super) fn is_waiting(&self, request: &Request) -> bool {
        let mut id = request.id;
        self.control(libc::SECCOMP_IOCTL_NOTIF_ID_VALID, &mut id).is_ok()
    }

    /// Has a call return without a value, or with an error.
    pub(super) fn answer(&self, request: &Request, result: rustix::io::Result<()>) {
        let error = result.err().map_or(0, |error| -error.raw_os_error());
        let mut response = libc::seccomp_notif_resp { id: request.id, val: 0, error, flags: 0 };
        // Who asked may have been killed meanwhile: then nobody waits for it.
        let _ = self.control(libc::SECCOMP_IOCTL_NOTIF_SEND, &mut response);
    }

    /// Has a call return a descriptor of the command's for what ours is for.
    pub(super) fn answer_with(
        &self,
        request: &Request,
        ours: &OwnedFd,
        close_on_exec: bool,
    ) -> rustix::io::Result<()> {
        let mut given = libc::seccomp_notif_addfd {
            id: request.id,
            flags: libc::SECCOMP_ADDFD_FLAG_SEND as u32,
            srcfd: ours.as_raw_fd().unsigned_abs(),
            newfd: 0,
            newfd_flags: if close_on_exec { libc::O_CLOEXEC.unsigned_abs() } else { 0 },
        };
        let done = self.control(libc::SECCOMP_IOCTL_NOTIF_ADDFD, &mut given);
        done.map(drop).map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::PERM))
    }

    fn control<T>(&self, request: libc::Ioctl, argument: &mut T) -> io::Result<libc::c_int> {
        // SAFETY: each request is made with the structure that it is for, which lives until the call returns.
        let done = unsafe { libc::ioctl(self.0.as_raw_fd(), request, &raw mut *argument) };
        if done < 0 { Err(io::Error::last_os_error()) } else { Ok(done) }
    }
}

impl Request {
    fn new(notification: &libc::seccomp_notif) -> Self {
        Self {
            id: notification.id,
            thread: notification.pid,
            call: notification.data.nr.into(),
            arguments: notification.data.args,
        }
    }

    /// An argument that is a number of 32 bits, with a sign.
    pub(super) fn number(&self, argument: usize) -> i32 {
        self.unsigned(argument).cast_signed()
    }

    /// The lower half of an argument.
    pub(super) fn unsigned(&self, argument: usize) -> u32 {
        self.arguments[argument] as u32
    }

    /// What the kernel shows of the thread, by its name there.
    pub(super) fn file(&self, name: &str) -> String {
        format!("/proc/{}/{name}", self.thread)
    }

    /// A text that ends with a zero, of at most so many bytes with it, from the thread's memory.
    pub(super) fn text(&self, address: u64, most: usize) -> rustix::io::Result<Vec<u8>> {
        const PAGE: u64 = 4096;
        let memory = self.memory()?;
        let mut text = Vec::new();
        while text.len() < most {
            let from = address + text.len() as u64;
            // Behind the end of a page there may be nothing.
            let mut part = vec![0; usize::try_from(PAGE - from % PAGE).unwrap_or(1).min(most - text.len())];
            memory.read_exact_at(&mut part, from).map_err(|_| Errno::FAULT)?;
            if let Some(end) = part.iter().position(|byte| *byte == 0) {
                text.extend_from_slice(&part[..end]);
                return Ok(text);
            }
            text.append(&mut part);
        }
        Err(Errno::NAMETOOLONG)
    }

    /// Numbers from the thread's memory.
    pub(super) fn numbers<const COUNT: usize>(&self, address: u64) -> rustix::io::Result<[i64; COUNT]> {
        let memory = self.memory()?;
        let mut numbers = [0; COUNT];
        for (index, number) in numbers.iter_mut().enumerate() {
            let mut bytes = [0; size_of::<i64>()];
            let from = address + (index * size_of::<i64>()) as u64;
            memory.read_exact_at(&mut bytes, from).map_err(|_| Errno::FAULT)?;
            *number = i64::from_ne_bytes(bytes);
        }
        Ok(numbers)
    }

    fn memory(&self) -> rustix::io::Result<File> {
        File::open(self.file("mem")).map_err(|_| Errno::PERM)
    }
}
