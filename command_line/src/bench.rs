//! `patchwright bench …`: what can be typed.

pub mod gold;
pub mod grade;
pub mod parts;

use std::num::NonZeroU32;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use patchwright_folder::{LONGEST_FILE, read_text_file};
use patchwright_runs::{Part, Selection, StatusSelection};

use crate::bench::gold::GoldArgs;
use crate::bench::grade::GradeArgs;
use crate::bench::parts::{CancelArgs, ClusterOptions, ManifestArgs, MergeArgs, StatusArgs};
use crate::options::{
    AgentlessOptions, BudgetOptions, HumanDuration, LayoutChoice, ModelOptions, NameMatchingChoice,
    PromptOptions, SessionOptions, WritingOptions,
};
use crate::suite::suite_help;

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum BenchCommand {
    /// Repair the cases of a suite, or write tests for their issues, a session for each
    Run(Box<RunArgs>),
    /// Tell what a run will need, by what earlier ones needed: time, tokens, cost, disk, memory, images
    Plan(Box<PlanArgs>),
    /// Try the developers' fixes, or their tests: whether a suite accepts its own answers on this machine
    Gold(Box<GoldArgs>),
    /// Judge predictions of SWE-bench, SWT-Bench or TDD-Bench as the official programs do: test them in containers, or read logs of tests
    Grade(Box<GradeArgs>),
    /// Tell how far a run is, or all parts of one that lie in a folder
    Status(StatusArgs),
    /// Print manifests by which a cluster carries a run out
    Manifests(Box<ManifestArgs>),
    /// Cancel the tasks of a run that was handed over to a cluster
    Cancel(CancelArgs),
    /// Put parts of a run, or runs of the same settings, together as one run in a new folder
    Merge(MergeArgs),
    /// Tell what a run came to
    Report(ReportArgs),
    /// Tell what runs came to, side by side
    Compare(CompareArgs),
    /// Judge plausible patches by eye, beside the developers' fixes
    Review(ReviewArgs),
    /// Go on with a run: what has no answer is tried again, in new attempts
    Resume(Box<ResumeArgs>),
}

/// `patchwright bench run`
#[derive(Args, Debug)]
#[command(mut_args(|option| if is_of_cases(option.get_id().as_str()) { option.hide(true) } else { option }))]
pub struct RunArgs {
    /// Where the cases come from.
    #[arg(long, value_name = "KIND:PATH", help_heading = "Cases", help = suite_help(
        "Tests are written for those of swt-bench and tdd-bench, and with --method for those of manifest and swe-bench"
    ))]
    pub suite: String,

    /// Which of them.
    #[command(flatten)]
    pub cases: CaseOptions,

    /// Only the I-th of N shares of them: each is run by itself, on another machine or later, and all write below one --out, which
    /// `bench report` reads as one run. --run-usd, --run-tokens and --requests-per-minute are said of all, and shared out
    #[arg(long, value_name = "I/N", requires = "out", help_heading = "Cases")]
    pub part: Option<Part>,

    /// Where the run, or the part, has begun already, go on with it, as `bench resume` does: what schedulers start again says so
    #[arg(long, requires = "out", help_heading = "Cases")]
    pub go_on: bool,

    /// How a cluster is used.
    #[command(flatten)]
    pub cluster: ClusterOptions,

    /// Values that hold where nothing else is said: `paper` are those of the reference programs
    #[arg(long, value_enum, value_name = "NAME", help_heading = "Session")]
    pub preset: Option<Preset>,

    /// How tests are written, where a test is the goal.
    #[command(flatten)]
    pub writing: WritingOptions,

    /// How the run is carried out.
    #[command(flatten)]
    pub carrying: Carrying,

    /// What each session is told.
    #[command(flatten)]
    pub options: SessionOptions,
}

impl RunArgs {
    /// All that sessions are told.
    pub fn of_sessions(&self) -> SessionOptions {
        SessionOptions { writing: self.writing.clone(), ..self.options.clone() }
    }
}

/// `patchwright bench plan`
#[derive(Args, Debug)]
#[command(mut_args(|option| if is_of_cases(option.get_id().as_str()) { option.hide(true) } else { option }))]
pub struct PlanArgs {
    /// Earlier runs, or folders of parts, whose sessions are like those that are planned
    #[arg(long, value_name = "RUN", num_args = 1.., help_heading = "Plan")]
    pub from: Vec<PathBuf>,

