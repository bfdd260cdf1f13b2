//! Gradle, whose tasks a script of ours tells to write all outcomes anew.

use patchwright_lanes::Tools;
use patchwright_protocol::TestId;

use super::{Adapter, shell_word};
use crate::spec::ProjectSpec;

pub(super) struct Gradle;

impl Adapter for Gradle {
    fn tools(&self) -> Tools {
        let script = include_bytes!("../../runners/patchwright.gradle");
        [("patchwright.gradle".to_owned(), script.to_vec())].into()
    }

    fn names(&self, _spec: &ProjectSpec, tests: &[TestId]) -> String {
        let mut names: Vec<String> = tests.iter().map(name).collect();
        names.sort();
        names.dedup();
        names.join(" ")
    }

    fn test_builds(&self) -> bool {
        true
    }
}

/// The option that names a test. Parameters cannot be named reliably: all instances of the method are run.
fn name(test: &TestId) -> String {
    let name = test.as_str().replace("::", ".");
    let name = match name.find(['[', '{', '(']) {
        Some(end) => format!("{}*", &name[..end]),
        None => name,
    };
    format!("--tests {}", shell_word(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_patterns_of_gradle() {
        let check = |test: &str, expect: &str| assert_eq!(name(&TestId::new(test)), expect);
        check("a.B::c", "--tests a.B.c");
        check("a.B$D::c[0: x]", "--tests 'a.B$D.c*'");
        check("a.B", "--tests a.B");
    }
}
