//! What a session may spend and what it has spent: checked before spending, with the worst case reserved.

use std::time::{Duration, Instant};

use patchwright_protocol::Usage;
use serde::{Deserialize, Serialize};

use crate::driver::WaitCategory;

/// What a session may spend. `None` means no limit.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
pub struct Limits {
    /// Cycles at most.
    pub cycles: u32,
    /// Tokens at most, input and output together.
    pub tokens: Option<u64>,
    /// US dollars at most.
    pub usd: Option<f64>,
    /// Wall-clock time at most.
    pub time: Option<Duration>,
}

/// What has been spent so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Spent {
    /// Cycles begun.
    pub cycles: u32,
    /// Tokens of all replies.
    pub usage: Usage,
    /// US dollars of all replies whose price is known.
    pub usd: f64,
    /// Replies whose price is unknown: while there are any, `usd` is not the whole cost.
    pub unpriced: u32,
    /// Seconds waited for replies.
    pub model_seconds: f64,
    /// Seconds waited for a plan of our own.
    pub planning_seconds: f64,
    /// Seconds of builds and tests.
    pub test_seconds: f64,
    /// Seconds of all other tool work.
    pub tool_seconds: f64,
}

/// The end of a session's time.
#[derive(Debug)]
pub struct Clock {
    deadline: Option<Instant>,
    over: Exhausted,
}

impl Clock {
    /// What `work` comes to; when the time is over before that, `work` is dropped and the reason given.
    pub async fn hold<T>(self, work: impl Future<Output = T>) -> Result<T, Exhausted> {
        match self.deadline {
            None => Ok(work.await),
            Some(deadline) => tokio::time::timeout_at(deadline.into(), work).await.map_err(|_| self.over),
        }
    }
}

impl Spent {
    /// Seconds waited for answers.
    pub fn waited(&self) -> f64 {
        self.model_seconds + self.planning_seconds
    }

    /// Tokens in and out.
    pub fn tokens(&self) -> u64 {
        self.usage.total()
    }

    /// The cost in US dollars, or `None` when a part of it is unknown.
    pub fn cost(&self) -> Option<f64> {
        (self.unpriced == 0).then_some(self.usd)
    }
}

/// Which limit was reached, in words a user understands.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum Exhausted {
    /// All cycles are used.
    #[error("all {0} cycles are used")]
    Cycles(u32),
    /// The next question could go over the token limit.
    #[error("{used} tokens are used, and the next question may need {needed} more; the limit is {limit}")]
    Tokens {
        /// Tokens used so far.
        used: u64,
        /// Tokens the next question may need.
        needed: u64,
        /// The limit.
        limit: u64,
    },
    /// The next question could go over the dollar limit.
    #[error("${used} are spent, and the next question may cost ${needed} more; the limit is ${limit}")]
    Usd {
        /// Dollars spent so far.
        used: String,
        /// Dollars the next question may cost.
        needed: String,
        /// The limit.
        limit: String,
    },
    /// The time is over.
    #[error("the time limit of {0} s is reached")]
    Time(u64),
}

/// A session's budget: its limits, its clock and its ledger.
#[derive(Debug)]
pub struct Budget {
    limits: Limits,
    started: Instant,
    spent: Spent,
}

impl Budget {
    /// A budget whose clock has been running since `started`.
    pub fn new(limits: Limits, started: Instant) -> Self {
        Self { limits, started, spent: Spent::default() }
    }

    /// The limits.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The ledger.
    pub fn spent(&self) -> &Spent {
        &self.spent
    }

    /// The ledger, to book time on.
    pub fn spent_mut(&mut self) -> &mut Spent {
        &mut self.spent
    }

    /// Time since the session began.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// The moment at which the time limit is reached.
    pub fn deadline(&self) -> Option<Instant> {
        self.limits.time.map(|time| self.started + time)
    }

    /// Begins a cycle, or says which limit forbids it.
    pub fn begin_cycle(&mut self) -> Result<u32, Exhausted> {
        if self.spent.cycles >= self.limits.cycles {
            return Err(Exhausted::Cycles(self.limits.cycles));
        }
        self.check_time()?;
        self.spent.cycles += 1;
        Ok(self.spent.cycles)
    }

