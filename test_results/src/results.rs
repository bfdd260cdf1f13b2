//! Reading the outcomes of tests from what test tools print and write.
//!
//! Every reader takes damaged input: output of the program under test in between, a middle that was left out, an
//! end that is missing. What cannot be read is left out; nothing is invented.

mod ant_text;
mod defects4j;
mod exit_status;
mod jest_json;
mod junit_text;
mod junit_xml;
mod lines;
mod mocha_json;
mod node_tap;
mod pytest_sections;
mod pytest_text;
mod unittest_text;

use std::collections::{BTreeMap, BTreeSet};

use patchwright_protocol::{Exit, ResultsFormat, StandIn, TestId, ToolReport};

use crate::normalize::without_escapes;
use crate::outcome::{Outcomes, TestOutcome, TestStatus};

use crate::seal::SealKey;
pub use exit_status::TEST_COMMAND;
use serde::{Deserialize, Serialize};

/// More failing tests than this have no names: whoever writes so many wants to keep us at work, or has a project that does not run.
const MOST_FAILING: usize = 10_000;

/// The longest test name that is kept, in bytes. Longer names would fill memory with copies.
const LONGEST_NAME: usize = 1_000;

/// A file that a run of the tests left behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportFile {
    /// Its path relative to the root of the lane.
    pub path: String,
    /// Its text, bytes that are not UTF-8 replaced.
    pub text: String,
}

/// The raw results of a run of the tests.
#[derive(Clone, Debug)]
pub struct RawResults<'a> {
    /// The text of standard output.
    pub stdout: &'a str,
    /// The text of standard error.
    pub stderr: &'a str,
    /// The way in which the command ended.
    pub exit: Exit,
    /// The files that the format asks for, sorted by path.
    pub files: &'a [ReportFile],
    /// The key with which our runner seals its lines; none where another may write them.
    pub key: Option<&'a SealKey>,
}

/// The results that were read.
#[derive(Clone, Debug, Default)]
pub struct ParsedResults {
    /// The outcomes of the tests whose names are told.
    pub outcomes: Outcomes,
    /// The number of further tests that passed.
    pub unlisted_passed: usize,
    /// The number of further tests that failed.
    pub unlisted_failed: usize,
    /// The test that had begun and not ended.
    pub interrupted_in: Option<TestId>,
    /// The test that ended last, where it is known that others were to come.
    pub ended_last: Option<TestId>,
    /// The number of tests that the tool was about to run, where it tells it.
    pub collected: Option<u64>,
    /// How many of them are in each file, where it tells that.
    pub collected_in: BTreeMap<TestId, u64>,
    /// The module of the project that would not have been that of the project, where nothing was tested for it.
    pub elsewhere: Option<Box<Elsewhere>>,
    /// Is true if the tool reported its end.
    pub complete: bool,
    /// Is true if the process has ended for a test without end, and another is to go on with the others.
    pub goes_on: bool,
    /// Wall-clock seconds of each test, where they are told.
    pub seconds: BTreeMap<TestId, f64>,
    /// The parts of the test tools that were no longer as it was before the project was loaded, as our runners tell.
    pub bent: BTreeSet<String>,
}

/// A module of the project that is imported from another place than the copy that is to be tested.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Elsewhere {
    /// Its name.
    pub module: String,
    /// The file that is imported in its place.
    pub path: String,
}

/// The files that a format is read from, as a glob relative to the root of the project.
pub fn files_of(format: &ResultsFormat) -> Option<&str> {
    match format {
        ResultsFormat::JunitXml { glob } => Some(glob),
        ResultsFormat::Defects4j => Some(defects4j::FILES),
        ResultsFormat::ToolReports(report) => Some(report.files()),
        ResultsFormat::Lines
        | ResultsFormat::PytestText
        | ResultsFormat::JunitText
        | ResultsFormat::UnittestText
        | ResultsFormat::ExitStatus => None,
    }
}

/// Reads the outcomes of one run.
pub fn read(format: &ResultsFormat, raw: &RawResults<'_>) -> ParsedResults {
    named(match format {
        ResultsFormat::Lines => lines::read(raw.files, raw.key),
        ResultsFormat::JunitXml { .. } => {
            ParsedResults { complete: ended(raw.exit), ..junit_xml::read(raw.files) }
        }
        ResultsFormat::ExitStatus => exit_status::read(raw),
        ResultsFormat::ToolReports(ToolReport::NodeTap) => node_tap::read(raw.files),
        ResultsFormat::ToolReports(ToolReport::MochaJson) => mocha_json::read(raw.files),
        ResultsFormat::ToolReports(ToolReport::JestJson) => jest_json::read(raw.files),
        ResultsFormat::ToolReports(ToolReport::UnittestText) => unittest_text::read_all(raw.files),
        ResultsFormat::Defects4j => defects4j::read(&without_escapes(raw.stdout), raw.files),
        ResultsFormat::PytestText => best(raw, |text| pytest_text::read(&without_escapes(text))),
        ResultsFormat::UnittestText => best(raw, |text| unittest_text::read(&without_escapes(text))),
        ResultsFormat::JunitText => best(raw, |text| {
            let text = without_escapes(text);
            if ant_text::is_ant(&text) { ant_text::read(&text) } else { junit_text::read(&text) }
        }),
    })
}

/// Reads the lines that a runner of ours wrote in a worker.
pub fn read_sealed(file: ReportFile, key: &SealKey) -> ParsedResults {
    named(lines::read(&[file], Some(key)))
}

