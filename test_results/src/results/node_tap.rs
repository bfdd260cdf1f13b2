//! TAP as node's own runner writes it: tests in tests by indentation, and what came of each in a block of YAML behind it.

use patchwright_protocol::{TestId, ToolReport};
use patchwright_syntax::pattern::{Pattern, pattern};

use super::{ParsedResults, ReportFile};
use crate::outcome::OUTSIDE;
use crate::outcome::{TestOutcome, TestStatus};

/// The blanks before what stands one level further inside.
const STEP: usize = 4;

static POINT: Pattern = pattern!(r"^(not )?ok \d+ - (.*)$");
static STATUS: Pattern = pattern!(r"^# status (\d+)$");
static DIRECTIVE: Pattern = pattern!(r"^(?:SKIP|TODO|EXPECTED FAILURE)\b");

/// A test that has ended, while what explains it is read.
struct Point {
    titles: Vec<String>,
    status: TestStatus,
    /// Whether it is a group of tests.
    is_suite: bool,
    /// Whether it fails because a test in it fails.
    is_of_inner: bool,
    message: Option<String>,
}

/// What a process told of the tests of one file.
#[derive(Default)]
struct FileReport {
    points: Vec<Point>,
    /// Is true if the number of the outermost tests was told, which is done in the end.
    has_plan: bool,
    /// The status of the process; none where it did not end by itself.
    status: Option<u32>,
}

pub(super) fn read(files: &[ReportFile]) -> ParsedResults {
    let mut parsed = ParsedResults { complete: !files.is_empty(), ..ParsedResults::default() };
    for file in files {
        let name = file.path.strip_prefix(ToolReport::FOLDER).unwrap_or(&file.path).trim_start_matches('/');
        let name = name.strip_suffix(".tap").unwrap_or(name);
        let report = read_file(&file.text);
        parsed.complete &= report.status.is_some();
        parsed.outcomes.extend(report.outcomes(name));
    }
    parsed
}

fn read_file(text: &str) -> FileReport {
    let mut report = FileReport::default();
    let mut titles: Vec<String> = Vec::new();
    // The indentation of the block that is being read.
    let mut block: Option<usize> = None;
    for line in text.lines() {
        let told = line.trim_start_matches(' ');
        let indent = line.len() - told.len();
        if let Some(depth) = block {
            if indent == depth && told == "..." {
                block = None;
            } else if let Some(point) = report.points.last_mut() {
                point.explain(told, indent.checked_sub(depth));
            }
            continue;
        }
        let level = indent / STEP;
        if indent % STEP != 0 {
            block = (told == "---" && indent % STEP == STEP / 2).then_some(indent);
        } else if let Some(title) = told.strip_prefix("# Subtest: ") {
            titles.truncate(level);
            titles.push(unescaped(title));
        } else if let Some(found) = POINT.captures(told) {
            let (title, directive) = title_and_directive(&found[2]);
            titles.truncate(level);
            titles.push(unescaped(title));
            report.points.push(Point {
                titles: titles.clone(),
                status: match found.get(1) {
                    _ if DIRECTIVE.is_match(directive) => TestStatus::Skipped,
                    Some(_) => TestStatus::Failed,
                    None => TestStatus::Passed,
                },
                is_suite: false,
                is_of_inner: false,
                message: None,
            });
        } else if indent == 0 && told.starts_with("1..") {
            report.has_plan = true;
        } else if let Some(found) = STATUS.captures(line) {
            report.status = found[1].parse().ok();
        }
    }
    report
}

impl Point {
    /// Takes in a line of its block, so many blanks further inside than the block.
    fn explain(&mut self, told: &str, inside: Option<usize>) {
        match (inside, told) {
            (Some(0), "type: 'suite'") => self.is_suite = true,
            (Some(0), "failureType: 'subtestsFailed'") => self.is_of_inner = true,
            (Some(0), _) => {
                let error = told.strip_prefix("error: ").filter(|text| *text != "|-");
                self.message = self.message.take().or(error.map(|text| text.trim_matches('\'').to_owned()));
            }
            // The first line of a longer message.
            (Some(_), _) if self.message.is_none() => self.message = Some(told.to_owned()),
            (Some(_) | None, _) => {}
        }
    }

    /// Its outcome, unless it is a group that says nothing of its own.
    fn outcome(&self, file: &str) -> Option<TestOutcome> {
        if self.is_suite && (self.status != TestStatus::Failed || self.is_of_inner) {
            return None;
        }
        let parts = [file].into_iter().chain(self.titles.iter().map(String::as_str));
        let id = TestId::new(parts.collect::<Vec<_>>().join("::"));
        let message = self.message.clone().filter(|_| self.status == TestStatus::Failed).unwrap_or_default();
        Some(TestOutcome::new(id, self.status).with_message(message))
    }
}

