//! A program that was built without PostgreSQL.

use patchwright_cluster::{Check, LedgerUrl};
use patchwright_command_line::bench::RunArgs;
use patchwright_command_line::bench::parts::{StatusArgs, WorkerArgs};
use patchwright_protocol::Failure;

use super::Pointer;
use crate::failure::ExitCode;

fn absent<T>() -> Result<T, Failure> {
    Err(Failure::user("this program was built without PostgreSQL")
        .hint("build it with `cargo build --profile dist --features published`, as the published program is"))
}

pub async fn submit(_args: &RunArgs, _url: &LedgerUrl) -> Result<ExitCode, Failure> {
    absent()
}

pub async fn work(_args: &WorkerArgs) -> Result<ExitCode, Failure> {
    absent()
}

pub async fn cancel(_pointer: &Pointer) -> Result<ExitCode, Failure> {
    absent()
}

pub async fn status(_args: &StatusArgs, _url: &LedgerUrl, _run: Option<&str>) -> Result<ExitCode, Failure> {
    absent()
}

pub async fn check(_url: &LedgerUrl) -> Result<Vec<Check>, Failure> {
    absent()
}
