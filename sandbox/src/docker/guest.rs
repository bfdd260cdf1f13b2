//! A container of the user's, in which we are guests: the lane is sent to a folder of our own, what a command
//! made is fetched back, and in the end the folder is removed. The container is never stopped.

use std::collections::BTreeMap;
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex as SyncMutex, PoisonError};
use std::time::Duration;

use bollard::errors::Error;
use bollard::query_parameters::{DownloadFromContainerOptionsBuilder, UploadToContainerOptionsBuilder};
use futures_util::StreamExt;
use patchwright_folder::{Folder, FolderError};
use tokio::io::AsyncReadExt;
use tokio::sync::Mutex;

use super::engine::{Engine, Finished, Program, engine_error, environment, failed};
use super::script;
use super::transfer::{self, Survey};
use crate::command::Command;
use crate::error::SandboxError;
use crate::outcome::{CommandOutcome, Exit};
use crate::owner::{Liveness, Owner, serial};

/// Where our folders lie in the container. What follows is their owner.
const FOLDERS: &str = "/tmp/patchwright-";
/// How long our own errands in the container may take.
const ERRAND: Duration = Duration::from_mins(2);
/// Bytes of an errand's output that are looked at.
const ERRAND_OUTPUT: usize = 64 * 1024;
/// Bytes that are fetched of one output.
const MOST_BYTES: u64 = 1 << 30;

/// What the container holds of a lane.
type SyncedLane = Arc<Mutex<Survey>>;

/// Runs commands in a container of the user's.
pub(super) struct Guest {
    engine: Engine,
    container: String,
    /// Our folder in the container, unlike that of any other process.
    folder: String,
    /// Whom the container's commands run as.
    user: (u64, u64),
    /// For each lane its number and what the container holds of it.
    lanes: SyncMutex<BTreeMap<PathBuf, (usize, SyncedLane)>>,
    open: SyncMutex<bool>,
}

impl Guest {
    pub(super) async fn open(engine: Engine, container: &str) -> Result<Self, SandboxError> {
        let found = match engine.client().inspect_container(container, None).await {
            Ok(found) => found,
            Err(Error::DockerResponseServerError { status_code: 404, .. }) => {
                return Err(no_container(container, "does not exist"));
            }
            Err(error) => return Err(failed("looking at the container")(error)),
        };
        if found.state.and_then(|state| state.running) != Some(true) {
            return Err(no_container(container, "does not run"));
        }
        let mut guest = Self {
            engine,
            container: container.to_owned(),
            folder: format!("{FOLDERS}{}-{}", Owner::current(), serial()),
            user: (0, 0),
            lanes: SyncMutex::default(),
            open: SyncMutex::new(true),
        };
        let ids = guest.errand("id -u && id -g", &[]).await?;
        let mut ids = ids.split_whitespace().map(str::parse);
        if let (Some(Ok(user)), Some(Ok(group))) = (ids.next(), ids.next()) {
            guest.user = (user, group);
        }
        guest.sweep().await?;
        Ok(guest)
    }

    pub(super) fn container(&self) -> &str {
        &self.container
    }

    /// Where a lane is seen. Lanes are numbered in the order in which they are first asked for.
    pub(super) fn path_inside(&self, lane: &Path) -> PathBuf {
        Path::new(&self.place(lane).0).join("lane")
    }

    fn place(&self, lane: &Path) -> (String, SyncedLane) {
        let mut lanes = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
        let next = lanes.len();
        let (number, survey) = lanes.entry(lane.to_owned()).or_insert_with(|| (next, Arc::default()));
        (format!("{}/{number}", self.folder), survey.clone())
    }

