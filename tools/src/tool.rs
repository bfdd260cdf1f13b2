//! A tool: typed outside, erased inside.

use std::future::Future;

use async_trait::async_trait;
use patchwright_detection::ProjectSpec;
use patchwright_edits::EditRules;
use patchwright_protocol::{BugEvidence, Failure};
use patchwright_syntax::{Language, Project};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::context::ToolContext;
use crate::observation::Observation;

/// What is known when it is decided whether a call has to wait for the tests before any change.
#[derive(Clone, Copy)]
pub struct CallContext<'a> {
    /// How the project is tested.
    pub spec: &'a ProjectSpec,
    /// What shows the bug, as far as that is known.
    pub evidence: BugEvidence,
}

/// A tool as it is written: with a type for its arguments.
/// ```
/// use patchwright_protocol::Failure;
/// use patchwright_tools::{Observation, ToolContext, TypedTool};
///
/// struct CountFiles;
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct CountFilesArgs {
///     /// How the names of the files end.
///     extension: String,
/// }
///
/// impl TypedTool for CountFiles {
///     type Args = CountFilesArgs;
///     const NAME: &'static str = "count_files";
///     const DESCRIPTION: &'static str = "Count the files of an extension.";
///     const ALIASES: &'static [&'static str] = &["number_of_files"];
///
///     async fn run(args: CountFilesArgs, context: &mut ToolContext<'_>) -> Result<Observation, Failure> {
///         let paths = context.project().files().map_err(Failure::environment)?;
///         let count = paths.iter().filter(|path| path.as_str().ends_with(&args.extension)).count();
///         Ok(Observation::done(format!("{count} files."), serde_json::json!({ "count": count })))
///     }
/// }
/// ```
pub trait TypedTool: Send + Sync + 'static {
    /// The arguments. Doc comments become descriptions in the schema.
    type Args: DeserializeOwned + JsonSchema + Send;
    /// The name, as the model writes it.
    const NAME: &'static str;
    /// The purpose of the tool, in a sentence or two, for the prompt.
    const DESCRIPTION: &'static str;
    /// Other names that a call of it is understood by: those of the paper's program, and what models write from habit.
    const ALIASES: &'static [&'static str] = &[];
    /// Is true if a call may come again with the same arguments, because its meaning lies in the moment.
    const REPEATABLE: bool = false;
    /// Whether the time of a call counts as that of tests.
    const RUNS_TESTS: bool = false;
    /// Whether a call changes neither the project nor what the session believes, so that another of the same reply may follow it.
    const ONLY_READS: bool = false;

    /// Puts the languages of a project into the schema of the arguments, where these speak of languages.
    fn suit(_schema: &mut Value, _project: Option<Language>) {}

    /// Is true if a call needs to know the tests before any change, and has to wait for them where they still run.
    fn needs_baseline(_args: &Self::Args, _context: &CallContext<'_>) -> bool {
        false
    }

    /// The change that a call would make, for a person who decides about it: a diff, or why there is none. `None` if the
    /// tool changes nothing.
    fn preview(_args: Self::Args, _project: &Project, _rules: &EditRules) -> Option<String> {
        None
    }

    /// Runs the tool.
    ///
    /// # Errors
    /// Only where somebody else than the model must act.
    fn run(
        args: Self::Args,
        context: &mut ToolContext<'_>,
    ) -> impl Future<Output = Result<Observation, Failure>> + Send;
}