impl FileReport {
    /// The outcomes of its tests, or its own where it has none; what goes wrong outside of them is one of its own, too.
    fn outcomes(&self, file: &str) -> Vec<TestOutcome> {
        let mut outcomes: Vec<TestOutcome> =
            self.points.iter().filter_map(|point| point.outcome(file)).collect();
        let ended_well = self.status == Some(0);
        let said = || match self.status {
            Some(status) => format!("the process ended with status {status}"),
            None => "the process was ended".to_owned(),
        };
        let has_failure = self.points.iter().any(|point| point.status == TestStatus::Failed);
        if outcomes.is_empty() {
            let status = if ended_well { TestStatus::Passed } else { TestStatus::Error };
            let message = if ended_well { String::new() } else { said() };
            outcomes.push(TestOutcome::new(file, status).with_message(message));
        } else if !self.has_plan || (!ended_well && !has_failure) {
            let id = format!("{file}{OUTSIDE}");
            outcomes.push(TestOutcome::new(id.as_str(), TestStatus::Error).with_message(said()));
        }
        outcomes
    }
}

/// A title, and what stands behind a sign that is not escaped.
fn title_and_directive(text: &str) -> (&str, &str) {
    let mut is_escaped = false;
    for (place, letter) in text.char_indices() {
        match letter {
            '#' if !is_escaped => return (text[..place].trim_end(), text[place + 1..].trim_start()),
            '\\' => is_escaped = !is_escaped,
            _ => is_escaped = false,
        }
    }
    (text, "")
}

fn unescaped(title: &str) -> String {
    let mut letters = title.chars();
    let mut text = String::with_capacity(title.len());
    while let Some(letter) = letters.next() {
        text.push(if letter == '\\' { letters.next().unwrap_or(letter) } else { letter });
    }
    text
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    fn check(text: &str, complete: bool, expect: &[(&str, TestStatus, Option<&str>)]) {
        let file = ReportFile { path: ".test-results/test/a.test.js.tap".to_owned(), text: text.to_owned() };
        let parsed = read(&[file]);
        let outcomes = parsed.outcomes.into_sorted();
        let found: Vec<_> =
            outcomes.iter().map(|test| (test.id.as_str(), test.status, test.message.as_deref())).collect();
        assert_eq!((found.as_slice(), parsed.complete), (expect, complete), "{text}");
    }

    #[test]
    fn tests_in_groups_and_what_explains_them() {
        check(
            include_str!("../../tests/captured/node/basket.tap"),
            true,
            &[
                ("test/a.test.js::adds", TestStatus::Passed, None),
                ("test/a.test.js::adds::in turn", TestStatus::Passed, None),
                (
                    "test/a.test.js::basket # 1::has a total",
                    TestStatus::Failed,
                    Some("Expected values to be strictly equal:"),
                ),
                ("test/a.test.js::basket # 1::inner::deep", TestStatus::Passed, None),
                ("test/a.test.js::basket # 1::is for later", TestStatus::Skipped, None),
                ("test/a.test.js::basket # 1::is to be done", TestStatus::Skipped, None),
            ],
        );
    }

    #[test]
    fn what_is_no_test_of_the_framework_is_told_by_the_end_of_its_process() {
        let file = "test/a.test.js";
        let outside = "test/a.test.js::outside of its tests";
        let one = "test/a.test.js::one";
        check("# status 0\n", true, &[(file, TestStatus::Passed, None)]);
        let ended = Some("the process ended with status 1");
        check("# status 1\n", true, &[(file, TestStatus::Error, ended)]);
        check("", false, &[(file, TestStatus::Error, Some("the process was ended"))]);
        check(
            "ok 1 - one\n1..1\n# status 1\n",
            true,
            &[(one, TestStatus::Passed, None), (outside, TestStatus::Error, ended)],
        );
        // It ended before its tests did.
        let ended = Some("the process ended with status 0");
        check(
            "ok 1 - one\n# status 0\n",
            true,
            &[(one, TestStatus::Passed, None), (outside, TestStatus::Error, ended)],
        );
    }

    #[test]
    fn messages_are_no_points() {
        let text = "not ok 1 - one\n  ---\n  error: |-\n    ...\n    ok 2 - two\n  stack: |-\n    ok 3 - three\n  ...\n1..1\n# status 1\n";
        check(text, true, &[("test/a.test.js::one", TestStatus::Failed, Some("..."))]);
    }
}
