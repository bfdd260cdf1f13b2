//! Containers of Docker's or Podman's.

mod engine;
mod guest;
mod image;
mod recipe;
mod script;
mod store;
mod transfer;

use std::sync::Arc;

use engine::Engine;
use guest::Guest;
use image::Image;

use crate::error::SandboxError;
use crate::kind::SandboxKind;
use crate::probe::SandboxProbe;
use crate::request::SandboxRequest;
use crate::sandbox::Sandbox;
pub use store::{Images, LocalImage};

/// Connects to the engine and proves that commands run in what the request names.
pub(crate) async fn open(request: &SandboxRequest) -> Result<Arc<dyn Sandbox>, SandboxError> {
    let Some(name) = request.image.as_ref().or(request.container.as_ref()) else {
        return Err(SandboxError::request(
            "the sandbox `docker` needs an image or a container",
            "give --image IMAGE or --container NAME",
        ));
    };
    let engine = Engine::connect().await?;
    let version = engine.version().await?;
    Ok(if request.image.is_some() {
        Arc::new(Image::open(engine, version, name, request).await?)
    } else {
        Arc::new(Guest::open(engine, version, name).await?)
    })
}

/// Tries whether an engine answers, for `doctor`.
pub(crate) async fn probe() -> SandboxProbe {
    let (version, tried) = match version().await {
        Ok(version) => (Some(version), Ok(())),
        Err(error) => (None, Err(error)),
    };
    SandboxProbe::new(SandboxKind::Docker, version, Vec::new(), tried)
}

async fn version() -> Result<String, SandboxError> {
    Engine::connect().await?.version().await
}

/// Removes containers that nobody owns any more. Without an engine there are none.
pub(crate) async fn sweep(dry_run: bool) -> Result<Vec<String>, SandboxError> {
    match Engine::connect().await {
        Ok(engine) => engine.sweep(dry_run).await,
        Err(SandboxError::Unavailable { .. }) => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// Does its work when it is dropped, unless the work was taken out before.
struct OnDrop<F: FnOnce()>(Option<F>);

impl<F: FnOnce()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        if let Some(work) = self.0.take() {
            work();
        }
    }
}
