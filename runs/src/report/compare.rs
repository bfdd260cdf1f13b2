//! Runs side by side.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use patchwright_protocol::{Status, StatusClass};
use serde::{Deserialize, Serialize};

use super::case_row::CaseRow;
use super::numbers::Report;
use super::stats::mcnemar;

/// Runs side by side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunComparison {
    /// The runs' names; where two are the same, their places are behind them.
    pub runs: Vec<String>,
    /// The differences between them.
    #[serde(default)]
    pub differences: Vec<RunDifference>,
    /// Every case of any run, in the order of the first run that has it.
    pub cases: Vec<ComparedCase>,
    /// Every two runs, over the cases that both have answered.
    pub pairs: Vec<Pair>,
    /// The number of cases that some runs solve and no other does: the regions of a Venn diagram.
    pub overlap: Vec<Overlap>,
}

/// A case in several runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComparedCase {
    /// The case's id.
    pub case: String,
    /// Its end in each run; none where it does not have the case.
    pub runs: Vec<Option<ComparedEnd>>,
}

/// The end of a case in a run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComparedEnd {
    /// Its status; none where it is unfinished.
    pub status: Option<Status>,
    /// Is true if the patch was judged correct.
    pub correct: Option<bool>,
    /// Is true if the benchmark's own tests accept the patch.
    pub resolved: Option<bool>,
    /// Cost in US dollars; none where a price is unknown.
    pub usd: Option<f64>,
    /// Cycles used.
    pub cycles: u32,
    /// Candidates that were tried.
    #[serde(default)]
    pub candidates: u64,
}

/// Something in which runs differ, besides their cases: a setting, a version, the suite.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunDifference {
    /// Its name, as in `run.toml`: `settings.model`.
    pub name: String,
    /// Its value in each run; none where it is not set.
    pub values: Vec<Option<String>>,
}

/// Two runs over the cases that both have answered.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pair {
    /// The place of the first run.
    pub a: usize,
    /// The place of the second.
    pub b: usize,
    /// By plausible patches.
    #[serde(flatten)]
    pub plausible: Split,
    /// By patches that the benchmark's own tests accept; none where it has judged no patch of one of the runs, or tests were graded by
    /// different benchmarks.
    pub resolved: Option<Split>,
}

/// The cases that both of two runs have answered, by who solves them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Split {
    /// Cases that both solve.
    pub both: u64,
    /// Cases that only the first solves.
    pub only_a: u64,
    /// Cases that only the second solves.
    pub only_b: u64,
    /// Cases that neither solves.
    pub neither: u64,
    /// McNemar's exact test, two-sided.
    pub p: f64,
}

/// The cases that exactly these runs solve.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overlap {
    /// The places of the runs.
    pub runs: Vec<usize>,
    /// The number of cases.
    pub cases: u64,
}

impl RunComparison {
    /// Runs side by side. A case counts as solved where a plausible patch stands, or a test that reproduces the issue.
    pub fn of(reports: &[Report]) -> Self {
        let rows: Vec<HashMap<&str, &CaseRow>> = reports
            .iter()
            .map(|report| report.cases.iter().map(|row| (row.case.as_str(), row)).collect())
            .collect();
        let mut seen = BTreeSet::new();
        let ids: Vec<&str> = reports
            .iter()
            .flat_map(|report| report.cases.iter().map(|row| row.case.as_str()))
            .filter(|id| seen.insert(*id))
            .collect();
        let judge = common_judge(reports);
        let end = |row: &&CaseRow| ComparedEnd {
            status: row.status,
            correct: row.correct,
            resolved: match &judge {
                _ if row.tests.is_empty() => row.resolved,
                Some(judge) => row.tests.get(*judge).map(|graded| graded.resolved),
                None => None,
            },
            usd: row.usd,
            cycles: row.cycles,
            candidates: row.candidates,
        };
        let cases: Vec<ComparedCase> = ids
            .iter()
            .map(|id| ComparedCase {
                case: (*id).to_owned(),
                runs: rows.iter().map(|rows| rows.get(id).map(end)).collect(),
            })
            .collect();
        let places = 0..reports.len();
        let pairs = places
            .clone()
            .flat_map(|a| (a + 1..reports.len()).map(move |b| (a, b)))
            .map(|(a, b)| pair(&cases, a, b))
            .collect();
        let overlap = overlap(&cases);
        Self { runs: names(reports), differences: differences(reports), cases, pairs, overlap }
    }
}

impl RunComparison {
    /// The cases that the benchmark's own tests accept from one run and not from another.
    pub fn lacking(&self, has: usize, lacks: usize) -> impl Iterator<Item = &ComparedCase> {
        let resolved = move |case: &ComparedCase, run: usize| {
            case.runs.get(run).copied().flatten().as_ref().and_then(ComparedEnd::is_resolved)
        };
        self.cases
            .iter()
            .filter(move |case| resolved(case, has) == Some(true) && resolved(case, lacks) == Some(false))
    }
}

