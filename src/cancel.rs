//! Ctrl-C and SIGTERM: whatever is being waited for is dropped, and what it runs ends with it. Once more, and the program ends at
//! once. Where a person looks at each command, the first Ctrl-C only pauses.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::failure::ExitCode;

/// Lets a person stop what is running without ending the session.
#[derive(Clone, Debug, Default)]
pub struct Pause {
    stage: Arc<AtomicU8>,
    asked_for: Arc<Notify>,
}

/// SIGTERM and SIGHUP within this time of the first signal count as one request. On preemption Slurm sends SIGTERM to all processes of a
/// task, and the task's script forwards its own.
const TOGETHER: Duration = Duration::from_secs(2);

/// Nothing runs that could be stopped.
const CLOSED: u8 = 0;
/// Something runs that can be stopped.
const OPEN: u8 = 1;
/// It is to be stopped.
const ASKED_FOR: u8 = 2;

impl Pause {
    /// Asks for a pause; `false` where nothing can be stopped.
    fn ask(&self) -> bool {
        let asked = self.stage.compare_exchange(OPEN, ASKED_FOR, Ordering::SeqCst, Ordering::SeqCst).is_ok();
        if asked {
            self.asked_for.notify_one();
        }
        asked
    }

    /// Comes back when a pause is asked for: as long as somebody waits here, there is something to stop.
    pub async fn asked_for(&self) {
        struct Open<'p>(&'p AtomicU8);
        impl Drop for Open<'_> {
            fn drop(&mut self) {
                self.0.store(CLOSED, Ordering::SeqCst);
            }
        }
        self.stage.store(OPEN, Ordering::SeqCst);
        let open = Open(&self.stage);
        while open.0.load(Ordering::SeqCst) != ASKED_FOR {
            self.asked_for.notified().await;
        }
    }
}

/// A token that is cancelled as soon as this process gets such a signal.
pub fn on_signals() -> CancellationToken {
    listen(None)
}

/// The same where the first signal pauses.
pub fn on_signals_but_first(pause: Pause) -> CancellationToken {
    listen(Some(pause))
}

fn listen(pause: Option<Pause>) -> CancellationToken {
    let cancel = CancellationToken::default();
    let own = cancel.clone();
    tokio::spawn(async move {
        let Some(mut signals) = Signals::new() else { return };
        let mut asked: Option<Instant> = None;
        loop {
            let is_by_person = signals.next().await;
            if is_by_person && pause.as_ref().is_some_and(Pause::ask) {
                continue;
            }
            match asked {
                None => {
                    asked = Some(Instant::now());
                    own.cancel();
                }
                Some(first) if !is_by_person && first.elapsed() < TOGETHER => {}
                Some(_) => end_at_once(),
            }
        }
    });
    cancel
}

/// Commands end with the process that started them, and the next session removes what lies about.
#[allow(clippy::exit, reason = "who asks a second time does not want to wait for anything")]
fn end_at_once() -> ! {
    crate::say("ended at once: the next session removes the copies of the project that are left");
    std::process::exit(ExitCode::Interrupted as i32)
}

#[cfg(unix)]
struct Signals([tokio::signal::unix::Signal; 3]);

#[cfg(unix)]
impl Signals {
    /// `None` where signals cannot be heard: then they end the process by themselves.
    fn new() -> Option<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
        let [interrupt, terminate, hang_up] = kinds.map(signal);
        Some(Self([interrupt.ok()?, terminate.ok()?, hang_up.ok()?]))
    }

    /// Waits for the next one; says whether it comes from a person at the terminal.
    async fn next(&mut self) -> bool {
        let [interrupt, terminate, hang_up] = &mut self.0;
        tokio::select! {
            _ = interrupt.recv() => true,
            _ = terminate.recv() => false,
            _ = hang_up.recv() => false,
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> Option<Self> {
        Some(Self)
    }

    async fn next(&mut self) -> bool {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_what_runs_can_be_paused_and_only_once() {
        let pause = Pause::default();
        assert!(!pause.ask());
        let ask = async {
            assert!(pause.ask());
            assert!(!pause.ask());
        };
        tokio::join!(pause.asked_for(), ask);
        assert!(!pause.ask());
        tokio::join!(pause.asked_for(), async { assert!(pause.ask()) });
    }
}
