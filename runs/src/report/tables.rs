//! The content of all views: titled tables, made of the numbers once.

use std::collections::BTreeMap;
use std::time::Duration;

use patchwright_protocol::counted;
use patchwright_protocol::{Effort, Mode, Status, StatusClass};

use super::case_row::CaseRow;
use super::draw::Chart;
use super::numbers::{Group, Report};
use super::stats::Spread;
use super::table::Table;
use super::test_tables::test_tables;
use super::trail::RepliesByEffort;
use super::units::Unit;
use crate::Shape;
use crate::words::{REASON, clock, shortened, thousands};

/// The tables of one run. Those without a row are left out.
pub fn tables(report: &Report) -> Vec<Table> {
    let of_tests = report.tests.iter().flat_map(|numbers| test_tables(&[(report.run.clone(), numbers)]));
    let summary = std::iter::once(summary(report)).chain(of_tests);
    let tables = [
        cases(report),
        projects(report),
        shapes(report),
        spreads(report),
        calls(report),
        efforts(report),
        located(report),
        failures(report),
        marked(report),
    ];
    summary.chain(tables).filter(|table| !table.rows.is_empty()).collect()
}

/// The columns of tables of groups that there are besides those that always are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Columns {
    /// A benchmark's own tests have judged patches.
    graded: bool,
    /// The patches are tests, which nobody judges correct.
    tests: bool,
}

impl Columns {
    /// Those of these reports in one table.
    pub(super) fn of(reports: &[Report]) -> Self {
        Self {
            graded: reports.iter().any(|report| report.total.graded > 0),
            tests: !reports.is_empty() && reports.iter().all(|report| report.tests.is_some()),
        }
    }

    /// The heads, behind the first.
    pub(super) fn heads(self) -> Vec<&'static str> {
        let mut heads = vec!["cases", "answered", "candidates"];
        heads.extend(if self.tests { &["reproduced"][..] } else { &["plausible", "correct"] });
        heads.extend(self.graded.then_some("resolved"));
        heads
    }

    /// A row with the sums of a group.
    pub(super) fn row(self, name: &str, group: &Group) -> Vec<String> {
        let Group { cases, answered, candidates, plausible, correct, .. } = *group;
        let resolved = match group.graded {
            0 => "–".to_owned(),
            _ => group.resolved.to_string(),
        };
        let correct = (!self.tests).then_some(correct);
        let counts = [cases, answered, candidates, plausible].into_iter().chain(correct);
        std::iter::once(name.to_owned())
            .chain(counts.map(|count| count.to_string()))
            .chain(self.graded.then_some(resolved))
            .collect()
    }
}

/// The settings that bound a session, with their units.
const BUDGET: [(&str, &str); 4] =
    [("cycles", " cycles"), ("time-limit", ""), ("max-tokens-total", " tokens"), ("max-usd", " US dollars")];

fn summary(report: &Report) -> Table {
    let mut table = Table::new(&format!("Run {}", report.run), &["", ""]);
    let mut row = |name: &str, value: String| table.rows.push(vec![name.to_owned(), value]);
    let total = &report.total;
    row("suite", report.suite.clone());
    let set = |name: &str| {
        report.settings.get(name).map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
    };
    let models: Vec<&str> = report.models.iter().map(String::as_str).collect();
    let model = if models.is_empty() { set("model") } else { Some(models.join(", ")) };
    let method = report.tests.as_ref().map(|tests| tests.method.to_string());
    let mode = set("mode").or(Some(Mode::Agent.word().to_owned())).filter(|_| method.is_none());
    for (name, value) in [("model", model), ("mode", mode), ("method", method)] {
        if let Some(value) = value {
            row(name, value);
        }
    }
    let limits: Vec<String> =
        BUDGET.iter().filter_map(|(name, unit)| Some(format!("{}{unit}", set(name)?))).collect();
    if !limits.is_empty() {
        row("budget", limits.join(", "));
    }
    if let Some(version) = report.versions.get("patchwright") {
        row("version", version.clone());
    }
    row("started", report.started.clone());
    if let Some(parts) = &report.parts {
        row("parts", parts.to_string());
    }
    row("ended", report.ended.clone().unwrap_or_else(|| "not yet, or the program was killed".to_owned()));
    if report.tests.is_some() {
        row("reproduced", of(total.plausible, total.cases));
    } else {
        row("plausible", of(total.plausible, total.cases));
        row("correct", format!("{}{}", of(total.correct, total.cases), unjudged(total)));
    }
    if total.found > total.correct {
        row(
            "or another one",
            format!("{} (another plausible patch is the developer's fix)", of(total.found, total.cases)),
        );
    }
    if total.graded > 0 {
        row("resolved", format!("{}, {} graded", of(total.resolved, total.cases), total.graded));
    }
    row("without an answer", (total.cases - total.answered).to_string());
    row("cost", format!("${:.2}{}", report.spent.cost.usd, unpriced(report.spent.cost.unpriced)));
    row("tokens", thousands(report.spent.cost.tokens));
    row("attempts", report.spent.attempts.to_string());
    row("candidates", total.candidates.to_string());
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

pub(super) fn unpriced(count: u64) -> String {
    if count == 0 { String::new() } else { format!(" and {} of unknown price", counted(count, "attempt")) }
}

fn of(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "0".to_owned();
    }
    format!("{part} of {whole} ({:.1}%)", part as f64 * 100.0 / whole as f64)
}

