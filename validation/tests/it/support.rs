//! A project in a temporary folder, with a test harness for it.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use patchwright_detection::{DetectedProject, HostEnvironments, SandboxToolchain, detect};
use patchwright_edits::{Applied, FileChange};
use patchwright_lanes::Activity;
use patchwright_protocol::Overrides;
use patchwright_sandbox::{RequestedSandbox, Sandbox, SandboxRequest, choose};
use patchwright_syntax::ProjectPath;
use patchwright_test_results::TestReport;
use patchwright_validation::{Optimizations, TestHarness, Validation, ValidationDepth};
use patchwright_warm_workers::PersistentWorkers;
use tempfile::TempDir;

pub struct Fixture {
    pub source: TempDir,
    pub work: TempDir,
    pub sandbox: Arc<dyn Sandbox>,
}

pub async fn fixture(files: &[(&str, &str)]) -> Fixture {
    fixture_in(RequestedSandbox::Host, files).await
}

pub async fn fixture_in(wanted: RequestedSandbox, files: &[(&str, &str)]) -> Fixture {
    let source = tempfile::tempdir().unwrap();
    for (path, text) in files {
        write(source.path(), path, text);
    }
    let request = SandboxRequest { wanted, ..SandboxRequest::default() };
    let sandbox = choose(&request).await.unwrap().sandbox;
    Fixture { source, work: tempfile::tempdir().unwrap(), sandbox }
}

pub fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

impl Fixture {
    pub async fn detected(&self, overrides: &Overrides) -> DetectedProject {
        let folder = tempfile::tempdir().unwrap();
        let toolchain = SandboxToolchain::new(Arc::clone(&self.sandbox), folder.path());
        let host = HostEnvironments::find(self.source.path(), overrides.test_line()).await.unwrap();
        detect(self.source.path(), overrides, &host, &toolchain).await.unwrap()
    }

    pub async fn harness(&self, overrides: &Overrides) -> TestHarness {
        let DetectedProject { spec, .. } = self.detected(overrides).await;
        self.open(spec).await
    }

    pub async fn open(&self, spec: patchwright_detection::ProjectSpec) -> TestHarness {
        TestHarness::open(
            spec,
            self.source.path(),
            &[],
            Arc::clone(&self.sandbox),
            self.work.path(),
            2,
            Activity::default(),
        )
        .await
        .unwrap()
        .with_workers(Box::new(PersistentWorkers::default()))
    }

    /// A test harness with other optimizations, in a folder of its own.
    pub async fn harness_with(
        &self,
        overrides: &Overrides,
        optimizations: Optimizations,
        folder: &str,
    ) -> TestHarness {
        let DetectedProject { spec, .. } = self.detected(overrides).await;
        let (source, work) = (self.source.path(), self.work.path().join(folder));
        let harness =
            TestHarness::open(spec, source, &[], Arc::clone(&self.sandbox), &work, 2, Activity::default())
                .await
                .unwrap();
        harness.with_workers(Box::new(PersistentWorkers::default())).with_optimizations(optimizations)
    }

    /// A change of one file; what stands there now is taken from the source.
    pub fn change(&self, path: &str, from: &str, to: &str) -> Applied {
        let before = fs::read_to_string(self.source.path().join(path)).unwrap();
        assert!(before.contains(from), "{from:?} is not in {path}");
        let after = before.replace(from, to);
        let file = FileChange {
            path: ProjectPath::new(path).unwrap(),
            before: Some(before.into_bytes()),
            after: Some(after.into_bytes()),
        };
        let comment_only = file.is_comment_only();
        Applied { files: vec![file], notes: Vec::new(), comment_only }
    }
}

/// Judges a change by a baseline of its own.
pub async fn judged(harness: &TestHarness, change: &Applied) -> Validation {
    let baseline = harness.baseline(&[]).await.unwrap();
    harness.validate(&baseline, change, ValidationDepth::Thorough).await.unwrap()
}

/// A change of one file, whose text is known; without any the file is new.
pub fn changed(before: &str, after: &str, path: &str) -> Applied {
    let file = FileChange {
        path: ProjectPath::new(path).unwrap(),
        before: (!before.is_empty()).then(|| before.as_bytes().to_vec()),
        after: Some(after.as_bytes().to_vec()),
    };
    Applied { files: vec![file], notes: Vec::new(), comment_only: false }
}

pub fn timeout(seconds: u64) -> Overrides {
    Overrides { timeout: Some(Duration::from_secs(seconds)), ..Overrides::default() }
}

pub fn names(tests: &[patchwright_protocol::TestId]) -> Vec<&str> {
    tests.iter().map(patchwright_protocol::TestId::as_str).collect()
}

/// Whether a tool is there. Where tests are run for others to rely on, a missing one that is asked for is a failure.
pub fn there(question: &str, needed: bool) -> bool {
    let found =
        Command::new("sh").args(["-c", question]).output().is_ok_and(|output| output.status.success());
    assert!(found || !needed || std::env::var_os("CI").is_none(), "not there: {question}");
    if !found {
        eprintln!("left out, because this fails here: {question}");
    }
    found
}

/// Nothing in a report may tell of this machine or of this moment.
pub fn assert_clean(report: &TestReport, fixture: &Fixture) {
    let text = format!("{}\n{}", report.render(100_000), report.log);
    for place in [fixture.work.path(), fixture.source.path()] {
        assert!(!text.contains(place.to_str().unwrap()), "{text}");
    }
    assert!(!text.contains("lane-") && !text.contains("0x7f"), "{text}");
}

/// Workers judged these candidates. On a busy machine a test may take longer than it may in a worker: of several candidates one may then be
/// left to a command, which is no mistake.
pub fn assert_judged_by_workers(harness: &TestHarness, candidates: usize) {
    let report = harness.worker_report();
    assert!(report.on && report.left_out.is_empty() && report.disagreements.is_empty(), "{report:?}");
    assert!(report.judged <= candidates && report.judged * 2 >= candidates, "{report:?}");
}

/// The processes that work in a folder or carry its name in their environment.
pub fn processes_in(folder: &Path) -> Vec<String> {
    let folder = folder.canonicalize().unwrap();
    let name = folder.to_str().unwrap().as_bytes();
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
        let at = fs::read_link(entry.path().join("cwd")).unwrap_or_default();
        if at.starts_with(&folder) || environment.windows(name.len()).any(|part| part == name) {
            found.push(fs::read_to_string(entry.path().join("cmdline")).unwrap_or_default());
        }
    }
    found
}
