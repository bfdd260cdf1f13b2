//! What ends the program other than success: who must act, a hint, and the exit code.

use std::fmt;

/// Exit codes of the program (design: 0 done, 1 no patch, 2 usage, 3 environment, 4 model, 130 interrupted).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ExitCode {
    /// A plausible patch was found, or the command did what it says.
    Done = 0,
    /// No plausible patch within the budget, or a check that did not hold.
    NotFound = 1,
    /// Wrong usage or configuration.
    Usage = 2,
    /// The sandbox, the tool chain or the repository.
    Environment = 3,
    /// The model's provider.
    Model = 4,
    /// Ctrl-C.
    Interrupted = 130,
}

/// A failure told to the user: a message, what to do about it, and the exit code.
#[derive(Debug)]
pub struct Failure {
    code: ExitCode,
    message: String,
    hint: Option<String>,
}

impl Failure {
    fn new(code: ExitCode, message: impl fmt::Display) -> Self {
        Self { code, message: message.to_string(), hint: None }
    }

    /// The command line or a settings file is wrong.
    pub fn usage(message: impl fmt::Display) -> Self {
        Self::new(ExitCode::Usage, message)
    }

    /// The sandbox, a tool chain or the file system stands in the way.
    pub fn environment(message: impl fmt::Display) -> Self {
        Self::new(ExitCode::Environment, message)
    }

    /// The model's provider does not answer as it should.
    pub fn model(message: impl fmt::Display) -> Self {
        Self::new(ExitCode::Model, message)
    }

    /// The user has ended it.
    pub fn interrupted() -> Self {
        Self::new(ExitCode::Interrupted, "ended by the user")
    }

    /// Our own defect: reported as one.
    pub fn defect(message: impl fmt::Display) -> Self {
        Self::new(ExitCode::Environment, format!("a defect of Patchwright: {message}"))
            .hint("please report it with the trajectory")
    }

    /// Adds what the user can do.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// What happened, without the hint.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What the user can do, where that is known.
    pub fn the_hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// The exit code.
    pub fn code(&self) -> ExitCode {
        self.code
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.message)?;
        match &self.hint {
            Some(hint) => write!(f, "\nhint: {hint}"),
            None => Ok(()),
        }
    }
}
