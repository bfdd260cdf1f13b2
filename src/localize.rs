//! `patchwright localize`

use patchwright_command_line::cli::LocalizeArgs;
use patchwright_command_line::options::{ApproachOptions, SessionOptions};
use patchwright_fault_localization::{Localization, RankedLine, Ranking};
use patchwright_lanes::Activity;
use patchwright_protocol::Failure;
use patchwright_syntax::ProjectPath;
use patchwright_validation::{Baseline, CoverageScope, TestHarness};
use serde_json::{Value, json};

use crate::bug_input::known_lines;
use crate::environment::{Environment, close_harness};
use crate::failure::ExitCode;
use crate::plan::Plan;
use crate::truth::{Judgement, judge};
use crate::waiting_line::WaitingLine;

/// Lines of the table when nothing is said.
const TOP: usize = 20;
/// Characters of code in the table.
const CODE: usize = 60;

/// Ranks lines and prints them.
pub async fn run(args: &LocalizeArgs) -> Result<ExitCode, Failure> {
    let truth = args.truth.as_deref().map(|file| known_lines("--truth", file)).transpose()?;
    // Nobody decides anything here; a model or recording that the project's settings name is not needed.
    let options = SessionOptions {
        project: args.project.clone(),
        sandbox: args.sandbox.clone(),
        approach: ApproachOptions { model: Some("human".to_owned()), ..ApproachOptions::default() },
        ..SessionOptions::default()
    };
    let plan = Plan::new(&args.dir, &options)?;
    crate::lanes::sweep(false);
    let cancel = crate::cancel::on_signals();
    let session = format!("localize-{}", std::process::id());
    let Some(environment) = cancel.run_until_cancelled(Environment::find(&plan, &session)).await else {
        return Ok(ExitCode::Interrupted);
    };
    let environment = environment?;
    let found = cancel.run_until_cancelled(Box::pin(locate(&plan, &environment, args, truth.as_ref()))).await;
    environment.leave().await;
    let Some(found) = found else { return Ok(ExitCode::Interrupted) };
    let found = found?;
    if args.json {
        crate::print(&format!("{}\n", found.object(args)))?;
    } else {
        crate::print(&found.table(args))?;
    }
    Ok(if found.ranking.lines.is_empty() { ExitCode::NotFound } else { ExitCode::Done })
}

/// The findings.
struct Found {
    ranking: Ranking,
    /// The code of the ranked lines.
    code: Vec<String>,
    failing: usize,
    executable_lines: usize,
    judgement: Option<Judgement>,
}

async fn locate(
    plan: &Plan,
    environment: &Environment,
    args: &LocalizeArgs,
    truth: Option<&Localization>,
) -> Result<Found, Failure> {
    for reason in &environment.detected.reasons {
        crate::say(reason);
    }
    for warning in &environment.chosen.warnings {
        crate::say(&format!("warning: {warning}"));
    }
    let activity = Activity::default();
    let _line = WaitingLine::begin(activity.clone(), false);
    let harness = environment.open(plan, &activity).await?;
    let found = rank(plan, &harness, args, truth).await;
    close_harness(harness).await;
    found
}

async fn rank(
    plan: &Plan,
    harness: &TestHarness,
    args: &LocalizeArgs,
    truth: Option<&Localization>,
) -> Result<Found, Failure> {
    harness.notes().iter().for_each(|note| crate::say(note));
    crate::say("running the tests");
    let baseline = harness.baseline(&plan.bug.input.failing).await?;
    baseline.notes.iter().for_each(|note| crate::say(note));
    tell(&baseline);
    let ranking = if args.stack_traces {
        patchwright_fault_localization::by_stack_traces(harness, &baseline).await
    } else {
        crate::say("recording coverage, where the test tool allows it");
        patchwright_fault_localization::spectrum(harness, &baseline, args.formula, CoverageScope::All).await
    };
    let ranking = ranking?;
    ranking.notes.iter().for_each(|note| crate::say(note));
    crate::say(&format!("found by {}", ranking.basis));
    if ranking.lines.is_empty() {
        let why = if !baseline.environment_faults.is_empty() {
            "the tests that fail tell of their environment, and of no place in the project"
        } else if baseline.failing.is_empty() {
            "all tests pass: there is nothing to locate; add a test that shows the bug"
        } else {
            "no failing test executes code that may be changed, and no stack trace leads there"
        };
        crate::say(why);
    }
    let executable_lines = patchwright_fault_localization::executable_lines(harness).await?;
    let judgement = truth.and_then(|known| judge(&ranking, known, harness.project(), executable_lines));
    if truth.is_some() && judgement.is_none() {
        return Err(Failure::user("--truth: none of its files is in the project")
            .hint("its paths are relative to the root of the project"));
    }
    let code = ranking.lines.iter().map(|line| code_of(harness, line)).collect();
    Ok(Found { ranking, code, failing: baseline.failing.len(), executable_lines, judgement })
}

