//! Whether a local sandbox works here, proved by running a command in it, and what to do where it does not.

use std::fs;
use std::path::Path;
use std::time::Duration;

use rustix::process::geteuid;

use super::{Local, LocalKind, landlock};
use crate::command::Command;
use crate::error::SandboxError;
use crate::outcome::Exit;
use crate::sandbox::{Sandbox, SandboxKind};
use crate::scratch;

/// How long the trial may take.
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
        return Err(unavailable(
            kind,
            "this kernel has no Landlock".to_owned(),
            "use Linux 5.13 or later with `landlock` in the list of security modules (lsm=…,landlock)"
                .to_owned(),
        ));
    }
    let lane = scratch::create().map_err(|error| super::failed(kind, &error))?;
    let mut command = Command::new("true");
    command.limits.time = TRIAL;
    match sandbox.run(lane.path(), &command).await {
        Ok(outcome) if outcome.exit == Exit::Code(0) => Ok(()),
        Ok(outcome) => {
            let said = outcome.stderr.text();
            Err(unavailable(
                kind,
                format!("`true` ended with {:?} there: {}", outcome.exit, said.trim()),
                cure(kind),
            ))
        }
        Err(SandboxError::Failed { reason, .. }) => Err(unavailable(kind, reason, cure(kind))),
        Err(other) => Err(other),
    }
}

fn unavailable(kind: LocalKind, reason: String, cure: String) -> SandboxError {
    SandboxError::Unavailable { wanted: SandboxKind::from(kind).to_string(), reason, cure }
}

/// What to do where namespaces are refused: the settings of the usual distributions, looked at one by one.
fn cure(kind: LocalKind) -> String {
    if kind != LocalKind::Namespaces {
        return "check that /bin/sh and the temporary folder can be used".to_owned();
    }
    let setting = |name: &str| fs::read_to_string(Path::new("/proc/sys").join(name)).ok();
    let is = |name: &str, value: &str| setting(name).is_some_and(|text| text.trim() == value);
    if is("user/max_user_namespaces", "0") {
        return "allow user namespaces: sudo sysctl user.max_user_namespaces=15000".to_owned();
    }
    if is("kernel/unprivileged_userns_clone", "0") {
        return "allow user namespaces: sudo sysctl kernel.unprivileged_userns_clone=1".to_owned();
    }
    if is("kernel/apparmor_restrict_unprivileged_userns", "1") {
        return "allow user namespaces: sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0, or give \
            this program an AppArmor profile with the rule `userns,`"
            .to_owned();
    }
    if Path::new("/.dockerenv").exists() || Path::new("/run/.containerenv").exists() {
        return "this is a container: start it with --security-opt seccomp=unconfined --security-opt \
            apparmor=unconfined --security-opt systempaths=unconfined"
            .to_owned();
    }
    "see whether `unshare --user --map-current-user --mount --pid --fork true` works, and what it says"
        .to_owned()
}
