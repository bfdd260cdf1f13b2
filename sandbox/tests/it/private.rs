//! The host's private files, and what only its user may change: tried where folders of ours stand in the place of the system's, in
//! mounts that nobody else sees.

use std::fs;
use std::os::unix::fs::{PermissionsExt, lchown};
use std::path::Path;
use std::process::Command;

use patchwright_sandbox::{Exit, RequestedSandbox, Sandbox, SandboxKind};

use crate::support::{is_root, lane, open, run};

/// Set where [`inside`] has something to look at.
const INSIDE: &str = "PATCHWRIGHT_TEST_SYSTEM";
const NOBODY: u32 = 65534;

/// What stands in the folder for software and in that for settings, each with its mode.
const FILES: [(&str, u32, &str); 7] = [
    ("opt/public.txt", 0o644, "public\n"),
    ("opt/private.txt", 0o600, "secret\n"),
    ("opt/group.txt", 0o640, "secret\n"),
    ("opt/closed/inner.txt", 0o644, "secret\n"),
    ("etc/public.txt", 0o644, "public\n"),
    ("etc/private.txt", 0o600, "secret\n"),
    ("etc/gone.txt", 0o600, "secret\n"),
];

#[test]
fn the_host_keeps_its_private_files_as_they_are() {
    if std::env::var_os(INSIDE).is_some() {
        return;
    }
    tried_by(&[], None);
    if is_root() {
        tried_by(&["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"], Some(NOBODY));
    }
}

/// Runs [`inside`] as a user who owns the files.
fn tried_by(user: &[&str], owner: Option<u32>) {
    let folder = tempfile::tempdir_in("/var/tmp").unwrap();
    let at = |name: &str| folder.path().join(name);
    for (name, mode, text) in FILES {
        fs::create_dir_all(at(name).parent().unwrap()).unwrap();
        fs::write(at(name), text).unwrap();
        fs::set_permissions(at(name), PermissionsExt::from_mode(mode)).unwrap();
        lchown(at(name), owner, owner).unwrap();
    }
    fs::copy(std::env::current_exe().unwrap(), at("it")).unwrap();
    for (name, mode) in [("", 0o755), ("opt/closed", 0o700), ("opt", 0o755), ("etc", 0o755)] {
        fs::set_permissions(at(name), PermissionsExt::from_mode(mode)).unwrap();
        lchown(at(name), owner, owner).unwrap();
    }
    let own: &[&str] = if is_root() { &[] } else { &["--user", "--map-root-user"] };
    let mounts = r#"mount --bind "$0/opt" /opt && mount --bind "$0/etc" /etc && exec "$@""#;
    let output = Command::new("unshare")
        .arg("--mount")
        .args(own)
        .args(["sh", "-c", mounts])
        .arg(folder.path())
        .args(user)
        .arg(at("it"))
        .args(["private::inside", "--exact", "--nocapture"])
        .envs([
            (INSIDE, "yes"),
            ("HOME", "/opt/missing/home"),
            ("PATH", "/usr/bin:/bin"),
            ("TMPDIR", "/var/tmp"),
        ])
        .current_dir("/")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("1 passed"), "{user:?}: {said}");
}

#[tokio::test]
async fn inside() {
    if std::env::var_os(INSIDE).is_none() {
        return;
    }
    for wanted in [RequestedSandbox::Landlock, RequestedSandbox::Namespaces] {
        let (sandbox, lane) = (open(wanted).await, lane());
        reads_what_is_public(&*sandbox, &lane.path).await;
        changes_its_own_alone(&*sandbox, &lane.path).await;
        let missing = Path::new("/opt/missing");
        assert!(!missing.exists(), "{wanted:?} made a folder of the host's");
    }
}

async fn reads_what_is_public(sandbox: &dyn Sandbox, lane: &Path) {
    let kind = sandbox.kind();
    let line = "cat /opt/public.txt /etc/public.txt; cat /opt/private.txt /opt/group.txt /opt/closed/inner.txt; ls /opt/closed; \
        cat /etc/private.txt /etc/gone.txt /etc/fresh.txt /proc/self/root/opt/private.txt";
    let check = async || {
        let outcome = run(sandbox, lane, line).await;
        assert_eq!(outcome.stdout.text(), "public\npublic\n", "{kind}: {}", outcome.stderr.text());
    };
    check().await;
    // What goes while commands run is not made again, and what comes is private from the beginning.
    fs::remove_file("/etc/gone.txt").unwrap();
    fs::write("/etc/fresh.txt", "").unwrap();
    fs::set_permissions("/etc/fresh.txt", PermissionsExt::from_mode(0o600)).unwrap();
    fs::write("/etc/fresh.txt", "secret\n").unwrap();
    check().await;
    assert!(!Path::new("/etc/gone.txt").exists(), "{kind} made a file of the host's");
    fs::rename("/etc/fresh.txt", "/etc/gone.txt").unwrap();
    check().await;
}

async fn changes_its_own_alone(sandbox: &dyn Sandbox, lane: &Path) {
    let kind = sandbox.kind();
    let own = "for f in new \"$HOME/new\" \"$(mktemp)\"; do touch $f && chmod 604 $f && touch -d @86400 $f && \
        chown \"$(id -u)\" $f && stat -c '%a %Y' $f; done; umask 27; mkdir d && cp -p /opt/public.txt d/copy && stat -c %a d d/copy; \
        tar -cf a.tar new && mkdir x && tar -xpf a.tar -C x && stat -c '%a %Y' x/new; \
        python3 -c 'import os, pty; m, s = pty.openpty(); os.write(s, b\"t\"); print(os.read(m, 9))'; \
        rm -r new a.tar x d";
    let outcome = run(sandbox, lane, own).await;
    let expect = "604 86400\n604 86400\n604 86400\n750\n644\n604 86400\nb't'\n";
    assert_eq!(
        (outcome.exit, outcome.stdout.text().as_str()),
        (Exit::Code(0), expect),
        "{kind}: {outcome:?}"
    );
    let hosts = "f=/opt/public.txt; ln -s $f link; for f in $f link /proc/self/root/opt/public.txt /opt /etc/public.txt; do \
        chmod 666 $f && echo MODE; touch -d @1 $f && echo TIME; touch -c $f && echo NOW; chown \"$(id -u)\" $f && echo OWNER; \
        done; exec 3< /opt/public.txt; chmod 666 /proc/self/fd/3 /dev/fd/3 && echo MODE; touch -c /proc/self/fd/3 && echo NOW; \
        ln /opt/public.txt hard && chmod 666 hard && echo LINKED; \
        chmod 666 /dev/null && echo DEVICE; rm link";
    let before = fs::metadata("/opt/public.txt").unwrap();
    let outcome = run(sandbox, lane, hosts).await;
    assert_eq!(outcome.stdout.text(), "", "{kind}: {}", outcome.stderr.text());
    let after = fs::metadata("/opt/public.txt").unwrap();
    let state = |of: &fs::Metadata| (of.permissions(), of.modified().unwrap());
    assert_eq!(state(&before), state(&after), "{kind}");
    if kind == SandboxKind::Landlock {
        // Folders that all share stay as they are, and no program of theirs runs as its owner.
        let shared = "for f in /tmp /dev/shm; do chmod 1777 $f && echo SHARED; touch -c $f && echo TIME; done; \
            f=$(mktemp -p /tmp) && chmod 4755 $f && echo OWNER; rm $f; touch f; chmod 4755 f && echo OWNER; rm f";
        let outcome = run(sandbox, lane, shared).await;
        assert_eq!(outcome.stdout.text(), "", "{}", outcome.stderr.text());
    }
}
