//! `patchwright replay view` and `patchwright replay check`

use std::io::Write;
use std::path::{Path, PathBuf};

use patchwright_agent::{Compared, Comparison, Prompts};
use patchwright_command_line::cli::CheckArgs;
use patchwright_command_line::options::{ApproachOptions, SandboxOptions, SessionOptions};
use patchwright_lanes::Activity;
use patchwright_protocol::{ChatReply, Failure, Mode, counted};
use patchwright_trajectory::{Event, Log, PromptStore, Reader, Record, TrajectoryReadError};
use serde_json::json;

use crate::execute::{Output, execute};
use crate::failure::ExitCode;
use crate::model::{read_log, unreadable};
use crate::plan::Plan;
use crate::renderer::{Renderer, shows_diff};

/// Prints a trajectory for reading; `full` with prompts, replies and results whole.
pub fn view(file: &Path, full: bool) -> Result<ExitCode, Failure> {
    let mut reader = Reader::open(file).map_err(unreadable)?;
    let machine = patchwright_state_machine::StateMachine::embedded();
    let mut talk = Renderer::new(Pieces::default(), machine.start().name.as_str());
    let mut prompts = PromptStore::default();
    let mut last = None;
    for record in reader.by_ref() {
        let record = record.map_err(unreadable)?;
        talk.tell(&record.event);
        talk.tell_patch(&record.event);
        if full && let Some(whole) = whole(&record, &mut prompts)? {
            talk.quote(&whole);
        }
        // A trajectory may be larger than the memory: each event is shown before the next is read.
        talk.out().print()?;
        last = Some(record.event);
    }
    if let Some(cut) = reader.cut() {
        crate::say(&format!("{}: {cut}", file.display()));
    } else if !matches!(last, Some(Event::SessionEnded(_)) | None) {
        crate::say(&format!("{}: the session did not come to its end", file.display()));
    }
    match last {
        Some(_) => Ok(ExitCode::Done),
        None => Err(unreadable(TrajectoryReadError::Empty { path: file.to_owned() })),
    }
}

/// Bytes of an event that are gathered before they are printed: with their colours, its lines may take many times its own bytes.
const PIECE: usize = 1 << 20;

/// Prints what is written, some whole lines at a time.
#[derive(Default)]
struct Pieces {
    lines: Vec<u8>,
    failed: Option<Failure>,
}

impl Pieces {
    /// Prints what was gathered.
    fn print(&mut self) -> Result<(), Failure> {
        self.failed.take().map_or(Ok(()), Err)?;
        crate::print_styled(&std::mem::take(&mut self.lines))
    }
}

