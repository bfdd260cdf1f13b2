//! The host's files that a command sees: inside a mount namespace, or as far as Landlock lets it.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use hakoniwa::{Container, MountOptions};

use super::landlock::Rules;
use super::private::{Division, PrivateFiles};
use super::seal::Seal;
use crate::command::CommandLimits;
use crate::error::{SandboxError, utf8};
use crate::kind::SandboxKind;
use crate::request::ProjectPlace;
use crate::scratch::{SHARED_MEMORY, TEMPORARY};
use crate::toolchain::{SYSTEM, Toolchain};

/// The part of the host that is shown at all.
#[derive(Debug)]
pub(super) struct View {
    pub(super) toolchain: Toolchain,
    /// Filled by the first command that needs it. The walk is long, and commands on the host do without it.
    private: OnceLock<PrivateFiles>,
    pub(super) project: Option<ProjectPlace>,
}

/// The home inside where the user has none that could be hidden.
const SPARE_HOME: &str = "/tmp/home";

/// The most files and folders of a project that are found at its own path, too.
const MOST_LINKS: usize = 1_000;

/// The devices that any program may use; those of disks and of the kernel belong to root, which a command may be, and terminals to
/// whoever sits there. `/dev/tty` is that of the command's own session, and `/dev/ptmx` makes a new one.
const DEVICES: [&str; 7] =
    ["/dev/full", "/dev/null", "/dev/ptmx", "/dev/random", "/dev/tty", "/dev/urandom", "/dev/zero"];

/// The parts of `/sys` that tell programs of processors, memory and limits.
const MACHINE: [&str; 3] = ["/sys/devices/system", "/sys/fs/cgroup", "/sys/kernel/mm/transparent_hugepage"];

impl View {
    /// The host as a process with these variables may show it.
    pub(super) fn new(toolchain: Toolchain) -> Self {
        Self { toolchain, private: OnceLock::new(), project: None }
    }

    /// What of the system's folders may be read, and what may not, as it is now.
    pub(super) fn divide(&self) -> Division {
        let shared = || self.toolchain.shared.iter().map(PathBuf::as_path);
        self.private.get_or_init(|| PrivateFiles::find(shared())).divide(shared())
    }

    /// What is needed of the host whether it is private or not.
    fn needed(&self, division: &Division) -> impl Iterator<Item = &PathBuf> {
        let is_private = |path: &PathBuf| division.private.iter().any(|private| path.starts_with(private));
        let in_system: Vec<bool> = self.toolchain.in_system.iter().map(is_private).collect();
        let readable = self.toolchain.readable.iter().filter(|path| !self.toolchain.shared.contains(path));
        let in_system = self.toolchain.in_system.iter().zip(in_system).filter(|(_, private)| *private);
        readable.chain(in_system.map(|(path, _)| path))
    }
}

/// Where the home is seen inside a mount namespace: at its own path, so that tools which ask the
/// user table find what those find that ask `$HOME`.
pub(super) fn home_inside(view: &View) -> PathBuf {
    let system = || SYSTEM.iter().copied().chain(["/etc"]);
    // A place to mount it at would be made in a folder of the host's.
    let is_missing = |home: &PathBuf| !home.is_dir() && system().any(|folder| home.starts_with(folder));
    let home = view.toolchain.home.clone().filter(|home| !is_missing(home));
    home.unwrap_or_else(|| PathBuf::from(SPARE_HOME))
}

/// Fills a container's file system: system and tool chain read-only, an empty home and `/tmp`, the lane. Gives the folders that are
/// nothing but memory.
pub(super) fn fill(
    container: &mut Container,
    lane: &Path,
    view: &View,
    limits: &CommandLimits,
    network: bool,
) -> Result<Vec<PathBuf>, SandboxError> {
    let unreadable = |error: io::Error| {
        SandboxError::failed(SandboxKind::Namespaces, format!("reading the system's folders: {error}"))
    };
    for path in SYSTEM.iter().map(Path::new) {
        show(container, path).map_err(unreadable)?;
    }
    show(container, Path::new("/etc")).map_err(unreadable)?;
    if network {
        // Often a link into /run, which is not shown.
        if let Ok(real) = Path::new("/etc/resolv.conf").canonicalize()
            && !real.starts_with("/etc")
        {
            show(container, &real).map_err(unreadable)?;
        }
    }
    container.devfsmount("/dev");
    // Their pages are memory too: together they may take as much as the command itself.
    let home = home_inside(view);
    let mut folders = Vec::new();
    for (folder, share) in
        [(Path::new(SHARED_MEMORY), 4), (Path::new(TEMPORARY), 2), (Path::new("/var/tmp"), 8), (&*home, 8)]
    {
        tmpfs(container, utf8(folder)?, limits.memory_bytes / share);
        folders.push(folder.to_owned());
    }
    for path in &view.toolchain.readable {
        container.bindmount_ro(utf8(path)?, utf8(path)?);
    }
    container.bindmount_rw(utf8(lane)?, utf8(lane)?);
    if let Some(project) = &view.project {
        stand_in(container, lane, project, &view.toolchain.readable).map_err(unreadable)?;
    }
    Ok(folders)
}

