//! Containers of our own, made from an image: one for each lane, kept until the sandbox is closed.
//!
//! A container costs about half a second, a command in one about a tenth; lanes are few and live long. One
//! container for all lanes would be cheaper still, but a command could then reach into other lanes.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex as SyncMutex, MutexGuard};
use std::time::Duration;

use async_trait::async_trait;
use bollard::errors::Error;
use bollard::models::ContainerCreateBody;
use bollard::query_parameters::CreateContainerOptionsBuilder;
use patchwright_protocol::Exit;
use tempfile::TempDir;
use tokio::sync::Mutex;

use super::engine::{
    Engine, Finished, LABEL, OWNER_LABEL, Program, SESSION_LABEL, environment, failed, variables,
};
use super::recipe::{self, User};
use super::{OnDrop, script};
use crate::command::Command;
use crate::disk::DiskWatch;
use crate::error::SandboxError;
use crate::kind::SandboxKind;
use crate::outcome::CommandOutcome;
use crate::owner::{Owner, serial};
use crate::request::{SandboxRequest, SandboxSetup};
use crate::sandbox::Sandbox;
use crate::scratch;

/// Where every lane is seen inside when nothing else is said: one name for all, so that what a build writes down stays
/// true in any lane.
const LANE: &str = "/lane";
/// The time between two looks at what a command has written.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Runs commands in containers made from an image.
pub(super) struct Image {
    engine: Engine,
    /// Name and version of the engine.
    version: String,
    name: String,
    session: String,
    owner: Owner,
    /// Where lanes are seen inside.
    lane_at: String,
    /// Containers are as the image's makers meant them.
    native: bool,
    /// The image's tool chain lies in root's home, so that only root can use it.
    needs_root: bool,
    /// Root in a container is the user outside.
    rootless: bool,
    /// The security options of containers.
    security: Vec<String>,
    slots: Mutex<BTreeMap<PathBuf, Arc<Mutex<Option<Container>>>>>,
    /// Every container that may exist, for the case that this is dropped without being closed.
    held: SyncMutex<Vec<String>>,
    scratch: TempDir,
}

/// A running container, and what it was made for.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Container {
    id: String,
    made_for: ContainerSpec,
}

/// The purpose of a container; another one needs another container.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ContainerSpec {
    /// Device and number of the lane's folder: a folder made anew at the same place is another one.
    lane: (u64, u64),
    network: bool,
    memory_bytes: u64,
    processes: u32,
}

/// Ends when a container has written more than may be.
async fn exceeded(engine: &Engine, container: &str, mut disk: DiskWatch) {
    loop {
        tokio::time::sleep(LOOK_EVERY).await;
        if !disk.wants_a_look() {
            continue;
        }
        let processes = engine.processes(container).await;
        let looking = patchwright_blocking::spawn(move |cancelled| {
            (disk.is_exceeded(processes, &|| cancelled.load(Ordering::Relaxed)), disk)
        });
        match looking.await {
            Ok((false, watch)) => disk = watch,
            Ok((true, _)) | Err(_) => return,
        }
    }
}

impl Image {
    pub(super) async fn open(
        engine: Engine,
        version: String,
        name: &str,
        request: &SandboxRequest,
    ) -> Result<Self, SandboxError> {
        let lane_at = lane_at(&request.setup)?;
        let found = match engine.client().inspect_image(name).await {
            Ok(found) => found,
            Err(Error::DockerResponseServerError { status_code: 404, .. }) => {
                return Err(SandboxError::NoImage { image: name.to_owned() });
            }
            Err(error) => return Err(failed("looking at the image")(error)),
        };
        let variables = found.config.and_then(|config| config.env).unwrap_or_default();
        let security = engine.security().await?;
        let scratch = scratch::create().map_err(broken)?;
        let image = Self {
            engine,
            version,
            name: name.to_owned(),
            session: request.session.clone(),
            owner: Owner::current(),
            lane_at,
            native: request.setup.native,
            needs_root: variables.iter().any(|variable| recipe::points_into_roots_home(variable)),
            rootless: security.rootless,
            security: recipe::security(security.filters),
            slots: Mutex::default(),
            held: SyncMutex::default(),
            scratch,
        };
        image.try_out().await?;
        Ok(image)
    }

