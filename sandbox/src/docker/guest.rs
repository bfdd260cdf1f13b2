//! A container of the user's, in which we are guests: the lane is sent to a folder of our own, what a command
//! made is fetched back, and in the end the folder is removed. The container is never stopped.

use std::collections::BTreeMap;
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex as SyncMutex};
use std::time::Duration;

use async_trait::async_trait;
use bollard::errors::Error;
use bollard::query_parameters::{DownloadFromContainerOptionsBuilder, UploadToContainerOptionsBuilder};
use futures_util::StreamExt;
use patchwright_folder::{Folder, FolderError};
use tokio::io::AsyncReadExt;
use tokio::sync::Mutex;

use super::engine::{Engine, Finished, Program, environment, failed};
use super::transfer::{self, Survey};
use super::{OnDrop, script};
use crate::command::Command;
use crate::error::SandboxError;
use crate::kind::SandboxKind;
use crate::outcome::CommandOutcome;
use crate::owner::{Owner, is_left, serial};
use crate::sandbox::Sandbox;

/// Where our folders lie in the container. What follows is their owner.
const FOLDERS: &str = "/tmp/patchwright-";
/// The time limit of our own errands in the container.
const ERRAND: Duration = Duration::from_mins(2);
/// Bytes of an errand's output that are looked at.
const ERRAND_OUTPUT: usize = 64 * 1024;
/// Bytes that are fetched of one output.
const MOST_BYTES: u64 = 1 << 30;

/// The files of a lane that the container holds.
type SyncedLane = Arc<Mutex<Survey>>;

/// Runs commands in a container of the user's.
pub(super) struct Guest {
    engine: Engine,
    /// Name and version of the engine.
    version: String,
    container: String,
    /// Our folder in the container, unlike that of any other process.
    folder: String,
    /// Whom the container's commands run as.
    user: (u64, u64),
    /// For each lane its number and what the container holds of it.
    lanes: SyncMutex<BTreeMap<PathBuf, (usize, SyncedLane)>>,
    open: AtomicBool,
}

impl Guest {
    pub(super) async fn open(engine: Engine, version: String, container: &str) -> Result<Self, SandboxError> {
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
            version,
            container: container.to_owned(),
            folder: format!("{FOLDERS}{}-{}", Owner::current(), serial()),
            user: (0, 0),
            lanes: SyncMutex::default(),
            open: AtomicBool::new(true),
        };
        let ids = guest.errand("id -u && id -g", &[]).await?;
        let mut ids = ids.split_whitespace().map(str::parse);
        if let (Some(Ok(user)), Some(Ok(group))) = (ids.next(), ids.next()) {
            guest.user = (user, group);
        }
        guest.sweep().await?;
        Ok(guest)
    }

    /// The folder of a lane in the container, and what it holds of it. Lanes are numbered in the order in which they are first asked
    /// for.
    fn place(&self, lane: &Path) -> (String, SyncedLane) {
        let mut lanes = patchwright_blocking::lock(&self.lanes);
        let next = lanes.len();
        let (number, survey) = lanes.entry(lane.to_owned()).or_insert_with(|| (next, Arc::default()));
        (format!("{}/{number}", self.folder), survey.clone())
    }

    /// Fetches all that a command has made; gives what the lane holds then.
    async fn fetch_all(&self, lane: &Path, place: &str, outputs: &[String]) -> Result<Survey, SandboxError> {
        for output in outputs {
            self.fetch(lane, place, output).await?;
        }
        let lane = lane.to_owned();
        let surveying = patchwright_blocking::spawn(move |cancelled| {
            Folder::open(&lane).and_then(|folder| transfer::survey(&folder, cancelled))
        });
        surveying.await?.map_err(|error| left("", &error))
    }

    /// Makes the folder in the container hold what the lane holds, besides what commands have made there.
    async fn send(&self, lane: &Path, place: &str, before: &mut Survey) -> Result<(), SandboxError> {
        let unreadable = |error: FolderError| SandboxError::lane(lane, io::Error::from(error));
        let path = lane.to_owned();
        let surveying = patchwright_blocking::spawn(move |cancelled| {
            let folder = Folder::open(&path)?;
            Ok((transfer::survey(&folder, cancelled)?, folder))
        });
        let (now, folder) = surveying.await?.map_err(unreadable)?;
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
            let packing = patchwright_blocking::spawn(move |_| {
                let mut file = tempfile::tempfile()?;
                transfer::pack(&folder, &changes.send, user, &mut file)?;
                file.rewind()?;
                Ok::<_, io::Error>(file)
            });
            let file = packing.await.map_err(io::Error::other).and_then(|file| file);
            let file = tokio::fs::File::from_std(file.map_err(|error| SandboxError::lane(lane, error))?);
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
        let broken = |error: io::Error| SandboxError::engine("fetching an output", error);
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
        let unpacked =
            patchwright_blocking::spawn(move |_| transfer::unpack(file, &Folder::open(&lane)?, &path)).await;
        unpacked.map_err(io::Error::other).map_err(broken)?.map_err(|error| left(output, &error))
    }

    /// Ends a command by a program for that.
    async fn end(&self, ending: Program) -> Result<(), SandboxError> {
        let finished = self.engine.run(&self.container, ending, ERRAND, ERRAND_OUTPUT).await?;
        match finished.status {
            Some(0) => Ok(()),
            _ => Err(SandboxError::engine("ending a command", finished.stderr.text().trim())),
        }
    }

    /// Removes the folders of processes that are gone.
    async fn sweep(&self) -> Result<(), SandboxError> {
        let listed = self.errand("ls -d \"$1\"* 2>/dev/null || :", &[FOLDERS]).await?;
        for folder in listed.lines() {
            if is_left(folder, FOLDERS) {
                self.errand("rm -rf -- \"$1\"", &[folder]).await?;
            }
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
        Err(SandboxError::engine(format!("running `{line}` in the container"), finished.said().trim()))
    }
}

