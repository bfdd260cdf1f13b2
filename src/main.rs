//! The program: command line, terminal, composition. Everything else lives in the crates below it.

mod apply;
mod beginning;
mod bench;
mod cancel;
mod catalog;
mod cli;
mod doctor;
mod execute;
mod failure;
mod given;
mod ground;
mod lanes;
mod localize;
mod model;
mod options;
mod plan;
mod progress;
mod repair;
mod replay;
mod reply;
mod settings;
mod talk;
mod terminal;
mod truth;

use std::io::{IsTerminal, Write};
use std::process::ExitCode as ProcessExit;

use clap::Parser;
use rustix::process::Signal;
use tokio::signal::unix::{SignalKind, signal};

use crate::cli::{Cli, Command, ReplayCommand};
use crate::failure::{ExitCode, Failure};

fn main() -> ProcessExit {
    let cli = Cli::parse();
    log_to_stderr(cli.verbose);
    let code = match run(cli.command) {
        Ok(code) => code,
        Err(failure) => {
            say(&failure.to_string());
            failure.code()
        }
    };
    ProcessExit::from(code as u8)
}

fn run(command: Command) -> Result<ExitCode, Failure> {
    match command {
        Command::Repair(args) => wait(repair::run(&args)),
        Command::Bench(command) => wait(bench::run(&command)),
        Command::Localize(args) => wait(localize::run(&args)),
        Command::Replay(ReplayCommand::View { file, full }) => replay::view(&file, full),
        Command::Replay(ReplayCommand::Check(args)) => wait(replay::check(&args)),
        Command::Reply(args) => reply::run(&args),
        Command::Apply(args) => apply::run(&args),
        Command::Doctor(args) => wait(doctor::run(&args)),
        Command::Tools(args) => catalog::tools(&args),
        Command::Patterns(args) => catalog::patterns(&args),
        Command::States(args) => catalog::states(&args),
        Command::Completions(args) => catalog::completions(&args),
    }
}

/// Runs a command that waits for things; the others start faster without a runtime.
fn wait<F: Future<Output = Result<ExitCode, Failure>>>(work: F) -> Result<ExitCode, Failure> {
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

fn log_to_stderr(verbose: u8) {
    let level = match verbose {
        0 => "warn",
        1 => "info",
        _ => "debug",
    };
    let filter = tracing_subscriber::EnvFilter::try_from_env("PATCHWRIGHT_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new(level));
    let _ = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none())
        .with_target(verbose > 1)
        .without_time()
        .try_init();
}

/// Writes data to stdout. A reader that went away (`patchwright … | head`) is no failure.
fn print(text: &str) -> Result<(), Failure> {
    write_out(std::io::stdout().lock(), text.as_bytes())
}

/// Writes data that need not be UTF-8 to stdout.
fn print_bytes(bytes: &[u8]) -> Result<(), Failure> {
    write_out(std::io::stdout().lock(), bytes)
}

/// Writes lines with colours to stdout; the colours are left out where stdout is no terminal.
fn print_styled(text: &[u8]) -> Result<(), Failure> {
    write_out(anstream::stdout().lock(), text)
}

fn write_out(mut out: impl Write, text: &[u8]) -> Result<(), Failure> {
    match out.write_all(text).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Failure::environment(format!("cannot write to standard output: {error}"))),
    }
}

/// Tells the user something on stderr. A stderr that is gone cannot be told anything.
fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}
