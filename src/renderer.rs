//! Events as lines for people: what `repair` shows while it works and what `replay view` prints.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use anstyle::{AnsiColor, Style};
use patchwright_prompts::{one_line, visible};
use patchwright_protocol::{
    BY_PATTERNS, CandidateRecord, FailingTest, Mode, Origin, Remark, ReproducedBug, ReproductionRecord,
    ReproductionVerdict, SessionResult, Status, TestId, ValidationResult, Verdict, listed,
};
use patchwright_session::{Listener, command_line};
use patchwright_state_machine::StateMachine;
use patchwright_syntax::shorten;
use patchwright_trajectory::{Event, Level, Purpose, Record};

const LABEL_WIDTH: usize = 10;
/// Flaky tests, or files with such tests, that are named.
const FLAKY_SHOWN: usize = 10;
/// Tests of a partial fix that are named, of those that it repairs and of those that it does not.
const TESTS_SHOWN: usize = 5;
/// Letters of a command that are shown: one may name hundreds of files.
const LONGEST_COMMAND: usize = 400;
/// Failing tests and remarks on candidates that are kept, to know them again: a trajectory may be larger than the memory.
const MOST_KEPT: usize = 10_000;
const DIM: Style = Style::new().dimmed();
const BOLD: Style = Style::new().bold();
const GOOD: Style = AnsiColor::Green.on_default().bold();
const BAD: Style = AnsiColor::Red.on_default();
const WARN: Style = AnsiColor::Yellow.on_default();

/// Writes events to `out` as lines. Colours are written as ANSI codes; `out` strips them where they do not
/// belong.
pub struct Renderer<W> {
    out: W,
    state: String,
    cycle_shown: u32,
    failing_shown: BTreeSet<TestId>,
    /// Is true if a test is the goal, and no fix.
    writes_test: bool,
    /// Is true if nobody reads or writes prompts: then what tools say is of no use to a person.
    by_patterns: bool,
    /// The remarks of the fix patterns on their candidates; those are many, so they are counted and not listed.
    remarks: BTreeMap<u32, Remark>,
    /// Verdicts on those since the last line about them.
    tally: BTreeMap<Verdict, usize>,
}

impl<W: Write> Renderer<W> {
    /// Renderer that begins in the state `start`.
    pub fn new(out: W, start: &str) -> Self {
        Self {
            out,
            state: start.to_owned(),
            cycle_shown: 0,
            failing_shown: BTreeSet::new(),
            writes_test: false,
            by_patterns: false,
            remarks: BTreeMap::new(),
            tally: BTreeMap::new(),
        }
    }

    /// Where it writes to.
    pub fn out(&mut self) -> &mut W {
        &mut self.out
    }

    /// Writes the patch that a session ended with, if it has one.
    pub fn tell_patch(&mut self, event: &Event) {
        if let Event::SessionEnded(SessionResult { patch: Some(patch), .. }) = event {
            let _ = self.diff(patch);
        }
    }

    /// Writes what `event` means to a person. A stream that is gone does not stop a session.
    pub fn tell(&mut self, event: &Event) {
        let _ = self.write(event);
    }

    /// Writes a diff, set in.
    fn diff(&mut self, diff: &str) -> std::io::Result<()> {
        let mut lines = Vec::new();
        crate::output::write_diff(&mut lines, diff)?;
        for line in String::from_utf8_lossy(&lines).lines() {
            writeln!(self.out, "{DIM}{:<LABEL_WIDTH$}│{DIM:#} {line}", "")?;
        }
        Ok(())
    }

    /// Writes a text whole, set in.
    pub fn quote(&mut self, text: &str) {
        for line in text.lines() {
            let line = visible(line);
            let _ = writeln!(self.out, "{DIM}{:<LABEL_WIDTH$}│ {line}{DIM:#}", "");
        }
    }

    fn label(&mut self, label: &str, text: &str) -> std::io::Result<()> {
        self.styled(label, text, Style::new())
    }

    fn styled(&mut self, label: &str, text: &str, style: Style) -> std::io::Result<()> {
        for (number, line) in text.lines().enumerate() {
            let line = visible(line);
            let label = if number == 0 { label } else { "" };
            writeln!(self.out, "{DIM}{label:<LABEL_WIDTH$}{DIM:#}{style}{line}{style:#}")?;
        }
        Ok(())
    }

