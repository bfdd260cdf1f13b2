//! Runs, begun and carried out.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use patchwright_command_line::bench::{Preset, RunArgs};
use patchwright_command_line::options::{SandboxChoice, SessionOptions};
use patchwright_command_line::suite::absolute;
use patchwright_edits::Edit;
use patchwright_edits::formats::{EditFormat, read_edits};
use patchwright_protocol::{Failure, Goal, Status};
use patchwright_runs::{
    Concurrency, EndReason, Redo, RunError, RunFile, RunFolder, RunOptions, Runner, Selection, Summary,
    grouped,
};
use patchwright_suites::{Case, Suite};
use serde::Serialize;
use tokio_util::sync::CancellationToken;

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

/// A run as it was asked for.
pub struct Asked {
    pub word: String,
    pub resolved: ResolvedSettings,
    pub suite: Arc<dyn Suite>,
    pub selection: Selection,
    /// Its cases, in the order in which they are tried.
    pub cases: Vec<Case>,
}

impl Asked {
    /// Gives what was typed its meaning, and checks that sessions can begin here.
    pub fn of(args: &RunArgs, kind: Kind) -> Result<Self, Failure> {
        let asked = Self::read(args, kind)?;
        asked.resolved.check()?;
        Ok(asked)
    }

    /// Gives what was typed its meaning.
    pub fn read(args: &RunArgs, kind: Kind) -> Result<Self, Failure> {
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
        if selection.ids.is_empty() && selection.shuffle.is_none() {
            // Cases of a project share images and mirrors.
            picked = grouped(picked, |case| case.project.clone());
        }
        let picked = selection.own(picked).map_err(Failure::user)?;
        let cases = picked.into_iter().cloned().collect();
        Ok(Self { word, resolved, suite, selection, cases })
    }
}

impl Asked {
    /// What `run.toml` keeps of it.
    pub fn file(&self, name: String, limits: &Limits) -> Result<RunFile, Failure> {
        let ids = self.cases.iter().map(|case| case.id.clone()).collect();
        Ok(RunFile {
            selection: self.selection.clone(),
            versions: versions(),
            fingerprints: self.resolved.fingerprints(&self.word)?,
            settings: with_swe_bench(table(&self.resolved.frozen())?, &self.word),
            limits: table(limits)?,
            ..RunFile::new(name, self.word.clone(), ids)
        })
    }
}

/// `patchwright bench run`, and `patchwright bench gold` where there are no official images.
pub async fn begin(args: &RunArgs, kind: Kind) -> Result<ExitCode, Failure> {
    let asked = Asked::of(args, kind)?;
    let folder = match &args.options.output.out {
        Some(folder) => folder.clone(),
        None if kind == Kind::Golden => {
            PathBuf::from("runs").join(format!("gold-{}", crate::repair::session_name()?))
        }
        None => PathBuf::from("runs").join(crate::repair::session_name()?),
    };
    let name = folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy().into_owned();
    let carried = carried(&share(&args.carrying, args.part), None, &asked.resolved.options)?;
    let file = asked.file(name, &Limits::of(&carried, args.carrying.images_gib))?;
    let Asked { resolved, suite, .. } = asked;
    patchwright_runs::check_part(&folder, &file).map_err(Failure::user)?;
    let work = Work::of(suite, resolved, carried, &file.cases).await?;
    let run = RunFolder::create(&folder, &file).map_err(Failure::user)?;
    let cases = if file.cases.len() == 1 { "case" } else { "cases" };
    crate::say(&format!("{} {cases}, run {}", file.cases.len(), run.places().root().display()));
    let root = run.places().root().to_owned();
    let summary = carry(run, work, crate::cancel::on_signals()).await?;
    tell(&summary, &root, args.carrying.json)?;
    Ok(exit_code(&summary))
}

/// Where `run.toml` keeps what the environment says of SWE-bench.
pub(super) const SWE_BENCH: &str = "swe-bench";

/// Settings with what the environment says of the suite, which shapes the sessions as well.
pub(super) fn with_swe_bench(mut settings: toml::Table, suite: &str) -> toml::Table {
    let said = swe_bench::said();
    let of_swe_bench = ["swe-bench:", "swt-bench:", "tdd-bench:"].iter().any(|kind| suite.starts_with(kind));
    if of_swe_bench && !said.is_empty() {
        settings.insert(SWE_BENCH.to_owned(), said.into());
    }
    settings
}

/// All that a run needs besides its folder.
pub(super) struct Work {
    suite: Arc<dyn Suite>,
    sessions: Arc<Sessions>,
    options: RunOptions,
}

impl Work {
    /// Looks whether keys, fixes, disk and sandbox are there: what would fail in every case is told before the first.
    pub(super) async fn of(
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
            sessions: Arc::new(Sessions { options, golden }),
            options: RunOptions { redactor, ..carried },
        })
    }
}

#[cfg(feature = "postgres")]
impl Work {
    /// Carries out one of several parts of the run, of which each has a runner of its own.
    pub(super) fn runner(
        &self,
        cancel: CancellationToken,
        budget: patchwright_runs::SpendingCap,
        requests: Option<Arc<dyn patchwright_runs::RequestLimit>>,
    ) -> Runner {
        let RunOptions { concurrency, session, ref disk, ref versions, ref redactor, .. } = self.options;
        let options = RunOptions {
            concurrency,
            requests,
            budget,
            session,
            disk: disk.clone(),
            versions: versions.clone(),
            redactor: redactor.clone(),
            cancel,
            ..RunOptions::of_workers(1)
        };
        Runner {
            suite: Arc::clone(&self.suite),
            repairer: Arc::clone(&self.sessions) as Arc<dyn patchwright_runs::Repairer>,
            options,
            listeners: Vec::new(),
        }
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

pub(super) fn table(value: &impl Serialize) -> Result<toml::Table, Failure> {
    toml::Table::try_from(value).map_err(Failure::defect)
}

pub(super) async fn carry(run: RunFolder, work: Work, cancel: CancellationToken) -> Result<Summary, Failure> {
    crate::lanes::sweep(false);
    evaluate::sweep().await;
    let Work { suite, sessions, options } = work;
    let options = RunOptions { cancel: cancel.clone(), ..options };
    let drawing = Drawing::of(&options.live);
    let told = tokio::spawn(async move {
        cancel.cancelled().await;
        crate::say("the run ends as soon as running sessions have: they are cancelled and can be resumed");
    });
    let runner = Runner { suite, repairer: sessions, options, listeners: vec![Box::new(drawing.listener())] };
    let ended = runner.run(run).await;
    told.abort();
    drawing.close();
    ended.map_err(|error| match error {
        RunError::MissingCase { .. } => Failure::user(error),
        error => Failure::environment(error),
    })
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

pub(super) fn tell(summary: &Summary, root: &Path, json: bool) -> Result<(), Failure> {
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

pub(super) fn exit_code(summary: &Summary) -> ExitCode {
    match summary.reason {
        EndReason::Cancelled => ExitCode::Interrupted,
        EndReason::Complete if summary.unanswered == 0 && summary.run.is_whole() => ExitCode::Done,
        EndReason::Complete | EndReason::Budget => ExitCode::NotFound,
    }
}
