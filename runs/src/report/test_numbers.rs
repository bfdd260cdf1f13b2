//! The numbers of runs that write tests.

use std::collections::{BTreeMap, BTreeSet};

use patchwright_protocol::{Status, TestMethod};
use serde::{Deserialize, Serialize};

use super::case_row::CaseRow;
use super::issue::IssueLength;
use crate::event::GradedTests;
use crate::words::thousands;

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

    pub(super) fn counts(&self) -> Vec<String> {
        let Self { cases, reproduced, unverified, none, unanswered, questions, tokens, .. } = *self;
        let counts = [cases, reproduced, unverified, none, unanswered, questions];
        counts.iter().map(u64::to_string).chain([thousands(tokens)]).collect()
    }

    /// A row for each benchmark.
    pub(super) fn measured(&self) -> Vec<Vec<String>> {
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
    pub(super) fn shares(&self) -> [(&'static str, Option<(f64, u64)>); 7] {
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