#[async_trait]
impl Sandbox for Guest {
    fn kind(&self) -> SandboxKind {
        SandboxKind::Docker
    }

    fn describe(&self) -> String {
        format!(
            "docker: the running container {} ({}), in a folder of our own. Missing: a network, users and limits of our \
             own; only time, output and the memory of each process are bounded",
            self.container, self.version
        )
    }

    fn path_inside(&self, lane: &Path) -> PathBuf {
        Path::new(&self.place(lane).0).join("lane")
    }

    fn shares_lanes(&self) -> bool {
        false
    }

    async fn run(&self, lane: &Path, command: &Command) -> Result<CommandOutcome, SandboxError> {
        command.check(lane)?;
        if !self.open.load(Ordering::Relaxed) {
            return Err(SandboxError::Closed);
        }
        let (place, survey) = self.place(lane);
        let mut survey = survey.lock().await;
        self.send(lane, &place, &mut survey).await?;
        // The folder that every process of this command has in its environment, as `HOME`.
        let mark = format!("{place}/home");
        let ending = Program::new(script::end_theirs(&mark));
        let mut unfinished = OnDrop(Some(|| self.engine.run_blocking(&self.container, &ending)));
        let program = Program {
            arguments: script::theirs(&command.line, &mark, command.limits.memory_bytes),
            environment: environment(
                command,
                &[("HOME", format!("{place}/home")), ("TMPDIR", format!("{place}/tmp"))],
            ),
            dir: Some(Path::new(&place).join("lane").join(&command.dir).to_string_lossy().into_owned()),
        };
        let limits = &command.limits;
        let finished = self.engine.run(&self.container, program, limits.time, limits.output_bytes).await?;
        if finished.report.is_none() {
            self.end(ending.clone()).await?;
        }
        unfinished.0 = None;
        let exit = finished.exit("starting /bin/sh in the container")?;
        let Finished { stdout, stderr, seconds, .. } = finished;
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
        Ok(CommandOutcome { stdout, stderr, seconds, ..CommandOutcome::of(exit) })
    }

    async fn close(&self) -> Result<(), SandboxError> {
        if self.open.swap(false, Ordering::Relaxed) {
            self.errand("rm -rf -- \"$1\"", &[&self.folder]).await?;
        }
        Ok(())
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        if *self.open.get_mut() {
            let program = Program::new(script::shell("rm -rf -- \"$1\"", &[&self.folder]));
            self.engine.run_blocking(&self.container, &program);
        }
    }
}

fn no_container(container: &str, reason: &str) -> SandboxError {
    SandboxError::NoContainer { container: container.to_owned(), reason: reason.to_owned() }
}

/// The error where what a command left is at fault, or the system.
fn left(output: &str, error: &FolderError) -> SandboxError {
    if error.is_of_the_content() {
        SandboxError::Left { output: output.to_owned(), reason: error.to_string() }
    } else {
        SandboxError::engine("fetching an output", error)
    }
}
