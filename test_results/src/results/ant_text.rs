//! The console of Ant's junit task, with its `plain` and its `brief` formatter.

use std::collections::BTreeMap;

use patchwright_protocol::TestId;
use patchwright_syntax::pattern::{Pattern, pattern};

use super::ParsedResults;
use crate::outcome::{Outcomes, TestOutcome, TestStatus};

static SUITE: Pattern = pattern!(r"^(?:Testsuite:|Running) ([\w.$]+)\s*$");
static COUNTS: Pattern =
    pattern!(r"^Tests run: (\d+), Failures: (\d+), Errors: (\d+)(?:, Skipped: (\d+))?, Time elapsed: ");
static SUITE_END: Pattern = pattern!(r"^Test [\w.$]+ FAILED");
/// `brief` tells the class and the end on one line.
static BRIEF: Pattern =
    pattern!(r"^Testcase: (?:(.+)\(([\w.$]+)\)|([\w.$]+)):\s*(FAILED|Caused an ERROR|SKIPPED)(?:: (.*))?$");
/// `plain` tells the end on the next line, if it is not a success.
static PLAIN: Pattern = pattern!(r"^Testcase: (.+) took [\d.,]+ sec\s*$");
static PLAIN_END: Pattern = pattern!(r"^\t(FAILED|Caused an ERROR|SKIPPED)(?:: (.*))?$");
static EXCEPTION: Pattern =
    pattern!(r"^(?:[\w$]+\.)+[\w$]*(?:Exception|Error|Failure|Throwable)[\w$]*(?::|\s*$)");

/// Is true if a text comes from Ant.
pub(super) fn is_ant(text: &str) -> bool {
    text.lines().any(|line| line.trim_start().starts_with("[junit] "))
}

pub(super) fn read(text: &str) -> ParsedResults {
    let mut reader = Reader::default();
    for line in text.lines() {
        if let Some(line) = line.trim_start().strip_prefix("[junit]") {
            reader.line(line.strip_prefix(' ').unwrap_or(line));
        } else if line.starts_with("BUILD ") {
            reader.parsed_end = true;
        }
    }
    reader.finish()
}

#[derive(Default)]
struct Reader {
    suite: String,
    /// Of each suite how many tests passed, by its counts.
    passed: BTreeMap<String, usize>,
    outcomes: Outcomes,
    /// Of each suite how many passing tests were listed by name.
    listed: BTreeMap<String, usize>,
    /// The test whose lines follow; the first line is its message.
    current: Option<(TestId, TestStatus, Vec<String>)>,
    parsed_end: bool,
}

impl Reader {
    fn line(&mut self, line: &str) {
        if let Some(suite) = SUITE.captures(line) {
            self.close();
            suite[1].clone_into(&mut self.suite);
        } else if let Some(counts) = COUNTS.captures(line) {
            let number = |group: usize| {
                counts.get(group).and_then(|text| text.as_str().parse().ok()).unwrap_or(0_usize)
            };
            let others = number(2) + number(3) + number(4);
            self.passed.insert(self.suite.clone(), number(1).saturating_sub(others));
        } else if let Some(test) = BRIEF.captures(line) {
            self.close();
            let text = |group: usize| test.get(group).map_or("", |part| part.as_str());
            let id =
                if text(3).is_empty() { TestId::of_method(text(2), text(1)) } else { TestId::new(text(3)) };
            self.current = Some((id, status(text(4)), vec![text(5).to_owned()]));
        } else if let Some(test) = PLAIN.captures(line) {
            self.close();
            self.current = Some((TestId::of_method(&self.suite, &test[1]), TestStatus::Passed, Vec::new()));
        } else if SUITE_END.is_match(line) {
            self.close();
        } else if let Some((_, state, lines)) = &mut self.current {
            match PLAIN_END.captures(line).filter(|_| *state == TestStatus::Passed) {
                Some(end) => {
                    *state = status(&end[1]);
                    lines.push(end.get(2).map_or_else(String::new, |text| text.as_str().to_owned()));
                }
                // What follows a success is output of the program.
                None if *state == TestStatus::Passed => {}
                None => lines.push(line.to_owned()),
            }
        }
    }

