//! The grading of the logs of a run.

use std::sync::atomic::{AtomicUsize, Ordering};

use patchwright_suites::LoadError;
use patchwright_swe_bench::{Dataset, Prediction, Predictions, Row};
use patchwright_syntax::parallel;

use crate::changes::ChangedLines;
use crate::excluded::{Subset, counts};
use crate::grade::{RunKind, Verdict, grade};
use crate::head::{LogHead, RefusedPatch};
use crate::layout::{GOLD, Layout, ModelRun, PATCH, TEST_OUTPUT, tests_of};
use crate::log::{LogNote, Reasons, RunLog, of_another_case};
use crate::logged::{LoggedPatch, TESTS_ALONE, foreign, odd, text, weakened};
use crate::parsers::LogParser;
use crate::predictions::is_empty;
use crate::report::{CaseOutcome, CaseReport, RunReport};

/// The way in which logs are graded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GradeOptions<'a> {
    /// Look strictly at failures too.
    pub strict: bool,
    /// The runs were those of a script, whose exit status counts (`--exec_mode reproduction_script`).
    pub script: bool,
    /// The subset that aggregates are about; by the size of the dataset where nothing is said.
    pub subset: Option<Subset>,
    /// The run whose logs are those of the predictions; where nothing is said, the last one of their model by name.
    pub run_id: Option<&'a str>,
}

/// Grades all runs of a folder of logs, or those of the models that have predictions: a report for each. `progress` hears how many of how
/// many cases are done; it is called from several threads.
///
/// # Errors
/// A log cannot be read, or a model that has predictions has no logs.
pub fn grade_logs(
    dataset: &Dataset,
    predictions: Option<&Predictions>,
    layout: &Layout,
    options: GradeOptions<'_>,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Vec<RunReport>, LoadError> {
    let grading = Grading { dataset, layout, options, progress };
    let mut reports = match predictions {
        None => {
            let runs = layout.runs().iter().map(|run| grading.run(run, None));
            runs.collect::<Result<Vec<_>, _>>()?
        }
        Some(predictions) => {
            let models = predictions.by_model();
            let reports = models.iter().map(|own| grading.predictions(own)).collect::<Result<Vec<_>, _>>()?;
            reports.into_iter().flatten().collect()
        }
    };
    let possible = grading.possible(&reports)?;
    for report in &mut reports {
        report.possible = possible;
    }
    Ok(reports)
}

struct Grading<'a> {
    dataset: &'a Dataset,
    layout: &'a Layout,
    options: GradeOptions<'a>,
    progress: &'a (dyn Fn(usize, usize) + Sync),
}

