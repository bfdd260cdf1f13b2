//! A test with what came of its run on the original code.

use patchwright_edits::{Applied, FileChange};
use patchwright_protocol::{Excerpt, ReproductionRecord, ReproductionVerdict};
use patchwright_syntax::decoded;
use patchwright_validation::ReproductionTest;

/// A test that was written and has run on the original code.
#[derive(Clone, Debug)]
pub(crate) struct TriedTest {
    pub(crate) test: ReproductionTest,
    pub(crate) record: ReproductionRecord,
    /// What the run said.
    pub(crate) report: String,
    /// Why it may fail for another reason than the issue tells.
    pub(crate) doubt: Option<String>,
    pub(crate) left_out: Vec<String>,
    /// Whether its failure is the issue's, where somebody was asked and said so.
    pub(crate) matches: Option<bool>,
}

impl TriedTest {
    /// Whether it fails on the original code, possibly for the reason.
    pub(crate) fn fails(&self) -> bool {
        self.record.verdict == ReproductionVerdict::Fails
    }

    /// How it fails, or why it does not run; the first line.
    pub(crate) fn failure(&self) -> &str {
        self.record.failure.as_deref().and_then(|text| text.lines().next()).unwrap_or_default()
    }

    /// What it adds to each file: of a new one the text, of others the change.
    pub(crate) fn excerpts(&self) -> Vec<Excerpt> {
        let Some(added) = self.test.added() else { return Vec::new() };
        let text = |file: &FileChange| match (&file.before, &file.after) {
            (None, Some(after)) => decoded(after).into_owned(),
            (Some(_), _) | (None, None) => {
                Applied { files: vec![file.clone()], notes: Vec::new(), comment_only: false }.diff()
            }
        };
        let excerpt = |file: &FileChange| Excerpt { path: file.path.to_string(), text: text(file) };
        added.files.iter().map(excerpt).collect()
    }
}
