//! The lines that our own runners write: one JSON object a line, flushed one by one, into a file of their own. Neither
//! what the program prints nor a crash can damage what was written before.

use std::collections::{BTreeMap, BTreeSet};

use patchwright_protocol::TestId;
use serde::Deserialize;

use super::{Elsewhere, ParsedResults, ReportFile, SealKey};
use crate::outcome::{Ending, Outcomes, TestOutcome, TestStatus};

#[derive(Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum Line {
    /// The number of tests that are to run.
    Collected {
        #[serde(default)]
        count: u64,
        /// How many of them are in each file, where the runner knows files.
        #[serde(default)]
        files: Vec<(String, u64)>,
    },
    /// A module of the project is imported from another place: nothing is tested.
    Elsewhere {
        module: String,
        path: String,
    },
    /// The class that comes next, of how many.
    Turn,
    Started {
        id: String,
    },
    Finished {
        id: String,
        status: TestStatus,
        message: Option<String>,
        trace: Option<String>,
        seconds: Option<f64>,
    },
    /// What was started is a group of tests, or none that was asked for: nothing comes of it.
    Left {
        id: String,
    },
    /// The test that ended last had no end, and its process ends with it.
    Overdue,
    /// A process that was one of several has ended.
    Checked {
        #[serde(default)]
        bent: Vec<String>,
    },
    End {
        #[serde(default)]
        bent: Vec<String>,
    },
}

/// The words for lines that our runner did not write.
const FORGED: &str = "lines of results that the runner did not write";

