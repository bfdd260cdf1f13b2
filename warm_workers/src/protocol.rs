//! The protocol between the test harness and a persistent worker: one JSON object a line.

use std::collections::BTreeMap;
use std::path::Path;

use patchwright_protocol::TestId;
use serde::{Deserialize, Serialize};

/// A candidate, or the next part of its tests.
#[derive(Debug, Serialize)]
pub(super) struct Request<'a> {
    pub(super) id: u64,
    /// Files that differ from the pristine copy, relative to the project.
    pub(super) changed: Vec<&'a str>,
    /// Is true if this is the first request about the candidate.
    pub(super) compile: bool,
    /// The tests to run, in this order; all but those to skip where it is `null`.
    pub(super) tests: Option<&'a [TestId]>,
    /// Tests to leave out.
    pub(super) skip: &'a [TestId],
    pub(super) stop_at_failure: bool,
    /// Is true if all errors of the compiler are asked for, and not only those of the changed files.
    pub(super) all_errors: bool,
    /// Time limit of the request.
    pub(super) seconds: f64,
    /// Time limits of single tests.
    pub(super) test_seconds: &'a BTreeMap<TestId, f64>,
    /// Time limit of every other test.
    pub(super) default_test_seconds: f64,
    /// The key with which the outcomes are sealed.
    pub(super) key: &'a str,
    /// The file to which the outcomes are written, as the worker sees it.
    pub(super) results: &'a Path,
}

/// The answer to a request; to number 0, which nobody asks, when the worker has started.
#[derive(Debug, Deserialize)]
pub(super) struct Reply {
    pub(super) id: u64,
    pub(super) status: ReplyStatus,
    /// The output of the tests, or of the compiler.
    #[serde(default)]
    pub(super) log: String,
    /// A name for the compiled classes that differ from those of the pristine copy.
    pub(super) classes: Option<String>,
    /// Is true if the worker ends after this reply.
    #[serde(default)]
    pub(super) ending: bool,
}

/// The kind of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ReplyStatus {
    /// The worker has started.
    Ready,
    /// The tests were run.
    Done,
    /// The compiler refused the change.
    DoesNotCompile,
    /// A test, or the whole, took longer than it may.
    TimedOut,
    /// The worker cannot judge this.
    Cannot,
}
