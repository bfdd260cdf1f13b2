//! The text of unittest, with `-v` or without, from Python 3.6 on.

use std::collections::BTreeSet;

use patchwright_protocol::TestId;
use patchwright_syntax::pattern::{Pattern, pattern};
use regex::{Captures, Regex};

use super::{ParsedResults, ReportFile};
use crate::normalize::without_escapes;
use crate::outcome::{SURPRISE, TestOutcome, TestStatus};

/// `test_a (pkg.mod.Case) ...`, since 3.11 `test_a (pkg.mod.Case.test_a) ...`, perhaps with the parameters of a subtest
/// and the first line of the docstring in between. It may begin in the middle of a line that a subtest left open.
static BEGUN: Pattern = pattern!(
    r"([A-Za-z_][\w.]*) \(([A-Za-z_][\w.]*)\)(?: \[[^\n]*?\])?(?: \([^\n]*?\))?(?:\n[^\n]+?)? \.\.\. ?"
);
static BLOCK: Pattern = pattern!(r"(?m)^={70}\n(FAIL|ERROR|UNEXPECTED SUCCESS): (.+)$");
static NAME: Pattern = pattern!(r"^([A-Za-z_][\w.]*) \(([A-Za-z_][\w.]*)\)");
static RAN: Pattern = pattern!(r"(?m)^Ran (\d+) tests? in [\d.]+s\s*$");
static COUNT: Pattern = pattern!(r"(skipped|expected failures|unexpected successes|failures|errors)=(\d+)");
static SKIPPED: Pattern = pattern!(r#"skipped (?:'(.*)'|"(.*)")\s*$"#);

const SETUPS: [&str; 4] = ["setUpClass", "tearDownClass", "setUpModule", "tearDownModule"];

/// Reads the texts of several runs, one in each file.
pub(super) fn read_all(files: &[ReportFile]) -> ParsedResults {
    let mut all = ParsedResults { complete: !files.is_empty(), ..ParsedResults::default() };
    for file in files {
        let run = read(&without_escapes(&file.text));
        all.outcomes.extend(run.outcomes.into_sorted());
        all.unlisted_passed += run.unlisted_passed;
        all.unlisted_failed += run.unlisted_failed;
        all.interrupted_in = all.interrupted_in.or(run.interrupted_in);
        all.complete &= run.complete;
    }
    all
}

pub(super) fn read(text: &str) -> ParsedResults {
    let end = RAN.find_iter(text).last();
    let before_end = end.map_or(text.len(), |end| end.start());
    let blocks = BLOCK.find(text).map_or(before_end, |found| found.start()).min(before_end);
    let failures = read_blocks(&text[blocks..before_end]);
    let progress = read_progress(&text[..blocks], &failures);

    let mut parsed = ParsedResults { complete: end.is_some(), ..ParsedResults::default() };
    if let Some(end) = end {
        let ran: usize = RAN.captures(end.as_str()).and_then(|found| found[1].parse().ok()).unwrap_or(0);
        let verdict = text[end.end()..].lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let count = |word: &str| {
            let mut counts = COUNT.captures_iter(verdict).filter(|found| &found[1] == word);
            counts.next().and_then(|found| found[2].parse().ok()).unwrap_or(0_usize)
        };
        // Without `-v` only the failing ones are named. The set-up of a class is no test that is counted.
        if progress.listed.is_empty() {
            let counted = failures.iter().filter(|failure| failure.counted);
            let failing: BTreeSet<&TestId> = counted.map(|failure| &failure.outcome.id).collect();
            parsed.unlisted_passed =
                ran.saturating_sub(failing.len() + count("skipped") + count("expected failures"));
        }
        // Before 3.11 an unexpected success has no block of its own.
        let told = failures.len() + if progress.surprises { count("unexpected successes") } else { 0 };
        let failed = count("failures") + count("errors") + count("unexpected successes");
        parsed.unlisted_failed = failed.saturating_sub(told);
    }
    let interrupted_in = progress.open.filter(|_| end.is_none());
    if let Some(id) = &interrupted_in {
        parsed.outcomes.add(TestOutcome::cut_off(id.as_str()));
    }
    // Blocks first: they explain what the lines only tell.
    parsed.outcomes.extend(failures.into_iter().map(|failure| failure.outcome));
    parsed.outcomes.extend(progress.listed);
    ParsedResults { interrupted_in, ..parsed }
}

/// The places where a pattern fits, each with the text up to the next.
fn parts<'t>(pattern: &Regex, text: &'t str) -> Vec<(Captures<'t>, &'t str)> {
    let found: Vec<Captures<'t>> = pattern.captures_iter(text).collect();
    let starts = found.iter().skip(1).map(|next| next.get_match().start());
    let ends: Vec<usize> = starts.chain([text.len()]).collect();
    let part = |(head, end): (Captures<'t>, usize)| {
        let start = head.get_match().end();
        (head, &text[start..end])
    };
    found.into_iter().zip(ends).map(part).collect()
}