fn tell(baseline: &Baseline) {
    let (failing, passing) = (baseline.failing.len(), baseline.report.passed());
    crate::say(&format!("{failing} failing, {passing} passing"));
}

fn code_of(harness: &TestHarness, line: &RankedLine) -> String {
    let source = ProjectPath::new(&line.path).ok().and_then(|path| harness.project().read(&path).ok());
    let code = source
        .and_then(|source| source.lines().get(line.line as usize - 1).map(|code| code.trim().to_owned()));
    code.unwrap_or_default()
}

impl Found {
    fn object(&self, args: &LocalizeArgs) -> Value {
        let lines: Vec<Value> = self
            .ranking
            .lines
            .iter()
            .zip(&self.code)
            .take(args.top.unwrap_or(usize::MAX))
            .enumerate()
            .map(|(index, (line, code))| {
                json!({
                    "rank": index + 1,
                    "path": line.path,
                    "line": line.line,
                    "suspiciousness": line.suspiciousness,
                    "code": code,
                    "why": line.why,
                })
            })
            .collect();
        json!({
            "formula": args.formula,
            "basis": self.ranking.basis,
            "failing": self.failing,
            "executable_lines": self.executable_lines,
            "lines": lines,
            "methods": self.ranking.methods,
            "files": self.ranking.files,
            "notes": self.ranking.notes,
            "truth": self.judgement,
        })
    }

    fn table(&self, args: &LocalizeArgs) -> String {
        let shown: Vec<(usize, &RankedLine, &String)> = self
            .ranking
            .lines
            .iter()
            .zip(&self.code)
            .take(args.top.unwrap_or(TOP))
            .enumerate()
            .map(|(index, (line, code))| (index + 1, line, code))
            .collect();
        let places: Vec<String> =
            shown.iter().map(|(_, line, _)| format!("{}:{}", line.path, line.line)).collect();
        let width = places.iter().map(|place| place.chars().count()).max().unwrap_or_default();
        let mut table = String::new();
        for ((rank, line, code), place) in shown.iter().zip(&places) {
            let code: String =
                code.chars().map(|c| if c.is_control() { ' ' } else { c }).take(CODE).collect();
            let why: Vec<String> = line.why.iter().map(ToString::to_string).collect();
            let why = why.join("; ");
            let score = line.suspiciousness;
            table.push_str(&format!("{rank:>4}  {score:.3}  {place:<width$}  {code:<CODE$}  {why}\n"));
        }
        if let Some(judgement) = &self.judgement {
            table.push_str(&judgement_text(judgement));
        }
        table
    }
}

fn judgement_text(judgement: &Judgement) -> String {
    let rank = judgement.rank.map_or_else(|| "not ranked".to_owned(), |rank| format!("rank {rank}"));
    let mut text = format!(
        "the bug: {rank}, {:.1} on average over ties; EXAM {:.4}; ",
        judgement.average_rank, judgement.exam
    );
    let tops = [(1, judgement.top_1), (5, judgement.top_5), (10, judgement.top_10)];
    let words: Vec<String> = tops
        .iter()
        .map(|(most, among)| format!("top-{most} {}", if *among { "yes" } else { "no" }))
        .collect();
    text.push_str(&words.join(", "));
    text.push('\n');
    text
}
