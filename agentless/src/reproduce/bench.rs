//! How a test that reproduces an issue is written here, and what a run of it says.

use std::time::Duration;

use patchwright_detection::adapters::package_of;
use patchwright_detection::{AdapterKind, ProjectSpec};
use patchwright_edits::Applied;
use patchwright_prompts::TestKind;
use patchwright_protocol::TestId;
use patchwright_syntax::{Language, Source, outline};
use patchwright_test_results::{Build, TestStatus};
use patchwright_validation::{Baseline, Probe, TestHarness, TestHarnessError};
use serde::{Deserialize, Serialize};

use super::ReproductionTest;
use crate::settings::PipelineSettings;

/// What a test says when the code behaves as the bug says.
const REPRODUCED: &str = "Issue reproduced";
/// What a script prints when the code behaves as it should.
const RESOLVED: &str = "Issue resolved";
/// What a script prints when something else went wrong.
const OTHER: &str = "Other issues";
/// The name of a script, without its extension, and of a class.
const SCRIPT: &str = "reproduce_bug";
const CLASS: &str = "ReproduceBugTest";

/// Bytes that are kept of the output of a test that does not run.
const OUTPUT_BYTES: usize = 2_000;
/// The bytes of a script's output that are read.
const READ_BYTES: usize = 1 << 20;

/// What a run of a reproduction test says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScriptOutcome {
    /// The code behaves as the bug says.
    Reproduced,
    /// The code behaves as it should.
    Resolved,
    /// Neither: something else went wrong.
    Other,
    /// It said nothing: it cannot be imported or compiled, it broke off, or its time was over.
    DoesNotRun,
}

/// What a run of a reproduction test came to.
pub(super) struct TestRun {
    pub(super) outcome: ScriptOutcome,
    /// The output of one that does not run; else nothing.
    pub(super) output: String,
}

impl TestRun {
    fn of(outcome: ScriptOutcome, output: &str) -> Self {
        match outcome {
            ScriptOutcome::DoesNotRun => Self::broken(output),
            ScriptOutcome::Reproduced | ScriptOutcome::Resolved | ScriptOutcome::Other => {
                Self { outcome, output: String::new() }
            }
        }
    }