    /// What holds work to the time that is left; it borrows nothing, so that the work may use the budget.
    pub fn clock(&self) -> Clock {
        Clock { deadline: self.deadline(), over: self.out_of_time() }
    }

    /// The end of the time, as a reason.
    fn out_of_time(&self) -> Exhausted {
        Exhausted::Time(self.limits.time.unwrap_or_default().as_secs())
    }

    fn check_time(&self) -> Result<(), Exhausted> {
        match self.limits.time {
            Some(limit) if self.elapsed() >= limit => Err(self.out_of_time()),
            _ => Ok(()),
        }
    }

    /// Is true if a question of `worst` tokens and `worst_usd` dollars still fits.
    pub fn reserve(&self, worst: Usage, worst_usd: Option<f64>) -> Result<(), Exhausted> {
        self.check_time()?;
        let used = self.spent.tokens();
        let needed = worst.total();
        if let Some(limit) = self.limits.tokens
            && used.saturating_add(needed) > limit
        {
            return Err(Exhausted::Tokens { used, needed, limit });
        }
        if let (Some(limit), Some(needed)) = (self.limits.usd, worst_usd)
            && self.spent.usd + needed > limit
        {
            let money = |usd: f64| format!("{usd:.4}");
            return Err(Exhausted::Usd {
                used: money(self.spent.usd),
                needed: money(needed),
                limit: money(limit),
            });
        }
        Ok(())
    }

    /// Books seconds that were waited.
    pub fn wait(&mut self, wait_category: WaitCategory, seconds: f64) {
        match wait_category {
            WaitCategory::Model => self.spent.model_seconds += seconds,
            WaitCategory::Planning => self.spent.planning_seconds += seconds,
            WaitCategory::Tests => self.spent.test_seconds += seconds,
            WaitCategory::Tools => self.spent.tool_seconds += seconds,
        }
    }

    /// Books a reply.
    pub fn book(&mut self, usage: &Usage, usd: Option<f64>) {
        // A service can say anything: absurd counts end the budget, not the program.
        self.spent.usage += *usage;
        match usd {
            Some(usd) => self.spent.usd += usd,
            None => self.spent.unpriced += 1,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn usage(input: u64, output: u64) -> Usage {
        Usage { input, output, ..Usage::default() }
    }

    fn budget(tokens: Option<u64>, usd: Option<f64>) -> Budget {
        Budget::new(Limits { cycles: 2, tokens, usd, time: None }, Instant::now())
    }

    #[test]
    fn cycles_are_counted_and_bounded() {
        let mut budget = budget(None, None);
        assert_eq!(budget.begin_cycle(), Ok(1));
        assert_eq!(budget.begin_cycle(), Ok(2));
        assert_eq!(budget.begin_cycle(), Err(Exhausted::Cycles(2)));
    }

    #[test]
    fn the_worst_case_is_reserved_before_it_is_spent() {
        let mut budget = budget(Some(1000), Some(0.5));
        assert!(budget.reserve(usage(600, 400), Some(0.5)).is_ok());
        assert!(matches!(budget.reserve(usage(601, 400), None), Err(Exhausted::Tokens { needed: 1001, .. })));
        budget.book(&usage(500, 100), Some(0.3));
        assert!(matches!(budget.reserve(usage(10, 10), Some(0.21)), Err(Exhausted::Usd { .. })));
        assert!(budget.reserve(usage(200, 200), Some(0.2)).is_ok());
    }

    #[test]
    fn absurd_counts_end_the_budget_and_not_the_program() {
        let mut budget = budget(Some(1000), None);
        budget.book(&usage(u64::MAX, u64::MAX), None);
        budget.book(&usage(u64::MAX, 1), None);
        assert_eq!(budget.spent().tokens(), u64::MAX);
        assert!(budget.reserve(usage(1, 1), None).is_err());
    }

    #[test]
    fn an_unknown_price_is_not_zero() {
        let mut budget = budget(None, None);
        budget.book(&usage(1, 1), Some(0.25));
        assert_eq!(budget.spent().cost(), Some(0.25));
        budget.book(&usage(1, 1), None);
        assert_eq!(budget.spent().cost(), None);
    }
}
