//! SWE-bench as a suite: sessions that are told an issue, in the container images of the cases or in checkouts.

use std::path::{Path, PathBuf};

use async_trait::async_trait;
use patchwright_protocol::{Bug, BugInput, Failure, Overrides, ResultsFormat, TestCommand};
use patchwright_suites::checkout::{clones_named, export_first};
use patchwright_suites::container::unprepared;
use patchwright_suites::{Case, Ready, Suite, Truth, blocking};

use super::images::{ImageNames, ImageStore};
use super::repository::{ReadError, read_out};
use super::rows::{Dataset, Row};
use super::spec::{Spec, Specs};

/// The folder of the repository in the official images, to which its installed packages point.
const TESTBED: &str = "/testbed";
/// The search path for programs in the official images of Python projects: their environment first.
const PATH: &str = "/opt/miniconda3/envs/testbed/bin:/opt/miniconda3/condabin:/opt/miniconda3/bin:\
                    /usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
/// Time limit of one command; the longest suites that are run take most of it.
const TIMEOUT: std::time::Duration = std::time::Duration::from_hours(1);

/// Options for making bugs of cases.
#[derive(Debug, Default)]
pub struct SweBenchOptions {
    /// The names of images.
    pub names: ImageNames,
    /// The images.
    pub store: ImageStore,
    /// A folder with git clones of the projects; cases are then checked out of these, and no image is used.
    pub repositories: Option<PathBuf>,
    /// The commands that test projects.
    pub specs: Specs,
    /// The project's own tests that are run. Without them nothing tells that a candidate breaks something.
    pub tests: OwnTests,
}

/// The project's own tests that sessions run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OwnTests {
    /// All, where how they are run and read is known and they end within an hour.
    #[default]
    All,
    /// None.
    None,
}

/// SWE-bench.
#[derive(Debug)]
pub struct SweBench {
    dataset: Dataset,
    cases: Vec<Case>,
    options: SweBenchOptions,
}

impl SweBench {
    /// The cases of a dataset.
    pub fn new(dataset: Dataset, options: SweBenchOptions) -> Self {
        let case = |row: &Row| Case {
            id: row.instance_id.clone(),
            project: row.repo.clone(),
            truth: Truth {
                patch: Some(row.patch.clone()).filter(|patch| !patch.is_empty()),
                ..Truth::default()
            },
        };
        Self { cases: dataset.rows().iter().map(case).collect(), dataset, options }
    }

    /// The rows.
    pub fn dataset(&self) -> &Dataset {
        &self.dataset
    }

    fn row(&self, case: &Case) -> Result<&Row, Failure> {
        let missing = || Failure::case(format!("the dataset has no row `{}`", case.id));
        self.dataset.get(&case.id).ok_or_else(missing)
    }

    /// The way in which the project is tested, as far as it is known; what is not is detected.
    fn overrides(&self, row: &Row, in_image: bool) -> Overrides {
        let spec = self.options.specs.get(&row.repo, &row.version);
        let commands = match self.options.tests {
            OwnTests::All => spec.as_ref().and_then(|spec| commands(row, spec)),
            OwnTests::None => None,
        };
        let (test, test_one, results) = match commands {
            Some(Commands { test, test_one, results }) => (Some(test.into()), Some(test_one), Some(results)),
            None if spec.is_some() || self.options.tests == OwnTests::None => {
                (Some(TestCommand::None), None, Some(ResultsFormat::ExitStatus))
            }
            None => (None, None, None),
        };
        let path = || [("PATH".to_owned(), PATH.to_owned())].into();
        Overrides {
            test,
            test_one,
            results,
            // Conda's activation is little else than this, where commands run without a login.
            env: (in_image && spec.is_some()).then(path),
            timeout: Some(TIMEOUT),
            ..Overrides::default()
        }
    }
}

/// The commands that run the tests of a project.
struct Commands {
    test: String,
    test_one: String,
    results: ResultsFormat,
}

/// The commands for a row's project, where their output can be read while a session goes on.
fn commands(row: &Row, spec: &Spec) -> Option<Commands> {
    let test = spec.test_cmd.trim();
    let with_tests = |test: &str, results| Commands {
        test: test.to_owned(),
        test_one: format!("{test} {{tests}}"),
        results,
    };
    if row.repo == "django/django" {
        return Some(with_tests(test, ResultsFormat::UnittestText));
    }
    if test.contains("pytest") || test.starts_with("tox ") {
        return Some(with_tests(test, ResultsFormat::PytestText));
    }
    // Sympy's own runner takes hours, and prints names that no other tool knows.
    None
}

#[async_trait]
impl Suite for SweBench {
    fn cases(&self) -> &[Case] {
        &self.cases
    }

    fn image(&self, case: &Case) -> Option<String> {
        let row = self.row(case).ok().filter(|_| self.options.repositories.is_none())?;
        Some(self.options.names.of(row))
    }

    async fn ready(&self) -> Result<Ready, Failure> {
        if self.options.repositories.is_some() {
            return Ok(Ready::default());
        }
        let folder = self.options.store.folder().await;
        let folder = folder.map_err(Failure::environment)?;
        Ok(Ready { in_images: true, folders: folder.into_iter().filter(|folder| folder.is_dir()).collect() })
    }

