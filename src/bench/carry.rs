//! Runs, begun and gone on with.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use patchwright_agent::GOLDEN;
use patchwright_code::Edit;
use patchwright_code::edits::{Format, read_edits};
use patchwright_suites::Case;
use patchwright_suites::run::{
    Concurrency, Disk, Most, Options, Redo, RunError, RunFile, RunFolder, Runner, Selection, Summary, grouped,
};
use serde::{Deserialize, Serialize};

use crate::bench::args::{Carrying, Preset, ResumeArgs, RunArgs};
use crate::bench::draw::Drawing;
use crate::bench::repairer::Sessions;
use crate::bench::suite;
use crate::cancel::Cancel;
use crate::failure::{ExitCode, Failure};
use crate::model::Choice;
use crate::options::SessionOptions;
use crate::{plan, settings};

/// Free bytes below which no case begins, in GiB.
const KEEP_FREE: u64 = 2;
/// What `--localization` is called when each case says itself where its bug is.
const PERFECT: &str = "perfect";

/// What a run does with its cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Repairs them.
    Sessions,
    /// Tries the developers' fixes.
    Golden,
}

/// `patchwright bench run` and `patchwright bench gold`
pub async fn begin(args: &RunArgs, kind: Kind) -> Result<ExitCode, Failure> {
    refuse_of_cases(&args.options)?;
    let preset = args.preset.map(Preset::options).unwrap_or_default();
    let typed = settings::over(&preset, &args.options)?;
    let (options, perfect) = match kind {
        Kind::Sessions => resolved(&typed)?,
        Kind::Golden => (of_golden(&typed)?, false),
    };
    let word = suite::absolute(&args.suite)?;
    let suite = suite::load(&word, perfect)?;
    let selection = Selection {
        ids: args.case.clone(),
        filter: args.filter.clone(),
        shuffle: args.shuffle,
        slice: args.slice.clone(),
    };
    let mut picked = selection.pick(suite.cases()).map_err(Failure::usage)?;
    if selection.ids.is_empty() && selection.shuffle.is_none() {
        // Cases of a project share images and mirrors.
        picked = grouped(picked, |case| case.project.clone());
    }
    let ids: Vec<String> = picked.iter().map(|case| case.id.clone()).collect();
    let folder = match &args.options.out {
        Some(folder) => folder.clone(),
        None if kind == Kind::Golden => {
            PathBuf::from("runs").join(format!("gold-{}", crate::repair::session_name()?))
        }
        None => PathBuf::from("runs").join(crate::repair::session_name()?),
    };
    let name = folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy().into_owned();
    let carried = carried(&args.carrying, None, &options)?;
    let file = RunFile {
        selection,
        versions: versions(),
        settings: table(&shaping(&options, perfect))?,
        limits: table(&Limits::of(&carried))?,
        ..RunFile::new(name, word, ids)
    };
    if kind == Kind::Golden {
        golden(suite.cases(), &file.cases)?;
    }
    ready(&options, &carried).await?;
    let run = RunFolder::create(&folder, &file).map_err(Failure::usage)?;
    crate::say(&format!("{} cases, run {}", file.cases.len(), folder.display()));
    carry(run, suite, options, carried, args.carrying.json).await
}

/// `patchwright bench resume`
pub async fn resume(args: &ResumeArgs) -> Result<ExitCode, Failure> {
    refuse_of_cases(&args.options)?;
    let run = RunFolder::open(&args.run).map_err(Failure::usage)?;
    let frozen: SessionOptions =
        run.file().settings.clone().try_into().map_err(|error: toml::de::Error| {
            Failure::usage(format!("{}: settings: {error}", args.run.join("run.toml").display()))
        })?;
    let now = RunFile {
        settings: table(&shaping(&settings::over(&frozen, &args.options)?, false))?,
        ..RunFile::new(run.file().run.clone(), run.file().suite.clone(), Vec::new())
    };
    run.check(&now).map_err(Failure::usage)?;
    let perfect = frozen.localization.as_deref() == Some(PERFECT);
    let options = SessionOptions {
        localization: frozen.localization.clone().filter(|word| word != PERFECT),
        key_file: settings::users(&args.options)?.key_file,
        ..frozen
    };
    let suite = suite::load(&run.file().suite, perfect)?;
    // What was said when the run began still holds where nothing else is said now.
    let limits = run.file().limits.clone().try_into();
    let was: Limits = limits.map_err(|error: toml::de::Error| {
        Failure::usage(format!("{}: limits: {error}", args.run.join("run.toml").display()))
    })?;
    let mut carried = carried(&args.carrying, Some(was), &options)?;
    let statuses = args.retry.iter().flat_map(|statuses| statuses.0.iter().copied()).collect();
    carried.redo = Redo { statuses, all: args.redo };
    let choice = if is_golden(&options) { Choice::Patterns } else { Choice::read(options.model.as_deref())? };
    plan::check_for_all(&options, &choice)?;
    ready(&options, &carried).await?;
    carry(run, suite, options, carried, args.carrying.json).await
}

