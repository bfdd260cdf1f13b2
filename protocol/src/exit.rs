//! How a command ended.

/// The end of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// It returned this status.
    Code(i32),
    /// A signal with this number ended it. A shell reports the signal of its child as status 128+number;
    /// both are told alike, so that every kind of sandbox gives the same answer.
    Signal(i32),
    /// It ran longer than its time limit and was ended.
    TimedOut,
}

impl Exit {
    /// Reads a status as a shell reports it.
    pub fn from_shell_status(status: i32) -> Self {
        match status {
            129..=192 => Self::Signal(status - 128),
            other => Self::Code(other),
        }
    }

    /// Is true if the command returned status 0.
    pub fn success(self) -> bool {
        self == Self::Code(0)
    }
}
