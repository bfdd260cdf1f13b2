//! Landlock: the kernel's own restriction of a process and its children, which needs no privilege.

use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetError, RulesetStatus, Scope, path_beneath_rules,
};
use rustix::fs::{FileType, Mode, OFlags, fstat, open};

use super::private::is_public;

/// The newest interface whose rights are asked for; a kernel that knows fewer enforces those it knows.
const NEWEST: ABI = ABI::V6;

/// The files that a command may see and change. Paths that do not exist are passed over.
#[derive(Debug, Clone, Default)]
pub(super) struct Rules {
    /// Listed, with all folders in them; of files and links among them nothing is allowed.
    pub(super) list: Vec<PathBuf>,
    /// Read and executed, if everybody may: what has become private since, and links, are passed over.
    pub(super) public: Vec<PathBuf>,
    /// Read and executed.
    pub(super) read: Vec<PathBuf>,
    /// Read, executed, and changed in every way.
    pub(super) write: Vec<PathBuf>,
    /// Devices: opened for reading and writing, but none made.
    pub(super) devices: Vec<PathBuf>,
    /// TCP may be used.
    pub(super) tcp: bool,
}

/// Restricts the calling thread and everything that it will start.
pub(super) fn restrict(rules: &Rules) -> Result<RulesetStatus, RulesetError> {
    let all = AccessFs::from_all(NEWEST);
    let mut ruleset = Ruleset::default()
        // Without the first interface there is no Landlock: an error, not a silent no.
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(ABI::V1))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(all)?
        .scope(Scope::from_all(NEWEST))?;
    if !rules.tcp {
        ruleset = ruleset.handle_access(AccessNet::from_all(NEWEST))?;
    }
    let devices: BitFlags<AccessFs> = AccessFs::ReadFile
        | AccessFs::ReadDir
        | AccessFs::WriteFile
        | AccessFs::Truncate
        | AccessFs::IoctlDev;
    let status = ruleset
        .create()?
        .add_rules(rules.list.iter().filter_map(|path| list_rule(path)).map(Ok::<_, RulesetError>))?
        .add_rules(rules.public.iter().filter_map(|path| public_rule(path)).map(Ok::<_, RulesetError>))?
        .add_rules(path_beneath_rules(&rules.read, AccessFs::from_read(NEWEST)))?
        .add_rules(path_beneath_rules(&rules.write, all))?
        .add_rules(path_beneath_rules(&rules.devices, devices))?
        .restrict_self()?;
    Ok(status.ruleset)
}

/// The rule that lets the names in a folder be told. Links are not followed.
fn list_rule(path: &Path) -> Option<PathBeneath<OwnedFd>> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let folder = open(path, flags, Mode::empty()).ok()?;
    Some(PathBeneath::new(folder, AccessFs::ReadDir))
}

/// The rule that lets a file or folder be read. What is judged is what the rule is for, whatever stands at the path later.
fn public_rule(path: &Path) -> Option<PathBeneath<OwnedFd>> {
    let file = open(path, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty()).ok()?;
    let found = fstat(&file).ok().filter(is_public)?;
    let all = AccessFs::from_read(NEWEST);
    match FileType::from_raw_mode(found.st_mode) {
        FileType::Directory => Some(PathBeneath::new(file, all)),
        FileType::Symlink => None,
        _ => Some(PathBeneath::new(file, all & AccessFs::from_file(NEWEST))),
    }
}

/// The highest interface that this kernel enforces, up to the newest that we ask for; none without Landlock.
pub(crate) fn level() -> Option<u32> {
    let levels = [(6, ABI::V6), (5, ABI::V5), (4, ABI::V4), (3, ABI::V3), (2, ABI::V2), (1, ABI::V1)];
    let enforced = |abi: ABI| -> Result<(), RulesetError> {
        let mut ruleset = Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_all(abi))?;
        if abi >= ABI::V4 {
            ruleset = ruleset.handle_access(AccessNet::from_all(abi))?;
        }
        if abi >= ABI::V6 {
            ruleset = ruleset.scope(Scope::from_all(abi))?;
        }
        ruleset.create().map(drop)
    };
    levels.into_iter().find(|&(_, abi)| enforced(abi).is_ok()).map(|(level, _)| level)
}
