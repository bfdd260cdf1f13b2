//! `write_fix`: a fix is applied in a lane, tested, and its variants with it.

use patchwright_edits::{Edit, EditRules, apply};
use patchwright_protocol::{Failure, ToolOutcome, Verdict};
use patchwright_syntax::Project;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::candidate_text::result_text;
use crate::candidates::{Candidates, best};
use crate::context::ToolContext;
use crate::observation::Observation;
use crate::render::{self, Stop};
use crate::settings::{ToolSettings, VariantsOf};
use crate::tested_candidate::TestedCandidate;
use crate::tool::{CallContext, TypedTool};
use crate::{contradictions, trial, variants, write_test};

/// Files that are named where only their tests are run.
const FILES_LISTED: usize = 3;

pub(crate) struct WriteFix;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WriteFixArgs {
    /// The whole fix, one entry for each file.
    edits: Vec<Edit>,
    /// Which code is wrong, why, and how that leads to the failure, where express_hypothesis has not said it.
    #[serde(default)]
    hypothesis: Option<String>,
    /// A test that shows the bug, where none does yet; written as for write_test.
    #[serde(default)]
    test: Option<String>,
    /// Where the test goes: a new file, or one of the project's, to which it is added. Chosen when left out.
    #[serde(default)]
    test_file: Option<String>,
    /// Why this repairs the cause. With it, a plausible fix ends the session.
    #[serde(default)]
    finish_because: Option<String>,
    /// With `finish_because`: the project's tests that will fail because they assert what the issue calls wrong.
    #[serde(default)]
    outdated_tests: Vec<String>,
}

impl TypedTool for WriteFix {
    type Args = WriteFixArgs;
    const NAME: &'static str = "write_fix";
    const DESCRIPTION: &'static str = "Apply a fix to a copy of the original code and run the tests.";
    // What editors and patches are called where models were trained on them.
    const ALIASES: &[&str] = &[
        "apply_patch",
        "apply_diff",
        "str_replace",
        "str_replace_editor",
        "str_replace_based_edit_tool",
        "edit_file",
    ];

    fn needs_baseline(_args: &WriteFixArgs, _context: &CallContext<'_>) -> bool {
        true
    }

    fn preview(args: WriteFixArgs, project: &Project, rules: &EditRules) -> Option<String> {
        let applied = apply(project, &args.edits, rules);
        Some(applied.map_or_else(|error| render::sentence(&error.to_string()), |applied| applied.diff()))
    }

    async fn run(args: WriteFixArgs, context: &mut ToolContext<'_>) -> Result<Observation, Failure> {
        let mut text = String::new();
        let test = match args.test.as_deref().filter(|code| !code.trim().is_empty()) {
            Some(code) => match write_test::write(context, code, args.test_file.as_deref(), None).await {
                Ok(written) => Some(written),
                Err(Stop::Tell(why)) => {
                    text.push_str(&format!("The test was not written. {why}\n\n"));
                    None
                }
                Err(Stop::Fail(failure)) => return Err(failure),
            },
            None => None,
        };
        if let Some(test) = &test {
            text.push_str(&format!("{}\n", test.text));
        }
        let trial = trial::run(context, args.edits).await?;
        let overrules =
            !args.outdated_tests.is_empty() && context.candidates.at(trial.place).contradicts_old_tests();
        let wanted = !overrules && (trial.near || context.settings.variants_of == VariantsOf::All);
        let sampled = if wanted { variants::sample(context, trial.place).await? } else { None };
        let own = context.candidates.at(trial.place).clone();
        text.push_str(&own_text(&own, &trial.notes, context.settings));
        text.extend(context.doubt_of_failing(&own).map(|doubt| format!("{doubt}\n")));
        text.push_str(&advice(&own, context.candidates));
        let code_of = |test| context.reproductions.code(test);
        text.push_str(&contradictions::of_candidate(&own, context.candidates, code_of));
        text.push_str(&success(&own, context));
        let mut places = vec![trial.place];
        if let Some(sampled) = sampled {
            text.push_str(&sampled.text(context, &own));
            places.extend(sampled.places);
        }
        let tried: Vec<TestedCandidate> =
            places.into_iter().map(|place| context.candidates.at(place).clone()).collect();
        let finishes = overrules || may_finish(&own, context);
        let data = json!({
            "candidate": own.id(),
            "hypothesis": args.hypothesis,
            "test": test.as_ref().map(|test| test.id),
            "verdict": own.verdict(),
            "best": best(tried.iter()).map(|best| best.id()),
            "plausible": tried.iter().find(|one| one.verdict() == Some(Verdict::Plausible)).map(|one| one.id()),
            "tried": tried.iter().map(|one| json!({ "candidate": one.id(), "verdict": one.verdict() })).collect::<Vec<_>>(),
        });
        // Later prompts keep what the tests said: it is the evidence for or against a hypothesis.
        let finish = args.finish_because.filter(|why| !why.trim().is_empty() && finishes);
        let outcome = finish.map_or(ToolOutcome::Done, |reason| ToolOutcome::Finish {
            reason,
            outdated_tests: args.outdated_tests,
        });
        Ok(Observation::done(text, data).keep_text().with_outcome(outcome))
    }
}