/// The same with one name for all failing tests that have none.
fn named(mut parsed: ParsedResults) -> ParsedResults {
    for name in [&mut parsed.interrupted_in, &mut parsed.ended_last] {
        *name = name.take().map(bounded);
    }
    parsed.seconds = parsed.seconds.into_iter().map(|(name, seconds)| (bounded(name), seconds)).collect();
    let surplus = surplus(&mut parsed.outcomes);
    parsed.unlisted_failed += surplus;
    // A failure that cannot be named is still one: it must not get lost in a verdict.
    if parsed.unlisted_failed > 0 {
        let message = format!("{} more tests failed; the output does not tell which", parsed.unlisted_failed);
        parsed
            .outcomes
            .add(TestOutcome::new(StandIn::UnlistedFailures, TestStatus::Error).with_message(message));
    }
    parsed
}

/// A test name, cut to the longest that is kept. A hash replaces the rest so that names stay distinct.
fn bounded(name: TestId) -> TestId {
    let text = name.as_str();
    if text.len() <= LONGEST_NAME {
        return name;
    }
    let hash = blake3::hash(text.as_bytes()).to_hex();
    TestId::new(format!("{}…{}", &text[..text.floor_char_boundary(LONGEST_NAME)], &hash[..16]))
}

/// Takes out the failing tests that are too many, the last by name; tells how many.
fn surplus(outcomes: &mut Outcomes) -> usize {
    let mut failing = 0_usize;
    let all = std::mem::take(outcomes).into_sorted();
    *outcomes = all
        .into_iter()
        .filter(|outcome| {
            failing += usize::from(outcome.status.is_failing());
            !outcome.status.is_failing() || failing <= MOST_FAILING
        })
        .map(|outcome| TestOutcome { id: bounded(outcome.id), ..outcome })
        .collect();
    failing.saturating_sub(MOST_FAILING)
}

/// The message that a trace ends in, where the tool tells none apart.
pub fn message_of(trace: &str) -> Option<String> {
    pytest_sections::message(trace).or_else(|| unittest_text::exception(trace))
}

/// Reads the stream that holds the report: whichever tells most, standard output on a draw.
fn best(raw: &RawResults<'_>, read: impl Fn(&str) -> ParsedResults) -> ParsedResults {
    let told = |parsed: &ParsedResults| (parsed.complete, parsed.outcomes.len() + parsed.unlisted_passed);
    let (first, second) = (read(raw.stdout), read(raw.stderr));
    if told(&second) > told(&first) { second } else { first }
}

fn ended(exit: Exit) -> bool {
    matches!(exit, Exit::Code(_))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::fmt::Write as _;

    use serde_json::json;

    use super::*;

    /// Reads one file or one output of a format.
    fn parsed(format: &ResultsFormat, text: &str) -> ParsedResults {
        let files = [ReportFile { path: "out/a.tap".to_owned(), text: text.to_owned() }];
        let stdout = if files_of(format).is_some() { "" } else { text };
        read(format, &RawResults { stdout, stderr: "", exit: Exit::Code(1), files: &files, key: None })
    }

    /// A format, and how it tells of failing tests of these names.
    type Told = (ResultsFormat, fn(&[String]) -> String);

    const TOLD: [Told; 4] = [
        (ResultsFormat::ToolReports(ToolReport::MochaJson), |names| {
            let failures: Vec<_> = names.iter().map(|name| json!({"fullTitle": name, "err": {}})).collect();
            json!({"passes": [], "failures": failures, "pending": []}).to_string()
        }),
        (ResultsFormat::ToolReports(ToolReport::JestJson), |names| {
            let tests: Vec<_> = names.iter().map(|name| json!({"title": name, "status": "failed"})).collect();
            let file = json!({"name": "a.js", "status": "failed", "assertionResults": tests});
            json!({"testResults": [file]}).to_string()
        }),
        (ResultsFormat::ToolReports(ToolReport::NodeTap), |names| {
            let mut tap = "TAP version 13\n".to_owned();
            for (number, name) in (1..).zip(names) {
                let _ =
                    writeln!(tap, "not ok {number} - {name}\n  ---\n  failureType: 'testCodeFailure'\n  ...");
            }
            let _ = writeln!(tap, "1..{}\n# status 1", names.len());
            tap
        }),
        (ResultsFormat::PytestText, |names| {
            let lines =
                names.iter().fold(String::new(), |lines, name| lines + "FAILED test_a.py::" + name + "\n");
            format!("= short test summary info =\n{lines}= {} failed in 0.1s =\n", names.len())
        }),
    ];

    #[test]
    fn names_above_the_bound_are_cut_and_stay_apart() {
        let name = |end: &str| "n".repeat(10 * LONGEST_NAME) + end;
        for (format, written) in TOLD {
            let found = parsed(&format, &written(&[name("a"), name("b")])).outcomes.into_sorted();
            assert_eq!(found.len(), 2, "{format:?}");
            for outcome in &found {
                let bytes = outcome.id.as_str().len();
                assert!((LONGEST_NAME..LONGEST_NAME + 30).contains(&bytes), "{format:?}: {bytes}");
            }
        }
    }

    #[test]
    fn failing_tests_above_the_bound_are_counted() {
        let names: Vec<String> = (0..10 * MOST_FAILING).map(|number| format!("t{number}")).collect();
        for (format, written) in TOLD {
            let parsed = parsed(&format, &written(&names));
            let found = parsed.outcomes.into_sorted();
            assert_eq!(found.len(), MOST_FAILING + 1, "{format:?}");
            assert_eq!(parsed.unlisted_failed, 9 * MOST_FAILING, "{format:?}");
            let unlisted = found
                .iter()
                .find(|outcome| outcome.id.stand_in() == Some(StandIn::UnlistedFailures))
                .unwrap();
            assert!(unlisted.message.as_deref().unwrap().starts_with("90000 more tests failed"));
        }
    }
}
