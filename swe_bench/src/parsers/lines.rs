//! Test tools that print a line for each test: one expression each.

use super::Context;
use crate::pattern::Pattern;
use crate::status::{LoggedStatus, StatusMap};
use crate::text::{lines, strip};

/// How a tool prints a test: an expression with two groups, and what the group of the outcome says.
pub(super) struct LineFormat {
    /// Matched against each line, stripped of white space.
    pattern: Pattern,
    /// Whether the outcome stands before the name.
    outcome_first: bool,
    /// Outcomes; others are passed over.
    outcomes: &'static [(&'static str, LoggedStatus)],
}

impl LineFormat {
    const fn outcome_then_name(
        text: &'static str,
        outcomes: &'static [(&'static str, LoggedStatus)],
    ) -> Self {
        Self { pattern: Pattern::new(text), outcome_first: true, outcomes }
    }

    const fn name_then_outcome(
        text: &'static str,
        outcomes: &'static [(&'static str, LoggedStatus)],
    ) -> Self {
        Self { pattern: Pattern::new(text), outcome_first: false, outcomes }
    }

    fn read<'log>(&self, log: &'log str) -> StatusMap<'log> {
        let mut statuses = StatusMap::default();
        for line in lines(log) {
            let Some([first, second]) = self.pattern.groups(strip(line)) else { continue };
            let (outcome, name) = if self.outcome_first { (first, second) } else { (second, first) };
            if let Some((_, status)) = self.outcomes.iter().find(|(word, _)| *word == outcome) {
                statuses.set(name, *status);
            }
        }
        statuses
    }
}

static CARGO: LineFormat = LineFormat::name_then_outcome(
    r"^test\s+(\S+)\s+\.\.\.\s+(\w+)$",
    &[("ok", LoggedStatus::Passed), ("FAILED", LoggedStatus::Failed)],
);
static GO: LineFormat = LineFormat::outcome_then_name(
    r"^--- (PASS|FAIL|SKIP): (.+) \(.+\)$",
    &[("PASS", LoggedStatus::Passed), ("FAIL", LoggedStatus::Failed), ("SKIP", LoggedStatus::Skipped)],
);
static ANT: LineFormat = LineFormat::outcome_then_name(
    r"^\s*\[junit\]\s+\[(PASS|FAIL|ERR)\]\s+(.*)$",
    &[("PASS", LoggedStatus::Passed), ("FAIL", LoggedStatus::Failed), ("ERR", LoggedStatus::Failed)],
);
static JQ: LineFormat = LineFormat::outcome_then_name(
    r"^\s*(PASS|FAIL):\s(.+)$",
    &[("PASS", LoggedStatus::Passed), ("FAIL", LoggedStatus::Failed)],
);
static MICROPYTHON: LineFormat = LineFormat::outcome_then_name(
    r"^(pass|FAIL|skip)\s+(.+)$",
    &[("pass", LoggedStatus::Passed), ("FAIL", LoggedStatus::Failed), ("skip", LoggedStatus::Skipped)],
);
static GOOGLETEST: LineFormat = LineFormat::outcome_then_name(
    r"^.*\[\s*(OK|FAILED)\s*\]\s(.*)\s\(.*\)$",
    &[("OK", LoggedStatus::Passed), ("FAILED", LoggedStatus::Failed)],
);
static TAP: LineFormat = LineFormat::outcome_then_name(
    r"^(ok|not ok) \d+ (.+)$",
    &[("ok", LoggedStatus::Passed), ("not ok", LoggedStatus::Failed)],
);
static JEST_JSON: LineFormat = LineFormat::outcome_then_name(
    r"^\[(PASSED|FAILED)\]\s(.+)$",
    &[("PASSED", LoggedStatus::Passed), ("FAILED", LoggedStatus::Failed)],
);
static JEST: LineFormat = LineFormat::outcome_then_name(
    r"^\s*([✓✕○])\s(.+?)(?:\s\(\d+\s*m?s\))?$",
    &[("✓", LoggedStatus::Passed), ("✕", LoggedStatus::Failed), ("○", LoggedStatus::Skipped)],
);
static VITEST: LineFormat = LineFormat::outcome_then_name(
    r"^\s*([✓×↓])\s(.+?)(?:\s(?:\d+\s*m?s?|\[skipped\]))?$",
    &[("✓", LoggedStatus::Passed), ("×", LoggedStatus::Failed), ("↓", LoggedStatus::Skipped)],
);
static MINITEST: LineFormat = LineFormat::name_then_outcome(
    r"^(.+)\. .*=.*(\.|F|E).*$",
    &[(".", LoggedStatus::Passed), ("F", LoggedStatus::Failed), ("E", LoggedStatus::Failed)],
);
static CUCUMBER: LineFormat = LineFormat::name_then_outcome(
    r"^(.*) \.+(\.|F)",
    &[(".", LoggedStatus::Passed), ("F", LoggedStatus::Failed)],
);
static RUBY_UNIT: LineFormat = LineFormat::name_then_outcome(
    r"^\s*(?:test: )?(.+):\s+(\.|E\b|F\b|O\b)",
    &[
        (".", LoggedStatus::Passed),
        ("E", LoggedStatus::Failed),
        ("F", LoggedStatus::Failed),
        ("O", LoggedStatus::Skipped),
    ],
);
static RSPEC: LineFormat = LineFormat::name_then_outcome(
    r"^(.+) - (passed|failed)",
    &[("passed", LoggedStatus::Passed), ("failed", LoggedStatus::Failed)],
);

