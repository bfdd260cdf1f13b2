//! Waits for a service that was there and is not now.

use std::time::Duration;

use patchwright_llm::ModelError;

/// The first wait; each further one is twice as long.
const FIRST_WAIT: Duration = Duration::from_secs(30);
/// The longest single wait.
const LONGEST_WAIT: Duration = Duration::from_mins(5);
/// All waits for one answer of a service that is unavailable; a session with a limit of time ends by that.
const PATIENCE: Duration = Duration::from_hours(2);
/// All waits for access: a proxy that is set right, credit that is added.
const ACCESS_PATIENCE: Duration = Duration::from_mins(15);

/// The waits for one answer so far.
#[derive(Debug, Default)]
pub(crate) struct Outage {
    waits: u32,
    waited: Duration,
}

impl Outage {
    /// The next wait; `None` when it has been long enough, or where waiting does not help.
    pub fn wait(&mut self, error: &ModelError) -> Option<Duration> {
        let patience = match error {
            error if error.is_outage() => PATIENCE,
            error if error.is_about_access() => ACCESS_PATIENCE,
            _ => return None,
        };
        let wait = FIRST_WAIT.saturating_mul(1 << self.waits.min(8)).min(LONGEST_WAIT);
        if self.waited + wait > patience {
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
        let check = |error: ModelError, patience: Duration| {
            let mut outage = Outage::default();
            let waits: Vec<Duration> = std::iter::from_fn(|| outage.wait(&error)).collect();
            assert_eq!(waits[..4], [30, 60, 120, 240].map(Duration::from_secs));
            let all: Duration = waits.iter().sum();
            assert!(all <= patience && all + LONGEST_WAIT > patience, "{error}: {all:?}");
        };
        check(ModelError::Unavailable { status: 503, message: String::new() }, PATIENCE);
        check(ModelError::Quota { message: String::new() }, ACCESS_PATIENCE);
        let refused = ModelError::Refused { status: 400, message: String::new() };
        assert_eq!(Outage::default().wait(&refused), None);
    }
}
