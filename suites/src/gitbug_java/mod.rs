//! GitBug-Java: bugs of Java projects with their recorded workflows, from a checkout of the data set or its folder `data/bugs`.
//!
//! The revisions come out of git repositories on this machine: of [`Options::repositories`], or of the folder `repos` of the checkout, named
//! `<owner>-<repo>`. Tests are run by the command `gitbug-java` where that is on PATH, which replays the
//! workflow of a bug in Docker; without it by the project's own build tool.

mod rows;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use async_trait::async_trait;
use patchwright_testbed::{Overrides, ResultsFormat, shell_word};

use crate::case::{Bug, Case, Truth};
use crate::checkout::{export, find_repository};
use crate::lines;
use crate::patch::Patch;
use crate::suite::{LoadError, PrepareError, Suite};
use rows::Row;

/// The variable that names a folder with clones of the repositories.
pub const REPOSITORIES: &str = "PATCHWRIGHT_GITBUG_REPOS";

/// Prints what the command writes into `.gitbug-java/test-results.json` as JUnit's console does.
const RESULTS: &str = include_str!("results.py");
/// How long a workflow may take.
const WORKFLOW: Duration = Duration::from_hours(1);
/// What the command says: it quotes the build tool, whose reports must not be taken for its own.
const LOG: &str = ".gitbug-run.log";
/// Where the command reads of the bug.
const GITBUG: &str = "gitbug.json";

/// What is not in the data set itself.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// A folder with clones, beside `repos`.
    pub repositories: Option<PathBuf>,
    /// The command `gitbug-java`; `None` where the project's build tool runs the tests.
    pub program: Option<PathBuf>,
}

impl Options {
    /// As the variable [`REPOSITORIES`] and the PATH say.
    pub fn from_environment() -> Self {
        let repositories =
            std::env::var_os(REPOSITORIES).filter(|value| !value.is_empty()).map(PathBuf::from);
        Self { repositories, program: crate::on_path("gitbug-java") }
    }
}

/// The bugs of the data set.
#[derive(Debug)]
pub struct GitBugJava {
    cases: Vec<Case>,
    rows: BTreeMap<String, Row>,
    repositories: Vec<PathBuf>,
    program: Option<PathBuf>,
}

impl GitBugJava {
    /// Reads the bugs of a checkout of the data set, or of its folder `data/bugs`.
    ///
    /// # Errors
    /// There is none; a line is no bug; two have the same id.
    pub fn load(dir: &Path, options: Options) -> Result<Self, LoadError> {
        let inside = dir.join("data/bugs");
        let bugs = if inside.is_dir() { inside } else { dir.to_owned() };
        let wrong =
            |message: &str| LoadError { place: bugs.display().to_string(), message: message.to_owned() };
        let entries = fs::read_dir(&bugs).map_err(|error| wrong(&error.to_string()))?;
        let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
        files.sort();
        if files.is_empty() {
            return Err(wrong(
                "there are no files OWNER-REPO.json; give a checkout of GitBug-Java, or its folder data/bugs",
            ));
        }
        let repositories = options.repositories.into_iter().chain([dir.join("repos")]).collect();
        let mut suite =
            Self { cases: Vec::new(), rows: BTreeMap::new(), repositories, program: options.program };
        for file in files {
            for (line, row) in rows::read(&file)? {
                suite.add(row).map_err(|(field, message)| LoadError {
                    place: format!("{}: line {line}: `{field}`", file.display()),
                    message,
                })?;
            }
        }
        Ok(suite)
    }

    /// Takes a bug in; fails with the field that does not fit.
    fn add(&mut self, row: Row) -> Result<(), (&'static str, String)> {
        let id = row.id();
        if self.rows.contains_key(&id) {
            return Err(("commit_hash", format!("`{id}` stands above already; leave one of the lines out")));
        }
        let readable = |field: &'static str, text: &str| match Patch::parse(text.as_bytes()) {
            Ok(patch) => Ok(patch),
            Err(error) => Err((field, format!("it is no unified diff: {error}"))),
        };
        for (field, text) in [("test_patch", &row.test_patch), ("non_code_patch", &row.other_patch)] {
            readable(field, text)?;
        }
        let patch = readable("bug_patch", &row.bug_patch)?;
        // A fix of what is no code.
        let text = if patch.is_empty() { &row.other_patch } else { &row.bug_patch };
        let lines = lines::read(text.as_bytes()).map_err(|message| ("bug_patch", message))?;
        let truth = Truth { patch: Some(text.clone()), lines, ..Truth::default() };
        self.cases.push(Case { id: id.clone(), project: row.repository.clone(), truth });
        self.rows.insert(id, row);
        Ok(())
    }
}

