//! Asking what tools there are where the commands will run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use patchwright_sandbox::{Command, CommandLimits, Sandbox, SandboxError};

/// Answers questions about the tools that commands will find.
#[async_trait]
pub trait Toolchain: Send + Sync {
    /// The output of a command, if it succeeds. It runs in an empty folder, away from the project.
    async fn ask(&self, line: &str) -> Result<Option<String>, SandboxError>;

    /// The user's home on the host, where tools keep what they have downloaded.
    fn home(&self) -> Option<PathBuf>;
}

/// Asks in a sandbox.
pub struct SandboxToolchain {
    sandbox: Arc<dyn Sandbox>,
    folder: PathBuf,
    home: Option<PathBuf>,
    env: BTreeMap<String, String>,
}

impl SandboxToolchain {
    /// Asks in `sandbox`, in a folder that should be empty.
    pub fn new(sandbox: Arc<dyn Sandbox>, folder: &Path) -> Self {
        let home = std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
        Self { sandbox, folder: folder.to_owned(), home, env: BTreeMap::new() }
    }

    /// The same with variables that the project's commands get too.
    pub fn with_env(self, env: BTreeMap<String, String>) -> Self {
        Self { env, ..self }
    }
}

/// A tool that does not answer by then is not fit for use.
const PATIENCE: Duration = Duration::from_mins(1);

#[async_trait]
impl Toolchain for SandboxToolchain {
    async fn ask(&self, line: &str) -> Result<Option<String>, SandboxError> {
        let limits = CommandLimits { time: PATIENCE, ..CommandLimits::default() };
        let command = Command { limits, env: self.env.clone(), ..Command::new(line) };
        let outcome = self.sandbox.run(&self.folder, &command).await?;
        Ok(outcome.exit.success().then(|| outcome.stdout.text().trim().to_owned()))
    }

    fn home(&self) -> Option<PathBuf> {
        self.home.clone()
    }
}
