//! Errors around a command. None of these is a fact about the command itself: they are for the
//! user or the infrastructure, never for a model.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use patchwright_protocol::{Actionable, Actor, Failure};

use crate::kind::SandboxKind;

/// A command could not be run as asked, or a sandbox could not be had.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// No sandbox of the wanted kind works here. For the user, who must install or allow something.
    #[error("the sandbox `{wanted}` does not work here: {reason}\nhint: {cure}")]
    Unavailable {
        /// The sandbox that was asked for: `auto` or a kind.
        wanted: String,
        /// The reason.
        reason: String,
        /// The thing to install, allow or give.
        cure: String,
    },
    /// The request contradicts itself. For the user.
    #[error("{reason}\nhint: {cure}")]
    Request {
        /// The contradiction.
        reason: String,
        /// The options to give instead.
        cure: String,
    },
    /// The image is not on this machine. For the user.
    #[error("there is no image `{image}` on this machine\nhint: docker pull {image}")]
    NoImage {
        /// The name that was looked for.
        image: String,
    },
    /// No registry gives the image. For the user, or a fault of the data that names it.
    #[error(
        "there is no image `{image}` to be pulled: {reason}\nhint: check the name, or log in where it is private (docker login)"
    )]
    NoSuchImage {
        /// The name that was asked for.
        image: String,
        /// The engine's words.
        reason: String,
    },
    /// The image could not be pulled now. Infrastructure.
    #[error("the image `{image}` could not be pulled: {reason}\nhint: {cure}")]
    Pull {
        /// The name that was asked for.
        image: String,
        /// The engine's words.
        reason: String,
        /// The remedy.
        cure: String,
    },
    /// The container named by the user does not exist or does not run. For the user.
    #[error("the container `{container}` {reason}\nhint: `docker ps` lists the running ones")]
    NoContainer {
        /// The name or id that was looked for.
        container: String,
        /// The fault.
        reason: String,
    },
    /// The command cannot be run by any sandbox. A defect of the caller.
    #[error("this command cannot be run: {reason}")]
    Command {
        /// The fault.
        reason: String,
    },
    /// The lane cannot be shown inside the sandbox.
    #[error("the lane {lane:?} cannot be used: {reason}")]
    Lane {
        /// The lane.
        lane: PathBuf,
        /// The fault.
        reason: String,
    },
    /// The files that a command left cannot be taken back from the sandbox: it is too much, or too deep. The command's own doing.
    #[error("what the command left in `{output}` cannot be taken back: {reason}")]
    Left {
        /// The file or folder, relative to the lane.
        output: String,
        /// The fault.
        reason: String,
    },
    /// The sandbox could not start the command, or lost it. Infrastructure: trying again may help.
    #[error("the {kind} sandbox failed: {reason}")]
    Failed {
        /// Which kind of sandbox.
        kind: SandboxKind,
        /// The cause.
        reason: String,
    },
    /// The container engine did not do what it was asked. Infrastructure.
    #[error("the container engine failed while {doing}: {reason}")]
    Engine {
        /// The operation, as a verb.
        doing: String,
        /// The engine's words.
        reason: String,
    },
    /// A thread was lost. A defect of ours.
    #[error(transparent)]
    Defect(#[from] Failure),
    /// The sandbox was closed before.
    #[error("the sandbox is closed")]
    Closed,
}

impl SandboxError {
    pub(crate) fn unavailable(
        wanted: impl Display,
        reason: impl Into<String>,
        cure: impl Into<String>,
    ) -> Self {
        Self::Unavailable { wanted: wanted.to_string(), reason: reason.into(), cure: cure.into() }
    }

    pub(crate) fn request(reason: impl Into<String>, cure: impl Into<String>) -> Self {
        Self::Request { reason: reason.into(), cure: cure.into() }
    }

    pub(crate) fn lane(lane: &Path, reason: impl Display) -> Self {
        Self::Lane { lane: lane.to_owned(), reason: reason.to_string() }
    }

    pub(crate) fn failed(kind: impl Into<SandboxKind>, reason: impl Display) -> Self {
        Self::Failed { kind: kind.into(), reason: reason.to_string() }
    }

    pub(crate) fn engine(doing: impl Into<String>, reason: impl Display) -> Self {
        Self::Engine { doing: doing.into(), reason: reason.to_string() }
    }
}

impl Actionable for SandboxError {
    fn actor(&self) -> Actor {
        match self {
            Self::Request { .. } | Self::NoContainer { .. } => Actor::User,
            Self::Unavailable { .. }
            | Self::NoImage { .. }
            | Self::NoSuchImage { .. }
            | Self::Pull { .. }
            | Self::Lane { .. }
            | Self::Left { .. }
            | Self::Failed { .. }
            | Self::Engine { .. } => Actor::Environment,
            Self::Command { .. } | Self::Closed | Self::Defect(_) => Actor::Defect,
        }
    }
}

/// A path as the tools that show it in a sandbox take it.
pub(crate) fn utf8(path: &Path) -> Result<&str, SandboxError> {
    path.to_str().ok_or_else(|| SandboxError::lane(path, "its path is not UTF-8"))
}
