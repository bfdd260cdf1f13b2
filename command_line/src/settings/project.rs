//! What a project's own settings file may say.

use std::fmt::Display;
use std::path::{Component, Path, PathBuf};

use patchwright_folder::{EntryKind, Folder};
use patchwright_protocol::Failure;
use patchwright_syntax::{Project, ProjectPath};

use super::{FILE_NAME, USER_FILE_VARIABLE, read};
use crate::options::{HumanDuration, ProjectOptions, SessionOptions};

/// Every key that a project's file may set. The file travels with the project, so it is trusted no more than the project's code:
/// it says how the project is built and tested, what is production code and what is tests, and what shows its bug. Limits
/// it can only tighten. A key that is missing here is the user's alone.
const ALLOWED: [&str; 17] = [
    // How the project is built and tested.
    "build",
    "env",
    "results",
    "test",
    "test-one",
    // What is production code, what is tests, and what a session does not see.
    "hidden",
    "source",
    "tests",
    // What shows the bug.
    "failing",
    "issue",
    // Limits: see `ProjectLimits`.
    "cycles",
    "lanes",
    "max-tokens-total",
    "max-usd",
    "time-limit",
    "timeout",
    "variants",
];

/// How the names of variables begin that this program and its runners read, and the one of them that says how a project is tested.
const OUR_VARIABLES: &str = "PATCHWRIGHT_";
const TEST_SECONDS: &str = "PATCHWRIGHT_TEST_SECONDS";

/// The settings file of a project, with what it may say.
#[derive(Clone, Debug, Default)]
pub(super) struct ProjectSettings {
    /// How the project is built and tested; no limit is among these options, nor any file.
    pub options: SessionOptions,
    /// The issue.
    pub issue: Option<ProjectFile>,
    /// The limits.
    pub limits: ProjectLimits,
}

/// A file that a project names: it is read through the project's folder, so no link leads out of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectFile {
    project: PathBuf,
    path: PathBuf,
}

/// Limits that a project asks for. They hold where they are tighter than the limits in force.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProjectLimits {
    cycles: Option<u32>,
    variants: Option<u32>,
    max_tokens_total: Option<u64>,
    max_usd: Option<f64>,
    time_limit: Option<HumanDuration>,
    timeout: Option<HumanDuration>,
    lanes: Option<usize>,
}

impl ProjectSettings {
    /// Reads the file of `project`; one that is not there says nothing.
    ///
    /// # Errors
    /// It cannot be read, names a key that is not its to set, or a file outside of the project.
    pub fn read(project: &Path) -> Result<Self, Failure> {
        let file = project.join(FILE_NAME);
        let is_there = Folder::open(project).and_then(|folder| folder.entry(FILE_NAME));
        if is_there.is_err_and(|error| error.is_not_found()) {
            return Ok(Self::default());
        }
        let options = read(&file)?;
        refuse_users_keys(&file, &options)?;
        refuse_our_variables(&file, &options)?;
        let ProjectOptions { issue, timeout, source, tests, .. } = options.project.clone();
        for folder in source.iter().chain(&tests).flatten() {
            inside(&file, folder)?;
        }
        let issue = issue.map(|issue| inside(&file, &issue)).transpose()?;
        Ok(Self {
            issue: issue.map(|path| ProjectFile { project: project.to_owned(), path }),
            limits: ProjectLimits {
                cycles: options.budget.cycles,
                variants: options.budget.variants,
                max_tokens_total: options.budget.max_tokens_total,
                max_usd: options.budget.max_usd,
                time_limit: options.budget.time_limit,
                timeout,
                lanes: options.sandbox.lanes,
            },
            options: SessionOptions {
                project: ProjectOptions { issue: None, timeout: None, ..options.project },
                ..SessionOptions::default()
            },
        })
    }
}

impl ProjectFile {
    /// The file's place, for messages.
    pub fn shown(&self) -> PathBuf {
        self.project.join(&self.path)
    }

    /// The bytes of the file, or where it is a folder, of the file `name` in it.
    ///
    /// # Errors
    /// It is not there, is no regular file, holds more than `most` bytes, or lies behind a link.
    pub fn read(&self, name: &str, most: u64) -> Result<Vec<u8>, Failure> {
        let read = || {
            let folder = Folder::open(&self.project)?;
            let is_folder = folder.entry(&self.path)?.kind == EntryKind::Folder;
            let path = if is_folder { self.path.join(name) } else { self.path.clone() };
            folder.read(path, most)
        };
        read().map_err(|error| {
            Failure::user(format!("{}: {error}", self.project.join(FILE_NAME).display()))
                .hint("what a project's file names has to be a regular file of the project, behind no link")
        })
    }
}

impl ProjectLimits {
    /// The limits that `typed` says nothing of: the command line wins.
    pub(super) fn without(self, typed: &SessionOptions) -> Self {
        let SessionOptions { budget, project, sandbox, .. } = typed;
        Self {
            cycles: self.cycles.filter(|_| budget.cycles.is_none()),
            variants: self.variants.filter(|_| budget.variants.is_none()),
            max_tokens_total: self.max_tokens_total.filter(|_| budget.max_tokens_total.is_none()),
            max_usd: self.max_usd.filter(|_| budget.max_usd.is_none()),
            time_limit: self.time_limit.filter(|_| budget.time_limit.is_none()),
            timeout: self.timeout.filter(|_| project.timeout.is_none()),
            lanes: self.lanes.filter(|_| sandbox.lanes.is_none()),
        }
    }

