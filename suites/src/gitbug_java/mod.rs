//! GitBug-Java: bugs of Java projects with their recorded workflows, from a checkout of the data set, its folder `data/bugs`, or a
//! file of bugs.
//!
//! The revisions come out of git repositories on this machine: of [`GitBugJavaOptions::repositories`], or of the folder `repos` of the checkout, named
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
use patchwright_detection::adapters::shell_word;
use patchwright_edits::diff::Patch;
use patchwright_protocol::{Bug, BugInput, Failure, Overrides, ResultsFormat};
use rows::{Place, Row};

use crate::case::{Case, Truth};
use crate::checkout::{clones_named, export_first};
use crate::lines;
use crate::patch;
use crate::suite::{LeftOut, LoadError, Suite, disk};

/// The variable that names a folder with clones of the repositories.
const REPOSITORIES: &str = "PATCHWRIGHT_GITBUG_REPOS";

/// Prints what the command writes into `.gitbug-java/test-results.json` as JUnit's console does.
const RESULTS: &str = include_str!("results.py");
/// The folder of bugs in a checkout.
const BUGS: &str = "data/bugs";
/// The time that a workflow may take.
const WORKFLOW: Duration = Duration::from_hours(1);
/// The output of the command: it quotes the build tool, whose reports must not be taken for its own.
const LOG: &str = ".gitbug-run.log";
/// The file in which the command reads of the bug.
const GITBUG: &str = "gitbug.json";

/// Settings beside the data set itself.
#[derive(Clone, Debug, Default)]
pub struct GitBugJavaOptions {
    /// A folder with clones, beside `repos`.
    pub repositories: Option<PathBuf>,
    /// The command `gitbug-java`; `None` where the project's build tool runs the tests.
    pub program: Option<PathBuf>,
}

impl GitBugJavaOptions {
    /// As the variable `PATCHWRIGHT_GITBUG_REPOS` and the PATH say.
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
    rows: BTreeMap<String, (Place, Row)>,
    warnings: Vec<String>,
    repositories: Vec<PathBuf>,
    program: Option<PathBuf>,
}

impl GitBugJava {
    /// Reads the bugs of a checkout of the data set, of its folder `data/bugs`, or of one file with a bug in each line. A line
    /// that cannot be used is left out; [`Suite::warnings`] says so.
    ///
    /// # Errors
    /// There are no files, one cannot be read, or none of their lines can be used: then why the first cannot.
    pub fn load(path: &Path, options: GitBugJavaOptions) -> Result<Self, LoadError> {
        let folder = if path.is_file() { path.parent().unwrap_or(path) } else { path };
        let home = if folder.ends_with(BUGS) { folder.ancestors().nth(2) } else { None };
        let places = [Some(folder), home].into_iter().flatten().map(|folder| folder.join("repos"));
        let mut suite = Self {
            cases: Vec::new(),
            rows: BTreeMap::new(),
            warnings: Vec::new(),
            repositories: options.repositories.into_iter().chain(places).collect(),
            program: options.program,
        };
        let mut left_out = LeftOut::default();
        for file in files(path)? {
            rows::read(&file, |place, row| {
                let line = format!("{}: line {}", file.display(), place.line);
                let added = row.and_then(|row| {
                    suite.add(place, row).map_err(|(field, message)| LoadError {
                        place: format!("{line}: `{field}`"),
                        message,
                    })
                });
                if let Err(error) = added {
                    left_out.add(error);
                }
            })?;
        }
        suite.warnings = left_out.warnings(suite.cases.is_empty())?;
        Ok(suite)
    }

    /// Takes a bug in; fails with the field that does not fit.
    fn add(&mut self, place: Place, mut row: Row) -> Result<(), (&'static str, String)> {
        let id = row.id();
        if self.rows.contains_key(&id) {
            return Err(("commit_hash", format!("`{id}` stands above already; leave one of the lines out")));
        }
        let readable = |field: &'static str, text: &str| match Patch::parse(text.as_bytes()) {
            Ok(patch) => Ok(patch),
            Err(error) => Err((field, format!("it is no unified diff: {error}"))),
        };
        readable("test_patch", &row.test_patch)?;
        let other = readable("non_code_patch", &row.other_patch)?;
        let code = readable("bug_patch", &row.bug_patch)?;
        // The truth of a fix of what is no code is what else it changes, which therefore is not made.
        let patch = if code.is_empty() {
            row.other_patch.clear();
            other
        } else {
            row.bug_patch.clear();
            code
        };
        let (text, lines) = (patch.text(), lines::changed(&patch));
        let truth = Truth { patch: Some(text), lines, ..Truth::default() };
        self.cases.push(Case { id: id.clone(), project: row.repository.clone(), truth });
        self.rows.insert(id, (place, row));
        Ok(())
    }
}

