//! The runner: which attempt begins when, and when it is enough.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Instant;

use patchwright_protocol::{Failure, SessionResult, Status, StatusClass};
use patchwright_suites::{Case, Suite};
use tokio::task::{JoinError, JoinSet};

use super::attempt::Repairer;
use super::board::Board;
use super::breaker::{Breaker, Gate};
use super::budget::{Budget, Room};
use super::error::RunError;
use super::event::{EndReason, FORMAT, RunEvent, VERSION};
use super::folder::{RunFolder, RunRecord};
use super::log::{EventLog, LogError, RunListener};
use super::memory::PeakMemory;
use super::options::RunOptions;
use super::recovered::{self, Recovered};
use super::session::{Common, attempt, remove};
use super::shared::Shared;
use crate::report::Report;

/// The end of a run, or of its part in this process.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// The reason.
    pub reason: EndReason,
    /// The reason in a sentence.
    pub text: String,
    /// Cases without an answer.
    pub unanswered: u64,
    /// The run as its files tell it now.
    pub run: RunRecord,
}

/// Carries runs out.
pub struct Runner {
    /// Prepares cases.
    pub suite: Arc<dyn Suite>,
    /// Repairs them.
    pub repairer: Arc<dyn Repairer>,
    /// The options.
    pub options: RunOptions,
    /// Hear every record, once it is on the disk, after [`RunOptions::live`].
    pub listeners: Vec<Box<dyn RunListener>>,
}

impl Runner {
    /// Carries a new run out, or goes on with one, until every case was tried, the budget is used up or it was cancelled.
    /// `predictions.jsonl` and `report.json` are written at the end.
    ///
    /// # Errors
    /// When it cannot begin, or when its log cannot be written: then what is written is whole, and it can be resumed.
    pub async fn run(self, folder: RunFolder) -> Result<Summary, RunError> {
        let Self { suite, repairer, options, listeners } = self;
        let places = folder.places().clone();
        let mut budget = Budget::new(options.budget, options.session, folder.ledger().spent())?;
        let cases = cases(&*suite, &folder)?;
        remove(&places.all_work()).await;

        let ended = Recovered::of(&folder);
        let mut ledger = folder.ledger().clone();
        for recovered in &ended {
            ledger.end(&recovered.case, recovered.attempt, recovered.outcome.clone(), None);
            budget.book(&recovered.outcome);
        }
        let (mut queue, mut parked) = (VecDeque::new(), Vec::new());
        for (place, case) in
            cases.iter().enumerate().filter(|(_, case)| ledger.is_due(&case.id, &options.redo))
        {
            let stalled = if options.parks { ledger.stalled(&case.id) } else { None };
            match stalled {
                Some(attempts) => parked.push((case.id.clone(), attempts)),
                None => queue.push_back(place),
            }
        }
        let due = queue.len() as u64;
        if due > 0 {
            options.disk.check(places.root())?;
        }
        let board = Board::new(folder.ledger(), &folder.file().cases, due);
        options.live.begin(board.with_goal(folder.file().goal()));
        let mut heard: Vec<Box<dyn RunListener>> = vec![Box::new(options.live.clone())];
        heard.extend(listeners);
        let common = Arc::new(Common {
            suite,
            repairer,
            shared: Shared::new(&options.concurrency).with_requests(options.requests.clone()),
            live: options.live.clone(),
            cancel: options.cancel.clone(),
            log: folder.log(options.redactor.clone(), heard)?,
            places,
            grace: options.pauses.grace,
        });
        let tried = due > 0 || !ended.is_empty();
        begin(&common.log, &folder, &options, due).await?;
        recovered::record(&common, &cases, ended).await?;
        for (case, attempts) in parked {
            let text = format!(
                "{case} is parked: {attempts} attempts were interrupted, and the last ones got no further than those before. Give tasks more \
                 time; the same command, or `bench resume`, tries it again"
            );
            common.log.write(RunEvent::notice(text)).await?;
        }
        let mut scheduler = Scheduler {
            attempts: next_attempts(&folder, &cases),
            interrupted: cases.iter().map(|case| ledger.interrupted(&case.id)).collect(),
            queue,
            cases,
            later: Vec::new(),
            retried: HashSet::new(),
            running: JoinSet::new(),
            places: HashMap::new(),
            breaker: Breaker::new(options.pauses.breaker),
            budget,
            started: Instant::now(),
            short: None,
            options,
            common,
        };
        let end = scheduler.work().await?;
        let Scheduler { common, .. } = scheduler;
        finish(common, &folder, end, tried).await
    }
}

