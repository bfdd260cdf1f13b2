//! The folder of a run.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use patchwright_lanes::own_files;
use patchwright_protocol::Status;
use patchwright_trajectory::Redactor;

use super::error::RunError;
use super::event::{EventRecord, RunEvent};
use super::files;
use super::ledger::Ledger;
use super::log::{self, EventLog, Records, RunListener};
use super::names::escape;
use super::owner::Owner;
use super::part::{FoundParts, folders};
use super::settings::RunFile;

/// Folder names may have 255 bytes; what is left is for what stands behind the id.
const LONGEST_NAME: usize = 200;

/// The paths in a run's folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    root: PathBuf,
    /// The folders of the parts that hold the attempts, by case; all are in `root` where there are no parts.
    of_cases: BTreeMap<String, PathBuf>,
}

impl Places {
    /// The places of a run in this folder.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), of_cases: BTreeMap::new() }
    }

    /// The places of a run in parts, with the folder of each case.
    pub(super) fn of_parts(root: &Path, of_cases: BTreeMap<String, PathBuf>) -> Self {
        Self { root: root.to_owned(), of_cases }
    }

    /// The folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The settings and cases that the run was started with.
    pub fn run_file(&self) -> PathBuf {
        self.root.join(own_files::RUN)
    }

    /// The log.
    pub fn events(&self) -> PathBuf {
        self.root.join("events.jsonl")
    }

    /// The patches in SWE-bench's format; derived.
    pub fn predictions(&self) -> PathBuf {
        self.root.join("predictions.jsonl")
    }

    /// The tests of a run that writes some in TDD-Bench's format; derived.
    pub fn tdd_predictions(&self) -> PathBuf {
        self.root.join("predictions_tdd.json")
    }

    /// The numbers; derived.
    pub fn report(&self) -> PathBuf {
        self.root.join("report.json")
    }

    /// The folder of the run, or of its part, that has a case.
    pub fn folder_of(&self, case: &str) -> &Path {
        self.of_cases.get(case).unwrap_or(&self.root)
    }

    /// The folder of an attempt.
    pub fn attempt(&self, case: &str, number: u32) -> PathBuf {
        self.folder_of(case).join("cases").join(escape(case)).join(format!("attempt-{number}"))
    }

    /// The prepared project of an attempt: scratch, removed when the attempt has ended and when the run is opened.
    pub fn work(&self, case: &str, number: u32) -> PathBuf {
        self.all_work().join(format!("{}-{number}", escape(case)))
    }

    pub(super) fn all_work(&self) -> PathBuf {
        self.root.join("work")
    }

    /// The file that its owner holds, and writes to as a sign of life.
    pub(super) fn lock(&self) -> PathBuf {
        self.root.join("lock")
    }
}

/// A run as its files tell it, only looked at.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRecord {
    /// The paths in its folder.
    pub places: Places,
    /// The settings and cases that it was started with.
    pub file: RunFile,
    /// The state by its log.
    pub ledger: Ledger,
    /// Where it is the whole of some parts, these.
    pub parts: Option<FoundParts>,
}

impl RunRecord {
    /// Reads a run that lies in a folder of its own, which may be running.
    ///
    /// # Errors
    /// When there is no run, or its files cannot be understood.
    pub(super) fn read_one(root: &Path) -> Result<Self, RunError> {
        Self::read_with_events(root).map(|(record, _)| record)
    }

    /// The same, with the events of its log.
    pub(super) fn read_with_events(root: &Path) -> Result<(Self, Vec<EventRecord>), RunError> {
        let places = Places::new(root);
        let file = run_file(&places)?;
        let events = records(&places)?.whole;
        let ledger = Ledger::of(&events);
        Ok((Self { places, file, ledger, parts: None }, events))
    }

    /// Whether all its parts are there.
    pub fn is_whole(&self) -> bool {
        self.parts.as_ref().is_none_or(|parts| parts.missing.is_empty())
    }

    /// The number of its cases without an answer.
    pub fn unanswered(&self) -> u64 {
        let answered = |case: &&String| self.ledger.status(case).is_some_and(Status::is_answer);
        self.file.cases.iter().filter(|case| !answered(case)).count() as u64
    }
}

/// The records of the log. Where there are attempts, there was a log: without it nobody knows what came of them.
fn records(places: &Places) -> Result<Records, RunError> {
    let records = log::read(&places.events())?;
    if records.whole.is_empty() && places.root().join("cases").is_dir() {
        let message =
            "it is empty or missing, but there are attempts in `cases`; put it back, or begin a new run";
        return Err(RunError::Io { path: places.events(), message: message.to_owned() });
    }
    Ok(records)
}

