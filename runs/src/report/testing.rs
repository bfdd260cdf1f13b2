//! The numbers of runs that write tests, and the tables of the paper (SWT-Bench, arXiv 2406.12952) made of them.

use std::collections::{BTreeMap, BTreeSet};

use patchwright_protocol::{Status, TestMethod};
use serde::{Deserialize, Serialize};

use super::issue::IssueLength;
use super::numbers::{CaseRow, Report};
use super::stats::Spread;
use super::tables::Table;
use crate::event::GradedTests;
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
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
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
    /// The sums of what benchmarks measure, by the names of those that have graded any case of the run.
    pub measures: BTreeMap<String, TestMeasures>,
}

/// Sums of what a benchmark measures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TestMeasures {
    /// Cases whose tests were graded.
    pub graded: u64,
    /// Cases that the measures are divided by: graded, or answered without a test.
    pub measured: u64,
    /// W; none where the benchmark does not look.
    pub well_formed: Option<u64>,
    /// S.
    pub resolved: u64,
    /// F→×.
    pub fails_before: u64,
    /// F→P.
    pub fail_to_pass: u64,
    /// P→P; none where the benchmark does not look.
    pub pass_to_pass: Option<u64>,
    /// Cases whose coverage was measured.
    pub covered: u64,
    /// The sum of their coverage, each from 0 to 1.
    pub coverage: f64,
    /// The sum of the scores of TDD-Bench; none where it did not grade.
    pub score: Option<f64>,
}

impl TestGroup {
    /// Adds a case; `judges` are the benchmarks that have graded some case of the run.
    fn add(&mut self, row: &CaseRow, judges: &BTreeSet<&String>) {
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
        for judge in judges {
            let measures = self.measures.entry((*judge).clone()).or_default();
            match row.tests.get(*judge) {
                Some(graded) => measures.add(graded),
                None => measures.measured += u64::from(row.is_without_test()),
            }
        }
    }

    fn counts(&self) -> Vec<String> {
        let Self { cases, reproduced, unverified, none, unanswered, questions, tokens, .. } = *self;
        let counts = [cases, reproduced, unverified, none, unanswered, questions];
        counts.iter().map(u64::to_string).chain([thousands(tokens)]).collect()
    }

    /// A row for each benchmark.
    fn measured(&self) -> Vec<Vec<String>> {
        let row = |(judge, measures): (&String, &TestMeasures)| {
            let head = [judge.clone(), measures.measured.to_string()];
            head.into_iter().chain(measures.cells()).collect()
        };
        self.measures.iter().map(row).collect()
    }
}

impl TestMeasures {
    fn add(&mut self, graded: &GradedTests) {
        let GradedTests { resolved, measures } = graded;
        self.graded += 1;
        self.measured += 1;
        self.resolved += u64::from(*resolved);
        for (sum, holds) in
            [(&mut self.well_formed, measures.well_formed), (&mut self.pass_to_pass, measures.pass_to_pass)]
        {
            if let Some(holds) = holds {
                *sum.get_or_insert_default() += u64::from(holds);
            }
        }
        self.fails_before += u64::from(measures.fails_before);
        self.fail_to_pass += u64::from(measures.fail_to_pass);
        self.covered += u64::from(measures.coverage.is_some());
        self.coverage += measures.coverage.unwrap_or_default();
        if let Some(score) = measures.score {
            *self.score.get_or_insert_default() += score;
        }
    }

    /// The measures by their names in the paper: sums, with what they are divided by; none where the benchmark does not look.
    fn shares(&self) -> [(&'static str, Option<(f64, u64)>); 7] {
        let of_all = |count: u64| Some((count as f64, self.measured));
        [
            ("W", self.well_formed.and_then(of_all)),
            ("S", of_all(self.resolved)),
            ("F→×", of_all(self.fails_before)),
            ("F→P", of_all(self.fail_to_pass)),
            ("P→P", self.pass_to_pass.and_then(of_all)),
            ("ΔC", Some((self.coverage, self.covered))),
            ("tddScore", self.score.map(|score| (score, self.measured))),
        ]
    }

    fn cells(&self) -> impl Iterator<Item = String> {
        self.shares().into_iter().map(|(_, share)| match share {
            Some((sum, of)) if of > 0 => format!("{:.1}", 100.0 * sum / of as f64),
            Some(_) | None => "–".to_owned(),
        })
    }
}

impl TestNumbers {
    /// The numbers over these cases.
    pub(super) fn of(method: TestMethod, cases: &[CaseRow]) -> Self {
        let mut numbers = Self { method, ..Self::default() };
        let judges: BTreeSet<&String> = cases.iter().flat_map(|row| row.tests.keys()).collect();
        let mut with: [TestGroup; 3] = Default::default();
        let mut lengths: BTreeMap<Option<IssueLength>, TestGroup> = BTreeMap::new();
        for row in cases {
            numbers.total.add(row, &judges);
            let place = row.issue.map_or(2, |issue| usize::from(!issue.reproduction));
            with[place].add(row, &judges);
            lengths.entry(row.issue.map(super::issue::IssueTraits::length)).or_default().add(row, &judges);
        }
        let named = |(name, sums): (&str, TestGroup)| NamedGroup { name: name.to_owned(), sums };
        let names = ["the issue holds a reproduction", "it holds none", UNKNOWN];
        numbers.by_reproduction =
            names.into_iter().zip(with).filter(|(_, sums)| sums.cases > 0).map(named).collect();
        let all = IssueLength::ALL.into_iter().map(Some).chain([None]);
        numbers.by_length = all
            .filter_map(|length| {
                let name = length.map_or_else(|| UNKNOWN.to_owned(), |length| length.to_string());
                Some(NamedGroup { name, sums: lengths.remove(&length)? })
            })
            .collect();
        numbers
    }
}

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