/// Makes a parser of each format.
macro_rules! parsers {
    ($($(#[$doc:meta])* $name:ident: $format:ident;)*) => {
        $($(#[$doc])* pub(super) fn $name<'log>(log: &'log str, _: &Context<'_>) -> StatusMap<'log> {
            $format.read(log)
        })*
    };
}

parsers! {
    /// `test name ... ok`.
    cargo: CARGO;
    /// `--- PASS: name (0.00s)`.
    gotest: GO;
    /// `[junit] [PASS] name`.
    ant: ANT;
    /// `PASS: name`.
    jq: JQ;
    /// `pass  name`.
    micropython: MICROPYTHON;
    /// `[       OK ] name (0 ms)`.
    googletest: GOOGLETEST;
    /// `ok 1 name`.
    tap: TAP;
    /// `[PASSED] name`: Jest's JSON, made into lines.
    jest_json: JEST_JSON;
    /// `✓ name 3ms` of `--reporter=verbose`.
    vitest: VITEST;
    /// `name. = 0.00 s = .`.
    minitest: MINITEST;
    /// `name ....`, of `--format progress`.
    cucumber: CUCUMBER;
    /// `name:  .: (0.001)`.
    ruby_unit: RUBY_UNIT;
    /// `name - passed`: RSpec's JSON, made into lines.
    rspec: RSPEC;
}

/// `✓ name (3 ms)` of `--verbose`.
pub(super) fn jest<'log>(log: &'log str, context: &Context<'_>) -> StatusMap<'log> {
    let statuses = JEST.read(log);
    if !context.book.trims_names {
        return statuses;
    }
    let mut trimmed = StatusMap::default();
    for (name, status) in statuses.iter() {
        trimmed.set(strip(name).to_owned(), status);
    }
    trimmed
}

/// Redis: `[ok]: name (3 ms)`; a failure says the file too.
pub(super) fn redis<'log>(log: &'log str, _: &Context<'_>) -> StatusMap<'log> {
    static LINE: Pattern = Pattern::new(r"^\[(ok|err|skip|ignore)\]:\s(.+?)(?:\s\(\d+\s*m?s\))?$");
    static FILE: Pattern = Pattern::new(r"\s+in\s+\S+$");
    let mut statuses = StatusMap::default();
    for line in lines(log) {
        match LINE.groups(strip(line)) {
            Some(["ok", name]) => statuses.set(name, LoggedStatus::Passed),
            Some(["err", name]) => statuses.set(FILE.removed(name), LoggedStatus::Failed),
            Some([_, name]) => statuses.set(name, LoggedStatus::Skipped),
            None => {}
        }
    }
    statuses
}

/// PHPUnit with `--testdox`: a line for the class, then `✔ name` for each test.
pub(super) fn phpunit<'log>(log: &'log str, _: &Context<'_>) -> StatusMap<'log> {
    static SUITE: Pattern = Pattern::new(r"^(\w.+) \(.+\)$");
    static TEST: Pattern = Pattern::new(r"^\s*([✔✘↩])\s*(.*)$");
    let mut statuses = StatusMap::default();
    let mut suite = None;
    for line in lines(log) {
        if let Some([name]) = SUITE.groups(line) {
            suite = Some(name);
            continue;
        }
        let Some([sign, name]) = TEST.groups(line) else { continue };
        let status = match sign {
            "✔" => LoggedStatus::Passed,
            "✘" => LoggedStatus::Failed,
            _ => LoggedStatus::Skipped,
        };
        // `None` is how the official program prints that there was no suite yet.
        statuses.set(format!("{} > {name}", suite.unwrap_or("None")), status);
    }
    statuses
}

/// Jekyll changed its test tool: which one a case has is known by its number.
pub(super) fn jekyll<'log>(log: &'log str, context: &Context<'_>) -> StatusMap<'log> {
    match context.instance_id.split('-').nth(1) {
        Some("9141" | "8047" | "8167") => minitest(log, context),
        Some("8761" | "8771") => cucumber(log, context),
        Some(_) | None => StatusMap::default(),
    }
}

/// The same for immutable-js.
pub(super) fn immutable_js<'log>(log: &'log str, context: &Context<'_>) -> StatusMap<'log> {
    match context.instance_id.rsplit('-').next() {
        Some("2006") => jest(log, context),
        Some("2005") => jest_json(log, context),
        Some(_) | None => StatusMap::default(),
    }
}
