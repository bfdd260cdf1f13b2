//! SymPy's runner, as SWT-Bench reads it.

use patchwright_swe_bench::pattern::Pattern;
use patchwright_swe_bench::{LoggedStatus, StatusMap};

/// The heading of a failure, below a line of underscores. Only the name of the test counts: equal names of two files are one test.
static HEADING: Pattern = Pattern::new(r"_\n_* .*\.py::?(.*) _*");
/// A test and its status.
static TEST: Pattern = Pattern::new(r"test_(\S*)\s+(E|F|ok)\s");

/// The headings of failures first, then the lines of tests, which have the last word.
///
/// Official place: `parse_log_sympy` in `src/log_parsers.py`, as of the correction that came with pull request 31.
pub(super) fn read(log: &str) -> StatusMap {
    let mut statuses: StatusMap =
        HEADING.all(log).map(|name| (name.to_owned(), LoggedStatus::Failed)).collect();
    let tests = TEST.regex().into_iter().flat_map(|regex| regex.captures_iter(log));
    for test in tests {
        let (_, [name, status]) = test.extract();
        let status = match status {
            "ok" => LoggedStatus::Passed,
            "F" => LoggedStatus::Failed,
            _ => LoggedStatus::Error,
        };
        statuses.insert(format!("test_{name}"), status);
    }
    statuses
}

#[cfg(test)]
mod tests {
    use super::*;
    use LoggedStatus::{Error, Failed, Passed};

    #[test]
    fn tests_and_headings() {
        let check = |log: &str, expect: &[(&str, LoggedStatus)]| {
            let found: Vec<(String, LoggedStatus)> = read(log).into_iter().collect();
            let expect: Vec<(String, LoggedStatus)> =
                expect.iter().map(|(name, status)| ((*name).to_owned(), *status)).collect();
            assert_eq!(found, expect, "{log}");
        };
        check(
            "test_a ok\ntest_b F\ntest_c E\ntest_d ok      [FAIL]\n",
            &[("test_a", Passed), ("test_b", Failed), ("test_c", Error), ("test_d", Passed)],
        );
        let heading = "________________\n____ pkg/tests/test_x.py:test_b ____\nTraceback\n";
        check(heading, &[("test_b", Failed)]);
        check(&format!("test_b E\n{heading}"), &[("test_b", Error)]);
        check("test_a f\ntest_b ok", &[]);
    }
}
