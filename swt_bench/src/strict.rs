//! The strict look: a test shows the issue only if it fails before by an assertion, or with an error that the issue names.
//!
//! The official program asks for less: any failure, and even an error before the test began, such as an import that does not work, is
//! a failure there if the test passes with the golden patch.

use std::collections::HashMap;

use patchwright_swe_bench::LoggedStatus;
use patchwright_swe_bench::pattern::Pattern;
use patchwright_swe_bench::text::lines;

use crate::log::RunLog;
use crate::parsers::{LogParser, SCRIPT};

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

/// What a log says of one failing test.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Reason {
    /// The beginning of the message: `ValueError: no such thing`, `assert 1 == 2`.
    message: String,
    /// The test was running: no error of its module or of what was prepared for it.
    is_in_test: bool,
}

impl Reason {
    fn is_assertion(&self) -> bool {
        let class = self.class();
        self.message.starts_with("assert ")
            || matches!(class, "AssertionError" | "Failed")
            || class.ends_with("AssertionError")
    }

    /// The name of the exception without its module.
    fn class(&self) -> &str {
        let end = self.message.find([':', ' ', '(']).unwrap_or(self.message.len());
        let whole = &self.message[..end];
        whole.rsplit('.').next().unwrap_or(whole)
    }
}

/// What a log says of failing tests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FailureReasons {
    /// By the name of the test as the parsers give it.
    named: HashMap<String, Reason>,
    /// By the heading of a traceback, where the summary says nothing.
    headed: HashMap<String, Reason>,
}

impl FailureReasons {
    /// Looks for reasons in the output of tests.
    pub(crate) fn of(output: &str, parser: LogParser) -> Self {
        match parser {
            LogParser::Shared(_) => Self::of_pytest(output),
            LogParser::Django => Self::of_unittest(output),
            LogParser::Sympy => Self::of_sympy(output),
            LogParser::Script => Self::of_script(output),
        }
    }

    fn of_test(&self, test: &str) -> Option<&Reason> {
        let heading = test.split_once("::").map_or(test, |(_, rest)| rest).replace("::", ".");
        self.named.get(test).or_else(|| self.headed.get(&heading))
    }

    /// `FAILED test - reason` of the short summary, else the first line of a traceback that begins with `E`.
    fn of_pytest(output: &str) -> Self {
        static HEADING: Pattern = Pattern::new(r"^_{2,} (.+?) _{2,}$");
        let mut reasons = Self::default();
        let mut heading = None;
        for line in lines(output) {
            if let Some(rest) = line.strip_prefix("FAILED ")
                && let Some((test, message)) = rest.split_once(" - ")
            {
                reasons
                    .named
                    .insert(test.to_owned(), Reason { message: message.to_owned(), is_in_test: true });
            } else if let Some([name]) = HEADING.groups(line) {
                heading = Some(name.to_owned());
            } else if let (Some(message), Some(name)) = (line.strip_prefix("E   "), &heading) {
                let message = message.trim_start();
                let is_in_test = !name.starts_with("ERROR ");
                let reason = Reason { message: message.to_owned(), is_in_test };
                reasons.headed.entry(name.clone()).or_insert(reason);
            }
        }
        reasons
    }

    /// `FAIL: test (class)` is an assertion; below `ERROR: …` the traceback ends with the exception.
    fn of_unittest(output: &str) -> Self {
        let mut reasons = Self::default();
        let mut under: Option<String> = None;
        for line in lines(output) {
            if let Some(test) = line.strip_prefix("FAIL: ") {
                let reason = Reason { message: "AssertionError".to_owned(), is_in_test: true };
                reasons.named.insert(test.trim().to_owned(), reason);
                under = None;
            } else if let Some(test) = line.strip_prefix("ERROR: ") {
                under = Some(test.trim().to_owned());
            } else if line.starts_with("======") {
                under = None;
            } else if let Some(test) = under.take_if(|_| is_exception(line)) {
                reasons.named.insert(test, Reason { message: line.to_owned(), is_in_test: true });
            }
        }
        reasons
    }

    /// Below `____ path.py:test ____` the traceback ends with the exception.
    fn of_sympy(output: &str) -> Self {
        static HEADING: Pattern = Pattern::new(r"^_* .*\.py::?(.*) _*$");
        let mut reasons = Self::default();
        let mut under: Option<String> = None;
        for line in lines(output) {
            if let Some([test]) = HEADING.groups(line) {
                under = Some(test.to_owned());
            } else if let Some(test) = under.take_if(|_| is_exception(line)) {
                reasons.named.insert(test, Reason { message: line.to_owned(), is_in_test: true });
            }
        }
        reasons
    }

    /// The last exception that is printed.
    fn of_script(output: &str) -> Self {
        let last = lines(output).filter(|line| is_exception(line)).last();
        let reason = last.map(|line| Reason { message: line.to_owned(), is_in_test: true });
        Self {
            named: reason.map(|reason| (SCRIPT.to_owned(), reason)).into_iter().collect(),
            ..Self::default()
        }
    }
}

/// Is true if a line is the last one of a traceback: the exception, with or without a message.
fn is_exception(line: &str) -> bool {
    static EXCEPTION: Pattern = Pattern::new(r"^(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?::|$)");
    EXCEPTION.finds(line) && !line.starts_with("Traceback")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::log::Reasons;
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
