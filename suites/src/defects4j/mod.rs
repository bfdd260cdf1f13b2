//! Defects4J: bugs of Java projects, from a checkout of it (version 2 or 3) or only its folder of metadata.
//!
//! A bug is prepared by the command `defects4j` where that is on PATH. Without it, a git repository of the project is enough for
//! the projects that `projects.toml` lists so: then javac and JUnit build and test it. The mirrors of the repositories are looked for
//! in `project_repos` of the checkout and in the folder of [`Defects4jOptions::repositories`], which may be one itself.

mod jars;
mod layout;
mod metadata;
mod neutral;
mod official;
mod plain;
mod table;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use async_trait::async_trait;
use metadata::Row;
use official::Home;
use patchwright_edits::diff::Patch;
use patchwright_folder::{LONGEST_FILE, read_file};
use patchwright_protocol::{Bug, BugInput, Failure, Overrides};
use patchwright_sandbox::choose;

use crate::case::{Case, Truth};
use crate::container::{close, native, unprepared};
use crate::lines;
use crate::suite::{LeftOut, LoadError, Ready, Suite, disk};

/// The variable that names a folder with mirrors of the projects' repositories, or the repository of a project.
const REPOSITORIES: &str = "PATCHWRIGHT_D4J_REPOS";
/// The variable that names a folder with files `Lang-1.buggy.lines`.
const BUGGY_LINES: &str = "PATCHWRIGHT_D4J_BUGGY_LINES";

/// The time zone for which the tests are written.
const TIME_ZONE: &str = "America/Los_Angeles";
const ZONE: &str = "TZ";
/// The variable that names a container image with the command.
const IMAGE: &str = "PATCHWRIGHT_D4J_IMAGE";
/// The variable that says which tests the command runs: `all`, or those that are `relevant`.
const TESTS_VARIABLE: &str = "PATCHWRIGHT_D4J_TESTS";
/// Options that the launcher of javac takes, since Java 9; older ones need none of them.
const JAVAC_OPTIONS: &str = "JDK_JAVAC_OPTIONS";
/// Options that the launcher of java takes, since Java 9. Java 11, for which Defects4J is made, lets tests look into its own classes;
/// later ones have to be told.
const JAVA_OPTIONS: (&str, &str) = (
    "JDK_JAVA_OPTIONS",
    "--add-opens=java.base/java.lang=ALL-UNNAMED --add-opens=java.base/java.lang.reflect=ALL-UNNAMED \
     --add-opens=java.base/java.util=ALL-UNNAMED --add-opens=java.base/java.util.concurrent=ALL-UNNAMED \
     --add-opens=java.base/java.text=ALL-UNNAMED --add-opens=java.base/java.io=ALL-UNNAMED \
     --add-opens=java.base/java.net=ALL-UNNAMED --add-opens=java.base/java.math=ALL-UNNAMED",
);
/// Some of the test suites take minutes on today's Java.
const TESTS: Duration = Duration::from_mins(20);

/// Settings beside the checkout itself.
#[derive(Clone, Debug, Default)]
pub struct Defects4jOptions {
    /// A folder with mirrors of the projects' repositories, beside `project_repos`; or the repository of a project.
    pub repositories: Option<PathBuf>,
    /// A folder with files `Lang-1.buggy.lines` and `Lang-1.candidates`, beside `buggy-lines`.
    pub buggy_lines: Option<PathBuf>,
    /// The command `defects4j`; `None` where bugs are prepared without it.
    pub program: Option<PathBuf>,
    /// A container image with the command, which is used in place of this machine's.
    pub image: Option<String>,
    /// Is true if the command runs only the tests that load a changed class (`-r`).
    pub relevant: bool,
}

impl Defects4jOptions {
    /// As the variables `PATCHWRIGHT_D4J_REPOS` and `PATCHWRIGHT_D4J_BUGGY_LINES` and the PATH say.
    pub fn from_environment() -> Self {
        let folder = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        Self {
            repositories: folder(REPOSITORIES),
            buggy_lines: folder(BUGGY_LINES),
            program: crate::on_path("defects4j"),
            image: std::env::var(IMAGE).ok().filter(|image| !image.is_empty()),
            relevant: std::env::var(TESTS_VARIABLE).is_ok_and(|tests| tests == "relevant"),
        }
    }
}

/// The active bugs of a checkout.
#[derive(Debug)]
pub struct Defects4j {
    cases: Vec<Case>,
    rows: BTreeMap<String, Row>,
    deprecated: BTreeSet<String>,
    folders: Folders,
    options: Defects4jOptions,
    warnings: Vec<String>,
}

