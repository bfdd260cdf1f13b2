//! Layers of settings: defaults, then the user's file, then the project's file, then the command line.

mod project;

use std::path::{Path, PathBuf};

use patchwright_folder::Folder;
use patchwright_protocol::Failure;
use patchwright_syntax::shorten;

use self::project::ProjectSettings;
pub use self::project::{ProjectFile, ProjectLimits};
use crate::options::SessionOptions;

/// Name of the settings file, in the project's root and in the user's configuration folder.
pub const FILE_NAME: &str = "patchwright.toml";

/// Names a file that replaces the user's settings file.
pub const USER_FILE_VARIABLE: &str = "PATCHWRIGHT_CONFIG";

/// The largest settings file that is read, in bytes.
const MOST_BYTES: u64 = 1 << 20;

/// The most characters of a line that an error quotes.
const LONGEST_QUOTED: usize = 200;

/// The options of a session in a project, and what of them is the project's own word.
#[derive(Clone, Debug, Default)]
pub struct Layered {
    /// The options of the user's file, the project's file and the command line, each laid over the one before.
    pub options: SessionOptions,
    /// The test command that the user gave: the only one that may name places of the host.
    pub users_test: Option<String>,
    /// The issue that the project's file names, where the user names none.
    pub issue: Option<ProjectFile>,
    /// The limits of the project's file that nothing on the command line replaces.
    pub limits: ProjectLimits,
}

/// Merges the settings files of the user and of `project` below what the command line gave.
///
/// # Errors
/// A file cannot be read, or says what it may not say.
pub fn layer(project: &Path, typed: &SessionOptions) -> Result<Layered, Failure> {
    let user = of_user()?;
    let users = user.overlaid(typed)?;
    let own = ProjectSettings::read(project)?;
    Ok(Layered {
        options: user.overlaid(&own.options)?.overlaid(typed)?,
        issue: own.issue.filter(|_| users.project.issue.is_none()),
        users_test: users.project.test,
        limits: own.limits.without(typed),
    })
}