    pub(super) async fn run(&self, lane: &Path, command: &Command) -> Result<CommandOutcome, SandboxError> {
        if !*self.open.lock().unwrap_or_else(PoisonError::into_inner) {
            return Err(SandboxError::Closed);
        }
        let (place, survey) = self.place(lane);
        let mut survey = survey.lock().await;
        self.send(lane, &place, &mut survey).await?;
        // The folder that every process of this command has in its environment, as `HOME`.
        let mark = format!("{place}/home");
        let mut unfinished = EndOnDrop { guest: self, mark: Some(mark.clone()) };
        let program = Program {
            arguments: script::theirs(&command.line, &mark, command.limits.memory_bytes),
            environment: environment(
                command,
                &[("HOME", format!("{place}/home")), ("TMPDIR", format!("{place}/tmp"))],
            ),
            dir: Some(Path::new(&place).join("lane").join(&command.dir).to_string_lossy().into_owned()),
            user: None,
        };
        let limits = &command.limits;
        let finished = self.engine.run(&self.container, program, limits.time, limits.output_bytes).await?;
        if finished.report.is_none() {
            self.end(&mark).await?;
        }
        unfinished.mark = None;
        let outcome = outcome(finished)?;
        match self.fetch_all(lane, &place, &command.outputs).await {
            // What was fetched needs not be sent again.
            Ok(now) => *survey = now,
            Err(error) => {
                // Nobody knows what the container holds now: it gets all anew.
                survey.clear();
                self.errand("rm -rf -- \"$1/lane\"", &[&place]).await?;
                return Err(error);
            }
        }
        Ok(outcome)
    }

    /// Fetches all that a command has made; gives what the lane holds then.
    async fn fetch_all(&self, lane: &Path, place: &str, outputs: &[String]) -> Result<Survey, SandboxError> {
        for output in outputs {
            self.fetch(lane, place, output).await?;
        }
        let surveyed = Folder::open(lane).and_then(|folder| transfer::survey(&folder));
        surveyed.map_err(|error| left("", &error))
    }

    /// Makes the folder in the container hold what the lane holds, besides what commands have made there.
    async fn send(&self, lane: &Path, place: &str, before: &mut Survey) -> Result<(), SandboxError> {
        let unreadable = |error: FolderError| unreadable(lane, &error.into());
        let folder = Folder::open(lane).map_err(unreadable)?;
        let now = transfer::survey(&folder).map_err(unreadable)?;
        let changes = transfer::changes(before, &now);
        self.errand("mkdir -p \"$1/lane\" \"$1/home\" \"$1/tmp\"", &[place]).await?;
        for some in changes.remove.chunks(500) {
            let paths: Vec<String> =
                some.iter().map(|path| format!("{place}/lane/{}", path.to_string_lossy())).collect();
            let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
            self.errand("rm -rf -- \"$@\"", &paths).await?;
        }
        if !changes.send.is_empty() {
            let user = self.user;
            let packing = tokio::task::spawn_blocking(move || {
                let mut file = tempfile::tempfile()?;
                transfer::pack(&folder, &changes.send, user, &mut file)?;
                file.rewind()?;
                Ok::<_, io::Error>(file)
            });
            let file = packing.await.map_err(io::Error::other).and_then(|file| file);
            let file = tokio::fs::File::from_std(file.map_err(|error| self::unreadable(lane, &error))?);
            let pieces = futures_util::stream::try_unfold(file, async |mut file| {
                let mut piece = vec![0; 256 * 1024];
                let count = file.read(&mut piece).await?;
                piece.truncate(count);
                Ok::<_, io::Error>((count > 0).then(|| (piece.into(), file)))
            });
            let options = UploadToContainerOptionsBuilder::default().path(&format!("{place}/lane")).build();
            self.engine
                .client()
                .upload_to_container(&self.container, Some(options), bollard::body_try_stream(pieces))
                .await
                .map_err(failed("sending the lane"))?;
        }
        *before = now;
        Ok(())
    }

    /// Fetches a file or folder that a command has made. One that is not there is no error.
    async fn fetch(&self, lane: &Path, place: &str, output: &str) -> Result<(), SandboxError> {
        let broken = |error: io::Error| engine_error("fetching an output", &error.to_string());
        let options =
            DownloadFromContainerOptionsBuilder::default().path(&format!("{place}/lane/{output}")).build();
        let pieces = self.engine.client().download_from_container(&self.container, Some(options));
        let mut pieces = std::pin::pin!(pieces);
        let mut file = tempfile::tempfile().map_err(broken)?;
        let mut bytes = 0;
        while let Some(piece) = pieces.next().await {
            let piece = match piece {
                Ok(piece) => piece,
                Err(Error::DockerResponseServerError { status_code: 404, .. }) => return Ok(()),
                Err(error) => return Err(failed("fetching an output")(error)),
            };
            bytes += piece.len() as u64;
            if bytes > MOST_BYTES {
                let reason = "it is larger than 1 GiB".to_owned();
                return Err(SandboxError::Left { output: output.to_owned(), reason });
            }
            file.write_all(&piece).map_err(broken)?;
        }
        file.rewind().map_err(broken)?;
        let (lane, path) = (lane.to_owned(), PathBuf::from(output));
        let unpacking =
            tokio::task::spawn_blocking(move || transfer::unpack(file, &Folder::open(&lane)?, &path));
        let unpacked = unpacking.await.map_err(io::Error::other).map_err(broken)?;
        unpacked.map_err(|error| left(output, &error))
    }

