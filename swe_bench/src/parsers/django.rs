//! Django's test runner with `--verbosity 2`: `test_x (module.Class) ... ok`.

use super::Context;
use crate::pattern::Pattern;
use crate::status::{LoggedStatus, StatusMap};
use crate::text::{lines, strip, words};

/// A test that prints this over several lines.
const VERSION_TEST: &str = "--version is equivalent to version";
/// A migration's message that runs into the name of the test.
const MIGRATION: &str = "Applying sites.0002_alter_domain_unique...test_no_migrations";

/// All rules apply to each line in their order, and each may overwrite what an earlier one said.
pub(super) fn django(log: &str, context: &Context<'_>) -> StatusMap {
    let late_ok = context.book.late_ok;
    let mut statuses = StatusMap::default();
    let mut set = |test: &str, status| _ = statuses.insert(test.to_owned(), status);
    let mut previous = None;
    for line in lines(log) {
        let mut line = strip(line);
        if late_ok {
            if line.contains(VERSION_TEST) {
                set(VERSION_TEST, LoggedStatus::Passed);
            }
            if let Some(at) = line.find(" ... ") {
                previous = Some(&line[..at]);
            }
            if let Some(suffix) = [" ... ok", " ... OK", " ...  OK"].iter().find(|end| line.ends_with(*end)) {
                if line.starts_with(MIGRATION) {
                    line = line.split_once("...").map_or(line, |(_, rest)| strip(rest));
                }
                set(line.strip_suffix(suffix).unwrap_or(line), LoggedStatus::Passed);
            }
        } else if line.ends_with(" ... ok") {
            set(before(line, " ... ok"), LoggedStatus::Passed);
        }
        if line.contains(" ... skipped") {
            set(before(line, " ... skipped"), LoggedStatus::Skipped);
        }
        for (end, start, status) in
            [(" ... FAIL", "FAIL:", LoggedStatus::Failed), (" ... ERROR", "ERROR:", LoggedStatus::Error)]
        {
            if line.ends_with(end) {
                set(before(line, end), status);
            }
            if line.starts_with(start)
                && let Some(test) = words(line).nth(1)
            {
                set(test, status);
            }
        }
        if late_ok
            && line.starts_with("ok")
            && let Some(test) = previous
        {
            set(test, LoggedStatus::Passed);
        }
    }
    if late_ok {
        interrupted(log, &mut statuses);
    }
    statuses
}

fn before<'line>(line: &'line str, what: &str) -> &'line str {
    line.find(what).map_or(line, |at| &line[..at])
}

/// Tests whose line was interrupted by one of three messages, and whose `ok` stands on a line of its own.
fn interrupted(log: &str, statuses: &mut StatusMap) {
    static INSTALLED: Pattern =
        Pattern::new(r"(?m)^(.*?)\s\.\.\.\sTesting against Django installed in (?s:.*?) silenced\)\.\nok$");
    static SERVER_ERROR: Pattern = Pattern::new(r"(?m)^(.*?)\s\.\.\.\sInternal Server Error: /.*/\nok$");
    static CHECKED: Pattern =
        Pattern::new(r"(?m)^(.*?)\s\.\.\.\sSystem check identified no issues \(0 silenced\)\nok$");
    for (sign, pattern) in [
        ("Testing against Django installed in ", &INSTALLED),
        ("Internal Server Error: /", &SERVER_ERROR),
        ("System check identified no issues (0 silenced)\nok", &CHECKED),
    ] {
        if log.contains(sign) {
            statuses.extend(pattern.all(log).map(|test| (test.to_owned(), LoggedStatus::Passed)));
        }
    }
}
