//! Interception of the command that runs a project's Java tests: an agent of ours in every Java process that the command starts
//! tells of the first that is about to run tests, and ends it. Only this one run is disturbed, and nothing counts that it says.

use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use patchwright_detection::ProjectSpec;
use patchwright_detection::adapters::{Adapter, ObservedJava};
use patchwright_lanes::{Lane, LaneError, MOST_BYTES, MOST_ENTRIES};

use super::InterceptionError;
use super::observed::{self, ObservedRun};
use crate::baseline::Baseline;
use crate::error::TestHarnessError;
use crate::execution::{ALL, Execution};
use crate::harness::{TOOLS_TIME, TestHarness};

/// The agent, in the folder `tools`.
const SOURCE: &str = "spy/PatchwrightSpy.java";
/// Makes a jar of the agent, for whatever Java the project uses.
const COMPILE: &str = concat!(
    "cd \"$PATCHWRIGHT_TOOLS/spy\" && mkdir -p classes && ",
    "{ javac -J-XX:TieredStopAtLevel=1 -nowarn --release 8 -d classes PatchwrightSpy.java 2>/dev/null || javac -J-XX:TieredStopAtLevel=1 -nowarn -d classes PatchwrightSpy.java; } && ",
    "printf 'Premain-Class: PatchwrightSpy\\n' > manifest && jar cfm spy.jar manifest -C classes ."
);
/// The text before the command that is looked at.
const WATCH: &str = concat!(
    "export PATCHWRIGHT_SEEN=\"$PATCHWRIGHT_OUT/seen\" ",
    "JAVA_TOOL_OPTIONS=\"-javaagent:$PATCHWRIGHT_TOOLS/spy/spy.jar=$PWD${JAVA_TOOL_OPTIONS:+ $JAVA_TOOL_OPTIONS}\"; "
);
/// The time that looking may take longer than the tests, at most.
const START: Duration = Duration::from_secs(30);

impl TestHarness {
    /// The commands by which runners of ours run the tests that the project's own command runs in Java.
    pub(super) async fn intercept_java(
        &self,
        baseline: &Baseline,
    ) -> Result<(ProjectSpec, ObservedJava), InterceptionError> {
        let lease = self.lanes.take().await?;
        let looked = self.run_with_agent(lease.lane(), baseline).await;
        if !matches!(looked, Err(InterceptionError::TestHarness(_))) {
            lease.give_back();
        }
        let (spec, seen) = looked?
            .instrumented(self.spec(), self.lanes.pristine(), baseline)
            .map_err(InterceptionError::Unsupported)?;
        self.lanes.add_tools(seen.tools());
        let execution = Execution { spec: &spec, adapter: &seen, ..self.execution(TOOLS_TIME) };
        match self.compile(execution).await {
            Ok(()) => Ok((spec, seen)),
            Err(TestHarnessError::Runner { log }) => Err(InterceptionError::Unsupported(format!(
                "our runner does not compile with what the tests are run with: {log}"
            ))),
            Err(error) => Err(error.into()),
        }
    }

    /// Runs the project's command with the agent, in a lane, and reads what that told.
    async fn run_with_agent(
        &self,
        lane: &Lane,
        baseline: &Baseline,
    ) -> Result<ObservedRun, InterceptionError> {
        let agent = include_bytes!("../../runners/PatchwrightSpy.java");
        lane.tools()?.write(SOURCE, agent).map_err(LaneError::from)?;
        let made = self.execution(TOOLS_TIME).command(lane, COMPILE, &[]).await?;
        if !made.exit.success() {
            let why = "there is no JDK to look with at how the tests are run";
            return Err(InterceptionError::Unsupported(why.to_owned()));
        }
        let spec =
            ProjectSpec { test: format!("{WATCH}{}", self.spec().test.line()).into(), ..self.spec().clone() };
        let seconds = Duration::from_secs_f64(baseline.report.seconds.max(0.0));
        let limit = (seconds + START).min(self.spec().timeout);
        Execution { spec: &spec, ..self.execution(limit) }.run(lane, ALL, None, false).await?;
        let told = agent_records(lane)?;
        let inside = self.execution(limit).inside(lane);
        observed::read(&told, lane, inside.root(), self.lanes.pristine())
    }
}

/// The records of the agent, one of each process.
fn agent_records(lane: &Lane) -> Result<Vec<Vec<u8>>, LaneError> {
    let folder = match lane.out()?.below("seen") {
        Err(error) if error.is_not_found() => return Ok(Vec::new()),
        folder => folder?,
    };
    let names = folder.list(MOST_ENTRIES)?.into_iter().map(|(name, _)| name);
    let told = names.filter(|name| Path::new(name).extension() == Some(OsStr::new("seen")));
    Ok(told.map(|name| folder.read(name, MOST_BYTES)).collect::<Result<_, _>>()?)
}
