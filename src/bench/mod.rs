//! `patchwright bench`: the cases of a benchmark, one session each.

mod bar;
mod batch;
mod divided;
mod draw;
mod evaluate;
mod filter;
mod fix_reports;
mod gold;
mod grade;
mod graded;
mod issues;
mod kept;
mod kubernetes;
mod ledger;
mod limits;
mod merge;
mod planned;
mod rate_limited_driver;
mod repairer;
mod report;
mod resolved;
mod resume;
mod review;
mod slurm;
mod status;
mod suite;
mod swe_bench;
mod swt_bench;
mod words;

use patchwright_command_line::bench::BenchCommand;
use patchwright_command_line::bench::parts::Cluster;
use patchwright_protocol::Failure;

pub use ledger::{check as check_ledger, work};

use crate::bench::batch::Kind;
use crate::failure::ExitCode;

/// Carries a subcommand out.
pub async fn run(command: &BenchCommand) -> Result<ExitCode, Failure> {
    match command {
        BenchCommand::Run(args) => match &args.cluster.on {
            Some(Cluster::Slurm) => slurm::submit(args).await,
            Some(Cluster::Ledger(url)) => ledger::submit(args, url).await,
            None => match resume::begun(args).await {
                Some(begun) => resume::run(&begun).await,
                None => batch::begin(args, Kind::Sessions).await,
            },
        },
        BenchCommand::Plan(args) => planned::run(args).await,
        BenchCommand::Gold(args) => gold::run(args).await,
        BenchCommand::Grade(args) => grade::run(args).await,
        BenchCommand::Status(args) => status::run(args).await,
        BenchCommand::Manifests(args) => kubernetes::print(args),
        BenchCommand::Cancel(args) => match ledger::Pointer::read(&args.run)? {
            Some(pointer) => ledger::cancel(&pointer).await,
            None => slurm::cancel(&args.run).await,
        },
        BenchCommand::Merge(args) => merge::run(args).await,
        BenchCommand::Report(args) => report::report(args),
        BenchCommand::Compare(args) => report::compare(args),
        BenchCommand::Review(args) => review::run(args).await,
        BenchCommand::Resume(args) => resume::run(args).await,
    }
}
