//! `generate_method_body`: the model writes a method anew, from what stands before it.

use patchwright_protocol::Failure;
use patchwright_syntax::{method_names, methods_named, outline};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::context::{MethodBodyRequest, ToolContext};
use crate::extract_method::no_method;
use crate::observation::Observation;
use crate::render::{self, Stop};
use crate::tool::TypedTool;

/// Bytes of the reply that are kept: 4,000 tokens, the most that the model is asked for.
const REPLY_BYTES: usize = 16_000;

pub(crate) struct GenerateMethodBody;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GenerateMethodBodyArgs {
    /// Relative to the project.
    file_path: String,
    /// `name` or `Class.name`.
    method_name: String,
}

impl TypedTool for GenerateMethodBody {
    type Args = GenerateMethodBodyArgs;
    const NAME: &'static str = "generate_method_body";
    const DESCRIPTION: &'static str =
        "Have a method written anew without seeing its present body: a difference may be the bug.";
    const ALIASES: &[&str] = &["AI_generates_method_code", "generate_method_code"];

    async fn run(
        args: GenerateMethodBodyArgs,
        context: &mut ToolContext<'_>,
    ) -> Result<Observation, Failure> {
        render::settle(generate(&args, context).await)
    }
}

async fn generate(args: &GenerateMethodBodyArgs, context: &mut ToolContext<'_>) -> Result<Observation, Stop> {
    let (request, note) = request(args, context)?;
    let Some(reply) = context.session.method_body(&request).await? else {
        return Err(Stop::Tell(format!(
            "{note}No method body can be generated now: no model can be asked, or the budget does not allow it."
        )));
    };
    let code = code_of(&reply);
    if code.trim().is_empty() {
        return Err(Stop::Tell(format!("{note}The model gave no code for {}.", request.method)));
    }
    let text = format!(
        "{note}{} in {}, written anew by the model. It was not tested and may be wrong; its lines have no numbers because they \
         stand in no file.\n{}",
        request.method,
        request.file_path,
        render::cut_text(&format!("{}\n", code.trim_end()), REPLY_BYTES)
    );
    let data = json!({ "path": request.file_path, "method": request.method, "code": code });
    Ok(Observation::done(text, data).keep_text())
}

fn request(
    args: &GenerateMethodBodyArgs,
    context: &ToolContext<'_>,
) -> Result<(MethodBodyRequest, String), Stop> {
    let found = render::open(context.project(), &args.file_path)?;
    let language = render::language_of(&found.path)?;
    let methods = methods_named(language, &found.source, &args.method_name);
    let mut note = found.note;
    let Some(chosen) = methods.first() else {
        let names = method_names(&outline(language, &found.source));
        return Err(Stop::Tell(format!(
            "{note}{}",
            no_method(found.path.as_str(), &args.method_name, &names)
        )));
    };
    if methods.len() > 1 {
        note.push_str(&format!(
            "({} methods have this name; the one at line {} was taken.)\n",
            methods.len(),
            chosen.method.declaration_line
        ));
    }
    let method = &chosen.method;
    let lines = found.source.lines();
    let before =
        (1..method.lines.first).zip(&lines).map(|(number, line)| (number, (*line).to_owned())).collect();
    let head =
        chosen.lines.iter().filter(|(number, _)| *number <= method.declaration_line).cloned().collect();
    let request = MethodBodyRequest {
        language: language.name().to_owned(),
        file_path: found.path.to_string(),
        method: method.qualified.clone(),
        signature: method.signature.clone(),
        before,
        head,
    };
    Ok((request, note))
}

/// The code in a reply: what stands in its fences, or all of it.
fn code_of(reply: &str) -> String {
    let mut inside = false;
    let mut code = String::new();
    for line in reply.lines() {
        if line.trim_start().starts_with("```") {
            inside = !inside;
        } else if inside {
            code.push_str(line);
            code.push('\n');
        }
    }
    if code.is_empty() {
        reply.lines().filter(|line| !line.starts_with("```")).collect::<Vec<_>>().join("\n")
    } else {
        code
    }
}
