//! Calls of the kernel that no code under test needs and that have led out of sandboxes: one list, for the filter that local
//! sandboxes set (`seccomp(2)`) and for the profile that an engine of containers is given.
//!
//! What is not named is allowed: a test that breaks at a call that nobody thought of would be taken for a failing one.

use std::collections::BTreeMap;

mod programs;

use serde_json::{Value, json};

use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule,
};

use programs::{OTHER_NUMBERS, asking, with_harmless_requests, without_numbers_from};

/// A call by its number and its name.
type Call = (i64, &'static str);

macro_rules! call {
    ($call:ident) => {
        (libc::$call, stringify!($call))
    };
}
macro_rules! calls {
    ($($call:ident)*) => { [$(call!($call)),*] };
}

/// Refused whatever they ask for: roots and mounts, modules, other kernels, the clock, disks, other processes' memory, keyrings
/// (which belong to no namespace), and what is watched by the kernel or loaded into it.
const NOT_PERMITTED: &[Call] = &calls![
    SYS_acct SYS_add_key SYS_bpf SYS_clock_settime SYS_delete_module SYS_fanotify_init SYS_finit_module SYS_fsconfig SYS_fsmount
    SYS_fsopen SYS_fspick SYS_init_module SYS_kcmp SYS_kexec_load SYS_keyctl SYS_mount SYS_mount_setattr SYS_move_mount
    SYS_name_to_handle_at SYS_nfsservctl SYS_open_by_handle_at SYS_open_tree SYS_perf_event_open SYS_pidfd_getfd SYS_pivot_root
    SYS_process_madvise SYS_process_vm_readv SYS_process_vm_writev SYS_ptrace SYS_quotactl SYS_reboot SYS_request_key
    SYS_setdomainname SYS_sethostname SYS_setns SYS_settimeofday SYS_swapoff SYS_swapon SYS_syslog SYS_umount2 SYS_userfaultfd
    SYS_vhangup
];
/// The same of calls that one architecture has.
#[cfg(target_arch = "x86_64")]
const OLD: &[Call] = &calls![
    SYS__sysctl SYS_ioperm SYS_iopl SYS_modify_ldt SYS_sysfs SYS_uselib SYS_ustat
];
#[cfg(not(target_arch = "x86_64"))]
const OLD: &[Call] = &[];
/// Calls that programs do without where the kernel does not know them. Their arguments lie in memory, where no filter can look.
const UNKNOWN: &[Call] = &calls![SYS_clone3 SYS_io_uring_enter SYS_io_uring_register SYS_io_uring_setup];
/// The first of the calls that kernels have learned of late. Programs do without them, and some change the attributes of files by a path.
const FIRST_OF_LATE: u32 = 463;
/// Changes the rights of a file: a library that is refused it goes another way. Its number is the same everywhere.
const FCHMODAT2: Call = (452, "SYS_fchmodat2");
/// Calls that change the modes, owners and times of files, by a path or a descriptor that was opened only to read. Landlock knows
/// nothing of them: where it stands alone, each is looked at by who watches over the command.
const FILE_CHANGES: &[Call] = &calls![SYS_fchmod SYS_fchmodat SYS_fchown SYS_fchownat SYS_utimensat];
/// The same of calls that one architecture has.
#[cfg(target_arch = "x86_64")]
const OLD_FILE_CHANGES: &[Call] = &calls![SYS_chmod SYS_chown SYS_futimesat SYS_lchown SYS_utime SYS_utimes];
#[cfg(not(target_arch = "x86_64"))]
const OLD_FILE_CHANGES: &[Call] = &[];
/// Calls that change other attributes of files, among them lists of access.
const ATTRIBUTES: &[Call] =
    &calls![SYS_fremovexattr SYS_fsetxattr SYS_lremovexattr SYS_lsetxattr SYS_removexattr SYS_setxattr];
/// The flags with which a file is made, also one without a name (`__O_TMPFILE`).
const CREATE: [u64; 2] = [libc::O_CREAT as u64, 0o20_000_000];
/// The bits of a mode with which a program runs as its owner or group.
const RUNS_AS_OWNER: [u64; 2] = [0o4000, 0o2000];
/// Other processes' pages, and memory and queues that all processes of a machine know by a number or a name.
const SHARED: &[Call] = &calls![
    SYS_migrate_pages SYS_move_pages SYS_mq_open SYS_mq_unlink SYS_msgctl SYS_msgget SYS_msgrcv SYS_msgsnd SYS_semctl SYS_semget
    SYS_semop SYS_semtimedop SYS_shmat SYS_shmctl SYS_shmget
];

/// The flags of `clone(2)` that make namespaces.
const NAMESPACES: [libc::c_int; 7] = [
    libc::CLONE_NEWNS,
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
];
/// The families of sockets that code under test may have. Others reach the machine below, its radios and buses.
const FAMILIES: [libc::c_int; 4] = [libc::AF_UNIX, libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];
/// The bits of the type of a socket that are no flags.
const TYPE: u64 = 0xf;
/// Of `ioprio_set(2)`: the number that follows is a process's.
const IOPRIO_WHO_PROCESS: u64 = 1;

/// The other isolation of a command from the rest of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OtherIsolation {
    /// Namespaces: what belongs to others has no name there.
    Namespaces,
    /// Landlock alone.
    Landlock {
        /// The command may use the host's network.
        network: bool,
        /// The rules close TCP.
        tcp: bool,
    },
}