/// Has the lane's copy of the project in the place of the project itself, by links: what is shown of that already, such as an environment in
/// it, stays as it is.
fn stand_in(
    container: &mut Container,
    lane: &Path,
    project: &ProjectPlace,
    readable: &[PathBuf],
) -> io::Result<()> {
    let copy = lane.join(project.in_lane);
    // A command may have put a link in the place of the copy, and what it leads to on the host is not for the next one to see.
    let is_folder = fs::symlink_metadata(&copy).is_ok_and(|found| found.is_dir());
    if lane.starts_with(&project.at) || project.at.starts_with(lane) || !is_folder {
        return Ok(());
    }
    let Some(at) = project.at.to_str() else { return Ok(()) };
    let shown: BTreeSet<&OsStr> =
        readable.iter().filter_map(|path| path.strip_prefix(&project.at).ok()?.iter().next()).collect();
    container.dir(at, 0o755);
    for entry in fs::read_dir(&copy)?.take(MOST_LINKS) {
        let name = entry?.file_name();
        let (from, to) = (copy.join(&name), project.at.join(&name));
        if let (Some(from), Some(to), false) = (from.to_str(), to.to_str(), shown.contains(&*name)) {
            container.symlink(from, to);
        }
    }
    Ok(())
}

/// The folders that a command in a mount namespace may change.
fn writable(lane: &Path, view: &View) -> Vec<PathBuf> {
    let own = [TEMPORARY, "/var/tmp", SHARED_MEMORY].map(PathBuf::from);
    [lane.to_owned(), home_inside(view)].into_iter().chain(own).collect()
}

/// Landlock's rules on top of a mount namespace. They hold what mounts cannot when root is the user: a mount
/// below a read-only one, the kernel's settings in `/proc`, private files, mounting anew.
pub(super) fn rules_on_mounts(lane: &Path, view: &View, division: &Division) -> Rules {
    // What of /run is seen at all is the file with the names of servers.
    let own = ["/proc", "/run"].map(PathBuf::from);
    Rules {
        list: vec![PathBuf::from("/")],
        public: division.public.clone(),
        read: own.into_iter().chain(view.needed(division).cloned()).collect(),
        write: writable(lane, view),
        devices: vec![PathBuf::from("/dev")],
        tcp: true,
    }
}

/// What becomes of the mounts before a command begins.
pub(super) fn seal(lane: &Path, view: &View, division: Division) -> Seal {
    let devices = DEVICES.iter().filter(|device| **device != "/dev/ptmx");
    let system = SYSTEM.iter().chain(["/etc"].iter()).chain(devices).map(PathBuf::from);
    let writable = writable(lane, view);
    // What is needed may lie in a private folder, which then stays open; nothing in it is allowed to be read by Landlock's rules.
    let kept: Vec<PathBuf> = view.needed(&division).chain(&writable).cloned().collect();
    let covers = |path: &PathBuf| !kept.iter().any(|kept| kept.starts_with(path));
    Seal {
        read_only: system.chain(view.toolchain.readable.iter().cloned()).collect(),
        private: division.private.into_iter().filter(covers).collect(),
        writable,
    }
}

/// Landlock's rules where they stand alone. `/tmp` is the host's: programs that ignore `TMPDIR` need it.
pub(super) fn rules_alone(lane: &Path, view: &View, scratch: &Path, network: bool) -> Rules {
    let division = view.divide();
    let own = ["/proc", "/run/systemd/resolve"].iter().chain(&MACHINE).map(PathBuf::from);
    Rules {
        read: own.chain(view.needed(&division).cloned()).collect(),
        list: division.listed,
        public: division.public,
        write: vec![
            lane.to_owned(),
            scratch.to_owned(),
            PathBuf::from(TEMPORARY),
            PathBuf::from(SHARED_MEMORY),
        ],
        devices: DEVICES.iter().map(PathBuf::from).collect(),
        tcp: network,
    }
}

/// Shows a path of the host at the same place: a link as a link, anything else read-only.
fn show(container: &mut Container, path: &Path) -> io::Result<()> {
    let Some(name) = path.to_str() else { return Ok(()) };
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => {
            if let Some(target) = fs::read_link(path)?.to_str() {
                container.symlink(target, name);
            }
        }
        Ok(_) => {
            container.bindmount_ro(name, name);
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    Ok(())
}

fn tmpfs(container: &mut Container, target: &str, bytes: u64) {
    let options = MountOptions::NOSUID | MountOptions::NODEV;
    container.mount("tmpfs", target, "tmpfs", options, Some(format!("mode=1777,size={bytes}")));
}
