//! The container engine: finding it, and running one program in a container.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use bollard::API_DEFAULT_VERSION;
use bollard::container::LogOutput;
use bollard::errors::Error;
use bollard::exec::{CreateExecOptions, StartExecResults};
use bollard::query_parameters::{ListContainersOptionsBuilder, RemoveContainerOptionsBuilder};
use futures_util::StreamExt;
use patchwright_protocol::Exit;

use super::script::{Report, ReportFilter};
use crate::command::Command;
use crate::environment;
use crate::error::SandboxError;
use crate::kind::SandboxKind;
use crate::outcome::{Captured, Collector};
use crate::owner::is_left;

/// The label that all our containers carry.
pub(super) const LABEL: &str = "patchwright";
/// The label that names the process which holds a container.
pub(super) const OWNER_LABEL: &str = "patchwright.owner";
/// The label that names the session.
pub(super) const SESSION_LABEL: &str = "patchwright.session";

/// The name of an engine that is asked as Docker is.
const PODMAN: &str = "Podman";
/// The time within which the engine must answer, in seconds.
const ANSWER_SECONDS: u64 = 120;
/// Tries to remove a container.
const REMOVALS: u32 = 3;
/// The longest wait where nothing else can go on meanwhile.
const BLOCKING: Duration = Duration::from_secs(20);

/// A connection to Docker or Podman on this machine.
#[derive(Debug, Clone)]
pub(super) struct Engine {
    client: bollard::Docker,
    socket: String,
}

/// A program to run in a container.
#[derive(Debug, Clone, Default)]
pub(super) struct Program {
    pub(super) arguments: Vec<String>,
    pub(super) environment: Vec<String>,
    /// The working folder; the container's own when none.
    pub(super) dir: Option<String>,
}

impl Program {
    /// A program with nothing but its arguments.
    pub(super) fn new(arguments: Vec<String>) -> Self {
        Self { arguments, ..Self::default() }
    }
}

/// The end of a program in a container.
#[derive(Debug)]
pub(super) struct Finished {
    /// The program's own status; none when it had not ended within its time.
    pub(super) status: Option<i64>,
    pub(super) stdout: Captured,
    pub(super) stderr: Captured,
    /// The report of the wrapping shell, where there is one.
    pub(super) report: Option<Report>,
    pub(super) seconds: f64,
}

impl Finished {
    /// The end of a command in a wrapping shell. An error, met while `starting` that shell, says nothing about the command.
    pub(super) fn exit(&self, starting: &str) -> Result<Exit, SandboxError> {
        match (self.report, self.status) {
            (Some(report), _) => Ok(Exit::from_shell_status(report.status)),
            (None, None) => Ok(Exit::TimedOut),
            (None, Some(126 | 127)) => Err(SandboxError::engine(starting, self.said().trim())),
            // The shell was killed, by the command or for want of memory.
            (None, Some(_)) => Ok(Exit::Signal(9)),
        }
    }

    /// Both streams.
    pub(super) fn said(&self) -> String {
        format!("{}{}", self.stdout.text(), self.stderr.text())
    }
}

/// The security of an engine, as it tells.
#[derive(Debug, Clone, Copy)]
pub(super) struct Security {
    /// It runs without root, so that root in a container is the user outside.
    pub(super) rootless: bool,
    /// It filters calls as we say.
    pub(super) filters: bool,
}

impl Engine {
    /// Finds an engine that answers.
    pub(super) async fn connect() -> Result<Self, SandboxError> {
        let host = std::env::var("DOCKER_HOST").ok().filter(|host| !host.is_empty());
        if let Some(host) = host.as_ref().filter(|host| !host.starts_with("unix://")) {
            let reason = format!("DOCKER_HOST is {host}, and only engines on this machine can be used");
            return Err(unavailable(reason, "unset DOCKER_HOST, or point it to a unix:// socket"));
        }
        let sockets = host.map_or_else(usual_sockets, |host| vec![host]);
        let mut refusals = Vec::new();
        for socket in sockets {
            match Self::connect_to(&socket).await {
                Ok(engine) => return Ok(engine),
                Err(Error::SocketNotFoundError(_)) => {}
                Err(error) => refusals.push(format!("{socket}: {error}")),
            }
        }
        if refusals.is_empty() {
            let cure = "install Docker or Podman and start it, or leave out --image and --container";
            return Err(unavailable("no container engine was found", cure));
        }
        let cure = "start it (systemctl start docker), and see that you may use its socket (group docker)";
        Err(unavailable(format!("no container engine answers: {}", refusals.join("; ")), cure))
    }

    async fn connect_to(socket: &str) -> Result<Self, Error> {
        let client = bollard::Docker::connect_with_unix(socket, ANSWER_SECONDS, API_DEFAULT_VERSION)?;
        Ok(Self { client: client.negotiate_version().await?, socket: socket.to_owned() })
    }

