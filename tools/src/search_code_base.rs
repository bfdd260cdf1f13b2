//! `search_code_base`: words in the whole project.

use std::cmp::Reverse;
use std::path::Path;

use patchwright_index::{ClassHits, FileHits, MethodHits, SearchCap, SearchError, SearchResult, search};
use patchwright_protocol::Failure;
use patchwright_syntax::{Language, Project, ProjectPath};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::context::ToolContext;
use crate::observation::Observation;
use crate::render::{self, Stop, counted, sentence};
use crate::tool::TypedTool;

/// Bytes of a result that is shown with its lines; of files beyond them only the names are.
const ROOM: usize = 5_000;
/// Lines of the best method of the best file up to which it is shown whole: who searches would read it next.
const WHOLE: u32 = 25;

pub(crate) struct SearchCodeBase;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchCodeBaseArgs {
    /// Identifiers or words; each is also split into its parts.
    keywords: Vec<String>,
}

impl TypedTool for SearchCodeBase {
    type Args = SearchCodeBaseArgs;
    const NAME: &'static str = "search_code_base";
    const DESCRIPTION: &'static str =
        "Find the code that best fits some words, in names and bodies of the whole project.";
    const ONLY_READS: bool = true;
    const ALIASES: &[&str] = &["search_code", "search_project", "search_repository"];

    async fn run(args: SearchCodeBaseArgs, context: &mut ToolContext<'_>) -> Result<Observation, Failure> {
        let project = context.project().clone();
        let line = context.settings.line_chars.min(SearchCap::default().line);
        let cap = SearchCap { line, ..SearchCap::default() };
        let issue = context.session.issue().to_owned();
        let result = patchwright_blocking::spawn(move |_| {
            let mut found = search(&project, &args.keywords, &cap)?;
            // The issue itself is known, and would match best.
            found.files.retain(|file| !is_text(&project, &file.path, &issue));
            if let Some(best) = found.files.first_mut() {
                show_best(&project, best, line);
            }
            Ok(found)
        });
        let result = result.await?;
        render::settle(result.map_err(stop).map(|result| show(&result)))
    }
}

/// Is true if a file is this text, whatever surrounds it.
fn is_text(project: &Project, path: &ProjectPath, text: &str) -> bool {
    let is_code = Language::of_path(Path::new(path.as_str())).is_some();
    !is_code && project.read(path).is_ok_and(|source| source.text().trim() == text.trim())
}

/// Makes all lines of a file's best method matching ones, if they are few.
fn show_best(project: &Project, file: &mut FileHits, line_chars: usize) {
    let of_classes = file.classes.iter_mut().flat_map(|class| &mut class.methods);
    let methods = file.functions.iter_mut().chain(of_classes);
    // Of equals the first.
    let best = methods.min_by_key(|method| Reverse((method.words.len(), method.hits.len())));
    let Some(best) = best.filter(|best| best.lines.last - best.lines.first < WHOLE) else { return };
    let Ok(source) = project.read(&file.path) else { return };
    let lines = source.lines();
    let shown =
        (best.lines.first..=best.lines.last).zip(lines.into_iter().skip(best.lines.first as usize - 1));
    best.hits = shown.map(|(number, line)| (number, render::cut_line(line, line_chars))).collect();
}

fn stop(error: SearchError) -> Stop {
    match error {
        SearchError::NoWords | SearchError::UselessWords { .. } => Stop::Tell(sentence(&error.to_string())),
        SearchError::Project(error) => Stop::Fail(Failure::environment(error)),
    }
}

fn show(result: &SearchResult) -> Observation {
    let words = result.words.join(", ");
    let data = json!({ "words": result.words, "result": result.files, "namesakes": result.namesakes,
        "omitted": result.omitted });
    if result.files.is_empty() {
        let text = format!("Nothing in the project matches {words}. Try other or shorter words.");
        return Observation::done(text, data).keep_text();
    }
    let mut text = format!(
        "{} for {words}, best first:\n",
        counted(result.files.len() + result.omitted.files, "matching file")
    );
    let mut named = Vec::new();
    for file in &result.files {
        let shown = file_text(file);
        if named.is_empty() && (text.len() + shown.len() <= ROOM || file == &result.files[0]) {
            text.push_str(&shown);
        } else {
            named.push(file.path.as_str());
        }
    }
    if !named.is_empty() {
        text.push_str(&format!("\nThese match less: {}.\n", named.join(", ")));
    }
    if !result.namesakes.is_empty() {
        let namesakes: Vec<&str> = result.namesakes.iter().map(ProjectPath::as_str).collect();
        text.push_str(&format!("\nFiles with such a name: {}.\n", namesakes.join(", ")));
    }
    let omitted = result.omitted;
    if omitted.files + omitted.methods + omitted.hits > 0 {
        text.push_str(&format!(
            "\nLeft out: {}, and in the files above {} and {}. More particular words show them.\n",
            counted(omitted.files, "file"),
            counted(omitted.methods, "method"),
            counted(omitted.hits, "line")
        ));
    }
    Observation::done(text, data).keep_text()
}

fn file_text(file: &FileHits) -> String {
    let mut text = format!("\n{}\n", file.path);
    text.push_str(&lines(&file.loose, 1));
    for function in &file.functions {
        text.push_str(&method_text(function, 1));
    }
    for class in &file.classes {
        text.push_str(&class_text(class));
    }
    text
}

fn class_text(class: &ClassHits) -> String {
    let mut text =
        format!("  class {} (lines {}-{})\n", class.qualified, class.lines.first, class.lines.last);
    text.push_str(&lines(&class.loose, 2));
    for method in &class.methods {
        text.push_str(&method_text(method, 2));
    }
    text
}

fn method_text(method: &MethodHits, depth: usize) -> String {
    format!(
        "{}{} (lines {}-{}): {}\n{}",
        "  ".repeat(depth),
        method.qualified,
        method.lines.first,
        method.lines.last,
        method.words.join(", "),
        lines(&method.hits, depth + 1)
    )
}

fn lines(hits: &[(u32, String)], depth: usize) -> String {
    let indent = "  ".repeat(depth);
    hits.iter().map(|(number, line)| format!("{indent}{number}: {line}\n")).collect::<Vec<_>>().concat()
}
