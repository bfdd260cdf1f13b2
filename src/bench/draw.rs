//! The progress of a run, on stderr: a bar and a line for each running case on a terminal, plain lines elsewhere.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use patchwright_blocking::lock;
use patchwright_runs::{EventRecord, Live, PlainProgress, RunListener, ended_line, lines};

/// Between two looks at the board.
const TICK: Duration = Duration::from_millis(250);

/// Draws the board of a run until it is closed.
pub struct Drawing {
    live: Live,
    screen: MultiProgress,
    /// Where there is no terminal.
    plain: Option<Arc<Mutex<PlainProgress>>>,
    over: Arc<AtomicBool>,
}

impl Drawing {
    /// Begins to draw.
    pub fn of(live: &Live) -> Self {
        let screen = MultiProgress::new();
        let terminal = !screen.is_hidden();
        let over = Arc::new(AtomicBool::new(false));
        let plain = Arc::new(Mutex::new(PlainProgress::default()));
        if terminal {
            tokio::spawn(on_screen(live.clone(), screen.clone(), Arc::clone(&over)));
        } else {
            let tell = |line: &str| crate::say(line);
            tokio::spawn(by_the_clock(live.clone(), Arc::clone(&plain), Arc::clone(&over), tell));
        }
        Self { live: live.clone(), screen, plain: (!terminal).then_some(plain), over }
    }

    /// The listener to the events of the run.
    pub fn listener(&self) -> BatchProgress {
        BatchProgress { live: self.live.clone(), screen: self.screen.clone(), plain: self.plain.clone() }
    }

    /// Ends drawing and clears what was drawn.
    pub fn close(self) {
        self.over.store(true, Ordering::Relaxed);
        // What cannot be cleared stays on the screen: only looks are lost.
        let _ = self.screen.clear();
    }
}

/// Draws a bar and a line for each running case.
async fn on_screen(live: Live, screen: MultiProgress, over: Arc<AtomicBool>) {
    let bar = screen.add(ProgressBar::new(0));
    // A template that cannot be read leaves the plain style: only looks are lost.
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {msg}") {
        bar.set_style(style);
    }
    let mut below: Vec<ProgressBar> = Vec::new();
    while !over.load(Ordering::Relaxed) {
        let board = live.board();
        bar.set_length(board.total);
        bar.set_position(board.done);
        let mut shown = lines(&board).into_iter();
        bar.set_message(shown.next().unwrap_or_default());
        let shown: Vec<String> = shown.collect();
        while below.len() < shown.len() {
            let line = screen.add(ProgressBar::new_spinner());
            if let Ok(style) = ProgressStyle::with_template("  {msg}") {
                line.set_style(style);
            }
            below.push(line);
        }
        for line in below.drain(shown.len()..) {
            line.finish_and_clear();
            screen.remove(&line);
        }
        for (line, text) in below.iter().zip(shown) {
            line.set_message(text);
            line.tick();
        }
        tokio::time::sleep(TICK).await;
    }
}

/// Tells how far the run is each minute, whether or not anything has happened.
async fn by_the_clock(
    live: Live,
    plain: Arc<Mutex<PlainProgress>>,
    over: Arc<AtomicBool>,
    tell: impl Fn(&str) + Send,
) {
    while !over.load(Ordering::Relaxed) {
        let lines = lock(&plain).tick(&live.board());
        for line in lines {
            tell(&line);
        }
        tokio::time::sleep(TICK).await;
    }
}

/// Tells of each case that ends.
pub struct BatchProgress {
    live: Live,
    screen: MultiProgress,
    /// Where there is no terminal.
    plain: Option<Arc<Mutex<PlainProgress>>>,
}

impl RunListener for BatchProgress {
    fn on_event(&mut self, record: &EventRecord) {
        match &self.plain {
            Some(plain) => {
                let lines = lock(plain).on_event(record, &self.live.board());
                for line in lines {
                    crate::say(&line);
                }
            }
            None => {
                if let Some(line) = ended_line(&record.event) {
                    self.screen.suspend(|| crate::say(&line));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use patchwright_runs::RunEvent;

    use super::*;

    #[tokio::test]
    async fn the_summary_comes_without_an_event() {
        let mut live = Live::default();
        let event = RunEvent::AttemptStarted { case: "a".to_owned(), attempt: 1 };
        live.on_event(&EventRecord { seq: 1, time: String::new(), event });
        let over = Arc::new(AtomicBool::new(false));
        let (sender, told) = mpsc::channel();
        let tell = {
            let over = Arc::clone(&over);
            move |line: &str| {
                over.store(true, Ordering::Relaxed);
                // Who listens lives longer.
                let _ = sender.send(line.to_owned());
            }
        };
        let plain = Arc::new(Mutex::new(PlainProgress::every(Duration::ZERO)));
        by_the_clock(live, plain, over, tell).await;
        let told: Vec<String> = told.try_iter().collect();
        assert_eq!(told, ["0 of 0 done, 0 plausible, $0.00, 0 tokens", "a  preparing, 0:00"]);
    }
}