    /// The client, for what is asked only once.
    pub(super) fn client(&self) -> &bollard::Docker {
        &self.client
    }

    /// Name and version of the engine.
    pub(super) async fn version(&self) -> Result<String, SandboxError> {
        let found = self.client.version().await.map_err(failed("asking its version"))?;
        let parts = found.components.unwrap_or_default();
        let podman = parts.iter().any(|part| part.name.contains("Podman"));
        let name = if podman { PODMAN } else { "Docker" };
        Ok(format!("{name} {}", found.version.unwrap_or_default()))
    }

    /// Asks the engine about its security.
    pub(super) async fn security(&self) -> Result<Security, SandboxError> {
        let info = self.client.info().await.map_err(failed("asking its settings"))?;
        let options = info.security_options.unwrap_or_default();
        let has = |name: &str| options.iter().any(|option| option.contains(name));
        Ok(Security {
            rootless: has("rootless"),
            // Podman wants a file of its own machine, and keeps its own filter otherwise.
            filters: has("seccomp") && !self.version().await?.starts_with(PODMAN),
        })
    }

    /// The processes of a container, by their numbers on this machine; none where they cannot be told.
    pub(super) async fn processes(&self, container: &str) -> Vec<i32> {
        let found = self.client.top_processes(container, None).await.unwrap_or_default();
        let column = found.titles.iter().flatten().position(|title| title == "PID");
        let number = |row: &Vec<String>| row.get(column?)?.parse().ok();
        found.processes.iter().flatten().filter_map(number).collect()
    }

    /// Runs a program in a container and keeps `output_bytes` of each stream. When `time` is over this returns,
    /// while the program goes on: there is no way to end it from outside but through the container.
    pub(super) async fn run(
        &self,
        container: &str,
        program: Program,
        time: Duration,
        output_bytes: usize,
    ) -> Result<Finished, SandboxError> {
        let begun = Instant::now();
        let options = CreateExecOptions {
            attach_stdout: Some(true),
            attach_stderr: Some(true),
            env: Some(program.environment),
            cmd: Some(program.arguments),
            working_dir: program.dir,
            ..CreateExecOptions::default()
        };
        let id = self.client.create_exec(container, options).await.map_err(failed("preparing a command"))?.id;
        let started = self.client.start_exec(&id, None).await.map_err(failed("starting a command"))?;
        let StartExecResults::Attached { mut output, .. } = started else {
            return Err(SandboxError::engine("starting a command", "its output is not attached"));
        };
        let mut stdout = Collector::new(output_bytes);
        let mut stderr = Collector::new(output_bytes);
        let mut filter = ReportFilter::default();
        let reading = async {
            while let Some(piece) = output.next().await {
                match piece? {
                    LogOutput::StdErr { message } => stderr.push(&filter.push(&message)),
                    LogOutput::StdOut { message } | LogOutput::Console { message } => stdout.push(&message),
                    LogOutput::StdIn { .. } => {}
                }
            }
            Ok::<(), Error>(())
        };
        let ended = match tokio::time::timeout(time, reading).await {
            Ok(result) => {
                result.map_err(failed("reading a command's output"))?;
                true
            }
            Err(_) => false,
        };
        let (rest, report) = filter.finish();
        stderr.push(&rest);
        // A report tells the end better than the engine, which Podman does not even know at once.
        let status = match report {
            Some(report) => Some(report.status.into()),
            None if ended => Some(self.status(&id).await?),
            None => None,
        };
        let seconds = begun.elapsed().as_secs_f64();
        Ok(Finished { status, stdout: stdout.finish(), stderr: stderr.finish(), report, seconds })
    }

