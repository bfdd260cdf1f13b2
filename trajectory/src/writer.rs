//! The single owner of a trajectory file.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use patchwright_protocol::{Actionable, Actor, Message};
use thiserror::Error;

use crate::delta::{LONGEST_PROMPT, PromptStore};
use crate::event::{Event, Record};
use crate::json_lines::{JsonLines, LONGEST_LINE, is_full};
use crate::payload::Purpose;
use crate::redact::Redactor;

/// The reason why an event could not be written. The file still ends with its last whole line.
#[derive(Debug, Error)]
pub enum TrajectoryWriteError {
    /// There is such a file already; a trajectory is never continued or overwritten.
    #[error("{} exists already; a session writes a new trajectory", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The file could not be made.
    #[error("cannot make {}: {source}", path.display())]
    Create {
        /// The file.
        path: PathBuf,
        /// The system's words.
        source: io::Error,
    },
    /// The disk is full, or a quota is used up.
    #[error("no space left for {}; it holds {events} events up to the last whole line", path.display())]
    Full {
        /// The file.
        path: PathBuf,
        /// Whole events in the file.
        events: u64,
        /// The system's words.
        source: io::Error,
    },
    /// Any other failure of the file.
    #[error("cannot write {}: {source}; it holds {events} events up to the last whole line", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Whole events in the file.
        events: u64,
        /// The system's words.
        source: io::Error,
    },
    /// A prompt is longer than is read back.
    #[error(
        "the prompt has {bytes} bytes, and more than {LONGEST_PROMPT} are not recorded; give the prompts a smaller budget"
    )]
    LongPrompt {
        /// Its bytes.
        bytes: usize,
    },
    /// The event has no JSON form, which is a defect of the program.
    #[error("the event {event} cannot be written as JSON: {message}")]
    Encoding {
        /// The event's name.
        event: &'static str,
        /// The cause.
        message: String,
    },
}

impl Actionable for TrajectoryWriteError {
    fn actor(&self) -> Actor {
        match self {
            Self::Encoding { .. } => Actor::Defect,
            Self::LongPrompt { .. } => Actor::User,
            Self::Exists { .. } | Self::Create { .. } | Self::Full { .. } | Self::Io { .. } => {
                Actor::Environment
            }
        }
    }
}

/// Bytes of a prompt's line around the prompt, at most.
const ENVELOPE: usize = 1_000;

/// Writes a trajectory, one whole line for every event.
pub struct Writer {
    path: PathBuf,
    lines: JsonLines,
    redactor: Redactor,
    prompts: PromptStore,
    clock: Box<dyn FnMut() -> u64 + Send>,
    /// Events written, the number of the next one.
    events: u64,
}

impl std::fmt::Debug for Writer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { path, events, .. } = self;
        formatter.debug_struct("Writer").field("path", path).field("events", events).finish_non_exhaustive()
    }
}

