//! Control groups of the kernel, one for each command: there it counts all memory, also what several processes share, what lies in a
//! file system of memory, and what nobody has mapped. There it also refuses processes beyond a number, which for root nothing else does:
//! looking and killing is slower than a program that multiplies.
//!
//! Version 2 where the group around ours was handed over to the user, as that of a session is, version 1 where we are root; see
//! `cgroups(7)`. The folders are those of the kernel: no command sees them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::processes::{children, kill_number};
use crate::owner::{Owner, is_left, serial};

/// Where the kernel shows its groups.
const ROOT: &str = "/sys/fs/cgroup";
const PREFIX: &str = "patchwright-";
/// The file that names the processes of a group, and takes new ones.
const MEMBERS: &str = "cgroup.procs";
/// The file that limits the processes and threads of a group.
const TASKS: &str = "pids.max";
/// Tries to remove a group, and the time between them: one whose last processes are not quite gone.
const REMOVALS: u32 = 50;
const APART: Duration = Duration::from_millis(2);

/// An interface of the kernel, by the names of its files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Interface {
    /// The files that limit memory, and memory with what is swapped out: the second may be missing.
    limits: [&'static str; 2],
    /// The file that counts the processes that were killed for want of memory, in the line `oom_kill`.
    kills: &'static str,
}

const ONE: Interface = Interface {
    limits: ["memory.limit_in_bytes", "memory.memsw.limit_in_bytes"],
    kills: "memory.oom_control",
};
const TWO: Interface = Interface { limits: ["memory.max", "memory.swap.max"], kills: "memory.events" };

/// A group in which we may make groups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Groups {
    interface: Interface,
    /// All groups of the hierarchy.
    top: PathBuf,
    /// Where ours are made.
    folder: PathBuf,
    tasks: Tasks,
}

/// Where the processes and threads of a command are limited.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Tasks {
    /// In the group that limits its memory.
    Here,
    /// In a group of another hierarchy.
    Apart { top: PathBuf, folder: PathBuf },
    /// In none.
    Nowhere,
}

/// The group of one command. Removed when dropped: then all of its processes have ended.
#[derive(Debug)]
pub(super) struct Group {
    interface: Interface,
    folder: PathBuf,
    /// Its twin that limits processes, where that is another.
    of_tasks: Option<PathBuf>,
}

impl Groups {
    /// The groups of this machine, if one can be made that limits memory.
    pub(super) fn find() -> Option<Self> {
        let own = fs::read_to_string("/proc/self/cgroup").ok()?;
        let groups = Self::find_in(Path::new(ROOT), &own)?;
        let without = Self { tasks: Tasks::Nowhere, ..groups.clone() };
        [groups, without].into_iter().find(|groups| groups.create(1 << 40, 1 << 20).is_ok())
    }

    /// The same where the groups are seen at `root` and `own` is what `/proc/self/cgroup` says of this process.
    fn find_in(root: &Path, own: &str) -> Option<Self> {
        // Number, controllers and path of each hierarchy, with `:` between.
        let parts = |line: &str| {
            let mut parts = line.splitn(3, ':').skip(1).map(ToOwned::to_owned);
            Some((parts.next()?, parts.next()?.trim_start_matches('/').to_owned()))
        };
        let hierarchies: Vec<(String, String)> = own.lines().filter_map(parts).collect();
        let with = |controller: &str| {
            let found = hierarchies.iter().find(|(all, _)| all.split(',').any(|one| one == controller));
            found.map(|(all, path)| (root.join(all), root.join(all).join(path)))
        };
        if let Some((top, folder)) = with("memory") {
            let tasks = match with("pids") {
                Some((other, _)) if other == top => Tasks::Here,
                Some((top, folder)) => Tasks::Apart { top, folder },
                None => Tasks::Nowhere,
            };
            return Some(Self { interface: ONE, folder, top, tasks });
        }
        let (_, path) = hierarchies.iter().find(|(controllers, _)| controllers.is_empty())?;
        // A group with processes, as ours is, hands no controller on: a command gets a group beside it.
        let folder = root.join(path).parent().filter(|folder| folder.starts_with(root))?.to_owned();
        let handed_on = fs::read_to_string(folder.join("cgroup.subtree_control")).ok()?;
        let has = |controller: &str| handed_on.split_whitespace().any(|one| one == controller);
        let tasks = if has("pids") { Tasks::Here } else { Tasks::Nowhere };
        has("memory").then(|| Self { interface: TWO, top: root.to_owned(), folder, tasks })
    }

