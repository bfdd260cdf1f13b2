//! The container image of the tests.

use std::process::Command;
use std::sync::LazyLock;

use crate::kit::root;

/// The name of the image with the tool chains of the tests, which takes a while to make for the first time. Where there can be none,
/// it is said why; in CI that is a failure.
pub fn image() -> Option<&'static str> {
    static IMAGE: LazyLock<Option<String>> = LazyLock::new(made);
    IMAGE.as_deref()
}

fn made() -> Option<String> {
    let lacking = |what: &str| {
        assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "{what}");
        println!("skipped: {what}");
    };
    let answer = |mut command: Command| command.output().ok().filter(|output| output.status.success());
    if answer(docker(&["version"])).is_none() {
        lacking("no container engine answers");
        return None;
    }
    let Some(made) = answer(Command::new(root().join("scripts/test-image.sh"))) else {
        lacking("no image of tools can be made (scripts/test-image.sh)");
        return None;
    };
    Some(String::from_utf8_lossy(&made.stdout).trim().to_owned())
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
