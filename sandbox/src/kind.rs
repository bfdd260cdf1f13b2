//! The kinds of sandboxes.

use std::fmt;

/// The mechanism that isolates a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SandboxKind {
    /// A container of Docker's or Podman's.
    Docker,
    /// Linux namespaces together with Landlock.
    Namespaces,
    /// Landlock alone: what remains where the kernel forbids user namespaces.
    Landlock,
    /// Nothing isolates; limits are kept and nothing keeps running.
    Host,
}

impl SandboxKind {
    /// The name in options and output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Docker => "docker",
            Self::Namespaces => "namespaces",
            Self::Landlock => "landlock",
            Self::Host => "host",
        }
    }
}

impl fmt::Display for SandboxKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