    /// Makes the group of a command that may have so many bytes of memory, and so many processes and threads.
    pub(super) fn create(&self, bytes: u64, tasks: u64) -> io::Result<Group> {
        let name = format!("{PREFIX}{}-{}", Owner::current(), serial());
        let folder = self.folder.join(&name);
        fs::create_dir(&folder)?;
        let mut group = Group { interface: self.interface, folder, of_tasks: None };
        match &self.tasks {
            Tasks::Here => fs::write(group.folder.join(TASKS), tasks.to_string())?,
            Tasks::Apart { folder, .. } => {
                let twin = folder.join(&name);
                fs::create_dir(&twin)?;
                fs::write(group.of_tasks.insert(twin).join(TASKS), tasks.to_string())?;
            }
            Tasks::Nowhere => {}
        }
        let [memory, swapped] = self.interface.limits.map(|name| group.folder.join(name));
        fs::write(memory, bytes.to_string())?;
        // Version 1 bounds the sum, version 2 what is swapped out of it.
        let most = if self.interface == ONE { bytes } else { 0 };
        if swapped.exists() {
            fs::write(swapped, most.to_string())?;
        }
        Ok(group)
    }

    /// Removes the groups whose owner is gone, with the processes in them, unless `dry_run`; gives their folders. They may lie anywhere:
    /// an owner of before may have been in another group.
    pub(super) fn sweep(&self, dry_run: bool) -> Vec<PathBuf> {
        let is_left = |path: &Path| {
            path.file_name().and_then(|name| name.to_str()).is_some_and(|name| is_left(name, PREFIX))
        };
        let mut found = Vec::new();
        let mut open = vec![self.top.clone()];
        if let Tasks::Apart { top, .. } = &self.tasks {
            open.push(top.clone());
        }
        while let Some(folder) = open.pop() {
            let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
            let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
            let (left, others): (Vec<PathBuf>, Vec<PathBuf>) =
                folders.map(|entry| entry.path()).partition(|path| is_left(path));
            found.extend(left);
            open.extend(others);
        }
        found.retain(|path| dry_run || remove(path).is_ok());
        found
    }
}

impl Group {
    /// Takes a process in, and its children; those that it has from then on are in it from the beginning.
    pub(super) fn take(&self, process: i32) -> io::Result<()> {
        for folder in self.folders() {
            let members = folder.join(MEMBERS);
            fs::write(&members, process.to_string())?;
            children(process).iter().try_for_each(|child| fs::write(&members, child.to_string()))?;
        }
        Ok(())
    }

    fn folders(&self) -> impl Iterator<Item = &PathBuf> {
        [&self.folder].into_iter().chain(&self.of_tasks)
    }

    /// The processes in it, by their numbers: none can leave it.
    pub(super) fn members(&self) -> Vec<i32> {
        members(&self.folder)
    }

    /// Is true if the kernel has killed a process for want of memory.
    pub(super) fn has_killed(&self) -> bool {
        let text = fs::read_to_string(self.folder.join(self.interface.kills)).unwrap_or_default();
        let kills = text.lines().find_map(|line| line.strip_prefix("oom_kill ")?.trim().parse().ok());
        kills.is_some_and(|kills: u64| kills > 0)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        for folder in self.folders() {
            if let Err(error) = remove(folder) {
                tracing::warn!(%error, folder = %folder.display(), "a control group is left behind");
            }
        }
    }
}

