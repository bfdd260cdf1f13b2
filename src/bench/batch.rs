//! Runs, begun and gone on with.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use patchwright_command_line::bench::{Preset, ResumeArgs, RunArgs};
use patchwright_command_line::options::{SandboxChoice, SessionOptions};
use patchwright_command_line::settings;
use patchwright_command_line::suite::absolute;
use patchwright_edits::Edit;
use patchwright_edits::formats::{EditFormat, read_edits};
use patchwright_protocol::{Failure, Goal, Status};
use patchwright_runs::{
    Concurrency, Redo, RunError, RunFile, RunFolder, RunOptions, Runner, Selection, Summary, grouped,
};
use patchwright_suites::{Case, Suite};
use serde::Serialize;

use crate::bench::draw::Drawing;
use crate::bench::limits::{Limits, carried, share, versions};
use crate::bench::repairer::Sessions;
use crate::bench::resolved::{ResolvedSettings, refuse_of_cases};
use crate::bench::suite::{self, Use};
use crate::bench::{evaluate, issues, swe_bench};
use crate::environment::close;
use crate::failure::ExitCode;
use crate::model::Choice;
use crate::plan::{self, writing};

/// The work of a run on its cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Repairs them.
    Sessions,
    /// Tries the developers' fixes.
    Golden,
}

/// `patchwright bench run`, and `patchwright bench gold` where there are no official images.
pub async fn begin(args: &RunArgs, kind: Kind) -> Result<ExitCode, Failure> {
    refuse_of_cases(&args.options)?;
    let preset = args.preset.map(Preset::options).unwrap_or_default();
    let typed = preset.overlaid(&args.of_sessions())?;
    let word = absolute(&args.suite)?;
    let resolved = match kind {
        Kind::Sessions => {
            let goal = issues::goal(&word, &args.writing)?;
            if goal == Goal::Test {
                writing::refuse_of_fixes(&args.options)?;
            }
            ResolvedSettings::of_sessions(&typed, goal)?
        }
        Kind::Golden => ResolvedSettings::of_golden(&typed)?,
    };
    let images_gib = args.carrying.images_gib;
    let how = Use { perfect: resolved.perfect, goal: resolved.goal(), images_gib };
    let suite = suite::load(&word, how)?;
    let mut selection = Selection { part: args.part, ..args.cases.selection() };
    let (withdrawn, left): (Vec<_>, Vec<_>) =
        selection.ids.into_iter().partition(|id| suite.is_withdrawn(id));
    if let (Some(first), true) = (withdrawn.first(), left.is_empty()) {
        return Err(Failure::user(format!("--case {first}: the benchmark has taken this case back"))
            .hint("leave it out: it is deprecated, as no fix of it can be checked"));
    }
    for id in withdrawn {
        crate::say(&format!("{id} is left out: the benchmark has taken it back"));
    }
    selection.ids = left;
    let mut picked = selection.pick(suite.cases()).map_err(Failure::user)?;
    resolved.check()?;
    if selection.ids.is_empty() && selection.shuffle.is_none() {
        // Cases of a project share images and mirrors.
        picked = grouped(picked, |case| case.project.clone());
    }
    let picked = selection.own(picked).map_err(Failure::user)?;
    let ids: Vec<String> = picked.iter().map(|case| case.id.clone()).collect();
    let folder = match &args.options.output.out {
        Some(folder) => folder.clone(),
        None if kind == Kind::Golden => {
            PathBuf::from("runs").join(format!("gold-{}", crate::repair::session_name()?))
        }
        None => PathBuf::from("runs").join(crate::repair::session_name()?),
    };
    let name = folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy().into_owned();
    let carried = carried(&share(&args.carrying, args.part), None, &resolved.options)?;
    let file = RunFile {
        selection,
        versions: versions(),
        fingerprints: resolved.fingerprints(&word)?,
        settings: with_swe_bench(table(&resolved.frozen())?, &word),
        limits: table(&Limits::of(&carried, args.carrying.images_gib))?,
        ..RunFile::new(name, word, ids)
    };
    let work = Work::of(suite, resolved, carried, &file.cases).await?;
    let run = RunFolder::create(&folder, &file).map_err(Failure::user)?;
    let cases = if file.cases.len() == 1 { "case" } else { "cases" };
    crate::say(&format!("{} {cases}, run {}", file.cases.len(), run.places().root().display()));
    carry(run, work, args.carrying.json).await
}