    /// Machines that work side by side, each with --workers
    #[arg(long, value_name = "N", default_value = "1", help_heading = "Plan")]
    pub nodes: NonZeroU32,

    /// The run as `bench run` would be told.
    #[command(flatten)]
    pub run: RunArgs,
}

/// Which of the cases of a suite are meant.
#[derive(Args, Clone, Debug, Default)]
pub struct CaseOptions {
    /// Only these cases, in this order, comma-separated or one by one
    #[arg(long, value_name = "ID", value_delimiter = ',', help_heading = "Cases")]
    pub case: Vec<String>,

    /// Only the cases whose ids stand in this file, in this order, one to a line; `#` begins a comment
    #[arg(long, value_name = "FILE", value_parser = ids_of_file, conflicts_with = "case", help_heading = "Cases")]
    pub cases_from: Option<Ids>,

    /// Only cases whose id matches this regular expression
    #[arg(long, value_name = "REGEX", help_heading = "Cases")]
    pub filter: Option<String>,

    /// Only a part of them, as Python slices: 0:50, :10, -20:
    #[arg(long, value_name = "A:B", allow_hyphen_values = true, help_heading = "Cases")]
    pub slice: Option<String>,

    /// In an order that this number makes
    #[arg(long, value_name = "SEED", help_heading = "Cases")]
    pub shuffle: Option<u64>,
}

impl CaseOptions {
    /// The same for a run.
    pub fn selection(&self) -> Selection {
        Selection {
            ids: self.cases_from.as_ref().map_or_else(|| self.case.clone(), |ids| ids.0.clone()),
            filter: self.filter.clone(),
            shuffle: self.shuffle,
            slice: self.slice.clone(),
            part: None,
        }
    }
}

/// Ids that stand in a file.
#[derive(Clone, Debug)]
pub struct Ids(Vec<String>);

/// The ids in a file, one to a line.
fn ids_of_file(path: &str) -> Result<Ids, String> {
    let text = read_text_file(path.as_ref(), LONGEST_FILE).map_err(|error| error.to_string())?;
    let ids = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    let ids: Vec<String> = ids.filter(|id| !id.is_empty()).map(str::to_owned).collect();
    if ids.is_empty() { Err("it names no case: write one id to a line".to_owned()) } else { Ok(Ids(ids)) }
}

/// Values under one name.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub enum Preset {
    /// Those of RepairAgent (arXiv 2403.17134) and Agentless (arXiv 2407.01489).
    Paper,
}

impl Preset {
    /// The options that it stands for.
    pub fn options(self) -> SessionOptions {
        match self {
            Self::Paper => SessionOptions {
                budget: BudgetOptions { cycles: Some(40), variants: Some(30), ..BudgetOptions::default() },
                prompt: PromptOptions {
                    layout: Some(LayoutChoice::Paper),
                    name_matching: Some(NameMatchingChoice::Paper),
                    ..PromptOptions::default()
                },
                model: ModelOptions { temperature: Some(0.0), ..ModelOptions::default() },
                agentless: AgentlessOptions {
                    location_samples: Some(4),
                    repairs: Some(10),
                    reproduction_tests: Some(40),
                    sample_temperature: Some(0.8),
                    ..AgentlessOptions::default()
                },
                ..SessionOptions::default()
            },
        }
    }
}

/// `patchwright bench resume`
#[derive(Args, Debug)]
#[command(mut_args(|option| if is_of_cases(option.get_id().as_str()) { option.hide(true) } else { option }))]
pub struct ResumeArgs {
    /// The folder of the run
    #[arg(value_name = "RUN")]
    pub run: PathBuf,

    /// Try cases again that ended so, too: a status (no_fix, model, …) or a class (unfixed, external, …),
    /// comma-separated or one by one
    #[arg(long, value_name = "STATUS", value_delimiter = ',', help_heading = "Cases")]
    pub retry: Vec<StatusSelection>,

    /// Try all cases again
    #[arg(long, help_heading = "Cases")]
    pub redo: bool,

    /// How tests are written, where a test is the goal: as when the run began, or not given at all.
    #[command(flatten)]
    pub writing: WritingOptions,

    /// How the run is carried out.
    #[command(flatten)]
    pub carrying: Carrying,

    /// What each session is told: as when the run began, or not given at all.
    #[command(flatten)]
    pub options: SessionOptions,
}

