//! The report that jest writes with `--json`.

use patchwright_protocol::TestId;
use serde::Deserialize;

use super::{ParsedResults, ReportFile};
use crate::outcome::{TestOutcome, TestStatus};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    test_results: Vec<TestFile>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TestFile {
    /// The file as the process saw it.
    name: String,
    status: String,
    #[serde(default)]
    message: String,
    #[serde(default)]
    assertion_results: Vec<Test>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Test {
    #[serde(default)]
    ancestor_titles: Vec<String>,
    title: String,
    status: String,
    #[serde(default)]
    failure_messages: Vec<String>,
}

pub(super) fn read(files: &[ReportFile]) -> ParsedResults {
    let mut parsed = ParsedResults::default();
    for file in files {
        let Ok(report) = serde_json::from_str::<Report>(&file.text) else { continue };
        parsed.complete = true;
        parsed.outcomes.extend(report.test_results.into_iter().flat_map(TestFile::outcomes));
    }
    parsed
}

impl TestFile {
    /// The outcomes of its tests, or its own where it could not be run.
    fn outcomes(self) -> Vec<TestOutcome> {
        if self.assertion_results.is_empty() && self.status == "failed" {
            // Below a heading.
            let mut told = self.message.lines().map(str::trim).filter(|line| !line.is_empty());
            let message = told.nth(1).unwrap_or_default();
            return vec![TestOutcome::new(self.name.as_str(), TestStatus::Error).with_message(message)];
        }
        self.assertion_results.into_iter().map(|test| test.outcome(&self.name)).collect()
    }
}

impl Test {
    fn outcome(self, file: &str) -> TestOutcome {
        let status = match self.status.as_str() {
            "passed" => TestStatus::Passed,
            "failed" => TestStatus::Failed,
            // `pending`, `todo`, `skipped`, `disabled`.
            _ => TestStatus::Skipped,
        };
        let titles = self.ancestor_titles.iter().chain([&self.title]).map(String::as_str);
        let id = TestId::new([file].into_iter().chain(titles).collect::<Vec<_>>().join("::"));
        let message = self.failure_messages.iter().flat_map(|text| text.lines()).next().unwrap_or_default();
        TestOutcome::new(id, status).with_message(message)
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn each_test_is_named_by_its_groups() {
        let text = include_str!("../../tests/captured/jest/results.json");
        let parsed = read(&[ReportFile { path: "results.json".to_owned(), text: text.to_owned() }]);
        let outcomes = parsed.outcomes.into_sorted();
        let found: Vec<_> =
            outcomes.iter().map(|test| (test.id.as_str(), test.status, test.message.as_deref())).collect();
        let failed = Some("Error: expect(received).toBe(expected) // Object.is equality");
        assert_eq!(
            found,
            [
                ("/lane/project/test/basket.test.js::Basket::has a total", TestStatus::Failed, failed),
                ("/lane/project/test/basket.test.js::Basket::has none of nothing", TestStatus::Passed, None),
                ("/lane/project/test/basket.test.js::Basket::is for later", TestStatus::Skipped, None),
                ("/lane/project/test/broken.test.js", TestStatus::Error, Some("broken")),
            ]
        );
        assert!(parsed.complete);
    }

    #[test]
    fn a_damaged_report_tells_nothing() {
        for text in ["", "{\"testResults\": [", "{}"] {
            let parsed = read(&[ReportFile { path: "results.json".to_owned(), text: text.to_owned() }]);
            assert_eq!((parsed.outcomes.len(), parsed.complete), (0, false), "{text}");
        }
    }
}
