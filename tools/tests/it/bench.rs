//! A session without a model: the real project, test harness and host sandbox, and an [`SessionServices`] that answers from a list.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use patchwright_detection::{AdapterKind, ProjectSpec};
use patchwright_fault_localization::Localization;
use patchwright_lanes::Activity;
use patchwright_protocol::{BugEvidence, Failure, ReproductionRecord, ResultsFormat};
use patchwright_sandbox::{RequestedSandbox, SandboxRequest};
use patchwright_syntax::Language;
use patchwright_tools::{
    Candidates, MethodBodyRequest, Observation, Reproductions, SessionServices, TestedCandidate, ToolContext,
    ToolSettings, VariantBasis, find,
};
use patchwright_validation::{Baseline, TestHarness};
use serde_json::Value;

/// Answers and what was asked.
#[derive(Default)]
pub struct Script {
    pub variants: VecDeque<String>,
    pub bodies: VecDeque<String>,
    /// How many more validations of variants the budget allows.
    pub allowance: Option<usize>,
    pub bases: Vec<(VariantBasis, u32)>,
    pub requests: Vec<MethodBodyRequest>,
    /// `candidate 1`, `verdict 1 failing`, in the order in which the session heard of them.
    pub events: Vec<String>,
    /// The text of the issue.
    pub issue: String,
    /// Is true if nobody can write tests.
    pub offers_no_tests: bool,
}

#[async_trait]
impl SessionServices for Script {
    async fn variants(&mut self, basis: &VariantBasis, count: u32) -> Result<Option<String>, Failure> {
        self.bases.push((basis.clone(), count));
        Ok(self.variants.pop_front())
    }

    async fn method_body(&mut self, request: &MethodBodyRequest) -> Result<Option<String>, Failure> {
        self.requests.push(request.clone());
        Ok(self.bodies.pop_front())
    }

    fn candidate(&mut self, candidate: &mut TestedCandidate) -> Result<(), Failure> {
        assert_eq!(candidate.verdict(), None, "a candidate is told of before its verdict");
        self.events.push(format!("candidate {}", candidate.id()));
        Ok(())
    }

    fn verdict(&mut self, candidate: &TestedCandidate) -> Result<(), Failure> {
        let verdict = serde_json::to_value(candidate.verdict().unwrap()).unwrap();
        self.events.push(format!("verdict {} {}", candidate.id(), verdict.as_str().unwrap()));
        if let Some(allowance) = &mut self.allowance {
            *allowance = allowance.saturating_sub(1);
        }
        Ok(())
    }

    fn reproduction(&mut self, test: &ReproductionRecord) -> Result<(), Failure> {
        self.events.push(format!("test {} {}", test.id, test.verdict));
        Ok(())
    }

    fn issue(&self) -> &str {
        &self.issue
    }

    fn evidence(&self) -> BugEvidence {
        BugEvidence::Issue
    }

    fn offers_tests(&self) -> bool {
        !self.offers_no_tests
    }

    fn may_go_on(&self) -> bool {
        self.allowance != Some(0)
    }
}

/// A project with an open test harness.
pub struct Bench {
    _folder: tempfile::TempDir,
    pub root: PathBuf,
    pub harness: TestHarness,
    pub baseline: Baseline,
    pub candidates: Candidates,
    pub reproductions: Reproductions,
    pub script: Script,
    pub settings: ToolSettings,
    pub localization: Localization,
}

impl Bench {
    /// The project beside these tests, with its baseline.
    pub async fn open() -> Self {
        Self::open_in(RequestedSandbox::Host).await
    }

    /// The same in another sandbox.
    pub async fn open_in(wanted: RequestedSandbox) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("shop project");
        copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/project"), &root);
        std::fs::write(root.join("shop/logo.bin"), b"\0\x01\x02").unwrap();
        std::fs::write(root.join("shop/nothing.py"), b"").unwrap();
        std::fs::write(folder.path().join("secret.py"), "KEY = 1\n").unwrap();
        std::os::unix::fs::symlink(folder.path().join("secret.py"), root.join("shop/leak.py")).unwrap();
        let request = SandboxRequest { wanted, session: "tools-test".into(), ..SandboxRequest::default() };
        let sandbox = patchwright_sandbox::choose(&request).await.unwrap().sandbox;
        let work = folder.path().join("work");
        let harness =
            TestHarness::open(spec(), &root, &[], sandbox, &work, 1, Activity::default()).await.unwrap();
        let baseline = harness.baseline(&[]).await.unwrap();
        Self {
            _folder: folder,
            root,
            harness,
            baseline,
            candidates: Candidates::default(),
            reproductions: Reproductions::default(),
            script: Script::default(),
            settings: ToolSettings::default(),
            localization: Localization::none(),
        }
    }

    /// Runs a tool.
    pub async fn run(&mut self, tool: &str, arguments: Value) -> Observation {
        let measure = self.reproductions.measure(&self.baseline);
        let mut context = ToolContext {
            harness: &self.harness,
            known_tests: Some(Arc::new(measure)),
            candidates: &mut self.candidates,
            reproductions: &mut self.reproductions,
            session: &mut self.script,
            settings: &self.settings,
            localization: &self.localization,
            origin: &self.root,
        };
        let observation = find(tool).unwrap().run(arguments, &mut context).await.unwrap();
        let folder = self.root.parent().unwrap().to_str().unwrap();
        assert!(!observation.text.contains(folder), "a path of this machine: {}", observation.text);
        assert!(
            !observation.data.to_string().contains(folder),
            "a path of this machine: {}",
            observation.data
        );
        observation
    }

    /// Confirms the candidate that was left to be, as the loop does while a model thinks.
    pub async fn confirm(&mut self) {
        if let Some((id, unconfirmed)) = self.candidates.take_unconfirmed() {
            let measure = self.reproductions.measure(&self.baseline);
            let validation = self.harness.confirm(&measure, unconfirmed).await.unwrap();
            self.candidates.conclude(id, &validation, &measure, &self.settings).unwrap();
        }
    }
}

/// How the project beside these tests is tested.
fn spec() -> ProjectSpec {
    let test = "python3 -m patchwright_unittest tests:.";
    ProjectSpec {
        test_one: Some(format!("{test} -- {{tests}}")),
        source: vec!["shop".into()],
        tests: vec!["tests".into()],
        ..ProjectSpec::new(AdapterKind::Unittest, Language::by_name("python"), test, ResultsFormat::Lines)
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Every file of a folder with its bytes, sorted.
pub fn content(root: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let bytes = std::fs::read(&path).unwrap();
                found.push((path, bytes));
            }
        }
    }
    found.sort();
    found
}