/// How numbers are shown.
#[derive(Args, Debug)]
pub struct Views {
    /// Print Markdown
    #[arg(long)]
    pub markdown: bool,

    /// Write one HTML file that opens without a network
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,

    /// Print the numbers as one JSON object
    #[arg(long, conflicts_with = "markdown")]
    pub json: bool,
}

/// `patchwright bench report`
#[derive(Args, Debug)]
pub struct ReportArgs {
    /// The folder of the run; report.json and predictions.jsonl in it are made anew. Or a folder that `bench grade` wrote reports into
    #[arg(value_name = "RUN")]
    pub run: PathBuf,

    /// How it is shown.
    #[command(flatten)]
    pub views: Views,
}

/// `patchwright bench compare`
#[derive(Args, Debug)]
pub struct CompareArgs {
    /// The folders of the runs, or all of reports of `bench grade`
    #[arg(value_name = "RUN", num_args = 2.., required = true)]
    pub runs: Vec<PathBuf>,

    /// How it is shown.
    #[command(flatten)]
    pub views: Views,
}

/// `patchwright bench review`
#[derive(Args, Debug)]
pub struct ReviewArgs {
    /// The folder of the run
    #[arg(value_name = "RUN")]
    pub run: PathBuf,

    /// Only these cases, comma-separated or one by one, judged before or not
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    pub case: Vec<String>,

    /// Who judges
    #[arg(long, value_name = "NAME", default_value = "a person")]
    pub by: String,

    /// Judge them correct, without asking
    #[arg(long, requires = "case", conflicts_with = "wrong")]
    pub correct: bool,

    /// Judge them wrong, without asking
    #[arg(long, requires = "case")]
    pub wrong: bool,

    /// Why
    #[arg(long, value_name = "TEXT")]
    pub note: Option<String>,
}

/// How a run is carried out; a resumed run may be carried out otherwise.
#[derive(Args, Clone, Debug, Default)]
pub struct Carrying {
    /// Cases worked on at once: prepared, repaired, cleaned up [default: 1]
    #[arg(long, value_name = "N", help_heading = "Run")]
    pub workers: Option<usize>,

    /// Sessions at once [default: --workers; never more than --tests]
    #[arg(long, value_name = "N", help_heading = "Run")]
    pub sessions: Option<usize>,

    /// Sessions in containers at once [default: twice --workers]
    #[arg(long, value_name = "N", help_heading = "Run")]
    pub containers: Option<usize>,

    /// Cases prepared, and so images pulled, at once [default: --workers, at most 4]
    #[arg(long, value_name = "N", help_heading = "Run")]
    pub pulls: Option<usize>,

    /// Builds and test runs at once, shared out among the sessions as lanes [default: one for each core]
    #[arg(long, value_name = "N", help_heading = "Run")]
    pub tests: Option<usize>,

    /// Questions to the model in a minute; one with several answers counts once [default: no limit]
    #[arg(long, value_name = "N", help_heading = "Run")]
    pub requests_per_minute: Option<NonZeroU32>,

    /// US dollars that the whole run may cost; needs --max-usd for each case
    #[arg(long, value_name = "USD", help_heading = "Run")]
    pub run_usd: Option<f64>,

    /// Tokens that the whole run may use; needs --max-tokens-total for each case
    #[arg(long, value_name = "N", help_heading = "Run")]
    pub run_tokens: Option<u64>,

    /// Time that this process may spend on the run; needs --time-limit for each case
    #[arg(long, value_name = "TIME", help_heading = "Run")]
    pub run_time: Option<HumanDuration>,

    /// GiB that pulled images may take: those not used for longest are removed [default: no limit]
    #[arg(long, value_name = "GIB", help_heading = "Run")]
    pub images_gib: Option<u64>,

    /// GiB of the disk that stay free: no case begins below that [default: 2]
    #[arg(long, value_name = "GIB", help_heading = "Run")]
    pub keep_free: Option<u64>,

    /// Skip a case whose last three attempts were interrupted without progress. For schedulers that requeue a task
    #[arg(long)]
    pub park: bool,

    /// Print the run's end as one JSON object
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

/// Options of a session that a case has an answer to.
pub const OF_CASES: [&str; 10] =
    ["test", "test_one", "build", "results", "failing", "issue", "hidden", "line", "container", "resume"];

pub(crate) fn is_of_cases(option: &str) -> bool {
    OF_CASES.contains(&option)
}
