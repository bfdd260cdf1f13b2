//! `patchwright bench`: the cases of a benchmark, one session each.

pub mod args;
mod carry;
mod draw;
mod evaluate;
mod grade;
mod repairer;
mod report;
mod review;
mod settled;
mod suite;
mod swe_bench;

use patchwright_protocol::Failure;

use crate::bench::args::BenchCommand;
use crate::bench::carry::Kind;
use crate::failure::ExitCode;

/// Carries a subcommand out.
pub async fn run(command: &BenchCommand) -> Result<ExitCode, Failure> {
    match command {
        BenchCommand::Run(args) => carry::begin(args, Kind::Sessions).await,
        BenchCommand::Gold(args) => carry::begin(args, Kind::Golden).await,
        BenchCommand::Grade(args) => grade::run(args).await,
        BenchCommand::Report(args) => report::report(args),
        BenchCommand::Compare(args) => report::compare(args),
        BenchCommand::Review(args) => review::run(args).await,
        BenchCommand::Resume(args) => carry::resume(args).await,
    }
}
