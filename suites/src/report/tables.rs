//! What all views show: titled tables, made of the numbers once.

use std::time::Duration;

use super::compare::{ComparedEnd, Comparison};
use super::numbers::{CaseRow, Group, Report};
use super::stats::Spread;
use crate::run::{Class, Shape, Status, clock, thousands};

/// A titled table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// The title.
    pub title: String,
    /// What there is to say about it; may be empty.
    pub note: String,
    /// The heads of the columns; the first column holds words, the others mostly numbers.
    pub heads: Vec<String>,
    /// The rows, as many cells each as there are heads.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    fn new(title: &str, heads: &[&str]) -> Self {
        Self {
            title: title.to_owned(),
            heads: heads.iter().map(|head| (*head).to_owned()).collect(),
            ..Self::default()
        }
    }

    fn note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }
}

/// The tables of one run. Those without a row are left out.
pub fn tables(report: &Report) -> Vec<Table> {
    let tables = [
        summary(report),
        projects(report),
        shapes(report),
        spreads(report),
        calls(report),
        located(report),
        failures(report),
        cases(report),
    ];
    tables.into_iter().filter(|table| !table.rows.is_empty()).collect()
}

fn summary(report: &Report) -> Table {
    let mut table = Table::new(&format!("Run {}", report.run), &["", ""]);
    let mut row = |name: &str, value: String| table.rows.push(vec![name.to_owned(), value]);
    let total = &report.total;
    row("suite", report.suite.clone());
    row("started", report.started.clone());
    row("ended", report.ended.clone().unwrap_or_else(|| "not yet, or the program was killed".to_owned()));
    row("plausible", of(total.plausible, total.cases));
    row("correct", format!("{}{}", of(total.correct, total.cases), unjudged(total)));
    if total.resolved > 0 {
        row("resolved", of(total.resolved, total.cases));
    }
    row("without an answer", (total.cases - total.answered).to_string());
    row("cost", format!("${:.2}{}", report.spent.usd, unpriced(report.spent.unpriced)));
    row("tokens", thousands(report.spent.tokens));
    row("attempts", report.spent.attempts.to_string());
    for (name, value) in [("model", report.settings.get("model")), ("mode", report.settings.get("mode"))] {
        if let Some(value) = value.and_then(toml::Value::as_str) {
            row(name, value.to_owned());
        }
    }
    let marked = report.settings.get("localization").and_then(toml::Value::as_str);
    if let Some(localization) = marked {
        let perfect =
            if localization.starts_with("perfect") { " (the sessions knew the buggy lines)" } else { "" };
        row("localization", format!("{localization}{perfect}"));
    }
    table
}

fn unjudged(group: &Group) -> String {
    if group.unjudged == 0 { String::new() } else { format!(", {} not judged yet", group.unjudged) }
}

fn unpriced(count: u64) -> String {
    if count == 0 { String::new() } else { format!(" and {count} attempts of unknown price") }
}

fn of(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "0".to_owned();
    }
    format!("{part} of {whole} ({:.1}%)", part as f64 * 100.0 / whole as f64)
}

fn group(name: &str, group: &Group) -> Vec<String> {
    let counts = [group.cases, group.answered, group.plausible, group.correct];
    std::iter::once(name.to_owned()).chain(counts.iter().map(u64::to_string)).collect()
}

fn projects(report: &Report) -> Table {
    let mut table = Table::new("By project", &["project", "cases", "answered", "plausible", "correct"]);
    let named = |name: &String| if name.is_empty() { "(unknown)".to_owned() } else { name.clone() };
    table.rows = report.projects.iter().map(|(name, sums)| group(&named(name), sums)).collect();
    if table.rows.len() > 1 {
        table.rows.push(group("all", &report.total));
    }
    table
}

