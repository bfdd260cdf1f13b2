//! The user's own commands.

use std::collections::BTreeMap;

use patchwright_folder::Folder;
use patchwright_protocol::TestId;

use super::maven::surefire_names;
use super::{Adapter, python_environment, shell_words};
use crate::lane::LanePaths;
use crate::spec::{ProjectSpec, ResultsFormat};

pub(super) struct Custom;

impl Adapter for Custom {
    fn environment(
        &self,
        spec: &ProjectSpec,
        lane: &LanePaths,
        pristine: &Folder,
    ) -> BTreeMap<String, String> {
        let python = spec.language.is_some_and(|language| language.name() == "python");
        let mut environment = if python { python_environment(spec, lane, pristine) } else { BTreeMap::new() };
        if spec.results == ResultsFormat::PytestText {
            // Whatever the command is: all outcomes are told, and nothing is kept between runs.
            let ours = "-rA --color=no -p no:cacheprovider --continue-on-collection-errors".to_owned();
            let options: Vec<String> =
                [ours].into_iter().chain(spec.env.get("PYTEST_ADDOPTS").cloned()).collect();
            environment.insert("PYTEST_ADDOPTS".to_owned(), options.join(" "));
        }
        environment
    }

    fn names(&self, spec: &ProjectSpec, tests: &[TestId]) -> String {
        let command = spec.test_one.as_deref().unwrap_or_default().trim_start();
        if command.starts_with("mvn") || command.starts_with("./mvnw") {
            return surefire_names(tests);
        }
        shell_words(tests.iter().map(TestId::as_str))
    }

    fn test_builds(&self) -> bool {
        true
    }
}
