//! Tests by their names.

use std::cmp::{Ordering, Reverse};
use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

use crate::listing::counted;

/// The name of a test: a pytest node id (`tests/test_a.py::TestB::test_c[1]`), a dotted unittest id
/// (`tests.test_a.TestB.test_c`), or `package.Class::method` for Java. A module or class that failed as a whole
/// stands under its own name.
#[derive(Clone, Debug, Deserialize, Eq, Hash, JsonSchema, PartialEq)]
#[serde(from = "RecordedName")]
#[schemars(with = "String")]
pub struct TestId(Name);

#[derive(Clone, Debug, Eq, Hash, PartialEq)]
enum Name {
    Test(String),
    StandIn(StandIn),
}

/// An entry of a list of tests that is no test: a run failed in a way that no test's name tells.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum StandIn {
    /// Tests ran before and do not any more, and the tool names only those that fail.
    MissingTests,
    /// Tests failed whose names the output does not tell.
    UnlistedFailures,
    /// A change tampered with what tests are judged by.
    TestTools,
}

impl StandIn {
    const ALL: [Self; 3] = [Self::MissingTests, Self::UnlistedFailures, Self::TestTools];

    /// The word that stands in reports and recordings.
    pub fn word(self) -> &'static str {
        match self {
            Self::MissingTests => "missing-tests",
            Self::UnlistedFailures => "unlisted-failures",
            Self::TestTools => "test-tools",
        }
    }
}

impl TestId {
    /// Takes a name as it is.
    pub fn new(name: impl Into<String>) -> Self {
        Self(Name::Test(name.into()))
    }

    /// What stands in the place of a test, where this is no test's name.
    pub fn stand_in(&self) -> Option<StandIn> {
        match self.0 {
            Name::Test(_) => None,
            Name::StandIn(stand_in) => Some(stand_in),
        }
    }

    /// The id of a method of a Java class; of the class itself when the method is empty.
    pub fn of_method(class: &str, method: &str) -> Self {
        if method.is_empty() || method == class {
            Self::new(class)
        } else {
            Self::new(format!("{class}::{method}"))
        }
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Name::Test(name) => name,
            Name::StandIn(stand_in) => stand_in.word(),
        }
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
        let mut words: Vec<String> = groups
            .iter()
            .take(most)
            .map(|(name, count)| format!("{name} ({})", counted(*count, "test")))
            .collect();
        let rest: usize = groups.iter().skip(most).map(|(_, count)| count).sum();
        if rest > 0 {
            words.push(format!("and {rest} more"));
        }
        words.join(", ")
    }

    /// The names of folders, files, classes and methods in the name, without the parameters.
    pub fn parts(&self) -> Vec<&str> {
        self.without_parameters().split(['/', ':', '.', '$']).filter(|part| !part.is_empty()).collect()
    }

    /// The file or class that a test is in, as far as its name tells: what stands before its first `::`, or before its last dot.
    fn container(&self) -> &str {
        let name = self.without_parameters();
        let by_colons = name.split_once("::").map(|(file, _)| file);
        by_colons.or_else(|| name.rsplit_once('.').map(|(class, _)| class)).unwrap_or(name)
    }

    /// The name without the parameters at its end: `test_a[1]` is an instance of `test_a`.
    pub fn without_parameters(&self) -> &str {
        let name = self.as_str();
        match name.find('[') {
            Some(start) if name.ends_with(']') => &name[..start],
            Some(_) | None => name,
        }
    }
}

impl fmt::Display for TestId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl AsRef<str> for TestId {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl Ord for TestId {
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |id: &Self| id.stand_in().is_some();
        self.as_str().cmp(other.as_str()).then_with(|| key(self).cmp(&key(other)))
    }
}

impl PartialOrd for TestId {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl From<StandIn> for TestId {
    fn from(stand_in: StandIn) -> Self {
        Self(Name::StandIn(stand_in))
    }
}

/// The name in a recording: there a test that is called by the word of a stand-in cannot be told from it.
#[derive(Deserialize)]
struct RecordedName(String);

impl From<RecordedName> for TestId {
    fn from(RecordedName(name): RecordedName) -> Self {
        let stand_in = StandIn::ALL.into_iter().find(|stand_in| stand_in.word() == name);
        stand_in.map_or_else(|| Self::new(name), Self::from)
    }
}

impl Serialize for TestId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
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
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_stand_in_is_no_test_of_that_name() {
        let stand_in = TestId::from(StandIn::MissingTests);
        let test = TestId::new(stand_in.as_str());
        assert_eq!((stand_in.stand_in(), test.stand_in()), (Some(StandIn::MissingTests), None));
        assert!(stand_in != test && stand_in > test && stand_in.to_string() == test.to_string());
        let recorded = serde_json::to_string(&stand_in).unwrap();
        assert_eq!(recorded, r#""missing-tests""#);
        assert_eq!(serde_json::from_str::<TestId>(&recorded).unwrap(), stand_in);
        assert_eq!(serde_json::from_str::<TestId>(r#""a.py::test""#).unwrap(), TestId::new("a.py::test"));
    }

    #[test]
    fn many_tests_are_told_by_where_they_are() {
        let tests = |names: &[&str]| names.iter().copied().map(TestId::new).collect::<Vec<_>>();
        let few = tests(&["a.py::x", "b.py::y"]);
        assert_eq!(TestId::summarized(&few, 2), "a.py::x, b.py::y");
        let many = tests(&["a.py::x", "b.py::T::y[1]", "b.py::T::y[2]", "b.py::z", "t.A.x", "t.A.y", "c"]);
        assert_eq!(TestId::summarized(&many, 2), "b.py (3 tests), t.A (2 tests), and 2 more");
        assert_eq!(TestId::summarized(&many, 4), "b.py (3 tests), t.A (2 tests), a.py (1 test), c (1 test)");
    }
}
