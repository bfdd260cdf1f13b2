//! What is fuzzed, and what must hold of it, by the name of the target.
//!
//! `cargo fuzz` runs it under a fuzzer ([`run`]); the tests run it on a stable compiler over seeds and what they make of them.

#![allow(clippy::expect_used, clippy::panic, reason = "what does not hold is a finding")]

mod applier;

use patchwright_edits::formats::{EditFormat, read_edits};
use patchwright_protocol::{Exit, ResultsFormat, ToolReport};
use patchwright_replies::{Damage, DamageKind, JsonRepair, RepairMade, recover};
use patchwright_test_results::{RawResults, ReportFile, compiler_errors, read};

/// A target: its name, which is that of its file in `fuzz_targets/` and of the folder of its seeds, and what is run.
pub type Target = (&'static str, fn(&[u8]));

/// The targets.
pub const TARGETS: &[Target] = &[
    ("applier", applier::applier),
    ("build_output", |input| build_output(&text(input))),
    ("coverage", |input| coverage(&text(input))),
    ("diff", |input| parser(&text(input), EditFormat::Diff)),
    ("function", |input| parser(&text(input), EditFormat::Function)),
    ("json", |input| parser(&text(input), EditFormat::Json)),
    ("recover", |input| recoverer(&text(input))),
    ("results", |input| results(&text(input))),
    ("search_replace", |input| parser(&text(input), EditFormat::SearchReplace)),
    ("string_replace", |input| parser(&text(input), EditFormat::StringReplace)),
    ("swt", |input| parser(&text(input), EditFormat::Swt)),
];

/// Runs a target on an input.
///
/// # Panics
/// When something does not hold, or there is no such target.
pub fn run(target: &str, input: &[u8]) {
    let (_, body) = TARGETS.iter().find(|(name, _)| *name == target).expect("a target");
    body(input);
}

fn text(input: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(input)
}

/// The recoverer: no panic, values in order and inside the text, valid JSON left alone, a second reading like the first.
fn recoverer(text: &str) {
    let values = recover(text);
    let mut end = 0;
    for found in &values {
        assert!(
            found.span.start >= end && found.span.start <= found.span.end,
            "{:?} after {end}",
            found.span
        );
        assert!(text.get(found.span.clone()).is_some(), "{:?} splits a character", found.span);
        end = found.span.end;
        let written = serde_json::to_string(&found.value).expect("a value can be written");
        let again = recover(&written);
        assert_eq!(again.len(), 1, "{written}");
        assert_eq!(again[0].value, found.value);
        assert!(again[0].repairs.is_empty(), "{written}: {:?}", again[0].repairs);
    }
    if let Ok(value) = serde_json::from_str::<serde_json::Value>(text) {
        assert_eq!(values.len(), 1);
        // A key that stands twice is repaired or said to be damaged.
        let found = &values[0];
        let repair =
            |made: &RepairMade| matches!(made.kind, JsonRepair::RepeatedKey | JsonRepair::MissingOpener);
        let damage = |damage: &Damage| damage.kind == DamageKind::TwoReadings;
        if !found.repairs.iter().any(repair) && !found.damage.iter().any(damage) {
            assert_eq!(found.value, value);
            assert!(found.repairs.is_empty() && found.damage.is_empty());
        }
    }
}

/// The parser of a format: no panic, and a refusal that says something.
fn parser(text: &str, format: EditFormat) {
    match read_edits(text, Some(format)) {
        Ok(reading) => assert!(reading.edits.iter().all(|edit| !edit.file_path.trim().is_empty())),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    let _ = read_edits(text, None);
}

/// The readers of test results: no panic, and nothing is both passed and failed.
fn results(text: &str) {
    let files = [ReportFile { path: "results".to_owned(), text: text.to_owned() }];
    let raw = RawResults { stdout: text, stderr: "", exit: Exit::Code(1), files: &files, key: None };
    let formats = [
        ResultsFormat::Lines,
        ResultsFormat::JunitXml { glob: "results".to_owned() },
        ResultsFormat::Defects4j,
        ResultsFormat::ExitStatus,
        ResultsFormat::PytestText,
        ResultsFormat::UnittestText,
        ResultsFormat::JunitText,
        ResultsFormat::ToolReports(ToolReport::NodeTap),
        ResultsFormat::ToolReports(ToolReport::MochaJson),
        ResultsFormat::ToolReports(ToolReport::JestJson),
        ResultsFormat::ToolReports(ToolReport::UnittestText),
    ];
    for format in &formats {
        let outcomes = read(format, &raw).outcomes.into_sorted();
        assert!(
            outcomes.windows(2).all(|pair| pair[0].id < pair[1].id),
            "{format:?}: a test has two outcomes"
        );
    }
}

/// The reader of recorded lines: no panic, and only lines that a file can have.
fn coverage(text: &str) {
    let coverage = patchwright_fault_localization::recorded(text);
    for path in coverage.paths().map(str::to_owned).collect::<Vec<_>>() {
        for (line, mut tests) in coverage.lines(&path) {
            assert!(line < 1 << 20, "{path} has no line {line}");
            assert!(tests.next().is_some(), "{path}:{line} is executed by no test");
        }
    }
}

/// The reader of compilers' errors: no panic, and each names a file.
fn build_output(log: &str) {
    for error in compiler_errors(log) {
        assert!(!error.file.is_empty(), "{error:?}");
    }
}
