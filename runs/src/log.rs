//! `events.jsonl`: append-only, one writer, every record on the disk before its effect counts.
//!
//! The writer is a thread. What several workers ask for at the same moment becomes one write and one sync, so that
//! many workers cost few syncs. Listeners are called by that thread, in the order of the file, after the sync.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread::JoinHandle;

use patchwright_folder::atomic::sync_parent;
use patchwright_trajectory::{JsonLines, LineReader, MOST_BYTES, Redactor, excess, is_full};
use thiserror::Error;
use tokio::sync::oneshot;

use super::event::{EventRecord, FORMAT, RunEvent, VERSION};

/// Records written with one sync at most.
const BATCH: usize = 256;

/// Hears records, in order, once they are on the disk.
pub trait RunListener: Send {
    /// Is called once a record.
    fn on_event(&mut self, record: &EventRecord);
}

/// The reason why the log cannot be read or written.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LogError {
    /// The disk is full. The file holds whole records only.
    #[error("no space left for {}: the run ends; what is written is whole. Free some space and resume it", .0.display())]
    Full(PathBuf),
    /// Any other failure of the file.
    #[error("cannot use {}: {message}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The message of the system.
        message: String,
    },
    /// A line, not the torn last one, is no record.
    #[error(
        "{}:{line}: {message}; something else wrote into the log. Take that line out, or begin a new run",
        path.display()
    )]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// The mistake in it.
        message: String,
    },
    /// It is too large to be held in memory.
    #[error("{} has more than {most} bytes, which no run writes; begin a new run", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The bound.
        most: u64,
    },
    /// The log is of a newer program, or another thing altogether.
    #[error("{}: format `{format}` version {version}; this program reads {FORMAT} up to version {VERSION}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// The format that it names.
        format: String,
        /// The version that it names.
        version: u32,
    },
    /// The writer is gone, which is a defect of the program.
    #[error("the writer of {} has ended", .0.display())]
    Closed(PathBuf),
}

impl LogError {
    fn io(path: &Path, error: &io::Error) -> Self {
        let path = path.to_owned();
        if is_full(error) { Self::Full(path) } else { Self::Io { path, message: error.to_string() } }
    }
}

/// The records of a log.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Records {
    /// The records, in order.
    pub whole: Vec<EventRecord>,
    /// Bytes of whole lines.
    pub good: u64,
    /// Bytes of a torn last line: the program was killed while it wrote, so the event never counted.
    pub torn: u64,
}

/// Reads a log; one that is not there holds nothing.
///
/// # Errors
/// When it cannot be read, holds a line that is no record, or is larger than 256 MiB.
pub fn read(path: &Path) -> Result<Records, LogError> {
    read_within(path, MOST_BYTES)
}

fn read_within(path: &Path, most: u64) -> Result<Records, LogError> {
    let mut lines = match LineReader::open(path) {
        Ok(lines) => lines,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Records::default()),
        Err(error) => return Err(LogError::io(path, &error)),
    };
    let mut records = Records::default();
    while let Some(line) = lines.next_line().map_err(|error| LogError::io(path, &error))? {
        let bytes = line.len() as u64;
        if records.good + bytes > most {
            return Err(LogError::TooLarge { path: path.to_owned(), most });
        }
        let index = records.whole.len() as u64;
        if let Some(message) = excess(&line) {
            return Err(LogError::Foreign { path: path.to_owned(), line: index + 1, message });
        }
        if line.ends_with(b"\n") {
            records.whole.push(record(path, index, &line)?);
            records.good += bytes;
        } else {
            records.torn = bytes;
        }
    }
    Ok(records)
}

fn record(path: &Path, index: u64, line: &[u8]) -> Result<EventRecord, LogError> {
    let foreign = |message: String| LogError::Foreign { path: path.to_owned(), line: index + 1, message };
    let record: EventRecord =
        serde_json::from_slice(line).map_err(|error| foreign(format!("no event of a run: {error}")))?;
    if record.seq != index {
        return Err(foreign(format!(
            "field `seq` is {} instead of {index}; events are missing or doubled",
            record.seq
        )));
    }
    match &record.event {
        RunEvent::RunStarted { format, version, .. } if format != FORMAT || *version > VERSION => {
            Err(LogError::Format { path: path.to_owned(), format: format.clone(), version: *version })
        }
        event if index == 0 && !matches!(event, RunEvent::RunStarted { .. }) => {
            let event = serde_json::to_value(event).unwrap_or_default();
            let name = event["event"].as_str().unwrap_or_default();
            Err(foreign(format!("the first event is `{name}`, not `run_started`")))
        }
        _ => Ok(record),
    }
}

struct Request {
    event: RunEvent,
    answer: oneshot::Sender<Result<EventRecord, LogError>>,
}

/// The one writer of a log.
#[derive(Debug)]
pub struct EventLog {
    path: PathBuf,
    requests: Option<mpsc::Sender<Request>>,
    thread: Option<JoinHandle<()>>,
}

