//! What a model is told of a candidate that was judged.

use patchwright_protocol::Verdict;

use crate::render;
use crate::settings::ToolSettings;
use crate::tested_candidate::TestedCandidate;

/// Names of failing tests that are listed.
const TESTS_LISTED: usize = 20;

/// What is said of a candidate that passed what was run first and, in a clean copy, does not pass all tests. Its change was shown then.
pub(crate) fn refuted_text(candidate: &TestedCandidate) -> String {
    format!(
        "Candidate {} does not pass all tests in a clean copy: {}.\n{}",
        candidate.id(),
        candidate.summary(0),
        tests_text(candidate)
    )
}

/// The change and the outcome of the tests.
pub(crate) fn result_text(candidate: &TestedCandidate, settings: &ToolSettings) -> String {
    let mut text = String::new();
    if let Some(diff) = &candidate.record.diff {
        text.push_str("The change to the original code:\n");
        // The line ends of the file are kept without the model's doing; shown, they would only look like damage.
        text.push_str(&render::cut_text(&diff.replace("\r\n", "\n"), settings.diff_bytes));
        if !text.ends_with('\n') {
            text.push('\n');
        }
    }
    text + &tests_text(candidate)
}

/// The outcome of the tests.
fn tests_text(candidate: &TestedCandidate) -> String {
    let mut text = String::new();
    for (what, tests) in
        [("Still failing", candidate.still_failing()), ("Newly failing", candidate.newly_failing())]
    {
        if !tests.is_empty() {
            text.push_str(&format!("{what}: {}\n", render::listed(tests, TESTS_LISTED)));
        }
    }
    if !candidate.verdict().is_some_and(Verdict::passes) && !candidate.report.is_empty() {
        text.push_str(&format!("{}\n", candidate.report.trim_end()));
    }
    if candidate.contradicts_old_tests() {
        text.push_str(
            "Tests say how the code behaves today. Where the issue calls just that wrong, no fix can pass them: then finish with \
             goal_accomplished and name them in `outdated_tests`. Else repair the fix.\n",
        );
    }
    text
}
