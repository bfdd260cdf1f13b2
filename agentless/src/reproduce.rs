//! Tests that reproduce an issue: drawn, run on the original, kept where they show the bug there.

use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::stream::{self, StreamExt};
use patchwright_edits::{Applied, Edit, EditRules};
use patchwright_prompts::{Excerpt, StageQuestion, TestKind};
use patchwright_protocol::TestId;
use patchwright_session::{Sampling, Stop};
use patchwright_syntax::{Language, Source, normal_form, outline};
use patchwright_testbed::{
    AdapterKind, Baseline, Probe, ProjectSpec, TestBed, TestBedError, TestStatus, package_of,
};
use serde::{Deserialize, Serialize};

use crate::answer;
use crate::settings::PipelineSettings;
use crate::stage::Stages;

/// What a test says when the code behaves as the bug says.
const REPRODUCED: &str = "Issue reproduced";
/// What a script prints when the code behaves as it should.
const RESOLVED: &str = "Issue resolved";
/// What a script prints when something else went wrong.
const OTHER: &str = "Other issues";
/// The name of a script, and of a class.
const SCRIPT: &str = "reproduce_bug.py";
const CLASS: &str = "ReproduceBugTest";
/// The bytes of a script's output that are read.
const OUTPUT_BYTES: usize = 1 << 20;

/// What a run of a reproduction test says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReproductionOutcome {
    /// The code behaves as the bug says.
    Reproduced,
    /// The code behaves as it should.
    Resolved,
    /// Neither: something else went wrong, or nothing was said in time.
    Other,
}

/// A test that shows the bug in the original code.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReproductionTest {
    /// The file that it is put into.
    pub path: String,
    /// Its text.
    pub text: String,
    /// Samples that are this test in normal form.
    pub votes: usize,
}

/// What drawing tests came to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reproduction {
    /// The tests that are kept, the one that most samples agree on first.
    pub tests: Vec<ReproductionTest>,
    /// Samples that were drawn.
    pub drawn: usize,
    /// Of them those that differ in normal form; each of these was run.
    pub distinct: usize,
    /// Of those the ones that show the bug.
    pub reproducing: usize,
}

/// How tests that reproduce an issue are written and run here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Script,
    Class,
}

impl Kind {
    /// How, or why it cannot be done.
    pub(crate) fn of(spec: &ProjectSpec) -> Result<Self, &'static str> {
        match (spec.language.map(Language::name), spec.kind) {
            (Some("python"), _) => Ok(Self::Script),
            (Some("java"), AdapterKind::PlainJava | AdapterKind::Maven) if !spec.tests.is_empty() => {
                Ok(Self::Class)
            }
            (Some("java"), _) => Err("how a new test class is run is not known for this build"),
            (_, _) => Err("how a test is written is not known for this language"),
        }
    }

    fn question(self, spec: &ProjectSpec) -> TestKind<'_> {
        match self {
            Self::Script => TestKind::Script(SCRIPT),
            Self::Class => {
                let folder = spec.tests.first().map(String::as_str).unwrap_or_default();
                TestKind::Class { name: CLASS, folder, framework: "JUnit 4", language: "java" }
            }
        }
    }

    /// The test that a text is: the file it goes into.
    fn place(self, spec: &ProjectSpec, text: &str) -> Option<String> {
        match self {
            Self::Script => Some(SCRIPT.to_owned()),
            Self::Class => {
                let (package, class) = named(text)?;
                let folder = spec.tests.first()?.trim_end_matches('/');
                let package = package.replace('.', "/");
                let parts = [folder, package.as_str(), &format!("{class}.java")];
                Some(
                    parts
                        .into_iter()
                        .filter(|part| !part.is_empty() && *part != ".")
                        .collect::<Vec<_>>()
                        .join("/"),
                )
            }
        }
    }
}

/// Where reproduction tests run, and for how long at most.
#[derive(Clone, Copy)]
pub(crate) struct Bench<'a> {
    bed: &'a TestBed,
    kind: Kind,
    limit: Duration,
}

/// What a run gets beside a multiple of what all tests take.
const START: Duration = Duration::from_secs(10);
const TIMES: u32 = 3;

