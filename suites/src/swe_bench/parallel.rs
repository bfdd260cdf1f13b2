//! The same work on many things at once.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Threads at most: reading logs is bound by memory and disk soon after.
const MOST: usize = 16;

/// Does `work` on each item and gives the results in the order of the items. `progress` hears how many of how
/// many are done.
pub(super) fn over<T: Sync, R: Send>(
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
    progress: impl Fn(usize, usize) + Sync,
) -> Vec<R> {
    let threads = thread::available_parallelism().map_or(1, usize::from).min(MOST).min(items.len());
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let take = || {
        let mut results = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { return results };
            results.push((index, work(item)));
            progress(done.fetch_add(1, Ordering::Relaxed) + 1, items.len());
        }
    };
    let mut results = thread::scope(|scope| {
        let helpers: Vec<_> = (1..threads).map(|_| scope.spawn(take)).collect();
        let mut results = take();
        for helper in helpers {
            match helper.join() {
                Ok(more) => results.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        results
    });
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}