    /// Ends what runs in the container with this mark.
    async fn end(&self, mark: &str) -> Result<(), SandboxError> {
        let program = Program::new(script::end_theirs(mark));
        let finished = self.engine.run(&self.container, program, ERRAND, ERRAND_OUTPUT).await?;
        match finished.status {
            Some(0) => Ok(()),
            _ => Err(engine_error("ending a command", finished.stderr.text().trim())),
        }
    }

    /// Removes the folders of processes that are gone.
    async fn sweep(&self) -> Result<(), SandboxError> {
        let listed = self.errand("ls -d \"$1\"* 2>/dev/null || :", &[FOLDERS]).await?;
        for folder in listed.lines() {
            let owner = folder.strip_prefix(FOLDERS).and_then(|owner| owner.parse::<Owner>().ok());
            if owner.is_some_and(|owner| owner.liveness() == Liveness::Gone) {
                self.errand("rm -rf -- \"$1\"", &[folder]).await?;
            }
        }
        Ok(())
    }

    pub(super) async fn close(&self) -> Result<(), SandboxError> {
        let was_open = std::mem::take(&mut *self.open.lock().unwrap_or_else(PoisonError::into_inner));
        if was_open {
            self.errand("rm -rf -- \"$1\"", &[&self.folder]).await?;
        }
        Ok(())
    }

    /// Runs a script of our own in the container and gives its output.
    async fn errand(&self, line: &str, arguments: &[&str]) -> Result<String, SandboxError> {
        let program = Program::new(script::shell(line, arguments));
        let finished = self.engine.run(&self.container, program, ERRAND, ERRAND_OUTPUT).await?;
        if finished.status == Some(0) {
            return Ok(finished.stdout.text());
        }
        let said = format!("{}{}", finished.stdout.text(), finished.stderr.text());
        Err(engine_error(&format!("running `{line}` in the container"), said.trim()))
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        if *self.open.lock().unwrap_or_else(PoisonError::into_inner) {
            let program = Program::new(script::shell("rm -rf -- \"$1\"", &[&self.folder]));
            self.engine.run_blocking(&self.container, &program);
        }
    }
}

/// A command under way. Dropped with its mark, the command is ended.
struct EndOnDrop<'a> {
    guest: &'a Guest,
    mark: Option<String>,
}

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        if let Some(mark) = self.mark.take() {
            self.guest.engine.run_blocking(&self.guest.container, &Program::new(script::end_theirs(&mark)));
        }
    }
}

fn outcome(finished: Finished) -> Result<CommandOutcome, SandboxError> {
    let Finished { status, stdout, stderr, report, seconds } = finished;
    let exit = match (report, status) {
        (Some(report), _) => Exit::from_shell_status(report.status),
        (None, None) => Exit::TimedOut,
        (None, Some(126 | 127)) => {
            let said = format!("{}{}", stdout.text(), stderr.text());
            return Err(engine_error("starting /bin/sh in the container", said.trim()));
        }
        // The shell was killed by the command itself.
        (None, Some(_)) => Exit::Signal(9),
    };
    Ok(CommandOutcome { stdout, stderr, seconds, ..CommandOutcome::of(exit) })
}

fn no_container(container: &str, reason: &str) -> SandboxError {
    SandboxError::NoContainer { container: container.to_owned(), reason: reason.to_owned() }
}

/// What a command left is at fault, or the system.
fn left(output: &str, error: &FolderError) -> SandboxError {
    if error.is_of_the_content() {
        SandboxError::Left { output: output.to_owned(), reason: error.to_string() }
    } else {
        engine_error("fetching an output", &error.to_string())
    }
}

fn unreadable(lane: &Path, error: &io::Error) -> SandboxError {
    SandboxError::Lane { lane: lane.to_owned(), reason: error.to_string() }
}
