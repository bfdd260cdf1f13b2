//! Containers of Docker's or Podman's.

use crate::choose::{Probe, Request};
use crate::error::SandboxError;
use crate::local::Local;
use crate::sandbox::Kind;

/// A sandbox in containers.
pub(crate) type Docker = Local;

impl Docker {
    pub(crate) async fn open(_request: &Request) -> Result<Self, SandboxError> {
        Err(unsupported())
    }
}

fn unsupported() -> SandboxError {
    SandboxError::Unavailable {
        wanted: Kind::Docker.to_string(),
        reason: "containers are not supported yet".to_owned(),
        cure: "give --sandbox namespaces".to_owned(),
    }
}

pub(crate) async fn probe() -> Probe {
    Probe { kind: Kind::Docker, works: false, version: None, missing: vec![], cure: None }
}

pub(crate) async fn sweep(_dry_run: bool) -> Result<Vec<String>, SandboxError> {
    Ok(vec![])
}
