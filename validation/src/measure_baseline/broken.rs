//! Runs that broke off: what did not come to its turn in them would be missing for ever.

use patchwright_detection::ProjectSpec;
use patchwright_protocol::ResultsFormat;
use patchwright_sandbox::CommandLimits;
use patchwright_test_results::{TestOutcome, TestReport, is_one_of};

use crate::error::TestHarnessError;

/// The words of Surefire when the process that runs the tests is gone: it ends as for any failure.
const SUREFIRE: &[&str] = &["The forked VM terminated without", "There was an error in the forked process"];
/// The words of Ant for it, in the name of the test.
const ANT: &str = "Forked Java VM exited abnormally";
/// Words that tell that there was no more memory to have.
const NO_MEMORY: &[&str] = &[
    "java.lang.OutOfMemoryError",
    "There is insufficient memory for the Java Runtime Environment",
    "Could not reserve enough space for",
    "Cannot allocate memory",
];
/// The beginning of the ending of a run that took more than it may.
const LIMIT: &str = "its ";
/// The words of our runners as the last thing when they end with a test that hears of no limit.
const OVERDUE: &str = "Timeout (0:";
/// Lines of a log that an error shows.
const SHOWN: usize = 12;

/// Is true if a run did not come to its end, as far as what it left tells: some commands do not let their tool tell the end.
/// The tests `given` may be what breaks it off.
pub(super) fn is_broken(spec: &ProjectSpec, report: &TestReport, given: &[String]) -> bool {
    if report.build_failed() || report.timed_out {
        return false;
    }
    let killed = report.ending.starts_with("signal ") || report.ending.starts_with(LIMIT);
    let ran = !report.outcomes.is_empty() || report.unlisted_passed > 0;
    match &spec.results {
        ResultsFormat::JunitXml { .. } | ResultsFormat::JunitText if lost(report, given) => true,
        _ if report.complete => false,
        ResultsFormat::Lines => ran || killed,
        // The command is the test: a signal is a way to fail.
        ResultsFormat::ExitStatus => report.ending.starts_with(LIMIT),
        ResultsFormat::PytestText
        | ResultsFormat::UnittestText
        | ResultsFormat::JunitText
        | ResultsFormat::JunitXml { .. }
        | ResultsFormat::ToolReports(_)
        | ResultsFormat::Defects4j => killed || report.interrupted_in.is_some(),
    }
}

/// Is true if our runner ended the run, because a test did not.
pub(super) fn is_overdue(report: &TestReport) -> bool {
    report.ending == "status 1" && !report.complete && report.log.contains(OVERDUE)
}

/// Is true if the process in which Surefire or Ant run the tests was lost.
fn lost(report: &TestReport, given: &[String]) -> bool {
    let by_ant = |outcome: &TestOutcome| {
        outcome.message.as_deref().is_some_and(|message| message.contains(ANT))
            && !is_one_of(&outcome.id, given)
    };
    let by_surefire = report.ending != "status 0" && SUREFIRE.iter().any(|text| report.log.contains(text));
    by_surefire || report.outcomes.iter().any(by_ant)
}

/// The error that tells of it.
pub(super) fn error(report: TestReport) -> TestHarnessError {
    let by_limit = report.ending == "its memory limit";
    let told = NO_MEMORY.iter().find(|text| report.log.contains(**text));
    let ending = match told {
        _ if by_limit => format!("{} of {} MiB", report.ending, CommandLimits::default().memory_bytes >> 20),
        Some(text) => format!("{}, and told of \"{text}\"", report.ending),
        None => report.ending,
    };
    let lines: Vec<&str> = report.log.lines().collect();
    TestHarnessError::BrokeOff {
        ending,
        running: report.interrupted_in,
        came: report.outcomes.len() + report.unlisted_passed,
        no_memory: by_limit || told.is_some(),
        log: lines[lines.len().saturating_sub(SHOWN)..].join("\n"),
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use patchwright_protocol::Actionable;
    use patchwright_protocol::TestId;

    use super::*;
    use patchwright_detection::AdapterKind;
    use patchwright_test_results::TestStatus;

    fn spec(results: ResultsFormat) -> ProjectSpec {
        ProjectSpec::new(AdapterKind::Custom, None, "run".to_owned(), results)
    }

    fn report(complete: bool, ending: &str, log: &str, message: &str) -> TestReport {
        let outcome = TestOutcome::new("a.B::c", TestStatus::Error).with_message(message);
        let outcomes = vec![outcome];
        TestReport { outcomes, complete, ending: ending.to_owned(), ..TestReport::empty(log.to_owned()) }
    }

    #[test]
    fn what_broke_off_and_what_only_failed() {
        let check = |results: ResultsFormat, report: &TestReport, expect: bool| {
            let name = results.to_string();
            assert_eq!(
                is_broken(&spec(results), report, &["a.D::e".to_owned()]),
                expect,
                "{name} {report:?}"
            );
        };
        let xml = || ResultsFormat::JunitXml { glob: "*.xml".to_owned() };
        check(ResultsFormat::Lines, &report(true, "status 1", "", ""), false);
        check(ResultsFormat::Lines, &report(true, "signal 11", "", ""), false);
        check(ResultsFormat::Lines, &report(false, "status 0", "", ""), true);
        check(ResultsFormat::Lines, &report(false, "its memory limit", "", ""), true);
        check(ResultsFormat::Lines, &TestReport::empty(String::new()), false);
        // Not every tool is asked to tell its end.
        check(ResultsFormat::PytestText, &report(false, "status 1", "", ""), false);
        check(ResultsFormat::PytestText, &report(false, "signal 11", "", ""), true);
        let running =
            TestReport { interrupted_in: Some(TestId::new("x")), ..report(false, "status 0", "", "") };
        check(ResultsFormat::PytestText, &running, true);
        check(ResultsFormat::ExitStatus, &report(false, "signal 11", "", ""), false);
        check(ResultsFormat::ExitStatus, &report(false, "its memory limit", "", ""), true);
        // The tool goes on without the process that ran the tests.
        let gone = "[ERROR] The forked VM terminated without saying properly goodbye. VM crash or System.exit called?";
        check(xml(), &report(true, "status 1", gone, ""), true);
        check(xml(), &report(true, "status 0", gone, ""), false);
        check(xml(), &report(true, "status 1", "BUILD FAILURE", "x"), false);
        let abnormal =
            "Forked Java VM exited abnormally. Please note the time in the report does not reflect it";
        check(xml(), &report(true, "status 0", "", abnormal), true);
        assert!(!is_broken(&spec(xml()), &report(true, "status 0", "", abnormal), &["a.B::c".to_owned()]));
    }

    #[test]
    fn the_cause_is_told() {
        let check = |report: TestReport, expect: &str| {
            let error = error(report);
            assert!(error.to_string().contains(expect), "{error}");
            assert!(error.hint().is_some());
        };
        check(
            report(false, "its memory limit", "", ""),
            "ended with its memory limit of 4096 MiB after 1 test",
        );
        let no_memory = "x\njava.lang.OutOfMemoryError: Java heap space";
        check(
            report(false, "status 3", no_memory, ""),
            "status 3, and told of \"java.lang.OutOfMemoryError\"",
        );
        let running =
            TestReport { interrupted_in: Some(TestId::new("x")), ..report(false, "status 0", "", "") };
        check(running, "while `x` was running");
    }
}
