//! What a command sees of a user: tried with a made-up home and made-up secrets.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::BTreeMap;
use std::fs;

use super::{Local, LocalKind};
use crate::command::Command;
use crate::error::SandboxError;
use crate::sandbox::Sandbox;
use patchwright_protocol::Exit;

/// Runs a line with a home that holds a tool, a key and a project, and gives its output.
async fn in_a_home(kind: LocalKind, line: &str) -> String {
    // Not in /tmp, which Landlock alone leaves open.
    let folder = tempfile::tempdir_in("/var/tmp").unwrap();
    let home = folder.path().canonicalize().unwrap().join("home");
    for (path, text) in [
        (".cargo/bin/tool", "#!/bin/sh\necho tool\n"),
        (".cargo/credentials.toml", "secret"),
        (".ssh/id_ed25519", "secret"),
        (".netrc", "secret"),
        ("project/lane/file", "text"),
    ] {
        let path = home.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let parent = [
        ("HOME", home.to_str().unwrap()),
        ("PATH", "/usr/bin:/bin"),
        ("OPENAI_API_KEY", "key-of-the-user"),
        ("GITHUB_TOKEN", "token-of-the-user"),
    ];
    let parent: BTreeMap<_, _> = parent.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    let sandbox = Local::with_parent(kind, &[], &parent).unwrap();
    let line = line.replace("REAL", home.to_str().unwrap());
    let outcome = sandbox.run(&home.join("project/lane"), &Command::new(line)).await.unwrap();
    format!("{}{}", outcome.stdout.text(), outcome.stderr.text())
}

#[tokio::test]
async fn no_secret_reaches_a_command() {
    let everything = "env; cat ~/.ssh/* ~/.netrc ~/.cargo/credentials.toml; find ~ -type f -exec cat {} +; \
        cat REAL/.ssh/id_ed25519 REAL/.netrc REAL/.cargo/credentials.toml";
    for kind in [LocalKind::Namespaces, LocalKind::Landlock] {
        let said = in_a_home(kind, everything).await;
        for secret in ["secret", "key-of-the-user", "token-of-the-user"] {
            assert!(!said.contains(secret), "{kind:?} showed {secret}: {said}");
        }
    }
    // On the bare host the user's files can be reached, but neither by `~` nor through a variable.
    let said = in_a_home(LocalKind::Host, "env; cat ~/.ssh/* ~/.netrc ~/.cargo/credentials.toml").await;
    for secret in ["secret", "key-of-the-user", "token-of-the-user"] {
        assert!(!said.contains(secret), "the host showed {secret}: {said}");
    }
}

#[tokio::test]
async fn tools_in_the_home_are_found() {
    for kind in [LocalKind::Namespaces, LocalKind::Landlock, LocalKind::Host] {
        assert_eq!(
            in_a_home(kind, "sh ~/.cargo/bin/tool; sh REAL/.cargo/bin/tool").await,
            "tool\ntool\n",
            "{kind:?}"
        );
        let said = in_a_home(kind, "echo x > ~/new && cat ~/new; echo x > ~/.cargo/bin/tool; cat file").await;
        assert!(said.starts_with("x\n") && said.contains("text"), "{kind:?}: {said}");
    }
}

/// Root's own rights are what the mounts alone cannot take away.
#[tokio::test]
async fn the_kernel_and_the_mounts_stay_as_they_are() {
    let line = "f=/proc/sys/vm/swappiness; v=$(cat $f) && echo \"$v\" > $f && echo WRITTEN; \
        mount -o remount,rw,bind /usr && echo REMOUNTED; umount /etc && echo UNMOUNTED; \
        mknod sda b 8 0 && echo MADE; grep root /etc/shadow && echo SHADOW; ls /etc/ssl/private | grep . && echo PRIVATE; \
        mktemp -p /usr && echo TOUCHED; grep CapEff /proc/self/status; true";
    for kind in [LocalKind::Namespaces, LocalKind::Landlock] {
        let said = in_a_home(kind, line).await;
        for wrong in ["WRITTEN", "REMOUNTED", "UNMOUNTED", "MADE", "SHADOW", "PRIVATE", "TOUCHED"] {
            assert!(!said.contains(wrong), "{kind:?}: {said}");
        }
        assert!(said.contains("CapEff:\t0000000000000000"), "{kind:?}: {said}");
    }
}

#[tokio::test]
async fn a_folder_that_is_not_there_is_an_error() {
    let sandbox = Local::with_parent(LocalKind::Host, &[], &BTreeMap::new()).unwrap();
    let lane = tempfile::tempdir().unwrap();
    let error = sandbox.run(&lane.path().join("gone"), &Command::new("true")).await.unwrap_err();
    assert!(matches!(&error, SandboxError::Lane { reason, .. } if reason.contains("gone")), "{error}");
    for dir in ["..", "/tmp", "a/../.."] {
        let mut command = Command::new("true");
        command.dir = dir.into();
        let error = sandbox.run(lane.path(), &command).await.unwrap_err();
        assert!(matches!(&error, SandboxError::Command { reason } if reason.contains(dir)), "{error}");
    }
    assert_eq!(sandbox.run(lane.path(), &Command::new("true")).await.unwrap().exit, Exit::Code(0));
}
