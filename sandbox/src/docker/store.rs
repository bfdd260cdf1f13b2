//! The images on this machine: looking, pulling, removing.

use std::path::PathBuf;
use std::time::Duration;

use bollard::errors::Error;
use bollard::models::CreateImageInfo;
use bollard::query_parameters::{CreateImageOptionsBuilder, RemoveImageOptionsBuilder};
use futures_util::StreamExt;

use super::engine::{Engine, failed};
use crate::error::SandboxError;

/// The longest silence of a pull: the engine tells its progress several times a second.
const SILENCE: Duration = Duration::from_mins(5);

/// The images of the container engine.
#[derive(Clone, Debug)]
pub struct Images {
    engine: Engine,
}

/// An image on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalImage {
    /// The digest of its content: the same name may mean another image tomorrow.
    pub id: String,
    /// Bytes that it takes, with the layers that it shares with others.
    pub bytes: u64,
}

impl Images {
    /// The images of the engine that answers.
    ///
    /// # Errors
    /// None does.
    pub async fn connect() -> Result<Self, SandboxError> {
        Ok(Self { engine: Engine::connect().await? })
    }

    /// The folder in which the engine keeps its images, where it tells.
    ///
    /// # Errors
    /// The engine does not answer.
    pub async fn folder(&self) -> Result<Option<PathBuf>, SandboxError> {
        let info = self.engine.client().info().await.map_err(failed("asking its settings"))?;
        Ok(info.docker_root_dir.map(PathBuf::from))
    }

    /// The image of this name, if it is on this machine.
    ///
    /// # Errors
    /// The engine does not answer.
    pub async fn find(&self, name: &str) -> Result<Option<LocalImage>, SandboxError> {
        match self.engine.client().inspect_image(name).await {
            Ok(found) => Ok(Some(LocalImage {
                id: found.id.unwrap_or_default(),
                bytes: found.size.and_then(|bytes| u64::try_from(bytes).ok()).unwrap_or_default(),
            })),
            Err(Error::DockerResponseServerError { status_code: 404, .. }) => Ok(None),
            // What cannot be the name of an image.
            Err(Error::DockerResponseServerError { status_code: 400, message }) => {
                Err(SandboxError::NoSuchImage { image: name.to_owned(), reason: message })
            }
            Err(error) => Err(failed("looking at the image")(error)),
        }
    }

    /// Pulls an image, for a platform such as `linux/amd64` or for this machine's own. Dropping the future ends the pull.
    ///
    /// # Errors
    /// [`SandboxError::NoSuchImage`] where the registry has none of this name, or none that may be had without a login;
    /// [`SandboxError::Pull`] where it may work later: no network, too many pulls, no room.
    pub async fn pull(&self, name: &str, platform: Option<&str>) -> Result<(), SandboxError> {
        let (image, tag) = name_and_tag(name);
        let mut options = CreateImageOptionsBuilder::default().from_image(image);
        if let Some(tag) = tag {
            options = options.tag(tag);
        }
        if let Some(platform) = platform {
            options = options.platform(platform);
        }
        let mut pull = self.engine.client().create_image(Some(options.build()), None, None);
        loop {
            let Ok(step) = tokio::time::timeout(SILENCE, pull.next()).await else {
                return Err(refused(name, &format!("nothing was heard for {} s", SILENCE.as_secs())));
            };
            let said = match step {
                None => return Ok(()),
                Some(step) => said(step),
            };
            if let Some(said) = said {
                return Err(refused(name, &said));
            }
        }
    }

    /// Removes an image, and tells whether it is gone: one that a container uses stays. One that was not there is gone.
    ///
    /// # Errors
    /// The engine does not answer.
    pub async fn remove(&self, name: &str) -> Result<bool, SandboxError> {
        let options = RemoveImageOptionsBuilder::default().build();
        match self.engine.client().remove_image(name, Some(options), None).await {
            Ok(_) | Err(Error::DockerResponseServerError { status_code: 404, .. }) => Ok(true),
            Err(Error::DockerResponseServerError { status_code: 409, .. }) => Ok(false),
            Err(error) => Err(failed("removing an image")(error)),
        }
    }
}

/// The complaint of a step of a pull, if it has one.
fn said(step: Result<CreateImageInfo, Error>) -> Option<String> {
    match step {
        Ok(step) => step.error_detail.and_then(|error| error.message),
        Err(Error::DockerResponseServerError { message, .. }) => Some(message),
        Err(Error::DockerStreamError { error }) => Some(error),
        Err(error) => Some(error.to_string()),
    }
}

/// A name without its tag, and the tag: without one the engine would pull every image of that name. A digest is part
/// of the name.
fn name_and_tag(name: &str) -> (&str, Option<&str>) {
    if name.contains('@') {
        return (name, None);
    }
    match name.rsplit_once(':') {
        // A port of the registry is no tag.
        Some((image, tag)) if !tag.contains('/') => (image, Some(tag)),
        Some(_) | None => (name, Some("latest")),
    }
}

/// The error that a refused pull is.
fn refused(image: &str, said: &str) -> SandboxError {
    let lower = said.to_lowercase();
    let any = |signs: &[&str]| signs.iter().any(|sign| lower.contains(sign));
    let image = image.to_owned();
    if any(&["toomanyrequests", "too many requests", "rate limit", "429"]) {
        let cure = "wait, log in (docker login), or take a mirror; --pulls 1 asks less at once".to_owned();
        return SandboxError::Pull { image, reason: said.trim().to_owned(), cure };
    }
    if any(&[
        "manifest unknown",
        "not found",
        "does not exist",
        "pull access denied",
        "unauthorized",
        "denied:",
    ]) {
        return SandboxError::NoSuchImage { image, reason: said.trim().to_owned() };
    }
    let cure = if lower.contains("no space") {
        "make room where the engine keeps its images".to_owned()
    } else {
        "see that the registry can be reached from the engine; it may work later".to_owned()
    };
    SandboxError::Pull { image, reason: said.trim().to_owned(), cure }
}

#[cfg(test)]
#[allow(clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_at_their_tag() {
        for (name, expect) in [
            ("shop", ("shop", Some("latest"))),
            ("shop:2", ("shop", Some("2"))),
            ("localhost:5000/shop", ("localhost:5000/shop", Some("latest"))),
            ("localhost:5000/shop:2", ("localhost:5000/shop", Some("2"))),
            ("shop@sha256:ab", ("shop@sha256:ab", None)),
        ] {
            assert_eq!(name_and_tag(name), expect, "{name}");
        }
    }

    #[test]
    fn a_refusal_tells_whether_waiting_helps() {
        for (said, passing) in [
            ("toomanyrequests: You have reached your pull rate limit.", true),
            ("received unexpected HTTP status: 429 Too Many Requests", true),
            ("dial tcp 1.2.3.4:443: i/o timeout", true),
            ("write /var/lib/x: no space left on device", true),
            ("manifest for swebench/x:latest not found: manifest unknown: manifest unknown", false),
            (
                "pull access denied for nobody/x, repository does not exist or may require 'docker login'",
                false,
            ),
        ] {
            let passes = match refused("x", said) {
                SandboxError::Pull { .. } => true,
                SandboxError::NoSuchImage { .. } => false,
                other => panic!("{other}"),
            };
            assert_eq!(passes, passing, "{said}");
        }
    }
}
