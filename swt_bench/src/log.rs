//! A log of a run: the output of its tests, what the shell says about patches, and the trace.

use patchwright_swe_bench::pattern::Pattern;
use patchwright_swe_bench::{Row, StatusMap};

use crate::failure_reasons::FailureReasons;
use crate::parsers::LogParser;
use crate::trace::{BEGINS, ENDS, Trace};

/// Words of a log with which nothing in it counts.
///
/// Official place: `get_logs_eval` in `src/grading.py`, by the constants `APPLY_PATCH_FAIL`, `RESET_FAILED`, `TESTS_ERROR`,
/// `TESTS_TIMEOUT`.
pub(crate) const VOID: [&str; 5] = [
    ">>>>> Patch Apply Failed",
    ">>>>> Reset Failed",
    ">>>>> Tests Errored",
    ">>>>> Tests Timed Out",
    "Failed to reset task environment",
];
/// The part of the test command that traces.
const TRACED: &str = "trace.py --count -C coverage.cover";

/// A fact about a log that people should know before they believe a verdict. It changes no verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogNote {
    /// There is no such log; it counts as one without tests.
    Missing,
    /// The end is missing: the tests were ended, or the file was cut off.
    CutOff,
    /// The log says that it is void.
    Void,
    /// The command that traces is named, but the line where it began is not there. The official program ends here with an error.
    NoCommand,
    /// A patch did not apply, so that the tests are not those of the prediction.
    PatchFailed,
    /// It names no test, but the exit status of a script.
    OfScript,
    /// It names tests where the exit status of a script is looked for.
    OfTests,
}

impl LogNote {
    /// Is true if a log that is there may lack what the run told.
    pub fn is_of_broken_log(self) -> bool {
        match self {
            Self::CutOff | Self::Void | Self::NoCommand => true,
            Self::Missing | Self::PatchFailed | Self::OfScript | Self::OfTests => false,
        }
    }

    /// The note as a part of a sentence behind the name of the run.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Missing => "there is no log; it counts as one without tests",
            Self::CutOff => {
                "the log is cut off: its end is missing, and tests or executed lines may be missing with it"
            }
            Self::Void => "the log says that the run failed, so nothing in it counts",
            Self::NoCommand => "the line with which the tests begin is missing, so no test is read from it",
            Self::PatchFailed => "a patch did not apply, so the tests may be others",
            Self::OfScript => {
                "the log names no test, but the exit status of a script (`--exec_mode reproduction_script`); give --script to read that"
            }
            Self::OfTests => {
                "the log tells no exit status of a script, but tests; leave out --script to read these"
            }
        }
    }
}

/// What a log tells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunLog {
    /// The tests that it names.
    pub statuses: StatusMap,
    /// Is true if some patch was applied and nothing makes the log void.
    pub applied: bool,
    /// The lines that were executed.
    pub trace: Trace,
    /// What the log says of failing tests, where that was asked for.
    pub reasons: FailureReasons,
    /// What people should know.
    pub notes: Vec<LogNote>,
}

/// Whether the reasons for which tests fail are looked for; only the strict look needs them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reasons {
    /// They are not.
    #[default]
    Skip,
    /// They are.
    Find,
}

impl RunLog {
    /// That of a log that is not there: no tests, no trace.
    pub fn missing() -> Self {
        Self { notes: vec![LogNote::Missing], ..Self::default() }
    }

    /// Reads a log: text with `\n` as the only end of a line. `is_traced` says which files the trace is kept of.
    ///
    /// Official place: `get_logs_eval` and `get_coverage_eval` in `src/grading.py`. The trace of a void log counts there too.
    pub fn read(
        log: &str,
        parser: LogParser,
        row: &Row,
        is_traced: impl Fn(&str) -> bool,
        reasons: Reasons,
    ) -> Self {
        let trace = Trace::of_log(log, is_traced);
        let mut notes = Vec::new();
        if !has(log, &format!("\n{ENDS}")) {
            notes.push(LogNote::CutOff);
        }
        if says_not_applied(log) {
            notes.push(LogNote::PatchFailed);
        }
        if VOID.iter().any(|sign| has(log, sign)) {
            notes.push(LogNote::Void);
            return Self { trace, notes, ..Self::default() };
        }
        let Some(output) = output(log) else {
            notes.push(LogNote::NoCommand);
            return Self { trace, notes, ..Self::default() };
        };
        let reasons = match reasons {
            Reasons::Skip => FailureReasons::default(),
            Reasons::Find => FailureReasons::of(output, parser),
        };
        let statuses = parser.read(output, row);
        if statuses.is_empty() {
            notes.extend(of_other_mode(output, parser, row));
        }
        Self { statuses, applied: says_applied(log), trace, reasons, notes }
    }
}

/// The output of the tests: from the command that traces to the trace; the whole log where nothing is traced. None where the command is
/// named and its line is missing.
fn output(log: &str) -> Option<&str> {
    static COMMAND: Pattern = Pattern::new(r"\n\+ python3 [^\n]*trace.py --count -C coverage.cover [^\n]*\n");
    let output = if has(log, TRACED) {
        let begins = COMMAND.find_from(log, 0)?;
        let end = COMMAND.find_from(log, begins.end).map_or(log.len(), |again| again.start);
        &log[begins.end..end]
    } else {
        log
    };
    Some(output.find(&format!("\n{BEGINS}")).map_or(output, |end| &output[..end]))
}

