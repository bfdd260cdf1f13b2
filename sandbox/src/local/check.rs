//! The trial of a local sandbox, by running a command in it, and what to do where it does not.

use std::fs;
use std::path::Path;
use std::time::Duration;

use rustix::process::geteuid;

use super::{Local, LocalKind, landlock};
use crate::command::Command;
use crate::error::SandboxError;
use crate::sandbox::Sandbox;
use crate::scratch;
use patchwright_protocol::Exit;

/// The time limit of the trial.
const TRIAL: Duration = Duration::from_secs(20);

/// Runs `true` in the sandbox. An error of the kind `Unavailable` names the cure.
pub(crate) async fn check(sandbox: &Local) -> Result<(), SandboxError> {
    let kind = sandbox.kind;
    // What mounts cannot hold back from root, Landlock must: the kernel's settings under /proc.
    let needs_landlock = match kind {
        LocalKind::Namespaces => geteuid().is_root(),
        LocalKind::Landlock => true,
        LocalKind::Host => false,
    };
    if needs_landlock && landlock::level().is_none() {
        let cure = "use Linux 5.13 or later with `landlock` in the list of security modules (lsm=…,landlock)";
        return Err(SandboxError::unavailable(sandbox.kind(), "this kernel has no Landlock", cure));
    }
    let lane = scratch::create().map_err(|error| SandboxError::failed(kind, error))?;
    let mut command = Command::new("true");
    command.limits.time = TRIAL;
    match sandbox.run(lane.path(), &command).await {
        Ok(outcome) if outcome.exit == Exit::Code(0) => Ok(()),
        Ok(outcome) => {
            let said = outcome.stderr.text();
            let reason = format!("`true` ended with {:?} there: {}", outcome.exit, said.trim());
            Err(SandboxError::unavailable(sandbox.kind(), reason, cure(kind)))
        }
        Err(SandboxError::Failed { reason, .. }) => {
            Err(SandboxError::unavailable(sandbox.kind(), reason, cure(kind)))
        }
        Err(other) => Err(other),
    }
}

/// The remedy where namespaces are refused: the settings of the usual distributions, looked at one by one.
fn cure(kind: LocalKind) -> &'static str {
    if kind != LocalKind::Namespaces {
        return "check that /bin/sh and the temporary folder can be used";
    }
    let settings = [
        (
            "user/max_user_namespaces",
            "0",
            "allow user namespaces: sudo sysctl user.max_user_namespaces=15000",
        ),
        (
            "kernel/unprivileged_userns_clone",
            "0",
            "allow user namespaces: sudo sysctl kernel.unprivileged_userns_clone=1",
        ),
        (
            "kernel/apparmor_restrict_unprivileged_userns",
            "1",
            "allow user namespaces: sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0, or give \
            this program an AppArmor profile with the rule `userns,`",
        ),
    ];
    let setting = |name: &str| fs::read_to_string(Path::new("/proc/sys").join(name)).unwrap_or_default();
    if let Some((_, _, cure)) = settings.into_iter().find(|(name, value, _)| setting(name).trim() == *value) {
        return cure;
    }
    if Path::new("/.dockerenv").exists() || Path::new("/run/.containerenv").exists() {
        return "this is a container: start it with --security-opt seccomp=unconfined --security-opt \
            apparmor=unconfined --security-opt systempaths=unconfined";
    }
    "see whether `unshare --user --map-current-user --mount --pid --fork true` works, and what it says"
}