    /// The status of a program whose output has ended.
    async fn status(&self, id: &str) -> Result<i64, SandboxError> {
        for _ in 0..100 {
            let found = self.client.inspect_exec(id).await.map_err(failed("asking how a command ended"))?;
            // `exit_code` means nothing while it runs: Podman then says 0.
            if found.running != Some(true) {
                return Ok(found.exit_code.unwrap_or(-1));
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Err(SandboxError::engine("asking how a command ended", "its output has ended, but it still runs"))
    }

    /// Removes a container, whatever it does. One that is not there any more is no error.
    pub(super) async fn remove(&self, container: &str) -> Result<(), SandboxError> {
        for _ in 1..REMOVALS {
            if self.remove_once(container).await.is_ok() {
                return Ok(());
            }
            // The engine gives up on a container with very many processes, which die nevertheless.
            tokio::time::sleep(Duration::from_secs(2)).await;
        }
        self.remove_once(container).await.map_err(failed("removing a container"))
    }

    async fn remove_once(&self, container: &str) -> Result<(), Error> {
        let options = RemoveContainerOptionsBuilder::default().force(true).v(true).build();
        match self.client.remove_container(container, Some(options)).await {
            // 409: it is being removed already.
            Err(Error::DockerResponseServerError { status_code: 404 | 409, .. }) => Ok(()),
            removed => removed,
        }
    }

    /// Removes containers from where no runtime can be waited for. Blocks until they are gone.
    pub(super) fn remove_blocking(&self, containers: &[String]) {
        self.blocking(async |engine| {
            for container in containers {
                if let Err(error) = engine.remove(container).await {
                    tracing::warn!(container, %error, "a container is left behind");
                }
            }
        });
    }

    /// Runs a program of our own from where no runtime can be waited for. Blocks until it has ended.
    pub(super) fn run_blocking(&self, container: &str, program: &Program) {
        self.blocking(async |engine| {
            if let Err(error) = engine.run(container, program.clone(), BLOCKING, 1024).await {
                tracing::warn!(container, %error, "something is left behind in a container");
            }
        });
    }

    /// Does something in a thread and a runtime of its own: a runtime must not be started inside another, and
    /// a connection belongs to the runtime that made it.
    fn blocking(&self, work: impl AsyncFn(Self) + Send + Sync) {
        let all = || -> Result<(), String> {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.map_err(|error| error.to_string())?.block_on(async {
                let engine = Self::connect_to(&self.socket).await.map_err(|error| error.to_string())?;
                work(engine).await;
                Ok(())
            })
        };
        let result = std::thread::scope(|scope| scope.spawn(all).join());
        if let Ok(Err(error)) = result {
            tracing::warn!(error, "the container engine does not answer; something is left behind");
        }
    }

    /// Finds our containers whose owner is gone, and removes them unless `dry_run`.
    pub(super) async fn sweep(&self, dry_run: bool) -> Result<Vec<String>, SandboxError> {
        let filters = HashMap::from([("label", vec![LABEL])]);
        let options = ListContainersOptionsBuilder::default().all(true).filters(&filters).build();
        let listed =
            self.client.list_containers(Some(options)).await.map_err(failed("listing containers"))?;
        let mut found = Vec::new();
        for container in listed {
            let labels = container.labels.unwrap_or_default();
            let gone = labels.get(OWNER_LABEL).is_some_and(|owner| is_left(owner, ""));
            let (true, Some(id)) = (gone, container.id) else { continue };
            if !dry_run {
                self.remove(&id).await?;
            }
            let session = labels.get(SESSION_LABEL).map_or("", String::as_str);
            let short: String = id.chars().take(12).collect();
            found.push(format!("container {short} of session {session:?}"));
        }
        found.sort();
        Ok(found)
    }
}

/// The variables of a command besides those of its container. Its own win over ours.
pub(super) fn environment(command: &Command, ours: &[(&str, String)]) -> Vec<String> {
    let mut all: BTreeMap<_, _> = environment::of_every_sandbox().collect();
    all.extend(ours.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
    all.extend(command.env.clone());
    variables(all)
}

/// Variables as the engine takes them.
pub(super) fn variables(all: BTreeMap<String, String>) -> Vec<String> {
    all.into_iter().map(|(name, value)| format!("{name}={value}")).collect()
}

/// Where engines usually listen.
fn usual_sockets() -> Vec<String> {
    let variable = |name: &str, rest: &str| std::env::var_os(name).map(|base| PathBuf::from(base).join(rest));
    let found = [
        Some(PathBuf::from("/var/run/docker.sock")),
        variable("XDG_RUNTIME_DIR", "docker.sock"),
        variable("HOME", ".docker/run/docker.sock"),
        variable("HOME", ".docker/desktop/docker.sock"),
        variable("XDG_RUNTIME_DIR", "podman/podman.sock"),
        Some(PathBuf::from("/run/podman/podman.sock")),
    ];
    found.into_iter().flatten().map(|path| path.to_string_lossy().into_owned()).collect()
}

/// Turns an error of the engine's into ours.
pub(super) fn failed(doing: &'static str) -> impl Fn(Error) -> SandboxError {
    move |error| match error {
        Error::DockerResponseServerError { message, .. } => SandboxError::engine(doing, message.trim()),
        other => SandboxError::engine(doing, other),
    }
}

fn unavailable(reason: impl Into<String>, cure: &str) -> SandboxError {
    SandboxError::unavailable(SandboxKind::Docker, reason, cure)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_engine_that_does_not_answer_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("docker.sock");
        let listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
        // It hangs up on everybody.
        std::thread::spawn(move || listener.incoming().for_each(drop));
        assert!(Engine::connect_to(path.to_str().unwrap()).await.is_err());
        let nowhere = folder.path().join("nowhere.sock");
        let error = Engine::connect_to(nowhere.to_str().unwrap()).await.unwrap_err();
        assert!(matches!(error, Error::SocketNotFoundError(_)), "{error}");
    }
}
