//! The console of JUnit: JUnitCore of version 4 and the text runner of version 3. Only failures are named; of the
//! others the number is told.

use patchwright_protocol::TestId;
use patchwright_syntax::pattern::{Pattern, pattern};

use super::ParsedResults;
use crate::outcome::{TestOutcome, TestStatus};

static TIME: Pattern = pattern!(r"^Time: [\d.,]+\s*$");
static THERE: Pattern = pattern!(r"^There (?:was|were) \d+ (?:failure|error)s?:\s*$");
/// `3) name(class)`, with the message on the same line in version 3; `4) class` for what failed as a whole.
static ENTRY: Pattern = pattern!(r"^(\d+)\) (?:(\S.*?)\(([\w.$]+)\)|([\w.$]+)\s*$)(.*)$");
static ALL_PASSED: Pattern = pattern!(r"^OK \((\d+) tests?\)\s*$");
static COUNTS: Pattern = pattern!(r"^Tests run: (\d+),\s+Failures: (\d+)(?:,\s+Errors: (\d+))?\s*$");

pub(super) fn read(text: &str) -> ParsedResults {
    let mut parsed = ParsedResults::default();
    let mut lines = text.lines().peekable();
    // A command may start JUnit several times. Only what follows the line with the time is its report.
    while let Some(line) = lines.next() {
        if !TIME.is_match(line) {
            continue;
        }
        let mut report = Report::default();
        while let Some(line) = lines.next_if(|line| !TIME.is_match(line)) {
            report.line(line);
        }
        report.finish(&mut parsed);
    }
    parsed
}

/// A failure: the test, true if JUnit counts it as run, and the text that follows.
type Entry<'a> = (TestId, bool, Vec<&'a str>);

/// One report, read line by line.
#[derive(Default)]
struct Report<'a> {
    entries: Vec<Entry<'a>>,
    /// The number of the next entry, while a list of failures is read.
    next: Option<usize>,
    run: Option<usize>,
    failed: usize,
}

impl<'a> Report<'a> {
    fn line(&mut self, line: &'a str) {
        if THERE.is_match(line) {
            self.next = Some(1);
        } else if let Some(counts) = ALL_PASSED.captures(line).or_else(|| COUNTS.captures(line)) {
            let number = |group: usize| counts.get(group).and_then(|text| text.as_str().parse().ok());
            self.run = number(1);
            self.failed = number(2).unwrap_or(0_usize) + number(3).unwrap_or(0);
            self.next = None;
        } else if line.starts_with("FAILURES!!!") {
            self.next = None;
        } else if let Some(next) = self.next {
            match entry(line, next) {
                Some(entry) => {
                    self.entries.push(entry);
                    self.next = Some(next + 1);
                }
                None => self.entries.last_mut().into_iter().for_each(|(_, _, lines)| lines.push(line)),
            }
        }
    }

    fn finish(self, parsed: &mut ParsedResults) {
        if let Some(run) = self.run {
            parsed.complete = true;
            parsed.unlisted_failed += self.failed.saturating_sub(self.entries.len());
            parsed.unlisted_passed +=
                run.saturating_sub(self.entries.iter().filter(|(_, run, _)| *run).count());
        }
        for (id, _, lines) in self.entries {
            let status = if asserts(&lines) { TestStatus::Failed } else { TestStatus::Error };
            let message = lines.first().copied().unwrap_or_default();
            let outcome = TestOutcome::new(id, status);
            parsed.outcomes.add(outcome.with_message(message).with_trace(lines.join("\n").trim_end()));
        }
    }
}

/// Reads the head of an entry if it has the expected number; what a program prints may look like one too.
fn entry(line: &str, number: usize) -> Option<Entry<'_>> {
    let found = ENTRY.captures(line).filter(|found| found[1].parse() == Ok(number))?;
    let text = |group| found.get(group).map_or("", |part| part.as_str());
    let lines = Some(text(5)).filter(|rest| !rest.trim().is_empty()).into_iter().collect();
    Some(match (text(2), text(3)) {
        ("", _) => (TestId::new(text(4)), false, lines),
        ("initializationError", class) => (TestId::new(class), true, lines),
        (method, class) => (TestId::of_method(class, method), true, lines),
    })
}

