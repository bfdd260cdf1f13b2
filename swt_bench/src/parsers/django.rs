//! Django's runner, as SWT-Bench reads it: a test and its status may be far apart.

use patchwright_swe_bench::pattern::Pattern;
use patchwright_swe_bench::text::{is_space, lines};
use patchwright_swe_bench::{LoggedStatus, StatusMap};

/// The name of a test with what stands behind it in parentheses.
static TEST: Pattern = Pattern::new(r"\b(?:test|app_unmigrated)\S*\s+\([^)]*\)");
/// The name in a heading of a failure.
static HEADING: Pattern = Pattern::new(r"\b(?:test_|app_unmigrated)\S*\s+\([^)]*\)");
/// The words at which the search for a status ends.
static WORD: Pattern = Pattern::new(r"\b(?:test_|app_unmigrated|OK|ok|FAILED|ERROR|skipped)\b");
const DOTS: &str = "...";

/// `test_x (a.B) ... ok`; then the headings `FAIL: test_x (a.B)` and `ERROR: …`, which have the last word.
///
/// Official place: `parse_log_django` in `src/log_parsers.py`, whose two expressions are worked out here without trying again and
/// again: the dots that follow a name first, and the word that follows the dots first, decide.
pub(super) fn read(log: &str) -> StatusMap {
    let mut statuses = StatusMap::default();
    let places = Places::of(log);
    let mut from = 0;
    while let Some(name) = TEST.find_from(log, from) {
        match places.status(log, name.end) {
            Some((status, end)) => {
                statuses.insert(log[name.clone()].to_owned(), status);
                from = end;
            }
            None => from = next(log, name.start),
        }
    }
    for line in lines(log) {
        for (key, status) in [("ERROR", LoggedStatus::Error), ("FAIL", LoggedStatus::Failed)] {
            if let Some(test) = heading(line, key) {
                statuses.insert(test.to_owned(), status);
            }
        }
    }
    statuses
}

/// The only test that a heading names, up to where its first word comes again.
fn heading<'log>(line: &'log str, key: &str) -> Option<&'log str> {
    let rest = line.strip_prefix(key).filter(|rest| rest.starts_with(':'))?;
    let rest = rest.find(key).map_or(rest, |again| &rest[..again]);
    let name = HEADING.find_from(rest, 0)?;
    HEADING.find_from(rest, name.end).is_none().then(|| &rest[name])
}

/// The beginning of the next character.
fn next(text: &str, at: usize) -> usize {
    at + text[at..].chars().next().map_or(1, char::len_utf8)
}

/// The places of all dots and words of a log, in their order.
struct Places<'log> {
    dots: Vec<usize>,
    words: Vec<(usize, &'log str)>,
}

impl<'log> Places<'log> {
    fn of(log: &'log str) -> Self {
        let bytes = log.as_bytes();
        let is_dots = |at: &usize| bytes[*at..].starts_with(DOTS.as_bytes());
        let dots = memchr::memchr_iter(b'.', bytes).filter(is_dots).collect();
        let words = WORD.regex().into_iter().flat_map(|regex| regex.find_iter(log));
        Self { dots, words: words.map(|word| (word.start(), word.as_str())).collect() }
    }

    /// The status that belongs to a name which ends at a place, and where it ends.
    fn status(&self, log: &str, from: usize) -> Option<(LoggedStatus, usize)> {
        let later = self.dots[self.dots.partition_point(|at| *at <= from)..].first().copied();
        let later = later.filter(|at| log[..*at].ends_with(is_space));
        let here = self.dots.binary_search(&from).is_ok().then_some(from);
        [later, here].into_iter().flatten().find_map(|dots| self.word(log, dots + DOTS.len()))
    }

    /// The status behind dots that end at a place, and where it ends.
    fn word(&self, log: &str, from: usize) -> Option<(LoggedStatus, usize)> {
        let first = self.words.partition_point(|(at, _)| *at < from);
        let words = &self.words[first..];
        let here = words.first().filter(|(at, _)| *at == from);
        let later = if here.is_some() { words.get(1) } else { words.first() };
        let later = later.filter(|(at, _)| log[..*at].ends_with(is_space));
        [later, here].into_iter().flatten().find_map(|(at, word)| Some((status(word)?, at + word.len())))
    }
}

fn status(word: &str) -> Option<LoggedStatus> {
    match word {
        "ok" | "OK" => Some(LoggedStatus::Passed),
        "skipped" => Some(LoggedStatus::Skipped),
        "FAILED" => Some(LoggedStatus::Failed),
        "ERROR" => Some(LoggedStatus::Error),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use LoggedStatus::{Error, Failed, Passed, Skipped};

    #[test]
    fn names_and_statuses_find_each_other() {
        let check = |log: &str, expect: &[(&str, LoggedStatus)]| {
            let found: Vec<(String, LoggedStatus)> = read(log).into_iter().collect();
            let expect: Vec<(String, LoggedStatus)> =
                expect.iter().map(|(name, status)| ((*name).to_owned(), *status)).collect();
            assert_eq!(found, expect, "{log}");
        };
        check(
            "test_a (m.C) ... ok\ntest_b (m.C) ... skipped 'no'\n",
            &[("test_a (m.C)", Passed), ("test_b (m.C)", Skipped)],
        );
        // The docstring stands in a line of its own; something else is printed before the status.
        check("test_a (m.C)\nSays what. ... noise\nmore noise\nok\n", &[("test_a (m.C)", Passed)]);
        // `FAIL` is no status of a line: the heading says it, and the status of the next test is not taken.
        check(
            "test_a (m.C) ... FAIL\ntest_b (m.C) ... ok\nFAIL: test_a (m.C)\n",
            &[("test_a (m.C)", Passed), ("test_a (m.C)", Failed)][1..],
        );
        check("test_a (m.C) ... ERROR\n======\nERROR: test_a (m.C)\n", &[("test_a (m.C)", Error)]);
        check("test_a (m.C)...ok\n", &[("test_a (m.C)", Passed)]);
        check("test_a (m.C)x...ok\n", &[]);
        check("test_a (m.C) ... (ok)\n", &[]);
        check("ERROR: test_a (m.C) and test_b (m.C)\nFAIL: setUpClass (m.C)\n", &[]);
        check("testing (x) is fun\n", &[]);
        check("", &[]);
    }
}