/// `patchwright bench resume`
pub async fn resume(args: &ResumeArgs) -> Result<ExitCode, Failure> {
    refuse_of_cases(&args.options)?;
    let run = RunFolder::open(&args.run).map_err(Failure::user)?;
    let mut of_sessions = run.file().settings.clone();
    of_sessions.remove(SWE_BENCH);
    let mut frozen: SessionOptions = of_sessions.try_into().map_err(|error: toml::de::Error| {
        Failure::user(format!("{}: settings: {error}", args.run.join("run.toml").display()))
    })?;
    let typed = SessionOptions { writing: args.writing.clone(), ..args.options.clone() };
    let now = table(&ResolvedSettings::of_frozen(frozen.overlaid(&typed)?).frozen())?;
    let now = RunFile {
        settings: with_swe_bench(now, &run.file().suite),
        ..RunFile::new(run.file().run.clone(), run.file().suite.clone(), Vec::new())
    };
    run.check(&now).map_err(Failure::user)?;
    run.file().check_files().map_err(Failure::user)?;
    frozen.model.key_file = settings::users(&args.options)?.model.key_file;
    let resolved = ResolvedSettings::of_frozen(frozen);
    // What was said when the run began still holds where nothing else is said now.
    let limits = run.file().limits.clone().try_into();
    let was: Limits = limits.map_err(|error: toml::de::Error| {
        Failure::user(format!("{}: limits: {error}", args.run.join("run.toml").display()))
    })?;
    let images_gib = args.carrying.images_gib.or(was.images_gib);
    let how = Use { perfect: resolved.perfect, goal: resolved.goal(), images_gib };
    let suite = suite::load(&run.file().suite, how)?;
    let carrying = share(&args.carrying, run.file().selection.part);
    let mut carried = carried(&carrying, Some(was), &resolved.options)?;
    let statuses = args.retry.iter().flat_map(|statuses| statuses.0.iter().copied()).collect();
    carried.redo = Redo { statuses, all: args.redo };
    resolved.check()?;
    let work = Work::of(suite, resolved, carried, &run.file().cases).await?;
    carry(run, work, args.carrying.json).await
}

/// Where `run.toml` keeps what the environment says of SWE-bench.
const SWE_BENCH: &str = "swe-bench";

/// Settings with what the environment says of the suite, which shapes the sessions as well.
fn with_swe_bench(mut settings: toml::Table, suite: &str) -> toml::Table {
    let said = swe_bench::said();
    let of_swe_bench = ["swe-bench:", "swt-bench:", "tdd-bench:"].iter().any(|kind| suite.starts_with(kind));
    if of_swe_bench && !said.is_empty() {
        settings.insert(SWE_BENCH.to_owned(), said.into());
    }
    settings
}

/// All that a run needs besides its folder.
struct Work {
    suite: Arc<dyn Suite>,
    sessions: Sessions,
    options: RunOptions,
}

impl Work {
    /// Looks whether keys, fixes, disk and sandbox are there: what would fail in every case is told before the first.
    async fn of(
        suite: Arc<dyn Suite>,
        resolved: ResolvedSettings,
        carried: RunOptions,
        ids: &[String],
    ) -> Result<Self, Failure> {
        let golden = if resolved.is_golden() { Some(golden(suite.cases(), ids)?) } else { None };
        let redactor = crate::secrets::redactor(&resolved.options)?;
        if golden.is_none() {
            let model = resolved.options.approach.model.as_deref();
            Choice::read(model)?.check(&resolved.options).await?;
        }
        let ready = suite.ready().await?;
        let mut carried = carried;
        carried.disk.folders.extend(ready.folders);
        carried.disk.check(&std::env::temp_dir()).map_err(Failure::environment)?;
        if ready.in_images {
            in_images(&resolved.options)?;
        } else {
            try_sandbox(&resolved.options).await?;
        }
        let Concurrency { sessions, tests, .. } = carried.concurrency;
        // Builds and tests of one session run in its lanes.
        let lanes = resolved.options.sandbox.lanes.unwrap_or((tests / sessions.max(1)).max(1));
        let mut options = resolved.options;
        options.sandbox.lanes = Some(lanes);
        options.approach.model = options.approach.model.filter(|_| golden.is_none());
        Ok(Self {
            suite,
            sessions: Sessions { options, golden },
            options: RunOptions { redactor, ..carried },
        })
    }
}

