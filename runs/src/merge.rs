//! Several runs of the same settings, such as parts from machines that share no disk, put together as one run in a folder of its own.
//!
//! Where two have worked on the same case, because the one was taken for dead, all attempts are kept, and the answer that came first counts.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::error::RunError;
use super::event::{EndReason, EventRecord, FORMAT, RunEvent, VERSION};
use super::files;
use super::folder::{Places, RunRecord};
use super::memory::PeakMemory;
use super::overview::{self, PartState};
use super::part::{Part, folders};
use super::parts::session_differences;
use super::selection::Selection;
use super::settings::RunFile;

/// What was put together.
#[derive(Debug)]
pub struct Merged {
    /// The run.
    pub run: RunRecord,
    /// The cases of which more than one had an answer, with the folder of the one that counts.
    pub doubled: Vec<(String, PathBuf)>,
    /// Folders in which a process was at work: what it had not ended is left out.
    pub running: Vec<PathBuf>,
    /// Parts that were not among them.
    pub missing: Vec<Part>,
}

/// A run that is put together with others.
struct Source {
    record: RunRecord,
    /// The events of no case.
    events: Vec<EventRecord>,
    of_cases: HashMap<String, OfCase>,
    is_running: bool,
}

/// What a log tells of a case.
#[derive(Default)]
struct OfCase {
    attempts: Vec<Attempt>,
    events: Vec<EventRecord>,
}

/// An attempt as a log tells it. The same one has the same times in each copy of the log.
#[derive(Clone, Debug)]
struct Attempt {
    number: u32,
    started: String,
    ended: Option<String>,
}

impl PartialEq for Attempt {
    fn eq(&self, other: &Self) -> bool {
        (&self.started, &self.ended) == (&other.started, &other.ended)
    }
}

impl OfCase {
    fn hear(&mut self, record: EventRecord) {
        match &record.event {
            RunEvent::AttemptStarted { attempt, .. } => {
                let started = record.time.clone();
                self.attempts.push(Attempt { number: *attempt, started, ended: None });
            }
            RunEvent::AttemptEnded { attempt, .. } => {
                if let Some(known) = self.attempts.iter_mut().find(|known| known.number == *attempt) {
                    known.ended = Some(record.time.clone());
                }
            }
            RunEvent::Graded { .. }
            | RunEvent::Notice { .. }
            | RunEvent::RunStarted { .. }
            | RunEvent::RunResumed { .. }
            | RunEvent::RunEnded { .. } => {}
        }
        self.events.push(record);
    }
}

impl Source {
    fn read(folder: &Path) -> Result<Self, RunError> {
        let (record, all) = RunRecord::read_with_events(folder)?;
        let is_running = overview::state(&record, SystemTime::now()) == PartState::Running;
        let (mut events, mut of_cases) = (Vec::new(), HashMap::<String, OfCase>::new());
        for record in all {
            match case_of(&record.event) {
                Some(case) => of_cases.entry(case.to_owned()).or_default().hear(record),
                None => events.push(record),
            }
        }
        if is_running {
            // What is under way is left out.
            for of_case in of_cases.values_mut() {
                of_case.attempts.retain(|attempt| attempt.ended.is_some());
            }
        }
        Ok(Self { record, events, of_cases, is_running })
    }

    fn root(&self) -> &Path {
        self.record.places.root()
    }

    fn attempts(&self, case: &str) -> &[Attempt] {
        self.of_cases.get(case).map_or(&[], |known| &known.attempts)
    }

    /// The attempt whose answer stands for a case; none where there is none.
    fn answer(&self, case: &str) -> Option<&Attempt> {
        let (tried, outcome) = self.record.ledger.standing(case)?;
        let attempt = self.attempts(case).iter().find(|attempt| attempt.number == tried.number);
        attempt.filter(|_| outcome.status.is_answer())
    }

    /// The times of its first and its last event.
    fn times(&self) -> Option<(&str, &str)> {
        let of_cases = self.of_cases.values().flat_map(|known| &known.events);
        let times = || self.events.iter().chain(of_cases.clone()).map(|record| record.time.as_str());
        Some((times().min()?, times().max()?))
    }

    /// The place of a case among those of all parts.
    fn place(&self, place: usize) -> usize {
        self.record.file.selection.part.map_or(place, |part| part.place_in_all(place))
    }
}

