//! The step that is under way, for whoever shows it to people.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use patchwright_blocking::lock;

/// Tests, classes or files that must have come to their end before the time left is told.
const ENOUGH: u64 = 10;

/// The steps under way in a session that take their time: told by whoever takes them, read as often as one likes.
///
/// ```
/// use patchwright_lanes::Activity;
///
/// let activity = Activity::default();
/// let step = activity.begin("copying the project");
/// assert!(activity.step().unwrap().to_string().starts_with("copying the project"));
/// drop(step);
/// assert!(activity.step().is_none());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Activity {
    steps: Arc<Mutex<Vec<Step>>>,
    note: Arc<Mutex<Note>>,
}

/// A note on what the session waits for.
#[derive(Clone, Debug, Default)]
struct Note {
    text: String,
    /// When it is tried again.
    again: Option<Instant>,
}

/// A step that takes its time.
#[derive(Clone, Debug)]
pub struct Step {
    name: String,
    began: Instant,
    progress: Progress,
    /// What it took when it was taken before.
    known: Option<Duration>,
}

/// How far a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Tests that are run.
    Tests(Tests),
    /// Files that are copied, and all of them.
    Files(u64, u64),
}

/// The tests of a run under way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tests {
    /// Those that have come to their end.
    pub done: u64,
    /// All of them, where the runner has told.
    pub all: Option<u64>,
    /// The class whose tests run, from 1, and all classes, where the runner takes them one by one.
    pub turn: Option<(u64, u64)>,
}

impl Tests {
    /// What tells how long the rest takes: how many are done, and of how many.
    fn share(self) -> Option<(u64, u64)> {
        match (self.all, self.turn) {
            (Some(all), _) => Some((self.done, all)),
            (None, Some((turn, all))) => Some((turn.saturating_sub(1), all)),
            (None, None) => None,
        }
    }
}

/// A step ends when this is dropped.
#[derive(Debug)]
#[must_use = "dropping it ends the step"]
pub struct StepGuard {
    activity: Activity,
    began: Instant,
}

impl Activity {
    /// Begins a step, named by what is done: `copying the project`. The one that began last is shown.
    pub fn begin(&self, name: impl Into<String>) -> StepGuard {
        self.begin_known(name, None)
    }

    /// The same where it is known how many seconds the step took before.
    pub fn begin_known(&self, name: impl Into<String>, seconds: Option<f64>) -> StepGuard {
        let began = Instant::now();
        lock(&self.steps).push(Step {
            name: name.into(),
            began,
            progress: Progress::Tests(Tests::default()),
            known: seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
        });
        StepGuard { activity: self.clone(), began }
    }

    /// The step that is shown now, if one is under way.
    pub fn step(&self) -> Option<Step> {
        lock(&self.steps).last().cloned()
    }

    /// What has come of that which is waited for, where no step is under way; empty where nothing has.
    pub fn noted(&self) -> String {
        lock(&self.note).told(Instant::now())
    }

    /// Tells what has come of it.
    pub fn note(&self, text: String) {
        *lock(&self.note) = Note { text, again: None };
    }

    /// Tells why it is tried again in `wait`: from now on the time until then is told with it.
    pub fn note_wait(&self, text: String, wait: Duration) {
        *lock(&self.note) = Note { text, again: Instant::now().checked_add(wait) };
    }

    /// Tells how far the step is that is shown.
    pub fn count(&self, progress: Progress) {
        if let Some(step) = lock(&self.steps).last_mut() {
            step.progress = progress;
        }
    }
}

impl Drop for StepGuard {
    fn drop(&mut self) {
        lock(&self.activity.steps).retain(|step| step.began != self.began);
    }
}

impl Note {
    /// The note as it is at a time.
    fn told(&self, now: Instant) -> String {
        let Some(again) = self.again else { return self.text.clone() };
        let comma = if self.text.is_empty() { "" } else { ", " };
        // Rounded up: nothing is tried while a second is left.
        let left = again.saturating_duration_since(now) + Duration::from_millis(999);
        format!("{}{comma}again in {}", self.text, clock(left))
    }
}