/// The options of a run that tries the developers' fixes: what a model is told does not matter.
fn of_golden(typed: &SessionOptions) -> Result<SessionOptions, Failure> {
    for (option, given) in [
        ("model", typed.model.is_some()),
        ("mode", typed.mode.is_some()),
        ("localization", typed.localization.is_some()),
    ] {
        if given {
            return Err(Failure::usage(format!("--{option} means nothing where the fix is known"))
                .hint("leave it out, or take `patchwright bench run`"));
        }
    }
    let users = anchored(settings::users(typed)?)?;
    refuse_of_cases(&users)?;
    let options = SessionOptions { model: None, mode: None, localization: None, env: None, ..users };
    plan::check_for_all(&options, &Choice::Patterns)?;
    Ok(SessionOptions { model: Some(GOLDEN.to_owned()), out: None, ..options })
}

/// Whether keys, disk and sandbox are there: what would fail in every case is told before the first.
async fn ready(options: &SessionOptions, carried: &Options) -> Result<(), Failure> {
    crate::model::keys(options).all().map_err(|error| crate::model::refused(&error))?;
    carried.disk.check(&std::env::temp_dir()).map_err(Failure::environment)?;
    let request = plan::sandbox(options, Vec::new(), "readiness");
    let chosen = patchwright_sandbox::choose(&request).await.map_err(Failure::environment)?;
    if let Err(error) = chosen.sandbox.close().await {
        tracing::warn!("the sandbox could not be cleaned up: {error}");
    }
    Ok(())
}

/// What a case answers itself is not for the command line to say.
fn refuse_of_cases(options: &SessionOptions) -> Result<(), Failure> {
    let given = serde_json::to_value(options).map_err(Failure::defect)?;
    let of_cases = |name: &&&str| given.get(name.replace('_', "-")).is_some_and(|value| !value.is_null());
    match super::args::OF_CASES.iter().find(of_cases) {
        None => Ok(()),
        Some(name) => {
            let option = name.replace('_', "-");
            Err(Failure::usage(format!("--{option} belongs to a case, not to a run"))
                .hint("write it into a manifest, and give that with --suite manifest:FILE"))
        }
    }
}

/// The options of each session, with the user's settings file below them, and whether sessions are told where their bug is.
fn resolved(typed: &SessionOptions) -> Result<(SessionOptions, bool), Failure> {
    let options = SessionOptions { env: None, ..settings::users(typed)? };
    refuse_of_cases(&options)?;
    let choice = Choice::read(options.model.as_deref())?;
    if let (Choice::Human | Choice::Recording(..), Some(model)) = (&choice, &options.model) {
        return Err(Failure::usage(format!("--model {model} answers one session, not a run")));
    }
    let options = anchored(plan::defaults(options, &choice))?;
    if options.localization.as_deref().is_some_and(|word| word.starts_with("perfect:")) {
        return Err(Failure::usage("--localization perfect:FILE is about one bug, and a run has many")
            .hint("give --localization perfect: the suite knows the lines of each case"));
    }
    let perfect = options.localization.as_deref() == Some(PERFECT);
    let localization = options.localization.clone().filter(|word| word != PERFECT);
    match localization.as_deref() {
        None | Some("spectrum") => {}
        Some("none") if !matches!(choice, Choice::Patterns) => {}
        Some("none") => {
            return Err(Failure::usage("--localization none leaves the fix patterns no place to begin at"));
        }
        Some(word) => {
            return Err(Failure::usage(format!("--localization {word}: not known here"))
                .hint("give spectrum, none, or perfect where the cases say where their bug is"));
        }
    }
    let options = SessionOptions { localization, out: None, ..options };
    plan::check_for_all(&options, &choice)?;
    Ok((options, perfect))
}