fn projects(report: &Report) -> Table {
    let columns = Columns::of(std::slice::from_ref(report));
    let heads = [vec!["project"], columns.heads()].concat();
    let mut table = Table::new("By project", &heads);
    let named = |name: &String| if name.is_empty() { "(unknown)".to_owned() } else { name.clone() };
    table.rows = report.projects.iter().map(|(name, sums)| columns.row(&named(name), sums)).collect();
    if table.rows.len() < 2 {
        // The summary says it.
        table.rows.clear();
    } else {
        table.rows.push(columns.row("all", &report.total));
    }
    table
}

fn shapes(report: &Report) -> Table {
    let columns = Columns::of(std::slice::from_ref(report));
    let heads = [vec!["fix"], columns.heads()].concat();
    let mut table = Table::new("By what the fix touches", &heads)
        .note("The developer's fix; the patch where that is not known.");
    let rows = Shape::ALL.iter().filter_map(|shape| Some((shape, report.shapes.get(shape)?)));
    table.rows = rows.map(|(shape, sums)| columns.row(shape.word(), sums)).collect();
    table
}

fn spreads(report: &Report) -> Table {
    let heads =
        ["measure", "cases", "least", "lower quartile", "median", "upper quartile", "greatest", "mean"];
    let mut table = Table::new("Time, tokens and cost of a session", &heads);
    table.drawing = Chart::spreads(&report.cases);
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
    let unit = Unit::of(measure);
    let shown = [least, lower, median, upper, greatest, mean].map(|value| unit.exact(value));
    [format!("{measure}, {which}"), count.to_string()].into_iter().chain(shown).collect()
}

fn calls(report: &Report) -> Table {
    let mut table = Table::new("Calls in a session, on average", &["tool", "fixed", "unfixed"]);
    table.drawing = Chart::calls(&report.calls);
    let shown = |mean: Option<f64>| mean.map_or_else(|| "–".to_owned(), |mean| format!("{mean:.2}"));
    table.rows =
        report.calls.iter().map(|row| vec![row.tool.clone(), shown(row.fixed), shown(row.unfixed)]).collect();
    table
}

fn efforts(report: &Report) -> Table {
    let mut sums: BTreeMap<Effort, RepliesByEffort> = BTreeMap::new();
    for (effort, replies) in report.cases.iter().flat_map(|case| &case.efforts) {
        *sums.entry(*effort).or_default() += *replies;
    }
    let mut table = Table::new(
        "Replies by reasoning effort",
        &["effort", "replies", "output tokens", "of them reasoning"],
    );
    let row = |(effort, sum): (Effort, RepliesByEffort)| {
        let RepliesByEffort { replies, output, reasoning } = sum;
        vec![effort.to_string(), replies.to_string(), thousands(output), thousands(reasoning)]
    };
    table.rows = sums.into_iter().map(row).collect();
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
    for class in StatusClass::ALL {
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

fn marked(report: &Report) -> Table {
    let mut table = Table::new("Marked patches", &["case", "what they touch of what judges them"])
        .note("Their tests may prove nothing: a person has to read them.");
    let rows = report.cases.iter().filter(|case| !case.tampering.is_empty());
    table.rows = rows.map(|case| vec![case.case.clone(), case.tampering.join("; ")]).collect();
    table
}

fn frequent<'a>(cases: impl Iterator<Item = &'a CaseRow>) -> String {
    let mut counts = std::collections::BTreeMap::<&str, usize>::new();
    for case in cases {
        *counts.entry(case.reason.as_str()).or_default() += 1;
    }
    let most = counts.into_iter().max_by_key(|(reason, count)| (*count, std::cmp::Reverse(*reason)));
    // A reason may quote pages of what a build said; the case has all of it.
    most.map(|(reason, count)| format!("{} ({count})", shortened(reason, REASON))).unwrap_or_default()
}

fn cases(report: &Report) -> Table {
    let graded = report.total.graded > 0;
    let of_fixes = report.tests.is_none();
    let mut heads = vec!["case", "status"];
    heads.extend(of_fixes.then_some("correct"));
    heads.extend(graded.then_some("resolved"));
    heads.extend(["attempts", "cycles", "candidates"]);
    heads.push(if of_fixes { "plausible" } else { "questions" });
    heads.extend(["tokens", "cost", "time", "trajectory"]);
    let mut table = Table::new("Cases", &heads);
    table.rows = report
        .cases
        .iter()
        .map(|case| {
            let mut row = vec![case.case.clone(), status(case.status)];
            row.extend(of_fixes.then(|| judged(case.correct)));
            row.extend(graded.then(|| judged(case.resolved)));
            row.extend([
                case.attempts.to_string(),
                case.cycles.to_string(),
                case.candidates.to_string(),
                if of_fixes { case.plausible } else { case.questions }.to_string(),
                thousands(case.tokens),
                if case.status.is_none() { String::new() } else { cost(case.usd) },
                clock(Duration::try_from_secs_f64(case.seconds).unwrap_or_default()),
                case.trajectory.clone().unwrap_or_default(),
            ]);
            row
        })
        .collect();
    table
}

fn status(status: Option<Status>) -> String {
    status.map_or("unfinished", Status::word).to_owned()
}

fn judged(yes: Option<bool>) -> String {
    match yes {
        Some(true) => "yes",
        Some(false) => "no",
        None => "",
    }
    .to_owned()
}

pub(super) fn cost(usd: Option<f64>) -> String {
    usd.map_or_else(|| "unknown".to_owned(), |usd| format!("${usd:.2}"))
}