impl Write for Pieces {
    fn write(&mut self, text: &[u8]) -> std::io::Result<usize> {
        if self.failed.is_some() {
            return Err(std::io::Error::from(std::io::ErrorKind::BrokenPipe));
        }
        self.lines.extend_from_slice(text);
        if self.lines.len() >= PIECE && text.ends_with(b"\n") {
            self.failed = self.print().err();
        }
        Ok(text.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The fields of an event that the short view leaves out.
fn whole(record: &Record, prompts: &mut PromptStore) -> Result<Option<String>, Failure> {
    Ok(match &record.event {
        Event::Prompt { purpose, prompt, .. } => {
            let messages = prompts.rebuild(*purpose, prompt).map_err(Failure::user)?;
            let texts: Vec<_> = messages
                .iter()
                .map(|message| format!("[{}]\n{}", message.role.word(), message.text))
                .collect();
            Some(texts.join("\n"))
        }
        Event::Reply { reply: ChatReply { text, reasoning, tool_calls, .. }, .. } => {
            let reasoning = match reasoning.as_str() {
                "" => String::new(),
                reasoning => format!("[reasoning]\n{reasoning}\n[reply]\n"),
            };
            let calls: Vec<_> =
                tool_calls.iter().map(|call| format!("{} {}", call.name, call.arguments)).collect();
            Some(format!("{reasoning}{text}{}", calls.join("\n")))
        }
        Event::Refusal { message, .. } => Some(message.clone()),
        Event::Observation { text, .. } => Some(text.clone()),
        Event::Reproduction { test, .. } => Some(test.text.clone()),
        Event::Candidate { candidate, .. } => candidate.diff.clone().filter(|_| !shows_diff(candidate)),
        Event::SessionStarted { .. }
        | Event::Detected { .. }
        | Event::NamedTests { .. }
        | Event::Baseline { .. }
        | Event::Call { .. }
        | Event::Transition { .. }
        | Event::Hypothesis { .. }
        | Event::HypothesisDiscarded { .. }
        | Event::Verdict { .. }
        | Event::Intervention { .. }
        | Event::AskedAgain { .. }
        | Event::Notice { .. }
        | Event::SessionEnded(_) => None,
    })
}

/// Drives the loop from the recording, with tools and tests live, and compares what the model would see.
pub async fn check(args: &CheckArgs) -> Result<ExitCode, Failure> {
    let log = read_log(&args.file)?;
    let around = match &args.dir {
        Some(dir) => ProjectAround { dir: dir.clone(), is_guessed: false },
        None => ProjectAround::of(&args.file)?,
    };
    let checked = Box::pin(compare(args, &log, &around.dir)).await;
    let Some(doubt) = around.doubt() else { return checked };
    if matches!(checked, Ok(ExitCode::NotFound)) {
        crate::say(&format!("hint: {doubt}"));
    }
    checked.map_err(|failure| {
        let hint = failure.hint.as_ref().map_or_else(|| doubt.clone(), |own| format!("{own}; {doubt}"));
        failure.hint(hint)
    })
}

/// Drives the loop in a project.
async fn compare(args: &CheckArgs, log: &Log, dir: &Path) -> Result<ExitCode, Failure> {
    let typed = SessionOptions {
        approach: ApproachOptions {
            model: Some(format!("replay:{}", args.file.display())),
            ..ApproachOptions::default()
        },
        sandbox: SandboxOptions {
            kind: args.sandbox,
            image: args.image.clone(),
            ..SandboxOptions::default()
        },
        ..SessionOptions::default()
    };
    let plan = Plan::replay(dir, &typed)?;
    let folder = tempfile::tempdir().map_err(Failure::environment)?;
    let output = Output {
        folder: folder.path().to_owned(),
        session: session_name(log),
        activity: Activity::default(),
    };
    let exactness = if args.exact_prompts { Prompts::Exact } else { Prompts::Sections };
    let (comparison, difference) = Comparison::new(log, exactness);
    let cancel = crate::cancel::on_signals();
    let progress = crate::progress::ProgressDisplay::new(&plan, false, output.activity.clone());
    let listeners: Vec<Box<dyn patchwright_session::Listener>> =
        vec![Box::new(progress), Box::new(comparison)];
    let reviewer = plan.reviewer();
    let driver = plan.driver(&output.activity)?;
    let session = execute(&plan, &output, driver, reviewer, listeners, &cancel);
    tokio::pin!(session);
    tokio::select! {
        outcome = &mut session => { outcome?; }
        () = difference.diverged() => {
            // There is nothing to learn from the rest of a session that went another way; it cleans up.
            cancel.cancel();
            session.await?;
        }
    }
    let Compared { divergence, steps, reworded, rewording } = difference.result();
    if cancel.is_cancelled() && divergence.is_none() {
        return Ok(ExitCode::Interrupted);
    }
    if args.json {
        let object = json!({
            "same": divergence.is_none(),
            "compared": steps,
            "reworded": reworded,
            "rewording": rewording,
            "divergence": divergence,
        });
        crate::print(&format!("{object}\n"))?;
    } else {
        let told = match &divergence {
            Some(divergence) => format!("after {steps} equal steps, {divergence}"),
            None => format!("the replay is the same as the recording: {steps} steps compared"),
        };
        crate::print(&format!("{told}\n"))?;
        if let Some(rewording) = &rewording {
            crate::say(&format!(
                "{} had the same sections as in the recording and other words (--exact-prompts makes that a difference); the first, in {rewording}",
                counted(reworded, "prompt")
            ));
        }
    }
    Ok(if divergence.is_none() { ExitCode::Done } else { ExitCode::NotFound })
}

fn session_name(log: &Log) -> String {
    match log.records.first().map(|record| &record.event) {
        Some(Event::SessionStarted { session, mode: Mode::Agent | Mode::Agentless, .. }) => session.clone(),
        _ => "replay".to_owned(),
    }
}

/// The project that a trajectory belongs to.
struct ProjectAround {
    dir: PathBuf,
    /// Is true if nothing but the place of the trajectory tells of it.
    is_guessed: bool,
}

impl ProjectAround {
    /// The one around `.patchwright`, or the folder that the trajectory lies in.
    fn of(file: &Path) -> Result<Self, Failure> {
        let full =
            file.canonicalize().map_err(|error| Failure::user(format!("{}: {error}", file.display())))?;
        let around =
            full.ancestors().find(|folder| folder.file_name().is_some_and(|name| name == ".patchwright"));
        let dir = around.unwrap_or(&full).parent().ok_or_else(|| {
            Failure::user("the trajectory lies in no folder").hint("give the project with --dir")
        })?;
        Ok(Self { dir: dir.to_owned(), is_guessed: around.is_none() })
    }

    /// What may be wrong with it, and the cure.
    fn doubt(&self) -> Option<String> {
        self.is_guessed.then(|| {
            format!(
                "the project was taken to be {}, where the trajectory lies; if it is another one, give it with --dir",
                self.dir.display()
            )
        })
    }
}