/// An error where the options for sandboxes do not go with images.
fn in_images(options: &SessionOptions) -> Result<(), Failure> {
    match options.sandbox.kind {
        None | Some(SandboxChoice::Auto | SandboxChoice::Docker) => Ok(()),
        Some(SandboxChoice::Namespaces | SandboxChoice::Landlock | SandboxChoice::Host) => {
            Err(Failure::user("--sandbox: the cases of this suite are repaired in their container images")
                .hint("leave it out, or see the suite's page (suites/docs) for how it works without images"))
        }
    }
}

/// Proves that the sandbox works.
async fn try_sandbox(options: &SessionOptions) -> Result<(), Failure> {
    let request = plan::sandbox(options, Vec::new(), "readiness");
    let chosen = patchwright_sandbox::choose(&request).await?;
    close(chosen.sandbox.as_ref()).await;
    Ok(())
}

fn table(value: &impl Serialize) -> Result<toml::Table, Failure> {
    toml::Table::try_from(value).map_err(Failure::defect)
}

async fn carry(run: RunFolder, work: Work, json: bool) -> Result<ExitCode, Failure> {
    crate::lanes::sweep(false);
    evaluate::sweep().await;
    let Work { suite, sessions, options } = work;
    let cancel = crate::cancel::on_signals();
    let options = RunOptions { cancel: cancel.clone(), ..options };
    let drawing = Drawing::of(&options.live);
    let told = tokio::spawn(async move {
        cancel.cancelled().await;
        crate::say("the run ends as soon as running sessions have: they are cancelled and can be resumed");
    });
    let root = run.places().root().to_owned();
    let runner = Runner {
        suite,
        repairer: Arc::new(sessions),
        options,
        listeners: vec![Box::new(drawing.listener())],
    };
    let ended = runner.run(run).await;
    told.abort();
    drawing.close();
    let summary = ended.map_err(|error| match error {
        RunError::MissingCase { .. } => Failure::user(error),
        error => Failure::environment(error),
    })?;
    tell(&summary, &root, json)?;
    Ok(exit_code(&summary))
}

/// The developers' fixes of the cases of a run.
fn golden(cases: &[Case], ids: &[String]) -> Result<BTreeMap<String, Vec<Edit>>, Failure> {
    let mut fixes = BTreeMap::new();
    for case in cases.iter().filter(|case| ids.contains(&case.id)) {
        let Some(patch) = &case.truth.patch else {
            return Err(Failure::user(format!("{}: the suite has no developer's fix of it", case.id))
                .hint("leave it out with --filter; a manifest names it by `golden`"));
        };
        let reading = read_edits(patch, Some(EditFormat::Diff)).map_err(|error| {
            Failure::user(format!("{}: the developer's fix cannot be read: {error}", case.id))
        })?;
        fixes.insert(case.id.clone(), reading.edits);
    }
    Ok(fixes)
}

fn tell(summary: &Summary, root: &Path, json: bool) -> Result<(), Failure> {
    let Summary { reason, text, unanswered, run } = summary;
    // What the model's provider refused is not asked for again without being told to.
    let due = run.file.cases.iter().any(|case| run.ledger.is_due(case, &Redo::default()));
    let retry = if due { "" } else { " --retry model" };
    let again = format!("`patchwright bench resume {}{retry}` tries them again", root.display());
    let unusable =
        run.file.cases.iter().filter(|case| run.ledger.status(case) == Some(Status::Unusable)).count() as u64;
    if unusable > 0 {
        let cases = if unusable == 1 { "case lacks" } else { "cases lack" };
        crate::say(&format!("{unusable} {cases} what is said above: once it is there, {again}"));
    }
    let others = unanswered.saturating_sub(unusable);
    if others > 0 {
        crate::say(&format!("{text}; {others} of the cases have no answer: {again}"));
    }
    if json {
        let object = serde_json::json!({
            "run": root,
            "reason": reason,
            "cases": run.file.cases.len(),
            "unanswered": unanswered,
            "statuses": run.ledger.counts(run.file.cases.iter().map(String::as_str)),
        });
        crate::print(&format!("{object}\n"))?;
    }
    Ok(())
}

fn exit_code(summary: &Summary) -> ExitCode {
    use patchwright_runs::EndReason;
    match summary.reason {
        EndReason::Cancelled => ExitCode::Interrupted,
        EndReason::Complete if summary.unanswered == 0 => ExitCode::Done,
        EndReason::Complete | EndReason::Budget => ExitCode::NotFound,
    }
}