/// A tool as the loop sees it.
/// ```
/// let tool = patchwright_tools::find("read_range").ok_or("no such tool")?;
/// assert_eq!(tool.schema(None)["required"], serde_json::json!(["file_path", "start_line", "end_line"]));
/// assert!(tool.aliases().contains(&"read_lines"));
/// assert!(!tool.repeatable());
/// # Ok::<(), &str>(())
/// ```
#[async_trait]
pub trait Tool: Send + Sync {
    /// The name, as the model writes it.
    fn name(&self) -> &'static str;
    /// The purpose of the tool.
    fn description(&self) -> &'static str;
    /// The JSON schema of the arguments, in a project in a language or an unknown one: a closed object without references.
    fn schema(&self, project: Option<Language>) -> Value;
    /// Other names that a call of it is understood by.
    fn aliases(&self) -> &'static [&'static str] {
        &[]
    }
    /// Is true if a call may come again with the same arguments.
    fn repeatable(&self) -> bool {
        false
    }
    /// Whether the time of a call counts as that of tests.
    fn runs_tests(&self) -> bool {
        false
    }
    /// Whether another call of the same reply may follow a call (see [`TypedTool::ONLY_READS`]).
    fn only_reads(&self) -> bool {
        false
    }
    /// Is true if a call has to wait for the tests before any change (see [`TypedTool::needs_baseline`]).
    fn needs_baseline(&self, _arguments: &Value, _context: &CallContext<'_>) -> bool {
        false
    }
    /// The change that a call would make (see [`TypedTool::preview`]).
    fn preview(&self, _arguments: &Value, _project: &Project, _rules: &EditRules) -> Option<String> {
        None
    }
    /// Runs the tool with arguments that fit the schema.
    ///
    /// # Errors
    /// Only where somebody else than the model must act.
    async fn run(&self, arguments: Value, context: &mut ToolContext<'_>) -> Result<Observation, Failure>;
}

/// The erased twin of a typed tool.
pub(crate) struct Erased<T>(std::marker::PhantomData<fn() -> T>);

impl<T> Erased<T> {
    pub(crate) const fn new() -> Self {
        Self(std::marker::PhantomData)
    }
}

#[async_trait]
impl<T: TypedTool> Tool for Erased<T> {
    fn name(&self) -> &'static str {
        T::NAME
    }

    fn description(&self) -> &'static str {
        T::DESCRIPTION
    }

    fn schema(&self, project: Option<Language>) -> Value {
        let mut schema = closed_schema::<T::Args>();
        T::suit(&mut schema, project);
        schema
    }

    fn aliases(&self) -> &'static [&'static str] {
        T::ALIASES
    }

    fn repeatable(&self) -> bool {
        T::REPEATABLE
    }

    fn runs_tests(&self) -> bool {
        T::RUNS_TESTS
    }

    fn only_reads(&self) -> bool {
        T::ONLY_READS
    }

    fn needs_baseline(&self, arguments: &Value, context: &CallContext<'_>) -> bool {
        T::Args::deserialize(arguments).is_ok_and(|args| T::needs_baseline(&args, context))
    }

    fn preview(&self, arguments: &Value, project: &Project, rules: &EditRules) -> Option<String> {
        T::preview(T::Args::deserialize(arguments).ok()?, project, rules)
    }

    async fn run(&self, arguments: Value, context: &mut ToolContext<'_>) -> Result<Observation, Failure> {
        let args = match serde_json::from_value(arguments) {
            Ok(args) => args,
            Err(error) => {
                return Ok(Observation::refused(format!(
                    "The arguments of {} cannot be used: {error}.",
                    T::NAME
                )));
            }
        };
        let mut observation = T::run(args, context).await?;
        if let (Some(gathered), Value::Object(fields)) = (&observation.gathered, &mut observation.data) {
            let kept = serde_json::to_value(gathered).map_err(Failure::defect)?;
            fields.insert("gathered".to_owned(), kept);
        }
        Ok(observation)
    }
}

/// The schema of a type as tool calling wants it: no references, no further properties, no noise.
fn closed_schema<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let generator = settings.with_transform(RecursiveTransform(close)).into_generator();
    let mut schema = generator.into_root_schema_for::<T>().to_value();
    if let Some(fields) = schema.as_object_mut() {
        // The tool's own description says it better than the name of a Rust type.
        fields.remove("title");
        fields.remove("description");
        fields.entry("properties").or_insert_with(|| Value::Object(serde_json::Map::new()));
    }
    schema
}

/// Puts a text into the description of an argument, in the place of `mark`.
pub(crate) fn fill(schema: &mut Value, argument: &str, mark: &str, text: &str) {
    let path = format!("/properties/{argument}/description");
    if let Some(Value::String(description)) = schema.pointer_mut(&path) {
        *description = description.replace(mark, text);
    }
}

fn close(schema: &mut schemars::Schema) {
    let Some(fields) = schema.as_object_mut() else { return };
    for noise in ["title", "format"] {
        // Only the keyword: a property of that name is an object.
        if fields.get(noise).is_some_and(Value::is_string) {
            fields.remove(noise);
        }
    }
    if fields.get("type").is_some_and(|kind| kind == "object") {
        fields.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
    if let Some(Value::String(text)) = fields.get_mut("description") {
        *text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    }
}