/// The error with which a call is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Refusal {
    NotPermitted,
    Unknown,
    /// As by a file system that has no such thing.
    Unsupported,
}

impl Refusal {
    const ALL: [Self; 3] = [Self::NotPermitted, Self::Unknown, Self::Unsupported];

    fn number(self) -> u32 {
        let number = match self {
            Self::NotPermitted => libc::EPERM,
            Self::Unknown => libc::ENOSYS,
            Self::Unsupported => libc::EOPNOTSUPP,
        };
        number.unsigned_abs()
    }
}

/// A condition on an argument for a rule to hold.
#[derive(Clone, Copy, Debug)]
enum ArgumentCondition {
    Equal(u64),
    Other(u64),
    Above(u64),
    /// An address, of 64 bits.
    Given,
    /// Equal to the second in the bits of the first.
    Masked(u64, u64),
}

/// A call that is refused where all conditions hold. Each has the number of an argument, of which the lower half counts: the
/// kernel takes numbers and flags of 32 bits from it.
#[derive(Clone, Debug)]
struct Rule {
    call: Call,
    refusal: Refusal,
    when: Vec<(u8, ArgumentCondition)>,
}

impl Rule {
    fn when(call: Call, when: &[(u8, ArgumentCondition)]) -> Self {
        Self { call, refusal: Refusal::NotPermitted, when: when.to_vec() }
    }

    fn always(call: Call) -> Self {
        Self::when(call, &[])
    }

    fn compiled(&self) -> Result<SeccompRule, BackendError> {
        let condition = |(argument, is): &(u8, ArgumentCondition)| {
            let (length, operator, value) = match *is {
                ArgumentCondition::Equal(value) => (SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value),
                ArgumentCondition::Other(value) => (SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, value),
                ArgumentCondition::Above(value) => (SeccompCmpArgLen::Dword, SeccompCmpOp::Gt, value),
                ArgumentCondition::Given => (SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0),
                ArgumentCondition::Masked(mask, value) => {
                    (SeccompCmpArgLen::Dword, SeccompCmpOp::MaskedEq(mask), value)
                }
            };
            SeccompCondition::new(*argument, length, operator, value)
        };
        SeccompRule::new(self.when.iter().map(condition).collect::<Result<_, _>>()?)
    }
}

/// The filters for a command, each to be set with [`seccompiler::apply_filter`]. An error where filters know nothing of the machine's
/// architecture.
pub(crate) fn filters(besides: OtherIsolation) -> Result<Vec<BpfProgram>, BackendError> {
    let rules = rules(besides);
    let unknown = Refusal::Unknown.number();
    let mut filters =
        [OTHER_NUMBERS, FIRST_OF_LATE].map(|first| without_numbers_from(first, unknown)).to_vec();
    if besides != OtherIsolation::Namespaces {
        filters.push(with_harmless_requests());
    }
    for refusal in Refusal::ALL {
        let rules: Vec<&Rule> = rules.iter().filter(|rule| rule.refusal == refusal).collect();
        if !rules.is_empty() {
            filters.push(refusing(&rules, refusal)?);
        }
    }
    Ok(filters)
}

/// A filter that refuses what rules say.
fn refusing(rules: &[&Rule], refusal: Refusal) -> Result<BpfProgram, BackendError> {
    let mut calls: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    for rule in rules {
        let known = calls.entry(rule.call.0).or_default();
        // A call without rules is refused always.
        if !rule.when.is_empty() {
            known.push(rule.compiled()?);
        }
    }
    let action = SeccompAction::Errno(refusal.number());
    let architecture = std::env::consts::ARCH.try_into()?;
    SeccompFilter::new(calls, SeccompAction::Allow, action, architecture)?.try_into()
}

/// The filters for [`FILE_CHANGES`] and requests for the other end of a terminal.
#[derive(Debug, Clone)]
pub(crate) struct WatchedCalls {
    /// Asks who listens.
    pub(crate) asking: BpfProgram,
    /// Refuses, where nobody can listen.
    pub(crate) refusing: BpfProgram,
}

