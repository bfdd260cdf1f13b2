//! Blocking work in asynchronous code: whatever reads files, parses or searches for longer than a moment.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use patchwright_folder::WorkFlag;
use patchwright_protocol::Failure;
use tokio::runtime::Handle;
use tokio::task::{JoinHandle, spawn_blocking};

/// Work under way on a thread that may block. Awaited, it gives the result of the work; dropped before, it sets the flag that the
/// work was given, so that the work can end early: where it asks, and at the next [`checkpoint`](patchwright_folder::checkpoint).
///
/// # Errors
/// [`Failure::environment`] where the system gave no thread, so that the work was not begun; [`Failure::defect`] where the thread was
/// lost, with the message of its panic.
#[derive(Debug)]
#[must_use = "dropping it cancels the work"]
pub struct BlockingTask<T> {
    /// None where the system gave none.
    thread: Option<JoinHandle<T>>,
    cancelled: Arc<AtomicBool>,
}

/// Begins work on a thread of the runtime for blocking work. The work is given a flag that is set when nobody waits any more.
///
/// ```
/// # #[tokio::main]
/// # async fn main() -> Result<(), patchwright_protocol::Failure> {
/// use patchwright_blocking as blocking;
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
    // That there is no runtime is a mistake in the program; that there is no thread is none.
    let _runtime = Handle::current();
    // Tokio tells of it by a panic alone, with none of its locks held.
    let thread = catch_unwind(AssertUnwindSafe(|| {
        spawn_blocking(move || WorkFlag::from(Arc::clone(&flag)).within(|| work(&flag)))
    }))
    .ok();
    BlockingTask { thread, cancelled }
}

fn no_thread() -> Failure {
    Failure::environment("the system gives the program no more threads")
        .hint("let it have more processes (ulimit -u) and memory (ulimit -v), or give it fewer workers")
}

/// Locks what stays whole whatever happens to who holds it.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<T> Future for BlockingTask<T> {
    type Output = Result<T, Failure>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut self.thread {
            Some(thread) => Pin::new(thread).poll(context).map_err(Failure::defect),
            None => Poll::Ready(Err(no_thread())),
        }
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
        let failure = spawn(|_| panic!("case-7")).await.unwrap_err();
        assert_eq!(failure.actor, Actor::Defect);
        assert!(failure.message.contains("case-7"), "{failure}");
    }

    #[test]
    fn where_there_is_no_thread_the_environment_is_to_blame() {
        // No address space has room for such a stack.
        let runtime =
            tokio::runtime::Builder::new_current_thread().thread_stack_size(1 << 60).build().unwrap();
        let failure = runtime.block_on(async { spawn(|_| 1).await.unwrap_err() });
        assert_eq!(failure.actor, Actor::Environment, "{failure}");
        assert!(failure.hint.is_some());
    }

    #[tokio::test]
    async fn work_that_nobody_waits_for_ends_at_a_checkpoint() {
        struct Ended(mpsc::Sender<()>);
        impl Drop for Ended {
            fn drop(&mut self) {
                let _ = self.0.send(());
            }
        }
        let (tell, told) = mpsc::channel();
        let ended = Ended(tell);
        drop(spawn(move |_| {
            let _ended = ended;
            loop {
                patchwright_folder::checkpoint();
            }
        }));
        assert_eq!(told.recv_timeout(Duration::from_mins(1)), Ok(()));
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
