//! Secrets, which this program must not show: variables that look like one, and the keys of key files.

use patchwright_command_line::options::SessionOptions;
use patchwright_llm::Secret;
use patchwright_protocol::Failure;
use patchwright_sandbox::{Secrets, secrets_among};
use patchwright_trajectory::Redactor;

/// The variables of this process that look like secrets. No sandbox gets them.
pub fn of_environment() -> Secrets {
    let text = |text: std::ffi::OsString| text.to_string_lossy().into_owned();
    secrets_among(std::env::vars_os().map(|(name, value)| (text(name), text(value))))
}

/// Replaces the secrets of the environment, the keys of the key file, and what looks like a secret among the variables that
/// the options give to builds and tests: those are passed on, as the user says so, but not shown.
pub fn redactor(options: &SessionOptions) -> Result<Redactor, Failure> {
    let keys = crate::model::keys(options).all().map_err(|error| crate::model::refused(&error))?;
    let given = secrets_among(options.project.env.clone().unwrap_or_default());
    let environment = of_environment();
    Ok(Redactor::new(environment.values().chain(given.values()).chain(keys.iter().map(Secret::expose))))
}
