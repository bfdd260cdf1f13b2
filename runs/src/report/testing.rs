//! The numbers of runs that write tests, and the tables of the paper (SWT-Bench, arXiv 2406.12952) made of them.

use std::collections::BTreeMap;

use patchwright_protocol::{Status, TestMethod};
use serde::{Deserialize, Serialize};

use super::issue::IssueLength;
use super::numbers::{CaseRow, Report};
use super::stats::Spread;
use super::tables::Table;
use crate::thousands;

/// Where nothing is known of an issue: there is no trajectory.
const UNKNOWN: &str = "not known";

/// The numbers of a run that writes tests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TestNumbers {
    /// The method.
    pub method: TestMethod,
    /// The sums over all cases.
    pub total: TestGroup,
    /// The same by whether the issue holds a reproduction, in the order in which they are shown.
    pub by_reproduction: Vec<NamedGroup>,
    /// The same by the issue's length.
    pub by_length: Vec<NamedGroup>,
}

/// Sums over some cases, with a name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NamedGroup {
    /// The name.
    pub name: String,
    /// The sums.
    pub sums: TestGroup,
}

/// Sums over some cases for which tests were written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TestGroup {
    /// Cases.
    pub cases: u64,
    /// Cases with a test that fails for the issue's reason, as far as the session can tell.
    pub reproduced: u64,
    /// Cases with a test that fails, and of which that is not sure.
    pub unverified: u64,
    /// Cases that were answered without a test.
    pub none: u64,
    /// Cases without an answer.
    pub unanswered: u64,
    /// Questions to the model; one with several answers counts once.
    pub questions: u64,
    /// Tokens in and out.
    pub tokens: u64,
    /// Cases whose tests were graded.
    pub graded: u64,
    /// Cases that the measures are divided by: graded, or answered without a test.
    pub measured: u64,
    /// Cases that were graded by a benchmark which knows neither W nor P→P, as TDD-Bench.
    #[serde(default)]
    pub without_form: u64,
    /// W.
    pub well_formed: u64,
    /// S.
    pub resolved: u64,
    /// F→×.
    pub fails_before: u64,
    /// F→P.
    pub fail_to_pass: u64,
    /// P→P.
    pub pass_to_pass: u64,
    /// Cases whose coverage was measured.
    pub covered: u64,
    /// The sum of their coverage, each from 0 to 1.
    pub coverage: f64,
    /// The sum of the scores of TDD-Bench; none where it did not grade.
    pub score: Option<f64>,
}

impl TestGroup {
    fn add(&mut self, row: &CaseRow) {
        self.cases += 1;
        self.questions += row.questions;
        self.tokens += row.tokens;
        match row.status {
            Some(Status::Reproduced | Status::Plausible) => self.reproduced += 1,
            Some(Status::Unverified) => self.unverified += 1,
            Some(Status::NoFix | Status::Budget | Status::Stuck) => self.none += 1,
            None
            | Some(
                Status::Model | Status::Environment | Status::Cancelled | Status::Defect | Status::Unusable,
            ) => self.unanswered += 1,
        }
        self.measured += u64::from(row.is_measured());
        let Some(grade) = row.tests else { return };
        self.graded += 1;
        self.resolved += u64::from(row.resolved == Some(true));
        self.without_form += u64::from(grade.well_formed.is_none());
        self.well_formed += u64::from(grade.well_formed == Some(true));
        self.fails_before += u64::from(grade.fails_before);
        self.fail_to_pass += u64::from(grade.fail_to_pass);
        self.pass_to_pass += u64::from(grade.pass_to_pass == Some(true));
        self.covered += u64::from(grade.coverage.is_some());
        self.coverage += grade.coverage.unwrap_or_default();
        if let Some(score) = grade.score {
            *self.score.get_or_insert_default() += score;
        }
    }

    fn counts(&self) -> Vec<String> {
        let Self { cases, reproduced, unverified, none, unanswered, questions, tokens, .. } = *self;
        let counts = [cases, reproduced, unverified, none, unanswered, questions];
        counts.iter().map(u64::to_string).chain([thousands(tokens)]).collect()
    }

    fn measures(&self) -> Vec<String> {
        let share = |count: f64, of: u64| {
            if of == 0 { "–".to_owned() } else { format!("{:.1}", 100.0 * count / of as f64) }
        };
        let Self { well_formed, resolved, fails_before, fail_to_pass, pass_to_pass, .. } = *self;
        let formed = self.measured - self.without_form;
        let counts = [
            (well_formed, formed),
            (resolved, self.measured),
            (fails_before, self.measured),
            (fail_to_pass, self.measured),
            (pass_to_pass, formed),
        ];
        let mut row = vec![self.measured.to_string()];
        row.extend(counts.map(|(count, of)| share(count as f64, of)));
        row.push(share(self.coverage, self.covered));
        row.push(self.score.map_or_else(|| "–".to_owned(), |score| share(score, self.measured)));
        row
    }
}

impl TestNumbers {
    /// The numbers over these cases.
    pub(super) fn of(method: TestMethod, cases: &[CaseRow]) -> Self {
        let mut numbers = Self { method, ..Self::default() };
        let mut with = [TestGroup::default(); 3];
        let mut lengths: BTreeMap<Option<IssueLength>, TestGroup> = BTreeMap::new();
        for row in cases {
            numbers.total.add(row);
            let place = row.issue.map_or(2, |issue| usize::from(!issue.reproduction));
            with[place].add(row);
            lengths.entry(row.issue.map(super::issue::IssueTraits::length)).or_default().add(row);
        }
        let named = |(name, sums): (&str, TestGroup)| NamedGroup { name: name.to_owned(), sums };
        let names = ["the issue holds a reproduction", "it holds none", UNKNOWN];
        numbers.by_reproduction =
            names.into_iter().zip(with).filter(|(_, sums)| sums.cases > 0).map(named).collect();
        let all = IssueLength::ALL.into_iter().map(Some).chain([None]);
        numbers.by_length = all
            .filter_map(|length| {
                let name = length.map_or_else(|| UNKNOWN.to_owned(), |length| length.to_string());
                Some(NamedGroup { name, sums: *lengths.get(&length)? })
            })
            .collect();
        numbers
    }
}