#[async_trait]
impl Suite for GitBugJava {
    fn name(&self) -> &'static str {
        "gitbug-java"
    }

    fn cases(&self) -> &[Case] {
        &self.cases
    }

    async fn prepare(&self, case: &Case, folder: &Path) -> Result<Bug, PrepareError> {
        let row = self
            .rows
            .get(&case.id)
            .ok_or_else(|| PrepareError::Data(format!("GitBug-Java has no bug `{}`", case.id)))?
            .clone();
        let (repositories, to, program) =
            (self.repositories.clone(), folder.to_owned(), self.program.clone());
        crate::blocking(move || {
            check_out(&row, &repositories, &to)?;
            let overrides = match &program {
                Some(program) => {
                    let file = to.join(GITBUG);
                    fs::write(&file, &row.scrubbed).map_err(|error| {
                        PrepareError::Infrastructure(format!("`{}`: {error}", file.display()))
                    })?;
                    by_command(program)
                }
                None if row.gradle => by_gradle(&to),
                None => Overrides::default(),
            };
            Ok(Bug { dir: to, overrides, failing: Some(row.failing), ..Bug::default() })
        })
        .await
    }
}

/// Makes the buggy version: the revision before the fix, with the tests of the fix.
fn check_out(row: &Row, repositories: &[PathBuf], folder: &Path) -> Result<(), PrepareError> {
    let short = row.repository.rsplit('/').next().unwrap_or_default();
    let names = [row.folder_name(), row.repository.clone(), short.to_owned()];
    let places = repositories
        .iter()
        .flat_map(|folder| {
            names.iter().flat_map(|name| [folder.join(name), folder.join(format!("{name}.git"))])
        })
        .collect();
    let cure = format!(
        "clone https://github.com/gitbugactions/{short} there, or name the folder of the clones in {REPOSITORIES}"
    );
    let repository = find_repository(&row.repository, places, &cure)?;
    export(&repository, &row.before, folder)?;
    // A fix without code is tested by what else it changes.
    let other = if row.bug_patch.trim().is_empty() { "" } else { &row.other_patch };
    for (field, text) in [("non_code_patch", other), ("test_patch", &row.test_patch)] {
        let refused = |message: String| {
            PrepareError::Data(format!(
                "{}: its `{field}` does not apply to the revision {}: {message}\nhint: data and repository have to belong together",
                row.id(),
                row.before
            ))
        };
        let patch = Patch::parse(text.as_bytes()).map_err(|error| refused(error.to_string()))?;
        patch.apply(folder).map_err(|error| refused(error.to_string()))?;
    }
    Ok(())
}

/// The command replays the bug's workflow on a git repository of the lane.
fn by_command(program: &Path) -> Overrides {
    let program = shell_word(&program.display().to_string());
    let git = "git -c user.name=patchwright -c user.email=patchwright@localhost";
    let test = format!(
        "rm -rf .gitbug-java; test -e .git || {{ git init -q . && git add -A && {git} commit -q -m buggy; }}; \
         {program} run . >{LOG} 2>&1; python3 -c {} || {{ tail -n 20 {LOG} >&2; exit 1; }}",
        shell_word(RESULTS)
    );
    Overrides {
        test: Some(test),
        results: Some(ResultsFormat::JunitText),
        timeout: Some(WORKFLOW),
        ..Overrides::default()
    }
}

/// Gradle is not detected, but how it is called is always the same.
fn by_gradle(folder: &Path) -> Overrides {
    let program = if folder.join("gradlew").is_file() { "./gradlew" } else { "gradle" };
    Overrides {
        test: Some(format!("{program} --offline test --continue")),
        results: Some(ResultsFormat::JunitXml { glob: "**/build/test-results/**/*.xml".to_owned() }),
        ..Overrides::default()
    }
}
