//! Ctrl-C and SIGTERM: whatever is being waited for is dropped, and what it runs ends with it.

use std::sync::Arc;

use tokio::sync::watch;

/// Says when it is enough: because the user said so, or because there is nothing more to learn.
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    said: Arc<watch::Sender<bool>>,
}

impl Cancel {
    /// Listens to the signals of this process.
    pub fn on_signals() -> Self {
        let cancel = Self::default();
        let own = cancel.clone();
        tokio::spawn(async move {
            signalled().await;
            own.cancel();
        });
        cancel
    }

    /// Says that it is enough.
    pub fn cancel(&self) {
        self.said.send_replace(true);
    }

    /// Whether it was said.
    pub fn is_cancelled(&self) -> bool {
        *self.said.borrow()
    }

    /// Comes back when it was said.
    pub async fn said(&self) {
        let mut said = self.said.subscribe();
        // The sender lives as long as `self`, so waiting cannot fail.
        let _ = said.wait_for(|said| *said).await;
    }

    /// The result of `work`, or `None` when it was cancelled first; `work` is dropped then.
    pub async fn or<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let mut cancelled = self.said.subscribe();
        tokio::select! {
            biased;
            Ok(_) = cancelled.wait_for(|cancelled| *cancelled) => None,
            result = work => Some(result),
        }
    }
}

#[cfg(unix)]
async fn signalled() {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut terminate), Ok(mut hang_up)) =
        (signal(SignalKind::terminate()), signal(SignalKind::hangup()))
    else {
        return interrupted().await;
    };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = hang_up.recv() => {}
        () = interrupted() => {}
    }
}

#[cfg(not(unix))]
async fn signalled() {
    interrupted().await;
}

async fn interrupted() {
    if tokio::signal::ctrl_c().await.is_err() {
        // Without a handler the signal ends the process by itself.
        std::future::pending::<()>().await;
    }
}
