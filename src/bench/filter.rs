//! `patchwright bench grade --fixes`: fixes filtered by the tests of others.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use patchwright_command_line::bench::grade::GradeArgs;
use patchwright_protocol::{Failure, Goal};
use patchwright_runs::RunRecord;
use patchwright_suites::{LoadError, python_json};
use patchwright_swe_bench::{Dataset, EvaluationClass, Prediction, Predictions, folder_of};
use patchwright_swt_bench::{
    Benchmark, FILTER_RUNS, FilterReport, GradeOptions, Layout, ModelRun, RunPlan, dataset, filter_table,
    grade_logs, resolved_ids, with_fixes,
};
use serde_json::Value;

use crate::bench::{evaluate, swt_bench};
use crate::failure::ExitCode;
use crate::output::warn;

/// The folder of logs, and the file with the numbers, in the folder of reports.
const LOGS: &str = "filtered";
pub const REPORT: &str = "filtered.json";

/// Filters fixes by tests and prints precision and recall.
pub async fn run(
    args: &GradeArgs,
    benchmark: Benchmark,
    file: &Path,
    fixes: &str,
) -> Result<ExitCode, Failure> {
    let (dataset, warnings) = dataset::load(file, args.split.as_deref(), benchmark).map_err(Failure::user)?;
    warn(&warnings);
    let dataset = evaluate::only(dataset, &args.case)?;
    let word = args.predictions.as_deref().unwrap_or("gold");
    let (tests, _) = swt_bench::predicted(word, &dataset, benchmark)?;
    let (found, of_run) = fixes_of(fixes, &dataset)?;
    let mut reports = Vec::new();
    for own in found.by_model() {
        let truth = truth(args, &dataset, &own, fixes, of_run.as_deref()).await?;
        let with = with_fixes(&dataset, &own).map_err(|error| wrong(fixes, &error.message))?;
        for tests in tests.by_model() {
            reports.push(filtered(args, &with, &tests, &own, &truth).await?);
        }
    }
    let json = python_json::text(&Value::Array(reports.iter().map(FilterReport::json).collect())) + "\n";
    let report = args.out.join(REPORT);
    crate::files::write_whole(&report, |out| out.write_all(json.as_bytes()))?;
    crate::say(&format!("report {}", report.display()));
    let unknown: usize =
        reports.iter().flat_map(|report| &report.cases).filter(|fix| fix.resolved.is_none()).count();
    if unknown > 0 {
        crate::say(&format!(
            "{unknown} fixes are left out of the table: it is not known whether they are right"
        ));
    }
    crate::print(&if args.json { json } else { filter_table(&reports, swt_bench::form(args)) })?;
    Ok(ExitCode::Done)
}

fn wrong(fixes: &str, error: &dyn std::fmt::Display) -> Failure {
    Failure::user(format!("--fixes {fixes}: {error}"))
}

/// The fixes that a word of the command line names, and the run of ours that they come from, if they do.
fn fixes_of(word: &str, dataset: &Dataset) -> Result<(Predictions, Option<PathBuf>), Failure> {
    if let Some(run) = evaluate::run_folder(word)? {
        let record = RunRecord::read(&run).map_err(Failure::user)?;
        if record.file.goal() == Goal::Test {
            return Err(wrong(word, &"this run writes tests")
                .hint("give it with --predictions, and a run that looks for fixes with --fixes"));
        }
    }
    evaluate::predictions(word, dataset).map_err(|failure| {
        let message = failure.message.replace("--predictions ", "--fixes ");
        Failure { message, ..failure }
    })
}

