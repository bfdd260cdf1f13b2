//! What shows a bug.

/// What shows the bug, as far as a session knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BugEvidence {
    /// No test: an issue alone tells of it.
    #[default]
    Issue,
    /// A test that was written to reproduce it.
    ReproductionTest,
    /// Failing tests of the project.
    FailingTests,
}

impl BugEvidence {
    /// All that it can be.
    pub const ALL: [Self; 3] = [Self::Issue, Self::ReproductionTest, Self::FailingTests];

    /// The evidence of failing tests of the project, or else of reproduction tests, where there are any.
    pub fn of_tests(has_failing: bool, has_reproductions: bool) -> Self {
        match (has_failing, has_reproductions) {
            (true, _) => Self::FailingTests,
            (false, true) => Self::ReproductionTest,
            (false, false) => Self::Issue,
        }
    }

    /// Whether any test shows the bug.
    pub fn is_by_test(self) -> bool {
        self != Self::Issue
    }
}