    fn close(&mut self) {
        let Some((id, status, lines)) = self.current.take() else { return };
        let lines: Vec<&str> =
            lines.iter().map(String::as_str).filter(|line| !line.trim().is_empty()).collect();
        // Ant prints the bare message and then the exception with it.
        let trace = lines.iter().position(|line| EXCEPTION.is_match(line)).unwrap_or(0);
        let message = lines.get(trace).or(lines.first()).copied().unwrap_or_default();
        if status == TestStatus::Passed {
            *self.listed.entry(self.suite.clone()).or_default() += 1;
        }
        let trace =
            if status.is_failing() { lines[trace.min(lines.len())..].join("\n") } else { String::new() };
        self.outcomes.add(TestOutcome::new(id, status).with_message(message).with_trace(trace));
    }

    fn finish(mut self) -> ParsedResults {
        self.close();
        let listed = |suite: &String| self.listed.get(suite).copied().unwrap_or(0);
        let unlisted = self.passed.iter().map(|(suite, passed)| passed.saturating_sub(listed(suite)));
        ParsedResults {
            unlisted_passed: unlisted.sum(),
            outcomes: self.outcomes,
            complete: self.parsed_end,
            ..ParsedResults::default()
        }
    }
}

fn status(word: &str) -> TestStatus {
    match word {
        "FAILED" => TestStatus::Failed,
        "SKIPPED" => TestStatus::Skipped,
        _ => TestStatus::Error,
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    fn failing(text: &str) -> (ParsedResults, Vec<(String, TestStatus, String)>) {
        let parsed = read(text);
        let outcomes = parsed.outcomes.clone().into_sorted();
        let failing = outcomes
            .into_iter()
            .filter(|test| test.status != TestStatus::Passed)
            .map(|test| (test.id.to_string(), test.status, test.message.unwrap_or_default()))
            .collect();
        (parsed, failing)
    }

    #[test]
    fn both_formatters_tell_the_same() {
        let (plain, failing_plain) = failing(include_str!("../../tests/captured/console/ant_plain.txt"));
        let (brief, failing_brief) = failing(include_str!("../../tests/captured/console/ant_brief.txt"));
        assert_eq!(failing_plain, failing_brief);
        let expect = [
            (
                "shop.BasketTest::firstOfEmptyBasket",
                TestStatus::Error,
                "java.lang.IndexOutOfBoundsException: Index 0 out of bounds for length 0",
            ),
            ("shop.BasketTest::later", TestStatus::Skipped, "not decided yet"),
            (
                "shop.BasketTest::totalAddsEveryPrice",
                TestStatus::Failed,
                "junit.framework.AssertionFailedError: total of 3 and 4 expected:<7> but was:<4>",
            ),
            ("shop.BrokenSetupTest", TestStatus::Error, "java.lang.IllegalStateException: no database"),
            (
                "shop.OldStyleTest::testTotal",
                TestStatus::Failed,
                "junit.framework.AssertionFailedError: expected:<5> but was:<0>",
            ),
            (
                "shop.RoundingTest::rounds[2: 2.5 (as int) = 2]",
                TestStatus::Failed,
                "junit.framework.AssertionFailedError: expected:<2> but was:<3>",
            ),
        ];
        let expect: Vec<_> =
            expect.iter().map(|(id, status, text)| ((*id).to_owned(), *status, (*text).to_owned())).collect();
        assert_eq!(failing_plain, expect);
        assert_eq!((plain.outcomes.len(), plain.unlisted_passed, plain.complete), (11, 0, true));
        assert_eq!((brief.outcomes.len(), brief.unlisted_passed, brief.complete), (6, 5, true));
    }

    #[test]
    fn summaries_alone_and_cut_output() {
        // With the XML formatter the console has only counts.
        let (parsed, failing_tests) = failing(include_str!("../../tests/captured/console/ant_xml.txt"));
        assert_eq!((failing_tests.len(), parsed.unlisted_passed, parsed.complete), (0, 5, true));
        let (parsed, failing_tests) = failing("  [junit] Testcase: a(b.C):\tFAILED\n  [junit] x\n");
        assert_eq!((failing_tests.len(), parsed.complete), (1, false));
    }
}
