//! The sandbox that is asked for.

use std::path::PathBuf;
use std::str::FromStr;

/// The sandbox that a user asks for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RequestedSandbox {
    /// The best that works: Docker where an image or container is named, else namespaces, else Landlock.
    /// Never the bare host.
    #[default]
    Auto,
    /// A container.
    Docker,
    /// Namespaces, or what remains of them.
    Namespaces,
    /// Landlock alone, also where namespaces would work.
    Landlock,
    /// The bare host.
    Host,
}

impl FromStr for RequestedSandbox {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            "docker" => Ok(Self::Docker),
            "namespaces" => Ok(Self::Namespaces),
            "landlock" => Ok(Self::Landlock),
            "host" => Ok(Self::Host),
            other => Err(format!(
                "no sandbox is called {other:?}: give auto, docker, namespaces, landlock or host"
            )),
        }
    }
}

/// The request for a sandbox.
#[derive(Debug, Clone, Default)]
pub struct SandboxRequest {
    /// Which sandbox.
    pub wanted: RequestedSandbox,
    /// The container image to run in.
    pub image: Option<String>,
    /// A running container of the user's to run in. It is never stopped.
    pub container: Option<String>,
    /// Further paths of the host to show read-only, where the host's tool chain is used.
    pub readable: Vec<PathBuf>,
    /// The project that lanes are copies of, where the host's tool chain is used.
    pub project: Option<ProjectPlace>,
    /// The session's name, with which containers are labelled.
    pub session: String,
    /// The setup of containers made from the image.
    pub setup: SandboxSetup,
}

/// The folder of a project on the host, at whose place commands in a namespace of mounts see their lane: what was installed from the
/// folder is found there, also by a program that a test starts with an environment of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectPlace {
    /// Its absolute path without links.
    pub at: PathBuf,
    /// The folder of a lane that holds the copy.
    pub in_lane: &'static str,
}

/// The setup of containers made from an image.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SandboxSetup {
    /// Where lanes are seen inside, as an absolute path; `/lane` where nothing is said. What the image has there is
    /// covered. A project that was installed from its folder wants to be seen there.
    pub lane_at: Option<PathBuf>,
    /// Commands find the container much as the image's makers meant it: as root, with root's home and the engine's usual
    /// capabilities, and what one command leaves behind is there for the next. Such a container is still apart from this
    /// machine, without a network unless a command asks for it, gains no privileges, leaves this program a processor, and
    /// has limits of memory, processes and open files.
    pub native: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_sandboxes() {
        for (text, expect) in [
            ("auto", Some(RequestedSandbox::Auto)),
            ("docker", Some(RequestedSandbox::Docker)),
            ("namespaces", Some(RequestedSandbox::Namespaces)),
            ("landlock", Some(RequestedSandbox::Landlock)),
            ("host", Some(RequestedSandbox::Host)),
            ("Docker", None),
            ("", None),
        ] {
            assert_eq!(text.parse().ok(), expect, "{text:?}");
        }
    }
}