/// The benchmark that has graded tests of all runs that any has graded tests of; the first by name.
fn common_judge(reports: &[Report]) -> Option<&String> {
    let judges = reports
        .iter()
        .map(|report| report.cases.iter().flat_map(|row| row.tests.keys()).collect::<BTreeSet<&String>>());
    let graded = judges.filter(|judges| !judges.is_empty());
    graded.reduce(|common, own| &common & &own)?.into_iter().next()
}

fn differences(reports: &[Report]) -> Vec<RunDifference> {
    let told: Vec<BTreeMap<String, String>> = reports.iter().map(told).collect();
    let names: BTreeSet<&String> = told.iter().flat_map(BTreeMap::keys).collect();
    let values = |name: &String| told.iter().map(|told| told.get(name).cloned()).collect::<Vec<_>>();
    names
        .into_iter()
        .map(|name| RunDifference { name: name.clone(), values: values(name) })
        .filter(|difference| difference.values.windows(2).any(|two| two[0] != two[1]))
        .collect()
}

/// All that a run says of how it was made.
fn told(report: &Report) -> BTreeMap<String, String> {
    fn add(name: String, value: &toml::Value, told: &mut BTreeMap<String, String>) {
        match value {
            toml::Value::Table(table) => {
                table.iter().for_each(|(key, value)| add(format!("{name}.{key}"), value, told));
            }
            toml::Value::String(text) => drop(told.insert(name, text.clone())),
            value => drop(told.insert(name, value.to_string())),
        }
    }
    let mut told = BTreeMap::from([("suite".to_owned(), report.suite.clone())]);
    told.extend(report.versions.iter().map(|(name, version)| (format!("versions.{name}"), version.clone())));
    report.settings.iter().for_each(|(key, value)| add(format!("settings.{key}"), value, &mut told));
    told
}

fn names(reports: &[Report]) -> Vec<String> {
    let name = |(place, report): (usize, &Report)| {
        let same = reports.iter().filter(|other| other.run == report.run).count();
        if same > 1 { format!("{} ({})", report.run, place + 1) } else { report.run.clone() }
    };
    reports.iter().enumerate().map(name).collect()
}

fn pair(cases: &[ComparedCase], a: usize, b: usize) -> Pair {
    let graded =
        |run: usize| cases.iter().any(|case| case.runs[run].is_some_and(|end| end.resolved.is_some()));
    let plausible = Split::of(cases, (a, b), ComparedEnd::is_solved);
    let resolved = (graded(a) && graded(b)).then(|| Split::of(cases, (a, b), ComparedEnd::is_resolved));
    Pair { a, b, plausible, resolved }
}

impl ComparedEnd {
    /// Is true if the case is solved as far as tests can tell; none where infrastructure or a kill left no answer, which says nothing about
    /// the run.
    fn is_solved(&self) -> Option<bool> {
        self.status.filter(|status| status.is_answer()).map(|status| status.class() == StatusClass::Fixed)
    }

    /// Is true if the benchmark's own tests accept the patch; an answer without a plausible one that they have not seen is none that they
    /// would accept.
    fn is_resolved(&self) -> Option<bool> {
        self.resolved.or_else(|| self.is_solved().filter(|solved| !solved))
    }
}

impl Split {
    fn of(cases: &[ComparedCase], (a, b): (usize, usize), solves: fn(&ComparedEnd) -> Option<bool>) -> Self {
        let mut split = Self { both: 0, only_a: 0, only_b: 0, neither: 0, p: 1.0 };
        for case in cases {
            let solves = |run: usize| case.runs[run].as_ref().and_then(solves);
            let count = match (solves(a), solves(b)) {
                (Some(true), Some(true)) => &mut split.both,
                (Some(true), Some(false)) => &mut split.only_a,
                (Some(false), Some(true)) => &mut split.only_b,
                (Some(false), Some(false)) => &mut split.neither,
                (None, _) | (_, None) => continue,
            };
            *count += 1;
        }
        split.p = mcnemar(split.only_a, split.only_b);
        split
    }
}

fn overlap(cases: &[ComparedCase]) -> Vec<Overlap> {
    let mut regions: BTreeMap<Vec<usize>, u64> = BTreeMap::new();
    for case in cases {
        let solves = |end: &Option<ComparedEnd>| end.is_some_and(|end| end.is_solved() == Some(true));
        let runs: Vec<usize> =
            case.runs.iter().enumerate().filter(|(_, end)| solves(end)).map(|(place, _)| place).collect();
        if !runs.is_empty() {
            *regions.entry(runs).or_default() += 1;
        }
    }
    let mut regions: Vec<Overlap> =
        regions.into_iter().map(|(runs, cases)| Overlap { runs, cases }).collect();
    regions.sort_by_key(|region| region.runs.len());
    regions
}