impl Step {
    /// How long it will still take: by what it took before, as long as it does not take longer, and by the share that is done.
    fn left(&self, elapsed: Duration, share: Option<(u64, u64)>) -> Option<Duration> {
        let share = share.filter(|&(done, all)| done >= ENOUGH && done < all);
        let rest = share.map(|(done, all)| (all - done) as f64 / all as f64);
        match (self.known.filter(|known| *known > elapsed), rest) {
            // The longest may come last.
            (Some(known), rest) => {
                Some(known.saturating_sub(elapsed).max(known.mul_f64(rest.unwrap_or_default())))
            }
            (None, Some(rest)) => Some(elapsed.mul_f64(rest / (1.0 - rest))),
            (None, None) => None,
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        let share = match self.progress {
            Progress::Files(done, all) => {
                write!(f, ", {done} of {all} files")?;
                Some((done, all))
            }
            Progress::Tests(tests) => {
                write!(f, "{tests}")?;
                tests.share()
            }
        };
        let elapsed = self.began.elapsed();
        write!(f, ", {}", clock(elapsed))?;
        match self.left(elapsed, share) {
            Some(left) => write!(f, ", about {} left", clock(left)),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Tests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { done, all, turn } = *self;
        match all {
            Some(all) if all >= done && all > 0 => write!(f, ", {done} of {all} tests")?,
            _ if done > 0 => write!(f, ", {done} tests")?,
            _ => {}
        }
        match turn {
            Some((turn, all)) => write!(f, ", class {turn} of {all}"),
            None => Ok(()),
        }
    }
}

/// `43 s`, `2 min 5 s`.
fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    if seconds < 60 { format!("{seconds} s") } else { format!("{} min {} s", seconds / 60, seconds % 60) }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_time_until_something_is_tried_again_is_told() {
        let now = Instant::now();
        let note = |text: &str, again| Note { text: text.to_owned(), again }.told(now);
        assert_eq!(note("answering", None), "answering");
        let later = now + Duration::from_millis(89_500);
        assert_eq!(note("request 2 failed", Some(later)), "request 2 failed, again in 1 min 30 s");
        assert_eq!(note("", Some(now)), "again in 0 s");
        let activity = Activity::default();
        activity.note_wait("request 2 failed".to_owned(), Duration::from_hours(2));
        assert!(activity.noted().starts_with("request 2 failed, again in "));
        activity.note(String::new());
        assert_eq!(activity.noted(), "");
    }

    #[test]
    fn the_step_that_began_last_is_told_with_its_tests() {
        let activity = Activity::default();
        let _whole = activity.begin("running the tests");
        let told = || activity.step().unwrap().to_string();
        let inner = activity.begin("compiling the runner");
        assert_eq!(told(), "compiling the runner, 0 s");
        drop(inner);
        assert_eq!(told(), "running the tests, 0 s");
        activity.count(Progress::Tests(Tests { done: 5, ..Tests::default() }));
        assert_eq!(told(), "running the tests, 5 tests, 0 s");
        activity.count(Progress::Tests(Tests { done: 20, all: Some(30), turn: None }));
        assert_eq!(told(), "running the tests, 20 of 30 tests, 0 s, about 0 s left");
        activity.count(Progress::Tests(Tests { done: 20, all: None, turn: Some((3, 40)) }));
        assert_eq!(told(), "running the tests, 20 tests, class 3 of 40, 0 s");
        activity.count(Progress::Tests(Tests { done: 90, all: None, turn: Some((30, 40)) }));
        assert_eq!(told(), "running the tests, 90 tests, class 30 of 40, 0 s, about 0 s left");
        activity.count(Progress::Files(90, 400));
        assert_eq!(told(), "running the tests, 90 of 400 files, 0 s, about 0 s left");
    }
}
