//! `extract_method`: the text of methods of a name.

use std::collections::BTreeMap;

use patchwright_protocol::Failure;
use patchwright_syntax::{method_names, methods_named, outline};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::context::ToolContext;
use crate::observation::Observation;
use crate::render::{self, Stop, counted, lines_of};
use crate::tool::TypedTool;

/// Names that are offered when there is no method of the one asked for.
const NAMES_OFFERED: usize = 8;

pub(crate) struct ExtractMethod;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExtractMethodArgs {
    /// Relative to the project.
    file_path: String,
    /// `name` or `Class.name` of a method, function or constructor.
    method_name: String,
}

impl TypedTool for ExtractMethod {
    type Args = ExtractMethodArgs;
    const NAME: &'static str = "extract_method";
    const DESCRIPTION: &'static str =
        "Show all methods of a name in a file with comments, annotations and numbered lines.";
    const ALIASES: &[&str] = &["extract_method_code", "read_method", "get_method"];

    async fn run(args: ExtractMethodArgs, context: &mut ToolContext<'_>) -> Result<Observation, Failure> {
        render::settle(extract(&args, context))
    }
}

fn extract(args: &ExtractMethodArgs, context: &ToolContext<'_>) -> Result<Observation, Stop> {
    let found = render::open(context.project(), &args.file_path)?;
    let language = render::language_of(&found.path)?;
    let methods = methods_named(language, &found.source, &args.method_name);
    let path = &found.path;
    if methods.is_empty() {
        let names = method_names(&outline(language, &found.source));
        return Err(Stop::Tell(format!(
            "{}{}",
            found.note,
            no_method(path.as_str(), &args.method_name, &names)
        )));
    }
    let mut text = format!("{}{path}, {}:\n", found.note, counted(methods.len(), "method"));
    let imports = render::import_spans(path, &found.source);
    let imports: Vec<_> = imports
        .into_iter()
        .flat_map(|span| lines_of(context.project(), path.as_str(), span.first, span.last))
        .collect();
    if !imports.is_empty() {
        text.push_str(&format!("\nimports\n{}", render::numbered(&imports, context.settings.line_chars)));
    }
    let mut kept: BTreeMap<u32, String> = imports.into_iter().collect();
    for method in &methods {
        text.push_str(&format!(
            "\n{} (lines {}-{})\n{}",
            method.method.qualified,
            method.method.lines.first,
            method.method.lines.last,
            render::numbered(&method.lines, context.settings.line_chars)
        ));
        // A nested function of the same name lies inside the outer one.
        kept.extend(method.lines.iter().cloned());
    }
    let found: Vec<_> = methods.iter().map(|method| &method.method).collect();
    let data = json!({ "path": path, "methods": found });
    let each =
        methods.iter().map(|one| format!("{} from line {}", one.method.qualified, one.method.lines.first));
    let note = (methods.len() > 1).then(|| each.collect::<Vec<_>>().join(", "));
    Ok(Observation::done(text, data).keep_lines(path.as_str(), kept.into_iter().collect(), note))
}

/// The answer when a file has no method of a name.
pub(crate) fn no_method(path: &str, asked: &str, names: &[String]) -> String {
    if names.is_empty() {
        return format!("{path} declares no method at all.");
    }
    let near = render::nearest(render::last_part(asked), names.iter().map(String::as_str), NAMES_OFFERED);
    let rest = names.len().saturating_sub(near.len());
    let more = if rest > 0 { format!(" ({rest} more; see get_classes_and_methods)") } else { String::new() };
    format!("{path} has no method `{asked}`; the nearest names are: {}{more}.", near.join(", "))
}
