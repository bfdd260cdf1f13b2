//! Errors in a file of states.

/// The first thing that is wrong with a file of states. The user who wrote the file must act, so the message names the file, the
/// place in it and a cure.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{origin}: {problem}")]
pub struct StatesError {
    origin: String,
    problem: String,
}

impl StatesError {
    /// An error in the file `origin`; the problem tells the place and the cure.
    pub(crate) fn new(origin: &str, problem: impl Into<String>) -> Self {
        Self { origin: origin.to_owned(), problem: problem.into() }
    }
}

/// Names for a sentence: `a`, `b`.
pub(crate) fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    if names.is_empty() { "(none)".to_owned() } else { names.join(", ") }
}
