//! The output of `defects4j test` (`Failing tests: 2` and a list) and its files (`failing_tests` with traces, `all_tests`).

use patchwright_protocol::TestId;
use patchwright_syntax::pattern::{Pattern, pattern};

use super::{ParsedResults, ReportFile};
use crate::outcome::{Outcomes, TestOutcome, TestStatus};

/// The files it writes into the root of the project.
pub(super) const FILES: &str = "{failing_tests,all_tests}";

static COUNT: Pattern = pattern!(r"^Failing tests: (\d+)\s*$");
static NAME: Pattern = pattern!(r"^\s+- (\S.*?)\s*$");
static STARTED: Pattern = pattern!(r"^(\S+?)\((\S+)\)$");

pub(super) fn read(stdout: &str, files: &[ReportFile]) -> ParsedResults {
    let mut outcomes = Outcomes::default();
    let mut blocks: Vec<(&str, Vec<&str>)> = Vec::new();
    let named = |name: &str| files.iter().find(|file| file.path == name).map(|file| file.text.as_str());
    for line in named("failing_tests").unwrap_or_default().lines() {
        match line.strip_prefix("--- ") {
            Some(name) => blocks.push((name.trim(), Vec::new())),
            // What stands before the first name is a comment.
            None => blocks.last_mut().into_iter().for_each(|(_, trace)| trace.push(line)),
        }
    }
    for (name, trace) in blocks {
        let message = trace.first().copied().unwrap_or_default();
        let outcome = TestOutcome::new(name, TestStatus::Failed).with_message(message);
        outcomes.add(outcome.with_trace(trace.join("\n")));
    }
    let mut lines = stdout.lines().skip_while(|line| !COUNT.is_match(line));
    let complete = lines.next().is_some();
    for name in lines.map_while(|line| NAME.captures(line)) {
        outcomes.add(TestOutcome::new(&name[1], TestStatus::Failed));
    }
    let started = named("all_tests").unwrap_or_default().lines().filter_map(|line| STARTED.captures(line));
    for test in started {
        outcomes.add(TestOutcome::new(TestId::of_method(&test[2], &test[1]), TestStatus::Passed));
    }
    ParsedResults { outcomes, complete, ..ParsedResults::default() }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn list_traces_and_started_tests() {
        let file = |path: &str, text: &str| ReportFile { path: path.to_owned(), text: text.to_owned() };
        let parsed = read(
            "Running ant (compile.tests)... OK\nFailing tests: 2\n  - org.x.A::testOne\n  - org.x.B\n",
            &[
                file("all_tests", "testOne(org.x.A)\ntestTwo(org.x.A)\n"),
                file(
                    "failing_tests",
                    "## broken ##\n--- org.x.A::testOne\njunit.framework.AssertionFailedError: expected:<1> but was:<2>\n\tat org.x.A.testOne(A.java:3)\n--- org.x.B\njava.lang.NoClassDefFoundError: y\n",
                ),
            ],
        );
        assert!(parsed.complete);
        let outcomes = parsed.outcomes.into_sorted();
        let short: Vec<_> = outcomes.iter().map(|outcome| (outcome.id.as_str(), outcome.status)).collect();
        assert_eq!(
            short,
            [
                ("org.x.A::testOne", TestStatus::Failed),
                ("org.x.A::testTwo", TestStatus::Passed),
                ("org.x.B", TestStatus::Failed)
            ]
        );
        assert_eq!(
            outcomes[0].message.as_deref(),
            Some("junit.framework.AssertionFailedError: expected:<1> but was:<2>")
        );
        assert!(outcomes[0].trace.as_deref().unwrap().contains("A.java:3"));
    }

    #[test]
    fn nothing_failed_or_nothing_was_run() {
        assert!(read("Failing tests: 0\n", &[]).complete);
        assert!(!read("BUILD FAILED\n", &[]).complete);
    }
}
