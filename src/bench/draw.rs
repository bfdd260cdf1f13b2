//! How far a run is, on stderr: a bar and a line for each running case on a terminal, plain lines elsewhere.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use patchwright_suites::run::{Listener, Live, Plain, Record, ended_line, lines};

/// Between two looks at the board.
const TICK: Duration = Duration::from_millis(250);

/// Draws the board of a run until it is closed.
pub struct Drawing {
    live: Live,
    screen: MultiProgress,
    terminal: bool,
    over: Arc<AtomicBool>,
}

impl Drawing {
    /// Begins to draw.
    pub fn of(live: &Live) -> Self {
        let screen = MultiProgress::new();
        let terminal = !screen.is_hidden();
        let over = Arc::new(AtomicBool::new(false));
        if terminal {
            let (live, screen, over) = (live.clone(), screen.clone(), Arc::clone(&over));
            tokio::spawn(async move {
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
            });
        }
        Self { live: live.clone(), screen, terminal, over }
    }

    /// What hears the events of the run.
    pub fn listener(&self) -> Told {
        Told {
            live: self.live.clone(),
            screen: self.screen.clone(),
            plain: (!self.terminal).then(Plain::default),
        }
    }

    /// Ends drawing and clears what was drawn.
    pub fn close(self) {
        self.over.store(true, Ordering::Relaxed);
        // What cannot be cleared stays on the screen: only looks are lost.
        let _ = self.screen.clear();
    }
}

/// Tells of each case that ends.
pub struct Told {
    live: Live,
    screen: MultiProgress,
    /// Where there is no terminal.
    plain: Option<Plain>,
}

impl Listener for Told {
    fn heard(&mut self, record: &Record) {
        match &mut self.plain {
            Some(plain) => {
                for line in plain.heard(record, &self.live.board()) {
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
