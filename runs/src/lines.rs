//! The board as plain lines, for what is no terminal.

use std::fmt::Write as _;
use std::time::Duration;

use patchwright_protocol::counted;
use patchwright_protocol::{Status, StatusClass};

use super::board::Board;
use super::event::{EventRecord, RunEvent};
use crate::words::{HYPOTHESIS, REASON, clock, shortened, thousands};

/// Between two summaries.
const EVERY: Duration = Duration::from_mins(1);

/// The whole board: the summary, a line for each running case, the statuses.
pub fn lines(board: &Board) -> Vec<String> {
    let mut lines = vec![summary(board)];
    if let Some(held) = &board.held {
        lines.push(format!("waiting: {held}"));
    }
    for running in &board.running {
        let stage = &running.stage;
        let mut line = format!("{}  {}", running.case, stage.step.as_ref().unwrap_or(&stage.state));
        if stage.cycle > 0 {
            // Writing to a string cannot fail, here and below.
            let _ = write!(line, ", cycle {}", stage.cycle);
        }
        if stage.candidates > 0 {
            let _ = write!(line, ", {}", counted(stage.candidates, "candidate"));
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
pub(crate) fn summary(board: &Board) -> String {
    let mut line = format!("{} of {} done, {} {}", board.done, board.total, board.solved(), board.success());
    let unpriced = if board.spent.unpriced > 0 { "+" } else { "" };
    let _ = write!(line, ", ${:.2}{unpriced}, {} tokens", board.usd(), thousands(board.tokens()));
    if let (Some(rate), Some(left)) = (board.cases_per_hour(), board.time_left()) {
        let _ = write!(line, ", {rate:.1} cases an hour, {} left", clock(left));
    }
    line
}

/// The lines to print while a run goes on: one for each case that ends and each notice, and a summary each minute, whatever happens
/// or does not.
#[derive(Clone, Copy, Debug)]
pub struct PlainProgress {
    every: Duration,
    last: Duration,
}

impl Default for PlainProgress {
    fn default() -> Self {
        Self::every(EVERY)
    }
}

impl PlainProgress {
    /// With so much time between two summaries.
    pub fn every(every: Duration) -> Self {
        Self { every, last: Duration::ZERO }
    }

    /// The lines to print after this record; `board` as it is after it.
    pub fn on_event(&mut self, record: &EventRecord, board: &Board) -> Vec<String> {
        let mut lines: Vec<String> = ended_line(&record.event).into_iter().collect();
        if matches!(record.event, RunEvent::RunEnded { .. }) {
            lines.push(summary(board));
        }
        lines
    }

    /// The whole board, where it is time for it; to be asked often. Nothing while nothing runs.
    pub fn tick(&mut self, board: &Board) -> Vec<String> {
        if board.running.is_empty() || board.elapsed < self.last + self.every {
            return Vec::new();
        }
        self.last = board.elapsed;
        lines(board)
    }
}

/// The line that tells of an event; none for events that are told by the board.
pub fn ended_line(event: &RunEvent) -> Option<String> {
    match event {
        RunEvent::AttemptEnded { case, attempt, outcome, seconds, located: _ } => {
            let cost = outcome.cost_usd.map_or_else(|| "$?".to_owned(), |usd| format!("${usd:.2}"));
            let took = seconds.map_or_else(String::new, |seconds| {
                format!(", {}", clock(Duration::try_from_secs_f64(seconds).unwrap_or_default()))
            });
            let attempt = if *attempt > 1 { format!(" (attempt {attempt})") } else { String::new() };
            let why = if outcome.status.class() == StatusClass::Fixed {
                String::new()
            } else {
                let hint = outcome.hint.as_ref().map(|hint| format!(" (hint: {hint})"));
                format!(": {}{}", shortened(&outcome.reason, REASON), hint.unwrap_or_default())
            };
            let (status, cycles) = (outcome.status, outcome.cycles);
            let cycles = counted(u64::from(cycles), "cycle");
            Some(format!("{case}{attempt}  {status}, {cycles}, {cost}{took}{why}"))
        }
        RunEvent::Notice { case, text } => {
            Some(case.as_ref().map_or_else(|| text.clone(), |case| format!("{case}  {text}")))
        }
        RunEvent::RunEnded { text, .. } => Some(text.clone()),
        RunEvent::RunStarted { cases, .. } => Some(format!("{} to do", counted(*cases, "case"))),
        RunEvent::RunResumed { cases, .. } => Some(format!("resumed, {} to do", counted(*cases, "case"))),
        RunEvent::AttemptStarted { .. } | RunEvent::Graded { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use patchwright_protocol::SessionResult;

    use super::*;
    use crate::board::Running;
    use crate::event::EndReason;
    use crate::ledger::RunCosts;
    use crate::stage::Stage;

    fn board() -> Board {
        Board {
            total: 500,
            done: 120,
            due: 400,
            finished_here: 20,
            statuses: [(Status::Plausible, 40), (Status::NoFix, 80)].into_iter().collect(),
            spent: RunCosts { usd: 12.5, unpriced: 0, tokens: 3_400_000 },
            elapsed: Duration::from_mins(20),
            ..Board::default()
        }
    }

    #[test]
    fn the_board_is_a_summary_the_running_cases_and_the_statuses() {
        let mut board = board();
        board.held = Some("the disk is full".to_owned());
        let stage = Stage {
            step: None,
            candidates: 0,
            state: "try_fix".to_owned(),
            cycle: 7,
            hypothesis: Some(format!("the bound is\nexclusive {}", "x".repeat(80))),
            usd: Some(0.25),
            tokens: 10,
        };
        let case = "Lang-33".to_owned();
        board.running.push(Running { case, attempt: 2, stage, since: Duration::from_secs(1100) });
        assert_eq!(
            lines(&board),
            [
                "120 of 500 done, 40 plausible, $12.75, 3.40M tokens, 60.0 cases an hour, 6:20:00 left",
                "waiting: the disk is full",
                "Lang-33  try_fix, cycle 7, attempt 2, 1:40  the bound is exclusive xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…",
                "plausible 40, no_fix 80",
            ]
        );
    }

    #[test]
    fn before_the_first_case_has_ended_no_time_left_is_told() {
        let board = Board { finished_here: 0, ..board() };
        assert_eq!(summary(&board), "120 of 500 done, 40 plausible, $12.50, 3.40M tokens");
        let unpriced = Board { spent: RunCosts { unpriced: 2, ..board.spent }, ..board };
        assert_eq!(summary(&unpriced), "120 of 500 done, 40 plausible, $12.50+, 3.40M tokens");
    }

    #[test]
    fn plain_lines_are_one_for_each_end() {
        let mut plain = PlainProgress::default();
        let record = |event| EventRecord { seq: 1, time: String::new(), event };
        let outcome = SessionResult {
            cycles: 9,
            cost_usd: None,
            ..SessionResult::early(Status::Budget, "all  used\nup")
        };
        let outcome = Box::new(outcome);
        let ended = RunEvent::AttemptEnded {
            case: "a".to_owned(),
            attempt: 1,
            outcome,
            seconds: Some(61.0),
            located: None,
        };
        let mut check = |event: &RunEvent, seconds: u64, expect: &[&str]| {
            let board = Board { elapsed: Duration::from_secs(seconds), total: 2, ..Board::default() };
            assert_eq!(plain.on_event(&record(event.clone()), &board), expect, "{seconds}");
        };
        let summary = "0 of 2 done, 0 plausible, $0.00, 0 tokens";
        let line = "a  budget, 9 cycles, $?, 1:01: all used up";
        check(&RunEvent::AttemptStarted { case: "a".to_owned(), attempt: 1 }, 5, &[]);
        check(&ended, 30, &[line]);
        check(&ended, 60, &[line]);
        check(&RunEvent::notice("no room"), 120, &["no room"]);
        check(&RunEvent::RunResumed { cases: 1, versions: [].into() }, 121, &["resumed, 1 case to do"]);
        let (reason, text) = (EndReason::Complete, "every case was tried".to_owned());
        check(
            &RunEvent::RunEnded { reason, text, unanswered: 0, memory: None },
            122,
            &["every case was tried", summary],
        );
    }

    #[test]
    fn a_summary_comes_each_minute_by_the_clock_while_something_runs() {
        let mut plain = PlainProgress::default();
        let running =
            Running { case: "a".to_owned(), attempt: 1, stage: Stage::default(), since: Duration::ZERO };
        let mut check = |running: Vec<Running>, seconds: u64, expect: bool| {
            let board = Board { elapsed: Duration::from_secs(seconds), running, ..board() };
            assert_eq!(plain.tick(&board), if expect { lines(&board) } else { Vec::new() }, "{seconds}");
        };
        let one = || vec![running.clone()];
        check(one(), 59, false);
        check(one(), 60, true);
        check(one(), 61, false);
        check(one(), 119, false);
        check(one(), 120, true);
        check(Vec::new(), 180, false);
        check(one(), 181, true);
    }
}
