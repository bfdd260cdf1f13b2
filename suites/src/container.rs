//! Containers in which cases are prepared and graded.

use patchwright_protocol::Failure;
use patchwright_sandbox::{RequestedSandbox, Sandbox, SandboxError, SandboxRequest, SandboxSetup};

/// A container as the image's makers meant it: their scripts install and write where they like.
pub fn native(image: &str, session: &str) -> SandboxRequest {
    SandboxRequest {
        wanted: RequestedSandbox::Docker,
        image: Some(image.to_owned()),
        session: session.to_owned(),
        setup: SandboxSetup { native: true, lane_at: None },
        ..SandboxRequest::default()
    }
}

/// Removes a container. One that cannot be removed now is found by a later start.
pub async fn close(sandbox: &dyn Sandbox) {
    if let Err(error) = sandbox.close().await {
        tracing::warn!("a container is left behind: {error}");
    }
}

/// Is true if what stands in the way may be gone later.
pub fn passes(error: &SandboxError) -> bool {
    match error {
        SandboxError::Unavailable { .. }
        | SandboxError::Pull { .. }
        // It was here, and somebody has removed it.
        | SandboxError::NoImage { .. }
        | SandboxError::Failed { .. }
        | SandboxError::Engine { .. } => true,
        SandboxError::Request { .. }
        | SandboxError::NoSuchImage { .. }
        | SandboxError::NoContainer { .. }
        | SandboxError::Command { .. }
        | SandboxError::Lane { .. }
        | SandboxError::Left { .. }
        | SandboxError::Defect(_)
        | SandboxError::Closed => false,
    }
}

/// The reason why a case cannot be prepared, where its container is at fault.
pub fn unprepared(error: &SandboxError) -> Failure {
    if passes(error) { Failure::environment(error) } else { Failure::case(error) }
}
