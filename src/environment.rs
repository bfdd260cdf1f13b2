//! The environment of everything that runs tests: a sandbox, a folder for lanes, and the ways to build and test the project.

use std::sync::Arc;

use patchwright_detection::{
    DetectError, DetectedProject, HostEnvironments, SandboxToolchain, refuse_original,
};
use patchwright_folder::Folder;
use patchwright_lanes::Activity;
use patchwright_protocol::{Failure, Overrides, TestCommand};
use patchwright_sandbox::{ChosenSandbox, Sandbox, SandboxKind};
use patchwright_trajectory::{Event, Log};
use patchwright_validation::{RecordedTiming, TestHarness, TestHarnessError, TestTimes};
use patchwright_warm_workers::PersistentWorkers;

use crate::lanes::Lanes;
use crate::model::cache_folder;
use crate::plan::Plan;

/// The environment of everything that runs tests.
pub struct Environment {
    /// Where commands run.
    pub chosen: ChosenSandbox,
    /// The ways to build and test the project.
    pub detected: DetectedProject,
    lanes: Lanes,
}

impl Environment {
    /// Chooses the sandbox for a session of this name and detects how the project is tested.
    pub async fn find(plan: &Plan, session: &str) -> Result<Self, Failure> {
        let overrides = plan.overrides()?;
        // An image has environments of its own, and does not see those of the host.
        let host = if plan.wants_containers() {
            HostEnvironments::default()
        } else {
            HostEnvironments::find(&plan.bug.dir, plan.trusted_test.as_deref()).await?
        };
        let request = plan.sandbox(session, &host.readable);
        let chosen = patchwright_sandbox::choose(&request).await?;
        let found = async {
            let lanes = Lanes::create(chosen.sandbox.as_ref())?;
            let toolchain = SandboxToolchain::new(Arc::clone(&chosen.sandbox), lanes.path())
                .with_env(overrides.env.clone().unwrap_or_default())
                .with_maven_repository(host.maven_repository.clone());
            let detected = detect(plan, overrides, &host, &toolchain).await?;
            if matches!(chosen.sandbox.kind(), SandboxKind::Landlock | SandboxKind::Host) {
                let (root, spec) = (plan.bug.dir.clone(), detected.spec.clone());
                patchwright_blocking::spawn(move |_| refuse_original(&root, &spec)).await??;
            }
            Ok((lanes, detected))
        }
        .await;
        match found {
            Ok((lanes, detected)) => Ok(Self { chosen, detected, lanes }),
            Err(failure) => {
                close(chosen.sandbox.as_ref()).await;
                Err(failure)
            }
        }
    }

    /// Copies the project and makes lanes for it.
    pub async fn open(&self, plan: &Plan, activity: &Activity) -> Result<TestHarness, TestHarnessError> {
        let spec = self.detected.spec.clone();
        let hidden = plan.options.project.hidden();
        let sandbox = Arc::clone(&self.chosen.sandbox);
        let (lanes, activity) = (plan.lanes(), activity.clone());
        let harness =
            TestHarness::open(spec, &plan.bug.dir, &hidden, sandbox, self.lanes.path(), lanes, activity)
                .await?;
        let harness = harness.with_workers(Box::new(PersistentWorkers::default()));
        let harness = harness.with_bug(plan.bug.input.issue.clone().unwrap_or_default());
        let harness = match plan.recorded() {
            None => harness.with_times(self.times(plan)),
            Some(_) => harness,
        };
        Ok(harness.with_recorded(plan.recorded().and_then(recorded_timing)))
    }

    /// What the tests took in earlier sessions. Where nothing can be kept, nothing is known.
    fn times(&self, plan: &Plan) -> TestTimes {
        let folder = cache_folder().map(|cache| cache.join("test-times")).and_then(|path| {
            crate::files::create_folder(&path).ok()?;
            Folder::open(&path).ok()
        });
        folder.map_or_else(TestTimes::default, |folder| {
            TestTimes::of(folder, &plan.bug.dir, self.detected.spec.test.line())
        })
    }

    /// Closes the sandbox and removes the folder for lanes.
    pub async fn leave(self) {
        close(self.chosen.sandbox.as_ref()).await;
    }
}

/// What a recorded session decided by the time that its tests took.
fn recorded_timing(log: &Log) -> Option<RecordedTiming> {
    let mut is_asked = false;
    log.records.iter().find_map(|record| match &record.event {
        Event::Prompt { .. } => {
            is_asked = true;
            None
        }
        Event::Baseline { nearest, all_tests, suite_seconds, traced, .. } => Some(RecordedTiming {
            suite_seconds: suite_seconds.filter(|_| nearest.is_empty()),
            traced: traced.clone(),
            // Of later ones the loop itself says when they are run.
            ended: if is_asked { Vec::new() } else { nearest.clone() },
            all_tests: *all_tests,
        }),
        _ => None,
    })
}

/// How the reason begins for which none of a project's tests are run.
pub const UNTESTED: &str = "none of its tests are run: ";

/// Finds out how the project is tested. Where an issue tells of the bug, a project without tests has none to run.
async fn detect(
    plan: &Plan,
    overrides: Overrides,
    host: &HostEnvironments,
    toolchain: &SandboxToolchain,
) -> Result<DetectedProject, Failure> {
    match patchwright_detection::detect(&plan.bug.dir, &overrides, host, toolchain).await {
        Err(error) if plan.needs_no_failing_test() && is_about_tests(&error) => {
            let none = Overrides { test: Some(TestCommand::None), ..overrides };
            let mut detected = patchwright_detection::detect(&plan.bug.dir, &none, host, toolchain).await?;
            let why = match error {
                DetectError::NoTests { .. } => "no tests were found, so none are run".to_owned(),
                error => format!("{UNTESTED}{}", error.to_string().lines().next().unwrap_or_default()),
            };
            detected.reasons = vec![why];
            Ok(detected)
        }
        detected => Ok(detected?),
    }
}

/// Is true if it is only not known how the project is tested.
fn is_about_tests(error: &DetectError) -> bool {
    match error {
        DetectError::NoTests { .. } | DetectError::NotSupported { .. } | DetectError::MissingTool { .. } => {
            true
        }
        DetectError::Project(_)
        | DetectError::Sandbox(_)
        | DetectError::Given { .. }
        | DetectError::Elsewhere { .. }
        | DetectError::Defect(_) => false,
    }
}

/// Removes what a sandbox holds.
pub async fn close(sandbox: &dyn Sandbox) {
    if let Err(error) = sandbox.close().await {
        tracing::warn!("the sandbox could not be cleaned up: {error}");
    }
}

/// Removes the lanes.
pub async fn close_harness(harness: TestHarness) {
    if let Err(error) = harness.close().await {
        tracing::warn!("lanes could not be removed: {error}");
    }
}