    fn cycle(&mut self, cycle: u32) -> std::io::Result<()> {
        if cycle == self.cycle_shown || self.by_patterns {
            return Ok(());
        }
        self.cycle_shown = cycle;
        let label = format!("cycle {cycle}");
        writeln!(self.out, "{BOLD}{label:<LABEL_WIDTH$}{BOLD:#}{DIM}{}{DIM:#}", self.state)
    }

    fn write(&mut self, event: &Event) -> std::io::Result<()> {
        match event {
            Event::SessionStarted { session, driver, mode, settings, .. } => {
                if *mode == Mode::Agentless {
                    // A pipeline has no states; its stages say where it is.
                    self.state.clear();
                }
                if settings.get("method").is_some() {
                    self.writes_test = true;
                    if *mode == Mode::Agent {
                        self.state.clone_from(&StateMachine::for_tests().start().name);
                    }
                }
                self.by_patterns = driver == BY_PATTERNS;
                self.label("session", &format!("{session}, driven by {driver}"))?;
            }
            Event::Detected { spec, reasons, sandbox, notes } => {
                self.detected(spec, reasons)?;
                self.label("sandbox", sandbox)?;
                for note in notes {
                    self.styled("", note, DIM)?;
                }
            }
            Event::NamedTests { failing, seconds, .. } => {
                let counts = format!(
                    "{} named, failing before any change ({seconds:.1} s); the others run meanwhile",
                    failing.len()
                );
                self.label("tests", &counts)?;
                self.failing(failing)?;
            }
            Event::Baseline { total, passed, failing, known_failing, flaky, seconds, .. } => {
                let counts = format!(
                    "{total} run, {passed} passed, {} failing before any change ({seconds:.1} s)",
                    failing.len()
                );
                self.label("tests", &counts)?;
                self.failing(failing)?;
                if !known_failing.is_empty() {
                    self.label("", &format!("{} other tests fail too and are ignored", known_failing.len()))?;
                }
                if !flaky.is_empty() {
                    self.styled(
                        "",
                        &one_line(&format!("flaky, left out: {}", TestId::summarized(flaky, FLAKY_SHOWN))),
                        WARN,
                    )?;
                }
            }
            Event::Prompt { cycle, purpose: Purpose::Command, .. } => self.cycle(*cycle)?,
            Event::Prompt { .. } | Event::Reply { purpose: Purpose::Command | Purpose::Stage, .. } => {}
            Event::Reply { purpose: Purpose::Variants, .. } => {
                self.label("", "variants asked for and received")?;
            }
            Event::Reply { purpose: Purpose::MethodBody, .. } => {
                self.label("", "a method body was written")?;
            }
            Event::Call { .. } if self.by_patterns => {}
            Event::Call { cycle, tool, arguments, repairs, .. } => {
                self.cycle(*cycle)?;
                self.label("", &command_line(tool, arguments))?;
                if !repairs.is_empty() {
                    self.styled("", &format!("repaired: {}", repairs.join("; ")), WARN)?;
                }
            }
            Event::Refusal { cycle, message, .. } => {
                self.cycle(*cycle)?;
                self.styled("", &format!("refused: {}", first_line(message)), WARN)?;
            }
            Event::Observation { text, tool, .. } => {
                self.count()?;
                if tool != "write_fix" && !self.by_patterns {
                    let lines = text.lines().count();
                    let more = if lines > 1 { format!(" (+{} lines)", lines - 1) } else { String::new() };
                    self.styled("", &format!("→ {}{more}", first_line(text)), DIM)?;
                }
            }
            Event::Transition { to, .. } => self.state.clone_from(to),
            Event::Hypothesis { text, .. } => self.styled("", &format!("hypothesis: {text}"), BOLD)?,
            Event::HypothesisDiscarded { reason, .. } => {
                self.styled("", &format!("hypothesis discarded: {reason}"), WARN)?;
            }
            Event::Candidate { candidate, .. } => self.candidate(candidate)?,
            Event::Verdict { candidate, result, .. } => self.verdict(*candidate, result)?,
            Event::Reproduction { test, .. } => self.reproduction(test)?,
            Event::Intervention { kind, text, .. } => {
                self.styled("", &format!("you: {} {text}", word(kind)), BOLD)?;
            }
            Event::AskedAgain { error, change, .. } => {
                self.styled(&word(&Level::Retry), &format!("{error}; {change}"), WARN)?;
            }
            Event::Notice { level, text } => {
                let style = match level {
                    Level::Info => DIM,
                    Level::Warning | Level::Retry => WARN,
                };
                self.styled(&word(level), text, style)?;
            }
            Event::SessionEnded(result) => self.ended(result)?,
        }
        self.out.flush()
    }

