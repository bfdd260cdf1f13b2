//! A bug of a benchmark, and what of it a session may see.

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
