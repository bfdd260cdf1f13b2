//! `goal_accomplished`: the bug is repaired.

use std::collections::BTreeSet;

use patchwright_protocol::{Failure, TestId, Verdict};
use patchwright_test_results::named;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::candidates::best;
use crate::context::ToolContext;
use crate::observation::Observation;
use crate::render::{self, Stop};
use crate::tested_candidate::TestedCandidate;
use crate::tool::TypedTool;
use crate::trial;

/// Names of failing tests that are listed.
const TESTS_LISTED: usize = 5;

pub(crate) struct GoalAccomplished;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GoalAccomplishedArgs {
    /// Why it repairs the cause of the bug.
    reason: String,
    /// The latest plausible one when left out.
    #[serde(default)]
    candidate: Option<u32>,
    /// Why no test can show the bug, where none does.
    #[serde(default)]
    no_test_because: Option<String>,
    /// The tests that fail with the fix because they assert what the issue calls wrong.
    #[serde(default)]
    outdated_tests: Vec<String>,
}

impl TypedTool for GoalAccomplished {
    type Args = GoalAccomplishedArgs;
    const NAME: &'static str = "goal_accomplished";
    const DESCRIPTION: &'static str = "Finish with a plausible candidate.";
    const REPEATABLE: bool = true;

    async fn run(args: GoalAccomplishedArgs, context: &mut ToolContext<'_>) -> Result<Observation, Failure> {
        let why = args.no_test_because.as_deref().map(str::trim).filter(|why| !why.is_empty());
        // A test that fails by chance is as good as none.
        let lacks_test =
            context.lacks_test() || context.candidates.unverified().is_some_and(TestedCandidate::lacks_test);
        if let Some(why) = why.filter(|_| lacks_test) {
            if context.reproduction_is_untried() {
                return Ok(Observation::refused(
                    "That no test shows the bug is known once one was tried: write it with write_test.",
                ));
            }
            context.reproductions.give_up(why);
        }
        if !args.outdated_tests.is_empty() {
            match overrule(&args, context).await {
                Ok(()) => {}
                Err(Stop::Tell(why)) => return Ok(Observation::refused(why)),
                Err(Stop::Fail(failure)) => return Err(failure),
            }
        }
        let plausible = context.candidates.plausible();
        let may_be_unverified = !lacks_test || context.reproductions.given_up().is_some();
        let fits = |candidate: &&TestedCandidate| match candidate.verdict() {
            Some(Verdict::Unverified) => may_be_unverified && plausible.is_none(),
            verdict => verdict == Some(Verdict::Plausible),
        };
        let asked = args.candidate.map(|id| (id, context.candidates.get(id)));
        let kept = match asked {
            Some((_, candidate)) => candidate.filter(fits),
            None => plausible.or(context.candidates.unverified()).filter(fits),
        };
        let Some(kept) = kept else {
            return Ok(Observation::refused(refusal(asked, context)));
        };
        let (id, is_plausible) = (kept.id(), kept.verdict() == Some(Verdict::Plausible));
        let outdated = kept.validation.as_ref().map(|found| found.outdated.clone()).unwrap_or_default();
        let answer = format!("Candidate {id} is the answer: {}.", kept.summary(0));
        context.candidates.choose(id);
        let text = match outdated.as_slice() {
            _ if is_plausible => answer,
            [] => format!("{answer} No test has shown that it repairs the bug."),
            outdated => format!(
                "{answer} A person has to say whether these tests are outdated: {}.",
                render::listed(outdated, TESTS_LISTED)
            ),
        };
        let mut data = json!({ "candidate": id, "reason": args.reason.trim() });
        if !outdated.is_empty() {
            data["outdated_tests"] = json!(outdated);
        }
        Ok(Observation::done(text, data))
    }
}

