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
pub(super) fn django<'log>(log: &'log str, context: &Context<'_>) -> StatusMap<'log> {
    let late_ok = context.book.late_ok;
    let mut statuses = StatusMap::default();
    let mut previous = None;
    for line in lines(log) {
        let mut line = strip(line);
        if late_ok {
            if line.contains(VERSION_TEST) {
                statuses.set(VERSION_TEST, LoggedStatus::Passed);
            }
            if let Some(at) = line.find(" ... ") {
                previous = Some(&line[..at]);
            }
            if let Some(suffix) = [" ... ok", " ... OK", " ...  OK"].iter().find(|end| line.ends_with(*end)) {
                if line.starts_with(MIGRATION) {
                    line = line.split_once("...").map_or(line, |(_, rest)| strip(rest));
                }
                statuses.set(line.strip_suffix(suffix).unwrap_or(line), LoggedStatus::Passed);
            }
        } else if line.ends_with(" ... ok") {
            statuses.set(before(line, " ... ok"), LoggedStatus::Passed);
        }
        if line.contains(" ... skipped") {
            statuses.set(before(line, " ... skipped"), LoggedStatus::Skipped);
        }
        if line.ends_with(" ... FAIL") {
            statuses.set(before(line, " ... FAIL"), LoggedStatus::Failed);
        }
        if line.starts_with("FAIL:")
            && let Some(test) = words(line).nth(1)
        {
            statuses.set(test, LoggedStatus::Failed);
        }
        if line.ends_with(" ... ERROR") {
            statuses.set(before(line, " ... ERROR"), LoggedStatus::Error);
        }
        if line.starts_with("ERROR:")
            && let Some(test) = words(line).nth(1)
        {
            statuses.set(test, LoggedStatus::Error);
        }
        if late_ok
            && line.starts_with("ok")
            && let Some(test) = previous
        {
            statuses.set(test, LoggedStatus::Passed);
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
fn interrupted<'log>(log: &'log str, statuses: &mut StatusMap<'log>) {
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
        if !log.contains(sign) {
            continue;
        }
        for found in pattern.all(log) {
            if let Some(test) = found.get(1) {
                statuses.set(test.as_str(), LoggedStatus::Passed);
            }
        }
    }
}
