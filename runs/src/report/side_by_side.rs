//! The tables of runs side by side.

use super::compare::{ComparedEnd, Pair, RunComparison, Split};
use super::draw::Chart;
use super::numbers::Report;
use super::tables::{Table, cost, group, group_heads, unpriced};
use crate::{REASON, counted, shortened, thousands};

/// The tables of runs side by side.
pub fn compared(comparison: &RunComparison, reports: &[Report]) -> Vec<Table> {
    let runs = &comparison.runs;
    let tables = [
        sums(runs, reports),
        differences(comparison),
        partly(comparison),
        plausible(comparison),
        resolved(comparison),
        overlap(comparison),
        cases(comparison),
    ];
    tables.into_iter().filter(|table| !table.rows.is_empty()).collect()
}

fn sums(runs: &[String], reports: &[Report]) -> Table {
    let graded = reports.iter().any(|report| report.total.graded > 0);
    let heads = [vec!["run"], group_heads(graded), vec!["cost", "tokens"]].concat();
    let mut table = Table::new("Runs", &heads);
    table.rows = reports
        .iter()
        .zip(runs)
        .map(|(report, name)| {
            let mut row = group(name, &report.total, graded);
            row.push(format!("${:.2}{}", report.spent.cost.usd, unpriced(report.spent.cost.unpriced)));
            row.push(thousands(report.spent.cost.tokens));
            row
        })
        .collect();
    table
}

fn differences(comparison: &RunComparison) -> Table {
    let mut table = Table::new("What differs", &heads("", &comparison.runs));
    let shown = |value: &Option<String>| {
        value.as_deref().map_or_else(|| "–".to_owned(), |value| shortened(value, REASON))
    };
    table.rows = comparison
        .differences
        .iter()
        .map(|one| std::iter::once(one.name.clone()).chain(one.values.iter().map(shown)).collect())
        .collect();
    table
}

fn partly(comparison: &RunComparison) -> Table {
    let mut table = Table::new("Cases that are not in all runs", &heads("case", &comparison.runs));
    let partly = comparison.cases.iter().filter(|case| case.runs.contains(&None));
    let shown = |end: &Option<ComparedEnd>| if end.is_some() { "yes" } else { "no" }.to_owned();
    table.rows = partly
        .map(|case| std::iter::once(case.case.clone()).chain(case.runs.iter().map(shown)).collect())
        .collect();
    table
}

fn heads<'a>(first: &'a str, runs: &'a [String]) -> Vec<&'a str> {
    std::iter::once(first).chain(runs.iter().map(String::as_str)).collect()
}

fn plausible(comparison: &RunComparison) -> Table {
    pairs("plausible", comparison, |pair| Some(pair.plausible)).note(
        "Over the cases that both have answered. p is McNemar's exact test (two-sided, binomial): how likely such an \
         uneven split is where both are equally good.",
    )
}

fn resolved(comparison: &RunComparison) -> Table {
    pairs("resolved", comparison, |pair| pair.resolved).note(
        "By the benchmark's own tests, over the cases where both have a patch that these have judged, or answered without a plausible one.",
    )
}

fn pairs(which: &str, comparison: &RunComparison, split: fn(&Pair) -> Option<Split>) -> Table {
    let heads = ["runs", "both", "only the first", "only the second", "neither", "p"];
    let mut table = Table::new(&format!("Pairs: {which} patches"), &heads);
    table.rows = comparison
        .pairs
        .iter()
        .filter_map(|pair| {
            let Split { both, only_a, only_b, neither, p } = split(pair)?;
            let name = format!("{} and {}", comparison.runs[pair.a], comparison.runs[pair.b]);
            let counts = [both, only_a, only_b, neither].map(|count| count.to_string());
            Some(std::iter::once(name).chain(counts).chain([format!("{p:.4}")]).collect())
        })
        .collect();
    table
}

fn overlap(comparison: &RunComparison) -> Table {
    let mut table = Table::new("Cases solved by exactly these runs", &["runs", "cases"]);
    table.drawing = Chart::overlap(comparison);
    table.rows = comparison
        .overlap
        .iter()
        .map(|region| {
            let names: Vec<&str> = region.runs.iter().map(|place| comparison.runs[*place].as_str()).collect();
            vec![names.join(", "), region.cases.to_string()]
        })
        .collect();
    table
}

fn cases(comparison: &RunComparison) -> Table {
    let mut table = Table::new("Case by case", &heads("case", &comparison.runs));
    table.rows = comparison
        .cases
        .iter()
        .map(|case| {
            std::iter::once(case.case.clone()).chain(case.runs.iter().map(|run| end(run.as_ref()))).collect()
        })
        .collect();
    table
}

fn end(end: Option<&ComparedEnd>) -> String {
    let Some(end) = end else { return "–".to_owned() };
    let Some(status) = end.status else { return "unfinished".to_owned() };
    let correct = match end.correct {
        Some(true) => ", correct",
        Some(false) => ", not correct",
        None => "",
    };
    let resolved = match end.resolved {
        Some(true) => ", resolved",
        Some(false) => ", not resolved",
        None => "",
    };
    let (cycles, candidates) =
        (counted(u64::from(end.cycles), "cycle"), counted(end.candidates, "candidate"));
    format!("{status}{correct}{resolved}, {cycles}, {candidates}, {}", cost(end.usd))
}