impl WatchedCalls {
    /// An error where filters know nothing of the machine's architecture.
    pub(crate) fn new() -> Result<Self, BackendError> {
        let calls: Vec<Call> = [FILE_CHANGES, OLD_FILE_CHANGES].concat();
        let request = [(1, ArgumentCondition::Equal(libc::TIOCGPTPEER))];
        let mut rules: Vec<Rule> = calls.iter().copied().map(Rule::always).collect();
        rules.push(Rule::when(call!(SYS_ioctl), &request));
        let refusing = refusing(&rules.iter().collect::<Vec<_>>(), Refusal::NotPermitted)?;
        Ok(Self {
            asking: asking(calls.iter().map(|call| call.0.unsigned_abs()), libc::TIOCGPTPEER),
            refusing,
        })
    }
}

/// The profile for an engine of containers, as its option `seccomp` wants it: the format of the Open Container Initiative's runtimes
/// with names for numbers.
pub(crate) fn profile() -> serde_json::Value {
    let argument = |(index, is): &(u8, ArgumentCondition)| {
        let (operator, value, second) = match *is {
            ArgumentCondition::Equal(value) => ("SCMP_CMP_EQ", value, 0),
            ArgumentCondition::Other(value) => ("SCMP_CMP_NE", value, 0),
            ArgumentCondition::Given => ("SCMP_CMP_NE", 0, 0),
            ArgumentCondition::Above(value) => ("SCMP_CMP_GT", value, 0),
            ArgumentCondition::Masked(mask, value) => ("SCMP_CMP_MASKED_EQ", mask, value),
        };
        json!({"index": index, "op": operator, "value": value, "valueTwo": second})
    };
    let rule = |rule: &Rule| {
        json!({
            "names": [rule.call.1.trim_start_matches("SYS_")],
            "action": "SCMP_ACT_ERRNO",
            "errnoRet": rule.refusal.number(),
            "args": rule.when.iter().map(argument).collect::<Vec<_>>(),
        })
    };
    let rules: Vec<Value> = rules(OtherIsolation::Namespaces).iter().map(rule).collect();
    json!({"defaultAction": "SCMP_ACT_ALLOW", "syscalls": rules})
}

fn rules(besides: OtherIsolation) -> Vec<Rule> {
    let mut rules: Vec<Rule> = [NOT_PERMITTED, OLD].concat().into_iter().map(Rule::always).collect();
    let unknown = UNKNOWN.iter().copied().map(Rule::always);
    rules.extend(unknown.map(|rule| Rule { refusal: Refusal::Unknown, ..rule }));
    for flag in NAMESPACES.map(unsigned) {
        let holds = [(0, ArgumentCondition::Masked(flag, flag))];
        rules.extend([call!(SYS_clone), call!(SYS_unshare)].map(|call| Rule::when(call, &holds)));
    }
    // Puts letters into the input of a terminal.
    rules.push(Rule::when(call!(SYS_ioctl), &[(1, ArgumentCondition::Equal(libc::TIOCSTI))]));
    let last = FAMILIES.into_iter().max().unwrap_or_default();
    rules.push(socket(&[(0, ArgumentCondition::Above(unsigned(last)))]));
    let others = (1..last).filter(|family| !FAMILIES.contains(family));
    rules.extend(others.map(|family| socket(&[(0, ArgumentCondition::Equal(unsigned(family)))])));
    if let OtherIsolation::Landlock { network, tcp } = besides {
        rules.extend(without_namespaces());
        if !network {
            rules.extend(without_network(tcp));
        }
    }
    rules
}

/// Rules for what namespaces would keep apart: other processes, and what they share.
fn without_namespaces() -> Vec<Rule> {
    let mut rules: Vec<Rule> = SHARED.iter().copied().map(Rule::always).collect();
    // Whom it is connected to is said in memory. Pairs of sockets are made by another call.
    rules.push(socket(&[(0, ArgumentCondition::Equal(unsigned(libc::AF_UNIX)))]));
    // All that the user has.
    rules.push(Rule::when(call!(SYS_kill), &[(0, ArgumentCondition::Equal(u64::from(u32::MAX)))]));
    // Whatever is changed of a process, it is of the caller itself.
    rules.push(Rule::when(
        call!(SYS_prlimit64),
        &[(0, ArgumentCondition::Other(0)), (2, ArgumentCondition::Given)],
    ));
    for (call, argument, own) in [
        (call!(SYS_setpriority), 0, libc::PRIO_PROCESS.into()),
        (call!(SYS_setpriority), 1, 0),
        (call!(SYS_ioprio_set), 0, IOPRIO_WHO_PROCESS),
        (call!(SYS_ioprio_set), 1, 0),
    ] {
        rules.push(Rule::when(call, &[(argument, ArgumentCondition::Other(own))]));
    }
    let turns = calls![SYS_sched_setaffinity SYS_sched_setattr SYS_sched_setparam SYS_sched_setscheduler];
    rules.extend(turns.map(|call| Rule::when(call, &[(0, ArgumentCondition::Other(0))])));
    rules.extend(without_mounts());
    rules
}