/// The tests in the lines of `-v`.
#[derive(Default)]
struct Progress {
    listed: Vec<TestOutcome>,
    /// Is true if a test passed unexpectedly that has no block.
    surprises: bool,
    /// The last test, when it was begun and has no end.
    open: Option<TestId>,
}

fn read_progress(text: &str, failures: &[Failure]) -> Progress {
    let mut progress = Progress::default();
    for (test, rest) in parts(&BEGUN, text) {
        let id = identify(&test[1], &test[2]);
        let failed = failures.iter().any(|failure| failure.outcome.id == id);
        // What the test prints stands before its status; a class whose set-up fails adds a bare word behind it.
        let statuses: Vec<_> = rest.lines().filter_map(status).collect();
        let status = statuses
            .iter()
            .find(|(status, _)| *status != TestStatus::Error && (*status != TestStatus::Failed || failed))
            .or(statuses.first())
            .cloned();
        // The line of a test whose subtests have failed stays open.
        progress.open = status.is_none().then(|| id.clone());
        if let Some((status, message)) = status.filter(|_| !failed) {
            progress.surprises |= status == TestStatus::Failed && message == SURPRISE;
            progress.listed.push(TestOutcome::new(id.as_str(), status).with_message(message));
        }
    }
    progress
}

/// The status at the end of a line, with the reason of a skip.
fn status(line: &str) -> Option<(TestStatus, String)> {
    let line = line.trim_end();
    let words = [
        ("expected failure", TestStatus::Skipped, "expected failure"),
        ("unexpected success", TestStatus::Failed, SURPRISE),
        ("FAIL", TestStatus::Failed, ""),
        ("ERROR", TestStatus::Error, ""),
        ("ok", TestStatus::Passed, ""),
    ];
    if let Some((_, status, message)) = words.into_iter().find(|(word, _, _)| line.ends_with(word)) {
        return Some((status, message.to_owned()));
    }
    let why = SKIPPED.captures(line)?;
    let why = why.get(1).or(why.get(2)).map_or("", |text| text.as_str());
    Some((TestStatus::Skipped, why.to_owned()))
}

/// A block with a traceback.
struct Failure {
    outcome: TestOutcome,
    /// Is true if it is a test that unittest counts as run.
    counted: bool,
}

fn read_blocks(text: &str) -> Vec<Failure> {
    let mut failures = Vec::new();
    for (head, rest) in parts(&BLOCK, text) {
        let Some(name) = NAME.captures(&head[2]) else { continue };
        let status = if &head[1] == "ERROR" { TestStatus::Error } else { TestStatus::Failed };
        // Between the title and the dashes stands a docstring.
        let rule = "-".repeat(70);
        let trace = rest.split_once(&format!("{rule}\n")).map_or("", |(_, trace)| trace);
        let trace = trace.split(&rule).next().unwrap_or_default().trim();
        let surprise = (&head[1] == "UNEXPECTED SUCCESS").then(|| SURPRISE.to_owned());
        let message = surprise.or_else(|| exception(trace)).unwrap_or_default();
        let outcome = TestOutcome::new(identify(&name[1], &name[2]), status);
        failures.push(Failure {
            outcome: outcome.with_message(message).with_trace(trace),
            counted: !SETUPS.contains(&&name[1]),
        });
    }
    failures
}

/// The first line of the exception that ends a traceback: the first line without indentation after the last frame.
pub(crate) fn exception(trace: &str) -> Option<String> {
    let lines: Vec<&str> = trace.lines().collect();
    let frame = lines.iter().rposition(|line| line.starts_with("  File "))?;
    let found = lines[frame..].iter().find(|line| !line.starts_with(' ') && !line.trim().is_empty())?;
    Some((*found).to_owned())
}

