//! The numbers of a run: what `report.json` holds, and all that the views show.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use patchwright_protocol::Status;
use patchwright_suites::Case;
use serde::{Deserialize, Serialize};

use super::case_row::{CaseRow, row};
use super::stats::Spread;
use super::test_numbers::TestNumbers;
use crate::{FixCoverage, FoundParts, RunCosts, RunError, RunRecord, Shape, write_derived};

/// The numbers of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The run's name.
    pub run: String,
    /// The source of its cases.
    pub suite: String,
    /// When it was started.
    pub started: String,
    /// The program and what it works with, with versions.
    pub versions: BTreeMap<String, String>,
    /// Who decided in its sessions, as they name themselves.
    #[serde(default)]
    pub models: BTreeSet<String>,
    /// Its settings as in `run.toml`.
    pub settings: toml::Table,
    /// The reason why it ended; none while it runs, or where it was killed.
    pub ended: Option<String>,
    /// Where it is the whole of some parts, these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parts: Option<FoundParts>,
    /// The sums over all cases.
    pub total: Group,
    /// The same for each project.
    pub projects: BTreeMap<String, Group>,
    /// The same by what the developer's fix touches, or the patch where the fix is not known.
    pub shapes: BTreeMap<Shape, Group>,
    /// The number of cases at each status.
    pub statuses: BTreeMap<Status, u64>,
    /// Distributions over cases that were fixed, and over those that were not.
    pub spreads: Vec<SpreadRow>,
    /// Calls of each tool in a session, on average.
    pub calls: Vec<CallRow>,
    /// The number of patches that touch all that the developer's fix touches.
    pub patched: FixCoverageCounts,
    /// The number of sessions of the fixed pipeline whose places hold all that it touches.
    pub located: FixCoverageCounts,
    /// The numbers of tests, where the run writes some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<TestNumbers>,
    /// All attempts together.
    pub spent: SpentRow,
    /// Every case, in the order of the run.
    pub cases: Vec<CaseRow>,
}

/// Sums over some cases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// Cases.
    pub cases: u64,
    /// Cases with an answer.
    pub answered: u64,
    /// Cases with a plausible patch, or, where tests are written, with one that reproduces the issue.
    pub plausible: u64,
    /// Plausible patches that were judged correct.
    pub correct: u64,
    /// Cases where one of the plausible patches, shown first or not, equals the developer's fix or was judged correct.
    #[serde(default)]
    pub found: u64,
    /// Candidates that were tried.
    #[serde(default)]
    pub candidates: u64,
    /// Plausible patches that nobody has judged yet.
    pub unjudged: u64,
    /// Patches that the benchmark's own tests have judged.
    pub graded: u64,
    /// Those of them that they accept.
    pub resolved: u64,
}

/// A distribution of some measure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpreadRow {
    /// `seconds`, `tokens`, `usd` or `cycles`.
    pub measure: String,
    /// Over fixed cases.
    pub fixed: Option<Spread>,
    /// Over unfixed cases.
    pub unfixed: Option<Spread>,
}

/// The calls of a tool in a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallRow {
    /// The tool.
    pub tool: String,
    /// On average over fixed cases; none where there is none.
    pub fixed: Option<f64>,
    /// On average over unfixed cases.
    pub unfixed: Option<f64>,
}

/// Counts of places that hold all that the developer's fix touches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FixCoverageCounts {
    /// Cases that were compared.
    pub compared: u64,
    /// All files of the fix are there.
    pub files: u64,
    /// All its functions are.
    pub functions: u64,
    /// All its lines are.
    pub lines: u64,
}

/// The cost of all attempts together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SpentRow {
    /// Attempts.
    pub attempts: u64,
    /// Their cost.
    #[serde(flatten)]
    pub cost: RunCosts,
}

impl Report {
    /// The numbers of a run. `cases` are those of its suite; what they tell is missing where they are. Reads the
    /// trajectory of each attempt that stands once; one that cannot be read counts without calls.
    pub fn of(run: &RunRecord, cases: &[Case]) -> Self {
        let known: HashMap<&str, &Case> = cases.iter().map(|case| (case.id.as_str(), case)).collect();
        let rows: Vec<CaseRow> =
            run.file.cases.iter().map(|id| row(run, id, known.get(id.as_str()).copied())).collect();
        let attempts = run.file.cases.iter().map(|id| run.ledger.attempts(id).len() as u64).sum();
        Self {
            run: run.file.run.clone(),
            suite: run.file.suite.clone(),
            started: run.file.started.clone(),
            versions: run.file.versions.clone(),
            models: models(run),
            settings: run.file.settings.clone(),
            ended: run.ledger.ended.as_ref().map(|(_, text)| text.clone()),
            parts: run.parts.clone(),
            spent: SpentRow { attempts, cost: run.ledger.spent() },
            tests: run.file.method().map(|method| TestNumbers::of(method, &rows)),
            ..Self::over(rows)
        }
    }

