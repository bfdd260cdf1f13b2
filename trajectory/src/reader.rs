//! Reading a trajectory.

use std::io;
use std::path::{Path, PathBuf};

use patchwright_protocol::Message;
use patchwright_protocol::schema::faults;
use serde_json::Value;
use thiserror::Error;

use crate::delta::{DeltaError, PromptStore};
use crate::event::{Event, FORMAT, Record, VERSION};
use crate::json_lines::{LineReader, MOST_BYTES, excess};
use crate::payload::Purpose;
use crate::schema::schema;

/// The reason why a trajectory cannot be read.
#[derive(Debug, Error)]
pub enum TrajectoryReadError {
    /// The file cannot be opened or read.
    #[error("cannot read {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's words.
        source: io::Error,
    },
    /// There is no whole event in the file.
    #[error("{} holds no event; the session ended before its first one", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// It is too large to be held in memory.
    #[error("{} has more than {most} bytes, which is too much to be replayed; `patchwright replay view` shows it event by event", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The bound.
        most: u64,
    },
    /// A line is not what it should be.
    #[error("{}:{line}: {}{message}", path.display(), field_prefix(field.as_deref()))]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// The field as a JSON pointer; none where the line is no JSON object.
        field: Option<String>,
        /// The fault.
        message: String,
    },
    /// The file is no trajectory, or one of a newer program.
    #[error("{}: format `{format}` version {version}; this program reads {FORMAT} up to version {VERSION}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// The format that it names.
        format: String,
        /// The version that it names.
        version: u32,
    },
    /// A prompt cannot be put together again.
    #[error("{}:{line}: field `/prompt`: {source}", path.display())]
    Prompt {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// Why.
        source: DeltaError,
    },
}

fn field_prefix(field: Option<&str>) -> String {
    field.map(|field| format!("field `{field}`: ")).unwrap_or_default()
}

/// A last line that was cut: the session was killed while it wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TornLine {
    /// The line, from 1.
    pub line: u64,
    /// Bytes of it that are there.
    pub bytes: u64,
}

impl std::fmt::Display for TornLine {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { line, bytes } = self;
        write!(formatter, "line {line} was cut after {bytes} bytes (the session was killed) and is left out")
    }
}

/// A prompt put together from its differences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RebuiltPrompt {
    /// The number of the prompt's record.
    pub seq: u64,
    /// The cycle.
    pub cycle: u32,
    /// The purpose of the prompt.
    pub purpose: Purpose,
    /// The messages.
    pub messages: Vec<Message>,
}

/// A whole trajectory.
#[derive(Debug, Clone, PartialEq)]
pub struct Log {
    /// The events, in order.
    pub records: Vec<Record>,
    /// The cut last line, where there is one.
    pub cut: Option<TornLine>,
    path: PathBuf,
}

impl Log {
    /// Is true if the session came to its end (it was not killed).
    pub fn ended(&self) -> bool {
        matches!(self.records.last(), Some(Record { event: Event::SessionEnded { .. }, .. }))
    }

    /// All prompts, whole.
    ///
    /// # Errors
    /// When a difference does not fit; names file and line.
    pub fn prompts(&self) -> Result<Vec<RebuiltPrompt>, TrajectoryReadError> {
        let mut store = PromptStore::default();
        let mut prompts = Vec::new();
        for record in &self.records {
            if let Event::Prompt { cycle, purpose, prompt, .. } = &record.event {
                let messages = store.rebuild(*purpose, prompt).map_err(|source| {
                    TrajectoryReadError::Prompt { path: self.path.clone(), line: record.seq + 1, source }
                })?;
                prompts.push(RebuiltPrompt { seq: record.seq, cycle: *cycle, purpose: *purpose, messages });
            }
        }
        Ok(prompts)
    }
}

/// Reads a whole trajectory.
///
/// # Errors
/// When the file cannot be read, is empty, of another format, damaged before its last line or larger than 256 MiB.
pub fn read(path: &Path) -> Result<Log, TrajectoryReadError> {
    read_within(path, MOST_BYTES)
}

