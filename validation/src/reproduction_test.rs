//! A test that was written to reproduce an issue.

use patchwright_edits::Applied;
use patchwright_protocol::TestId;
use patchwright_syntax::Language;

/// A test that was written to reproduce an issue.
#[derive(Clone, Debug)]
pub struct ReproductionTest {
    /// Its number among those of the session, from 1.
    pub id: u32,
    /// The file that it stands in; of a script the name that it is given.
    pub path: String,
    /// The names of those of its tests that fail on the original code, once it has run there.
    pub failing: Vec<TestId>,
    pub(crate) form: Form,
}

#[derive(Clone, Debug)]
pub(crate) enum Form {
    /// A part of the project's tests.
    Project {
        added: Applied,
        /// The names by which the project's tool runs it.
        selection: Vec<TestId>,
    },
    /// A program beside the project, whose end counts.
    Script { language: Language, code: String },
}

impl ReproductionTest {
    /// Is true if it stands in a file of its own, which is no file of the project.
    pub fn makes_file(&self) -> bool {
        match &self.form {
            Form::Project { added, .. } => added.files.iter().all(|file| file.before.is_none()),
            Form::Script { .. } => false,
        }
    }

    /// What it adds to the project's files; none where it is a script, which is no part of the project.
    pub fn added(&self) -> Option<&Applied> {
        match &self.form {
            Form::Project { added, .. } => Some(added),
            Form::Script { .. } => None,
        }
    }

    /// The names by which the project's tool runs it; none where it is a script.
    pub fn selection(&self) -> Option<&[TestId]> {
        match &self.form {
            Form::Project { selection, .. } => Some(selection),
            Form::Script { .. } => None,
        }
    }

    /// The text that is kept of it: the diff that adds it to the project, or the script.
    pub fn text(&self) -> String {
        match &self.form {
            Form::Project { added, .. } => added.diff(),
            Form::Script { code, .. } => code.clone(),
        }
    }
}