/// Puts runs together, each in a folder of its own or as parts in one, in the new folder `out`. `tell` hears how many of how many cases
/// are there.
///
/// # Errors
/// When there is anything in `out`, a folder holds no run, they differ in what shapes sessions, or a file cannot be read or written. Then `out` is
/// as it was.
pub fn merge(from: &[PathBuf], out: &Path, tell: &dyn Fn(usize, usize)) -> Result<Merged, RunError> {
    let sources = sources(from)?;
    let Some((first, others)) = sources.split_first() else { return Err(RunError::NoCases) };
    for other in others {
        let differences = session_differences(&first.record.file, &other.record.file);
        if !differences.is_empty() {
            let [one, other] = [first, other].map(|source| source.root().to_owned());
            return Err(RunError::PartsDiffer { one, other, differences });
        }
    }
    files::check_new(out)?;
    let scratch = files::scratch_beside(out)?;
    let mut cases: BTreeMap<&str, (usize, Vec<&Source>)> = BTreeMap::new();
    for source in &sources {
        for (place, case) in source.record.file.cases.iter().enumerate() {
            let place = source.place(place);
            let known = cases.entry(case).or_insert((place, Vec::new()));
            known.0 = known.0.min(place);
            known.1.push(source);
        }
    }
    let mut ordered: Vec<(usize, &str, Vec<&Source>)> =
        cases.into_iter().map(|(case, (place, sources))| (place, case, sources)).collect();
    ordered.sort_by_key(|(place, case, _)| (*place, *case));
    let places = Places::new(scratch.path());
    let mut log = Log::default();
    let mut doubled = Vec::new();
    for (done, (_, case, sources)) in ordered.iter().enumerate() {
        tell(done, ordered.len());
        let mut sources = sources.clone();
        // The one that counts comes last, for the last answer stands.
        sources.sort_by_key(|source| {
            let answered = source.answer(case).and_then(|answer| answer.ended.clone());
            (answered.is_some(), std::cmp::Reverse(answered))
        });
        if let Some((counts, others)) = sources.split_last()
            && others
                .iter()
                .filter_map(|source| source.answer(case))
                .any(|answer| Some(answer) != counts.answer(case))
        {
            doubled.push(((*case).to_owned(), counts.root().to_owned()));
        }
        log.take(case, &sources, &places)?;
    }
    let file = RunFile {
        cases: ordered.iter().map(|(_, case, _)| (*case).to_owned()).collect(),
        selection: Selection { part: None, ..first.record.file.selection.clone() },
        ..first.record.file.clone()
    };
    let records = log.finished(&sources, &file);
    let lines: Result<Vec<String>, _> = records.iter().map(serde_json::to_string).collect();
    let unwritten = |message: String| RunError::Io { path: places.events(), message };
    let lines = lines.map_err(|error| unwritten(error.to_string()))?;
    files::write_derived(&places.events(), (lines.join("\n") + "\n").as_bytes())?;
    file.write(&places.run_file())?;
    files::put_in_place(scratch, out)?;
    let run = RunRecord::read_one(out)?;
    run.write_predictions()?;
    let running = sources.iter().filter(|source| source.is_running).map(|source| source.root().to_owned());
    Ok(Merged { run, doubled, running: running.collect(), missing: missing(&sources) })
}

