//! `find_similar_api_calls`: who else calls what a snippet calls.

use patchwright_index::{Scope, SimilarCalls, SimilarCallsError, similar_calls};
use patchwright_protocol::Failure;
use patchwright_syntax::Language;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::context::ToolContext;
use crate::observation::Observation;
use crate::render::{self, Stop, counted, sentence};
use crate::tool::TypedTool;

/// Places that are shown for each call of the snippet.
const PLACES_SHOWN: usize = 10;

pub(crate) struct FindSimilarApiCalls;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FindSimilarApiCallsArgs {
    /// Code that makes the calls; need not be complete.
    code_snippet: String,
    /// The whole project when left out.
    #[serde(default)]
    file_path: Option<String>,
}

impl TypedTool for FindSimilarApiCalls {
    type Args = FindSimilarApiCallsArgs;
    const NAME: &'static str = "find_similar_api_calls";
    const DESCRIPTION: &'static str = "Find how the methods that a snippet calls are called elsewhere.";
    const ONLY_READS: bool = true;
    const ALIASES: &[&str] = &["extract_similar_functions_calls", "find_similar_calls"];

    async fn run(
        args: FindSimilarApiCallsArgs,
        context: &mut ToolContext<'_>,
    ) -> Result<Observation, Failure> {
        render::settle(find(args, context).await)
    }
}

async fn find(args: FindSimilarApiCallsArgs, context: &mut ToolContext<'_>) -> Result<Observation, Stop> {
    let project = context.project().clone();
    let resolved = args.file_path.as_deref().map(|asked| project.resolve(asked)).transpose()?;
    let note = resolved.as_ref().and_then(|found| found.note.clone());
    let note = note.map(|note| format!("({note}.)\n")).unwrap_or_default();
    let (language, scope, place) = match resolved {
        Some(found) => {
            (render::language_of(&found.path)?, Scope::File(found.path.clone()), format!("in {}", found.path))
        }
        None => (project_language(context)?, Scope::Project, "in the project".to_owned()),
    };
    let snippet = args.code_snippet;
    let result = patchwright_blocking::spawn(move |_| {
        similar_calls(&project, &snippet, language, scope, PLACES_SHOWN)
    })
    .await?;
    Ok(show(&result.map_err(stop)?, &place, &note))
}

fn stop(error: SimilarCallsError) -> Stop {
    match error {
        SimilarCallsError::NoCall => Stop::Tell(sentence(&error.to_string())),
        SimilarCallsError::Read(error) => error.into(),
        SimilarCallsError::Project(error) => Stop::Fail(Failure::environment(error)),
    }
}

/// The language of the project: detected, or that of most of its files.
fn project_language(context: &ToolContext<'_>) -> Result<Language, Stop> {
    if let Some(language) = context.harness.spec().language {
        return Ok(language);
    }
    let files = context.project().files().map_err(|error| Stop::Fail(Failure::environment(error)))?;
    let count = |language: &Language| {
        files.iter().filter(|path| Language::of_path(path.as_path()) == Some(*language)).count()
    };
    Language::all().filter(|language| count(language) > 0).max_by_key(count).ok_or_else(|| {
        Stop::Tell("The project has no file in a language that is parsed here; use read_range.".to_owned())
    })
}

fn show(result: &[SimilarCalls], place: &str, note: &str) -> Observation {
    let mut text = format!("{note}Calls like those of the snippet, {place}:\n");
    for similar in result {
        text.push_str(&format!("\n{}\n", similar.snippet_call.text));
        if similar.places.is_empty() {
            text.push_str("  no other place calls it\n");
        }
        for (path, call, method) in &similar.places {
            let inside = method.as_ref().map(|method| format!(" in {method}")).unwrap_or_default();
            text.push_str(&format!("  {path}:{}: {}{inside}\n", call.line, call.text));
        }
        if similar.omitted > 0 {
            text.push_str(&format!("  [... {} left out]\n", counted(similar.omitted, "more place")));
        }
    }
    Observation::done(text, json!({ "calls": result })).keep_text()
}