/// The tables of one run or of several, each with a name.
pub(super) fn test_tables(runs: &[(String, &TestNumbers)]) -> Vec<Table> {
    let totals =
        |numbers: &TestNumbers| vec![NamedGroup { name: numbers.method.to_string(), sums: numbers.total }];
    let heads = ["method", "cases", "reproduced", "unverified", "none", "unanswered", "questions", "tokens"];
    let counts = made("Tests by method", &heads, runs, &totals, &TestGroup::counts);
    let tables = [
        ("Measures by method", "method", &totals as &dyn Fn(&TestNumbers) -> Vec<NamedGroup>),
        ("Measures by whether the issue holds a reproduction", "issue", &|numbers| {
            numbers.by_reproduction.clone()
        }),
        ("Measures by the issue's length", "issue", &|numbers| numbers.by_length.clone()),
    ];
    let graded = runs.iter().any(|(_, numbers)| numbers.total.graded > 0);
    let measures = tables.into_iter().filter(|_| graded).map(|(title, first, groups)| {
        let heads = [first, "cases", "W", "S", "F→×", "F→P", "P→P", "ΔC", "tddScore"];
        made(title, &heads, runs, groups, &TestGroup::measures).note(
            "In per cent of the cases that were graded or answered without a test; W and P→P of those that SWT-Bench graded, for TDD-Bench \
             knows neither; ΔC is the mean where the fix can be covered.",
        )
    });
    std::iter::once(counts).chain(measures).collect()
}

/// The setting in which runs differ that show how much depends on chance.
const SEED: &str = "seed";

/// The spread of the measures over runs that differ in their seed alone; no rows where there are none.
pub(super) fn seeds_table(reports: &[Report]) -> Table {
    let heads = ["method", "seeds", "cases", "reproduced", "S", "F→×", "F→P", "P→P", "ΔC", "tddScore"];
    let mut table = Table::new("Spread over seeds", &heads);
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
        let sums: Vec<TestGroup> =
            same.iter().filter_map(|report| Some(report.tests.as_ref()?.total)).collect();
        if let (2.., Some(tests)) = (seeds.len(), &first.tests) {
            let cases = sums.iter().map(|sum| sum.cases).max().unwrap_or_default();
            let head = [tests.method.to_string(), seeds.join(", "), cases.to_string()];
            table.rows.push(head.into_iter().chain(spreads(&sums)).collect());
        }
    }
    table.note(
        "Runs that differ in nothing but --seed: the mean, with the least and the greatest, in per cent as in the tables above.",
    )
}

/// The mean of each measure over several runs, with the least and the greatest.
fn spreads(sums: &[TestGroup]) -> impl Iterator<Item = String> {
    type Share = fn(&TestGroup) -> Option<(f64, u64)>;
    let measures: [Share; 7] = [
        |sum| Some((sum.reproduced as f64, sum.cases)),
        |sum| Some((sum.resolved as f64, sum.measured)),
        |sum| Some((sum.fails_before as f64, sum.measured)),
        |sum| Some((sum.fail_to_pass as f64, sum.measured)),
        |sum| Some((sum.pass_to_pass as f64, sum.measured)),
        |sum| Some((sum.coverage, sum.covered)),
        |sum| Some((sum.score?, sum.measured)),
    ];
    measures.into_iter().map(|share| {
        let shares = sums.iter().filter_map(share).filter(|(_, of)| *of > 0);
        let spread = Spread::of(shares.map(|(count, of)| 100.0 * count / of as f64));
        spread.map_or_else(
            || "–".to_owned(),
            |Spread { mean, least, greatest, .. }| format!("{mean:.1} ({least:.1}–{greatest:.1})"),
        )
    })
}

/// A table with a row for each group of each run; where there are several runs, their names come first.
fn made(
    title: &str,
    heads: &[&str],
    runs: &[(String, &TestNumbers)],
    groups: &dyn Fn(&TestNumbers) -> Vec<NamedGroup>,
    cells: &dyn Fn(&TestGroup) -> Vec<String>,
) -> Table {
    let several = runs.len() > 1;
    let heads: Vec<&str> = several.then_some("run").into_iter().chain(heads.iter().copied()).collect();
    let mut table = Table::new(title, &heads);
    for (run, numbers) in runs {
        for group in groups(numbers) {
            let first = several.then(|| run.clone()).into_iter().chain([group.name]);
            table.rows.push(first.chain(cells(&group.sums)).collect());
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_that_differ_in_their_seed_alone_are_spread() {
        let report = |method: TestMethod, samples: i64, seed: Option<i64>, resolved: u64| {
            let mut settings = toml::Table::from_iter([("samples".to_owned(), samples.into())]);
            settings.extend(seed.map(|seed| (SEED.to_owned(), seed.into())));
            settings.insert("method".to_owned(), method.word().into());
            let total = TestGroup { cases: 4, measured: 4, reproduced: 2, resolved, ..TestGroup::default() };
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
        let expect =
            ["libro", "1, 2, –", "4", "50.0 (50.0–50.0)", "50.0 (25.0–75.0)", zero, zero, zero, "–", "–"];
        assert_eq!(cells, [expect]);
        assert!(seeds_table(&runs[2..4]).rows.is_empty());
    }
}
