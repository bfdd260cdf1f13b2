//! What the program does: command line, terminal, composition. Everything else lives in the crates below it.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod apply;
mod bench;
mod bug_input;
mod cancel;
mod catalog;
mod doctor;
mod earlier_change;
mod environment;
mod execute;
mod failure;
mod files;
mod lanes;
mod localize;
mod model;
mod output;
mod plan;
mod progress;
mod renderer;
mod repair;
mod replay;
mod reply;
mod secrets;
mod setup;
mod terminal;
#[cfg(test)]
mod tidy;
mod truth;
mod waiting_line;
mod writing;

use std::process::ExitCode as ProcessExit;

use clap::Parser;
use patchwright_command_line::cli::{Cli, CliCommand, ReplayCommand};
use patchwright_protocol::Failure;
use patchwright_trajectory::Redactor;
use rustix::process::Signal;
use tokio::signal::unix::{SignalKind, signal};

use crate::failure::{ExitCode, told};
use crate::output::{log_to_stderr, print, print_styled, say};

/// Does what the arguments of the process ask for, and gives the status with which it ends.
pub fn main() -> ProcessExit {
    let cli = Cli::parse();
    output::redact_with(Redactor::new(secrets::of_environment().values()));
    log_to_stderr(cli.verbose);
    let code = match run(cli.command) {
        Ok(code) => code,
        Err(failure) => {
            say(&told(&failure));
            ExitCode::from(failure.actor)
        }
    };
    ProcessExit::from(code as u8)
}

fn run(command: CliCommand) -> Result<ExitCode, Failure> {
    match command {
        CliCommand::Repair(args) => wait(repair::run(&args)),
        CliCommand::Test(args) => wait(writing::run(&args)),
        CliCommand::Bench(command) => wait(bench::run(&command)),
        CliCommand::Worker(args) => wait(bench::work(&args)),
        CliCommand::Localize(args) => wait(localize::run(&args)),
        CliCommand::Replay(ReplayCommand::View { file, full }) => replay::view(&file, full),
        CliCommand::Replay(ReplayCommand::Check(args)) => wait(replay::check(&args)),
        CliCommand::Reply(args) => reply::run(&args),
        CliCommand::Apply(args) => apply::run(&args),
        CliCommand::Doctor(args) => wait(doctor::run(&args)),
        CliCommand::Tools(args) => catalog::tools(&args),
        CliCommand::Patterns(args) => catalog::patterns(&args),
        CliCommand::States(args) => catalog::states(&args),
        CliCommand::Completions(args) => catalog::completions(&args),
        CliCommand::Man(args) => catalog::man(&args),
    }
}

/// Runs a command that waits for things; the others start faster without a runtime.
fn wait<F: Future<Output = Result<ExitCode, Failure>>>(work: F) -> Result<ExitCode, Failure> {
    patchwright_sandbox::keep_mounts_apart();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::environment(format!("cannot start the runtime: {error}")))?;
    // A file that may not grow is an error of whoever writes it; unheard, the signal would end the program without a word.
    let heard = {
        let _inside = runtime.enter();
        signal(SignalKind::from_raw(Signal::XFSZ.as_raw()))
    };
    let result = runtime.block_on(work);
    drop(heard);
    // Reading standard input blocks a thread that cannot be woken: do not wait for it.
    runtime.shutdown_background();
    result
}