fn shapes(report: &Report) -> Table {
    let mut table =
        Table::new("By what the fix touches", &["fix", "cases", "answered", "plausible", "correct"])
            .note("The developer's fix; the patch where that is not known.");
    let rows = Shape::ALL.iter().filter_map(|shape| Some((shape, report.shapes.get(shape)?)));
    table.rows = rows.map(|(shape, sums)| group(shape.word(), sums)).collect();
    table
}

fn spreads(report: &Report) -> Table {
    let heads =
        ["measure", "cases", "least", "lower quartile", "median", "upper quartile", "greatest", "mean"];
    let mut table = Table::new("Time, tokens and cost of a session", &heads);
    for row in &report.spreads {
        for (which, spread) in [("fixed", row.fixed), ("unfixed", row.unfixed)] {
            if let Some(spread) = spread {
                table.rows.push(spread_row(&row.measure, which, &spread));
            }
        }
    }
    table
}

fn spread_row(measure: &str, which: &str, spread: &Spread) -> Vec<String> {
    let Spread { count, least, lower, median, upper, greatest, mean } = *spread;
    let shown = [least, lower, median, upper, greatest, mean].map(|value| measured(measure, value));
    [format!("{measure}, {which}"), count.to_string()].into_iter().chain(shown).collect()
}

fn measured(measure: &str, value: f64) -> String {
    match measure {
        "seconds" => clock(Duration::try_from_secs_f64(value).unwrap_or_default()),
        // Tokens are counted, so never negative.
        #[allow(clippy::cast_sign_loss)]
        "tokens" => thousands(value.round() as u64),
        "usd" => format!("${value:.3}"),
        _ => format!("{value:.1}"),
    }
}

fn calls(report: &Report) -> Table {
    let mut table = Table::new("Calls in a session, on average", &["tool", "fixed", "unfixed"]);
    let shown = |mean: Option<f64>| mean.map_or_else(|| "–".to_owned(), |mean| format!("{mean:.2}"));
    table.rows =
        report.calls.iter().map(|row| vec![row.tool.clone(), shown(row.fixed), shown(row.unfixed)]).collect();
    table
}

fn located(report: &Report) -> Table {
    let heads = ["place", "patches", "localisation"];
    let mut table = Table::new("All of the developer's fix is there, by place", &heads).note(
        "Patches: they touch all that it touches. Localisation: what the fixed pipeline suspected holds all of it.",
    );
    let (patched, located) = (&report.patched, &report.located);
    if patched.compared + located.compared > 0 {
        let row = |name: &str, patches: u64, places: u64| {
            let shown = |part, whole| if whole == 0 { "–".to_owned() } else { of(part, whole) };
            vec![name.to_owned(), shown(patches, patched.compared), shown(places, located.compared)]
        };
        table.rows = vec![
            row("files", patched.files, located.files),
            row("functions", patched.functions, located.functions),
            row("lines", patched.lines, located.lines),
        ];
    }
    table
}

fn failures(report: &Report) -> Table {
    let mut table = Table::new("How sessions ended", &["class", "status", "cases", "most frequent reason"]);
    for class in Class::ALL {
        for status in Status::ALL.into_iter().filter(|status| status.class() == class) {
            let Some(count) = report.statuses.get(&status) else { continue };
            let reason = frequent(report.cases.iter().filter(|case| case.status == Some(status)));
            table.rows.push(vec![class.to_string(), status.to_string(), count.to_string(), reason]);
        }
    }
    let unfinished = report.cases.iter().filter(|case| case.status.is_none()).count();
    if unfinished > 0 {
        table.rows.push(vec!["–".into(), "unfinished".into(), unfinished.to_string(), String::new()]);
    }
    table
}

fn frequent<'a>(cases: impl Iterator<Item = &'a CaseRow>) -> String {
    let mut counts = std::collections::BTreeMap::<&str, usize>::new();
    for case in cases {
        *counts.entry(case.reason.as_str()).or_default() += 1;
    }
    let most = counts.into_iter().max_by_key(|(reason, count)| (*count, std::cmp::Reverse(*reason)));
    most.map(|(reason, count)| format!("{reason} ({count})")).unwrap_or_default()
}

