//! `run_fault_localization`: where the bug is, as far as anybody said, or else as the tests tell.

use patchwright_protocol::Failure;
use patchwright_syntax::{Project, ProjectPath};
use patchwright_testbed::{
    Baseline, Basis, CoverageScope, Formula, Localization, ProjectSpec, RankedMethod, Ranking, TestBed,
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::context::ToolContext;
use crate::named_lines::named_lines;
use crate::observation::Observation;
use crate::render::{counted, cut_line, numbered};
use crate::tool::TypedTool;

/// Lines and methods that are shown.
const LINES: usize = 20;
const METHODS: usize = 10;
/// Methods whose code is shown, and lines of each.
const SHOWN: usize = 3;
const CODE_LINES: usize = 60;

/// The key of typed results that says that the same call would tell more if it came again.
pub const PARTIAL: &str = "partial";

pub(crate) struct RunFaultLocalization;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunFaultLocalizationArgs {}

impl TypedTool for RunFaultLocalization {
    type Args = RunFaultLocalizationArgs;
    const NAME: &'static str = "run_fault_localization";
    const DESCRIPTION: &'static str = "Show the lines that are known or suspected to hold the bug.";
    const ALIASES: &[&str] = &["localize_fault", "localize_bug"];

    fn needs_baseline(_args: &RunFaultLocalizationArgs, _spec: &ProjectSpec) -> bool {
        true
    }

    async fn run(
        _args: RunFaultLocalizationArgs,
        context: &mut ToolContext<'_>,
    ) -> Result<Observation, Failure> {
        if context.localization.is_spectrum() {
            // Asked again, it tells more.
            let again = context.bed.recorded_in_part();
            let scope = if again { CoverageScope::All } else { CoverageScope::Nearest };
            let ranking = context.bed.spectrum(context.baseline()?, Formula::default(), scope).await?;
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

fn ranked(context: &ToolContext<'_>, ranking: &Ranking) -> Observation {
    if ranking.lines.is_empty() {
        return Observation::refused(
            "The tests do not tell where the bug is: no failing test executes code that may be changed, and no stack trace \
             leads there. Find the place yourself: extract_tests shows what the failing tests call, and search_code_base \
             finds it.",
        );
    }
    let mut data = Localization::ranked(ranking).data();
    let mut text = render(context, ranking);
    if ranking.left_out > 0 {
        data[PARTIAL] = true.into();
        text.push_str(&format!(
            "\nTo save time {} were not looked at. If no place here explains the failure, call run_fault_localization again: \
             it then looks at all of them.\n",
            counted(ranking.left_out, "test")
        ));
    }
    Observation::done(text, data).keep_text()
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

/// The code that a reader of the failures looks at first: for each method its file and its lines with their numbers.
///
/// # Errors
/// The files cannot be read.
pub async fn code_of_failures(
    bed: &TestBed,
    baseline: &Baseline,
) -> Result<Vec<(String, Vec<(u32, String)>)>, Failure> {
    let methods = bed.methods_of_failures(baseline, SHOWN).await?;
    let code = methods.into_iter().map(|(method, line)| {
        let (first, last) = (method.lines.first, method.lines.last);
        let room = CODE_LINES as u32;
        // Of a long method the part that leads to the line is shown.
        let start = if last - first < room { first } else { line.saturating_sub(room * 3 / 4).max(first) };
        let mut lines = lines_of(bed.project(), &method.path, start, last.min(start + room - 1));
        if start > first {
            lines.splice(0..0, lines_of(bed.project(), &method.path, first, first));
        }
        (method.path, lines)
    });
    Ok(code.filter(|(_, lines)| !lines.is_empty()).collect())
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

/// Lines of a file with their numbers; none where the file cannot be read any more.
fn lines_of(project: &Project, path: &str, first: u32, last: u32) -> Vec<(u32, String)> {
    let source = ProjectPath::new(path).ok().and_then(|path| project.read(&path).ok());
    let Some(source) = source else { return Vec::new() };
    let lines = source.lines();
    let wanted =
        (first..=last).filter_map(|number| Some((number, (*lines.get(number as usize - 1)?).to_owned())));
    wanted.collect()
}
