//! The text of `pytest -rA`: the short summary at its end, the lines of `-v`, the sections with tracebacks.

use std::collections::BTreeSet;

use patchwright_protocol::TestId;
use patchwright_syntax::pattern::{Pattern, pattern};

use super::{ParsedResults, pytest_sections};
use crate::outcome::{Outcomes, TestOutcome, TestStatus};

static SUMMARY: Pattern = pattern!(r"^=+ short test summary info =+\s*$");
static HEADER: Pattern = pattern!(r"^={3,} .* ={3,}\s*$");
/// The last line, with or without its frame of `=`.
static TOTALS: Pattern = pattern!(
    r"^(?:=+ )?((?:\d+ [a-z]+(?: [a-z]+)?, )*\d+ [a-z]+(?: [a-z]+)?|no tests ran|no tests collected.*?) in [\d.]+ ?s(?: \([\d:]+\))?(?: =+)?\s*$"
);
static TOTAL: Pattern = pattern!(r"(\d+) (passed|failed|errors?)(?:,| in )");
static CUT: Pattern = pattern!(r"^\[… \d+ bytes left out …\]$");
static VERBOSE: Pattern = pattern!(
    r"^(\S+?\.py(?:::.+?)?) (PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)(?: \(.*\))?(?:\s+\[ *\d+%\])?\s*$"
);
static BEGUN: Pattern = pattern!(r"^(\S+?\.py::.+?) $");
static SKIPPED_PLACE: Pattern = pattern!(r"^\[\d+\] ");

pub(super) fn read(text: &str) -> ParsedResults {
    let lines: Vec<&str> = text.lines().collect();
    let totals = lines.iter().rposition(|line| TOTALS.is_match(line));
    // What the program prints may hold such a header too; the real one comes last.
    // Where it was left out with the middle of a long text, what follows the gap can only be the summary's rest.
    let summary = lines
        .iter()
        .rposition(|line| SUMMARY.is_match(line))
        .or_else(|| lines.iter().rposition(|line| CUT.is_match(line)).filter(|_| totals.is_some()));
    let first_section =
        lines.iter().position(|line| HEADER.is_match(line) && !line.contains("test session starts"));

    let mut verbose = Vec::new();
    let mut interrupted_in = None;
    for line in &lines[..first_section.unwrap_or(lines.len())] {
        interrupted_in = None;
        if let Some(found) = VERBOSE.captures(line) {
            verbose.push((TestOutcome::new(&found[1], status(&found[2])), &found[2] == "PASSED"));
        } else if let Some(found) = BEGUN.captures(line) {
            interrupted_in = Some(TestId::new(&found[1]));
        }
    }
    let known: Vec<TestId> = verbose.iter().map(|(test, _)| test.id.clone()).collect();
    let summed: Vec<(TestOutcome, bool)> = summary
        .map(|start| lines[start + 1..].iter().filter_map(|line| summary_line(line, &known)).collect())
        .unwrap_or_default();
    let failed =
        |tests: &[(TestOutcome, bool)]| tests.iter().filter(|(test, _)| test.status.is_failing()).count();
    let listed_failed = failed(&summed).max(failed(&verbose));
    let passed: BTreeSet<&TestId> =
        verbose.iter().chain(&summed).filter(|(_, passed)| *passed).map(|(test, _)| &test.id).collect();
    let listed_passed = passed.len();

    let mut outcomes: Outcomes = summed.iter().map(|(test, _)| test.clone()).collect();
    // The summary knows more of a test that it names.
    let others: Vec<_> =
        verbose.into_iter().filter(|(test, _)| outcomes.get_mut(&test.id).is_none()).collect();
    outcomes.extend(others.into_iter().map(|(test, _)| test));
    let named: Vec<&TestId> =
        summed.iter().filter(|(test, _)| test.status.is_failing()).map(|(test, _)| &test.id).collect();
    let first = first_section.unwrap_or(lines.len());
    let sections = &lines[first..summary.unwrap_or(lines.len()).max(first)];
    for (id, trace) in pytest_sections::traces(sections, &named) {
        // Of several subtests the first tells.
        let Some(outcome) = outcomes.get_mut(&id).filter(|outcome| outcome.trace.is_none()) else { continue };
        outcome.message = pytest_sections::message(&trace).or_else(|| outcome.message.take());
        outcome.trace = Some(trace);
    }

    let interrupted_in = interrupted_in.filter(|_| totals.is_none());
    if let Some(id) = &interrupted_in {
        outcomes.add(TestOutcome::cut_off(id.as_str()));
    }
    let (total_passed, total_failed) = totals.map(|line| counts(lines[line])).unwrap_or_default();
    ParsedResults {
        outcomes,
        unlisted_passed: total_passed.saturating_sub(listed_passed),
        unlisted_failed: total_failed.saturating_sub(listed_failed),
        interrupted_in,
        complete: totals.is_some(),
        ..ParsedResults::default()
    }
}

