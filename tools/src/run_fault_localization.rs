//! `run_fault_localization`: where the bug is, as far as anybody said, or else as the tests tell.

use patchwright_fault_localization::{Basis, Formula, Localization, RankedMethod, Ranking};
use patchwright_protocol::{BugEvidence, Failure, ToolOutcome};
use patchwright_syntax::Span;
use patchwright_validation::CoverageScope;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::context::ToolContext;
use crate::named_lines::named_lines;
use crate::observation::Observation;
use crate::render::{counted, cut_line, lines_of, numbered};
use crate::tool::{CallContext, TypedTool};

/// Lines and methods that are shown.
const LINES: usize = 20;
const METHODS: usize = 10;
/// Methods whose code is shown, and lines of each.
const SHOWN: usize = 3;
const CODE_LINES: usize = 60;
/// The last of them, counted from the first.
const CODE_LINES_LAST: u32 = CODE_LINES as u32 - 1;

pub(crate) struct RunFaultLocalization;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunFaultLocalizationArgs {}

impl TypedTool for RunFaultLocalization {
    type Args = RunFaultLocalizationArgs;
    const NAME: &'static str = "run_fault_localization";
    const DESCRIPTION: &'static str =
        "Show the lines suspected to hold the bug; where no test shows it, the files that fit the issue.";
    const ONLY_READS: bool = true;
    const ALIASES: &[&str] = &["localize_fault", "localize_bug"];

    fn needs_baseline(_args: &RunFaultLocalizationArgs, context: &CallContext<'_>) -> bool {
        context.evidence == BugEvidence::FailingTests
    }

    async fn run(
        _args: RunFaultLocalizationArgs,
        context: &mut ToolContext<'_>,
    ) -> Result<Observation, Failure> {
        let is_told = context.evidence() != BugEvidence::FailingTests && !context.session.issue().is_empty();
        if is_told && (context.localization.is_spectrum() || context.localization.lines().is_empty()) {
            return by_words(context).await;
        }
        if context.localization.is_spectrum() {
            // Asked again, it tells more.
            let again = context.harness.coverage().is_partial();
            let scope = if again { CoverageScope::All } else { CoverageScope::Nearest };
            let ranking = patchwright_fault_localization::spectrum(
                context.harness,
                &*context.baseline()?,
                Formula::default(),
                scope,
            )
            .await?;
            return Ok(ranked(context, &ranking));
        }
        let Some(text) = named_lines(context.localization, context.project())? else {
            return Ok(Observation::refused(
                "No fault localisation was given for this bug. Find the place yourself: the stack traces and messages of \
                 run_tests name the lines that ran, extract_tests shows what the failing tests call, and read_range shows \
                 those lines.",
            ));
        };
        Ok(Observation::done(text, context.localization.data()).keep_text())
    }
}

/// The files that the words of the issue fit: no test tells of the bug.
async fn by_words(context: &mut ToolContext<'_>) -> Result<Observation, Failure> {
    let ranked =
        patchwright_initial_context::files_of_issue(context.harness, context.session.issue()).await?;
    if ranked.is_empty() {
        return Ok(Observation::refused(
            "No test shows the bug, and no file that may be changed has words of the issue. Find the place with search_code_base.",
        ));
    }
    let mut text = "No test shows the bug. The files that the words of the issue fit best, with the lines that they fit most:\n".to_owned();
    for (index, file) in ranked.iter().enumerate() {
        let Span { first, last } = file.lines;
        text.push_str(&format!("{}. {}, lines {first} to {last}\n", index + 1, file.path));
    }
    for file in ranked.iter().take(SHOWN) {
        let Span { first, last } = file.lines;
        let lines = lines_of(context.project(), file.path.as_str(), first, last.min(first + CODE_LINES_LAST));
        text.push_str(&format!("\n{}\n{}", file.path, numbered(&lines, context.settings.line_chars)));
    }
    let files: Vec<&str> = ranked.iter().map(|file| file.path.as_str()).collect();
    Ok(Observation::done(text, json!({ "files": files })).keep_text())
}

fn ranked(context: &ToolContext<'_>, ranking: &Ranking) -> Observation {
    if ranking.lines.is_empty() {
        return Observation::refused(
            "The tests do not tell where the bug is: no failing test executes code that may be changed, and no stack trace \
             leads there. Find the place yourself: extract_tests shows what the failing tests call, and search_code_base \
             finds it.",
        );
    }
    let data = Localization::ranked(ranking).data();
    let mut outcome = ToolOutcome::Done;
    let mut text = render(context, ranking);
    if ranking.left_out > 0 {
        outcome = ToolOutcome::Partial;
        text.push_str(&format!(
            "\nTo save time {} were not looked at. If no place here explains the failure, call run_fault_localization again: \
             it then looks at all of them.\n",
            counted(ranking.left_out, "test")
        ));
    }
    Observation::done(text, data).keep_text().with_outcome(outcome)
}

/// The top of a ranking with code. What recorded the coverage is not told: it differs from machine to machine.
fn render(context: &ToolContext<'_>, ranking: &Ranking) -> String {
    let basis = match ranking.basis {
        Basis::Coverage { .. } => "by which tests execute them",
        Basis::StackTraces { .. } => "by the stack traces of the failing tests and what these tests call",
    };
    let mut text =
        format!("Suspicious lines, {basis}; the most suspicious first, with suspiciousness from 0 to 1:\n");
    let chars = context.settings.line_chars;
    for (index, line) in ranking.lines.iter().take(LINES).enumerate() {
        let code = lines_of(context.project(), &line.path, line.line, line.line);
        let code = code.first().map(|(_, code)| cut_line(code.trim(), chars)).unwrap_or_default();
        let why: Vec<String> = line.why.iter().map(ToString::to_string).collect();
        let (rank, place) = (index + 1, format!("{}:{}", line.path, line.line));
        text.push_str(&format!(
            "{rank}. {place} ({:.2}): {code}\n   {}\n",
            line.suspiciousness,
            why.join("; ")
        ));
    }
    if ranking.lines.len() > LINES {
        text.push_str(&format!("and {}\n", counted(ranking.lines.len() - LINES, "less suspicious line")));
    }
    text.push_str("\nSuspicious methods:\n");
    for method in ranking.methods.iter().take(METHODS) {
        text.push_str(&format!(
            "- {} in {}:{}-{} ({:.2})\n",
            method.name, method.path, method.lines.first, method.lines.last, method.suspiciousness
        ));
    }
    for method in ranking.methods.iter().take(SHOWN) {
        text.push_str(&format!("\n{}\n{}", method.path, code_of(context, method, chars)));
    }
    text
}

fn code_of(context: &ToolContext<'_>, method: &RankedMethod, chars: usize) -> String {
    let lines = lines_of(context.project(), &method.path, method.lines.first, method.lines.last);
    let mut text = numbered(&lines[..lines.len().min(CODE_LINES)], chars);
    if lines.len() > CODE_LINES {
        text.push_str(&format!(
            "[... {}; read_range shows them]\n",
            counted(lines.len() - CODE_LINES, "more line")
        ));
    }
    text
}
