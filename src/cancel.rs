//! Ctrl-C and SIGTERM: whatever is being waited for is dropped, and what it runs ends with it.

use patchwright_suites::run::Cancel;

/// What says that it is enough as soon as this process gets such a signal.
pub fn on_signals() -> Cancel {
    let cancel = Cancel::default();
    let own = cancel.clone();
    tokio::spawn(async move {
        signalled().await;
        own.cancel();
    });
    cancel
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
