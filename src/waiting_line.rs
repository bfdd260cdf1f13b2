//! A moving line on stderr that says what is being waited for.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use patchwright_blocking::lock;
use patchwright_lanes::Activity;
use patchwright_prompts::one_line;
use tokio::task::AbortHandle;

/// Between two lines where there is no terminal.
const BETWEEN_LINES: Duration = Duration::from_secs(30);

/// The line. It is gone when this is dropped.
pub struct WaitingLine {
    bar: ProgressBar,
    /// Where there is no terminal.
    ticker: Option<AbortHandle>,
    waiting: Waiting,
}

impl WaitingLine {
    /// Begins a line. A person who is being asked has no moving line, and where there is no terminal a line comes now
    /// and then.
    pub fn begin(activity: Activity, asked: bool) -> Self {
        let target = if asked { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(None, target);
        let waiting = Waiting::begin(activity);
        let shown = waiting.clone();
        let tell = move |_: &ProgressState, out: &mut dyn fmt::Write| {
            // Where nothing can be written, nothing is seen.
            let _ = write!(out, "{shown}");
        };
        // A template that cannot be read leaves the plain style: only looks are lost.
        if let Ok(style) = ProgressStyle::with_template("{spinner} {waiting}") {
            bar.set_style(style.with_key("waiting", tell));
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        let plain = bar.is_hidden() && !asked;
        let ticker = plain.then(|| tokio::spawn(now_and_then(waiting.clone())).abort_handle());
        Self { bar, ticker, waiting }
    }

    /// Says what is being waited for from now on.
    pub fn set(&self, what: String) {
        self.waiting.activity.note(String::new());
        *lock(&self.waiting.told) = (what, Instant::now());
    }

    /// Says that something is tried again in `wait`, and counts down to it.
    pub fn wait(&self, what: &str, wait: Duration) {
        self.set(what.to_owned());
        self.waiting.activity.note_wait(String::new(), wait);
    }

    /// Writes to stderr while the line is away.
    pub fn suspend(&self, write: impl FnOnce()) {
        self.bar.suspend(write);
    }

    /// Ends the line.
    pub fn finish(&mut self) {
        self.bar.finish_and_clear();
        self.ticker.take().inspect(AbortHandle::abort);
    }
}

impl Drop for WaitingLine {
    fn drop(&mut self) {
        self.finish();
    }
}

/// The step that is being waited for, and since when; a step that is under way says it better.
#[derive(Clone)]
struct Waiting {
    activity: Activity,
    told: Arc<Mutex<(String, Instant)>>,
}

impl Waiting {
    fn begin(activity: Activity) -> Self {
        Self { activity, told: Arc::new(Mutex::new(("looking at the project".to_owned(), Instant::now()))) }
    }
}

impl fmt::Display for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(step) = self.activity.step() {
            return write!(f, "{}", one_line(&step.to_string()));
        }
        let (what, since) = &*lock(&self.told);
        let noted = self.activity.noted();
        let noted = if noted.is_empty() { noted } else { format!(": {noted}") };
        write!(f, "{}{noted} ({} s)", one_line(what), since.elapsed().as_secs())
    }
}

/// Tells what is being waited for, where no terminal shows it.
async fn now_and_then(waiting: Waiting) {
    loop {
        tokio::time::sleep(BETWEEN_LINES).await;
        crate::say(&waiting.to_string());
    }
}
