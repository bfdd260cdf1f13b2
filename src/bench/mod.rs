//! `patchwright bench`: the cases of a benchmark, one session each.

mod bar;
mod batch;
mod draw;
mod evaluate;
mod filter;
mod fix_reports;
mod gold;
mod grade;
mod graded;
mod issues;
mod kept;
mod limits;
mod rate_limited_driver;
mod repairer;
mod report;
mod resolved;
mod review;
mod suite;
mod swe_bench;
mod swt_bench;

use patchwright_command_line::bench::BenchCommand;
use patchwright_protocol::Failure;

use crate::bench::batch::Kind;
use crate::failure::ExitCode;

/// Carries a subcommand out.
pub async fn run(command: &BenchCommand) -> Result<ExitCode, Failure> {
    match command {
        BenchCommand::Run(args) => batch::begin(args, Kind::Sessions).await,
        BenchCommand::Gold(args) => gold::run(args).await,
        BenchCommand::Grade(args) => grade::run(args).await,
        BenchCommand::Report(args) => report::report(args),
        BenchCommand::Compare(args) => report::compare(args),
        BenchCommand::Review(args) => review::run(args).await,
        BenchCommand::Resume(args) => batch::resume(args).await,
    }
}
