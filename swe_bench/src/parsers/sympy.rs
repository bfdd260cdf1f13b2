//! SymPy's own test runner: `test_x ok`, and `____ path.py:test_x ____` above each failure.

use super::Context;
use crate::status::{LoggedStatus, StatusMap};
use crate::text::{lines, strip, words};

/// Headers of failures first, then the lines of tests. The last test of a file (`test_x ok        [OK]`) is
/// missed, as in the official program, except where [`ends_of_files`](crate::Book::ends_of_files) holds.
pub(super) fn sympy(log: &str, context: &Context<'_>) -> StatusMap {
    let failures = lines(log).filter_map(|line| Some((header(line)?, LoggedStatus::Failed)));
    let tests = lines(log).map(strip).filter(|line| line.starts_with("test_")).filter_map(|line| {
        let status = match line {
            _ if line.ends_with(" E") => LoggedStatus::Error,
            _ if line.ends_with(" F") => LoggedStatus::Failed,
            _ if line.ends_with(" ok") => LoggedStatus::Passed,
            _ if context.book.ends_of_files && line.ends_with("[OK]") => LoggedStatus::Passed,
            _ => return None,
        };
        Some((words(line).next()?.to_owned(), status))
    });
    failures.chain(tests).collect()
}

/// `path.py:test` of a line that has `.py:` between its first and its last blank. The underscores need not be
/// there.
fn header(line: &str) -> Option<String> {
    let (first, last) = (line.find(' ')?, line.rfind(' ')?);
    let (path, test) = line.get(first + 1..last)?.rsplit_once(".py:")?;
    Some(format!("{path}.py:{test}"))
}
