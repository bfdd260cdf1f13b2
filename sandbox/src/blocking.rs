//! Blocking work in asynchronous code: whatever reads files, parses or searches for longer than a moment.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use patchwright_protocol::Failure;
use tokio::task::{JoinHandle, spawn_blocking};

/// Work under way on a thread that may block. Awaited, it gives the result of the work; dropped before, it sets the flag that the
/// work was given, so that the work can end early.
///
/// # Errors
/// [`Failure::defect`] where the thread was lost, with the message of its panic.
#[derive(Debug)]
#[must_use = "dropping it cancels the work"]
pub struct BlockingTask<T> {
    thread: JoinHandle<T>,
    cancelled: Arc<AtomicBool>,
}

/// Begins work on a thread of the runtime for blocking work. The work is given a flag that is set when nobody waits any more.
///
/// ```
/// # #[tokio::main]
/// # async fn main() -> Result<(), patchwright_protocol::Failure> {
/// use patchwright_sandbox::blocking;
///
/// let sum = blocking::spawn(|_cancelled| (1..=10).sum::<u32>()).await?;
/// assert_eq!(sum, 55);
/// # Ok(())
/// # }
/// ```
///
/// # Panics
/// Outside of a runtime of tokio.
#[expect(clippy::disallowed_methods, reason = "all blocking work begins here")]
pub fn spawn<T: Send + 'static>(work: impl FnOnce(&AtomicBool) -> T + Send + 'static) -> BlockingTask<T> {
    let cancelled = Arc::<AtomicBool>::default();
    let flag = Arc::clone(&cancelled);
    BlockingTask { thread: spawn_blocking(move || work(&flag)), cancelled }
}

/// Locks what stays whole whatever happens to who holds it.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<T> Future for BlockingTask<T> {
    type Output = Result<T, Failure>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.thread).poll(context).map_err(Failure::defect)
    }
}

impl<T> Drop for BlockingTask<T> {
    fn drop(&mut self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use patchwright_protocol::Actor;

    use super::*;

    #[tokio::test]
    async fn a_lost_thread_is_a_defect() {
        let failure = spawn(|_| panic!("no such case")).await.unwrap_err();
        assert_eq!(failure.actor, Actor::Defect);
        assert!(failure.message.contains("no such case"), "{failure}");
    }

    #[tokio::test]
    async fn work_that_nobody_waits_for_is_told() {
        let (tell, told) = mpsc::channel();
        let task = spawn(move |cancelled| {
            tell.send(cancelled.load(Ordering::Relaxed)).unwrap();
            while !cancelled.load(Ordering::Relaxed) {
                std::hint::spin_loop();
            }
            tell.send(true).unwrap();
        });
        assert_eq!(told.recv_timeout(Duration::from_mins(1)), Ok(false));
        drop(task);
        assert_eq!(told.recv_timeout(Duration::from_mins(1)), Ok(true));
    }
}
