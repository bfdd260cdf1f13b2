//! A script in place of tests: its exit status is the verdict.

use patchwright_swe_bench::pattern::Pattern;
use patchwright_swe_bench::{LoggedStatus, StatusMap};

/// The name of the only test.
pub const SCRIPT: &str = "reproduction_script";

/// The first line `+ echo N` of the shell's own trace tells the exit status; without one there is no test.
///
/// Official place: `parse_log_reproduction_script` in `src/log_parsers.py`.
pub(super) fn read(log: &str) -> StatusMap {
    static ECHO: Pattern = Pattern::new(r"(?m)^\+ echo (\d+)$");
    let status = ECHO.groups(log).map(|[code]| match code {
        "0" => LoggedStatus::Passed,
        _ => LoggedStatus::Failed,
    });
    status.map(|status| (SCRIPT.to_owned(), status)).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_echo_counts() {
        let check = |log: &str, expect: Option<LoggedStatus>| {
            assert_eq!(read(log).get(SCRIPT).copied(), expect, "{log}");
        };
        check("+ echo 0\n0\n", Some(LoggedStatus::Passed));
        check("x\n+ echo 1\n1\n+ echo 0\n", Some(LoggedStatus::Failed));
        check("+ echo hello\n", None);
    }
}