/// The number of tests that passed, and of those that failed or were in error, by the last line.
fn counts(totals: &str) -> (usize, usize) {
    let mut counts = (0, 0);
    for found in TOTAL.captures_iter(totals) {
        let number: usize = found[1].parse().unwrap_or(0);
        if &found[2] == "passed" {
            counts.0 += number;
        } else {
            counts.1 += number;
        }
    }
    counts
}

fn status(word: &str) -> TestStatus {
    match word {
        "PASSED" | "XPASS" => TestStatus::Passed,
        "SKIPPED" | "XFAIL" => TestStatus::Skipped,
        "FAILED" => TestStatus::Failed,
        _ => TestStatus::Error,
    }
}

/// Reads a line of the short summary: `FAILED id - message`, `SUBFAILED(i=1) id - message`. Also tells whether pytest
/// counts the test among those that passed.
fn summary_line(line: &str, known: &[TestId]) -> Option<(TestOutcome, bool)> {
    let (word, rest) = line.split_once(' ')?;
    let (word, rest) = if word.starts_with("SUBFAIL") {
        // The description of a subtest may hold spaces; the id begins with the path of a file.
        let start = rest.find(".py::").map(|end| rest[..end].rfind(' ').map_or(0, |space| space + 1))?;
        ("FAILED", &rest[start..])
    } else {
        (word, rest)
    };
    if !matches!(word, "PASSED" | "FAILED" | "ERROR" | "XFAIL" | "XPASS" | "SKIPPED") || !rest.contains(".py")
    {
        return None;
    }
    // Skipped tests are told by place, unless asked otherwise.
    if word == "SKIPPED" && SKIPPED_PLACE.is_match(rest) {
        return None;
    }
    let (id, message) = split(rest, known);
    Some((TestOutcome::new(id, status(word)).with_message(message), word == "PASSED"))
}

