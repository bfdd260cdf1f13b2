//! The report that mocha's reporter `json` writes. It names a test by its file and by the titles of its groups and its own, joined by
//! blanks.

use patchwright_protocol::TestId;
use serde::Deserialize;

use super::{ParsedResults, ReportFile};
use crate::outcome::{TestOutcome, TestStatus};

#[derive(Deserialize)]
struct Report {
    passes: Vec<Test>,
    failures: Vec<Test>,
    pending: Vec<Test>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Test {
    full_title: String,
    /// The file as the process saw it; before mocha 8 it is not told.
    #[serde(default)]
    file: Option<String>,
    #[serde(default)]
    err: Thrown,
}

#[derive(Default, Deserialize)]
struct Thrown {
    #[serde(default)]
    message: String,
}

pub(super) fn read(files: &[ReportFile]) -> ParsedResults {
    let mut parsed = ParsedResults::default();
    for file in files {
        let Ok(report) = serde_json::from_str::<Report>(&file.text) else { continue };
        parsed.complete = true;
        for (tests, status) in [
            (report.passes, TestStatus::Passed),
            (report.failures, TestStatus::Failed),
            (report.pending, TestStatus::Skipped),
        ] {
            parsed.outcomes.extend(tests.into_iter().map(|test| test.outcome(status)));
        }
    }
    parsed
}

impl Test {
    fn outcome(self, status: TestStatus) -> TestOutcome {
        let id = TestId::new(format!("{}::{}", self.file.unwrap_or_default(), self.full_title));
        TestOutcome::new(id, status).with_message(self.err.message)
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn each_test_has_the_outcome_of_its_list() {
        let text = include_str!("../../tests/captured/mocha/results.json");
        let parsed = read(&[ReportFile { path: "results.json".to_owned(), text: text.to_owned() }]);
        let outcomes = parsed.outcomes.into_sorted();
        let found: Vec<_> =
            outcomes.iter().map(|test| (test.id.as_str(), test.status, test.message.as_deref())).collect();
        let failed = Some("Expected values to be strictly equal:\n\n4 !== 7\n");
        assert_eq!(
            found,
            [
                ("/lane/project/test/basket.js::Basket has a total", TestStatus::Failed, failed),
                ("/lane/project/test/basket.js::Basket has none of nothing", TestStatus::Passed, None),
                ("/lane/project/test/basket.js::Basket is for later", TestStatus::Skipped, None),
            ]
        );
        assert!(parsed.complete);
    }

    #[test]
    fn a_damaged_report_tells_nothing() {
        for text in ["", "{\"passes\": [", "[]"] {
            let parsed = read(&[ReportFile { path: "results.json".to_owned(), text: text.to_owned() }]);
            assert_eq!((parsed.outcomes.len(), parsed.complete), (0, false), "{text}");
        }
    }
}
