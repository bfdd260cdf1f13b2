//! The tests that fail because the environment lacks something which the project needs.

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};

use patchwright_detection::ecosystems::packages_in;
use patchwright_protocol::TestId;
use patchwright_syntax::ProjectPath;
use patchwright_test_results::TestReport;

use crate::environment_faults::{EnvironmentFault, Index, normalized, package_of};
use crate::error::TestHarnessError;
use crate::harness::TestHarness;

/// Files that tell which packages a project in Python needs, beside those that are called after requirements.
const REQUIREMENTS: [&str; 5] = ["pyproject.toml", "setup.py", "setup.cfg", "Pipfile", "tox.ini"];

/// The names of packages that a project in Python says it needs, as its index compares them.
fn required(files: &[ProjectPath], text: impl Fn(&ProjectPath) -> String) -> BTreeSet<String> {
    let tells = |path: &&ProjectPath| {
        let is_text = path.as_path().extension().is_some_and(|end| end == "txt");
        let is_list = is_text && path.as_str().starts_with("requirements");
        is_list || REQUIREMENTS.contains(&path.as_str())
    };
    let is_of_name = |character: char| character.is_alphanumeric() || "._-".contains(character);
    let texts = files.iter().filter(tells).map(text);
    texts
        .flat_map(|text| text.split(|character| !is_of_name(character)).map(normalized).collect::<Vec<_>>())
        .collect()
}

impl TestHarness {
    /// The tests among `failing` that tell of the environment, by what it lacks.
    pub(crate) async fn environment_faults(
        &self,
        report: &TestReport,
        failing: &[TestId],
    ) -> Result<BTreeMap<EnvironmentFault, Vec<TestId>>, TestHarnessError> {
        if failing.is_empty() {
            return Ok(BTreeMap::new());
        }
        let project = self.project().clone();
        let files = patchwright_blocking::spawn(move |_| project.files()).await??;
        let editable = LazyCell::new(|| self.rules().allowed(files.clone()).unwrap_or_default());
        let text = |path: &ProjectPath| {
            self.project().read(path).map(|file| file.text().to_owned()).unwrap_or_default()
        };
        let python = LazyCell::new(|| required(&files, text));
        let npm = LazyCell::new(|| {
            let package = files.iter().find(|path| path.as_str() == "package.json").map(text);
            package.map(|package| packages_in(&package)).unwrap_or_default()
        });
        let may_be_fixed = |path: &str| editable.iter().any(|file| file.as_str() == path);
        let belongs = |module: &str, importing: Option<(Index, &str)>| {
            let (file, class) = (format!("{module}.py"), format!("{module}.java"));
            let own = |path: &ProjectPath| {
                let is_class = path
                    .as_str()
                    .strip_suffix(&class)
                    .is_some_and(|root| root.is_empty() || root.ends_with('/'));
                is_class || path.as_str().split('/').any(|part| part == module || part == file)
            };
            let is_needed = |index| match index {
                Index::Python => python.contains(&normalized(package_of(module))),
                Index::Npm => npm.contains(module),
            };
            files.iter().any(own)
                || importing.is_some_and(|(index, path)| may_be_fixed(path) && !is_needed(index))
        };
        let mut faults: BTreeMap<EnvironmentFault, Vec<TestId>> = BTreeMap::new();
        for outcome in failing.iter().filter_map(|test| report.outcome(test)) {
            if let Some(fault) = EnvironmentFault::of(outcome, belongs, may_be_fixed) {
                faults.entry(fault).or_default().push(outcome.id.clone());
            }
        }
        Ok(faults)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn packages_that_a_project_needs() {
        let files = [
            ("package.json", r#"{"devDependencies": {"lodash-merge": "*"}}"#),
            ("requirements-dev.txt", "PyYAML>=6 # for tests\nzope_event\n"),
            ("notes.txt", "numpy"),
        ];
        let paths = files.map(|(path, _)| ProjectPath::new(path).unwrap());
        let text =
            |path: &ProjectPath| files.iter().find(|(name, _)| *name == path.as_str()).unwrap().1.to_owned();
        let required = required(&paths, text);
        for (name, expect) in
            [("pyyaml", true), ("zope-event", true), ("numpy", false), ("lodash-merge", false)]
        {
            assert_eq!(required.contains(name), expect, "{name}");
        }
    }
}