    /// The failing tests that were not listed before.
    fn failing(&mut self, failing: &[FailingTest]) -> std::io::Result<()> {
        for test in failing {
            if self.failing_shown.contains(&test.id) {
                continue;
            }
            if self.failing_shown.len() < MOST_KEPT {
                self.failing_shown.insert(test.id.clone());
            }
            let message = test.message.as_deref().and_then(|text| text.lines().next()).unwrap_or_default();
            self.styled("", &one_line(&format!("✗ {}  {message}", test.id)), BAD)?;
        }
        Ok(())
    }

    fn candidate(&mut self, candidate: &CandidateRecord) -> std::io::Result<()> {
        let id = candidate.id;
        if let Some(remark) = &candidate.remark {
            self.remarks.insert(id, remark.clone());
            if self.remarks.len() > MOST_KEPT {
                self.remarks.pop_first();
            }
            return Ok(());
        }
        let origin = candidate.origin.word();
        match candidate.variant_of {
            // The pipeline's candidates come all at once: their verdicts say enough, and of repetitions the stage.
            _ if candidate.origin == Origin::Repair => Ok(()),
            Some(basis) => self.label("", &format!("candidate {id} ({origin} of candidate {basis})")),
            None => {
                self.label("", &format!("candidate {id} ({origin})"))?;
                self.diff(candidate.diff.as_deref().unwrap_or_default())
            }
        }
    }

    fn verdict(&mut self, candidate: u32, found: &ValidationResult) -> std::io::Result<()> {
        let is_plausible = found.verdict == Verdict::Plausible;
        if found.verdict == Verdict::Duplicate && found.message.is_none() {
            return Ok(());
        }
        let remark = self.remarks.get(&candidate);
        if remark.is_some() {
            *self.tally.entry(found.verdict).or_default() += 1;
            if !is_plausible {
                return Ok(());
            }
        }
        let mut text = format!("candidate {candidate}: {}", found.summary(0));
        text.push_str(&remark.map_or_else(String::new, |remark| format!(", {}", in_words(remark))));
        if let Some(message) = &found.message {
            text.push_str(&format!(": {}", first_line(message)));
        }
        text.push_str(&format!(" [{:.1} s]", found.seconds));
        for outcome in &found.reproductions {
            let word = if outcome.passes { "passes" } else { "fails" };
            text.push_str(&format!(", test {} {word}", outcome.test));
        }
        self.styled(
            "",
            &text,
            match found.verdict {
                Verdict::Plausible => GOOD,
                Verdict::Unverified => WARN,
                _ => BAD,
            },
        )
    }

    fn reproduction(&mut self, test: &ReproductionRecord) -> std::io::Result<()> {
        let failure = test.failure.as_deref().map(first_line).unwrap_or_default();
        let text =
            format!("test {} ({}) {} on the original code  {failure}", test.id, test.path, test.verdict);
        let style = if test.verdict == ReproductionVerdict::Fails { GOOD } else { WARN };
        self.styled("test", &one_line(text.trim_end()), style)
    }

