//! Container images of our own for tests.

use std::process::Command;

use crate::kit::root;

/// Packages of the image of tools.
const TOOLS: &[&str] = &["git", "patch", "python3", "python3-pytest"];

/// Whether containers can be tried here. Where they cannot, it is said why; in CI that is a failure.
pub fn containers_can_be_tried() -> bool {
    image_of(TOOLS).is_some()
}

/// The name of an image with these packages of Debian. Where there can be none, it is said why; in CI that is a failure.
pub fn image_of(packages: &[&str]) -> Option<String> {
    let lacking = |what: &str| {
        assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "{what}");
        println!("skipped: {what}");
    };
    let answer = |mut command: Command| command.output().ok().filter(|output| output.status.success());
    if answer(docker(&["version"])).is_none() {
        lacking("no container engine answers");
        return None;
    }
    let Some(made) = answer(image(packages)) else {
        lacking("no image of tools can be made (scripts/test-image.sh)");
        return None;
    };
    Some(String::from_utf8_lossy(&made.stdout).trim().to_owned())
}

/// Makes the image of tools, and says its name. It takes a while for the first time.
pub fn tools() -> Command {
    image(TOOLS)
}

fn image(packages: &[&str]) -> Command {
    let mut command = Command::new(root().join("scripts/test-image.sh"));
    command.args(packages);
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
