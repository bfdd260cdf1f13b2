//! What trying a kind of sandbox tells.

use crate::error::SandboxError;
use crate::kind::SandboxKind;

/// The result of probing one kind of sandbox, for `doctor`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxProbe {
    /// The kind.
    pub kind: SandboxKind,
    /// A command was run in it just now.
    pub works: bool,
    /// Version of the engine, or level of the kernel's interface.
    pub version: Option<String>,
    /// The parts that do not work, or are weaker than they should be.
    pub missing: Vec<String>,
    /// The remedy.
    pub cure: Option<String>,
}

impl SandboxProbe {
    /// The result of trying a kind of sandbox that is known to be weaker than it should be in some ways.
    pub(crate) fn new(
        kind: SandboxKind,
        version: Option<String>,
        weaknesses: Vec<String>,
        tried: Result<(), SandboxError>,
    ) -> Self {
        let (works, reason, cure) = match tried {
            Ok(()) => (true, None, None),
            Err(SandboxError::Unavailable { reason, cure, .. }) => (false, Some(reason), Some(cure)),
            Err(other) => (false, Some(other.to_string()), None),
        };
        Self { kind, works, version, missing: reason.into_iter().chain(weaknesses).collect(), cure }
    }
}