/// What shapes the sessions, as `run.toml` keeps it: not where the run lies or where the user's keys do.
fn shaping(options: &SessionOptions, perfect: bool) -> SessionOptions {
    let localization = if perfect { Some(PERFECT.to_owned()) } else { options.localization.clone() };
    SessionOptions { localization, key_file: None, out: None, ..options.clone() }
}

/// The same with paths that lead to the same files wherever the run is resumed from.
fn anchored(options: SessionOptions) -> Result<SessionOptions, Failure> {
    let absolute = |option: &str, path: &Path| {
        path.canonicalize().map_err(|error| Failure::usage(format!("--{option} {}: {error}", path.display())))
    };
    let states = match options.states.as_deref().filter(|states| *states != "none") {
        Some(file) => Some(absolute("states", Path::new(file))?.to_string_lossy().into_owned()),
        None => options.states.clone(),
    };
    let prompts = options.prompts.as_deref().map(|folder| absolute("prompts", folder)).transpose()?;
    let prices = options.prices.as_deref().map(|file| absolute("prices", file)).transpose()?;
    Ok(SessionOptions { prices, prompts, states, ..options })
}

fn table(value: &impl Serialize) -> Result<toml::Table, Failure> {
    toml::Table::try_from(value).map_err(Failure::defect)
}

fn versions() -> BTreeMap<String, String> {
    BTreeMap::from([("patchwright".to_owned(), env!("CARGO_PKG_VERSION").to_owned())])
}

/// What does not shape the sessions, as `run.toml` keeps it: a resumed run has it too where nothing else is said.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
struct Limits {
    #[serde(skip_serializing_if = "Option::is_none")]
    keep_free: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    concurrency: Option<Concurrency>,
    budget: Most,
}

impl Limits {
    fn of(options: &Options) -> Self {
        Self {
            keep_free: Some(options.disk.reserve >> 30),
            concurrency: Some(options.concurrency),
            budget: options.budget,
        }
    }
}

/// How the run is carried out, from what was typed.
fn carried(args: &Carrying, was: Option<Limits>, options: &SessionOptions) -> Result<Options, Failure> {
    let Limits { concurrency, budget: had, keep_free } = was.unwrap_or_default();
    let workers = args.workers.or(concurrency.map(|was| was.workers)).unwrap_or(1);
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let positive = |name: &str, holds: bool| {
        if holds { Ok(()) } else { Err(Failure::usage(format!("--{name} must be a number above zero"))) }
    };
    for (name, count) in [
        ("workers", args.workers),
        ("sessions", args.sessions),
        ("containers", args.containers),
        ("pulls", args.pulls),
        ("tests", args.tests),
    ] {
        positive(name, count != Some(0))?;
    }
    positive("run-usd", args.run_usd.is_none_or(|usd| usd > 0.0 && usd.is_finite()))?;
    let usual = concurrency.filter(|was| was.workers == workers);
    let usual = usual.unwrap_or(Concurrency { tests: cores, ..Concurrency::of_workers(workers) });
    let seconds = |span: crate::options::Span| span.0.as_secs_f64();
    let budget = Most {
        usd: args.run_usd.or(had.usd),
        tokens: args.run_tokens.or(had.tokens),
        seconds: args.run_time.map(seconds).or(had.seconds),
    };
    let keep_free = args.keep_free.or(keep_free).unwrap_or(KEEP_FREE).saturating_mul(1 << 30);
    let session = Most {
        usd: options.max_usd,
        tokens: options.max_tokens_total,
        seconds: options.time_limit.map(seconds),
    };
    budget.check(session).map_err(Failure::usage)?;
    Ok(Options {
        concurrency: Concurrency {
            workers,
            sessions: args.sessions.unwrap_or(usual.sessions),
            containers: args.containers.unwrap_or(usual.containers),
            pulls: args.pulls.unwrap_or(usual.pulls),
            tests: args.tests.unwrap_or(usual.tests),
            requests_per_minute: args
                .requests_per_minute
                .or(concurrency.and_then(|was| was.requests_per_minute)),
        },
        budget,
        session,
        disk: Disk {
            folders: vec![std::env::temp_dir()],
            needed: keep_free,
            reserve: keep_free,
            ..Disk::default()
        },
        versions: versions(),
        ..Options::of_workers(workers)
    })
}