impl Writer {
    /// Makes a new trajectory, in which `redactor` replaces secrets.
    ///
    /// # Errors
    /// When the file exists or cannot be made.
    pub fn create(path: &Path, redactor: Redactor) -> Result<Self, TrajectoryWriteError> {
        let start = Instant::now();
        Self::create_with_clock(path, redactor, move || {
            u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX)
        })
    }

    /// As [`Writer::create`], with the clock that gives the milliseconds since the start.
    ///
    /// # Errors
    /// When the file exists or cannot be made.
    pub fn create_with_clock(
        path: &Path,
        redactor: Redactor,
        clock: impl FnMut() -> u64 + Send + 'static,
    ) -> Result<Self, TrajectoryWriteError> {
        let lines = JsonLines::create(path).map_err(|source| {
            let path = path.to_owned();
            if source.kind() == io::ErrorKind::AlreadyExists {
                TrajectoryWriteError::Exists { path }
            } else {
                TrajectoryWriteError::Create { path, source }
            }
        })?;
        Ok(Self::over(path, lines, redactor, Box::new(clock)))
    }

    fn over(
        path: &Path,
        lines: JsonLines,
        redactor: Redactor,
        clock: Box<dyn FnMut() -> u64 + Send>,
    ) -> Self {
        Self { path: path.to_owned(), lines, redactor, prompts: PromptStore::default(), clock, events: 0 }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The redactor of this trajectory, for what is shown or sent besides.
    pub fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    /// Writes an event; it is a whole line of the file when this returns. Prompts go through [`Writer::prompt`].
    ///
    /// Returns the record as it stands in the file, secrets replaced: what front ends are to show.
    ///
    /// # Errors
    /// When the file cannot take the line; what was there before is kept, and a later event may be tried.
    pub fn write(&mut self, event: Event) -> Result<Record, TrajectoryWriteError> {
        let name = event.name();
        let record = Record { seq: self.events, ms: (self.clock)(), event };
        let mut line = Vec::new();
        let record = JsonLines::encode(&record, &self.redactor, &mut line)
            .map_err(|error| TrajectoryWriteError::Encoding { event: name, message: error.to_string() })?;
        self.lines.append(&line).map_err(|source| self.failure(source))?;
        self.events += 1;
        Ok(record)
    }

    /// Writes a prompt as a difference to the previous one of its purpose.
    ///
    /// # Errors
    /// As [`Writer::write`].
    pub fn prompt(
        &mut self,
        cycle: u32,
        purpose: Purpose,
        messages: &[Message],
        tokens: u64,
    ) -> Result<Record, TrajectoryWriteError> {
        // Secrets go before the difference is taken: afterwards a secret could lie across two pieces.
        let clean: Vec<Message> = messages
            .iter()
            .map(|message| Message { text: self.redactor.text(&message.text), ..message.clone() })
            .collect();
        let bytes = clean.iter().map(|message| message.text.len()).sum();
        if bytes > LONGEST_PROMPT {
            return Err(TrajectoryWriteError::LongPrompt { bytes });
        }
        let prompt = self.prompts.delta(purpose, &clean);
        // It is never shortened: the next one refers to it.
        let line = serde_json::to_string(&prompt).map_or(0, |line| line.len());
        if line > LONGEST_LINE - ENVELOPE {
            return Err(TrajectoryWriteError::LongPrompt { bytes });
        }
        let record = self.write(Event::Prompt { cycle, purpose, prompt, tokens })?;
        self.prompts.keep(purpose, clean);
        Ok(record)
    }

    /// Makes sure that everything is on the disk, and closes the file.
    ///
    /// # Errors
    /// When the disk does not confirm.
    pub fn close(mut self) -> Result<(), TrajectoryWriteError> {
        self.lines.sync().map_err(|source| self.failure(source))
    }

    fn failure(&self, source: io::Error) -> TrajectoryWriteError {
        let (path, events) = (self.path.clone(), self.events);
        if is_full(&source) {
            TrajectoryWriteError::Full { path, events, source }
        } else {
            TrajectoryWriteError::Io { path, events, source }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::small_disk::SmallDisk;

    #[test]
    fn a_prompt_that_cannot_be_read_back_is_not_written() {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = Writer::create(&folder.path().join("t.jsonl"), Redactor::default()).unwrap();
        let role = patchwright_protocol::Role::User;
        // Control characters take six bytes of a line each.
        for text in [
            "x".repeat(LONGEST_PROMPT + 1),
            "x".repeat(10 * LONGEST_PROMPT),
            "\u{1}".repeat(LONGEST_PROMPT / 5),
        ] {
            let message = Message::new(role, text);
            let error = writer.prompt(1, Purpose::Command, &[message], 50).unwrap_err();
            assert!(matches!(error, TrajectoryWriteError::LongPrompt { .. }), "{error}");
        }
        assert_eq!(std::fs::metadata(writer.path()).unwrap().len(), 0);
    }

    #[test]
    fn a_full_disk_leaves_whole_lines_and_a_freed_one_is_written_on() {
        for cuts_fail in [false, true] {
            let content = Arc::new(Mutex::new(Vec::new()));
            let room = Arc::new(Mutex::new(150));
            let disk = SmallDisk { content: Arc::clone(&content), room: Arc::clone(&room), cuts_fail };
            let mut writer = Writer::over(
                Path::new("t.jsonl"),
                JsonLines::over(Box::new(disk), 0),
                Redactor::default(),
                Box::new(|| 7),
            );
            writer.write(Event::info("the first")).unwrap();
            let message = Message::new(patchwright_protocol::Role::User, "long ".repeat(40));
            let error = writer.prompt(1, Purpose::Command, std::slice::from_ref(&message), 50).unwrap_err();
            assert!(matches!(error, TrajectoryWriteError::Full { events: 1, .. }), "{error}");
            assert_eq!(
                error.to_string(),
                "no space left for t.jsonl; it holds 1 events up to the last whole line"
            );
            // Where even cutting failed, the torn part goes before the next line is written.
            assert_eq!(content.lock().unwrap().ends_with(b"\n"), !cuts_fail);
            *room.lock().unwrap() = 10_000;
            writer.prompt(1, Purpose::Command, std::slice::from_ref(&message), 50).unwrap();
            writer.prompt(2, Purpose::Command, &[message], 50).unwrap();
            let text = String::from_utf8(content.lock().unwrap().clone()).unwrap();
            let lines: Vec<Record> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            assert_eq!(lines.iter().map(|record| record.seq).collect::<Vec<_>>(), [0, 1, 2]);
            assert_eq!(text.matches("long ").count(), 40, "the failed prompt is no base for later ones");
        }
    }
}
