//! Waits for a service that was there and is not now.

use std::time::Duration;

/// The first wait; each further one is twice as long.
const FIRST_WAIT: Duration = Duration::from_secs(30);
/// The longest single wait.
const LONGEST_WAIT: Duration = Duration::from_mins(5);
/// All waits for one answer; a session with a limit of time ends by that.
const PATIENCE: Duration = Duration::from_hours(2);

/// The waits for one answer so far.
#[derive(Debug, Default)]
pub(crate) struct Outage {
    waits: u32,
    waited: Duration,
}

impl Outage {
    /// The next wait; `None` when it has been long enough.
    pub fn wait(&mut self) -> Option<Duration> {
        let wait = FIRST_WAIT.saturating_mul(1 << self.waits.min(8)).min(LONGEST_WAIT);
        if self.waited + wait > PATIENCE {
            return None;
        }
        self.waits += 1;
        self.waited += wait;
        Some(wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_a_limit_and_end() {
        let mut outage = Outage::default();
        let waits: Vec<u64> = std::iter::from_fn(|| outage.wait()).map(|wait| wait.as_secs()).collect();
        assert_eq!(waits[..5], [30, 60, 120, 240, 300]);
        let all: u64 = waits.iter().sum();
        assert!(all <= PATIENCE.as_secs() && all + LONGEST_WAIT.as_secs() > PATIENCE.as_secs(), "{all}");
    }
}
