//! Containers of Docker's or Podman's.

mod engine;
mod guest;
mod image;
mod recipe;
mod script;
mod store;
mod transfer;

use std::path::{Path, PathBuf};

use async_trait::async_trait;

use crate::choose::{SandboxProbe, SandboxRequest};
use crate::command::Command;
use crate::error::SandboxError;
use crate::outcome::CommandOutcome;
use crate::sandbox::{Sandbox, SandboxKind};
use engine::Engine;
use guest::Guest;
use image::Image;
pub use store::{Images, LocalImage};

/// A sandbox in containers.
pub(crate) struct Docker {
    engine: String,
    place: Place,
}

/// Whose container commands run in.
enum Place {
    /// One of ours, made from an image.
    Image(Image),
    /// One of the user's.
    Guest(Guest),
}

impl Docker {
    /// Connects to the engine and proves that commands run in what the request names.
    pub(crate) async fn open(request: &SandboxRequest) -> Result<Self, SandboxError> {
        let engine = Engine::connect().await?;
        let version = engine.version().await?;
        let place = match (&request.image, &request.container) {
            (Some(image), _) => Place::Image(Image::open(engine, image, request).await?),
            (None, Some(container)) => Place::Guest(Guest::open(engine, container).await?),
            (None, None) => {
                return Err(SandboxError::Request {
                    reason: "the sandbox `docker` needs an image or a container".to_owned(),
                    cure: "give --image IMAGE or --container NAME".to_owned(),
                });
            }
        };
        Ok(Self { engine: version, place })
    }
}

#[async_trait]
impl Sandbox for Docker {
    fn kind(&self) -> SandboxKind {
        SandboxKind::Docker
    }

    fn describe(&self) -> String {
        match &self.place {
            Place::Image(image) if image.is_native() => format!(
                "docker: a container of {} for each lane ({}), as root, as its makers meant it. Missing: it may be written \
                 to, with the engine's usual capabilities",
                image.name(),
                self.engine
            ),
            Place::Image(image) => format!(
                "docker: a container of {} for each lane ({}); no network, no capabilities, read-only but for \
                 the lane and /tmp",
                image.name(),
                self.engine
            ),
            Place::Guest(guest) => format!(
                "docker: the running container {} ({}), in a folder of our own. Missing: a network, users and \
                 limits of our own; only time, output and the memory of each process are bounded",
                guest.container(),
                self.engine
            ),
        }
    }

    fn path_inside(&self, lane: &Path) -> PathBuf {
        match &self.place {
            Place::Image(image) => PathBuf::from(image.lane_at()),
            Place::Guest(guest) => guest.path_inside(lane),
        }
    }

    fn shares_lanes(&self) -> bool {
        match &self.place {
            Place::Image(_) => true,
            Place::Guest(_) => false,
        }
    }

    async fn run(&self, lane: &Path, command: &Command) -> Result<CommandOutcome, SandboxError> {
        command.check()?;
        if !lane.is_absolute() || !lane.join(&command.dir).is_dir() {
            let reason = format!("there is no folder {}", lane.join(&command.dir).display());
            return Err(SandboxError::Lane { lane: lane.to_owned(), reason });
        }
        match &self.place {
            Place::Image(image) => image.run(lane, command).await,
            Place::Guest(guest) => guest.run(lane, command).await,
        }
    }

    async fn close(&self) -> Result<(), SandboxError> {
        match &self.place {
            Place::Image(image) => image.close().await,
            Place::Guest(guest) => guest.close().await,
        }
    }
}

/// Whether an engine answers, for `doctor`.
pub(crate) async fn probe() -> SandboxProbe {
    let mut probe = SandboxProbe {
        kind: SandboxKind::Docker,
        works: true,
        version: None,
        missing: Vec::new(),
        cure: None,
    };
    let version = match Engine::connect().await {
        Ok(engine) => engine.version().await,
        Err(error) => Err(error),
    };
    match version {
        Ok(version) => probe.version = Some(version),
        Err(error) => {
            probe.works = false;
            if let SandboxError::Unavailable { reason, cure, .. } = error {
                probe.missing.push(reason);
                probe.cure = Some(cure);
            } else {
                probe.missing.push(error.to_string());
            }
        }
    }
    probe
}

/// Removes containers that nobody owns any more. Without an engine there are none.
pub(crate) async fn sweep(dry_run: bool) -> Result<Vec<String>, SandboxError> {
    match Engine::connect().await {
        Ok(engine) => engine.sweep(dry_run).await,
        Err(SandboxError::Unavailable { .. }) => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}
