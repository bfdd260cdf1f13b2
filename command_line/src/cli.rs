//! The command line: what can be typed.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use patchwright_edits::formats::{EditFormat, UnknownFormat};
use patchwright_fault_localization::Formula;
use patchwright_llm::Provider;

use crate::bench::BenchCommand;
use crate::bench::parts::{Cluster, WorkerArgs};
use crate::options::{
    ApproachOptions, BudgetOptions, ModelOptions, OutputOptions, ProjectOptions, PromptOptions,
    SandboxOptions, SessionOptions, WritingOptions,
};

/// What is said of the program before its commands.
const ABOUT: &str = "An autonomous program-repair agent: a hypothesis-driven loop around a language model, with real tools and real tests.";

/// Repairs bugs: a language model investigates, edits and tests until a fix passes the tests.
#[derive(Debug, Parser)]
#[command(name = "patchwright", version, about = ABOUT, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: CliCommand,

    /// More on stderr: -v for steps inside the program, -vv for all of them
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    pub verbose: u8,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum CliCommand {
    /// Repair the bug that a project's failing tests show
    Repair(Box<RepairArgs>),
    /// Write a test that fails because of the bug that an issue tells of, and no fix
    Test(Box<TestArgs>),
    /// Rank lines by how likely they hold the bug that a project's failing tests show
    Localize(Box<LocalizeArgs>),
    /// Repair the cases of a benchmark, and tell what came of it
    #[command(subcommand)]
    Bench(BenchCommand),
    /// Carry out parts of the runs in a ledger, which `bench run --on postgres://…` puts there
    Worker(WorkerArgs),
    /// Look at or check a recorded trajectory
    #[command(subcommand)]
    Replay(ReplayCommand),
    /// Read a model's reply as the program does: its values, what was repaired, what is damaged
    Reply(ReplyArgs),
    /// Apply edits in any of the formats to a folder, all or none
    Apply(ApplyArgs),
    /// Say what this machine offers: sandboxes, tool chains, keys, withheld secrets; or what a model's service does
    Doctor(DoctorArgs),
    /// List the tools a model can call
    Tools(ToolsArgs),
    /// List the fix patterns
    Patterns(PatternsArgs),
    /// Show the state machine
    States(StatesArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Write the manual pages, one for each command
    Man(ManArgs),
}

/// `patchwright repair`
#[derive(Args, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own on the command line")]
pub struct RepairArgs {
    /// The project
    #[arg(value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,

    /// What the session is told.
    #[command(flatten)]
    pub options: SessionOptions,

    /// Write the patch into the project when one is found
    #[arg(long, help_heading = "Output")]
    pub apply: bool,

    /// With --apply: write the tests that reproduce the issue into the project, too
    #[arg(long, requires = "apply", help_heading = "Output")]
    pub with_tests: bool,

    /// Print the result as one JSON object instead of the patch
    #[arg(long, help_heading = "Output")]
    pub json: bool,

    /// Show each command before it runs, and ask
    #[arg(short, long, help_heading = "Session")]
    pub interactive: bool,
}

/// Options of a session that mean nothing where a test is written; they are refused there.
const OF_FIXES: [&str; 4] = ["mode", "failing", "variants", "variants_of"];
/// What is told of `--model` where a test is written.
fn writer_help() -> String {
    format!(
        "Who writes: {}, replay:FILE (a recorded trajectory), or human for --method agent",
        Provider::listed()
    )
}

/// `patchwright test`
#[derive(Args, Debug)]
#[command(mut_args(|option| if OF_FIXES.contains(&option.get_id().as_str()) { option.hide(true) } else { option }))]
#[command(mut_arg("model", |model| model.help(writer_help())))]
#[command(mut_arg("issue", |issue| issue.help("File with the text of the issue, a folder with an issue.md, or `-` for standard input; it has to be given")))]
pub struct TestArgs {
    /// The project
    #[arg(value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,

    /// How the test is written.
    #[command(flatten)]
    pub writing: WritingOptions,

    /// How the project is tested, and the issue.
    #[command(flatten)]
    pub project: ProjectOptions,

    /// Who writes.
    #[command(flatten)]
    pub approach: ApproachOptions,

    /// What it may cost.
    #[command(flatten)]
    pub budget: BudgetOptions,

    /// Where tests run.
    #[command(flatten)]
    pub sandbox: SandboxOptions,

    /// How the model is reached.
    #[command(flatten)]
    pub model: ModelOptions,

    /// Temperature of samples [default: 0.7]
    #[arg(long, value_name = "T", help_heading = "Model")]
    pub sample_temperature: Option<f32>,

    /// What prompts hold.
    #[command(flatten)]
    pub prompt: PromptOptions,

    /// Trajectory of an earlier session on the same issue by the same fixed method: what was asked and answered there is not asked again
    #[arg(long, value_name = "FILE", help_heading = "Method")]
    pub resume: Option<PathBuf>,

    /// Where the session is recorded.
    #[command(flatten)]
    pub output: OutputOptions,

    /// Write the test into the project when one is found
    #[arg(long, help_heading = "Output")]
    pub apply: bool,

    /// Print the result as one JSON object instead of the patch
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

/// `patchwright localize`
#[derive(Args, Debug)]
pub struct LocalizeArgs {
    /// The project
    #[arg(value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,

    /// How suspiciousness is worked out: ochiai, dstar, tarantula, barinel
    #[arg(long, value_name = "FORMULA", default_value = "ochiai")]
    pub formula: Formula,

    /// Rank by the stack traces of the failing tests alone, without recording what they execute
    #[arg(long, conflicts_with = "formula")]
    pub stack_traces: bool,

    /// Lines shown at most [default: 20; with --json all]
    #[arg(long, value_name = "N")]
    pub top: Option<usize>,

    /// Where the bug is: a golden patch, or a list of `path#line`; tells how far down it is ranked
    #[arg(long, value_name = "FILE")]
    pub truth: Option<PathBuf>,

    /// Print the ranking as one JSON object
    #[arg(long)]
    pub json: bool,

    /// How the project is tested.
    #[command(flatten)]
    pub project: ProjectOptions,

    /// Where it is tested.
    #[command(flatten)]
    pub sandbox: SandboxOptions,
}

/// `patchwright replay …`
#[derive(Debug, Subcommand)]
pub enum ReplayCommand {
    /// Print a trajectory for reading
    View {
        /// The trajectory
        #[arg(value_name = "TRAJECTORY")]
        file: PathBuf,
        /// Prompts and replies too, whole
        #[arg(long)]
        full: bool,
    },
    /// Drive the loop from a recording with real tools and tests, and compare
    Check(Box<CheckArgs>),
}

/// `patchwright replay check`
#[derive(Args, Debug)]
pub struct CheckArgs {
    /// The trajectory
    #[arg(value_name = "TRAJECTORY")]
    pub file: PathBuf,

    /// The project [default: the folder of the trajectory, or the project around its `.patchwright` folder]
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,

    /// Print the outcome as one JSON object
    #[arg(long)]
    pub json: bool,

    /// Compare the whole text of prompts, and not just their sections
    #[arg(long)]
    pub exact_prompts: bool,

    /// Where builds and tests run [default: auto]
    #[arg(long, value_enum)]
    pub sandbox: Option<crate::options::SandboxChoice>,

    /// Container image to run builds and tests in (implies --sandbox docker)
    #[arg(long, value_name = "IMAGE")]
    pub image: Option<String>,
}

/// `patchwright reply`
#[derive(Args, Debug)]
pub struct ReplyArgs {
    /// The reply: a file with any text of a model; `-` reads standard input
    #[arg(value_name = "FILE|-")]
    pub file: PathBuf,

    /// Print the values and what was done to read them as one JSON object
    #[arg(long)]
    pub json: bool,
}

/// `patchwright apply`
#[derive(Args, Debug)]
pub struct ApplyArgs {
    /// A file with the edits, or `-` for standard input
    #[arg(value_name = "EDITS")]
    pub edits: PathBuf,

    /// The folder that they are for
    #[arg(value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,

    /// How they are written: auto, json, search-replace, diff, function, swt, string-replace
    #[arg(long, value_name = "FORMAT", default_value = "auto", value_parser = format_of)]
    pub format: FormatChoice,

    /// Say what would happen and print the diff, but change nothing
    #[arg(long)]
    pub dry_run: bool,

    /// Print the outcome as one JSON object
    #[arg(long)]
    pub json: bool,

    /// Refuse changes of tests and build files; auto does so where the folder has a patchwright.toml
    #[arg(long, value_name = "WHEN", value_enum, default_value = "auto")]
    pub protect: Protection,
}

/// When tests and build files are protected.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum Protection {
    /// Where the folder has settings for repair sessions.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// A format of edits; `None` to find it out.
pub type FormatChoice = Option<EditFormat>;

fn format_of(name: &str) -> Result<FormatChoice, String> {
    if name == "auto" {
        Ok(None)
    } else {
        name.parse().map(Some).map_err(|error: UnknownFormat| error.to_string())
    }
}

/// `patchwright doctor`
#[derive(Args, Debug)]
pub struct DoctorArgs {
    /// Check a cluster instead of this machine, `slurm` or a ledger `postgres://USER@HOST/DATABASE`: whether runs can be handed over from here
    #[arg(value_name = "CLUSTER", conflicts_with_all = ["clean", "model"])]
    pub cluster: Option<Cluster>,

    /// Remove containers and lanes that dead sessions left behind
    #[arg(long)]
    pub clean: bool,

    /// Print the findings as one JSON object
    #[arg(long)]
    pub json: bool,

    /// Ask this model's service what sessions need of it, in a few short questions and one long prompt: context, tool calls, JSON,
    /// reasoning, streaming, price
    #[arg(long, value_name = "MODEL", help_heading = "Model", conflicts_with = "clean")]
    pub model: Option<String>,

    /// Base URL of an OpenAI-compatible service, such as `http://127.0.0.1:8000/v1`
    #[arg(long, value_name = "URL", help_heading = "Model", requires = "model")]
    pub base_url: Option<String>,

    /// File with API keys (`NAME=value` a line), readable by you alone
    #[arg(long, value_name = "FILE", help_heading = "Model", requires = "model")]
    pub key_file: Option<PathBuf>,
}

/// `patchwright tools`
#[derive(Args, Debug)]
pub struct ToolsArgs {
    /// Print names, descriptions and JSON schemas as one JSON array
    #[arg(long)]
    pub schema: bool,
}

/// `patchwright patterns`
#[derive(Args, Debug)]
pub struct PatternsArgs {
    /// Print them as one JSON array
    #[arg(long)]
    pub json: bool,
}

/// `patchwright states`
#[derive(Args, Debug)]
pub struct StatesArgs {
    /// The machine: a TOML file, or `none` [default: built in]
    #[arg(long, value_name = "FILE|none")]
    pub states: Option<String>,

    /// The goal of the sessions that it is for: a fix, or a test (`patchwright test`)
    #[arg(long, value_enum, default_value = "fix", conflicts_with = "states")]
    pub goal: GoalChoice,

    /// Draw it for Mermaid
    #[arg(long, conflicts_with = "dot")]
    pub mermaid: bool,

    /// Draw it for Graphviz
    #[arg(long)]
    pub dot: bool,
}

/// The goal of a session.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum GoalChoice {
    /// A fix.
    Fix,
    /// A test that shows the bug.
    Test,
}

/// `patchwright completions`
#[derive(Args, Debug)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

/// `patchwright man`
#[derive(Args, Debug)]
pub struct ManArgs {
    /// The folder for the pages, made if it is missing
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub out: PathBuf,
}

#[cfg(test)]
mod tests;