/// The files of bugs that are meant by a path.
fn files(path: &Path) -> Result<Vec<PathBuf>, LoadError> {
    if path.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    let inside = path.join(BUGS);
    let bugs = if inside.is_dir() { inside } else { path.to_owned() };
    let wrong = |message: &str| LoadError { place: bugs.display().to_string(), message: message.to_owned() };
    let entries = fs::read_dir(&bugs).map_err(|error| wrong(&error.to_string()))?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "json" || end == "jsonl"));
    files.sort();
    if files.is_empty() {
        return Err(wrong(
            "there are no files OWNER-REPO.json; give a checkout of GitBug-Java, its folder data/bugs, or a file of bugs",
        ));
    }
    Ok(files)
}

#[async_trait]
impl Suite for GitBugJava {
    fn cases(&self) -> &[Case] {
        &self.cases
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }

    async fn prepare(&self, case: &Case, folder: &Path) -> Result<Bug, Failure> {
        let (place, row) = self
            .rows
            .get(&case.id)
            .ok_or_else(|| Failure::case(format!("GitBug-Java has no bug `{}`", case.id)))?
            .clone();
        let (repositories, to, program) =
            (self.repositories.clone(), folder.to_owned(), self.program.clone());
        crate::blocking(move |_| {
            check_out(&row, &repositories, &to)?;
            let overrides = match &program {
                Some(program) => {
                    let file = to.join(GITBUG);
                    let scrubbed = place.scrubbed(&row).map_err(|error| disk(&place.file, &error))?;
                    fs::write(&file, scrubbed).map_err(|error| disk(&file, &error))?;
                    by_command(program)
                }
                None if row.gradle => by_gradle(&to),
                None => Overrides::default(),
            };
            let input = BugInput { failing: row.failing, ..BugInput::default() };
            Ok(Bug { dir: to, overrides, input, ..Bug::default() })
        })
        .await
    }
}

/// Makes the buggy version: the revision before the fix, with the tests of the fix.
fn check_out(row: &Row, repositories: &[PathBuf], folder: &Path) -> Result<(), Failure> {
    let short = row.repository.rsplit('/').next().unwrap_or_default();
    let joined = |between: &str| row.repository.replace('/', between);
    let names = [row.folder_name(), row.repository.clone(), joined("_"), joined("__"), short.to_owned()];
    let places = clones_named(repositories, &names);
    let cure = format!(
        "clone https://github.com/gitbugactions/{short} there, or name the folder of the clones in {REPOSITORIES}"
    );
    export_first(&row.repository, places, &cure, &row.before, folder)?;
    for (field, text) in [("non_code_patch", &row.other_patch), ("test_patch", &row.test_patch)] {
        let refused = |message: String| {
            Failure::case(format!(
                "{}: its `{field}` does not apply to the revision {}: {message}",
                row.id(),
                row.before
            ))
            .hint("data and repository have to belong together")
        };
        let patch = Patch::parse(text.as_bytes()).map_err(|error| refused(error.to_string()))?;
        patch::apply(&patch, folder).map_err(|error| refused(error.to_string()))?;
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
        test: Some(test.into()),
        results: Some(ResultsFormat::JunitText),
        timeout: Some(WORKFLOW),
        ..Overrides::default()
    }
}

/// Gradle is not detected, but how it is called is always the same.
fn by_gradle(folder: &Path) -> Overrides {
    let program = if folder.join("gradlew").is_file() { "./gradlew" } else { "gradle" };
    Overrides {
        test: Some(format!("{program} --offline test --continue").into()),
        results: Some(ResultsFormat::JunitXml { glob: "**/build/test-results/**/*.xml".to_owned() }),
        ..Overrides::default()
    }
}