/// Folders of the benchmark.
#[derive(Clone, Debug)]
struct Folders {
    projects: PathBuf,
    /// Folders that may hold mirrors, or are one.
    repositories: Vec<PathBuf>,
    /// The reason why the command, which is there, is not used.
    refused: Option<String>,
}

impl Defects4j {
    /// Reads the metadata of all projects in a checkout of Defects4J, in its folder `framework/projects`, or of the project whose
    /// folder it is. A bug whose data cannot be used is left out, and a command that does not work is not used;
    /// [`Suite::warnings`] says so.
    ///
    /// # Errors
    /// There are no lists of bugs, or none of their bugs can be used: then why the first cannot.
    pub fn load(dir: &Path, mut options: Defects4jOptions) -> Result<Self, LoadError> {
        let dir = &dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
        let (projects, own) = metadata::projects(dir)?;
        let mut left_out = LeftOut::default();
        options.program = options.program.filter(|_| options.image.is_none());
        let refused = options.program.as_deref().and_then(|program| official::check(program).err());
        if let Some(reason) = &refused {
            options.program = None;
            left_out.warn(format!(
                "{reason}\nhint: Defects4J 3 needs Java 11, Perl and its init.sh; until the command works, bugs are prepared without it, where that is possible"
            ));
        }
        let metadata = metadata::load(&own, &mut left_out);
        let roots = [Some(dir.as_path()), projects.ancestors().nth(2)];
        let mut repositories: Vec<PathBuf> = options.repositories.iter().cloned().collect();
        let mut lists: Vec<PathBuf> = options.buggy_lines.iter().cloned().collect();
        for root in roots.into_iter().flatten() {
            repositories.push(root.join("project_repos"));
            lists.push(root.join("buggy-lines"));
        }
        repositories.dedup();
        lists.dedup();
        let mut cases = Vec::new();
        let mut rows = BTreeMap::new();
        for row in metadata.rows {
            let by_command = options.program.is_some() || options.image.is_some();
            let usable = if by_command { Ok(()) } else { has_layout(&row) };
            match usable.and_then(|()| truth(&row, &lists)) {
                Ok(truth) => {
                    cases.push(Case { id: row.id(), project: row.project.clone(), truth });
                    rows.insert(row.id(), row);
                }
                Err(error) => left_out.add(error),
            }
        }
        let folders = Folders { projects, repositories, refused };
        let warnings = left_out.warnings(cases.is_empty())?;
        Ok(Self { cases, rows, deprecated: metadata.deprecated, folders, options, warnings })
    }
}

#[async_trait]
impl Suite for Defects4j {
    fn is_withdrawn(&self, id: &str) -> bool {
        self.deprecated.contains(id)
    }

    fn cases(&self) -> &[Case] {
        &self.cases
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }

    fn image(&self, _case: &Case) -> Option<String> {
        self.options.image.clone()
    }

    async fn ready(&self) -> Result<Ready, Failure> {
        Ok(Ready { in_images: self.options.image.is_some(), ..Ready::default() })
    }

    async fn prepare(&self, case: &Case, folder: &Path) -> Result<Bug, Failure> {
        let row = self
            .rows
            .get(&case.id)
            .ok_or_else(|| Failure::case(format!("Defects4J has no active bug `{}`", case.id)))?;
        let input = BugInput { failing: plain::triggers(row)?, ..BugInput::default() };
        let bug = Bug { dir: folder.to_owned(), input, ..Bug::default() };
        if let Some(program) = &self.options.program {
            let home = Home::Machine(program);
            let prepared = official::prepare(home, row, self.options.relevant, folder).await?;
            return Ok(Bug { overrides: prepared.overrides, readable: prepared.readable, ..bug });
        }
        if let Some(image) = &self.options.image {
            let overrides = self.in_image(image, row, folder).await?;
            return Ok(Bug { overrides, image: Some(image.clone()), ..bug });
        }
        let (row, folders, folder) = (row.clone(), self.folders.clone(), folder.to_owned());
        let prepared = crate::blocking(move |_| plain::prepare(&row, &folders, &folder)).await?;
        let variables = [(ZONE, TIME_ZONE), (JAVAC_OPTIONS, prepared.javac_options), JAVA_OPTIONS];
        let overrides = Overrides {
            source: Some(vec![prepared.source]),
            tests: Some(vec![prepared.tests]),
            after_build: prepared.after_build,
            env: Some(variables.map(|(name, value)| (name.to_owned(), value.to_owned())).into()),
            timeout: Some(TESTS),
            ..Overrides::default()
        };
        Ok(Bug { overrides, ..bug })
    }
}

