//! `patchwright bench …`: what can be typed.

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use patchwright_runs::{Selection, StatusSelection};
use patchwright_swe_bench::Rules;
use patchwright_swt_bench::Subset;

use crate::options::{
    AgentlessOptions, BudgetOptions, HumanDuration, LayoutChoice, ModelOptions, NameMatchingChoice,
    PromptOptions, SessionOptions,
};

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum BenchCommand {
    /// Repair the cases of a suite, a session for each
    Run(Box<RunArgs>),
    /// Try the developers' fixes: whether a suite accepts its own answers on this machine
    Gold(Box<RunArgs>),
    /// Judge predictions of SWE-bench, SWT-Bench or TDD-Bench as the official programs do: test them in containers, or read logs of tests
    Grade(Box<GradeArgs>),
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
    /// Where the cases come from: manifest:FILE, swe-bench:FILE, defects4j:DIR or gitbug-java:DIR
    #[arg(long, value_name = "KIND:PATH", help_heading = "Cases")]
    pub suite: String,

    /// Only these cases, in this order, comma-separated or one by one
    #[arg(long, value_name = "ID", value_delimiter = ',', help_heading = "Cases")]
    pub case: Vec<String>,

    /// Only cases whose id matches this regular expression
    #[arg(long, value_name = "REGEX", help_heading = "Cases")]
    pub filter: Option<String>,

    /// Only a part of them, as Python slices: 0:50, :10, -20:
    #[arg(long, value_name = "A:B", allow_hyphen_values = true, help_heading = "Cases")]
    pub slice: Option<String>,

    /// In an order that this number makes
    #[arg(long, value_name = "SEED", help_heading = "Cases")]
    pub shuffle: Option<u64>,

    /// Values that hold where nothing else is said: `paper` are those of the reference programs
    #[arg(long, value_enum, value_name = "NAME", help_heading = "Session")]
    pub preset: Option<Preset>,

    /// How the run is carried out.
    #[command(flatten)]
    pub carrying: Carrying,

    /// What each session is told.
    #[command(flatten)]
    pub options: SessionOptions,
}

impl RunArgs {
    /// Which cases are meant.
    pub fn selection(&self) -> Selection {
        Selection {
            ids: self.case.clone(),
            filter: self.filter.clone(),
            shuffle: self.shuffle,
            slice: self.slice.clone(),
        }
    }
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
    /// The folder of the run; report.json and predictions.jsonl in it are made anew
    #[arg(value_name = "RUN")]
    pub run: PathBuf,

    /// How it is shown.
    #[command(flatten)]
    pub views: Views,
}

/// `patchwright bench compare`
#[derive(Args, Debug)]
pub struct CompareArgs {
    /// The folders of the runs
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

/// `patchwright bench grade`
#[derive(Args, Debug)]
pub struct GradeArgs {
    /// The dataset: swe-bench:FILE, swt-bench:FILE or tdd-bench:FILE (JSON, JSON Lines, Parquet, or a folder with SPLIT.parquet)
    #[arg(long, value_name = "KIND:PATH")]
    pub suite: String,

    /// The split, where the dataset is a folder with several
    #[arg(long, value_name = "NAME")]
    pub split: Option<String>,

    /// The predictions: a .json or .jsonl file, the folder of a run of ours, which then keeps the verdicts too, or `gold` for the developers' fixes [default: the patches beside the logs]
    #[arg(long, value_name = "FILE|RUN|gold", required_unless_present = "logs")]
    pub predictions: Option<String>,

    /// Only these cases, comma-separated or one by one
    #[arg(long, value_name = "ID", value_delimiter = ',', conflicts_with = "logs")]
    pub case: Vec<String>,

    /// A folder with logs of tests that were run, in the official layout (or, for SWE-bench, in that of 1.x), instead of containers
    #[arg(long, value_name = "DIR")]
    pub logs: Option<PathBuf>,

    /// How it is tested in containers.
    #[command(flatten)]
    pub testing: Testing,

    /// The rules of SWE-bench: v5 (newest), v4 (classic: 2.1 to 4.1) or v1
    #[arg(long, value_name = "RULES", default_value = "v5", value_parser = rules)]
    pub rules: Rules,

    /// Folder for the reports, in the official layout
    #[arg(long, value_name = "DIR", default_value = "graded")]
    pub out: PathBuf,

