//! The tests of a project as runners of ours run them, though its own command may be another: that is what workers and
//! the recording of coverage need. Verdicts that count are always those of the project's own command.

mod java_agent;
mod observed;

use patchwright_detection::{AdapterKind, ProjectSpec};
use patchwright_lanes::LaneError;
use patchwright_syntax::Language;

use crate::baseline::Baseline;
use crate::error::TestHarnessError;
use crate::harness::TestHarness;
use crate::instrumented_tests::InstrumentedTests;

/// Why runners of ours do not run the tests.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InterceptionError {
    /// They cannot, for this reason.
    #[error("{0}")]
    Unsupported(String),
    /// It could not be found out.
    #[error(transparent)]
    TestHarness(#[from] TestHarnessError),
}

impl From<LaneError> for InterceptionError {
    fn from(error: LaneError) -> Self {
        Self::TestHarness(error.into())
    }
}

impl TestHarness {
    /// The tests as runners of ours run them, or why they cannot. Found out once.
    pub async fn instrumented(
        &self,
        baseline: &Baseline,
    ) -> Result<&Result<InstrumentedTests, String>, TestHarnessError> {
        let found = self.instrumented.get_or_try_init(|| async {
            match self.intercept(baseline).await {
                Ok(found) => Ok(Ok(found)),
                Err(InterceptionError::Unsupported(why)) => Ok(Err(why)),
                Err(InterceptionError::TestHarness(error)) => Err(error),
            }
        });
        found.await
    }

    /// The same as far as that is known without a run of all tests.
    pub fn instrumented_unseen(&self) -> InstrumentedTests {
        let spec = self.detected();
        let is_python = spec.language.is_some_and(|language| language.name() == "python");
        let own = (spec.kind == AdapterKind::Custom && is_python).then(|| self.intercept_python(spec).ok());
        own.flatten().unwrap_or_else(|| InstrumentedTests { spec: spec.clone(), seen: None })
    }

    /// The tests of a command that runs pytest or unittest as our runners run them, or why they cannot.
    fn intercept_python(&self, spec: &ProjectSpec) -> Result<InstrumentedTests, String> {
        let spec = patchwright_detection::instrumented(spec, self.project().root())?;
        let instrumented = InstrumentedTests { spec, seen: None };
        self.lanes.add_tools(instrumented.adapter().tools());
        Ok(instrumented)
    }

    async fn intercept(&self, baseline: &Baseline) -> Result<InstrumentedTests, InterceptionError> {
        let spec = self.spec();
        match spec.kind {
            AdapterKind::Pytest | AdapterKind::Unittest | AdapterKind::PlainJava | AdapterKind::Tool(_) => {
                return Ok(InstrumentedTests { spec: spec.clone(), seen: None });
            }
            AdapterKind::Django
            | AdapterKind::Maven
            | AdapterKind::Gradle
            | AdapterKind::Ant
            | AdapterKind::Custom => {}
        }
        match spec.language.map(Language::name) {
            Some("java") => {
                let (spec, seen) = self.intercept_java(baseline).await?;
                Ok(InstrumentedTests { spec, seen: Some(seen) })
            }
            Some("python") => self.intercept_python(spec).map_err(InterceptionError::Unsupported),
            Some(_) | None => {
                let why = "our runners know only tests in Java and in Python";
                Err(InterceptionError::Unsupported(why.to_owned()))
            }
        }
    }

    /// The same where it was found out.
    pub fn known_instrumented(&self) -> Option<&InstrumentedTests> {
        self.instrumented.get()?.as_ref().ok()
    }

    /// Why no worker can be used, as far as that is known.
    pub fn why_not_instrumented(&self) -> Option<String> {
        match self.instrumented.get()? {
            Ok(instrumented) => instrumented.worker().err().map(str::to_owned),
            Err(why) => Some(why.clone()),
        }
    }
}
