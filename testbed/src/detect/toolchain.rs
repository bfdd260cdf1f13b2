//! Asking what tools there are where the commands will run.

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
}

impl SandboxToolchain {
    /// Asks in `sandbox`, in a folder that should be empty.
    pub fn new(sandbox: Arc<dyn Sandbox>, folder: &Path) -> Self {
        let home = std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
        Self { sandbox, folder: folder.to_owned(), home }
    }
}

/// A tool that does not answer by then is not fit for use.
const PATIENCE: Duration = Duration::from_mins(1);

#[async_trait]
impl Toolchain for SandboxToolchain {
    async fn ask(&self, line: &str) -> Result<Option<String>, SandboxError> {
        let limits = CommandLimits { time: PATIENCE, ..CommandLimits::default() };
        let command = Command { limits, ..Command::new(line) };
        let outcome = self.sandbox.run(&self.folder, &command).await?;
        Ok(outcome.exit.success().then(|| outcome.stdout.text().trim().to_owned()))
    }

    fn home(&self) -> Option<PathBuf> {
        self.home.clone()
    }
}

/// Names of folders in which people keep a Python environment.
pub(super) const ENVIRONMENTS: &[&str] = &[".venv", "venv", "env", ".env"];

/// Paths of the host beside the project itself that its commands may need to read: its Python environment, and the
/// Python which that was made from. To be shown by the sandbox in which the tool chain is asked.
pub fn readable_paths(root: &Path) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for name in ENVIRONMENTS {
        let Ok(folder) = root.join(name).canonicalize() else { continue };
        let Ok(config) = std::fs::read_to_string(folder.join("pyvenv.cfg")) else { continue };
        let home = config.lines().find_map(|line| {
            let (key, value) = line.split_once('=')?;
            (key.trim() == "home").then(|| PathBuf::from(value.trim()))
        });
        // `home` is the folder of the interpreter; its library lies beside that.
        paths.extend(home.as_deref().and_then(Path::parent).map(Path::to_owned));
        paths.push(folder);
    }
    paths
}
