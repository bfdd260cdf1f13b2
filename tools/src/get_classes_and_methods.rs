//! `get_classes_and_methods`: what a file declares.

use patchwright_protocol::Failure;
use patchwright_syntax::{Class, Field, Method, Outline, Span, outline};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::context::ToolContext;
use crate::observation::Observation;
use crate::render::{self, Stop, counted};
use crate::tool::TypedTool;

/// Fields of one class that are listed; generated tables can have thousands.
const FIELDS_SHOWN: usize = 40;

pub(crate) struct GetClassesAndMethods;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GetClassesAndMethodsArgs {
    /// Relative to the project.
    file_path: String,
}

impl TypedTool for GetClassesAndMethods {
    type Args = GetClassesAndMethodsArgs;
    const NAME: &'static str = "get_classes_and_methods";
    const DESCRIPTION: &'static str =
        "List the classes, methods and fields of a file, with signatures and lines.";
    const ONLY_READS: bool = true;

    async fn run(
        args: GetClassesAndMethodsArgs,
        context: &mut ToolContext<'_>,
    ) -> Result<Observation, Failure> {
        render::settle(list(&args, context))
    }
}

fn list(args: &GetClassesAndMethodsArgs, context: &ToolContext<'_>) -> Result<Observation, Stop> {
    let found = render::open(context.project(), &args.file_path)?;
    let language = render::language_of(&found.path)?;
    let outline = outline(language, &found.source);
    let total = found.source.line_count();
    let mut text =
        format!("{}{} ({}, {}):\n", found.note, found.path, language.name(), counted(total, "line"));
    if let Some(package) = &outline.package {
        text.push_str(&format!("package {package}\n"));
    }
    if outline.syntax_errors > 0 {
        text.push_str(&format!(
            "{} could not be parsed; what stands there may be missing.\n",
            counted(outline.syntax_errors, "place")
        ));
    }
    let body = Tree::of(&outline);
    text.push_str(if body.is_empty() { "It declares no class, function or variable.\n" } else { &body });
    let data = json!({ "path": found.path, "language": language.name(), "total": total, "outline": outline });
    Ok(Observation::done(text, data).keep_text())
}

/// Declarations as an indented list.
struct Tree {
    text: String,
}

impl Tree {
    fn of(outline: &Outline) -> String {
        let mut tree = Self { text: String::new() };
        tree.fields(&outline.fields, 0);
        let functions = outline.functions.iter().map(Item::Method);
        tree.items(outline.classes.iter().map(Item::Class).chain(functions).collect(), 0);
        tree.text
    }

    fn class(&mut self, class: &Class, depth: usize) {
        self.line(depth, &class.signature, class.lines);
        self.fields(&class.fields, depth + 1);
        let methods = class.methods.iter().map(Item::Method);
        self.items(class.classes.iter().map(Item::Class).chain(methods).collect(), depth + 1);
    }

    /// Classes and methods in the order of the file.
    fn items(&mut self, mut items: Vec<Item<'_>>, depth: usize) {
        items.sort_by_key(Item::line);
        for item in items {
            match item {
                Item::Class(class) => self.class(class, depth),
                Item::Method(method) => self.line(depth, &method.signature, method.lines),
            }
        }
    }

    fn fields(&mut self, fields: &[Field], depth: usize) {
        let shown: Vec<String> =
            fields.iter().map(|field| format!("{} ({})", field.name, span(field.lines))).collect();
        if !shown.is_empty() {
            let indent = "  ".repeat(depth);
            let what = if depth == 0 { "variables" } else { "fields" };
            self.text.push_str(&format!("{indent}{what}: {}\n", render::listed(&shown, FIELDS_SHOWN)));
        }
    }

    fn line(&mut self, depth: usize, signature: &str, lines: Span) {
        self.text.push_str(&format!("{}{signature} ({})\n", "  ".repeat(depth), span(lines)));
    }
}

enum Item<'a> {
    Class(&'a Class),
    Method(&'a Method),
}

impl Item<'_> {
    fn line(&self) -> (u32, u32) {
        match self {
            Self::Class(class) => (class.lines.first, class.declaration_line),
            Self::Method(method) => (method.lines.first, method.declaration_line),
        }
    }
}

fn span(lines: Span) -> String {
    if lines.first == lines.last {
        format!("line {}", lines.first)
    } else {
        format!("lines {}-{}", lines.first, lines.last)
    }
}
