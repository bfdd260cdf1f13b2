//! The needs of a test tool around its commands, which its adapter knows.

use std::collections::BTreeMap;

use patchwright_folder::Folder;
use patchwright_lanes::{Lane, LaneError, LanePaths, Tools};
use patchwright_protocol::{ResultsFormat, TestId, Unconfirmable};

use super::ProjectSpec;
use crate::shell::shell_words;

/// A test tool as anybody calls it: nothing of ours is in its process.
pub struct Alone {
    /// The project, with the commands of the tool alone and the format of the outcomes that it tells.
    pub spec: ProjectSpec,
    /// The needs of these commands.
    pub adapter: &'static dyn Adapter,
}

/// The tests that the project's own tool is to run.
#[derive(Clone, Copy)]
pub struct WantedTests<'t> {
    /// The tests that were run before any change.
    pub known: &'t [TestId],
    /// Those that are left out.
    pub left_out: &'t [TestId],
    /// Whether these are only some of the project's tests. The others must not run.
    pub is_part: bool,
}

/// How the project's own test tool is run without anything of ours.
pub enum OwnTool {
    /// As always: nothing of ours runs with it anyway.
    AsAlways,
    /// By commands of its own.
    Alone(Box<Alone>),
    /// It cannot be run so, or cannot tell outcomes that are worth anything.
    Cannot(Unconfirmable),
}

impl OwnTool {
    /// The tool with these commands; `test_one` runs some tests.
    pub fn alone(
        spec: &ProjectSpec,
        adapter: &'static dyn Adapter,
        (test, test_one): (String, Option<String>),
        results: ResultsFormat,
    ) -> Self {
        Self::Alone(Box::new(Alone {
            spec: ProjectSpec { test: test.into(), test_one, results, ..spec.clone() },
            adapter,
        }))
    }
}

/// The things that the commands of a lane depend on.
pub struct CommandContext<'a> {
    /// The project.
    pub spec: &'a ProjectSpec,
    /// Where the lane is seen from inside.
    pub lane: LanePaths,
    /// The project before any change.
    pub pristine: &'a Folder,
}

/// The knowledge of one test tool.
pub trait Adapter: Send + Sync {
    /// Files that are put into the folder `tools` of each lane.
    fn tools(&self) -> Tools {
        Tools::new()
    }

    /// A command that compiles what is in `tools`, into its folder [`RUNNER_CLASSES`](crate::adapters::RUNNER_CLASSES). Run once for a test harness.
    fn compile_tools(&self) -> Option<String> {
        None
    }

    /// Variables for the commands.
    fn environment(&self, _context: &CommandContext<'_>) -> BTreeMap<String, String> {
        BTreeMap::new()
    }

    /// The command so that nothing which a candidate adds stands in the way of the test tool's own modules; puts what that needs among
    /// its variables.
    fn guard(
        &self,
        line: &str,
        _context: &CommandContext<'_>,
        _environment: &mut BTreeMap<String, String>,
    ) -> String {
        line.to_owned()
    }

    /// Writes what the commands read into the folder `out` of a lane on the host.
    fn prepare(&self, _spec: &ProjectSpec, _lane: &Lane) -> Result<(), LaneError> {
        Ok(())
    }

    /// The command that starts a worker which judges one candidate after the other, or why there is none.
    fn worker_command(&self, _spec: &ProjectSpec) -> Result<String, &'static str> {
        Err("there is no warm worker for this kind of project")
    }

    /// Writes what a worker reads when it starts into the folder `out` of a lane.
    fn prepare_worker(&self, _context: &CommandContext<'_>, _lane: &Lane) -> Result<(), LaneError> {
        Ok(())
    }

    /// Is true if a worker fills the folder [`CLASSES`](crate::adapters::CLASSES) of `out` when it starts, with the same for each lane.
    fn compiles(&self) -> bool {
        false
    }

    /// The test tool alone.
    fn own_tool(&self, _spec: &ProjectSpec, _pristine: &Folder, _tests: WantedTests<'_>) -> OwnTool {
        OwnTool::AsAlways
    }

    /// The text that stands for `{tests}`: the names as words of a shell, unless the tool wants them otherwise.
    fn names(&self, _spec: &ProjectSpec, tests: &[TestId]) -> String {
        shell_words(tests)
    }

    /// Is true if tests named by `PATCHWRIGHT_SKIP` are left out of a whole run.
    fn can_skip(&self) -> bool {
        false
    }

    /// Is true if the command that tests compiles first, so that its output tells of a build that failed.
    fn test_builds(&self) -> bool {
        false
    }
}
