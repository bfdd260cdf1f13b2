//! The record of the lines that tests execute: one JSON object a line, `{"tool":NAME}` and
//! `{"test":ID,"lines":{PATH:"3-5,9"}}`. A test may have several of them.

use std::collections::{BTreeMap, BTreeSet};

use patchwright_protocol::TestId;
use patchwright_validation::Coverage;
use serde::Deserialize;

/// No file has more lines: what says so is damaged.
const MOST_LINES: u32 = 1 << 20;
/// No suite executes more lines, those of each test counted: what goes on is written to fill our memory.
const MOST_EXECUTED: usize = 50 << 20;

#[derive(Deserialize)]
#[serde(untagged)]
enum Line {
    Test { test: TestId, lines: BTreeMap<String, String> },
    Tool { tool: String },
}

/// The record of a run.
#[derive(Debug, Default)]
pub(crate) struct Record {
    pub(crate) tool: Option<String>,
    pub(crate) coverage: Coverage,
}

/// The lines that each test has executed, from the file that our recorders write. A line that cannot be read is left out.
pub fn recorded(text: &str) -> Coverage {
    read(text).coverage
}

/// Reads a record. A line that cannot be read is one that was being written when the run was ended.
pub(crate) fn read(text: &str) -> Record {
    let mut executed: BTreeMap<TestId, BTreeMap<String, BTreeSet<u32>>> = BTreeMap::new();
    let (mut named, mut left) = (None, MOST_EXECUTED);
    for line in text.lines().filter_map(|line| serde_json::from_str(line).ok()) {
        match line {
            Line::Tool { tool } => {
                named.get_or_insert(tool);
            }
            Line::Test { test, lines } => {
                let files = executed.entry(test).or_default();
                for (path, ranges) in lines {
                    let lines = files.entry(path).or_default();
                    for range in ranges.split(',').filter_map(range) {
                        let Some(rest) = left.checked_sub(range.clone().count()) else { break };
                        left = rest;
                        lines.extend(range);
                    }
                }
            }
        }
    }
    Record { tool: named, coverage: Coverage::new(executed) }
}

/// `3-5` or `9`.
fn range(text: &str) -> Option<std::ops::RangeInclusive<u32>> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let (first, last) = (first.parse().ok()?, last.parse().ok()?);
    (last < MOST_LINES).then_some(first..=last)
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_test_are_put_together_and_damage_is_left_out() {
        let record = read(concat!(
            "{\"tool\":\"sys.monitoring\"}\n",
            "{\"test\":\"b\",\"lines\":{\"a.py\":\"3-5,9\"}}\n",
            "{\"test\":\"b\",\"lines\":{\"a.py\":\"9-10\",\"b.py\":\"1\"}}\n",
            "{\"test\":\"c\",\"lines\":{\"a.py\":\"x,4,1-4000000000\"}}\n",
            "{\"test\":\"d\",\"li",
        ));
        assert_eq!(record.tool.as_deref(), Some("sys.monitoring"));
        let lines = |path: &str| -> Vec<(u32, usize)> {
            record.coverage.lines(path).map(|(line, tests)| (line, tests.count())).collect()
        };
        assert_eq!(lines("a.py"), [(3, 1), (4, 2), (5, 1), (9, 1), (10, 1)]);
        assert_eq!(lines("b.py"), [(1, 1)]);
        assert_eq!(record.coverage.tests().len(), 2);
        assert!(read("").tool.is_none());
    }
}