/// The runs in the folders, each once.
fn sources(from: &[PathBuf]) -> Result<Vec<Source>, RunError> {
    let mut seen = BTreeSet::new();
    let mut sources = Vec::new();
    for root in from {
        let parts = folders(root);
        let is_whole = parts.is_empty();
        let parts = if is_whole { vec![root.clone()] } else { parts.into_iter().map(|(_, it)| it).collect() };
        for folder in parts {
            let real = folder.canonicalize().unwrap_or_else(|_| folder.clone());
            if !seen.insert(real) {
                continue;
            }
            match Source::read(&folder) {
                Ok(source) => sources.push(source),
                // A part that is only being made.
                Err(RunError::NoRun(_)) if !is_whole => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok(sources)
}

/// The parts of the whole that are not there; none where the runs are no parts of one.
fn missing(sources: &[Source]) -> Vec<Part> {
    let parts: Vec<Part> = sources.iter().filter_map(|source| source.record.file.selection.part).collect();
    let Some(of) = parts.first().map(|part| part.of()).filter(|of| parts.iter().all(|part| part.of() == *of))
    else {
        return Vec::new();
    };
    Part::all(of).filter(|part| !parts.contains(part)).collect()
}

/// The log of the whole.
#[derive(Default)]
struct Log {
    events: Vec<(String, RunEvent)>,
}

impl Log {
    /// Takes the attempts of runs at a case, those of the last run last, and each once, however many runs have a copy of it.
    fn take(&mut self, case: &str, sources: &[&Source], places: &Places) -> Result<(), RunError> {
        let mut attempts: Vec<(&Source, &Attempt)> = Vec::new();
        for source in sources {
            for attempt in source.attempts(case) {
                attempts.retain(|(_, known)| *known != attempt);
                attempts.push((source, attempt));
            }
        }
        let number_of = |wanted: &Attempt| {
            let place = attempts.iter().position(|(_, known)| *known == wanted);
            place.and_then(|place| u32::try_from(place + 1).ok())
        };
        for (source, attempt) in &attempts {
            let Some(number) = number_of(attempt) else { continue };
            let folder = source.record.places.attempt(case, attempt.number);
            files::link_folder(&folder, &places.attempt(case, number))?;
        }
        let mut events = Vec::new();
        for known in sources.iter().filter_map(|source| source.of_cases.get(case)) {
            let number = |own: u32| number_of(known.attempts.iter().find(|attempt| attempt.number == own)?);
            for record in &known.events {
                let Some(event) = renumbered(&record.event, number) else { continue };
                let event = (record.time.clone(), event);
                if !events.contains(&event) {
                    events.push(event);
                }
            }
        }
        self.events.append(&mut events);
        Ok(())
    }

    /// The records of all, with the beginning and the end.
    fn finished(self, sources: &[Source], file: &RunFile) -> Vec<EventRecord> {
        let mut events = self.events;
        let mut notices: Vec<(String, RunEvent)> = Vec::new();
        for record in sources.iter().flat_map(|source| &source.events) {
            let notice = (record.time.clone(), record.event.clone());
            if matches!(notice.1, RunEvent::Notice { case: None, .. }) && !notices.contains(&notice) {
                notices.push(notice);
            }
        }
        events.append(&mut notices);
        let ends: Option<Vec<&(EndReason, String)>> =
            sources.iter().map(|source| source.record.ledger.ended.as_ref()).collect();
        let end = ends.and_then(|ends| ends.into_iter().max_by_key(|(reason, _)| *reason).cloned());
        // Nobody works in the folder of the whole, whatever goes on elsewhere.
        let (reason, text) = end
            .unwrap_or_else(|| (EndReason::Cancelled, "put together before all of it had ended".to_owned()));
        let times = || sources.iter().filter_map(Source::times);
        let (first, last) = (times().map(|(first, _)| first).min(), times().map(|(_, last)| last).max());
        let [first, last] = [first, last].map(|time| time.unwrap_or_default().to_owned());
        let memory = sources.iter().filter_map(|source| source.record.ledger.memory).reduce(PeakMemory::most);
        let is_answered = |case: &&String| sources.iter().any(|source| source.answer(case).is_some());
        let unanswered = file.cases.iter().filter(|case| !is_answered(case)).count() as u64;
        events.push((last, RunEvent::RunEnded { reason, text, unanswered, memory }));
        let started = RunEvent::RunStarted {
            format: FORMAT.to_owned(),
            version: VERSION,
            run: file.run.clone(),
            cases: file.cases.len() as u64,
            versions: file.versions.clone(),
        };
        let all = std::iter::once((first, started)).chain(events);
        (0..).zip(all).map(|(seq, (time, event))| EventRecord { seq, time, event }).collect()
    }
}

/// The case that an event is about.
fn case_of(event: &RunEvent) -> Option<&str> {
    match event {
        RunEvent::AttemptStarted { case, .. }
        | RunEvent::AttemptEnded { case, .. }
        | RunEvent::Graded { case, .. } => Some(case),
        RunEvent::Notice { case, .. } => case.as_deref(),
        RunEvent::RunStarted { .. } | RunEvent::RunResumed { .. } | RunEvent::RunEnded { .. } => None,
    }
}

/// An event of a case, with its attempt's new number; none of an attempt that has none.
fn renumbered(event: &RunEvent, number: impl Fn(u32) -> Option<u32>) -> Option<RunEvent> {
    let mut event = event.clone();
    match &mut event {
        RunEvent::AttemptStarted { attempt, .. }
        | RunEvent::AttemptEnded { attempt, .. }
        | RunEvent::Graded { attempt, .. } => *attempt = number(*attempt)?,
        RunEvent::Notice { .. }
        | RunEvent::RunStarted { .. }
        | RunEvent::RunResumed { .. }
        | RunEvent::RunEnded { .. } => {}
    }
    Some(event)
}
