//! Settings that are not what they were.

use std::fmt;

/// A setting that is not what it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The field: `suite`, `settings.model`, `settings.prompts.layout`.
    pub field: String,
    /// The value in `run.toml`; none where it is not set there.
    pub was: Option<String>,
    /// The value that is asked for now; none where it is not set now.
    pub is: Option<String>,
}

impl fmt::Display for Difference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "not set".to_owned());
        write!(formatter, "{}: was {}, is {}", self.field, value(&self.was), value(&self.is))
    }
}

/// Finds the differences of two tables, whose fields are named below a path.
pub(super) fn compare(path: &str, was: &toml::Table, is: &toml::Table, found: &mut Vec<Difference>) {
    let mut keys: Vec<&String> = was.keys().chain(is.keys()).collect();
    keys.sort();
    keys.dedup();
    for key in keys {
        let field = format!("{path}.{key}");
        match (was.get(key), is.get(key)) {
            (Some(toml::Value::Table(was)), Some(toml::Value::Table(is))) => compare(&field, was, is, found),
            (was, is) if was != is => found.push(Difference {
                field,
                was: was.map(ToString::to_string),
                is: is.map(ToString::to_string),
            }),
            (Some(_) | None, _) => {}
        }
    }
}