/// The cases of the run in its order, as the suite has them now.
fn cases(suite: &dyn Suite, folder: &RunFolder) -> Result<Vec<Case>, RunError> {
    let by_id: HashMap<&str, &Case> = suite.cases().iter().map(|case| (case.id.as_str(), case)).collect();
    let of_run = folder.file().cases.iter();
    of_run
        .map(|id| {
            let case = by_id.get(id.as_str()).copied().cloned();
            case.ok_or_else(|| RunError::MissingCase(id.clone()))
        })
        .collect()
}

/// The number of the next attempt at each case. A folder that no event knows of is left alone, too.
fn next_attempts(folder: &RunFolder, cases: &[Case]) -> Vec<u32> {
    let next = |case: &Case| {
        let last = folder.ledger().attempts(&case.id).iter().map(|tried| tried.number).max();
        let mut next = last.unwrap_or(0) + 1;
        while folder.places().attempt(&case.id, next).exists() {
            next += 1;
        }
        next
    };
    cases.iter().map(next).collect()
}

/// Writes the first events of a new run, or of this process's part of one.
async fn begin(log: &EventLog, folder: &RunFolder, options: &RunOptions, due: u64) -> Result<(), RunError> {
    let versions = options.versions.clone();
    if folder.ledger().events == 0 {
        let (format, run) = (FORMAT.to_owned(), folder.file().run.clone());
        log.write(RunEvent::RunStarted { format, version: VERSION, run, cases: due, versions }).await?;
    } else {
        log.write(RunEvent::RunResumed { cases: due, versions }).await?;
    }
    if folder.torn() > 0 {
        let text = format!(
            "the last line of events.jsonl was torn ({} bytes): the program was killed while it wrote; it never counted",
            folder.torn()
        );
        log.write(RunEvent::notice(text)).await?;
    }
    Ok(())
}

/// Writes what is derived, then the last event: where that stands, the files are those of the log.
async fn finish(
    common: Arc<Common>,
    folder: &RunFolder,
    (reason, text): (EndReason, String),
    tried: bool,
) -> Result<Summary, RunError> {
    let (root, suite) = (folder.places().root().to_owned(), Arc::clone(&common.suite));
    // Reading every trajectory again would only give the same numbers where nothing is new.
    let (new, ended) = (tried || !folder.is_settled(), (reason, text.clone()));
    let derived = patchwright_blocking::spawn(move |_| {
        let mut run = RunRecord::read_one(&root)?;
        run.ledger.ended = Some(ended);
        run.write_predictions()?;
        let report = run.places.report();
        if new || !report.is_file() {
            Report::of(&run, suite.cases()).write(&report)?;
        }
        Ok::<_, RunError>(run)
    });
    let lost = |failure: Failure| RunError::Io {
        path: folder.places().report(),
        message: format!("the report was not made: {failure}"),
    };
    let mut run = derived.await.map_err(lost)??;
    let unanswered = run.unanswered();
    let record = common
        .log
        .write(RunEvent::RunEnded { reason, text: text.clone(), unanswered, memory: PeakMemory::so_far() })
        .await?;
    run.ledger.hear(&record);
    Ok(Summary { reason, text, unanswered, run })
}

/// The next step of a run.
enum Next {
    /// Begin an attempt at this case.
    Begin(usize),
    /// Wait for a running attempt, and no longer than until then.
    Wait(Option<Instant>),
    /// Begin nothing more.
    Stop(EndReason, String),
}

struct Scheduler {
    common: Arc<Common>,
    options: RunOptions,
    cases: Vec<Case>,
    /// The number of the next attempt at each case.
    attempts: Vec<u32>,
    /// The last attempts at each case, where something from outside has ended them: the next one goes on with them.
    interrupted: Vec<Vec<u32>>,
    /// Cases to be tried.
    queue: VecDeque<usize>,
    /// Cases to be tried once more, and when.
    later: Vec<(Instant, usize)>,
    retried: HashSet<usize>,
    running: JoinSet<Result<SessionResult, LogError>>,
    /// The case that a task works on.
    places: HashMap<tokio::task::Id, usize>,
    breaker: Breaker,
    budget: Budget,
    started: Instant,
    /// The reason why the disk lets no attempt begin, where it does not.
    short: Option<String>,
}

impl Scheduler {
    async fn work(&mut self) -> Result<(EndReason, String), RunError> {
        let mut ended = self.until_stopped().await;
        loop {
            if ended.is_err() {
                // Without a log nothing counts any more; but what runs is to clean up behind itself.
                self.common.cancel.cancel();
            }
            let Some(done) = self.running.join_next_with_id().await else { return ended };
            if let Err(error) = self.take(done).await
                && ended.is_ok()
            {
                ended = Err(error);
            }
        }
    }

