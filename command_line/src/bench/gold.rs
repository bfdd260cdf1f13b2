//! `patchwright bench gold`: what can be typed.

use std::path::PathBuf;

use clap::Args;

use crate::bench::CaseOptions;
use crate::bench::grade::Testing;
use crate::options::SandboxChoice;
use crate::suite::suite_help;

/// What is told of `--timeout`.
const TIMEOUT: &str = "Time that the tests of a case may take, such as `90s` or `10m` [default: 30m; without images 10m for each command]";

/// `patchwright bench gold`
#[derive(Args, Debug)]
#[command(mut_arg("case", |case| case.help("Only these cases, comma-separated or one by one")))]
#[command(mut_arg("timeout", |timeout| timeout.help(TIMEOUT)))]
pub struct GoldArgs {
    /// Where the cases come from.
    #[arg(long, value_name = "KIND:PATH", help_heading = "Cases", help = suite_help(
        "Of swt-bench and tdd-bench the developers' tests are tried, of all others their fixes"
    ))]
    pub suite: String,

    /// The split, where the dataset is a folder with several [default: test]
    #[arg(long, value_name = "NAME", help_heading = "Cases")]
    pub split: Option<String>,

    /// Which of them.
    #[command(flatten)]
    pub cases: CaseOptions,

    /// How cases are tested in their images.
    #[command(flatten)]
    pub testing: Testing,

    /// How cases without an image of their own are tested.
    #[command(flatten)]
    pub own: OwnCases,

    /// Folder for the reports in the official layout [default: graded], or for the run of a suite without images [default: runs/gold-TIME]
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub out: Option<PathBuf>,

    /// Print the outcome as one JSON object
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

/// How cases are tested for which there are no official images.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Manifests and benchmarks in Java")]
pub struct OwnCases {
    /// Builds and test runs at once [default: one for each core]
    #[arg(long, value_name = "N")]
    pub tests: Option<usize>,

    /// Where builds and tests run; `host` gives no isolation [default: auto]
    #[arg(long, value_name = "SANDBOX", value_enum)]
    pub sandbox: Option<SandboxChoice>,

    /// Container image to run builds and tests in (implies --sandbox docker)
    #[arg(long, value_name = "IMAGE")]
    pub image: Option<String>,

    /// Lets builds and tests use the network
    #[arg(long, conflicts_with = "offline")]
    pub network: bool,

    /// GiB of the disk that stay free: no case begins below that [default: 2]
    #[arg(long, value_name = "GIB")]
    pub keep_free: Option<u64>,
}

impl OwnCases {
    /// The options that were given.
    pub fn given(&self) -> Option<&'static str> {
        let Self { tests, sandbox, image, network, keep_free } = self;
        let all = [
            (tests.is_some(), "tests"),
            (sandbox.is_some(), "sandbox"),
            (image.is_some(), "image"),
            (*network, "network"),
            (keep_free.is_some(), "keep-free"),
        ];
        all.into_iter().find_map(|(given, name)| given.then_some(name))
    }
}

impl GoldArgs {
    /// The name by which the folder of reports is known where none is given.
    pub fn reports(&self) -> PathBuf {
        self.out.clone().unwrap_or_else(|| PathBuf::from("graded"))
    }
}