impl Defects4j {
    /// Makes the buggy version of a bug by the command of an image, and says how it is tested there.
    async fn in_image(&self, image: &str, row: &Row, folder: &Path) -> Result<Overrides, Failure> {
        let folder = std::path::absolute(folder).map_err(|error| disk(folder, &error))?;
        let chosen = choose(&native(image, "prepare")).await.map_err(|error| unprepared(&error))?;
        let home = Home::Image(chosen.sandbox.as_ref());
        let prepared = official::prepare(home, row, self.options.relevant, &folder).await;
        close(chosen.sandbox.as_ref()).await;
        Ok(prepared?.overrides)
    }
}

/// Checks that the folders of sources and tests can be known without the command: they are listed, or can be guessed.
fn has_layout(row: &Row) -> Result<(), LoadError> {
    if row.layout.is_some() || row.modified_classes().is_file() {
        return Ok(());
    }
    Err(LoadError {
        place: format!("{}: {}", row.layouts().display(), row.id()),
        message: format!(
            "there is no line for the revision {}; fetch the folder of the project anew",
            row.fixed
        ),
    })
}

/// The developer's fix, and the buggy lines: those of a list where there is one, or else those that the fix changes.
fn truth(row: &Row, lists: &[PathBuf]) -> Result<Truth, LoadError> {
    let file = row.patch();
    let wrong = |message: String| LoadError { place: format!("{}: {}", file.display(), row.id()), message };
    let bytes = read_file(&file, LONGEST_FILE).map_err(|error| {
        wrong(format!("the patch of the bug cannot be read: {error}; fetch the whole folder of the project"))
    })?;
    let patch = Patch::parse(&bytes).map_err(|error| wrong(format!("it is no unified diff: {error}")))?;
    if patch.is_empty() {
        return Err(wrong("the patch changes nothing; fetch the folder of the project anew".to_owned()));
    }
    let mut patch = patch.reversed();
    for file in &mut patch.files {
        for (name, prefix) in [(&mut file.old, "a/"), (&mut file.new, "b/")] {
            *name = name.as_deref().map(|name| format!("{prefix}{}", place(row, name)));
        }
    }
    let list = lists
        .iter()
        .map(|folder| folder.join(format!("{}.buggy.lines", row.id())))
        .find(|file| file.is_file());
    let (lines, alternatives) = match list {
        Some(list) => {
            (read_lines(&list)?, alternatives(&list.with_file_name(format!("{}.candidates", row.id())))?)
        }
        None => (lines::changed(&patch), Vec::new()),
    };
    Ok(Truth { patch: Some(patch.text()), lines, alternatives })
}

/// The path of a file in the prepared project, by its name in a patch.
fn place(row: &Row, name: &str) -> String {
    let bare = name.strip_prefix("a/").or_else(|| name.strip_prefix("b/")).unwrap_or(name);
    if let Some((source, _)) = &row.layout
        && !bare.starts_with(&format!("{source}/"))
        && let Some(at) = bare.find(&format!("/{source}/"))
    {
        return bare[at + 1..].to_owned();
    }
    bare.to_owned()
}

/// A file of buggy lines.
fn read_lines(file: &Path) -> Result<Vec<String>, LoadError> {
    let wrong = |message: String| LoadError { place: file.display().to_string(), message };
    let bytes = read_file(file, LONGEST_FILE).map_err(|error| wrong(error.to_string()))?;
    lines::read(&bytes).map_err(wrong)
}

/// Other places for what is missing, `path#line,path#line` each; none where there is no file.
fn alternatives(file: &Path) -> Result<Vec<(String, String)>, LoadError> {
    let Ok(bytes) = read_file(file, LONGEST_FILE) else { return Ok(Vec::new()) };
    let text = lines::text(&bytes);
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let pair = line.split_once(',').and_then(|(one, other)| {
            let pair = lines::checked(&[one.trim().to_owned(), other.trim().to_owned()]).ok()?;
            Some((pair.first()?.clone(), pair.get(1)?.clone()))
        });
        found.push(pair.ok_or_else(|| LoadError {
            place: format!("{}: line {}", file.display(), index + 1),
            message: format!("`{line}` cannot be read; expected path#line,path#line"),
        })?);
    }
    Ok(found)
}
