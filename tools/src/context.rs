//! The context of a tool: test harness, candidates, session, settings.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use patchwright_edits::{Applied, Edit, apply};
use patchwright_fault_localization::Localization;
use patchwright_protocol::{BugEvidence, Failure, ReproductionRecord, SourceLines};
use patchwright_syntax::Project;
use patchwright_validation::{Baseline, TestHarness};
use serde::Serialize;

use crate::candidates::Candidates;
use crate::render::Stop;
use crate::reproductions::Reproductions;
use crate::settings::ToolSettings;
use crate::tested_candidate::TestedCandidate;

/// All that a tool may use.
pub struct ToolContext<'a> {
    /// Builds and tests; holds the pristine copy of the project that tools read.
    pub harness: &'a TestHarness,
    /// What candidates are measured by: the tests before any change, and those that reproduce the bug; none while the former run, which is
    /// only so for a call that does not need them.
    pub known_tests: Option<Arc<Baseline>>,
    /// The candidates of the session.
    pub candidates: &'a mut Candidates,
    /// The tests that the session has written to reproduce the bug.
    pub reproductions: &'a mut Reproductions,
    /// The session.
    pub session: &'a mut dyn SessionServices,
    /// Settings.
    pub settings: &'a ToolSettings,
    /// The lines that the user said are faulty, or that the tests are to be asked for them; may be nothing.
    pub localization: &'a Localization,
    /// The project as it was given, whose git repository tells of its history; only read.
    pub origin: &'a Path,
}

impl ToolContext<'_> {
    /// The tests before any change.
    ///
    /// # Errors
    /// They are not known, and the tool does not say that it needs them (see [`TypedTool::needs_baseline`](crate::TypedTool::needs_baseline)).
    pub fn baseline(&self) -> Result<Arc<Baseline>, Failure> {
        self.known_tests
            .clone()
            .ok_or_else(|| Failure::defect("a tool needs the tests before any change and does not say so"))
    }

    /// Has candidates measured by the reproduction tests that stand now.
    pub(crate) fn measure_anew(&mut self) {
        self.known_tests = self.known_tests.take().map(|known| Arc::new(self.reproductions.measure(&known)));
    }

    /// Is true if a test shows the bug, as far as that is known.
    pub(crate) fn shows_bug(&self) -> bool {
        self.known_tests.as_deref().is_some_and(Baseline::shows_bug)
    }

    /// What is said of a candidate that fails tests of which it is only supposed that they show the bug; nothing where a written test does.
    pub(crate) fn doubt_of_failing(&self, candidate: &TestedCandidate) -> Option<&'static str> {
        let supposed = self.known_tests.as_deref().is_some_and(|known| known.supposed);
        let counts = supposed
            && !candidate.still_failing().is_empty()
            && self.reproductions.standing().next().is_none();
        counts.then_some(
            "That the tests that still fail show the bug is supposed, since the issue names none of them. If they fail for another reason, write a \
             test that shows it with write_test: from then on they do not count.",
        )
    }

    /// Whether no test shows the bug, as far as that is known, and one could be written.
    pub(crate) fn lacks_test(&self) -> bool {
        !self.evidence().is_by_test() && self.session.offers_tests()
    }

    /// Is true if no test was tried though one can be run here: what was not tried cannot be given up.
    pub(crate) fn reproduction_is_untried(&self) -> bool {
        !self.reproductions.were_tried() && self.harness.test_language().is_some()
    }

    /// What shows the bug, as far as that is known.
    pub(crate) fn evidence(&self) -> BugEvidence {
        let has_reproductions = self.reproductions.standing().next().is_some();
        match &self.known_tests {
            Some(tests) => BugEvidence::of_tests(!tests.failing.is_empty(), has_reproductions),
            None => self.session.evidence(),
        }
    }

    /// What a candidate makes of the files.
    pub(crate) fn applied(&self, candidate: u32) -> Result<Applied, Stop> {
        let Some(candidate) = self.candidates.get(candidate) else {
            let known = match self.candidates.all().len() {
                0 => "no fix has been written yet".to_owned(),
                count => format!("candidates are numbered from 1 to {count}"),
            };
            return Err(Stop::Tell(format!("There is no candidate {candidate}; {known}.")));
        };
        apply(self.project(), &candidate.edits, &self.harness.rules()).map_err(|error| {
            let id = candidate.id();
            Stop::Tell(format!("Candidate {id} cannot be applied, so there is nothing to run: {error}."))
        })
    }

    /// The pristine copy of the project.
    pub fn project(&self) -> &Project {
        self.harness.project()
    }
}

/// The session, seen from a tool: what needs a model, a budget or the trajectory.
#[async_trait]
pub trait SessionServices: Send {
    /// Asks for variants of a fix. Gives the raw reply, or none where nobody can be asked or the budget does not allow it.
    ///
    /// # Errors
    /// When the model provider stands in the way.
    async fn variants(&mut self, basis: &VariantBasis, count: u32) -> Result<Option<String>, Failure>;

    /// Asks for a new body of a method. Gives the raw reply, or none as above.
    ///
    /// # Errors
    /// When the model provider stands in the way.
    async fn method_body(&mut self, request: &MethodBodyRequest) -> Result<Option<String>, Failure>;

    /// Told of every candidate, in their order, before its verdict is known. Its validation may be under way by then; there is none
    /// where its edits do not apply or repeat those of an earlier one. The remark of its maker is added to its record.
    ///
    /// # Errors
    /// When the trajectory cannot be written.
    fn candidate(&mut self, candidate: &mut TestedCandidate) -> Result<(), Failure>;

    /// Told of every candidate's verdict.
    ///
    /// # Errors
    /// When the trajectory cannot be written.
    fn verdict(&mut self, candidate: &TestedCandidate) -> Result<(), Failure>;

    /// Told of every test that was written to reproduce the bug, once it has run on the original code.
    ///
    /// # Errors
    /// When the trajectory cannot be written.
    fn reproduction(&mut self, test: &ReproductionRecord) -> Result<(), Failure>;

    /// The text of the issue; nothing where there is none.
    fn issue(&self) -> &str;

    /// What shows the bug, as far as that is known.
    fn evidence(&self) -> BugEvidence;

    /// Whether the driver can call `write_test`.
    fn offers_tests(&self) -> bool;

    /// Is true if there is budget for another validation, and nobody cancelled.
    fn may_go_on(&self) -> bool;
}

/// The fix that variants are asked of, and how it failed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VariantBasis {
    /// The candidate's number.
    pub candidate: u32,
    /// Its edits.
    pub edits: Vec<Edit>,
    /// Its unified diff: exactly what was tried.
    pub diff: String,
    /// The cleaned test report of the attempt.
    pub report: String,
    /// The original lines around the change, file by file, with their numbers: what edits must refer to.
    pub original: Vec<SourceLines>,
}

/// The method that a new body is asked of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MethodBodyRequest {
    /// The language's name.
    pub language: String,
    /// The file, relative to the project.
    pub file_path: String,
    /// The method's qualified name.
    pub method: String,
    /// Its declaration in one line.
    pub signature: String,
    /// The lines of the file before the method, with their numbers. Whoever makes the prompt cuts the front to what fits.
    pub before: Vec<(u32, String)>,
    /// The comment, annotations and declaration: the method's lines up to its body.
    pub head: Vec<(u32, String)>,
}