fn read_within(path: &Path, most: u64) -> Result<Log, TrajectoryReadError> {
    let too_large = || TrajectoryReadError::TooLarge { path: path.to_owned(), most };
    let mut reader = Reader::open(path)?;
    // Known before any of it is read; a file may still grow meanwhile.
    if std::fs::metadata(path).is_ok_and(|file| file.len() > most) {
        return Err(too_large());
    }
    let mut records = Vec::new();
    while let Some(record) = reader.next() {
        records.push(record?);
        if reader.bytes > most {
            return Err(too_large());
        }
    }
    if records.is_empty() {
        return Err(TrajectoryReadError::Empty { path: path.to_owned() });
    }
    Ok(Log { records, cut: reader.cut, path: path.to_owned() })
}

/// Reads a trajectory event by event. It ends after the first error.
#[derive(Debug)]
pub struct Reader {
    path: PathBuf,
    input: LineReader,
    line: u64,
    /// Bytes that were read.
    bytes: u64,
    cut: Option<TornLine>,
    done: bool,
}

impl Reader {
    /// Opens a trajectory.
    ///
    /// # Errors
    /// When the file cannot be opened.
    pub fn open(path: &Path) -> Result<Self, TrajectoryReadError> {
        let input = LineReader::open(path)
            .map_err(|source| TrajectoryReadError::Io { path: path.to_owned(), source })?;
        Ok(Self { path: path.to_owned(), input, line: 0, bytes: 0, cut: None, done: false })
    }

    /// The cut last line; known once the events are read to their end.
    pub fn cut(&self) -> Option<&TornLine> {
        self.cut.as_ref()
    }

