//! A circuit breaker: when most attempts fail by the environment, the run waits instead of burning through its cases.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Attempts that are looked at.
const WINDOW: usize = 10;
/// Fewer say nothing.
const FEWEST: usize = 4;
/// Pauses double from one to the next up to this many times the first.
const LONGEST: u32 = 10;

/// The attempts that may begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gate {
    /// As many as there are workers.
    Open,
    /// One, to see whether it works again.
    One,
    /// None before then.
    Shut(Instant),
}

/// The breaker.
#[derive(Clone, Debug)]
pub(super) struct Breaker {
    pause: Duration,
    last: VecDeque<bool>,
    shut_until: Option<Instant>,
    /// Pauses since the last attempt that did not fail so.
    trips: u32,
}

impl Breaker {
    /// A breaker whose first pause is so long.
    pub fn new(pause: Duration) -> Self {
        Self { pause, last: VecDeque::new(), shut_until: None, trips: 0 }
    }

    /// The attempts that may begin now.
    pub fn gate(&self, now: Instant) -> Gate {
        match self.shut_until {
            Some(until) if now < until => Gate::Shut(until),
            Some(_) => Gate::One,
            None => Gate::Open,
        }
    }

    /// Takes how an attempt ended; gives the pause where this begins one.
    pub fn ended(&mut self, by_environment: bool, now: Instant) -> Option<Duration> {
        if !by_environment {
            self.trips = 0;
            self.shut_until = None;
        }
        self.last.push_back(by_environment);
        if self.last.len() > WINDOW {
            self.last.pop_front();
        }
        let failed = self.last.iter().filter(|failed| **failed).count();
        let trips = match self.gate(now) {
            // What was under way when the pause began says nothing new.
            Gate::Shut(_) => false,
            Gate::One => by_environment,
            Gate::Open => by_environment && self.last.len() >= FEWEST && failed * 2 > self.last.len(),
        };
        trips.then(|| {
            let pause = self.pause * 2_u32.saturating_pow(self.trips).min(LONGEST);
            self.trips += 1;
            self.last.clear();
            self.shut_until = Some(now + pause);
            pause
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn more_than_half_of_the_last_attempts_make_a_pause() {
        let check = |ends: &[bool], expect: bool| {
            let now = Instant::now();
            let mut breaker = Breaker::new(Duration::from_secs(30));
            let pauses = ends.iter().filter(|failed| breaker.ended(**failed, now).is_some()).count();
            assert_eq!(pauses == 1, expect, "{ends:?}");
        };
        check(&[true, true, true], false);
        check(&[true, true, true, true], true);
        check(&[false, false, true, true], false);
        check(&[false, false, true, true, true], true);
        check(&[false, true].repeat(20), false);
    }

    #[test]
    fn after_a_pause_one_attempt_tells_whether_it_works_again() {
        let mut now = Instant::now();
        let mut breaker = Breaker::new(Duration::from_secs(30));
        for _ in 0..3 {
            assert_eq!(breaker.ended(true, now), None);
        }
        assert_eq!(breaker.ended(true, now), Some(Duration::from_secs(30)));
        assert_eq!(breaker.gate(now), Gate::Shut(now + Duration::from_secs(30)));
        assert_eq!(breaker.ended(true, now), None, "it was under way already");
        now += Duration::from_secs(30);
        assert_eq!(breaker.gate(now), Gate::One);
        assert_eq!(breaker.ended(true, now), Some(Duration::from_mins(1)), "twice as long");
        now += Duration::from_mins(1);
        assert_eq!(breaker.ended(false, now), None);
        assert_eq!(breaker.gate(now), Gate::Open);
    }
}
