//! `run_code`: a snippet or a shell command in a copy of the project.

use std::time::Duration;

use patchwright_detection::ProjectSpec;
use patchwright_detection::ecosystems::program_languages;
use patchwright_edits::Applied;
use patchwright_protocol::Failure;
use patchwright_syntax::Language;
use patchwright_validation::{Probe, ProbeOutput, SnippetOutput};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::context::ToolContext;
use crate::observation::Observation;
use crate::render::{self, Stop, counted, sentence};
use crate::tool::{CallContext, TypedTool, fill};

/// Bytes that a snippet or a command may have: the kernel takes no argument of more than 128 KiB.
const MOST_BYTES: usize = 100_000;
/// What git says where it finds no repository.
const NO_REPOSITORY: &str = "not a git repository";
/// The place of the languages in a description.
const PROGRAMS: &str = "{programs}";

pub(crate) struct RunCode;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunCodeArgs {
    /// {programs}. It can use the project's code, as the tests do.
    #[serde(default)]
    code: Option<String>,
    /// The project's when left out.
    #[serde(default)]
    language: Option<String>,
    /// Instead of `code`: a line for the shell, run in the project's folder without a build.
    #[serde(default)]
    command: Option<String>,
    /// The original code when left out.
    #[serde(default)]
    candidate: Option<u32>,
}

/// What is to be run.
#[derive(Debug, PartialEq, Eq)]
enum Program<'a> {
    /// Code in a language.
    Code(Language, &'a str),
    Command(&'a str),
}

impl TypedTool for RunCode {
    type Args = RunCodeArgs;
    const NAME: &'static str = "run_code";
    const DESCRIPTION: &'static str = "Run a snippet or a shell command in a throw-away copy of the project, and see what it prints. It has a \
         minute and no network; long output is cut in the middle.";
    const ONLY_READS: bool = true;
    const ALIASES: &[&str] =
        &["execute_code", "run_snippet", "run_python", "run_command", "execute_command", "run_shell", "bash"];

    fn suit(schema: &mut Value, project: Option<Language>) {
        let programs = program_languages(project);
        let words: Vec<&str> = programs.iter().map(|program| program.words).collect();
        let words = match words.split_last() {
            Some((last, others @ [_, ..])) => format!("{}, or {last}", others.join(", ")),
            _ => words.concat(),
        };
        fill(schema, "code", PROGRAMS, &capitalized(&words));
        if let Some(language) = schema.pointer_mut("/properties/language") {
            let description = language["description"].take();
            let names = programs.iter().map(|program| Value::from(program.language.name()));
            let names: Vec<Value> = names.chain([Value::Null]).collect();
            *language = json!({ "type": ["string", "null"], "enum": names, "description": description });
        }
    }

    fn needs_baseline(args: &RunCodeArgs, context: &CallContext<'_>) -> bool {
        let spec = context.spec;
        match program(args, spec) {
            Ok(Program::Code(language, _)) => Some(language) == spec.language && spec.observes_java(),
            Ok(Program::Command(_)) | Err(_) => false,
        }
    }

    async fn run(args: RunCodeArgs, context: &mut ToolContext<'_>) -> Result<Observation, Failure> {
        render::settle(run(&args, context).await)
    }
}

async fn run(args: &RunCodeArgs, context: &mut ToolContext<'_>) -> Result<Observation, Stop> {
    let harness = context.harness;
    if !harness.isolates() {
        return Err(Stop::Tell(
            "Nothing can be run but the tests: no sandbox keeps commands from the user's files here."
                .to_owned(),
        ));
    }
    let program = program(args, harness.spec()).map_err(Stop::Tell)?;
    let applied: Option<Applied> = args.candidate.map(|id| context.applied(id)).transpose()?;
    let limit = Duration::from_secs(context.settings.code_seconds);
    let probe = Probe { applied: applied.as_ref(), limit, output_bytes: context.settings.output_bytes };
    let code = render::code_version(args.candidate);
    let (what, output) = match program {
        Program::Command(line) => ("command", harness.probe(line, &probe).await.map_err(Failure::from)?),
        Program::Code(language, text) => {
            let known = context.known_tests.as_deref();
            match harness.run_script(language, text, &probe, known).await.map_err(Failure::from)? {
                SnippetOutput::Ran(output) => ("snippet", output),
                SnippetOutput::NotBuilt(report) => {
                    let report = report.render(context.settings.report_bytes);
                    return Err(Stop::Tell(format!("The snippet was not run {code}.\n{report}")));
                }
                SnippetOutput::Unsupported(why) => {
                    let advice = "`command` runs whatever the shell knows.";
                    return Err(Stop::Tell(format!(
                        "The snippet cannot be run here: {} {advice}",
                        sentence(&why)
                    )));
                }
            }
        }
    };
    let data = json!({ "candidate": args.candidate, "status": output.status, "timed_out": output.timed_out });
    Ok(Observation::done(told(what, &code, &output, limit), data).keep_text())
}

/// What is to be run, or what is wrong with the arguments.
fn program<'a>(args: &'a RunCodeArgs, spec: &ProjectSpec) -> Result<Program<'a>, String> {
    let given = |text: &'a Option<String>| text.as_deref().filter(|text| !text.trim().is_empty());
    let (text, name) = match (given(&args.code), given(&args.command)) {
        (Some(code), None) => (code, "code"),
        (None, Some(command)) => (command, "command"),
        (Some(_), Some(_)) => return Err("Give `code` or `command`, not both.".to_owned()),
        (None, None) => return Err("Give `code`, a snippet, or `command`, a line for the shell.".to_owned()),
    };
    if text.len() > MOST_BYTES {
        let size = counted(text.len(), "byte");
        return Err(format!(
            "The argument `{name}` has {size}; {MOST_BYTES} are taken at most. Run less at once."
        ));
    }
    if text.contains('\0') {
        return Err(format!("The argument `{name}` holds a zero byte, which no program takes."));
    }
    if name == "command" {
        return Ok(Program::Command(text));
    }
    let project = spec.language.map_or("an unknown language", Language::title);
    match args.language.as_deref() {
        Some(name) => {
            let programs = program_languages(spec.language);
            let Some(program) = programs.iter().find(|program| program.language.name() == name) else {
                let names: Vec<&str> = programs.iter().map(|program| program.language.name()).collect();
                let names = names.join(", ");
                return Err(format!("Snippets are run in {names} here, and not in {name}; use `command`."));
            };
            Ok(Program::Code(program.language, text))
        }
        None => spec.language.map(|language| Program::Code(language, text)).ok_or_else(|| {
            format!(
                "Snippets are run in the language of the project, and this one is in {project}. Name the `language` of the snippet, or \
                 use `command`."
            )
        }),
    }
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| format!("{}{}", first.to_uppercase(), letters.as_str()))
}

