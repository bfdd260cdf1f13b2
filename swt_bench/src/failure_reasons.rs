//! What a log says of failing tests.

use std::collections::HashMap;

use patchwright_swe_bench::pattern::Pattern;
use patchwright_swe_bench::text::lines;

use crate::parsers::{LogParser, SCRIPT};

/// What a log says of one failing test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reason {
    /// The beginning of the message: `ValueError: no such thing`, `assert 1 == 2`.
    message: String,
    /// The test was running: no error of its module or of what was prepared for it.
    pub(crate) is_in_test: bool,
}

impl Reason {
    pub(crate) fn is_assertion(&self) -> bool {
        let class = self.class();
        self.message.starts_with("assert ")
            || matches!(class, "AssertionError" | "Failed")
            || class.ends_with("AssertionError")
    }

    /// The name of the exception without its module.
    pub(crate) fn class(&self) -> &str {
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

    pub(crate) fn of_test(&self, test: &str) -> Option<&Reason> {
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