    async fn until_stopped(&mut self) -> Result<(EndReason, String), RunError> {
        loop {
            match self.next().await? {
                Next::Begin(place) => self.begin(place),
                Next::Stop(reason, text) => return Ok((reason, text)),
                Next::Wait(until) => {
                    let watch = Instant::now() + self.options.pauses.watch;
                    let until = until.map_or(watch, |until| until.min(watch));
                    let cancel = self.common.cancel.clone();
                    tokio::select! {
                        biased;
                        () = cancel.cancelled() => {}
                        Some(done) = self.running.join_next_with_id() => self.take(done).await?,
                        () = tokio::time::sleep_until(until.into()) => {}
                    }
                }
            }
        }
    }

    async fn next(&mut self) -> Result<Next, RunError> {
        let now = Instant::now();
        if self.common.cancel.is_cancelled() {
            return Ok(Next::Stop(EndReason::Cancelled, "the run was cancelled".to_owned()));
        }
        let ready = self.later.iter().position(|(when, _)| *when <= now);
        if let Some((_, place)) = ready.map(|ready| self.later.swap_remove(ready)) {
            self.queue.push_front(place);
        }
        let Some(place) = self.queue.front().copied() else {
            let when = self.later.iter().map(|(when, _)| *when).min();
            if when.is_none() && self.running.is_empty() {
                return Ok(Next::Stop(EndReason::Complete, "every case was tried".to_owned()));
            }
            return Ok(Next::Wait(when));
        };
        if self.running.len() >= self.options.concurrency.workers.max(1) {
            return Ok(Next::Wait(None));
        }
        match self.breaker.gate(now) {
            Gate::Open => {}
            Gate::One if self.running.is_empty() => {}
            Gate::One => return Ok(Next::Wait(None)),
            Gate::Shut(until) => return Ok(Next::Wait(Some(until))),
        }
        self.look_at_disk().await?;
        if self.short.is_some() {
            return Ok(Next::Wait(None));
        }
        match self.budget.room(self.running.len(), self.started.elapsed()) {
            Room::Yes => {}
            Room::Wait => return Ok(Next::Wait(None)),
            Room::No(text) => return Ok(Next::Stop(EndReason::Budget, text)),
        }
        self.common.live.hold(None);
        self.queue.pop_front();
        Ok(Next::Begin(place))
    }

    async fn look_at_disk(&mut self) -> Result<(), RunError> {
        let short = self.options.disk.short(self.common.places.root());
        let text = match (&self.short, &short) {
            (None, Some(why)) => Some(format!("no new cases until there is room: {why}")),
            (Some(_), None) => Some("there is room on the disk again; the run goes on".to_owned()),
            (Some(_), Some(_)) | (None, None) => None,
        };
        self.short.clone_from(&short);
        if let Some(text) = text {
            self.common.live.hold(short);
            // Where not even this finds room, the run ends here, with an error that says so.
            self.common.log.write(RunEvent::notice(text)).await?;
        }
        Ok(())
    }

    fn begin(&mut self, place: usize) {
        let number = self.attempts[place];
        self.attempts[place] += 1;
        let case = self.cases[place].clone();
        let interrupted = self.interrupted[place].clone();
        let task = self.running.spawn(attempt(Arc::clone(&self.common), case, number, interrupted));
        self.places.insert(task.id(), place);
    }

    /// Books what a running attempt came to.
    async fn take(
        &mut self,
        done: Result<(tokio::task::Id, Result<SessionResult, LogError>), JoinError>,
    ) -> Result<(), RunError> {
        let (id, outcome) = match done {
            Ok((id, outcome)) => (id, outcome?),
            // A panic outside of what is guarded: the attempt has no end, so it is redone when the run is resumed.
            Err(error) => {
                self.places.remove(&error.id());
                tracing::error!("an attempt was lost: {error}");
                return Ok(());
            }
        };
        self.budget.book(&outcome);
        let Some(place) = self.places.remove(&id) else { return Ok(()) };
        let by_environment = outcome.status == Status::Environment;
        let now = Instant::now();
        if by_environment && self.retried.insert(place) {
            self.interrupted[place].push(self.attempts[place] - 1);
            self.later.push((now + self.options.pauses.retry, place));
        }
        let from_outside = match outcome.status.class() {
            StatusClass::External => true,
            StatusClass::Fixed | StatusClass::Unfixed => false,
            // What ended it says nothing about what is outside, neither that it works nor that it does not.
            StatusClass::Interrupted | StatusClass::Internal => return Ok(()),
        };
        if let Some(pause) = self.breaker.ended(from_outside, now) {
            let text = format!(
                "most of the last attempts failed by what is outside of them ({}); no new cases for {} s",
                outcome.reason,
                pause.as_secs_f64()
            );
            self.common.live.hold(Some(text.clone()));
            self.common.log.write(RunEvent::notice(text)).await?;
        }
        Ok(())
    }
}
