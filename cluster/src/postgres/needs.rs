//! What runs need, and what workers have.

/// What a worker must have to carry a run out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Whether sessions run in container images.
    pub containers: bool,
    /// The architecture of those images, as Rust names it: `x86_64`.
    pub architecture: Option<String>,
    /// The memory of one session, in MiB.
    pub memory_mib: Option<u64>,
}

/// What a worker has.
#[derive(Clone, Debug)]
pub struct Worker {
    /// A UUID of its own.
    pub id: String,
    /// Whether it can run containers.
    pub containers: bool,
    /// The memory for each of its lanes, in MiB.
    pub memory_mib: u64,
}

impl Needs {
    /// What a worker lacks of it.
    pub(super) fn lacking(&self, worker: &Worker) -> Option<String> {
        if self.containers && !worker.containers {
            return Some(
                "its sessions run in container images, and there is no container engine here".to_owned(),
            );
        }
        let here = std::env::consts::ARCH;
        if let Some(wanted) = self.architecture.as_ref().filter(|wanted| *wanted != here) {
            return Some(format!("its images are for {wanted}, and this machine is {here}"));
        }
        let wanted = self.memory_mib.filter(|wanted| *wanted > worker.memory_mib)?;
        Some(format!("a session needs {wanted} MiB of memory, and a lane has {} here", worker.memory_mib))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_lacks_what_a_run_needs() {
        let worker = Worker { id: String::new(), containers: false, memory_mib: 1_000 };
        let lacking = |needs: Needs| needs.lacking(&worker).unwrap_or_default();
        assert_eq!(lacking(Needs { memory_mib: Some(1_000), ..Needs::default() }), "");
        assert_eq!(
            lacking(Needs { memory_mib: Some(1_001), ..Needs::default() }),
            "a session needs 1001 MiB of memory, and a lane has 1000 here"
        );
        assert!(lacking(Needs { containers: true, ..Needs::default() }).contains("container engine"));
        assert!(lacking(Needs { architecture: Some("s390x".into()), ..Needs::default() }).contains("s390x"));
    }
}
