//! `patchwright bench merge`: runs of the same settings as one.

use patchwright_command_line::bench::parts::MergeArgs;
use patchwright_protocol::{Failure, counted};
use patchwright_runs::{Merged, merge};

use crate::bench::bar::bar;
use crate::failure::ExitCode;

/// Puts them together.
pub async fn run(args: &MergeArgs) -> Result<ExitCode, Failure> {
    let (from, out) = (args.runs.clone(), args.out.clone());
    let bar = bar(0, "put together");
    let shown = bar.clone();
    let work = move |_: &_| {
        merge(&from, &out, &|done, of| {
            shown.set_length(of as u64);
            shown.set_position(done as u64);
        })
    };
    let merged = patchwright_blocking::spawn(work).await?;
    bar.finish_and_clear();
    let Merged { run, doubled, running, missing } = merged.map_err(Failure::user)?;
    for (case, folder) in &doubled {
        crate::say(&format!(
            "{case} was answered more than once: what came first counts, in {}",
            folder.display()
        ));
    }
    for folder in &running {
        crate::say(&format!(
            "a process works in {}: what runs there is left out, and can be put together later",
            folder.display()
        ));
    }
    if !missing.is_empty() {
        let missing: Vec<String> = missing.iter().map(ToString::to_string).collect();
        crate::say(&format!("parts that are not among them: {}", missing.join(", ")));
    }
    let cases = counted(run.file.cases.len(), "case");
    crate::say(&format!("{cases}, {} without an answer, run {}", run.unanswered(), args.out.display()));
    if args.json {
        let object = serde_json::json!({
            "run": args.out,
            "cases": run.file.cases.len(),
            "unanswered": run.unanswered(),
            "doubled": doubled.iter().map(|(case, _)| case).collect::<Vec<_>>(),
            "running": running,
            "missing": missing,
        });
        crate::print(&format!("{object}\n"))?;
    }
    Ok(ExitCode::Done)
}
