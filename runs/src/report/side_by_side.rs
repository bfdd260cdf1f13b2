//! The tables of runs side by side.

use patchwright_protocol::counted;

use super::compare::{ComparedEnd, Pair, RunComparison, Split};
use super::draw::Chart;
use super::numbers::Report;
use super::table::Table;
use super::tables::{Columns, cost, unpriced};
use super::test_numbers::TestNumbers;
use super::test_tables::{seeds_table, test_tables};
use crate::words::{REASON, shortened, thousands};

/// The tables of runs side by side.
pub fn compared(comparison: &RunComparison, reports: &[Report]) -> Vec<Table> {
    let runs = &comparison.runs;
    let numbers: Vec<(String, &TestNumbers)> = runs
        .iter()
        .cloned()
        .zip(reports)
        .filter_map(|(run, report)| Some((run, report.tests.as_ref()?)))
        .collect();
    let of_tests = if numbers.is_empty() { Vec::new() } else { test_tables(&numbers) };
    let tables = [
        seeds_table(reports),
        plausible(comparison, reports),
        resolved(comparison),
        lacking(comparison),
        overlap(comparison),
        cases(comparison),
    ];
    let first = [sums(runs, reports), differences(comparison), partly(comparison)];
    first.into_iter().chain(of_tests).chain(tables).filter(|table| !table.rows.is_empty()).collect()
}

fn sums(runs: &[String], reports: &[Report]) -> Table {
    let columns = Columns::of(reports);
    let heads = [vec!["run"], columns.heads(), vec!["cost", "tokens"]].concat();
    let mut table = Table::new("Runs", &heads);
    table.rows = reports
        .iter()
        .zip(runs)
        .map(|(report, name)| {
            let mut row = columns.row(name, &report.total);
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

fn plausible(comparison: &RunComparison, reports: &[Report]) -> Table {
    let tests = reports.iter().all(|report| report.tests.is_some());
    let which = if tests { "tests that reproduce the issue" } else { "plausible patches" };
    pairs(which, comparison, |pair| Some(pair.plausible)).note(
        "Over the cases that both have answered. p is McNemar's exact test (two-sided, binomial): how likely such an \
         uneven split is where both are equally good.",
    )
}

fn resolved(comparison: &RunComparison) -> Table {
    pairs("resolved patches", comparison, |pair| pair.resolved).note(
        "By the benchmark's own tests, over the cases where both have a patch that these have judged, or answered without a plausible one.",
    )
}

fn pairs(which: &str, comparison: &RunComparison, split: fn(&Pair) -> Option<Split>) -> Table {
    let heads = ["runs", "both", "only the first", "only the second", "neither", "p"];
    let mut table = Table::new(&format!("Pairs: {which}"), &heads);
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

/// The cases that one run has resolved and another has not.
fn lacking(comparison: &RunComparison) -> Table {
    let mut table = Table::new("Resolved by one and not by another", &["resolved by", "not by", "cases"]);
    let ids = |has: usize, lacks: usize| -> Vec<&str> {
        let cases = comparison.lacking(has, lacks);
        cases.map(|case| case.case.as_str()).collect()
    };
    let runs = &comparison.runs;
    for pair in comparison.pairs.iter().filter(|pair| pair.resolved.is_some()) {
        for (has, lacks) in [(pair.a, pair.b), (pair.b, pair.a)] {
            let cases = ids(has, lacks);
            if !cases.is_empty() {
                table.rows.push(vec![runs[has].clone(), runs[lacks].clone(), cases.join(", ")]);
            }
        }
    }
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