/// Is true if the exception is an assertion that did not hold; version 4 does not tell the two apart itself.
fn asserts(lines: &[&str]) -> bool {
    let kind = lines.first().and_then(|line| line.split([':', ' ']).next()).unwrap_or_default();
    let name = kind.rsplit('.').next().unwrap_or_default();
    matches!(name, "AssertionError" | "AssertionFailedError" | "ComparisonFailure" | "ArrayComparisonFailure")
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    fn check(text: &str, complete: bool, unlisted: usize, expect: &[(&str, TestStatus, &str)]) {
        let parsed = read(text);
        assert_eq!((parsed.complete, parsed.unlisted_passed), (complete, unlisted), "{text}");
        let outcomes = parsed.outcomes.into_sorted();
        let short: Vec<_> = outcomes
            .iter()
            .map(|test| (test.id.as_str(), test.status, test.message.as_deref().unwrap_or_default()))
            .collect();
        assert_eq!(short, expect, "{text}");
    }

    #[test]
    fn version_4() {
        check(
            include_str!("../../tests/captured/console/junit_console.txt"),
            true,
            5,
            &[
                (
                    "shop.BasketTest::firstOfEmptyBasket",
                    TestStatus::Error,
                    "java.lang.IndexOutOfBoundsException: Index 0 out of bounds for length 0",
                ),
                (
                    "shop.BasketTest::totalAddsEveryPrice",
                    TestStatus::Failed,
                    "java.lang.AssertionError: total of 3 and 4 expected:<7> but was:<4>",
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
                    "java.lang.AssertionError: expected:<2> but was:<3>",
                ),
            ],
        );
        check("JUnit version 4.12\n...\nTime: 0,02\n\nOK (3 tests)\n\n", true, 3, &[]);
    }

    #[test]
    fn version_3() {
        check(
            concat!(
                ".E.F\nTime: 0.002\n",
                "There was 1 error:\n1) testA(a.B)java.lang.RuntimeException: x\n\tat a.B.testA(B.java:3)\n",
                "There was 1 failure:\n1) testB(a.B)junit.framework.AssertionFailedError: y\n",
                "\nFAILURES!!!\nTests run: 2,  Failures: 1,  Errors: 1\n",
            ),
            true,
            0,
            &[
                ("a.B::testA", TestStatus::Error, "java.lang.RuntimeException: x"),
                ("a.B::testB", TestStatus::Failed, "junit.framework.AssertionFailedError: y"),
            ],
        );
    }

    #[test]
    fn damage_and_noise() {
        // Printed by the program before the report, and inside of a trace.
        check(
            concat!(
                "There was 1 failure:\n1) fake(a.B)\n",
                "Time: 0.1\nThere were 2 failures:\n1) one(a.B)\njava.lang.Exception: z\n7) other(a.B)\n",
                "2) two(a.B)\njava.lang.Exception: z\n[… 900 bytes left out …]\n",
            ),
            false,
            0,
            &[
                ("a.B::one", TestStatus::Error, "java.lang.Exception: z"),
                ("a.B::two", TestStatus::Error, "java.lang.Exception: z"),
            ],
        );
        // Two starts of JUnit in one command; a class that cannot be loaded.
        check(
            concat!(
                "Time: 0.1\n\nOK (1 test)\n\nJUnit version 4.13\nTime: 0.1\nThere was 1 failure:\n",
                "1) initializationError(a.C)\njava.lang.Exception: No runnable methods\n\n",
                "FAILURES!!!\nTests run: 1,  Failures: 1\n",
            ),
            true,
            1,
            &[("a.C", TestStatus::Error, "java.lang.Exception: No runnable methods")],
        );
        check("", false, 0, &[]);
    }
}
