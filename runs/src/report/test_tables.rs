//! The tables of the paper (SWT-Bench, arXiv 2406.12952), made of the numbers of runs that write tests.

use std::collections::BTreeSet;

use super::numbers::Report;
use super::stats::Spread;
use super::table::Table;
use super::test_numbers::{NamedGroup, TestGroup, TestMeasures, TestNumbers};

/// The tables of one run or of several, each with a name.
pub(super) fn test_tables(runs: &[(String, &TestNumbers)]) -> Vec<Table> {
    let totals = |numbers: &TestNumbers| {
        vec![NamedGroup { name: numbers.method.to_string(), sums: numbers.total.clone() }]
    };
    let heads = ["method", "cases", "reproduced", "unverified", "none", "unanswered", "questions", "tokens"];
    let counts = made("Tests by method", &heads, runs, &totals, &|group| vec![group.counts()]);
    let tables = [
        ("Measures by method", "method", &totals as &dyn Fn(&TestNumbers) -> Vec<NamedGroup>),
        ("Measures by whether the issue holds a reproduction", "issue", &|numbers| {
            numbers.by_reproduction.clone()
        }),
        ("Measures by the issue's length", "issue", &|numbers| numbers.by_length.clone()),
    ];
    let graded = runs.iter().any(|(_, numbers)| !numbers.total.measures.is_empty());
    let measures = tables.into_iter().filter(|_| graded).map(|(title, first, groups)| {
        let measures = TestMeasures::default().shares().map(|(name, _)| name);
        let heads: Vec<&str> = [first, "graded by", "cases"].into_iter().chain(measures).collect();
        made(title, &heads, runs, groups, &TestGroup::measured).note(
            "In per cent of the cases that were graded or answered without a test; ΔC is the mean where the fix can be covered.",
        )
    });
    std::iter::once(counts).chain(measures).collect()
}

/// The setting in which runs differ that show how much depends on chance.
const SEED: &str = "seed";

/// The spread of the measures over runs that differ in their seed alone; no rows where there are none.
pub(super) fn seeds_table(reports: &[Report]) -> Table {
    let measures = TestMeasures::default().shares().map(|(name, _)| name);
    let heads = ["method", "seeds", "cases", "reproduced", "graded by"];
    let mut table = Table::new("Spread over seeds", &heads.into_iter().chain(measures).collect::<Vec<_>>());
    let rest = |report: &Report| {
        let mut settings = report.settings.clone();
        settings.remove(SEED);
        (report.suite.clone(), settings)
    };
    let mut left: Vec<&Report> = reports.iter().filter(|report| report.tests.is_some()).collect();
    while let Some(first) = left.first().copied() {
        let (same, others): (Vec<&Report>, Vec<&Report>) =
            left.into_iter().partition(|report| rest(report) == rest(first));
        left = others;
        let mut seeds: Vec<String> = same
            .iter()
            .map(|report| report.settings.get(SEED).map_or_else(|| "–".to_owned(), toml::Value::to_string))
            .collect();
        seeds.sort();
        seeds.dedup();
        let sums: Vec<&TestGroup> =
            same.iter().filter_map(|report| Some(&report.tests.as_ref()?.total)).collect();
        if let (2.., Some(tests)) = (seeds.len(), &first.tests) {
            let cases = sums.iter().map(|sum| sum.cases).max().unwrap_or_default();
            let reproduced = spread(sums.iter().map(|sum| Some((sum.reproduced as f64, sum.cases))));
            let head = [tests.method.to_string(), seeds.join(", "), cases.to_string(), reproduced];
            table
                .rows
                .extend(spreads(&sums).into_iter().map(|row| head.iter().cloned().chain(row).collect()));
        }
    }
    table.note(
        "Runs that differ in nothing but --seed: the mean, with the least and the greatest, in per cent as in the tables above.",
    )
}