    async fn prepare(&self, case: &Case, folder: &Path) -> Result<Bug, Failure> {
        let row = self.row(case)?;
        let image = match &self.options.repositories {
            Some(repositories) => {
                let (places, row, folder) = (places(repositories, &row.repo), row.clone(), folder.to_owned());
                blocking(move |_| {
                    let cure = format!("clone it there: git clone --mirror https://github.com/{}", row.repo);
                    Ok(export_first(&row.repo, places, &cure, &row.base_commit, &folder)?)
                })
                .await?;
                None
            }
            None => Some(self.read_out(row, folder).await?),
        };
        Ok(Bug {
            dir: folder.to_owned(),
            overrides: self.overrides(row, image.is_some()),
            input: BugInput {
                project: row.repo.clone(),
                issue: Some(row.problem_statement.clone()),
                issue_only: true,
                ..BugInput::default()
            },
            lane_at: image.is_some().then(|| PathBuf::from(TESTBED)),
            image,
            ..Bug::default()
        })
    }

    async fn release(&self, case: &Case) {
        if let (None, Ok(row)) = (&self.options.repositories, self.row(case)) {
            self.options.store.give_back(&self.options.names.of(row)).await;
        }
    }
}

impl SweBench {
    /// Reads the repository out of the case's image, which it names.
    async fn read_out(&self, row: &Row, folder: &Path) -> Result<String, Failure> {
        let image = self.options.names.of(row);
        self.options.store.take(&image).await.map_err(|error| unprepared(&error))?;
        let Err(error) = read_out(&image, &row.base_commit, folder).await else { return Ok(image) };
        self.options.store.give_back(&image).await;
        Err(match &error {
            ReadError::Sandbox(error) => unprepared(error),
            ReadError::Copy(_) => Failure::environment(error),
            ReadError::Image { .. } | ReadError::History(_) => Failure::case(error),
        })
    }
}

/// The places at which the clone of a project may be: the folder itself, or in it under the names that people give clones.
fn places(folder: &Path, repository: &str) -> Vec<PathBuf> {
    let name = repository.rsplit('/').next().unwrap_or(repository).to_owned();
    let named = [repository.to_owned(), repository.replace('/', "__"), name];
    clones_named(&[folder.to_owned()], &named)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::fixture::{commit, repository};

    fn row(repo: &str, version: &str) -> Row {
        Row {
            instance_id: "a__b-1".to_owned(),
            repo: repo.to_owned(),
            version: version.to_owned(),
            problem_statement: "it is wrong".to_owned(),
            patch: "the fix".to_owned(),
            ..Row::default()
        }
    }

    #[test]
    fn the_projects_tests_are_run_where_they_can_be_read() {
        let of = |repo: &str, version: &str, tests: OwnTests| {
            let row = row(repo, version);
            let suite =
                SweBench::new(Dataset::default(), SweBenchOptions { tests, ..SweBenchOptions::default() });
            let found = suite.overrides(&row, true);
            (found.test, found.results.map(|results| results.to_string()).unwrap_or_default())
        };
        let django = "./tests/runtests.py --verbosity 2 --settings=test_sqlite --parallel 1";
        assert_eq!(of("django/django", "4.2", OwnTests::All), (Some(django.into()), "unittest".to_owned()));
        assert_eq!(
            of("pallets/flask", "2.3", OwnTests::All),
            (Some("pytest -rA".into()), "pytest".to_owned())
        );
        assert!(of("sphinx-doc/sphinx", "4.2", OwnTests::All).0.unwrap().line().starts_with("tox "));
        let none = (Some(TestCommand::None), "exit-status".to_owned());
        assert_eq!(of("sympy/sympy", "1.12", OwnTests::All), none);
        assert_eq!(of("pallets/flask", "2.3", OwnTests::None), none);
        assert_eq!(of("ann/shop", "1", OwnTests::All), (None, String::new()), "it is detected");
    }

    #[tokio::test]
    async fn a_case_is_checked_out_of_a_clone() {
        let clones = tempfile::tempdir().unwrap();
        let (origin, history) = repository();
        let base = commit(&history, &[("shop.py", b"buggy\n")]);
        commit(&history, &[("shop.py", b"fixed\n")]);
        std::os::unix::fs::symlink(origin.path(), clones.path().join("ann__shop")).unwrap();
        let row = Row { base_commit: base, ..row("ann/shop", "1") };
        let options =
            SweBenchOptions { repositories: Some(clones.path().to_owned()), ..SweBenchOptions::default() };
        let suite = SweBench::new(Dataset::new([row]).unwrap(), options);
        let folder = tempfile::tempdir().unwrap();
        let bug = suite.prepare(&suite.cases()[0], folder.path()).await.unwrap();
        assert_eq!(std::fs::read_to_string(folder.path().join("shop.py")).unwrap(), "buggy\n");
        assert!(!folder.path().join(".git").exists());
        assert_eq!((bug.input.issue_only, bug.input.issue.as_deref()), (true, Some("it is wrong")));
        assert_eq!((bug.image, bug.lane_at), (None, None));
    }
}
