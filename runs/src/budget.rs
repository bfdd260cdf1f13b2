//! The budget of a run: checked before each session, with the worst case of a session reserved.

use std::time::Duration;

use patchwright_protocol::SessionResult;
use serde::{Deserialize, Serialize};

use super::error::RunError;
use super::ledger::RunCosts;

/// The most that a run, or a session, may spend. `None` means no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SpendingCap {
    /// US dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd: Option<f64>,
    /// Tokens in and out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Wall-clock seconds: of a session, or of the run in this process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
}

impl SpendingCap {
    /// Checks that a run can be held to this, with sessions that are held to `session`.
    ///
    /// # Errors
    /// When a session may use any amount of what the run may not.
    pub fn check(self, session: Self) -> Result<(), RunError> {
        Budget::new(self, session, RunCosts::default()).map(drop)
    }
}

/// The answer to the question whether another session may begin.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Room {
    /// It may.
    Yes,
    /// Not before a running one gives back what it does not use.
    Wait,
    /// No more.
    No(String),
}

/// The budget of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    run: SpendingCap,
    session: SpendingCap,
    spent: RunCosts,
    /// The cost assumed for attempts of unknown price or use.
    unknown: RunCosts,
}

impl Budget {
    /// The budget of a run that has spent something already.
    pub fn new(run: SpendingCap, session: SpendingCap, spent: RunCosts) -> Result<Self, RunError> {
        let unkept = |what: &str, option: &str| {
            RunError::Budget(format!(
                "the budget of the run in {what} cannot be kept, because a session may use any amount; \
                 give each case a limit, too ({option})"
            ))
        };
        for (open, what, option) in [
            (run.usd.is_some() && session.usd.is_none(), "dollars", "--max-usd"),
            (run.tokens.is_some() && session.tokens.is_none(), "tokens", "--max-tokens-total"),
            (run.seconds.is_some() && session.seconds.is_none(), "time", "--time-limit"),
        ] {
            if open {
                return Err(unkept(what, option));
            }
        }
        let unknown =
            RunCosts { usd: session.usd.unwrap_or(0.0) * spent.unpriced as f64, ..RunCosts::default() };
        Ok(Self { run, session, spent, unknown })
    }

    /// Tells if another session may begin while so many run.
    pub fn room(&self, running: usize, elapsed: Duration) -> Room {
        let sessions = running as u64 + 1;
        // What running sessions have reserved may come back.
        let full = |text: String| if running == 0 { Room::No(text) } else { Room::Wait };
        if let (Some(most), Some(worst)) = (self.run.seconds, self.session.seconds) {
            let elapsed = elapsed.as_secs_f64();
            if elapsed + worst > most {
                return Room::No(format!(
                    "the run may take {most:.0} s; {elapsed:.0} s are gone, and a session may take {worst:.0} s"
                ));
            }
        }
        if let (Some(most), Some(worst)) = (self.run.usd, self.session.usd) {
            let spent = self.spent.usd + self.unknown.usd;
            // A sum of cents is not to fail for its last bit.
            if spent + worst * sessions as f64 > most + 1e-9 {
                return full(format!(
                    "the run may cost {most:.2} dollars; {spent:.2} are spent, and a session may cost {worst:.2}"
                ));
            }
        }
        if let (Some(most), Some(worst)) = (self.run.tokens, self.session.tokens) {
            let spent = self.spent.tokens;
            if spent.saturating_add(worst.saturating_mul(sessions)) > most {
                return full(format!(
                    "the run may use {most} tokens; {spent} are used, and a session may use {worst}"
                ));
            }
        }
        Room::Yes
    }

    /// Books what an attempt has cost. An unknown price is not 0: it counts as the worst case.
    pub fn book(&mut self, outcome: &SessionResult) {
        self.spent.add(outcome);
        if outcome.cost_usd.is_none() {
            self.unknown.usd += self.session.usd.unwrap_or(0.0);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use patchwright_protocol::Status;

    use super::*;

    fn usd(usd: f64) -> SpendingCap {
        SpendingCap { usd: Some(usd), ..SpendingCap::default() }
    }

    #[test]
    fn a_session_begins_only_where_its_worst_case_fits() {
        let budget = |most: f64| Budget::new(usd(most), usd(0.5), RunCosts::default()).unwrap();
        let check = |most: f64, running: usize, expect: Room| {
            assert_eq!(budget(most).room(running, Duration::ZERO), expect, "{most} {running}");
        };
        check(1.0, 0, Room::Yes);
        check(1.0, 1, Room::Yes);
        check(1.0, 2, Room::Wait);
        check(
            0.4,
            0,
            Room::No("the run may cost 0.40 dollars; 0.00 are spent, and a session may cost 0.50".into()),
        );
    }

    #[test]
    fn an_unknown_price_counts_as_the_worst_case() {
        let mut budget = Budget::new(usd(1.0), usd(0.5), RunCosts::default()).unwrap();
        let unknown = SessionResult { cost_usd: None, ..SessionResult::early(Status::NoFix, "") };
        budget.book(&unknown);
        assert_eq!(budget.room(0, Duration::ZERO), Room::Yes);
        budget.book(&unknown);
        assert!(matches!(budget.room(0, Duration::ZERO), Room::No(_)));
        let resumed =
            Budget::new(usd(1.0), usd(0.5), RunCosts { unpriced: 2, ..RunCosts::default() }).unwrap();
        assert!(matches!(resumed.room(0, Duration::ZERO), Room::No(_)));
    }

    #[test]
    fn time_and_tokens_are_kept_too() {
        let most = SpendingCap { seconds: Some(100.0), tokens: Some(1000), usd: None };
        let session = SpendingCap { seconds: Some(30.0), tokens: Some(400), usd: None };
        let mut budget = Budget::new(most, session, RunCosts::default()).unwrap();
        assert_eq!(budget.room(1, Duration::from_secs(70)), Room::Yes);
        assert!(matches!(budget.room(1, Duration::from_secs(71)), Room::No(_)));
        assert_eq!(budget.room(2, Duration::ZERO), Room::Wait);
        let mut used = SessionResult::early(Status::NoFix, "");
        used.tokens.input = 601;
        budget.book(&used);
        let text = "the run may use 1000 tokens; 601 are used, and a session may use 400";
        assert_eq!(budget.room(0, Duration::ZERO), Room::No(text.into()));
    }

    #[test]
    fn a_budget_without_a_worst_case_is_refused() {
        let error = Budget::new(usd(1.0), SpendingCap::default(), RunCosts::default()).unwrap_err();
        insta::assert_snapshot!(error.to_string());
    }
}
