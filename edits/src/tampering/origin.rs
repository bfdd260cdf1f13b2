//! Where values come from: the file itself, or something that the project does not define.

/// The parts of a path; a longer one would grow with each round.
const MAX_PARTS: usize = 12;

/// The path of a module that is not known.
pub(super) const ANY: &str = "*";

/// Where a value comes from. The later comes first where a name may be either.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Origin {
    /// The project's own, or not known.
    #[default]
    Own,
    /// What a call of something foreign gave: an object of its own. By the path of what was called.
    Made(String),
    /// A collection that holds something foreign.
    Holds(String),
    /// A function of this file that returns something foreign.
    Gives(String),
    /// A name that the file does not bind: the language's, or the platform's.
    Free(String),
    /// A module of others, or something in one.
    Foreign(String),
}

impl Origin {
    /// The dotted path, where there is one.
    pub(super) fn path(&self) -> Option<&str> {
        match self {
            Self::Own | Self::Holds(_) | Self::Gives(_) => None,
            Self::Made(path) | Self::Free(path) | Self::Foreign(path) => Some(path),
        }
    }

    pub(super) fn with(self, name: &str) -> Self {
        let join = |path: String| {
            if path.matches('.').count() < MAX_PARTS { format!("{path}.{name}") } else { path }
        };
        match self {
            Self::Made(path) => Self::Made(join(path)),
            Self::Free(path) => Self::Free(join(path)),
            Self::Foreign(path) => Self::Foreign(join(path)),
            Self::Own | Self::Holds(_) | Self::Gives(_) => Self::Own,
        }
    }

    /// What is one of several things.
    pub(super) fn element(self) -> Self {
        match self {
            Self::Holds(path) => Self::Foreign(path),
            other => other.with("*"),
        }
    }
}

/// Whether a function is one of a list.
pub(super) fn is_one(list: &[&str], path: &str) -> bool {
    list.iter().any(|known| path == *known || known.starts_with('.') && path.ends_with(known))
}