/// The spreads of the measures over several runs, a row for each benchmark; where none has graded, a row without measures.
fn spreads(sums: &[&TestGroup]) -> Vec<Vec<String>> {
    let judges: BTreeSet<&String> = sums.iter().flat_map(|sum| sum.measures.keys()).collect();
    let row = |judge: Option<&String>| {
        let of_judge = |sum: &&TestGroup| judge.and_then(|judge| Some(sum.measures.get(judge)?.shares()));
        let shares: Vec<_> = sums.iter().filter_map(of_judge).collect();
        let measures = 0..TestMeasures::default().shares().len();
        let name = judge.cloned().unwrap_or_else(|| "–".to_owned());
        let spreads = measures.map(|place| spread(shares.iter().map(|shares| shares[place].1)));
        std::iter::once(name).chain(spreads).collect()
    };
    if judges.is_empty() {
        vec![row(None)]
    } else {
        judges.into_iter().map(|judge| row(Some(judge))).collect()
    }
}

/// The mean of sums that are divided, with the least and the greatest.
fn spread(shares: impl Iterator<Item = Option<(f64, u64)>>) -> String {
    let shares = shares.flatten().filter(|(_, of)| *of > 0);
    let spread = Spread::of(shares.map(|(sum, of)| 100.0 * sum / of as f64));
    spread.map_or_else(
        || "–".to_owned(),
        |Spread { mean, least, greatest, .. }| format!("{mean:.1} ({least:.1}–{greatest:.1})"),
    )
}

/// A table with a row for each group of each run; where there are several runs, their names come first.
fn made(
    title: &str,
    heads: &[&str],
    runs: &[(String, &TestNumbers)],
    groups: &dyn Fn(&TestNumbers) -> Vec<NamedGroup>,
    rows: &dyn Fn(&TestGroup) -> Vec<Vec<String>>,
) -> Table {
    let several = runs.len() > 1;
    let heads: Vec<&str> = several.then_some("run").into_iter().chain(heads.iter().copied()).collect();
    let mut table = Table::new(title, &heads);
    for (run, numbers) in runs {
        for group in groups(numbers) {
            for row in rows(&group.sums) {
                let first = several.then(|| run.clone()).into_iter().chain([group.name.clone()]);
                table.rows.push(first.chain(row).collect());
            }
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use patchwright_protocol::TestMethod;

    use super::*;

    #[test]
    fn runs_that_differ_in_their_seed_alone_are_spread() {
        let report = |method: TestMethod, samples: i64, seed: Option<i64>, resolved: u64| {
            let mut settings = toml::Table::from_iter([("samples".to_owned(), samples.into())]);
            settings.extend(seed.map(|seed| (SEED.to_owned(), seed.into())));
            settings.insert("method".to_owned(), method.word().into());
            let measures = TestMeasures { measured: 4, resolved, ..TestMeasures::default() };
            let measures = BTreeMap::from([("SWT-Bench".to_owned(), measures)]);
            let total = TestGroup { cases: 4, reproduced: 2, measures, ..TestGroup::default() };
            let tests = Some(TestNumbers { method, total, ..TestNumbers::default() });
            Report { settings, tests, ..Report::default() }
        };
        let libro = TestMethod::Libro;
        let runs = [
            report(libro, 5, Some(1), 1),
            report(libro, 5, Some(2), 2),
            report(libro, 9, Some(1), 4),
            report(TestMethod::Direct, 5, Some(1), 4),
            report(libro, 5, None, 3),
        ];
        let table = seeds_table(&runs);
        let cells: Vec<Vec<&str>> =
            table.rows.iter().map(|row| row.iter().map(String::as_str).collect()).collect();
        let zero = "0.0 (0.0–0.0)";
        let head = ["libro", "1, 2, –", "4", "50.0 (50.0–50.0)", "SWT-Bench"];
        let expect = [&head[..], &["–", "50.0 (25.0–75.0)", zero, zero, "–", "–", "–"]].concat();
        assert_eq!(cells, [expect]);
        assert!(seeds_table(&runs[2..4]).rows.is_empty());
    }
}
