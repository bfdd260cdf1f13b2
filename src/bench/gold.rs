//! `patchwright bench gold`: whether a suite accepts its own answers on this machine.

use patchwright_command_line::bench::gold::GoldArgs;
use patchwright_command_line::bench::parts::ClusterOptions;
use patchwright_command_line::bench::{Carrying, RunArgs};
use patchwright_command_line::options::{
    OutputOptions, ProjectOptions, SandboxOptions, SessionOptions, WritingOptions,
};
use patchwright_command_line::suite::{absolute, kind_and_path};
use patchwright_protocol::Failure;
use patchwright_swt_bench::Benchmark;

use crate::bench::batch::{self, Kind};
use crate::bench::{evaluate, swt_bench};
use crate::failure::ExitCode;

/// Tries the developers' fixes, or their tests.
pub async fn run(args: &GoldArgs) -> Result<ExitCode, Failure> {
    let word = absolute(&args.suite)?;
    let (kind, _) = kind_and_path(&word)?;
    let benchmark = Benchmark::named(kind);
    if kind != "swe-bench" && benchmark.is_none() {
        return Box::pin(batch::begin(&of_run(args)?, Kind::Golden)).await;
    }
    if let Some(option) = args.own.given() {
        return Err(Failure::user(format!(
            "--{option}: the cases of {kind} are tested in their images, with the network"
        ))
        .hint("leave it out; --offline keeps them off the network"));
    }
    match benchmark {
        Some(benchmark) => swt_bench::gold(args, benchmark, &word).await,
        None => evaluate::run(evaluate::Work::gold(args, &word)?).await,
    }
}

/// The same as a run of sessions, each of which knows the fix of its case.
fn of_run(args: &GoldArgs) -> Result<RunArgs, Failure> {
    let GoldArgs { testing, own, .. } = args;
    let of_images = [
        ("split", args.split.is_some()),
        ("again", testing.again),
        ("official-reset", testing.official_reset),
        ("run-id", testing.run_id.is_some()),
    ];
    if let Some((option, _)) = of_images.iter().find(|(_, given)| *given) {
        return Err(Failure::user(format!(
            "--{option} is about swe-bench, swt-bench and tdd-bench, whose predictions are graded in images"
        ))
        .hint("leave it out: each run tries all cases anew, in the folder that --out names"));
    }
    let network = match (own.network, testing.offline) {
        (true, _) => Some(true),
        (false, true) => Some(false),
        (false, false) => None,
    };
    Ok(RunArgs {
        suite: args.suite.clone(),
        cases: args.cases.clone(),
        part: None,
        go_on: false,
        cluster: ClusterOptions::default(),
        preset: None,
        writing: WritingOptions::default(),
        carrying: Carrying {
            workers: Some(testing.workers.get()),
            pulls: testing.pulls.map(std::num::NonZero::get),
            tests: own.tests,
            images_gib: testing.images_gib,
            keep_free: own.keep_free,
            json: args.json,
            ..Carrying::default()
        },
        options: SessionOptions {
            project: ProjectOptions { timeout: testing.timeout, ..ProjectOptions::default() },
            sandbox: SandboxOptions {
                kind: own.sandbox,
                image: own.image.clone(),
                network,
                ..SandboxOptions::default()
            },
            output: OutputOptions { out: args.out.clone() },
            ..SessionOptions::default()
        },
    })
}
