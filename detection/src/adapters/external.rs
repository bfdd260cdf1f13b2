//! Tools that are run as they are: Maven with Surefire (JUnit 5 is run only here, by Surefire's own means), Ant with its junit task,
//! and the user's own commands.

use std::collections::BTreeMap;

use patchwright_folder::Folder;
use patchwright_protocol::{ResultsFormat, TestId, Unconfirmable};

use super::{Adapter, CommandContext, OwnTool, WantedTests, shell_word, shell_words};
use crate::ecosystems;
use crate::spec::{AdapterKind, ProjectSpec};

pub(super) struct ExternalTool;

impl Adapter for ExternalTool {
    fn environment(&self, context: &CommandContext<'_>) -> BTreeMap<String, String> {
        let spec = context.spec;
        let ecosystem = ecosystems::of(spec.language);
        let mut environment =
            ecosystem.map_or_else(BTreeMap::new, |ecosystem| ecosystem.environment(context));
        if spec.results == ResultsFormat::PytestText {
            // Whatever the command is: all outcomes are told, and nothing is kept between runs.
            let ours = "-rA --color=no -p no:cacheprovider --continue-on-collection-errors".to_owned();
            let options: Vec<String> =
                [ours].into_iter().chain(spec.env.get("PYTEST_ADDOPTS").cloned()).collect();
            environment.insert("PYTEST_ADDOPTS".to_owned(), options.join(" "));
        }
        environment
    }

    fn own_tool(&self, spec: &ProjectSpec, _pristine: &Folder, _tests: WantedTests<'_>) -> OwnTool {
        match (spec.kind, &spec.results) {
            (AdapterKind::Custom, _) => OwnTool::Cannot(Unconfirmable::UserCommand),
            (_, ResultsFormat::JunitText) => OwnTool::Cannot(Unconfirmable::TextOnly),
            (
                _,
                ResultsFormat::Lines
                | ResultsFormat::PytestText
                | ResultsFormat::JunitXml { .. }
                | ResultsFormat::UnittestText
                | ResultsFormat::ExitStatus
                | ResultsFormat::Defects4j
                | ResultsFormat::ToolReports(_),
            ) => OwnTool::AsAlways,
        }
    }

    fn names(&self, spec: &ProjectSpec, tests: &[TestId]) -> String {
        let command = spec.test_one.as_deref().unwrap_or_default().trim_start();
        if spec.kind == AdapterKind::Maven || command.starts_with("mvn") || command.starts_with("./mvnw") {
            return surefire_names(tests);
        }
        shell_words(tests)
    }

    fn test_builds(&self) -> bool {
        true
    }
}

/// The value of Surefire's option `test`, as one word of a shell: `Class#method+other,Class`.
fn surefire_names(tests: &[TestId]) -> String {
    let mut classes: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for test in tests {
        let (class, method) = test.as_str().split_once("::").unwrap_or((test.as_str(), ""));
        let methods = classes.entry(class).or_default();
        // Parameters cannot be named reliably: all instances of the method are run.
        let method = match method.find(['[', '{', '(']) {
            Some(end) => format!("{}*", &method[..end]),
            None => method.to_owned(),
        };
        if !methods.contains(&method) {
            methods.push(method);
        }
    }
    let name = |(class, methods): (&str, Vec<String>)| {
        // A class that is asked for as a whole stands without its methods.
        let whole = methods.iter().any(String::is_empty);
        if whole { class.to_owned() } else { format!("{class}#{}", methods.join("+")) }
    };
    let names: Vec<String> = classes.into_iter().map(name).collect();
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