/// What is told of the output of a run that names no test to this parser, where it tells the other kind of result.
fn of_other_mode(output: &str, parser: LogParser, row: &Row) -> Option<LogNote> {
    let names = |other: LogParser| !other.read(output, row).is_empty();
    match parser {
        LogParser::Script => {
            LogParser::of_repository(&row.repo).is_some_and(names).then_some(LogNote::OfTests)
        }
        LogParser::Shared(_) | LogParser::Django | LogParser::Sympy => {
            names(LogParser::Script).then_some(LogNote::OfScript)
        }
    }
}

/// Is true if `git apply -v`, or anybody else, says that a patch was applied.
pub(crate) fn says_applied(log: &str) -> bool {
    const WORDS: &[u8] = b"applied patch";
    let mut starts = memchr::memchr2_iter(b'a', b'A', log.as_bytes());
    starts.any(|at| {
        log.as_bytes()[at..].get(..WORDS.len()).is_some_and(|word| word.eq_ignore_ascii_case(WORDS))
    })
}

/// Is true if `git apply` refused a patch, before the tests began where a line says when. The base runs feed it the word `None`, which it refuses, so what says
/// that it found no patch at all is passed over.
pub(crate) fn says_not_applied(log: &str) -> bool {
    static REFUSED: Pattern = Pattern::new(
        r"(?m)^error: (?:patch failed: |.*: (?:patch does not apply|already exists in|No such file)|corrupt patch)",
    );
    let before = memchr::memmem::find(log.as_bytes(), TRACED.as_bytes()).map_or(log, |at| &log[..at]);
    REFUSED.finds(before)
}

/// What is told of a log whose commands begin at another commit than the case.
///
/// Official place: `make_eval_script_list` in `src/exec_spec.py`, whose script shows each command behind a `+`, as those of TDD-Bench do.
pub(crate) fn of_another_case(log: &str, row: &Row) -> Option<String> {
    let commits = log.lines().filter_map(|line| {
        let rest = line.strip_prefix("+ git diff ").or_else(|| line.strip_prefix("+ git checkout "))?;
        rest.split_whitespace().next()
    });
    let is_commit = |word: &&str| word.len() == 40 && word.chars().all(|letter| letter.is_ascii_hexdigit());
    let mut commits = commits.filter(is_commit).peekable();
    let first = commits.peek().copied()?;
    let own = &row.base_commit;
    (!commits.any(|commit| commit == own)).then(|| {
        format!("the log is of another case: it begins at the commit {first}, and `base_commit` is {own}")
    })
}

pub(crate) fn has(text: &str, what: &str) -> bool {
    memchr::memmem::find(text.as_bytes(), what.as_bytes()).is_some()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const COMMAND: &str = "+ python3 /root/trace.py --count -C coverage.cover --include-pattern '/testbed/(a\\.py)' -m pytest -rA t.py\n";

    fn row() -> Row {
        Row { repo: "pydata/xarray".to_owned(), ..Row::default() }
    }

    fn read(log: &str) -> RunLog {
        read_by(LogParser::of_repository(&row().repo).unwrap(), log)
    }

    fn read_by(parser: LogParser, log: &str) -> RunLog {
        RunLog::read(log, parser, &row(), |_| true, Reasons::Skip)
    }

    #[test]
    fn results_of_the_other_kind_are_told() {
        let end = "+ cat coverage.cover\n+ git checkout abc\n";
        let check = |output: &str, expect: &[LogNote]| {
            let log = format!("Applied patch t.py cleanly.\n{COMMAND}{output}{end}");
            assert_eq!(read_by(LogParser::Script, &log).notes, expect, "{output}");
        };
        check("PASSED t.py::a\n", &[LogNote::OfTests]);
        check("PASSED t.py::a\n+ echo 0\n0\n", &[]);
        check("no tests ran\n", &[]);
    }

    #[test]
    fn only_the_output_of_the_tests_is_read() {
        let check = |log: &str, tests: &[&str], applied: bool, notes: &[LogNote]| {
            let read = read(log);
            let named: Vec<&str> = read.statuses.keys().map(String::as_str).collect();
            assert_eq!(
                (named.as_slice(), read.applied, read.notes.as_slice()),
                (tests, applied, notes),
                "{log}"
            );
        };
        let end = "+ cat coverage.cover\nPASSED after\n+ git checkout abc\n";
        let whole = format!("PASSED before\nApplied patch t.py cleanly.\n{COMMAND}PASSED t.py::a\n{end}");
        check(&whole, &["t.py::a"], true, &[]);
        check(&whole.replace("Applied", "applieD"), &["t.py::a"], true, &[]);
        check(&whole.replace("Applied patch", "Applied p"), &["t.py::a"], false, &[]);
        check("Applied patch\nPASSED t.py::a\n+ git checkout abc\n", &["t.py::a"], true, &[]);
        check(&format!("{whole}>>>>> Tests Timed Out"), &[], false, &[LogNote::Void]);
        check(&whole.replace("+ git checkout", "git"), &["t.py::a"], true, &[LogNote::CutOff]);
        check(&whole.replace("\n+ python3", "\npython3"), &[], false, &[LogNote::NoCommand]);
        let refused = format!("error: t.py: patch does not apply\n{whole}");
        check(&refused, &["t.py::a"], true, &[LogNote::PatchFailed]);
        let script = whole.replace("PASSED t.py::a\n", "+ python3 /testbed/a.py\n+ echo 1\n1\n");
        check(&script, &[], true, &[LogNote::OfScript]);
        // Two commands that trace: only what the first one printed counts.
        let twice = format!("Applied patch\n{COMMAND}PASSED a\n{COMMAND}PASSED b\n+ git checkout abc\n");
        check(&twice, &["a"], true, &[]);
    }
}
