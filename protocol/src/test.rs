//! Tests by their names.

use std::cmp::Reverse;
use std::collections::BTreeMap;
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

    /// The same for people and prompts where there may be many: up to so many names, else so many of the files or classes that they are in
    /// with the number of tests in each, the most first.
    pub fn summarized(tests: &[Self], most: usize) -> String {
        if tests.len() <= most {
            return Self::listed(tests);
        }
        let mut groups: BTreeMap<&str, usize> = BTreeMap::new();
        for test in tests {
            *groups.entry(test.container()).or_default() += 1;
        }
        let mut groups: Vec<(&str, usize)> = groups.into_iter().collect();
        groups.sort_by_key(|(_, count)| Reverse(*count));
        let mut words: Vec<String> =
            groups.iter().take(most).map(|(name, count)| format!("{name} ({count})")).collect();
        let rest: usize = groups.iter().skip(most).map(|(_, count)| count).sum();
        if rest > 0 {
            words.push(format!("and {rest} more"));
        }
        words.join(", ")
    }

    /// The file or class that a test is in, as far as its name tells: what stands before its first `::`, or before its last dot.
    fn container(&self) -> &str {
        let name = self.without_parameters();
        let by_colons = name.split_once("::").map(|(file, _)| file);
        by_colons.or_else(|| name.rsplit_once('.').map(|(class, _)| class)).unwrap_or(name)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_tests_are_told_by_where_they_are() {
        let tests = |names: &[&str]| names.iter().copied().map(TestId::new).collect::<Vec<_>>();
        let few = tests(&["a.py::x", "b.py::y"]);
        assert_eq!(TestId::summarized(&few, 2), "a.py::x, b.py::y");
        let many = tests(&["a.py::x", "b.py::T::y[1]", "b.py::T::y[2]", "b.py::z", "t.A.x", "t.A.y", "c"]);
        assert_eq!(TestId::summarized(&many, 2), "b.py (3), t.A (2), and 2 more");
        assert_eq!(TestId::summarized(&many, 4), "b.py (3), t.A (2), a.py (1), c (1)");
    }
}
