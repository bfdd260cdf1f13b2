//! Tests and their outcomes.

use std::collections::BTreeMap;

use patchwright_protocol::TestId;
use patchwright_syntax::pattern::{Pattern, pattern};
use serde::{Deserialize, Serialize};

/// The message of a test that was running when the run ended.
const CUT_OFF: &str = "the run ended while this test was running";

/// The exceptions by which our runners end a test.
const OVERDUE: &[&str] = &["patchwright_limit.Overdue", "PatchwrightLimit$Overdue"];

/// The end of the name that stands for what goes wrong in a file beside its tests; `patchwright_node.cjs` gives it where something does.
pub const OUTSIDE: &str = "::outside of its tests";

/// What is said of a test of unittest that was marked to fail and passed.
pub const SURPRISE: &str = "it was expected to fail and passed";

/// What pytest says of a test that was marked to fail and passed, of its own or of unittest.
static SURPRISES: Pattern = pattern!(r"^(?:Failed: )?(?:\[XPASS\(strict\)\]|[Uu]nexpected success)");

/// The end of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TestStatus {
    /// Not run, or run and expected to fail.
    Skipped,
    /// It passed.
    Passed,
    /// An assertion did not hold.
    Failed,
    /// It ended in another exception, in its set-up or tear-down, or not at all.
    Error,
}

impl TestStatus {
    /// Is true if the test shows a bug: failed or in error.
    pub fn is_failing(self) -> bool {
        matches!(self, Self::Failed | Self::Error)
    }
}

/// How the execution of a test ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// By itself.
    #[default]
    Completed,
    /// Our runner stopped the test, because it took far longer than the others.
    Overdue,
    /// The test was still running when its whole run reached its time limit; it is left out of later runs.
    Hung,
    /// The test ended the process of its whole run; it is left out of later runs.
    BrokeRun,
    /// The run ended while the test was running.
    CutOff,
}

impl Ending {
    /// Whether the test never ends, or ends all others with it.
    pub fn spoils_run(self) -> bool {
        matches!(self, Self::Overdue | Self::Hung | Self::BrokeRun)
    }

    /// The ending that our runners tell by the message of a test.
    pub(crate) fn told_by(message: Option<&str>) -> Self {
        let is_overdue = message.is_some_and(|text| OVERDUE.iter().any(|name| text.starts_with(name)));
        if is_overdue { Self::Overdue } else { Self::Completed }
    }
}

/// The outcome of one test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestOutcome {
    /// The test.
    pub id: TestId,
    /// Its status.
    pub status: TestStatus,
    /// How its execution ended.
    #[serde(default)]
    pub ending: Ending,
    /// The assertion or exception, in short; the reason of a skip.
    pub message: Option<String>,
    /// The stack trace or the longer explanation.
    pub trace: Option<String>,
}

impl TestOutcome {
    /// An outcome without message and trace.
    pub fn new(id: impl Into<TestId>, status: TestStatus) -> Self {
        Self { id: id.into(), status, ending: Ending::Completed, message: None, trace: None }
    }

    /// The outcome of a test that was running when the run ended.
    pub fn cut_off(id: impl Into<TestId>) -> Self {
        Self::new(id, TestStatus::Error).with_ending(Ending::CutOff).with_message(CUT_OFF)
    }

    /// The same with another ending.
    pub fn with_ending(self, ending: Ending) -> Self {
        Self { ending, ..self }
    }

    /// Is true if it only fails because it was marked to fail, and passed.
    pub fn is_unexpected_success(&self) -> bool {
        let message = self.message.as_deref().unwrap_or_default().trim();
        self.status.is_failing() && (message.starts_with(SURPRISE) || SURPRISES.is_match(message))
    }

    /// The same with a message; an empty one counts as none.
    pub fn with_message(mut self, message: impl Into<String>) -> Self {
        self.message = Some(message.into()).filter(|text| !text.trim().is_empty());
        self
    }