    /// The sums over these cases.
    pub(super) fn over(cases: Vec<CaseRow>) -> Self {
        let mut report = Self { spreads: spreads(&cases), calls: calls(&cases), ..Self::default() };
        for row in &cases {
            report.total.add(row);
            report.projects.entry(row.project.clone()).or_default().add(row);
            if let Some(shape) = row.shape {
                report.shapes.entry(shape).or_default().add(row);
            }
            if let Some(status) = row.status {
                *report.statuses.entry(status).or_default() += 1;
            }
            report.patched.add(row.patched);
            report.located.add(row.located);
        }
        report.cases = cases;
        report
    }

    /// Writes `report.json` anew: whole or not at all.
    ///
    /// # Errors
    /// When it cannot be written; what was there before stays.
    pub fn write(&self, path: &Path) -> Result<(), RunError> {
        let mut text = serde_json::to_string_pretty(self)
            .map_err(|error| RunError::Io { path: path.to_owned(), message: error.to_string() })?;
        text.push('\n');
        write_derived(path, text.as_bytes())
    }
}

impl Group {
    fn add(&mut self, row: &CaseRow) {
        self.cases += 1;
        self.answered += u64::from(row.status.is_some_and(Status::is_answer));
        self.plausible += u64::from(row.is_solved());
        self.correct += u64::from(row.is_solved() && row.correct == Some(true));
        self.found += u64::from(
            row.is_solved() && (row.correct == Some(true) || row.fix_at.is_some_and(|place| place > 1)),
        );
        self.candidates += row.candidates;
        self.unjudged += u64::from(row.is_solved() && row.correct.is_none());
        self.graded += u64::from(row.resolved.is_some());
        self.resolved += u64::from(row.resolved == Some(true));
    }
}

impl FixCoverageCounts {
    fn add(&mut self, located: Option<FixCoverage>) {
        let Some(FixCoverage { files, functions, lines }) = located else { return };
        self.compared += 1;
        self.files += u64::from(files);
        self.functions += u64::from(functions);
        self.lines += u64::from(lines);
    }
}

fn models(run: &RunRecord) -> BTreeSet<String> {
    let standing = run.file.cases.iter().filter_map(|id| run.ledger.standing(id));
    standing.map(|(_, outcome)| outcome.model.clone()).filter(|model| !model.is_empty()).collect()
}

fn spreads(cases: &[CaseRow]) -> Vec<SpreadRow> {
    let row = |measure: &str, value: fn(&CaseRow) -> Option<f64>| SpreadRow {
        measure: measure.to_owned(),
        fixed: Spread::of(cases.iter().filter(|case| case.is_solved()).filter_map(value)),
        unfixed: Spread::of(cases.iter().filter(|case| case.is_unfixed()).filter_map(value)),
    };
    let rows = [
        row("seconds", |case| Some(case.seconds)),
        row("tokens", |case| Some(case.tokens as f64)),
        row("usd", |case| case.usd),
        row("cycles", |case| Some(f64::from(case.cycles))),
    ];
    // Without a model nothing costs anything: that is no distribution.
    let says =
        |row: &SpreadRow| [row.fixed, row.unfixed].iter().flatten().any(|spread| spread.greatest > 0.0);
    rows.into_iter().filter(says).collect()
}

fn calls(cases: &[CaseRow]) -> Vec<CallRow> {
    let mut tools: Vec<&String> = cases.iter().flat_map(|case| case.calls.keys()).collect();
    tools.sort();
    tools.dedup();
    let mean = |tool: &String, counts: fn(&CaseRow) -> bool| {
        let counted: Vec<u64> = cases
            .iter()
            .filter(|case| counts(case))
            .map(|case| case.calls.get(tool).copied().unwrap_or(0))
            .collect();
        (!counted.is_empty()).then(|| counted.iter().sum::<u64>() as f64 / counted.len() as f64)
    };
    tools
        .into_iter()
        .map(|tool| CallRow {
            tool: tool.clone(),
            fixed: mean(tool, CaseRow::is_solved),
            unfixed: mean(tool, CaseRow::is_unfixed),
        })
        .collect()
}