pub(super) fn read(files: &[ReportFile], key: Option<&SealKey>) -> ParsedResults {
    let mut outcomes = Outcomes::default();
    // By name, each with the number of its line.
    let mut running: BTreeMap<String, usize> = BTreeMap::new();
    let mut seconds = BTreeMap::new();
    let (mut collected, mut ended_last) = (None, None);
    let mut collected_in = BTreeMap::new();
    let mut complete = false;
    let mut elsewhere = None;
    let mut bent = BTreeSet::new();
    let mut goes_on = false;
    // A line that cannot be read is the last one of a run that was ended while writing it.
    let mut is_forged = false;
    let lines = files.iter().flat_map(|file| file.text.lines());
    let mut parsed = |line: &str| match key.map(|key| key.opened(line)) {
        None => serde_json::from_str(line).ok(),
        Some(Some(opened)) => serde_json::from_str(&opened).ok(),
        Some(None) => {
            is_forged |= serde_json::from_str::<Line>(line).is_ok();
            None
        }
    };
    for (number, line) in lines.filter_map(&mut parsed).enumerate() {
        goes_on = matches!(line, Line::Overdue);
        match line {
            Line::Started { id } => drop(running.insert(id, number)),
            Line::Finished { id, status, message, trace, seconds: took } => {
                running.remove(&id);
                let id = TestId::new(id);
                if let Some(took) = took {
                    *seconds.entry(id.clone()).or_default() += took;
                }
                ended_last = Some(id.clone());
                let ending = Ending::told_by(message.as_deref());
                outcomes.add(TestOutcome { id, status, ending, message, trace });
            }
            Line::Left { id } => drop(running.remove(&id)),
            Line::Collected { count, files } => {
                collected = Some(count);
                for (file, count) in files {
                    let known: &mut u64 = collected_in.entry(TestId::new(file)).or_default();
                    *known = count.max(*known);
                }
            }
            Line::Elsewhere { module, path } => elsewhere = Some(Box::new(Elsewhere { module, path })),
            Line::Turn | Line::Overdue => {}
            Line::Checked { bent: names } => bent.extend(names),
            Line::End { bent: names } => {
                complete = true;
                bent.extend(names);
            }
        }
    }
    for id in running.keys() {
        outcomes.add(TestOutcome::cut_off(id.as_str()));
    }
    let ended_last =
        ended_last.filter(|_| !complete && collected.is_none_or(|all| (outcomes.len() as u64) < all));
    let interrupted_in = running.into_iter().max_by_key(|(_, number)| *number).map(|(id, _)| TestId::new(id));
    bent.extend(is_forged.then(|| FORGED.to_owned()));
    ParsedResults {
        outcomes,
        interrupted_in,
        ended_last,
        collected,
        collected_in,
        elsewhere,
        complete,
        goes_on,
        seconds,
        bent,
        ..ParsedResults::default()
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    fn parse(text: &str) -> ParsedResults {
        read(&[ReportFile { path: "results.jsonl".to_owned(), text: text.to_owned() }], None)
    }

    #[test]
    fn a_whole_run() {
        let parsed = parse(concat!(
            "{\"event\":\"started\",\"id\":\"a\"}\n",
            "{\"event\":\"finished\",\"id\":\"a\",\"status\":\"failed\",\"message\":\"1 != 2\",\"trace\":\"t\",\"seconds\":0.5}\n",
            "{\"event\":\"finished\",\"id\":\"b\",\"status\":\"passed\",\"message\":null,\"trace\":null}\n",
            "{\"event\":\"end\"}\n",
        ));
        assert!(parsed.complete);
        assert_eq!(parsed.interrupted_in, None);
        assert_eq!(parsed.seconds, BTreeMap::from([(TestId::new("a"), 0.5)]));
        let outcomes = parsed.outcomes.into_sorted();
        assert_eq!(
            outcomes[0],
            TestOutcome::new("a", TestStatus::Failed).with_message("1 != 2").with_trace("t")
        );
        assert_eq!(outcomes[1], TestOutcome::new("b", TestStatus::Passed));
    }

    #[test]
    fn our_runners_tell_of_tests_that_never_end() {
        for message in ["patchwright_limit.Overdue: 5 s", "PatchwrightLimit$Overdue: the test does not end"] {
            let line = format!(
                "{{\"event\":\"finished\",\"id\":\"a\",\"status\":\"error\",\"message\":\"{message}\",\"trace\":null}}"
            );
            assert_eq!(parse(&line).outcomes.into_sorted()[0].ending, Ending::Overdue, "{message}");
        }
    }

    #[test]
    fn a_run_that_broke_off() {
        let parsed = parse(concat!(
            "{\"event\":\"finished\",\"id\":\"a\",\"status\":\"passed\"}\n",
            "{\"event\":\"started\",\"id\":\"b\"}\n",
            "{\"event\":\"fini",
        ));
        assert!(!parsed.complete);
        assert_eq!(parsed.interrupted_in, Some(TestId::new("b")));
        let outcomes = parsed.outcomes.into_sorted();
        assert_eq!(outcomes.len(), 2);
        assert_eq!(outcomes[1].status, TestStatus::Error);
    }

    #[test]
    fn groups_of_tests_have_no_outcome() {
        let parsed = parse(concat!(
            "{\"event\":\"started\",\"id\":\"a\"}\n{\"event\":\"started\",\"id\":\"a::b\"}\n",
            "{\"event\":\"finished\",\"id\":\"a::b\",\"status\":\"passed\"}\n{\"event\":\"left\",\"id\":\"a\"}\n",
            "{\"event\":\"end\"}\n",
        ));
        assert!(parsed.complete && parsed.interrupted_in.is_none());
        assert_eq!(parsed.outcomes.into_sorted(), [TestOutcome::new("a::b", TestStatus::Passed)]);
    }

    #[test]
    fn a_process_that_ended_for_a_test_and_the_next() {
        let ended = concat!(
            "{\"event\":\"started\",\"id\":\"a\"}\n",
            "{\"event\":\"finished\",\"id\":\"a\",\"status\":\"error\"}\n{\"event\":\"overdue\"}\n",
        );
        let parsed = parse(ended);
        assert!(parsed.goes_on && !parsed.complete && parsed.interrupted_in.is_none());
        let next = "{\"event\":\"finished\",\"id\":\"b\",\"status\":\"passed\"}\n{\"event\":\"end\"}\n";
        let parsed = parse(&format!("{ended}{next}"));
        assert!(!parsed.goes_on && parsed.complete && parsed.outcomes.len() == 2);
    }

    #[test]
    fn nothing_at_all() {
        assert!(!read(&[], None).complete);
        assert!(parse("").outcomes.is_empty());
    }
}
