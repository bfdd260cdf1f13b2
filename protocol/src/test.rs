//! Tests by their names.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The name of a test: a pytest node id (`tests/test_a.py::TestB::test_c[1]`), a dotted unittest id
/// (`tests.test_a.TestB.test_c`), or `package.Class::method` for Java. A module or class that failed as a whole
/// stands under its own name.
#[derive(Clone, Debug, Deserialize, Eq, Hash, JsonSchema, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(transparent)]
pub struct TestId(String);

impl TestId {
    /// Takes a name as it is.
    pub fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    /// The id of a method of a Java class; of the class itself when the method is empty.
    pub fn of_method(class: &str, method: &str) -> Self {
        if method.is_empty() || method == class {
            Self::new(class)
        } else {
            Self(format!("{class}::{method}"))
        }
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Names as one text, with commas between them.
    pub fn listed(tests: &[Self]) -> String {
        tests.iter().map(Self::as_str).collect::<Vec<_>>().join(", ")
    }

    /// The name without the parameters at its end: `test_a[1]` is an instance of `test_a`.
    pub fn without_parameters(&self) -> &str {
        match self.0.find('[') {
            Some(start) if self.0.ends_with(']') => &self.0[..start],
            Some(_) | None => &self.0,
        }
    }
}

impl fmt::Display for TestId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl AsRef<str> for TestId {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl From<&str> for TestId {
    fn from(name: &str) -> Self {
        Self::new(name)
    }
}

/// A test that fails before any change, and how.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
pub struct FailingTest {
    /// The test's name, as the test command takes it.
    pub id: TestId,
    /// The message of the failure, where there is one.
    pub message: Option<String>,
}