    fn read_line(&mut self) -> Result<Option<Record>, TrajectoryReadError> {
        let line = self.input.next_line();
        let line = line.map_err(|source| TrajectoryReadError::Io { path: self.path.clone(), source })?;
        let Some(bytes) = line else { return Ok(None) };
        self.line += 1;
        self.bytes += bytes.len() as u64;
        if let Some(excess) = excess(&bytes) {
            return Err(self.damaged(None, excess));
        }
        let whole = bytes.ends_with(b"\n");
        match self.record(&bytes) {
            Ok(record) => Ok(Some(record)),
            Err(TrajectoryReadError::Damaged { .. }) if !whole => {
                self.cut = Some(TornLine { line: self.line, bytes: bytes.len() as u64 });
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    fn record(&self, bytes: &[u8]) -> Result<Record, TrajectoryReadError> {
        let value: Value =
            serde_json::from_slice(bytes).map_err(|error| self.damaged(None, format!("no JSON: {error}")))?;
        // The value moves into the record, so that a long line is not held three times; only a fault is looked for in a second one.
        let record: Record = serde_json::from_value(value).map_err(|error| {
            let again = serde_json::from_slice(bytes).ok();
            let fault = again.as_ref().and_then(first_fault);
            let (field, message) = fault.unwrap_or((None, error.to_string()));
            self.damaged(field, message)
        })?;
        let record = Record { event: record.event.with_outcome(), ..record };
        if record.seq != self.line - 1 {
            let message =
                format!("{} instead of {}; events are missing or doubled", record.seq, self.line - 1);
            return Err(self.damaged(Some("/seq".to_owned()), message));
        }
        match &record.event {
            Event::SessionStarted { format, version, .. } if format != FORMAT || *version > VERSION => {
                Err(TrajectoryReadError::Format {
                    path: self.path.clone(),
                    format: format.clone(),
                    version: *version,
                })
            }
            event if self.line == 1 && !matches!(event, Event::SessionStarted { .. }) => {
                let message = format!("the first event is `{}`, not `session_started`", event.name());
                Err(self.damaged(Some("/event".to_owned()), message))
            }
            _ => Ok(record),
        }
    }

    fn damaged(&self, field: Option<String>, message: String) -> TrajectoryReadError {
        TrajectoryReadError::Damaged { path: self.path.clone(), line: self.line, field, message }
    }
}

impl Iterator for Reader {
    type Item = Result<Record, TrajectoryReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let item = self.read_line().transpose();
        self.done = !matches!(item, Some(Ok(_)));
        item
    }
}

/// The first field of a line that does not fit the schema of its event, and what is wrong with it.
fn first_fault(line: &Value) -> Option<(Option<String>, String)> {
    let mut common = schema();
    let branches = common.as_object_mut()?.remove("oneOf")?;
    let event = line.get("event");
    // Only the branch of the event that the line names: otherwise every other event would be a fault, too.
    let named = |branch: &&Value| event.is_some() && branch.pointer("/properties/event/const") == event;
    let Some(branch) = branches.as_array()?.iter().find(named) else {
        return Some((Some("/event".to_owned()), unknown_event(event)));
    };
    [&common, branch].into_iter().find_map(|part| {
        let fault = faults(part, &common, line).into_iter().next()?;
        Some(((!fault.pointer.is_empty()).then_some(fault.pointer), fault.message))
    })
}

fn unknown_event(event: Option<&Value>) -> String {
    match event {
        Some(event) => format!("no such event: {event}"),
        None => "is missing".to_owned(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::json_lines::{LONGEST_LINE, MOST_VALUES};
    use crate::{Redactor, Writer};

    /// A trajectory of these lines behind its first event.
    fn recorded(folder: &Path, lines: &[String]) -> PathBuf {
        let path = folder.join("trajectory.jsonl");
        let mut writer = Writer::create(&path, Redactor::default()).unwrap();
        let started = Event::session_started(
            "one",
            "2026-11-21T08:00:00Z",
            Value::Null,
            Value::Null,
            patchwright_protocol::Mode::Agent,
            "none",
        );
        writer.write(started).unwrap();
        writer.close().unwrap();
        let mut file = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
        for line in lines {
            writeln!(file, "{line}").unwrap();
        }
        path
    }

    fn notice(seq: usize, letters: usize) -> String {
        let text = "x".repeat(letters);
        format!(r#"{{"seq":{seq},"ms":1,"event":"notice","level":"info","text":"{text}"}}"#)
    }

    fn observation(data: &str) -> String {
        format!(
            r#"{{"seq":1,"ms":1,"event":"observation","cycle":1,"tool":"t","text":"","data":[{data}0],"advance":false,"seconds":0}}"#
        )
    }

    #[test]
    fn a_line_is_read_up_to_a_length_and_a_number_of_values() {
        let folder = tempfile::tempdir().unwrap();
        let check = |line: String, expect: &str| {
            let path = tempfile::tempdir_in(&folder).unwrap();
            let mut reader = Reader::open(&recorded(path.path(), &[line])).unwrap();
            assert!(reader.next().unwrap().is_ok());
            let error = reader.next().unwrap().unwrap_err().to_string();
            assert!(error.contains(":2: ") && error.contains(expect), "{error}");
            assert!(reader.bytes < 2 * LONGEST_LINE as u64 && reader.next().is_none());
        };
        for times in [1, 10] {
            check(notice(1, times * LONGEST_LINE), "more than 16777216 bytes");
        }
        for values in ["0,", "[],", "{\"\":0},"] {
            check(observation(&values.repeat(MOST_VALUES)), "more than 262144 values");
        }
    }

    #[test]
    fn a_prompt_is_put_together_up_to_a_length() {
        let prompt = |seq: usize, pieces: &str, hash: &str| {
            format!(
                r#"{{"seq":{seq},"ms":1,"event":"prompt","cycle":1,"purpose":"command","prompt":{{"messages":[{{"role":"user","pieces":[{pieces}]}}],"hash":"{hash}"}},"tokens":1}}"#
            )
        };
        let role = patchwright_protocol::Role::User;
        let first = Message::new(role, "x".repeat(1 << 20));
        let hash = PromptStore::default().delta(Purpose::Command, std::slice::from_ref(&first)).hash;
        for times in [1, 10] {
            let folder = tempfile::tempdir().unwrap();
            // The second prompt is the first one, so many times.
            let again = vec!["[0,1048576]"; times * 16 + 1].join(",");
            let lines = [prompt(1, &format!("\"{}\"", first.text), &hash), prompt(2, &again, "")];
            let log = read(&recorded(folder.path(), &lines)).unwrap();
            let error = log.prompts().unwrap_err().to_string();
            assert!(error.contains(":3: field `/prompt`") && error.contains("16777216 bytes"), "{error}");
        }
    }

    #[test]
    fn a_log_is_held_up_to_a_size() {
        let folder = tempfile::tempdir().unwrap();
        let lines: Vec<String> = (1..=100).map(|seq| notice(seq, 1_000)).collect();
        let path = recorded(folder.path(), &lines);
        assert_eq!(read_within(&path, 200_000).unwrap().records.len(), 101);
        let error = read_within(&path, 10_000).unwrap_err().to_string();
        assert!(error.contains("10000 bytes") && error.contains("replay view"), "{error}");
    }
}