/// Splits an id from the message behind it. Parameters may hold the separator too, so ids seen elsewhere come first.
fn split<'a>(rest: &'a str, known: &[TestId]) -> (&'a str, &'a str) {
    let seen = known
        .iter()
        .map(TestId::as_str)
        .filter(|id| rest.strip_prefix(id).is_some_and(|tail| tail.is_empty() || tail.starts_with(" - ")))
        .max_by_key(|id| id.len());
    let end = seen.map(str::len).or_else(|| {
        let file = rest.find(".py")?;
        let parameters = rest[file..].find('[').map(|start| file + start);
        let plain = rest[file..].find(" - ").map(|start| file + start);
        match (parameters, plain) {
            (Some(open), Some(separator)) if open < separator => {
                rest[open..].find("] - ").map(|close| open + close + 1)
            }
            (_, separator) => separator,
        }
    });
    match end {
        Some(end) => (&rest[..end], rest[end..].strip_prefix(" - ").unwrap_or_default()),
        None => (rest.trim_end(), ""),
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    fn short(text: &str) -> (ParsedResults, Vec<(String, TestStatus)>) {
        let parsed = read(text);
        let short = parsed.outcomes.clone().into_sorted().into_iter();
        let short =
            short.map(|test| (test.id.to_string().replace("tests/test_basket.py::", ""), test.status));
        let short = short.collect();
        (parsed, short)
    }

    #[test]
    fn everything_that_can_happen_to_a_test() {
        let (parsed, tests) = short(include_str!("../../tests/captured/pytest/v_short.txt"));
        let tests: Vec<_> = tests.iter().map(|(id, status)| (id.as_str(), *status)).collect();
        assert_eq!(
            tests,
            [
                ("TestGroup::TestInner::test_deep", TestStatus::Failed),
                ("TestOld::test_sub", TestStatus::Failed),
                ("test_empty", TestStatus::Passed),
                ("test_known", TestStatus::Skipped),
                ("test_later", TestStatus::Skipped),
                ("test_leaky", TestStatus::Error),
                ("test_load[[1, 2]]", TestStatus::Passed),
                ("test_load[[x]", TestStatus::Failed),
                ("test_load[\\xe4\\n]", TestStatus::Failed),
                ("test_load[a b - c]", TestStatus::Failed),
                ("test_object", TestStatus::Failed),
                ("test_strict_surprise", TestStatus::Failed),
                ("test_surprise", TestStatus::Passed),
                ("test_total", TestStatus::Failed),
                ("test_uses_broken", TestStatus::Error),
                ("tests/test_import.py", TestStatus::Error),
                ("tests/test_syntax.py", TestStatus::Error),
            ]
        );
        assert!(parsed.complete);
        assert_eq!((parsed.interrupted_in, parsed.unlisted_passed), (None, 0));
        assert_eq!(parsed.unlisted_failed, 0);
        let check = |id: &str, message: &str, traced: &str| {
            let mut outcomes = parsed.outcomes.clone();
            let test = outcomes.get_mut(&TestId::new(id)).unwrap();
            assert_eq!(test.message.as_deref(), Some(message), "{id}");
            assert!(test.trace.as_deref().unwrap().contains(traced), "{id}: {:?}", test.trace);
        };
        check("tests/test_basket.py::test_total", "assert 4 == 7", "assert basket.total() == 7");
        check(
            "tests/test_basket.py::test_load[a b - c]",
            "json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)",
            "shop/basket.py:17: in load",
        );
        check("tests/test_basket.py::test_uses_broken", "RuntimeError: no database", "in broken");
        check(
            "tests/test_import.py",
            "ModuleNotFoundError: No module named 'nothing_here'",
            "test_import.py:1",
        );
        check("tests/test_syntax.py", "SyntaxError: invalid syntax", "def test_a(:");
        check("tests/test_basket.py::TestOld::test_sub", "AssertionError: 0 != 1", "self.assertEqual(i, 1)");
    }

    #[test]
    fn errors_at_collection_alone() {
        let (parsed, tests) = short(include_str!("../../tests/captured/pytest/rA.txt"));
        assert_eq!(
            tests,
            [
                ("tests/test_import.py".to_owned(), TestStatus::Error),
                ("tests/test_syntax.py".to_owned(), TestStatus::Error)
            ]
        );
        assert!(parsed.complete);
    }

    #[test]
    fn quiet_cut_and_hanging_runs() {
        let check = |text: &str,
                     complete: bool,
                     unlisted: usize,
                     interrupted: Option<&str>,
                     tests: &[(&str, TestStatus)]| {
            let (parsed, found) = short(text);
            let found: Vec<_> = found.iter().map(|(id, status)| (id.as_str(), *status)).collect();
            assert_eq!(found, tests, "{text}");
            assert_eq!((parsed.complete, parsed.unlisted_passed), (complete, unlisted), "{text}");
            assert_eq!(parsed.interrupted_in.as_ref().map(TestId::as_str), interrupted);
        };
        check("....\n4 passed in 0.02s\n", true, 4, None, &[]);
        check(
            ".F\n=== short test summary info ===\nFAILED t.py::test_a[x - y] - AssertionError: a - b\n1 failed, 1 passed in 75.10s (0:01:15)\n",
            true,
            1,
            None,
            &[("t.py::test_a[x - y]", TestStatus::Failed)],
        );
        check("=== no tests ran in 0.01s ===\n", true, 0, None, &[]);
        check("", false, 0, None, &[]);
        check(
            "t.py::test_a PASSED [ 50%]\nt.py::test_b ",
            false,
            0,
            Some("t.py::test_b"),
            &[("t.py::test_a", TestStatus::Passed), ("t.py::test_b", TestStatus::Error)],
        );
        check(
            "t.py::test_a PASSED [ 50%]\n[… 90 bytes left out …]\nFAILED t.py::test_c - x\n=== 1 failed, 9 passed, 2 warnings in 1.0s ===\n",
            true,
            8,
            None,
            &[("t.py::test_a", TestStatus::Passed), ("t.py::test_c", TestStatus::Failed)],
        );
    }
}
