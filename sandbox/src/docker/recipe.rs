//! The making of a container of ours: its user, its mounts, its limits.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use bollard::models::{HostConfig, HostConfigLogConfig, Mount, MountType, ResourcesUlimits};
use rustix::process::{Resource, getrlimit};

use crate::command::{CommandLimits, THREADS_PER_PROCESS};
use crate::error::{SandboxError, utf8};
use crate::seccomp;

/// The home of a container's user, in a folder that is made as new after each command.
pub(super) const HOME: &str = "/tmp/home";
/// The capabilities that root needs in order to work in a lane of another's, and to hand back what it wrote.
const TO_WORK_FOR_OTHERS: [&str; 3] = ["CHOWN", "DAC_OVERRIDE", "FOWNER"];
/// Files that may be open at once, in each process.
const OPEN_FILES: u64 = 16_384;

/// Who runs a command in a container.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct User {
    pub(super) uid: u32,
    pub(super) gid: u32,
    /// The owner of the lane, as `uid:gid`, when another than this user.
    pub(super) hand_back: Option<String>,
}

/// The owner of the lane, so that what a command writes stays removable; or root, where only root can work.
pub(super) fn user(lane: &Path, needs_root: bool, rootless: bool) -> io::Result<User> {
    let found = fs::metadata(lane)?;
    let (uid, gid) = (found.uid(), found.gid());
    if rootless || uid == 0 {
        return Ok(User { uid: 0, gid: 0, hand_back: None });
    }
    if needs_root {
        return Ok(User { uid: 0, gid: 0, hand_back: Some(format!("{uid}:{gid}")) });
    }
    Ok(User { uid, gid, hand_back: None })
}

/// Tables of users and groups in which the user is known: Java and others ask who they are, and take a
/// nobody for an error. Root is known in every image.
pub(super) fn user_tables(user: &User, folder: &Path) -> io::Result<Vec<(PathBuf, &'static str)>> {
    let User { uid, gid, .. } = user;
    if *uid == 0 {
        return Ok(Vec::new());
    }
    let users = format!("root:x:0:0:root:/root:/bin/sh\npatchwright:x:{uid}:{gid}::{HOME}:/bin/sh\n");
    let groups = format!("root:x:0:\npatchwright:x:{gid}:\n");
    let mut tables = Vec::new();
    for (name, text, target) in [("passwd", users, "/etc/passwd"), ("group", groups, "/etc/group")] {
        let path = folder.join(format!("{name}-{uid}-{gid}"));
        fs::write(&path, text)?;
        tables.push((path, target));
    }
    Ok(tables)
}

/// The configuration that keeps a container apart and within bounds.
pub(super) fn isolation(
    mounts: Vec<Mount>,
    user: &User,
    limits: &CommandLimits,
    network: bool,
    security: &[String],
) -> HostConfig {
    let temporary =
        |share: u64| format!("rw,exec,nosuid,nodev,mode=1777,size={}", limits.memory_bytes / share);
    let owned = |names: &[&str]| Some(names.iter().map(|&name| name.to_owned()).collect());
    HostConfig {
        cap_drop: owned(&["ALL"]),
        cap_add: user.hand_back.as_ref().and_then(|_| owned(&TO_WORK_FOR_OTHERS)),
        readonly_rootfs: Some(true),
        tmpfs: Some(HashMap::from([
            ("/tmp".to_owned(), temporary(2)),
            ("/var/tmp".to_owned(), temporary(8)),
            ("/run".to_owned(), temporary(32)),
        ])),
        ..bounds(mounts, limits, network, security)
    }
}

/// The security options of containers; `filters` with our filter of calls in place of the engine's.
pub(super) fn security(filters: bool) -> Vec<String> {
    let mut options = vec!["no-new-privileges".to_owned()];
    if filters {
        options.push(format!("seccomp={}", seccomp::profile()));
    }
    options
}

/// The bounds of every container of ours.
pub(super) fn bounds(
    mounts: Vec<Mount>,
    limits: &CommandLimits,
    network: bool,
    security: &[String],
) -> HostConfig {
    let memory = i64::try_from(limits.memory_bytes).unwrap_or(i64::MAX);
    let processors =
        std::thread::available_parallelism().map_or(1, |count| i64::try_from(count.get()).unwrap_or(1));
    HostConfig {
        mounts: Some(mounts),
        network_mode: Some(if network { "bridge" } else { "none" }.to_owned()),
        security_opt: Some(security.to_vec()),
        shm_size: Some(memory / 4),
        memory: Some(memory),
        memory_swap: Some(memory),
        pids_limit: i64::try_from(u64::from(limits.processes) * THREADS_PER_PROCESS).ok(),
        // One processor is left for us, where there are enough.
        nano_cpus: Some((processors - 1).max(2).min(processors) * 1_000_000_000),
        // Podman wants the number of files spelt out.
        ulimits: Some(vec![limit("core", Resource::Core, 0), limit("nofile", Resource::Nofile, OPEN_FILES)]),
        log_config: Some(HostConfigLogConfig { typ: Some("none".to_owned()), config: None }),
        ..HostConfig::default()
    }
}

/// A limit for each process, as far as we may grant it.
fn limit(name: &str, resource: Resource, wanted: u64) -> ResourcesUlimits {
    let granted = getrlimit(resource).maximum.map_or(wanted, |most| most.min(wanted));
    let granted = i64::try_from(granted).ok();
    ResourcesUlimits { name: Some(name.to_owned()), soft: granted, hard: granted }
}

/// Shows a path of the host in a container.
pub(super) fn bind(source: &Path, target: &str, read_only: bool) -> Result<Mount, SandboxError> {
    Ok(Mount {
        typ: Some(MountType::BIND),
        source: Some(utf8(source)?.to_owned()),
        target: Some(target.to_owned()),
        read_only: Some(read_only),
        ..Mount::default()
    })
}

/// Is true if a variable of an image shows that its programs lie where only root can go.
pub(super) fn points_into_roots_home(variable: &str) -> bool {
    let Some((name, value)) = variable.split_once('=') else { return false };
    (name == "PATH" || name.ends_with("_HOME") || name.ends_with("_DIR") || name.ends_with("_ROOT"))
        && value.split(':').any(|part| Path::new(part).starts_with("/root"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_images_that_only_root_can_use() {
        for (variable, expect) in [
            ("PATH=/usr/local/bin:/usr/bin", false),
            ("PATH=/root/.local/bin:/usr/bin", true),
            ("JAVA_HOME=/opt/java", false),
            ("CARGO_HOME=/root/.cargo", true),
            ("SDKMAN_DIR=/root/.sdkman", true),
            ("PATH=/rooted/bin", false),
            ("NOTE=/root/x", false),
            ("NONSENSE", false),
        ] {
            assert_eq!(points_into_roots_home(variable), expect, "{variable}");
        }
    }
}