fn cases(report: &Report) -> Table {
    let heads = ["case", "status", "correct", "attempts", "cycles", "tokens", "cost", "time", "trajectory"];
    let mut table = Table::new("Cases", &heads);
    table.rows = report
        .cases
        .iter()
        .map(|case| {
            vec![
                case.case.clone(),
                status(case.status),
                judged(case.correct),
                case.attempts.to_string(),
                case.cycles.to_string(),
                thousands(case.tokens),
                if case.status.is_none() { String::new() } else { cost(case.usd) },
                clock(Duration::try_from_secs_f64(case.seconds).unwrap_or_default()),
                case.trajectory.clone().unwrap_or_default(),
            ]
        })
        .collect();
    table
}

fn status(status: Option<Status>) -> String {
    status.map_or("unfinished", Status::word).to_owned()
}

fn judged(correct: Option<bool>) -> String {
    match correct {
        Some(true) => "yes",
        Some(false) => "no",
        None => "",
    }
    .to_owned()
}

fn cost(usd: Option<f64>) -> String {
    usd.map_or_else(|| "unknown".to_owned(), |usd| format!("${usd:.2}"))
}

/// The tables of runs side by side.
pub fn compared(comparison: &Comparison, reports: &[Report]) -> Vec<Table> {
    let runs = &comparison.runs;
    let mut sums =
        Table::new("Runs", &["run", "cases", "answered", "plausible", "correct", "cost", "tokens"]);
    sums.rows = reports
        .iter()
        .zip(runs)
        .map(|(report, name)| {
            let mut row = group(name, &report.total);
            row.push(format!("${:.2}{}", report.spent.usd, unpriced(report.spent.unpriced)));
            row.push(thousands(report.spent.tokens));
            row
        })
        .collect();
    let heads = ["runs", "both", "only the first", "only the second", "neither", "p"];
    let mut pairs = Table::new("Pairs: plausible patches", &heads).note(
        "Over the cases that both have answered. p is McNemar's exact test (two-sided, binomial): how likely such an \
         uneven split is where both are equally good.",
    );
    pairs.rows = comparison
        .pairs
        .iter()
        .map(|pair| {
            let name = format!("{} and {}", runs[pair.a], runs[pair.b]);
            let counts = [pair.both, pair.only_a, pair.only_b, pair.neither].map(|count| count.to_string());
            std::iter::once(name).chain(counts).chain([format!("{:.4}", pair.p)]).collect()
        })
        .collect();
    let mut overlap = Table::new("Cases solved by exactly these runs", &["runs", "cases"]);
    overlap.rows = comparison
        .overlap
        .iter()
        .map(|region| {
            let names: Vec<&str> = region.runs.iter().map(|place| runs[*place].as_str()).collect();
            vec![names.join(", "), region.cases.to_string()]
        })
        .collect();
    let heads: Vec<&str> = std::iter::once("case").chain(runs.iter().map(String::as_str)).collect();
    let mut cases = Table::new("Case by case", &heads);
    cases.rows = comparison
        .cases
        .iter()
        .map(|case| {
            std::iter::once(case.case.clone()).chain(case.runs.iter().map(|run| end(run.as_ref()))).collect()
        })
        .collect();
    [sums, pairs, overlap, cases].into_iter().filter(|table| !table.rows.is_empty()).collect()
}

fn end(end: Option<&ComparedEnd>) -> String {
    let Some(end) = end else { return "–".to_owned() };
    let Some(status) = end.status else { return "unfinished".to_owned() };
    let correct = match end.correct {
        Some(true) => ", correct",
        Some(false) => ", not correct",
        None => "",
    };
    format!("{status}{correct}, {} cycles, {}", end.cycles, cost(end.usd))
}