async fn carry(
    run: RunFolder,
    suite: std::sync::Arc<dyn patchwright_suites::Suite>,
    options: SessionOptions,
    mut carried: Options,
    json: bool,
) -> Result<ExitCode, Failure> {
    crate::lanes::sweep(false);
    if let Err(error) = patchwright_sandbox::sweep(false).await {
        tracing::debug!("no leftovers looked for: {error}");
    }
    let keys = crate::model::keys(&options).all().map_err(|error| crate::model::refused(&error))?;
    carried.secrets = keys.iter().map(|key| key.expose().to_owned()).collect();
    let Concurrency { sessions, tests, .. } = carried.concurrency;
    // Builds and tests of one session run in its lanes.
    let lanes = options.lanes.unwrap_or((tests / sessions.max(1)).max(1));
    let mut options = SessionOptions { lanes: Some(lanes), ..options };
    let golden = if is_golden(&options) {
        options.model = None;
        Some(golden(suite.cases(), &run.file().cases)?)
    } else {
        None
    };
    let drawing = Drawing::of(&carried.live);
    let cancel = Cancel::on_signals();
    let stop = carried.cancel.clone();
    let told = tokio::spawn(async move {
        cancel.said().await;
        crate::say("the run ends as soon as running sessions have: they are cancelled and can be resumed");
        stop.cancel();
    });
    let root = run.places().root().to_owned();
    let runner = Runner {
        suite,
        repairer: std::sync::Arc::new(Sessions { options, golden }),
        options: carried,
        listeners: vec![Box::new(drawing.listener())],
    };
    let ended = runner.run(run).await;
    told.abort();
    drawing.close();
    let summary = ended.map_err(|error| match error {
        RunError::MissingCase { .. } => Failure::usage(error),
        error => Failure::environment(error),
    })?;
    tell(&summary, &root, json)?;
    Ok(exit_code(&summary))
}

/// Whether the developers' fixes are tried.
fn is_golden(options: &SessionOptions) -> bool {
    options.model.as_deref() == Some(GOLDEN)
}

/// The developers' fixes of the cases of a run.
fn golden(cases: &[Case], ids: &[String]) -> Result<BTreeMap<String, Vec<Edit>>, Failure> {
    let mut fixes = BTreeMap::new();
    for case in cases.iter().filter(|case| ids.contains(&case.id)) {
        let Some(patch) = &case.truth.patch else {
            return Err(Failure::usage(format!("{}: the suite has no developer's fix of it", case.id))
                .hint("leave it out with --filter, or name the patch in the manifest (golden)"));
        };
        let reading = read_edits(patch, Some(Format::Diff)).map_err(|error| {
            Failure::usage(format!("{}: the developer's fix cannot be read: {error}", case.id))
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
    if *unanswered > 0 {
        crate::say(&format!("{text}; {unanswered} of the cases have no answer: {again}"));
    }
    if json {
        let object = serde_json::json!({
            "run": root,
            "reason": reason.word(),
            "cases": run.file.cases.len(),
            "unanswered": unanswered,
            "statuses": run.ledger.counts(run.file.cases.iter().map(String::as_str)),
        });
        crate::print(&format!("{object}\n"))?;
    }
    Ok(())
}

fn exit_code(summary: &Summary) -> ExitCode {
    use patchwright_suites::run::EndReason;
    match summary.reason {
        EndReason::Cancelled => ExitCode::Interrupted,
        EndReason::Complete if summary.unanswered == 0 => ExitCode::Done,
        EndReason::Complete | EndReason::Budget => ExitCode::NotFound,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::options::Mode;

    #[test]
    fn what_belongs_to_a_case_is_refused() {
        let options = SessionOptions { issue: Some("issue.md".to_owned()), ..SessionOptions::default() };
        let message = refuse_of_cases(&options).unwrap_err().to_string();
        assert!(message.contains("--issue belongs to a case") && message.contains("manifest"), "{message}");
        assert!(refuse_of_cases(&SessionOptions { cycles: Some(3), ..SessionOptions::default() }).is_ok());
    }

    #[test]
    fn settings_survive_run_toml() {
        let options = SessionOptions {
            cycles: Some(7),
            mode: Some(Mode::Agentless),
            time_limit: Some("90s".parse().unwrap()),
            ..SessionOptions::default()
        };
        let table = table(&shaping(&options, true)).unwrap();
        let text = toml::to_string(&table).unwrap();
        let read: SessionOptions = toml::from_str(&text).unwrap();
        assert_eq!(read.cycles, Some(7));
        assert_eq!(read.localization.as_deref(), Some(PERFECT));
        assert_eq!(read.time_limit, options.time_limit);
    }
}