impl EventLog {
    /// Writes on where `records` end; a torn last line is cut off. The caller holds the lock of the run.
    ///
    /// # Errors
    /// When the file cannot be opened or repaired.
    pub fn open(
        path: &Path,
        records: &Records,
        redactor: Redactor,
        listeners: Vec<Box<dyn RunListener>>,
    ) -> Result<Self, LogError> {
        let lines = JsonLines::resume(path, records.good).map_err(|error| LogError::io(path, &error))?;
        sync_parent(path);
        Self::over(path, lines, records, redactor, listeners)
    }

    pub(super) fn over(
        path: &Path,
        lines: JsonLines,
        records: &Records,
        redactor: Redactor,
        listeners: Vec<Box<dyn RunListener>>,
    ) -> Result<Self, LogError> {
        let (sender, receiver) = mpsc::channel();
        let mut writer = Writer {
            path: path.to_owned(),
            lines,
            redactor,
            listeners,
            next: records.whole.len() as u64,
            broken: None,
        };
        let thread = std::thread::Builder::new()
            .name("run log".to_owned())
            .spawn(move || writer.serve(&receiver))
            .map_err(|error| LogError::io(path, &error))?;
        Ok(Self { path: path.to_owned(), requests: Some(sender), thread: Some(thread) })
    }

    /// Writes an event; it is on the disk when this returns.
    ///
    /// # Errors
    /// When the file cannot take it. From then on nothing is written.
    pub async fn write(&self, event: RunEvent) -> Result<EventRecord, LogError> {
        let (answer, answered) = oneshot::channel();
        if let Some(requests) = &self.requests {
            // A writer that has ended drops the request, and with it the sender of the answer.
            let _ = requests.send(Request { event, answer });
        }
        answered.await.unwrap_or_else(|_| Err(LogError::Closed(self.path.clone())))
    }
}

impl Drop for EventLog {
    fn drop(&mut self) {
        drop(self.requests.take());
        if let Some(thread) = self.thread.take() {
            // A panic of a listener has been printed already; what is written is whole.
            let _ = thread.join();
        }
    }
}

struct Writer {
    path: PathBuf,
    lines: JsonLines,
    redactor: Redactor,
    listeners: Vec<Box<dyn RunListener>>,
    next: u64,
    /// The first failure. What came after it could stand in the file without its cause, so nothing does.
    broken: Option<LogError>,
}

impl Writer {
    fn serve(&mut self, requests: &mpsc::Receiver<Request>) {
        while let Ok(first) = requests.recv() {
            let mut batch = vec![first];
            batch.extend(requests.try_iter().take(BATCH - 1));
            self.write(batch);
        }
    }

