//! Container images of our own for tests.

use std::process::Command;

use crate::kit::root;

/// Whether containers can be tried here. Where they cannot, it is said why; in CI that is a failure.
pub fn containers_can_be_tried() -> bool {
    let needed = [
        (docker(&["version"]), "no container engine answers"),
        (tools(), "no image of tools can be made (scripts/test-image.sh)"),
    ];
    for (mut command, what) in needed {
        if !command.output().is_ok_and(|output| output.status.success()) {
            assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "{what}");
            println!("skipped: {what}");
            return false;
        }
    }
    true
}

/// Makes the image of tools, and says its name. It takes a while for the first time.
pub fn tools() -> Command {
    let mut command = Command::new(root().join("scripts/test-image.sh"));
    command.args(["git", "patch", "python3", "python3-pytest"]);
    command
}

/// The command line of the container engine.
pub fn docker(words: &[&str]) -> Command {
    let mut command = Command::new("docker");
    command.args(words);
    command
}

/// Runs a command that must succeed, and gives what it prints.
pub fn called(mut command: impl std::borrow::BorrowMut<Command>) -> String {
    let output = command.borrow_mut().output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}
