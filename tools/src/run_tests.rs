//! `run_tests`: the tests of the original code or of a candidate.

use patchwright_protocol::{Failure, TestId};
use patchwright_test_results::TestReport;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::context::ToolContext;
use crate::observation::Observation;
use crate::render::{self, Stop, counted};
use crate::tool::{CallContext, TypedTool};

/// Names that are offered when there is no test of the one asked for.
const NAMES_OFFERED: usize = 5;

pub(crate) struct RunTests;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunTestsArgs {
    /// Tests or test files; all when left out.
    #[serde(default)]
    tests: Option<Vec<String>>,
    /// The original code when left out.
    #[serde(default)]
    candidate: Option<u32>,
}

impl TypedTool for RunTests {
    type Args = RunTestsArgs;
    const NAME: &'static str = "run_tests";
    const RUNS_TESTS: bool = true;
    const ONLY_READS: bool = true;
    const DESCRIPTION: &'static str = "Run tests on the original code or on a candidate.";

    fn needs_baseline(_args: &RunTestsArgs, _context: &CallContext<'_>) -> bool {
        true
    }

    async fn run(args: RunTestsArgs, context: &mut ToolContext<'_>) -> Result<Observation, Failure> {
        render::settle(run(&args, context).await)
    }
}

async fn run(args: &RunTestsArgs, context: &mut ToolContext<'_>) -> Result<Observation, Stop> {
    if !context.harness.runs_tests() {
        return Err(Stop::Tell("None of the project's tests can be run here.".to_owned()));
    }
    let applied = args.candidate.map(|id| context.applied(id)).transpose()?;
    let baseline = context.baseline()?;
    let before = &baseline.report;
    let known: Vec<&str> = before.outcomes.iter().map(|outcome| outcome.id.as_str()).collect();
    let complete = before.unlisted_passed == 0;
    let asked = args.tests.as_deref().filter(|tests| !tests.is_empty());
    let (mut tests, mut notes, mut all_known) = (Vec::new(), String::new(), true);
    for name in asked.unwrap_or_default() {
        match find_tests(name, &known, complete) {
            Ok((found, note)) => {
                tests.extend(found);
                notes.push_str(&note);
            }
            // Of a suite that takes long a part is known.
            Err(Stop::Tell(why)) if !baseline.nearest.is_empty() => {
                let found = tests_in_file(context, name.trim());
                if found.is_empty() {
                    return Err(Stop::Tell(why));
                }
                tests.extend(found);
                all_known = false;
            }
            Err(stop) => return Err(stop),
        }
    }
    tests.sort();
    tests.dedup();
    let selected = asked.map(|_| tests.as_slice());
    let new;
    let report = if selected.is_none() && applied.is_none() {
        before
    } else {
        new = context.harness.run_tests(selected, applied.as_ref()).await.map_err(Failure::from)?;
        &new
    };
    let code = render::code_version(args.candidate);
    let which = match asked {
        Some(_) if all_known => counted(tests.len(), "test"),
        Some(_) => counted(report.outcomes.len(), "test"),
        None => "All tests".to_owned(),
    };
    if applied.is_some() && !all_known && !report.failing().is_empty() {
        notes
            .push_str("(Not all of these were run before: run those that fail on the original code, too.)\n");
    }
    let text = format!("{notes}{which} {code}:\n{}", report.render(context.settings.report_bytes));
    Ok(Observation::done(text, summary(report, args.candidate)).keep_text())
}

/// A test file of the project, or what is named in one, as the project's tool runs it; none where there is no such file.
fn tests_in_file(context: &ToolContext<'_>, asked: &str) -> Vec<TestId> {
    let (path, within) = asked.split_once("::").map_or((asked, None), |(path, name)| (path, Some(name)));
    match within {
        _ if !context.project().has_file(path) => Vec::new(),
        None => context.harness.tests_of_files(&[path.to_owned()]),
        Some(_) => context.harness.tests_of_names(vec![asked.to_owned()]),
    }
}