    /// Proves that a container starts, has a shell, and shares a folder with us.
    async fn try_out(&self) -> Result<(), SandboxError> {
        let lane = self.scratch.path().join("lane");
        fs::create_dir(&lane).map_err(broken)?;
        let result = self.run(&lane, &Command::new("echo shared > file")).await;
        let shared = fs::read_to_string(lane.join("file")).is_ok_and(|text| text == "shared\n");
        let outcome = result?;
        self.discard(&lane).await?;
        if outcome.exit != Exit::Code(0) {
            return Err(SandboxError::engine("trying the image", outcome.stderr.text().trim()));
        }
        if !shared {
            return Err(SandboxError::engine(
                "trying the image",
                "the engine does not see this machine's folders",
            ));
        }
        Ok(())
    }

    /// Reads how a command ended, and whether in order, so that its container is clean.
    async fn outcome(&self, id: &str, finished: Finished) -> Result<(CommandOutcome, bool), SandboxError> {
        let exit = finished.exit("starting /bin/sh in the image")?;
        let Finished { stdout, stderr, report, seconds, .. } = finished;
        let mut outcome = CommandOutcome { stdout, stderr, seconds, ..CommandOutcome::of(exit) };
        if let Some(report) = report {
            outcome.out_of_memory = report.memory_hits > 0 && !exit.success();
            outcome.too_many_processes = report.process_hits > 0;
        } else if exit != Exit::TimedOut {
            let found = self.engine.client().inspect_container(id, None).await;
            let state = found.ok().and_then(|found| found.state);
            outcome.out_of_memory = state.and_then(|state| state.oom_killed).unwrap_or_default();
        }
        Ok((outcome, report.is_some()))
    }

    /// Removes a container when it is dropped with something under way in it: the only sure way to end that. It stays held: an engine
    /// that was asked to create it may do so only then, and `close` finds it.
    fn removed_on_drop<'a>(&'a self, id: &str) -> OnDrop<impl FnOnce() + use<'a>> {
        let id = id.to_owned();
        OnDrop(Some(move || self.engine.remove_blocking(&[id])))
    }

    /// Creates and starts a container for a lane.
    async fn start(&self, lane: &Path, user: &User, command: &Command) -> Result<String, SandboxError> {
        let (limits, network) = (&command.limits, command.network);
        let name = format!("patchwright-{}-{}", self.owner, serial());
        let mut mounts = vec![recipe::bind(lane, &self.lane_at, false)?];
        for (path, target) in recipe::user_tables(user, self.scratch.path()).map_err(broken)? {
            mounts.push(recipe::bind(&path, target, true)?);
        }
        let host_config = if self.native {
            recipe::bounds(mounts, limits, network, &self.security)
        } else {
            recipe::isolation(mounts, user, limits, network, &self.security)
        };
        let body = ContainerCreateBody {
            image: Some(self.name.clone()),
            // The first process collects orphans, as any shell does that waits. A command's end kills its
            // `sleep`, and it takes another.
            entrypoint: Some(script::shell("while :; do sleep 3600; done", &[])),
            cmd: Some(Vec::new()),
            user: Some(if self.native { "0:0".to_owned() } else { format!("{}:{}", user.uid, user.gid) }),
            working_dir: Some(self.lane_at.clone()),
            hostname: (!self.native).then(|| "localhost".to_owned()),
            labels: Some(HashMap::from([
                (LABEL.to_owned(), "1".to_owned()),
                (SESSION_LABEL.to_owned(), self.session.clone()),
                (OWNER_LABEL.to_owned(), self.owner.to_string()),
            ])),
            host_config: Some(host_config),
            ..ContainerCreateBody::default()
        };
        // Held under its name before it exists, so that it is removed however this ends.
        self.held().push(name.clone());
        let mut unfinished = self.removed_on_drop(&name);
        let options = CreateContainerOptionsBuilder::default().name(&name).build();
        let client = self.engine.client();
        client.create_container(Some(options), body).await.map_err(failed("creating a container"))?;
        client.start_container(&name, None).await.map_err(failed("starting a container"))?;
        unfinished.0 = None;
        Ok(name)
    }

    /// Removes the containers of lanes that are not there any more.
    async fn discard_of_lost_lanes(&self) -> Result<(), SandboxError> {
        let lost: Vec<PathBuf> =
            self.slots.lock().await.keys().filter(|lane| !lane.exists()).cloned().collect();
        for lane in lost {
            self.discard(&lane).await?;
        }
        Ok(())
    }

    async fn discard(&self, lane: &Path) -> Result<(), SandboxError> {
        let slot = self.slots.lock().await.remove(lane);
        if let Some(slot) = slot
            && let Some(container) = slot.lock().await.take()
        {
            self.remove(&container.id).await?;
        }
        Ok(())
    }

    async fn remove(&self, id: &str) -> Result<(), SandboxError> {
        self.engine.remove(id).await?;
        self.held().retain(|held| held != id);
        Ok(())
    }

    fn held(&self) -> MutexGuard<'_, Vec<String>> {
        patchwright_blocking::lock(&self.held)
    }
}

