//! Filters of calls that the library of filters cannot make. Of the numbers of other architectures its own take care.

use seccompiler::{BpfProgram, sock_filter};

/// The second set of numbers that a kernel may have for its calls (x32), which other filters do not know, begins with
/// `__X32_SYSCALL_BIT`.
pub(super) const OTHER_NUMBERS: u32 = 0x4000_0000;

/// The part of a request's number (`ioctl(2)`) that stands for its family.
const FAMILY: u32 = 0xff00;
/// The families of requests that programs make of files in general, terminals, randomness, sockets, namespaces and processes.
const FAMILIES: [u32; 6] = [0, (b'T' as u32) << 8, (b'R' as u32) << 8, 0x8900, 0xb700, FAMILY];
/// Requests to file systems that read, or copy to what was opened for it.
const HARMLESS: [u32; 6] = [
    0x8008_6601, // FS_IOC_GETFLAGS
    0x8008_7601, // FS_IOC_GETVERSION
    0xc020_660b, // FS_IOC_FIEMAP
    0x801c_581f, // FS_IOC_FSGETXATTR
    0x4004_9409, // FICLONE
    0x4020_940d, // FICLONERANGE
];

const LOAD: u32 = libc::BPF_LD | libc::BPF_W | libc::BPF_ABS;
const EQUAL: u32 = libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K;
const RETURN: u32 = libc::BPF_RET | libc::BPF_K;
/// Where the number of a call stands.
const NUMBER: u32 = 0;
/// Where the lower half of the second argument stands on machines that begin numbers with it, as all do that have filters here.
const SECOND_ARGUMENT: u32 = 24;

fn statement(code: u32, k: u32) -> sock_filter {
    sock_filter { code: code as u16, jt: 0, jf: 0, k }
}

/// A statement that goes on behind so many statements where what was loaded is `k`.
fn if_equal(k: u32, behind: usize) -> sock_filter {
    sock_filter { jt: behind as u8, ..statement(EQUAL, k) }
}

/// The same where it is not.
fn if_other(k: u32, behind: usize) -> sock_filter {
    sock_filter { jf: behind as u8, ..statement(EQUAL, k) }
}

/// Refuses calls from a number on with an error.
pub(super) fn without_numbers_from(first: u32, error: u32) -> BpfProgram {
    vec![
        statement(LOAD, NUMBER),
        sock_filter { jf: 1, ..statement(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, first) },
        statement(RETURN, libc::SECCOMP_RET_ERRNO | error),
        statement(RETURN, libc::SECCOMP_RET_ALLOW),
    ]
}

/// Asks who listens of some calls, and of one request.
pub(super) fn asking(calls: impl ExactSizeIterator<Item = u64>, request: libc::Ioctl) -> BpfProgram {
    let count = calls.len();
    let mut program = vec![statement(LOAD, NUMBER)];
    program.extend(calls.enumerate().map(|(index, call)| if_equal(call as u32, count - index + 3)));
    program.extend([
        if_other(libc::SYS_ioctl as u32, 2),
        statement(LOAD, SECOND_ARGUMENT),
        if_equal(request as u32, 1),
        statement(RETURN, libc::SECCOMP_RET_ALLOW),
        statement(RETURN, libc::SECCOMP_RET_USER_NOTIF),
    ]);
    program
}

/// Refuses requests but those of [`FAMILIES`] and the [`HARMLESS`] ones, as a file that knows no such request does.
pub(super) fn with_harmless_requests() -> BpfProgram {
    let (one_by_one, families) = (HARMLESS.len(), FAMILIES.len());
    let mut program = vec![
        statement(LOAD, NUMBER),
        if_other(libc::SYS_ioctl as u32, 1 + one_by_one + 1 + families + 1),
        statement(LOAD, SECOND_ARGUMENT),
    ];
    let left = |index: usize| one_by_one - 1 - index;
    let requests = HARMLESS.iter().enumerate();
    program.extend(requests.map(|(index, request)| if_equal(*request, left(index) + 1 + families + 1)));
    program.push(statement(libc::BPF_ALU | libc::BPF_AND | libc::BPF_K, FAMILY));
    program.extend(FAMILIES.iter().enumerate().map(|(index, family)| if_equal(*family, families - index)));
    program.extend([
        statement(RETURN, libc::SECCOMP_RET_ERRNO | libc::ENOTTY.unsigned_abs()),
        statement(RETURN, libc::SECCOMP_RET_ALLOW),
    ]);
    program
}
