//! Where a tool leads: to a state, or to one of two by what a session knows.

use std::fmt;
use std::ops::Not;

/// What a session knows that transitions may depend on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Facts {
    /// Is true if a test shows the bug: one of the project's, or one that was written to reproduce it.
    pub bug_shown: bool,
}

impl Facts {
    /// All that can be so.
    pub(crate) const ALL: [Self; 2] = [Self { bug_shown: false }, Self { bug_shown: true }];
}

impl Not for Facts {
    type Output = Self;

    fn not(self) -> Self {
        Self { bug_shown: !self.bug_shown }
    }
}

impl fmt::Display for Facts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "`{}` is {}", Condition::BugShown.word(), self.bug_shown)
    }
}

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

    fn holds(self, facts: Facts) -> bool {
        match self {
            Self::BugShown => facts.bug_shown,
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
    pub(crate) fn target(self, facts: Facts) -> usize {
        match self {
            Self::To(target) => target,
            Self::Depending { on, then, otherwise } => {
                if on.holds(facts) {
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
