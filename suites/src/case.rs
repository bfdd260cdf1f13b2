//! A bug of a benchmark, and what of it a session may see.

use std::path::PathBuf;

use patchwright_testbed::Overrides;

/// A bug of a benchmark, with its ground truth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// Unique in its suite: `Lang-33`, `django__django-11099`. Names a folder of a run.
    pub id: String,
    /// What reports group by: `Lang`, `django/django`.
    pub project: String,
    /// What is known of the right answer.
    pub truth: Truth,
}

/// What is known of the right answer. No session sees any of it, but for the lines, where that was opted in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Truth {
    /// The developer's fix as a unified diff from the buggy to the fixed code, tests left out.
    pub patch: Option<String>,
    /// The buggy lines as far as the benchmark names them, each `path#line`, or `path#line#FAULT_OF_OMISSION` where code is
    /// missing before the line.
    pub lines: Vec<String>,
    /// Other places for what is missing: a line of `lines`, and one that would do as well, as `path#line` each.
    pub alternatives: Vec<(String, String)>,
}

/// What a session is given: a project and how to test it.
#[derive(Clone, Debug, Default)]
pub struct Bug {
    /// The project at its buggy revision, without later commits; it is copied and never changed.
    pub dir: PathBuf,
    /// How it is built and tested; what is missing is detected.
    pub overrides: Overrides,
    /// The tests that show the bug; `None` where all that fail before any change do. An empty list where none does, and an
    /// issue alone tells of it: then what fails before any change is ignored.
    pub failing: Option<Vec<String>>,
    /// Tests that fail before and after and are ignored.
    pub known_failing: Vec<String>,
    /// What somebody wrote about the bug.
    pub issue: Option<String>,
    /// The lines where the bug is known to be; only where somebody wants sessions to be told, else none.
    pub lines: Vec<String>,
    /// The container image in which it is built and tested.
    pub image: Option<String>,
    /// What sessions call the project; the case's id where nothing is said. An id may tell where its fix is to be read.
    pub project: Option<String>,
    /// Where the project is seen in the image's containers, where that matters: an absolute path.
    pub lane_at: Option<PathBuf>,
    /// Paths of the host beside the project that its commands have to read.
    pub readable: Vec<PathBuf>,
}

impl Bug {
    /// No test shows the bug, an issue alone tells of it: what fails before any change is not it.
    pub fn is_told_by_issue(&self) -> bool {
        self.failing.as_ref().is_some_and(Vec::is_empty)
    }
}
