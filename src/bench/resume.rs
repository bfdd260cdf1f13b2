//! `patchwright bench resume`: a run, or the parts of one, gone on with.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use patchwright_command_line::bench::{ResumeArgs, RunArgs};
use patchwright_command_line::options::SessionOptions;
use patchwright_command_line::settings;
use patchwright_protocol::Failure;
use patchwright_runs::{EndReason, Part, Redo, RunError, RunFile, RunFolder, RunRecord, Summary};
use tokio_util::sync::CancellationToken;

use crate::bench::batch::{SWE_BENCH, Work, carry, exit_code, table, tell, with_swe_bench};
use crate::bench::limits::{Limits, carried, share};
use crate::bench::resolved::{ResolvedSettings, refuse_of_cases};
use crate::bench::suite::{self, Use};
use crate::failure::ExitCode;

/// `patchwright bench resume`
pub async fn run(args: &ResumeArgs) -> Result<ExitCode, Failure> {
    refuse_of_cases(&args.options)?;
    let cancel = crate::cancel::on_signals();
    let summary = match patchwright_runs::part_folders(&args.run) {
        parts if parts.is_empty() => resume_one(args, &args.run, cancel).await?,
        parts => resume_parts(args, parts, cancel).await?,
    };
    tell(&summary, &args.run, args.carrying.json)?;
    Ok(exit_code(&summary))
}

/// The command that goes on with the run, or the part, which a command would begin, where it has begun already. A process elsewhere that was
/// killed, and started again here, is waited for until it counts as dead.
pub async fn begun(args: &RunArgs) -> Option<ResumeArgs> {
    let out = args.options.output.out.as_ref().filter(|_| args.go_on)?;
    let run = args.part.map_or_else(|| out.clone(), |part| out.join(part.folder_name()));
    let deadline = Instant::now() + 2 * patchwright_runs::SILENT;
    while patchwright_runs::is_owned(&run) && Instant::now() < deadline {
        tokio::time::sleep(Duration::from_secs(5)).await;
    }
    let mut options = args.options.clone();
    options.output.out = None;
    patchwright_runs::is_run(&run).then(|| ResumeArgs {
        run,
        retry: Vec::new(),
        redo: false,
        writing: args.writing.clone(),
        carrying: args.carrying.clone(),
        options,
    })
}

/// Goes on with the parts of a run that are here, one after another. What another process works on is left to it.
async fn resume_parts(
    args: &ResumeArgs,
    parts: Vec<(Part, PathBuf)>,
    cancel: CancellationToken,
) -> Result<Summary, Failure> {
    let redo = redo(args);
    // Parts of different runs are refused before anything is done.
    RunRecord::read(&args.run).map_err(Failure::user)?;
    for (part, folder) in parts {
        if cancel.is_cancelled() {
            break;
        }
        let record = match RunRecord::read(&folder) {
            Ok(record) => record,
            // It is only being made, or its making was killed.
            Err(RunError::NoRun(_)) => continue,
            Err(error) => return Err(Failure::user(error)),
        };
        if record.ledger.ended.is_some()
            && !record.file.cases.iter().any(|case| record.ledger.is_due(case, &redo))
        {
            continue;
        }
        match RunFolder::open(&folder) {
            Err(error @ RunError::Locked { .. }) => {
                crate::say(&format!("part {part} is left out: {error}"));
                continue;
            }
            opened => drop(opened.map_err(Failure::user)?),
        }
        crate::say(&format!("part {part}, {}", folder.display()));
        resume_one(args, &folder, cancel.clone()).await?;
    }
    let run = RunRecord::read(&args.run).map_err(Failure::user)?;
    if let Some(parts) = run.parts.as_ref().filter(|parts| !parts.missing.is_empty()) {
        crate::say(&format!("parts {parts}: `patchwright bench run … --part I/{}` begins another", parts.of));
    }
    let unanswered = run.unanswered();
    let (reason, text) = match &run.ledger.ended {
        _ if cancel.is_cancelled() => (EndReason::Cancelled, "the run was cancelled".to_owned()),
        Some(ended) => ended.clone(),
        None => (EndReason::Complete, "every case of the parts that are here was tried".to_owned()),
    };
    Ok(Summary { reason, text, unanswered, run })
}

/// The cases that are tried again.
fn redo(args: &ResumeArgs) -> Redo {
    let statuses = args.retry.iter().flat_map(|statuses| statuses.0.iter().copied()).collect();
    Redo { statuses, all: args.redo }
}

/// Goes on with a run, or with one part of it, in its folder.
async fn resume_one(args: &ResumeArgs, folder: &Path, cancel: CancellationToken) -> Result<Summary, Failure> {
    let run = RunFolder::open(folder).map_err(Failure::user)?;
    let typed = SessionOptions { writing: args.writing.clone(), ..args.options.clone() };
    let place = run.places().run_file().display().to_string();
    // What was said when the run began still holds where nothing else is said now.
    let Begun { resolved, limits: was } = Begun::read(run.file(), &place, &typed)?;
    let images_gib = args.carrying.images_gib.or(was.images_gib);
    let how = Use { perfect: resolved.perfect, goal: resolved.goal(), images_gib };
    let suite = suite::load(&run.file().suite, how)?;
    let carrying = share(&args.carrying, run.file().selection.part);
    let mut carried = carried(&carrying, Some(was), &resolved.options)?;
    carried.redo = redo(args);
    resolved.check()?;
    let work = Work::of(suite, resolved, carried, &run.file().cases).await?;
    carry(run, work, cancel).await
}

/// What a run was begun with, given its meaning on this machine.
pub(super) struct Begun {
    pub resolved: ResolvedSettings,
    pub limits: Limits,
}

impl Begun {
    /// Reads it from `run.toml`, which lies at `place`; what is typed now must not differ from it, nor the files that it names.
    pub(super) fn read(file: &RunFile, place: &str, typed: &SessionOptions) -> Result<Self, Failure> {
        let mut of_sessions = file.settings.clone();
        of_sessions.remove(SWE_BENCH);
        let mut frozen: SessionOptions = of_sessions
            .try_into()
            .map_err(|error: toml::de::Error| Failure::user(format!("{place}: settings: {error}")))?;
        let now = table(&ResolvedSettings::of_frozen(frozen.overlaid(typed)?).frozen())?;
        let now = RunFile {
            settings: with_swe_bench(now, &file.suite),
            ..RunFile::new(file.run.clone(), file.suite.clone(), Vec::new())
        };
        file.check(&now).map_err(Failure::user)?;
        file.check_files().map_err(Failure::user)?;
        frozen.model.key_file = settings::users(typed)?.model.key_file;
        let limits = file
            .limits
            .clone()
            .try_into()
            .map_err(|error: toml::de::Error| Failure::user(format!("{place}: limits: {error}")))?;
        Ok(Self { resolved: ResolvedSettings::of_frozen(frozen), limits })
    }
}