/// The tests that a name means: itself, the instances of a parametrised test, or the only one that ends with it.
fn find_tests(asked: &str, known: &[&str], complete: bool) -> Result<(Vec<TestId>, String), Stop> {
    let asked = asked.trim();
    let ids = |names: Vec<&str>| names.into_iter().map(TestId::new).collect::<Vec<_>>();
    if known.contains(&asked) {
        return Ok((ids(vec![asked]), String::new()));
    }
    let below = |name: &str, separators: &[char]| {
        name.strip_prefix(asked).is_some_and(|rest| rest.starts_with(separators))
    };
    let group: Vec<&str> = known.iter().copied().filter(|name| below(name, &['[', ':', '.'])).collect();
    if !asked.is_empty() && !group.is_empty() {
        return Ok((ids(group), String::new()));
    }
    let ends = |name: &str| name.strip_suffix(asked).is_some_and(|rest| rest.ends_with(['.', ':', '/', '#']));
    let ending: Vec<&str> = known.iter().copied().filter(|name| ends(name)).collect();
    match ending.as_slice() {
        [one] if !asked.is_empty() => Ok((ids(vec![one]), format!("(`{asked}` was read as {one}.)\n"))),
        [_, _, ..] if !asked.is_empty() => Err(Stop::Tell(format!(
            "`{asked}` could be any of {}: {}. Give the whole name.",
            counted(ending.len(), "test"),
            render::listed(&ending, NAMES_OFFERED)
        ))),
        // The names of some tests are not known here, so the test command may know this one.
        _ if !complete && !asked.is_empty() => Ok((ids(vec![asked]), String::new())),
        _ => {
            let near = render::nearest(render::last_part(asked), known.iter().copied(), NAMES_OFFERED);
            Err(Stop::Tell(format!(
                "There is no test `{asked}`; the nearest names are: {}.",
                near.join(", ")
            )))
        }
    }
}

fn summary(report: &TestReport, candidate: Option<u32>) -> Value {
    let failing: Vec<String> = report.failing().iter().map(ToString::to_string).collect();
    json!({
        "candidate": candidate,
        "passed": report.passed(),
        "failing": failing,
        "build_failed": report.build_failed(),
        "timed_out": report.timed_out,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn a_name_means_one_test_or_a_group_and_is_never_guessed() {
        let known = [
            "tests/test_a.py::TestA::test_one",
            "tests/test_a.py::TestA::test_two[1]",
            "tests/test_a.py::TestA::test_two[2]",
            "tests/test_b.py::test_one",
            "org.x.ATest::parses",
        ];
        let check = |asked: &str, expect: &[&str]| match find_tests(asked, &known, true) {
            Ok((found, _)) => assert_eq!(found.iter().map(TestId::as_str).collect::<Vec<_>>(), expect),
            Err(Stop::Tell(text)) => assert_eq!([text.as_str()], expect),
            Err(Stop::Fail(error)) => panic!("{error}"),
        };
        check("tests/test_b.py::test_one", &[known[3]]);
        check("tests/test_a.py::TestA::test_two", &known[1..3]);
        check("tests/test_a.py", &known[..3]);
        check("org.x.ATest", &known[4..]);
        check("TestA::test_one", &known[..1]);
        check(" parses ", &known[4..]);
        check(
            "test_one",
            &[
                "`test_one` could be any of 2 tests: tests/test_a.py::TestA::test_one, tests/test_b.py::test_one. Give the whole name.",
            ],
        );
        for unknown in ["test_three", "est_one", ""] {
            let Err(Stop::Tell(text)) = find_tests(unknown, &known, true) else { panic!("{unknown}") };
            assert!(
                text.starts_with(&format!("There is no test `{unknown}`; the nearest names are: ")),
                "{text}"
            );
        }
        let (passed_on, _) = find_tests("org.y.BTest::hidden", &known, false).ok().unwrap();
        assert_eq!(passed_on, [TestId::new("org.y.BTest::hidden")], "not all names are known");
    }
}
