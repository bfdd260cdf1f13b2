//! Maven with Surefire. JUnit 5 is run only here, by Surefire's own means.

use std::collections::BTreeMap;

use patchwright_protocol::TestId;

use super::{Adapter, shell_word};
use crate::spec::ProjectSpec;

pub(super) struct Maven;

impl Adapter for Maven {
    fn names(&self, _spec: &ProjectSpec, tests: &[TestId]) -> String {
        surefire_names(tests)
    }

    fn test_builds(&self) -> bool {
        true
    }
}

/// The value of Surefire's option `test`, as one word of a shell: `Class#method+other,Class`.
pub(super) fn surefire_names(tests: &[TestId]) -> String {
    let mut classes: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for test in tests {
        match test.as_str().split_once("::") {
            Some((class, method)) => {
                let methods = classes.entry(class).or_default();
                // Parameters cannot be named reliably: all instances of the method are run.
                let method = method
                    .find(['[', '{', '('])
                    .map_or_else(|| method.to_owned(), |end| format!("{}*", &method[..end]));
                if !methods.contains(&method) {
                    methods.push(method);
                }
            }
            None => {
                classes.entry(test.as_str()).or_default();
            }
        }
    }
    // A class that is asked for as a whole stands without its methods.
    let whole = |class: &str| tests.iter().any(|test| test.as_str() == class);
    let names: Vec<String> = classes
        .into_iter()
        .map(|(class, methods)| {
            if whole(class) || methods.is_empty() {
                class.to_owned()
            } else {
                format!("{class}#{}", methods.join("+"))
            }
        })
        .collect();
    shell_word(&names.join(","))
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn names_in_the_form_of_surefire() {
        let check = |tests: &[&str], expect: &str| {
            let tests: Vec<TestId> = tests.iter().map(|test| TestId::new(*test)).collect();
            assert_eq!(surefire_names(&tests), expect);
        };
        check(&["a.B::c"], "'a.B#c'");
        check(&["a.B::c", "a.B::d", "a.C::e"], "'a.B#c+d,a.C#e'");
        check(&["a.B::c[0: x]", "a.B::c[1: y]"], "'a.B#c*'");
        check(&["a.B::c(int)[1]"], "'a.B#c*'");
        check(&["a.B", "a.B::c"], "a.B");
    }
}
