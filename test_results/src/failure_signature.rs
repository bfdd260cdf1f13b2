//! The signature of a failing test: the kind of the failure and its place. What a message tells besides (addresses, times, the order
//! of a set, other values) says nothing of whether the same thing goes wrong.

use patchwright_protocol::TestId;
use patchwright_syntax::pattern::{Pattern, pattern};

use crate::outcome::{TestOutcome, TestStatus};
use crate::report::TestReport;
use crate::stack_frames::frames;

/// The class of an exception at the beginning of a message, without its package.
static CLASS: Pattern =
    pattern!(r"^(?:[A-Za-z_]\w*\.)*(?:[\w$]*\$)?([A-Z]\w*|[a-z_]*(?:error|exception|exit))(?::|\s*$|\s*\n)");
/// The exceptions of assertions, by whichever tool.
const ASSERTIONS: &[&str] = &[
    "AssertionError",
    "AssertionFailedError",
    "ComparisonFailure",
    "ArrayComparisonFailure",
    "MultipleFailuresError",
];
/// Where the trace ends and what the test printed begins.
const OUTPUT: &str = "\nCaptured ";

/// The signature of a failure: its kind and its place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FailureSignature {
    /// By an exception and not by an assertion.
    is_error: bool,
    kind: Option<String>,
    file: Option<String>,
    /// `None` also where lines have moved.
    line: Option<u32>,
}

impl FailureSignature {
    /// The signature of an outcome; lines of files that have `moved` are not told.
    pub fn of(outcome: &TestOutcome, moved: impl Fn(&str) -> bool) -> Self {
        let (file, line) = place(outcome).unzip();
        Self {
            is_error: outcome.status == TestStatus::Error,
            kind: kind(outcome).map(str::to_owned),
            line: line.filter(|_| !file.as_deref().is_some_and(moved)),
            file,
        }
    }

    /// Is true if another test run shows something else. What one of them does not tell is no difference.
    pub fn differs_from(&self, other: &Self) -> bool {
        fn differ<T: PartialEq>(one: Option<&T>, other: Option<&T>) -> bool {
            one.zip(other).is_some_and(|(one, other)| one != other)
        }
        self.is_error != other.is_error
            || differ(self.kind.as_ref(), other.kind.as_ref())
            || differ(self.file.as_ref(), other.file.as_ref())
            || differ(self.line.as_ref(), other.line.as_ref())
    }
}

/// Is true if a test fails in both runs, and not in the same way.
pub fn fails_differently(first: &TestReport, again: &TestReport, test: &TestId) -> bool {
    let signature = |report: &TestReport| {
        report
            .outcome(test)
            .filter(|outcome| outcome.status.is_failing())
            .map(|one| FailureSignature::of(one, |_| false))
    };
    signature(first).zip(signature(again)).is_some_and(|(first, again)| first.differs_from(&again))
}

/// The class of the exception.
fn kind(outcome: &TestOutcome) -> Option<&str> {
    let message = outcome.message.as_deref()?.trim_start();
    // pytest shows what was asserted and leaves the class out.
    if message.starts_with("assert ") {
        return Some(ASSERTIONS[0]);
    }
    let class = CLASS.captures(message)?.get(1)?.as_str();
    Some(if ASSERTIONS.contains(&class) { ASSERTIONS[0] } else { class })
}

/// The line of the project that is nearest to the failure.
fn place(outcome: &TestOutcome) -> Option<(String, u32)> {
    let trace = outcome.trace.as_deref()?;
    frames(trace.split(OUTPUT).next().unwrap_or(trace)).into_iter().next()
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    const F: TestStatus = TestStatus::Failed;
    const E: TestStatus = TestStatus::Error;

    fn outcome((status, message, trace): (TestStatus, &str, &str)) -> TestOutcome {
        TestOutcome::new("t", status).with_message(message).with_trace(trace)
    }

    #[test]
    fn kinds() {
        let check = |message: &str, expect: Option<&str>| {
            assert_eq!(kind(&outcome((F, message, ""))), expect, "{message}");
        };
        check("AssertionError: 4 != 7", Some("AssertionError"));
        check("assert 2 == 3\n +  where 2 = f()", Some("AssertionError"));
        check("java.lang.AssertionError: of 3 expected:<7>", Some("AssertionError"));
        check("org.junit.ComparisonFailure: expected:<[a]>", Some("AssertionError"));
        check("junit.framework.AssertionFailedError", Some("AssertionError"));
        check("java.lang.IndexOutOfBoundsException: Index 0", Some("IndexOutOfBoundsException"));
        check("shop.Basket$Full: no room", Some("Full"));
        check("json.decoder.JSONDecodeError: Expecting value", Some("JSONDecodeError"));
        check("KeyError", Some("KeyError"));
        check("socket.timeout: timed out", None);
        check("zlib.error: bad", Some("error"));
        check("Failed: DID NOT RAISE <class 'ValueError'>", Some("Failed"));
        check("expected 3, but it is 4", None);
        check("Expected 3: it is 4", None);
        check("", None);
    }

    #[test]
    fn only_kind_and_place_count() {
        let check = |one: (TestStatus, &str, &str), other: (TestStatus, &str, &str), expect: bool| {
            let signature = |told| FailureSignature::of(&outcome(told), |_| false);
            assert_eq!(signature(one).differs_from(&signature(other)), expect, "{one:?} {other:?}");
        };
        let java = "x.E: a\n\tat shop.B.c(src/B.java:25)\n\tat shop.T.t(test/T.java:32)";
        let elsewhere = "x.E: a\n\tat shop.B.c(src/B.java:26)\n\tat shop.T.t(test/T.java:32)";
        let python = "t.py:26: in t\n    b.load(x)\nshop/a.py:17: in load\n    y\nE   Error: x";
        let printed = "t.py:26: in t\n    b.load(x)\nshop/a.py:17: in load\n    y\nE   Error: x\nCaptured stdout call:\n  File \"c.py\", line 3, in d";
        // Other values, addresses, orders, folders.
        check((F, "AssertionError: 4 != 7", ""), (F, "AssertionError: 5 != 7", ""), false);
        check((F, "assert {'a', 'b'} == {1}", python), (F, "assert {'b', 'a'} == {1}", python), false);
        check((E, "x.E: Thing@1f2e", java), (E, "x.E: Thing@77aa", java), false);
        check((E, "OSError: /tmp/x1", python), (E, "OSError: /tmp/x2", printed), false);
        check((E, "E: a", ""), (E, "E: b", java), false);
        check((F, "it is 4", ""), (F, "it is 5", ""), false);
        // Another kind, another place.
        check((E, "KeyError: 1", ""), (E, "ValueError: 1", ""), true);
        check((F, "AssertionError: 1", ""), (E, "AssertionError: 1", ""), true);
        check((E, "x.E: a", java), (E, "x.E: a", elsewhere), true);
        check((E, "E: a", python), (E, "E: a", "t.py:27: in t\n    b\nE   E: a"), true);
    }
}
