//! Asking what tools there are where the commands will run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use patchwright_sandbox::{Command, CommandLimits, Sandbox, SandboxError};

use super::home::home;

/// Answers questions about the tools that commands will find.
#[async_trait]
pub trait Toolchain: Send + Sync {
    /// The output of a command, if it succeeds. It runs in an empty folder, away from the project.
    async fn ask(&self, line: &str) -> Result<Option<String>, SandboxError>;

    /// Where Maven keeps what it has downloaded, if there is such a place.
    fn maven_repository(&self) -> Option<&Path>;
}

/// Asks in a sandbox.
pub struct SandboxToolchain {
    sandbox: Arc<dyn Sandbox>,
    folder: PathBuf,
    maven_repository: Option<PathBuf>,
    env: BTreeMap<String, String>,
}

impl SandboxToolchain {
    /// Asks in `sandbox`, in a folder that should be empty.
    pub fn new(sandbox: Arc<dyn Sandbox>, folder: &Path) -> Self {
        let maven_repository = home().map(|home| home.join(".m2/repository"));
        Self { sandbox, folder: folder.to_owned(), maven_repository, env: BTreeMap::new() }
    }

    /// The same where Maven was told another place than the usual one in the user's home.
    pub fn with_maven_repository(self, named: Option<PathBuf>) -> Self {
        Self { maven_repository: named.or(self.maven_repository), ..self }
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

    fn maven_repository(&self) -> Option<&Path> {
        self.maven_repository.as_deref()
    }
}