/// The dotted id of a test, class or module.
fn identify(name: &str, place: &str) -> TestId {
    // A module that cannot be imported is a test of unittest's own.
    if place.starts_with("unittest.loader._FailedTest")
        || place.starts_with("unittest.loader.ModuleImportFailure")
    {
        return TestId::new(name);
    }
    let is_told = place.strip_suffix(name).is_some_and(|rest| rest.ends_with('.'));
    if SETUPS.contains(&name) || is_told {
        TestId::new(place)
    } else {
        TestId::new(format!("{place}.{name}"))
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    fn short(parsed: &ParsedResults) -> Vec<(String, TestStatus)> {
        parsed
            .outcomes
            .clone()
            .into_sorted()
            .into_iter()
            .map(|test| (test.id.to_string(), test.status))
            .collect()
    }

    #[test]
    fn every_version_tells_the_same() {
        let expect = [
            ("test_import", TestStatus::Error),
            ("test_mixed.TestMixed.test_doc", TestStatus::Failed),
            ("test_mixed.TestMixed.test_error", TestStatus::Error),
            ("test_mixed.TestMixed.test_expected", TestStatus::Skipped),
            ("test_mixed.TestMixed.test_ok", TestStatus::Passed),
            ("test_mixed.TestMixed.test_skipped", TestStatus::Skipped),
            ("test_mixed.TestMixed.test_sub", TestStatus::Failed),
            ("test_mixed.TestMixed.test_surprise", TestStatus::Failed),
            ("test_mixed.TestNoDatabase", TestStatus::Error),
            ("test_mixed.TestNoTeardown", TestStatus::Error),
            ("test_mixed.TestNoTeardown.test_query", TestStatus::Passed),
            ("test_module", TestStatus::Error),
            ("test_syntax", TestStatus::Error),
        ];
        let expect: Vec<_> = expect.iter().map(|(id, status)| ((*id).to_owned(), *status)).collect();
        for text in [
            include_str!("../../tests/captured/unittest/python3.6.txt"),
            include_str!("../../tests/captured/unittest/python3.8.txt"),
            include_str!("../../tests/captured/unittest/python3.11.txt"),
            include_str!("../../tests/captured/unittest/python3.13.txt"),
        ] {
            let parsed = read(text);
            assert_eq!(short(&parsed), expect);
            assert_eq!((parsed.complete, parsed.unlisted_passed, parsed.unlisted_failed), (true, 0, 0));
            let mut outcomes = parsed.outcomes;
            let doc = outcomes.get_mut(&TestId::new("test_mixed.TestMixed.test_doc")).unwrap();
            assert_eq!(doc.message.as_deref(), Some("AssertionError: 0 != 1"));
            assert!(doc.trace.as_deref().unwrap().starts_with("Traceback"), "{:?}", doc.trace);
            let syntax = outcomes.get_mut(&TestId::new("test_syntax")).unwrap();
            assert_eq!(syntax.message.as_deref(), Some("SyntaxError: invalid syntax"));
        }
    }

    #[test]
    fn without_verbosity_only_failures_are_named() {
        let parsed = read(include_str!("../../tests/captured/unittest/quiet3.11.txt"));
        assert_eq!((parsed.complete, parsed.unlisted_passed, parsed.unlisted_failed), (true, 2, 0));
        assert_eq!(parsed.outcomes.count(TestStatus::Passed) + parsed.outcomes.count(TestStatus::Skipped), 0);
        assert_eq!(parsed.outcomes.len(), 9);
    }

    #[test]
    fn endings() {
        let check = |text: &str, complete: bool, unlisted: usize, interrupted: Option<&str>| {
            let parsed = read(text);
            assert_eq!((parsed.complete, parsed.unlisted_passed), (complete, unlisted), "{text}");
            assert_eq!(parsed.interrupted_in.as_ref().map(TestId::as_str), interrupted, "{text}");
        };
        check(&format!("...\n{}\nRan 3 tests in 0.001s\n\nOK\n", "-".repeat(70)), true, 3, None);
        check(&format!("\n{}\nRan 0 tests in 0.000s\n\nNO TESTS RAN\n", "-".repeat(70)), true, 0, None);
        check("test_a (m.T.test_a) ... ok\ntest_b (m.T.test_b) ... ", false, 0, Some("m.T.test_b"));
        check("Traceback (most recent call last):\n", false, 0, None);
        check("", false, 0, None);
    }
}