/// Rules for what mounts would keep from files of the host, and others from what a command leaves in shared folders.
fn without_mounts() -> Vec<Rule> {
    let refused = |call, refusal| Rule { refusal, ..Rule::always(call) };
    // The second says its mode in memory.
    let mut rules: Vec<Rule> =
        [FCHMODAT2, call!(SYS_openat2)].map(|call| refused(call, Refusal::Unknown)).into();
    rules.extend(ATTRIBUTES.iter().map(|call| refused(*call, Refusal::Unsupported)));
    let has = |argument, bits| (argument, ArgumentCondition::Masked(bits, bits));
    for bit in RUNS_AS_OWNER {
        let opens = CREATE.map(|flag| Rule::when(call!(SYS_openat), &[has(2, flag), has(3, bit)]));
        rules.extend(opens);
        rules.push(Rule::when(call!(SYS_mknodat), &[has(2, bit)]));
        #[cfg(target_arch = "x86_64")]
        {
            rules.extend(CREATE.map(|flag| Rule::when(call!(SYS_open), &[has(1, flag), has(2, bit)])));
            rules.push(Rule::when(call!(SYS_creat), &[has(1, bit)]));
            rules.push(Rule::when(call!(SYS_mknod), &[has(1, bit)]));
        }
    }
    rules
}

/// Rules for the part of the network that rules about TCP do not know, or all of it where there are none.
fn without_network(tcp: bool) -> Vec<Rule> {
    let mut rules = Vec::new();
    for family in [libc::AF_INET, libc::AF_INET6] {
        let family = (0, ArgumentCondition::Equal(unsigned(family)));
        if !tcp {
            rules.push(socket(&[family]));
            continue;
        }
        for other in [libc::SOCK_DGRAM, libc::SOCK_RAW, libc::SOCK_SEQPACKET, libc::SOCK_DCCP] {
            rules.push(socket(&[family, (1, ArgumentCondition::Masked(TYPE, unsigned(other)))]));
        }
        // Of streams too, TCP is only one protocol.
        rules.push(socket(&[
            family,
            (2, ArgumentCondition::Other(0)),
            (2, ArgumentCondition::Other(unsigned(libc::IPPROTO_TCP))),
        ]));
    }
    // Connects without saying so.
    let open = unsigned(libc::MSG_FASTOPEN);
    for (call, argument) in [(call!(SYS_sendto), 3), (call!(SYS_sendmsg), 2), (call!(SYS_sendmmsg), 3)] {
        rules.push(Rule::when(call, &[(argument, ArgumentCondition::Masked(open, open))]));
    }
    rules
}

fn socket(when: &[(u8, ArgumentCondition)]) -> Rule {
    Rule::when(call!(SYS_socket), when)
}

fn unsigned(number: libc::c_int) -> u64 {
    number.unsigned_abs().into()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn every_sandbox_has_filters_that_the_kernel_takes() {
        // A program of the kernel's filters has at most so many statements.
        const MOST: usize = 4096;
        let alone = |network, tcp| OtherIsolation::Landlock { network, tcp };
        let mut sizes = Vec::new();
        for besides in
            [OtherIsolation::Namespaces, alone(true, true), alone(false, true), alone(false, false)]
        {
            let filters = filters(besides).unwrap();
            assert!(filters.iter().all(|filter| !filter.is_empty() && filter.len() <= MOST), "{besides:?}");
            sizes.push(filters.iter().map(Vec::len).sum::<usize>());
        }
        assert!(sizes[0] < sizes[1] && sizes[1] < sizes[3], "Landlock alone needs more of them: {sizes:?}");
    }

    #[test]
    fn the_profile_names_calls_as_engines_do() {
        let profile = profile();
        let rules = profile["syscalls"].as_array().unwrap();
        let of = |name: &str| rules.iter().filter(|rule| rule["names"][0] == name).collect::<Vec<_>>();
        assert_eq!(of("ptrace")[0]["args"], json!([]));
        assert_eq!(of("clone3")[0]["errnoRet"], libc::ENOSYS);
        let flags: u64 = of("clone").iter().map(|rule| rule["args"][0]["value"].as_u64().unwrap()).sum();
        assert_eq!(flags, 0x7e02_0000, "each flag that makes a namespace, once");
        assert!(of("socket").iter().all(|rule| rule["args"][0]["value"] != libc::AF_INET));
    }
}