fn run_file(places: &Places) -> Result<RunFile, RunError> {
    if !files::is_file(&places.run_file())? {
        return Err(match folders(places.root()).into_iter().next() {
            Some((_, part)) => RunError::IsInParts { root: places.root().to_owned(), part },
            None => RunError::NoRun(places.root().to_owned()),
        });
    }
    RunFile::read(&places.run_file())
}

/// A run that this process owns.
#[derive(Debug)]
pub struct RunFolder {
    places: Places,
    file: RunFile,
    records: Records,
    ledger: Ledger,
    _owner: Owner,
}

impl RunFolder {
    /// Makes the folder of a new run; of a part one of its own in `root`. One that is there is taken where it is empty: what somebody keeps
    /// there is not a run's.
    ///
    /// # Errors
    /// When it holds anything, a process works in it, it cannot be written, or the cases are none or badly named.
    pub fn create(root: &Path, file: &RunFile) -> Result<Self, RunError> {
        check_ids(&file.cases)?;
        let whole = Places::new(root);
        let part = file.selection.part.map(|part| root.join(part.folder_name()));
        if part.is_some() && whole.run_file().exists() {
            return Err(RunError::Exists(root.to_owned()));
        }
        let places = part.map_or(whole, Places::new);
        let root = &places.root().to_owned();
        files::make_folder(root)?;
        let owner = Owner::of(root, &places.lock())?;
        let path = places.run_file();
        if path.exists() || places.events().exists() {
            return Err(RunError::Exists(root.to_owned()));
        }
        files::check_empty(root, &places.lock())?;
        file.write(&path)?;
        Ok(Self {
            places,
            file: file.clone(),
            records: Records::default(),
            ledger: Ledger::default(),
            _owner: owner,
        })
    }

    /// Opens the folder of a run to go on with it.
    ///
    /// # Errors
    /// When there is no run, a process works in it, or its files cannot be understood.
    pub fn open(root: &Path) -> Result<Self, RunError> {
        let places = Places::new(root);
        run_file(&places)?;
        let owner = Owner::of(root, &places.lock())?;
        // Once more, now that nobody else writes it.
        let file = run_file(&places)?;
        check_ids(&file.cases)?;
        files::remove_unfinished(root);
        let records = records(&places)?;
        let ledger = Ledger::of(&records.whole);
        Ok(Self { places, file, records, ledger, _owner: owner })
    }

    /// The paths in its folder.
    pub fn places(&self) -> &Places {
        &self.places
    }

    /// The settings and cases that the run was started with.
    pub fn file(&self) -> &RunFile {
        &self.file
    }

    /// The state by its log when it was opened.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Is true if nothing came after the end of the run: then the derived files are those of the log.
    pub(super) fn is_settled(&self) -> bool {
        self.records.whole.last().is_some_and(|last| matches!(last.event, RunEvent::RunEnded { .. }))
    }

    /// Bytes of a torn last line that the next writer cuts off.
    pub fn torn(&self) -> u64 {
        self.records.torn
    }

    /// The writer of the log; there is one at a time.
    ///
    /// # Errors
    /// When the log cannot be opened.
    pub(super) fn log(
        &self,
        redactor: Redactor,
        listeners: Vec<Box<dyn RunListener>>,
    ) -> Result<EventLog, RunError> {
        Ok(EventLog::open(&self.places.events(), &self.records, redactor, listeners)?)
    }

    /// Adds events to the log, such as grades, outside of a run; `redactor` replaces secrets in them.
    ///
    /// # Errors
    /// When the log does not take them, or has not begun.
    pub(super) async fn add(self, events: Vec<RunEvent>, redactor: Redactor) -> Result<(), RunError> {
        if self.records.whole.is_empty() {
            return Err(RunError::NoRun(self.places.root().to_owned()));
        }
        let log = self.log(redactor, Vec::new())?;
        for event in events {
            log.write(event).await?;
        }
        Ok(())
    }
}

/// Whether a process works in a folder: on the run in it, or on making one.
pub fn is_owned(root: &Path) -> bool {
    let lock = Places::new(root).lock();
    // To ask is to take it, which makes the file.
    lock.is_file() && matches!(Owner::of(root, &lock), Err(RunError::Locked { .. }))
}

fn check_ids(cases: &[String]) -> Result<(), RunError> {
    if cases.is_empty() {
        return Err(RunError::NoCases);
    }
    let mut seen = HashSet::new();
    for id in cases {
        let bad = |message: &str| RunError::BadId { id: id.clone(), message: message.to_owned() };
        if id.is_empty() {
            return Err(bad("is empty, and names no folder"));
        }
        if escape(id).len() > LONGEST_NAME {
            return Err(bad("is too long for the name of a folder; 200 letters fit"));
        }
        // Some file systems do not tell A from a.
        if !seen.insert(id.to_lowercase()) {
            return Err(bad("is there twice (upper and lower case do not count); ids must differ"));
        }
    }
    Ok(())
}
