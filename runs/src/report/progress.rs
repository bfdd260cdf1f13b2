//! How far a run is, as tables.

use super::stats::share_interval;
use super::table::Table;
use super::tables::unpriced;
use crate::overview::{Overview, PartOverview, PartState, Progress, RunningAttempt};
use crate::status::success;
use crate::words::{HYPOTHESIS, REASON, clock_of, shortened, thousands};

/// Cases without an answer that are named.
const WAITING: usize = 50;

/// The tables of [`Overview`]. Those without a row are left out.
pub fn progress_tables(overview: &Overview) -> Vec<Table> {
    let tables = [summary(overview), parts(overview), running(overview), waiting(overview)];
    tables.into_iter().filter(|table| !table.rows.is_empty()).collect()
}

fn summary(overview: &Overview) -> Table {
    let mut table = Table::new(&format!("Run {}", overview.run), &["", ""]);
    let mut row = |name: &str, value: String| table.rows.push(vec![name.to_owned(), value]);
    let progress = &overview.progress;
    row("done", format!("{} of {}", progress.done, progress.cases));
    let solved = success(overview.goal);
    row(solved.word(), share(progress.solved, progress.done));
    if overview.graded > 0 {
        row("resolved", share(overview.resolved, overview.graded));
    }
    let statuses: Vec<String> =
        progress.statuses.iter().map(|(status, count)| format!("{status} {count}")).collect();
    if !statuses.is_empty() {
        row("by status", statuses.join(", "));
    }
    row("cost", format!("${:.2}{}", progress.spent.usd, unpriced(progress.spent.unpriced)));
    row("tokens", thousands(progress.spent.tokens));
    if let Some(rate) = progress.cases_per_hour {
        row("cases an hour", format!("{rate:.1}"));
    }
    if overview.parts.iter().any(|part| part.part.is_some()) {
        let count =
            |wanted: fn(&PartState) -> bool| overview.parts.iter().filter(|part| wanted(&part.state)).count();
        let states = [
            ("running", count(|state| *state == PartState::Running)),
            ("ended", count(|state| matches!(state, PartState::Ended { .. }))),
            ("silent", count(|state| matches!(state, PartState::Silent { .. }))),
            ("not begun", count(|state| *state == PartState::NotBegun)),
        ];
        let states: Vec<String> = states
            .into_iter()
            .filter(|(_, count)| *count > 0)
            .map(|(state, count)| format!("{count} {state}"))
            .collect();
        row("parts", states.join(", "));
    }
    row("time left", time_left(progress));
    table
}

fn time_left(progress: &Progress) -> String {
    let is_done = progress.done == progress.cases;
    progress.seconds_left.map_or_else(
        || if is_done { "–" } else { "not known yet" }.to_owned(),
        |seconds| format!("about {}", clock_of(seconds)),
    )
}

/// A count, its share, and between what the share may lie with 95 % confidence.
pub fn share(count: u64, of: u64) -> String {
    let Some((low, high)) = share_interval(count, of) else { return count.to_string() };
    let percent = |share: f64| share * 100.0;
    let share = percent(count as f64 / of as f64);
    format!("{count} of {of} ({share:.1}%, 95% interval {:.1}–{:.1}%)", percent(low), percent(high))
}

fn parts(overview: &Overview) -> Table {
    let mut table = Table::new(
        "Parts",
        &["part", "state", "done", "cases", "solved", "running", "cost", "tokens", "time left"],
    );
    let row = |part: &PartOverview| {
        let name = part.part.map_or_else(|| "–".to_owned(), |part| part.to_string());
        let progress = &part.progress;
        let mut cells = vec![name, state(&part.state)];
        if part.state == PartState::NotBegun {
            cells.resize(9, "–".to_owned());
        } else {
            let counts = [progress.done, progress.cases, progress.solved, part.running.len() as u64]
                .map(|it| it.to_string());
            cells.extend(counts);
            cells.extend([
                format!("${:.2}", progress.spent.usd),
                thousands(progress.spent.tokens),
                time_left(progress),
            ]);
        }
        cells
    };
    if overview.parts.iter().any(|part| part.part.is_some() || !matches!(part.state, PartState::Ended { .. }))
    {
        table.rows = overview.parts.iter().map(row).collect();
    }
    if overview.parts.iter().any(|part| matches!(part.state, PartState::Silent { .. })) {
        table = table.note(
            "Silent: its process gives no sign of life any more. `patchwright bench resume` goes on with it where nobody else does.",
        );
    }
    table
}

fn state(state: &PartState) -> String {
    match state {
        PartState::NotBegun => "not begun".to_owned(),
        PartState::Running => "running".to_owned(),
        PartState::Silent { seconds } => {
            format!("silent for {}", clock_of(*seconds))
        }
        PartState::Ended { text, .. } => shortened(text, REASON),
    }
}

fn running(overview: &Overview) -> Table {
    let mut table = Table::new(
        "Running",
        &["case", "part", "state", "cycle", "candidates", "cost", "tokens", "time", "hypothesis"],
    );
    let row = |part: &PartOverview, running: &RunningAttempt| {
        let stage = &running.stage;
        let attempt =
            if running.attempt > 1 { format!(" (attempt {})", running.attempt) } else { String::new() };
        vec![
            format!("{}{attempt}", running.case),
            part.part.map_or_else(|| "–".to_owned(), |part| part.to_string()),
            stage.state.clone(),
            stage.cycle.to_string(),
            stage.candidates.to_string(),
            stage.usd.map_or_else(|| "$?".to_owned(), |usd| format!("${usd:.2}")),
            thousands(stage.tokens),
            clock_of(running.seconds),
            shortened(stage.hypothesis.as_deref().unwrap_or_default(), HYPOTHESIS),
        ]
    };
    let rows =
        overview.parts.iter().flat_map(|part| part.running.iter().map(move |running| row(part, running)));
    table.rows = rows.collect();
    table
}

fn waiting(overview: &Overview) -> Table {
    let mut table = Table::new("Without an answer", &["case", "status", "attempts", "why"]);
    let shown = overview.waiting.iter().take(WAITING);
    table.rows = shown
        .map(|case| {
            let why = shortened(&case.reason, REASON);
            vec![case.case.clone(), case.status.word().to_owned(), case.attempts.to_string(), why]
        })
        .collect();
    let more = overview.waiting.len().saturating_sub(WAITING);
    if more > 0 {
        table = table.note(format!("And {more} more."));
    }
    table
}