impl<'a> Bench<'a> {
    /// A bench for a project whose tests take as long as in `baseline`, or why there is none.
    pub(crate) fn of(
        bed: &'a TestBed,
        baseline: &Baseline,
        settings: &PipelineSettings,
    ) -> Result<Self, &'static str> {
        let all = Duration::from_secs_f64(baseline.report.seconds.max(0.0));
        Ok(Self { bed, kind: Kind::of(bed.spec())?, limit: (START + all * TIMES).min(settings.longest_test) })
    }

    /// Runs a test with a change in the project.
    async fn run(
        self,
        test: &ReproductionTest,
        applied: &Applied,
    ) -> Result<ReproductionOutcome, TestBedError> {
        let Self { bed, kind, limit } = self;
        match kind {
            Kind::Script => {
                let command = format!("{} {SCRIPT}", bed.spec().python());
                let probe = Probe { applied: Some(applied), limit, output_bytes: OUTPUT_BYTES };
                let output = bed.probe(&command, &probe).await?;
                Ok(if output.timed_out { ReproductionOutcome::Other } else { said(&output.text) })
            }
            Kind::Class => {
                let Some((package, class)) = named(&test.text) else { return Ok(ReproductionOutcome::Other) };
                let name = if package.is_empty() { class } else { format!("{package}.{class}") };
                let report = bed.run_tests_within(&[TestId::new(name.as_str())], applied, limit).await?;
                let own: Vec<_> = report
                    .outcomes
                    .iter()
                    .filter(|outcome| outcome.id.as_str().split("::").next() == Some(name.as_str()))
                    .collect();
                let shows =
                    |message: &Option<String>| message.as_ref().is_some_and(|text| text.contains(REPRODUCED));
                let failing: Vec<_> = own.iter().filter(|outcome| outcome.status.is_failing()).collect();
                Ok(if report.timed_out || report.build_failed() || own.is_empty() {
                    ReproductionOutcome::Other
                } else if failing.is_empty() && own.iter().any(|outcome| outcome.status == TestStatus::Passed)
                {
                    ReproductionOutcome::Resolved
                } else if !failing.is_empty() && failing.iter().all(|outcome| shows(&outcome.message)) {
                    ReproductionOutcome::Reproduced
                } else {
                    ReproductionOutcome::Other
                })
            }
        }
    }
}

/// What a script printed. More than one of the three says nothing.
fn said(text: &str) -> ReproductionOutcome {
    match (text.contains(REPRODUCED), text.contains(RESOLVED), text.contains(OTHER)) {
        (true, false, false) => ReproductionOutcome::Reproduced,
        (false, true, false) => ReproductionOutcome::Resolved,
        _ => ReproductionOutcome::Other,
    }
}

/// The package and the first class of a Java source.
fn named(text: &str) -> Option<(String, String)> {
    let outline = outline(Language::by_name("java")?, &Source::from_text(text));
    Some((package_of(text), outline.all_classes().first()?.name.clone()))
}

/// Draws tests for the bug in `files`, with `tests` to look at, runs those that differ on the original and keeps the best that show the bug there.
pub(crate) async fn draw(
    stages: &mut Stages,
    bench: Bench<'_>,
    (files, tests): (&[Excerpt], &[Excerpt]),
    settings: &PipelineSettings,
) -> Result<Reproduction, Stop> {
    let kind = bench.kind.question(bench.bed.spec());
    let prompt = stages.prompt(&StageQuestion::Reproduce { kind, files, tests }, None)?;
    let room = stages.context.max_output_tokens;
    let greedy = Sampling { count: 1, temperature: 0.0 };
    let mut answers = stages.context.sample(&prompt, greedy, room).await?;
    if settings.tests > 1 {
        let more = Sampling { count: settings.tests - 1, temperature: settings.temperature };
        match stages.context.sample(&prompt, more, room).await {
            Ok(more) => answers.extend(more),
            // The first alone is better than none.
            Err(Stop::Budget(_)) => {}
            Err(stop) => return Err(stop),
        }
    }
    let texts: Vec<&str> = answers.iter().map(|answer| answer::block(&answer.text)).collect();
    let tests = distinct(bench.kind, bench.bed.spec(), &texts);
    let mut found = Reproduction { drawn: texts.len(), distinct: tests.len(), ..Reproduction::default() };
    for (test, outcome) in run_all(stages, bench, &[], tests).await? {
        if outcome == ReproductionOutcome::Reproduced {
            found.reproducing += 1;
            found.tests.push(test);
        }
    }
    found.tests.sort_by_key(|test| std::cmp::Reverse(test.votes));
    found.tests.truncate(settings.kept_tests);
    Ok(found)
}