    /// One that does not run. Of a long output the end is kept, which says why.
    pub(super) fn broken(output: &str) -> Self {
        let output = output.trim();
        let start = output.ceil_char_boundary(output.len().saturating_sub(OUTPUT_BYTES));
        Self { outcome: ScriptOutcome::DoesNotRun, output: output[start..].to_owned() }
    }
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
            _ if spec.program(SCRIPT).is_some() => Ok(Self::Script),
            (Some("java"), AdapterKind::PlainJava | AdapterKind::Maven | AdapterKind::Gradle)
                if !spec.tests.is_empty() =>
            {
                Ok(Self::Class)
            }
            (Some("java"), _) => Err("how a new test class is run is not known for this build"),
            (_, _) => Err("how a test is written is not known for this language"),
        }
    }

    pub(super) fn question(self, spec: &ProjectSpec) -> TestKind<'_> {
        match self {
            Self::Script => {
                let entry = spec.language.map(Language::entry);
                TestKind::Script {
                    stem: SCRIPT,
                    extension: extension(spec),
                    language: entry.map_or("", |entry| entry.name),
                    title: entry.map_or("", |entry| entry.title),
                }
            }
            Self::Class => {
                let folder = spec.tests.first().map(String::as_str).unwrap_or_default();
                TestKind::Class { name: CLASS, folder, framework: "JUnit 4", language: "java" }
            }
        }
    }

    /// The test that a text is: the file it goes into.
    pub(super) fn place(self, spec: &ProjectSpec, text: &str) -> Option<String> {
        match self {
            Self::Script => Some(script(spec)),
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
    pub(super) harness: &'a TestHarness,
    pub(super) kind: Kind,
    limit: Duration,
}

/// What a run gets beside a multiple of what all tests take.
const START: Duration = Duration::from_secs(10);
const TIMES: u32 = 3;

impl<'a> Bench<'a> {
    /// A bench for a project whose tests take as long as in `baseline`, or why there is none.
    pub(crate) fn of(
        harness: &'a TestHarness,
        baseline: &Baseline,
        settings: &PipelineSettings,
    ) -> Result<Self, &'static str> {
        let all = Duration::from_secs_f64(baseline.report.seconds.max(0.0));
        Ok(Self {
            harness,
            kind: Kind::of(harness.spec())?,
            limit: (START + all * TIMES).min(settings.longest_test),
        })
    }

    /// Runs a test with a change in the project.
    pub(super) async fn run(
        self,
        test: &ReproductionTest,
        applied: &Applied,
    ) -> Result<TestRun, TestHarnessError> {
        let Self { harness, kind, limit } = self;
        match kind {
            Kind::Script => {
                let file = script(harness.spec());
                let Some(command) = harness.spec().program(&file) else {
                    return Ok(TestRun::broken("it cannot be run as a program"));
                };
                let probe = Probe { applied: Some(applied), limit, output_bytes: READ_BYTES };
                let output = harness.probe(&command, &probe).await?;
                if output.timed_out {
                    return Ok(TestRun::broken(&format!(
                        "{}\nended after {} s",
                        output.text,
                        limit.as_secs()
                    )));
                }
                Ok(TestRun::of(said(&output.text), &output.text))
            }
            Kind::Class => {
                let Some((package, class)) = named(&test.text) else {
                    return Ok(TestRun::broken("it declares no class"));
                };
                let name = if package.is_empty() { class } else { format!("{package}.{class}") };
                let report = harness.run_tests_within(&[TestId::new(name.as_str())], applied, limit).await?;
                let own: Vec<_> = report
                    .outcomes
                    .iter()
                    .filter(|outcome| outcome.id.as_str().split("::").next() == Some(name.as_str()))
                    .collect();
                let shows =
                    |message: &Option<String>| message.as_ref().is_some_and(|text| text.contains(REPRODUCED));
                let failing: Vec<_> = own.iter().filter(|outcome| outcome.status.is_failing()).collect();
                let outcome = if report.timed_out || report.build_failed() || own.is_empty() {
                    ScriptOutcome::DoesNotRun
                } else if failing.is_empty() && own.iter().any(|outcome| outcome.status == TestStatus::Passed)
                {
                    ScriptOutcome::Resolved
                } else if !failing.is_empty() && failing.iter().all(|outcome| shows(&outcome.message)) {
                    ScriptOutcome::Reproduced
                } else {
                    ScriptOutcome::Other
                };
                let first = match &report.build {
                    Build::Failed { errors, .. } => errors.first().map(|error| error.message.as_str()),
                    Build::NotNeeded | Build::Ok => None,
                };
                // The last line says why.
                let why = first.and_then(|message| message.lines().next()).unwrap_or_default();
                Ok(TestRun::of(outcome, &format!("{}\n{why}", report.render(OUTPUT_BYTES))))
            }
        }
    }
}

/// The file of a script.
fn script(spec: &ProjectSpec) -> String {
    format!("{SCRIPT}.{}", extension(spec))
}

fn extension(spec: &ProjectSpec) -> &'static str {
    spec.language.and_then(|language| language.entry().extensions.first().copied()).unwrap_or_default()
}

/// What a script printed. More than one of the three says nothing of the bug.
fn said(text: &str) -> ScriptOutcome {
    match (text.contains(REPRODUCED), text.contains(RESOLVED), text.contains(OTHER)) {
        (true, false, false) => ScriptOutcome::Reproduced,
        (false, true, false) => ScriptOutcome::Resolved,
        (false, false, false) => ScriptOutcome::DoesNotRun,
        _ => ScriptOutcome::Other,
    }
}

/// The package and the first class of a Java source.
fn named(text: &str) -> Option<(String, String)> {
    let outline = outline(Language::by_name("java")?, &Source::from_text(text));
    Some((package_of(text), outline.all_classes().first()?.name.clone()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_script_says_one_thing_or_nothing() {
        let check = |text: &str, expect: ScriptOutcome| assert_eq!(said(text), expect, "{text}");
        check("Issue reproduced\n", ScriptOutcome::Reproduced);
        check("warning\nIssue resolved", ScriptOutcome::Resolved);
        check("Other issues", ScriptOutcome::Other);
        check("Issue reproduced\nIssue resolved", ScriptOutcome::Other);
        check("Traceback …", ScriptOutcome::DoesNotRun);
        check("", ScriptOutcome::DoesNotRun);
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
