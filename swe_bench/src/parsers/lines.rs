//! Test tools that print a line for each test: one expression each.

use super::Context;
use crate::pattern::Pattern;
use crate::status::LoggedStatus::{self, Failed, Passed, Skipped};
use crate::status::StatusMap;
use crate::text::{lines, strip};

type Outcomes = &'static [(&'static str, LoggedStatus)];

/// The format in which a tool prints a test: an expression with two groups, and the statuses that the group of the outcome names.
pub(super) struct LineFormat {
    /// Matched against each line, stripped of white space.
    pattern: Pattern,
    /// The outcome stands before the name.
    outcome_first: bool,
    /// Outcomes; others are passed over.
    outcomes: Outcomes,
}

impl LineFormat {
    const fn outcome_then_name(text: &'static str, outcomes: Outcomes) -> Self {
        Self { pattern: Pattern::new(text), outcome_first: true, outcomes }
    }

    const fn name_then_outcome(text: &'static str, outcomes: Outcomes) -> Self {
        Self { pattern: Pattern::new(text), outcome_first: false, outcomes }
    }

    pub(super) fn read(&self, log: &str) -> StatusMap {
        let named = lines(log).filter_map(|line| {
            let [first, second] = self.pattern.groups(strip(line))?;
            let (outcome, name) = if self.outcome_first { (first, second) } else { (second, first) };
            let (_, status) = self.outcomes.iter().find(|(word, _)| *word == outcome)?;
            Some((name.to_owned(), *status))
        });
        named.collect()
    }
}

/// `test name ... ok`.
pub(super) static CARGO: LineFormat =
    LineFormat::name_then_outcome(r"^test\s+(\S+)\s+\.\.\.\s+(\w+)$", &[("ok", Passed), ("FAILED", Failed)]);
/// `--- PASS: name (0.00s)`.
pub(super) static GO: LineFormat = LineFormat::outcome_then_name(
    r"^--- (PASS|FAIL|SKIP): (.+) \(.+\)$",
    &[("PASS", Passed), ("FAIL", Failed), ("SKIP", Skipped)],
);
/// `[junit] [PASS] name`.
pub(super) static ANT: LineFormat = LineFormat::outcome_then_name(
    r"^\s*\[junit\]\s+\[(PASS|FAIL|ERR)\]\s+(.*)$",
    &[("PASS", Passed), ("FAIL", Failed), ("ERR", Failed)],
);
/// `PASS: name`.
pub(super) static JQ: LineFormat =
    LineFormat::outcome_then_name(r"^\s*(PASS|FAIL):\s(.+)$", &[("PASS", Passed), ("FAIL", Failed)]);
/// `pass  name`.
pub(super) static MICROPYTHON: LineFormat = LineFormat::outcome_then_name(
    r"^(pass|FAIL|skip)\s+(.+)$",
    &[("pass", Passed), ("FAIL", Failed), ("skip", Skipped)],
);
/// `[       OK ] name (0 ms)`.
pub(super) static GOOGLETEST: LineFormat = LineFormat::outcome_then_name(
    r"^.*\[\s*(OK|FAILED)\s*\]\s(.*)\s\(.*\)$",
    &[("OK", Passed), ("FAILED", Failed)],
);
/// `ok 1 name`.
pub(super) static TAP: LineFormat =
    LineFormat::outcome_then_name(r"^(ok|not ok) \d+ (.+)$", &[("ok", Passed), ("not ok", Failed)]);
/// `[PASSED] name`: Jest's JSON, made into lines.
pub(super) static JEST_JSON: LineFormat =
    LineFormat::outcome_then_name(r"^\[(PASSED|FAILED)\]\s(.+)$", &[("PASSED", Passed), ("FAILED", Failed)]);
