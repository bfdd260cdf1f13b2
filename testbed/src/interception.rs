//! The tests of a project as runners of ours run them, though its own command may be another: that is what workers and
//! the recording of coverage need. Verdicts that count are always those of the project's own command.

mod java_agent;
mod observed;
mod python;

use patchwright_syntax::Language;

use crate::adapters::{self, Adapter, ObservedJava};
use crate::baseline::Baseline;
use crate::bed::TestBed;
use crate::error::TestBedError;
use crate::spec::{AdapterKind, ProjectSpec};

/// The tests of a project as runners of ours run them.
pub(crate) struct InstrumentedTests {
    /// The project with commands that call our runners.
    pub(crate) spec: ProjectSpec,
    /// The observed commands of the project, where they are not ours.
    seen: Option<ObservedJava>,
}

impl InstrumentedTests {
    pub(crate) fn adapter(&self) -> &dyn Adapter {
        match &self.seen {
            Some(seen) => seen,
            None => adapters::of(self.spec.kind),
        }
    }

    /// The command that starts a worker, or why there is none.
    pub(crate) fn worker(&self) -> Result<String, &'static str> {
        self.adapter().worker_command(&self.spec)
    }
}

impl TestBed {
    /// How runners of ours run the tests, or why they cannot. Found out once.
    pub(crate) async fn instrumented(
        &self,
        baseline: &Baseline,
    ) -> Result<&Result<InstrumentedTests, String>, TestBedError> {
        self.instrumented_cell()
            .get_or_try_init(|| async {
                match self.spec().kind {
                    AdapterKind::Pytest | AdapterKind::Unittest | AdapterKind::PlainJava => {
                        Ok(Ok(InstrumentedTests { spec: self.spec().clone(), seen: None }))
                    }
                    AdapterKind::Maven | AdapterKind::Ant | AdapterKind::Custom => {
                        self.intercept(baseline).await
                    }
                }
            })
            .await
    }

    /// How runners of ours run what a command does that is not ours.
    async fn intercept(
        &self,
        baseline: &Baseline,
    ) -> Result<Result<InstrumentedTests, String>, TestBedError> {
        match self.spec().language.map(Language::name) {
            Some("java") => {
                let found = self.intercept_java(baseline).await?;
                Ok(found.map(|(spec, seen)| InstrumentedTests { spec, seen: Some(seen) }))
            }
            Some("python") => {
                let found = python::instrumented(self.spec(), self.project().root());
                let found = found.map(|spec| InstrumentedTests { spec, seen: None });
                if let Ok(instrumented) = &found {
                    self.lanes.add_tools(instrumented.adapter().tools());
                }
                Ok(found)
            }
            Some(_) | None => Ok(Err("our runners know only tests in Java and in Python".to_owned())),
        }
    }

    /// Why no worker can be used, as far as that is known.
    pub(crate) fn why_not_instrumented(&self) -> Option<String> {
        match self.instrumented_cell().get() {
            Some(Ok(instrumented)) => instrumented.worker().err().map(str::to_owned),
            Some(Err(why)) => Some(why.clone()),
            None => None,
        }
    }
}