/// Judges a candidate anew without the tests that are called outdated. They have to be all that speaks against it.
async fn overrule(args: &GoalAccomplishedArgs, context: &mut ToolContext<'_>) -> Result<(), Stop> {
    let candidates = context.candidates.all().iter();
    let candidate = match args.candidate {
        Some(id) => context.candidates.get(id),
        None => best(candidates.filter(|candidate| candidate.contradicts_old_tests())),
    };
    // One that passes everything overrules nothing, and one that is not there is told of by the rest.
    let Some(candidate) = candidate.filter(|one| one.verdict() == Some(Verdict::Failing)) else {
        return Ok(());
    };
    let id = candidate.id();
    if !candidate.contradicts_old_tests() {
        return Err(Stop::Tell(format!(
            "Tests can only be called outdated where a test that reproduces the issue passes with the fix and nothing else fails. Candidate \
             {id} is {}.",
            told(candidate)
        )));
    }
    let failing = candidate.overruled();
    let outdated: BTreeSet<TestId> =
        args.outdated_tests.iter().flat_map(|name| named(name, failing)).collect();
    let others: Vec<&TestId> = failing.iter().filter(|test| !outdated.contains(*test)).collect();
    if !others.is_empty() {
        return Err(Stop::Tell(format!(
            "Other tests fail with candidate {id} as well: {}. Name each that is outdated as it stands here, or repair the fix.",
            render::listed(&others, TESTS_LISTED)
        )));
    }
    let outdated: Vec<TestId> = outdated.into_iter().collect();
    let applied = context.applied(id)?;
    trial::judge_without(context, id, &applied, &outdated).await?;
    match context.candidates.get(id) {
        Some(candidate) if candidate.verdict() == Some(Verdict::Failing) => Err(Stop::Tell(format!(
            "Without these, others fail in a clean copy: candidate {id} is {}.",
            told(candidate)
        ))),
        _ => Ok(()),
    }
}

/// Why the goal is not accomplished, and what to do about it.
fn refusal(asked: Option<(u32, Option<&TestedCandidate>)>, context: &ToolContext<'_>) -> String {
    let asked_for = match asked {
        Some((_, candidate)) => candidate,
        None => context.candidates.unverified(),
    };
    if let Some(candidate) = asked_for.filter(|one| one.verdict() == Some(Verdict::Unverified)) {
        if let Some(plausible) = context.candidates.plausible() {
            let (id, better) = (candidate.id(), plausible.id());
            return format!(
                "Candidate {id} is unverified, and candidate {better} is plausible: keep that one."
            );
        }
        return format!(
            "Candidate {} breaks nothing, but no test shows that it repairs the bug. Write one with write_test that fails on the original \
             code and passes with it. If no test can show the bug here, say why in `no_test_because`.",
            candidate.id()
        );
    }
    if let Some((id, candidate)) = asked {
        let known = match candidate {
            Some(candidate) => format!("candidate {id} is {}", told(candidate)),
            None => format!("there is no candidate {id}"),
        };
        return format!("Only a plausible candidate can be kept, and {known}.");
    }
    let best = context.candidates.best();
    let doubt = best.and_then(|best| context.doubt_of_failing(best));
    let so_far = match best {
        Some(best) => format!("The best so far is candidate {}: {}.", best.id(), told(best)),
        None => match context.candidates.all().last() {
            Some(last) => format!("The last one, candidate {}: {}.", last.id(), last.summary(0)),
            None => "No candidate has been tested yet.".to_owned(),
        },
    };
    let next = doubt.unwrap_or("Write another fix with write_fix, or go back and look for the cause.");
    format!("The goal is not accomplished: no candidate is plausible. {so_far} {next}")
}

/// The verdict on a candidate, and the tests that stand in its way.
fn told(candidate: &TestedCandidate) -> String {
    let failing: Vec<_> = candidate.still_failing().iter().chain(candidate.newly_failing()).collect();
    match failing.as_slice() {
        [] => candidate.summary(0),
        failing => format!("{}: {}", candidate.summary(0), render::listed(failing, TESTS_LISTED)),
    }
}