fn told(what: &str, code: &str, output: &ProbeOutput, limit: Duration) -> String {
    let (ending, follows) = if output.timed_out {
        (format!("timed out after {} s", limit.as_secs()), "the output so far")
    } else if let Some(status) = output.status {
        (format!("ended with status {status}"), "its output")
    } else {
        (format!("was ended by {}", output.ending), "its output")
    };
    let text = output.text.trim_end();
    if text.is_empty() {
        return format!("The {what} {code} {ending} and printed nothing.");
    }
    // What comes after the base commit is nobody's to see, so that there is no repository.
    let history = if text.contains(NO_REPOSITORY) {
        "The copy has no repository: `history` tells who changed what.\n"
    } else {
        ""
    };
    format!("The {what} {code} {ending}; {follows}:\n{text}\n{history}")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {

    use patchwright_detection::AdapterKind;
    use patchwright_protocol::{BugEvidence, ResultsFormat, TestCommand};

    use super::*;

    fn spec(language: &str, kind: AdapterKind) -> ProjectSpec {
        ProjectSpec::new(kind, Language::by_name(language), TestCommand::None, ResultsFormat::ExitStatus)
    }

    #[test]
    fn a_snippet_is_in_the_language_that_is_named_or_in_that_of_the_project() {
        let in_language = |name: &str| Ok(Program::Code(Language::by_name(name).unwrap(), "x"));
        let check = |args: serde_json::Value, project: &str, expect: Result<Program<'_>, &str>| {
            let args: RunCodeArgs = serde_json::from_value(args).unwrap();
            let found = program(&args, &spec(project, AdapterKind::Custom));
            assert_eq!(found, expect.map_err(str::to_owned), "{args:?} in {project}");
        };
        check(json!({"code": "x"}), "python", in_language("python"));
        check(json!({"code": "x"}), "java", in_language("java"));
        check(json!({"code": "x", "language": "python"}), "java", in_language("python"));
        check(json!({"code": "x"}), "javascript", in_language("javascript"));
        check(json!({"command": "x", "code": null, "language": "java"}), "go", Ok(Program::Command("x")));
        check(json!({"code": "x", "language": "python"}), "javascript", in_language("python"));
        check(
            json!({"code": "x", "language": "java"}),
            "python",
            Err("Snippets are run in python here, and not in java; use `command`."),
        );
        check(
            json!({"code": "x", "language": "javascript"}),
            "java",
            Err("Snippets are run in java, python here, and not in javascript; use `command`."),
        );
        check(
            json!({"code": "x"}),
            "no such language",
            Err(
                "Snippets are run in the language of the project, and this one is in an unknown language. Name the `language` of the \
                 snippet, or use `command`.",
            ),
        );
    }

    #[test]
    fn the_schema_tells_of_the_languages_of_the_project() {
        let check = |project: &str, code: &str, names: &[&str]| {
            let schema = crate::find("run_code").unwrap().schema(Language::by_name(project));
            let told = schema["properties"]["code"]["description"].as_str().unwrap();
            assert_eq!(told, format!("{code}. It can use the project's code, as the tests do."), "{project}");
            let names: Vec<Value> = names.iter().map(|name| json!(name)).chain([Value::Null]).collect();
            let expect = json!({"type": ["string", "null"], "enum": names, "description": "The project's when left out."});
            assert_eq!(schema["properties"]["language"], expect, "{project}");
        };
        check("python", "A Python script", &["python"]);
        check("java", "Java with a class that has a `main`, or a Python script", &["java", "python"]);
        let either = "A JavaScript program for node, or a Python script";
        check("typescript", either, &["javascript", "python"]);
    }

    #[test]
    fn only_a_snippet_whose_class_path_has_to_be_observed_waits_for_the_tests() {
        let check = |args: serde_json::Value, project: &str, kind: AdapterKind, expect: bool| {
            let args: RunCodeArgs = serde_json::from_value(args).unwrap();
            let (spec, evidence) = (&spec(project, kind), BugEvidence::FailingTests);
            let needs = RunCode::needs_baseline(&args, &CallContext { spec, evidence });
            assert_eq!(needs, expect, "{args:?} {kind:?}");
        };
        check(json!({"code": "x"}), "java", AdapterKind::Maven, true);
        check(json!({"code": "x"}), "java", AdapterKind::PlainJava, false);
        check(json!({"code": "x", "language": "python"}), "java", AdapterKind::Maven, false);
        check(json!({"command": "x"}), "java", AdapterKind::Maven, false);
        check(json!({"code": "x"}), "python", AdapterKind::Pytest, false);
    }
}