impl Grading<'_> {
    /// The report on the predictions of one model.
    fn predictions(&self, predictions: &Predictions) -> Result<Option<RunReport>, LoadError> {
        let Some(first) = predictions.list().first() else { return Ok(None) };
        let run_id = self.options.run_id;
        let run = self.layout.of_model(first, run_id).cloned().or_else(|| match self.layout.runs() {
            // A single run whose folder is called otherwise.
            [only] if run_id.is_none() => Some(only.clone()),
            _ => None,
        });
        let run = run.ok_or_else(|| LoadError {
            place: self.layout.root().display().to_string(),
            message: format!(
                "no logs are of the model {}; there are those of {}; give the predictions of one of these",
                first.model,
                self.layout.runs().iter().map(|run| run.model.as_str()).collect::<Vec<_>>().join(", ")
            ),
        })?;
        self.run(&run, Some(predictions)).map(Some)
    }

    /// The report on a run: the cases that have predictions, or else logs.
    fn run(&self, run: &ModelRun, predictions: Option<&Predictions>) -> Result<RunReport, LoadError> {
        let mut warnings = predictions.map_or(&[][..], Predictions::warnings).to_vec();
        let logged = self.layout.cases(run);
        let unknown: Vec<&String> = logged.iter().filter(|id| self.dataset.get(id).is_none()).collect();
        if let Some(first) = unknown.first() {
            warnings.push(format!(
                "{} cases have logs and are not in the dataset, such as {first}; they are left out",
                unknown.len()
            ));
        }
        let is_meant = |row: &&Row| match predictions {
            Some(predictions) => predictions.get(&row.instance_id).is_some(),
            None => logged.contains(&row.instance_id),
        };
        let rows: Vec<&Row> = self.dataset.rows().iter().filter(is_meant).collect();
        let done = AtomicUsize::new(0);
        let cases = parallel::over(&rows, |row| {
            let prediction = predictions.and_then(|predictions| predictions.get(&row.instance_id));
            let report = self.case(row, run, prediction);
            (self.progress)(done.fetch_add(1, Ordering::Relaxed) + 1, rows.len());
            report
        });
        let named = predictions.and_then(|predictions| predictions.list().first());
        let cases = cases.into_iter().collect::<Result<Vec<_>, _>>()?;
        let empty = cases.iter().filter(|case| case.outcome == CaseOutcome::Empty).count();
        if empty > 0 {
            warnings.push(format!(
                "{empty} of {} predictions are empty; they count as tests that do not apply, as officially",
                cases.len()
            ));
        }
        let subset = self.options.subset.unwrap_or_else(|| Subset::of(self.dataset));
        Ok(RunReport {
            model: named.map_or(&run.model, |prediction| &prediction.model).clone(),
            run_id: run.run_id.clone(),
            subset,
            total: subset.total(self.dataset),
            possible: None,
            strict: self.options.strict,
            cases,
            warnings,
        })
    }

    /// The report on a case.
    ///
    /// Official place: `make_run_report` in `src/run_evaluation.py`. An empty prediction is run there, all tests of the project with it, and
    /// its log says of no patch that it was applied; here that is known without a run.
    fn case(
        &self,
        row: &Row,
        run: &ModelRun,
        prediction: Option<&Prediction>,
    ) -> Result<CaseReport, LoadError> {
        let mut report = CaseReport::not_run(&row.instance_id);
        if prediction.is_some_and(is_empty) {
            report.outcome = CaseOutcome::Empty;
            return Ok(report);
        }
        let folder = self.layout.folder(RunKind::PredPre, run, &row.instance_id, &[]);
        let Some(patch) = text(&folder.join(PATCH))? else {
            report
                .notes
                .push(format!("there is no `{PATCH}` in {}: it was not run to its end", folder.display()));
            return Ok(report);
        };
        if let Some(problem) = foreign(&folder, &patch, row, prediction)? {
            report.notes.push(problem);
            return Ok(report);
        }
        match LoggedPatch::of(prediction, &patch) {
            LoggedPatch::Tests => report.notes.push(TESTS_ALONE.to_owned()),
            LoggedPatch::Whole | LoggedPatch::Another => {
                report.notes.extend(odd(prediction, &patch, self.options.script));
            }
        }
        if run.model != GOLD {
            report.notes.extend(weakened(&patch));
        }
        let changed = ChangedLines::of(&row.patch);
        let Some(runs) = self.logs(row, run, &patch, &changed, &mut report)? else { return Ok(report) };
        let issue = self.options.strict.then_some(row.problem_statement.as_str());
        let verdict = grade(&changed, &runs, issue);
        // Where a log of theirs is missing, that is the reason.
        let [_, _, gold_pre, gold_post, ..] = &runs;
        if ![gold_pre, gold_post].iter().any(|log| log.notes.contains(&LogNote::Missing)) {
            report.notes.extend(verdict.as_ref().and_then(exchanged));
        }
        report.outcome =
            verdict.map_or(CaseOutcome::NotApplied, |verdict| CaseOutcome::Graded(Box::new(verdict)));
        Ok(report)
    }

    /// The logs of a case in the order of [`RunKind::ALL`], with what is odd about them told in its report; none where there is none of its
    /// tests without the golden patch.
    fn logs(
        &self,
        row: &Row,
        run: &ModelRun,
        patch: &str,
        changed: &ChangedLines,
        report: &mut CaseReport,
    ) -> Result<Option<[RunLog; 6]>, LoadError> {
        let parser =
            if self.options.script { Some(LogParser::Script) } else { LogParser::of_repository(&row.repo) };
        let Some(parser) = parser else {
            report.notes.push(format!("no logs of {} can be read", row.repo));
            return Ok(None);
        };
        let mut runs: [RunLog; 6] = Default::default();
        for (kind, log) in RunKind::ALL.into_iter().zip(&mut runs) {
            let tests = tests_of(kind, &row.repo, patch, &row.test_patch);
            let folder = self.layout.folder(kind, run, &row.instance_id, &tests);
            let strict = self.options.strict && kind == RunKind::PredPre;
            let reasons = if strict { Reasons::Find } else { Reasons::Skip };
            let file = folder.join(TEST_OUTPUT);
            let Some(logged) = text(&file)? else {
                if kind == RunKind::PredPre {
                    report.notes.push(format!(
                        "there is no log of its tests ({}): they took too long, or broke off",
                        file.display()
                    ));
                    return Ok(None);
                }
                *log = RunLog::missing();
                self.note(kind, log, row, report);
                continue;
            };
            let head = LogHead::of(&logged);
            let foreign = of_another_case(&logged, row).or_else(|| head.of_another_run(kind, row, patch));
            if let Some(problem) = foreign {
                let told = format!("{}: {problem} (see {})", kind.name(), file.display());
                report.broken.get_or_insert_with(|| told.clone());
                report.notes.push(told);
                if kind == RunKind::PredPre {
                    return Ok(None);
                }
                continue;
            }
            *log = RunLog::read(&logged, parser, row, |file| changed.names(file), reasons);
            let mut refused = head.refused(kind);
            if run.model == GOLD {
                let of_row = |refused: &mut RefusedPatch| refused.patch = refused.patch.of_row();
                refused.iter_mut().for_each(of_row);
            }
            if !refused.is_empty() {
                log.notes.retain(|note| *note != LogNote::PatchFailed);
            }
            self.note(kind, log, row, report);
            report.notes.extend(refused.iter().map(ToString::to_string));
            report.refused.extend(refused);
            if kind == RunKind::PredPost
                && let Some(other) = text(&folder.join(PATCH))?
                && other.trim_end() != patch.trim_end()
            {
                report
                    .notes
                    .push("pred_post: the log is of another prediction than that of pred_pre".to_owned());
            }
        }
        Ok(Some(runs))
    }

    /// Tells what is odd about a log.
    fn note(&self, kind: RunKind, log: &RunLog, row: &Row, report: &mut CaseReport) {
        for note in &log.notes {
            // All runs of a case are of one kind: that is told once.
            if kind != RunKind::PredPre && matches!(note, LogNote::OfScript | LogNote::OfTests) {
                continue;
            }
            let mut text = format!("{}: {}", kind.name(), note.sentence());
            let others = self.layout.other_folders(kind, &row.instance_id);
            if *note == LogNote::Missing && kind.is_shared() && others > 0 {
                text.push_str(&format!(
                    " ({others} logs are there for other test files: was it run with another prediction, or another dataset?)"
                ));
            }
            if note.is_of_broken_log() {
                report.broken.get_or_insert_with(|| text.clone());
            }
            report.notes.push(text);
        }
    }

    /// The number of cases that ΔC is divided by: those of a run of the golden tests whose golden patch has lines that can be executed.
    ///
    /// Official place: `GOLD_RUN_MAP` in `src/report.py`; without such a run the official program shows no ΔC.
    fn possible(&self, reports: &[RunReport]) -> Result<Option<usize>, LoadError> {
        let of = |report: &RunReport| {
            let cases = report.cases.iter().filter(|case| counts(&case.instance_id));
            cases.filter(|case| case.coverage().is_some()).count()
        };
        if let Some(report) = reports.iter().find(|report| report.model == GOLD) {
            return Ok(Some(of(report)));
        }
        let Some(run) = self.layout.runs().iter().rev().find(|run| run.model == GOLD) else {
            return Ok(None);
        };
        Ok(Some(of(&self.run(run, None)?)))
    }
}

/// What is told where golden tests do the contrary of what they are for, as far as no log says which run it is of.
fn exchanged(verdict: &Verdict) -> Option<String> {
    let golden = &verdict.golden;
    let test = golden.pass_to_fail.first().filter(|_| golden.fail_to_pass.is_empty())?;
    Some(format!(
        "gold_pre, gold_post: the golden tests pass without the golden patch and fail with it, such as {test}: the logs of the two runs \
         look exchanged, and perhaps all others are, too"
    ))
}
