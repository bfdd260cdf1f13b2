//! The repository of a case, read out of its container once, without anything of its history.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use patchwright_detection::adapters::shell_word;
use patchwright_sandbox::{Command, CommandLimits, Exit, SandboxError, choose};
use patchwright_suites::checkout::is_repository;
use patchwright_suites::container::{close, native};

/// Time for reading a repository out; the largest have a few gigabytes with what was built.
const READING: Duration = Duration::from_mins(20);

/// Reads the repository out. `$1` is the base commit. What is checked out has to be that, or what the image's makers committed on
/// top of it; and no other repository of the image may know more of the project, since it could be looked at there.
const READ: &str = r#"
cd /testbed && command -v git >/dev/null || exit 3
git() { command git -c safe.directory='*' "$@"; }
head=$(git rev-parse HEAD 2>/dev/null) || exit 3
if [ "$head" != "$(git rev-parse "$1^{commit}" 2>/dev/null)" ]; then
    [ "$(git rev-parse "$1^{commit}" 2>/dev/null)" = "$(git rev-parse HEAD^ 2>/dev/null)" ] || exit 4
    [ "$(git log -1 --format=%s)" = SWE-bench ] || exit 4
fi
# Repositories with a work tree, bare ones, and bundles. A shallow one need not know the base commit to know later ones.
other=$(find / -xdev \( -path /proc -o -path /sys -o -path /lane -o -path /testbed/.git \) -prune -o \
    \( -name .git -o -type d -name objects -o -name '*.bundle' \) -print 2>/dev/null | while read -r found; do
    case $found in
        /testbed/.git*) continue ;;
        *.bundle) git bundle list-heads "$found" >/dev/null 2>&1 && git bundle verify "$found" >/dev/null 2>&1 && echo "$found"; continue ;;
        */objects) found=${found%/objects}; [ -f "$found/HEAD" ] || continue ;;
    esac
    [ -f "$found" ] && continue
    git --git-dir="$found" cat-file -e "$1^{commit}" 2>/dev/null && echo "$found" && continue
    [ -f "$found/shallow" ] && echo "$found"
done | head -n 1)
[ -z "$other" ] || { echo "$other"; exit 5; }
rm -f /tmp/unread
{ tar -cf - --exclude=.git . || : > /tmp/unread; } | tar -xf - -C /lane && [ ! -e /tmp/unread ] || exit 6
"#;

/// The reason why a repository cannot be read out.
#[derive(Debug, thiserror::Error)]
pub(super) enum ReadError {
    /// The engine did not do what it was asked.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// The image is not of this case, or tells too much.
    #[error("the image `{image}` {what}")]
    Image {
        /// Its name.
        image: String,
        /// The mistake in it.
        what: String,
    },
    /// Something of the history came along.
    #[error("the copy of the repository still holds a history: `{}`", .0.display())]
    History(PathBuf),
    /// The disk.
    #[error("the repository could not be copied: {0}")]
    Copy(String),
}

/// Copies the repository of an image into an empty folder and checks that no history came along. Commits up to `base` are
/// left out too: no session needs them.
pub(super) async fn read_out(image: &str, base: &str, folder: &Path) -> Result<(), ReadError> {
    let sandbox = choose(&native(image, "prepare")).await?.sandbox;
    let limits = CommandLimits { time: READING, ..CommandLimits::default() };
    let line = format!("set -- {}\n{READ}", shell_word(base));
    let lane = std::path::absolute(folder).map_err(|error| ReadError::Copy(error.to_string()))?;
    let outcome = sandbox.run(&lane, &Command { limits, ..Command::new(line) }).await;
    close(sandbox.as_ref()).await;
    let outcome = outcome?;
    let wrong = |what: String| Err(ReadError::Image { image: image.to_owned(), what });
    match outcome.exit {
        Exit::Code(0) => no_history(folder),
        Exit::Code(3) => {
            wrong("has no repository at /testbed, or no git; is it an image of SWE-bench?".to_owned())
        }
        Exit::Code(4) => {
            wrong(format!("has another commit than {base} checked out; is it the case's image?"))
        }
        Exit::Code(5) => {
            let place = outcome.stdout.text();
            wrong(format!("has another repository with the history of this one at {}", place.trim()))
        }
        Exit::Code(_) | Exit::Signal(_) | Exit::TimedOut => Err(ReadError::Copy(
            format!("{}{}", outcome.stdout.text(), outcome.stderr.text()).trim().to_owned(),
        )),
    }
}

/// Copies the project that the image of a case holds into an empty folder, without any history: for edits that are no exact diff.
///
/// # Errors
/// The image is not of this case, or the engine or the disk did not do what it was asked; in words.
pub async fn project_of(image: &str, base: &str, folder: &Path) -> Result<(), String> {
    read_out(image, base, folder).await.map_err(|error| error.to_string())
}

/// Checks that nothing below a folder belongs to a history: no `.git`, no bare repository, no bundle.
fn no_history(folder: &Path) -> Result<(), ReadError> {
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        let entries = fs::read_dir(&folder)
            .map_err(|error| ReadError::Copy(format!("`{}`: {error}", folder.display())))?;
        for entry in entries.flatten() {
            let path = entry.path();
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let is_bundle =
                !is_folder && path.extension().is_some_and(|end| end == "bundle") && is_bundle(&path);
            if entry.file_name() == ".git" || (is_folder && is_repository(&path)) || is_bundle {
                return Err(ReadError::History(path));
            }
            if is_folder {
                open.push(path);
            }
        }
    }
    Ok(())
}

/// Is true if a file begins as `git bundle` writes it.
fn is_bundle(path: &Path) -> bool {
    use std::io::Read;
    let mut head = [0; 5];
    fs::File::open(path).and_then(|mut file| file.read_exact(&mut head)).is_ok() && &head == b"# v2 "
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_check_finds_what_came_along() {
        let check = |path: &str, is_folder: bool, text: &str| {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            if is_folder {
                fs::create_dir_all(&path).unwrap();
            } else {
                fs::write(&path, text).unwrap();
            }
            no_history(folder.path()).is_err()
        };
        assert!(check("a/.git", true, ""));
        assert!(check("vendor/sub/.git", false, "gitdir: ../../.git/modules/sub"));
        assert!(check("x.bundle", false, "# v2 git bundle\n"));
        assert!(!check("x.bundle", false, "certificates"));
        assert!(!check("a/.gitignore", false, "*"));
        assert!(!check("objects/HEAD", false, ""));
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("mirror.git/objects")).unwrap();
        fs::write(folder.path().join("mirror.git/HEAD"), "ref").unwrap();
        assert!(matches!(no_history(folder.path()), Err(ReadError::History(_))));
    }
}
