//! The strict look: a test shows the issue only if it fails before by an assertion, or with an error that the issue names.
//!
//! The official program asks for less: any failure, and even an error before the test began, such as an import that does not work, is
//! a failure there if the test passes with the golden patch.

use patchwright_swe_bench::LoggedStatus;

use crate::log::RunLog;

/// The way in which a test of a prediction fails without the golden patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BeforeFix {
    /// By an assertion, or because an expected exception did not come.
    Assertion,
    /// With an error that the issue names.
    IssueError(String),
    /// With another error.
    OtherError(String),
    /// It fails, and the log does not say how.
    Untold,
    /// It was not run to its end: it is skipped, broke off with an error, or is missing.
    DidNotRun,
}

impl BeforeFix {
    /// Is true if that shows the issue.
    pub fn counts(&self) -> bool {
        match self {
            Self::Assertion | Self::IssueError(_) => true,
            Self::OtherError(_) | Self::Untold | Self::DidNotRun => false,
        }
    }

    /// A few words for people.
    pub fn words(&self) -> String {
        match self {
            Self::Assertion => "an assertion".to_owned(),
            Self::IssueError(name) => format!("{name}, which the issue names"),
            Self::OtherError(name) => format!("{name}, which the issue does not name"),
            Self::Untold => "a failure whose reason the log does not tell".to_owned(),
            Self::DidNotRun => "no run to its end".to_owned(),
        }
    }
}

/// The strict verdict on a case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StrictVerdict {
    /// The case is resolved officially, and one of the tests fails as it should.
    pub resolved: bool,
    /// The tests that the prediction adds and that pass with the golden patch.
    pub tests: Vec<(String, BeforeFix)>,
}

impl StrictVerdict {
    /// Looks at the tests in the run without the golden patch.
    pub(crate) fn of(resolved: bool, tests: &[&str], before: &RunLog, issue: &str) -> Self {
        let look = |test: &&str| ((*test).to_owned(), before_fix(test, before, issue));
        let tests: Vec<(String, BeforeFix)> = tests.iter().map(look).collect();
        Self { resolved: resolved && tests.iter().any(|(_, how)| how.counts()), tests }
    }
}

fn before_fix(test: &str, before: &RunLog, issue: &str) -> BeforeFix {
    let reason = before.reasons.of_test(test);
    match before.statuses.get(test) {
        Some(LoggedStatus::Failed) => {}
        // Runners that tell errors from failures say so of an exception in the test itself, too.
        Some(LoggedStatus::Error) if reason.is_some_and(|reason| reason.is_in_test) => {}
        Some(
            LoggedStatus::Error
            | LoggedStatus::Passed
            | LoggedStatus::Skipped
            | LoggedStatus::Xfail
            | LoggedStatus::Other,
        )
        | None => return BeforeFix::DidNotRun,
    }
    match reason {
        None => BeforeFix::Untold,
        Some(reason) if reason.is_assertion() => BeforeFix::Assertion,
        Some(reason) if names(issue, reason.class()) => BeforeFix::IssueError(reason.class().to_owned()),
        Some(reason) => BeforeFix::OtherError(reason.class().to_owned()),
    }
}

/// Is true if a text has a name as a word.
fn names(text: &str, name: &str) -> bool {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    !name.is_empty()
        && text
            .match_indices(name)
            .any(|(at, _)| !text[..at].ends_with(is_word) && !text[at + name.len()..].starts_with(is_word))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::log::Reasons;
    use crate::parsers::LogParser;
    use patchwright_swe_bench::Row;

    #[test]
    fn reasons_are_found_in_each_kind_of_log() {
        let check = |repository: &str, log: &str, test: &str, expect: BeforeFix| {
            let row = Row { repo: repository.to_owned(), ..Row::default() };
            let parser = LogParser::of_repository(repository).unwrap();
            let run = RunLog::read(log, parser, &row, |_| true, Reasons::Find);
            assert_eq!(before_fix(test, &run, "Sorting raises a KeyError."), expect, "{log}");
        };
        let key = || BeforeFix::IssueError("KeyError".to_owned());
        let import = || BeforeFix::OtherError("ImportError".to_owned());
        let xarray = "pydata/xarray";
        check(xarray, "FAILED t.py::a - assert 1 == 2\n", "t.py::a", BeforeFix::Assertion);
        check(
            xarray,
            "FAILED t.py::a - Failed: DID NOT RAISE <class 'ValueError'>\n",
            "t.py::a",
            BeforeFix::Assertion,
        );
        check(xarray, "FAILED t.py::a - KeyError: 'x'\n", "t.py::a", key());
        check(xarray, "FAILED t.py::a - ImportError: no\n", "t.py::a", import());
        check(xarray, "FAILED t.py::a\n", "t.py::a", BeforeFix::Untold);
        check(xarray, "____ T.a ____\nE   KeyError: 3\nE   more\nFAILED t.py::T::a\n", "t.py::T::a", key());
        check(xarray, "ERROR t.py - ImportError: no\n", "t.py::a", BeforeFix::DidNotRun);
        let django = "django/django";
        check(
            django,
            "test_a (m.C) ... FAIL\nFAIL: test_a (m.C)\nTraceback\n",
            "test_a (m.C)",
            BeforeFix::Assertion,
        );
        check(
            django,
            "ERROR: test_a (m.C)\nTraceback (most recent call last):\n  x\nKeyError: 'k'\n",
            "test_a (m.C)",
            key(),
        );
        let heading = "____________\n___ s/tests/test_x.py:test_a ___\nTraceback (most recent call last):\n  File\nAssertionError\n";
        check("sympy/sympy", heading, "test_a", BeforeFix::Assertion);
    }

    #[test]
    fn one_test_that_fails_as_it_should_is_enough() {
        let row = Row { repo: "pydata/xarray".to_owned(), ..Row::default() };
        let parser = LogParser::of_repository(&row.repo).unwrap();
        let log = "FAILED t.py::a - ImportError: no\nFAILED t.py::b - assert False\n";
        let run = RunLog::read(log, parser, &row, |_| true, Reasons::Find);
        let check = |resolved: bool, tests: &[&str], expect: bool| {
            assert_eq!(StrictVerdict::of(resolved, tests, &run, "no error").resolved, expect, "{tests:?}");
        };
        check(true, &["t.py::a", "t.py::b"], true);
        check(true, &["t.py::a"], false);
        check(false, &["t.py::b"], false);
        check(true, &["t.py::c"], false);
    }
}