/// The options of the command line over those of the user's settings file.
///
/// # Errors
/// The user's file cannot be read.
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
        // The error quotes the line.
        let lines: Vec<_> =
            error.to_string().trim_end().lines().map(|line| shorten(line, LONGEST_QUOTED)).collect();
        Failure::user(format!("{}: {}", path.display(), lines.join("\n")))
            .hint("the keys are the long options of `patchwright repair --help` without the dashes")
    })
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
        let folder = project("cycles = 7\nvariants = 3\ntest = \"make check\"\nissue = \"notes/bug.md\"\n");
        let typed = toml::from_str("cycles = 9").unwrap();
        let Layered { mut options, users_test, issue, limits } = layer(folder.path(), &typed).unwrap();
        limits.tighten(&mut options, &SessionOptions::default());
        assert_eq!((options.budget.cycles, options.budget.variants), (Some(9), Some(3)));
        assert_eq!((options.project.test.as_deref(), users_test), (Some("make check"), None));
        assert_eq!(issue.unwrap().shown(), folder.path().join("notes/bug.md"));

        let typed = toml::from_str("test = \"pytest\"\nissue = \"other.md\"\n").unwrap();
        let layered = layer(folder.path(), &typed).unwrap();
        assert_eq!(layered.options.project.test, layered.users_test);
        assert_eq!((layered.users_test.as_deref(), layered.issue), (Some("pytest"), None));
    }

    #[test]
    fn a_fault_quotes_no_more_of_a_line_than_one_reads() {
        let folder = project(&format!("cycles = \"{}\"\n", "x".repeat(1 << 19)));
        let message = layer(folder.path(), &SessionOptions::default()).unwrap_err().to_string();
        assert!(message.contains("cycles") && message.len() < 2_000, "{} bytes", message.len());
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
        check("issue = \"/etc/passwd\"\n", &[FILE_NAME, "/etc/passwd", "outside"]);
        check("issue = \"../notes\"\n", &[FILE_NAME, "../notes", "outside"]);
        check("issue = \"\"\n", &[FILE_NAME, "outside"]);
        check("[env]\nPATCHWRIGHT_KEY = \"x\"\n", &[FILE_NAME, "PATCHWRIGHT_KEY", "env"]);
        for private in
            [".git", ".git/config", "./.GIT/config", "a/.hg/hgrc", ".jj/repo", ".patchwright/sessions"]
        {
            check(&format!("issue = \"{private}\"\n"), &[FILE_NAME, private, "version control"]);
            check(&format!("source = [\"{private}\"]\n"), &[FILE_NAME, private, "version control"]);
        }
        check("tests = [\"../notes\"]\n", &[FILE_NAME, "../notes", "outside"]);
        let folder = project("issue = \"meta/config\"\n");
        for name in ["meta/objects", "meta/refs"] {
            std::fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        std::fs::write(folder.path().join("meta/HEAD"), "").unwrap();
        let message = layer(folder.path(), &SessionOptions::default()).unwrap_err().to_string();
        assert!(message.contains("version control"), "{message}");
    }

    #[test]
    fn what_is_the_users_to_set_is_refused_in_a_projects_file() {
        for setting in [
            "sandbox = \"host\"",
            "sandbox = \"landlock\"",
            "image = \"debian\"",
            "container = \"mine\"",
            "network = true",
            "model = \"openai/gpt\"",
            "model = \"replay:trajectory.jsonl\"",
            "base-url = \"http://x\"",
            "key-file = \"keys\"",
            "prices = \"prices.toml\"",
            "embeddings = \"openai/x\"",
            "embeddings-url = \"http://x\"",
            "prompts = \"templates\"",
            "states = \"states.toml\"",
            "localization = \"perfect:golden.patch\"",
            "resume = \"trajectory.jsonl\"",
            "out = \"results\"",
            "max-output-tokens = 1000000",
            "method = \"libro\"",
        ] {
            let folder = project(setting);
            let failure = layer(folder.path(), &SessionOptions::default()).unwrap_err();
            let (key, _) = setting.split_once(' ').unwrap();
            let message = failure.to_string();
            assert!(message.contains(&format!("`{key}` is not accepted")), "{message}");
            assert!(failure.hint.unwrap().contains(&format!("--{key} on the command line")));
        }
    }

    #[test]
    fn what_a_project_names_is_read_through_no_link() {
        let outside = tempfile::tempdir().unwrap();
        std::fs::write(outside.path().join("issue.md"), "private").unwrap();
        let check = |issue: &str, link: &str| {
            let folder = project(&format!("issue = \"{issue}\"\n"));
            std::fs::create_dir(folder.path().join("bug")).unwrap();
            let target =
                if link == "notes" { outside.path().to_owned() } else { outside.path().join("issue.md") };
            std::os::unix::fs::symlink(target, folder.path().join(link)).unwrap();
            let issue = layer(folder.path(), &SessionOptions::default()).unwrap().issue.unwrap();
            let message = issue.read("issue.md", 100).unwrap_err().to_string();
            let is_refused = ["link", "no regular file"].iter().any(|why| message.contains(why));
            assert!(message.contains(FILE_NAME) && is_refused, "{message}");
        };
        check("bug", "bug/issue.md");
        check("bug.md", "bug.md");
        check("notes", "notes");
        check("./notes/issue.md", "notes");

        let folder = project("issue = \"bug\"\n");
        std::fs::create_dir(folder.path().join("bug")).unwrap();
        std::fs::write(folder.path().join("bug/issue.md"), "the sum is off by one").unwrap();
        let issue = layer(folder.path(), &SessionOptions::default()).unwrap().issue.unwrap();
        assert_eq!(issue.read("issue.md", 100).unwrap(), b"the sum is off by one");
        assert!(issue.read("issue.md", 5).unwrap_err().to_string().contains("more than the 5"));
    }
}