/// The fixes of a model, filtered by the tests of one.
async fn filtered(
    args: &GradeArgs,
    with: &Dataset,
    tests: &Predictions,
    fixes: &Predictions,
    truth: &BTreeMap<String, bool>,
) -> Result<FilterReport, Failure> {
    let model = |predictions: &Predictions| {
        predictions.list().first().map(|prediction| prediction.model.clone()).unwrap_or_default()
    };
    let names = [model(tests), model(fixes)];
    let is_meant = |prediction: &&Prediction| with.get(&prediction.instance_id).is_some();
    let meant = Predictions::new(tests.list().iter().filter(is_meant).cloned());
    let root = args.out.join(LOGS).join(folder_of(&names[1]));
    let plan = RunPlan::Tests(FILTER_RUNS.to_vec());
    let runs = swt_bench::test_runs(args, plan, &root, "graded").await?;
    let done = runs.run(with, &meant, |case| {
        let how = case.problem.clone().unwrap_or_else(|| format!("{} runs", case.made));
        crate::say(&format!("{}: {how}", case.instance_id));
    });
    let done = done.await;
    swt_bench::if_ended_early(&runs)?;
    let problems: BTreeMap<String, String> =
        done.into_iter().filter_map(|case| Some((case.instance_id, case.problem?))).collect();
    let run = ModelRun { run_id: runs.run_id.clone(), model: folder_of(&names[0]) };
    let layout = Layout::at(&root, vec![run]);
    let graded: Result<Vec<_>, LoadError> = if meant.list().is_empty() {
        Ok(Vec::new())
    } else {
        grade_logs(with, Some(&meant), &layout, GradeOptions::default(), &|_, _| {})
    };
    let graded =
        graded.map_err(Failure::user)?.into_iter().flat_map(|report| report.cases).collect::<Vec<_>>();
    Ok(FilterReport::of(with, names, &graded, &problems, truth))
}

/// Which fixes are right: by the report that is named, else as the run of the fixes keeps it, else by the golden tests.
async fn truth(
    args: &GradeArgs,
    dataset: &Dataset,
    fixes: &Predictions,
    word: &str,
    run: Option<&Path>,
) -> Result<BTreeMap<String, bool>, Failure> {
    let ids = || fixes.list().iter().map(|prediction| prediction.instance_id.clone());
    if let Some(file) = &args.truth {
        let resolved = resolved_ids(file).map_err(|error| Failure::user(format!("--truth {error}")))?;
        return Ok(ids().map(|id| (id.clone(), resolved.contains(&id))).collect());
    }
    if word == "gold" {
        return Ok(ids().map(|id| (id, true)).collect());
    }
    if let Some(run) = run {
        let record = RunRecord::read(run).map_err(Failure::user)?;
        let known = |id: String| {
            let grade = record.ledger.standing(&id)?.0.grade.as_ref()?.resolved?;
            Some((id, grade))
        };
        let known: BTreeMap<String, bool> = ids().filter_map(known).collect();
        if !known.is_empty() {
            return Ok(known);
        }
    }
    let lacks = |id: &String| dataset.get(id).is_some_and(|row| row.fail_to_pass.is_empty());
    if let Some(id) = ids().find(lacks) {
        return Err(Failure::user(format!(
            "--fixes {word}: it is not known which of them are right, and {id} has no FAIL_TO_PASS to find out"
        ))
        .hint("name an official report of SWE-bench on them with --truth, or add FAIL_TO_PASS and PASS_TO_PASS to the dataset"));
    }
    crate::say("the golden tests are run, as it is not known which of the fixes are right");
    let work = evaluate::Work::of_fixes(args, dataset.clone(), fixes.clone());
    let judged = evaluate::verdicts(&work).await?;
    let known = judged.iter().filter_map(|case| {
        let resolved = match case.report.class {
            EvaluationClass::Resolved => true,
            EvaluationClass::Unresolved
            | EvaluationClass::PatchFailed
            | EvaluationClass::TimedOut
            | EvaluationClass::Empty => false,
            EvaluationClass::Infrastructure | EvaluationClass::Missing => return None,
        };
        Some((case.report.instance_id.clone(), resolved))
    });
    Ok(known.collect())
}
