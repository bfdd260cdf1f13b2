//! The tests of a project as runners of ours run them.

use patchwright_detection::ProjectSpec;
use patchwright_detection::adapters::{self, Adapter, ObservedJava};

/// The tests of a project as runners of ours run them.
pub struct InstrumentedTests {
    /// The project with commands that call our runners.
    pub spec: ProjectSpec,
    /// The observed commands of the project, where they are not ours.
    pub(crate) seen: Option<ObservedJava>,
}

impl InstrumentedTests {
    /// The needs of these commands.
    pub fn adapter(&self) -> &dyn Adapter {
        match &self.seen {
            Some(seen) => seen,
            None => adapters::of(self.spec.kind),
        }
    }

    /// A program of the Java that runs the tests, as a word of a shell.
    pub fn java_tool(&self, name: &str) -> String {
        self.seen.as_ref().map_or_else(|| name.to_owned(), |seen| seen.program(name))
    }

    /// The command that starts a worker, or why there is none.
    pub fn worker(&self) -> Result<String, &'static str> {
        self.adapter().worker_command(&self.spec)
    }
}