    /// The same with a trace; an empty one counts as none.
    pub fn with_trace(mut self, trace: impl Into<String>) -> Self {
        self.trace = Some(trace.into()).filter(|text| !text.trim().is_empty());
        self
    }
}

/// Outcomes by test. Where a name occurs several times (parameters that print alike, a test that passed and whose
/// tear-down failed, subtests) the failing outcome stands, and of several failing ones the first.
#[derive(Clone, Debug, Default)]
pub struct Outcomes(BTreeMap<TestId, TestOutcome>);

impl Outcomes {
    /// Adds an outcome.
    pub fn add(&mut self, outcome: TestOutcome) {
        match self.0.get_mut(&outcome.id) {
            None => {
                self.0.insert(outcome.id.clone(), outcome);
            }
            Some(known) if known.status.is_failing() => {
                if known.ending == Ending::Completed {
                    known.ending = outcome.ending;
                }
                known.message = known.message.take().or(outcome.message);
                known.trace = known.trace.take().or(outcome.trace);
            }
            Some(known) if outcome.status > known.status => *known = outcome,
            Some(_) => {}
        }
    }

    /// The outcome of a test.
    pub fn get_mut(&mut self, id: &TestId) -> Option<&mut TestOutcome> {
        self.0.get_mut(id)
    }

    /// The number of tests with an outcome.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The number of tests that ended so.
    pub fn count(&self, status: TestStatus) -> usize {
        self.0.values().filter(|outcome| outcome.status == status).count()
    }

    /// Is true if nothing was added.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All outcomes, sorted by the name of the test.
    pub fn into_sorted(self) -> Vec<TestOutcome> {
        self.0.into_values().collect()
    }
}

impl Extend<TestOutcome> for Outcomes {
    fn extend<I: IntoIterator<Item = TestOutcome>>(&mut self, outcomes: I) {
        outcomes.into_iter().for_each(|outcome| self.add(outcome));
    }
}

impl FromIterator<TestOutcome> for Outcomes {
    fn from_iter<I: IntoIterator<Item = TestOutcome>>(outcomes: I) -> Self {
        let mut all = Self::default();
        all.extend(outcomes);
        all
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn duplicate_names_keep_what_failed_first() {
        let check = |statuses: &[(TestStatus, &str)], expect: (TestStatus, Option<&str>)| {
            let all: Outcomes = statuses
                .iter()
                .map(|(status, message)| TestOutcome::new("a", *status).with_message(*message))
                .collect();
            let all = all.into_sorted();
            assert_eq!(all.len(), 1);
            assert_eq!((all[0].status, all[0].message.as_deref()), expect, "{statuses:?}");
        };
        check(
            &[(TestStatus::Passed, ""), (TestStatus::Error, "in tear-down")],
            (TestStatus::Error, Some("in tear-down")),
        );
        check(
            &[(TestStatus::Failed, "first"), (TestStatus::Error, "second")],
            (TestStatus::Failed, Some("first")),
        );
        check(
            &[(TestStatus::Failed, ""), (TestStatus::Failed, "second")],
            (TestStatus::Failed, Some("second")),
        );
        check(&[(TestStatus::Failed, "x"), (TestStatus::Passed, "")], (TestStatus::Failed, Some("x")));
        check(&[(TestStatus::Skipped, "why"), (TestStatus::Passed, "")], (TestStatus::Passed, None));
    }

    #[test]
    fn parameters_are_cut_off_the_name() {
        let check = |name: &str, expect: &str| assert_eq!(TestId::new(name).without_parameters(), expect);
        check("t.py::test_a[x[1]]", "t.py::test_a");
        check("t.py::test_a", "t.py::test_a");
        check("a.B::rounds[0: 1.4 (as int) = 1]", "a.B::rounds");
        check("odd[name", "odd[name");
    }

    #[test]
    fn a_class_stands_under_its_own_name() {
        assert_eq!(TestId::of_method("a.B", "c").as_str(), "a.B::c");
        assert_eq!(TestId::of_method("a.B", "").as_str(), "a.B");
        assert_eq!(TestId::of_method("a.B", "a.B").as_str(), "a.B");
    }
}