static JEST: LineFormat = LineFormat::outcome_then_name(
    r"^\s*([✓✕○])\s(.+?)(?:\s\(\d+\s*m?s\))?$",
    &[("✓", Passed), ("✕", Failed), ("○", Skipped)],
);
/// `✓ name 3ms` of `--reporter=verbose`.
pub(super) static VITEST: LineFormat = LineFormat::outcome_then_name(
    r"^\s*([✓×↓])\s(.+?)(?:\s(?:\d+\s*m?s?|\[skipped\]))?$",
    &[("✓", Passed), ("×", Failed), ("↓", Skipped)],
);
/// `name. = 0.00 s = .`.
pub(super) static MINITEST: LineFormat = LineFormat::name_then_outcome(
    r"^(.+)\. .*=.*(\.|F|E).*$",
    &[(".", Passed), ("F", Failed), ("E", Failed)],
);
/// `name ....`, of `--format progress`.
pub(super) static CUCUMBER: LineFormat =
    LineFormat::name_then_outcome(r"^(.*) \.+(\.|F)", &[(".", Passed), ("F", Failed)]);
/// `name:  .: (0.001)`.
pub(super) static RUBY_UNIT: LineFormat = LineFormat::name_then_outcome(
    r"^\s*(?:test: )?(.+):\s+(\.|E\b|F\b|O\b)",
    &[(".", Passed), ("E", Failed), ("F", Failed), ("O", Skipped)],
);
/// `name - passed`: RSpec's JSON, made into lines.
pub(super) static RSPEC: LineFormat =
    LineFormat::name_then_outcome(r"^(.+) - (passed|failed)", &[("passed", Passed), ("failed", Failed)]);

/// `✓ name (3 ms)` of `--verbose`.
pub(super) fn jest(log: &str, context: &Context<'_>) -> StatusMap {
    let statuses = JEST.read(log);
    if !context.book.trims_names {
        return statuses;
    }
    statuses.into_iter().map(|(name, status)| (strip(&name).to_owned(), status)).collect()
}

/// Redis: `[ok]: name (3 ms)`; a failure says the file too.
pub(super) fn redis(log: &str, _: &Context<'_>) -> StatusMap {
    static LINE: Pattern = Pattern::new(r"^\[(ok|err|skip|ignore)\]:\s(.+?)(?:\s\(\d+\s*m?s\))?$");
    static FILE: Pattern = Pattern::new(r"\s+in\s+\S+$");
    let named = lines(log).filter_map(|line| LINE.groups(strip(line)));
    let statuses = named.map(|[outcome, name]| match outcome {
        "ok" => (name.to_owned(), Passed),
        "err" => (FILE.removed(name).into_owned(), Failed),
        _ => (name.to_owned(), Skipped),
    });
    statuses.collect()
}

/// PHPUnit with `--testdox`: a line for the class, then `✔ name` for each test.
pub(super) fn phpunit(log: &str, _: &Context<'_>) -> StatusMap {
    static SUITE: Pattern = Pattern::new(r"^(\w.+) \(.+\)$");
    static TEST: Pattern = Pattern::new(r"^\s*([✔✘↩])\s*(.*)$");
    let mut statuses = StatusMap::default();
    // `None` is how the official program prints that there was no suite yet.
    let mut suite = "None";
    for line in lines(log) {
        if let Some([name]) = SUITE.groups(line) {
            suite = name;
        } else if let Some([sign, name]) = TEST.groups(line) {
            let status = match sign {
                "✔" => Passed,
                "✘" => Failed,
                _ => Skipped,
            };
            statuses.insert(format!("{suite} > {name}"), status);
        }
    }
    statuses
}

/// Jekyll changed its test tool: which one a case has is known by its number.
pub(super) fn jekyll(log: &str, context: &Context<'_>) -> StatusMap {
    match context.instance_id.split('-').nth(1) {
        Some("9141" | "8047" | "8167") => MINITEST.read(log),
        Some("8761" | "8771") => CUCUMBER.read(log),
        Some(_) | None => StatusMap::default(),
    }
}

/// The same for immutable-js.
pub(super) fn immutable_js(log: &str, context: &Context<'_>) -> StatusMap {
    match context.instance_id.rsplit('-').next() {
        Some("2006") => jest(log, context),
        Some("2005") => JEST_JSON.read(log),
        Some(_) | None => StatusMap::default(),
    }
}