    fn write(&mut self, batch: Vec<Request>) {
        let mut bytes = Vec::new();
        let mut records = Vec::new();
        let time = chrono::Utc::now().format("%Y-%m-%dT%H:%M:%S%.3fZ").to_string();
        for request in &batch {
            let seq = self.next + records.len() as u64;
            let record = EventRecord { seq, time: time.clone(), event: request.event.clone() };
            match JsonLines::encode(&record, &self.redactor, &mut bytes) {
                Ok(record) => records.push(record),
                Err(error) => {
                    let message = format!("an event has no JSON form: {error}");
                    self.broken.get_or_insert(LogError::Io { path: self.path.clone(), message });
                }
            }
        }
        if self.broken.is_none() {
            let written = self.lines.append(&bytes).and_then(|()| self.lines.sync());
            self.broken = written.err().map(|error| LogError::io(&self.path, &error));
        }
        if let Some(error) = &self.broken {
            for request in batch {
                // Whoever asked may be gone.
                let _ = request.answer.send(Err(error.clone()));
            }
            return;
        }
        self.next += records.len() as u64;
        for (request, record) in batch.into_iter().zip(records) {
            for listener in &mut self.listeners {
                listener.on_event(&record);
            }
            let _ = request.answer.send(Ok(record));
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use std::sync::{Arc, Mutex};

    use patchwright_trajectory::LONGEST_LINE;

    use super::*;
    use crate::small_disk::SmallDisk;

    struct Heard(Arc<Mutex<Vec<u64>>>);

    impl RunListener for Heard {
        fn on_event(&mut self, record: &EventRecord) {
            self.0.lock().unwrap().push(record.seq);
        }
    }

    impl EventLog {
        fn write_blocking(&self, event: RunEvent) -> Result<EventRecord, LogError> {
            tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(self.write(event))
        }
    }

    fn started() -> RunEvent {
        RunEvent::RunStarted {
            format: FORMAT.to_owned(),
            version: VERSION,
            run: "r".to_owned(),
            cases: 1,
            versions: std::collections::BTreeMap::new(),
        }
    }

    #[test]
    fn a_full_disk_ends_the_log_with_whole_lines() {
        let content = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::new(Mutex::new(Vec::new()));
        let room = Arc::new(Mutex::new(300));
        let disk = SmallDisk { content: Arc::clone(&content), room, ..SmallDisk::default() };
        let listeners: Vec<Box<dyn RunListener>> = vec![Box::new(Heard(Arc::clone(&heard)))];
        let path = Path::new("events.jsonl");
        let log = EventLog::over(
            path,
            JsonLines::over(Box::new(disk), 0),
            &Records::default(),
            Redactor::default(),
            listeners,
        )
        .unwrap();
        log.write_blocking(started()).unwrap();
        let error = log.write_blocking(RunEvent::notice("long ".repeat(60))).unwrap_err();
        assert_eq!(error, LogError::Full(path.to_owned()));
        // This one would fit, but its cause is missing.
        assert_eq!(log.write_blocking(RunEvent::notice("short")), Err(error));
        let text = String::from_utf8(content.lock().unwrap().clone()).unwrap();
        assert_eq!((text.lines().count(), text.ends_with('\n')), (1, true));
        assert_eq!(*heard.lock().unwrap(), [0], "what is not on the disk is not heard");
    }

    #[test]
    fn many_writers_give_one_line_each_and_are_heard_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("events.jsonl");
        let heard = Arc::new(Mutex::new(Vec::new()));
        let listeners: Vec<Box<dyn RunListener>> = vec![Box::new(Heard(Arc::clone(&heard)))];
        let log =
            EventLog::open(&path, &Records::default(), Redactor::new(["secret-key-1"]), listeners).unwrap();
        log.write_blocking(started()).unwrap();
        std::thread::scope(|scope| {
            for number in 0..50 {
                let log = &log;
                scope.spawn(move || {
                    log.write_blocking(RunEvent::notice(format!("{number} secret-key-1"))).unwrap();
                });
            }
        });
        drop(log);
        let records = read(&path).unwrap();
        assert_eq!((records.whole.len(), records.torn), (51, 0));
        assert_eq!(*heard.lock().unwrap(), (0..51).collect::<Vec<u64>>());
        assert!(!std::fs::read_to_string(&path).unwrap().contains("secret-key-1"));
    }

    #[test]
    fn a_log_is_read_up_to_a_size() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("events.jsonl");
        let log = EventLog::open(&path, &Records::default(), Redactor::default(), Vec::new()).unwrap();
        log.write_blocking(started()).unwrap();
        for _ in 0..10 {
            log.write_blocking(RunEvent::notice("x".repeat(1_000))).unwrap();
        }
        drop(log);
        assert_eq!(read_within(&path, 20_000).unwrap().whole.len(), 11);
        let error = read_within(&path, 2_000).unwrap_err();
        assert!(matches!(&error, LogError::TooLarge { path: of, most: 2_000 } if *of == path), "{error}");
        // What would be a torn line, if it were one of ours.
        for letters in [LONGEST_LINE, 10 * LONGEST_LINE] {
            std::fs::write(&path, "x".repeat(letters + 1)).unwrap();
            let error = read(&path).unwrap_err();
            let LogError::Foreign { line: 1, message, .. } = &error else { panic!("{error}") };
            assert!(message.contains(&LONGEST_LINE.to_string()), "{error}");
        }
    }

    #[test]
    fn a_torn_last_line_is_left_out_and_cut_off_and_any_other_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("events.jsonl");
        let first = format!(
            "{}\n",
            serde_json::to_string(&EventRecord {
                seq: 0,
                time: "2026-01-01T00:00:00.000Z".into(),
                event: started(),
            })
            .unwrap()
        );
        let check = |content: &str, expect: Result<(usize, u64), &str>| {
            std::fs::write(&path, content).unwrap();
            match (read(&path), expect) {
                (Ok(records), Ok(expect)) => assert_eq!((records.whole.len(), records.torn), expect),
                (found, expect) => {
                    let error = found.unwrap_err().to_string();
                    assert!(error.contains(expect.unwrap_err()), "{error}");
                }
            }
        };
        check("", Ok((0, 0)));
        check(&first, Ok((1, 0)));
        check(&format!("{first}{{\"seq\":1,\"ti"), Ok((1, 12)));
        check(&format!("{first}\0\0\0"), Ok((1, 3)));
        check(&format!("{first}hello\n"), Err("events.jsonl:2: no event of a run: expected value"));
        check(&format!("{first}{first}"), Err("events.jsonl:2: field `seq` is 0 instead of 1"));
        check(&first.replace("run_started", "run_flown"), Err("unknown variant `run_flown`"));
        check(&first.replace("\"version\":1", "\"version\":9"), Err("format `patchwright-run` version 9;"));
        let notice = "{\"seq\":0,\"time\":\"\",\"event\":\"notice\",\"text\":\"x\"}\n";
        check(notice, Err("the first event is `notice`, not `run_started`"));

        std::fs::write(&path, format!("{first}{{\"seq\":1,\"ti")).unwrap();
        let log = EventLog::open(&path, &read(&path).unwrap(), Redactor::default(), Vec::new()).unwrap();
        log.write_blocking(RunEvent::notice("goes on")).unwrap();
        drop(log);
        assert_eq!(read(&path).unwrap().whole.len(), 2);
    }
}
