//! Why most of many tests fail before any change.

use std::collections::BTreeMap;

use patchwright_test_results::{TestOutcome, TestStatus};

use super::Baseline;

/// Fewer failing tests than these are a bug's, however few others there are.
const MOST: usize = 20;

impl Baseline {
    /// Why most of the tests fail before any change, where they do: the message that most of these have.
    pub fn most_failing(&self) -> Option<String> {
        let ran = self.report.outcomes.iter().filter(|outcome| outcome.status != TestStatus::Skipped).count();
        let failing: Vec<&TestOutcome> =
            self.report.outcomes.iter().filter(|outcome| outcome.status.is_failing()).collect();
        if failing.len() < MOST || failing.len() * 2 <= ran {
            return None;
        }
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for outcome in &failing {
            let line = outcome.message.as_deref().and_then(|message| message.lines().next());
            *counts.entry(line.unwrap_or_default().trim()).or_default() += 1;
        }
        let (message, count) = counts.into_iter().max_by_key(|(_, count)| *count)?;
        let said = if message.is_empty() { "no message".to_owned() } else { format!("`{message}`") };
        Some(format!(
            "{} of {ran} tests fail before any change, {count} of them with {said}: the environment of the tests may be the cause",
            failing.len()
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::baseline_of;
    use super::*;
    use patchwright_test_results::TestReport;

    #[test]
    fn the_message_is_told_that_most_of_many_failures_have() {
        let baseline = |failing: usize, passing: usize| {
            let failed = (0..failing).map(|number| {
                let message =
                    if number < 2 { format!("other {number}") } else { "KeyError: 'tz'\nmore".to_owned() };
                TestOutcome::new(format!("t.py::test_{number}").as_str(), TestStatus::Error)
                    .with_message(message)
            });
            let passed = (0..passing).map(|number| {
                TestOutcome::new(format!("t.py::passes_{number}").as_str(), TestStatus::Passed)
            });
            let report =
                TestReport { outcomes: failed.chain(passed).collect(), ..TestReport::empty(String::new()) };
            Baseline { report, ..baseline_of(&[], &[]) }
        };
        assert_eq!(baseline(19, 0).most_failing(), None, "few");
        assert_eq!(baseline(25, 25).most_failing(), None, "no more than half");
        assert_eq!(
            baseline(25, 5).most_failing().as_deref(),
            Some(
                "25 of 30 tests fail before any change, 23 of them with `KeyError: 'tz'`: the environment of the tests may be the cause"
            )
        );
    }
}
