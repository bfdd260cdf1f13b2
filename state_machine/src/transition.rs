//! Where a tool leads: to a state, or to one of two by what a session knows.

use patchwright_protocol::BugEvidence;

/// A condition that a transition may name: a closed list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Condition {
    BugShown,
}

impl Condition {
    pub(crate) const ALL: [Self; 1] = [Self::BugShown];

    /// Its word, as in files.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::BugShown => "bug_shown",
        }
    }

    pub(crate) fn holds(self, evidence: BugEvidence) -> bool {
        match self {
            Self::BugShown => evidence.is_by_test(),
        }
    }
}

/// Where a tool leads, as positions among the states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Transition {
    To(usize),
    Depending { on: Condition, then: usize, otherwise: usize },
}

impl Transition {
    pub(crate) fn target(self, evidence: BugEvidence) -> usize {
        match self {
            Self::To(target) => target,
            Self::Depending { on, then, otherwise } => {
                if on.holds(evidence) {
                    then
                } else {
                    otherwise
                }
            }
        }
    }

    /// Every state that it may lead to, with the words that say when, where it depends on something.
    pub(crate) fn targets(self) -> Vec<(usize, Option<String>)> {
        match self {
            Self::To(target) => vec![(target, None)],
            Self::Depending { on, then, otherwise } => {
                let word = on.word();
                vec![(then, Some(format!("if {word}"))), (otherwise, Some(format!("unless {word}")))]
            }
        }
    }
}