fn members(folder: &Path) -> Vec<i32> {
    let text = fs::read_to_string(folder.join(MEMBERS)).unwrap_or_default();
    text.lines().filter_map(|line| line.parse().ok()).collect()
}

/// Removes a group, and ends what is in it.
fn remove(folder: &Path) -> io::Result<()> {
    let mut last = Ok(());
    for _ in 0..REMOVALS {
        last = fs::remove_dir(folder);
        match &last {
            Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {
                members(folder).into_iter().for_each(kill_number);
                std::thread::sleep(APART);
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(_) | Ok(()) => break,
        }
    }
    last
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn write(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn version_one_has_a_hierarchy_for_memory() {
        let root = tempfile::tempdir().unwrap();
        let own = "5:cpu,cpuacct:/a\n4:memory:/b/c\n3:pids:/e\n0::/d\n";
        let groups = Groups::find_in(root.path(), own).unwrap();
        assert_eq!(
            groups,
            Groups {
                interface: ONE,
                top: root.path().join("memory"),
                folder: root.path().join("memory/b/c"),
                tasks: Tasks::Apart { top: root.path().join("pids"), folder: root.path().join("pids/e") },
            }
        );
        fs::create_dir_all(&groups.folder).unwrap();
        fs::create_dir_all(root.path().join("pids/e")).unwrap();
        let group = groups.create(1000, 70).unwrap();
        assert_eq!(fs::read_to_string(group.folder.join("memory.limit_in_bytes")).unwrap(), "1000");
        let name = group.folder.file_name().unwrap();
        let most = fs::read_to_string(root.path().join("pids/e").join(name).join(TASKS));
        assert_eq!(most.unwrap(), "70");
        assert!(!group.has_killed());
        write(&group.folder, "memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n");
        assert!(group.has_killed());
    }

    #[test]
    fn version_two_has_groups_beside_ours_where_memory_is_handed_on() {
        let root = tempfile::tempdir().unwrap();
        let own = "0::/user/ours\n";
        assert_eq!(Groups::find_in(root.path(), own), None, "nothing is known of it");
        write(root.path(), "user/cgroup.subtree_control", "cpu pids\n");
        assert_eq!(Groups::find_in(root.path(), own), None, "it has no memory");
        write(root.path(), "user/cgroup.subtree_control", "cpu memory pids\n");
        let groups = Groups::find_in(root.path(), own).unwrap();
        assert_eq!(
            groups,
            Groups {
                interface: TWO,
                top: root.path().to_owned(),
                folder: root.path().join("user"),
                tasks: Tasks::Here
            }
        );
        assert_eq!(Groups::find_in(root.path(), "0::/\n"), None, "nothing is beside the root");
        let group = groups.create(1000, 70).unwrap();
        assert_eq!(fs::read_to_string(group.folder.join("memory.max")).unwrap(), "1000");
        assert_eq!(fs::read_to_string(group.folder.join(TASKS)).unwrap(), "70");
    }

    #[test]
    fn what_the_gone_left_is_swept() {
        let root = tempfile::tempdir().unwrap();
        let groups = Groups {
            interface: TWO,
            top: root.path().to_owned(),
            folder: root.path().join("ours"),
            tasks: Tasks::Nowhere,
        };
        let left = root.path().join(format!("others/{PREFIX}00000000-1-2-3-4"));
        let kept = root.path().join(format!("{PREFIX}{}-7", Owner::current()));
        for path in [&left, &kept, &root.path().join("other")] {
            fs::create_dir_all(path).unwrap();
        }
        assert_eq!(groups.sweep(true), std::slice::from_ref(&left));
        assert_eq!(groups.sweep(false), std::slice::from_ref(&left));
        assert!(!left.exists() && kept.exists());
    }
}
