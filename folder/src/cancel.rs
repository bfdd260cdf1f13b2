//! Ending work that nobody waits for any more.
//!
//! Whoever begins work on a thread installs its flag there ([`WorkFlag::within`]); loops whose length a project or a model decides call
//! [`checkpoint`], however deep they stand, so that no flag has to be handed down to them.

use std::cell::RefCell;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    static CURRENT: RefCell<WorkFlag> = const { RefCell::new(WorkFlag(None)) };
}

/// A flag that is set once nobody waits for a piece of work; the default one never is.
#[derive(Clone, Debug, Default)]
pub struct WorkFlag(Option<Arc<AtomicBool>>);

/// What a thread unwinds with when its work is cancelled. It is no panic: nothing is printed.
#[derive(Debug)]
pub struct Cancelled;

impl WorkFlag {
    /// The flag of the work that this thread does, to be handed on to threads that help with it.
    pub fn current() -> Self {
        CURRENT.with_borrow(Self::clone)
    }

    /// Whether nobody waits for the work any more.
    pub fn is_set(&self) -> bool {
        self.0.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// Does some work on this thread under this flag.
    pub fn within<T>(self, work: impl FnOnce() -> T) -> T {
        struct Before(WorkFlag);
        impl Drop for Before {
            fn drop(&mut self) {
                CURRENT.set(std::mem::take(&mut self.0));
            }
        }
        let _before = Before(CURRENT.replace(self));
        work()
    }
}

impl From<Arc<AtomicBool>> for WorkFlag {
    fn from(flag: Arc<AtomicBool>) -> Self {
        Self(Some(flag))
    }
}

/// Ends the work of this thread by unwinding to where it began, if nobody waits for it any more.
pub fn checkpoint() {
    if CURRENT.with_borrow(WorkFlag::is_set) {
        resume_unwind(Box::new(Cancelled));
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    #[test]
    fn cancelled_work_ends_at_the_next_checkpoint_and_other_work_goes_on() {
        let flag = Arc::<AtomicBool>::default();
        let mut steps = 0;
        let work = || {
            for step in 0.. {
                checkpoint();
                steps = step;
                flag.store(step == 3, Ordering::Relaxed);
            }
        };
        let ended = catch_unwind(AssertUnwindSafe(|| WorkFlag::from(Arc::clone(&flag)).within(work)));
        assert!(ended.unwrap_err().is::<Cancelled>());
        assert_eq!(steps, 3);
        checkpoint();
        WorkFlag::default().within(checkpoint);
        assert!(!WorkFlag::current().is_set());
    }
}
