//! The seam: what every sandbox does.

use std::path::{Path, PathBuf};

use async_trait::async_trait;

use crate::command::Command;
use crate::error::SandboxError;
use crate::kind::SandboxKind;
use crate::outcome::CommandOutcome;
use crate::volume::Volumes;

/// Where untrusted commands run.
///
/// A command keeps to its [`CommandLimits`](crate::CommandLimits); when [`run`](Self::run) returns, or its future is dropped,
/// nothing of the command keeps running. Nothing of the parent's environment is handed on but a short list
/// of harmless variables.
/// ```
/// use patchwright_sandbox::{Command, SandboxRequest, RequestedSandbox, choose};
///
/// # #[tokio::main]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let sandbox = choose(&SandboxRequest { wanted: RequestedSandbox::Host, ..SandboxRequest::default() }).await?.sandbox;
/// let lane = tempfile::tempdir()?;
/// let outcome = sandbox.run(lane.path(), &Command::new("echo 5 > answer; cat answer; exit 3")).await?;
/// assert_eq!(outcome.stdout.text(), "5\n");
/// assert!(!outcome.exit.success());
/// sandbox.close().await?;
/// # Ok(())
/// # }
/// ```
#[async_trait]
pub trait Sandbox: Send + Sync {
    /// The mechanism that isolates.
    fn kind(&self) -> SandboxKind;

    /// One line for people: what isolates, and what is missing.
    fn describe(&self) -> String;

    /// The path at which the lane is seen from inside.
    fn path_inside(&self, lane: &Path) -> PathBuf;

    /// Is true if a running command and we see the same files in a lane, pipes included.
    fn shares_lanes(&self) -> bool {
        true
    }

    /// The folder for lanes where none is given: no command can write to more of it than its own.
    fn work_folder(&self) -> PathBuf {
        std::env::temp_dir()
    }

    /// The maker of lanes of a bounded size, where they can be made. Elsewhere what a command writes is watched.
    fn volumes(&self) -> Option<Volumes> {
        None
    }

    /// Runs a command in a lane: an existing folder of the host, given by its absolute path. Two commands
    /// in the same lane may have to wait for each other.
    ///
    /// A command that fails, cannot be found, is killed or times out is a [`CommandOutcome`]; an error means that
    /// the sandbox itself did not work.
    async fn run(&self, lane: &Path, command: &Command) -> Result<CommandOutcome, SandboxError>;

    /// Removes what the sandbox holds, such as containers. Calling it again does nothing.
    async fn close(&self) -> Result<(), SandboxError>;
}
