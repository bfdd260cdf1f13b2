//! The same work on many things at once.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use patchwright_folder::{WorkFlag, checkpoint};

/// Threads used at most; reading source is bound by memory soon after.
const MOST: usize = 8;

/// The number of threads that are worth starting.
pub fn threads() -> usize {
    thread::available_parallelism().map_or(1, usize::from).min(MOST)
}

/// Does `work` on each item and gives the results in the order of the items. Helping threads end with the work of this one.
pub fn over<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let take = || {
        let one = || {
            checkpoint();
            let index = next.fetch_add(1, Ordering::Relaxed);
            Some((index, work(items.get(index)?)))
        };
        std::iter::from_fn(one).collect::<Vec<_>>()
    };
    let flag = WorkFlag::current();
    let mut results: Vec<(usize, R)> = thread::scope(|scope| {
        let helpers: Vec<_> = (1..threads().min(items.len()))
            .map(|_| {
                let flag = flag.clone();
                scope.spawn(move || flag.within(take))
            })
            .collect();
        let mut done = take();
        for helper in helpers {
            match helper.join() {
                Ok(more) => done.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        done
    });
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}