#[async_trait]
impl Sandbox for Image {
    fn kind(&self) -> SandboxKind {
        SandboxKind::Docker
    }

    fn describe(&self) -> String {
        let what = if self.native {
            ", as root, as its makers meant it. Missing: it may be written to, with the engine's usual capabilities"
        } else {
            "; no network, no capabilities, read-only but for the lane and /tmp"
        };
        format!("docker: a container of {} for each lane ({}){what}", self.name, self.version)
    }

    fn path_inside(&self, _: &Path) -> PathBuf {
        PathBuf::from(&self.lane_at)
    }

    async fn run(&self, lane: &Path, command: &Command) -> Result<CommandOutcome, SandboxError> {
        command.check(lane)?;
        self.discard_of_lost_lanes().await?;
        let slot = self.slots.lock().await.entry(lane.to_owned()).or_default().clone();
        let mut slot = slot.lock().await;
        let user = recipe::user(lane, self.needs_root || self.native, self.rootless)
            .map_err(|error| SandboxError::lane(lane, error))?;
        let purpose = ContainerSpec {
            lane: identity(lane)?,
            network: command.network,
            memory_bytes: command.limits.memory_bytes,
            processes: command.limits.processes,
        };
        if let Some(other) = slot.take_if(|container| container.made_for != purpose) {
            self.remove(&other.id).await?;
        }
        let id = if let Some(container) = &*slot {
            container.id.clone()
        } else {
            let id = self.start(lane, &user, command).await?;
            *slot = Some(Container { id: id.clone(), made_for: purpose });
            id
        };
        // Until the command has ended in order, its container is not to be used again.
        let container = slot.take();
        let mut unfinished = self.removed_on_drop(&id);
        let hand_back = user.hand_back.clone().unwrap_or_default();
        let (arguments, environment) = if self.native {
            (script::native(&command.line, &hand_back), variables(command.env.clone()))
        } else {
            let ours = [("HOME", recipe::HOME.to_owned())];
            (script::ours(&command.line, &hand_back), environment(command, &ours))
        };
        let dir = Path::new(&self.lane_at).join(&command.dir).to_string_lossy().into_owned();
        let program = Program { arguments, environment, dir: Some(dir) };
        let limits = &command.limits;
        let disk = DiskWatch::new(vec![lane.to_owned()], limits.disk_bytes);
        let finished = tokio::select! {
            finished = self.engine.run(&id, program, limits.time, limits.output_bytes) => Some(finished?),
            () = Box::pin(exceeded(&self.engine, &id, disk)) => None,
        };
        let (outcome, in_order) = match finished {
            Some(finished) => self.outcome(&id, finished).await?,
            None => (CommandOutcome { out_of_disk: true, ..CommandOutcome::of(Exit::Signal(9)) }, false),
        };
        if in_order {
            *slot = container;
        } else {
            self.remove(&id).await?;
        }
        unfinished.0 = None;
        Ok(outcome)
    }

    async fn close(&self) -> Result<(), SandboxError> {
        self.slots.lock().await.clear();
        let held = self.held().clone();
        for id in held {
            self.remove(&id).await?;
        }
        Ok(())
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        let held = std::mem::take(&mut *self.held());
        if !held.is_empty() {
            self.engine.remove_blocking(&held);
        }
    }
}

/// Where lanes are to be seen inside: an absolute path that is no part of the system.
fn lane_at(setup: &SandboxSetup) -> Result<String, SandboxError> {
    let Some(path) = &setup.lane_at else { return Ok(LANE.to_owned()) };
    match path.to_str().filter(|_| path.is_absolute() && path.parent().is_some()) {
        Some(path) => Ok(path.to_owned()),
        None => Err(SandboxError::request(
            format!("lanes cannot be seen at {}", path.display()),
            "name an absolute path below the root",
        )),
    }
}

fn identity(lane: &Path) -> Result<(u64, u64), SandboxError> {
    let found = fs::metadata(lane).map_err(|error| SandboxError::lane(lane, error))?;
    Ok((found.dev(), found.ino()))
}

fn broken(error: io::Error) -> SandboxError {
    SandboxError::failed(SandboxKind::Docker, error)
}
