//! `write_test`: a test that shall show the bug, run at once on the original code and on the candidates that pass so far.

use futures_util::future::try_join;
use patchwright_detection::ecosystems::program_languages;
use patchwright_edits::EditRules;
use patchwright_protocol::{Failure, Goal, ReproductionVerdict, ToolOutcome};
use patchwright_syntax::{Language, Project};
use patchwright_validation::{
    Baseline, ReproductionRun, ReproductionTest, TestHarness, TestLayout, repeated_test,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::context::ToolContext;
use crate::observation::Observation;
use crate::render::{self, Stop};
use crate::tool::{CallContext, TypedTool, fill};
use crate::trial;

/// Bytes that a test may have.
const MOST_BYTES: usize = 100_000;

pub(crate) struct WriteTest;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WriteTestArgs {
    /// The whole text of a new file in the project's framework or, where the file exists ({appendable}), what is added at its end. Without a
    /// framework: a script that ends with an error while the bug is there.
    code: String,
    /// Among the project's tests; chosen when left out.
    #[serde(default)]
    file_path: Option<String>,
    /// The earlier test that this one replaces.
    #[serde(default)]
    replaces: Option<u32>,
    /// Why a candidate that passes it repairs the cause. With it, such a candidate ends the session.
    #[serde(default)]
    finish_because: Option<String>,
}

impl WriteTestArgs {
    /// The arguments of a test that is all that is wanted.
    pub(crate) fn alone(code: String, file_path: Option<String>, replaces: Option<u32>) -> Self {
        Self { code, file_path, replaces, finish_because: None }
    }
}

impl TypedTool for WriteTest {
    type Args = WriteTestArgs;
    const NAME: &'static str = "write_test";
    const DESCRIPTION: &'static str = "Write a test that fails because of the bug and passes once it is repaired, within seconds. It runs at \
         once on the original code; every later candidate has to pass it.";
    const ALIASES: &[&str] = &["write_reproduction_test", "reproduce_issue", "create_test", "add_test"];

    fn suit(schema: &mut Value, project: Option<Language>) {
        let mut languages: Vec<Language> =
            program_languages(project).iter().map(|program| program.language).collect();
        languages.extend(project.filter(|own| !languages.contains(own)));
        // A class has a file of its own.
        languages.retain(|language| !language.entry().tests.by_class);
        let titles: Vec<&str> = languages.into_iter().map(Language::title).collect();
        fill(schema, "code", "{appendable}", &titles.join(", "));
    }

    fn needs_baseline(_args: &WriteTestArgs, context: &CallContext<'_>) -> bool {
        is_run_by_observation(context)
    }

    fn preview(args: WriteTestArgs, _project: &Project, _rules: &EditRules) -> Option<String> {
        Some(args.code)
    }

    async fn run(args: WriteTestArgs, context: &mut ToolContext<'_>) -> Result<Observation, Failure> {
        let written = write(context, &args.code, args.file_path.as_deref(), args.replaces).await;
        render::settle(written.map(|written| {
            let finish =
                args.finish_because.filter(|_| written.shows_bug() && is_passed(context, written.id));
            let data = json!({
                "test": written.id,
                "verdict": written.verdict,
                "shows_bug": written.shows_bug(),
            });
            let finish = finish.filter(|why| !why.trim().is_empty());
            let outcome = match finish {
                Some(reason) => ToolOutcome::Finish { reason, outdated_tests: Vec::new() },
                None if written.shows_bug() => ToolOutcome::Done,
                None => ToolOutcome::Inconclusive,
            };
            Observation::done(written.text.as_str(), data).keep_text().with_outcome(outcome)
        }))
    }
}

/// Is true if how a new test is run is known from the run of all tests.
pub(crate) fn is_run_by_observation(context: &CallContext<'_>) -> bool {
    let spec = context.spec;
    spec.observes_java() && spec.test_one.is_none()
}

/// Is true if a plausible candidate passes a test.
fn is_passed(context: &ToolContext<'_>, test: u32) -> bool {
    let plausible = context.candidates.all_plausible();
    let mut outcomes = plausible.flat_map(|one| &one.validation).flat_map(|found| &found.reproductions);
    outcomes.any(|outcome| outcome.test == test && outcome.passes)
}

/// A test that was written and has run on the original code.
pub(crate) struct WrittenTest {
    pub(crate) id: u32,
    pub(crate) verdict: ReproductionVerdict,
    /// What a model is told of it.
    pub(crate) text: String,
}

impl WrittenTest {
    /// Is true if candidates have to pass it from now on.
    pub(crate) fn shows_bug(&self) -> bool {
        self.verdict == ReproductionVerdict::Fails
    }
}

/// Runs a test on the original code twice: by what fails by chance a change would be plausible that does nothing. Both run side by side
/// where there are lanes; then they may be in each other's way, so that a doubt is settled by runs one after the other.
async fn run_twice(
    harness: &TestHarness,
    test: &ReproductionTest,
    known: Option<&Baseline>,
    issue: &str,
) -> Result<ReproductionRun, Failure> {
    let fails = |run: &ReproductionRun| run.verdict(issue) == ReproductionVerdict::Fails;
    let once = || harness.reproduce(test, None, known);
    if harness.lanes() > 1 {
        let (run, again) = try_join(once(), once()).await?;
        if fails(&run) == fails(&again) {
            return Ok(run);
        }
    }
    let run = once().await?;
    Ok(if fails(&run) && !fails(&once().await?) { run.unstable() } else { run })
}

/// Writes a test and runs it on the original code; if it shows the bug, also with the candidates that pass so far.
pub(crate) async fn write(
    context: &mut ToolContext<'_>,
    code: &str,
    file_path: Option<&str>,
    replaces: Option<u32>,
) -> Result<WrittenTest, Stop> {
    if code.trim().is_empty() {
        return Err(Stop::Tell("The argument `code` is empty: write the whole test.".to_owned()));
    }
    if code.len() > MOST_BYTES || code.contains('\0') {
        return Err(Stop::Tell(format!("A test has to be text of at most {MOST_BYTES} bytes.")));
    }
    // Whoever writes a test again that showed nothing means no other.
    let replaces = replaces.filter(|id| !context.reproductions.showed_nothing(*id));
    if let Some(id) = replaces.filter(|id| !context.reproductions.stands(*id)) {
        let known: Vec<String> = context.reproductions.standing().map(|test| test.id.to_string()).collect();
        let known = if known.is_empty() { "none does".to_owned() } else { known.join(", ") };
        return Err(Stop::Tell(format!(
            "No test {id} shows the bug, so that none can take its place; {known}."
        )));
    }
    if let Some(id) = context.reproductions.standing_with(code).filter(|_| replaces.is_none()) {
        let text = match context.settings.goal {
            Goal::Fix => format!("Test {id} is the same, and candidates have to pass it already.\n"),
            Goal::Test => format!("Test {id} is the same, and stands already.\n"),
        };
        return Ok(WrittenTest { id, verdict: ReproductionVerdict::Fails, text });
    }
    let harness = context.harness;
    let id = context.reproductions.next();
    let mut test = harness.reproduction_test(id, file_path, code).map_err(Stop::Tell)?;
    match context.settings.goal {
        Goal::Fix => {}
        Goal::Test => may_be_product(harness, &test).await?,
    }
    // One file holds one text: who writes a new file again means that, and is told what is no longer there.
    let dropped = context.reproductions.standing_in_file_of(&test).filter(|_| replaces.is_none());
    let replaces = replaces.or(dropped);
    let known = context.known_tests.as_deref();
    let mut run = run_twice(harness, &test, known, context.session.issue()).await?;
    if run.verdict(context.session.issue()) == ReproductionVerdict::Fails {
        let disturbed = harness.disturbed_by(&test, known).await.map_err(Failure::from)?;
        if !disturbed.is_empty() {
            run = run.disturbing(&disturbed);
        }
    }
    let mut record = test.record(&run, context.session.issue());
    // A test that shows nothing takes no place.
    record.replaces = replaces.filter(|_| record.verdict == ReproductionVerdict::Fails);
    context.session.reproduction(&record)?;
    let verdict = record.verdict;
    let goal = context.settings.goal;
    let mut text = told(&test, &run, verdict, (context.settings.report_bytes / 2, goal));
    if let Some(id) = dropped.filter(|_| verdict == ReproductionVerdict::Fails) {
        text.push_str(&format!(
            "It takes the place of test {id}, which {} held: give it another `file_path` if both are to stand.\n",
            test.path
        ));
    }
    if verdict == ReproductionVerdict::DoesNotRun {
        text.push_str(&advice(&harness.test_layout(), goal));
    }
    if let Some(doubt) = run.doubt(context.session.issue()).filter(|_| verdict == ReproductionVerdict::Fails)
    {
        text.push_str(&format!("See whether it fails for the issue's reason: {doubt}.\n"));
    }
    test.failing.clone_from(&record.tests);
    context.reproductions.add(test, record, code);
    let mut written = WrittenTest { id, verdict, text };
    if written.shows_bug() {
        let before = context.known_tests.as_ref().map_or(0, |known| known.failing.len());
        context.measure_anew();
        let gave_way = before > context.known_tests.as_ref().map_or(0, |known| known.failing.len());
        if gave_way {
            written
                .text
                .push_str("The project's own failing tests count no longer: this one shows the bug.\n");
        }
        written.text.push_str(&trial::reproduce(context, id, replaces, gave_way).await?);
    }
    Ok(written)
}

/// What a model is told of the run on the original code.
fn told(
    test: &ReproductionTest,
    run: &ReproductionRun,
    verdict: ReproductionVerdict,
    (room, goal): (usize, Goal),
) -> String {
    let demand = match goal {
        Goal::Fix => "Candidates have to pass it from now on. ",
        Goal::Test => "",
    };
    let name = format!("Test {} ({})", test.id, test.path);
    match verdict {
        ReproductionVerdict::Fails => format!(
            "{name} fails on the original code:\n{}\n{demand}If it does not fail for the issue's reason, \
             write it again with `replaces`: {}.\n",
            run.report.render(room),
            test.id
        ),
        ReproductionVerdict::Passes => format!(
            "{name} passes on the original code, so that it does not show the bug. Compare what it does with what the issue \
             describes: the input, the configuration, what is asserted.\n"
        ),
        ReproductionVerdict::DoesNotRun => format!(
            "{name} says nothing of the bug, because it does not run{}.\n{}\n",
            run.failure().map(|why| format!(": {}", first_line(&why))).unwrap_or_default(),
            run.report.render(room)
        ),
    }
}

/// How a test can be written where there is no framework.
const SCRIPT: &str =
    "A script without test functions, which ends with an error while the bug is there, needs no framework.";

/// Refuses a test that cannot be what a session gives: one that is no part of the project, or that the project has.
async fn may_be_product(harness: &TestHarness, test: &ReproductionTest) -> Result<(), Stop> {
    let Some(added) = test.added() else {
        let layout = advice(&harness.test_layout(), Goal::Test);
        return Err(Stop::Tell(format!(
            "The code holds no test that a test tool runs, and a script is no part of the project. {}",
            layout.trim_end()
        )));
    };
    let (project, added) = (harness.project().clone(), added.clone());
    match patchwright_blocking::spawn(move |_| repeated_test(&project, &added)).await? {
        Some(file) => {
            Err(Stop::Tell(format!("{file} holds this test already: write one that the project lacks.")))
        }
        None => Ok(()),
    }
}

/// How a test is written here, for one that does not run.
fn advice(layout: &TestLayout, goal: Goal) -> String {
    let script = match goal {
        Goal::Fix => SCRIPT,
        Goal::Test => "",
    };
    match layout.framework {
        Some(framework) => format!("Tests are written for {framework} here. {script}\n"),
        None => format!("{script}\n"),
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default().trim_end_matches('.')
}
