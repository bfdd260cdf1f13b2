//! Layers of settings: defaults, then the user's file, then the project's file, then the command line.

use std::path::{Path, PathBuf};

use patchwright_folder::Folder;
use patchwright_protocol::Failure;

use crate::options::{SandboxChoice, SessionOptions};

/// Name of the settings file, in the project's root and in the user's configuration folder.
pub const FILE_NAME: &str = "patchwright.toml";

/// Names a file that replaces the user's settings file.
pub const USER_FILE_VARIABLE: &str = "PATCHWRIGHT_CONFIG";

/// The size of a settings file at most, in bytes.
const MOST_BYTES: u64 = 1 << 20;

/// Merges the settings files of the user and of `project` below what the command line gave.
pub fn layer(project: &Path, typed: &SessionOptions) -> Result<SessionOptions, Failure> {
    let mut merged = of_user()?;
    let path = project.join(FILE_NAME);
    if path.is_file() {
        let mut options = read(&path)?;
        refuse_personal(&path, &options)?;
        anchor(project, &path, &mut options)?;
        merged = merged.overlaid(&options)?;
    }
    merged.overlaid(typed)
}

/// The options of the command line over those of the user's settings file.
pub fn users(typed: &SessionOptions) -> Result<SessionOptions, Failure> {
    of_user()?.overlaid(typed)
}

fn of_user() -> Result<SessionOptions, Failure> {
    match user_file().filter(|path| path.is_file()) {
        // A user's own file may be a link.
        Some(path) => read(&path.canonicalize().unwrap_or(path)),
        None => Ok(SessionOptions::default()),
    }
}

fn user_file() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os(USER_FILE_VARIABLE) {
        return Some(PathBuf::from(path));
    }
    let base = std::env::var_os("XDG_CONFIG_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".config")))?;
    Some(base.join("patchwright").join(FILE_NAME))
}

fn read(path: &Path) -> Result<SessionOptions, Failure> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(Failure::user(format!("{} is no file", path.display())));
    };
    let bytes = Folder::open(folder).and_then(|folder| folder.read(name, MOST_BYTES));
    let text = bytes
        .map_err(|error| error.to_string())
        .and_then(|bytes| String::from_utf8(bytes).map_err(|error| error.to_string()))
        .map_err(|error| Failure::user(format!("{}: {error}", path.display())))?;
    toml::from_str(&text).map_err(|error| {
        Failure::user(format!("{}: {}", path.display(), error.to_string().trim_end()))
            .hint("the keys are the long options of `patchwright repair --help` without the dashes")
    })
}

/// A project's file travels with the project, so it may not point at where the user's keys are sent, nor
/// take the isolation away.
fn refuse_personal(path: &Path, options: &SessionOptions) -> Result<(), Failure> {
    let personal = [
        ("base-url", options.model.base_url.is_some()),
        ("embeddings-url", options.agentless.embeddings_url.is_some()),
        ("key-file", options.model.key_file.is_some()),
        ("container", options.sandbox.container.is_some()),
        ("out", options.output.out.is_some()),
        ("resume", options.agentless.resume.is_some()),
        ("network = true", options.sandbox.network == Some(true)),
        ("sandbox = \"host\"", options.sandbox.kind == Some(SandboxChoice::Host)),
    ];
    match personal.iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((key, _)) => Err(Failure::user(format!(
            "{}: `{key}` is not accepted from a project's file: a project could use it against its user",
            path.display()
        ))
        .hint("give it on the command line or in your own settings file")),
    }
}

/// Paths in a project's file are relative to the project, not to where the program was started, and lie inside of
/// it, links followed: what they name may be sent to a model.
fn anchor(project: &Path, settings: &Path, options: &mut SessionOptions) -> Result<(), Failure> {
    let inside = |path: &str| -> Result<String, Failure> {
        let full = project.join(path);
        let real = full.canonicalize().unwrap_or_else(|_| full.clone());
        let within = project.canonicalize().is_ok_and(|project| real.starts_with(project));
        if within && !path.split('/').any(|part| part == "..") {
            return Ok(full.to_string_lossy().into_owned());
        }
        Err(Failure::user(format!("{}: `{path}` is outside of the project", settings.display()))
            .hint("give it on the command line or in your own settings file"))
    };
    for text in [&mut options.approach.model, &mut options.approach.localization] {
        if let Some((scheme @ ("replay" | "perfect"), file)) =
            text.as_deref().and_then(|text| text.split_once(':'))
        {
            *text = Some(format!("{scheme}:{}", inside(file)?));
        }
    }
    options.project.issue = options.project.issue.as_deref().map(inside).transpose()?;
    if let Some(states) = options.prompt.states.as_mut().filter(|states| *states != "none") {
        *states = inside(states)?;
    }
    for path in [&mut options.model.prices, &mut options.prompt.prompts].into_iter().flatten() {
        *path = PathBuf::from(inside(&path.to_string_lossy())?);
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn project(settings: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(FILE_NAME), settings).unwrap();
        folder
    }

    #[test]
    fn the_command_line_wins_over_the_project_file() {
        let folder = project("cycles = 7\nvariants = 3\nmodel = \"replay:trajectory.jsonl\"\n");
        let typed = toml::from_str("cycles = 9").unwrap();
        let options = layer(folder.path(), &typed).unwrap();
        assert_eq!(options.budget.cycles, Some(9));
        assert_eq!(options.budget.variants, Some(3));
        let recording = folder.path().join("trajectory.jsonl");
        assert_eq!(options.approach.model, Some(format!("replay:{}", recording.display())));
    }

    #[test]
    fn faults_of_a_file_name_it_and_the_key() {
        let check = |settings: &str, expected: &[&str]| {
            let folder = project(settings);
            let message = layer(folder.path(), &SessionOptions::default()).unwrap_err().to_string();
            for part in expected {
                assert!(message.contains(part), "{message:?} lacks {part:?}");
            }
        };
        check("cycle = 7\n", &[FILE_NAME, "cycle"]);
        check("cycles = \"many\"\n", &[FILE_NAME, "cycles"]);
        check("max-usd = nan\n", &[FILE_NAME, "max-usd", "not a number"]);
        check("timeout = \"soon\"\n", &[FILE_NAME, "soon"]);
        check("sandbox = \"host\"\n", &[FILE_NAME, "sandbox", "project"]);
        check("base-url = \"http://x\"\n", &[FILE_NAME, "base-url"]);
        check("issue = \"/etc/passwd\"\n", &[FILE_NAME, "/etc/passwd", "outside"]);
        check("issue = \"../notes\"\n", &[FILE_NAME, "../notes", "outside"]);
        check("prompts = \"/etc\"\n", &[FILE_NAME, "/etc", "outside"]);
        check("localization = \"perfect:/etc/passwd\"\n", &[FILE_NAME, "outside"]);
    }
}