    /// What only benchmarks of tests know.
    #[command(flatten)]
    pub tests: TestGrading,

    /// Print the report of the run as one JSON object
    #[arg(long)]
    pub json: bool,
}

/// How tests for issues are judged.
#[derive(Args, Clone, Debug)]
#[allow(clippy::struct_excessive_bools)] // each is an option of its own; they do not form a state
pub struct TestGrading {
    /// Also count where a test fails before by an assertion, or with an error that the issue names
    #[arg(long, help_heading = "SWT-Bench and TDD-Bench")]
    pub strict: bool,

    /// The predictions were run as scripts, whose exit status is the verdict
    #[arg(long, help_heading = "SWT-Bench and TDD-Bench")]
    pub script: bool,

    /// The official subset by whose size measures are divided: lite, verified, full, or own for the rows of the file [default: by the number of rows]
    #[arg(long, value_name = "NAME", value_parser = subset, help_heading = "SWT-Bench and TDD-Bench")]
    pub subset: Option<Subset>,

    /// In containers, run only the test files of predictions; officially all of a prediction is applied
    #[arg(long, conflicts_with = "logs", help_heading = "SWT-Bench and TDD-Bench")]
    pub tests_only: bool,

    /// Print the table as Markdown
    #[arg(long, conflicts_with = "json", help_heading = "SWT-Bench and TDD-Bench")]
    pub markdown: bool,
}

impl TestGrading {
    /// The options that were given, none of which SWE-bench knows.
    pub fn given(&self) -> Vec<&'static str> {
        let Self { strict, script, subset, tests_only, markdown } = self;
        let all = [
            (*strict, "--strict"),
            (*script, "--script"),
            (subset.is_some(), "--subset"),
            (*tests_only, "--tests-only"),
            (*markdown, "--markdown"),
        ];
        all.into_iter().filter_map(|(given, name)| given.then_some(name)).collect()
    }
}

fn subset(name: &str) -> Result<Subset, String> {
    Subset::named(name).ok_or_else(|| "give lite, verified, full or own".to_owned())
}

/// How predictions are tested in containers.
#[derive(Args, Clone, Debug)]
pub struct Testing {
    /// Cases tested at once
    #[arg(long, value_name = "N", default_value = "1", conflicts_with = "logs", help_heading = "Containers")]
    pub workers: NonZeroUsize,

    /// Images pulled at once [default: --workers, at most 4]
    #[arg(long, value_name = "N", conflicts_with = "logs", help_heading = "Containers")]
    pub pulls: Option<NonZeroUsize>,

    /// GiB that pulled images may take: those not used for longest are removed [default: no limit]
    #[arg(long, value_name = "GIB", conflicts_with = "logs", help_heading = "Containers")]
    pub images_gib: Option<u64>,

    /// Time that the tests of a case may take
    #[arg(
        long,
        value_name = "TIME",
        default_value = "30m",
        conflicts_with = "logs",
        help_heading = "Containers"
    )]
    pub timeout: HumanDuration,

    /// Keep containers off the network; many official scripts install from it
    #[arg(long, conflicts_with = "logs", help_heading = "Containers")]
    pub offline: bool,

    /// Reset test files as the official scripts do, where that does nothing in some cases
    #[arg(long, conflicts_with = "logs", help_heading = "Containers")]
    pub official_reset: bool,

    /// Test again what has a verdict: the same patch in the same image by the same script
    #[arg(long, conflicts_with = "logs", help_heading = "Containers")]
    pub again: bool,

    /// The name of the run, a part of the reports' paths
    #[arg(long, value_name = "NAME", conflicts_with = "logs", help_heading = "Containers")]
    pub run_id: Option<String>,
}

fn rules(name: &str) -> Result<Rules, String> {
    Rules::named(name).ok_or_else(|| "give v5 (newest), v4 (classic) or v1".to_owned())
}

/// How a run is carried out; a resumed run may be carried out otherwise.
#[derive(Args, Clone, Debug)]
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

    /// Print the run's end as one JSON object
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

/// Options of a session that a case has an answer to.
pub const OF_CASES: [&str; 10] =
    ["test", "test_one", "build", "results", "failing", "issue", "hidden", "line", "container", "resume"];

fn is_of_cases(option: &str) -> bool {
    OF_CASES.contains(&option)
}