/// Is true if a candidate, or the one that it repeats, is plausible, or will be once all tests have run.
fn may_finish(own: &TestedCandidate, context: &ToolContext<'_>) -> bool {
    let repeated = own.validation.as_ref().and_then(|found| context.candidates.get(found.duplicate_of?));
    match repeated.unwrap_or(own).verdict() {
        Some(verdict) => verdict == Verdict::Plausible,
        None => context.candidates.unconfirmed().is_some() && context.shows_bug(),
    }
}

fn own_text(own: &TestedCandidate, notes: &[String], settings: &ToolSettings) -> String {
    let verdict = match own.validation {
        Some(_) => own.summary(0),
        None => "passes so far".to_owned(),
    };
    let mut text = format!("Candidate {}: {verdict}.\n", own.id());
    if let Some(message) = own.validation.as_ref().and_then(|found| found.message.as_ref()) {
        text.push_str(&format!("{message}\n"));
    }
    for note in notes {
        text.push_str(&format!("Note: {note}.\n"));
    }
    text.push_str(&result_text(own, settings));
    text
}

/// What is said of a candidate that passes, and the next step.
fn success(own: &TestedCandidate, context: &ToolContext<'_>) -> String {
    let unconfirmed = context.candidates.unconfirmed();
    if unconfirmed.is_none() && !own.verdict().is_some_and(Verdict::passes) {
        return String::new();
    }
    // Whether all were run already depends on who judged, which is not the same in a replay.
    let nearest = context.known_tests.as_deref().map_or(&[][..], |tests| &tests.nearest);
    let tests = match unconfirmed {
        Some(_) if !nearest.is_empty() => format!(
            "The tests of {} run in a clean copy while you answer, and if one breaks you are told",
            render::listed(nearest, FILES_LISTED)
        ),
        _ if !context.harness.runs_tests() => "None of the project's tests can be run here".to_owned(),
        None => "The last run was in a clean copy".to_owned(),
        Some(_) => {
            "All tests run in a clean copy while you answer, and if one breaks you are told".to_owned()
        }
    };
    let next = if context.shows_bug() {
        "If this repairs the cause of the bug, finish with goal_accomplished."
    } else if context.lacks_test() {
        "No test shows the bug: write one with write_test, which runs on the original code and with this candidate."
    } else {
        "None of them shows the bug: see with run_code whether it is gone. If it is, finish with goal_accomplished."
    };
    format!("{tests}. {next}\n")
}

/// The next step where a candidate was not tested.
fn advice(own: &TestedCandidate, all: &Candidates) -> String {
    match own.verdict() {
        Some(Verdict::DoesNotApply | Verdict::NoChange) => {
            "Nothing was tested. Check file and line numbers against the original code.\n".to_owned()
        }
        Some(Verdict::Duplicate) => {
            let earlier = own.validation.as_ref().and_then(|found| all.get(found.duplicate_of?));
            match earlier.filter(|earlier| earlier.verdict().is_some_and(Verdict::passes)) {
                Some(earlier) => format!(
                    "Nothing was tested again, and nothing speaks against it: candidate {} is {}.\n",
                    earlier.id(),
                    earlier.summary(0)
                ),
                None => "Nothing was tested again. Try a fix that differs.\n".to_owned(),
            }
        }
        Some(
            Verdict::Plausible
            | Verdict::Unverified
            | Verdict::Failing
            | Verdict::DoesNotCompile
            | Verdict::TimedOut,
        )
        | None => String::new(),
    }
}
