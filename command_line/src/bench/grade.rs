//! `patchwright bench grade`: what can be typed.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use patchwright_swe_bench::Rules;
use patchwright_swt_bench::Subset;

use crate::options::HumanDuration;

/// Time that the tests of a case may take, officially.
const OFFICIAL_TIME: Duration = Duration::from_mins(30);
/// The options that are about containers alone.
const OF_CONTAINERS: [&str; 8] =
    ["workers", "pulls", "images_gib", "timeout", "offline", "official_reset", "again", "run_id"];

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

    /// For benchmarks of tests: fixes that the predicted tests filter, in the same forms. A fix is kept where the tests fail without it and
    /// pass with it
    #[arg(
        long,
        value_name = "FILE|RUN|gold",
        requires = "predictions",
        conflicts_with = "logs",
        help_heading = "Fixes filtered by tests"
    )]
    pub fixes: Option<String>,

    /// Which of the fixes are right: an official report of SWE-bench on them (`resolved_ids`) [default: what the run of the fixes keeps
    /// of `bench grade`, or else the golden tests]
    #[arg(long, value_name = "FILE", requires = "fixes", help_heading = "Fixes filtered by tests")]
    pub truth: Option<PathBuf>,

    /// Only these cases, comma-separated or one by one
    #[arg(long, value_name = "ID", value_delimiter = ',', conflicts_with = "logs")]
    pub case: Vec<String>,

    /// A folder with logs of tests that were run, in the official layout (or, for SWE-bench, in that of 1.x), instead of containers
    #[arg(long, value_name = "DIR", conflicts_with_all = OF_CONTAINERS)]
    pub logs: Option<PathBuf>,

    /// How it is tested in containers.
    #[command(flatten)]
    pub testing: Testing,

    /// The rules of SWE-bench: v5 (newest), v4 (classic: 2.1 to 4.1) or v1 [default: v5]
    #[arg(long, value_name = "RULES", value_parser = rules)]
    pub rules: Option<Rules>,

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

impl GradeArgs {
    /// The options that were given and that only SWE-bench knows.
    pub fn of_fixes(&self) -> Option<&'static str> {
        let all = [
            (self.rules.is_some(), "--rules"),
            (self.testing.pulls.is_some(), "--pulls"),
            (self.testing.official_reset, "--official-reset"),
        ];
        all.into_iter().find_map(|(given, name)| given.then_some(name))
    }
}

/// How tests for issues are judged.
#[derive(Args, Clone, Debug, Default)]
#[allow(clippy::struct_excessive_bools)] // each is an option of its own; they do not form a state
pub struct TestGrading {
    /// Also count where a test fails before by an assertion, or with an error that the issue names
    #[arg(long, help_heading = "SWT-Bench and TDD-Bench")]
    pub strict: bool,

    /// Predictions are scripts, whose exit status is the verdict: the logs are of such, or in containers they are run so
    #[arg(long, help_heading = "SWT-Bench and TDD-Bench")]
    pub script: bool,

    /// The path of the script that predictions add [default: the only file in Python that each adds]
    #[arg(
        long,
        value_name = "PATH",
        requires = "script",
        conflicts_with_all = ["logs", "tests_only"],
        help_heading = "SWT-Bench and TDD-Bench"
    )]
    pub script_name: Option<String>,

    /// The official subset by whose size measures are divided: lite, verified, full, or own for the rows of the file [default: by the number of rows]
    #[arg(long, value_name = "NAME", value_parser = subset, help_heading = "SWT-Bench and TDD-Bench")]
    pub subset: Option<Subset>,

    /// In containers, run only the test files of predictions; officially all of a prediction is applied
    #[arg(long, conflicts_with_all = ["logs", "script"], help_heading = "SWT-Bench and TDD-Bench")]
    pub tests_only: bool,

    /// Print the table as Markdown
    #[arg(long, conflicts_with = "json", help_heading = "SWT-Bench and TDD-Bench")]
    pub markdown: bool,
}

impl TestGrading {
    /// The options that were given, none of which SWE-bench knows.
    pub fn given(&self) -> Vec<&'static str> {
        let Self { strict, script, script_name, subset, tests_only, markdown } = self;
        let all = [
            (*strict, "--strict"),
            (*script, "--script"),
            (script_name.is_some(), "--script-name"),
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
    #[arg(long, value_name = "N", default_value = "1", help_heading = "Containers")]
    pub workers: NonZeroUsize,

    /// Images pulled at once [default: --workers, at most 4]
    #[arg(long, value_name = "N", help_heading = "Containers")]
    pub pulls: Option<NonZeroUsize>,

    /// GiB that pulled images may take: those not used for longest are removed [default: no limit]
    #[arg(long, value_name = "GIB", help_heading = "Containers")]
    pub images_gib: Option<u64>,

    /// Time that the tests of a case may take [default: 30m]
    #[arg(long, value_name = "TIME", help_heading = "Containers")]
    pub timeout: Option<HumanDuration>,

    /// Keep containers off the network; many official scripts install from it
    #[arg(long, help_heading = "Containers")]
    pub offline: bool,

    /// Reset test files as the official scripts do, where that does nothing in some cases
    #[arg(long, help_heading = "Containers")]
    pub official_reset: bool,

    /// Test again what was tested: the same patch in the same image by the same script. Of tests for issues, also the runs with the golden
    /// tests or without new ones, which predictions share
    #[arg(long, help_heading = "Containers")]
    pub again: bool,

    /// The name of the run, a part of the reports' paths
    #[arg(long, value_name = "NAME", help_heading = "Containers")]
    pub run_id: Option<String>,
}

impl Testing {
    /// The time that the tests of a case may take.
    pub fn time(&self) -> Duration {
        self.timeout.map_or(OFFICIAL_TIME, |time| time.0)
    }
}

fn rules(name: &str) -> Result<Rules, String> {
    Rules::named(name).ok_or_else(|| "give v5 (newest), v4 (classic) or v1".to_owned())
}
