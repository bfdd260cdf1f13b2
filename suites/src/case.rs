//! A bug of a benchmark, and what of it a session may see.

use std::path::PathBuf;

use patchwright_detection::Overrides;
use serde::{Deserialize, Serialize};

/// A bug of a benchmark, with its ground truth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// Unique in its suite: `Lang-33`, `django__django-11099`. Names a folder of a run.
    pub id: String,
    /// The key by which reports group: `Lang`, `django/django`.
    pub project: String,
    /// The ground truth.
    pub truth: Truth,
}

/// The ground truth. No session sees any of it, but for the lines, where that was opted in.
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

/// The bug as the user or a benchmark tells of it; written to the trajectory, so that a replay has it too.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct BugInput {
    /// The name of the project: its folder's, or the recorded one. Where a suite leaves it empty it is that of the case. Never
    /// the case's id: that may tell where its fix is to be read.
    pub project: String,
    /// The tests that show the bug, as far as they are known; where there are none, all that fail before any change do.
    pub failing: Vec<String>,
    /// The issue's text.
    pub issue: Option<String>,
    /// No test shows the bug, an issue alone tells of it: what fails before any change is not it, and is ignored.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub told_by_issue: bool,
    /// Suspicious lines, `path#line` each.
    pub lines: Vec<String>,
    /// These lines are the known place of the bug.
    pub perfect_localization: bool,
    /// Suspicious lines are found by running the tests, when somebody wants to know. Recordings made before that was possible do
    /// not say so.
    #[serde(default)]
    pub spectrum: bool,
}

/// A bug as a session is given it: a project and how to test it.
#[derive(Clone, Debug, Default)]
pub struct Bug {
    /// The project at its buggy revision, without later commits; it is copied and never changed.
    pub dir: PathBuf,
    /// The commands that build and test it; what is missing is detected.
    pub overrides: Overrides,
    /// The bug itself.
    pub input: BugInput,
    /// Tests that fail before and after and are ignored.
    pub known_failing: Vec<String>,
    /// The container image in which it is built and tested.
    pub image: Option<String>,
    /// Where the project is seen in the image's containers, where that matters: an absolute path.
    pub lane_at: Option<PathBuf>,
    /// Paths of the host beside the project that its commands have to read.
    pub readable: Vec<PathBuf>,
}
