//! The part of a log that is the output of the tests.

use super::pattern::Pattern;
use super::rules::Book;
use super::signs::TIMEOUT;

/// Before the output of the tests.
pub(super) const START: &str = ">>>>> Start Test Output";
/// After it.
pub(super) const END: &str = ">>>>> End Test Output";
/// Before the status with which the command of the tests ended (v5).
pub(super) const EXIT_CODE: &str = ">>>>> Test Exit Code";
/// That the model's patch could not be applied.
pub(super) const PATCH_FAILED: &str = ">>>>> Patch Apply Failed";
/// That the model's patch was applied, before the output of the tests (v1).
const APPLIED_PREDICTION: &str = ">>>>> Applied Patch (pred)";
/// That a patch was applied: the log's own line (v1) or that of `git apply -v` (2.0).
const APPLIED: &str = "applied patch";

/// The reason why a log holds no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoResult {
    /// The log says that the model's patch could not be applied.
    PatchFailed,
    /// The log says that the repository could not be reset or installed, or that the tests broke off.
    RunFailed,
    /// The log says that the tests took too long.
    TimedOut,
    /// The marks around the output of the tests are missing: it never began, or never ended.
    NoMarkers,
    /// The marks are missing, but the rules of 1.x find tests: the log is one of 1.x or 2.0 (v4, v5).
    OfVersion1,
    /// Nothing was found, and nothing shows that tests ran (v5).
    NothingRan,
    /// The command of the tests failed, but no test did: statuses were printed by something else (v5).
    ExitCodeDisagrees,
}

impl NoResult {
    /// A sentence for people.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::PatchFailed => "the patch could not be applied",
            Self::RunFailed => "the run failed before or while it tested",
            Self::TimedOut => "the tests took too long",
            Self::NoMarkers => "the log has no complete output of tests",
            Self::OfVersion1 => "the log is in the form of SWE-bench 1.x, which only the rules v1 read",
            Self::NothingRan => "nothing shows that tests ran",
            Self::ExitCodeDisagrees => "the tests' command failed although no test did",
        }
    }
}

/// The output of the tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Output<'log> {
    /// The part that is read first.
    pub tests: &'log str,
    /// The part that is read when nothing is found there.
    pub whole: &'log str,
}

/// Finds the output of the tests.
///
/// A log with both marks is cut at them. One without any is of 1.x or 2.0 and is cut where the patch was
/// applied; the rules of v4 and v5 know no such logs.
pub(super) fn output<'log>(log: &'log str, book: &Book) -> Result<Output<'log>, NoResult> {
    for (sign, reason) in [
        (PATCH_FAILED, NoResult::PatchFailed),
        (">>>>> Reset Failed", NoResult::RunFailed),
        (">>>>> Tests Errored", NoResult::RunFailed),
        (">>>>> Tests Timed Out", NoResult::TimedOut),
    ] {
        if contains(log, sign) {
            return Err(reason);
        }
    }
    let (start, end) = (position(log, START), position(log, END));
    if let (Some(start), Some(_)) = (start, end) {
        let tests = &log[start + START.len()..];
        let tests = position(tests, START).map_or(tests, |at| &tests[..at]);
        let tests = position(tests, END).map_or(tests, |at| &tests[..at]);
        return Ok(Output { tests, whole: log });
    }
    // Newer rules know no log without both marks.
    if start.is_some() || end.is_some() || !book.reads_applied_patch {
        return Err(unfinished(log));
    }
    for sign in [">>>>> Init Failed", "Failed to reset task environment"] {
        if contains(log, sign) {
            return Err(NoResult::RunFailed);
        }
    }
    let applied = log.rfind(APPLIED_PREDICTION).map(|at| at + APPLIED_PREDICTION.len());
    // 1.x names each patch that it applied, so that a log of it without the model's is not finished.
    let of_git = !contains(log, ">>>>> Applied Patch");
    let from = match applied {
        None if of_git && log.to_lowercase().contains(APPLIED) => Some(0),
        Some(_) | None => applied,
    };
    let tests = &log[from.ok_or_else(|| unfinished(log))?..];
    Ok(Output { tests, whole: log })
}

/// Is true if the official program ended the tests because they took too long: it says so at the end of the log, and then writes
/// no report, whatever stands before.
pub(super) fn ends_in_timeout(log: &str) -> bool {
    let last = log.trim_end().rsplit('\n').next().unwrap_or_default();
    last.starts_with("Timeout error: ") && TIMEOUT.finds(last)
}

fn unfinished(log: &str) -> NoResult {
    if TIMEOUT.finds(log) { NoResult::TimedOut } else { NoResult::NoMarkers }
}

/// The status with which the command of the tests ended, where the log tells it.
pub(super) fn exit_code(log: &str) -> Option<i64> {
    static CODE: Pattern = Pattern::new(r">>>>> Test Exit Code:\s*(-?\d+)");
    let [code] = CODE.groups(&log[position(log, EXIT_CODE)?..])?;
    // A number that does not fit is not zero either.
    Some(code.parse().unwrap_or(i64::MAX))
}

/// Is true if something shows that a test tool ran at least one test. A count of zero shows nothing: Karma says
/// `Executed 0 of 0` when its browser is lost.
pub(super) fn shows_tests(log: &str) -> bool {
    static SIGNS: [Pattern; 8] = [
        Pattern::new(r"Executed [1-9]\d* of \d+"),
        Pattern::new(r"TOTAL: [1-9]\d* (?:SUCCESS|FAILED)"),
        Pattern::new(r"[1-9]\d* passing"),
        Pattern::new(r"Tests:\s+[1-9]"),
        Pattern::new(r"Test Suites:\s+(?:\d+ \w+, )*[1-9]\d* total"),
        Pattern::new(r"(?m)^# tests [1-9]"),
        Pattern::new(r"[1-9]\d* specs?, \d+ failures?"),
        // OpenLayers' comparison of pictures says this of each that is equal, and nothing else when all are.
        Pattern::new(r"(?m)': ok$"),
    ];
    SIGNS.iter().any(|sign| sign.finds(log))
}

/// Is true if the log of a run says that the patch could not be applied. What stands behind the word that it was may be its own text.
pub(super) fn says_patch_failed(log: &str) -> bool {
    let failed = position(log, PATCH_FAILED);
    failed.is_some_and(|failed| position(log, ">>>>> Applied Patch").is_none_or(|applied| failed < applied))
}

/// Is true if the log says that the test patch of the case could not be applied. No rules look at it; people
/// should.
pub(super) fn test_patch_failed(log: &str) -> bool {
    static FAILED: Pattern = Pattern::new(
        r"(?m)^error: (?:patch failed: |.*: (?:patch does not apply|already exists in|No such file)|corrupt patch)",
    );
    let before = position(log, START).map_or("", |at| &log[..at]);
    position(before, "git apply ").is_some_and(|at| FAILED.finds(&before[at..]))
}

fn position(text: &str, what: &str) -> Option<usize> {
    memchr::memmem::find(text.as_bytes(), what.as_bytes())
}

fn contains(text: &str, what: &str) -> bool {
    position(text, what).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_does_not_say_that_it_could_not_be_applied() {
        assert!(says_patch_failed("2024-01-01 - INFO - >>>>> Patch Apply Failed:\nerror: x"));
        assert!(says_patch_failed(">>>>> Patch Apply Failed:\n+# >>>>> Applied Patch"));
        assert!(!says_patch_failed(">>>>> Applied Patch:\nGit diff before:\n+# >>>>> Patch Apply Failed"));
        assert!(!says_patch_failed("a container is missing"));
    }
}