    /// Tightens the limits among `options`; where these name none, `defaults` are in force. A limit that is looser than
    /// the one in force changes nothing, and the log says so.
    pub fn tighten(&self, options: &mut SessionOptions, defaults: &SessionOptions) {
        let SessionOptions { budget, project, sandbox, .. } = options;
        tighten("cycles", &mut budget.cycles, defaults.budget.cycles, self.cycles);
        tighten("variants", &mut budget.variants, defaults.budget.variants, self.variants);
        let tokens = defaults.budget.max_tokens_total;
        tighten("max-tokens-total", &mut budget.max_tokens_total, tokens, self.max_tokens_total);
        tighten("max-usd", &mut budget.max_usd, defaults.budget.max_usd, self.max_usd);
        tighten("time-limit", &mut budget.time_limit, defaults.budget.time_limit, self.time_limit);
        tighten("timeout", &mut project.timeout, defaults.project.timeout, self.timeout);
        tighten("lanes", &mut sandbox.lanes, defaults.sandbox.lanes, self.lanes);
    }
}

fn tighten<T: Copy + PartialOrd + Display>(
    name: &str,
    limit: &mut Option<T>,
    default: Option<T>,
    asked: Option<T>,
) {
    let in_force = limit.or(default);
    match (asked, in_force) {
        (None, _) => {}
        (Some(asked), Some(in_force)) if asked > in_force => tracing::warn!(
            "{FILE_NAME} of the project asks for {name} = {asked}, but a project can only tighten limits: {in_force} stays; \
             --{name} {asked} raises it"
        ),
        (Some(asked), _) => *limit = Some(asked),
    }
}

/// Refuses the keys that are the user's alone.
fn refuse_users_keys(file: &Path, options: &SessionOptions) -> Result<(), Failure> {
    let refused: Vec<String> =
        options.given().into_iter().filter(|key| !ALLOWED.contains(&key.as_str())).collect();
    let Some(first) = refused.first() else { return Ok(()) };
    Err(Failure::user(format!(
        "{}: `{}` is not accepted from a project's file, which may say how the project is built and tested, and tighten limits",
        file.display(),
        refused.join("`, `")
    ))
    .hint(format!(
        "remove it there, and give --{first} on the command line or `{first}` in your own settings file \
         (~/.config/patchwright/{FILE_NAME}, or the file that {USER_FILE_VARIABLE} names)"
    )))
}

/// Refuses environment variables by which this program and its runners are told what to do.
fn refuse_our_variables(file: &Path, options: &SessionOptions) -> Result<(), Failure> {
    let mut names = options.project.env.iter().flatten().map(|(name, _)| name);
    let Some(ours) = names.find(|name| name.starts_with(OUR_VARIABLES) && *name != TEST_SECONDS) else {
        return Ok(());
    };
    Err(Failure::user(format!(
        "{}: the variable `{ours}` of `env` is not accepted from a project's file: names that begin with {OUR_VARIABLES} are Patchwright's, and of these a project may set {TEST_SECONDS}",
        file.display()
    ))
    .hint("give the variable another name there, or set this one in the environment that Patchwright runs in"))
}

/// A path below the project, as it is written in its file. The folders of version control are the user's: addresses and keys may stand there.
fn inside(file: &Path, path: &str) -> Result<PathBuf, Failure> {
    let project = file.parent().and_then(|folder| Project::open(folder).ok());
    let is_private = |path: ProjectPath| {
        project.as_ref().map_or_else(|| path.is_private(), |project| project.is_private(&path))
    };
    if ProjectPath::new(path).is_ok_and(is_private) {
        return Err(Failure::user(format!(
            "{}: `{path}` belongs to version control or to this program, not to the project",
            file.display()
        ))
        .hint("name a file or folder of the project itself"));
    }
    let written = Path::new(path);
    let is_below = written.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if is_below && !path.is_empty() {
        return Ok(written.to_owned());
    }
    Err(Failure::user(format!("{}: `{path}` is outside of the project", file.display()))
        .hint("name a file or folder below the project, or give it on the command line"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_is_tightened_and_none_is_loosened() {
        let options = |text: &str| -> SessionOptions { toml::from_str(text).unwrap() };
        let check = |key: &str, in_force: &str, asked: &str, expected: &str| {
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join(FILE_NAME), format!("{key} = {asked}")).unwrap();
            let limits = ProjectSettings::read(folder.path()).unwrap().limits;
            let in_force = options(&format!("{key} = {in_force}"));
            let expected = serde_json::to_value(options(&format!("{key} = {expected}"))).unwrap();

            let mut given = in_force.clone();
            limits.tighten(&mut given, &SessionOptions::default());
            assert_eq!(serde_json::to_value(&given).unwrap(), expected, "{key}, given");

            let mut by_default = SessionOptions::default();
            limits.tighten(&mut by_default, &in_force);
            let holds = in_force.overlaid(&by_default).unwrap();
            assert_eq!(serde_json::to_value(&holds).unwrap(), expected, "{key}, by default");
        };
        for (key, tight, loose) in [
            ("cycles", "3", "30"),
            ("variants", "0", "30"),
            ("max-tokens-total", "1000", "1000000"),
            ("max-usd", "0.5", "13.0"),
            ("time-limit", "\"90s\"", "\"10m\""),
            ("timeout", "\"9s\"", "\"10s\""),
            ("lanes", "1", "64"),
        ] {
            check(key, loose, tight, tight);
            check(key, tight, loose, tight);
        }
    }

    #[test]
    fn the_allowed_keys_are_options_in_order() {
        let known = toml::from_str::<SessionOptions>("unknown = 1").unwrap_err().to_string();
        for key in ALLOWED {
            assert!(known.contains(&format!("`{key}`")), "{key}");
        }
    }
}
