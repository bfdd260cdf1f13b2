//! SymPy's own test runner: `test_x ok`, and `____ path.py:test_x ____` above each failure.

use super::Context;
use crate::status::{LoggedStatus, StatusMap};
use crate::text::{lines, strip, words};

/// Headers of failures first, then the lines of tests. The last test of a file (`test_x ok        [OK]`) is
/// missed, as in the official program.
pub(super) fn sympy<'log>(log: &'log str, _: &Context<'_>) -> StatusMap<'log> {
    let mut statuses = StatusMap::default();
    for line in lines(log) {
        if let Some(test) = header(line) {
            statuses.set(test, LoggedStatus::Failed);
        }
    }
    for line in lines(log) {
        let line = strip(line);
        if !line.starts_with("test_") {
            continue;
        }
        let status = match line {
            _ if line.ends_with(" E") => LoggedStatus::Error,
            _ if line.ends_with(" F") => LoggedStatus::Failed,
            _ if line.ends_with(" ok") => LoggedStatus::Passed,
            _ => continue,
        };
        if let Some(test) = words(line).next() {
            statuses.set(test, status);
        }
    }
    statuses
}

/// `path.py:test` of a line that has `.py:` between its first and its last blank. The underscores need not be
/// there.
fn header(line: &str) -> Option<String> {
    let first = line.find(' ')?;
    let last = line.rfind(' ')?;
    let between = line.get(first + 1..last)?;
    let dot = between.rfind(".py:")?;
    Some(format!("{}.py:{}", &between[..dot], &between[dot + 4..]))
}
