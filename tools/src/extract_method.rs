//! `extract_method`: the text of methods of a name.

use std::collections::BTreeMap;

use patchwright_protocol::Failure;
use patchwright_syntax::{MethodText, method_names, methods_named, outline};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::context::ToolContext;
use crate::observation::Observation;
use crate::render::{self, Stop, counted, lines_of};
use crate::tool::TypedTool;

/// Names that are offered when there is no method of the one asked for.
const NAMES_OFFERED: usize = 8;
/// Methods that may be asked for at once.
const MOST_NAMES: usize = 20;

pub(crate) struct ExtractMethod;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExtractMethodArgs {
    /// Relative to the project.
    file_path: String,
    /// `name` or `Class.name`; several separated by commas.
    method_name: String,
}

impl TypedTool for ExtractMethod {
    type Args = ExtractMethodArgs;
    const NAME: &'static str = "extract_method";
    const DESCRIPTION: &'static str = "Show all methods of a name in a file, with their comments.";
    const ONLY_READS: bool = true;
    const ALIASES: &[&str] = &["extract_method_code", "read_method", "get_method"];

    async fn run(args: ExtractMethodArgs, context: &mut ToolContext<'_>) -> Result<Observation, Failure> {
        render::settle(extract(&args, context))
    }
}

fn extract(args: &ExtractMethodArgs, context: &ToolContext<'_>) -> Result<Observation, Stop> {
    let found = render::open(context.project(), &args.file_path)?;
    let language = render::language_of(&found.path)?;
    let path = &found.path;
    let mut methods: Vec<MethodText> = Vec::new();
    let mut missing = Vec::new();
    let names = names_of(&args.method_name);
    if names.len() > MOST_NAMES {
        let count = names.len();
        return Err(Stop::Tell(format!(
            "{count} methods are asked for: at most {MOST_NAMES} can be shown at once."
        )));
    }
    for name in names {
        let named = methods_named(language, &found.source, name);
        if named.is_empty() {
            missing.push(no_method(path.as_str(), name, &method_names(&outline(language, &found.source))));
        }
        methods.extend(named.into_iter().filter(|method| !methods.contains(method)).collect::<Vec<_>>());
    }
    let missing = missing.join("\n");
    if methods.is_empty() {
        return Err(Stop::Tell(format!("{}{missing}", found.note)));
    }
    let mut text = format!("{}{path}, {}:\n", found.note, counted(methods.len(), "method"));
    if !missing.is_empty() {
        text.push_str(&format!("{missing}\n"));
    }
    let imports = patchwright_initial_context::import_spans(path, &found.source);
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
    let several = (methods.len() > 1).then(|| each.collect::<Vec<_>>().join(", "));
    // Later prompts show the lines alone: what is missing has to be said beside them.
    let notes: Vec<String> =
        several.into_iter().chain(Some(missing).filter(|text| !text.is_empty())).collect();
    let note = (!notes.is_empty()).then(|| notes.join("\n"));
    Ok(Observation::done(text, data).keep_lines(path.as_str(), kept.into_iter().collect(), note))
}

/// The names that are asked for: one, where parameters stand behind it, or several with commas between them.
fn names_of(asked: &str) -> Vec<&str> {
    if asked.contains(['(', '<']) {
        return vec![asked];
    }
    let names: Vec<&str> = asked.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
    if names.is_empty() { vec![asked] } else { names }
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
