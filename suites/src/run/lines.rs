//! The board as plain lines, for what is no terminal.

use std::fmt::Write as _;
use std::time::Duration;

use super::board::Board;
use super::event::{Event, Record};
use super::status::Status;

/// Between two summaries.
const EVERY: Duration = Duration::from_secs(60);
/// Letters of a hypothesis that are shown.
const HYPOTHESIS: usize = 60;

/// The whole board: the summary, a line for each running case, the statuses.
pub fn lines(board: &Board) -> Vec<String> {
    let mut lines = vec![summary(board)];
    if let Some(held) = &board.held {
        lines.push(format!("waiting: {held}"));
    }
    for running in &board.running {
        let stage = &running.stage;
        let mut line = format!("{}  {}", running.case, stage.state);
        if stage.cycle > 0 {
            // Writing to a string cannot fail, here and below.
            let _ = write!(line, ", cycle {}", stage.cycle);
        }
        if running.attempt > 1 {
            let _ = write!(line, ", attempt {}", running.attempt);
        }
        let _ = write!(line, ", {}", clock(board.elapsed.saturating_sub(running.since)));
        if let Some(hypothesis) = &stage.hypothesis {
            let _ = write!(line, "  {}", shortened(hypothesis, HYPOTHESIS));
        }
        lines.push(line);
    }
    let statuses: Vec<String> = Status::ALL
        .into_iter()
        .filter_map(|status| Some(format!("{status} {}", board.statuses.get(&status)?)))
        .collect();
    if !statuses.is_empty() {
        lines.push(statuses.join(", "));
    }
    lines
}

/// The board in one line.
pub fn summary(board: &Board) -> String {
    let mut line = format!("{} of {} done, {} plausible", board.done, board.total, board.plausible());
    let unpriced = if board.spent.unpriced > 0 { "+" } else { "" };
    let _ = write!(line, ", ${:.2}{unpriced}, {} tokens", board.usd(), thousands(board.tokens()));
    if let (Some(rate), Some(left)) = (board.cases_per_hour(), board.time_left()) {
        let _ = write!(line, ", {rate:.1} cases an hour, {} left", clock(left));
    }
    line
}

/// What to print while a run goes on: a line for each case that ends and each notice, and a summary each minute.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plain {
    last: Duration,
}

impl Plain {
    /// What to print after this record; `board` as it is after it.
    pub fn heard(&mut self, record: &Record, board: &Board) -> Vec<String> {
        let mut lines: Vec<String> = ended_line(&record.event).into_iter().collect();
        if matches!(record.event, Event::RunEnded { .. }) {
            lines.push(summary(board));
        } else {
            lines.extend(self.tick(board));
        }
        lines
    }

    /// The summary, where a minute has gone by.
    pub fn tick(&mut self, board: &Board) -> Option<String> {
        (board.elapsed >= self.last + EVERY).then(|| {
            self.last = board.elapsed;
            summary(board)
        })
    }
}

/// The line that tells of an event; none for events that are told by the board.
pub fn ended_line(event: &Event) -> Option<String> {
    match event {
        Event::AttemptEnded { case, attempt, outcome, seconds } => {
            let cost = outcome.cost_usd.map_or_else(|| "$?".to_owned(), |usd| format!("${usd:.2}"));
            let took = seconds.map_or_else(String::new, |seconds| {
                format!(", {}", clock(Duration::try_from_secs_f64(seconds).unwrap_or_default()))
            });
            let attempt = if *attempt > 1 { format!(" (attempt {attempt})") } else { String::new() };
            let why = match outcome.status {
                Status::Plausible => String::new(),
                Status::NoFix
                | Status::Budget
                | Status::Stuck
                | Status::Model
                | Status::Infrastructure
                | Status::Cancelled
                | Status::Defect => format!(": {}", shortened(&outcome.reason, 160)),
            };
            let (status, cycles) = (outcome.status, outcome.cycles);
            Some(format!("{case}{attempt}  {status}, {cycles} cycles, {cost}{took}{why}"))
        }
        Event::Notice { case, text } => {
            Some(case.as_ref().map_or_else(|| text.clone(), |case| format!("{case}  {text}")))
        }
        Event::RunEnded { text, .. } => Some(text.clone()),
        Event::RunStarted { cases, .. } => Some(format!("{cases} cases to do")),
        Event::RunResumed { cases, .. } => Some(format!("resumed, {cases} cases to do")),
        Event::AttemptStarted { .. } | Event::Graded { .. } => None,
    }
}

/// `1:02:03` or `2:03`.
pub(super) fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

/// `950`, `12.3k`, `4.56M`.
pub(super) fn thousands(count: u64) -> String {
    match count {
        0..1_000 => count.to_string(),
        1_000..1_000_000 => format!("{:.1}k", count as f64 / 1e3),
        _ => format!("{:.2}M", count as f64 / 1e6),
    }
}

/// In one line, cut after so many letters.
fn shortened(text: &str, letters: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= letters {
        return line;
    }
    let cut: String = line.chars().take(letters.saturating_sub(1)).collect();
    format!("{}…", cut.trim_end())
}