    fn ended(&mut self, result: &SessionResult) -> std::io::Result<()> {
        let style = match result.status {
            Status::Plausible | Status::Reproduced => GOOD,
            Status::Unverified => WARN,
            _ => BAD,
        };
        self.styled("end", &format!("{}: {}", result.status_told(), result.reason), style)?;
        if let Some(remark) = result.patches.first().and_then(|first| first.remark.as_ref()) {
            self.styled("", &in_words(remark), style)?;
        }
        if let Some(confirmation) = result.patches.first().and_then(|first| first.confirmation) {
            let style = if confirmation.is_given() { GOOD } else { WARN };
            self.styled("", &confirmation.to_string(), style)?;
        }
        for sign in result.patches.first().into_iter().flat_map(|first| &first.tampering) {
            self.styled("marked", &format!("{sign}: its tests may prove nothing"), BAD)?;
        }
        if let Some(partial) = &result.partial {
            let (repaired, still) = (&partial.repaired, &partial.still_failing);
            let (count, all) = (repaired.len(), repaired.len() + still.len());
            let id = partial.candidate;
            let mut text = format!(
                "candidate {id} repairs {count} of {all} failing tests: {}",
                listed(repaired, TESTS_SHOWN)
            );
            for (what, tests) in [("not", still), ("breaks", &partial.broken)] {
                if !tests.is_empty() {
                    text.push_str(&format!("; {what} {}", listed(tests, TESTS_SHOWN)));
                }
            }
            if let Some(ran) = &partial.tests_run {
                text.push_str(&format!("; {}", ran.others_told()));
            }
            self.styled("partial", &one_line(&text), WARN)?;
            self.diff(&partial.patch)?;
        }
        if self.writes_test {
            return self.costs(result);
        }
        for ReproducedBug { test, passed_by, .. } in &result.reproductions {
            let by: Vec<String> = passed_by.iter().map(ToString::to_string).collect();
            let by = if by.is_empty() {
                "no candidate".to_owned()
            } else {
                format!("candidate {}", by.join(", "))
            };
            self.label("", &one_line(&format!("test {} ({}) is passed by {by}", test.id, test.path)))?;
        }
        let ledger = format!(
            "{} cycles, {} candidates ({} duplicates, {} plausible), tests that show the bug: {} failing before, {} after",
            result.cycles,
            result.candidates.tried,
            result.candidates.duplicates,
            result.candidates.plausible,
            result.tests.failing_before,
            result.tests.failing_after
        );
        self.label("", &ledger)?;
        for ranked in result.patches.iter().skip(1) {
            let remark = ranked.remark.as_ref().map_or_else(String::new, in_words);
            let marked = if ranked.tampering.is_empty() { "" } else { " (marked: it tampers with tests)" };
            let passes = result.passes_told(ranked).map(|told| format!(" ({told})")).unwrap_or_default();
            let text = format!("also {}: candidate {} {remark}{marked}", result.status, ranked.candidate);
            self.label("", &format!("{}{passes}", text.trim_end()))?;
        }
        self.costs(result)
    }

    /// What a session cost.
    fn costs(&mut self, result: &SessionResult) -> std::io::Result<()> {
        let cost = result.cost_usd.map_or("cost unknown".to_owned(), |usd| format!("${usd:.4}"));
        self.label(
            "tokens",
            &format!(
                "{} in ({} from cache), {} out, {cost}",
                result.tokens.input, result.tokens.cached_input, result.tokens.output
            ),
        )?;
        self.label("time", &result.seconds.to_string())
    }

    /// One line about the candidates of the fix patterns since the last one.
    fn count(&mut self) -> std::io::Result<()> {
        let tally = std::mem::take(&mut self.tally);
        if tally.is_empty() {
            return Ok(());
        }
        let total: usize = tally.values().sum();
        let parts: Vec<_> = tally.iter().map(|(verdict, count)| format!("{count} {verdict}")).collect();
        let plural = if total == 1 { "candidate" } else { "candidates" };
        self.styled("", &format!("{total} {plural} tried: {}", parts.join(", ")), DIM)
    }

    fn detected(&mut self, spec: &serde_json::Value, reasons: &[String]) -> std::io::Result<()> {
        let word = |key: &str| spec.get(key).and_then(serde_json::Value::as_str).unwrap_or("?");
        self.label("project", &format!("{}, {}", word("language"), word("kind")))?;
        if let Some(build) = spec.get("build").and_then(serde_json::Value::as_str) {
            self.label("build", build)?;
        }
        self.label("test", &shorten(word("test"), LONGEST_COMMAND))?;
        for reason in reasons {
            self.styled("", reason, DIM)?;
        }
        Ok(())
    }
}

impl<W: Write + Send> Listener for Renderer<W> {
    fn on_event(&mut self, record: &Record) {
        self.tell(&record.event);
    }
}

/// Is true if a candidate is shown with its diff: those that come by the dozen are not.
pub fn shows_diff(candidate: &CandidateRecord) -> bool {
    candidate.remark.is_none() && candidate.variant_of.is_none() && candidate.origin != Origin::Repair
}

/// The change that a pattern made, its place, and the reason to distrust it, if there is one.
fn in_words(remark: &Remark) -> String {
    let Remark { pattern, what, place, overfit } = remark;
    let doubt = overfit.as_ref().map_or_else(String::new, |overfit| {
        format!(" (often fits the tests and nothing else: {})", overfit.replace('_', " "))
    });
    format!("{pattern} at {place}: {what}{doubt}")
}

fn first_line(text: &str) -> &str {
    text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default()
}

/// The word that an enum of the trajectory is written with.
pub fn word<T: serde::Serialize>(value: &T) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        _ => String::new(),
    }
}