/// How many of the tests call the issue resolved with a change in the project.
pub(crate) async fn resolved(
    stages: &mut Stages,
    bench: Bench<'_>,
    edits: &[Edit],
    tests: &[ReproductionTest],
) -> Result<usize, Stop> {
    let outcomes = run_all(stages, bench, edits, tests.to_vec()).await?;
    Ok(outcomes.iter().filter(|(_, outcome)| *outcome == ReproductionOutcome::Resolved).count())
}

/// Runs tests with some edits in the project, in all lanes.
async fn run_all(
    stages: &mut Stages,
    bench: Bench<'_>,
    edits: &[Edit],
    tests: Vec<ReproductionTest>,
) -> Result<Vec<(ReproductionTest, ReproductionOutcome)>, Stop> {
    let began = std::time::Instant::now();
    let runs = stream::iter(tests).map(|test| async move {
        let new = Edit { file_path: test.path.clone(), content: Some(test.text.clone()), ..Edit::default() };
        let together: Vec<Edit> = edits.iter().cloned().chain([new]).collect();
        // A test that is no source, or whose file is there already, says nothing.
        let outcome = match patchwright_edits::apply(bench.bed.project(), &together, &EditRules::default()) {
            Ok(applied) => bench.run(&test, &applied).await,
            Err(_) => Ok(ReproductionOutcome::Other),
        };
        outcome.map(|outcome| (test, outcome))
    });
    let outcomes: Vec<Result<_, TestBedError>> = runs.buffered(bench.bed.lanes().max(1)).collect().await;
    stages.context.budget.spent_mut().test_seconds += began.elapsed().as_secs_f64();
    Ok(outcomes.into_iter().collect::<Result<_, _>>()?)
}

/// The tests that differ in normal form, in the order of their first samples.
fn distinct(kind: Kind, spec: &ProjectSpec, texts: &[&str]) -> Vec<ReproductionTest> {
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut tests: Vec<ReproductionTest> = Vec::new();
    for text in texts {
        let Some(path) = kind.place(spec, text) else { continue };
        if text.trim().is_empty() {
            continue;
        }
        let next = tests.len();
        let place = *places.entry(normal_form(spec.language, text.as_bytes())).or_insert(next);
        match tests.get_mut(place) {
            Some(test) => test.votes += 1,
            None => tests.push(ReproductionTest { path, text: (*text).to_owned(), votes: 1 }),
        }
    }
    tests
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_script_says_one_thing_or_nothing() {
        let check = |text: &str, expect: ReproductionOutcome| assert_eq!(said(text), expect, "{text}");
        check("Issue reproduced\n", ReproductionOutcome::Reproduced);
        check("warning\nIssue resolved", ReproductionOutcome::Resolved);
        check("Other issues", ReproductionOutcome::Other);
        check("Issue reproduced\nIssue resolved", ReproductionOutcome::Other);
        check("Traceback …", ReproductionOutcome::Other);
    }

    #[test]
    fn classes_go_where_their_package_is() {
        let check = |text: &str, expect: Option<(&str, &str)>| {
            let expect = expect.map(|(package, class)| (package.to_owned(), class.to_owned()));
            assert_eq!(named(text), expect);
        };
        check("package a.b ;\n\npublic class ReproduceBugTest { }\n", Some(("a.b", "ReproduceBugTest")));
        check("import org.junit.Test;\nclass T { class Inner { } }", Some(("", "T")));
        check("no code", None);
    }
}
